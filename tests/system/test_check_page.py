"""The page that `tilewire check --html` writes, in a browser without a network: laid out, marked, alive, and harmless."""

import base64
import hashlib
import json
import pathlib
import re
import subprocess
import sys

import pytest

from browser import Browser

COMMAND = pathlib.Path(sys.executable).parent / "tilewire"
ROOT = pathlib.Path(__file__).parents[2]
PROGRAMS = ROOT / "tests" / "check"
EVIL = "</script></style></title><img src=x onerror=\"document.title='owned'\">"

BOXES = """
(() => {
  const box = e => { const r = e.getBoundingClientRect(); return {left: r.left, top: r.top, right: r.right, bottom: r.bottom}; };
  const report = [...document.querySelectorAll('.report')].find(r => r.offsetParent);
  const picture = [...report.querySelectorAll('svg.steps')].find(p => p.getBoundingClientRect().width);
  const rect = step => step.querySelector('rect');
  return JSON.stringify({
    lanes: [...picture.querySelectorAll('.lane')].map(l => ({rank: +l.dataset.rank, ...box(l)})),
    heads: [...picture.parentElement.querySelectorAll('.head')].map(box),
    steps: [...picture.querySelectorAll('.step')].map(s => ({id: s.id, kinds: [...s.classList], line: s.dataset.line, ...box(rect(s)),
      text: s.querySelector('.what').textContent, words: box(s.querySelector('.what')), number: box(s.querySelector('.no')),
      at: s.querySelector('.ln') ? box(s.querySelector('.ln')) : null})),
    links: [...picture.querySelectorAll('.link')].map(l => {
      const line = l.querySelector('.line'), matrix = line.getScreenCTM(), n = line.getTotalLength();
      const at = d => { const p = line.getPointAtLength(d).matrixTransform(matrix); return {x: p.x, y: p.y}; };
      return {kinds: [...l.classList], from: l.dataset.from, to: l.dataset.to, start: at(0), end: at(n)};
    }),
  });
})()
"""


def page_of(folder, program, *options, code=1, name="report.html"):
    path = folder / name
    done = subprocess.run([COMMAND, "check", program, "--html", path, *options], capture_output=True, text=True, timeout=120)
    assert done.returncode == code, done.stdout + done.stderr
    return path


@pytest.fixture(scope="module")
def browser():
    with Browser() as made:
        yield made


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    return {
        "race": page_of(folder, PROGRAMS / "02_no_read_complete_round_wrong.py", "--ranks", "2,3", name="race.html"),
        "overshot": page_of(folder, PROGRAMS / "03_equal_overtaken_wrong.py", "--ranks", "2", name="overshot.html"),
        "several": page_of(folder, PROGRAMS / "04_signal_reused_wrong.py", "--ranks", "2", name="several.html"),
        "cores": page_of(folder, PROGRAMS / "11_waits_hold_cores_wrong.py", "--ranks", "1", "--cores", "2", name="cores.html"),
        "proved": page_of(folder, ROOT / "examples" / "mesh_allreduce.py", "--ranks", "2,4", code=0, name="proved.html"),
        "eight": page_of(folder, ROOT / "examples" / "mesh_allreduce.py", "--ranks", "8", code=0, name="eight.html"),
    }


def picture(browser):
    return json.loads(browser.evaluate(BOXES))


def apart(a, b):
    return a["right"] <= b["left"] or b["right"] <= a["left"] or a["bottom"] <= b["top"] or b["bottom"] <= a["top"]


def inside(a, b, slack=0.5):
    return (a["left"] >= b["left"] - slack and a["right"] <= b["right"] + slack
            and a["top"] >= b["top"] - slack and a["bottom"] <= b["bottom"] + slack)


def on_edge(point, box, slack=8):
    sides = min(abs(point["x"] - box["left"]), abs(point["x"] - box["right"]))
    return sides <= slack and box["top"] - slack <= point["y"] <= box["bottom"] + slack


@pytest.mark.parametrize("name", ["race", "overshot", "cores", "proved"])
def test_layout(browser, pages, name):
    browser.open(pages[name])
    drawn = picture(browser)
    ranks = [lane["rank"] for lane in drawn["lanes"]]
    assert ranks == list(range(-1, len(ranks) - 1)) and len(ranks) >= 2
    for i, lane in enumerate(drawn["lanes"]):
        assert all(apart(lane, other) for other in drawn["lanes"][i + 1:])
        assert abs(lane["left"] - drawn["heads"][i]["left"]) < 1 and abs(lane["right"] - drawn["heads"][i]["right"]) < 1
    steps = {step["id"]: step for step in drawn["steps"]}
    assert len(steps) >= 8
    boxes = list(steps.values())
    for i, step in enumerate(boxes):
        assert sum(inside(step, lane) for lane in drawn["lanes"]) == 1
        assert all(apart(step, other) for other in boxes[i + 1:]), step
        assert inside(step["words"], step) and apart(step["words"], step["number"]), step
        assert step["at"] is None or (inside(step["at"], step) and apart(step["words"], step["at"])), step
    assert drawn["links"]
    for link in drawn["links"]:
        assert on_edge(link["start"], steps[link["from"]]) and on_edge(link["end"], steps[link["to"]]), link
        if "missing" not in link["kinds"]:
            assert steps[link["from"]]["top"] < steps[link["to"]]["top"], link


