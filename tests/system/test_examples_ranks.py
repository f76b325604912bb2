"""Examples of several ranks: as scripts and by the command, proved, and their order tested by random schedules.

tests/conformance/test_examples.py compares their results.
"""

import faulthandler
import pathlib
import re
import runpy
import subprocess
import sys

import numpy as np
import pytest

from targets import TARGETS

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"
COMMAND = pathlib.Path(sys.executable).parent / "tilewire"

FILES = {path.stem: path for path in sorted(EXAMPLES.glob("*.py")) if "def main(ranks" in path.read_text()}


@pytest.fixture(autouse=True)
def watchdog():
    """Ends the process, with its stack, when ranks hang without being noticed."""
    faulthandler.dump_traceback_later(300, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


# What keeps an example in order, a little too weak.
WEAKER = [
    ("allgather_gemm", ", deps=[here]", ""),
    ("barrier", "barrier(signal, me, ranks, 2 * step + 2)", "barrier(signal, me, ranks, 2 * step + 1)"),
    ("halo_exchange", "await_edges(edges, step + 1,", "await_edges(edges, step,"),
    ("hello_ranks", "wait(greeting, [0, 0], 1)", "wait(greeting, [0, 0], 0)"),
    ("mesh_allreduce", "meet(signal, me, ranks, 1)", "meet(signal, me, ranks, 0)"),
    ("moe_dispatch", "wait(arrived, [source, 0], 1)", "wait(arrived, [source, 0], 0)"),
    ("overlapping_groups", "wait_all(ready, 1)", "wait_all(ready, 0)"),
    ("producer_consumer", "wait(freed, [slot, 0], epoch - 1)", "wait(freed, [slot, 0], epoch - 2)"),
    ("ring_allreduce", "wait(steps, [0, 0], ranks + step)", "wait(steps, [0, 0], ranks + step - 1)"),
    ("ring_gather", "wait(arrived, [0, 0], step + 1)", "wait(arrived, [0, 0], step)"),
    ("ring_shift", "wait(taken, [0, 0], step - 1)", "wait(taken, [0, 0], step - 2)"),
    ("ring_shift", "wait(fetched, [0, 0], step - 1)", "wait(fetched, [0, 0], step - 2)"),
]


@pytest.mark.parametrize("name, order, weaker", WEAKER)
def test_random_schedules_notice_what_is_out_of_order(name, order, weaker, tmp_path):
    text = FILES[name].read_text()
    assert text.count(order) == 1
    path = tmp_path / f"{name}.py"
    path.write_text(text.replace(order, weaker))
    example = runpy.run_path(str(path))["main"]
    with pytest.raises(AssertionError):
        for seed in range(1, 101):
            example(4, target="interp", schedule=f"random:{seed}")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("rows, columns", [(1, 4), (2, 2), (2, 3), (3, 4), (4, 4)])
def test_a_mesh_of_any_shape(rows, columns, target):
    example = runpy.run_path(str(FILES["mesh2d"]))
    ranks = rows * columns
    example["main"](ranks, columns, target=target)
    values = np.zeros((ranks, 1, example["WIDTH"]), np.float32)
    [report] = example["mesh_sums"].check(values, columns, np.zeros((ranks, 2, example["WIDTH"]), np.float32), ranks=[ranks])
    assert report.verdict == "proved", str(report)


@pytest.mark.parametrize("rows, columns", [(2, 2), (2, 3)])
def test_a_layer_over_a_mesh_is_proved(rows, columns):
    example = runpy.run_path(str(FILES["mesh_matmul"]))
    ranks, batch, depth, out = rows * columns, example["BATCH"], example["DEPTH"], example["OUT"]
    shapes = [(ranks, batch, depth), (ranks, depth, out), (ranks, columns, batch, out)]
    [report] = example["linear"].check(*(np.zeros(shape, np.float32) for shape in shapes), ranks=[ranks])
    assert report.verdict == "proved", str(report)


@pytest.mark.parametrize("ranks, tiles, verdict", [(2, 3, "proved"), (3, 6, "bounded")])
def test_the_tile_scheduler_is_proved_as_far_as_the_search_goes(ranks, tiles, verdict):
    example = runpy.run_path(str(FILES["tile_scheduler"]))
    own = -(-tiles // ranks)  # tiles whose results a rank keeps
    shapes = [(tiles * example["TILE"], example["COLS"]), (ranks, own * example["TILE"], example["COLS"])]
    [report] = example["schedule_tiles"].check(*(np.zeros(shape, np.float32) for shape in shapes), ranks=[ranks], limit=2000)
    assert report.verdict == verdict and not [f for f in report.findings if f.error], str(report)


def test_as_a_script():
    command = [sys.executable, EXAMPLES / "hello_ranks.py", "--ranks", "3", "--target", "interp"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert result.stdout == "hello: rank 2 of 3 was greeted by rank 1\n", result.stderr


def commands(name, verb):
    """The arguments of each `tilewire VERB examples/NAME.py ...` line in the docstring."""
    found = re.findall(rf"^    tilewire {verb} examples/{name}\.py(.*)$", FILES[name].read_text(), re.M)
    return [line.split() for line in found]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", [name for name in FILES if commands(name, "run")])
def test_by_the_command(name, target):
    for arguments in commands(name, "run"):
        command = [COMMAND, "run", FILES[name], "--target", target, *arguments]
        result = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert result.returncode == 0, result.stderr


# The choices of tokens have to be given, and zeros, which the command takes, are no choices.
@pytest.mark.parametrize("name", [name for name in FILES if name != "moe_dispatch"])
def test_proved(name):
    assert commands(name, "check")
    for arguments in commands(name, "check"):
        result = subprocess.run([COMMAND, "check", FILES[name], *arguments], capture_output=True, text=True, timeout=60)
        assert result.returncode == 0, result.stdout + result.stderr
        # Besides verdicts: cells that are general, and values that the program refuses.
        reports = [report for report in result.stdout.split("\n\n") if not report.startswith("warning[TW2527]")]
        verdicts = [line for report in reports for line in report.splitlines() if not line.startswith("`")]
        assert verdicts and all(": proved" in line for line in verdicts)
