"""What notebooks show, and functions that travel to other processes."""

import html.parser
import pathlib
import pickle
import subprocess
import sys

import numpy as np
import pytest
import tilewire
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
SCALE = 2.0
config = {"shift": [1.0]}


@pl.jit.inline
def scaled(t):
    return t * SCALE


@pl.jit.incore
def kernel(x: pl.Tensor[[4, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):
    "Text with <b>html</b> & more."
    y = pl.store(scaled(pl.load(x)) + config["shift"][0], [0, 0], y)
    return y


@pl.jit
def main(x, y: pl.Out):
    y = kernel(x, y)
    return y


@pl.jit.incore
def send(
    w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]],
    s: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[1, 8], pl.FP32]],
):
    ctx = pld.get_comm_ctx(w)
    pld.tile.remote_store(pl.full([1, 8], dtype=pl.FP32, value=1.0), w, (pld.rank(ctx) + 1) % pld.nranks(ctx), [0, 0])
    y = pl.store(pl.load(w), [0, 0], y)


@pl.jit.host
def host(y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    s = pld.alloc_signal(1)
    for r in pl.range(pld.world_size()):
        send(w, s, y[r], device=r)


class Page(html.parser.HTMLParser):
    """The text of a page; raises where elements do not nest."""

    def __init__(self, page):
        super().__init__()
        self.open, self.text, self.tags = [], "", set()
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        if tag not in ("br", "meta", "hr"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_functions():
    page = Page(kernel._repr_html_())
    assert "kernel, test_notebook_views.py:" in page.text and "<b>html</b> & more" in page.text
    assert "@pl.jit.incore" in page.text


@pytest.mark.parametrize("target", ["cpu", "interp"])
def test_executables(target):
    page = Page(kernel.compile(target=target)._repr_html_())
    assert f"kernel, compiled for {target}" in page.text
    assert "x" + "pl.Tensor[[4, 8], pl.FP32]" + "in" in page.text and "y" + "pl.Tensor[[4, 8], pl.FP32]" + "out" in page.text
    assert "windows" not in page.text and "<b>html</b>" not in page.tags
    if target == "cpu":
        assert "windows" in Page(host.compile()._repr_html_()).text


def test_bundles(tmp_path):
    kernel.compile().save(tmp_path / "bundle")
    assert "kernel, compiled for cpu" in Page(tilewire.load_bundle(tmp_path / "bundle")._repr_html_()).text


def test_reports():
    reports = host.check(ranks=[2, 3])
    assert "data race" in str(reports)
    one, both = reports[0]._repr_html_(), reports._repr_html_()
    assert "iframe" in Page(one).tags and "iframe" in Page(both).tags
    assert "data race" in one and len(both) > len(one)


def test_functions_pickle_by_source():
    x = np.ones((4, 8), np.float32)
    copies = pickle.loads(pickle.dumps([kernel, main]))
    assert (copies[0](x) == 3).all() and (copies[1](x, np.zeros_like(x)) == 3).all()
    assert str(copies[0].program) == str(kernel.program)
    assert (copies[0].__name__, copies[0].__qualname__) == ("kernel", "kernel")
    assert repr(copies[0]) == repr(kernel)
    with pytest.raises(tilewire.RunError, match=r"test_notebook_views.py:\d+:"):
        copies[0](x[:3])
    assert pickle.loads(pickle.dumps(copies[0]))(x)[0, 0] == 3
    assert pickle.loads(pickle.dumps(host)).check(ranks=2).verdict == "refuted"


def test_closures_pickle():
    def make(scale, shape):
        @pl.jit.incore
        def k(x: pl.Tensor[shape, pl.FP32], y: pl.Out[pl.Tensor[shape, pl.FP32]]):
            y = pl.store(pl.load(x) * scale, [0, 0], y)
            return y

        return k

    assert pickle.loads(pickle.dumps(make(5.0, [4, 8])))(np.ones((4, 8), np.float32))[0, 0] == 5


def test_another_process_needs_no_module(tmp_path):
    (tmp_path / "function.pickle").write_bytes(pickle.dumps(main))
    text = """
import pickle, sys
import numpy as np
with open(sys.argv[1], "rb") as file:
    main = pickle.load(file)
x = np.ones((4, 8), np.float32)
print(main(x, np.zeros_like(x))[0, 0], "test_notebook_views" in sys.modules)
"""
    command = [sys.executable, "-c", text, str(tmp_path / "function.pickle")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout == "3.0 False\n", done


def test_functions_of_main_pickle(tmp_path):
    source = pathlib.Path(__file__).read_text().split("@pl.jit.incore\ndef send")[0].split("NR = ")[1]
    script = tmp_path / "script.py"
    script.write_text(
        "import concurrent.futures, multiprocessing, numpy as np\nimport tilewire.language as pl\nNR = " + source + """
def run(function, x):
    return function(x, np.zeros_like(x))


if __name__ == "__main__":
    x = np.ones((4, 8), np.float32)
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        print(pool.submit(run, main, x).result()[0, 0])
""")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120)
    assert done.stdout == "3.0\n", done
