"""Groups written by hand: an AIC and an AIV function joined by pipes, with what NumPy makes of their arguments."""

from __future__ import annotations

import numpy as np
import tilewire.language as pl
from mixed_kernels import Case, normal

BLOCKS = pl.dynamic("BLOCKS")
ROWS = pl.dynamic("ROWS")
MODES = [pl.SplitMode.NONE, pl.SplitMode.UP_DOWN, pl.SplitMode.LEFT_RIGHT]


def parts(mode: pl.SplitMode, rows: int, cols: int) -> tuple[int, int]:
    """The tile of a vector lane."""
    if mode == pl.SplitMode.NONE:
        return rows, cols
    return (rows // 2, cols) if mode == pl.SplitMode.UP_DOWN else (rows, cols // 2)


def cube_to_vector(mode: pl.SplitMode, rounds: int = 12, slots: int = 8) -> Case:
    """Products go to the vector half, which takes their exponentials. More of them than the ring has slots."""
    height, width = parts(mode, 16, 64)
    down, right = height % 16, width % 64

    @pl.program
    class CubeToVector:
        @pl.function(type=pl.FunctionType.AIC)
        def multiply(self, a: pl.Tensor[[rounds * 16, 64], pl.FP32], b: pl.Tensor[[64, 64], pl.FP32]):
            peer = pl.import_peer_buffer(name="c2v", peer_func=self.activate)
            pl.aic_initialize_pipe(peer, None, dir_mask=1, slot_size=4096, slot_num=slots)
            right_tile = pl.load(b, [0, 0], [64, 64])
            for i in pl.range(0, rounds * 16, 16):
                pl.tpush_to_aiv(pl.matmul(pl.load(a, [i, 0], [16, 64]), right_tile), split=mode)

        @pl.function(type=pl.FunctionType.AIV)
        def activate(self, y: pl.Out[pl.Tensor[[rounds * 16, 64], pl.FP32]]):
            buffer = pl.reserve_buffer(name="c2v", size=4096 * slots)
            pl.aiv_initialize_pipe(buffer, None, dir_mask=1, slot_size=4096, slot_num=slots)
            lane = pl.tile.get_subblock_idx()
            for i in pl.range(0, rounds * 16, 16):
                t: pl.Tile[[height, width], pl.FP32] = pl.tpop_from_aic(split=mode)
                pl.store(pl.exp(t), [i + lane * down, lane * right], y)
                pl.tfree_to_aic(t)

        @pl.function(type=pl.FunctionType.Group)
        def both(self, a: pl.Tensor[[rounds * 16, 64], pl.FP32], b: pl.Tensor[[64, 64], pl.FP32],
                 y: pl.Out[pl.Tensor[[rounds * 16, 64], pl.FP32]]):
            self.multiply(a, b)
            self.activate(y)

        @pl.function(type=pl.FunctionType.Orchestration)
        def main(self, a: pl.Tensor[[rounds * 16, 64], pl.FP32], b: pl.Tensor[[64, 64], pl.FP32],
                 y: pl.Out[pl.Tensor[[rounds * 16, 64], pl.FP32]]):
            self.both(a, b, y)

    def make(r):
        return [normal(r, rounds * 16, 64) * np.float32(0.1), normal(r, 64, 64)]

    return Case(f"cube_to_vector {mode}", CubeToVector, make, lambda a, b: np.exp(a @ b))


def vector_to_cube(mode: pl.SplitMode) -> Case:
    """Both lanes send their part of the left operand."""
    height, width = parts(mode, 16, 64)
    down, right = height % 16, width % 64

    @pl.program
    class VectorToCube:
        @pl.function(type=pl.FunctionType.AIV)
        def prepare(self, x: pl.Tensor[[ROWS, 64], pl.FP32]):
            peer = pl.import_peer_buffer(name="v2c", peer_func="multiply")
            pl.aiv_initialize_pipe(None, peer, dir_mask=2, slot_size=4096, id=3)
            lane = pl.tile.get_subblock_idx()
            first = pl.tile.get_block_idx() * 64
            for i in pl.range(0, 64, 16):
                t = pl.load(x, [first + i + lane * down, lane * right], [height, width])
                pl.tpush_to_aic(t * 2.0, split=mode, id=3)

        @pl.function(type=pl.FunctionType.AIC)
        def multiply(self, w: pl.Tensor[[64, 32], pl.FP32], y: pl.Out[pl.Tensor[[ROWS, 32], pl.FP32]]):
            fifo = pl.reserve_buffer(name="v2c", size=32768)
            pl.aic_initialize_pipe(None, fifo, dir_mask=2, slot_size=4096, id=3)
            first = pl.tile.get_block_idx() * 64
            for i in pl.range(0, 64, 16):
                t: pl.Tile[[16, 64], pl.FP32] = pl.tpop_from_aiv(split=mode, id=3)
                product = pl.matmul(t, pl.load(w, [0, 0], [64, 32]))
                pl.tfree_to_aiv(t, id=3)
                pl.store(product, [first + i, 0], y)

        @pl.function(type=pl.FunctionType.Group)
        def both(self, x: pl.Tensor[[ROWS, 64], pl.FP32], w: pl.Tensor[[64, 32], pl.FP32],
                 y: pl.Out[pl.Tensor[[ROWS, 32], pl.FP32]]):
            self.multiply(w, y)
            self.prepare(x)

        @pl.function(type=pl.FunctionType.Orchestration)
        def main(self, x: pl.Tensor[[ROWS, 64], pl.FP32], w: pl.Tensor[[64, 32], pl.FP32],
                 y: pl.Out[pl.Tensor[[ROWS, 32], pl.FP32]]):
            with pl.spmd(pl.dim(x, 0) // 64):
                self.both(x, w, y)

    return Case(f"vector_to_cube {mode}", VectorToCube, lambda r: [normal(r, 192, 64), normal(r, 64, 32)],
                lambda x, w: (2 * x) @ w)


def two_pipes() -> Case:
    """One pipe for each of two streams, with tiles of different sizes and ids that are no neighbours."""

    @pl.program
    class TwoPipes:
        @pl.function(type=pl.FunctionType.AIC)
        def cube(self, a: pl.Tensor[[32, 32], pl.FP32], b: pl.Tensor[[32, 32], pl.FP32]):
            large = pl.import_peer_buffer(name="large", peer_func="vector")
            small = pl.import_peer_buffer(name="small", peer_func="vector")
            pl.aic_initialize_pipe(large, None, dir_mask=1, slot_size=4096, id=5, slot_num=2)
            pl.aic_initialize_pipe(small, None, dir_mask=1, slot_size=1024, id=2, slot_num=3)
            left, right = pl.load(a, [0, 0], [32, 32]), pl.load(b, [0, 0], [32, 32])
            for i in pl.range(6):
                pl.tpush_to_aiv(pl.matmul(pl.load(a, [0, 0], [8, 32]), right), split=0, id=2)
                pl.tpush_to_aiv(pl.matmul(left, right), split=0, id=5)

        @pl.function(type=pl.FunctionType.AIV)
        def vector(self, y: pl.Out[pl.Tensor[[6, 32, 32], pl.FP32]]):
            large = pl.reserve_buffer(name="large", size=8192)
            small = pl.reserve_buffer(name="small", size=3072)
            pl.aiv_initialize_pipe(large, None, dir_mask=1, slot_size=4096, id=5, slot_num=2)
            pl.aiv_initialize_pipe(small, None, dir_mask=1, slot_size=1024, id=2, slot_num=3)
            for i in pl.range(6):
                t: pl.Tile[[32, 32], pl.FP32] = pl.tpop_from_aic(split=0, id=5)
                pl.store(t, [i, 0, 0], y)
                pl.tfree_to_aic(t, id=5)
                s: pl.Tile[[8, 32], pl.FP32] = pl.tpop_from_aic(split=0, id=2)
                pl.store(s * 2.0, [i, 0, 0], y)
                pl.tfree_to_aic(s, id=2)

        @pl.function(type=pl.FunctionType.Group)
        def both(self, a: pl.Tensor[[32, 32], pl.FP32], b: pl.Tensor[[32, 32], pl.FP32], y: pl.Out[pl.Tensor[[6, 32, 32], pl.FP32]]):
            self.cube(a, b)
            self.vector(y)

        @pl.function(type=pl.FunctionType.Orchestration)
        def main(self, a: pl.Tensor[[32, 32], pl.FP32], b: pl.Tensor[[32, 32], pl.FP32], y: pl.Out[pl.Tensor[[6, 32, 32], pl.FP32]]):
            self.both(a, b, y)

    def expected(a, b):
        product = a @ b
        product[:8] *= 2
        return np.broadcast_to(product, (6, 32, 32))

    return Case("two_pipes", TwoPipes, lambda r: [normal(r, 32, 32), normal(r, 32, 32)], expected)


def softmax_between(mode: pl.SplitMode) -> Case:
    """Scores to the vector half, their weights back to the cube half, block by block."""
    height, width = parts(mode, 32, 64)

    @pl.program
    class Between:
        @pl.function(type=pl.FunctionType.AIC)
        def cube(self, q: pl.Tensor[[BLOCKS, 32, 64], pl.FP32], k: pl.Tensor[[64, 64], pl.FP32], v: pl.Tensor[[64, 64], pl.FP32],
                 y: pl.Out[pl.Tensor[[BLOCKS, 32, 64], pl.FP32]]) -> pl.Tensor[[BLOCKS, 32, 64], pl.FP32]:
            scores = pl.import_peer_buffer(name="scores", peer_func="vector")
            weights = pl.reserve_buffer(name="weights", size=32768)
            pl.aic_initialize_pipe(scores, weights, dir_mask=3, slot_size=8192)
            block = pl.tile.get_block_idx()
            pl.tpush_to_aiv(pl.matmul(pl.load(q, [block, 0, 0], [1, 32, 64]), pl.load(k, [0, 0], [64, 64]), b_trans=True), split=mode)
            p: pl.Tile[[32, 64], pl.FP32] = pl.tpop_from_aiv(split=mode)
            y = pl.store(pl.matmul(p, pl.load(v, [0, 0], [64, 64])), [block, 0, 0], y)
            pl.tfree_to_aiv(p)
            return y

        @pl.function(type=pl.FunctionType.AIV)
        def vector(self):
            scores = pl.reserve_buffer(name="scores", size=32768)
            weights = pl.import_peer_buffer(name="weights", peer_func="cube")
            pl.aiv_initialize_pipe(scores, weights, dir_mask=3, slot_size=8192)
            s: pl.Tile[[height, width], pl.FP32] = pl.tpop_from_aic(split=mode)
            e = pl.tanh(s)
            pl.tfree_to_aic(s)
            pl.tpush_to_aic(e, split=mode)

        @pl.function(type=pl.FunctionType.Group)
        def attend(self, q: pl.Tensor[[BLOCKS, 32, 64], pl.FP32], k: pl.Tensor[[64, 64], pl.FP32], v: pl.Tensor[[64, 64], pl.FP32],
                   y: pl.Out[pl.Tensor[[BLOCKS, 32, 64], pl.FP32]]) -> pl.Tensor[[BLOCKS, 32, 64], pl.FP32]:
            y = self.cube(q, k, v, y)
            self.vector()
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def main(self, q: pl.Tensor[[BLOCKS, 32, 64], pl.FP32], k: pl.Tensor[[64, 64], pl.FP32], v: pl.Tensor[[64, 64], pl.FP32],
                 y: pl.Out[pl.Tensor[[BLOCKS, 32, 64], pl.FP32]]) -> pl.Tensor[[BLOCKS, 32, 64], pl.FP32]:
            with pl.spmd(pl.dim(q, 0)):
                y = self.attend(q, k, v, y)
            return y

    def make(r, blocks=5):
        return [normal(r, blocks, 32, 64), normal(r, 64, 64), normal(r, 64, 64)]

    return Case(f"softmax_between {mode}", Between, make, lambda q, k, v: np.tanh(q @ k.T) @ v)


def cases() -> list[Case]:
    split = [make(mode) for make in (cube_to_vector, vector_to_cube, softmax_between) for mode in MODES]
    return [*split, cube_to_vector(MODES[0], slots=1), two_pipes()]
