"""Pieces of a random program whose tasks leave the order that arguments would give them: `ordered=False`, `pl.no_dep`
on windows, kernels that take windows of two groups, blocks that signal each other."""

from __future__ import annotations

from program_case import COLS, Line, Param, Window
from program_collectives import CollectivePieces
from program_exchange import NEIGHBOURS
from program_parts import MODULUS, Ref


class UnorderedPieces(CollectivePieces):
    def unordered(self) -> None:
        """A sender outside communication order; its notify follows by `deps=`, by data, or, wrongly, by nothing."""
        a, w, out = self.value(), self.window(), self.place()
        cell, tid = self.cell(), self.name("id")
        here = [*self.where("w"), *NEIGHBOURS]
        tile = self.loaded("a", a, w.dtype)
        wp, sp = self.param("w", w, "InOut", window=True), self.signal_param()
        store = f"pld.tile.remote_store({tile}, w, right, [0, 0])"
        tell = self.notify("right", str(cell))
        form = self.pick("spmd", "at")
        how = self.pick("one", "deps", "deps", "nothing")
        if how == "one":
            self.task(self.kernel([self.param("a", a, window=True), wp, sp], [*here, store, tell]), [a, w, self.signal], form,
                      ordered=False)  # fmt: skip
        else:
            self.task(self.kernel([self.param("a", a, window=True), wp], [*here, store]), [a, w], form, ordered=False, tid=tid)
            kernel = self.kernel([sp], [*self.where("s"), *NEIGHBOURS, tell])
            self.task(kernel, [self.signal], self.pick("spmd", "call"), deps=[tid] if how == "deps" else [])
        take = self.kernel([self.param("w", w), self.param("o", out, "Out")], [self.take(w, out)])
        if self.chance(0.4):
            self.task(take, [w, out], "call", deps=[self.defer([(cell, 1)])])
        else:
            done = self.name("id")
            lines = [*self.where("s"), *self.wait(str(cell), "1", plain=True)]
            self.task(self.kernel([sp], lines), [self.signal], "spmd", tid=done, ordered=self.chance(0.5))
            self.task(take, [w, out], "call", deps=[done])
        self.values.append(out)
        self.features |= {"ordered=False", "deps"}

    def late_notify(self) -> None:
        """A task waits, outside the order of its signal, for what a later task sends; local work between the two takes
        a window of another group or of the same one. Only what leaves the order of the signal can tell: the others
        would follow the task that waits, which takes a window of the group."""
        a, b, out = self.value(), self.value(), self.place()
        cell = self.cell()
        inner = self.group
        other = self.pick("all", inner)
        self.group = other
        w = self.window()
        self.group = inner
        # The window is filled before, by a task of this rank: it is only read from here on.
        self.task(self.kernel([self.param("a", a), self.param("w", w, "InOut")],
                              [f"pl.store({self.loaded('a', a, w.dtype)}, [0, 0], w)"]), [a, w], "call")  # fmt: skip
        t = self.made(w.dtype)
        wait = [*self.where("s"), *self.wait(str(cell), "1", plain=True), self.take(w, out)]
        params = [self.param("w", w), self.signal_param(), self.param("o", out, "Out")]
        self.task(self.kernel(params, wait), [w, self.signal, out], self.pick("call", "spmd"), no_dep={1})
        work = self.kernel([self.param("w", w), self.param("b", b), self.param("o", t, "Out")],
                           [f"pl.store(pl.load(w) + {self.loaded('b', b, w.dtype)}, [0, 0], o)"])  # fmt: skip
        self.task(work, [w, b, t], "call")
        tell = [*self.where("s"), *NEIGHBOURS,
                Line(f"v = pl.read(t, [0, 0])\nif v > {'-1000.0' if t.dtype == 'FP32' else '-1000'}:\n"
                     f"    pld.system.notify(s, right, [{cell}, 0], 1)", "notify")]  # fmt: skip
        self.task(self.kernel([self.param("t", t), self.signal_param()], tell), [t, self.signal], "call",
                  no_dep=set() if self.chance(0.15) else {1})  # fmt: skip
        self.values.append(out)
        self.features |= {"no_dep", "late"} | ({"two groups"} if other != inner else set())

    def both_groups(self) -> None:
        """A kernel that exchanges in one group and reads a window of the other."""
        inner, self.group = self.group, "all"
        a, outer = self.value(), self.window()
        self.group = inner
        w, out = self.window(outer.dtype), self.place(outer.dtype)
        cell = self.cell()
        self.task(self.kernel([self.param("a", a), self.param("w", outer, "InOut")],
                              [f"pl.store({self.loaded('a', a, outer.dtype)}, [0, 0], w)"]), [a, outer])  # fmt: skip
        lines = [*self.where("w"), *NEIGHBOURS, "pld.tile.remote_store(pl.load(g), w, right, [0, 0])",
                 self.notify("right", str(cell)), *self.wait(str(cell), "1", plain=True),
                 f"pl.store(pl.rem(pl.load(w) + pl.load(g), {MODULUS[w.dtype]}), [0, 0], o)"]  # fmt: skip
        params = [self.param("g", outer), self.param("w", w, "InOut", True), self.signal_param(), self.param("o", out, "Out")]
        self.task(self.kernel(params, lines), [outer, w, self.signal, out])
        again = self.result()
        self.task(self.compute_kernel(outer, out, again), [outer, out, again])
        self.values.append(out)
        self.features.add("two groups")

    def counts(self) -> None:
        """One rank sets a cell of each other to a number, which is awaited, read, and used as a number of rounds."""
        a, out = self.value(), self.made()
        cell, root = self.cell(), self.random.randrange(self.size)
        sp = self.signal_param()
        tell = (f"if me == {root}:\n    for p in pl.range(n):\n"
                f"        pld.system.notify(s, p, [{cell}, 0], {self.pick('2', 'p + 1', '3')}, op=pld.NotifyOp.Set)")  # fmt: skip
        wait = Line(f"pld.system.wait(s, [{cell}, 0], 1)", "wait")
        read = f"k = pl.read(s, [{cell}, 0])"
        tile = self.loaded("a", a, out.dtype)
        use = f"for i in pl.range(k):\n    pl.store(pl.rem(pl.load(o) + {tile}, {MODULUS[out.dtype]}), [0, 0], o)"
        params = [self.param("a", a), sp, self.param("o", out, "InOut")]
        lines = [*self.where("s"), Line(tell, "notify"), wait, read, use]
        if self.chance(0.5):
            self.task(self.kernel(params, lines), [a, self.signal, out])
        else:
            self.task(self.kernel([sp], lines[:4]), [self.signal])
            self.task(self.kernel(params, lines[4:]), [a, self.signal, out])
        self.values.append(out)
        self.copy_out(out)
        self.features.add("counts")

    def block_signals(self) -> None:
        """Blocks of a launch wait for each other's rows."""
        a, out = self.value(), self.result()
        t = self.made(out.dtype, 2)
        first = self.cell(2)
        tile = self.loaded_row("a", a, out.dtype)
        lines = [*self.where("s"), "b = pl.tile.get_block_idx()",
                 f"pl.store({tile} + pl.cast(b, pl.{out.dtype}), [b, 0], t)",
                 Line(f"pld.system.notify(s, me, [{first} + b, 0], 1)", "notify"),
                 Line(f"pld.system.wait(s, [{first} + 1 - b, 0], 1)", "wait"),
                 f"if b == 0:\n    pl.store(pl.load(t, [1, 0], [1, {COLS}]), [0, 0], o)"]  # fmt: skip
        params = [self.param("a", a), Param("t", "tensor", f"2, {COLS}", t.dtype, "InOut"), self.signal_param(),
                  Param("o", "tensor", f"1, {COLS}", out.dtype, "InOut")]  # fmt: skip
        result = out.text if out.rows == 1 else f"{out.text}[0:1]"
        self.task(self.kernel(params, lines), [a, t, self.signal, result], "spmd", blocks=2)
        if out.rows == 1:
            self.values.append(out)
        self.features |= {"spmd", "block signals"}

    def seen(self) -> None:
        """What a wait saw goes into a result or decides one: it may depend on the schedule."""
        a, out, cell = self.value("INT32"), self.result("INT32"), self.cell()
        use = self.pick("stored", "branch", "rounds", "extent", "address")
        first = f"pl.load(a, [0, 0], [1, {COLS}]"
        lines = [*self.where("s"), *NEIGHBOURS, Line(f"pld.system.notify(s, right, [{cell}, 0], 1)", "notify"),
                 Line(f"pld.system.notify(s, left, [{cell}, 0], 1)", "notify"),
                 f"v = pld.system.wait(s, [{cell}, 0], {self.pick(1, 2)})",
                 {"stored": "pl.write(o, [0, 0], v)",
                  "branch": f"if v > 1:\n    pl.store({first}), [0, 0], o)",
                  "rounds": "for i in pl.range(v):\n    pl.write(o, [0, i], v + 1)",
                  "extent": f"pl.store({first}, valid_shape=[1, v]), [0, 0], o)",
                  "address": "pl.write(o, [0, v], pl.const(5, pl.INT32))"}[use]]  # fmt: skip
        params = [self.param("a", a), self.signal_param(), self.param("o", out, "InOut")]
        self.task(self.kernel(params, lines), [a, self.signal, out])
        self.features |= {"seen", f"seen {use}"}

    def flags(self) -> None:
        """Two ranks set a flag each and look for the other's; who sees none writes. Both may: cells are not sequentially
        consistent."""
        if self.size != 2:
            self.seen()
            return
        a, w, out = self.value(), self.window(), self.result()
        first = self.cell(2)
        store = f"pld.tile.remote_store({self.loaded('a', a, w.dtype)}, w, {self.pick('0', 'me')}, [0, 0])"
        flag = "\n".join(f"pld.system.notify(s, {p}, [{first} + me, 0], 1, op=pld.NotifyOp.Set)" for p in (0, 1))
        lines = [*self.where("w"), Line(flag, "notify"),
                 f"if not pld.system.test(s, [{first} + 1 - me, 0], 1):\n    {store}"]  # fmt: skip
        params = [self.param("a", a), self.param("w", w, "InOut", window=True), self.signal_param()]
        self.task(self.kernel(params, lines), [a, w, self.signal])
        self.barrier()
        self.task(self.kernel([self.param("w", w), self.param("o", out, "Out")], [self.take(w, out)]), [w, out])
        self.features.add("flags")

    def views(self) -> None:
        """Two views of one buffer, of different dtypes; atomic additions through both are a data race."""
        buffer, as_float, as_int = self.name("b"), self.name("w"), self.name("w")
        for name, dtype in ((as_float, "FP32"), (as_int, "INT32")):
            self.windows.append(Window(name, f"{self.rows}, {COLS}", dtype, group=self.group, buffer=buffer))
        mixed = self.chance(0.3)
        dtype = self.pick("FP32", "INT32")
        views = {d: Ref(n, self.rows, d, self.group, True) for n, d in ((as_float, "FP32"), (as_int, "INT32"))}
        add = "pld.tensor.put({0}, 0, {1}, atomic=pld.AtomicType.Add)"
        other = ("INT32" if dtype == "FP32" else "FP32") if mixed else dtype
        a, b, out = self.value(dtype), self.value(other), self.result(dtype)
        lines = [*self.where("w"), f"if me == 0:\n    {add.format('w', 'a')}\nelse:\n    {add.format('g', 'b')}"]
        params = [self.param("a", a), self.param("b", b), self.param("w", views[dtype], "InOut", window=True),
                  self.param("g", views[other], "InOut", window=True)]  # fmt: skip
        self.task(self.kernel(params, lines), [a, b, views[dtype], views[other]])
        self.barrier()
        take = self.kernel([self.param("w", views[dtype]), self.param("o", out, "Out")], [self.take(views[dtype], out)])
        self.task(take, [views[dtype], out])
        self.features |= {"views"} | ({"views mixed"} if mixed else set())
