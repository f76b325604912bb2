"""Draws a trace that `tilewire run --trace` wrote as an SVG: a lane per rank and worker, bars for tasks and waits,
arrows from notifies to the waits that saw them."""

from __future__ import annotations

import html
import json
import pathlib
from typing import Any

WIDTH, LEFT, TOP, LANE, BAR = 900, 80, 40, 66, 22
COLOURS = {"orchestration": "#b9c6de", "blocks": "#7fa6ee", "wait": "#f3b562"}
LEGEND = [("orchestration", "orchestration function"), ("blocks", "kernel"), ("wait", "wait")]


def _step(span: float) -> float:
    """A round distance between marks of the axis: at most ten of them."""
    return next(step for power in range(-3, 9) for digit in (1, 2, 5) if span / (step := digit * 10.0**power) <= 10)


def draw(trace: pathlib.Path) -> str:
    events: list[dict[str, Any]] = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
    timed = [event for event in events if "ts" in event]
    first = min(event["ts"] for event in timed)
    last = max(event["ts"] + event.get("dur", 0) for event in timed)
    ranks = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
    lanes = sorted({(event["pid"], event["tid"]) for event in timed if event["pid"] in ranks})
    height = TOP + LANE * len(lanes) + 40

    def x(time: float) -> float:
        return LEFT + (time - first) / (last - first) * (WIDTH - LEFT - 20)

    def y(event: dict[str, Any]) -> float:
        return TOP + LANE * lanes.index((event["pid"], event["tid"]))

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
           'font-family="system-ui, sans-serif" font-size="13" role="img">',
           f"<title>A trace of {len(ranks)} ranks</title>",
           '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="5" markerHeight="5" orient="auto">'
           '<path d="M0 0 L10 5 L0 10 z" fill="#2f8a43"/></marker></defs>',
           f'<rect width="{WIDTH}" height="{height}" rx="8" fill="#fff"/>']
    step = _step(last - first)
    mark = 0.0
    while mark <= last - first:
        out.append(f'<path d="M{x(first + mark):.1f} {TOP - 6} V{height - 40}" stroke="#e3e7ee"/>'
                   f'<text x="{x(first + mark):.1f}" y="{height - 22}" text-anchor="middle" fill="#56627a">{mark:g} us</text>')
        mark += step
    for lane in lanes:
        top = TOP + LANE * lanes.index(lane)
        out.append(f'<text x="14" y="{top + 30}" fill="#1c2433">{html.escape(ranks[lane[0]])}</text>'
                   f'<path d="M{LEFT} {top + LANE - 6} H{WIDTH - 20}" stroke="#e3e7ee"/>')
    bars = [(event, event["ts"], event["ts"] + event["dur"], event["cat"]) for event in timed if event["ph"] == "X"]
    begins = {(event["cat"], event["id"]): event for event in timed if event["ph"] == "b"}
    bars += [(begins[event["cat"], event["id"]], begins[event["cat"], event["id"]]["ts"], event["ts"], "wait")
             for event in timed if event["ph"] == "e"]
    for event, start, end, kind in bars:
        row = y(event) + (BAR + 4 if kind == "wait" else 0)
        said = html.escape(f"{event['name']}, {end - start:.1f} us")
        out.append(f'<rect x="{x(start):.1f}" y="{row}" width="{max(x(end) - x(start), 1.5):.1f}" height="{BAR}" rx="2" '
                   f'fill="{COLOURS.get(kind, "#c9d1df")}" stroke="#fff" stroke-width="0.5"><title>{said}</title></rect>')
    sends = {event["id"]: event for event in timed if event["ph"] == "s"}
    for event in timed:
        if event["ph"] == "f" and event["id"] in sends:
            send = sends[event["id"]]
            out.append(f'<path d="M{x(send["ts"]):.1f} {y(send) + BAR / 2} L{x(event["ts"]):.1f} {y(event) + BAR + 15}" '
                       'stroke="#2f8a43" stroke-opacity="0.7" fill="none" marker-end="url(#tip)"/>')
    for i, (kind, name) in enumerate(LEGEND):
        out.append(f'<rect x="{LEFT + 210 * i}" y="10" width="14" height="14" rx="2" fill="{COLOURS[kind]}"/>'
                   f'<text x="{LEFT + 210 * i + 20}" y="22" fill="#1c2433">{name}</text>')
    out.append(f'<path d="M{LEFT + 600} 17 h24" stroke="#2f8a43" marker-end="url(#tip)"/>'
               f'<text x="{LEFT + 632}" y="22" fill="#1c2433">notify seen by a wait</text></svg>')
    return "\n".join(out) + "\n"
