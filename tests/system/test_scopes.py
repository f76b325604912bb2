"""`pl.scope` gives memory back while the program runs."""

import subprocess
import sys

import pytest
from targets import TARGETS

COUNT = 1000
MEGABYTES = 16  # of each tensor
PROGRAM = f"""
import resource
import sys

import numpy as np
import tilewire.language as pl

ROWS = {MEGABYTES * 1024}


@pl.jit.incore
def touch(x: pl.Tensor[[16, 256], pl.FP32], t: pl.InOut[pl.Tensor[[ROWS, 256], pl.FP32]]):
    for i in pl.range(0, ROWS, 4):
        t = pl.store(pl.load(x, [0, 0], [1, 256]), [i, 0], t)


@pl.jit.incore
def add(t: pl.Tensor[[ROWS, 256], pl.FP32], y: pl.InOut[pl.Tensor[[16, 256], pl.FP32]]):
    y = pl.store(pl.load(y) + pl.load(t, [ROWS - 16, 0], [16, 256]), [0, 0], y)


@pl.jit
def main(x: pl.Tensor[[16, 256], pl.FP32], n: pl.Scalar[pl.INDEX], y: pl.InOut[pl.Tensor[[16, 256], pl.FP32]]):
    for i in pl.range(n):
        with pl.scope():
            t = pl.create_tensor([ROWS, 256], dtype=pl.FP32)
            touch(x, t)
            add(t[0:ROWS], y)
    return y


x = np.ones((16, 256), dtype=np.float32)
y = np.zeros_like(x)
exe = main.compile(x, 1, y, target=sys.argv[1])
exe(x, 1, y)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
exe(x, int(sys.argv[2]), y, **eval(sys.argv[3]))
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024, y[0, 0])
"""


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("settings", [{"threads": 1}, {"threads": 2}])
def test_a_loop_of_large_tensors_stays_small(target, settings, tmp_path):
    if target == "interp" and settings["threads"] > 1:
        pytest.skip("the interpreter has one thread")
    path = tmp_path / "scopes.py"
    path.write_text(PROGRAM)
    count = COUNT if target == "cpu" else 50
    settings = settings if target == "cpu" else {}
    words = [sys.executable, path, target, str(count), repr(settings)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    more, _ = done.stdout.split()
    assert int(more) < (64 if settings.get("threads", 1) == 1 else 1400), "megabytes of 16,000"
