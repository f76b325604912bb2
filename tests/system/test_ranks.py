"""Programs of several ranks: how many there are, and what is said when nothing tells."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tilewire
import tilewire.language as pl
import tilewire.language.distributed as pld

TILEWIRE = Path(sys.executable).parent / "tilewire"
PROGRAMS = Path(__file__).parent.parent / "lang" / "programs"
NR = pl.dynamic("NR")


@pl.jit.incore
def exchange(x: pl.Tensor[[1, 8], pl.FP32], w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]],
             s: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    ctx = pld.get_comm_ctx(w)
    me = pld.rank(ctx)
    n = pld.nranks(ctx)
    pld.tile.remote_store(pl.load(x), w, (me + 1) % n, [0, 0])
    pld.system.notify(s, (me + 1) % n, [0, 0], 1)
    pld.system.wait(s, [0, 0], 1)
    y = pl.store(pl.load(w), [0, 0], y)


@pl.jit.host
def rotate(x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    s = pld.alloc_signal(1)
    for r in pl.range(pld.world_size()):
        exchange(x[r], w, s, y[r], device=r)


@pl.jit.host
def rotate_rows(x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    s = pld.alloc_signal(1)
    for r in pl.range(NR):
        exchange(x[r], w, s, y[r], device=r)


@pl.jit.host
def swap(x: pl.Tensor[[2, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[2, 1, 8], pl.FP32]]):
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    s = pld.alloc_signal(1)
    exchange(x[1], w, s, y[1], device=1)
    exchange(x[0], w, s, y[0], device=0)


@pl.jit.host
def compared(x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    n = pld.world_size()
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    s = pld.alloc_signal(1)
    if NR == n:
        for r in pl.range(n):
            exchange(x[r], w, s, y[r], device=r)


@pl.jit.incore
def doubled(w: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]]):
    w = pl.store(pl.load(w) * 2.0, [0, 0], w)


@pl.jit.host
def staged(x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    buf = pld.alloc_window_buffer([1, 8], dtype=pl.FP32, load_from_host=x, store_to_host=y)
    w = pld.window(buf, [1, 8], dtype=pl.FP32)
    for r in pl.range(pld.world_size()):
        doubled(w, device=r)


@pl.jit.incore
def copied(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    y[...] = pl.load(x)


@pytest.fixture(params=["interp", "cpu"])
def target(request):
    return request.param


def rows(n):
    return np.arange(n * 8, dtype=np.float32).reshape(n, 1, 8)


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 7])
def test_ranks_of_a_call(target, ranks):
    x = rows(ranks)
    y = np.zeros_like(x)
    rotate(x, y, ranks=ranks, target=target)
    np.testing.assert_array_equal(y, np.roll(x, 1, axis=0))


def test_ranks_given_to_compile_are_a_default(target):
    exe = rotate.compile(ranks=4, target=target)
    x = rows(4)
    np.testing.assert_array_equal(exe(x), np.roll(x, 1, axis=0))
    np.testing.assert_array_equal(exe(x[:3], ranks=3), np.roll(x[:3], 1, axis=0))


def test_class_style(target):
    program = pl.load_program(PROGRAMS / "mesh_allreduce.py")
    x = np.random.default_rng(1).random((4, 1, 256), np.float32)
    y = program.host(x, ranks=4, target=target)
    expected = x[0] + x[1] + x[2] + x[3]
    for r in range(4):
        np.testing.assert_array_equal(y[r], expected)
    np.testing.assert_array_equal(program.compile(entry="host", ranks=4, target=target)(x), y)


@pytest.mark.parametrize("function, ranks", [(rotate_rows, 3), (swap, 2), (compared, 3), (staged, 3)])
def test_what_fixes_the_ranks(target, function, ranks):
    x = rows(ranks)
    y = function(x, target=target)
    np.testing.assert_array_equal(y, x * 2 if function is staged else np.roll(x, 1, axis=0))


def error_of(call):
    with pytest.raises(tilewire.RunError) as caught:
        call()
    [found] = caught.value.diagnostics
    assert found.line > 0
    return found.code, found.message, *found.helps


def test_nothing_fixes_the_ranks(target):
    assert error_of(lambda: rotate(rows(2), target=target)) == (
        "TW2225", "the number of ranks of `rotate` is unknown", "give the number: ranks=N, or --ranks N",
        "or loop over a dimension of an argument: for r in pl.range(NR)")


@pl.jit.host
def staged_twice(x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[4, 1, 8], pl.FP32]]):
    buf = pld.alloc_window_buffer([1, 8], dtype=pl.FP32, load_from_host=x, store_to_host=y)
    w = pld.window(buf, [1, 8], dtype=pl.FP32)
    for r in pl.range(pld.world_size()):
        doubled(w, device=r)


def test_arguments_disagree(target):
    assert error_of(lambda: staged_twice(rows(3), target=target)) == (
        "TW2226", "contradictory numbers of ranks: `staged_twice` would run on 3 by `NR` and on 4 by 4 rows",
        "give the number: ranks=N, or --ranks N")


def test_no_host_function(target):
    assert error_of(lambda: copied(rows(1)[0], ranks=4, target=target))[:2] == (
        "TW2227", "`copied` is not a host function: it runs on one rank, not on 4")
    np.testing.assert_array_equal(copied(rows(1)[0], ranks=1, target=target), rows(1)[0])


def test_rows_and_ranks_that_differ(target):
    assert error_of(lambda: staged(rows(3), ranks=4, target=target)) == (
        "TW2231", "`x` has 3 rows, but the run has 4 ranks",
        "pass an array with one row per rank: rank r uses row r")
    assert error_of(lambda: rotate_rows(rows(3), ranks=4, target=target)) == (
        "TW2229", "`exchange` is dispatched once for each of `NR`, which is 3, but the run has 4 ranks",
        "leave ranks out, or give 3")
    for ranks in (2, 4):
        assert error_of(lambda: rotate(rows(3), ranks=ranks, target=target)) == (
            "TW2231", f"`x` has 3 rows, but the run has {ranks} ranks",
            "pass an array with one row per rank: rank r uses row r")
    assert error_of(lambda: swap(rows(2), ranks=1, target=target))[:2] == (
        "TW2127", "invalid rank: `exchange` is dispatched to rank 1, but there are 1")


@pl.jit.incore
def copy_row(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    y = pl.store(pl.load(x), [0, 0], y)


@pl.jit.host
def two_rows_each(x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    for r in pl.range(pld.world_size()):
        copy_row(x[2 * r], y[2 * r], device=r)
        copy_row(x[2 * r + 1], y[2 * r + 1], device=r)


@pl.jit.host
def shared_row(x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    for r in pl.range(pld.world_size()):
        copy_row(x[r], y[r], device=r)
        if r == 0:
            copy_row(x[pld.world_size()], y[pld.world_size()], device=r)


@pl.jit.host
def not_all_rows(x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    for r in pl.range(pld.world_size() - 1):
        copy_row(x[r], y[r], device=r)


@pytest.mark.parametrize("function, ranks, count", [(two_rows_each, 2, 4), (shared_row, 3, 4), (not_all_rows, 4, 3)])
def test_rows_that_are_not_counted_by_the_ranks(target, function, ranks, count):
    x = rows(count)
    np.testing.assert_array_equal(function(x, ranks=ranks, target=target), x)


def test_one_row_outside_is_one_element(target):
    code, message = error_of(lambda: shared_row(rows(3), ranks=3, target=target))[:2]
    assert code == "TW2101" or (code, message) == ("TW2102", "out of bounds: element 3 is outside dimension 0, which has extent 3")


def test_windows_cannot_be_passed_in(target):
    with pytest.raises(tilewire.ProgramError) as caught:
        doubled(rows(1)[0], target=target)
    [found] = caught.value.diagnostics
    assert (found.code, found.message) == (
        "TW2230", "`doubled` cannot be started: its parameter `w` is a window, which only a host function makes")
    assert found.helps == ("write a host function, @pl.jit.host, that allocates it and calls `doubled` with device=",)
    program = pl.load_program(PROGRAMS / "mesh_allreduce.py")
    with pytest.raises(tilewire.ProgramError) as caught:
        program.compile(entry="chip", target=target)
    assert caught.value.diagnostics[0].helps == ("start from `host`",)


@pl.jit.host
def all_but_first(x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.InOut[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    w = pld.alloc_window([1, 8], dtype=pl.FP32)
    s = pld.alloc_signal(1)
    for r in pl.range(1, pld.world_size()):
        exchange(x[r], w, s, y[r], device=r)


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_groups_that_only_a_run_knows(target, ranks):
    x = rows(ranks)
    y = np.zeros_like(x)
    all_but_first(x, y, ranks=ranks, target=target)
    np.testing.assert_array_equal(y[0], np.zeros((1, 8)))
    np.testing.assert_array_equal(y[1:], np.roll(x[1:], 1, axis=0))


@pl.jit.incore
def meet(s, y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    pld.system.notify_all(s)
    pld.system.wait_all(s, 1)
    y[...] = pl.full([1, 8], dtype=pl.FP32, value=1.0)


@pl.jit.host
def two_cells(y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    s = pld.alloc_signal(2)
    for r in pl.range(pld.world_size()):
        meet(s, y[r], device=r)


def test_what_the_number_of_ranks_shows_to_be_wrong(target):
    y = np.zeros((3, 1, 8), np.float32)
    two_cells(y[:2], ranks=2, target=target)
    assert error_of(lambda: two_cells(y, ranks=3, target=target))[:2] == (
        "TW2007", "the signal `s` has 2 cells, but `pld.system.notify_all` needs 3 of it on all ranks")


@pytest.mark.parametrize("seed", range(5))
def test_random_schedules(target, seed):
    x = rows(4)
    np.testing.assert_array_equal(rotate(x, ranks=4, target=target, schedule=f"random:{seed}"), np.roll(x, 1, axis=0))


@pytest.mark.parametrize("schedule", ["rondom:1", "random", "random:", "random:x", "random:-1", "replay:"])
def test_schedules_that_do_not_exist(target, schedule):
    with pytest.raises(tilewire.RunError) as caught:
        rotate(rows(2), ranks=2, target=target, schedule=schedule)
    [found] = caught.value.diagnostics
    assert (found.code, found.message) == ("TW2234", f"unknown schedule `{schedule}`")
    assert found.helps == ("write `random:SEED`, with a number for SEED, or `replay:FILE`",)


def test_sessions_of_the_interpreter():
    assert error_of(lambda: rotate.compile(target="interp").open(ranks=2)) == (
        "TW2233", "the target `interp` keeps no windows between calls", "compile for the cpu target")


def test_stats_and_trace(tmp_path):
    file = PROGRAMS / "mesh_allreduce.py"
    trace = tmp_path / "t.json"
    code, out, err = command(file, "--ranks", 2, "--shape", "x=2x1x256:FP32", "--stats", "--trace", trace)
    assert (code, err) == (0, f"trace written to {trace}; open it at https://ui.perfetto.dev (the file stays on your machine)\n")
    for rank in range(2):
        [line] = [text for text in out.splitlines() if text.startswith(f"rank {rank}: ")]
        assert "2 tasks" in line and " bytes" in line
    names = {event.get("name") for event in json.loads(trace.read_text())["traceEvents"]}
    assert {"stage", "reduce"} <= names


def test_manifest():
    exe = rotate.compile(ranks=4)
    [group] = exe.manifest["comm_groups"]
    assert group["devices"] == []
    assert [slot["name"] for slot in group["slots"]] == ["w", "s"]
    assert copied.compile().manifest is None


@pytest.mark.parametrize("ranks", [0, -1, 65537])
def test_numbers_that_cannot_be(target, ranks):
    assert error_of(lambda: rotate(rows(2), ranks=ranks, target=target)) == (
        "TW2228", f"invalid number of ranks: a run cannot have {ranks}", "use 1 to 65536")


@pytest.mark.parametrize("keyword, value, text", [
    ("ranks", 2.0, "ranks must be an int, got 2.0"), ("ranks", "2", "ranks must be an int, got '2'"),
    ("threads", "all", "threads must be an int, got 'all'"), ("schedule", 1, "schedule must be a str, got 1"),
    ("split", 1, "split must be a str, got 1")])
def test_keywords_of_another_type(keyword, value, text):
    with pytest.raises(TypeError) as caught:
        rotate(rows(2), **{"ranks": 2, "target": "interp", keyword: value})
    assert str(caught.value) == text


def test_keywords_that_change_nothing(target):
    y = rotate(rows(2), ranks=np.int64(2), target=target, split="auto", trace=None, schedule=None, threads=1)
    np.testing.assert_array_equal(y, np.roll(rows(2), 1, axis=0))
    for split in ("fused", "split"):
        np.testing.assert_array_equal(rotate.compile(target=target, split=split)(rows(2), ranks=2), y)
    assert error_of(lambda: rotate.compile(rnaks=2))[:2] == ("TW2202", "`rotate` has no parameter `rnaks`")


def command(*args):
    done = subprocess.run([TILEWIRE, "run", *map(str, args)], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def test_command(target):
    file = PROGRAMS / "mesh_allreduce.py"
    code, out, err = command(file, "--ranks", 4, "--shape", "x=4x1x256:FP32", "--target", target)
    assert (code, err) == (0, "") and out.startswith("y: [4, 1, 256] FP32")
    assert command(file, "--ranks", 4, "--shape", "x=4x1x256:FP32", "--target", target, "--schedule", "random:3") == (
        code, out, err)
    code, out, err = command(file, "--shape", "x=4x1x256:FP32", "--target", target)
    assert (code, out) == (64, "")
    assert err.startswith("error[TW2225]: the number of ranks of `host` is unknown\n")
    assert "   = help: give the number: ranks=N, or --ranks N\n" in err


def test_dimensions_of_the_command(tmp_path, target):
    program = tmp_path / "added.py"
    program.write_text("""\
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")
M = pl.dynamic("M")


@pl.jit.incore
def add(x: pl.Tensor[[M, 8], pl.FP32], w: pl.Tensor[[M + 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[M, 8], pl.FP32]]):
    for i in pl.range(M):
        y = pl.store(pl.load(x, [i, 0], [1, 8]) + pl.load(w, [i + 1, 0], [1, 8]), [i, 0], y)


@pl.jit.host
def host(x: pl.Tensor[[NR, M, 8], pl.FP32], w: pl.Tensor[[M + 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, M, 8], pl.FP32]]):
    for r in pl.range(NR):
        add(x[r], w, y[r], device=r)
""")
    code, out, err = command(program, "--ranks", 2, "--shape", "w=4x8:FP32", "--target", target)
    assert code == 64 and err.startswith("error[TW0616]: the size of dimension 1 of `x` is unknown\n")
    code, out, err = command(program, "--shape", "x=2x3x8:FP32", "--target", target)
    assert (code, err) == (0, "") and out.startswith("y: [2, 3, 8] FP32")
