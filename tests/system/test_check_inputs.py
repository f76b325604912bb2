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


def test_without_inputs_elements_are_zero(folder):
    done = check("fill.py", "--ranks", 2, "--in", "rows=0", cwd=folder)
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
    assert done.returncode == 64 and not done.stdout
    assert text in done.stderr and "error[" in done.stderr
    ran = subprocess.run([TILEWIRE, "run", "fill.py", "--ranks", "2", "--in", argument], cwd=folder, capture_output=True,
                         text=True, timeout=60)
    assert ran.returncode == 64


@pytest.mark.parametrize(
    "shape, text",
    [
        ("scale=1x9:FP32", "error[TW2207]: dimension 1 of `scale` must be 8, got 9"),
        ("scale=1x8:FP16", "error[TW2205]: `scale` must have elements of type FP32 (float32), got FP16 (float16)"),
        ("scale=1x8x2:FP32", "error[TW2206]: `scale` must have 2 dimensions, got 3"),
        ("scales=1x8:FP32", "error[TW2202]: `main` has no parameter `scales`"),
        ("rows=1x8:FP32", "error[TW2204]: `rows` must be pl.Scalar[pl.INT32], got "),
        ("rows=INDEX", "error[TW2204]: `rows` must be pl.Scalar[pl.INT32], got pl.Scalar[pl.INDEX]"),
        ("scale=FP32", "error[TW2204]: `scale` must be pl.Tensor[[1, 8], pl.FP32], got pl.Scalar[pl.FP32]"),
    ],
)
def test_shapes_that_do_not_fit(folder, shape, text):
    for command in (["check", "fill.py"], ["run", "fill.py", "--in", "rows=0"]):
        done = subprocess.run([TILEWIRE, *command, "--ranks", "2", "--shape", shape], cwd=folder, capture_output=True,
                              text=True, timeout=60)
        assert (done.returncode, done.stdout) == (64, "") and text in done.stderr


def test_a_constant_that_the_program_does_not_have(folder):
    for command in ("check", "run", "print"):
        done = subprocess.run([TILEWIRE, command, "fill.py", "-D", "countz=3"], cwd=folder, capture_output=True, text=True,
                              timeout=60)
        assert (done.returncode, done.stdout) == (64, "")
        assert done.stderr == "error[TW0624]: `fill.py` has no name `countz`\n  = help: did you mean `counts`?\n"


def test_a_report_that_cannot_be_written(folder):
    """Not the exit code of a program that is wrong."""
    done = check("fill.py", "--ranks", 2, "--in", "rows=0", "--html", "/nonexistent/x.html", cwd=folder)
    assert done.returncode == 64
    assert done.stderr == "error[TW0612]: cannot write `/nonexistent/x.html`: No such file or directory\n"


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


# --- arguments that are left out

SIZES = """\
import tilewire.language as pl
import tilewire.language.distributed as pld

M = pl.dynamic("M")
NR = pl.dynamic("NR")


@pl.jit.incore
def exchange(
    n: pl.Scalar[pl.INDEX],
    scale: pl.Scalar[pl.FP32],
    w: pl.InOut[pld.DistributedTensor[[4, 8], pl.FP32]],
    s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[1, 8], pl.FP32]],
):
    ctx = pld.get_comm_ctx(w)
    right = (pld.rank(ctx) + 1) % pld.nranks(ctx)
    t = pl.full([1, 8], dtype=pl.FP32, value=1.0)
    for i in pl.range(n):
        pld.tile.remote_store(t * scale, w, right, [i, 0])
        pld.system.notify(s, right, [i, 0], 1)
        pld.system.wait(s, [i, 0], 1)
        t = t + pl.load(w, [i, 0], [1, 8])
    y = pl.store(t, [0, 0], y)


@pl.jit.host
def main(n: pl.Scalar[pl.INDEX], scale: pl.Scalar[pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    w = pld.alloc_window([4, 8], dtype=pl.FP32)
    s = pld.alloc_signal(4)
    for r in pl.range(pld.world_size()):
        exchange(n, scale, w, s, y[r], device=r)
"""


def check_text(tmp_path, text, *arguments):
    (tmp_path / "program.py").write_text(text)
    return check("program.py", *arguments, cwd=tmp_path)


def test_numbers_left_out_take_four_values(tmp_path):
    """`scale` is left out too, and decides nothing: it is not tried, and not named."""
    done = check_text(tmp_path, SIZES, "--ranks", 2)
    assert (done.returncode, done.stderr) == (0, "")
    first, *rest = done.stdout.splitlines()
    assert first.startswith("2 ranks: proved (exact, from 4 runs of ") and rest == []
    assert first.endswith(" events) for n = 0, 1, 2, 3; 1 call from zeroed windows")
    done = check_text(tmp_path, SIZES, "--ranks", 2, "--in", "n=2")
    assert done.stdout.endswith(" events) for 1 call from zeroed windows\n")


