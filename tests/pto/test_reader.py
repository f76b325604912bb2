"""The strict reader: every accepted module is right, every refused text is refused for the reason written in it."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

import pytest
import reader

HERE = pathlib.Path(__file__).parent
ACCEPTED = sorted((HERE / "accepted").glob("*.pto"))
REJECTED = sorted((HERE / "rejected").glob("*.pto"))


def level_of(text: str) -> str:
    """The level that the first two lines of a file name."""
    match = re.search(r"level[23]", "\n".join(text.split("\n")[:2]))
    assert match
    return match.group()


def shown(text: str, level: str) -> list[str]:
    return [f"{fault.line}:{fault.column}: {fault.code}: {fault.message}" for fault in reader.read(text, level)]


@pytest.mark.parametrize("path", ACCEPTED, ids=lambda path: path.stem)
def test_accepted(path: pathlib.Path) -> None:
    text = path.read_text()
    assert shown(text, level_of(text)) == []


def test_modules_without_tiles_are_right_at_both_levels() -> None:
    for path in ACCEPTED:
        text = path.read_text()
        other = {"level2": "level3", "level3": "level2"}[level_of(text)]
        codes = {fault.code for fault in reader.read(text, other)}
        if path.stem in ("17_signals", "23_carried_scalars"):
            assert not codes
        else:
            expected = "address-missing" if other == "level3" else "address-level2"
            assert expected in codes


@pytest.mark.parametrize("path", REJECTED, ids=lambda path: path.stem)
def test_rejected(path: pathlib.Path) -> None:
    text = path.read_text()
    expected = [line.removeprefix("//? ") for line in text.splitlines() if line.startswith("//? ")]
    assert expected and shown(text, level_of(text)) == expected


def test_all_refusals_of_the_assembler_are_here() -> None:
    assert [int(path.stem[:3]) for path in REJECTED] == list(range(1, 118))


def test_the_command_shows_the_line(tmp_path: pathlib.Path) -> None:
    bad = tmp_path / "bad.pto"
    bad.write_text("module {\n  func.func @k() {\n    %x = pto.tmagic\n  }\n}\n")
    good = ACCEPTED[0]
    ran = subprocess.run([sys.executable, HERE / "read", bad, good], capture_output=True, text=True)
    assert ran.returncode == 1
    assert ran.stdout == (
        f"{bad}:3:10: error: unknown-op: unknown op `pto.tmagic`\n        %x = pto.tmagic\n             ^\n"
    )
    assert subprocess.run([sys.executable, HERE / "read", good]).returncode == 0


def test_the_command_refuses_what_it_cannot_read(tmp_path: pathlib.Path) -> None:
    binary = tmp_path / "binary.pto"
    binary.write_bytes(b"module \xff {}")
    for path, message in ((binary, "not UTF-8 text: invalid start byte at byte 7"), (tmp_path / "none.pto", "No such file or directory")):
        ran = subprocess.run([sys.executable, HERE / "read", path], capture_output=True, text=True)
        assert (ran.returncode, ran.stderr) == (2, f"{path}: error: {message}\n")
