"""Text to programs: pl.parse, decorators, scopes of free names, notebooks, errors and warnings."""

import linecache
import pathlib
import pickle
import runpy
import threading
import types
import warnings

import numpy as np
import pytest

import tilewire as tw
import tilewire.language as pl
import tilewire.language as renamed
import tilewire.language.distributed as pld
from tilewire import ir

TEXT = """
import tilewire.language as pl

@pl.program
class Scale:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
        t = pl.load(x, [0, 0], [16, 16])
        y = pl.store(t * 2.0, [0, 0], y)
"""

ROWS = 16
SHAPE = [ROWS, 32]
TYPE = pl.Tensor[SHAPE, pl.FP32]
NR = pl.dynamic("NR")


def floats(program):
    return sorted({float(word.strip("(),")) for word in program.as_python().split() if word.strip("(),").replace(".", "").isdigit() and "." in word})


def test_parse():
    program = pl.parse(TEXT)
    assert isinstance(program, ir.Program) and program.name_hint == "Scale"
    assert [p.name for p in program["kernel"].params] == ["x", "y"]
    assert program["kernel"].params[1].direction is ir.Direction.Out
    assert pl.parse(program.as_python()) == program
    assert pl.parse(TEXT.encode()) == program


def test_load_program(tmp_path):
    path = tmp_path / "scale.py"
    path.write_text("raise RuntimeError('never run')\n" + TEXT)
    assert pl.load_program(path) == pl.load_program(str(path)) == pl.parse(TEXT)
    with pytest.raises(FileNotFoundError):
        pl.load_program(tmp_path / "missing.py")


def test_constants():
    text = TEXT.replace("16", "N")
    for value in (16, np.int64(16)):
        assert pl.parse(text, constants={"N": int(value)}) == pl.parse(TEXT)
    with pytest.raises(tw.ProgramError, match="N"):
        pl.parse(text)
    dtype = TEXT.replace("pl.FP32", "D")
    assert pl.parse(dtype, constants={"D": pl.FP32}) == pl.parse(TEXT)


def test_errors_have_places():
    text = TEXT.replace("pl.load(x,", "pl.laod(x,")
    with pytest.raises(tw.ProgramError) as error:
        pl.parse(text, filename="scale.py")
    (diagnostic,) = error.value.diagnostics
    assert (diagnostic.file, diagnostic.line) == ("scale.py", 8)
    assert diagnostic.column == text.splitlines()[7].index("pl.laod") + 1
    assert diagnostic.severity == "error" and diagnostic.code.startswith("TW")
    assert "laod" in diagnostic.message and any("load" in h for h in diagnostic.helps)
    assert str(diagnostic) in str(error.value) and "scale.py:8:" in str(error.value)
    assert isinstance(error.value, tw.Error)


def test_columns_are_characters():
    text = TEXT.replace("t * 2.0", "pl.größe(t)").replace("y = pl.store", "größe = pl.store")
    with pytest.raises(tw.ProgramError) as error:
        pl.parse(text)
    line = text.splitlines()[8]
    assert any(d.column == line.index("pl.größe") + 1 for d in error.value.diagnostics)


@pytest.mark.parametrize("text", ["", "(" * 10000, "\x00", "\ud800", "class", "def f(:\n", "é" * 50, b"\xff\xfe"])
def test_hostile_text(text):
    with pytest.raises(tw.ProgramError) as error:
        pl.parse(text)
    assert error.value.diagnostics
    with pytest.raises(TypeError):
        pl.parse(3)


def test_warnings():
    text = TEXT.replace("y = pl.store(t * 2.0, [0, 0], y)", "y = t * 2.0")
    with pytest.warns(tw.Warning, match=r"warning\[TW") as caught:
        pl.parse(text, filename="scale.py")
    assert (caught[0].filename, caught[0].lineno) == ("scale.py", 9)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(tw.Warning):
            pl.parse(text)


@pl.program
class Decorated:
    """Read where it stands."""

    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: TYPE, y: pl.Out[TYPE]):
        t = pl.load(x, [0, 0], SHAPE)
        y = pl.store(t, [0, 0], y)


def test_program_decorator():
    assert isinstance(Decorated, ir.Program) and Decorated.name_hint == "Decorated"
    assert Decorated["kernel"].params[0].type == TYPE
    span = Decorated["kernel"].body.stmts[0].span
    lines = linecache.getlines(span.file)
    assert "t = pl.load(x" in lines[span.line - 1]


