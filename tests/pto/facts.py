"""What the rules ask about a module: where each value comes from, what it is known to be, who uses it.

Values are numbered: two operands have the same number when the text shows that they are equal (the same pure ops of
the same operands, constants folded, `+ 0` and the like removed). The numbers of the parameters of two functions
agree by position, so that the two halves of a kernel can be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Union

from fold import fold
from model import Block, Enum, Function, Module, Op, Operand, Ptr, Scalar, Tile, Type


@dataclass(frozen=True, order=True)
class Fault:
    line: int
    column: int
    code: str
    message: str


@dataclass(eq=False)
class Definition:
    """A result of `op`, an argument of a block of `op`, or, without an op, a parameter."""

    name: str
    type: Type
    op: Op | None
    function: Function
    argument: int | None = None  # position among the arguments of its block or the parameters
    number: int = -1
    uses: list[tuple[Op, Operand]] = field(default_factory=list)

    @property
    def is_result(self) -> bool:
        return self.argument is None


Place = Union[Op, Operand, Function, "tuple[int, int]"]

# Ops that name the bytes of a tile again.
VIEWS_OF_TILES = ("pto.treshape", "pto.subview", "pto.bitcast")
PURE = ("pto.addptr", "pto.castptr", "pto.get_block_idx", "pto.get_block_num", "pto.get_subblock_idx",
        "pto.get_subblock_num")


def kind_of(function: Function) -> str | None:
    """The kind of core that the function's own attribute names."""
    kind = function.attributes.get("pto.kernel_kind")
    return kind.value if isinstance(kind, Enum) and kind.value in ("cube", "vector") else None


