"""`check` from Python: functions and programs, arguments, reports, and what stops it."""

import json
import os
import pathlib
import pty
import re
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import tilewire as tw
import tilewire.language as pl
import tilewire.language.distributed as pld
from tilewire import testing

NR = pl.dynamic("NR")


@pl.jit.incore
def hand_over(w: pl.InOut[pld.DistributedTensor[[4], pl.FP32]], s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    me = pld.rank(pld.get_comm_ctx(w))
    if me == 0:
        w = pl.store(pl.full([1, 4], dtype=pl.FP32, value=1.0), [0], w)
        pld.system.notify(s, 1, [0, 0], 1)
    if me == 1:
        pld.system.wait(s, [0, 0], 1)
        u = pld.tile.remote_load(w, 0, [0], [4])


@pl.jit.host
def right():
    w = pld.alloc_window([4], dtype=pl.FP32)
    s = pld.alloc_signal(4)
    for r in pl.range(pld.world_size()):
        hand_over(w, s, device=r)


@pl.program
class Wrong:
    @pl.function(type=pl.FunctionType.InCore)
    def chip(self, s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
        me = pld.rank(pld.get_comm_ctx(s))
        if me == 0:
            pld.system.notify(s, 1, [0, 0], 1)
            pld.system.notify(s, 1, [0, 0], 1)
        if me == 1:
            pld.system.wait(s, [0, 0], 1, cmp="eq")

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def main(self):
        s = pld.alloc_signal(4)
        for r in pl.range(pld.world_size()):
            self.chip(s, device=r)


# How often rank 0 notifies is in an array.
@pl.jit.incore
def told(n: pl.Tensor[[1], pl.INT32], s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    me = pld.rank(pld.get_comm_ctx(s))
    if me == 0:
        for i in pl.range(pl.read(n, [0])):
            pld.system.notify(s, 1, [0, 0], 1)
    if me == 1:
        pld.system.wait(s, [0, 0], 2)


@pl.jit.host
def by_data(n: pl.Tensor[[1], pl.INT32]):
    s = pld.alloc_signal(4)
    for r in pl.range(pld.world_size()):
        told(n, s, device=r)


@pl.jit.incore
def counted(k: pl.Scalar[pl.INT32], s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    me = pld.rank(pld.get_comm_ctx(s))
    if me == 0:
        pld.system.notify(s, 1, [0, 0], k)
    if me == 1:
        pld.system.wait(s, [0, 0], 2)


@pl.jit.host
def by_number(k: pl.Scalar[pl.INT32]):
    s = pld.alloc_signal(4)
    for r in pl.range(pld.world_size()):
        counted(k, s, device=r)


@pl.jit.host
def by_shape(x):
    s = pld.alloc_signal(4)
    for r in pl.range(pld.world_size()):
        counted(x.shape[0], s, device=r)


@pl.jit.host
def by_flag(twice):
    s = pld.alloc_signal(4)
    for r in pl.range(pld.world_size()):
        if twice:
            counted(2, s, device=r)
        else:
            counted(1, s, device=r)


# More schedules than anybody wants to try.
@pl.jit.incore
def crowded(s: pl.InOut[pld.DistributedTensor[[8, 1], pl.INT32]]):
    ctx = pld.get_comm_ctx(s)
    me = pld.rank(ctx)
    n = pld.nranks(ctx)
    for i in pl.range(6):
        for p in pl.range(n):
            pld.system.notify(s, p, [i, 0], me + 1, op="set")
            seen = pld.system.test(s, [i, 0], 3)
            if seen:
                pld.system.notify(s, p, [i + 1, 0], 2)


@pl.jit.host
def endless():
    s = pld.alloc_signal(8)
    for r in pl.range(pld.world_size()):
        crowded(s, device=r)


def line_of(text):
    lines = pathlib.Path(__file__).read_text().splitlines()
    return next(i for i, line in enumerate(lines, 1) if text in line)


def test_proved():
    reports = right.check(ranks=[2, 3])
    assert reports.ok and reports.verdict == "proved" and len(reports) == 2
    assert [report.ranks for report in reports] == [2, 3]
    assert reports[0].ok and reports[0].schedules == 1 and reports[0].events > 5
    assert [(cell.name, cell.kind) for cell in reports.cells] == [("s[0, 0]", "monotone")]
    assert reports.findings == ()
    assert str(reports) == reports.text() == reports[0].text() + "\n" + reports[1].text()
    assert reports.text().startswith("2 ranks: proved (exact, ")
    assert repr(reports) == "<Reports 2 ranks: proved, 3 ranks: proved>" and repr(reports[1]) == "<Report 3 ranks: proved>"
    assert isinstance(reports, tw.Reports) and isinstance(reports[0], tw.Report) and isinstance(reports[:1], tw.Reports)


def test_refuted():
    for reports in (Wrong.check(ranks=2), Wrong.main.check(ranks=[2]), Wrong.check(entry="main", ranks=(2,))):
        assert not reports.ok and reports.verdict == "refuted"
        [finding] = reports.findings
        line = line_of('cmp="eq")')
        assert (finding.kind, finding.error, finding.code, finding.ranks) == ("overshot", True, "TW2503", 2)
        assert finding.line == line and finding.lines == (line,) and finding.file == __file__
        assert finding.message.startswith("missed signal: `s[0, 0]` on rank 1 can pass 1")
        [place] = finding.places
        assert (place.rank, place.function, place.line) == (1, "chip", line)
        assert [step.text for step in finding.story] == [
            "adds 1 to `s[0, 0]` on rank 1, which is 1 now", "adds 1 to `s[0, 0]` on rank 1, which is 2 now"]
        assert reports[0].cells[0].kind == "general"
        assert [step["kind"] for step in finding.timeline["steps"]][-1] == "blocked"


@pl.jit.incore
def keeping(lock: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]]):
    while pld.system.compare_exchange(lock, 0, [0, 0], 0, 1) != 0:
        pass


@pl.jit.host
def kept():
    lock = pld.alloc_signal(1)
    for r in pl.range(pld.world_size()):
        keeping(lock, device=r)


def test_the_story_of_a_lock():
    [finding] = kept.check(ranks=2).findings
    assert [step.text for step in finding.story] == [
        "replaces 0 with 1 in `lock[0, 0]` on rank 0", "compares `lock[0, 0]` on rank 0 with 0, but it is 1"]


def test_default_ranks():
    assert [report.ranks for report in right.check()] == [2, 3]


def test_json_and_html(tmp_path):
    reports = Wrong.check(ranks=[2, 3])
    said = json.loads(reports.json())
    assert [report["ranks"] for report in said] == [2, 3]
    assert json.loads(reports[1].json()) == said[1:]
    page = tmp_path / "report.html"
    reports.html(page)
    assert page.read_text(encoding="utf-8").count('<section class="report refuted"') == 2
    reports[0].html(str(page))
    assert page.read_text(encoding="utf-8").count('<section class="report refuted"') == 1
    assert 'srcdoc="&lt;!DOCTYPE html&gt;' in reports._repr_html_()
    with pytest.raises(FileNotFoundError):
        reports.html(tmp_path / "no" / "report.html")


def test_json_is_that_of_the_command(tmp_path):
    program = pathlib.Path(__file__).parents[1] / "check" / "03_equal_overtaken_wrong.py"
    command = pathlib.Path(sys.executable).parent / "tilewire"
    said = subprocess.run([command, "check", program, "--ranks", "2", "--json"], capture_output=True, text=True, timeout=60)
    assert json.loads(said.stdout) == json.loads(pl.load_program(program).check(ranks=2).json())


def test_arrays_decide():
    assert by_data.check(ranks=2).verdict == "refuted"  # integers are 0 when they are made up
    reports = by_data.check(np.array([2], dtype=np.int32), ranks=2)
    assert reports.ok
    assert [(data.parameter, data.line) for data in reports[0].data] == [("n", line_of("pl.read(n, [0])"))]
    assert by_data.check(n=np.array([1], dtype=np.int32), ranks=2).verdict == "refuted"
    assert by_data.check(make=lambda ranks: (np.array([ranks], dtype=np.int32),), ranks=[2, 3]).ok
    assert by_data.check(make=lambda ranks: {"n": np.array([ranks - 1], dtype=np.int32)}, ranks=[2, 3]).verdict == "refuted"
    array = np.array([2], dtype=np.int32)
    by_data.check(array, ranks=2)
    assert array[0] == 2


def test_numbers_decide():
    assert by_number.check(ranks=2).verdict == "refuted"
    assert by_number.check(2, ranks=2).ok and by_number.check(k=2, ranks=2).ok


def test_parameters_without_annotation():
    assert by_shape.check(np.zeros((2, 3), np.float32), ranks=2).ok
    assert by_shape.check(np.zeros((1, 3), np.float32), ranks=2).verdict == "refuted"
    assert by_shape.check(make=lambda ranks: np.zeros((ranks, 3), np.float32), ranks=[2, 3]).ok
    with pytest.raises(tw.ProgramError, match="`x`"):
        by_shape.check(ranks=2)


def test_constants():
    assert by_flag.check(twice=True, ranks=[2, 3]).ok
    assert by_flag.check(False, ranks=2).verdict == "refuted"


def test_cores_limit_and_seed():
    text = (pathlib.Path(__file__).parents[1] / "check" / "11_waits_hold_cores_wrong.py").read_text()
    program = pl.parse(text)
    assert program.check(ranks=1).ok
    assert program.check(ranks=1, cores=2).verdict == "refuted"
    reports = endless.check(ranks=2, limit=5, seed=7)
    assert reports.verdict in ("bounded", "refuted")


def test_wrong_arguments():
    with pytest.raises(tw.RunError, match="`n`"):
        by_data.check(np.zeros((2, 2), np.float32), ranks=2)
    with pytest.raises(tw.RunError):
        by_data.check(np.array([2], dtype=np.int32), 3, ranks=2)
    with pytest.raises(tw.RunError, match="`m`"):
        by_data.check(m=1, ranks=2)
    with pytest.raises(tw.RunError):
        by_data.check(np.array([2], dtype=np.int32), n=np.array([2], dtype=np.int32), ranks=2)
    with pytest.raises(tw.RunError, match="`n`"):
        by_data.check("2", ranks=2)
    with pytest.raises(TypeError, match="not both"):
        by_data.check(np.array([2], dtype=np.int32), make=lambda ranks: (), ranks=2)
    with pytest.raises(TypeError, match="numbers of ranks"):
        by_data.check(make=lambda ranks: ())
    for ranks in ("2,3", [2.5], ["2"]):
        with pytest.raises(TypeError, match=r"^ranks must be an int or several, got "):
            right.check(ranks=ranks)
    with pytest.raises(ValueError, match="at least one"):
        by_data.check(ranks=[])
    with pytest.raises(ValueError, match="negative"):
        by_data.check(ranks=2, cores=-1)
    with pytest.raises(tw.ProgramError, match="`nothing`"):
        Wrong.check(entry="nothing", ranks=2)


def test_what_make_raises():
    def make(ranks):
        raise KeyError(ranks)

    with pytest.raises(KeyError):
        by_data.check(make=make, ranks=2)


def test_assert_safe():
    assert testing.assert_safe(right, ranks=[2, 3]).ok
    assert testing.assert_safe(by_data, np.array([2], dtype=np.int32), ranks=2).ok
    with pytest.raises(AssertionError) as caught:
        testing.assert_safe(Wrong, ranks=[2])
    assert str(caught.value).startswith("the program is not safe: refuted\n\n2 ranks: refuted")
    assert "error[TW2503]" in str(caught.value) and "how it happens:" in str(caught.value)


UNDECIDED = """
import tilewire.language as pl
import tilewire.language.distributed as pld

@pl.jit.incore
def chip(s: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]]):
    me = pld.rank(pld.get_comm_ctx(s))
    for i in pl.range(6):
        pld.system.notify(s, 1 - me, [0, 0], 1)
        seen = pld.system.test(s, [0, 0], 3, cmp="eq")
        if seen:
            pld.system.notify(s, 1 - me, [1, 0], 1)

@pl.jit.host
def main():
    s = pld.alloc_signal(2)
    for r in pl.range(pld.world_size()):
        chip(s, device=r)
"""


def test_bounded_is_not_safe():
    program = pl.parse(UNDECIDED)
    reports = program.check(ranks=2, limit=3)
    assert reports.verdict == "bounded" and not reports.ok and reports[0].random > 0
    with pytest.raises(AssertionError, match="not safe: bounded"):
        testing.assert_safe(program, ranks=2, limit=3)
    assert testing.assert_safe(program, ranks=2, limit=3, allow_bounded=True).verdict == "bounded"


def test_other_threads_go_on():
    count = 0
    done = threading.Event()

    def tick():
        nonlocal count
        while not done.is_set():
            count += 1
            time.sleep(0.005)

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.monotonic()
    try:
        pl.parse(UNDECIDED).check(ranks=2, limit=3000)
    finally:
        took = time.monotonic() - start
        done.set()
        thread.join()
    assert count >= min(took / 0.005 / 10, 20)


INTERRUPTED = """
import os, signal, threading, time
import tilewire.language as pl
signal.signal(signal.SIGINT, signal.default_int_handler)  # who started the tests may have switched it off
program = pl.parse(%r.replace("range(6)", "range(2000)"))
started = time.monotonic()
threading.Timer(0.7, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    program.check(ranks=[2, 3, 4], limit=1000000000)
except KeyboardInterrupt:
    print("interrupted after", time.monotonic() - started)
print(pl.parse(%r).check(ranks=2, limit=3).verdict)
"""


def test_ctrl_c():
    done = subprocess.run([sys.executable, "-c", INTERRUPTED % (UNDECIDED, UNDECIDED)], capture_output=True, text=True, timeout=60)
    found = re.fullmatch(r"interrupted after ([\d.]+)\nbounded\n", done.stdout)
    assert found, done.stdout + done.stderr
    assert float(found[1]) < 5


def test_progress_line():
    """On a terminal, after a second, and gone at the end; nothing otherwise."""
    command = [pathlib.Path(sys.executable).parent / "tilewire", "check", "/dev/stdin", "--ranks", "2", "--limit", "1000000"]
    text = UNDECIDED.replace("range(6)", "range(40)")
    master, slave = pty.openpty()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=slave)
    process.stdin.write(text.encode())
    process.stdin.close()
    os.close(slave)
    said = b""
    while b"states/s" not in said:
        said += os.read(master, 4096)
    process.send_signal(signal.SIGTERM)
    process.wait()
    os.close(master)
    assert re.match(rb"\r2 ranks: \d+ schedules?, \d+ states, \d+ states/s\x1b\[K", said)
    quiet = subprocess.run([*command[:-1], "200"], input=text, capture_output=True, text=True, timeout=60)
    assert quiet.stderr == "" and quiet.returncode == 2


SCOPES = """
import tilewire.language as pl
import tilewire.language.distributed as pld

@pl.jit.incore
def kernel(s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    pld.system.wait(s, [0, 0], 1)

@pl.jit
def chip(s: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]):
    kernel(pl.no_dep(s))
    with pl.at(level=pl.Level.CORE_GROUP, ordered=False):
        pld.system.wait(s, [1, 0], 1)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="named", ordered=False):
        pld.system.wait(s, [2, 0], 1)
    for b in pl.spmd(2, name_hint="blocks", ordered=False):
        pld.system.wait(s, [3, 0], 1)

@pl.jit.host
def main():
    s = pld.alloc_signal(4)
    for r in pl.range(pld.world_size()):
        chip(s, device=r)
    for r in pl.range(pld.world_size()):
        kernel(s, device=r)
"""


def test_functions_have_the_names_of_the_source():
    """Scopes become kernels of their own before the program is checked."""
    (finding,) = pl.parse(SCOPES).check(ranks=1).findings[:1]
    assert finding.kind == "deadlock"
    assert {place.function for place in finding.places} == {"kernel", "chip", "named", "blocks"}
    assert {lane["function"] for lane in finding.timeline["lanes"]} <= {"", "main", "kernel", "chip", "named", "blocks"}
