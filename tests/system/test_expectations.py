"""The comments of tests/lang/expectations.py keep every character of what the command writes."""
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lang"))
import expectations  # noqa: E402

PROGRAM = [
    "import tilewire.language as pl",
    "v = missing",
    "w = other + missing",
]

ONE = """\
error[TW1001]: `missing` is not defined
 --> sample.py:2:5
  |
2 | v = missing
  |     ^^^^^^^ a label
  = note: a note
  = note: used here
 --> sample.py:3:13
  |
3 | w = other + missing
  |             ^^^^^^^
  = help: define it
"""

SEVERAL = """\
warning[TW1059]: `w` is not used
 --> sample.py:3:1
  |
3 | w = other + missing
  | ^

error[TW1001]: `missing` is not defined
 --> sample.py:2:5
  |
2 | v = missing
  |     ^^^^^^^

error[TW1122]: the text has no program
 --> sample.py
  = help: write one

2 errors (further ones not shown)
"""

QUOTED = """\
error[TW0102]: the source contains a NUL byte
 --> sample.py:2:5
  |
2 | v = ?
  |     ^ byte 0x00
"""


def comments(err, code=3, out=""):
    return expectations.annotated("sample", PROGRAM, code, out, err)


def test_messages_stand_at_their_lines():
    assert comments(ONE) == [
        "import tilewire.language as pl",
        "v = missing",
        "#   ^^^^^^^ a label",
        "# error: TW1001 `missing` is not defined",
        "# note: a note",
        "# help: define it",
        "w = other + missing",
        "#           ^^^^^^^",
        "# note: used here",
    ]


def test_order_is_numbered_where_lines_do_not_tell_it():
    assert comments(SEVERAL) == [
        "import tilewire.language as pl",
        "v = missing",
        "#   ^^^^^^^",
        "# error 2: TW1001 `missing` is not defined",
        "w = other + missing",
        "#<^",
        "# warning 1: TW1059 `w` is not used",
        "# error 3: TW1122 the text has no program",
        "# help: write one",
        "# further errors are not shown",
    ]


def test_other_output_is_quoted():
    assert comments(QUOTED)[3:] == ["# stderr:"] + ["#| " + line for line in QUOTED.splitlines()]
    assert comments("", 0, "a\n\nb\n")[3:] == ["# stdout:", "#| a", "#|", "#| b"]


@pytest.mark.parametrize("err", [ONE, SEVERAL, QUOTED], ids=["one", "several", "quoted"])
def test_no_change_is_lost(err):
    seen = {tuple(comments(err)): err}
    for at in range(len(err)):
        for changed in (err[:at] + "^" + err[at + 1:], err[:at] + " " + err[at:], err[:at] + err[at + 1:]):
            try:
                lines = comments(changed)
            except ValueError:
                continue  # no newline at the end: a failed test, whatever is expected
            assert seen.setdefault(tuple(lines), changed) == changed
            assert expectations.source(lines) == PROGRAM


@pytest.mark.parametrize("code, out", [(1, ""), (3, "text\n"), (-11, "")])
def test_other_exit_codes_are_refused(code, out):
    with pytest.raises(ValueError, match="exit code"):
        comments(ONE, code, out)


def test_files_are_read_as_written(tmp_path):
    programs = {"one": comments(ONE), "empty": ["# error: TW1122 the text has no program"]}
    path = tmp_path / "sample.py"
    path.write_text(expectations.text(programs))
    assert expectations.is_inline(path)
    assert expectations.read(path) == programs


@pytest.mark.parametrize("text", ["# --- a\nx\n# --- b\ny\n", "# --- a\nx\n\n# --- a\ny\n", "# --- a\nx"])
def test_malformed_files_are_refused(tmp_path, text):
    path = tmp_path / "sample.py"
    path.write_text(text)
    with pytest.raises(ValueError):
        expectations.read(path)
