"""What lowering makes of sub-groups, used by hand: checks, members, and the numbers of a context."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def meet(signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]], size: pl.Scalar[pl.INT64]):
    ctx = pld.get_comm_ctx(signal)
    group = pld.subgroup(ctx, size)
    pld.system.check_group(signal, group)
    pld.system.check_subgroup(pld.nranks(ctx), size, 1)
    pld.system.check_mesh(pld.nranks(ctx), [pld.nranks(ctx) // size, size])
    pld.system.check_member(pld.rank(group), size)
    first = pld.member_rank(group, 0)
    stride = pld.system.member_stride(group)
    pld.system.enter_collective(signal, name="barrier", members=[first, stride, size])
    pld.system.notify_all(signal, 1, members=[first, stride, size])
    pld.system.wait_all(signal, 1, members=[first, stride, size])


@pl.jit.host
def host():
    size = pld.world_size()
    signal = pld.alloc_signal(size)
    for r in pl.range(pld.world_size()):
        meet(signal, size, device=r)
