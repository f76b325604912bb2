import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel():
    pld.comm_group(devices=[0], slots=[])
