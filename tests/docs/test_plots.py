"""bench/plot draws what the tables of recorded benchmarks say."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import pathlib
import re
import subprocess
import xml.etree.ElementTree

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"

loader = importlib.machinery.SourceFileLoader("bench_plot", str(ROOT / "bench" / "plot"))
plot = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench_plot", loader))  # type: ignore[arg-type]
loader.exec_module(plot)

ONE = """# Page

## Some kernels

| benchmark | ours | peer | theirs | ratio | goal |
|---|---|---|---|---|---|
| a*b | 1 ms | NumPy | 4 ms | 4 | 2 |
| <c> | 2 ms | | 1 ms | 0.5 | |
| signal | 1 ns | store | 2 ns | 0.5 | <= 1.25 |
| alone | 1 us | | | | 1 ms |
"""

SEVERAL = """## Sums

| 2 ranks | allreduce | by hand | MPI | ratio (goal) | gather |
|---|---|---|---|---|---|
| 4 B | 1 us | | 2 us | 2.0 (0.9) | |
| 1 MB | 1 us | 1 us | 4 us | **4** (5) | 0.5 (0.7) |
"""


def drawn(svg: str) -> xml.etree.ElementTree.Element:
    return xml.etree.ElementTree.fromstring(svg)


def test_bars() -> None:
    [found] = plot.plots(ONE)
    assert (found.name, found.line) == ("some-kernels", ONE.count("\n"))
    root = drawn(found.svg)
    bars = root.findall(f"{SVG}rect[@class='bar']")
    assert [bar.findtext(f"{SVG}title") for bar in bars] == ["a*b / NumPy", "<c> / NumPy", "signal / store"]
    assert [text.text for text in root.iter(f"{SVG}text") if re.fullmatch(r"[\d.]+x", text.text or "")][-3:] == ["4x", "0.5x", "2x"]
    # Logarithmic: four times as fast is twice as long as twice as fast, half as fast as long as that to the left.
    wide, left, time = (float(bar.attrib["width"]) for bar in bars)
    assert wide == pytest.approx(2 * time, abs=0.3) and left == pytest.approx(time, abs=0.3)
    ends = [float(bar.attrib["x"]) for bar in bars]
    assert ends[0] == ends[2] == pytest.approx(ends[1] + left, abs=0.3)


def test_goals() -> None:
    [table] = plot.tables(ONE)
    assert plot.points(table) == {"ratio": [(4.0, 2.0), (0.5, None), (2.0, 0.8), None]}


def test_lines() -> None:
    [table] = plot.tables(SEVERAL)
    assert plot.points(table) == {"allreduce": [(2.0, 0.9), (4.0, 5.0)], "gather": [None, (0.5, 0.7)]}
    [found] = plot.plots(SEVERAL)
    root = drawn(found.svg)
    assert len(root.findall(f"{SVG}circle")) == 3
    assert "speed relative to MPI, 2 ranks" in [text.text for text in root.iter(f"{SVG}text")]


def test_tables_without_ratios() -> None:
    assert plot.plots("## T\n\n| a | b |\n|---|---|\n| 1 | 2 |\n") == []


def test_the_command_draws_the_recorded_runs(tmp_path: pathlib.Path) -> None:
    done = subprocess.run([ROOT / "bench" / "plot", "--out", tmp_path], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    files = [pathlib.Path(line) for line in done.stdout.splitlines()]
    assert len(files) == len(set(files)) >= 3
    for file in files:
        root = drawn(file.read_text(encoding="utf-8"))
        width, height = (float(root.attrib[key]) for key in ("width", "height"))
        for text in root.iter(f"{SVG}text"):
            x, y = float(text.attrib.get("x", 0)), float(text.attrib.get("y", 0))
            assert 0 <= x <= width and 0 <= y <= height, (file.name, text.text)
