"""Calls see what the Python around a program is at the time of the call: redefined kernels, rebound constants."""

import builtins
import importlib.util
import linecache
import textwrap
import threading

import numpy as np
import pytest
import tilewire

HEADER = "import types\nimport tilewire.language as pl\nimport tilewire.language.distributed as pld\n"
KERNEL = """
@pl.jit.incore
def {name}(x: pl.Tensor[[4, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):
    y = pl.store(pl.load(x) * {scale}, [0, 0], y)
    return y
"""
MAIN = """
@pl.jit
def main(x: pl.Tensor[[4, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):
    y = k(x, y)
    return y
"""
ONES = np.ones((4, 8), np.float32)


@pytest.fixture
def module(tmp_path):
    """Makes modules from text."""
    made = []

    def make(text):
        path = tmp_path / f"captured_{len(made)}.py"
        path.write_text(HEADER + textwrap.dedent(text))
        spec = importlib.util.spec_from_file_location(path.stem, path)
        made.append(importlib.util.module_from_spec(spec))
        spec.loader.exec_module(made[-1])
        return made[-1]

    return make


def value(function, *arguments, **named):
    result = function(ONES, *arguments, **named)
    assert (result == result[0, 0]).all()
    return result[0, 0]


def kernel(name="k", scale="SCALE"):
    return KERNEL.format(name=name, scale=scale)


def test_a_rebound_constant(module):
    m = module("SCALE = 2.0\n" + kernel() + MAIN)
    for scale in (2.0, 3.0, 3.0, 2.0, 5.0):
        m.SCALE = scale
        for _ in range(2):
            assert value(m.k) == value(m.main) == scale
        assert value(m.main, target="interp") == scale
    m.SCALE = 7  # an integer: another program
    assert "7" in str(m.main.program) and value(m.main) == 7


def test_going_back_reads_nothing_again(module):
    m = module("SCALE = 2.0\n" + kernel() + MAIN)
    two, three = 2.0, 3.0
    m.SCALE = two
    first = m.main.program
    m.SCALE = three
    assert m.main.program is not first
    m.SCALE = two
    assert m.main.program is first


def test_a_redefined_kernel(module):
    m = module(kernel(scale="2.0") + MAIN)
    assert value(m.main) == 2
    m.k = module(kernel(scale="7.0")).k
    assert value(m.main) == 7
    m.k = module(kernel(name="other", scale="9.0")).other
    assert value(m.main) == 9
    del m.k
    with pytest.raises(tilewire.ProgramError, match="`k` is not defined"):
        m.main(ONES)


def test_a_kernel_of_another_module_keeps_its_own_names(module):
    library = module("SCALE = 2.0\n" + kernel())
    m = module("SCALE = 100.0\n" + MAIN)
    m.k = library.k
    assert value(m.main) == 2
    m.SCALE = 200.0
    assert value(m.main) == 2
    library.SCALE = 4.0
    assert value(m.main) == 4


def test_attributes_elements_and_lists(module):
    m = module("config = types.SimpleNamespace(scale=2.0)\ntable = {'scale': [3.0]}\n"
               + kernel(name="a", scale="config.scale") + kernel(name="b", scale="table['scale'][0]")
               + "SHAPE = [4, 8]\n" + """
@pl.jit.incore
def c(x: pl.Tensor[[4, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):
    y = pl.store(pl.full(SHAPE, dtype=pl.FP32, value=1.0), [0, 0], y)
    return y
""")
    assert (value(m.a), value(m.b), value(m.c)) == (2, 3, 1)
    m.config.scale = 4.0
    m.table["scale"][0] = 5.0
    assert (value(m.a), value(m.b)) == (4, 5)
    m.config = m.types.SimpleNamespace(scale=6.0)
    m.table = {"scale": [7.0]}
    assert (value(m.a), value(m.b)) == (6, 7)
    m.SHAPE[0] = 2
    assert m.c(ONES)[1, 7] == 1 and "[2, 8]" in str(m.c.program)


