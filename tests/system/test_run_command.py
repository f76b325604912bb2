"""`tilewire run`: arguments from files and seeds, results as text and files, what goes wrong."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

TILEWIRE = Path(sys.executable).parent / "tilewire"
PROGRAM = """\
import tilewire.language as pl

N = pl.dynamic("N")


@pl.jit.incore
def scale(x: pl.Tensor[[N, 8], pl.FP32], y: pl.Out[pl.Tensor[[N, 8], pl.FP32]], by: pl.Scalar[pl.FP32]):
    for i in pl.range(N):
        y = pl.store(pl.load(x, [i, 0], [1, 8]) * by, [i, 0], y)


@pl.jit
def main(x: pl.Tensor[[N, 8], pl.FP32], y: pl.Out[pl.Tensor[[N, 8], pl.FP32]], by: pl.Scalar[pl.FP32]):
    scale(x, y, by)
"""


@pytest.fixture(params=["interp", "cpu"])
def target(request):
    return request.param


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "scale.py"
    path.write_text(PROGRAM)
    return path


def run(program, *args):
    done = subprocess.run([TILEWIRE, "run", program.name, *map(str, args)], cwd=program.parent, capture_output=True,
                          text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def test_arrays_from_and_to_files(program, target, tmp_path):
    x = np.arange(24, dtype=np.float32).reshape(3, 8)
    np.save(tmp_path / "x.npy", x)
    code, out, err = run(program, "--in", "x=x.npy", "--in", "by=2", "--out", "results", "--target", target)
    assert (code, err) == (0, "")
    assert out == "y: [3, 8] FP32, 0 to 46, mean 23: 0, 2, 4, 6, ...\n"
    np.testing.assert_array_equal(np.load(tmp_path / "results" / "y.npy"), x * 2)


def test_native_code_when_found_on_the_path(program):
    environment = {**os.environ, "PATH": f"{TILEWIRE.parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["tilewire", "run", program.name, "--shape", "x=2x8:FP32", "--in", "by=1"],
                          cwd=program.parent, env=environment, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


def test_random_inputs_follow_the_seed(program, target):
    texts = [run(program, "--shape", "x=5x8:FP32", "--in", "by=1", "--seed", seed, "--target", target)[1]
             for seed in (1, 1, 2)]
    assert texts[0].startswith("y: [5, 8] FP32, ")
    assert texts[0] == texts[1] != texts[2]


def test_targets_agree(program):
    both = [run(program, "--shape", "x=5x8:FP32", "--in", "by=3", "--target", target) for target in ("interp", "cpu")]
    assert both[0] == both[1]


WRONG = [
    (["--in", "by=2"], 64, "error[TW0616]: the size of dimension 0 of `x` is unknown\n"),
    (["--shape", "x=3x8:FP32"], 64, "error[TW0617]: `by` has no value\n"),
    (["--shape", "x=3x8:FP32", "--in", "by=two"], 64, "error[TW0618]: `by` must be a number, got `two`\n"),
    (["--in", "by"], 64, "error[TW0614]: invalid option `--in by`: it does not assign a value to a parameter\n"),
    (["--in", "z=1"], 64, "error[TW0615]: `main` has no parameter `z`\n"),
    (["--in", "x=missing.npy", "--in", "by=1"], 64, "error[TW2222]: cannot read `missing.npy`: No such file or directory\n"),
    (["--in", "x=scale.py", "--in", "by=1"], 64, "error[TW2223]: no array in `scale.py`: it is not a .npy file\n"),
    (["--shape", "x=3x8:FP32", "--in", "by=1", "--target", "gpu"], 64, "error[TW2220]: unknown target `gpu`\n"),
    (["--entry", "man"], 3, ""),
]


@pytest.mark.parametrize("args, code, text", WRONG, ids=[str(i) for i in range(len(WRONG))])
def test_what_goes_wrong(program, args, code, text):
    if "--target" not in args:
        args = [*args, "--target", "interp"]
    status, out, err = run(program, *args)
    assert (status, out) == (code, "")
    assert err.startswith(text) and err


def test_unwritable_output(program):
    status, _, err = run(program, "--shape", "x=1x8:FP32", "--in", "by=1", "--out", "/proc/none", "--target", "interp")
    assert status == 1 and err.startswith("error[TW2224]: cannot write `/proc/none/y.npy`: ")


def test_run_time_error_names_the_line(tmp_path, target):
    path = tmp_path / "outside.py"
    path.write_text(PROGRAM.replace("[i, 0], [1, 8]) * by", "[i + 1, 0], [1, 8]) * by"))
    status, out, err = run(path, "--shape", "x=3x8:FP32", "--in", "by=1", "--target", target)
    assert (status, out) == (1, "")
    assert err.startswith("error[TW21") and "outside.py:9:" in err and "pl.load(x, [i + 1, 0], [1, 8])" in err


HOST = """
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def kernel(x: pl.Tensor[[1, 8], pl.FP32], w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    pld.tile.remote_store(pl.load(x), w, pld.rank(pld.get_comm_ctx(w)), [0, 0])
    y = pl.store(pl.load(w), [0, 0], y)


@pl.jit.host
def main(x: pl.Tensor[[NR, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 8], pl.FP32]]):
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    for r in pl.range(pld.world_size()):
        kernel(x[r : r + 1, :], w, y[r : r + 1, :], device=r)
