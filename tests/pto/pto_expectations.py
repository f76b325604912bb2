"""The modules of rejected/ and wrong/, with what the reader says about each.

A file of rejected/ is one module that the assembler refuses; its first lines say why, and at which level. A file of
wrong/ holds several that it lets pass, each after a line `// --- name (level)`. Below a module stand its faults, one
in a line: `//? LINE:COLUMN: CODE: text`, counted from the first line of the module.

Run this file to rewrite the faults after a change; review the difference like code.
"""

from __future__ import annotations

import pathlib
import re
from dataclasses import dataclass

import reader

HERE = pathlib.Path(__file__).parent
REJECTED = sorted((HERE / "rejected").glob("*.pto"))
WRONG = sorted((HERE / "wrong").glob("*.pto"))
MARK, HEAD = "//? ", "// --- "


@dataclass(frozen=True)
class Case:
    name: str
    level: str
    text: str
    expected: list[str]


def level_of(text: str) -> str:
    """The level that the first two lines of a file name."""
    match = re.search(r"level[23]", "\n".join(text.split("\n")[:2]))
    assert match
    return match.group()


def faults(text: str, level: str) -> list[str]:
    return [f"{fault.line}:{fault.column}: {fault.code}: {fault.message}" for fault in reader.read(text, level)]


def case(name: str, level: str, text: str) -> Case:
    lines = text.splitlines()
    expected = [line.removeprefix(MARK) for line in lines if line.startswith(MARK)]
    return Case(name, level, "\n".join(line for line in lines if not line.startswith(MARK)) + "\n", expected)


def cases(path: pathlib.Path) -> list[Case]:
    text = path.read_text()
    if path.parent.name == "rejected":
        return [case(path.stem, level_of(text), text)]
    found = []
    for section in text.split(HEAD)[1:]:
        head, _, rest = section.partition("\n")
        name, _, level = head.rpartition(" ")
        found.append(case(f"{path.stem}: {name}", level.strip("()"), rest))
    return found


def update(path: pathlib.Path) -> None:
    parts = []
    for one in cases(path):
        head = "" if path.parent.name == "rejected" else f"{HEAD}{one.name.partition(': ')[2]} ({one.level})\n"
        parts.append(head + one.text.rstrip("\n") + "\n" + "".join(f"{MARK}{line}\n" for line in faults(one.text, one.level)))
    path.write_text("\n".join(parts))


if __name__ == "__main__":
    for file in REJECTED + WRONG:
        update(file)
