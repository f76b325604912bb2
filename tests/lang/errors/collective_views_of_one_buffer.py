import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    buf = pld.alloc_window_buffer(1024)
    a = pld.window(buf, [16, 8], dtype=pl.FP32)
    b = pld.window(buf, [16, 8], dtype=pl.FP32)
    b = pld.tensor.all_to_all(a, b)
