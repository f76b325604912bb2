"""The site that scripts/site builds: complete, searchable, and readable on a phone, in a real browser without a network."""

from __future__ import annotations

import functools
import html.parser
import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import time
import urllib.parse
from collections.abc import Iterator

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "system"))
from browser import Browser  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
PHONE = 390

# Text that is seen and smaller than 14 px; Markdown that was not understood and is shown as text; what is wider than the
# page; images that did not load. Text in pictures is not looked at: they keep their size and scroll.
LOOK = """
(() => {
  const small = new Set(), unread = new Set();
  const walker = document.createTreeWalker(document.querySelector('article'), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode, element = text.parentElement;
    if (/\\*\\*|\\]\\(|^\\|/.test(text.data) && !element.closest('code, pre')) unread.add(text.data.trim().slice(0, 60));
    if (!text.data.trim() || !element.offsetParent || element.closest('svg, .headerlink')) continue;
    if (parseFloat(getComputedStyle(element).fontSize) < 14) small.add(element.tagName + ': ' + text.data.trim().slice(0, 40));
  }
  const page = document.documentElement.scrollWidth;
  const missing = [...document.images].filter(i => !i.complete || !i.naturalWidth).map(i => i.src);
  return JSON.stringify({small: [...small].slice(0, 5), unread: [...unread], page, missing, title: document.title});
})()
"""


class Page(html.parser.HTMLParser):
    def __init__(self, text: str):
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.loaded: list[str] = []  # by the browser, when it opens the page
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        for key in ("id", "name"):
            if value := found.get(key):
                self.anchors.add(value)
        for key in ("href", "src"):
            if value := found.get(key):
                self.links.append(value)
                if tag != "a":
                    self.loaded.append(value)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("site") / "html"
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    done = subprocess.run([ROOT / "scripts" / "site", folder], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=600, env=environment)
    assert done.returncode == 0, done.stdout
    assert "WARNING" not in done.stdout
    return folder


@pytest.fixture(scope="module")
def pages(site: pathlib.Path) -> dict[str, Page]:
    return {path.relative_to(site).as_posix(): Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}


@pytest.fixture(scope="module")
def address(site: pathlib.Path) -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as made:
        yield made


def test_every_page_is_there(pages: dict[str, Page]) -> None:
    wanted = {path.relative_to(ROOT / "docs").with_suffix(".html").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert wanted | {"index.html"} <= set(pages)


def test_the_navigation_leads_to_every_page(site: pathlib.Path, pages: dict[str, Page]) -> None:
    text = (site / "index.html").read_text(encoding="utf-8")
    navigation = Page(text[text.index("md-nav--primary"): text.index("md-content")])
    for name in pages:
        assert name in navigation.links or name.startswith("source/") or name in ("404.html", "index.html"), name


def test_no_link_is_broken(site: pathlib.Path, pages: dict[str, Page]) -> None:
    broken = []
    for name, page in pages.items():
        if name == "404.html":  # its links count from the root of a server
            continue
        for link in page.links:
            if re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = link.partition("#")
            target = (site / name).parent / urllib.parse.unquote(path.split("?")[0]) if path else site / name
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                broken.append(f"{name}: {link}")
            elif anchor and target.suffix == ".html":
                if urllib.parse.unquote(anchor) not in pages[target.resolve().relative_to(site.resolve()).as_posix()].anchors:
                    broken.append(f"{name}: {link}")
    assert broken == []


def test_nothing_comes_from_other_hosts(site: pathlib.Path, pages: dict[str, Page]) -> None:
    assert [link for page in pages.values() for link in page.loaded if re.match(r"(https?:)?//", link)] == []
    for sheet in site.rglob("*.css"):
        assert not re.search(r"@import|url\((['\"]?)(https?:)?//", sheet.read_text(encoding="utf-8")), sheet


def test_pages_on_a_phone(browser: Browser, address: str, pages: dict[str, Page]) -> None:
    browser.size(PHONE, 844)
    wrong = []
    for name in sorted(pages):
        if name == "404.html" or name.startswith("source/") and name != "source/examples/mesh_allreduce.py.html":
            continue
        browser.open(f"{address}/{name}")
        seen = json.loads(browser.evaluate(LOOK))
        assert "Tilewire" in seen["title"]
        if seen["small"] or seen["unread"] or seen["missing"] or seen["page"] > PHONE:
            wrong.append(f"{name}: {seen}")
        wrong += [f"{name} asks for {url}" for url in browser.requests() if not url.startswith((address, "data:", "blob:"))]
        wrong += [f"{name}: {said}" for said in browser.complaints()]
    assert wrong == []


def test_pictures_are_shown(browser: Browser, address: str) -> None:
    browser.size(1300, 900)
    shown = {}
    for name in ("index.html", "tutorial.html", "checking.html", "internals/architecture.html", "performance.html"):
        browser.open(f"{address}/{name}")
        shown[name] = json.loads(browser.evaluate(
            "JSON.stringify([...document.querySelectorAll('article img')].filter(i => i.naturalWidth > 300 && i.offsetWidth > 300)"
            ".map(i => i.src.split('/').pop()))"))
    assert {"check.png", "trace.svg"} <= set(shown["index.html"])
    assert {"windows.svg", "proof.svg"} <= set(shown["tutorial.html"])
    assert {"check.png", "decide.svg"} <= set(shown["checking.html"])
    assert {"pipeline.svg"} <= set(shown["internals/architecture.html"])
    assert {"kernels.svg", "communication.svg"} <= set(shown["performance.html"])


def found(browser: Browser, words: str) -> list[str]:
    """Pages that the search lists, once it says how many there are."""
    browser.evaluate("(() => { const query = document.querySelector('input[name=query]'); query.focus();"
                     f"query.value = {json.dumps(words)}; query.dispatchEvent(new Event('keyup', {{bubbles: true}}));"
                     "query.dispatchEvent(new Event('input', {bubbles: true})); })()")
    for _ in range(100):
        if "matching document" in browser.evaluate("document.querySelector('.md-search-result__meta').textContent"):
            break
        time.sleep(0.1)
    listed = json.loads(browser.evaluate(
        "JSON.stringify([...document.querySelectorAll('.md-search-result__link')].map(a => a.href))"))
    return [re.sub(r"[?#].*", "", link).split("/")[-1] for link in listed]


@pytest.mark.parametrize("served", [True, False], ids=["served", "folder"])
def test_the_search_finds_words(browser: Browser, address: str, site: pathlib.Path, served: bool) -> None:
    browser.size(1300, 900)
    page = f"{address}/tutorial.html" if served else site / "tutorial.html"
    for words, name in (("Triton-distributed", "howto-port.html"), ("TW2501", "diagnostics.html"), ("row_argmax", "ops.html")):
        browser.open(page)
        assert name in found(browser, words), words
    browser.open(page)
    assert found(browser, "xyzzyplugh") == []
    assert browser.complaints() == []