def test_the_value_that_goes_wrong_is_said(tmp_path):
    wrong = SIZES.replace("pld.system.wait(s, [i, 0], 1)", "if i < 1:\n            pld.system.wait(s, [i, 0], 1)")
    done = check_text(tmp_path, wrong, "--ranks", 2, "--replay-out", "s.json")
    assert done.returncode == 1
    assert done.stdout.splitlines()[0].endswith(" for n = 2; 1 call from zeroed windows")
    assert "   = note: with n = 2\n" in done.stdout
    said = json.loads((tmp_path / "s.json").read_text())
    assert said["inputs"] == ["n=2", "scale=2"]
    done = subprocess.run([TILEWIRE, "run", "program.py", "--replay", "s.json"], cwd=tmp_path, capture_output=True,
                          text=True, timeout=60)
    assert done.returncode == 0 and done.stdout.startswith("replayed: "), done.stdout + done.stderr


def test_values_that_stop_on_an_error_are_not_inputs(tmp_path):
    small = SIZES.replace("DistributedTensor[[4, 8]", "DistributedTensor[[2, 8]").replace("alloc_window([4, 8]", "alloc_window([2, 8]")
    done = check_text(tmp_path, small, "--ranks", 2)
    assert (done.returncode, done.stderr) == (0, "")
    first, rest = done.stdout.split("\n\n", 1)
    assert first.endswith(" for n = 0, 1, 2; 1 call from zeroed windows; n = 3 fails")
    assert rest == """\
warning[TW2527]: not a valid input: n = 3: out of bounds: element 2 is outside dimension 0, which has extent 2
  --> program.py:20:9
   |
20 |         pld.tile.remote_store(t * scale, w, right, [i, 0])
   |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ pld.tile.remote_store
   = note: rank 0, in `exchange`
   = help: if n = 3 is valid, the program is wrong: --in n=3 checks it alone
   = help: if not, give inputs that are valid, such as --in n=2
"""
    assert check_text(tmp_path, small, "--ranks", 2, "--in", "n=3").returncode == 1
    (report,) = json.loads(check_text(tmp_path, small, "--ranks", 2, "--json").stdout)
    assert [(i["values"], i["valid"]) for i in report["inputs"]] == [
        ("n = 0", True), ("n = 1", True), ("n = 2", True), ("n = 3", False)]
    assert report["inputs"][3]["error"]["line"] == 20 and report["inputs"][0]["verdict"] == "proved"
    assert report["assumed"] == "n = 0, 1, 2; 1 call from zeroed windows" and report["calls"] == 1


def test_an_error_with_every_value_is_the_verdict(tmp_path):
    done = check_text(tmp_path, SIZES.replace("[i, 0], 1)\n        pld.system.wait", "[i + 9, 0], 1)\n        pld.system.wait")
                      .replace("pl.range(n)", "pl.range(n + 1)"), "--ranks", 2)
    assert done.returncode == 1 and "error[TW2505]" in done.stdout and "not a valid input" not in done.stdout


def test_dimensions_that_nothing_fixes(tmp_path):
    """The number of ranks, and one that is not a multiple of the tile."""
    text = SIZES.replace("n: pl.Scalar[pl.INDEX], scale", "x: pl.Tensor[[1, M], pl.FP32], scale").replace(
        "exchange(n,", "exchange(pl.min(x.shape[1] // 4, 4),")
    done = check_text(tmp_path, text, "--ranks", 2)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert done.stdout.splitlines()[0].endswith(" for M = 2, 9; 1 call from zeroed windows")


UNREACHED = """\
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def rare(s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    pld.system.notify(s, 0, [0, 0], 1)


@pl.jit.incore
def often(n: pl.Scalar[pl.INDEX], s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    for i in pl.range(n - 7):
        for j in pl.range(n):
            pld.system.notify(s, 0, [1, 0], 1)
    pld.system.notify(s, 0, [2, 0], 1)
    pld.system.wait(s, [2, 0], 0)


@pl.jit
def chip(n: pl.Scalar[pl.INDEX], s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    if n > 20:
        rare(s)
    often(n, s)
    for b in pl.spmd(n - 5):
        pld.system.notify(s, 0, [3, 0], 1)


@pl.jit.host
def main(n: pl.Scalar[pl.INDEX]):
    s = pld.alloc_signal(4)
    for r in pl.range(pld.world_size()):
        chip(n, s, device=r)
"""


