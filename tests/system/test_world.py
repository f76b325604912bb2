"""Host functions in several processes: the same results and errors as in one.

The processes are started as a launcher starts them, with its variables; one test uses mpirun itself.
"""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import textwrap
import time
import uuid

import pytest

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"
COMMAND = pathlib.Path(sys.executable).parent / "tilewire"

PROGRAM = '''
import sys
import time

import numpy as np

import tilewire as tw
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def exchange(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]],
             rows: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]],
             signal: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]], n: pl.Scalar[pl.INT32]):
    ctx = pld.get_comm_ctx(rows)
    me = pld.rank(ctx)
    ranks = pld.nranks(ctx)
    rows = pl.store(pl.load(x), [0, 0], rows)
    pld.system.notify(signal, (me + 1) % ranks, [0, 0], 1)
    pld.system.wait(signal, [0, 0], n)
    y = pl.store(pld.tile.remote_load(rows, (me + ranks - 1) % ranks, [0, 0], [1, 8]), [0, 0], y)


@pl.jit.host
def shift(x: pl.Tensor[[NR, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 8], pl.FP32]], n: pl.Scalar[pl.INT32]):
    rows = pld.alloc_window([1, 8], dtype=pl.FP32)
    signal = pld.alloc_signal(pld.world_size())
    for r in pl.range(pld.world_size()):
        exchange(x[r : r + 1, :], y[r : r + 1, :], rows, signal, n, device=r)


@pl.jit.incore
def fill(y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    y = pl.store(pl.full([1, 8], dtype=pl.FP32, value=1.0), [0, 0], y)


@pl.jit.host
def fill_one(y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    for r in pl.range(pld.world_size()):
        fill(y, device=r)


def shown(call, *arguments, **settings):
    try:
        return call(*arguments, **settings)
    except tw.Error as error:
        print(type(error).__name__, str(error).splitlines()[0])


process = tw.world.rank
x = np.arange(32, dtype=np.float32).reshape(4, 8)
want = np.roll(x, 1, axis=0)
y = np.full_like(x, -1)
'''


def start(text, tmp_path, processes, variables=None):
    """One process for each number, as a launcher starts them. What they print comes from `outputs`."""
    path = tmp_path / "program.py"
    path.write_text(PROGRAM + text)
    return start_all([sys.executable, str(path)], processes, variables)


def start_all(command, processes, variables=None):
    job = uuid.uuid4().hex
    started = []
    for number in range(processes):
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("OMPI_", "PMIX_", "PMI_", "SLURM_"))}
        environment.update(PMI_JOBID=job, PMI_SIZE=str(processes), PMI_RANK=str(number))
        environment.update(variables or {})
        started.append(subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT))
    return started


def outputs(started, limit=120):
    try:
        return [process.communicate(timeout=limit)[0] for process in started]
    finally:
        for process in started:
            process.kill()


def run(text, tmp_path, processes=2, variables=None):
    return outputs(start(text, tmp_path, processes, variables))


@pytest.mark.parametrize("processes", [1, 2, 4])
def test_results_are_complete_in_every_process(tmp_path, processes):
    text = """
shift(x, y, 1, ranks=4)
assert np.array_equal(y, want), y
print(tw.world.rank, "of", tw.world.size)
"""
    assert run(text, tmp_path, processes) == [f"{p} of {processes}\n" for p in range(processes)]


def test_results_go_where_they_are_asked_for(tmp_path):
    text = """
own = slice(2 * process, 2 * process + 2)
shift(x, y, 1, ranks=4, gather="none")
assert np.array_equal(y[own], want[own])
assert (np.delete(y, range(*own.indices(4)), axis=0) == -1).all()
y[:] = -1
shift(x, y, 1, ranks=4, gather=1)
assert np.array_equal(y[own], want[own])
assert np.array_equal(y, want) == (process == 1)
strided = np.zeros((4, 16), np.float32)[:, ::2]
shift(x, strided, 1, ranks=4)
assert np.array_equal(strided, want)
shown(shift, x, y, 1, ranks=4, gather="some")
shown(shift, x, y, 1, ranks=4, gather=2)
print("good")
"""
    expected = (
        "RunError error[TW2246]: `some` does not say which of 2 processes receives the results\n"
        "RunError error[TW2246]: `2` does not say which of 2 processes receives the results\n"
        "good\n"
    )
    assert run(text, tmp_path) == [expected] * 2


