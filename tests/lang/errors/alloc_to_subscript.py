import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    bufs = [0, 1]
    bufs[0] = pld.alloc_window_buffer(64)
