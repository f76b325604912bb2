"""Pieces about scopes of an orchestration function: joins of ids, manual scopes, scopes that free what they create."""

from __future__ import annotations

from program_case import COLS, Kernel, Loop, Param, Scope, Text
from program_local import LocalPieces
from program_parts import MODULUS, Ref, created


class ScopePieces(LocalPieces):
    def _row_kernel(self, a: Ref, dtype: str) -> Kernel:
        number = f"pl.cast(i, pl.{dtype})"
        row = Param("o", "tensor", f"1, {COLS}", dtype, "Out")
        lines = [f"pl.store(pl.rem({self.loaded_row('a', a, dtype)} + {number}, {MODULUS[dtype]}), [0, 0], o)"]
        return self.kernel([self.param("a", a), Param("i", "scalar", "", "INDEX"), row], lines)

    def joined(self) -> None:
        """Tasks of a manual scope that fill rows, a join of their ids, one that reads them all: by the id of the join,
        sometimes of a join of joins, and rarely of one that leaves a task out, or outside the scope."""
        n = self.pick(2, 3)
        a, t, ids = self.value(), self.made(rows=n), self.name("ids")
        looped = self.chance(0.5)
        self.add(Text(f"{ids} = pl.array.create({n}, pl.TASK_ID)"))
        fill = self._row_kernel(a, t.dtype)
        result = self.result(t.dtype)
        outer, self.steps = self.steps, []
        if looped:
            i = self.name("i")
            inner, self.steps = self.steps, []
            self.task(fill, [a, i, f"{t.text}[{i}:{i} + 1]"], "spmd", tid=f"{ids}_one")
            self.add(Text(f"{ids}[{i}] = {ids}_one"))
            body, self.steps = self.steps, inner
            self.add(Loop(self.pick("range", "parallel"), i, n, body))
        else:
            for i in range(n):
                self.task(fill, [a, str(i), f"{t.text}[{i}:{i + 1}]"], "spmd", tid=f"{ids}_{i}")
                self.add(Text(f"{ids}[{i}] = {ids}_{i}"))
        names = ids if self.chance(0.6) else ", ".join(f"{ids}[{i}]" for i in range(n - self.chance(0.25)))
        join = self.name("j")
        self.add(Text(f"{join} = pl.task_join(deps=[{names}])"))
        if self.chance(0.4):
            second = self.name("j")
            self.add(Text(f"{second} = pl.system.task_dummy(deps=[pl.no_task(), {join}])"))
            join = second
        lines = ["t = pl.col_sum(pl.load(a))", f"pl.store(pl.rem(t, {MODULUS[t.dtype]}), [0, 0], o)"]
        take = self.kernel([Param("a", "tensor", f"{n}, {COLS}", t.dtype),
                            Param("o", "tensor", f"1, {COLS}", t.dtype, "Out")], lines)  # fmt: skip
        place = result.text if result.rows == 1 else f"{result.text}[0:1]"
        inside = self.chance(0.7)
        if inside:
            self.task(take, [t, place], self.pick("call", "spmd"), deps=[] if self.chance(0.1) else [join])
        body, self.steps = self.steps, outer
        self.add(Scope("manual_scope", body))
        if not inside:  # ordered by data with all of them
            self.task(take, [t, place], "call")
        if result.rows == 1:
            self.values.append(result)
        self.features |= {"task_join", "manual_scope"}

    def entries(self) -> None:
        """A manual scope in a loop: every round is a scope of its own, so the scratch tensor is safe between rounds."""
        n, i = self.pick(2, 3), self.name("i")
        a, out = self.value(), self.made(rows=n)
        scratch = self.name("t")
        self.add(created(scratch, 1, out.dtype))
        fill = self._row_kernel(a, out.dtype)
        row = Param("o", "tensor", f"1, {COLS}", out.dtype, "Out")
        move = self.kernel([Param("a", "tensor", f"1, {COLS}", out.dtype), row],
                           [f"pl.store({self.changed('pl.load(a)', out.dtype)}, [0, 0], o)"])  # fmt: skip
        outer, self.steps = self.steps, []
        tid = self.name("id")
        self.task(fill, [a, i, scratch], "spmd", tid=tid)
        self.task(move, [scratch, f"{out.text}[{i}:{i} + 1]"], "call", deps=[] if self.chance(0.15) else [tid])
        body, self.steps = self.steps, outer
        scope = Scope("manual_scope", body, self.group)
        self.add(Loop(self.pick("range", "range", "parallel"), i, n, [scope]))
        self.take_rows(out)
        self.features |= {"manual_scope", "manual rounds"}

    def freed(self) -> None:
        """Tensors created in a scope, which ends before the tasks that use them have; sometimes in a loop."""
        a, b, out = self.value(), self.value(), self.result()
        outer, self.steps = self.steps, []
        t = self.made(filled=self.chance(0.5))
        self.task(self.compute_kernel(a, b, t), [a, b, t])
        if self.chance(0.4):
            inner, self.steps = self.steps, []
            u = self.made()
            self.task(self.compute_kernel(t, u, t, "InOut"), [t, u, t])
            body, self.steps = self.steps, inner
            self.add(Scope("scope", body, self.group))
        self.task(self.compute_kernel(t, a, out), [t, a, out])
        body, self.steps = self.steps, outer
        scope = Scope("scope", body, self.group)
        if self.chance(0.4):
            self.add(Loop(self.pick("range", "range", "parallel"), self.name("i"), self.pick(2, 3), [scope]))
            self.features.add("scope rounds")
        else:
            self.add(scope)
        self.values.append(out)
        self.features.add("scope")
