"""Random kernels, carried out by NumPy and by every target, must agree.

TILEWIRE_DIFFERENTIAL=N runs N programs in place of 300, TILEWIRE_DIFFERENTIAL_SEED=S starts at seed S. A failure
prints the seed and the program, cut down to what still fails. Programs run in child processes, so one that crashes
is a failure like any other.
"""

import os
import signal
import warnings

import numpy as np
import pytest

import kernel_values as kv
import tilewire as tw
import tilewire.language as pl
from generate_kernels import generate
from kernel_case import shrink
from targets import TARGETS

COUNT = int(os.environ.get("TILEWIRE_DIFFERENTIAL", "300"))
FIRST = int(os.environ.get("TILEWIRE_DIFFERENTIAL_SEED", "0"))
BATCH = 20


def run(case, target, split="fused"):
    """The outputs of a program; raises what the compiler or the run does."""
    arguments = case.arguments()
    text = case.text
    mode = ("NONE", "UP_DOWN", "LEFT_RIGHT")[case.seed % 3]
    if split == "split" and mode != "NONE":
        text = text.replace("@pl.jit.incore\n", f'@pl.jit.incore(attrs={{"split": pl.SplitMode.{mode}}})\n')
    program = pl.parse(text, f"seed_{case.seed}.py")
    program.compile(entry="main", target=target, split=split)(*arguments)
    return arguments[len(arguments) - len(case.outputs) :]


def same_bits(a, b):
    """Equal elements, told apart further than by value: -0 is not 0. NaNs are equal, whatever their bits."""
    unsigned = np.dtype(f"u{a.dtype.itemsize}")
    equal = a.view(unsigned) == b.view(unsigned)
    if a.dtype.kind not in "iub":
        equal |= np.isnan(a.astype(np.float32)) & np.isnan(b.astype(np.float32))
    return equal


def differs(expected, got):
    """The first element out of bounds, in words; None if there is none."""
    with np.errstate(invalid="ignore"):
        wide = got.astype(np.float64) if expected.dtype.is_float else got
        good = (wide == expected.v) | ~np.isfinite(expected.e)
        if expected.dtype.is_float:
            good |= np.isnan(wide) & np.isnan(expected.v)
        uncertain = expected.e > 0
        distance = np.abs(wide.astype(np.float64) - expected.v.astype(np.float64))
        good |= uncertain & (distance <= expected.e)
    if good.all():
        return None
    at = tuple(int(i) for i in np.argwhere(~good)[0])
    return (
        f"{int((~good).sum())} of {good.size} elements of {expected.dtype} differ, first {list(at)}: "
        f"got {wide[at]!r}, expected {expected.v[at]!r} within {expected.e[at]:.3g}"
    )


def problem(case):
    """What is wrong with a program, in words; None if all targets agree with NumPy and with each other."""
    expected = case.expected()
    results = {}
    for target in TARGETS:
        try:
            results[target] = run(case, target)
        except tw.Error as error:
            return f"{target}: {error}"
        for output, want, got in zip(case.outputs, expected, results[target]):
            if (text := differs(want, got)) is not None:
                return f"{target}: {output.name}: {text}"
        if "matmul" not in case.text:
            continue
        # Kernels that mix products and other work give the same bits as a cube and a vector half.
        try:
            halves = run(case, target, "split")
        except tw.Error as error:
            return f"{target}, split: {error}"
        for output, whole, got in zip(case.outputs, results[target], halves):
            if not same_bits(whole, got).all():
                return f"{target}: {output.name} differs when the kernel is split"
    for target in TARGETS[1:]:
        for output, want, first, second in zip(case.outputs, expected, results[TARGETS[0]], results[target]):
            unlike = ~same_bits(first, second) & (want.e == 0)
            if unlike.any():
                at = tuple(int(i) for i in np.argwhere(unlike)[0])
                return f"{output.name}{list(at)}: {TARGETS[0]} gives {first[at]!r}, {target} {second[at]!r}"
    return None


