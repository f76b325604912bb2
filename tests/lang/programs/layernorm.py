"""Layer normalisation with scale and shift."""
import math

import tilewire.language as pl

HIDDEN = 512
EPS = 1e-5
INV_HIDDEN = 1.0 / HIDDEN
TAIL = math.ceil(HIDDEN / 300)


@pl.program
class LayerNorm:
    @pl.function(type=pl.FunctionType.InCore)
    def normalise(self, x: pl.Tensor[[128, HIDDEN], pl.FP32], gamma: pl.Tensor[[1, HIDDEN], pl.FP32],
                  beta: pl.Tensor[[1, HIDDEN], pl.FP32], row: pl.Scalar[pl.INDEX],
                  y: pl.Out[pl.Tensor[[128, HIDDEN], pl.FP32]]) -> pl.Tensor[[128, HIDDEN], pl.FP32]:
        t = pl.load(x, [row, 0], [8, HIDDEN])
        g = pl.load(gamma, [0, 0], [1, HIDDEN])
        b = pl.load(beta, [0, 0], [1, HIDDEN])
        mean = pl.row_sum(t) * INV_HIDDEN
        centred = t - mean
        variance = pl.row_sum(centred * centred) * INV_HIDDEN
        scaled = centred * pl.rsqrt(variance + EPS)
        y = pl.store(scaled * g + b, [row, 0], y)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[128, HIDDEN], pl.FP32], gamma: pl.Tensor[[1, HIDDEN], pl.FP32],
             beta: pl.Tensor[[1, HIDDEN], pl.FP32],
             y: pl.Out[pl.Tensor[[128, HIDDEN], pl.FP32]]) -> pl.Tensor[[128, HIDDEN], pl.FP32]:
        for row in pl.parallel(0, 128, 8 * TAIL // 2):
            y = self.normalise(x, gamma, beta, row, y)
        return y
