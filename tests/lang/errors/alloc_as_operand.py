import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    t = pl.tensor.dim(pld.alloc_window_buffer(64), 0)
