"""Code behind the frontend names ops by handles (src/ops/handles.h), which the compiler checks, not by strings."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ["passes", "interp", "check", "driver", "target", "numeric"]

COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*')
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def op_names():
    text = (ROOT / "src/ops/handles.h").read_text()
    return set(re.findall(r'Handle \w+\{"([\w.]+)"\}', text))


def quoted_names(text, names):
    """Literals that are the name of an op, or its family with the dot that a name would follow."""
    families = {name.rsplit(".", 1)[0] + "." for name in names if name.count(".") > 1}
    code = COMMENT.sub(lambda m: m[0] if m[0].startswith('"') else "", text)
    return [found for found in LITERAL.findall(code) if found in names or found in families]


def test_finds_quoted_names():
    names = op_names()
    assert len(names) > 200
    text = 'find("pl.tile.add"); std::string("pl.tile.") + name; fail("pl.tile.add: no"); x("//");  // "pld.rank"\n'
    assert quoted_names(text, names) == ["pl.tile.add", "pl.tile."]


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_op_is_named_by_a_string(folder):
    names = op_names()
    for path in sorted((ROOT / "src" / folder).rglob("*.[ch]*")):
        text = path.read_text()
        assert quoted_names(text, names) == [], f"{path.relative_to(ROOT)}: use a handle of ops/handles.h"
        assert "registry().find(" not in text, f"{path.relative_to(ROOT)} looks an op up by its name"