def in_child(work):
    """What `work` gives as text, done in a process of its own; "" for None."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        status = 1
        try:
            warnings.simplefilter("ignore")
            with os.fdopen(write, "w") as pipe:
                work(lambda text: print(text, file=pipe, flush=True))
            status = 0
        finally:
            os._exit(status)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        text += f"crashed: {signal.Signals(os.WTERMSIG(status)).name}\n"
    elif status != 0:
        text += "the test itself failed\n"
    return text


def first_problem(seeds):
    """The first seed whose program fails, and why; None if there is none."""

    def work(say):
        for seed in seeds:
            say(f"seed {seed}")
            text = problem(generate(seed))
            if text is not None:
                say(text)
                return

    last, _, text = in_child(work).rpartition("seed ")[2].partition("\n")
    return (int(last), text) if text else None


def still_fails(case):
    """Why a case fails, "" if it does not or is no program."""

    def work(say):
        try:
            pl.parse(case.text)
        except tw.ProgramError:
            return
        text = problem(case)
        if text is not None:
            say(text)

    return in_child(work)


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, BATCH))
def test_programs_agree(first):
    found = first_problem(range(first, min(first + BATCH, FIRST + COUNT)))
    if found is None:
        return
    seed, text = found
    smaller = shrink(generate(seed), still_fails)
    pytest.fail(f"seed {seed}: {text}\nsmaller: {still_fails(smaller)}\n{smaller.text}", pytrace=False)


def test_the_generator_is_deterministic_and_varied():
    texts = [generate(seed).text for seed in range(60)]
    assert texts == [generate(seed).text for seed in range(60)]
    everything = "\n".join(texts)
    for word in ("pl.matmul", "pl.row_sum", "row_expand", "valid_shape=", "pl.cast", "while ", "pl.unroll", "if ",
                 "pl.spmd", "pl.parallel", "BF16", "FP8E4M3FN", "INT8", "pl.dim", "pl.sel", "pl.exp"):  # fmt: skip
        assert word in everything, word


def test_most_elements_are_compared():
    total = compared = exact = 0
    for seed in range(60):
        for value in generate(seed).expected():
            total += value.v.size
            compared += int(np.isfinite(value.e).sum())
            exact += int((value.e == 0).sum())
    assert compared > 0.9 * total and exact > 0.5 * total


def test_a_wrong_result_is_found():
    exact = kv.Value.exact(kv.FP32, np.array([[1.0, np.nan, -0.0]]))
    assert differs(exact, np.array([[1.0, np.nan, 0.0]], np.float32)) is None
    assert "got" in differs(exact, np.array([[1.0000001, np.nan, 0.0]], np.float32))
    assert "got" in differs(exact, np.array([[1.0, 0.0, 0.0]], np.float32))
    total = kv.row_sum(kv.Value.exact(kv.FP32, np.full((1, 100), 0.1)))
    assert differs(total, np.array([[10.000002]], np.float32)) is None
    assert "got" in differs(total, np.array([[10.001]], np.float32))
    assert not same_bits(np.float32([0.0]), np.float32([-0.0])).any()


@pytest.mark.parametrize("name", ["FP16", "BF16", "FP8E5M2", "FP8E4M3FN"])
def test_rounding_is_that_of_ml_dtypes(name):
    dtype = kv.DTYPES[name]
    bits = np.random.default_rng(1).integers(0, 2**32, 200_000, dtype=np.uint32)
    x = bits.view(np.float32)
    with np.errstate(all="ignore"):
        near = np.float32(dtype.largest) * np.linspace(0.9, 1.2, 1001, dtype=np.float32)
        x = np.concatenate([x, near, -near, x % np.float32(2.0**dtype.low)])
        want = x.astype(dtype.array).astype(np.float64)
        got = kv.round_to(dtype, x)
    assert np.array_equal(want, got, equal_nan=True)
