"""Guides do what they say: programs are written, commands are run, and the output is the one that is printed.

A block that starts with `# NAME.py` is a file. Lines `$ COMMAND` are run, what follows each is its output. A block
marked `sh` is run and its output is not looked at, one marked `text` is only shown.
"""

import os
import pathlib
import re
import subprocess
import sys

import pytest

DOCS = pathlib.Path(__file__).parents[2] / "docs"
GUIDES = ["find-a-hang.md"]


def blocks(text):
    """(language, text, number of the first line) of every fenced block."""
    return [(found[1], found[2], text[: found.start(2)].count("\n") + 1)
            for found in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S)]


def run(command, folder):
    path = f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(["bash", "-c", command], cwd=folder, env={**os.environ, "PATH": path}, timeout=120, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout


@pytest.mark.parametrize("name", GUIDES)
def test_guide(name, tmp_path):
    commands = 0
    for language, text, line in blocks((DOCS / name).read_text(encoding="utf-8")):
        if language == "python":
            found = re.match(r"# (\w+\.py)\n", text)
            assert found, f"{name}:{line}: a program without a name"
            (tmp_path / found[1]).write_text(text)
        elif language == "sh":
            assert run("set -e\n" + text, tmp_path) == ""
        elif language == "":
            for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.M):
                assert run(command, tmp_path) == output, f"{name}:{line}: {command}"
                commands += 1
    assert commands >= 4
