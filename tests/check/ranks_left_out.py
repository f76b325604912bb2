# Row r of `y` is left as it was for all ranks but the first: nothing runs there.
# run: tilewire check %s --ranks 3
# verdict: proved
import tilewire.language as pl

NR = pl.dynamic("NR")


@pl.jit.incore
def double(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    y = pl.store(pl.load(x) * 2.0, [0, 0], y)


@pl.jit.host
def main(
    x: pl.Tensor[[NR, 8], pl.FP32],
    y: pl.Out[pl.Tensor[[NR, 8], pl.FP32]],  # warned: unwritten
):
    double(x[0:1], y[0:1], device=0)  # warned: unreached
