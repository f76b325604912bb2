"""Pieces of a random program that take place in sub-groups: collectives, and exchanges by hand."""

from __future__ import annotations

from program_case import COLS, Line, Param, Window
from program_collectives import ALLREDUCE_MODES
from program_parts import MODULUS
from program_unordered import UnorderedPieces


class SubgroupPieces(UnorderedPieces):
    def division(self, context: str) -> tuple[str, int]:
        """The lines that make the sub-group `g` of a window's group, and how many ranks it has."""
        n = self.size
        size, stride = self.pick(*[(m, s) for m in range(1, n + 1) for s in range(1, n + 1) if n % (m * s) == 0])
        forms = [f"g = pld.subgroup(ctx, {size}, stride={stride})"]
        if stride == 1:
            forms.append(f"g = pld.subgroup(ctx, pld.nranks(ctx) // {n // size})")
            forms.append(f"g = pld.mesh_axis(ctx, [{n // size}, {size}], 1)")
        if size * stride == n:
            forms.append(f"g = pld.mesh_axis(ctx, [{size}, {stride}], 0)")
        forms.append(f"g = pld.mesh_axis(ctx, [{n // (size * stride)}, {size}, {stride}], -2)")
        forms.append(f"h = pld.subgroup(ctx, {n // stride}, {stride})\ng = pld.subgroup(h, {size})")
        forms.append(f"g = ctx\nfor i in pl.range(2):\n    g = pld.subgroup(ctx, {size}, stride={stride})")
        return f"ctx = pld.get_comm_ctx({context})\n{self.pick(*forms)}", size

    def sub_collective(self) -> None:
        """A collective of every sub-group, in one to three tasks."""
        a, w, out = self.value(), self.window(), self.place()
        division, size = self.division("c")
        op, mode = self.reduce_op(), self.pick(*ALLREDUCE_MODES)
        kind = self.pick("allreduce", "allreduce", "broadcast", "allgather")
        more = []
        take = [self.take(w, out)]
        if kind == "allreduce":
            call = f'pld.tensor.allreduce(w, c, op=pld.ReduceOp.{op}, mode="{mode}", group=g)'
        elif kind == "broadcast":
            call = f"pld.tensor.broadcast(w, c, root={self.random.randrange(size)}, group=g)"
        else:
            wide = self.fresh_window(w.dtype, size * self.rows)
            more = [(self.param("g2", wide, "InOut", window=True), wide)]
            call = "pld.tensor.allgather(w, g2, c, group=g)"
            tile = f"pl.load(g2, [{self.random.randrange(size) * out.rows}, 0], [{out.rows}, {COLS}])"
            tile = tile if wide.dtype == out.dtype else f"pl.cast({tile}, pl.{out.dtype})"
            take = [f"pl.store({tile}, [0, 0], o)"]
        if self.chance(0.3):
            call += "\npld.tensor.barrier(c, group=g)"
        stage = self.stage(a, w, kind == "allreduce" and op == "Prod")
        self.sub_tasks(a, w, f"{division}\n{call}", stage, take, out, more)
        self.features.add("sub-group")

    def sub_tasks(self, a, w, call, stage, take, out, more) -> None:
        """As `_in_tasks`; what an allgather fills has a name of its own."""
        extra, args = [p for p, _ in more], [x for _, x in more]
        cp, c = self.collective_param(), self.collective_signal
        wp, op = self.param("w", w, "InOut", window=True), self.param("o", out, "Out")
        if self.chance(0.4):
            kernel = self.kernel([self.param("a", a), wp, *extra, cp, op], [stage, Line(call, "barrier"), *take])
            self.task(kernel, [a, w, *args, c, out])
        else:
            self.task(self.kernel([self.param("a", a), self.param("w", w, "InOut")], [stage]), [a, w])
            self.task(self.kernel([wp, *extra, cp, op], [Line(call, "barrier"), *take]), [w, *args, c, out])
        self.free.append(w)
        self.values.append(out)

    def sub_exchange(self) -> None:
        """Each rank writes a row of the window of every rank of its sub-group, and tells it."""
        a = self.value()
        w = self.window(a.dtype, rows=self.size)
        out = self.result(a.dtype)
        signal = self.name("q")
        self.windows.append(Window(signal, f"{self.size}, 1", "INT32", True, self.group))
        cells = Param("s", "window", f"{self.size}, 1", "INT32", "InOut")
        division, _ = self.division("s")
        row = self.loaded_row("a", a, w.dtype)
        if self.chance(0.5):
            send = f"pld.tile.remote_store({row}, w, p, [here, 0], group=g)"
        else:
            send = f"pld.tensor.put(w, p, a, [here, 0], [0, 0], [1, {COLS}], group=g)"
        others = "for p in pl.range(m):\n    if p != here:\n        "
        if self.chance(0.5):
            tell, wait = "pld.system.notify_all(s, group=g)", "pld.system.wait_all(s, 1, group=g)"
        else:
            tell = f"{others}pld.system.notify(s, p, [me, 0], 1, group=g)"
            wait = f"{others}pld.system.wait(s, [pld.member_rank(g, p), 0], 1)"
        total = f"pl.rem(pl.col_sum(pl.load(w)), {MODULUS[w.dtype]})"
        op = Param("o", "tensor", f"1, {COLS}", out.dtype, "Out")
        result = out.text if out.rows == 1 else f"{out.text}[0:1]"
        lines = [
            f"{division}\nme = pld.rank(ctx)\nhere = pld.rank(g)\nm = pld.nranks(g)",
            Line(f"for p in pl.range(m):\n    {send}"),
            Line(tell, "notify"),
            Line(wait, "wait"),
            f"pl.store({total}, [0, 0], o)",
        ]
        wp = self.param("w", w, "InOut", window=True)
        self.task(self.kernel([self.param("a", a), wp, cells, op], lines), [a, w, signal, result])
        if out.rows == 1:
            self.values.append(out)
        self.features.add("sub-group by hand")
