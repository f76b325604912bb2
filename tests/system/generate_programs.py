"""Random programs for several ranks, from a seed.

    python tests/system/generate_programs.py SEED [tiny]

prints a program. Pieces (program_*.py) are right by themselves, apart from a few, and right after each other: each has
cells and results of its own, and a window is used again only after a barrier. Then some programs are made wrong, or
may be: a wait, notify or barrier is left out, an argument leaves the order, statements change places.
"""

from __future__ import annotations

import re
import sys
from typing import Any, Callable

from program_case import Case, Line, Loop, Phase, Scope, Task, Text, bodies, kernels, walk
from program_scopes import ScopePieces
from program_updates import UpdatePieces

UPDATES = ["locked", "tickets", "elected", "shared_work", "fetched"]
LOCAL = ["mixed", "mixed", "compute", "compute", "update", "halves", "launch", "rounds", "rounds", "ids", "elements", "elements", "block_work",
         "joined", "entries", "freed"]  # fmt: skip
REUSABLE = ["swap", "stream", "collective", "collective", "collective", "sub_collective"]
EXCHANGE = ["push", "push", "push", "stream", "gather_sum", "pull", "all_pairs", "unordered", "unordered", "late_notify",
            "counts", "block_signals", "collective", "collective", "collective", "swap", "window_element", "window_element",
            "views", "added", "sub_collective", "sub_collective", "sub_exchange"]  # fmt: skip
TINY = ["push", "push", "flags", "gather_sum", "pull", "unordered", "late_notify", "counts", "compute", "mixed", "rounds", "ids", "elements",
        "block_signals", "joined", "entries", "freed", "sub_exchange", *UPDATES, "added"]  # fmt: skip


class Generator(ScopePieces, UpdatePieces):
    def program(self) -> Case:
        phases = []
        number = 1 if self.tiny else self.pick(1, 1, 2)
        for _ in range(number):
            phases.append(Phase(self.body()))
            if not self.tiny and self.chance(0.12):
                phases += self.host_collective()
            if not self.tiny and self.chance(0.08):
                phases.append(self.direct_exchange())
        case = self.case(phases)
        if self.chance(0.6 if self.tiny else 0.45):
            for _ in range(self.pick(1, 1, 2)):
                mutate(case, self.random)
        return case

    def body(self) -> list[Any]:
        """Pieces one after the other, some of them interleaved."""
        out: list[Any] = []
        last: list[Any] = []
        before = len(self.values)  # the last piece was made
        for _ in range(self.pick(1, 1, 2) if self.tiny else self.pick(1, 2, 2, 3, 4)):
            self.group = "part" if self.part[1] and self.chance(0.4) else "all"
            known, used = len(self.values), [*self.free]
            steps = self.piece()
            if any(w not in self.free for w in used):  # it took a window that another piece has used
                outer, self.steps = self.steps, []
                self.barrier()
                steps, self.steps = self.steps + steps, outer
                out, last, before = out + last, steps, known
            elif last and not _depends(steps, self.values[before:known]) and self.chance(0.4):
                last = self.riffled(last, steps)
            else:
                out, last, before = out + last, steps, known
        return out + last + self.endings()

    def endings(self) -> list[Any]:
        """Tensors of this orchestration function go to results; no other function knows them."""
        outer, self.steps = self.steps, []
        for value in [v for v in self.values if v.text.startswith("t")]:
            self.values.remove(value)
            self.group = value.group
            if self.chance(0.1 if self.tiny else 0.8):
                self.copy_out(value)
        steps, self.steps = self.steps, outer
        return steps

    def piece(self) -> list[Any]:
        if self.tiny:
            names = TINY
        elif self.chance(0.35):
            names = LOCAL
        elif self.reusable:
            names = REUSABLE
        else:
            names = EXCHANGE + ["both_groups", "late_notify"] * (5 * (self.group == "part"))
            if not self.simple:
                names = UPDATES if self.chance(0.2) else [*names, *["seen", "flags"] * 3]
        outer, self.steps = self.steps, []
        getattr(self, self.pick(*names))()
        steps, self.steps = self.steps, outer
        return steps

    def direct_exchange(self) -> Phase:
        """A kernel dispatched by the host that exchanges with its peers."""
        self.group, self.direct, self.steps = "all", True, []
        self.swap()
        steps, self.direct, self.steps = self.steps, False, []
        self.features.add("direct exchange")
        return Phase(steps, direct=True)

    def riffled(self, a: list[Any], b: list[Any]) -> list[Any]:
        a, b, out = list(a), list(b), []
        while a or b:
            source = a if a and (not b or self.chance(0.5)) else b
            out.append(source.pop(0))
        self.features.add("riffled")
        return out


def _depends(steps: list[Any], values: list[Any]) -> bool:
    text = "\n".join(line for s in steps for line in s.lines())
    return any(v.text in text for v in values)


# Names that a statement of an orchestration function binds.
DEFINED = re.compile(r"^(\w+) = | as (\w+):", re.MULTILINE)


