"""Every message has a test: a row of the table that a text can trigger is expected by a program of tests/lang."""
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "lang"))
import expectations  # noqa: E402

TABLES = [
    path.read_text() for path in sorted((ROOT / "src" / "support" / "diagnostics").glob("*.def"))
    if path.name != "all.def"
]
LANG = ROOT / "tests" / "lang"

# Rows no text file triggers, and where else they are tested.
EXEMPT = {
    "source_too_large": "needs a file of 4 GB",
    "host_failed": "needs the enclosing Python scope, which a file has not: test_parse.py",
    "host_needs_value": "the same: test_python_expressions.py",
    "python_print": "the same: test_python_expressions.py",
    "recursion": "the levels of functions forbid every cycle before it is met",
}


def rows():
    found = {}
    for table in TABLES:
        for code, name, severity, rest in re.findall(
                r'TW_DIAG\((\d+), (\w+), (Error|Warning),(.*?)\)\s*(?=TW_DIAG|//|\Z)', table, re.S):
            found[int(code)] = (name, severity.lower(), rest)
    return found


def expected_messages():
    """Program and expected messages, of files beside a program and of comments in it."""
    for path in sorted(LANG.rglob("*.err")):
        yield path.stem, path.read_text(encoding="utf-8")
    for path in sorted(LANG.glob("*/**/*.py")):
        if expectations.is_inline(path):
            for name, lines in expectations.read(path).items():
                yield name, "\n".join(line for line in lines if expectations.ANNOTATION.fullmatch(line))


EXPECTED = list(expected_messages())
MESSAGE = re.compile(rf"(?:#\| )?(error|warning)\[TW(\d{{4}})\]|{expectations.MESSAGE.pattern}")


def reported():
    """The code and severity of every expected message, with a program that has it."""
    found = {}
    for name, text in EXPECTED:
        for line in text.splitlines():
            if match := MESSAGE.match(line):
                severity, code = match.group(1, 2) if match.group(1) else match.group(3, 4)
                found.setdefault(int(code), (severity, name))
    return found


def from_text(code, rest):
    command_or_bytes = 500 <= code < 700
    after_reading = code >= 2000  # tested with the passes, the run time and the driver
    return not command_or_bytes and not after_reading and "IR only)" not in rest


def test_the_table_is_read():
    assert len(rows()) == sum(table.count("\nTW_DIAG(") for table in TABLES)


def test_every_row_has_a_program():
    seen = reported()
    missing = [
        f"TW{code:04} {name}" for code, (name, _, rest) in rows().items()
        if from_text(code, rest) and name not in EXEMPT and code not in seen
    ]
    assert not missing, "no program in tests/lang/errors triggers " + ", ".join(missing)


def test_exemptions_are_needed():
    seen, by_name = reported(), {name: code for code, (name, _, _) in rows().items()}
    for name in EXEMPT:
        assert name in by_name, f"{name} is no longer in the table"
        assert by_name[name] not in seen, f"{name} has a program now: remove it from EXEMPT"
    for code, (name, _, rest) in rows().items():
        if "IR only)" in rest:
            assert code not in seen, f"a text triggers {name}: give the row an example"


def test_codes_and_severities_are_those_of_the_table():
    table = rows()
    for code, (severity, name) in reported().items():
        assert code in table, f"{name}: TW{code:04} is not in the table"
        assert severity == table[code][1], f"{name}: TW{code:04}"


@pytest.mark.parametrize("text", [text for _, text in EXPECTED], ids=[name for name, _ in EXPECTED])
def test_messages_are_for_users(text):
    assert "fault of Tilewire" not in text and "internal error" not in text
    assert "{0}" not in text and "{1}" not in text


def test_every_expected_file_has_a_program():
    assert all(path.with_suffix(".py").exists() for path in LANG.rglob("*.err"))
