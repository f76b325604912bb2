import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    w = pld.window(64, [16], dtype=pl.FP32)