def test_sessions_keep_their_windows(tmp_path):
    text = """
with shift.compile(x, y, 1).open(ranks=4) as session:
    for call in range(1, 4):
        session(x * call, y, call)  # the signal counts on
        assert np.array_equal(y, want * call)
    session.reset()
    session(x, y, 1)
print("good")
"""
    assert run(text, tmp_path) == ["good\n"] * 2


LOCAL = """
own = slice(2 * process, 2 * process + 2) if tw.world.size == 2 else slice(0, 4)
"""


@pytest.mark.parametrize("processes", [1, 2])
def test_local_calls_take_and_give_the_rows_of_own_ranks(tmp_path, processes):
    text = LOCAL + """
part = shift.local(x[own].copy(), n=1, ranks=4)
assert part.shape == x[own].shape and np.array_equal(part, want[own]), part
given = np.zeros((4 // tw.world.size, 16), np.float32)[:, ::2]
shift.local(x[own].copy(), given, 1, ranks=4)
assert np.array_equal(given, want[own]), given
shift.compile(x, y, 1).local(x[own].copy(), given, n=1, ranks=4, schedule="random:3")
assert np.array_equal(given, want[own]), given
with shift.compile(x, y, 1).open(ranks=4) as session:
    for call in range(1, 4):
        assert np.array_equal(session.local(x[own] * call, n=call), want[own] * call)
print("good")
"""
    assert run(text, tmp_path, processes) == ["good\n"] * processes


def test_local_calls_stage_own_rows_and_take_other_arrays_whole(tmp_path):
    text = LOCAL + """
K = pl.dynamic("K")


@pl.jit.incore
def turn(data: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]], w: pl.Tensor[[K, 8], pl.FP32],
         s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]]):
    ctx = pld.get_comm_ctx(data)
    me = pld.rank(ctx)
    ranks = pld.nranks(ctx)
    got = pld.tile.remote_load(data, (me + ranks - 1) % ranks, [0, 0], [1, 8])
    for peer in pl.range(ranks):
        pld.system.notify(s, peer, [me, 0], 1)
    for peer in pl.range(ranks):
        pld.system.wait(s, [peer, 0], 1)
    data = pl.store(got * pl.load(w, [1, 0], [1, 8]), [0, 0], data)


@pl.jit.host
def staged(x: pl.Tensor[[NR, 1, 8], pl.FP32], w: pl.Tensor[[K, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    buffer = pld.alloc_window_buffer([1, 8], dtype=pl.FP32, load_from_host=x, store_to_host=y)
    data = pld.window(buffer, [1, 8], dtype=pl.FP32)
    s = pld.alloc_signal(pld.world_size())
    for r in pl.range(pld.world_size()):
        turn(data, w, s, device=r)


x = x.reshape(4, 1, 8)
w = np.full((2, 8), 3, np.float32)
assert np.array_equal(staged(x, w), 3 * np.roll(x, 1, axis=0))
part = staged.local(x[own].copy(), w)
assert np.array_equal(part, 3 * np.roll(x, 1, axis=0)[own]), part
print("good")
"""
    assert run(text, tmp_path) == ["good\n"] * 2


def test_a_local_call_has_no_rows_of_other_processes(tmp_path):
    text = LOCAL + """
@pl.jit.host
def backwards(x: pl.Tensor[[NR, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 8], pl.FP32]]):
    for r in pl.range(pld.world_size()):
        fill_from(x[pld.world_size() - 1 - r : pld.world_size() - r, :], y[r : r + 1, :], device=r)


@pl.jit.incore
def fill_from(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    y = pl.store(pl.load(x), [0, 0], y)


assert np.array_equal(backwards(x, ranks=4), x[::-1])  # whole arrays have them
shown(backwards.local, x[own].copy(), ranks=4)
try:
    shift.local(x[own].copy(), n=1, ranks=4, gather="all")
except TypeError as error:
    print(error)
both = np.arange(24, dtype=np.float32).reshape(3, 8)
shown(shift.local, both[:2], both[1:], 1, ranks=4)
print(np.array_equal(shift.local(x[own].copy(), n=1, ranks=4), want[own]))
"""
    first, second = run(text, tmp_path)
    assert first == second
    # Both processes find an element that is not there; all report the one that was heard of first.
    first = first.replace("rank 2 has elements outside rows 2..3", "rank 0 has elements outside rows 0..1")
    assert first == """\
RunError error[TW2152]: out of bounds: `x` of rank 0 has elements outside rows 0..1 of `x`, which its process passes to a local call
local calls are not gathered: each process has the rows of its ranks
RunError error[TW2212]: overlapping arguments: `x` and `y` share part of their memory, and `y` is written
True
"""


