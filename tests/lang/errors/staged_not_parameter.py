import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host(x: pl.Tensor[[4, 16], pl.FP32]):
    buf = pld.alloc_window_buffer(64, load_from_host=x[0])
