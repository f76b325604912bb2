"""A matrix product as one SPMD launch, written where it is used: one block per tile of the result.

`for b in pl.spmd(n)` is a launch whose body is the loop's: no kernel function, `b` is the number of the block. The
sizes are constants here, so the number of blocks is one too.

    python examples/spmd_gemm.py
    tilewire run examples/spmd_gemm.py
"""
import argparse

import numpy as np

import tilewire.language as pl

M = 128
K = 192
N = 256
TILE = 64


@pl.program
class SpmdGemm:
    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        a: pl.Tensor[[M, K], pl.FP32],
        b: pl.Tensor[[K, N], pl.FP32],
        c: pl.Out[pl.Tensor[[M, N], pl.FP32]],
    ) -> pl.Tensor[[M, N], pl.FP32]:
        for block in pl.spmd((M // TILE) * (N // TILE), name_hint="gemm"):
            row = block // (N // TILE) * TILE
            col = block % (N // TILE) * TILE
            acc = pl.full([TILE, TILE], dtype=pl.FP32, value=0.0)
            for k in pl.range(0, K, TILE):
                acc = pl.matmul_acc(acc, pl.load(a, [row, k], [TILE, TILE]), pl.load(b, [k, col], [TILE, TILE]))
            c = pl.store(acc, [row, col], c)
        return c


def main(target: str = "cpu") -> None:
    random = np.random.default_rng(1)
    a = random.standard_normal((M, K), dtype=np.float32)
    b = random.standard_normal((K, N), dtype=np.float32)
    c = np.empty((M, N), np.float32)
    SpmdGemm.main(a, b, c, target=target)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    bound = K * 2.0**-23 * (np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64))
    print(f"SPMD gemm: {M}x{K} times {K}x{N}, largest error {np.max(np.abs(c - exact)):.1e}")
    assert np.all(np.abs(c - exact) <= bound)  # whatever the order of adding up


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="a matrix product in SPMD blocks, compared with NumPy")
    parser.add_argument("--target", default="cpu", choices=["cpu", "interp"])
    main(parser.parse_args().target)