def test_a_trace_has_the_ranks_and_arrows_of_all_processes(tmp_path):
    text = """
shift(x, y, 1, ranks=4, trace="trace.json")
shown(shift, x, y, 2, ranks=4, trace="failed.json")
"""
    for processes in (1, 2):
        folder = tmp_path / str(processes)
        folder.mkdir()
        text_of_all = run(text.replace("trace=\"", f"trace=\"{folder}/"), folder, processes)
        assert all("DeadlockError" in text for text in text_of_all)
        assert sorted(path.name for path in folder.iterdir()) == ["failed.json", "program.py", "trace.json"]
        events = json.loads((folder / "trace.json").read_text())["traceEvents"]
        assert {event["args"]["name"] for event in events if event["name"] == "process_name"} == {
            f"rank {rank}" for rank in range(4)}
        assert sum(event["ph"] == "i" and event["cat"] == "notify" for event in events) == 4
        ends = {event["id"]: event for event in events if event["ph"] == "f"}
        arrows = {(event["pid"], ends[event["id"]]["pid"]) for event in events if event["ph"] == "s"}
        assert arrows == {(rank, (rank + 1) % 4) for rank in range(4)}
        for event in events:
            if event["ph"] == "s":
                assert 0 <= event["ts"] <= ends[event["id"]]["ts"]


def test_bundles_run_in_several_processes(tmp_path):
    text = """
if process == 0:
    shift.compile(x, y, 1).save("FOLDER/bundle.part")
    import os
    os.rename("FOLDER/bundle.part", "FOLDER/bundle")
import os
while not os.path.exists("FOLDER/bundle"):
    time.sleep(0.01)
loaded = tw.load_bundle("FOLDER/bundle")
loaded(x, y, 1, ranks=4)
assert np.array_equal(y, want)
print("good")
""".replace("FOLDER", str(tmp_path))
    assert run(text, tmp_path) == ["good\n"] * 2


def test_a_deadlock_lists_the_waits_of_all(tmp_path):
    text = """
try:
    shift(x, y, 2, ranks=4)
except tw.DeadlockError as error:
    print(error)
shift(x, y, 1, ranks=4)  # and the world is as good as before
assert np.array_equal(y, want)
"""
    first, second = run(text, tmp_path)
    assert first == second
    assert first.startswith("error[TW2121]: deadlock: 4 tasks are blocked and nothing can wake them\n")
    for rank in range(4):
        assert f"rank {rank}, in `exchange`: waits for `signal[0, 0]` on rank {rank} >= 2, which is 1" in first
    assert run(text, tmp_path, 1) == [first]


TRIES = """
@pl.jit.incore
def count_up(lock: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]],
             rounds: pl.Scalar[pl.INT32], frees: pl.Scalar[pl.INT32]):
    me = pld.rank(pld.get_comm_ctx(lock))
    for i in pl.range(rounds):
        while pld.system.compare_exchange(lock, 0, [0, 0], 0, me + 1) != 0:
            pass
        old = pld.system.fetch_add(lock, 0, [1, 0], 1)
        if frees != 0:
            pld.system.fetch_add(lock, 0, [0, 0], -1 - me)
    y = pl.store(pl.full([1, 8], dtype=pl.FP32, value=1.0), [0, 0], y)


@pl.jit.host
def locked(y: pl.Out[pl.Tensor[[NR, 8], pl.FP32]], rounds: pl.Scalar[pl.INT32], frees: pl.Scalar[pl.INT32]):
    lock = pld.alloc_signal(2)
    for r in pl.range(pld.world_size()):
        count_up(lock, y[r : r + 1, :], rounds, frees, device=r)


y = np.zeros((4, 8), np.float32)
locked(y, 200, 1, ranks=4)
assert (y == 1).all()
try:
    locked(y, 2, 0, ranks=4)  # nobody unlocks
except tw.DeadlockError as error:
    print("\\n".join(line for line in str(error).splitlines() if "error" in line or "rank" in line))
"""


