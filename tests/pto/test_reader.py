"""The strict reader: every accepted module is right."""

from __future__ import annotations

import pathlib
import re

import pytest
import reader

HERE = pathlib.Path(__file__).parent
ACCEPTED = sorted((HERE / "accepted").glob("*.pto"))


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
