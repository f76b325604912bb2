import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host():
    w = pld.alloc_window([16])
