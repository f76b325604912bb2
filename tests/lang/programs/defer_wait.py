"""A task that completes when a signal comes, without holding a core; other work runs meanwhile."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.program
class Deferred:
    @pl.function(type=pl.FunctionType.InCore)
    def send(self, x: pl.Tensor[[16, 64], pl.FP32], inbox: pl.InOut[pld.DistributedTensor[[16, 64], pl.FP32]],
             signal: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]]):
        ctx = pld.get_comm_ctx(inbox)
        right = (pld.rank(ctx) + 1) % pld.nranks(ctx)
        pld.tile.remote_store(pl.load(x), inbox, right, [0, 0])
        pld.system.notify(signal, right, [0, 0], 1, op=pld.NotifyOp.Set)
        pld.system.notify(signal, right, [1, 0], 3)

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, x: pl.Tensor[[16, 64], pl.FP32], inbox: pl.InOut[pld.DistributedTensor[[16, 64], pl.FP32]],
             signal: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]], z: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
             y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        self.send(x, inbox, signal)
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="arrived") as arrived:
            pld.system.defer_wait(signal, [0, 0], 1, cmp=pld.WaitCmp.Eq)
            pld.system.defer_wait(signal, [1, 0], 3)
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="meanwhile"):
            z[...] = pl.exp(pl.load(x))
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="use", deps=[arrived], ordered=False):
            y[...] = pl.load(inbox) + pl.load(z)
        return y

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[NR, 16, 64], pl.FP32], z: pl.Out[pl.Tensor[[NR, 16, 64], pl.FP32]],
             y: pl.Out[pl.Tensor[[NR, 16, 64], pl.FP32]]):
        inbox = pld.alloc_window([16, 64], dtype=pl.FP32)
        signal = pld.alloc_signal(2)
        for r in pl.range(pld.world_size()):
            self.chip(x[r], inbox, signal, z[r], y[r], device=r)
