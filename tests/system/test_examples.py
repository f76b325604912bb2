"""Every example that runs does so on every target and agrees with NumPy: each of them compares the results itself."""

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


def run_by(path):
    """The arguments a `tilewire run examples/NAME.py ...` line in the docstring gives, None without one."""
    found = re.search(rf"^    tilewire run examples/{path.name}(.*)$", path.read_text(), re.M)
    return found and found[1].split()


# Those of several ranks are in test_examples_ranks.py and tests/conformance.
FILES = [path for path in sorted(EXAMPLES.glob("*.py")) if "def main(target" in path.read_text()]


def test_what_there_is():
    assert len(FILES) >= 16
    others = {p.stem for p in EXAMPLES.glob("*.py") if "def main(ranks" not in p.read_text()} - {p.stem for p in FILES}
    assert not others


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_example(path, target, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [str(path), "--target", target])
    runpy.run_path(str(path), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    assert 1 <= len(lines) <= 2 and all(":" in line for line in lines)


@pytest.mark.parametrize("target", TARGETS)
def test_as_a_script(target):
    command = [sys.executable, EXAMPLES / "softmax.py", "--target", target]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0 and result.stdout.startswith("softmax: "), result.stderr


@pytest.mark.parametrize("target", TARGETS)
def test_a_wrong_result_is_noticed(target, monkeypatch):
    example = runpy.run_path(str(EXAMPLES / "softmax.py"))
    monkeypatch.setattr(np, "exp", lambda x: 1 + x)
    with pytest.raises(AssertionError):
        example["main"](target)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("path", [p for p in FILES if run_by(p) is not None], ids=lambda path: path.stem)
def test_by_the_command(path, target):
    command = [COMMAND, "run", path, "--target", target, *run_by(path)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
