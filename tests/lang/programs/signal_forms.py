"""Every notify op and wait comparison, in enum and string form; polling; all-at-once forms; credits."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.program
class Signals:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
               t: pl.InOut[pld.DistributedTensor[[8], pl.INT32]], credit: pl.Scalar[pl.INT64],
               out: pl.Out[pl.Tensor[[4], pl.INT32]]) -> pl.Tensor[[4], pl.INT32]:
        ctx = pld.get_comm_ctx(s)
        me = pld.rank(ctx)
        peer = (me + 1) % pld.nranks(ctx)
        pld.system.notify(t, peer, [0], 5, op=pld.NotifyOp.Set)
        pld.system.notify(t, peer, [1], -1, op=pld.NotifyOp.AtomicAdd)
        pld.system.notify(t, peer, [2], credit, op="add")
        pld.system.notify(t, me, [3], me * 2 + 1, op="set")
        pld.system.wait(t, [0], 5, cmp=pld.WaitCmp.Eq)
        pld.system.wait(t, [1], 0, cmp=pld.WaitCmp.Ne)
        pld.system.wait(t, [1], 0, cmp="lt")
        pld.system.wait(t, [1], -1, cmp=pld.WaitCmp.Le)
        pld.system.wait(t, [2], credit - 1, cmp="gt")
        seen = pld.system.wait(t, [3], 1)
        out = pl.write(out, [0], seen)
        rounds = pl.const(0, pl.INT32)
        while not pld.system.test(t, [3], 1, cmp=pld.WaitCmp.Ge):
            rounds += 1
        out = pl.write(out, [1], rounds)
        if pld.system.test(t, [0], 5, cmp="eq"):
            out = pl.write(out, [2], pl.read(t, [0]))
        pld.system.notify_all(s)
        pld.system.wait_all(s, 1)
        pld.system.notify_all(s, value=2)
        pld.system.wait_all(s, 3)
        return out

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, credit: pl.Scalar[pl.INT64], out: pl.Out[pl.Tensor[[NR, 4], pl.INT32]]):
        n = pld.world_size()
        s = pld.alloc_signal(n)
        t = pld.alloc_window([8], dtype=pl.INT32)
        for r in pl.range(n):
            self.kernel(s, t, credit, out[r], device=r)
