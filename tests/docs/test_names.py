"""Names of the language that pages mention exist, and options of the command."""

from __future__ import annotations

import functools
import inspect
import pathlib
import re
import subprocess
import sys

import pytest
import tilewire
import tilewire.language as pl
import tilewire.language.distributed as pld
import tilewire.mypy_plugin  # noqa: F401
import tilewire.testing  # noqa: F401

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from pages import GENERATED, MEASURED, all_pages, pages, read  # noqa: E402

NAME = re.compile(r"(?<![\w./-])(pl|pld|tw|tilewire)((?:\.[A-Za-z_]\w*)+)(?![\w/])")
COMMAND = pathlib.Path(sys.executable).parent / "tilewire"

# In Markdown, what is shown as code: spans and blocks.
CODE = re.compile(r"^ *```\w*\n.*?^ *```$|`[^`\n]+`", re.M | re.S)


def exists(root: str, path: str) -> bool:
    found = {"pl": pl, "pld": pld, "tw": tilewire, "tilewire": tilewire}[root]
    for name in path.strip(".").split("."):
        if not hasattr(found, name):
            return False
        found = getattr(found, name)
    return True


@pytest.mark.parametrize("page", [page for page in all_pages() if page not in GENERATED])
def test_names(page: str) -> None:
    text = re.sub(r"error\[TW\d+\].*", "", read(page))  # a message may quote a name because it does not exist
    roots = ("pl", "pld") if "internals" in page else ("pl", "pld", "tw", "tilewire")  # `tw.fail` is a symbol of native code
    missing = {root + path for code in CODE.findall(text) for root, path in NAME.findall(code.strip("`"))
               if root in roots and path != ".h" and not exists(root, path)}
    assert missing == set()


def test_a_name_that_is_not_there() -> None:
    assert exists("pl", ".tile.load") and not exists("pl", ".tile.lode") and not exists("pl", ".lode.x")
    assert NAME.findall("x = pl.tile.load(pld.rank(c))") == [("pl", ".tile.load"), ("pld", ".rank")]


def help_of(*command: str) -> str:
    return subprocess.run([COMMAND, *command, "--help"], stdout=subprocess.PIPE, text=True, check=True, timeout=60).stdout


@functools.cache
def commands() -> list[str]:
    return re.findall(r"^  ([a-z]+) ", help_of().partition("Subcommands:")[2], re.M)


@functools.cache
def options() -> set[str]:
    return set(re.findall(r"--[a-z][a-z-]*", help_of() + "".join(help_of(name) for name in commands())))


def test_every_command_has_a_section() -> None:
    assert {"print", "run", "check"} <= set(commands())
    assert re.findall(r"^## tilewire (\w+)$", read("docs/command.md"), re.M) == commands()


@pytest.mark.parametrize("page", [page for page in pages() if page not in MEASURED])
def test_options_in_the_text(page: str) -> None:
    """Spans that begin with an option, such as `--ranks 2,3`: it is one of some command of tilewire."""
    text = re.sub(r"^ *```\w*\n.*?^ *```$", "", read(page), flags=re.M | re.S)
    assert set(re.findall(r"`(--[a-z][a-z-]*)", text)) <= options()


def test_codes_of_diagnostics() -> None:
    known = set(re.findall(r"^### (TW\d+)$", read("docs/diagnostics.md"), re.M))
    mentioned = {code for page in all_pages() if page not in GENERATED for code in re.findall(r"TW\d{4}", read(page))}
    assert mentioned and mentioned <= known


def parameters(text: str) -> list[tuple[str, str]]:
    """Names and defaults of a signature, without annotations, `*` and `/`."""
    found = [part.strip() for part in re.sub(r"\) ->.*|^\(|\)$", "", text, flags=re.S).split(", ")]
    split = [re.fullmatch(r"(\w+)(?:: [^=]*?)?(?: ?= ?(.*))?", part, re.S) for part in found if part not in ("", "*", "/")]
    assert all(split), text
    return [(match[1], (match[2] or "").replace('"', "'").replace("pld.", "").replace("pl.", "")) for match in split if match]


def test_signatures_of_ops() -> None:
    """The page of ops shows the signatures that Python has."""
    shown = re.findall(r"^### (\S+)\n\n```python\n\1(.*?)\n```", read("docs/ops.md"), re.M | re.S)
    assert len(shown) > 250
    different = []
    for name, signature in shown:
        root, _, path = name.partition(".")
        if path in ("scalar.and", "scalar.or", "scalar.not"):  # words of Python: written as operators only
            continue
        assert exists(root, path), name
        function = functools.reduce(getattr, path.split("."), {"pl": pl, "pld": pld}[root])
        actual = parameters(str(inspect.signature(function)))
        wanted = parameters(signature)
        if [parameter for parameter, _ in actual] != [parameter for parameter, _ in wanted] or (
                [bool(default) for _, default in actual] != [bool(default) for _, default in wanted]):
            different.append(f"{name}{signature}: {inspect.signature(function)}")
    assert different == []
