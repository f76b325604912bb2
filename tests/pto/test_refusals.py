"""What cannot be written is refused with the line, all of it, and nothing is written."""

from __future__ import annotations

import pathlib
import subprocess

from test_golden import tilewire

HEAD = "import tilewire.language as pl\n\n\n@pl.jit.incore\n"


def refused(folder: pathlib.Path, body: str) -> str:
    path = folder / "program.py"
    path.write_text(HEAD + body)
    done = subprocess.run([tilewire(), "emit", "--target", "pto", "program.py"], cwd=folder, capture_output=True,
                          text=True, timeout=60)
    assert (done.returncode, done.stdout) == (3, "")
    return done.stderr


def test_element_type(tmp_path: pathlib.Path) -> None:
    body = """def twice(x: pl.Tensor[[16, 32], pl.INT64], y: pl.Out[pl.Tensor[[16, 32], pl.INT64]]):
    t = pl.load(x)
    y[...] = t + t
"""
    said = refused(tmp_path, body)
    assert said.startswith("error[TW2601]: `pl.tile.add` of INT64 cannot be written for the PTO assembler: it is written for INT8")
    assert " --> program.py:7:14\n" in said
    assert "7 |     y[...] = t + t\n  |              ^^^^^\n" in said


def test_all_are_reported(tmp_path: pathlib.Path) -> None:
    body = """def twice(x: pl.Tensor[[16, 32], pl.INT64], y: pl.Out[pl.Tensor[[16, 32], pl.INT64]]):
    t = pl.load(x)
    y[...] = pl.maximum(t + t, t)
"""
    said = refused(tmp_path, body)
    assert "`pl.tile.add` of INT64" in said and "`pl.tile.maximum` of INT64" in said and said.endswith("2 errors\n")


def test_memory(tmp_path: pathlib.Path) -> None:
    body = """def sum(x: pl.Tensor[[256, 128], pl.FP32], y: pl.Out[pl.Tensor[[256, 128], pl.FP32]]):
    t = pl.load(x, [0, 0], [256, 128])
    y = pl.store(t + t, [0, 0], y)
"""
    said = refused(tmp_path, body)
    assert said.startswith("error[TW2602]: the tiles of `sum` need 262144 bytes of Vec at once, and a core has 196608\n")
    assert "the largest tiles, in bytes: `t` 131072, `t_1` 131072" in said
    assert "= help: work on smaller tiles" in said


def test_bias_from_the_vector_core(tmp_path: pathlib.Path) -> None:
    body = """def biased(x: pl.Tensor[[16, 32], pl.FP32], w: pl.Tensor[[32, 64], pl.FP32], bias: pl.Tensor[[64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    b = pl.load(bias, [0], [64]) * 2.0
    y = pl.store(pl.matmul_bias(pl.load(x), pl.load(w), b), [0, 0], y)
"""
    said = refused(tmp_path, body)
    assert said.startswith("error[TW2601]: a bias from the vector core cannot be written for the PTO assembler")
    assert "= help: add it to the product" in said
