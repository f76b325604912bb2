"""A folder of src/ includes only the folders to its left in the picture of docs/internals/architecture.md."""
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)


def picture():
    """The lines of the picture: those with arrows, indented below the sentence about includes."""
    text = (ROOT / "docs" / "internals" / "architecture.md").read_text(encoding="utf-8")
    start = text.index("A folder includes only folders to its left:")
    return [line for line in text[start:].split("\n\n|")[0].splitlines() if line.startswith("    ")]


def arrows(line):
    """(from, to) of a line: chains `a -> b`, where a group `{ b -> c, d }` has its chains side by side.

    Chains of one line that have nothing to do with each other are three spaces apart.
    """
    found = []

    def chain(text):
        """First and last folders of a chain."""
        parts, depth, start = [], 0, 0
        for at, char in enumerate(text):
            depth += (char == "{") - (char == "}")
            if depth == 0 and text.startswith("->", at):
                parts.append(text[start:at])
                start = at + 2
        ends = [group(part.strip()) for part in [*parts, text[start:]]]
        for (_, before), (after, _) in zip(ends, ends[1:]):
            found.extend((a, b) for a in before for b in after)
        return ends[0][0], ends[-1][1]

    def group(text):
        if not text.startswith("{"):
            assert re.fullmatch(r"[\w/]+", text), f"not a folder: {text!r}"
            return [text], [text]
        firsts, lasts = zip(*(chain(part) for part in text.strip("{} ").split(",")))
        return [f for first in firsts for f in first], [last for one in lasts for last in one]

    for text in re.split(r" {3,}", line.strip()):
        chain(text)
    return found


def allowed():
    """Per folder, those to its left; every folder may include abi, which includes nothing."""
    edges = [edge for line in picture() for edge in arrows(line)]
    folders = {folder for edge in edges for folder in edge}
    left = {folder: {folder} for folder in folders}
    while any(not left[a] <= left[b] and not left[b].update(left[a]) for a, b in edges):
        pass
    return {folder: left[folder] | ({"abi"} if folder != "abi" else set()) for folder in folders}


def folder_of(path):
    parts = path.relative_to(SOURCE).parts
    return "/".join(parts[:2]) if parts[0] == "target" and len(parts) > 2 else parts[0]


def included(path):
    """Files of ours that a file includes."""
    for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
        for start in (SOURCE, path.parent, ROOT / "include"):
            if (start / name).is_file():
                yield (start / name).resolve()
                break


SOURCES = sorted(path for end in ("*.h", "*.cpp", "*.def") for path in SOURCE.rglob(end))
ALLOWED = allowed()


def test_every_folder_is_in_the_picture():
    assert {folder_of(path) for path in SOURCES} == set(ALLOWED)


@pytest.mark.parametrize("folder", sorted(ALLOWED))
def test_includes_follow_the_arrows(folder):
    against = [
        f"{path.relative_to(ROOT)} includes {file.relative_to(ROOT)}"
        for path in SOURCES if folder_of(path) == folder
        for file in included(path)
        if file.is_relative_to(SOURCE) and folder_of(file) not in ALLOWED[folder]
    ]
    assert not against, "against the arrows of docs/internals/architecture.md:\n" + "\n".join(against)


def test_public_headers_include_nothing_of_the_inside():
    for path in (ROOT / "include").rglob("*.h"):
        assert not [file for file in included(path) if file.is_relative_to(SOURCE)], path


@pytest.mark.parametrize("line, edges", [
    ("a -> b -> c", [("a", "b"), ("b", "c")]),
    ("a -> { b -> c, d } -> e", [("b", "c"), ("a", "b"), ("a", "d"), ("c", "e"), ("d", "e")]),
    ("a -> b     c -> { d, e/f }", [("a", "b"), ("c", "d"), ("c", "e/f")]),
])
def test_the_picture_is_understood(line, edges):
    assert arrows(line) == edges
