"""The two ends of a mixture of experts: tokens go to the rank of their expert and come back.

Rank r keeps expert r. `dispatch` writes each token into the inbox of its expert's rank, which has a part for every
source rank, and then tells each rank how many came. `expert` works on the inbox in place. `combine` fetches every
token from where it was sent. What an expert computes is left out: here it is a product with one weight.
"""
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
TOKENS = 32
HIDDEN = 128
MAX_RANKS = 64


@pl.program
class MoeDispatch:
    @pl.function(type=pl.FunctionType.InCore)
    def dispatch(
        self,
        x: pl.Tensor[[TOKENS, HIDDEN], pl.FP16],
        owner: pl.Tensor[[TOKENS], pl.INT32],
        inbox: pl.InOut[pld.DistributedTensor[[NR, TOKENS, HIDDEN], pl.FP16]],
        counts: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
        arrived: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
        slot: pl.Out[pl.Tensor[[TOKENS], pl.INT32]],
    ) -> pl.Tensor[[TOKENS], pl.INT32]:
        ctx = pld.get_comm_ctx(inbox)
        me = pld.rank(ctx)
        sent = pl.array.create(MAX_RANKS, pl.INT32)  # all zero
        for t in pl.range(TOKENS):
            to = pl.read(owner, [t])
            k = sent[to]
            pld.tile.remote_store(pl.load(x, [t, 0], [1, HIDDEN]), inbox, to, [me, k, 0])
            slot = pl.write(slot, [t], k)
            sent[to] = k + 1
        # A notify is a release: whoever waits for `arrived` sees the tokens and the count before it.
        for to in pl.range(pld.nranks(ctx)):
            pld.system.notify(counts, to, [me, 0], sent[to], op=pld.NotifyOp.Set)
            pld.system.notify(arrived, to, [me, 0], 1)
        return slot

    @pl.function(type=pl.FunctionType.InCore)
    def expert(
        self,
        weight: pl.Tensor[[1, HIDDEN], pl.FP16],
        inbox: pl.InOut[pld.DistributedTensor[[NR, TOKENS, HIDDEN], pl.FP16]],
        counts: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
        arrived: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
        done: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    ) -> pld.DistributedTensor[[NR, TOKENS, HIDDEN], pl.FP16]:
        ctx = pld.get_comm_ctx(inbox)
        me = pld.rank(ctx)
        w = pl.load(weight)
        for source in pl.range(pld.nranks(ctx)):
            pld.system.wait(arrived, [source, 0], 1)
            for k in pl.range(pl.read(counts, [source, 0])):
                token = pl.load(inbox, [source, k, 0], [1, 1, HIDDEN])
                inbox = pl.store(token * w, [source, k, 0], inbox)
            pld.system.notify(done, source, [me, 0], 1)
        return inbox

    @pl.function(type=pl.FunctionType.InCore)
    def combine(
        self,
        owner: pl.Tensor[[TOKENS], pl.INT32],
        slot: pl.Tensor[[TOKENS], pl.INT32],
        inbox: pl.InOut[pld.DistributedTensor[[NR, TOKENS, HIDDEN], pl.FP16]],
        done: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
        y: pl.Out[pl.Tensor[[TOKENS, HIDDEN], pl.FP16]],
    ) -> pl.Tensor[[TOKENS, HIDDEN], pl.FP16]:
        ctx = pld.get_comm_ctx(inbox)
        me = pld.rank(ctx)
        for rank in pl.range(pld.nranks(ctx)):
            pld.system.wait(done, [rank, 0], 1)
        for t in pl.range(TOKENS):
            place = [me, pl.read(slot, [t]), 0]
            token = pld.tile.remote_load(inbox, pl.read(owner, [t]), place, [1, 1, HIDDEN])
            y = pl.store(token, [t, 0], y)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def layer(
        self,
        x: pl.Tensor[[TOKENS, HIDDEN], pl.FP16],
        owner: pl.Tensor[[TOKENS], pl.INT32],
        weight: pl.Tensor[[1, HIDDEN], pl.FP16],
        inbox: pl.InOut[pld.DistributedTensor[[NR, TOKENS, HIDDEN], pl.FP16]],
        counts: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
        arrived: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
        done: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
        y: pl.Out[pl.Tensor[[TOKENS, HIDDEN], pl.FP16]],
    ) -> pl.Tensor[[TOKENS, HIDDEN], pl.FP16]:
        slot = pl.create_tensor([TOKENS], dtype=pl.INT32)
        slot = self.dispatch(x, owner, inbox, counts, arrived, slot)
        inbox = self.expert(weight, inbox, counts, arrived, done)
        y = self.combine(owner, slot, inbox, done, y)
        return y

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(
        self,
        x: pl.Tensor[[NR, TOKENS, HIDDEN], pl.FP16],
        owner: pl.Tensor[[NR, TOKENS], pl.INT32],
        weight: pl.Tensor[[NR, 1, HIDDEN], pl.FP16],
        y: pl.Out[pl.Tensor[[NR, TOKENS, HIDDEN], pl.FP16]],
    ):
        n = pld.world_size()
        inbox = pld.alloc_window([n, TOKENS, HIDDEN], dtype=pl.FP16)
        counts = pld.alloc_signal(n)
        arrived = pld.alloc_signal(n)
        done = pld.alloc_signal(n)
        for r in pl.range(n):
            self.layer(x[r], owner[r], weight[r], inbox, counts, arrived, done, y[r], device=r)


if __name__ == "__main__":
    print(MoeDispatch)  # the class is an ir.Program now, and its text is `MoeDispatch.as_python()`
