"""Schedules that the checker finds are followed by native code and the interpreter: every time the same outcome, the
one of the report."""

import json
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import tilewire
import tilewire.language as pl
from targets import TARGETS
from arguments import argument

TILEWIRE = Path(sys.executable).parent / "tilewire"
WRONG = Path(__file__).parent.parent / "check"
MORE = Path(__file__).parent / "replay_programs"  # what else there is: scopes, deferred waits, tests, puts, ...
TIMES = 20


def names():
    for path in sorted(WRONG.glob("*_wrong.py")):
        if re.search(r"^# verdict: refuted$", path.read_text(), re.MULTILINE):
            yield path.stem
    for path in sorted(MORE.glob("*.py")):
        yield path.stem


def path_of(name):
    return (WRONG if name.endswith("_wrong") else MORE) / f"{name}.py"


def command(*args):
    done = subprocess.run([TILEWIRE, *map(str, args)], capture_output=True, text=True, timeout=120, cwd=WRONG)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def schedules(tmp_path_factory):
    """By name: the file with the schedule, and the finding it is of."""
    folder = tmp_path_factory.mktemp("schedules")
    made = {}

    def of(name):
        if name not in made:
            path = path_of(name)
            words = re.search(r"^# run: tilewire check %s(.*)$", path.read_text(), re.MULTILINE).group(1).split()
            code, out, err = command("check", path, *words, "--json", "--replay-out", folder / f"{name}.json")
            assert (code, err) == (1, "")
            found = next(f for report in json.loads(out) for f in report["findings"] if f["error"])
            made[name] = (folder / f"{name}.json", found)
        return made[name]

    return of


class Runs:
    """One program with its arguments, run again and again."""

    def __init__(self, name, schedule):
        self.program = pl.load_program(path_of(name))
        self.schedule = schedule
        said = json.loads(schedule.read_text())
        self.entry = said.get("entry", "main")
        random = np.random.default_rng(7)
        sizes = {name: int(size) for name, size in (text.split("=") for text in said.get("dimensions", []))}
        parameters = self.program[self.entry].params
        self.arguments = [argument(p, said["dimension"], random, sizes=sizes) for p in parameters]

    def outcome(self, target, times=1):
        executable = self.program.compile(entry=self.entry, target=target)
        all_of_them = []
        for _ in range(times):
            given = [a.copy() if isinstance(a, np.ndarray) else a for a in self.arguments]
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                try:
                    executable(*given, replay=self.schedule)
                    error = None
                except tilewire.RunError as raised:
                    error = raised
            said = [str(w.message) for w in caught if w.category is tilewire.ReplayWarning]
            all_of_them.append((error, said, given))
        return all_of_them


WAIT = re.compile(r"(?:waits for a core|waits for \d+ cores at once|(?:waits for|tests|reads|updates) `([^`]+)` on rank (\d+).*, (?:which|it) is (-?\d+))")
CONDITION = re.compile(r"waits for `[^`]+` on rank \d+ (\S+ -?\d+)")


def waits_of_run(error):
    """Who waits where for what, of a DeadlockError."""
    all_of_them = set()
    for note in error.diagnostics[0].notes:
        rank = re.match(r"rank (\d+)", note.text)
        found = WAIT.search(note.text)
        assert found, note.text
        condition = CONDITION.search(note.text)
        all_of_them.add((int(rank.group(1)) if rank else 0, note.line, *found.groups(), condition and condition.group(1)))
    return all_of_them


def waits_of_report(finding):
    all_of_them = set()
    for place in finding["places"]:
        found, condition = WAIT.search(place["text"]), CONDITION.search(place["text"])
        assert found, place["text"]
        all_of_them.add((place["rank"], place["line"], *found.groups(), condition and condition.group(1)))
    return all_of_them


def notes_of(error):
    """What a scope is called when it is compiled depends on what is in it."""
    return [(re.sub("in `[^`]*`", "in _", note.text), note.line) for note in error.diagnostics[0].notes]


def same(one, other):
    return all(np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b for a, b in zip(one, other))