def test_a_race_is_marked(browser, pages):
    browser.open(pages["race"])
    drawn = picture(browser)
    wrong = [step for step in drawn["steps"] if "wrong" in step["kinds"]]
    assert sorted(step["text"] for step in wrong) == ["reads w@0", "writes w@0"]
    assert wrong[0]["top"] == wrong[1]["top"]
    [missing] = [link for link in drawn["links"] if "missing" in link["kinds"]]
    assert {missing["from"], missing["to"]} == {step["id"] for step in wrong}
    signals = [link for link in drawn["links"] if "signal" in link["kinds"]]
    steps = {step["id"]: step for step in drawn["steps"]}
    assert len(signals) == 2
    assert all("add" in steps[link["from"]]["kinds"] and "wait" in steps[link["to"]]["kinds"] for link in signals)


def test_blocked_waits_are_marked(browser, pages):
    browser.open(pages["overshot"])
    [blocked] = [step for step in picture(browser)["steps"] if "blocked" in step["kinds"]]
    assert blocked["text"] == "wait s[0, 0] == 1 (2)" and "wrong" in blocked["kinds"]
    assert "== 1, it is 2 and stays so" in browser.evaluate(f"document.getElementById('{blocked['id']}').textContent")
    browser.open(pages["cores"])
    assert sorted(step["text"] for step in picture(browser)["steps"] if "blocked" in step["kinds"]) == [
        "no core", "wait s[0, 0] >= 1 (0)", "wait s[1, 0] >= 1 (0)"]


def middle(step):
    return (step["left"] + step["right"]) / 2, (step["top"] + step["bottom"]) / 2


def test_pointing_at_a_step(browser, pages):
    browser.open(pages["race"])
    steps = {step["id"]: step for step in picture(browser)["steps"]}
    link = next(link for link in picture(browser)["links"] if "signal" in link["kinds"])
    browser.move(*middle(steps[link["from"]]))
    lit = "JSON.stringify([...document.querySelectorAll('%s')].map(e => e.id))"
    assert json.loads(browser.evaluate(lit % ".step.on")) == [link["from"]]
    assert json.loads(browser.evaluate(lit % ".step.other")) == [link["to"]]
    assert json.loads(browser.evaluate(lit % ".l.on")) == [steps[link["from"]]["line"]]
    browser.move(2, 2)
    assert json.loads(browser.evaluate(lit % ".on")) == []
    # A click keeps it lit, and shows the line.
    browser.click(*middle(steps[link["to"]]))
    browser.move(2, 2)
    assert json.loads(browser.evaluate(lit % ".step.on")) == [link["to"]]
    assert json.loads(browser.evaluate(lit % ".l.on")) == [steps[link["to"]]["line"]]
    text = browser.evaluate(f"document.getElementById('{steps[link['to']]['line']}').textContent")
    assert "pld.system.wait(" in text


def test_selecting_a_number_of_ranks(browser, pages):
    browser.open(pages["race"])
    shown = "JSON.stringify([...document.querySelectorAll('.report')].filter(r => r.offsetParent).map(r => r.id))"
    assert json.loads(browser.evaluate(shown)) == ["r0"]
    chip = json.loads(browser.evaluate(
        "(() => { const r = document.querySelectorAll('header .chip')[1].getBoundingClientRect(); "
        "return JSON.stringify({left: r.left, right: r.right, top: r.top, bottom: r.bottom}); })()"))
    browser.click(*middle(chip))
    assert json.loads(browser.evaluate(shown)) == ["r1"]
    assert len(picture(browser)["lanes"]) == 4


def test_eight_ranks_fit_a_window_of_1200_pixels(browser, pages):
    try:
        browser.size(1200, 900)
        browser.open(pages["eight"])
        drawn = picture(browser)
        size = browser.evaluate("getComputedStyle(document.querySelector('.step .what')).fontSize")
        assert browser.evaluate("document.documentElement.scrollWidth") <= 1200
        shown = json.loads(browser.evaluate(
            "(() => { const r = document.querySelector('.scroll').getBoundingClientRect(); "
            "return JSON.stringify({left: r.left, right: r.right}); })()"))
    finally:
        browser.size(1500, 1100)
    assert sorted(lane["rank"] for lane in drawn["lanes"]) == list(range(-1, 8))
    for box in drawn["heads"] + drawn["steps"]:
        assert shown["left"] <= box["left"] and box["right"] <= shown["right"]
    assert float(size.removesuffix("px")) >= 11
    for step in drawn["steps"]:
        assert inside(step["words"], step, slack=1), step
        assert apart(step["words"], step["number"])
    assert any(step["text"] == "signal[0, 0]@7+= 1 (1)" for step in drawn["steps"])