def test_cells_of_an_enclosing_function(module):
    m = module("""
def make(scale):
    @pl.jit.incore
    def k(x: pl.Tensor[[4, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):
        y = pl.store(pl.load(x) * scale, [0, 0], y)
        return y

    @pl.jit
    def main(x: pl.Tensor[[4, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):
        y = k(x, y)
        return y

    def change(new_scale, new_kernel=None):
        nonlocal scale, k
        scale = new_scale
        k = new_kernel or k

    return main, change
""" + kernel(name="other", scale="11.0"))
    main, change = m.make(2.0)
    assert value(main) == 2
    change(3.0)
    assert value(main) == 3
    change(3.0, m.other)
    assert value(main) == 11


def test_a_name_of_builtins(module, monkeypatch):
    monkeypatch.setattr(builtins, "TILEWIRE_SCALE", 2.0, raising=False)
    m = module(kernel(scale="TILEWIRE_SCALE"))
    assert value(m.k) == 2
    monkeypatch.setattr(builtins, "TILEWIRE_SCALE", 3.0)
    assert value(m.k) == 3
    m.TILEWIRE_SCALE = 4.0
    assert value(m.k) == 4
    del m.TILEWIRE_SCALE
    assert value(m.k) == 3


def test_types_from_the_call(module):
    m = module("""
SCALE = 2.0

@pl.jit.incore
def k(x, n: pl.Scalar[pl.INDEX], y: pl.Out):
    for i in pl.range(n):
        y = pl.store(pl.load(x) * SCALE, [0, 0], y)
    return y
""")
    for scale in (2.0, 3.0):
        m.SCALE = scale
        for dtype in (np.float32, np.float16):
            y = np.zeros((4, 8), dtype)
            assert (m.k(ONES.astype(dtype), 1, y) == scale).all()


def test_what_was_compiled_stays(module):
    m = module("SCALE = 2.0\n" + kernel())
    exe = m.k.compile()
    m.SCALE = 3.0
    assert value(exe) == 2 and value(m.k) == 3 and value(m.k.compile()) == 3


def test_checks_see_it(module):
    m = module("""
LAST = 1

@pl.jit.incore
def k(w: pl.InOut[pld.DistributedTensor[[1, 8], pl.INT32]], y: pl.Out[pl.Tensor[[1, 8], pl.INT32]]):
    pld.system.notify(w, pld.rank(pld.get_comm_ctx(w)), [0, 0], 1)
    pld.system.wait(w, [0, 0], LAST)

@pl.jit.host
def host(y: pl.Out[pl.Tensor[[2, 1, 8], pl.INT32]]):
    w = pld.alloc_window([1, 8], dtype=pl.INT32)
    for r in pl.range(pld.world_size()):
        k(w, y[r], device=r)
""")
    assert m.host.check(ranks=2).ok
    m.LAST = 2
    assert m.host.check(ranks=2).findings[0].kind == "deadlock"
    m.LAST = 1
    assert m.host.check(ranks=2).ok


def test_a_file_that_changed_is_not_read_again(module):
    m = module("SCALE = 2.0\n" + kernel())
    assert value(m.k) == 2
    with open(m.__file__, "w") as file:
        file.write("# something else\n" * 30)
    linecache.checkcache(m.__file__)
    m.SCALE = 3.0
    assert value(m.k) == 3


def test_a_constant_rebound_while_others_call(module):
    m = module("SCALE = 2.0\n" + kernel() + MAIN)
    wrong = []
    stop = threading.Event()

    def work():
        while not stop.is_set():
            if value(m.main) not in (2, 3):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for i in range(50):
        m.SCALE = 2.0 + i % 2
        assert value(m.main) == m.SCALE
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong


CELLS = [
    "import numpy as np\nimport tilewire.language as pl\nx = np.ones((4, 8), np.float32)\nSCALE = 2.0",
    kernel(),
    MAIN,
    "print(main(x)[0, 0])",
    "SCALE = 3.0",
    "print(main(x)[0, 0])",
    kernel(scale="7.0"),
    "print(k(x)[0, 0], main(x)[0, 0])",
    "exe = main.compile()",
    kernel(scale="SCALE + 1.0"),
    "print(exe(x)[0, 0], main(x)[0, 0])",
]


def test_notebook_cells():
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text.strip()) for text in CELLS])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    printed = [output.text.strip() for cell in notebook.cells for output in cell.outputs]
    assert printed == ["2.0", "3.0", "7.0 7.0", "7.0 4.0"]
