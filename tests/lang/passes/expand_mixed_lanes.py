# run: tilewire print %s --split split --after expand_mixed_kernel
"""The same with the rows of each tile dealt out over two vector lanes."""
import tilewire.language as pl
SEQ = pl.dynamic("SEQ")
@pl.jit.incore(attrs={"split": pl.SplitMode.UP_DOWN})
def kernel(q: pl.Tensor[[SEQ, 64], pl.FP32], k: pl.Tensor[[SEQ, 64], pl.FP32], v: pl.Tensor[[SEQ, 64], pl.FP32],
               y: pl.Out[pl.Tensor[[SEQ, 64], pl.FP32]]):
        row = pl.tile.get_block_idx() * 32
        queries = pl.load(q, [row, 0], [32, 64])
        peak = pl.full([32, 1], dtype=pl.FP32, value=-1e30)
        total = pl.full([32, 1], dtype=pl.FP32, value=0.0)
        acc = pl.full([32, 64], dtype=pl.FP32, value=0.0)
        for at in pl.range(0, pl.dim(k, 0), 32):
            scores = pl.matmul(queries, pl.load(k, [at, 0], [32, 64]), b_trans=True) * 0.125
            new_peak = pl.maximum(peak, pl.row_max(scores))
            weights = pl.exp(scores - new_peak)
            fade = pl.exp(peak - new_peak)
            total = total * fade + pl.row_sum(weights)
            acc = acc * fade + pl.matmul(weights, pl.load(v, [at, 0], [32, 64]))
            peak = new_peak
        pl.store(acc / total, [row, 0], y)

@pl.jit
def main(q: pl.Tensor[[SEQ, 64], pl.FP32], k: pl.Tensor[[SEQ, 64], pl.FP32], v: pl.Tensor[[SEQ, 64], pl.FP32],
             y: pl.Out[pl.Tensor[[SEQ, 64], pl.FP32]]):
        with pl.spmd(pl.dim(q, 0) // 32):
            kernel(q, k, v, y)