def test_annotations_are_not_needed_at_run_time():
    # The text is read, so a module aliased otherwise is the same language.
    @renamed.program
    class P:
        @renamed.function(type=renamed.FunctionType.InCore)
        def kernel(self, x: renamed.Tensor[[16, 16], renamed.FP32], y: renamed.Out[renamed.Tensor[[16, 16], renamed.FP32]]):
            t = renamed.load(x, [0, 0], [16, 16])
            y = renamed.store(t * 2.0, [0, 0], y)

    assert P == pl.parse(TEXT)


def make_scaled(factor, rows, config=None):
    local = pl.Tensor[[rows, 16], pl.FP32]

    @pl.program
    class Scaled:
        @pl.function(type=pl.FunctionType.InCore)
        def kernel(self, x: local, y: pl.Out[local]):
            t = pl.load(x, [0, 0], [rows, 16])
            y = pl.store(t * factor, [0, 0], y)

    return Scaled


def test_closures():
    two, three = make_scaled(2.0, 16), make_scaled(3.0, 32)
    assert two == pl.parse(TEXT) != three
    assert two["kernel"].params[0].type == pl.Tensor[[16, 16], pl.FP32]
    assert three["kernel"].params[0].type == pl.Tensor[[32, 16], pl.FP32]
    assert floats(two) == [2.0] and floats(three) == [3.0]
    assert make_scaled(np.float64(2.0), np.int32(16)) == two


