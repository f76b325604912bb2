"""What the documentation says is so: its programs run, and its commands print what it shows."""

from __future__ import annotations

import pathlib
import re
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from pages import GENERATED, MEASURED, ROOT, blocks, indented_code, matches, pages, read  # noqa: E402
from pages import not_run as not_run_at_all  # noqa: E402
from runner import Runner  # noqa: E402


@pytest.mark.parametrize("page", pages())
def test_page(page: str, tmp_path: pathlib.Path, update: bool, not_run: list[str]) -> None:
    runner = Runner(page, tmp_path, update)
    wrong = runner.run()
    not_run += runner.not_run
    assert not wrong, "\n".join(wrong)
    assert runner.ran + len(runner.not_run) == len(blocks(page, read(page)))


@pytest.mark.parametrize("page", pages())
def test_every_block_is_fenced(page: str) -> None:
    assert not_run_at_all(read(page)) is not None or indented_code(read(page)) == []


# Of the tree, as commands name them: what builds make is there if its source is.
PATH = re.compile(r"(?<![\w/.{}$])(?:\.venv/bin/)?((?:build/release/)?(?:bench|scripts|examples|tests|docs|src)/[\w./-]+)")


def sources(path: str) -> list[pathlib.Path]:
    found = ROOT / path.removeprefix("build/release/")
    return [found, found.with_suffix(".cpp")]


@pytest.mark.parametrize("page", sorted(MEASURED))
def test_commands_that_are_not_run_name_what_is_there(page: str) -> None:
    """The commands of a page of measurements, and the files it speaks of."""
    named = {path.rstrip(".") for path in PATH.findall(read(page))}
    assert named
    assert [path for path in sorted(named) if not any(source.exists() for source in sources(path))] == []


def test_pages_that_are_not_run(not_run: list[str]) -> None:
    for page, reason in {**GENERATED, **MEASURED}.items():
        if (ROOT / page).exists():
            not_run.append(f"{page}: {reason}")


@pytest.mark.parametrize("shown, actual, same", [
    ("a\n", "a\n", True),
    ("a\n", "b\n", False),
    ("a\n", "a\nb\n", False),
    ("", "a\n", False),
    ("", "", True),
    ("a ... c\n", "a b c\n", True),
    ("a\n...\nd\n", "a\nb\nc\nd\n", True),
    ("a\n...\n", "b\nc\n", False),
    ("took 1.2 ms\n", "took 17 us\n", True),
    ("took 1.2 ms\n", "took 17\n", False),
    ("error 3.5e-07\n", "error 1.0e-06\n", True),
    ("error 3.5e-07\n", "error 0\n", False),
    ("4 ranks\n", "3 ranks\n", False),
    ("mean 0.01...: 1\n", "mean 0.0125: 1\n", True),
])
def test_comparing_output(shown: str, actual: str, same: bool) -> None:
    assert matches(shown, actual) is same


def page_of(folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch, text: str) -> Runner:
    (folder / "scratch").mkdir()
    monkeypatch.setattr("runner.read", lambda page: text)
    return Runner("page.md", folder / "scratch")


@pytest.mark.parametrize("text, said", [
    ("```console\n$ echo a\nb\n```\n", "`echo a` printed"),
    ("```python\nprint(1)  # 2\n```\n", "the block printed\n1"),
    ("```python\nraise ValueError('no')\n```\n", "ValueError: no"),
    ("```text\na\n```\n", "nothing says how to run"),
    ("<!-- not run -->\n```text\na\n```\n", "needs a reason"),
    ("<!-- page not run: -->\n\n```text\na\n```\n", "needs a reason"),
    ("<!-- page not run: no cluster -->\n\n<!-- output of: echo a -->\n```text\nb\n```\n", "`echo a` printed"),
    ("<!-- ran: yes -->\n```text\na\n```\n", "none of the comments"),
    ("<!-- excerpt of: README.md -->\n```text\na\n```\n", "there is no README.md"),
    ("<!-- excerpt of: examples/softmax.py -->\n```text\nno such line\n```\n", "not a part of"),
    ("<!-- output of: echo a -->\n```text\nb\n```\n", "`echo a` printed"),
    ("<!-- within:\n@pl.jit.incore\ndef f(x: pl.Tensor[[16, 64], pl.FP32]):\n    BLOCK\n-->\n```python\npl.lode(x)\n```\n",
     "the compiler does not take"),
    ("<!-- in the tree: src/ir/op.h -->\n```diff\n+no such line\n```\n", "has no lines"),
    ("<!-- applies -->\n```diff\n--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-no such line\n+another\n```\n",
     "does not apply"),
])
def test_a_false_page_fails(text: str, said: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [wrong] = page_of(tmp_path, monkeypatch, text).run()
    assert wrong.startswith("page.md:") and said in wrong


def test_a_page_that_is_not_run(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runner = page_of(tmp_path, monkeypatch, "# Page\n\n<!-- page not run: no cluster -->\n\n```console\n$ false\nb\n```\n")
    assert runner.run() == [] and runner.not_run == ["page.md:6: no cluster"]
