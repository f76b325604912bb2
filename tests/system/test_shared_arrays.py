"""One array for two parameters: what is computed block by block is what whole tensors give.

TILEWIRE_SHARED=N runs N random kernels in place of 60.
"""

import os

import numpy as np
import pytest
import tilewire as tw
import tilewire.language as pl
from generate_shared import generate
from targets import TARGETS

COUNT = int(os.environ.get("TILEWIRE_SHARED", "60"))
N, ROWS = 300, 700


@pl.jit.incore
def flip(a: pl.Tensor[[N, N], pl.INT32], b: pl.Out[pl.Tensor[[N, N], pl.INT32]]):
    b[...] = pl.transpose(a)


@pl.jit.incore
def shift(a: pl.InOut[pl.Tensor[[ROWS, N], pl.INT32]], b: pl.InOut[pl.Tensor[[ROWS, N], pl.INT32]]):
    a[...] = a + b
    b[1:ROWS, :] = a[0 : ROWS - 1, :]


@pl.jit
def shift_in_place(y: pl.InOut[pl.Tensor[[ROWS, N], pl.INT32]]):
    shift(y, y)


def numbers(*shape):
    return np.random.default_rng(1).integers(-9, 10, shape).astype(np.int32)


def shifted(x):
    want = 2 * x
    want[1:] = (2 * x)[:-1]
    return want


@pytest.mark.parametrize("target", TARGETS)
def test_the_caller_passes_one_array_twice(target):
    x = numbers(N, N)
    exe = flip.compile(target=target)
    for _ in range(2):  # the second call is of a form that is known
        y = x.copy()
        exe(y, y)
        np.testing.assert_array_equal(y, x.T)
        z = np.zeros_like(x)
        exe(x, z)
        np.testing.assert_array_equal(z, x.T)


@pytest.mark.parametrize("target", TARGETS)
def test_arrays_that_are_not_contiguous(target):
    x = numbers(N, N)
    y = np.asfortranarray(x)
    flip.compile(target=target)(y, y)
    np.testing.assert_array_equal(y, x.T)


@pytest.mark.parametrize("target", TARGETS)
def test_a_call_in_the_program_passes_one_tensor_twice(target):
    x = numbers(ROWS, N)
    y = x.copy()
    shift_in_place(y, target=target)
    np.testing.assert_array_equal(y, shifted(x))


def test_a_bundle_takes_one_array_twice(tmp_path):
    x = numbers(N, N)
    flip.compile().save(tmp_path / "flip")
    y = x.copy()
    bundle = tw.load_bundle(tmp_path / "flip")
    for _ in range(2):
        y = x.copy()
        bundle(y, y)
        np.testing.assert_array_equal(y, x.T)


@pytest.mark.parametrize("seed", range(COUNT))
def test_random_kernels(seed):
    case, expected = generate(seed)
    program = pl.parse(case.text, f"shared_{seed}.py")
    for target in TARGETS:
        arguments = case.arguments()
        program.compile(entry="main", target=target)(*arguments)
        for i, (got, want) in enumerate(zip(arguments, expected)):
            wrong = np.argwhere(got != want)
            assert not wrong.size, f"{target}: argument {i} of main{case.arrays}, first at {wrong[0]}\n{case.text}"
