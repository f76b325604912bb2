"""A linear layer with its activation in one kernel: gelu(x @ w + bias).

The product stays on the core until bias and activation are applied; only the finished tile is stored. `gelu` is an
inline function: it is spliced in where it is called and works on tiles of any shape.

    python examples/linear_gelu.py
"""
import argparse
import math

import numpy as np

import tilewire.language as pl

BATCH = pl.dynamic("BATCH")
IN = 192
OUT = 256
TM = 32
TN = 64
TK = 64


@pl.program
class LinearGelu:
    @pl.function(type=pl.FunctionType.Inline)
    def gelu(self, t):
        """The usual form with tanh."""
        return t * 0.5 * (pl.tanh((t + t * t * t * 0.044715) * math.sqrt(2.0 / math.pi)) + 1.0)

    @pl.function(type=pl.FunctionType.InCore)
    def tile(
        self,
        x: pl.Tensor[[BATCH, IN], pl.FP32],
        w: pl.Tensor[[IN, OUT], pl.FP32],
        bias: pl.Tensor[[OUT], pl.FP32],
        row: pl.Scalar[pl.INDEX],
        col: pl.Scalar[pl.INDEX],
        y: pl.Out[pl.Tensor[[BATCH, OUT], pl.FP32]],
    ) -> pl.Tensor[[BATCH, OUT], pl.FP32]:
        rows = min(pl.dim(x, 0) - row, TM)
        acc = pl.full([TM, TN], dtype=pl.FP32, value=0.0)
        for k in pl.range(0, IN, TK):
            left = pl.load(x, [row, k], [TM, TK], valid_shape=[rows, TK])
            acc = pl.matmul_acc(acc, left, pl.load(w, [k, col], [TK, TN]))
        # The accumulator has taken the valid extent of the products: `rows` rows.
        y = pl.store(self.gelu(acc + pl.load(bias, [col], [TN])), [row, col], y)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        x: pl.Tensor[[BATCH, IN], pl.FP32],
        w: pl.Tensor[[IN, OUT], pl.FP32],
        bias: pl.Tensor[[OUT], pl.FP32],
        y: pl.Out[pl.Tensor[[BATCH, OUT], pl.FP32]],
    ) -> pl.Tensor[[BATCH, OUT], pl.FP32]:
        for row in pl.parallel(0, pl.dim(x, 0), TM):
            for col in pl.parallel(0, OUT, TN):
                y = self.tile(x, w, bias, row, col, y)
        return y


def main(target: str = "cpu", batch: int = 70) -> None:
    random = np.random.default_rng(1)
    x = random.standard_normal((batch, IN), dtype=np.float32)
    w = random.standard_normal((IN, OUT), dtype=np.float32) / np.float32(math.sqrt(IN))
    bias = random.standard_normal(OUT, dtype=np.float32)
    y = LinearGelu.main(x, w, bias, target=target)
    t = x @ w + bias
    want = 0.5 * t * (1 + np.tanh(math.sqrt(2 / math.pi) * (t + 0.044715 * t**3)))
    error = float(np.max(np.abs(y - want)))
    print(f"linear + gelu: {batch}x{IN} times {IN}x{OUT}, largest error {error:.1e}")
    assert error < 1e-5  # results are below 6


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="a linear layer with gelu, compared with NumPy")
    parser.add_argument("--target", default="cpu", choices=["cpu", "interp"])
    main(parser.parse_args().target)
