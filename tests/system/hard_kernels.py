"""Kernels that mix products and vector work in ways that are hard to split. All numbers are small integers, so that every
result is exact and all targets and all ways to run agree bit for bit."""

from __future__ import annotations

import dataclasses
import re
import textwrap
from typing import Any

import ml_dtypes
import numpy as np
import tilewire.language as pl

HEAD = """import tilewire.language as pl
import tilewire.language.distributed as pld

N = pl.dynamic("N")


@pl.jit.incore(attrs={"split": pl.SplitMode.%s})
def kernel(%s):
%s


@pl.jit
def main(%s):
    kernel(%s)
"""
DTYPES = {"BF16": ml_dtypes.bfloat16, "FP16": np.float16, "FP32": np.float32, "INT8": np.int8, "INT32": np.int32,
          "INT64": np.int64, "UINT8": np.uint8}  # fmt: skip


@dataclasses.dataclass
class Hard:
    name: str
    lanes: tuple[int, int, int]  # vector lanes with no split, by rows and by columns; 0: the kernel stays fused
    spec: str  # the parameters: "a 32xN" is an input of FP32, "+y 4:INT32" is changed, "n" an INT32 scalar
    body: str
    values: dict[str, Any] = dataclasses.field(default_factory=dict)  # of scalars and of N; of tensors that decide something

    def params(self) -> list[tuple[str, str, str]]:
        """Name, shape and dtype of each, no shape for a scalar."""
        found = (re.fullmatch(r"(\+?\w+)(?: ([\dNx]+))?(?::(\w+))?", part) for part in self.spec.split(", "))
        return [(m[1], m[2] or "", m[3] or ("FP32" if m[2] else "INT32")) for m in found if m]

    def text(self, mode: pl.SplitMode) -> str:
        declared = []
        for name, shape, dtype in self.params():
            kind = f"pl.Tensor[[{shape.replace('x', ', ')}], pl.{dtype}]" if shape else f"pl.Scalar[pl.{dtype}]"
            declared.append(f"{name.strip('+')}: " + (f"pl.InOut[{kind}]" if name[0] == "+" else kind))
        body, names = textwrap.indent(self.body.strip(), "    "), ", ".join(name.strip("+") for name, _, _ in self.params())
        return HEAD % (mode.name, ", ".join(declared), body, ", ".join(declared), names)

    def arguments(self) -> list[Any]:
        random = np.random.default_rng(1)
        given: list[Any] = []
        for name, shape, dtype in self.params():
            value = self.values.get(name.strip("+"))
            if shape and value is None:
                extents = [self.values["N"] if extent == "N" else int(extent) for extent in shape.split("x")]
                value = random.integers(-3, 4, extents)
            given.append(np.array(value, DTYPES[dtype]) if shape else value)
        return given


