# run: swap n=5
# run: swap n=0
# run: shared n=4
# run: keep_old n=3
# run: nested n=3
# run: until x=0
# run: choose n=1
# run: choose n=4
# run: ragged_carry n=7
# run: array_copies n=3
# run: ping_pong n=4
# run: read_late n=1
# run: read_late n=2
import tilewire.language as pl


@pl.program
class Carried:
    @pl.function(type=pl.FunctionType.InCore)
    def swap(self, x: pl.Tensor[[16, 40], pl.FP32], z: pl.Tensor[[16, 40], pl.FP32], n: pl.Scalar[pl.INT32],
             y: pl.Out[pl.Tensor[[16, 40], pl.FP32]]):
        a = pl.load(x, [0, 0], [16, 40])
        b = pl.load(z, [0, 0], [16, 40])
        for i in pl.range(n):
            a, b = b, a
        y = pl.store(pl.sub(a, b), [0, 0], y)
        return y

    # Two carried values start from one tile.
    @pl.function(type=pl.FunctionType.InCore)
    def shared(self, x: pl.Tensor[[16, 40], pl.FP32], n: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[16, 40], pl.FP32]]):
        a = pl.exp(pl.load(x, [0, 0], [16, 40]))
        b = a
        c = a
        for i in pl.range(n):
            b = pl.add(b, a)
            c = pl.mul(c, b)
        y = pl.store(pl.sub(c, b), [0, 0], y)
        return y

    # The old value is used after the new one is made.
    @pl.function(type=pl.FunctionType.InCore)
    def keep_old(self, x: pl.Tensor[[16, 40], pl.FP32], n: pl.Scalar[pl.INT32],
                 y: pl.InOut[pl.Tensor[[16, 40], pl.FP32]]):
        a = pl.load(x, [0, 0], [16, 40])
        for i in pl.range(n):
            b = pl.mul(a, 0.5)
            y = pl.store(b, [0, 0], y)
            c = pl.load(y, [0, 0], [16, 40])
            y = pl.store(pl.add(a, c), [0, 0], y)
            a = b
        y = pl.store(pl.add(a, 1.0), [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def nested(self, x: pl.Tensor[[48, 40], pl.FP32], n: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[16, 40], pl.FP32]]):
        acc = pl.full([16, 40], dtype=pl.FP32, value=0.0)
        peak = pl.full([16, 1], dtype=pl.FP32, value=-1e30)
        for i in pl.range(n):
            for j in pl.range(3):
                t = pl.load(x, [j * 16, 0], [16, 40])
                new = pl.maximum(peak, pl.row_max(t))
                acc = pl.add(pl.row_expand_mul(acc, pl.exp(pl.sub(peak, new))), t)
                peak = new
        y = pl.store(pl.row_expand_add(acc, peak), [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def until(self, x: pl.Tensor[[8, 40], pl.FP32], y: pl.Out[pl.Tensor[[8, 40], pl.FP32]]):
        a = pl.load(x, [0, 0], [8, 40])
        k = 0
        while k < 5:
            a = pl.mul(a, 1.5)
            k = k + 1
            if k == 3:
                break
        y = pl.store(a, [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def choose(self, x: pl.Tensor[[8, 40], pl.FP32], n: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[8, 40], pl.FP32]]):
        a = pl.load(x, [0, 0], [8, 40])
        b = pl.exp(a)
        if n > 2:
            a = pl.add(a, b)
            c = a
        else:
            c = b
        y = pl.store(pl.sub(a, c), [0, 0], y)
        return y

    # The valid extent changes from round to round.
    @pl.function(type=pl.FunctionType.InCore)
    def ragged_carry(self, x: pl.Tensor[[8, 40], pl.FP32], n: pl.Scalar[pl.INT32], y: pl.InOut[pl.Tensor[[8, 40], pl.FP32]]):
        a = pl.load(x, [0, 0], [8, 40])
        for i in pl.range(n):
            t = pl.load(x, [0, 0], [8, 40], valid_shape=[8 - i, 40 - i * 3])
            a = pl.add(a, t)
        y = pl.store(a, [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def array_copies(self, n: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[16], pl.INT32]]):
        a = pl.array.create(8, pl.INT32)
        for i in pl.range(8):
            a[i] = n + pl.cast(i, pl.INT32)
        b = a
        b[2] = 100
        for i in pl.range(8):
            pl.write(y, [i], a[i])
            pl.write(y, [i + 8], b[i])
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def ping_pong(self, x: pl.InOut[pl.Tensor[[8, 40], pl.FP32]], z: pl.InOut[pl.Tensor[[8, 40], pl.FP32]],
                  n: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[8, 40], pl.FP32]]):
        a = x
        b = z
        for i in pl.range(n):
            b = pl.store(pl.mul(pl.load(a, [0, 0], [8, 40]), 1.5), [0, 0], b)
            a, b = b, a
        y = pl.store(pl.load(a, [0, 0], [8, 40]), [0, 0], y)
        return y

    # The next value of `c` is ready before the last reader of the present one has run.
    @pl.function(type=pl.FunctionType.InCore)
    def read_late(self, x: pl.Tensor[[16, 40], pl.FP32], n: pl.Scalar[pl.INT32],
                  y: pl.Out[pl.Tensor[[16, 40], pl.FP32]]):
        t = pl.load(x, [0, 0], [16, 40])
        c = pl.exp(t)
        for i in pl.range(n):
            b = pl.add(pl.mul(t, 0.5), c)
            d = pl.neg(t)
            y = pl.store(b, [0, 0], y)
            c = d
            if i == 3:
                break
        return y
