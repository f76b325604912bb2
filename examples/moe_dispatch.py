"""A mixture of experts: tokens go to the ranks of their experts, are worked on, and come back weighted.

Every rank keeps 16 experts and 128 tokens, and each token has chosen 6 experts of any rank. `dispatch` writes each
token into the inboxes of its experts, which have a part for every source rank, and then tells each rank how many
tokens came for which expert. `expert` is launched with one block per expert: as soon as the tokens of a source are
here, it multiplies them with its weights, as many as there are, in place. `combine` fetches every token from where it
was sent and adds the six up.

The counts are known only when the program runs; nothing is padded, and nothing is sent that no one asked for.

    python examples/moe_dispatch.py --ranks 4
"""
import argparse
from typing import Any

import numpy as np

import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
TOKENS = 128  # on each rank
CHOICES = 6
EXPERTS = 16  # on each rank
HIDDEN = 64
TILE = 32  # tokens an expert works on at a time


@pl.program
class MoeDispatch:
    @pl.function(type=pl.FunctionType.InCore)
    def dispatch(
        self,
        x: pl.Tensor[[TOKENS, HIDDEN], pl.FP16],
        chosen: pl.Tensor[[TOKENS, CHOICES], pl.INT32],
        inbox: pl.InOut[pld.DistributedTensor[[NR, EXPERTS, TOKENS, HIDDEN], pl.FP16]],
        counts: pl.InOut[pld.DistributedTensor[[NR, EXPERTS], pl.INT32]],
        arrived: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
        sent: pl.InOut[pl.Tensor[[NR, EXPERTS], pl.INT32]],
        slot: pl.Out[pl.Tensor[[TOKENS, CHOICES], pl.INT32]],
    ) -> pl.Tensor[[TOKENS, CHOICES], pl.INT32]:
        ctx = pld.get_comm_ctx(inbox)
        me = pld.rank(ctx)
        ranks = pld.nranks(ctx)
        for to in pl.range(ranks):
            sent = pl.store(pl.full([1, EXPERTS], dtype=pl.INT32, value=0), [to, 0], sent)
        for t in pl.range(TOKENS):
            token = pl.load(x, [t, 0], [1, HIDDEN])
            for c in pl.range(CHOICES):
                expert = pl.read(chosen, [t, c])
                to = expert // EXPERTS
                which = expert % EXPERTS
                k = pl.read(sent, [to, which])
                pld.tile.remote_store(token, inbox, to, [me, which, k, 0])
                slot = pl.write(slot, [t, c], k)
                sent = pl.write(sent, [to, which], k + 1)
        # The signal is a release: whoever waits for it sees the counts, and the tokens stored before.
        for to in pl.range(ranks):
            pld.tensor.put(counts, to, sent, [me, 0], [to, 0], [1, EXPERTS], signal=arrived, at=[me, 0], value=1)
        return slot

    @pl.function(type=pl.FunctionType.InCore)
    def expert(
        self,
        weights: pl.Tensor[[EXPERTS, HIDDEN, HIDDEN], pl.FP16],
        inbox: pl.InOut[pld.DistributedTensor[[NR, EXPERTS, TOKENS, HIDDEN], pl.FP16]],
        counts: pld.DistributedTensor[[NR, EXPERTS], pl.INT32],
        arrived: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
        done: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    ) -> pld.DistributedTensor[[NR, EXPERTS, TOKENS, HIDDEN], pl.FP16]:
        ctx = pld.get_comm_ctx(inbox)
        me = pld.rank(ctx)
        which = pl.tile.get_block_idx()
        w = pl.load(weights, [which, 0, 0], [1, HIDDEN, HIDDEN])
        for source in pl.range(pld.nranks(ctx)):
            pld.system.wait(arrived, [source, 0], 1)
            count = pl.read(pl.load(counts, [source, 0], [1, EXPERTS]), [0, which])
            for first in pl.range(0, count, TILE):
                rows = min(count - first, TILE)
                place = [source, which, first, 0]
                tokens = pl.load(inbox, place, [1, 1, TILE, HIDDEN], valid_shape=[1, 1, rows, HIDDEN])
                inbox = pl.store(pl.cast(pl.relu(pl.matmul(tokens, w)), pl.FP16), place, inbox)
            pld.system.notify(done, source, [me, 0], 1)
        return inbox

    @pl.function(type=pl.FunctionType.InCore)
    def combine(
        self,
        chosen: pl.Tensor[[TOKENS, CHOICES], pl.INT32],
        share: pl.Tensor[[TOKENS, CHOICES], pl.FP32],
        slot: pl.Tensor[[TOKENS, CHOICES], pl.INT32],
        inbox: pl.InOut[pld.DistributedTensor[[NR, EXPERTS, TOKENS, HIDDEN], pl.FP16]],
        done: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
        y: pl.Out[pl.Tensor[[TOKENS, HIDDEN], pl.FP32]],
    ) -> pl.Tensor[[TOKENS, HIDDEN], pl.FP32]:
        ctx = pld.get_comm_ctx(inbox)
        me = pld.rank(ctx)
        for rank in pl.range(pld.nranks(ctx)):
            pld.system.wait(done, [rank, 0], EXPERTS)  # all experts of that rank
        for t in pl.range(TOKENS):
            total = pl.full([1, HIDDEN], dtype=pl.FP32, value=0.0)
            for c in pl.range(CHOICES):
                expert = pl.read(chosen, [t, c])
                place = [me, expert % EXPERTS, pl.read(slot, [t, c]), 0]
                token = pld.tile.remote_load(inbox, expert // EXPERTS, place, [1, 1, 1, HIDDEN])
                total = total + pl.cast(token, pl.FP32) * pl.read(share, [t, c])
            y = pl.store(total, [t, 0], y)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def layer(
        self,
        x: pl.Tensor[[TOKENS, HIDDEN], pl.FP16],
        chosen: pl.Tensor[[TOKENS, CHOICES], pl.INT32],
        share: pl.Tensor[[TOKENS, CHOICES], pl.FP32],
        weights: pl.Tensor[[EXPERTS, HIDDEN, HIDDEN], pl.FP16],
        inbox: pl.InOut[pld.DistributedTensor[[NR, EXPERTS, TOKENS, HIDDEN], pl.FP16]],
        counts: pl.InOut[pld.DistributedTensor[[NR, EXPERTS], pl.INT32]],
        arrived: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
        done: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
        y: pl.Out[pl.Tensor[[TOKENS, HIDDEN], pl.FP32]],
    ) -> pl.Tensor[[TOKENS, HIDDEN], pl.FP32]:
        sent = pl.create_tensor([pld.nranks(pld.get_comm_ctx(inbox)), EXPERTS], dtype=pl.INT32)
        slot = pl.create_tensor([TOKENS, CHOICES], dtype=pl.INT32)
        slot = self.dispatch(x, chosen, inbox, counts, arrived, sent, slot)
        with pl.spmd(EXPERTS):
            inbox = self.expert(weights, inbox, counts, arrived, done)
        y = self.combine(chosen, share, slot, inbox, done, y)
        return y

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(
        self,
        x: pl.Tensor[[NR, TOKENS, HIDDEN], pl.FP16],
        chosen: pl.Tensor[[NR, TOKENS, CHOICES], pl.INT32],
        share: pl.Tensor[[NR, TOKENS, CHOICES], pl.FP32],
        weights: pl.Tensor[[NR, EXPERTS, HIDDEN, HIDDEN], pl.FP16],
        y: pl.Out[pl.Tensor[[NR, TOKENS, HIDDEN], pl.FP32]],
    ):
        n = pld.world_size()
        # A token goes to an expert once at most, so no part of an inbox takes more than TOKENS.
        inbox = pld.alloc_window([n, EXPERTS, TOKENS, HIDDEN], dtype=pl.FP16)
        counts = pld.alloc_window([n, EXPERTS], dtype=pl.INT32)
        arrived = pld.alloc_signal(n)
        done = pld.alloc_signal(n)
        for r in pl.range(n):
            self.layer(x[r], chosen[r], share[r], weights[r], inbox, counts, arrived, done, y[r], device=r)


def main(ranks: int = 4, **how: Any) -> None:
    random = np.random.default_rng(1)
    x = random.standard_normal((ranks, TOKENS, HIDDEN)).astype(np.float16)
    weights = (random.standard_normal((ranks, EXPERTS, HIDDEN, HIDDEN)) / np.sqrt(HIDDEN)).astype(np.float16)
    # Some experts are far more popular than others, as they are in real models.
    likes = random.gumbel(size=(ranks, TOKENS, ranks * EXPERTS)) + random.standard_normal(ranks * EXPERTS)
    chosen = np.argsort(-likes, axis=2)[:, :, :CHOICES].astype(np.int32)
    share = np.exp(np.take_along_axis(likes, chosen, axis=2))
    share = (share / share.sum(axis=2, keepdims=True)).astype(np.float32)

    y = MoeDispatch.host(x, chosen, share, weights, ranks=ranks, **how)

    want = np.zeros(y.shape, np.float64)
    for expert, w in enumerate(weights.reshape(-1, HIDDEN, HIDDEN).astype(np.float64)):
        rank, token, choice = np.nonzero(chosen == expert)
        result = np.maximum(x[rank, token].astype(np.float64) @ w, 0)
        np.add.at(want, (rank, token), result * share[rank, token, choice][:, None])
    error = float(np.max(np.abs(y - want)))
    loads = np.bincount(chosen.ravel(), minlength=ranks * EXPERTS)
    print(
        f"mixture of experts: {chosen.size} tokens sent to {loads.size} experts on {ranks} ranks, "
        f"{loads.min()} to {loads.max()} each, largest error {error:.1e}"
    )
    # Results of experts are below 8 and rounded to FP16, which has 11 bits; the shares of a token sum up to 1.
    assert error < 8 * 2.0**-12 + 1e-4


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="a mixture of experts over ranks, compared with NumPy")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--target", default="cpu", choices=["cpu", "interp"])
    main(**vars(parser.parse_args()))
