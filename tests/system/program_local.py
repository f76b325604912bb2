"""Pieces of a random program that one rank does by itself: tasks, launches, rounds, element accesses, ids of tasks."""

from __future__ import annotations

import dataclasses
from typing import Any

from program_case import COLS, Branch, Kernel, Loop, Param, Text, indented
from program_parts import MODULUS, Parts, Ref, created


class LocalPieces(Parts):
    def compute_kernel(self, a: Ref, b: Ref, out: Ref, direction: str = "Out") -> Kernel:
        """out = f(a, b)"""
        op = self.pick("+", "-", "*")
        first, second = self.loaded("a", a, out.dtype), self.loaded("b", b, out.dtype)
        lines = [f"t = pl.rem({first} {op} {second}, {MODULUS[out.dtype]})"]
        if self.chance(0.4):
            lines.append(f"t = {self.changed('t', out.dtype)}")
        lines.append("pl.store(t, [0, 0], o)")
        params = [self.param("a", a), self.param("b", b), self.param("o", out, direction)]
        return self.kernel(params, lines)

    def compute(self) -> None:
        """A chain of tasks."""
        for _ in range(self.pick(1, 1, 2)):
            a, b, out = self.value(), self.value(), self.place()
            self.task(self.compute_kernel(a, b, out), [a, b, out])
            self.values.append(out)

    def mixed(self) -> None:
        """A product and other work on tiles in one kernel, which may run as a cube and a vector half."""
        self.pick(self.mixed_values, self.mixed_values, self.mixed_rounds, self.mixed_in_place)()
        self.features.add("mixed")

    def mask(self) -> str:
        """A right operand, the same on all ranks."""
        return f"pl.tile.tri([{COLS}, {COLS}], k={self.pick(-1, 0, 2)}, upper={self.pick(True, False)}, dtype=pl.FP32)"

    def split_task(self, params: list[Param], lines: list[str], args: list[Any]) -> None:
        kernel = self.kernel(params, lines)
        kernel.split = self.pick("", "", "UP_DOWN", "LEFT_RIGHT")
        self.task(kernel, args, self.pick("call", "spmd"))

    def mixed_values(self) -> None:
        """Tiles and elements cross once, or in each round of a loop."""
        a, b, out = self.value(), self.value(), self.place()
        kind = self.pick("before", "behind", "both", "rounds", "scalar")
        first = self.loaded("a", a, "FP32")
        second = self.loaded("b", b, out.dtype)
        left = f"pl.rem({first} * 2.0, 5.0)" if kind in ("before", "both") else first
        product = f"pl.rem(pl.matmul({left}, m), {MODULUS['FP32']})"
        product = product if out.dtype == "FP32" else f"pl.cast({product}, pl.{out.dtype})"
        lines = [f"m = {self.mask()}"]
        if kind == "rounds":
            lines += [f"p = pl.full([{out.rows}, {COLS}], dtype=pl.{out.dtype}, value={0 if out.dtype == 'INT32' else 0.0})",
                      f"for i in pl.range({self.pick(1, 3, 9)}):\n    p = pl.rem(p + {product}, {MODULUS[out.dtype]})"]  # fmt: skip
        elif kind == "scalar":  # an element that the kernel reads and one half needs of the other
            lines += [f"n = pl.read({self.loaded('b', b, 'FP32')}, [0, {self.random.randrange(COLS)}])",
                      f"p = {product}",
                      f"if n > 2.0:\n    p = p + {product}"]  # fmt: skip
        else:
            lines.append(f"p = {product}")
        result = "p" if kind == "before" else f"pl.rem(p + {second}, {MODULUS[out.dtype]})"
        lines.append(f"pl.store({result}, [0, 0], o)")
        params = [self.param("a", a), self.param("b", b), self.param("o", out, "Out")]
        self.split_task(params, lines, [a, b, out])
        self.values.append(out)

    def mixed_rounds(self) -> None:
        """What loops carry crosses both ways, under conditions, with a part of it valid."""
        a, b, out = self.value(), self.value(), self.place("FP32")
        product, element = "pl.rem(pl.matmul(t, m), 7.0)", f"pl.read(t, [0, {self.random.randrange(COLS)}])"
        rounds, kind = self.pick(1, 3, 6, 9), self.pick("to and fro", "branch", "late", "while", "ragged")
        lines = [f"m = {self.mask()}", f"t = {self.loaded('a', a, 'FP32')}", f"u = {self.loaded('b', b, 'FP32')}"]
        body = [f"t = pl.rem({product} + t, 11.0)"]
        if kind == "branch":
            other = [f"for j in pl.range(i % 3):\n    t = pl.rem({product} + u, 11.0)"]
            body = [f"if i % {self.pick(2, 3)} == 1:", *indented(body), "else:", *indented(other)]
        elif kind == "late":
            lines.append(f"p = {product}")
            body = ["t = pl.rem(t + p, 11.0)", f"p = {product}", "u = p + 1.0"]
        elif kind == "ragged":
            lines += [f"v = pl.cast(pl.abs({element}), pl.INT32) % {out.rows} + 1",
                      "pl.store(u, [0, 0], o)",
                      f"t = pl.load(a, [0, 0], [{a.rows}, {COLS}], valid_shape=[v, {COLS}])" if a.dtype == "FP32" else
                      f"t = pl.set_validshape(t, [v, {COLS}])"]  # fmt: skip
        head = f"for i in pl.range({rounds}):"
        if kind == "while":
            lines.append("i = 0")
            head, body = f"while i < {rounds} and {element} < 9.0:", [*body, "i = i + 1"]
        lines += ["\n".join([head, *indented(body)]), f"pl.store({self.pick('t', 't + 1.0', 'pl.matmul(t, m)')}, [0, 0], o)"]
        if kind != "ragged":
            lines.insert(-1, "t = pl.rem(t + u, 7.0)")
        self.split_task([self.param("a", a), self.param("b", b), self.param("o", out, "Out")], lines, [a, b, out])
        if kind != "ragged" and "pl.matmul(t, m)" not in lines[-1]:
            self.values.append(out)

    def mixed_in_place(self) -> None:
        """A tensor that is loaded and stored in each round: through a part of it, by rows, as two arguments."""
        a, out = self.value(), self.made("FP32", 2 * self.rows)
        kind, rows = self.pick("part", "row", "two", "two"), self.rows
        first = self.random.randint(0, rows)
        product = f"pl.rem(pl.matmul({self.loaded('a', a, 'FP32')}, m), 7.0)"
        lines = [f"m = {self.mask()}"]
        params, args = [self.param("a", a), self.param("o", out, "InOut")], [a, out.text]
        if kind == "part":
            lines.append(f"s = o[{first}:{first + rows}, :]")
            body = [f"pl.store(pl.rem({product} + pl.load(o, [i % {rows + 1}, 0], [{rows}, {COLS}]), 11.0), [0, 0], s)"]
        elif kind == "row":
            body = [f"r = pl.load(o, [{first}, 0], [1, {COLS}])",
                    f"pl.store(pl.rem({product} + r, 11.0), [{rows}, 0], o)",
                    f"pl.store(pl.rem(r + 1.0, 5.0), [{self.pick(first, 0)}, 0], o)"]  # fmt: skip
        else:
            params.append(Param("q", "tensor", f"{rows}, {COLS}", "FP32"))
            args.append(f"{out.text}[{first}:{first + rows}]")
            stripe = f"pl.matmul(pl.load(q, [i % {rows}, 0], [1, {COLS}]), m)"
            body = [f"pl.store(pl.rem({stripe} + 3.0, 11.0), [(i * 3) % {2 * rows}, 0], o)"]
        lines.append("\n".join([f"for i in pl.range({self.pick(2, 5, 8)}):", *indented(body)]))
        self.split_task(params, lines, args)
        self.values.append(dataclasses.replace(out, text=f"{out.text}[{first}:{first + rows}]", rows=rows))

    def update(self) -> None:
        """Tasks that change a tensor in place, one after the other."""
        a, out = self.value(), self.made()
        for _ in range(self.pick(1, 2, 3)):
            t = f"pl.load(o) + {self.loaded('a', a, out.dtype)}"
            lines = [f"pl.store(pl.rem({t}, {MODULUS[out.dtype]}), [0, 0], o)"]
            self.task(self.kernel([self.param("a", a), self.param("o", out, "InOut")], lines), [a, out])
            if self.chance(0.5):  # read in between: what comes next is a write after it
                copy = self.result(out.dtype)
                self.task(self.compute_kernel(out, a, copy), [out, a, copy])
        self.values.append(out)

    def halves(self) -> None:
        """Two tasks write the left and the right half of a tensor, a third reads both."""
        a, out = self.value(), self.made()
        half = COLS // 2
        for first in (0, half):
            param = Param("o", "tensor", f"{out.rows}, {half}", out.dtype, "Out")
            tile = f"pl.load(a, [0, {first}], [{a.rows}, {half}])"
            tile = tile if a.dtype == out.dtype else f"pl.cast({tile}, pl.{out.dtype})"
            kernel = self.kernel([self.param("a", a), param], [f"pl.store({self.changed(tile, out.dtype)}, [0, 0], o)"])
            self.task(kernel, [a, f"{out.text}[:, {first}:{first + half}]"], self.pick("call", "spmd"))
        self.values.append(out)
        self.features.add("slices")

    def launch(self) -> None:
        """Blocks that each do some rows, or add to the same ones."""
        a, out = self.value(), self.made(rows=4)
        tile = self.loaded_row("a", a, out.dtype, f"b % {a.rows}")
        lines = ["b = pl.tile.get_block_idx()"]
        if self.chance(0.4):
            lines.append(f"pl.store({tile}, [0, 0], o, atomic=pld.AtomicType.Add)")
            self.features.add("local atomics")
        else:
            lines.append(f"pl.store({self.changed(tile, out.dtype)}, [b, 0], o)")
        kernel = self.kernel([self.param("a", a), Param("o", "tensor", f"4, {COLS}", out.dtype, "InOut")], lines)
        self.task(kernel, [a, out], "spmd", blocks=4)
        self.take_rows(out)
        self.features.add("spmd")

    def take_rows(self, out: Ref) -> None:
        """The sum of the rows of a tensor goes to a result."""
        result = self.result(out.dtype)
        lines = ["t = pl.col_sum(pl.load(a))", f"pl.store(pl.rem(t, {MODULUS[out.dtype]}), [0, 0], o)"]
        kernel = self.kernel([Param("a", "tensor", f"{out.rows}, {COLS}", out.dtype),
                              Param("o", "tensor", f"1, {COLS}", out.dtype, "Out")], lines)  # fmt: skip
        self.task(kernel, [out, result.text if result.rows == 1 else f"{result.text}[0:1]"])
        if result.rows == 1:
            self.values.append(result)

    def rounds(self) -> None:
        """`pl.parallel`: rounds that are disjoint, that add to one tensor, or that, wrongly, go through one scratch tensor."""
        kind = self.pick("disjoint", "disjoint", "chain", "chain", "atomic", "scratch", "scratch", "deps", "exchange", "exchange")
        if self.reusable and kind == "exchange":
            kind = "chain"
        n = self.pick(2, 3, 4)
        a, out = self.value(), self.made(rows=n)
        i = self.name("i")
        row = Param("o", "tensor", f"1, {COLS}", out.dtype, "Out")
        first = self.loaded_row("a", a, out.dtype)
        number = f"pl.cast(i, pl.{out.dtype})"
        params = [self.param("a", a), Param("i", "scalar", "", "INDEX"), row]
        tile = f"pl.rem({first} + {number}, {MODULUS[out.dtype]})"
        fill = self.kernel(params, [f"pl.store({tile}, [0, 0], o)"])
        move = self.kernel([Param("a", "tensor", f"1, {COLS}", out.dtype), row],
                           [f"pl.store({self.changed('pl.load(a)', out.dtype)}, [0, 0], o)"])  # fmt: skip
        here = f"{out.text}[{i}:{i} + 1]"
        outer, self.steps = self.steps, []
        extra: list[Text] = []
        if kind == "disjoint":
            self.task(fill, [a, i, here], "call")
        elif kind == "chain":
            scratch = self._scratch(out, n, extra)
            self.task(fill, [a, i, f"{scratch}[{i}:{i} + 1]"], "call")
            self.task(move, [f"{scratch}[{i}:{i} + 1]", here], self.pick("call", "spmd"))
        elif kind == "scratch":
            scratch = self._scratch(out, 1, extra)
            self.task(fill, [a, i, scratch], "call")
            self.task(move, [scratch, here], "call")
        elif kind == "deps":  # the next round waits for the last one by its id
            scratch, ids = self._scratch(out, 1, extra), self.name("ids")
            extra.append(Text(f"{ids} = pl.array.create({n + 1}, pl.TASK_ID)"))
            self.task(fill, [a, i, scratch], "call", deps=[f"{ids}[{i}]"])
            self.task(move, [scratch, here], "spmd", tid=f"{ids}_done")
            self.add(Text(f"{ids}[{i} + 1] = {ids}_done"))
        elif kind == "exchange":
            self.exchange_round(a, i, n, here, out.dtype)
        else:
            params[-1] = Param("o", "tensor", f"1, {COLS}", out.dtype, "InOut")
            add = self.kernel(params, [f"pl.store({tile}, [0, 0], o, atomic=pld.AtomicType.Add)"])
            self.task(add, [a, i, f"{out.text}[0:1]"], "call")
        body, self.steps = self.steps, outer
        for text in extra:
            self.add(text)
        self.add(Loop("parallel", i, n, body))
        self.take_rows(out)
        self.features.add(f"parallel {kind}")

    def _scratch(self, like: Ref, rows: int, extra: list[Text]) -> str:
        """A tensor for what one task of a round tells the next; it may be a window."""
        if self.chance(0.3):
            self.features.add("parallel window")
            return self.fresh_window(like.dtype, rows).text
        name = self.name("t")
        extra.append(created(name, rows, like.dtype))
        return name

    def ids(self) -> None:
        """A task whose argument is left out of the order, and one that waits for its id."""
        a, t, out = self.value(), self.made(filled=False), self.place()
        tid = self.name("id")
        self.task(self.compute_kernel(a, a, t), [a, a, t], "spmd", tid=tid, no_dep={2})
        if self.chance(0.3):
            other = self.result()
            self.task(self.compute_kernel(a, a, other), [a, a, other])
        deps = [] if self.chance(0.15) else [tid]
        self.task(self.compute_kernel(t, a, out), [t, a, out], self.pick("call", "spmd"), deps=deps,
                  no_dep={0} if deps and self.chance(0.5) else set())  # fmt: skip
        self.values.append(out)
        self.features |= {"deps", "no_dep"}

    def elements(self) -> None:
        """Elements read and written by the orchestration function, between tasks on the same tensor."""
        kind = self.pick("read", "read", "write", "write", "apart")
        lifted = self.chance(0.35)
        self.features |= {"elements"} | ({"elements no_dep"} if lifted or kind == "apart" else set())
        if kind == "apart":
            self._element_apart()
            return
        a, t = self.value(), self.made(filled=False)
        at = f"[{self.random.randrange(t.rows)}, {self.random.randrange(COLS)}]"
        self.task(self.compute_kernel(a, a, t), [a, a, t], "call", no_dep={2} if lifted and kind == "read" else set())
        if kind == "write":
            copy = self.result(t.dtype)
            self.task(self.compute_kernel(t, a, copy), [t, a, copy], "call", no_dep={0} if lifted else set())
            self.add(Text(f"pl.write({t.text}, {at}, {self.number(t.dtype)})"))
        if kind == "read" or self.chance(0.5):
            self._use_element(t, at)
        self.values.append(t)

    def number(self, dtype: str) -> str:
        return "3.0" if dtype == "FP32" else "pl.const(3, pl.INT32)"

    def _element_apart(self) -> None:
        """An element is written beside a task outside the order that uses another row."""
        a, t = self.value(), self.made(rows=2, filled=False)
        row = Param("o", "tensor", f"1, {COLS}", t.dtype, "Out")
        lines = [f"pl.store({self.loaded_row('a', a, t.dtype)}, [0, 0], o)"]
        kernel = self.kernel([self.param("a", a), row], lines)
        tid = self.name("id")
        self.task(kernel, [a, f"{t.text}[0:1]"], "call")
        self.task(kernel, [a, f"{t.text}[1:2]"], "spmd", tid=tid, no_dep={1})
        self.add(Text(f"pl.write({t.text}, [{self.pick(0, 0, 0, 1)}, 1], {self.number(t.dtype)})"))
        result = self.result(t.dtype)
        take = self.kernel([Param("a", "tensor", f"2, {COLS}", t.dtype), row],
                           ["pl.store(pl.col_sum(pl.load(a)), [0, 0], o)"])  # fmt: skip
        self.task(take, [t, result.text if result.rows == 1 else f"{result.text}[0:1]"], "call", deps=[tid])

    def _use_element(self, t: Ref, at: str) -> None:
        v, out = self.name("v"), self.result(t.dtype)
        self.add(Text(f"{v} = pl.read({t.text}, {at})"))
        a = self.value(t.dtype)
        lines = [f"pl.store(pl.rem(pl.load(a) + v, {MODULUS[t.dtype]}), [0, 0], o)"]
        kernel = self.kernel([self.param("a", a), Param("v", "scalar", "", t.dtype), self.param("o", out, "Out")], lines)
        if self.chance(0.6):
            self.task(kernel, [a, v, out])
            return
        outer, self.steps = self.steps, []
        self.task(kernel, [a, v, out])
        body, self.steps = self.steps, []
        if self.chance(0.5):
            self.task(self.compute_kernel(a, a, out), [a, a, out])
        orelse, self.steps = self.steps, outer
        self.add(Branch(f"{v} > {'2.0' if t.dtype == 'FP32' else '2'}", body, orelse))
