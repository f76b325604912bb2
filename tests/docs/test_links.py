"""Links between pages, and to files of the repository, lead somewhere."""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from pages import _FENCE, ROOT, all_pages, read  # noqa: E402

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def anchors(page: str) -> set[str]:
    """As GitHub makes them from headings."""
    text = _FENCE.sub("", read(page))
    found = set(re.findall(r'<a name="([^"]+)">', text))
    for heading in re.findall(r"^#+ (.*)$", text, re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
        found.add(re.sub(r"[^\w\- ]", "", plain).replace(" ", "-"))
    return found


@pytest.mark.parametrize("page", all_pages())
def test_links(page: str) -> None:
    text = _FENCE.sub("", read(page))
    broken = []
    for target in LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        found = (ROOT / page).parent / path if path else ROOT / page
        if not found.exists():
            broken.append(target)
        elif anchor and found.suffix == ".md" and anchor not in anchors(str(found.resolve().relative_to(ROOT))):
            broken.append(target)
    assert broken == []


def test_every_example_is_described() -> None:
    described = set(re.findall(r"`(\w+\.py)`", read("docs/examples.md")))
    assert {path.name for path in (ROOT / "examples").glob("*.py")} == described


def test_the_readme_names_every_folder() -> None:
    table = read("README.md").partition("## Where things are")[2]
    named = " ".join(row.split("|")[1] for row in re.findall(r"^\| .*$", table, re.M))
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    folders = {folder for file in files for folder in re.findall(r"^(?:src/)?[\w-]+(?=/)", file)}
    missing = {folder for folder in folders - {"src", "scripts"} if not re.search(rf"`{folder}[`/]", named)}
    assert missing == set()