# The cell lives in the first process; those of the others are woken when it changes.
def test_ranks_that_try_a_cell_of_another_process(tmp_path):
    (alone,) = run(TRIES, tmp_path, 1)
    assert alone.startswith("error[TW2121]: deadlock: 4 tasks are blocked and nothing can wake them\n")
    for processes in (2, 4):
        texts = run(TRIES, tmp_path, processes)
        assert texts == [texts[0]] * processes
        assert texts[0].splitlines()[0] == alone.splitlines()[0]
        assert texts[0].count("`lock[0, 0]` on rank 0") == alone.count("`lock[0, 0]` on rank 0")


def test_calls_that_differ_are_refused(tmp_path):
    text = """
shown(shift, x, y, 1 + process, ranks=4)
"""
    lines = [text.splitlines() for text in run(text, tmp_path, 2)]
    assert lines[0][0] == lines[1][0]
    assert lines[0][0] == ("WorldError error[TW2149]: the processes make different calls: `n` is 2 in process 1 and 1 in "
                           "process 0")


def test_settings_that_differ_are_refused(tmp_path):
    text = """
shown(shift, x, y, 1, ranks=4, **({"trace": "FOLDER/t.json"} if process else {}))
"""
    first, second = run(text.replace("FOLDER", str(tmp_path)), tmp_path, 2)
    assert first == second
    assert first == ("WorldError error[TW2149]: the processes make different calls: `trace` is written in process 1 and none in "
                     "process 0\n")
    text = """
part = x[2 * process : 2 * process + 2].copy()
shown(*((shift.local, part, None) if process else (shift, x, y)), 1, ranks=4, **({} if process else {"gather": "none"}))
"""
    first, second = run(text, tmp_path, 2)
    assert first == second
    assert first == ("WorldError error[TW2149]: the processes make different calls: `arrays` is local in process 1 and whole "
                     "in process 0\n")


def test_what_one_process_writes_another_may_not_use(tmp_path):
    text = """
z = np.zeros((1, 8), np.float32)
shown(fill_one, z, ranks=4)
tw.world
"""
    first, second = run(text, tmp_path)
    assert first == second
    assert first == ("RunError error[TW2151]: `y` is written on rank 0, and rank 2 of another process uses the same "
                     "elements: they belong in a window\n")


def test_what_needs_all_ranks_in_one_process_is_refused(tmp_path):
    text = """
shown(shift, x, y, 1, ranks=4, target="interp")
shown(shift, x[:3], y[:3], 1, ranks=3)
"""
    expected = (
        "RunError error[TW2245]: the interpreter runs all ranks in one process, but a launcher has started 2\n"
        "RunError error[TW2243]: `shift` runs on 3 ranks, which 2 processes cannot share evenly\n"
    )
    assert run(text, tmp_path) == [expected] * 2


def test_each_process_may_stay_alone(tmp_path):
    text = """
tw.init(world="local")
assert (tw.world.rank, tw.world.size) == (0, 1)
time.sleep(0.2 * process)
shift(x, y, 1, ranks=4)
assert np.array_equal(y, want)
shift(x, y, 1, ranks=4, target="interp")
shown(tw.init)
shown(tw.init, world="mpi")
"""
    expected = ("WorldError error[TW2248]: the world has been chosen already, and it is not `launcher`\n"
                "WorldError error[TW2247]: unknown world `mpi`\n")
    assert run(text, tmp_path, 3) == [expected] * 3


