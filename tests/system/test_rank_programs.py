"""Every program of tests/lang/programs with a host function: native code, also under random schedules, does what the
interpreter does, on 1 to 4 ranks."""

import collections
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
import tilewire.language as pl
from tilewire import ir

PROGRAMS = Path(__file__).parent.parent / "lang" / "programs"
# Their results depend on the schedule: a value that a wait saw, a count of polls, parts that nothing orders.
OPEN = {"producer_consumer", "put_get", "remote_memory", "slot_signals"}
FEWEST = {"comm_groups": 4, "pipeline_parallel": 2}  # ranks they are written for
DTYPES = {"FP32": np.float32, "FP16": np.float16, "BF16": ml_dtypes.bfloat16, "INT32": np.int32, "INT64": np.int64}


def host_of(program):
    return next((f for f in program.functions if f.type == pl.FunctionType.Host), None)


def names():
    for path in sorted(PROGRAMS.glob("*.py")):
        if path.stem not in OPEN and "pld." in path.read_text() and host_of(pl.load_program(path)):
            yield path.stem


def argument(parameter, ranks, random):
    kind = parameter.type
    if not isinstance(kind, ir.TensorType):
        dtype = str(kind.dtype)
        return True if dtype == "pl.BOOL" else 1.5 if "FP" in dtype else 2
    dimensions = collections.defaultdict(lambda: ranks)
    shape = [d.value if isinstance(d, ir.ConstInt) else eval(str(d), {}, dimensions) for d in kind.shape]
    dtype = DTYPES[str(kind.dtype).removeprefix("pl.")]
    if dtype in (np.int32, np.int64):
        return random.integers(0, 2, shape).astype(dtype)
    return (random.random(shape) * 2 - 1).astype(dtype)


def outputs(program, arguments, ranks, target, schedule):
    given = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    program.compile(entry=host_of(program).name, target=target)(*given, ranks=ranks, schedule=schedule)
    return [a.astype(np.float64) for a in given if isinstance(a, np.ndarray)]


@pytest.mark.parametrize("name", list(names()))
@pytest.mark.filterwarnings("ignore")
def test_native_code_and_interpreter_agree(name):
    program = pl.load_program(PROGRAMS / f"{name}.py")
    for ranks in range(FEWEST.get(name, 1), 5):
        random = np.random.default_rng(ranks)
        arguments = [argument(p, ranks, random) for p in host_of(program).params]
        expected = outputs(program, arguments, ranks, "interp", None)
        for schedule in (None, "random:1", f"random:{ranks + 2}"):
            found = outputs(program, arguments, ranks, "cpu", schedule)
            for a, b in zip(expected, found):
                np.testing.assert_allclose(b, a, rtol=2e-2, atol=2e-2, err_msg=f"{ranks} ranks, {schedule}")
