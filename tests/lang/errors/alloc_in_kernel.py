import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel():
    buf = pld.alloc_window_buffer(64)