class Facts:
    def __init__(self, module: Module, level: str):
        self.module = module
        self.level = level
        self.faults: set[Fault] = set()
        self.functions: dict[str, Function] = {}
        self.parents: dict[int, Op | None] = {}
        self.owners: dict[int, Function] = {}
        self.results: dict[int, list[Definition]] = {}
        self.arguments: dict[int, list[Definition]] = {}
        self.parameters: dict[str, list[Definition]] = {}
        self.extents: dict[int, tuple[object, ...]] = {}  # of tile operands; rules_extents fills and reads it
        self._kinds: dict[int, set[str]] = {}
        self._of_operand: dict[int, Definition] = {}
        self._numbers: dict[object, int] = {}
        self._constants: dict[int, int | float | bool] = {}
        for function in module.functions:
            if function.name in self.functions:
                self.fault(function, "redefined", f"function @{function.name} is defined twice")
            else:
                self.functions[function.name] = function
        for function in module.functions:
            _Scopes(self, function).run()

    @property
    def level3(self) -> bool:
        return self.level == "level3"

    def fault(self, place: Place, code: str, message: str) -> None:
        line, column = place if isinstance(place, tuple) else (place.line, place.column)
        self.faults.add(Fault(line, column, code, message))

    def definition(self, operand: Operand) -> Definition | None:
        """Where the operand was defined; None, and a fault is already known, when it was not."""
        return self._of_operand.get(id(operand))

    def source(self, operand: Operand) -> Op | None:
        """The op whose result the operand is."""
        found = self.definition(operand)
        return found.op if found and found.is_result else None

    def type_of(self, operand: Operand) -> Type | None:
        """What the operand was defined as, or else what its use says."""
        found = self.definition(operand)
        return found.type if found else operand.type

    def number(self, operand: Operand) -> int | None:
        found = self.definition(operand)
        return found.number if found else None

    def constant(self, operand: Operand) -> int | float | None:
        found = self.definition(operand)
        return self._constants.get(found.number) if found else None

    def integer(self, operand: Operand) -> int | None:
        value = self.constant(operand)
        return int(value) if isinstance(value, int) else None

    def extent(self, operand: Operand) -> Extent:
        """A number of rows or columns: an int when it is known, otherwise ("value", number)."""
        value = self.integer(operand)
        number = self.number(operand)
        return value if value is not None else ("value", -1 if number is None else number)

    def root(self, operand: Operand) -> Definition | None:
        """The tile whose bytes the operand names, itself or through views."""
        found = self.definition(operand)
        while found and found.is_result and found.op and found.op.name in VIEWS_OF_TILES:
            found = self.definition(found.op.group("source")[0])
        return found

    def pointer_root(self, operand: Operand) -> Definition | None:
        """The parameter, or whatever else, that a pointer or a view of memory was computed from."""
        found = self.definition(operand)
        while found and found.is_result and found.op:
            step = found.op
            roles = {"pto.addptr": "pointer", "pto.castptr": "source", "pto.make_tensor_view": "pointer",
                     "pto.partition_view": "view"}
            if step.name not in roles:
                return found
            found = self.definition(step.group(roles[step.name])[0])
        return found

    def kinds(self, function: Function) -> set[str]:
        """The cores a function runs on: its own kind, or for a helper without one those of its callers."""
        if id(function) in self._kinds:
            return self._kinds[id(function)]
        found: set[str] = set()
        seen: set[int] = set()
        todo = [function]
        while todo:
            one = todo.pop()
            if id(one) in seen:
                continue
            seen.add(id(one))
            kind = kind_of(one)
            if kind:
                found.add(kind)
            elif one.private:
                todo += [self.owners[id(op)] for op in self.all_ops() if op.name == "func.call" and self.callee(op) is one]
        self._kinds[id(function)] = found
        return found

    def callee(self, op: Op) -> Function | None:
        symbol = op.attributes.get("callee")
        return self.functions.get(getattr(symbol, "name", ""))

    def called(self, op: Op) -> list[Function]:
        """The function that an op calls, and those that it calls in turn."""
        found: list[Function] = []
        todo = [op]
        while todo:
            callee = self.callee(todo.pop())
            if callee is not None and callee not in found:
                found.append(callee)
                todo += [inner for inner in self.ops(callee) if inner.name == "func.call"]
        return found

    def all_ops(self) -> Iterator[Op]:
        for function in self.module.functions:
            yield from self.ops(function)

    def ops(self, function: Function) -> Iterator[Op]:
        todo: list[Iterator[Op]] = [iter(function.body.ops)] if function.body else []
        while todo:
            op = next(todo[-1], None)
            if op is None:
                todo.pop()
                continue
            yield op
            todo += [iter(block.ops) for block in reversed(op.blocks)]

    def intern(self, key: object, constant: int | float | bool | None = None) -> int:
        number = self._numbers.setdefault(key, len(self._numbers))
        if constant is not None:
            self._constants[number] = constant
        return number

    def constant_number(self, value: int) -> int:
        """The number of an index constant."""
        return self.intern(("constant", "int", repr(value), "index"), value)

    def either(self, op: Op, left: int, right: int) -> int:
        """The number of what is `left` after the first branch of an scf.if and `right` after the other."""
        return left if left == right else self.intern(("either", op.line, op.column, left, right))

    def constant_of(self, number: int) -> int | float | bool | None:
        return self._constants.get(number)


Extent = Union[int, "tuple[str, int]"]


