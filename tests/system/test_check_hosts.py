"""`check(hosts=)` and `tilewire check --hosts`: collectives take the form that they have on so many hosts."""

import json
import pathlib
import subprocess
import sys

import pytest
import tilewire.language as pl

COMMAND = pathlib.Path(sys.executable).parent / "tilewire"

PROGRAM = """
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def k(
    w: pl.InOut[pld.DistributedTensor[[1, 64], pl.FP32]],
    s: pl.InOut[pld.DistributedTensor[[NR, 1], pl.INT32]],
    y: pl.Out[pl.Tensor[[1, 64], pl.FP32]],
):
    w = pl.store(pl.full([1, 64], dtype=pl.FP32, value=1.0), [0, 0], w)
    BODY
    y = pl.store(pl.load(w), [0, 0], y)


@pl.jit.host
def main(y: pl.Out[pl.Tensor[[NR, 1, 64], pl.FP32]]):
    w = pld.alloc_window([1, 64], dtype=pl.FP32)
    s = pld.alloc_signal(pld.world_size())
    for r in pl.range(pld.world_size()):
        k(w, s, y[r], device=r)
"""
SUM = PROGRAM.replace("BODY", "w = pld.tensor.allreduce(w, s)")

# Waits for what only the second of several hosts does.
ON_TWO = PROGRAM.replace(
    "BODY",
    """ctx = pld.get_comm_ctx(w)
    half = pld.subgroup(ctx, pld.nranks(ctx) // 2)
    if pld.nhosts(ctx) == 2 and pld.nhosts(half) == 1 and pld.nhosts(pld.subgroup(ctx, pld.nranks(ctx))) == 2:
        pld.system.wait(s, [0, 0], 1)""",
)


def run(tmp_path, text, *options):
    path = tmp_path / "program.py"
    path.write_text(text)
    return subprocess.run([str(COMMAND), "check", str(path), *options], capture_output=True, text=True)


def test_a_sum_is_proved_on_hosts():
    reports = pl.parse(SUM).main.check(ranks=[2, 4, 6], hosts=2, calls=2)
    assert [report.verdict for report in reports] == ["proved"] * 3
    assert [report.text().split(":")[0] for report in reports] == [f"{n} ranks on 2 hosts" for n in (2, 4, 6)]
    assert [report["hosts"] for report in json.loads(reports.json())] == [2, 2, 2]
    alone = pl.parse(SUM).main.check(ranks=2)
    assert alone[0].text().startswith("2 ranks: proved")


def test_a_sum_on_the_host_of_a_window_as_long_as_there_are_ranks():
    text = """
import tilewire.language as pl
import tilewire.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.host
def main(x: pl.Tensor[[NR, NR, 1], pl.FP32], y: pl.Out[pl.Tensor[[NR, NR, 1], pl.FP32]]):
    n = pld.world_size()
    buffer = pld.alloc_window_buffer([n, 1], dtype=pl.FP32, load_from_host=x, store_to_host=y)
    w = pld.window(buffer, [n, 1], dtype=pl.FP32)
    w = pld.tensor.allreduce(w)
"""
    assert [report.verdict for report in pl.parse(text).main.check(ranks=[2, 4], hosts=2)] == ["proved"] * 2


def test_programs_see_the_hosts():
    program = pl.parse(ON_TWO)
    verdicts = {hosts: program.main.check(ranks=4, hosts=hosts)[0].verdict for hosts in (1, 2, 4)}
    assert verdicts == {1: "proved", 2: "refuted", 4: "proved"}


def test_hosts_have_equally_many_ranks():
    with pytest.raises(Exception) as caught:
        pl.parse(SUM).main.check(ranks=3, hosts=2)
    assert str(caught.value).startswith("error[TW2252]: 3 ranks cannot be spread evenly over 2 hosts\n")
    assert "help: each host has equally many: give a multiple of 2, such as 4" in str(caught.value)
    with pytest.raises(ValueError, match="^hosts must be 1 or more$"):
        pl.parse(SUM).main.check(hosts=0)


def test_the_command_takes_hosts(tmp_path):
    ended = run(tmp_path, SUM, "--hosts", "3")
    assert ended.returncode == 0, ended.stderr
    assert [line.split(" (")[0] for line in ended.stdout.splitlines() if "proved" in line] == [
        "3 ranks on 3 hosts: proved",
        "6 ranks on 3 hosts: proved",
    ]
    ended = run(tmp_path, SUM, "--ranks", "4", "--hosts", "3")
    assert ended.returncode == 3
    assert "error[TW2252]: 4 ranks cannot be spread evenly over 3 hosts\n" in ended.stdout + ended.stderr


def test_schedules_of_hosts_are_for_the_interpreter(tmp_path):
    schedule = tmp_path / "schedule.json"
    ended = run(tmp_path, ON_TWO, "--ranks", "4", "--hosts", "2", "--replay-out", str(schedule))
    assert ended.returncode == 1
    assert json.loads(schedule.read_text())["hosts"] == 2
    command = [str(COMMAND), "run", str(tmp_path / "program.py"), "--ranks", "4", "--replay", str(schedule)]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode != 0
    assert f"error[TW2253]: the schedule `{schedule}` is one of 2 hosts, but all ranks of the run are on one\n" in ended.stderr
    assert "help: the interpreter follows it: --target interp" in ended.stderr
    ended = subprocess.run([*command, "--target", "interp"], capture_output=True, text=True)
    assert "error[TW2121]: deadlock" in ended.stderr
