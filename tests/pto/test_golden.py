"""What programs are written as for the PTO assembler, text by text.

Each file of golden/ starts with the command that makes it. To add one, write that line and run

    python tests/pto/test_golden.py --update [NAME...]

which rewrites the files whose text has changed; review the difference like code.
"""

from __future__ import annotations

import difflib
import pathlib
import re
import shlex
import subprocess
import sys

import pytest
import reader

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = pathlib.Path(__file__).resolve().parent / "golden"
FILES = sorted(GOLDEN.glob("*.pto"))
MODULE = "module attributes"


def command_of(path: pathlib.Path) -> list[str]:
    """`// tilewire emit ...` in the first line."""
    first = path.read_text().split("\n", 1)[0]
    words = shlex.split(first.removeprefix("//"))
    assert words[:2] == ["tilewire", "emit"], f"{path.name} starts with no command"
    return words


def tilewire() -> str:
    for place in (".venv/bin/tilewire", "build/release/tilewire"):
        if (ROOT / place).exists():
            return str(ROOT / place)
    return "tilewire"


def emitted(words: list[str]) -> str:
    done = subprocess.run([tilewire(), *words[1:]], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def level_of(words: list[str]) -> str:
    return words[words.index("--level") + 1] if "--level" in words else "level2"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_text(path: pathlib.Path) -> None:
    words = command_of(path)
    expected = path.read_text().split("\n", 1)[1]
    found = emitted(words)
    lines = difflib.unified_diff(expected.splitlines(), found.splitlines(), "expected", "found", lineterm="")
    assert found == expected, "\n".join(lines)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_strict_reading(path: pathlib.Path) -> None:
    level = level_of(command_of(path))
    text = path.read_text().split("\n", 1)[1]
    for module in text.split(MODULE)[1:]:
        assert reader.read(MODULE + module, level) == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_nothing_is_unused(path: pathlib.Path) -> None:
    """Values without effect: what ops with regions, pops and contexts give may be left aside."""
    for function in path.read_text().split("func.func ")[1:]:
        names = re.findall(r"%\w+", function)
        for line in function.splitlines():
            made = re.match(r"\s*(%\w+) = (arith|pto\.(alloc|make|partition|treshape|subview|addptr|castptr|declare|tgetval))", line)
            assert not made or names.count(made[1]) > 1, line


def test_there_are_many() -> None:
    assert len(FILES) >= 40
    assert {level_of(command_of(path)) for path in FILES} == {"level2", "level3"}


def test_every_op_has_a_rule_or_a_reason() -> None:
    rows = [line.split("|") for line in (ROOT / "docs" / "pto-ops.md").read_text().splitlines() if line.startswith("| `")]
    assert len(rows) > 100
    assert [row[1].strip() for row in rows if not row[3].strip()] == []


def update(names: list[str]) -> None:
    for path in FILES:
        if names and path.stem not in names:
            continue
        words = command_of(path)
        text = f"// {shlex.join(words)}\n{emitted(words)}"
        if text != path.read_text():
            path.write_text(text)
            print(f"wrote {path.relative_to(ROOT)}")


if __name__ == "__main__":
    if sys.argv[1:2] != ["--update"]:
        sys.exit(__doc__)
    update(sys.argv[2:])
