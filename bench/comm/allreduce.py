"""The sum of an array over all ranks, in three forms, looped inside one dispatch.

`one_shot`, for few elements: every rank stores its operand into a slot of every peer, and adds up what came. One
signal a round: slots are used in turn, and a peer that has signalled round i is done with those of round i - 1.

`two_shot`: rank r adds up share r of all operands, where they lie, and stores the sums over the share of every rank. A
rank tells the owner of a share that its part is there, and the owner tells it that the sum is. Who has sent the second
signal no longer touches anybody's share, and who sends the first again has done with the sum, so the window is operand
and result in one. Shares of others are written first and read last, so that waiting is short; its own share a rank
reads tile by tile as it adds up.

`streamed`: two-shot by pieces. While one piece is written, the one before is added up and the one before that is read, so
that pieces never leave the cache. Only a program that is written as one can do so: a library gets the whole operand.

Each round writes the operand and reads the result, as whoever uses a sum would: here it is averaged, tile by tile. RANKS
and ELEMENTS are set from outside.
"""
import tilewire.language as pl
import tilewire.language.distributed as pld

RANKS = 2
ELEMENTS = 1024
SHARE = max(ELEMENTS // RANKS, min(ELEMENTS, 16))  # a cache line at least; the last ranks may have none
TILE = min(SHARE, 2048)  # 8 KB at a time stay in the first cache
CHUNK = min(ELEMENTS, 2048)  # the same for all that is not done by shares
PIECE = min(ELEMENTS, 65536 // RANKS)  # of the streamed form
PIECES = ELEMENTS // PIECE
PART = PIECE // RANKS
SLOT = max(ELEMENTS, 16)  # slots of different ranks share no cache line


@pl.jit.incore
def one_shot(
    rounds: pl.Scalar[pl.INT32],
    slots: pl.InOut[pld.DistributedTensor[[2, RANKS, SLOT], pl.FP32]],
    sent: pl.InOut[pld.DistributedTensor[[RANKS, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[1, 1], pl.FP32]],
):
    me = pld.rank(pld.get_comm_ctx(slots))
    seen = pl.full([1, 1], dtype=pl.FP32, value=0.0)
    for i in pl.range(rounds):
        value = pl.cast(i % 8 + me, pl.FP32)
        for first in pl.range(0, ELEMENTS, CHUNK):
            operand = pl.full([1, CHUNK], dtype=pl.FP32, value=1.0) * value
            for peer in pl.unroll(RANKS):
                pld.tile.remote_store(operand, slots[i % 2], peer, [me, first])
        pld.system.notify_all(sent)
        pld.system.wait_all(sent, i + 1)
        for first in pl.range(0, ELEMENTS, CHUNK):
            total = pl.load(slots, [i % 2, 0, first], [1, 1, CHUNK])
            for source in pl.unroll(1, RANKS):
                total = total + pl.load(slots, [i % 2, source, first], [1, 1, CHUNK])
            seen = seen + pl.row_sum(total) * (1.0 / CHUNK)
    y = pl.store(seen, [0, 0], y)
    return y


@pl.jit.inline
def write_operand(data, first, last, value):
    for at in pl.range(first, last, TILE):
        data = pl.store(pl.full([1, TILE], dtype=pl.FP32, value=1.0) * value, [0, at], data)
    return data


@pl.jit.inline
def read_result(data, first, last, seen):
    for at in pl.range(first, last, TILE):
        seen = seen + pl.row_sum(pl.load(data, [0, at], [1, TILE])) * (1.0 / TILE)
    return seen


@pl.jit.inline
def add_up(data, first, last, seen):
    """Stores the sums to every rank, and reads them while they are in the cache."""
    for at in pl.range(first, last, TILE):
        total = pld.tile.remote_load(data, 0, [0, at], [1, TILE])
        for source in pl.unroll(1, RANKS):
            total = total + pld.tile.remote_load(data, source, [0, at], [1, TILE])
        for peer in pl.unroll(RANKS):
            pld.tile.remote_store(total, data, peer, [0, at])
        seen = seen + pl.row_sum(pl.load(data, [0, at], [1, TILE])) * (1.0 / TILE)
    return seen


@pl.jit.incore
def two_shot(
    rounds: pl.Scalar[pl.INT32],
    data: pl.InOut[pld.DistributedTensor[[1, ELEMENTS], pl.FP32]],
    ready: pl.InOut[pld.DistributedTensor[[RANKS, 1], pl.INT32]],
    done: pl.InOut[pld.DistributedTensor[[RANKS, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[1, 1], pl.FP32]],
):
    me = pld.rank(pld.get_comm_ctx(data))
    mine = me * SHARE
    seen = pl.full([1, 1], dtype=pl.FP32, value=0.0)
    for i in pl.range(rounds):
        value = pl.cast(i % 8 + me, pl.FP32)
        for step in pl.unroll(1, RANKS):
            owner = (me + step) % RANKS
            if owner * SHARE < ELEMENTS:
                data = write_operand(data, owner * SHARE, owner * SHARE + SHARE, value)
                pld.system.notify(ready, owner, [me, 0], 1)
        if mine < ELEMENTS:
            data = write_operand(data, mine, mine + SHARE, value)
            for step in pl.unroll(1, RANKS):
                pld.system.wait(ready, [(me + step) % RANKS, 0], i + 1)
            seen = add_up(data, mine, mine + SHARE, seen)
            for step in pl.unroll(1, RANKS):
                pld.system.notify(done, (me + step) % RANKS, [me, 0], 1)
        for step in pl.unroll(1, RANKS):
            owner = (me + step) % RANKS
            if owner * SHARE < ELEMENTS:
                pld.system.wait(done, [owner, 0], i + 1)
                seen = read_result(data, owner * SHARE, owner * SHARE + SHARE, seen)
    y = pl.store(seen, [0, 0], y)
    return y


@pl.jit.incore
def streamed(
    rounds: pl.Scalar[pl.INT32],
    data: pl.InOut[pld.DistributedTensor[[1, ELEMENTS], pl.FP32]],
    ready: pl.InOut[pld.DistributedTensor[[RANKS, 1], pl.INT32]],
    done: pl.InOut[pld.DistributedTensor[[RANKS, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[1, 1], pl.FP32]],
):
    me = pld.rank(pld.get_comm_ctx(data))
    seen = pl.full([1, 1], dtype=pl.FP32, value=0.0)
    for i in pl.range(rounds):
        value = pl.cast(i % 8 + me, pl.FP32)
        for p in pl.range(PIECES + 2):
            if p < PIECES:
                data = write_operand(data, p * PIECE, (p + 1) * PIECE, value)
                pld.system.notify_all(ready)
            if p >= 1 and p <= PIECES:
                pld.system.wait_all(ready, i * PIECES + p)
                mine = (p - 1) * PIECE + me * PART
                seen = add_up(data, mine, mine + PART, seen)
                pld.system.notify_all(done)
            if p >= 2:
                pld.system.wait_all(done, i * PIECES + p - 1)
                for step in pl.unroll(1, RANKS):
                    other = (p - 2) * PIECE + (me + step) % RANKS * PART
                    seen = read_result(data, other, other + PART, seen)
    y = pl.store(seen, [0, 0], y)
    return y


@pl.jit.host
def by_one_shot(rounds: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[RANKS, 1, 1], pl.FP32]]):
    slots = pld.alloc_window([2, RANKS, SLOT], dtype=pl.FP32)
    sent = pld.alloc_signal(RANKS)
    for r in pl.range(RANKS):
        one_shot(rounds, slots, sent, y[r], device=r)


@pl.jit.host
def by_two_shot(rounds: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[RANKS, 1, 1], pl.FP32]]):
    data = pld.alloc_window([1, ELEMENTS], dtype=pl.FP32)
    ready = pld.alloc_signal(RANKS)
    done = pld.alloc_signal(RANKS)
    for r in pl.range(RANKS):
        two_shot(rounds, data, ready, done, y[r], device=r)


@pl.jit.host
def by_stream(rounds: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[RANKS, 1, 1], pl.FP32]]):
    stream = pld.alloc_window([1, ELEMENTS], dtype=pl.FP32)
    stream_ready = pld.alloc_signal(RANKS)
    stream_done = pld.alloc_signal(RANKS)
    for r in pl.range(RANKS):
        streamed(rounds, stream, stream_ready, stream_done, y[r], device=r)
