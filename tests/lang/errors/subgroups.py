# --- size_not_positive
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pl.InOut[pld.DistributedTensor[[4, 16], pl.FP32]]):
    ctx = pld.get_comm_ctx(w)
    g = pld.subgroup(ctx, 0)
#                         ^
# error: TW0389 `size` of `pld.subgroup` must be positive, got 0
    h = pld.subgroup(ctx, 2, stride=-1)
#                                   ^^
# error: TW0389 `stride` of `pld.subgroup` must be positive, got -1

# --- mesh_extent
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pl.InOut[pld.DistributedTensor[[4, 16], pl.FP32]]):
    g = pld.mesh_axis(pld.get_comm_ctx(w), [2, 0], 1)
#                                          ^^^^^^
# error: TW0334 an extent of a mesh must be positive, got 0

# --- mesh_axis_outside
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pl.InOut[pld.DistributedTensor[[4, 16], pl.FP32]]):
    g = pld.mesh_axis(pld.get_comm_ctx(w), [2, 2], 2)
#                                                  ^
# error: TW0343 `pld.mesh_axis` has no axis 2 in 2 dimensions
# help: use an axis from 0 to 1, or -1 for the last

# --- window_as_group
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(w: pl.InOut[pld.DistributedTensor[[4, 16], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    pld.system.notify_all(s, group=w)
#                                  ^ `w` is pld.DistributedTensor[[4, 16], pl.FP32]
# error: TW0306 `pld.system.notify_all` needs a communication context for `group`, got a window
    w = pld.tensor.allreduce(w, s, group=2)
#                                        ^ `2` is pl.Scalar[pl.INDEX]
# error: TW0306 `pld.tensor.allreduce` needs a communication context for `group`, got an integer scalar

# --- group_of_a_wait
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    g = pld.subgroup(pld.get_comm_ctx(s), 2)
    pld.system.wait(s, [0, 0], 1, group=g)
#                                 ^^^^^
# error: TW0303 `pld.system.wait` has no parameter `group`
# help: it takes `signal`, `offsets`, `expected`, `cmp`

# --- negative_member
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    g = pld.subgroup(pld.get_comm_ctx(s), 2)
    pld.system.wait(s, [pld.member_rank(g, -1), 0], 1)
#                                          ^^
# error: TW0338 invalid rank: `pld.member_rank` addresses rank -1; ranks count from 0
# help: take it modulo the number of ranks: (pld.rank(ctx) - 1) % pld.nranks(ctx)

# --- context_to_a_kernel
# run: tilewire check %s --ranks 2
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]], g: pld.CommCtx):
    pld.tensor.barrier(s, group=g)


@pl.jit.host
def host():
    s = pld.alloc_signal(4)
    g = pld.subgroup(pld.get_comm_ctx(s), 2)
    for r in pl.range(pld.world_size()):
        kernel(s, g, device=r)
#       ^^^^^^^^^^^^^^^^^^^^^^ `g` is a communication context
# error: TW2014 a host function may use a communication context only as `group=` of a collective
# help: make it in the kernel: ctx = pld.get_comm_ctx(w), then pld.subgroup or pld.mesh_axis

# --- context_carried_by_the_host
# run: tilewire print --after dispatch_host_collectives %s
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.host
def host(n: pl.Scalar[pl.INDEX]):
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    g = pld.get_comm_ctx(w)
    for i in pl.range(2):
#   ^^^^^^^^^^^^^^^^^^^^ `g` is a communication context
# error: TW2014 a host function may use a communication context only as `group=` of a collective
# help: make it in the kernel: ctx = pld.get_comm_ctx(w), then pld.subgroup or pld.mesh_axis
        w = pld.tensor.allreduce(w, group=g)
        g = pld.subgroup(g, n)

# --- context_of_another_group
# run: tilewire check %s --ranks 2
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def kernel(s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    pld.system.notify_all(s)


@pl.jit.host
def host():
    few = pld.alloc_signal(4)
    all = pld.alloc_signal(4)
    kernel(few, device=0)
    for r in pl.range(pld.world_size()):
        kernel(all, device=r)
    pld.tensor.barrier(all, group=pld.subgroup(pld.get_comm_ctx(few), 1))
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
# error: TW2015 `group=` of `pld.tensor.barrier` belongs to another group: its context comes from `few`, which is shared by other ranks
# help: take the context of a window of this call: pld.get_comm_ctx(w)
