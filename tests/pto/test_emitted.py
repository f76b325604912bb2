"""Every example and every program of the language tests, emitted at both levels, is read without a fault.

What the dialect cannot express is listed in docs/pto.md, one line for each program:

    - `tests/lang/programs/dtypes.py`: `FP8E4M3FN` has no elements on a3

Such a program is refused, with every word that stands in backticks after the colon in the message.
"""

from __future__ import annotations

import functools
import pathlib
import re
import shlex
import subprocess
import tempfile

import pytest
import reader

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "pto.md"
SECTION = "## What cannot be expressed"
PROGRAMS = sorted([*(ROOT / "examples").glob("*.py"), *(ROOT / "tests" / "lang" / "programs").glob("*.py")])

pytestmark = pytest.mark.skipif(not (ROOT / "src" / "target" / "pto").exists(), reason="this tree has no target pto")


def command() -> str:
    for place in (".venv/bin/tilewire", "build/release/tilewire"):
        if (ROOT / place).exists():
            return str(ROOT / place)
    return "tilewire"


@functools.cache
def inexpressible() -> dict[str, list[str]]:
    """What docs/pto.md says: program, words of the message."""
    _, found, section = PAGE.read_text().partition(SECTION + "\n")
    assert found
    entries = {}
    for line in section.partition("\n## ")[0].splitlines():
        if entry := re.match(r"- `([\w/.]+\.py)`: (.*)", line):
            assert entry[1] not in entries, f"{entry[1]} is listed twice"
            entries[entry[1]] = re.findall(r"`([^`]+)`", entry[2])
            assert entries[entry[1]], f"{entry[1]}: no op or dtype is named"
    return entries


def options(program: pathlib.Path) -> list[str]:
    """What the program's own `# run:` line says about constants, types and where to start."""
    run = re.search(r"^# run: (.*)", program.read_text(), re.MULTILINE)
    words = shlex.split(run[1]) if run else []
    pairs = [words[i : i + 2] for i, word in enumerate(words) if word in ("-D", "--entry", "--shape")]
    return [word for pair in pairs for word in pair]


def emit(program: pathlib.Path, level: str, folder: pathlib.Path) -> subprocess.CompletedProcess[str]:
    arguments = [command(), "emit", "--target", "pto", "--level", level, *options(program), str(program), "-o", str(folder)]
    return subprocess.run(arguments, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("level", reader.LEVELS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_emitted(program: pathlib.Path, level: str, tmp_path: pathlib.Path) -> None:
    ran = emit(program, level, tmp_path)
    texts = sorted(tmp_path.rglob("*.pto"))
    words = inexpressible().get(str(program.relative_to(ROOT)))
    if words is not None:
        assert ran.returncode == 3 and not texts
        assert [word for word in words if word not in ran.stderr] == [] and "^" in ran.stderr
        return
    assert ran.returncode == 0, ran.stderr
    wrong = []
    for path in texts:
        text = path.read_text()
        wrong += [f"{path.name}:{fault.line}: {fault.code}: {fault.message}\n{text.splitlines()[fault.line - 1]}" for fault in reader.read(text, level)]
    assert not wrong, "\n".join(wrong)


def test_the_list_names_programs() -> None:
    assert sorted(set(inexpressible()) - {str(path.relative_to(ROOT)) for path in PROGRAMS}) == []


def test_the_texts_differ_by_level() -> None:
    """Guards the test itself: both levels are emitted, and neither reads as the other."""
    program = ROOT / "tests" / "lang" / "programs" / "vector_add.py"
    for level, other in (("level2", "level3"), ("level3", "level2")):
        with tempfile.TemporaryDirectory() as folder:
            assert emit(program, level, pathlib.Path(folder)).returncode == 0
            for path in pathlib.Path(folder).rglob("*.pto"):
                assert reader.read(path.read_text(), level) == [] and reader.read(path.read_text(), other) != []
