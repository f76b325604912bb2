import tilewire.language as pl


@pl.jit
def chip(x: pl.Tensor[[16, 16], pl.FP32]):
    pass


@pl.jit.host
def host(x: pl.Tensor[[16, 16], pl.FP32]):
    chip(x, device=0, blocks=4)