@pytest.mark.parametrize("name", list(names()))
def test_every_run_is_the_one_of_the_report(name, schedules):
    schedule, finding = schedules(name)
    runs = Runs(name, schedule)
    first = None
    for target in TARGETS:
        for error, said, given in runs.outcome(target, TIMES):
            if first is None:
                first = (error, said, given)
            assert type(error) is type(first[0]), error
            assert said == first[1]
            assert same(given, first[2]), f"{target}: results differ"
            if error:
                assert notes_of(error) == notes_of(first[0])
    error, said, _ = first
    kind = finding["kind"]
    if name == "stopped_deadlock_wrong":
        assert str(error).startswith("error[TW2110]: invalid rank: rank 8 does not exist")  # which would end any run
    elif kind in ("deadlock", "overshot"):
        assert isinstance(error, tilewire.DeadlockError)
        told, reported = waits_of_run(error), waits_of_report(finding)
        if "tests" in str(error):  # of those a run says the cell and its value
            told, reported = ({wait[:-1] for wait in waits} for waits in (told, reported))
        assert told == reported
    elif kind in ("race", "shard", "lost") and "overlapping pipe workspaces" not in finding["message"]:
        text = said[0] if said else error.diagnostics[0].notes[-1].text
        uses = re.match(r"replayed: (.*); then (.*); nothing orders the two$", text)
        for use, place in zip(uses.groups(), finding["places"]):
            where = f" in `{place['function']}`" if place["function"] else ""  # else the orchestration function
            assert use.startswith(f"rank {place['rank']}{where}")
            assert use.endswith(f", line {place['line']}, {place['text']}")
    elif kind in ("bounds", "shard"):
        assert type(error) is tilewire.RunError
        kind, what = error.diagnostics[0].message.split(": ", 1)  # the checker may have another word for the kind
        assert kind and finding["message"].endswith(": " + what)
        assert error.diagnostics[0].line == finding["line"]
    else:
        assert kind == "divergent"


@pytest.mark.parametrize("target", TARGETS)
def test_results_are_those_of_the_order(target, schedules):
    # Rank 0 reads the window of rank 1 before that has written it.
    _, said, (_, y) = Runs("22_result_before_barrier_wrong", schedules("22_result_before_barrier_wrong")[0]).outcome(target)[0]
    assert said and not y[0].any() and y[1].any()
    # The first task reads, then the second one overwrites what it has read.
    runs = Runs("12_write_after_read_wrong", schedules("12_write_after_read_wrong")[0])
    _, said, (x, y, z) = runs.outcome(target)[0]
    np.testing.assert_array_equal(y, runs.arguments[2])
    np.testing.assert_array_equal(z, x)


@pytest.mark.parametrize("target", TARGETS)
def test_command_takes_everything_from_the_schedule(target, schedules):
    schedule, finding = schedules("02_no_read_complete_round_wrong")
    code, out, err = command("run", "02_no_read_complete_round_wrong.py", "--replay", schedule, "--target", target)
    assert (code, err) == (0, "")
    assert out.startswith("replayed: rank 0 in `chip`, line 30, writes bytes 0 to 31 of `w` on rank 0; then rank 1")
    assert "\ny: [2, 1, 8] FP32" in out
    assert command("run", "02_no_read_complete_round_wrong.py", "--replay", schedule, "--target", target) == (code, out, err)
    code, out, err = command("run", "03_equal_overtaken_wrong.py", "--replay", schedules("03_equal_overtaken_wrong")[0],
                             "--target", target)
    assert (code, out) == (1, "")
    assert "rank 1, in `chip`: waits for `s[0, 0]` on rank 1 == 1, which is 2" in err


def test_constants_and_inputs_come_from_the_schedule(tmp_path):
    program = tmp_path / "late.py"
    program.write_text("""\
import tilewire.language as pl
import tilewire.language.distributed as pld


@pl.jit.incore
def late(s: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]], n: pl.Scalar[pl.INT32]):
    pld.system.notify(s, (pld.rank(pld.get_comm_ctx(s)) + 1) % pld.nranks(pld.get_comm_ctx(s)), [0, 0], n)
    pld.system.wait(s, [0, 0], WANTED)


@pl.jit.host
def main(n: pl.Scalar[pl.INT32]):
    s = pld.alloc_signal(1)
    for r in pl.range(pld.world_size()):
        late(s, n, device=r)
""")
    schedule = tmp_path / "s.json"
    assert command("check", program, "--ranks", 3, "-D", "WANTED=7", "--in", "n=6", "--replay-out", schedule)[0] == 1
    for target in TARGETS:
        code, _, err = command("run", program, "--replay", schedule, "--target", target)
        assert code == 1
        for rank in range(3):
            assert f"rank {rank}, in `late`: waits for `s[0, 0]` on rank {rank} >= 7, which is 6" in err
    code, _, err = command("run", program, "-D", "WANTED=8", "--replay", schedule)
    assert (code, err) == (64, f"error[TW2236]: the schedule `{schedule}` was made for another program, or before `main` "
                              f"was changed\n  = help: make a new one: tilewire check FILE --replay-out {schedule}\n")


