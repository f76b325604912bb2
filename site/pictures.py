"""Makes the pictures of docs/pictures that show output of the command: scripts/pictures runs this."""

from __future__ import annotations

import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
COMMAND = pathlib.Path(sys.executable).parent / "tilewire"
LARGEST = 200_000  # bytes: the README shows these on every visit

sys.path.insert(0, str(ROOT / "tests" / "system"))
from browser import Browser  # noqa: E402

from trace_picture import draw  # noqa: E402


def tilewire(folder: pathlib.Path, *arguments: str, code: int = 0) -> None:
    done = subprocess.run([COMMAND, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != code:
        sys.exit(f"tilewire {' '.join(arguments)}\n{done.stdout}")


def write(name: str, data: bytes) -> None:
    if len(data) > LARGEST:
        sys.exit(f"{name} has {len(data)} bytes, more than {LARGEST}")
    (PICTURES / name).write_bytes(data)
    print(f"docs/pictures/{name}: {len(data)} bytes")


def page_of_a_race(folder: pathlib.Path) -> None:
    """The README's race: mesh_allreduce.py without its first barrier."""
    text = (ROOT / "examples" / "mesh_allreduce.py").read_text(encoding="utf-8")
    text = text.replace("    meet(signal, me, ranks, 1)\n", "").replace("ranks, 2)", "ranks, 1)")
    (folder / "race.py").write_text(text, encoding="utf-8")
    tilewire(folder, "check", "race.py", "--ranks", "2", "--html", "race.html", code=1)
    with Browser() as browser:
        browser.size(1200, 860)
        browser.colours("light")
        browser.open(folder / "race.html")
        browser.evaluate("document.querySelector('.step.wrong').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
        time.sleep(1)  # the click scrolls the page and the source, smoothly
        browser.evaluate("window.scrollTo({top: 0, behavior: 'instant'})")
        write("check.png", browser.screenshot())


def trace_of_a_ring(folder: pathlib.Path) -> None:
    trace = folder / "ring.json"
    tilewire(folder, "run", str(ROOT / "examples" / "ring_allreduce.py"), "--ranks", "4", "--trace", str(trace))
    write("trace.svg", draw(trace).encode())


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        page_of_a_race(pathlib.Path(name))
        trace_of_a_ring(pathlib.Path(name))


if __name__ == "__main__":
    main()
