"""Makes the pages of docs/ into those of the site: MkDocs calls the functions `on_...`.

The README is the first page. Links to files outside docs/, such as examples, lead to a page with the file's text.
Pages that the navigation does not list are added to their section. Tables of benchmarks get a plot (bench/plot).
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import pathlib
import posixpath
import re
import sys
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = pathlib.Path(__file__).resolve().parents[1]
LINK = re.compile(r"(\]\()([^)\s]+)(\))")
FENCE = re.compile(r"^( *)```.*?^\1```$", re.M | re.S)
LANGUAGES = {".py": "python", ".cpp": "cpp", ".h": "cpp", ".def": "cpp", ".txt": "cmake"}


def slug(heading: str, separator: str) -> str:
    """Anchors as GitHub makes them, since pages are read there too."""
    plain = re.sub(r"<[^>]+>", "", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", separator)


def _title(path: pathlib.Path) -> str:
    found = re.search(r"^# (.*)$", path.read_text(encoding="utf-8"), re.M)
    return found[1] if found else path.stem


def on_config(config: Any) -> Any:
    """Adds pages that the navigation lacks: how-to guides, reference pages and internals."""
    listed = set(re.findall(r"[\w/-]+\.md", str(config.nav)))
    sections = {next(iter(entry)): next(iter(entry.values())) for entry in config.nav}
    for path in sorted((ROOT / "docs").rglob("*.md")):
        name = path.relative_to(ROOT / "docs").as_posix()
        if name in listed:
            continue
        section = "Internals" if name.startswith(("internals/", "add-")) else "How-to guides" if "howto" in name else "Reference"
        sections[section].append({_title(path): name})
    return config


def source_page(path: str) -> str:
    return f"source/{path.strip('/')}.md"


def _outside(page: str, target: str) -> str | None:
    """The path from the root of the repository of a link that leaves docs/."""
    if re.match(r"[a-z]+:|#", target):
        return None
    path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), target.split("#")[0]))
    return path if not path.startswith("docs/") and (ROOT / path).exists() else None


def _markdown(page: str) -> str:
    if page == "index.md":  # the README's links count from the root
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        return LINK.sub(lambda m: m[0] if re.match(r"[a-z]+:|#", m[2]) else
                        m[1] + (m[2].removeprefix("docs/") if m[2].startswith("docs/") else "../" + m[2]) + m[3], text)
    return (ROOT / "docs" / page).read_text(encoding="utf-8")


def _rewritten(page: str, text: str) -> str:
    """Links to files outside docs/ lead to their pages."""
    def link(match: re.Match[str]) -> str:
        outside = _outside(page, match[2])
        if outside is None:
            return match[0]
        here = posixpath.dirname(page) or "."
        return match[1] + posixpath.relpath("index.md" if outside == "README.md" else source_page(outside), here) + match[3]

    parts, at = [], 0
    for fence in FENCE.finditer(text):
        parts += [LINK.sub(link, text[at: fence.start()]), fence[0]]
        at = fence.end()
    return "".join(parts) + LINK.sub(link, text[at:])


def _source(path: str) -> str:
    """The page of a file, or of a folder: the list of what is in it."""
    found = ROOT / path
    if found.is_dir():
        inside = sorted(entry for entry in found.iterdir() if entry.is_file())
        here = posixpath.dirname(source_page(path))
        return f"# {path}\n\n" + "".join(
            f"- [{entry.name}]({posixpath.relpath(source_page(f'{path}/{entry.name}'), here)})\n" for entry in inside)
    text = found.read_text(encoding="utf-8").rstrip("\n")
    return f"# {path}\n\n````{LANGUAGES.get(found.suffix, 'text')}\n{text}\n````\n"


def _plots(page: str) -> list[Any]:
    """Of the tables of a page (bench/plot)."""
    loader = importlib.machinery.SourceFileLoader("bench_plot", str(ROOT / "bench" / "plot"))
    spec = importlib.util.spec_from_loader("bench_plot", loader)
    assert spec
    sys.dont_write_bytecode = True  # bench/ is no package
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module.plots(_markdown(page))


def _with_plots(markdown: str) -> str:
    lines = markdown.split("\n")
    for plot in reversed(_plots("performance.md")):
        lines[plot.line: plot.line] = ["", f"![{plot.title}](plots/{plot.name}.svg)", ""]
    return "\n".join(lines)


def on_files(files: Files, config: Any) -> Files:
    files.append(File.generated(config, "index.md", content=_markdown("index.md")))
    for name, source in (("site.css", "site.css"), ("assets/iframe-worker.js", "iframe-worker.js")):
        files.append(File.generated(config, name, content=(ROOT / "site" / source).read_text(encoding="utf-8")))
    for plot in _plots("performance.md"):
        files.append(File.generated(config, f"plots/{plot.name}.svg", content=plot.svg))
    wanted = set()
    for page in [file.src_uri for file in files if file.src_uri.endswith(".md")]:
        for match in LINK.finditer(FENCE.sub("", _markdown(page))):
            outside = _outside(page, match[2])
            if outside and outside != "README.md":
                wanted.add(outside)
                if (ROOT / outside).is_dir():
                    wanted |= {f"{outside}/{entry.name}" for entry in (ROOT / outside).iterdir() if entry.is_file()}
    for path in sorted(wanted):
        files.append(File.generated(config, source_page(path), content=_source(path)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    name = page.file.src_uri
    if name.startswith("source/"):
        return markdown
    return _rewritten(name, _with_plots(markdown) if name == "performance.md" else markdown)


sys.modules.setdefault("pages", sys.modules[__name__])  # mkdocs.yml names `slug`
