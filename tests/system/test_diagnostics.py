"""Every message has a test: a row of the table that a text can trigger appears in an expected file of tests/lang."""
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TABLES = [
    path.read_text() for path in sorted((ROOT / "src" / "support" / "diagnostics").glob("*.def"))
    if path.name != "all.def"
]
LANG = ROOT / "tests" / "lang"

# Rows no text file triggers, and where else they are tested.
EXEMPT = {
    "source_too_large": "needs a file of 4 GB",
    "host_failed": "needs the enclosing Python scope, which a file has not: test_parse.py",
    "recursion": "the levels of functions forbid every cycle before it is met",
}


def rows():
    found = {}
    for table in TABLES:
        for code, name, severity, rest in re.findall(
                r'TW_DIAG\((\d+), (\w+), (Error|Warning),(.*?)\)\s*(?=TW_DIAG|//|\Z)', table, re.S):
            found[int(code)] = (name, severity.lower(), rest)
    return found


def reported():
    """The code and severity of every message in the expected files, with a file that has it."""
    found = {}
    for path in sorted(LANG.rglob("*.err")):
        for severity, code in re.findall(r"^(error|warning)\[TW(\d{4})\]", path.read_text(encoding="utf-8"), re.M):
            found.setdefault(int(code), (severity, path))
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
    for code, (severity, path) in reported().items():
        assert code in table, f"{path.name}: TW{code:04} is not in the table"
        assert severity == table[code][1], f"{path.name}: TW{code:04}"


@pytest.mark.parametrize("path", sorted(LANG.rglob("*.err")), ids=lambda p: p.stem)
def test_messages_are_for_users(path):
    text = path.read_text(encoding="utf-8")
    assert "fault of Tilewire" not in text and "internal error" not in text
    assert "{0}" not in text and "{1}" not in text
    assert path.with_suffix(".py").exists()