CASES = [
    Hard("loop_in_branch", (1, 2, 2), "a 32x32, b 32x32, +y 32x32, n", """
t = pl.load(a)
acc = pl.full([32, 32], dtype=pl.FP32, value=0.0)
for i in pl.range(n):
    if i % 2 == 0:
        acc = acc + pl.rem(pl.matmul(t + 1.0, pl.load(b)), 5.0)
    else:
        t = t * -1.0
pl.store(acc, [0, 0], y)
""", {"n": 7}),  # fmt: skip
    Hard("ping_pong", (1, 2, 2), "a 32x32, b 32x32, +y 32x32, n", """
t = pl.load(a)
m = pl.load(b)
for i in pl.range(n):
    p = pl.matmul(t, m)
    t = pl.rem(p + t, 7.0)
pl.store(t, [0, 0], y)
""", {"n": 11}),  # fmt: skip
    Hard("swap_carry3", (1, 2, 2), "a 32x32, b 32x32, +y 32x32, n", """
m = pl.load(b)
u = pl.matmul(pl.load(a), m)
v = pl.load(a) + 2.0
x = pl.load(a)
for i in pl.range(n):
    w = u
    u = v
    v = x
    x = pl.rem(pl.matmul(w, m), 3.0)
pl.store(u * 2.0 + v - x, [0, 0], y)
""", {"n": 5}),  # fmt: skip
    Hard("while_exit", (1, 1, 1), "a 32x32, b 32x32, +y 32x32", """
t = pl.load(a)
i = 0
while i < 10:
    t = pl.rem(pl.matmul(t, pl.load(b)) + t, 7.0)
    if pl.read(t, [0, 0]) > 3.0:
        break
    i = i + 1
pl.store(t, [0, 0], y)
pl.write(y, [0, 1], pl.cast(i, pl.FP32))
"""),  # fmt: skip
    Hard("break_and_continue", (1, 2, 2), "a 32x32, b 32x32, +y 32x32, n", """
t = pl.load(a)
for i in pl.range(20):
    if i == n:
        break
    if i % 3 == 1:
        continue
    t = pl.rem(pl.matmul(t, pl.load(b)) + t, 7.0)
pl.store(t, [0, 0], y)
""", {"n": 8}),  # fmt: skip
    Hard("while_data", (0, 0, 0), "a 32x32, b 32x32, +y 32x32", """
t = pl.load(a)
while pl.read(t, [0, 0]) < 50.0:
    t = pl.matmul(t, pl.load(b)) + 100.0
pl.store(t, [0, 0], y)
"""),  # fmt: skip
    Hard("while_product", (1, 1, 1), "a 32x32, b 32x32, +y 32x32", """
t = pl.load(a)
s = pl.const(0.0, pl.FP32)
while s < 50.0:
    p = pl.matmul(t, pl.load(b))
    s = s + 20.0 + pl.abs(pl.read(p, [1, 1]))
    t = pl.rem(p + 1.0, 4.0)
pl.store(t + s, [0, 0], y)
"""),  # fmt: skip
    Hard("in_place", (1, 2, 2), "a 32x32, b 32x32, +y 32x32", """
for i in pl.range(4):
    t = pl.load(y)
    p = pl.matmul(t, pl.load(b))
    pl.store(p, [0, 0], y)
    pl.store(pl.rem(pl.load(y), 5.0) + 1.0, [0, 0], y)
"""),  # fmt: skip
    Hard("owned_then_read", (1, 1, 1), "a 32x32, b 32x32, +z 32x32, +y 32x32", """
p = pl.matmul(pl.load(a) + 1.0, pl.load(b))
pl.store(p, [0, 0], z)
v = pl.read(z, [3, 3])
pl.store(pl.load(a) + v, [0, 0], y)
"""),  # fmt: skip
    Hard("owned", (1, 2, 2), "a 32x32, b 32x32, +z 32x32, +y 32x32", """
p = pl.matmul(pl.load(a) + 1.0, pl.load(b))
pl.store(p, [0, 0], z)
pl.store(pl.rem(p, 3.0), [0, 0], y)
q = pl.matmul(pl.load(a), pl.load(b))
pl.store(q, [0, 0], z)
"""),  # fmt: skip
    Hard("store_atomic", (1, 2, 2), "a 32x32, b 32x32, +y 32x32", """
p = pl.matmul(pl.load(a) + 1.0, pl.load(b))
pl.store(p, [0, 0], y, atomic=pld.AtomicType.Add)
pl.store(p + 2.0, [0, 0], y, atomic=pld.AtomicType.Add)
"""),  # fmt: skip
    Hard("atomics", (1, 1, 1), "a 32x32, b 32x32, +y 32x32, +c 4:INT32", """
old = pl.atomic_add(c, [1], 5)
p = pl.matmul(pl.load(a) + pl.cast(old, pl.FP32), pl.load(b))
old2 = pl.atomic_add(c, [1], 1)
pl.store(p + pl.cast(old2, pl.FP32), [0, 0], y)
""", {"c": [1, 2, 3, 4]}),  # fmt: skip
    Hard("atomics_product", (1, 1, 1), "a 32x32, b 32x32, +y 32x32, +c 4:INT32", """
p = pl.matmul(pl.load(a) + 1.0, pl.load(b))
old = pl.atomic_add(c, [1], pl.cast(pl.read(p, [0, 0]), pl.INT32))
if old > 0:
    p = pl.matmul(p, pl.load(b))
pl.store(p, [0, 0], y)
""", {"c": [1, 2, 3, 4]}),  # fmt: skip
    Hard("dynamic", (1, 2, 2), "a Nx32, b 32x32, +y Nx32", """
rows = pl.dim(a, 0)
for i in pl.range(0, rows, 16):
    v = pl.min(rows - i, 16)
    t = pl.load(a, [i, 0], [16, 32], valid_shape=[v, 32])
    p = pl.matmul(t + 1.0, pl.load(b))
    pl.store(p * 2.0, [i, 0], y)
""", {"N": 53}),  # fmt: skip
    Hard("dynamic_k", (1, 2, 2), "a 32xN, b Nx32, +y 32x32", """
k = pl.dim(b, 0)
acc = pl.full([32, 32], dtype=pl.FP32, value=0.0)
for j in pl.range(0, k, 16):
    v = pl.min(k - j, 16)
    s = pl.load(a, [0, j], [32, 16], valid_shape=[32, v])
    t = pl.load(b, [j, 0], [16, 32], valid_shape=[v, 32])
    acc = pl.matmul_acc(acc, s + 1.0, t * 2.0)
pl.store(pl.rem(acc, 7.0), [0, 0], y)
""", {"N": 37}),  # fmt: skip
    Hard("valid_carried", (1, 2, 2), "a Nx32, b 32x32, +y Nx32", """
rows = pl.dim(a, 0)
v = pl.min(rows, 16)
t = pl.load(a, [0, 0], [16, 32], valid_shape=[v, 32])
for i in pl.range(3):
    t = pl.rem(pl.matmul(t, pl.load(b)) + t, 5.0)
pl.store(t, [0, 0], y)
""", {"N": 11}),  # fmt: skip
    Hard("valid_carried_product", (1, 2, 2), "a Nx32, b 32x32, +y Nx32", """
rows = pl.dim(a, 0)
v = pl.min(rows, 16)
t = pl.load(a, [0, 0], [16, 32], valid_shape=[v, 32]) + 1.0
p = pl.matmul(t, pl.load(b))
for i in pl.range(3):
    p = pl.matmul(p, pl.load(b))
pl.store(p * 2.0, [0, 0], y)
""", {"N": 11}),  # fmt: skip
    Hard("valid_in_loop_carry", (1, 1, 1), "a Nx32, b 32x32, +y Nx32", """
rows = pl.dim(a, 0)
t = pl.load(a, [0, 0], [16, 32])
for i in pl.range(0, rows, 16):
    v = pl.min(rows - i, 16)
    t = pl.load(a, [i, 0], [16, 32], valid_shape=[v, 32]) + 1.0
p = pl.matmul(t, pl.load(b))
pl.store(p * 2.0, [0, 0], y)
""", {"N": 41}),  # fmt: skip
    Hard("valid_branch", (1, 1, 1), "a Nx32, b 32x32, +y Nx32, n", """
rows = pl.dim(a, 0)
if n > 0:
    v = pl.min(rows, 7)
    t = pl.load(a, [0, 0], [16, 32], valid_shape=[v, 32]) + 1.0
else:
    w = pl.min(rows, 9)
    t = pl.load(a, [1, 0], [16, 32], valid_shape=[w, 32]) + 2.0
p = pl.matmul(t, pl.load(b))
pl.store(p * 2.0, [0, 0], y)
""", {"N": 41, "n": 1}),  # fmt: skip
    Hard("valid_from_element", (1, 1, 1), "a 32x32, b 32x32, +y 32x32, +c 4:INT32", """
n = pl.read(c, [0])
pl.write(c, [1], n + 1)
t = pl.load(a, [0, 0], [16, 32], valid_shape=[n, 32]) + 1.0
p = pl.matmul(t, pl.load(b))
pl.store(p * 2.0, [0, 0], y)
""", {"c": [9, 0, 0, 0]}),  # fmt: skip
    Hard("set_valid", (1, 1, 1), "a 32x32, b 32x32, +y 32x32, n", """
t = pl.set_validshape(pl.load(a) * 2.0, [n, 32])
p = pl.matmul(t, pl.load(b))
p = pl.set_validshape(p, [n - 2, 20])
pl.store(p + 1.0, [0, 0], y)
q = pl.fillpad(p + 2.0)
pl.store(q, [0, 0], y)
""", {"n": 19}),  # fmt: skip
    Hard("row_sum_valid", (1, 2, 1), "a 32x32, b 32x32, +y 32x32, n", """
t = pl.load(a, [0, 0], [32, 32], valid_shape=[n, n])
p = pl.matmul(t, pl.load(b, [0, 0], [32, 32], valid_shape=[n, n - 1]))
s = pl.row_sum(p)
pl.store(pl.rem(p + s, 9.0), [0, 0], y)
""", {"n": 19}),  # fmt: skip
    Hard("column", (1, 2, 1), "a 32x32, x 32x1, +y 32x1", """
v = pl.load(x, [0, 0], [32, 1])
for i in pl.range(5):
    v = pl.rem(pl.matmul(pl.load(a), v + 1.0), 5.0)
pl.store(v, [0, 0], y)
"""),  # fmt: skip
    Hard("dot", (1, 1, 1), "x 1x32, z 32x1, +y 1x1", """
p = pl.matmul(pl.load(x) * 2.0, pl.load(z))
pl.store(p + 1.0, [0, 0], y)
"""),  # fmt: skip
    Hard("odd", (1, 1, 1), "a 7x5, b 5x3, +y 7x3", """
p = pl.matmul(pl.load(a) * 2.0, pl.load(b) + 1.0)
pl.store(pl.rem(p, 5.0), [0, 0], y)
"""),  # fmt: skip
    Hard("bf16", (1, 2, 2), "a 32x32:BF16, b 32x32:BF16, +y 32x32:BF16", """
p = pl.matmul(pl.load(a) + 1.0, pl.load(b))
q = pl.cast(pl.rem(p, 7.0), pl.BF16)
p = pl.matmul(q, pl.load(b))
pl.store(pl.cast(pl.rem(p, 9.0), pl.BF16), [0, 0], y)
"""),  # fmt: skip
    Hard("int8", (1, 2, 2), "a 32x32:INT8, b 32x32:INT8, +y 32x32:INT32", """
p = pl.matmul(pl.cast(pl.cast(pl.load(a), pl.INT32) + 1, pl.INT8), pl.load(b))
pl.store(pl.rem(p, 1000) + 1, [0, 0], y)
"""),  # fmt: skip
    Hard("fp16_bias", (1, 1, 2), "a 32x32:FP16, b 32x32:FP16, c 1x32, +y 32x32:FP16", """
p = pl.matmul_bias(pl.load(a) + 1.0, pl.load(b), pl.load(c) * 2.0)
pl.store(pl.cast(pl.rem(p, 9.0), pl.FP16), [0, 0], y)
"""),  # fmt: skip
    Hard("reshape", (1, 1, 1), "a 32x32, b 32x32, +y 32x32", """
t = pl.reshape(pl.load(a) + 1.0, [16, 64])
p = pl.matmul(pl.reshape(t, [64, 16]), pl.load(b, [0, 0], [16, 32]))
q = pl.reshape(p, [32, 64])
pl.store(pl.rem(q[0:32, 0:32], 7.0), [0, 0], y)
"""),  # fmt: skip
    Hard("slices", (1, 1, 1), "a 32x32, b 32x32, +y 32x32", """
t = pl.load(a) * 2.0
t[0:16, 0:16] = pl.matmul(t[0:16, 0:32], pl.load(b)[0:32, 0:16])
p = pl.matmul(t, pl.load(b))
p[0:8, 0:8] = t[8:16, 8:16]
pl.store(pl.rem(p, 7.0), [0, 0], y)
"""),  # fmt: skip
    Hard("nested", (1, 2, 2), "a 32x32, b 32x32, +y 32x32, n", """
acc = pl.load(a)
for i in pl.range(n):
    if i % 2 == 0:
        for j in pl.range(i + 1):
            acc = pl.rem(pl.matmul(acc, pl.load(b)) + 1.0, 5.0)
    else:
        for j in pl.range(0, 10, 3):
            acc = acc + 1.0
            for k in pl.range(j):
                p = pl.matmul(pl.rem(acc, 3.0), pl.load(b))
                if k == 1:
                    acc = pl.rem(p + acc, 5.0)
pl.store(acc, [0, 0], y)
""", {"n": 5}),  # fmt: skip
    Hard("zero_trip", (1, 2, 2), "a 32x32, b 32x32, +y 32x32, n", """
acc = pl.matmul(pl.load(a) + 1.0, pl.load(b))
for i in pl.range(n):
    acc = acc + pl.matmul(acc, pl.load(b))
pl.store(acc + 1.0, [0, 0], y)
""", {"n": 0}),  # fmt: skip
    Hard("many_late", (1, 2, 2), "a 32x32, b 32x32, +y 32x32", """
t0 = pl.load(a) + 1.0
t1 = t0 + 1.0
t2 = t1 + 1.0
t3 = t2 * 2.0
t4 = t3 - 5.0
t5 = t4 * 0.5
p = pl.matmul(t0, t5)
q = pl.rem(pl.matmul(t1, t4), 5.0)
r = pl.rem(pl.matmul(q, t3), 5.0)
s = pl.rem(pl.matmul(r, t2), 5.0)
pl.store(pl.rem(p, 5.0) + q + r + s, [0, 0], y)
"""),  # fmt: skip
    Hard("many_products_late", (1, 2, 2), "a 32x32, b 32x32, +y 32x32", """
x = pl.load(a)
z = pl.load(b)
p0 = pl.matmul(x, z)
p1 = pl.matmul(z, x)
p2 = pl.matmul(x, x)
p3 = pl.matmul(z, z)
p4 = pl.matmul(p0, z)
p5 = pl.matmul(p1, z)
p6 = pl.matmul(p2, z)
p7 = pl.matmul(p3, z)
p8 = pl.matmul(x, p0)
p9 = pl.matmul(x, p1)
s = pl.rem(p9, 5.0) + pl.rem(p8, 5.0)
s = s + pl.rem(p7, 3.0) - pl.rem(p6, 3.0)
s = s + p5 - p4
s = s + p3 * p2
s = s + p1 - p0
pl.store(s, [0, 0], y)
"""),  # fmt: skip
    Hard("scalar_cross", (1, 1, 1), "a 32x32, b 32x32, +y 32x32", """
p = pl.matmul(pl.load(a), pl.load(b))
s = pl.read(p, [0, 0])
t = pl.load(a) + s
q = pl.matmul(t, pl.load(b))
u = pl.read(pl.row_max(q), [0, 0])
i = pl.cast(pl.abs(u), pl.INT32) % 3
for j in pl.range(i + 1):
    q = pl.rem(pl.matmul(pl.rem(q, 5.0), pl.load(b)), 5.0)
pl.store(q, [0, 0], y)
"""),  # fmt: skip
    Hard("index_from_data", (1, 1, 1), "a 32x32, b 32x32, +y 32x32, +c 4:INT32", """
k = pl.read(c, [0])
pl.write(c, [0], 3)
t = pl.load(a, [k, 0], [16, 32]) + 1.0
p = pl.matmul(t, pl.load(b))
if k > 1:
    p = pl.matmul(pl.load(a, [k, 0], [16, 32]), pl.load(b))
pl.store(p, [k, 0], y)
""", {"c": [2, 0, 0, 0]}),  # fmt: skip
    Hard("bool_cross", (1, 1, 1), "a 32x32, b 32x32, +y 32x32, +c 4:INT32", """
ok = pl.read(c, [0]) > 1
pl.write(c, [0], 0)
p = pl.load(a) + 1.0
if ok:
    p = pl.matmul(p, pl.load(b))
pl.store(p, [0, 0], y)
""", {"c": [2, 0, 0, 0]}),  # fmt: skip
    Hard("array", (1, 2, 2), "a 32x32, b 32x32, +y 32x32", """
arr = pl.array.create(4, pl.INT32)
for i in pl.range(4):
    arr[i] = pl.cast(i * 2, pl.INT32)
p = pl.load(a)
for i in pl.range(4):
    p = pl.rem(pl.matmul(p + pl.cast(arr[i], pl.FP32), pl.load(b)), 5.0)
    arr[3 - i] = arr[i] + 1
pl.store(p, [0, 0], y)
"""),  # fmt: skip
    Hard("array_data", (1, 1, 1), "a 32x32, b 32x32, +y 32x32, +c 4:INT32", """
arr = pl.array.create(4, pl.INT32)
for i in pl.range(4):
    arr[i] = pl.read(c, [i])
pl.write(c, [0], 7)
p = pl.load(a)
for i in pl.range(4):
    for j in pl.range(arr[i]):
        p = pl.rem(pl.matmul(p + pl.cast(arr[i], pl.FP32), pl.load(b)), 5.0)
pl.store(p, [0, 0], y)
""", {"c": [2, 0, 1, 3]}),  # fmt: skip
    Hard("several_results", (1, 1, 1), "a 32x32, b 32x32, +y 32x32", """
p = pl.matmul(pl.load(a) + 1.0, pl.load(b))
k = pl.row_argmax(p)
c = pl.cumsum(p, axis=1)
q = pl.matmul(pl.rem(c, 3.0), pl.load(b))
pl.store(pl.rem(q, 5.0) + pl.cast(k, pl.FP32), [0, 0], y)
"""),  # fmt: skip
    Hard("tile_write", (1, 1, 1), "a 32x32, b 32x32, +y 32x32", """
t = pl.load(a) * 2.0
t = pl.tile.write(t, [3, 3], 9.0)
p = pl.matmul(t, pl.load(b))
p = pl.tile.write(p, [1, 2], pl.read(t, [3, 3]))
q = pl.matmul(p, pl.load(b))
pl.store(q, [0, 0], y)
"""),  # fmt: skip
    Hard("create_in_kernel", (1, 1, 1), "a 32x32, b 32x32, +y 32x32", """
s = pl.create_tensor([32, 32], dtype=pl.FP32)
p = pl.matmul(pl.load(a) + 1.0, pl.load(b))
s = pl.store(p, [0, 0], s)
q = pl.load(s) + 1.0
pl.store(q, [0, 0], y)
"""),  # fmt: skip
    Hard("unaligned_rows", (1, 1, 2), "a 64x32, b 32x32, +y 64x32", """
for i in pl.range(5):
    p = pl.matmul(pl.load(a, [i * 3, 0], [16, 32]), pl.load(b))
    pl.store(p + pl.load(y, [i * 3, 0], [16, 32]), [i * 3, 0], y)
"""),  # fmt: skip
    Hard("views", (1, 2, 2), "a 2x32x32, b 32x32, +y 2x32x32", """
for i in pl.range(2):
    ai = a[i]
    yi = y[1 - i]
    p = pl.matmul(pl.load(ai) + 1.0, pl.load(b))
    pl.store(p + pl.load(ai[0:32, :]), [0, 0], yi)
"""),  # fmt: skip
    Hard("slice_views", (1, 1, 2), "a 64x32, b 32x32, +y 64x32", """
for i in pl.range(3):
    s = y[8:40, :]
    p = pl.matmul(pl.load(a, [0, 0], [16, 32]), pl.load(b))
    pl.store(pl.rem(p + pl.load(y, [0, 0], [16, 32]), 5.0), [0, 0], s)
"""),  # fmt: skip
    Hard("slice_run", (1, 1, 2), "a 64x32, b 32x32, +y 64x32, n", """
for i in pl.range(3):
    s = y[n:n + 32, :]
    p = pl.matmul(pl.load(a, [0, 0], [16, 32]), pl.load(b))
    pl.store(pl.rem(p + pl.load(y, [0, 0], [16, 32]), 5.0), [16, 0], s)
""", {"n": 5}),  # fmt: skip
    Hard("transposed_view", (1, 1, 1), "a 32x32, b 32x32, +y 32x32", """
s = pl.transpose(y, 0, 1)
for i in pl.range(3):
    p = pl.matmul(pl.load(a), pl.load(b))
    pl.store(pl.rem(p + pl.load(y), 5.0), [0, 0], s)
"""),  # fmt: skip
    Hard("reshaped_view2", (1, 1, 1), "a 32x32, b 32x32, +y 32x32", """
s = pl.reshape(y, [16, 64])
for i in pl.range(3):
    p = pl.matmul(pl.load(a, [0, 0], [16, 32]), pl.load(b))
    q = pl.rem(p + pl.load(y, [0, 0], [16, 32]), 5.0)
    pl.store(q, [0, 0], s)
    pl.store(q + 1.0, [0, 32], s)
"""),  # fmt: skip
    Hard("undealt_row", (1, 1, 2), "a 32x32, b 32x32, +v 1x32, +y 32x32", """
for i in pl.range(6):
    r = pl.load(v, [0, 0], [1, 32])
    p = pl.matmul(pl.load(a), pl.load(b))
    pl.store(pl.rem(p, 3.0) + r, [0, 0], y)
    pl.store(r * 2.0 + 1.0, [0, 0], v)
"""),  # fmt: skip
    Hard("undealt_col", (1, 2, 1), "a 32x32, b 32x32, +v 32x1, +y 32x32", """
for i in pl.range(6):
    r = pl.load(v, [0, 0], [32, 1])
    p = pl.matmul(pl.load(a), pl.load(b))
    pl.store(pl.rem(p, 3.0) + r, [0, 0], y)
    pl.store(r * 2.0 + 1.0, [0, 0], v)
"""),  # fmt: skip
    Hard("row_into_rows", (1, 1, 2), "a 32x32, b 32x32, +y 32x32", """
for i in pl.range(3):
    p = pl.matmul(pl.load(a), pl.load(b))
    r = pl.load(y, [i + 1, 0], [1, 32])
    pl.store(r * 2.0, [i, 0], y)
    pl.store(pl.rem(p + pl.load(y), 5.0), [0, 0], y)
"""),  # fmt: skip
    Hard("different_extents", (1, 1, 2), "a 32x32, b 32x32, +y 32x32", """
for i in pl.range(3):
    p = pl.matmul(pl.load(a), pl.load(b))
    pl.store(pl.rem(p + pl.load(y), 5.0), [0, 0], y)
    r = pl.load(y, [0, 0], [16, 32])
    pl.store(r * 2.0, [16, 0], y)
"""),  # fmt: skip
    Hard("carried_offset", (1, 1, 2), "a 64x32, b 32x32, +y 64x32", """
k = 0
for i in pl.range(0, 48, 16):
    p = pl.matmul(pl.load(a, [i, 0], [16, 32]), pl.load(b))
    pl.store(pl.rem(p + pl.load(y, [k, 0], [16, 32]), 5.0), [i, 0], y)
    k = k + 16
"""),  # fmt: skip
    Hard("ragged_store", (1, 2, 2), "a Nx32, b 32x32, +y Nx32", """
rows = pl.dim(a, 0)
for i in pl.range(0, rows, 16):
    v = pl.min(rows - i, 16)
    t = pl.load(a, [i, 0], [16, 32], valid_shape=[v, 32])
    p = pl.matmul(t + pl.load(y, [i, 0], [16, 32], valid_shape=[v, 32]), pl.load(b))
    pl.store(pl.rem(p, 5.0), [i, 0], y)
    pl.store(pl.load(y, [i, 0], [16, 32], valid_shape=[v, 32]) + p, [i, 0], y)
""", {"N": 53}),  # fmt: skip
    Hard("ragged_inner_extent", (1, 1, 2), "a 32xN, b Nx32, +y 32x32", """
n = pl.dim(a, 1)
t = pl.load(a, [0, 0], [32, 32], valid_shape=[32, n])
u = pl.load(b, [0, 0], [32, 32], valid_shape=[n, 32])
p = pl.matmul(t * 2.0, u + 1.0)
q = pl.col_sum(p)
pl.store(p + q, [0, 0], y)
""", {"N": 13}),  # fmt: skip
    Hard("acc_full_carry", (1, 2, 2), "a 32x32, b 32x32, +y 32x32", """
acc = pl.full([32, 32], dtype=pl.FP32, value=1.0)
for k in pl.range(0, 32, 8):
    acc = pl.matmul_acc(acc, pl.load(a, [0, k], [32, 8]), pl.load(b, [k, 0], [8, 32]))
    if k == 16:
        acc = acc * 2.0
pl.store(acc, [0, 0], y)
"""),  # fmt: skip
    Hard("unbalanced_branch", (1, 2, 2), "a 32x32, b 32x32, +y 32x32", """
x = pl.load(a) + 1.0
z = pl.load(b)
s = x
for i in pl.range(20):
    if i % 4 == 0:
        s = pl.rem(s + pl.matmul(x, z), 3.0)
    elif i % 4 == 1:
        s = s + 1.0
        x = pl.rem(pl.matmul(s, z), 3.0)
    elif i % 4 == 2:
        pass
    else:
        for j in pl.range(i % 3):
            s = pl.rem(s + pl.matmul(s, z), 3.0)
            x = x + s
        x = pl.rem(x, 3.0)
pl.store(x + s, [0, 0], y)
"""),  # fmt: skip
    Hard("product_used_after_many_loops", (1, 2, 2), "a 32x32, b 32x32, +y 32x32, n", """
p = pl.matmul(pl.load(a) + 1.0, pl.load(b))
s = pl.load(a)
for i in pl.range(n):
    q = pl.matmul(s, pl.load(b))
    s = pl.rem(q, 3.0)
pl.store(p + s, [0, 0], y)
""", {"n": 19}),  # fmt: skip
    Hard("loop_result_crosses", (1, 2, 2), "a 32x32, b 32x32, +y 32x32, n", """
s = pl.load(a)
p = pl.matmul(s, pl.load(b))
for i in pl.range(n):
    p = pl.matmul(p, pl.load(b))
    for j in pl.range(2):
        s = pl.rem(s + 1.0, 5.0)
q = pl.matmul(s, pl.load(b))
pl.store(pl.rem(p, 3.0) + q, [0, 0], y)
""", {"n": 3}),  # fmt: skip
    Hard("int32_acc", (1, 1, 1), "a 32x32:INT8, b 32x32:INT8, +y 32x32:INT32, +c 4:INT32", """
acc = pl.full([32, 32], dtype=pl.INT32, value=1)
for i in pl.range(3):
    n = pl.read(c, [i])
    acc = pl.matmul_acc(acc, pl.load(a), pl.load(b))
    acc = acc + n
    pl.write(c, [i], n + 1)
pl.store(acc, [0, 0], y)
""", {"c": [3, 4, 5, 6]}),  # fmt: skip
    Hard("scalars_of_many_dtypes", (1, 1, 1), "a 32x32, b 32x32, +y 32x32, +c 4, +h 4:FP16, +u 4:UINT8, +l 4:INT64", """
f = pl.read(c, [0])
g = pl.read(h, [0])
k = pl.read(u, [0])
m = pl.read(l, [0])
pl.write(c, [0], f + 1.0)
pl.write(h, [0], g)
pl.write(u, [0], k)
pl.write(l, [0], m + 1)
p = pl.load(a)
if f > 1.0:
    p = pl.matmul(p, pl.load(b))
if g > 1.0:
    p = pl.matmul(p, pl.load(b))
if k > 1:
    p = pl.matmul(p, pl.load(b))
for i in pl.range(m):
    p = pl.rem(pl.matmul(p, pl.load(b)), 5.0)
pl.store(p, [0, 0], y)
""", {"c": [2, 2, 2, 2], "h": [2, 2, 2, 2], "u": [2, 2, 2, 2], "l": [2, 2, 2, 2]}),  # fmt: skip
]
