# fails: region 1 23 first=1
# fails: region 1 23 first=-1
# run: region first=0
# fails: element 0 29 i=5
# fails: element 0 29 i=-1
# fails: divide 2 34 n=0
# run: divide n=-3
# fails: narrow 3 39 n=2147483648
# run: narrow n=-2147483648
# fails: valid 5 44 n=17
# fails: valid 5 44 n=-1
# run: valid n=0
# fails: gather 0 52 range.index=0..99
# run: gather range.index=0..31
# fails: shift 7 57 n=-1
import tilewire.language as pl


@pl.program
class Faults:
    @pl.function(type=pl.FunctionType.InCore)
    def region(self, x: pl.Tensor[[16, 40], pl.FP32], first: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[16, 40], pl.FP32]]):
        t = pl.load(x, [first, 0], [16, 40])
        y = pl.store(t, [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def element(self, x: pl.Tensor[[4, 5], pl.FP32], i: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[1], pl.FP32]]):
        y = pl.write(y, [0], pl.read(x, [0, i]))
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def divide(self, n: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[2], pl.INT32]]):
        y = pl.write(y, [0], 7 // n)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def narrow(self, n: pl.Scalar[pl.INT64], y: pl.Out[pl.Tensor[[2], pl.INT32]]):
        y = pl.write(y, [0], pl.cast(n, pl.INT32))
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def valid(self, x: pl.Tensor[[16, 40], pl.FP32], n: pl.Scalar[pl.INT32], y: pl.InOut[pl.Tensor[[16, 40], pl.FP32]]):
        t = pl.load(x, [0, 0], [16, 40], valid_shape=[n, 40])
        y = pl.store(pl.add(t, 1.0), [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def gather(self, x: pl.Tensor[[4, 32], pl.FP32], index: pl.Tensor[[4, 8], pl.INT32], y: pl.Out[pl.Tensor[[4, 8], pl.FP32]]):
        t = pl.load(x, [0, 0], [4, 32])
        i = pl.load(index, [0, 0], [4, 8])
        y = pl.store(pl.gather(t, i), [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def shift(self, n: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[2], pl.INT32]]):
        y = pl.write(y, [0], 7 << n)
        return y
