"""The text of PTO modules: a scanner and parser of the dialect's custom syntax.

    module = parse(text)                  # raises SyntaxFault(line, column, code, message)
    for function in module.functions:     # Function: name, parameters, results, attributes, private, body
        for op in walk(function.body):    # every Op, outer before inner, in the order of the text
            ...

An Op has
    name              "pto.tadd", "arith.constant", "scf.for", "func.call", "func.return"
    results           the names it defines: ("%x",), or ("%fib#0", "%fib#1") for `%fib:2 = ...`
    result_types      one type per result, written in the text or implied by the op
    operands          every Operand(name, type, line, column) in the order of the text; the type is what the op
                      says about the operand, None where the text implies nothing (a type error is not found here)
    groups            the same operands by role, each a tuple:
        ins, outs                               ops of the form `ins(...) outs(...)`
        pointer, shape, strides                 make_tensor_view
        view, offsets, sizes                    partition_view; view: also cmo.cacheinvalid of one line
        pointer, offset                         addptr
        source                                  castptr, inttoptr, treshape, bitcast, arith casts
        pointer, index                          load_scalar; with value: store_scalar
        addr, valid_row, valid_col              alloc_tile
        tile, rows, columns                     set_validshape
        source, offsets, valid                  subview; sizes are the attribute `sizes`
        gm_slot_buffer, c2v_consumer_buf, v2c_consumer_buf      aic_initialize_pipe, aiv_initialize_pipe
        tile                                    tpush_to_aiv, tpush_to_aic
        valid                                   tpop_from_aic, tpop_from_aiv
        dst, src, buf                           comm.tput, comm.tget
        signal, value                           comm.tnotify, comm.twait, comm.ttest
        workspace                               syncall
        array, index, value                     local_array_get, local_array_set
        lower, upper, step, carries             scf.for; carries: the initial values; also of scf.while
        condition                               scf.if; with values: scf.condition
        values                                  scf.yield, func.return
        arguments                               func.call
        left, right                             arith ops of two operands, comparisons included
        operand                                 arith.negf
        condition, left, right                  arith.select
    attributes        {name: value}; a value is an int, float, bool, str, Enum, Symbol, UNIT or a tuple of values.
                      What the syntax writes without a name has one here: `value` of arith.constant (for a vector
                      its elements), `predicate` of a comparison, `callee` of a call, `scope` of a fence, `space` or
                      `single_cache_line` of cacheinvalid, `mode` and `core_type` of syncall, `from`, `to` and
                      `event` of a flag, `pipe` of a barrier, `format` of print, `axis` of tgather by mask.
    ins_attributes    those written inside `ins(...)`; never mixed with the trailing ones
    blocks            regions, one block each: scf.for has its body with the counter and the carries as arguments;
                      scf.if one or two; scf.while the block before `do` and the one after
    line, column      of the op's name, from 1
    places            {attribute or group name: (line, column)}

Types are compared by ==: Scalar("f32"), Ptr, View, Part, Tile, LocalArray, Vector. A dimension is an int, or None for `?`.
"""
from __future__ import annotations

from collections.abc import Callable

from core_forms import BINARY, CASTS, CoreForms
from model import (
    ELEMENT_BYTES, I1, I32, I64, INDEX, SPACES, UNIT, Block, Dim, Enum, Function, LocalArray, Module, Op, Operand, Part, Ptr,
    Scalar, Symbol, Tile, Type, Unit, Value, Vector, View, shape_text, walk,
)
from pto_forms import TILE_OPS, PtoForms
from scanner import LABEL, SYMBOL, VALUE, SyntaxFault, count_text

__all__ = [
    "Block", "Dim", "ELEMENT_BYTES", "Enum", "Function", "I1", "I32", "I64", "INDEX", "LocalArray", "Module", "Op", "Operand",
    "Part", "Ptr", "SPACES", "Scalar", "Symbol", "SyntaxFault", "Tile", "Type", "UNIT", "Unit", "Value", "Vector", "View", "parse",
    "shape_text", "walk",
]


