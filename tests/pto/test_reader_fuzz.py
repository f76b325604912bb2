"""Hostile text: the reader answers with faults, whatever it is given.

TILEWIRE_PTO_FUZZ sets the number of texts of each kind.
"""

from __future__ import annotations

import os
import pathlib
import random
import re

import pytest
import reader
from pto_expectations import REJECTED, WRONG, cases

HERE = pathlib.Path(__file__).parent
TEXTS = [path.read_text() for path in sorted((HERE / "accepted").glob("*.pto"))]
TEXTS += [case.text for path in [*WRONG, *sorted((HERE / "right").glob("*.pto")), *REJECTED[::10]] for case in cases(path)]
TOKEN = re.compile(r"[%@^!#]?[\w.$]+|\s+|.", re.DOTALL)
RUNS = int(os.environ.get("TILEWIRE_PTO_FUZZ", "150"))
HARD = ["", "{", "}", "(", ")", "<", ">", "%x", "?x?", "-1", "0", "99999999999999999999999999999999999999999999", "0x", "1.0e+999", '"', "\0",
        "\ud800", "é", "//", "scf.while", "scf.for", "func.call @k() : () -> ()", "index", "vector<4xi16>", "!pto.ptr<f32>", "= 1 : i64",
        "!pto.tile_buf<vec, 0x0xf32>", "!pto.tile_buf<acc, 99999999999x99999999999xf32>", "#pto<cmp eq>", "dense<0>", "[[[[[[", "{a = [[1]]}"]


def broken(text: str, random_: random.Random) -> str:
    tokens = TOKEN.findall(text)
    for _ in range(random_.choice((1, 1, 2, 5, 30))):
        at = random_.randrange(len(tokens))
        what = random_.randrange(5)
        if what == 0:
            tokens[at] = random_.choice(HARD)
        elif what == 1:
            tokens[at] = random_.choice(tokens)
        elif what == 2:
            tokens.insert(at, random_.choice(HARD + tokens[:50]))
        elif what == 3:
            del tokens[at : at + random_.choice((1, 1, 3, 40))]
            tokens = tokens or [" "]
        else:
            other = random_.randrange(len(tokens))
            tokens[at], tokens[other] = tokens[other], tokens[at]
    return "".join(tokens)


def read(text: str) -> None:
    for level in reader.LEVELS:
        for fault in reader.read(text, level):
            # Where a fault is must be a place in the text, or the command could not show it.
            assert 1 <= fault.line <= text.count("\n") + 1 and fault.column >= 1 and fault.message


@pytest.mark.parametrize("seed", range(8))
def test_broken_modules(seed: int) -> None:
    random_ = random.Random(seed)
    for _ in range(RUNS // 2):
        text = broken(random_.choice(TEXTS), random_)
        try:
            read(text)
        except Exception:
            print(f"seed {seed}:\n{text}")
            raise


def test_cut_modules() -> None:
    random_ = random.Random(1)
    for _ in range(RUNS):
        text = random_.choice(TEXTS)
        read(text[: random_.randrange(len(text))])


def test_bytes() -> None:
    random_ = random.Random(2)
    for _ in range(RUNS):
        read(bytes(random_.randrange(256) for _ in range(random_.randrange(200))).decode("latin-1"))


@pytest.mark.parametrize(
    "text",
    [
        "module {" + "scf.if " * 10000,
        "module { func.func @k() {" + "scf.if %c {" * 10000,
        "module attributes {a = " + "[" * 100000,
        "module {" + "%x" * 100000,
        "module { func.func @k(%a: !pto.partition_tensor_view<" + "1x" * 100000 + "f32>) { return } }",
        "module { func.func @k() { %x:1000000000 = scf.for } }",
        "module { func.func @k() { %x = arith.constant " + "9" * 5000 + " : i32 return } }",
        "module { func.func @k() { %x = arith.constant dense<0> : vector<99999999999xi16> return } }",
        "module { func.func @k() { %x = arith.constant 1." + "0" * 100000 + " : f32 return } }",
        "module {" + "".join(f" func.func private @f{i}() {{ func.call @f{i + 1}() : () -> () func.call @f{i + 1}() : () -> () return }}" for i in range(60))
        + " func.func private @f60() { return } func.func @k() attributes {pto.entry, pto.kernel_kind = #pto.kernel_kind<vector>} { func.call @f0() : () -> () return } }",
        "module { func.func @k(%a: i32) { " + "".join(f"%x{i} = arith.addi %{'a' if i == 0 else f'x{i - 1}'}, %a : i32 " for i in range(3000)) + "return } }",
        "module { func.func @k(%a: index) { " + "scf.for %i = %a to %a step %a { " * 30 + "}" * 30 + " return } }",
    ],
    ids=range(12),
)
def test_large_texts(text: str) -> None:
    read(text)