def _filled(found: re.Match[str]) -> str:
    return f"pl.tensor.full({found[1]}, dtype=pl.{found[2]}, value={'0.0' if found[2] == 'FP32' else '0'})"


def _fill_all(case: Case) -> None:
    for s in (s for b in bodies(case) for s in b if isinstance(s, Text)):
        s.text = re.sub(r"pl.create_tensor\((.*), dtype=pl.(\w+)\)", _filled, s.text)


JOIN = re.compile(r"pl\.task_join\(deps=\[(.*)\]\)")


def mutate(case: Case, random: Any) -> None:
    """Changes one thing that the order of the program may need; nothing where there is none of its kind."""
    kinds = ["line", "line", "no_dep", "no_dep", "swap", "deps", "task", "parallel", "ordered", "equal", "manual", "join"]
    kind = random.choice(kinds)
    if MUTATIONS[kind](case, random):
        case.mutations.append(kind)


def _tasks(case: Case) -> list[Task]:
    return [s for body in bodies(case) for s in body if isinstance(s, Task)]


def _one_of(random: Any, fitting: list[Any], change: Callable[[Any], Any]) -> bool:
    if fitting:
        change(random.choice(fitting))
    return bool(fitting)


def _drop_line(case: Case, random: Any) -> bool:
    lines = [(k, line) for k in kernels(case) for line in k.lines if line.tag]
    return _one_of(random, lines, lambda found: found[0].lines.remove(found[1]))


def _wait_for_equality(case: Case, random: Any) -> bool:
    def change(line: Line) -> None:
        line.text = line.text[:-1] + ', cmp="eq")'

    lines = [line for k in kernels(case) for line in k.lines if line.tag and "cmp" not in line.text]
    return _one_of(random, [line for line in lines if line.text.startswith("pld.system.wait(")], change)


def _add_no_dep(case: Case, random: Any) -> bool:
    def change(task: Task) -> None:
        task.no_dep.add(random.choice([i for i, p in enumerate(task.kernel.params) if p.kind != "scalar"]))

    tasks = [t for t in _tasks(case) if t.form != "at" and any(p.kind != "scalar" for p in t.kernel.params)]
    return _one_of(random, tasks, change)


def _swap(case: Case, random: Any) -> bool:
    body = random.choice([b for b in bodies(case) if b])
    if len(body) < 2:
        return False
    i = random.randrange(len(body) - 1)
    bound = {name for pair in DEFINED.findall("\n".join(body[i].lines())) for name in pair}
    if bound & set(re.findall(r"\w+", "\n".join(body[i + 1].lines()))):
        return False
    _fill_all(case)  # it may be read before it is written now
    body[i], body[i + 1] = body[i + 1], body[i]
    return True


def _lift_data_order(case: Case, random: Any) -> bool:
    """Statements come into a manual scope, but none that creates a tensor: filling one is a task, too."""
    body = random.choice([b for b in bodies(case) if b])
    first = random.randrange(len(body))
    last = min(len(body), first + random.choice([1, 2, 3, 4]))
    inside = [s.text for s in walk(body[first:last]) if isinstance(s, Text)]
    made = any("pl.create_tensor" in text or "pl.tensor.full" in text for text in inside)
    if made or len({s.group for s in body[first:last]}) > 1:
        return False
    _fill_all(case)  # it may be read before it is written now
    body[first:last] = [Scope("manual_scope", body[first:last], body[first].group)]
    return True


def _leave_out_of_join(case: Case, random: Any) -> bool:
    def change(text: Text) -> None:
        names = JOIN.search(text.text)[1].split(", ")
        names.remove(random.choice(names))
        text.text = JOIN.sub(f"pl.task_join(deps=[{', '.join(names)}])", text.text)

    return _one_of(random, [s for b in bodies(case) for s in b if isinstance(s, Text) and JOIN.search(s.text)], change)


MUTATIONS: dict[str, Callable[[Case, Any], bool]] = {
    "line": _drop_line,
    "equal": _wait_for_equality,
    "no_dep": _add_no_dep,
    "swap": _swap,
    "manual": _lift_data_order,
    "join": _leave_out_of_join,
    "deps": lambda case, random: _one_of(random, [t for t in _tasks(case) if t.deps], lambda t: t.deps.clear()),
    "task": lambda case, random: _one_of(
        random, [t for t in _tasks(case) if t.tag == "barrier"], lambda t: t.kernel.lines.clear()
    ),
    "ordered": lambda case, random: _one_of(
        random, [t for t in _tasks(case) if t.form != "call"], lambda t: setattr(t, "ordered", False)
    ),
    "parallel": lambda case, random: _one_of(
        random, [s for b in bodies(case) for s in b if isinstance(s, Loop)], lambda s: setattr(s, "kind", "range")
    ),
}


def generate(seed: int, tiny: bool = False) -> Case:
    return Generator(seed, tiny).program()


if __name__ == "__main__":
    print(generate(int(sys.argv[1]), "tiny" in sys.argv[2:]).text)
