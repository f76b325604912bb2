import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = pl.store(pl.load(x), [0, 0], y)


@pl.jit.host
def host(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    for r in pl.parallel(pld.world_size()):
        kernel(x, y, device=r)
