import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    buf = pld.alloc_window_buffer(True)
