"""A kernel split by hand into a cube half and a vector half, joined by a pipe in each direction.

The cube half multiplies, the vector half takes the softmax of the scores. Tiles go through slots of a ring buffer:
a push waits for a free slot, a pop for a ready one, and the popping side hands the slot back. The rows of each tile
are split over two vector lanes, so the vector function runs twice per block and pops half a tile each time.

    python examples/pipe_group.py
"""
import argparse

import numpy as np

import tilewire.language as pl

BLOCKS = pl.dynamic("BLOCKS")
QUERIES = 32
KEYS = 64
HEAD = 64
SLOTS = 4
SLOT_BYTES = QUERIES * KEYS * 4  # the larger of the two tiles that go through: FP32 scores


@pl.program
class PipeGroup:
    @pl.function(type=pl.FunctionType.AIC)
    def cube(
        self,
        q: pl.Tensor[[BLOCKS, QUERIES, HEAD], pl.FP16],
        k: pl.Tensor[[KEYS, HEAD], pl.FP16],
        v: pl.Tensor[[KEYS, HEAD], pl.FP16],
        out: pl.Out[pl.Tensor[[BLOCKS, QUERIES, HEAD], pl.FP32]],
    ) -> pl.Tensor[[BLOCKS, QUERIES, HEAD], pl.FP32]:
        # The half that pops owns the buffer, the other one imports it.
        scores = pl.import_peer_buffer(name="scores", peer_func="vector")
        weights = pl.reserve_buffer(name="weights", size=SLOTS * SLOT_BYTES)
        pl.aic_initialize_pipe(scores, weights, dir_mask=3, slot_size=SLOT_BYTES, slot_num=SLOTS)
        block = pl.tile.get_block_idx()
        tq = pl.load(q, [block, 0, 0], [1, QUERIES, HEAD])
        pl.tpush_to_aiv(pl.matmul(tq, pl.load(k), b_trans=True), split=pl.SplitMode.UP_DOWN)
        # A pop has no operand to take a type from: the annotation gives it.
        p: pl.Tile[[QUERIES, KEYS], pl.FP16] = pl.tpop_from_aiv(split=pl.SplitMode.UP_DOWN)
        out = pl.store(pl.matmul(p, pl.load(v)), [block, 0, 0], out)
        pl.tfree_to_aiv(p)
        return out

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self):
        scores = pl.reserve_buffer(name="scores", size=SLOTS * SLOT_BYTES)
        weights = pl.import_peer_buffer(name="weights", peer_func="cube")
        pl.aiv_initialize_pipe(scores, weights, dir_mask=3, slot_size=SLOT_BYTES, slot_num=SLOTS)
        s: pl.Tile[[QUERIES // 2, KEYS], pl.FP32] = pl.tpop_from_aic(split=pl.SplitMode.UP_DOWN)
        e = pl.exp(s - pl.row_max(s))
        pl.tfree_to_aic(s)
        pl.tpush_to_aic(pl.cast(e / pl.row_sum(e), pl.FP16), split=pl.SplitMode.UP_DOWN)

    @pl.function(type=pl.FunctionType.Group)
    def attend(
        self,
        q: pl.Tensor[[BLOCKS, QUERIES, HEAD], pl.FP16],
        k: pl.Tensor[[KEYS, HEAD], pl.FP16],
        v: pl.Tensor[[KEYS, HEAD], pl.FP16],
        out: pl.Out[pl.Tensor[[BLOCKS, QUERIES, HEAD], pl.FP32]],
    ) -> pl.Tensor[[BLOCKS, QUERIES, HEAD], pl.FP32]:
        out = self.cube(q, k, v, out)
        self.vector()
        return out

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        q: pl.Tensor[[BLOCKS, QUERIES, HEAD], pl.FP16],
        k: pl.Tensor[[KEYS, HEAD], pl.FP16],
        v: pl.Tensor[[KEYS, HEAD], pl.FP16],
        out: pl.Out[pl.Tensor[[BLOCKS, QUERIES, HEAD], pl.FP32]],
    ) -> pl.Tensor[[BLOCKS, QUERIES, HEAD], pl.FP32]:
        # One pair of halves per block.
        with pl.spmd(pl.dim(q, 0)):
            out = self.attend(q, k, v, out)
        return out


def main(target: str = "cpu", blocks: int = 6) -> None:
    random = np.random.default_rng(1)
    q, k, v = (random.standard_normal(shape).astype(np.float16) for shape in ((blocks, QUERIES, HEAD), (KEYS, HEAD), (KEYS, HEAD)))
    q *= np.float16(0.125)
    out = PipeGroup.main(q, k, v, target=target)
    scores = q.astype(np.float32) @ k.astype(np.float32).T
    weights = np.exp(scores - scores.max(axis=2, keepdims=True))
    weights = (weights / weights.sum(axis=2, keepdims=True)).astype(np.float16)
    error = float(np.max(np.abs(out - weights.astype(np.float32) @ v.astype(np.float32))))
    print(f"pipe group: attention of {blocks} blocks on both halves, largest error {error:.1e}")
    assert error < 3e-3  # a weight may round to the FP16 beside NumPy's


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="attention on a cube and a vector half, compared with NumPy")
    parser.add_argument("--target", default="cpu", choices=["cpu", "interp"])
    main(parser.parse_args().target)