@pytest.mark.parametrize("target", TARGETS)
def test_what_is_no_schedule_of_this_program(target, schedules, tmp_path):
    good, _ = schedules("02_no_read_complete_round_wrong")
    bad = tmp_path / "bad.json"
    file = "02_no_read_complete_round_wrong.py"

    def refused(text, *args, program=file):
        bad.write_text(text)
        code, out, err = command("run", program, "--replay", bad, "--target", target, *args)
        assert out == ""
        return code, err.replace(str(bad), "S")

    text = good.read_text()
    said = json.loads(text)
    assert refused(text[: len(text) // 2]) == (64, "error[TW2401]: `S` is not JSON: it ends too early\n")
    assert refused("") == (64, "error[TW2401]: `S` is not JSON: it ends too early\n")
    assert refused('{"version": 1, "agents": [], "steps": []}')[1] == (
        "error[TW2404]: `S`: `version` must be at least 2, got 1\n")
    code, err = refused(text, program="03_equal_overtaken_wrong.py")
    assert code == 64 and err.startswith("error[TW2236]: the schedule `S` was made for another program")
    assert refused(text, "--ranks", 3) == (64, "error[TW2237]: the schedule `S` is one of 2 ranks, but the run has 3\n")
    assert refused(json.dumps({**said, "ranks": "two"}))[1] == (
        'error[TW2403]: `S`: `ranks` must be an integer, got "two"\n')
    agents = [dict(a) for a in said["agents"]]
    agents[0]["task"] = 5
    code, err = refused(json.dumps({**said, "agents": agents}))
    assert (code, err) == (1, "error[TW2133]: step 1 of the schedule cannot be followed (rank 0 in `chip`: start): "
                              "there is no such task or block yet\n")
    steps = [s for s in said["steps"] if s["do"] != "notify"]
    code, err = refused(json.dumps({**said, "steps": steps}))
    assert code == 1 and err.startswith("error[TW2133]: step ") and "cannot be followed (rank " in err
    assert refused(json.dumps({**said, "steps": [{"agent": 99, "do": "start"}]}))[1] == (
        "error[TW2404]: `S`: `steps[0].agent` must be at most 1, got 99\n")
    bad.unlink()
    code, _, err = command("run", file, "--replay", bad)
    assert (code, err) == (64, f"error[TW2235]: cannot read the schedule `{bad}`: No such file or directory\n")


def test_random_changes_never_hang(schedules, tmp_path):
    """Whatever the steps of a file say, a run ends."""
    good, _ = schedules("06_reset_races_wrong")
    said = json.loads(good.read_text())
    random = np.random.default_rng(1)
    path = tmp_path / "s.json"
    path.write_text(good.read_text())
    runs = Runs("06_reset_races_wrong", path)
    ends = set()
    for _ in range(100):
        steps = list(said["steps"])
        for _ in range(random.integers(1, 4)):
            i, j = random.integers(0, len(steps), 2)
            steps[i], steps[j] = steps[j], steps[i]
        if random.integers(2):
            del steps[random.integers(len(steps))]
        path.write_text(json.dumps({**said, "steps": steps}))
        for target in TARGETS:
            error, _, _ = runs.outcome(target)[0]
            ends.add(error.diagnostics[0].code if error else None)
    assert ends <= {None, "TW2133", "TW2121"} and "TW2133" in ends


def test_sessions_and_settings(schedules):
    schedule, _ = schedules("02_no_read_complete_round_wrong")
    runs = Runs("02_no_read_complete_round_wrong", schedule)
    if "cpu" in TARGETS:
        with runs.program.compile(entry="main").open(ranks=2) as session:
            with pytest.raises(tilewire.RunError, match="TW2238"):
                session(*runs.arguments, replay=schedule)
    with pytest.raises(tilewire.RunError, match="TW2237"):
        x = np.zeros((3, 1, 8), np.float32)
        runs.program.main(x, x.copy(), ranks=3, replay=str(schedule))
    with pytest.raises(tilewire.RunError, match="TW2234"):
        runs.program.main(*runs.arguments, ranks=2, schedule="replay:")


def test_schedules_from_python(tmp_path):
    program = pl.load_program(path_of("05_set_and_add_wrong"))
    program.main.check(ranks=[3]).schedule(tmp_path / "s.json")
    x = np.ones((3, 1, 8), np.float32)
    with pytest.warns(tilewire.ReplayWarning, match="rank 1 in `chip`, line 20, notifies .*; then rank 2"):
        program.main(x, x.copy(), replay=tmp_path / "s.json")
    with pytest.raises(ValueError, match="nothing is wrong"):
        pl.load_program(WRONG / "05_set_and_add_right.py").main.check(ranks=[3]).schedule(tmp_path / "s.json")


def test_nothing_wrong_is_nothing_to_replay(tmp_path):
    code, _, err = command("check", "03_equal_overtaken_right.py", "--ranks", 2, "--replay-out", tmp_path / "s.json")
    assert (code, err) == (0, f"nothing is wrong: {tmp_path / 's.json'} is not written\n")
    assert not (tmp_path / "s.json").exists()
