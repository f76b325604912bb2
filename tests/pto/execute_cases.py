"""What the tests of the executor share: the accepted modules, and kernels around a few ops on tiles."""

from __future__ import annotations

import pathlib
import re
from typing import Any, Mapping

import numpy as np

from execute import run
from execute_tiles import NUMPY
from reader import read
from scanner import Scanner

Array = Any
ACCEPTED = pathlib.Path(__file__).parent / "accepted"


def accepted(number: str) -> str:
    """The text of an accepted module, by the number its name begins with."""
    (path,) = ACCEPTED.glob(number + "_*.pto")
    return path.read_text()


def changed(text: str, old: str, new: str, count: int = 1) -> str:
    """The text with `old` replaced, which must be there `count` times."""
    assert text.count(old) == count, (old, text.count(old))
    return text.replace(old, new)


def without(text: str, line: str, count: int = 1) -> str:
    """The text without the lines that contain `line`."""
    lines = text.split("\n")
    kept = [one for one in lines if line not in one]
    assert len(lines) - len(kept) == count, (line, len(lines) - len(kept))
    return "\n".join(kept)


def tile(type_: str) -> str:
    return f"!pto.tile_buf<{type_}>"


def module(functions: str) -> str:
    return f'module attributes {{pto.target_arch = "a3"}} {{\n{functions}\n}}\n'


def around(
    body: str, inputs: Mapping[str, str], outputs: Mapping[str, str], spare: Mapping[str, str], scalars: Mapping[str, str],
    level: int, kind: str,
) -> str:
    """A kernel that loads the inputs (name: tile type), runs `body`, where ${name} is the type of a tile, and stores the outputs."""
    types = {name: tile(type_) for name, type_ in {**inputs, **outputs, **spare}.items()}
    lines: list[str] = []
    numbers: set[int] = set()
    used: dict[str, int] = {}  # by space

    def constant(value: int) -> str:
        if value not in numbers:
            numbers.add(value)
            lines.append(f"%c{value} = arith.constant {value} : index")
        return f"%c{value}"

    def region(name: str) -> str:
        parsed: Any = Scanner(types[name]).type()
        rows, cols = parsed.valid
        column = parsed.blayout == "col_major" and parsed.slayout == "none_box"
        strides = f"{constant(1)}, {constant(rows)}" if column else f"{constant(cols)}, {constant(1)}"
        shape = f"{constant(rows)}, {constant(cols)}"
        element = parsed.element
        part = f"!pto.partition_tensor_view<{rows}x{cols}x{element}>"
        lines.append(
            f"%v_{name} = pto.make_tensor_view %p_{name}, shape = [{shape}], strides = [{strides}] "
            f"{{layout = #pto.layout<{'dn' if column else 'nd'}>}} : !pto.tensor_view<?x?x{element}>"
        )
        zeros = f"{constant(0)}, {constant(0)}"
        lines.append(f"%r_{name} = pto.partition_view %v_{name}, offsets = [{zeros}], sizes = [{shape}] "
                     f": !pto.tensor_view<?x?x{element}> -> {part}")
        return f"%r_{name} : {part}"

    for name, type_ in types.items():
        address = ""
        if level == 3:
            parsed: Any = Scanner(type_).type()
            lines.append(f"%a_{name} = arith.constant {used.get(parsed.space, 0)} : i64")
            address = f" addr = %a_{name}"
            used[parsed.space] = used.get(parsed.space, 0) + -(-parsed.bytes // 512) * 512
        lines.append(f"%{name} = pto.alloc_tile{address} : {type_}")
    for name in inputs:
        lines.append(f"pto.tload ins({region(name)}) outs(%{name} : {types[name]})")
    lines.extend(re.sub(r"\$\{(\w+)\}", lambda match: types[match.group(1)], body).strip().split("\n"))
    for name in outputs:
        target = f"%v_{name}" if name in inputs else region(name)
        if name in inputs:
            target = next(line.split("outs(")[0].split("ins(")[1].rstrip(") ") for line in lines if line.startswith(f"pto.tload ins(%r_{name} "))
        lines.append(f"pto.tstore ins(%{name} : {types[name]}) outs({target})")
    pointers = [f"%p_{name}: !pto.ptr<{Scanner(types[name]).type().element}>" for name in {**inputs, **outputs}]  # type: ignore[union-attr]
    parameters = ", ".join(pointers + [f"%{name}: {type_}" for name, type_ in scalars.items()])
    attributes = f"attributes {{pto.entry, pto.kernel_kind = #pto.kernel_kind<{kind}>}}"
    return module(f"  func.func @k({parameters}) {attributes} {{\n    " + "\n    ".join(lines) + "\n    return\n  }")


def compute(
    body: str, inputs: Mapping[str, tuple[str, Array]], outputs: Mapping[str, str], spare: Mapping[str, str] = {},
    scalars: Mapping[str, tuple[str, Any]] = {}, level: int = 2, kind: str = "vector", seed: int = 0,
) -> list[Array]:
    """Runs `around`, which the reader must accept, and returns the outputs, each of the valid extent of its tile."""
    text = around(body, {name: one for name, (one, _) in inputs.items()}, outputs, spare,
                  {name: one for name, (one, _) in scalars.items()}, level, kind)
    faults = read(text, f"level{level}")
    assert not faults, (text.split("\n")[faults[0].line - 1], faults[0])
    arrays: dict[str, Array] = {}
    for name, (type_, values) in inputs.items():
        parsed: Any = Scanner(tile(type_)).type()
        arrays[name] = np.ascontiguousarray(np.asarray(values).astype(NUMPY[parsed.element]).reshape(parsed.valid))
    for name, type_ in outputs.items():
        parsed = Scanner(tile(type_)).type()
        arrays.setdefault(name, np.zeros(parsed.valid, NUMPY[parsed.element]))
    run(text, "k", [*arrays.values(), *(value for _, value in scalars.values())], seed=seed)
    return [arrays[name] for name in outputs]


# -- tiles and numbers ------------------------------------------------------------------------------------------------

random = np.random.default_rng(5)


def typed(shape: str, element: str) -> str:
    """A vec tile: "16x64x, valid=10x50" with elements f32 is "vec, 16x64xf32, valid=10x50"."""
    head, _, tail = shape.partition("x,")
    return f"vec, {head}x{element}" + (f",{tail}" if tail else "")


def extent(type_: str) -> tuple[int, int]:
    parsed: Any = Scanner(tile(type_)).type()
    rows, cols = parsed.valid
    return rows, cols


def data(element: str, shape: tuple[int, int], low: int = -100, high: int = 100) -> Array:
    dtype = NUMPY[element]
    if element in ("f16", "bf16", "f32"):
        return (random.standard_normal(shape) * 3).astype(dtype)
    return random.integers(max(low, 0) if element[0] == "u" else low, high, shape).astype(dtype)