def test_a_process_that_dies_is_named(tmp_path):
    text = """
shift(x, y, 1, ranks=4)
print("ready", flush=True)
while True:
    try:
        shift(x, y, 1, ranks=4)
    except tw.WorldError as error:
        print(str(error).strip(), time.monotonic())
        break
"""
    started = start(text, tmp_path, 4)
    for process in started:
        assert process.stdout.readline() == "ready\n"
    time.sleep(0.1)
    killed = time.monotonic()
    started[2].send_signal(signal.SIGKILL)
    texts = outputs(started)
    for number in (0, 1, 3):
        line, at = texts[number].rsplit(" ", 1)
        assert line == "error[TW2148]: the world has lost process 2: it has ended"
        assert float(at) - killed < 2
        assert started[number].returncode == 0


def test_a_process_that_raises_does_not_leave_the_others_waiting(tmp_path):
    text = """
shift(x, y, 1, ranks=4)
if process == 1:
    sys.exit("enough")
shown(shift, x, y, 1, ranks=4)
"""
    assert run(text, tmp_path) == [
        "WorldError error[TW2148]: the world has lost process 1: it has left the world\n", "enough\n"]


# What process VICTIM does instead of its first call, the others in the meantime waiting for it.
NO_CALL = {
    "has no tilewire": ("others_wait(2); sys.exit()", ""),
    "returns": ("", "others_wait(2); sys.exit()"),
    "raises": ("", "others_wait(2); raise RuntimeError('enough')"),
    "is refused": ("", """
others_wait(2)
@pl.jit.host
def wrong(x: pl.Tensor[[NR, 8], pl.FP32]):
    for r in pl.range(pld.world_size()):
        exchange(x, device=r)
wrong(x)
"""),
    "is killed in it": ("", """
import os, threading
threading.Thread(target=lambda: (others_wait(1), os.kill(os.getpid(), 9))).start()
shift(x, y, 1, ranks=6)
"""),
}


# As it would be had it made one.
@pytest.mark.parametrize("victim", [0, 1, 2])
@pytest.mark.parametrize("how", NO_CALL)
def test_a_process_that_ends_before_its_first_call_is_named(how, victim, tmp_path):
    first, then = NO_CALL[how]
    path = tmp_path / "program.py"
    path.write_text(f"""
import atexit, glob, os, sys, time

def others_wait(count):
    while len(glob.glob({str(tmp_path / "ready*")!r})) < count:
        time.sleep(0.02)
    time.sleep(0.5)

last = (int(os.environ["PMI_RANK"]) + 2) % 3 == {victim}
if int(os.environ["PMI_RANK"]) == {victim}:
    {first or "pass"}
{PROGRAM}
x = np.arange(48, dtype=np.float32).reshape(6, 8)
y = np.zeros_like(x)
if process == {victim}:
    atexit.register(lambda: open({str(tmp_path / "ended")!r}, "w").close())
{textwrap.indent(then or "pass", "    ")}
if {how == "is killed in it"} and last:  # for the first one still to wait then
    os.environ["TILEWIRE_JOIN_LIMIT"] = "1"
    time.sleep(5)
open(f"{tmp_path}/ready{{process}}", "w").close()
for _ in range(2):
    shown(shift, x, y, 1, ranks=6)
""")
    started = start_all([sys.executable, str(path)], 3)
    watched = [process for number, process in enumerate(started) if number != victim]
    started[victim].wait(60)
    ended = time.monotonic()
    texts = [process.communicate(timeout=60)[0] for process in watched]
    line = f"WorldError error[TW2148]: the world has lost process {victim}: it has ended before all had joined\n"
    if how == "is killed in it":
        assert line * 2 in texts
        assert any("it has not joined within 1 s" in text for text in texts)
    else:
        assert texts == [2 * line] * 2
        assert time.monotonic() - ended < 10