def test_selecting_a_finding(browser, pages):
    browser.open(pages["several"])
    shown = ("JSON.stringify([...document.querySelectorAll('.finding')].filter(f => f.offsetParent)"
             ".map(f => f.querySelector('.kind').textContent))")
    assert json.loads(browser.evaluate(shown)) == ["race"]
    chips = json.loads(browser.evaluate("JSON.stringify([...document.querySelectorAll('.report .chip')].map(c => c.textContent))"))
    assert [chip.split()[0] for chip in chips] == ["race", "stale"]
    browser.evaluate("document.querySelectorAll('.report .chip')[1].click()")
    assert json.loads(browser.evaluate(shown)) == ["stale"]
    assert browser.evaluate("document.querySelector('.report .chip.now').textContent").startswith("stale")


def test_without_a_script(browser, pages):
    browser.scripts(False)
    try:
        browser.open(pages["race"])
    finally:
        browser.scripts(True)
    # Everything is there, and boxes lead to lines.
    assert browser.evaluate("[...document.querySelectorAll('.report')].filter(r => r.offsetParent).length") == 2
    assert browser.evaluate("document.querySelectorAll('.link.missing').length") == 2
    href = "[...document.querySelectorAll('a.step')].every(a => document.getElementById(a.getAttribute('href').slice(1)))"
    assert browser.evaluate(href) is True


def test_light_and_dark(browser, pages):
    shades = {}
    for scheme in ("light", "dark"):
        browser.colours(scheme)
        browser.open(pages["race"])
        shades[scheme] = browser.evaluate(
            "JSON.stringify([getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color])")
    browser.colours("light")
    light, dark = ([sum(map(int, re.findall(r"\d+", colour)[:3])) for colour in json.loads(shades[s])] for s in ("light", "dark"))
    assert light[0] > 600 > 200 > light[1] and dark[0] < 200 < 600 < dark[1]


@pytest.mark.parametrize("name", ["race", "proved"])
def test_nothing_is_asked_for(browser, pages, name):
    text = pages[name].read_text(encoding="utf-8")
    assert not re.search(r"https?:|url\(|@import|\ssrc=|<link\b", text)
    browser.open(pages[name])
    assert [url for url in browser.requests() if not url.startswith("file:")] == []
    assert len(browser.requests()) == 1
    assert browser.complaints() == []
    assert len(browser.screenshot()) > 10_000


def test_the_policy_names_what_is_there(pages):
    text = pages["race"].read_text(encoding="utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    for tag in ("style", "script"):
        [inside_it] = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.S)
        digest = base64.b64encode(hashlib.sha256(inside_it.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy, f"the hash of the {tag} is sha256-{digest}"
    assert policy.startswith("default-src 'none'")


def test_text_of_the_program_does_nothing(browser, tmp_path):
    text = (PROGRAMS / "02_no_read_complete_round_wrong.py").read_text().replace("# found: race", "# " + EVIL)
    folder = tmp_path / "<img src=x onerror=document.title=1>"
    folder.mkdir()
    program = folder / "a'b\"c<script>document.title='owned'<!-- .py"
    program.write_text(text)
    page = page_of(tmp_path, program, "--ranks", "2")
    browser.open(page)
    assert browser.evaluate("document.title").endswith("· tilewire check")
    assert browser.evaluate("document.querySelectorAll('img').length") == 0
    assert browser.evaluate("document.querySelectorAll('script').length") == 1
    lines = "[...document.querySelectorAll('.l')].map(l => l.textContent.replace(/^[0-9]+/, '')).join('')"
    assert browser.evaluate(lines) == text
    assert browser.requests() == [page.resolve().as_uri()] and browser.complaints() == []
    # Even markup that got in would not run.
    broken = tmp_path / "broken.html"
    broken.write_text(page.read_text().replace("<main>", f"<main><img src=x onerror=\"document.title='owned'\">"
                                               "<script>document.title = 'owned'</script>", 1))
    browser.open(broken)
    assert browser.evaluate("document.title") != "owned"
    assert any("Content Security Policy" in said for said in browser.complaints())


def test_a_page_that_cannot_be_written(tmp_path):
    done = subprocess.run([COMMAND, "check", PROGRAMS / "03_equal_overtaken_wrong.py", "--html", tmp_path / "no" / "r.html"],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 64 and "No such file or directory" in done.stderr
