"""Mixture of experts: tokens are counted, sent to the rank of their expert, worked on and brought back."""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
TOKENS = 32
HIDDEN = 128


@pl.program
class MixtureOfExperts:
    @pl.function(type=pl.FunctionType.InCore)
    def dispatch(self, x: pl.Tensor[[TOKENS, HIDDEN], pl.FP16], expert: pl.Tensor[[TOKENS], pl.INT32],
                 inbox: pl.InOut[pld.DistributedTensor[[NR, TOKENS, HIDDEN], pl.FP16]],
                 counts: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
                 arrived: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
                 slot: pl.Out[pl.Tensor[[TOKENS], pl.INT32]]) -> pl.Tensor[[TOKENS], pl.INT32]:
        ctx = pld.get_comm_ctx(inbox)
        me = pld.rank(ctx)
        n = pld.nranks(ctx)
        used = pl.array.create(64, pl.INT32)
        for t in pl.range(TOKENS):
            owner = pl.read(expert, [t]) % n
            k = used[owner]
            token = pl.load(x, [t, 0], [1, HIDDEN])
            pld.tile.remote_store(token, inbox, owner, [me, k, 0])
            slot = pl.write(slot, [t], k)
            used[owner] = k + 1
        for p in pl.range(n):
            pld.system.notify(counts, p, [me, 0], used[p], op="set")
            pld.system.notify(arrived, p, [me, 0], 1)
        return slot

    @pl.function(type=pl.FunctionType.InCore)
    def expert_work(self, w: pl.Tensor[[1, HIDDEN], pl.FP16],
                    inbox: pl.InOut[pld.DistributedTensor[[NR, TOKENS, HIDDEN], pl.FP16]],
                    counts: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
                    arrived: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
                    done: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]]) -> pld.DistributedTensor[
                        [NR, TOKENS, HIDDEN], pl.FP16]:
        ctx = pld.get_comm_ctx(inbox)
        me = pld.rank(ctx)
        weight = pl.load(w)
        for source in pl.range(pld.nranks(ctx)):
            pld.system.wait(arrived, [source, 0], 1)
            count = pl.read(counts, [source, 0])
            for k in pl.range(count):
                token = pl.load(inbox, [source, k, 0], [1, 1, HIDDEN])
                inbox = pl.store(pl.relu(token * weight), [source, k, 0], inbox)
            pld.system.notify(done, source, [me, 0], 1)
        return inbox

    @pl.function(type=pl.FunctionType.InCore)
    def combine(self, expert: pl.Tensor[[TOKENS], pl.INT32], slot: pl.Tensor[[TOKENS], pl.INT32],
                inbox: pld.DistributedTensor[[NR, TOKENS, HIDDEN], pl.FP16],
                done: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
                y: pl.Out[pl.Tensor[[TOKENS, HIDDEN], pl.FP16]]) -> pl.Tensor[[TOKENS, HIDDEN], pl.FP16]:
        ctx = pld.get_comm_ctx(inbox)
        me = pld.rank(ctx)
        n = pld.nranks(ctx)
        for source in pl.range(n):
            pld.system.wait(done, [source, 0], 1)
        for t in pl.range(TOKENS):
            owner = pl.read(expert, [t]) % n
            token = pld.tile.remote_load(inbox, owner, [me, pl.read(slot, [t]), 0], [1, 1, HIDDEN])
            y = pl.store(token, [t, 0], y)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def layer(self, x: pl.Tensor[[TOKENS, HIDDEN], pl.FP16], expert: pl.Tensor[[TOKENS], pl.INT32],
              w: pl.Tensor[[1, HIDDEN], pl.FP16], inbox: pl.InOut[pld.DistributedTensor[[NR, TOKENS, HIDDEN], pl.FP16]],
              counts: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
              arrived: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
              done: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
              y: pl.Out[pl.Tensor[[TOKENS, HIDDEN], pl.FP16]]) -> pl.Tensor[[TOKENS, HIDDEN], pl.FP16]:
        slot = pl.create_tensor([TOKENS], dtype=pl.INT32)
        slot = self.dispatch(x, expert, inbox, counts, arrived, slot)
        inbox = self.expert_work(w, inbox, counts, arrived, done)
        y = self.combine(expert, slot, inbox, done, y)
        return y

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[NR, TOKENS, HIDDEN], pl.FP16], expert: pl.Tensor[[NR, TOKENS], pl.INT32],
             w: pl.Tensor[[NR, 1, HIDDEN], pl.FP16], y: pl.Out[pl.Tensor[[NR, TOKENS, HIDDEN], pl.FP16]]):
        n = pld.world_size()
        inbox = pld.alloc_window([n, TOKENS, HIDDEN], dtype=pl.FP16)
        counts = pld.alloc_window([n, 1], dtype=pl.INT32)
        arrived = pld.alloc_signal(n)
        done = pld.alloc_signal(n)
        for r in pl.range(n):
            self.layer(x[r], expert[r], w[r], inbox, counts, arrived, done, y[r], device=r)
