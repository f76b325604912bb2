import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    w = pld.window(pld.alloc_window_buffer(64), [16], dtype=pl.FP32)
