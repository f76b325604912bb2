import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host(n: pl.Scalar[pl.INT32]):
    buf = pld.alloc_window_buffer(64, store_to_host=n)
