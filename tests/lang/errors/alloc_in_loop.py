import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    for r in pl.range(4):
        buf = pld.alloc_window_buffer(64)
