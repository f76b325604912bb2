"""Pieces of a random program with atomic updates that return what was there: locks, tickets, work that blocks and ranks
take from a counter, the first of several."""

from __future__ import annotations

from program_case import COLS, Line, Param, Text
from program_exchange import NEIGHBOURS
from program_parts import Ref
from program_subgroups import SubgroupPieces


class UpdatePieces(SubgroupPieces):
    def team(self, name: str) -> tuple[list[str], int, str]:
        """Those who update the same cell: the group of a window, or each of its sub-groups. The lines that say who `me`
        of `n` is, the number of members, and what ops that name one of them say."""
        if self.size == 1 or self.chance(0.6):
            return self.where(name), self.size, ""
        division, size = self.division(name)
        self.features.add("updates in sub-groups")
        return [division, "me = pld.rank(g)", "n = pld.nranks(g)"], size, ", group=g"

    def update_cell(self, size: int) -> str:
        """The member whose cells are updated, as text; every member means the same."""
        return str(self.random.randrange(size))

    def gathered(self, w: Ref) -> None:
        """After a barrier everybody's copy of a window goes to a result."""
        out = self.result(w.dtype)
        self.barrier()
        self.task(self.kernel([self.param("w", w), self.param("o", out, "Out")], [self.take(w, out)]), [w, out])
        self.values.append(out)

    def summed(self, w: Ref, a: Ref, peer: str, group: str) -> list[str]:
        """Adds a value to the window of a member: read, then written."""
        mine = f"pl.rem({self.loaded('a', a, w.dtype)}, {'5.0' if w.dtype == 'FP32' else '5'})"
        return [f"t = pld.tile.remote_load(w, {peer}, [0, 0], [{w.rows}, {COLS}]{group})",
                f"pld.tile.remote_store(t + {mine}, w, {peer}, [0, 0]{group})"]  # fmt: skip

    def locked(self) -> None:
        """A lock in a cell, taken by a compare that is tried again and again."""
        if self.size > 3 or (self.size == 3 and not self.tiny and self.chance(0.6)):
            return self.added()
        a, w, cell = self.value(), self.window(), self.cell()
        here, size, group = self.team("w")
        home = self.update_cell(size)
        exchange = f"pld.system.compare_exchange(s, {home}, [{cell}, 0], "
        lock = Line(f"while {exchange}0, 1{group}) != 0:\n    pass", "wait")
        unlock = Line(self.pick(f"{exchange}1, 0{group})", f"pld.system.fetch_add(s, {home}, [{cell}, 0], -1{group})",
                                f"pld.system.notify(s, {home}, [{cell}, 0], 0, op=pld.NotifyOp.Set{group})"),
                      "notify")  # fmt: skip
        params = [self.param("a", a, window=True), self.param("w", w, "InOut", window=True), self.signal_param()]
        lines = [*here, lock, *self.summed(w, a, home, group), unlock]
        self.task(self.kernel(params, lines), [a, w, self.signal], self.pick("call", "spmd"))
        self.gathered(w)
        self.features |= {"lock", "compare_exchange"}

    def tickets(self) -> None:
        """A lock that serves in the order of its tickets; whoever has been served serves the next on all ranks."""
        if self.size > 3 or (self.size == 3 and not self.tiny and self.chance(0.6)):
            return self.added()
        a, w, cell = self.value(), self.window(), self.cell(2)
        here, size, group = self.team("w")
        home = self.update_cell(size)
        ticket = f"v = pld.system.fetch_add(s, {home}, [{cell}, 0], 1{group})"
        serve = Line(f"for p in pl.range(n):\n    pld.system.notify(s, p, [{cell + 1}, 0], 1{group})", "notify")
        params = [self.param("a", a, window=True), self.param("w", w, "InOut", window=True), self.signal_param()]
        lines = [*here, ticket, Line(f"pld.system.wait(s, [{cell + 1}, 0], v)", "wait"),
                 *self.summed(w, a, home, group), serve]  # fmt: skip
        self.task(self.kernel(params, lines), [a, w, self.signal], self.pick("call", "spmd"))
        self.gathered(w)
        self.features |= {"tickets", "fetch_add"}

    def elected(self) -> None:
        """Whoever comes first writes what anybody would."""
        if self.size > 3:
            return self.added()
        w, cell = self.window(), self.cell()
        here, size, group = self.team("w")
        home = self.update_cell(size)
        number = f"{self.random.randint(1, 9)}{'.0' if w.dtype == 'FP32' else ''}"
        first = self.pick(f"v = pld.system.compare_exchange(s, {home}, [{cell}, 0], 0, me + 1{group})",
                          f"v = pld.system.fetch_add(s, {home}, [{cell}, 0], 1{group})")  # fmt: skip
        tile = f"pl.full([{w.rows}, {COLS}], dtype=pl.{w.dtype}, value={number})"
        store = f"pld.tile.remote_store({tile}, w, {home}, [0, 0]{group})"
        lines = [*here, first, f"if v == 0:\n    {store}"]
        params = [self.param("w", w, "InOut", window=True), self.signal_param()]
        self.task(self.kernel(params, lines), [w, self.signal])
        self.gathered(w)
        self.features |= {"elected", "compare_exchange" if "compare" in first else "fetch_add"}

    def shared_work(self) -> None:
        """Ranks take rows from a counter; each row goes to the rank that it belongs to."""
        if self.size > 2:
            return self.added()
        w, cell = self.window(), self.cell()
        here, size, group = self.team("w")
        home = self.update_cell(size)
        amount = size * w.rows if w.rows < 3 else size
        take = f"v = pld.system.fetch_add(s, {home}, [{cell}, 0], 1{group})"
        tile = f"pl.full([1, {COLS}], dtype=pl.{w.dtype}, value={'1.0' if w.dtype == 'FP32' else '1'})"
        body = f"pld.tile.remote_store({tile} * pl.cast(v + 1, pl.{w.dtype}), w, v % n, [v // n, 0]{group})"
        lines = [*here, take, f"while v < {amount}:\n    {body}\n    {take}"]
        params = [self.param("w", w, "InOut", window=True), self.signal_param()]
        self.task(self.kernel(params, lines), [w, self.signal], self.pick("call", "spmd"))
        self.gathered(w)
        self.features |= {"shared work", "fetch_add"}

    def added(self) -> None:
        """Additions to a cell whose results nobody uses, and what they come to."""
        out, cell = self.result("INT32"), self.cell()
        here, size, group = self.team("s")
        home = self.update_cell(size)
        op = self.pick(f"pld.system.fetch_add(s, {home}, [{cell}, 0], me + 1{group})",
                       f"if me == {home}:\n    pl.atomic_add(s, [{cell}, 0], 3)\nelse:\n"
                       f"    pld.system.fetch_add(s, {home}, [{cell}, 0], 2{group})")  # fmt: skip
        self.task(self.kernel([self.signal_param()], [*here, Line(op)]), [self.signal])
        self.barrier()
        lines = [*self.where("s"), f"v = pl.read(s, [{cell}, 0])", "pl.write(o, [0, 0], v)"]
        self.task(self.kernel([self.signal_param(), self.param("o", out, "InOut")], lines), [self.signal, out])
        self.features.add("added")

    def block_work(self) -> None:
        """Blocks of a launch take rows from a counter in a tensor of this rank, or add under a lock in one."""
        dtype, name = self.pick("INT32", "INT64"), self.name("t")
        self.add(Text(f"{name} = pl.tensor.full([1, 2], dtype=pl.{dtype}, value=0)"))
        counter = Param("c", "tensor", "1, 2", dtype, "InOut")
        if self.chance(0.5):
            out = self.made(rows=self.pick(2, 3))
            take = "v = pl.atomic_add(c, [0, 1], 1)"
            tile = f"pl.full([1, {COLS}], dtype=pl.{out.dtype}, value={'2.0' if out.dtype == 'FP32' else '2'})"
            body = f"pl.store({tile} * pl.cast(v + 1, pl.{out.dtype}), [v, 0], o)"
            lines = [take, f"while v < {out.rows}:\n    {body}\n    {take}"]
            self.features.add("block work")
        else:
            out = self.made(rows=1)
            tile = f"pl.load(o) + pl.cast(pl.tile.get_block_idx() + 1, pl.{out.dtype})"
            free = self.pick("pl.atomic_cas(c, [0, 0], 1, 0)", "pl.atomic_add(c, [0, 0], -1)")
            lines = [Line("while pl.atomic_cas(c, [0, 0], 0, 1) != 0:\n    pass", "wait"),
                     f"pl.store({tile}, [0, 0], o)", Line(free, "notify")]  # fmt: skip
            self.features.add("block lock")
        params = [counter, Param("o", "tensor", f"{out.rows}, {COLS}", out.dtype, "InOut")]
        self.task(self.kernel(params, lines), [name, out], "spmd", blocks=2)
        self.take_rows(out)

    def fetched(self) -> None:
        """What an update returned goes into a result, or decides one: it depends on the schedule."""
        if self.size > 3:
            return self.added()
        a, out, cell = self.value("INT32"), self.result("INT32"), self.cell()
        here, size, group = self.team("s")
        home = self.update_cell(size)
        use = self.pick("pl.write(o, [0, 0], v)",
                        f"if v > 0:\n    pl.store(pl.load(a, [0, 0], [1, {COLS}]), [0, 0], o)")  # fmt: skip
        update = self.pick(f"pld.system.fetch_add(s, {home}, [{cell}, 0], 1{group})",
                           f"pld.system.compare_exchange(s, {home}, [{cell}, 0], 0, 1{group})")  # fmt: skip
        lines = [*here, *NEIGHBOURS, f"v = {update}", use]
        params = [self.param("a", a), self.signal_param(), self.param("o", out, "InOut")]
        self.task(self.kernel(params, lines), [a, self.signal, out])
        self.features.add("fetched")
