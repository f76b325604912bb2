# run: tilewire check %s 
# verdict: refuted
"""In a manual scope in a parallel round the tasks of that round are not ordered either."""
import tilewire.language as pl


@pl.jit.incore
def copy(a: pl.Tensor[[1, 8], pl.FP32], b: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    pl.store(pl.load(a), [0, 0], b)  # found: race


@pl.jit
def main(x: pl.Tensor[[2, 8], pl.FP32], y: pl.Out[pl.Tensor[[2, 8], pl.FP32]]):
    t = pl.create_tensor([2, 8], dtype=pl.FP32)
    for i in pl.parallel(2):
        with pl.manual_scope():
            copy(x[i:i + 1], t[i:i + 1])
            copy(t[i:i + 1], y[i:i + 1])
