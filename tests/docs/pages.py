"""The pages of the documentation, and the blocks of code in them.

docs/internals/documentation.md describes the comments that say what a block is.
"""

from __future__ import annotations

import dataclasses
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Pages that are made from tables of the compiler; a suite of scripts/test compares them with the tables.
GENERATED = {"docs/ops.md": "made from the op registry; signatures are compared with those of Python", "docs/diagnostics.md": "made from the table of diagnostics"}

# Pages whose commands are measurements.
MEASURED = {"docs/performance.md": "benchmarks take minutes and need an idle machine"}

_FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.M | re.S)
_COMMENT = re.compile(r"<!-- ([a-z ]+)(?::((?:(?!-->).)*))?-->\n+ *```\w*\n$", re.S)


@dataclasses.dataclass
class Block:
    page: str
    language: str
    text: str  # as on the page, less the indentation of the fence
    line: int  # of the first line of the text
    start: int  # where the text is in the page
    end: int
    directive: str = ""
    argument: str = ""
    indent: str = ""

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


def pages() -> list[str]:
    """Pages whose blocks are run, as paths from the root."""
    found = ["README.md"] + sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").glob("*.md"))
    return [page for page in found if page not in GENERATED and page not in MEASURED]


def all_pages() -> list[str]:
    return ["README.md"] + sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md"))


def read(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def dedent(text: str, indent: str) -> str:
    return re.sub(f"^{indent}", "", text, flags=re.M) if indent else text


def blocks(page: str, text: str) -> list[Block]:
    found = []
    for match in _FENCE.finditer(text):
        block = Block(page, match[2], dedent(match[3], match[1]), text[: match.start(3)].count("\n") + 1,
                      match.start(3), match.end(3), indent=match[1])
        comment = _COMMENT.search(text, 0, match.start(3))
        if comment and comment[1] != "page not run":
            block.directive, block.argument = comment[1].strip(), (comment[2] or "").strip()
        found.append(block)
    return found


_PAGE = re.compile(r"^<!-- page not run:(.*?)-->$", re.M)


def not_run(text: str) -> str | None:
    """Why no block of the page is run, unless a comment before it says what it is; None where blocks are run."""
    found = _PAGE.search(text)
    return found[1].strip() if found else None


def indented_code(text: str) -> list[int]:
    """Lines on which a block of code starts that is set off by spaces: nothing says what is in it."""
    without = re.sub(_FENCE.pattern + r"|<!--.*?-->", lambda match: re.sub(r"[^\n]+", "x", match[0]), text, flags=re.M | re.S)
    found = []
    lines = without.split("\n")
    in_list = False
    for i, line in enumerate(lines):
        if line and not line.startswith(" "):
            in_list = bool(re.match(r"([-*]|\d+\.) ", line))
        if line.startswith("    ") and not in_list and (i == 0 or not lines[i - 1].strip()):
            found.append(i + 1)
    return found


def commands(text: str) -> list[tuple[str, str, int, int]]:
    """Of a console block: each command, its output, and where the output is in the text."""
    found = []
    for match in re.finditer(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", text, re.M):
        found.append((match[1], match[2], match.start(2), match.end(2)))
    return found


# What differs between runs and processors: times, and errors of rounding.
_VARIES = (r"\d[\d.,]* ?(?:ns|us|ms|s)\b", r"\d\.\de[-+]\d\d\b")


def _line_pattern(line: str) -> str:
    pattern = r"\.\.\.|" + "|".join(_VARIES)
    parts, at = [], 0
    for found in re.finditer(pattern, line):
        kind = ".*" if found[0] == "..." else next(kind for kind in _VARIES if re.fullmatch(kind, found[0]))
        parts += [re.escape(line[at: found.start()]), kind]
        at = found.end()
    return "".join(parts) + re.escape(line[at:])


def matches(shown: str, actual: str, excerpt: bool = False) -> bool:
    """Whether the page shows what came out: `...` stands for any text, on a line of its own for any lines; a time for
    any time, and an error like 3.5e-07 for any other. An excerpt is a part of what came out, in whole lines."""
    pattern = ""
    for line in shown.rstrip().split("\n"):
        pattern += r"(?:.*\n)*?" if line.strip() == "..." else _line_pattern(line.rstrip()) + r"[ ]*\n"
    actual = actual.rstrip() + "\n"
    if excerpt:
        return re.search(r"^" + pattern, actual, re.M) is not None
    return re.fullmatch(pattern, actual) is not None or (not shown.strip() and not actual.strip())
