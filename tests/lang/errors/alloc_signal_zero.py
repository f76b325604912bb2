import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    s = pld.alloc_signal(0)
