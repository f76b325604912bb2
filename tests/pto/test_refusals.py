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
    assert said.startswith("error[TW2602]: the tiles of `sum` need 262144 bytes of Vec at once, but a core has 196608\n")
    assert "the largest tiles, in bytes: `t` 131072, `t_1` 131072" in said
    assert "= help: work on smaller tiles" in said


HALVES = """import tilewire.language as pl


@pl.program
class Halves:
    @pl.function(type=pl.FunctionType.AIV)
    def give(self, x: pl.Tensor[[16, 32], pl.FP32], n: pl.Scalar[pl.INDEX]):
        peer = pl.import_peer_buffer(name="v2c", peer_func="multiply")
        pl.aiv_initialize_pipe(None, peer, dir_mask=2, slot_size=2048)
        pl.tpush_to_aic({pushed}, split=0)

    @pl.function(type=pl.FunctionType.AIC)
    def multiply(self, x: pl.Tensor[[16, 32], pl.FP32], w: pl.Tensor[[32, 32], pl.FP32], n: pl.Scalar[pl.INDEX],
                 y: pl.Out[pl.Tensor[[16, 32], pl.FP32]]) -> pl.Tensor[[16, 32], pl.FP32]:
        fifo = pl.reserve_buffer(name="v2c", size=16384)
        pl.aic_initialize_pipe(None, fifo, dir_mask=2, slot_size=2048)
        t: pl.Tile[[{rows}, 32], pl.FP32] = pl.tpop_from_aiv(split=0)
{product}
        pl.tfree_to_aiv(t)
        y = pl.store(out, [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.Group)
    def both(self, x: pl.Tensor[[16, 32], pl.FP32], w: pl.Tensor[[32, 32], pl.FP32], n: pl.Scalar[pl.INDEX],
             y: pl.Out[pl.Tensor[[16, 32], pl.FP32]]) -> pl.Tensor[[16, 32], pl.FP32]:
        y = self.multiply(x, w, n, y)
        self.give(x, n)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[16, 32], pl.FP32], w: pl.Tensor[[32, 32], pl.FP32], n: pl.Scalar[pl.INDEX],
             y: pl.Out[pl.Tensor[[16, 32], pl.FP32]]) -> pl.Tensor[[16, 32], pl.FP32]:
        y = self.both(x, w, n, y)
        return y
"""
RAGGED = "pl.load(x, [0, 0], [16, 32], valid_shape=[n, 32]) * 2.0"


def of_halves(folder: pathlib.Path, pushed: str, rows: int, *product: str) -> subprocess.CompletedProcess[str]:
    path = folder / "program.py"
    path.write_text(HALVES.format(pushed=pushed, rows=rows, product="\n".join("        " + line for line in product)))
    return subprocess.run([tilewire(), "emit", "--target", "pto", "program.py"], cwd=folder, capture_output=True, text=True,
                          timeout=60)


def test_bias_from_the_vector_core(tmp_path: pathlib.Path) -> None:
    ran = of_halves(tmp_path, "pl.load(x, [0, 0], [1, 32]) * 2.0", 1, "out = pl.matmul_bias(pl.load(x), pl.load(w), t)")
    assert (ran.returncode, ran.stdout) == (3, "")
    assert ran.stderr.startswith("error[TW2601]: a bias from the vector core cannot be written for the PTO assembler: what comes through a pipe is in boxes, a bias is a row\n")
    assert "= help: add it to the product" in ran.stderr


def test_push_of_what_is_valid_in_part(tmp_path: pathlib.Path) -> None:
    ran = of_halves(tmp_path, RAGGED, 16, "out = pl.matmul(t, pl.load(w))")
    assert (ran.returncode, ran.stdout) == (3, "")
    said = "error[TW2601]: a push of a tile that is not valid everywhere cannot be written for the PTO assembler: a slot does not say what is valid\n"
    assert ran.stderr.startswith(said + "  --> program.py:10:9\n")
    assert "= help: say it after the pop: pl.set_validshape(t, [rows, cols])" in ran.stderr


def test_push_of_what_is_said_to_be_valid(tmp_path: pathlib.Path) -> None:
    ran = of_halves(tmp_path, RAGGED, 16, "part = pl.set_validshape(t, [n, 32])", "out = pl.matmul(part, pl.load(w))")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "pto.tpop_from_aiv (%n, %c32) {id = 0, split = 0} -> !pto.tile_buf<mat, 16x32xf32, valid=?x?" in ran.stdout


def test_shape_that_only_the_kernel_knows(tmp_path: pathlib.Path) -> None:
    body = """def k(x: pl.Tensor[[4], pl.INT32], y: pl.Out[pl.Tensor[[16, 32], pl.FP32]]):
    rows = pl.cast(pl.read(x, [0]), pl.INDEX)
    t = pl.create_tensor([rows, 32], dtype=pl.FP32)
    t = pl.store(pl.full([16, 32], dtype=pl.FP32, value=1.0), [0, 0], t)
    y[...] = pl.load(t, [0, 0], [16, 32])
"""
    said = refused(tmp_path, body)
    assert said.startswith("error[TW2601]: `pl.tensor.create` of FP32 cannot be written for the PTO assembler: a kernel has no memory of its own outside the core; make it in the orchestration function and pass it\n")
    assert " --> program.py:7:" in said
