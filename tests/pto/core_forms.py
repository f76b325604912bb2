"""How each op of `arith`, `scf` and `func` is written after its name."""

from __future__ import annotations

import struct
from collections.abc import Callable

from model import ELEMENT_BYTES, I1, INDEX, Block, Op, Scalar, Symbol, Type, Value, Vector
from scanner import FLOAT, HEX, SYMBOL, VALUE, Scanner

FLOATS = ("f16", "bf16", "f32")
BINARY = frozenset(
    "addi subi muli divsi divui remsi remui floordivsi ceildivsi minsi maxsi minui maxui andi ori xori shli shrsi shrui "
    "addf subf mulf divf remf maximumf minimumf".split()
)
CASTS = frozenset("index_cast index_castui extsi extui trunci extf truncf sitofp uitofp fptosi fptoui bitcast".split())


def float_of_bits(bits: int, element: str) -> float:
    """The number that `bits` are in the format `element`."""
    if element == "f16":
        return float(struct.unpack("<e", struct.pack("<H", bits))[0])
    return float(struct.unpack("<f", struct.pack("<I", bits << 16 if element == "bf16" else bits))[0])


class CoreForms(Scanner):
    block: Callable[[list[tuple[str, Type]]], Block]  # of the parser: ops inside ops

    # -- arith, scf, func ---------------------------------------------------------------------------------------------

    def binary(self, op: Op) -> None:
        self.operand(op, "left")
        if op.name.startswith("arith."):
            self.expect(",")
            self.operand(op, "right")
        elif self.accept(","):  # of math, which is parsed to be refused
            self.operand(op, "right")
        self.expect(":")
        type_ = self.type()
        self.retype(op, [type_] * len(op.operands))
        op.result_types = (type_,)

    def cast(self, op: Op) -> None:
        self.operand(op, "source")
        self.expect(":")
        self.retype(op, [self.type()])
        self.expect_word("to")
        op.result_types = (self.type(),)

    def op_arith_negf(self, op: Op) -> None:
        self.operand(op, "operand")
        self.expect(":")
        type_ = self.type()
        self.retype(op, [type_])
        op.result_types = (type_,)

    def op_arith_constant(self, op: Op) -> None:
        start = self.at
        op.places["value"] = self.place(start)
        if self.accept_word("true") or self.accept_word("false"):
            op.attributes["value"] = self.text.startswith("true", start)
            op.result_types = (Scalar("i1"),)
            return
        number: Value
        if self.accept_word("dense"):
            self.expect("<")
            number = self.value()
            self.expect(">")
        elif hexadecimal := self.take(HEX):
            number = int(hexadecimal.group()[:42], 16)
        elif decimal := self.take(FLOAT):
            number = float(decimal.group())
        else:
            number = self.integer()
        self.expect(":")
        type_ = self.type()
        if isinstance(type_, Vector):
            if any(dim is None for dim in type_.dims) or any(dim and dim > 64 for dim in type_.dims):
                self.fault(f"expected a vector of at most 64 elements, found {type_}", "constant", start)
            if not isinstance(number, tuple):
                number = (number,) * (type_.dims[0] or 0)
        elif isinstance(type_, Scalar) and type_.name in FLOATS and isinstance(number, int):
            width = ELEMENT_BYTES[type_.name]
            if not self.text.startswith("0x", start) or not 0 <= number < 1 << 8 * width:
                self.fault(f"expected a number such as 1.0 or {width} bytes such as 0x{'0' * 2 * width}, found {number}",
                           "constant", start)
            number = float_of_bits(number, type_.name)
        elif isinstance(number, (float, tuple)) and not (isinstance(type_, Scalar) and type_.name in FLOATS):
            self.fault(f"a constant of type {type_} must be an integer", "constant", start)
        op.attributes["value"] = number
        op.result_types = (type_,)

    def compare(self, op: Op) -> None:
        start = self.at
        op.attributes["predicate"] = self.word("a comparison")
        op.places["predicate"] = self.place(start)
        self.expect(",")
        self.operand(op, "left")
        self.expect(",")
        self.operand(op, "right")
        self.expect(":")
        type_ = self.type()
        self.retype(op, [type_, type_])
        op.result_types = (I1,)

    op_arith_cmpi = compare
    op_arith_cmpf = compare

    def op_arith_select(self, op: Op) -> None:
        self.operand(op, "condition")
        self.expect(",")
        self.operand(op, "left")
        self.expect(",")
        self.operand(op, "right")
        self.expect(":")
        type_ = self.type()
        self.retype(op, [I1, type_, type_])
        op.result_types = (type_,)

    def carried(self, op: Op, close: str) -> list[str]:
        """`%a = %x, ...` up to `close`: the names inside the loop; the initial values become operands."""
        names: list[str] = []

        def carry() -> None:
            match = self.take(VALUE)
            if not match:
                self.fault(f"expected a carried value, found {self.found()}")
            names.append(match.group())
            self.expect("=")
            self.operand(op, "carries")

        op.groups["carries"] = ()
        self.list_of(carry, close)
        return names

    def op_scf_for(self, op: Op) -> None:
        counter = self.take(VALUE)
        if not counter:
            self.fault(f"expected the counter of the loop, found {self.found()}")
        self.expect("=")
        self.operand(op, "lower")
        self.expect_word("to")
        self.operand(op, "upper")
        self.expect_word("step")
        self.operand(op, "step")
        names: list[str] = []
        if self.accept_word("iter_args"):
            self.expect("(")
            names = self.carried(op, ")")
            self.expect("->")
            op.result_types = self.results_of()
        bounds = self.type() if self.accept(":") else INDEX
        self.retype(op, [bounds, bounds, bounds, *op.result_types])
        op.blocks.append(self.block([(counter.group(), bounds), *zip(names, op.result_types)]))

    def op_scf_while(self, op: Op) -> None:
        names: list[str] = []
        if self.accept("("):
            names = self.carried(op, ")")
        self.expect(":")
        self.expect("(")
        types: list[Type] = self.list_of(self.type, ")")
        self.expect("->")
        op.result_types = self.results_of()
        self.retype(op, list(types))
        op.blocks.append(self.block(list(zip(names, types))))
        self.expect_word("do")
        op.blocks.append(self.block([]))

    def op_scf_if(self, op: Op) -> None:
        self.operand(op, "condition", I1)
        if self.accept("->"):
            op.result_types = self.results_of()
        op.blocks.append(self.block([]))
        if self.accept_word("else"):
            op.blocks.append(self.block([]))

    def op_scf_yield(self, op: Op) -> None:
        op.groups["values"] = ()
        if not self.peek("%"):
            return
        self.operand(op, "values")
        while self.accept(","):
            self.operand(op, "values")
        if not self.peek(":"):
            # `scf.yield` may be followed by a line that defines a value, and is then the mistake of a missing type.
            self.fault(f"expected `:` and the types of the yielded values, found {self.found()}")
        self.expect(":")
        self.retype(op, list(self.types()))

    op_func_return = op_scf_yield

    def op_scf_condition(self, op: Op) -> None:
        self.expect("(")
        self.operand(op, "condition", I1)
        self.expect(")")
        op.groups["values"] = ()
        if self.peek("%"):
            self.operand(op, "values")
            while self.accept(","):
                self.operand(op, "values")
            self.expect(":")
            self.retype(op, [None, *self.types()])

    def op_func_call(self, op: Op) -> None:
        start = self.at
        symbol = self.take(SYMBOL)
        if not symbol:
            self.fault(f"expected the function to call, found {self.found()}")
        op.attributes["callee"] = Symbol(symbol.group(1))
        op.places["callee"] = self.place(start)
        op.groups["arguments"] = ()
        self.expect("(")
        self.list_of(lambda: self.operand(op, "arguments"), ")")
        self.expect(":")
        self.expect("(")
        self.retype(op, self.list_of(self.type, ")"))
        self.expect("->")
        op.result_types = self.results_of()
