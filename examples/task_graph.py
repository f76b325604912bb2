"""A task graph drawn by hand: the softmax of a whole matrix in three phases, with a join between them.

Every kernel takes whole tensors and the number of its part, so by data order each task that writes `peaks` would wait
for the one before it, although they write different rows. `pl.manual_scope` lifts data order between the tasks inside,
and `deps=` says what really comes first: `pl.task_join` makes one id of the tasks of a phase. Leave out a dependency
and `tilewire check examples/task_graph.py` reports the race. Tasks of the next call of `phases` are ordered with those
of this one by data as ever, and `pl.scope` frees the tensors of a call when its tasks have ended.

    python examples/task_graph.py
"""
import argparse

import numpy as np

import tilewire.language as pl

ROWS = 16
COLS = 64
PARTS = 8


@pl.jit.incore
def peak(x: pl.Tensor[[PARTS * ROWS, COLS], pl.FP32], i: pl.Scalar[pl.INDEX],
         peaks: pl.InOut[pl.Tensor[[PARTS, 1], pl.FP32]]):
    t = pl.load(x, [i * ROWS, 0], [ROWS, COLS])
    peaks = pl.store(pl.max(pl.max(t, axis=1), axis=0), [i, 0], peaks)


@pl.jit.incore
def powers(x: pl.Tensor[[PARTS * ROWS, COLS], pl.FP32], i: pl.Scalar[pl.INDEX], peaks: pl.Tensor[[PARTS, 1], pl.FP32],
           y: pl.InOut[pl.Tensor[[PARTS * ROWS, COLS], pl.FP32]], sums: pl.InOut[pl.Tensor[[PARTS, 1], pl.FP32]]):
    largest = pl.max(pl.load(peaks), axis=0)
    t = pl.exp(pl.load(x, [i * ROWS, 0], [ROWS, COLS]) - largest[0, 0])
    y = pl.store(t, [i * ROWS, 0], y)
    sums = pl.store(pl.sum(pl.sum(t, axis=1), axis=0), [i, 0], sums)


@pl.jit.incore
def divide(i: pl.Scalar[pl.INDEX], sums: pl.Tensor[[PARTS, 1], pl.FP32],
           y: pl.InOut[pl.Tensor[[PARTS * ROWS, COLS], pl.FP32]]):
    total = pl.sum(pl.load(sums), axis=0)
    y = pl.store(pl.load(y, [i * ROWS, 0], [ROWS, COLS]) / total[0, 0], [i * ROWS, 0], y)


@pl.jit.inline
def phases(x, y):
    with pl.scope():
        peaks = pl.create_tensor([PARTS, 1], dtype=pl.FP32)
        sums = pl.create_tensor([PARTS, 1], dtype=pl.FP32)
        with pl.manual_scope():
            first = pl.array.create(PARTS, pl.TASK_ID)
            for i in pl.range(PARTS):
                with pl.spmd(1) as tid:
                    peak(x, i, peaks)
                first[i] = tid
            all_peaks = pl.task_join(deps=[first])
            second = pl.array.create(PARTS, pl.TASK_ID)
            for i in pl.range(PARTS):
                with pl.spmd(1, deps=[all_peaks]) as tid:
                    powers(x, i, peaks, y, sums)
                second[i] = tid
            all_sums = pl.task_join(deps=[second])
            for i in pl.range(PARTS):
                divide(i, sums, y, deps=[all_sums])


@pl.jit
def softmax_twice(
    x: pl.Tensor[[PARTS * ROWS, COLS], pl.FP32],
    y: pl.Out[pl.Tensor[[PARTS * ROWS, COLS], pl.FP32]],
    z: pl.Out[pl.Tensor[[PARTS * ROWS, COLS], pl.FP32]],
):
    phases(x, y)
    phases(y, z)  # starts when `y` is there: the scopes are two
    return y, z


def softmax(x: np.ndarray) -> np.ndarray:
    powers_of = np.exp(x - x.max())
    parts: np.ndarray = powers_of / powers_of.sum()
    return parts


def main(target: str = "cpu") -> None:
    x = 4 * np.random.default_rng(1).standard_normal((PARTS * ROWS, COLS), dtype=np.float32)
    y, z = softmax_twice(x, target=target)
    first = softmax(x.astype(np.float64))
    second = softmax(first)
    error = max(float(np.max(np.abs(y / first - 1))), float(np.max(np.abs(z / second - 1))))
    print(f"task graph: 2 softmaxes of {PARTS} parts in three phases, largest relative error {error:.1e}")
    assert error < 1e-5


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="a task graph with joins, compared with NumPy")
    parser.add_argument("--target", default="cpu", choices=["cpu", "interp"])
    main(parser.parse_args().target)