def unreached(done):
    reports = json.loads(done.stdout)
    return [[(f["line"], f["message"]) for f in r["findings"] if f["kind"] == "unreached"] for r in reports]


def test_what_never_ran(tmp_path):
    """The inner loop, and what is inside of the launch, are not told once more."""
    done = check_text(tmp_path, UNREACHED, "--ranks", "1,2", "--in", "n=5", "--json")
    told = [
        (6, "unreached: `rare` ran for no input tried"),
        (12, "unreached: the body of this loop ran for no input tried"),
        (24, "unreached: this launch ran for no input tried"),
    ]
    assert unreached(done) == [told, told]
    done = check_text(tmp_path, UNREACHED, "--ranks", "1,2", "--in", "n=21", "--json")
    assert unreached(done) == [[], []]


def test_what_never_ran_is_a_warning_with_what_was_tried(tmp_path):
    done = check_text(tmp_path, SIZES.replace("pl.range(n)", "pl.range(n - 9)"), "--ranks", 2)
    assert done.returncode == 0
    assert done.stdout.split("\n\n", 1)[1] == """\
warning[TW2526]: unreached: the body of this loop ran for no input tried
  --> program.py:19:5
   |
19 |     for i in pl.range(n - 9):
   |     ^^^^^^^^^^^^^^^^^^^^^^^^
   = note: tried: 2 ranks with n = 0, 1, 2, 3; 1 call from zeroed windows
   = help: pass a value with which it runs: --in n=4, or check(n=4)
"""


ROUNDS = SIZES.replace("n: pl.Scalar[pl.INDEX], scale", "x: pl.Tensor[[1, M], pl.FP32], scale")


def rounds_told(done):
    (report,) = json.loads(done.stdout)
    return [(f["line"], f["message"], f["helps"]) for f in report["findings"] if f["kind"] == "unreached"]


def test_loops_that_never_come_to_a_second_round(tmp_path):
    """However large `M` is, this one does not: its bound is too far from it."""
    text = ROUNDS.replace("exchange(n,", "exchange(pl.max(pl.min(x.shape[1] // 100 - 5000, 4), 1),")
    done = check_text(tmp_path, text, "--ranks", 2, "--json")
    assert rounds_told(done) == [(
        19, "unreached: no input tried comes to a second round of this loop",
        ["check a larger `M`: --shape x=1x201:FP32, or pass larger arrays to check()"])]
    done = check_text(tmp_path, text, "--ranks", 2, "--json", "--shape", "x=1x500300:FP32")
    assert rounds_told(done) == []


def test_launches_that_never_have_a_second_block(tmp_path):
    text = UNREACHED.replace("if n > 20:", "if n >= 0:").replace("n - 7", "n").replace("n - 5", "pl.max(n - 5, 1)")
    text = text.replace("s, 0, [3, 0], 1)", "s, 0, [3, 0], 0)")
    done = check_text(tmp_path, text, "--ranks", 1, "--json")
    assert [told[:2] for told in rounds_told(done)] == [
        (24, "unreached: no input tried comes to a second block of this launch")]
    assert rounds_told(check_text(tmp_path, text, "--ranks", 1, "--json", "--in", "n=5")) == []


def test_ranks_that_are_counted_in_steps(tmp_path):
    text = SIZES.replace("pl.range(n)", "pl.range(0, pld.nranks(ctx), 4)")
    told = rounds_told(check_text(tmp_path, text, "--ranks", 2, "--json", "--in", "n=0"))
    assert told == []  # nothing is made up
    reports = json.loads(check_text(tmp_path, text, "--json", "--in", "n=0").stdout)
    (said,) = [f for f in reports[0]["findings"] if f["kind"] == "unreached"]
    assert said["helps"] == ["check more ranks: --ranks 9, or check(ranks=9)"]


def test_a_rank_count_that_comes_to_it_is_enough(tmp_path):
    text = SIZES.replace("pl.range(n)", "pl.range(2, pld.nranks(ctx))")
    done = check_text(tmp_path, text, "--ranks", "2,3", "--in", "n=0", "--json")
    assert unreached(done) == [[], []]
    done = check_text(tmp_path, text, "--ranks", "2", "--in", "n=0", "--json")
    assert [[line for line, _ in one] for one in unreached(done)] == [[19]]


# --- what `run` refuses is not proved

