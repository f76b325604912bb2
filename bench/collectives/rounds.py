"""The built-in collectives, looped inside one dispatch.

Each round writes the operand, calls the collective and reads the result, as whoever uses one would: here it is averaged,
tile by tile. ELEMENTS is what a rank's larger buffer has: the array that is summed or handed out, all blocks of one that is
gathered or exchanged. All constants are set from outside.

`allreduce_by_pieces` is what a program with the producer and the consumer in it would do with an array beyond the cache: it
calls the collective for each piece as soon as that is written, and reads it while it is there.
"""
import tilewire.language as pl
import tilewire.language.distributed as pld

RANKS = 2
ELEMENTS = 1024
MODE = "auto"
CALLS = 1  # of the collective in a round
BLOCK = max(ELEMENTS // RANKS, 1)
TILE = min(ELEMENTS, 2048)  # 8 KB at a time stay in the first cache
PART = min(BLOCK, 2048)  # the same where there are blocks
ROWS = BLOCK // PART
PIECE = min(ELEMENTS, 131072)  # 512 KB a rank stay in the caches


@pl.jit.inline
def write_operand(data, row, count, tile, value):
    for at in pl.range(0, count, tile):
        data = pl.store(pl.full([1, tile], dtype=pl.FP32, value=1.0) * value, [row, at], data)
    return data


@pl.jit.inline
def read_result(data, row, count, tile, seen):
    for at in pl.range(0, count, tile):
        seen = seen + pl.row_sum(pl.load(data, [row, at], [1, tile])) * (1.0 / tile)
    return seen


@pl.jit.incore
def sum_up(
    rounds: pl.Scalar[pl.INT32],
    data: pl.InOut[pld.DistributedTensor[[1, ELEMENTS], pl.FP32]],
    signal: pl.InOut[pld.DistributedTensor[[2 * RANKS, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[1, 1], pl.FP32]],
):
    me = pld.rank(pld.get_comm_ctx(data))
    seen = pl.full([1, 1], dtype=pl.FP32, value=0.0)
    for i in pl.range(rounds):
        data = write_operand(data, 0, ELEMENTS, TILE, pl.cast(i % 8 + me, pl.FP32))
        for _ in pl.unroll(CALLS):
            data = pld.tensor.allreduce(data, signal, mode=MODE)
        seen = read_result(data, 0, ELEMENTS, TILE, seen)
    y = pl.store(seen, [0, 0], y)
    return y


@pl.jit.incore
def sum_up_pieces(
    rounds: pl.Scalar[pl.INT32],
    data: pl.InOut[pld.DistributedTensor[[ELEMENTS // PIECE, PIECE], pl.FP32]],
    signal: pl.InOut[pld.DistributedTensor[[2 * RANKS, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[1, 1], pl.FP32]],
):
    me = pld.rank(pld.get_comm_ctx(data))
    seen = pl.full([1, 1], dtype=pl.FP32, value=0.0)
    for i in pl.range(rounds):
        for piece in pl.range(ELEMENTS // PIECE):
            data = write_operand(data, piece, PIECE, TILE, pl.cast(i % 8 + me, pl.FP32))
            for _ in pl.unroll(CALLS):
                pld.tensor.allreduce(data[piece : piece + 1, :], signal, mode=MODE)
            seen = read_result(data, piece, PIECE, TILE, seen)
    y = pl.store(seen, [0, 0], y)
    return y


@pl.jit.incore
def hand_out(
    rounds: pl.Scalar[pl.INT32],
    data: pl.InOut[pld.DistributedTensor[[1, ELEMENTS], pl.FP32]],
    signal: pl.InOut[pld.DistributedTensor[[RANKS, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[1, 1], pl.FP32]],
):
    me = pld.rank(pld.get_comm_ctx(data))
    seen = pl.full([1, 1], dtype=pl.FP32, value=0.0)
    for i in pl.range(rounds):
        if me == 0:
            data = write_operand(data, 0, ELEMENTS, TILE, pl.cast(i % 8, pl.FP32))
        for _ in pl.unroll(CALLS):
            data = pld.tensor.broadcast(data, signal, root=0)
        seen = read_result(data, 0, ELEMENTS, TILE, seen)
    y = pl.store(seen, [0, 0], y)
    return y


@pl.jit.incore
def gather(
    rounds: pl.Scalar[pl.INT32],
    own: pl.InOut[pld.DistributedTensor[[1, BLOCK], pl.FP32]],
    all: pl.InOut[pld.DistributedTensor[[RANKS, BLOCK], pl.FP32]],
    signal: pl.InOut[pld.DistributedTensor[[RANKS, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[1, 1], pl.FP32]],
):
    me = pld.rank(pld.get_comm_ctx(own))
    seen = pl.full([1, 1], dtype=pl.FP32, value=0.0)
    for i in pl.range(rounds):
        own = write_operand(own, 0, BLOCK, PART, pl.cast(i % 8 + me, pl.FP32))
        for _ in pl.unroll(CALLS):
            all = pld.tensor.allgather(own, all, signal)
        for row in pl.range(RANKS):
            seen = read_result(all, row, BLOCK, PART, seen)
    y = pl.store(seen, [0, 0], y)
    return y


@pl.jit.incore
def scatter_sums(
    rounds: pl.Scalar[pl.INT32],
    all: pl.InOut[pld.DistributedTensor[[RANKS, BLOCK], pl.FP32]],
    signal: pl.InOut[pld.DistributedTensor[[RANKS, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[1, 1], pl.FP32]],
):
    me = pld.rank(pld.get_comm_ctx(all))
    seen = pl.full([1, 1], dtype=pl.FP32, value=0.0)
    for i in pl.range(rounds):
        for row in pl.range(RANKS):
            all = write_operand(all, row, BLOCK, PART, pl.cast(i % 8 + me, pl.FP32))
        for _ in pl.unroll(CALLS):
            all = pld.tensor.reduce_scatter(all, signal)
        seen = read_result(all, me, BLOCK, PART, seen)
    y = pl.store(seen, [0, 0], y)
    return y


@pl.jit.incore
def exchange(
    rounds: pl.Scalar[pl.INT32],
    given: pl.InOut[pld.DistributedTensor[[RANKS * ROWS, PART], pl.FP32]],
    taken: pl.InOut[pld.DistributedTensor[[RANKS * ROWS, PART], pl.FP32]],
    signal: pl.InOut[pld.DistributedTensor[[RANKS, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[1, 1], pl.FP32]],
):
    me = pld.rank(pld.get_comm_ctx(given))
    seen = pl.full([1, 1], dtype=pl.FP32, value=0.0)
    for i in pl.range(rounds):
        for row in pl.range(RANKS * ROWS):
            value = pl.cast(i % 8 + me, pl.FP32)
            given = pl.store(pl.full([1, PART], dtype=pl.FP32, value=1.0) * value, [row, 0], given)
        for _ in pl.unroll(CALLS):
            taken = pld.tensor.all_to_all(given, taken, signal)
        for row in pl.range(RANKS * ROWS):
            seen = seen + pl.row_sum(pl.load(taken, [row, 0], [1, PART])) * (1.0 / PART)
    y = pl.store(seen, [0, 0], y)
    return y


@pl.jit.incore
def exchange_counted(
    rounds: pl.Scalar[pl.INT32],
    given: pl.InOut[pld.DistributedTensor[[RANKS * ROWS, PART], pl.FP32]],
    taken: pl.InOut[pld.DistributedTensor[[RANKS * ROWS, PART], pl.FP32]],
    sent: pl.InOut[pld.DistributedTensor[[RANKS], pl.INT32]],
    received: pl.InOut[pld.DistributedTensor[[RANKS], pl.INT32]],
    signal: pl.InOut[pld.DistributedTensor[[RANKS, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[1, 1], pl.FP32]],
):
    me = pld.rank(pld.get_comm_ctx(given))
    seen = pl.full([1, 1], dtype=pl.FP32, value=0.0)
    for r in pl.range(RANKS):
        pl.write(sent, [r], pl.const(ROWS, pl.INT32))
    for i in pl.range(rounds):
        for row in pl.range(RANKS * ROWS):
            value = pl.cast(i % 8 + me, pl.FP32)
            given = pl.store(pl.full([1, PART], dtype=pl.FP32, value=1.0) * value, [row, 0], given)
        for _ in pl.unroll(CALLS):
            taken = pld.tensor.all_to_all_v(given, taken, signal, sent, received)
        for row in pl.range(RANKS * ROWS):
            seen = seen + pl.row_sum(pl.load(taken, [row, 0], [1, PART])) * (1.0 / PART)
    y = pl.store(seen, [0, 0], y)
    return y


@pl.jit.incore
def meet(
    rounds: pl.Scalar[pl.INT32],
    signal: pl.InOut[pld.DistributedTensor[[RANKS, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[1, 1], pl.FP32]],
):
    for i in pl.range(rounds):
        for _ in pl.unroll(CALLS):
            pld.tensor.barrier(signal)
    y = pl.store(pl.full([1, 1], dtype=pl.FP32, value=1.0) * pl.cast(rounds, pl.FP32), [0, 0], y)
    return y


@pl.jit.host
def allreduce(rounds: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[RANKS, 1, 1], pl.FP32]]):
    data = pld.alloc_window([1, ELEMENTS], dtype=pl.FP32)
    signal = pld.alloc_signal(2 * RANKS)
    for r in pl.range(RANKS):
        sum_up(rounds, data, signal, y[r], device=r)


@pl.jit.host
def allreduce_by_pieces(rounds: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[RANKS, 1, 1], pl.FP32]]):
    pieces = pld.alloc_window([ELEMENTS // PIECE, PIECE], dtype=pl.FP32)
    pieces_signal = pld.alloc_signal(2 * RANKS)
    for r in pl.range(RANKS):
        sum_up_pieces(rounds, pieces, pieces_signal, y[r], device=r)


@pl.jit.host
def broadcast(rounds: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[RANKS, 1, 1], pl.FP32]]):
    handed = pld.alloc_window([1, ELEMENTS], dtype=pl.FP32)
    handed_signal = pld.alloc_signal(RANKS)
    for r in pl.range(RANKS):
        hand_out(rounds, handed, handed_signal, y[r], device=r)


@pl.jit.host
def allgather(rounds: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[RANKS, 1, 1], pl.FP32]]):
    own = pld.alloc_window([1, BLOCK], dtype=pl.FP32)
    gathered = pld.alloc_window([RANKS, BLOCK], dtype=pl.FP32)
    gather_signal = pld.alloc_signal(RANKS)
    for r in pl.range(RANKS):
        gather(rounds, own, gathered, gather_signal, y[r], device=r)


@pl.jit.host
def reduce_scatter(rounds: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[RANKS, 1, 1], pl.FP32]]):
    sums = pld.alloc_window([RANKS, BLOCK], dtype=pl.FP32)
    sums_signal = pld.alloc_signal(RANKS)
    for r in pl.range(RANKS):
        scatter_sums(rounds, sums, sums_signal, y[r], device=r)


@pl.jit.host
def all_to_all(rounds: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[RANKS, 1, 1], pl.FP32]]):
    given = pld.alloc_window([RANKS * ROWS, PART], dtype=pl.FP32)
    taken = pld.alloc_window([RANKS * ROWS, PART], dtype=pl.FP32)
    exchange_signal = pld.alloc_signal(RANKS)
    for r in pl.range(RANKS):
        exchange(rounds, given, taken, exchange_signal, y[r], device=r)


@pl.jit.host
def all_to_all_v(rounds: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[RANKS, 1, 1], pl.FP32]]):
    counted = pld.alloc_window([RANKS * ROWS, PART], dtype=pl.FP32)
    counted_taken = pld.alloc_window([RANKS * ROWS, PART], dtype=pl.FP32)
    sent = pld.alloc_window([RANKS], dtype=pl.INT32)
    received = pld.alloc_window([RANKS], dtype=pl.INT32)
    counted_signal = pld.alloc_signal(RANKS)
    for r in pl.range(RANKS):
        exchange_counted(rounds, counted, counted_taken, sent, received, counted_signal, y[r], device=r)


@pl.jit.host
def barrier(rounds: pl.Scalar[pl.INT32], y: pl.Out[pl.Tensor[[RANKS, 1, 1], pl.FP32]]):
    barrier_signal = pld.alloc_signal(RANKS)
    for r in pl.range(RANKS):
        meet(rounds, barrier_signal, y[r], device=r)
