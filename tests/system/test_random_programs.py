"""Random programs for several ranks: what is proved runs alike on every target and in every schedule, what is refuted
can be replayed, and tiny ones have the verdict of every interleaving.

TILEWIRE_PROGRAMS=N runs N programs in place of 200, TILEWIRE_PROGRAM_SEED=S starts at seed S. A long run prints how far
it has come, so that the next one can go on from there. A failure prints the seed and the program, cut down to what
still fails. Programs run in child processes: one that hangs or crashes is a failure like any other.
"""

import collections
import os
import signal
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

import pytest

import tilewire.language as pl
from child_runs import Died, run
from generate_programs import generate
from program_case import smaller
from program_runs import Wrong, examine

COUNT = int(os.environ.get("TILEWIRE_PROGRAMS", "200"))
FIRST = int(os.environ.get("TILEWIRE_PROGRAM_SEED", "0"))
SECONDS = 30  # that one run of a program may take
SHRINKING = float(os.environ.get("TILEWIRE_PROGRAM_SHRINK", "30"))  # seconds for cutting a program down
FAILURES = 3  # that are told in full; the run stops after the last


def examined(case, stage):
    """What is wrong with a program, or what it was like; all of it text and numbers."""
    warnings.simplefilter("ignore")
    try:
        outcome = examine(case, stage)
    except Wrong as wrong:
        return {"kind": wrong.kind, "text": str(wrong)}
    return {"kind": "", "verdict": outcome.verdict, "found": outcome.found, "open": outcome.open, "method": outcome.method}


def examined_seed(seed, stage):
    return examined(generate(seed), stage)


def kind_of(answer):
    """The failure in a few words, "" if there is none."""
    if isinstance(answer, Died):
        return f"{answer.how.splitlines()[-1]}, {answer.stage}"
    return answer["kind"]


def shrunk(case, kind, seconds):
    """A smaller program that fails in the same way."""
    until = time.monotonic() + seconds
    progress = True
    while progress and time.monotonic() < until:
        progress = False
        for change in smaller(case):
            if time.monotonic() > until:
                break
            [(_, answer)] = run([change], examined, seconds=5, jobs=1)
            if kind_of(answer) == kind:
                case, progress = change, True
                break
    return case


def told(seed, answer):
    """A failure with its program."""
    kind = kind_of(answer)
    text = answer.how if isinstance(answer, Died) else answer["text"]
    case = shrunk(generate(seed), kind, SHRINKING)
    return f"seed {seed}: {kind}\n{text}\n\n{case.ranks} ranks:\n{case.text}"


class Tally:
    """What the programs of a run were like."""

    def __init__(self):
        self.verdicts, self.features, self.kinds = (collections.Counter() for _ in range(3))

    def add(self, seed, answer):
        self.features.update(generate(seed).features)
        kind = kind_of(answer)
        if kind:
            self.kinds[kind] += 1
        else:
            self.verdicts[answer["verdict"]] += 1
            if answer["found"]:
                self.kinds[answer["found"]] += 1

    def __str__(self):
        return "\n".join(f"{name}: {dict(counts.most_common())}" for name, counts in vars(self).items())


def test_verdicts_runs_and_replays_agree():
    seeds = range(FIRST, FIRST + COUNT)
    tally, failures, done = Tally(), {}, set()
    low = FIRST
    answers = run(seeds, examined_seed, SECONDS)
    for index, answer in answers:
        tally.add(seeds[index], answer)
        done.add(seeds[index])
        while low in done:
            low += 1
            if (low - FIRST) % 1000 == 0:
                print(f"random programs: seeds {FIRST} to {low - 1} are done", flush=True)
        if kind_of(answer):
            failures[seeds[index]] = answer
            if len(failures) == FAILURES:
                break
    answers.close()
    print(tally)
    assert not failures, "\n\n".join(told(seed, answer) for seed, answer in sorted(failures.items()))
    if COUNT < 200:
        return
    # Programs of every verdict, with everything in them.
    assert 0.6 < tally.verdicts["proved"] / COUNT < 0.85, tally
    assert tally.verdicts["bounded"] / COUNT < 0.1, tally
    for kind in ("race", "deadlock"):
        assert tally.kinds[kind] > 0, tally
    if FIRST > 0 and COUNT < 1000:
        return  # what is rare may be missing
    for feature in FEATURES:
        assert tally.features[feature] > 0, f"{feature}\n{tally}"


