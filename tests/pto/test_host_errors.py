"""What the host side of a program cannot say is an error at its place in the source."""
from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from host_run import BUILD, ROOT

KERNEL = """\
import tilewire.language as pl

N = pl.dynamic("N")
M = pl.dynamic("M")


"""

CASES = {
    "dimension": (KERNEL + """\
@pl.jit.incore
def halve(x: pl.Tensor[[N * M, 16], pl.FP32], y: pl.Out[pl.Tensor[[N * M, 16], pl.FP32]]):
    for r in pl.range(N):
        y = pl.store(pl.load(x, [r, 0], [1, 16]) * 0.5, [r, 0], y)


@pl.jit
def main(x: pl.Tensor[[N * M, 16], pl.FP32], y: pl.Out[pl.Tensor[[N * M, 16], pl.FP32]]):
    halve(x, y)
""", """\
error[TW2701]: the size of dimension `N` is unknown in `halve`
  --> program.py:15:5
   |
15 |     halve(x, y)
   |     ^^^^^^^^^^^
   = help: give `halve` a tensor that has `N` as a dimension

error[TW2701]: the size of dimension `M` is unknown in `halve`
  --> program.py:15:5
   |
15 |     halve(x, y)
   |     ^^^^^^^^^^^
   = help: give `halve` a tensor that has `M` as a dimension

2 errors
"""),
    "returned part": ("""\
import tilewire.language as pl


@pl.jit.incore
def top(x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    y = pl.store(pl.load(x), [0, 0], y)
    return y[0:8]


@pl.jit.incore
def copy(x: pl.Tensor[[8, 64], pl.FP32], y: pl.Out[pl.Tensor[[8, 64], pl.FP32]]):
    y = pl.store(pl.load(x), [0, 0], y)


@pl.jit
def main(x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
         z: pl.Out[pl.Tensor[[8, 64], pl.FP32]]):
    t = top(x, y)
    copy(t, z)
""", """\
error[TW2702]: the caller of `top` cannot know what tensor it returns
  --> program.py:18:9
   |
18 |     t = top(x, y)
   |         ^^^^^^^^^
   = help: return the parameter itself, or write to one
"""),
    "scalar type": ("""\
import tilewire.language as pl


@pl.jit.incore
def scale(x: pl.Tensor[[16, 64], pl.FP32], by: pl.Scalar[pl.FP8E5M2], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    y = pl.store(pl.load(x) * pl.cast(by, pl.FP32), [0, 0], y)


@pl.jit
def main(x: pl.Tensor[[16, 64], pl.FP32], by: pl.Scalar[pl.FP8E5M2], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    scale(x, by, y)
""", """\
error[TW2703]: FP8E5M2 scalars exist in kernels only, and `main` has one outside
  --> program.py:10:43
   |
10 | def main(x: pl.Tensor[[16, 64], pl.FP32], by: pl.Scalar[pl.FP8E5M2], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
   |                                           ^^
   = help: read the element in a kernel, or convert the tensor to pl.FP32 first
"""),
    "pipe op": ((ROOT / "tests" / "lang" / "programs" / "pipe_slots.py").read_text(), """\
error[TW2704]: `pl.pipe.cells` is for targets without pipes, and PTO has pipes
  --> program.py:49:21
   |
49 |             cells = pl.pipe.cells([4, 16], rings="0> 2 ")
   |                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
   = help: write the kernel with pl.aic_initialize_pipe and pl.aiv_initialize_pipe
"""),
}


@pytest.mark.parametrize("name", CASES)
def test_error(name: str, tmp_path: Path) -> None:
    program, expected = CASES[name]
    (tmp_path / "program.py").write_text(program)
    done = subprocess.run([BUILD / "pto_emit_host", "program.py", "out"], cwd=tmp_path, capture_output=True, text=True,
                          check=False, timeout=60)
    assert done.returncode == 1
    assert done.stderr == expected
    assert not (tmp_path / "out").exists()