# Too early for the others to have seen it; but they know how launchers start processes.
@pytest.mark.parametrize("victim", [0, 2])
@pytest.mark.parametrize("launcher", ["openmpi", "mpich"])
def test_a_process_that_ends_at_once_is_named(launcher, victim, tmp_path):
    if not shutil.which(LAUNCHERS[launcher][0]):
        pytest.skip(f"needs {LAUNCHERS[launcher][0]}")
    path = tmp_path / "program.py"
    path.write_text(f"""
import os, sys
if os.environ.get("OMPI_COMM_WORLD_RANK", os.environ.get("PMI_RANK")) == "{victim}":
    sys.exit()
{PROGRAM}
start = time.monotonic()
shown(shift, np.zeros((6, 8), np.float32), np.zeros((6, 8), np.float32), 1, ranks=6)
assert time.monotonic() - start < 4
""")
    ended = subprocess.run([*LAUNCHERS[launcher], "-n", "3", sys.executable, str(path)], text=True, capture_output=True,
                           env=mpirun_environment(), timeout=60)
    line = f"WorldError error[TW2148]: the world has lost process {victim}: it has ended before all had joined\n"
    assert (ended.returncode, ended.stdout) == (0, 2 * line), ended.stderr


# The child of the launcher counts: what it runs may be something else before.
def test_a_script_may_run_other_programs_first(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM + "shift(x, y, 1, ranks=4)\nassert np.array_equal(y, want)\nprint('good')\n")
    script = f'{sys.executable} -c "import tilewire"; [ $PMI_RANK = 0 ] || sleep 2; {sys.executable} {path}; true'
    assert outputs(start_all(["sh", "-c", script], 2)) == ["good\n"] * 2


def test_a_join_limit_that_makes_no_sense(tmp_path):
    text = "shown(shift, x, y, 1, ranks=4)\n"
    for limit in ("soon", "-1", ""):
        assert run(text, tmp_path, 1, {"PMI_SIZE": "2", "TILEWIRE_JOIN_LIMIT": limit}) == [
            f"RunError error[TW2241]: cannot join the other processes: TILEWIRE_JOIN_LIMIT={limit} is not a number of "
            "seconds\n"]
    assert run(text, tmp_path, 1, {"PMI_SIZE": "2", "TILEWIRE_JOIN_LIMIT": "1"}) == [
        "WorldError error[TW2148]: the world has lost process 1: it has not joined within 1 s\n"]


def test_launchers_that_make_no_sense(tmp_path):
    text = "shown(shift, x, y, 1, ranks=4)\n"
    text = "process = 0\n" + text
    several = {"OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_LOCAL_SIZE": "2"}
    assert run(text, tmp_path, 1, several) == [
        "RunError error[TW2242]: the launcher has started 4 processes on several hosts and does not say where process 0 is\n"]
    wrong = {"OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_RANK": "7"}
    (output,) = run(text, tmp_path, 1, wrong)
    assert "TW2241" in output and "OMPI_COMM_WORLD_RANK=7 are not the place of a process" in output


LAUNCHERS = {"openmpi": ["mpirun.openmpi", "--oversubscribe"], "mpich": ["mpirun.mpich"]}


def mpirun_environment():
    return dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


@pytest.mark.parametrize("processes", [2, 4])
@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_under_mpirun(launcher, processes):
    if not shutil.which(LAUNCHERS[launcher][0]):
        pytest.skip(f"needs {LAUNCHERS[launcher][0]}")
    environment = mpirun_environment()
    mpirun = [*LAUNCHERS[launcher], "-n", str(processes)]
    script = subprocess.run([*mpirun, sys.executable, str(EXAMPLES / "mesh_allreduce.py"), "--ranks", "4"], text=True,
                            capture_output=True, env=environment, timeout=120)
    assert script.returncode == 0, script.stderr
    assert script.stdout.count("4 ranks have the same sum of 4 rows, to the last bit") == processes
    command = [str(COMMAND), "run", str(EXAMPLES / "mesh_allreduce.py"), "--ranks", "4", "--shape", "x=4x256:FP32"]
    alone = subprocess.run(command, text=True, capture_output=True, timeout=120)
    together = subprocess.run([*mpirun, *command], text=True, capture_output=True, env=environment, timeout=120)
    assert together.returncode == 0, together.stderr
    assert together.stdout == alone.stdout
    shown = subprocess.run([*mpirun, *command, "--stats"], text=True, capture_output=True, env=environment, timeout=120)
    ranks = [line.split(":")[0] for line in shown.stdout.splitlines() if " task" in line]
    assert ranks == [f"rank {rank}" for rank in range(4)], shown.stdout