FEATURES = ["plain", "slices", "spmd", "at", "deps", "no_dep", "ordered=False", "defer_wait", "elements",
            "elements no_dep", "parallel disjoint", "parallel chain", "parallel scratch", "parallel atomic",
            "parallel deps", "parallel exchange", "parallel window", "monotone", "credit", "epoch", "poll test",
            "poll read", "tries", "wait value", "counts", "seen", "notify_all", "pull", "put signal", "atomics",
            "window elements", "element after element", "poll orchestration", "test or wait", "local atomics",
            "block signals", "two groups", "late",
            "riffled", "direct", "allreduce auto", "allreduce mesh", "allreduce two_shot", "allreduce ring",
            "collective blocks", "broadcast", "allgather", "reduce_scatter", "all_to_all", "all_to_all_v",
            "host allreduce", "host broadcast", "host barrier", "push one", "push two", "push three", "push four",
            "push deferred", "direct exchange",
            "seen branch", "flags", "views", "views mixed", "lock", "tickets", "elected", "shared work", "added",
            "block work", "block lock", "fetched", "fetch_add", "compare_exchange", "task_join", "manual_scope",
            "manual rounds", "scope", "scope rounds", "sub-group", "sub-group by hand", "updates in sub-groups",
            "print", "mixed"]  # fmt: skip


# Every interleaving.

EXPLORE = Path(os.environ.get("TILEWIRE_EXPLORE", Path(__file__).parents[2] / "build" / "release" / "explore"))
STATES = 5000


def explored(case, folder):
    """The kinds of errors of a tiny program that some interleaving has; None if there are too many to see."""
    path = folder / f"tiny_{case.seed}.py"
    path.write_text(case.text)
    done = subprocess.run([EXPLORE, str(STATES), str(case.ranks), path], capture_output=True, text=True, check=True)
    words = done.stdout.split()
    return None if words == ["incomplete"] else words


def verdicts_of_tiers(seed, stage):
    """What is wrong with the verdict of a tier about a tiny program; "" if nothing is, "incomplete" if nobody knows."""
    warnings.simplefilter("ignore")
    case = generate(seed, tiny=True)
    stage(f"exploring tiny program {seed}")
    with tempfile.TemporaryDirectory() as folder:
        words = explored(case, Path(folder))
    if words is None:
        return "incomplete"
    for general in (False, True):
        stage(f"checking tiny program {seed}")
        [report] = pl.parse(case.text).main.check(ranks=case.ranks, general=general, limit=2000)
        found = next((f.kind for f in report.findings if f.error), "nothing")
        complete = words[0] != "incomplete"
        if (report.verdict == "proved" and words != ["nothing"]) or (
            report.verdict == "refuted" and complete and found not in words
        ):
            return (f"tiny program {seed}, {'general' if general else 'default'} tiers: {report.verdict}, {found}; "
                    f"every interleaving: {' '.join(words)}\n{case.text}")  # fmt: skip
    return ""


@pytest.mark.skipif(not EXPLORE.exists(), reason="the explorer is not built")
def test_tiny_programs_have_the_verdict_of_every_interleaving():
    seeds = range(FIRST, FIRST + max(20, COUNT // 4))
    answers = [answer for _, answer in run(seeds, verdicts_of_tiers, 60)]
    wrong = [a for a in answers if a not in ("", "incomplete")]
    assert not wrong, wrong[0].how if isinstance(wrong[0], Died) else wrong[0]
    assert answers.count("") > len(answers) / 4


def test_the_same_seed_is_the_same_program():
    for seed in range(20):
        assert generate(seed).text == generate(seed).text
    assert len({generate(seed).text for seed in range(50)}) == 50


def work_that_fails(item, stage):
    stage(f"item {item}")
    if item == 1:
        time.sleep(60)
    if item == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    if item == 3:
        raise ValueError("three")
    return item


def test_hangs_and_crashes_are_answers():
    answers = dict(run(range(6), work_that_fails, seconds=2))
    assert {i for i, a in answers.items() if a == i} == {0, 4, 5}
    assert answers[1] == Died("hang", "item 1")
    assert answers[2] == Died("crash (SIGKILL)", "item 2")
    assert answers[3].how.endswith("ValueError: three\n") and answers[3].stage == "item 3"


def test_programs_are_cut_down(monkeypatch):
    """To what the failure needs: here, a program that mentions `pld.tensor.barrier`."""
    case = next(c for c in map(generate, range(200)) if "pld.tensor.barrier(c)" in c.text and len(c.text) > 3000)
    monkeypatch.setitem(globals(), "examined", lambda c, stage: {"kind": "barrier" if "barrier(c)" in c.text else ""})
    assert len(shrunk(case, "barrier", 20).text) < len(case.text) / 3
