import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    n = pld.get_comm_ctx(pld.alloc_window([16], dtype=pl.FP32))
