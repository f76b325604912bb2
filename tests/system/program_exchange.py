"""Pieces of a random program in which ranks exchange data by remote memory and hand-written signals.

In each of them a wait needs only notifies that come earlier in the text, so pieces may follow each other, and overlap,
without a deadlock as long as all ranks of the group run them in the same order.
"""

from __future__ import annotations

from program_case import COLS, Line, Param, Text, Window
from program_local import LocalPieces
from program_parts import MODULUS, Ref

NEIGHBOURS = ["right = (me + 1) % n", "left = (me + n - 1) % n"]


class ExchangePieces(LocalPieces):
    def where(self, name: str) -> list[str]:
        return [f"ctx = pld.get_comm_ctx({name})", "me = pld.rank(ctx)", "n = pld.nranks(ctx)"]

    # Signals.

    def notify(self, peer: str, cell: str, value: str = "1", epoch: bool = False) -> Line:
        """Into a cell of `s` of a peer; `epoch`: the cell is set."""
        if self.chance(0.25):
            op = "set" if epoch else "atomic_add"
            return Line(f'pl.tile.comm_notify(pld.peer_slot(s, {peer}, [{cell}, 0]), {value}, op="{op}")', "notify")
        op = ", op=pld.NotifyOp.Set" if epoch else self.pick("", ', op="add"')
        return Line(f"pld.system.notify(s, {peer}, [{cell}, 0], {value}{op})", "notify")

    def wait(self, cell: str, value: str, plain: bool = False) -> list[Line]:
        """Lines that go on once the own cell is at least `value`; `plain`: with one wait."""
        kinds = ["ge", "ge", "gt", "slot"]
        if not plain and not self.simple:
            kinds = ["ge", "slot", "test", "test", "either", "read", "read", "tries", "tries", "value", "value"]
        kind = self.pick(*kinds)
        if kind == "slot":
            return [Line(f"pl.tile.comm_wait(s[{cell}:{cell} + 1, 0:1], {value})", "wait")]
        if kind == "gt":
            return [Line(f'pld.system.wait(s, [{cell}, 0], {value} - 1, cmp="gt")', "wait")]
        wait = Line(f"pld.system.wait(s, [{cell}, 0], {value})", "wait")
        if kind == "test":
            self.features.add("poll test")
            return [Line(f"while not pld.system.test(s, [{cell}, 0], {value}):\n    pass", "wait")]
        if kind == "either":
            self.features.add("test or wait")
            return [Line(f"if not pld.system.test(s, [{cell}, 0], {value}):\n    {wait.text}", "wait")]
        if kind == "read":
            self.features.add("poll read")
            seen = self.name("n")
            poll = f"{seen} = pl.read(s, [{cell}, 0])\nwhile {seen} < {value}:\n    {seen} = pl.read(s, [{cell}, 0])"
            return [Line(poll), wait]
        if kind == "tries":
            self.features.add("tries")
            i, done = self.name("i"), self.name("n")
            tries = (f"{done} = 0\nfor {i} in pl.range({self.pick(1, 2, 3)}):\n    if {done} == 0:\n"
                     f"        if pld.system.test(s, [{cell}, 0], {value}):\n            {done} = 1\n")  # fmt: skip
            return [Line(f"{tries}if {done} == 0:\n    {wait.text}", "wait")]
        if kind == "value":  # the value seen is the same in every schedule where nothing is added later
            self.features.add("wait value")
            seen = self.name("n")
            return [Line(f"{seen} = pld.system.wait(s, [{cell}, 0], {value})\nif {seen} < 0:\n    {wait.text}", "wait")]
        return [wait]

    # Data.

    def send(self, source: str, ref: Ref, w: Ref, peer: str, cell: int, value: str = "1") -> list[Line]:
        """Writes all of `w` of the peer, then notifies its cell."""
        tile = self.loaded(source, ref, w.dtype)
        ways = ["remote_store", "remote_store", "put", "signal"]
        way = self.pick(*ways) if ref.dtype == w.dtype else "remote_store"
        if way == "signal":
            self.features.add("put signal")
            return [Line(f"pld.tensor.put(w, {peer}, {source}, signal=s, at=[{cell}, 0])", "notify")]
        if way == "put":
            chunks = f", chunk_rows=1{self.pick('', ', pipeline=True')}" if self.chance(0.3) else ""
            return [Line(f"pld.tensor.put(w, {peer}, {source}{chunks})"), self.notify(peer, str(cell), value)]
        store = f"pld.tile.remote_store({tile}, w, {peer}, [0, 0])"
        return [Line(store), self.notify(peer, str(cell), value)]

    def take(self, w: Ref, out: Ref) -> str:
        tile = "pl.load(w)" if w.dtype == out.dtype else f"pl.cast(pl.load(w), pl.{out.dtype})"
        return f"pl.store({self.changed(tile, out.dtype)}, [0, 0], o)"

    # Pieces.

    def push(self) -> None:
        """Each rank writes its neighbour's window, in one to four tasks."""
        a, w, out = self.value(), self.window(), self.place()
        cell = self.cell()
        here = [*self.where("w"), *NEIGHBOURS]
        send, wait = self.send("a", a, w, "right", cell), self.wait(str(cell), "1")
        sp, wp = self.signal_param(), self.param("w", w, "InOut", window=True)
        take = self.take(w, out)
        split = self.pick("one", "two", "three", "four", "deferred", "deferred")
        if split == "four" and len(send) == 1:
            split = "three"
        if split == "one":
            params = [self.param("a", a), wp, sp, self.param("o", out, "Out")]
            self.task(self.kernel(params, [*here, *send, *wait, take]), [a, w, self.signal, out])
        elif split == "two":
            self.task(self.kernel([self.param("a", a), wp, sp], [*here, *send]), [a, w, self.signal])
            params = [wp, sp, self.param("o", out, "Out")]
            self.task(self.kernel(params, [*self.where("s"), *wait, take]), [w, self.signal, out])
        else:
            if split == "four":  # data and signal in tasks of their own: communication order is all that orders them
                self.task(self.kernel([self.param("a", a), wp], [*here, send[0]]), [a, w])
                self.task(self.kernel([sp], [*self.where("s"), *NEIGHBOURS, *send[1:]]), [self.signal])
            else:
                self.task(self.kernel([self.param("a", a), wp, sp], [*here, *send]), [a, w, self.signal])
            last = self.kernel([self.param("w", w), self.param("o", out, "Out")], [take])
            if split == "deferred":
                tid = self.defer([(cell, 1)])
                self.task(last, [w, out], self.pick("call", "spmd"), deps=[tid])
            else:
                self.task(self.kernel([sp], [*self.where("s"), *wait]), [self.signal])
                self.task(last, [w, out])
        self.values.append(out)
        self.features.add(f"push {split}")

    def defer(self, cells: list[tuple[int, int]]) -> str:
        """A task that ends when the cells have come."""
        tid = self.name("id")
        waits = "\n".join(f"    pld.system.defer_wait({self.signal}, [{cell}, 0], {value})" for cell, value in cells)
        self.add(Text(f"with pl.at(level=pl.Level.CORE_GROUP) as {tid}:\n{waits}"))
        self.features.add("defer_wait")
        return tid

    def stream(self) -> None:
        """Rounds in one kernel: the same window again and again, with an answer that it was read."""
        a, w, out = self.value(), self.window(), self.place()
        data, answer = self.cell(), self.cell()
        kind = self.pick("monotone", "credit", "epoch") if not self.reusable else "credit"
        rounds = self.pick(2, 3)
        tile = f"{self.loaded('a', a, w.dtype)} * {'2.0' if w.dtype == 'FP32' else '2'}"
        lines: list = [*self.where("w"), *NEIGHBOURS, f"acc = {self.loaded('a', a, w.dtype)}"]
        body: list[str] = []
        body.append(f"pld.tile.remote_store({tile}, w, right, [0, 0])")
        drop_wait = {"monotone": "k + 1", "credit": "1", "epoch": "k + 1"}[kind]
        body.append(self.notify("right", str(data), "k + 1" if kind == "epoch" else "1", kind == "epoch").text)
        body += [line.text for line in self.wait(str(data), drop_wait, plain=True)]
        if kind == "credit":
            body.append(f"pld.system.notify(s, me, [{data}, 0], -1)")
        body.append(f"acc = pl.rem(acc + pl.load(w), {MODULUS[w.dtype]})")
        body.append(self.notify("left", str(answer), "k + 1" if kind == "epoch" else "1", kind == "epoch").text)
        if not self.chance(0.08):  # without it, it is wrong
            body += [line.text for line in self.wait(str(answer), drop_wait, plain=True)]
            if kind == "credit":
                body.append(f"pld.system.notify(s, me, [{answer}, 0], -1)")
        text = "\n".join(f"    {part}" for line in body for part in line.split("\n"))
        lines.append(Line(f"for k in pl.range({rounds}):\n{text}"))
        acc = "acc" if w.dtype == out.dtype else f"pl.cast(acc, pl.{out.dtype})"
        lines.append(f"pl.store({acc}, [0, 0], o)")
        params = [self.param("a", a), self.param("w", w, "InOut", True), self.signal_param(), self.param("o", out, "Out")]
        self.task(self.kernel(params, lines), [a, w, self.signal, out])
        self.values.append(out)
        self.features.add(kind)

    def swap(self) -> None:
        """Each rank sends by credits and takes them back: cells are as before at the end."""
        a, w, out = self.value(), self.window(), self.place()
        cell = self.cell()
        send = self.send("a", a, w, "right", cell)
        lines = [*self.where("w"), *NEIGHBOURS, *send, *self.wait(str(cell), "1", plain=True),
                 Line(f"pld.system.notify(s, me, [{cell}, 0], -1)"), self.take(w, out)]  # fmt: skip
        params = [self.param("a", a), self.param("w", w, "InOut", True), self.signal_param(), self.param("o", out, "Out")]
        self.task(self.kernel(params, lines), [a, w, self.signal, out])
        self.values.append(out)
        self.features.add("credit")

    def gather_sum(self) -> None:
        """All ranks add to the window of one, which waits for all of them."""
        a, out = self.value(), self.made()
        w = self.window(a.dtype)
        cell, root = self.cell(), self.random.randrange(self.size)
        sp, wp = self.signal_param(), self.param("w", w, "InOut", window=True)
        if self.chance(0.5):
            add = [Line(f"pld.tensor.put(w, {root}, a, atomic=pld.AtomicType.Add)"), self.notify(str(root), str(cell))]
        else:
            add = [Line(f"pld.tile.remote_store(pl.load(a), w, {root}, [0, 0], atomic=pld.AtomicType.Add)"),
                   self.notify(str(root), str(cell))]  # fmt: skip
        wait = [line.text for line in self.wait(str(cell), "n")]
        inside = "\n".join(f"    {part}" for text in [*wait, self.take(w, out)] for part in text.split("\n"))
        if self.chance(0.5):
            params = [self.param("a", a), wp, sp, self.param("o", out, "InOut")]
            lines = [*self.where("w"), *add, Line(f"if me == {root}:\n{inside}")]
            self.task(self.kernel(params, lines), [a, w, self.signal, out])
        else:
            self.task(self.kernel([self.param("a", a), wp, sp], [*self.where("w"), *add]), [a, w, self.signal])
            params = [wp, sp, self.param("o", out, "InOut")]
            self.task(self.kernel(params, [*self.where("w"), Line(f"if me == {root}:\n{inside}")]), [w, self.signal, out])
        self.values.append(out)
        self.copy_out(out)
        self.features.add("atomics")

    def copy_out(self, value: Ref) -> None:
        out = self.result(value.dtype)
        self.task(self.kernel([self.param("a", value), self.param("o", out, "Out")], ["pl.store(pl.load(a), [0, 0], o)"]),
                  [value, out])  # fmt: skip

    def pull(self) -> None:
        """Each rank writes its own window and tells the others; they read it."""
        a, w = self.value(), self.window()
        out = self.place(w.dtype)
        first = self.cell(self.size)
        sp, wp = self.signal_param(), self.param("w", w, "InOut", window=True)
        tell = "\n".join(["for p in pl.range(n):", f"    pld.system.notify(s, p, [{first} + me, 0], 1)"])
        fill = f"pl.store({self.loaded('a', a, w.dtype)}, [0, 0], w)"
        peer = self.pick("right", "left", str(self.random.randrange(self.size)))
        wait = Line(f"pld.system.wait(s, [{first} + {peer}, 0], 1)", "wait")
        if self.chance(0.4):
            fetch = f"pld.tensor.get(o, {peer}, w)"
        else:
            tile = f"pld.tile.remote_load(w, {peer}, [0, 0], [{w.rows}, {COLS}])"
            fetch = f"pl.store({self.changed(tile, w.dtype)}, [0, 0], o)"
        here = [*self.where("w"), *NEIGHBOURS]
        if self.chance(0.4):
            params = [self.param("a", a), wp, sp, self.param("o", out, "InOut")]
            self.task(self.kernel(params, [*here, fill, Line(tell, "notify"), wait, fetch]), [a, w, self.signal, out])
        else:
            self.task(self.kernel([self.param("a", a), self.param("w", w, "Out")], [fill]), [a, w])
            tasks = [[Line(tell, "notify"), wait, fetch]] if self.chance(0.5) else [[Line(tell, "notify")], [wait, fetch]]
            for lines in tasks:
                params = [wp, sp, self.param("o", out, "InOut")]
                self.task(self.kernel(params, [*here, *lines]), [w, self.signal, out])
        self.values.append(out)
        self.features.add("pull")

    def all_pairs(self) -> None:
        """`notify_all`, `wait_all`: each rank writes a row of everybody's window."""
        a = self.value()
        w = self.window(a.dtype, rows=self.size)
        out = self.result(a.dtype)
        signal = self.name("q")
        self.windows.append(Window(signal, f"{self.size}, 1", "INT32", True, self.group))
        cells = Param("s", "window", f"{self.size}, 1", "INT32", "InOut")
        row = self.loaded_row("a", a, w.dtype)
        send = f"for p in pl.range(n):\n    pld.tile.remote_store({row}, w, p, [me, 0])"
        wp = self.param("w", w, "InOut", window=True)
        total = f"pl.rem(pl.col_sum(pl.load(w)), {MODULUS[w.dtype]})"
        store = f"pl.store({total}, [0, 0], o)"
        op = Param("o", "tensor", f"1, {COLS}", out.dtype, "Out")
        result = out.text if out.rows == 1 else f"{out.text}[0:1]"
        tell, wait = Line("pld.system.notify_all(s)", "notify"), Line("pld.system.wait_all(s, 1)", "wait")
        if self.chance(0.5):
            lines = [*self.where("w"), Line(send), tell, wait, store]
            self.task(self.kernel([self.param("a", a), wp, cells, op], lines), [a, w, signal, result])
        else:
            self.task(self.kernel([self.param("a", a), wp], [*self.where("w"), Line(send)]), [a, w])
            self.task(self.kernel([cells], [tell]), [signal])
            self.task(self.kernel([cells], [wait]), [signal])
            self.task(self.kernel([self.param("w", w), op], [store]), [w, result])
        if out.rows == 1:
            self.values.append(out)
        self.features.add("notify_all")

    def exchange_round(self, a: Ref, i: str, rounds: int, here: str, dtype: str) -> None:
        """The tasks of one round of `pl.parallel` that send a row and take the one that arrives: communication order
        holds between rounds."""
        first = self.cell(rounds)
        w = self.fresh_window(dtype, rounds)
        wp, sp = self.param("w", w, "InOut", window=True), self.signal_param()
        number = Param("i", "scalar", "", "INDEX")
        row = self.loaded_row("a", a, dtype)
        send = [f"pld.tile.remote_store({row} + pl.cast(i, pl.{dtype}), w, right, [i, 0])",
                Line(f"pld.system.notify(s, right, [{first} + i, 0], 1)", "notify")]  # fmt: skip
        take = [Line(f"pld.system.wait(s, [{first} + i, 0], 1)", "wait"),
                f"pl.store(pl.rem(pl.load(w, [i, 0], [1, {COLS}]), {MODULUS[dtype]}), [0, 0], o)"]  # fmt: skip
        out = Param("o", "tensor", f"1, {COLS}", dtype, "Out")
        where = [*self.where("w"), *NEIGHBOURS]
        if self.chance(0.5):
            kernel = self.kernel([self.param("a", a), number, wp, sp, out], [*where, *send, *take])
            self.task(kernel, [a, i, w, self.signal, here], "call")
            return
        self.task(self.kernel([self.param("a", a), number, wp, sp], [*where, *send]), [a, i, w, self.signal], "call")
        self.task(self.kernel([number, wp, sp, out], [*where, *take]), [i, w, self.signal, here], "call")

    def window_element(self) -> None:
        """The orchestration function reads an element that a peer sent, after the task that waits for it; or it polls
        the cell itself before it submits that task."""
        a, w = self.value(), self.window()
        out, again = self.place(w.dtype), self.result(w.dtype)
        cell = self.cell()
        sp, wp = self.signal_param(), self.param("w", w, "InOut", window=True)
        lines = [*self.where("w"), *NEIGHBOURS, *self.send("a", a, w, "right", cell)]
        self.task(self.kernel([self.param("a", a), wp, sp], lines), [a, w, self.signal], "call")
        if not self.simple and self.chance(0.5):
            seen = self.name("n")
            read = f"{seen} = pl.read({self.signal}, [{cell}, 0])"
            self.add(Text(f"{read}\nwhile {seen} < 1:\n    {read}"))
            self.features.add("poll orchestration")
        take = self.take(w, out)
        if self.chance(0.5):  # it writes what the function reads
            take += f"\npl.store({self.changed('pl.load(w)', w.dtype)}, [0, 0], w)"
        params = [wp, sp, self.param("o", out, "Out")]
        self.task(self.kernel(params, [*self.where("w"), *self.wait(str(cell), "1"), take]), [w, self.signal, out], "call")
        v = self.name("v")
        self.add(Text(f"{v} = pl.read({w.text}, [0, {self.random.randrange(COLS)}])"))
        u = v
        if self.chance(0.4):  # it waits for the task here, having read too early where nothing has ordered the first read
            u = self.name("v")
            self.add(Text(f"{u} = pl.read({out.text}, [0, {self.random.randrange(COLS)}])"))
            self.features.add("element after element")
        store = f"pl.store(pl.rem(pl.load(a) + v + u, {MODULUS[w.dtype]}), [0, 0], o)"
        numbers = [Param("v", "scalar", "", w.dtype), Param("u", "scalar", "", w.dtype)]
        kernel = self.kernel([self.param("a", out), *numbers, self.param("o", again, "Out")], [store])
        self.task(kernel, [out, v, u, again], "call")
        self.values.append(again)
        self.features.add("window elements")
