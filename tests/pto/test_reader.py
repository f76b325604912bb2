"""The strict reader: every accepted module is right; the command."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest
import reader
from pto_expectations import faults, level_of

HERE = pathlib.Path(__file__).parent
ACCEPTED = sorted((HERE / "accepted").glob("*.pto"))


@pytest.mark.parametrize("path", ACCEPTED, ids=lambda path: path.stem)
def test_accepted(path: pathlib.Path) -> None:
    text = path.read_text()
    assert faults(text, level_of(text)) == []


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
