import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    buf = pld.alloc_window_buffer(64)
    w = pld.window(buf, [0], dtype=pl.FP32)
