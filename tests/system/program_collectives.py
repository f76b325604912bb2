"""Pieces of a random program made of collectives: in kernels, in blocks of a launch, and on the host."""

from __future__ import annotations

from program_case import COLS, Line, Param, Phase, Window
from program_exchange import ExchangePieces
from program_parts import MODULUS, Ref

ALLREDUCE_MODES = ["auto", "mesh", "two_shot", "ring"]


class CollectivePieces(ExchangePieces):
    def barrier(self) -> None:
        """Separates what comes before on all ranks of the group from what comes after."""
        kernel = self.kernel([self.collective_param()], [Line("pld.tensor.barrier(c)", "barrier")])
        self.task(kernel, [self.collective_signal], tag="barrier")

    def reduce_op(self) -> str:
        return self.pick("Sum", "Sum", "Max", "Min", "Prod")

    def stage(self, a: Ref, w: Ref, small: bool = False) -> str:
        """Writes every row of a window, of one or more blocks."""
        tile = self.loaded("a", a, w.dtype)
        if small:
            tile = f"pl.rem({tile}, {'5.0' if w.dtype == 'FP32' else '5'})"
        if w.rows == a.rows:
            return f"pl.store({tile}, [0, 0], w)"
        shifted = f"{tile} + pl.cast(i, pl.{w.dtype})"
        return f"for i in pl.range({w.rows // a.rows}):\n    pl.store({shifted}, [i * {a.rows}, 0], w)"

    def collective(self) -> None:
        """A window is filled, a collective works on it, the result is read: in one to three tasks."""
        kind = self.pick("allreduce", "allreduce", "allreduce", "broadcast", "allgather", "reduce_scatter", "all_to_all",
                         "all_to_all_v")  # fmt: skip
        getattr(self, f"_{kind}")()
        self.features.add(kind)

    def _in_tasks(self, a: Ref, w: Ref, call: str, stage: str, take: list[str], out: Ref, more: list) -> None:
        """`more`: further parameters of the collective, as (parameter, argument)."""
        extra = [p for p, _ in more]
        args = [x for _, x in more]
        cp, c = self.collective_param(), self.collective_signal
        wp, op = self.param("w", w, "InOut", window=True), self.param("o", out, "Out")
        result = more[0][1] if more else w  # where it ends up
        split = self.pick("one", "two", "three", "three", "three")
        if split == "one":
            self.task(self.kernel([self.param("a", a), wp, *extra, cp, op], [stage, Line(call, "barrier"), *take]),
                      [a, w, *args, c, out])  # fmt: skip
        else:
            self.task(self.kernel([self.param("a", a), self.param("w", w, "InOut")], [stage]), [a, w])
            inside = [Line(call, "barrier")]
            if split == "two":
                self.task(self.kernel([wp, *extra, cp, op], [*inside, *take]), [w, *args, c, out])
            else:
                self.task(self.kernel([wp, *extra, cp], inside), [w, *args, c])
                name = "g" if more else "w"
                if any("me *" in line or "me)" in line for line in take):
                    self.task(self.kernel([self.param(name, result, "", window=True), op], take), [result, out])
                else:
                    self.task(self.kernel([self.param(name, result), op], take), [result, out])
        self.free += [w, *[x for x in args if isinstance(x, Ref) and x.rows == w.rows]]
        self.values.append(out)

    def _allreduce(self) -> None:
        a, w, out = self.value(), self.window(), self.place()
        op, mode = self.reduce_op(), self.pick(*ALLREDUCE_MODES)
        self.features.add(f"allreduce {mode}")
        if self.chance(0.25):
            self._allreduce_blocks(a, w, out, op, mode)
            return
        call = f'pld.tensor.allreduce(w, c, op=pld.ReduceOp.{op}, mode="{mode}")'
        self._in_tasks(a, w, call, self.stage(a, w, op == "Prod"), [self.take(w, out)], out, [])

    def _allreduce_blocks(self, a: Ref, w: Ref, out: Ref, op: str, mode: str) -> None:
        """By two blocks of each rank."""
        self.task(self.kernel([self.param("a", a), self.param("w", w, "InOut")], [self.stage(a, w, op == "Prod")]), [a, w])
        call = f'pld.tensor.allreduce(w, c, op=pld.ReduceOp.{op}, mode="{mode}", core_num=2)'
        kernel = self.kernel([self.param("w", w, "InOut", window=True), self.collective_param()], [call])
        self.task(kernel, [w, self.collective_signal], "spmd", blocks=2)
        self.task(self.kernel([self.param("w", w), self.param("o", out, "Out")], [self.take(w, out)]), [w, out])
        self.free.append(w)
        self.values.append(out)
        self.features.add("collective blocks")

    def _broadcast(self) -> None:
        a, w, out = self.value(), self.window(), self.place()
        call = f"pld.tensor.broadcast(w, c, root={self.random.randrange(self.size)})"
        self._in_tasks(a, w, call, self.stage(a, w), [self.take(w, out)], out, [])

    def take_block(self, name: str, source: Ref, out: Ref, block: str) -> list[str]:
        """One block of rows of a wide window."""
        tile = f"pl.load({name}, [{block} * {out.rows}, 0], [{out.rows}, {COLS}])"
        tile = tile if source.dtype == out.dtype else f"pl.cast({tile}, pl.{out.dtype})"
        return [f"pl.store({self.changed(tile, out.dtype)}, [0, 0], o)"]

    def own_block(self, name: str, source: Ref, out: Ref) -> list[str]:
        return [f"me = pld.rank(pld.get_comm_ctx({name}))", *self.take_block(name, source, out, "me")]

    def some_block(self, name: str, source: Ref, out: Ref) -> list[str]:
        return self.take_block(name, source, out, str(self.random.randrange(self.size)))

    def _allgather(self) -> None:
        a, w, out = self.value(), self.window(), self.place()
        wide = self.wide(w.dtype)
        more = [(self.param("g", wide, "InOut", window=True), wide)]
        self._in_tasks(a, w, "pld.tensor.allgather(w, g, c)", self.stage(a, w), self.some_block("g", wide, out), out, more)

    def _reduce_scatter(self) -> None:
        a, out = self.value(), self.place()
        w, op = self.wide(self.pick("FP32", "INT32")), self.reduce_op()
        call = f"pld.tensor.reduce_scatter(w, c, op=pld.ReduceOp.{op})"
        small = "5.0" if w.dtype == "FP32" else "5"
        take = self.own_block("w", w, out)
        stage = self.stage(a, w)
        if op == "Prod":
            stage = stage.replace("pl.store(", f"pl.store(pl.rem(", 1).replace(f", [", f", {small}), [", 1)
        self._in_tasks(a, w, call, stage, take, out, [])

    def _all_to_all(self) -> None:
        a, out = self.value(), self.place()
        w = self.wide(self.pick("FP32", "INT32"))
        target = self.wide(w.dtype)
        more = [(self.param("g", target, "InOut", window=True), target)]
        call = "pld.tensor.all_to_all(w, g, c)"
        self._in_tasks(a, w, call, self.stage(a, w), self.some_block("g", target, out), out, more)

    def _all_to_all_v(self) -> None:
        """Counts are those of a broadcast rank, so that all of them fit; only what is counted is read."""
        a, out = self.value(), self.place()
        w = self.wide(self.pick("FP32", "INT32"))
        target = self.wide(w.dtype)
        sent, received = self.name("n"), self.name("n")
        for name in (sent, received):
            self.windows.append(Window(name, f"{self.size}", "INT32", group=self.group))
        counts = [Param(n, "window", f"{self.size}", "INT32", "InOut") for n in ("sc", "rc")]
        call = (f"for p in pl.range({self.size}):\n    pl.write(sc, [p], pl.const({self.rows}, pl.INT32))\n"
                "pld.tensor.all_to_all_v(w, g, c, sc, rc)")  # fmt: skip
        more = [(self.param("g", target, "InOut", window=True), target), (counts[0], sent), (counts[1], received)]
        self._in_tasks(a, w, call, self.stage(a, w), self.some_block("g", target, out), out, more)

    # On the host.

    def host_collective(self) -> list[Phase]:
        """Dispatches of kernels around a collective of the host function."""
        self.group = "all"
        a, w, out = self.value(), self.fresh_window(self.pick("FP32", "INT32"), self.rows), self.result()
        kind = self.pick("allreduce", "allreduce", "broadcast", "barrier")
        signal = self.pick("", ", c")
        mode, op = self.pick(*ALLREDUCE_MODES), self.reduce_op()
        stage = self.kernel([self.param("a", a), self.param("w", w, "InOut")], [self.stage(a, w, op == "Prod")])
        take = self.kernel([self.param("w", w), self.param("o", out, "Out")], [self.take(w, out)])
        text = {
            "allreduce": f'{w.text} = pld.tensor.allreduce({w.text}{signal}, op=pld.ReduceOp.{op}, mode="{mode}")',
            "broadcast": f"{w.text} = pld.tensor.broadcast({w.text}{signal}, root={self.random.randrange(self.ranks)})",
            "barrier": f"pld.tensor.barrier({signal[2:]})",
        }[kind]
        self.features |= {f"host {kind}", "direct"}
        phases = []
        outer, self.steps = self.steps, []
        for kernel, args in ((stage, [a, w]), (None, []), (take, [w, out])):
            if kernel is None:
                phases.append(Phase([], host=text))
                continue
            self.steps = []
            self.task(kernel, args, "call")
            phases.append(Phase(self.steps, direct=True))
        self.steps = outer
        self.values.append(out)
        return phases
