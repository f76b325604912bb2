# run: tilewire check %s 
# verdict: proved
"""An element that the function reads in a manual scope waits for the tasks that write it."""
import tilewire.language as pl


@pl.jit.incore
def copy(a: pl.Tensor[[1, 8], pl.FP32], b: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    pl.store(pl.load(a), [0, 0], b)


@pl.jit.incore
def put(v: pl.Scalar[pl.FP32], b: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    pl.store(pl.full([1, 8], dtype=pl.FP32, value=v), [0, 0], b)


@pl.jit
def main(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    t = pl.create_tensor([1, 8], dtype=pl.FP32)
    with pl.manual_scope():
        copy(x, t)
        put(pl.read(t, [0, 3]), y)
