"""The right side of `and` and `or` is evaluated only when needed, wherever evaluating it could stop the run."""

import numpy as np
import pytest
import tilewire
import tilewire.language as pl

RIGHT = {
    "n // k > 1": lambda n, k: n // k > 1,
    "n % k == 0": lambda n, k: n % k == 0,
    "2 + n // k - 1 > 1 and n % k < 5": lambda n, k: 2 + n // k - 1 > 1 and n % k < 5,
    "not n // k > 1": lambda n, k: not n // k > 1,
    "min(n // k, 3) == 3": lambda n, k: min(n // k, 3) == 3,
    "pl.cast(n * 4294967296 * (1 - k), pl.INT32) == 0": lambda n, k: n * (1 - k) == 0,
    "pl.read(x, [0, n // k]) > 0.0": lambda n, k: True,
}
FORMS = {
    "if": "v = 1 if k != 0 and {} else 2",
    "or": "v = 1 if k == 0 or {} else 2",
    "statement": "v = 2\n    if k != 0 and {}:\n        v = 1",
    "while": "v = 2\n    i = 0\n    while k != 0 and i < 1 and {}:\n        v = 1\n        i = i + 1",
    "break": "v = 2\n    i = 0\n    while k != 0 and i < 1 and {}:\n        v = 1\n        i = i + 1\n        if i > 5:\n            break",
    "middle": "v = 1 if k != 0 and {} and n > 0 else 2",
}
PROGRAM = """
import tilewire.language as pl

@pl.jit.incore
def kernel(x: pl.Tensor[[1, 8], pl.FP32], n: pl.Scalar[pl.INDEX], k: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[1], pl.INT64]]):
    {}
    y[0] = pl.cast(v, pl.INT64)
"""
ONES = np.ones((1, 8), np.float32)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("right", RIGHT)
def test_what_could_stop_the_run_is_not_evaluated(form, right):
    program = pl.parse(PROGRAM.format(FORMS[form].format(right)))
    for k in (0, 1):
        n = 3
        want = (k == 0 or RIGHT[right](n, k)) if form == "or" else (k != 0 and RIGHT[right](n, k))
        for target in ("cpu", "interp"):
            assert program.kernel(ONES, n, k, target=target)[0] == (1 if want else 2), (target, k)
    report = program.check(ONES, 3, 0, np.zeros(1, np.int64), entry="kernel")
    assert report.verdict == "proved", str(report)


@pytest.mark.parametrize("target", ["cpu", "interp"])
@pytest.mark.parametrize("operation, said", [("n // k", "division by zero: `//`"), ("n % k", "division by zero: `%`")])
def test_the_operator_is_named_as_written(operation, said, target):
    program = pl.parse(PROGRAM.format(f"v = {operation}"))
    with pytest.raises(tilewire.RunError) as error:
        program.kernel(ONES, 1, 0, target=target)
    assert str(error.value).splitlines()[0] == f"error[TW2103]: {said}"


def test_conditions_that_cannot_fail_take_no_branch():
    program = pl.parse(PROGRAM.format("v = 1 if k != 0 and n // 2 > 1 and pl.cast(n, pl.INT64) > 2 and n >> 3 < 4 else 2"))
    assert str(program).count("if ") == 1
