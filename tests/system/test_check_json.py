"""`tilewire check --json` prints a document also where there is nothing to check."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TILEWIRE = Path(sys.executable).parent / "tilewire"
PROGRAM = """\
import tilewire.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = pl.store(pl.load(x), [0, 0], y)
    return y


@pl.jit
def main(x: pl.Tensor[[16, 16], pl.FP32], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
    y = kernel(x, y)
    return y
"""


def check(folder, text, *options):
    (folder / "program.py").write_text(text)
    command = [TILEWIRE, "check", *(options or ["program.py"]), "--json"]
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=60)
    (report,) = json.loads(done.stdout)
    return done, report


@pytest.mark.parametrize(
    "text, line, column, message",
    [
        (PROGRAM.replace("pl.load(x)", "pl.load(z)"), 6, 26, "`z` is not defined"),
        (PROGRAM.replace("return y", "return y)"), 7, 13, "unmatched `)`"),
        ("", 0, 1, "`program.py` is empty"),
    ],
)
def test_a_program_that_cannot_be_read(tmp_path, text, line, column, message):
    done, report = check(tmp_path, text)
    assert done.returncode == 3 and f"]: {message}\n" in done.stderr
    assert report["verdict"] == "invalid"
    said = report["invalid"]
    assert (said["severity"], said["line"], said["message"]) == ("error", line, message)
    assert line == 0 or (said["file"], said["column"]) == ("program.py", column)
    assert report["messages"][0] == said and f"error[TW{said['code']:04}]" in done.stderr


def test_helps_and_notes(tmp_path):
    _, report = check(tmp_path, PROGRAM.replace("y = kernel(x, y)", "y = kernel(x, 3)"))
    said = report["invalid"]
    assert said["label"] == "" and [note["line"] for note in said["notes"]] == [5]
    assert len(report["messages"]) == 1


def test_a_file_that_is_not_there(tmp_path):
    done, report = check(tmp_path, "", "nothing.py")
    assert done.returncode == 64 and report["verdict"] == "invalid"
    assert report["invalid"]["message"] == "cannot read `nothing.py`: No such file or directory"


def test_arguments_that_do_not_fit(tmp_path):
    done, report = check(tmp_path, PROGRAM, "program.py", "--in", "z=3")
    assert done.returncode == 64 and report["verdict"] == "invalid"
    assert report["invalid"]["message"] == "`main` has no parameter `z`"


def test_ranks_that_do_not_fit_have_a_report(tmp_path):
    done, report = check(tmp_path, PROGRAM, "program.py", "--ranks", "2")
    assert (done.returncode, report["verdict"]) == (done.returncode, "invalid")
    assert "it runs on one rank, not on 2" in report["invalid"]["message"]


def test_a_program_that_python_makes(tmp_path):
    text = PROGRAM.replace("pl.load(x)", "pl.load(z)").replace("@pl.jit\ndef main", "@pl.jit\ndef made")
    done, report = check(tmp_path, text, "--python", "program.py:made")
    assert done.returncode == 3 and "`z` is not defined" in done.stderr
    assert (report["invalid"]["message"], report["invalid"]["line"]) == ("`z` is not defined", 6)
