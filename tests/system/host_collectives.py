"""Every collective, several times on one signal, for test_hosts.py, which starts this in one process and on several
hosts:

    python host_collectives.py RANKS

Process 0 prints one line for each program: its name and a digest of what all ranks got. The elements are fractions, so
that sums in another order would have other bits.
"""

import hashlib
import sys

import numpy as np
import tilewire as tw
import tilewire.language as pl

RANKS = int(sys.argv[1])

# Two collectives follow each other, so that each begins on what the one before has left of the signal.
PROGRAM = """
NR = pl.dynamic("NR")


@pl.jit.incore
def copy_in(x: pl.Tensor[[NR * ROWS, COLS], pl.DTYPE], w: pl.Out[pld.DistributedTensor[[NR * ROWS, COLS], pl.DTYPE]]):
    for at in pl.range(pl.dim(x, 0)):
        w = pl.store(pl.load(x, [at, 0], [1, COLS]), [at, 0], w)


@pl.jit.incore
def copy_out(w: pld.DistributedTensor[[NR * ROWS, COLS], pl.DTYPE], y: pl.Out[pl.Tensor[[NR * ROWS, COLS], pl.DTYPE]]):
    for at in pl.range(pl.dim(y, 0)):
        y = pl.store(pl.load(w, [at, 0], [1, COLS]), [at, 0], y)


@pl.jit.incore
def between(
    w: pl.InOut[pld.DistributedTensor[[NR * ROWS, COLS], pl.DTYPE]],
    other: pl.InOut[pld.DistributedTensor[[NR * ROWS, COLS], pl.DTYPE]],
    signal: pl.InOut[pld.DistributedTensor[[NR * 2, 1], pl.INT32]],
):
    ctx = pld.get_comm_ctx(w)
    for i in pl.range(3):
        CALL


@pl.jit.host
def main(x: pl.Tensor[[NR, NR * ROWS, COLS], pl.DTYPE], y: pl.Out[pl.Tensor[[NR, NR * ROWS, COLS], pl.DTYPE]]):
    n = pld.world_size()
    w = pld.alloc_window([n * ROWS, COLS], dtype=pl.DTYPE)
    other = pld.alloc_window([n * ROWS, COLS], dtype=pl.DTYPE)
    signal = pld.alloc_signal(n * 2)
    for r in pl.range(n):
        copy_in(x[r], w, device=r)
    for r in pl.range(n):
        copy_in(x[r], other, device=r)
    for r in pl.range(n):
        between(w, other, signal, device=r)
    w = pld.tensor.allreduce(w, op="max", core_num=2)
    for r in pl.range(n):
        copy_out(RESULT, y[r], device=r)
"""

CALLS = {
    "allreduce": ("w = pld.tensor.allreduce(w, signal)", "w"),
    "allreduce of products": ('w = pld.tensor.allreduce(w, signal, op="prod")', "w"),
    "two_shot": ('w = pld.tensor.allreduce(w, signal, mode="two_shot")', "w"),
    "mesh": ('w = pld.tensor.allreduce(w, signal, mode="mesh")', "w"),
    "ring": ('w = pld.tensor.allreduce(w, signal, mode="ring")', "w"),
    "allreduce, then two_shot": (
        'w = pld.tensor.allreduce(w, signal)\n        w = pld.tensor.allreduce(w, signal, op="min", mode="two_shot")',
        "w",
    ),
    "of pairs, then of all": (
        "w = pld.tensor.allreduce(w, signal, group=pld.subgroup(ctx, GROUP))\n        w = pld.tensor.allreduce(w, signal)",
        "w",
    ),
    "reduce_scatter": ("w = pld.tensor.reduce_scatter(w, signal)\n        pld.tensor.barrier(signal)", "w"),
    "broadcast": ("w = pld.tensor.broadcast(w, signal, root=pld.nranks(ctx) - 1 - i)", "w"),
    "all_to_all": ("other = pld.tensor.all_to_all(w, other, signal)\n        w = pld.tensor.allreduce(w, signal)", "other"),
    "barrier": ("pld.tensor.barrier(signal)", "w"),
}


def show(name, call, result, dtype, rows, cols):
    text = PROGRAM.replace("CALL", call).replace("RESULT", result).replace("GROUP", "2" if RANKS % 2 == 0 else "1")
    program = pl.parse(text.replace("ROWS", str(rows)).replace("COLS", str(cols)).replace("DTYPE", dtype))
    random = np.random.default_rng(7)
    x = (random.random((RANKS, RANKS * rows, cols), dtype=np.float32) + 0.5).astype(np.float16 if dtype == "FP16" else np.float32)
    if dtype == "INT32":
        x = (x * 1000).astype(np.int32)
    y = np.zeros_like(x)
    program.compile(entry="main")(x, y, ranks=RANKS)
    if tw.world.rank == 0:
        digest = hashlib.sha256(y.tobytes()).hexdigest()[:16]
        print(f"{name}, {dtype} [{RANKS * rows}, {cols}] -> {digest}", flush=True)


for name, (call, result) in CALLS.items():
    show(name, call, result, "FP32", 2, 1)
    show(name, call, result, "FP32", 3, 1000)
for dtype in ("FP16", "INT32"):
    show("allreduce", *CALLS["allreduce"], dtype, 2, 700)
# More segments than are under way.
show("allreduce", *CALLS["allreduce"], "FP32", 400, 1024)