"""


def test_a_bundle_for_some_ranks_knows_its_rows_and_counts_no_transfers(tmp_path):
    (tmp_path / "host.py").write_text(HOST)
    _, out, _ = run(tmp_path / "host.py", "--ranks", "3", "--stats")
    assert out.count(" ms, 32 bytes\n") == 3
    built = subprocess.run([TILEWIRE, "build", "host.py", "-o", "three", "--ranks", "3"], cwd=tmp_path)
    assert built.returncode == 0
    status, out, err = run(tmp_path / "three", "--stats")
    assert (status, err) == (0, "") and "y: [3, 8] FP32" in out
    assert out.count("1 task, 1 block, 0 edges, compute ") == 3 and "byte" not in out and "transfer" not in out


def test_stats_and_trace(program, tmp_path):
    status, out, err = run(program, "--shape", "x=3x8:FP32", "--in", "by=1", "--stats", "--trace", "t.json")
    assert err == "trace written to t.json; open it at https://ui.perfetto.dev (the file stays on your machine)\n"
    assert status == 0
    assert "rank 0: 1 task, 1 block, 0 edges" in out
    import json
    events = json.loads((tmp_path / "t.json").read_text())
    assert any(event.get("name") == "scale" for event in events["traceEvents"])


def test_sizes_that_are_not_known(program):
    code, out, err = run(program, "--in", "by=1")
    assert code == 64 and "help: give its shape, --shape x=4x8:FP32, or an array, --in x=FILE.npy\n" in err
    code, out, err = run(program, "--in", "N=3")
    assert code == 64 and "help: `N` is a dimension: give the shape of a parameter, --shape x=4x8:FP32\n" in err
    text = program.read_text().replace("@pl.jit\n", "@pl.jit.host\n").replace("scale(x, y, by)", "pass")
    program.write_text(text)
    code, out, err = run(program, "--in", "by=1")
    assert code == 64 and "or the number of ranks, --ranks 4\n" in err


def test_valid_extents_and_peers_that_do_not_fit_have_a_help(program, target):
    program.write_text('''import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def kernel(x: pl.Tensor[[64, 8], pl.FP32], y: pl.Out[pl.Tensor[[64, 8], pl.FP32]], first: pl.Scalar[pl.INDEX]):
    y = pl.store(pl.load(x, [first, 0], [16, 8], valid_shape=[64 - first, 8]), [first, 0], y)


@pl.jit.incore
def past_the_end(x: pl.Tensor[[1, 8], pl.FP32], w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]]):
    pld.tile.remote_store(pl.load(x), w, pld.rank(pld.get_comm_ctx(w)) + 1, [0, 0])


@pl.jit.host
def ring(x: pl.Tensor[[NR, 1, 8], pl.FP32]):
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    for r in pl.range(pld.world_size()):
        past_the_end(x[r], w, device=r)
''')
    code, out, err = run(program, "--entry", "kernel", "--in", "first=0", "--target", target)
    assert code == 1 and err.startswith("error[TW2106]: out of bounds: valid extent 64 does not fit dimension 0 of the tile")
    assert "  = help: bound it by the extent of the tile: min(pl.dim(x, 0) - first, 16)\n" in err.replace("   =", "  =")
    help_line = "  = help: take it modulo the number of ranks: (pld.rank(ctx) + 1) % pld.nranks(ctx)\n"
    code, out, err = run(program, "--entry", "ring", "--ranks", "2", "--target", target)
    assert code == 1 and err.startswith("error[TW2110]: invalid rank: rank 2 does not exist") and help_line in err.replace("   =", "  =")
    done = subprocess.run([TILEWIRE, "check", program.name, "--entry", "ring", "--ranks", "2"], cwd=program.parent,
                          capture_output=True, text=True, timeout=120)
    assert "error[TW2505]" in done.stdout and help_line in done.stdout.replace("   =", "  =")
