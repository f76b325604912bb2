"""Work done in child processes under a watchdog: a crash or a hang is the result of one item and stops nothing else.

    for index, answer in run(items, work, seconds=20): ...

`work(item, stage)` returns something JSON can say, and calls `stage(text)` when it starts something that may not end.
An answer is what `work` returned, or `Died` with the last stage. Answers come in the order in which they are ready.
"""

from __future__ import annotations

import dataclasses
import json
import os
import selectors
import signal
import time
import traceback
from typing import Any, Callable, Iterator, Sequence

BATCH = 10  # items a child does before the next one is started


@dataclasses.dataclass
class Died:
    """`how`: "hang", "crash (SIGSEGV)", or the traceback of an exception that `work` did not catch."""

    how: str
    stage: str


class _Child:
    def __init__(self, items: Sequence[Any], indices: list[int], work: Callable[[Any, Callable[[str], None]], Any]):
        self.left = list(indices)
        self.stage, self.rest = "", b""
        self.heard = time.monotonic()
        read, write = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(read)
            _serve(items, indices, work, write)
        os.close(write)
        self.pipe = read

    def lines(self) -> list[dict[str, Any]] | None:
        """What the child has said since; None: it has ended."""
        data = os.read(self.pipe, 1 << 16)
        if not data:
            return None
        *lines, self.rest = (self.rest + data).split(b"\n")
        return [json.loads(line) for line in lines]

    def close(self, kill: bool) -> str:
        if kill:
            os.kill(self.pid, signal.SIGKILL)
        os.close(self.pipe)
        status = os.waitpid(self.pid, 0)[1]
        if kill:
            return "hang"
        return f"crash ({signal.Signals(os.WTERMSIG(status)).name})" if os.WIFSIGNALED(status) else "exit"


def _serve(items: Sequence[Any], indices: list[int], work: Callable[..., Any], write: int) -> None:
    def say(**words: Any) -> None:
        os.write(write, json.dumps(words).encode() + b"\n")

    try:
        for index in indices:
            try:
                answer = {"answer": work(items[index], lambda text: say(stage=text))}
            except Exception:
                answer = {"died": traceback.format_exc()}
            say(index=index, **answer)
    finally:
        os._exit(0)


def run(items: Sequence[Any], work: Callable[[Any, Callable[[str], None]], Any], seconds: float,
        jobs: int = 0) -> Iterator[tuple[int, Any]]:  # fmt: skip
    """`seconds`: what one stage of an item may take."""
    waiting = [list(range(i, min(i + BATCH, len(items)))) for i in range(0, len(items), BATCH)]
    waiting.reverse()
    children: list[_Child] = []
    selector = selectors.DefaultSelector()

    def end(child: _Child, kill: bool) -> Iterator[tuple[int, Any]]:
        selector.unregister(child.pipe)
        children.remove(child)
        how = child.close(kill)
        if child.left:
            yield child.left[0], Died(how, child.stage)
            if child.left[1:]:
                waiting.append(child.left[1:])

    try:
        while waiting or children:
            while waiting and len(children) < (jobs or os.cpu_count() or 1):
                children.append(_Child(items, waiting.pop(), work))
                selector.register(children[-1].pipe, selectors.EVENT_READ, children[-1])
            for key, _ in selector.select(timeout=1):
                child = key.data
                said = child.lines()
                if said is None:
                    yield from end(child, kill=False)
                    continue
                child.heard = time.monotonic()
                for words in said:
                    if "stage" in words:
                        child.stage = words["stage"]
                        continue
                    child.left.remove(words["index"])
                    yield words["index"], words["answer"] if "answer" in words else Died(words["died"], child.stage)
            for child in list(children):
                if time.monotonic() - child.heard > seconds:
                    yield from end(child, kill=True)
    finally:
        for child in children:
            child.close(kill=True)