def parse(text: str) -> Module:
    """The module that is the whole of `text`."""
    return Parser(text).module()


class Parser(CoreForms, PtoForms):
    # -- the module ---------------------------------------------------------------------------------------------------

    def module(self) -> Module:
        self.expect_word("module")
        attributes: dict[str, Value] = {}
        if self.accept_word("attributes"):
            if not self.peek("{"):
                self.fault(f"expected `{{`, found {self.found()}")
            attributes = self.attributes()
        self.expect("{")
        functions = []
        while not self.accept("}"):
            functions.append(self.function())
        if self.at < len(self.text):
            self.fault(f"expected the end of the text, found {self.found()}")
        return Module(functions, attributes)

    def function(self) -> Function:
        line, column = self.place()
        self.expect_word("func.func")
        private = self.accept_word("private")
        symbol = self.take(SYMBOL)
        if not symbol:
            self.fault(f"expected the name of a function such as @k, found {self.found()}")
        self.expect("(")

        def parameter() -> tuple[str, Type]:
            match = self.take(VALUE)
            if match:
                self.expect(":")
            return (match.group() if match else "", self.type())

        parameters: list[tuple[str, Type]] = self.list_of(parameter, ")")
        results = self.results_of() if self.accept("->") else ()
        attributes = self.attributes() if self.accept_word("attributes") else {}
        body = self.block([]) if self.peek("{") else None
        if body and any(not name for name, _ in parameters):
            raise SyntaxFault(line, column, "syntax", "a parameter of a function with a body has no name")
        return Function(symbol.group(1), parameters, results, attributes, private, body, line, column)

    def block(self, arguments: list[tuple[str, Type]]) -> Block:
        """`{ ... }`, whose label, if it has one, adds its arguments."""
        self.deeper()
        self.expect("{")
        block = Block(list(arguments))
        if self.take(LABEL):
            if self.accept("("):

                def argument() -> None:
                    match = self.take(VALUE)
                    if not match:
                        self.fault(f"expected an argument of the block, found {self.found()}")
                    self.expect(":")
                    block.arguments.append((match.group(), self.type()))

                self.list_of(argument, ")")
            self.expect(":")
        while not self.accept("}"):
            if self.peek("^"):
                self.fault("a region has one block; branches between blocks are not part of the dialect")
            block.ops.append(self.op())
        self.depth -= 1
        return block

    def op(self) -> Op:
        start = self.at
        names: tuple[str, ...] = ()
        if match := self.take(VALUE):
            if "#" in match.group():
                self.fault("a result is named without `#`", at=start)
            names = (match.group(),)
            if self.accept(":"):
                count = self.integer()
                if not 1 <= count <= 64:
                    self.fault(f"expected from 1 to 64 results, found {count}", at=start)
                names = tuple(f"{names[0]}#{i}" for i in range(count))
            if self.peek(","):
                self.fault("several results are named together: `%x:2 = ...`, then %x#0 and %x#1")
            self.expect("=")
        start = self.at
        name = self.word("an op")
        if name in ("return", "call"):
            name = "func." + name
        op = Op(name, *self.place(start), results=names)
        form = self.form_of(name)
        if form is None:
            self.fault(f"unknown op `{name}`", "unknown-op", start)
        form(op)
        if len(op.result_types) != len(names):
            self.fault(f"{name} has {count_text(len(op.result_types), 'result')}, {len(names)} named", "result-count", start)
        return op

    def form_of(self, name: str) -> Callable[[Op], None] | None:
        """The function that parses what follows the name of an op."""
        if name in TILE_OPS:
            return self.tile_op
        dialect, _, rest = name.partition(".")
        if dialect == "math" or (dialect == "arith" and rest in BINARY):
            return self.binary
        if dialect == "arith" and rest in CASTS:
            return self.cast
        return getattr(self, "op_" + name.replace(".", "_"), None)
