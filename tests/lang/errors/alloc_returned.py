import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    return pld.alloc_window_buffer(64)