def test_attributes_of_python_objects():
    config = types.SimpleNamespace(rows=16, factors={"k": [1.0, 2.0]}, dtype=pl.FP32)

    @pl.program
    class P:
        @pl.function(type=pl.FunctionType.InCore)
        def kernel(self, x: pl.Tensor[[config.rows, 16], config.dtype], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
            t = pl.load(x, [0, 0], [config.rows, 16])
            y = pl.store(t * config.factors["k"][1], [0, 0], y)

    assert P == pl.parse(TEXT)


def test_python_objects_without_a_meaning():
    thing = object()
    with pytest.raises(tw.ProgramError, match="object"):

        @pl.program
        class P:
            @pl.function(type=pl.FunctionType.InCore)
            def kernel(self, x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
                y = pl.store(pl.load(x) * thing, [0, 0], y)

    config = types.SimpleNamespace()
    with pytest.raises(tw.ProgramError, match="AttributeError"):

        @pl.program
        class Q:
            @pl.function(type=pl.FunctionType.InCore)
            def kernel(self, x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
                y = pl.store(pl.load(x) * config.missing, [0, 0], y)

    with pytest.raises(tw.ProgramError, match="nowhere"):

        @pl.program
        class R:
            @pl.function(type=pl.FunctionType.InCore)
            def kernel(self, x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
                y = pl.store(pl.load(x) * nowhere, [0, 0], y)  # noqa: F821


def test_python_expressions_that_fail():
    config = types.SimpleNamespace(hidden=4)
    with pytest.raises(tw.ProgramError) as caught:

        @pl.program
        class P:
            @pl.function(type=pl.FunctionType.InCore)
            def kernel(self, n: pl.Scalar[pl.INDEX]):
                for i in pl.range(config.hiden):
                    pass

    text = str(caught.value)
    assert "error[TW1004]: `config.hiden` cannot be evaluated: AttributeError" in text
    assert "for i in pl.range(config.hiden):" in text and "^^^^^^^^^^^^" in text
    assert text.count("error[") == 1


def test_interrupts_pass_through():
    class Rude:
        @property
        def value(self):
            raise KeyboardInterrupt

    rude = Rude()
    with pytest.raises(KeyboardInterrupt):

        @pl.program
        class P:
            @pl.function(type=pl.FunctionType.InCore)
            def kernel(self, x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
                y = pl.store(pl.load(x) * rude.value, [0, 0], y)


def test_error_line_in_a_file():
    with pytest.raises(tw.ProgramError) as error:

        @pl.program
        class P:
            @pl.function(type=pl.FunctionType.InCore)
            def kernel(self, x: pl.Tensor[[16, 16], pl.FP32]):
                t = pl.load(x, [0, 0], [16, 16], [0])  # the wrong line

    diagnostic = error.value.diagnostics[0]
    assert diagnostic.file == __file__
    assert "the wrong line" in linecache.getline(__file__, diagnostic.line)


def test_same_name_twice_in_one_file():
    def first():
        @pl.program
        class Same:
            @pl.function(type=pl.FunctionType.InCore)
            def one(self, x: TYPE, y: pl.Out[TYPE]):
                y = pl.store(pl.load(x), [0, 0], y)

        return Same

    def second():
        @pl.program
        class Same:
            @pl.function(type=pl.FunctionType.InCore)
            def two(self, x: TYPE, y: pl.Out[TYPE]):
                y = pl.store(pl.load(x), [0, 0], y)

        return Same

    assert first().functions[0].name == "one" and second().functions[0].name == "two"


def run_cell(source, name, namespace=None):
    """What a notebook does: compiled under a made-up name, the text in linecache."""
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    namespace = {"__name__": "__main__"} if namespace is None else namespace
    exec(compile(source, name, "exec"), namespace)
    return namespace


def test_notebook_cell():
    cell = "# a cell\n\n" + TEXT
    namespace = run_cell(cell, "<ipython-input-1-abc>")
    assert namespace["Scale"] == pl.parse(TEXT)
    wrong = cell.replace("pl.load(x,", "pl.laod(x,")
    with pytest.raises(tw.ProgramError) as error:
        run_cell(wrong, "<ipython-input-2-abc>")
    assert error.value.diagnostics[0].file == "<ipython-input-2-abc>"
    assert error.value.diagnostics[0].line == 10
    assert "pl.laod" in str(error.value)


def test_notebook_functions_across_cells():
    first = "import tilewire.language as pl\n@pl.jit.incore\ndef kernel(x, y: pl.Out):\n    y = pl.store(pl.load(x), [0, 0], y)\n    return y\n"
    second = "@pl.jit\ndef entry(x, y: pl.Out):\n    y = kernel(x, y)\n    return y\n"
    namespace = run_cell(first, "<cell-1>")
    run_cell(second, "<cell-2>", namespace)
    program = namespace["entry"].specialize(TYPE, TYPE)
    assert {f.name for f in program.functions} == {"entry", "kernel"}


def test_no_source():
    namespace = {}
    with pytest.raises(tw.ProgramError, match="source text of `Scale` is not available"):
        exec(TEXT, namespace)


@pl.jit.incore
def double(x, y: pl.Out):
    t = pl.load(x)
    y = pl.store(t + t, [0, 0], y)
    return y


other_name = double


@pl.jit
def entry(x, y: pl.Out):
    y = other_name(x, y)
    return y


@pl.jit
def annotated(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = double(x, y)
    return y


@pl.jit.host
def host(x: pl.Tensor[[NR, 16, 16], pl.FP32], y: pl.Out[pl.Tensor[[NR, 16, 16], pl.FP32]]):
    for r in pl.range(pld.world_size()):
        annotated(x[r], y[r], device=r)


def test_jit_program():
    program = annotated.program
    assert program is annotated.program
    assert {f.name: f.type for f in program.functions} == {
        "annotated": pl.FunctionType.Orchestration,
        "double": pl.FunctionType.InCore,
    }
    assert pl.parse(program.as_python()) == program
    assert {f.type for f in host.program.functions} == {
        pl.FunctionType.Host, pl.FunctionType.Orchestration, pl.FunctionType.InCore,
    }  # fmt: skip


def test_jit_specialise():
    small = entry.specialize(pl.Tensor[[16, 16], pl.FP32], pl.Tensor[[16, 16], pl.FP32])
    assert small["entry"].params[0].type == pl.Tensor[[16, 16], pl.FP32]
    x = np.zeros((16, 16), np.float32)
    assert entry.specialize(x, np.zeros_like(x)) == small == entry.specialize(x, y=x)
    half = entry.specialize(x.astype(np.float16), x.astype(np.float16))
    assert half["entry"].params[1].type.dtype is pl.FP16 and half != small
    assert small["entry"].params[1].direction is ir.Direction.Out
    ml_dtypes = pytest.importorskip("ml_dtypes")
    b = x.astype(ml_dtypes.bfloat16)
    assert entry.specialize(b, b)["entry"].params[0].type.dtype is pl.BF16


@pl.jit.incore
def reduce_rows(x, out, mode, exact):
    t = pl.load(x)
    if mode == "max":
        r = pl.row_max(t)
    else:
        r = pl.row_sum(t)
    if exact:
        r = r * 2.0
    out = pl.store(r, [0, 0], out)
    return out


def test_jit_specialise_known_values():
    x = np.zeros((16, 16), np.float32)
    y = np.zeros((16, 1), np.float32)
    largest = reduce_rows.specialize(x, y, "max", True)
    assert "row_max" in largest.as_python() and "row_sum" not in largest.as_python()
    assert len(largest["reduce_rows"].params) == 2
    assert "tile.mul" not in reduce_rows.specialize(x, y, "sum", False).as_python()


def test_imported_names():
    from tilewire.language import load, row_sum

    @pl.jit.incore
    def kernel(x: pl.Tensor[[16, 16], pl.FP32], out: pl.Out[pl.Tensor[[16, 1], pl.FP32]]):
        out = pl.store(row_sum(load(x)), [0, 0], out)

    assert "pl.tile.row_sum" in kernel.program.as_python()


def test_jit_specialise_wrong():
    x = np.zeros((16, 16), np.float64)
    with pytest.raises(tw.RunError, match="`x`.*float64"):
        entry.specialize(x, x)
    with pytest.raises(TypeError):
        entry.specialize(x, x, x)
    with pytest.raises(TypeError):
        entry.specialize(no_such=x)
    with pytest.raises(tw.RunError, match="`x`"):
        entry.specialize(object(), object())
    with pytest.raises(tw.ProgramError, match="x"):
        entry.program


def test_jit_function_object():
    assert entry.__name__ == "entry" and entry.__wrapped__.__code__.co_varnames[:2] == ("x", "y")
    assert repr(entry).startswith("<JitFunction entry at test_parse.py:")
    for decorator in (pl.jit, pl.jit.host, pl.jit.incore, pl.jit.inline, pl.function, pl.program):
        assert decorator.__doc__
        with pytest.raises(TypeError, match="decorates"):
            decorator(3)


def test_jit_closures():
    def make(factor):
        @pl.jit.inline
        def scale(t):
            return t * factor

        @pl.jit.incore
        def kernel(x: TYPE, y: pl.Out[TYPE]):
            y = pl.store(scale(pl.load(x)), [0, 0], y)

        return kernel

    assert floats(make(2.0).program) == [2.0] and floats(make(5.0).program) == [5.0]


@pl.jit.incore
def signal_all(x: pl.Tensor[[16, 16], pl.FP32], s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]]):
    pld.system.notify_all(s)
    pld.system.wait_all(s, 1)


@pl.jit.host
def windows(x: pl.Tensor[[16, 16], pl.FP32]):
    s = pld.alloc_signal(pld.world_size())
    for r in pl.range(pld.world_size()):
        signal_all(x, s, device=r)


def test_programs_with_windows():
    program = windows.program
    again = pl.parse(program.as_python())
    for other in (again, pickle.loads(pickle.dumps(program)), ir.deserialize(program.serialize())):
        assert other == program and hash(other) == hash(program)
        assert other["windows"] == program["windows"]


# Programs that need no constants from outside; the command reads all of them.
PROGRAMS = [
    path
    for folder in ("examples", "tests/lang/programs")
    for path in sorted((pathlib.Path(__file__).parents[2] / folder).glob("*.py"))
    if not {"-D", "--shape"} & set(path.read_text().split("\n")[0].split())
]


@pytest.mark.filterwarnings("ignore::tilewire.Warning")
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_python_and_the_compiler_read_alike(path):
    loaded = pl.load_program(path)
    made = runpy.run_path(str(path), run_name="imported")
    programs = [value for value in made.values() if isinstance(value, ir.Program)]
    assert programs or any(isinstance(value, pl.JitFunction) for value in made.values())
    if programs:
        assert ir.first_difference(programs[0], loaded) == "" and programs[0] == loaded


def test_threads_read_at_once():
    expected, errors = make_scaled(2.0, 16), []

    def work():
        try:
            for _ in range(20):
                assert make_scaled(2.0, 16) == expected
                assert pl.parse(TEXT) == expected
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
