"""Errors of a run show the source line they are about, whichever function of the program it is in."""

import numpy as np
import pytest
import tilewire
import tilewire.language as pl
import tilewire.language.distributed as pld

N = pl.dynamic("N")


@pl.jit.inline
def row(x, i):
    return pl.load(x, [i, 0], [1, 8])  # LOAD


@pl.jit.incore
def copy(x: pl.Tensor[[N, 8], pl.FP32], y: pl.Out[pl.Tensor[[N, 8], pl.FP32]]):
    for i in pl.range(9):
        y = pl.store(row(x, i), [i, 0], y)
    return y


@pl.jit
def main(x: pl.Tensor[[N, 8], pl.FP32], y: pl.Out[pl.Tensor[[N, 8], pl.FP32]]):
    y = copy(x, y)
    return y


@pl.jit.incore
def wait(w: pl.InOut[pld.DistributedTensor[[1, 8], pl.INT32]]):
    pld.system.wait(w, [0, 0], 2)  # WAIT


@pl.jit.host
def host():
    w = pld.alloc_window([1, 8], dtype=pl.INT32)
    for r in pl.range(pld.world_size()):
        wait(w, device=r)


def line_of(mark):
    with open(__file__) as file:
        return next((number, line) for number, line in enumerate(file, 1) if line.endswith(f"  # {mark}\n"))


def excerpt(mark, call):
    number, line = line_of(mark)
    indent = line.index(call)
    return f"{number} | {line}{' ' * len(str(number))} | {' ' * indent}{'^' * len(call)}"


@pytest.mark.parametrize("target", ["cpu", "interp", "bundle"])
@pytest.mark.parametrize("function", [copy, main], ids=["kernel", "caller"])
def test_the_line_of_a_kernel(function, target, tmp_path):
    exe = function.compile(target="interp" if target == "interp" else "cpu")
    if target == "bundle":
        exe.save(tmp_path / "bundle")
        exe = tilewire.load_bundle(tmp_path / "bundle")
    for _ in range(2):
        exe(np.zeros((9, 8), np.float32))
        with pytest.raises(tilewire.RunError) as caught:
            exe(np.zeros((4, 8), np.float32), np.zeros((4, 8), np.float32))
        assert excerpt("LOAD", "pl.load(x, [i, 0], [1, 8])") in str(caught.value)


def test_the_lines_of_a_deadlock():
    with pytest.raises(tilewire.DeadlockError) as caught:
        host(ranks=2)
    assert str(caught.value).count(excerpt("WAIT", "pld.system.wait(w, [0, 0], 2)")) == 1
