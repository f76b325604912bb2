"""Rank 0 copies a large array into the window of rank 1, again and again."""
import tilewire.language as pl
import tilewire.language.distributed as pld

ELEMENTS = 16 * 1024 * 1024


@pl.jit.incore
def copy(
    x: pl.Tensor[[1, ELEMENTS], pl.FP32],
    box: pl.InOut[pld.DistributedTensor[[1, ELEMENTS], pl.FP32]],
    rounds: pl.Scalar[pl.INT32],
):
    if pld.rank(pld.get_comm_ctx(box)) == 0:
        for _ in pl.range(rounds):
            pld.tensor.put(box, 1, x)


@pl.jit.host
def put(x: pl.Tensor[[1, ELEMENTS], pl.FP32], rounds: pl.Scalar[pl.INT32]):
    box = pld.alloc_window([1, ELEMENTS], dtype=pl.FP32)
    for r in pl.range(2):
        copy(x, box, rounds, device=r)
