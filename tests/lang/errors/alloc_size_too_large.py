import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    buf = pld.alloc_window_buffer([4294967296, 4294967296], dtype=pl.FP32)
