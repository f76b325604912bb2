"""Kernels that are hard to split: fused, in two halves with one vector lane or two, and interpreted."""

import re

import numpy as np
import pytest

import hard_kernels
import tilewire.language as pl
from targets import TARGETS

CASES = {case.name: case for case in hard_kernels.CASES}
MODES = (pl.SplitMode.NONE, pl.SplitMode.UP_DOWN, pl.SplitMode.LEFT_RIGHT)


def results(program, case, **how):
    given = case.arguments()
    program.main(*given, **how)
    return [each.tobytes() for each in given if isinstance(each, np.ndarray)]


@pytest.mark.parametrize("name", CASES)
def test_all_ways_to_run_a_kernel_agree(name):
    case = CASES[name]
    found, want = [], None
    for mode in MODES:
        program = pl.parse(case.text(mode), f"{name}.py")
        if want is None:
            want = results(program, case, target="interp", split="fused")
        lowered = program.compile(entry="main", split="split").text("lowered")
        blocks = re.search(r'"lanes": (\d)', lowered)
        found.append(int(blocks[1]) - 1 if blocks else 0)
        for target in TARGETS:
            for settings in ({"split": "fused"}, {}, {"schedule": "random:1"}, {"schedule": "random:2"}):
                assert results(program, case, target=target, **{"split": "split", **settings}) == want, (mode, target, settings)
        [report] = program.main.check(*case.arguments(), ranks=1, split="split")
        assert report.verdict == "proved", str(report)
    assert tuple(found) == case.lanes


SHARED = '''
import tilewire.language as pl
import tilewire.language.distributed as pld

N = pl.dynamic("N")
NR = pl.dynamic("NR")


@pl.jit.incore(attrs={"split": pl.SplitMode.MODE})
def kernel(a: pl.Tensor[[N, 32], pl.FP32], b: pl.Tensor[[32, 32], pl.FP32], y: pl.Out[pl.Tensor[[N, 32], pl.FP32]]):
    for i in pl.range(0, pl.dim(a, 0), 16):
        product = pl.matmul(pl.load(a, [i, 0], [16, 32]), pl.load(b))
        pl.store(pl.rem(product, 5.0) + 1.0, [i, 0], y)


'''
CALLS = {
    "parts of one tensor": """
@pl.jit
def main(a: pl.Tensor[[96, 32], pl.FP32], b: pl.Tensor[[32, 32], pl.FP32], y: pl.InOut[pl.Tensor[[96, 32], pl.FP32]]):
    kernel(a, b, y)
    kernel(y[0:32, :], b, y[16:48, :])
""",
    "a tensor of the function": """
@pl.jit
def main(a: pl.Tensor[[96, 32], pl.FP32], b: pl.Tensor[[32, 32], pl.FP32], y: pl.InOut[pl.Tensor[[96, 32], pl.FP32]]):
    t = pl.create_tensor([112, 32], dtype=pl.FP32)
    kernel(a, b, t[16:112, :])
    with pl.spmd(1):
        kernel(t[16:112, :], b, t[0:96, :])
    kernel(t[0:96, :], b, y)
""",
    "a window": """
@pl.jit
def chip(w: pl.Tensor[[48, 32], pl.FP32], b: pl.Tensor[[32, 32], pl.FP32], v: pl.InOut[pl.Tensor[[48, 32], pl.FP32]]):
    kernel(w[8:40, :], b, v[0:32, :])


@pl.jit.host
def main(a: pl.Tensor[[NR, 48, 32], pl.FP32], b: pl.Tensor[[32, 32], pl.FP32], y: pl.InOut[pl.Tensor[[NR, 48, 32], pl.FP32]]):
    buffer = pld.alloc_window_buffer([48, 32], dtype=pl.FP32, load_from_host=a, store_to_host=y)
    w = pld.window(buffer, [48, 32], dtype=pl.FP32)
    v = pld.window(buffer, [48, 32], dtype=pl.FP32)
    for r in pl.range(pld.world_size()):
        chip(w, b, v, device=r)
""",
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("call", CALLS)
def test_arguments_that_share_memory(call, mode):
    """The cube half must not load what the vector half stores, nor one lane what the other stores."""
    program = pl.parse(SHARED.replace("SplitMode.MODE", f"SplitMode.{mode.name}") + CALLS[call].lstrip(), "shared.py")
    ranks = {"ranks": 2} if call == "a window" else {}
    shape = (2, 48, 32) if ranks else (96, 32)

    def given():
        random = np.random.default_rng(1)
        return [random.integers(-3, 4, each).astype(np.float32) for each in (shape, (32, 32), shape)]

    def result(**how):
        arguments = given()
        program.main(*arguments, **ranks, **how)
        return arguments[2].tobytes()

    assert '"lanes": 2' in program.compile(entry="main", split="split", **ranks).text("lowered")
    want = result(target="interp", split="fused")
    for target in TARGETS:
        for settings in ({}, {"schedule": "random:1"}, {"schedule": "random:2"}):
            assert result(target=target, split="split", **settings) == want, (target, settings)
    [report] = program.main.check(*given(), ranks=ranks.get("ranks", 1), split="split")
    assert report.verdict == "proved", str(report)
