"""`tilewire check` with arguments whose elements decide what the program does."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

TILEWIRE = Path(sys.executable).parent / "tilewire"
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
# Rank 0 fills as many rows of rank 1 as `counts` says; rank 1 reads the first `rows` of them.
PROGRAM = """\
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def fill(
    counts: pl.Tensor[[4], pl.INT32],
    rows: pl.Scalar[pl.INT32],
    scale: pl.Tensor[[1, 8], pl.FP32],
    w: pl.InOut[pld.DistributedTensor[[4, 8], pl.FP32]],
    s: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
):
    if pld.rank(pld.get_comm_ctx(w)) == 0:
        for i in pl.range(counts[0]):
            pld.tile.remote_store(pl.load(scale), w, 1, [i, 0])
            pld.system.notify(s, 1, [0, 0], 1)
    else:
        pld.system.wait(s, [0, 0], rows)
        for i in pl.range(rows):
            t = pl.load(w, [i, 0], [1, 8])


@pl.jit.host
def main(counts: pl.Tensor[[NR, 4], pl.INT32], rows: pl.Scalar[pl.INT32], scale: pl.Tensor[[1, 8], pl.FP32]):
    w = pld.alloc_window([4, 8], dtype=pl.FP32)
    s = pld.alloc_signal(1)
    for r in pl.range(NR):
        fill(counts[r], rows, scale, w, s, device=r)
"""


def check(*arguments, cwd):
    return subprocess.run([TILEWIRE, "check", *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=120)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "fill.py").write_text(PROGRAM)
    for count in (2, 4):
        np.save(tmp_path / f"c{count}.npy", np.full((2, 4), count, np.int32))
    np.save(tmp_path / "wrong.npy", np.zeros((2, 3), np.int32))
    return tmp_path


def test_elements_decide(folder):
    done = check("fill.py", "--ranks", 2, "--in", "counts=c2.npy", "--in", "rows=2", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[1:] == [
        "elements of `counts` decide a loop on line 16; the verdict holds for those given"
    ]
    done = check("fill.py", "--ranks", 2, "--in", "counts=c2.npy", "--in", "rows=3", cwd=folder)
    assert done.returncode == 1 and "all 2 notifies of it have been made" in done.stdout


def test_the_number_of_ranks_follows(folder):
    done = check("fill.py", "--json", "--in", "counts=c4.npy", "--in", "rows=1", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    (report,) = json.loads(done.stdout)
    assert report["ranks"] == 2
    (data,) = report["data"]
    assert (data["parameter"], data["decides"], data["line"]) == ("counts", "a loop", 16)


def test_without_inputs_integers_are_zero(folder):
    done = check("fill.py", "--ranks", 2, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "argument, text",
    [
        ("counts=none.npy", "none.npy"),
        ("counts=wrong.npy", "dimension 1 of `counts` must be 4, got 3"),
        ("rows=many", "many"),
        ("nothing=1", "nothing"),
        ("rows", "--in x=x.npy, or --in n=4 for a scalar"),
        ("rows=99999999999", "`rows`"),
    ],
)
def test_what_does_not_fit(folder, argument, text):
    done = check("fill.py", "--ranks", 2, "--in", argument, cwd=folder)
    assert done.returncode == 3 and not done.stdout
    assert text in done.stderr and "error[" in done.stderr


def test_experts(tmp_path):
    """The choices of tokens as the example makes them: with zeros an inbox would run over."""
    chosen = np.argsort(np.random.default_rng(1).random((3, 128, 3 * 16)), axis=2)[:, :, :6].astype(np.int32)
    np.save(tmp_path / "chosen.npy", chosen)
    program = EXAMPLES / "moe_dispatch.py"
    done = check(program, "--ranks", 3, "--in", "chosen=chosen.npy", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "elements of `chosen` decide" in done.stdout
    done = check(program, "--ranks", 3, cwd=tmp_path)
    assert done.returncode == 1 and "error[TW2505]" in done.stdout
