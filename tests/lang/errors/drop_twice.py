import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32]):
    t = pl.tensor.slice(x, [1, 16], [0, 0], drop_dims=[0, 0])