def test_signals_with_too_few_cells(tmp_path):
    text = (Path(__file__).parents[1] / "check" / "collective_allreduce_right.py").read_text()
    text = text.replace("alloc_signal(2 * pld.world_size())", "alloc_signal(pld.world_size())")
    done = check_text(tmp_path, text, "--ranks", 2)
    assert done.returncode == 3 and "error[TW2007]: the signal `signal` has 2 cells" in done.stdout
    (tmp_path / "program.py").write_text(text)
    ran = subprocess.run([TILEWIRE, "run", "program.py", "--ranks", "2"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert "error[TW2007]: the signal `signal` has 2 cells" in ran.stderr


def test_groups_that_do_not_fit_the_dispatches(tmp_path):
    done = check_text(tmp_path, """\
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.program
class P:
    pld.comm_group(devices=[0, 1], slots=["w"])

    @pl.function(type=pl.FunctionType.InCore)
    def k(self, w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]]):
        me = pld.rank(pld.get_comm_ctx(w))
        pld.tile.remote_store(pl.load(w), w, me, [0, 0])

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def main(self):
        w = pld.alloc_window([1, 8], dtype=pl.FP32)
        for r in pl.range(4):
            self.k(w, device=r)
""")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("error[TW2008]: the loop dispatches to ranks 0 to 3, but the window buffer `w` is "
                                  "shared by ranks 0 and 1\n  --> program.py:17:9\n")


@pytest.mark.parametrize("barrier", ["", "    pld.tensor.barrier(s)\n"])
def test_a_dead_read_is_no_race(tmp_path, barrier):
    """Nor does it become one when a collective is there."""
    done = check_text(tmp_path, """\
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def k(w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]]):
    me = pld.rank(pld.get_comm_ctx(w))
    if me == 0:
        unused = pl.load(w)
    else:
        pld.tile.remote_store(pl.full([1, 8], dtype=pl.FP32, value=1.0), w, 0, [0, 0])
""" + barrier + """

@pl.jit.host
def main():
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    s = pld.alloc_signal(2)
    for r in pl.range(pld.world_size()):
        k(w, s, device=r)
""", "--ranks", 2)
    assert done.returncode == 0, done.stdout


def test_flags_have_two_values(tmp_path):
    text = SIZES.replace("n: pl.Scalar[pl.INDEX]", "n: pl.Scalar[pl.BOOL]").replace("pl.range(n)", "pl.range(2 if n else 1)")
    done = check_text(tmp_path, text, "--ranks", 2)
    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines()[0].endswith(" for n = False, True; 1 call from zeroed windows")


# --- what is wrong besides an error that stops the program

CHECK = Path(__file__).parents[1] / "check"


def test_a_race_beside_an_error_names_the_error(tmp_path):
    done = check(CHECK / "stopped_race_wrong.py", "--ranks", 2, cwd=tmp_path)
    assert done.returncode == 1 and " for n = 2; 1 call" in done.stdout.splitlines()[0]
    assert "= note: apart from this, the program stops on another error: out of bounds: rank 5 does not exist" in done.stdout
    assert done.stdout.endswith("\nThe search stops at the first schedule with an error; check again after the fix.\n")


def test_a_size_that_no_annotation_excludes(tmp_path):
    done = check(CHECK / "size_too_large_wrong.py", "--ranks", 2, cwd=tmp_path)
    assert done.returncode == 1 and " for CHUNKS = 5; 1 call" in done.stdout.splitlines()[0]
    assert "   = note: the parameters take any size, and it works with CHUNKS = 2\n" in done.stdout
    assert "   = help: if larger sizes are not valid, give those that are: --shape x=2x2x64:FP32\n" in done.stdout
    done = check(CHECK / "size_too_large_wrong.py", "--ranks", 2, "--shape", "x=2x2x64:FP32", cwd=tmp_path)
    assert done.returncode == 0


def test_a_multiple_of_the_tiles_is_tried(tmp_path):
    done = check(CHECK / "size_whole_tiles.py", cwd=tmp_path)
    assert done.stdout.splitlines()[0].endswith(" for ROWS = 32; ROWS = 4 and ROWS = 33 fail")
    assert "such as --shape x=32x64:FP32\n" in done.stdout


def test_enough_cores_are_as_good_as_any_number(tmp_path):
    done = check(CHECK / "size_too_large_right.py", "--ranks", 2, "--cores", 1, cwd=tmp_path)
    assert done.returncode == 0 and ": proved (exact, " in done.stdout
    blocks = CHECK / "sync_start_cores_right.py"
    wanted = check(blocks, cwd=tmp_path).stdout
    assert "exact" in wanted and check(blocks, "--cores", 64, cwd=tmp_path).stdout == wanted


def test_a_proof_says_where_it_reads_an_unwritten_output(tmp_path):
    done = check(CHECK / "output_read_wrong.py", cwd=tmp_path)
    assert "warning[TW2528]: unwritten output: bytes 1024 to 3071 of `y` are read before this call has written them\n" in done.stdout
