import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(p: pl.Ptr):
    w = pld.window(p, [16], dtype=pl.FP32)