class _Scopes:
    """Resolves the names of one function in the order of its text, and numbers its values."""

    def __init__(self, facts: Facts, function: Function):
        self.facts, self.function = facts, function
        self.visible: dict[str, Definition] = {}
        self.everywhere: set[str] = set()
        self.unique = 0

    def run(self) -> None:
        if self.function.body is None:
            return
        for op in self.facts.ops(self.function):
            self.everywhere.update(op.results)
            for block in op.blocks:
                self.everywhere.update(name for name, _ in block.arguments)
        parameters = self.facts.parameters.setdefault(self.function.name, [])
        for position, (name, type_) in enumerate(self.function.parameters):
            parameters.append(Definition(name, type_, None, self.function, position))
            self.define(parameters[-1], self.function, ("parameter", position, str(type_)))
        self.block(self.function.body, None)

    def define(self, value: Definition, place: Place, key: object = None, constant: int | float | bool | None = None) -> None:
        if value.name in self.visible:
            self.facts.fault(place, "redefined", f"`{value.name}` is defined twice")
        self.visible[value.name] = value
        if key is None:
            self.unique += 1
            key = ("value", self.function.name, self.unique)
        value.number = key if isinstance(key, int) else self.facts.intern(key, constant)

    def block(self, block: Block, parent: Op | None) -> None:
        outer = dict(self.visible)
        if parent is not None:
            values = []
            for position, (name, type_) in enumerate(block.arguments):
                value = Definition(name, type_, parent, self.function, position)
                self.define(value, parent, self.unchanged(parent, block, position))
                values.append(value)
            self.facts.arguments[id(block)] = values
        for op in block.ops:
            self.op(op, parent)
        self.visible = outer

    def unchanged(self, loop: Op, block: Block, position: int) -> int | None:
        """The number of the initial value of a carry that every round passes on as it is."""
        end = block.ops[-1] if block.ops else None
        if loop.name != "scf.for" or position == 0 or end is None or end.name != "scf.yield":
            return None
        initial, values = loop.group("carries"), end.group("values")
        if position > min(len(initial), len(values)) or values[position - 1].name != block.arguments[position][0]:
            return None
        return self.facts.number(initial[position - 1])

    def op(self, op: Op, parent: Op | None) -> None:
        facts = self.facts
        facts.parents[id(op)] = parent
        facts.owners[id(op)] = self.function
        for operand in op.operands:
            value = self.visible.get(operand.name)
            if value is None:
                later = operand.name in self.everywhere
                facts.fault(operand, "dominance", f"`{operand.name}` is used before its definition" if later
                            else f"`{operand.name}` is not defined")
                continue
            facts._of_operand[id(operand)] = value
            value.uses.append((op, operand))
            if operand.type is not None and operand.type != value.type:
                facts.fault(operand, "type-clash", f"`{operand.name}` is {value.type}, {operand.type} expected")
        for block in op.blocks:
            self.block(block, op)
        facts.results[id(op)] = []
        for position, (name, type_) in enumerate(zip(op.results, op.result_types)):
            value = Definition(name, type_, op, self.function)
            facts.results[id(op)].append(value)
            self.define(value, op, *self.key(op, position))

    def branch(self, op: Op, position: int) -> int | None:
        """The number of a result of an scf.if."""
        numbers = []
        for block in op.blocks:
            values = block.ops[-1].group("values") if block.ops and block.ops[-1].name == "scf.yield" else ()
            numbers.append(self.facts.number(values[position]) if position < len(values) else None)
        if len(numbers) != 2 or numbers[0] is None or numbers[1] is None:
            return None
        return self.facts.either(op, numbers[0], numbers[1])

    def key(self, op: Op, position: int) -> tuple[object, int | float | bool | None]:
        if op.name == "scf.if":
            return (self.branch(op, position), None)
        if op.name == "arith.constant":
            value = op.attributes["value"]
            kind = "float" if isinstance(value, float) else "int"
            constant = value if isinstance(value, (int, float)) else None
            return (("constant", kind, repr(value), str(op.result_types[0])), constant)
        pure = op.name in PURE or op.name.startswith("arith.")
        if not pure or any(self.facts.definition(operand) is None for operand in op.operands):
            return (None, None)
        numbers = [self.visible[operand.name].number for operand in op.operands]
        constants = [self.facts.constant_of(number) for number in numbers]
        folded = fold(op, numbers, constants)
        if folded is not None:
            if isinstance(folded, tuple):
                (value,) = folded
                kind = "float" if isinstance(value, float) else "int"
                return (("constant", kind, repr(value), str(op.result_types[0])), value)
            return (folded, None)
        if op.name in COMMUTATIVE:
            numbers.sort()
        return ((op.name, str(op.result_types[0]), str(op.attributes.get("predicate")), *numbers), None)


COMMUTATIVE = frozenset(f"arith.{name}" for name in "addi muli minsi maxsi minui maxui andi ori xori mulf".split())

Rule = Callable[[Facts], None]


def tile_of(operand: Operand) -> Tile | None:
    return operand.type if isinstance(operand.type, Tile) else None


def scalar_name(operand: Operand) -> str:
    return operand.type.name if isinstance(operand.type, Scalar) else ""


def pointer_element(operand: Operand) -> str | None:
    return operand.type.element if isinstance(operand.type, Ptr) else None
