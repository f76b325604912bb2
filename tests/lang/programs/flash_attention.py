"""One head of attention with an online softmax over key blocks."""
import tilewire.language as pl

SEQ = pl.dynamic("SEQ")
HEAD = 64
BQ = 16
BK = 64
SCALE = 0.125


@pl.program
class FlashAttention:
    @pl.function(type=pl.FunctionType.InCore)
    def attend(self, q: pl.Tensor[[SEQ, HEAD], pl.FP16], k: pl.Tensor[[SEQ, HEAD], pl.FP16],
               v: pl.Tensor[[SEQ, HEAD], pl.FP16], row: pl.Scalar[pl.INDEX],
               out: pl.Out[pl.Tensor[[SEQ, HEAD], pl.FP32]]) -> pl.Tensor[[SEQ, HEAD], pl.FP32]:
        tq = pl.load(q, [row, 0], [BQ, HEAD])
        peak = pl.full([BQ, 1], dtype=pl.FP32, value=float("-inf"))
        total = pl.full([BQ, 1], dtype=pl.FP32, value=0.0)
        acc = pl.full([BQ, HEAD], dtype=pl.FP32, value=0.0)
        blocks = pl.dim(k, 0) // BK
        for i in pl.range(blocks):
            tk = pl.load(k, [i * BK, 0], [BK, HEAD])
            tv = pl.load(v, [i * BK, 0], [BK, HEAD])
            scores = pl.matmul(tq, tk, b_trans=True) * SCALE
            new_peak = pl.maximum(peak, pl.row_max(scores))
            p = pl.exp(scores - new_peak)
            correction = pl.exp(peak - new_peak)
            total = total * correction + pl.row_sum(p)
            acc = acc * correction + pl.matmul(pl.cast(p, pl.FP16), tv)
            peak = new_peak
        out = pl.store(acc / total, [row, 0], out)
        return out

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, q: pl.Tensor[[SEQ, HEAD], pl.FP16], k: pl.Tensor[[SEQ, HEAD], pl.FP16],
             v: pl.Tensor[[SEQ, HEAD], pl.FP16],
             out: pl.Out[pl.Tensor[[SEQ, HEAD], pl.FP32]]) -> pl.Tensor[[SEQ, HEAD], pl.FP32]:
        for row in pl.parallel(0, pl.dim(q, 0), BQ):
            out = self.attend(q, k, v, row, out)
        return out
