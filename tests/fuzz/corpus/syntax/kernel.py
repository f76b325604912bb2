import tilewire.language as pl
N = 16

@pl.program
class P:
    """doc"""
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, x: pl.Tensor[[N, 4], pl.FP32], out: pl.Out[pl.Tensor]) -> pl.Tensor[[N], pl.FP32]:
        t = pl.load(x, [0, 0], [N, 4], valid_shape=None)
        for i, (a, b) in pl.range(4, init_values=(t, 1)):
            if 0 < i <= 3 and not a:
                t[i:, ...] = -a ** 2
            elif b: break
            else:
                continue
        with pl.at(level=1) as tid, (foo()):
            a, b = c = {"k": 1.5e3, 'l': r'\n'}
        while x is not None: x += 1
        assert a, 'b'
        return a if b else c
