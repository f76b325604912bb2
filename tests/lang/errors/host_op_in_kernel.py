import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel():
    n = pld.world_size()
