"""What a dispatch to every rank costs: kernels that do nothing, without windows and with one."""
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def nothing():
    pass


@pl.jit.incore
def nothing_with(box: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]]):
    pass


@pl.jit.host
def plain():
    for r in pl.range(pld.world_size()):
        nothing(device=r)


@pl.jit.host
def windowed():
    box = pld.alloc_signal(1)
    for r in pl.range(pld.world_size()):
        nothing_with(box, device=r)
