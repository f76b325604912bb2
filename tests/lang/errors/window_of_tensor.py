import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host(x: pl.Tensor[[16, 16], pl.FP32]):
    w = pld.window(x, [16], dtype=pl.FP32)
