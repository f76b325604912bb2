"""Order between ranks: fences before notifies, cache operations around scalar loads and stores.

The assembler adds none of them. A notify tells a peer that this core is done with what it did before: its writes must
have arrived and its reads must be over, which only `pto.fence.barrier_all` makes sure of. Scalars go through a cache,
which `pto.cmo.cacheinvalid all` writes back and drops.

Helpers are followed from where they are called, so a fence may stand at the start of one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from facts import Definition, Facts
from flow import Analysis, follow
from model import Enum, Function, Op, Operand, Ptr

WRITES = ("pto.tstore", "pto.comm.tput", "pto.comm.tget")
# Work allowed in the helpers that are called from one function; more of it is no kernel.
CALLS = 2000


def check(facts: Facts) -> None:
    called = {id(callee) for op in facts.all_ops() if op.name == "func.call" and (callee := facts.callee(op))}
    for function in facts.module.functions:
        if not function.private or id(function) not in called:
            follow(_Order(facts), function)
    for op in facts.all_ops():
        _operands(facts, op)
    _flags(facts)


def _operands(facts: Facts, op: Op) -> None:
    space = op.attributes.get("space")
    if op.name == "pto.cmo.cacheinvalid" and isinstance(space, Enum) and space.value != "gm":
        facts.fault(op.places["space"], "cache-space", f"only GM is supported, {space.value} found")
    scope = op.attributes.get("scope")
    if op.name == "pto.fence.barrier_all" and isinstance(scope, Enum) and scope.value not in ("gm", "all"):
        facts.fault(op.places["scope"], "fence-scope", f"this fence cannot be lowered for a3: {scope.value}")
    cores = op.attributes.get("core_type")
    if op.name == "pto.syncall" and isinstance(cores, Enum):
        for kind in facts.kinds(facts.owners[id(op)]):
            if cores.value not in ("mix", "aiv_only" if kind == "vector" else "aic_only"):
                facts.fault(op.places["core_type"], "core", f"{cores.value} names other cores than those of this {kind} function")
    mode = op.attributes.get("mode")
    if op.name == "pto.syncall" and isinstance(mode, Enum):
        given = op.group("workspace")
        if (mode.value == "soft") != bool(given) or any(one.type != Ptr("i32") for one in given):
            facts.fault(op, "operands", "pto.syncall takes a !pto.ptr<i32> in mode soft, and nothing in mode hard")


def _flags(facts: Facts) -> None:
    """Each flag that is waited for was set before, as often."""
    for function in facts.module.functions:
        for parent in (None, *facts.ops(function)):
            for block in [function.body] if parent is None else parent.blocks:
                balance: dict[tuple[object, ...], list[Op]] = {}
                for op in block.ops if block else []:
                    key = (op.attributes.get("from"), op.attributes.get("to"), op.attributes.get("event"))
                    if op.name == "pto.set_flag":
                        balance.setdefault(key, []).append(op)
                    elif op.name == "pto.wait_flag" and balance.get(key):
                        balance[key].pop(0)
                    elif op.name == "pto.wait_flag":
                        facts.fault(op, "flag", "nothing before sets this flag")
                for left in balance.values():
                    for op in left:
                        facts.fault(op, "flag", "nothing waits for this flag")


@dataclass
class _Pending:
    writes: frozenset[Op] = frozenset()  # into memory, not fenced
    reads: frozenset[Op] = frozenset()
    cached: frozenset[Op] = frozenset()  # scalar stores, not written back
    stale: frozenset[Op] = frozenset()  # waits and tests since which the cache was not dropped


@dataclass
class _Calls:
    arguments: dict[Definition, Definition] = field(default_factory=dict)  # parameters of helpers being followed
    depth: int = 0
    made: int = 0


class _Order(Analysis[_Pending]):
    def __init__(self, facts: Facts):
        super().__init__(facts)
        self.calls = _Calls()

    def start(self, function: Function) -> _Pending:
        return _Pending()

    def copy(self, state: _Pending) -> _Pending:
        return _Pending(state.writes, state.reads, state.cached, state.stale)

    def join(self, left: _Pending, right: _Pending) -> _Pending:
        return _Pending(left.writes | right.writes, left.reads | right.reads, left.cached | right.cached, left.stale | right.stale)

    def visit(self, op: Op, state: _Pending) -> None:
        if op.name in WRITES:
            state.writes |= {op}
        elif op.name == "pto.tload":
            state.reads |= {op}
        elif op.name == "pto.store_scalar":
            state.cached |= {op}
        elif op.name == "pto.cmo.cacheinvalid" and "space" in op.attributes:
            state.writes |= state.cached
            state.cached = state.stale = frozenset()
        elif op.name == "pto.fence.barrier_all":
            state.writes = state.reads = frozenset()
        elif op.name == "pto.comm.tnotify":
            self._notify(op, state)
        elif op.name == "pto.comm.twait":
            state.stale |= {op}
        elif op.name == "pto.comm.ttest" and not self._only_asked(op):
            state.stale |= {op}
        elif op.name == "pto.load_scalar" and state.stale and not self._context(op.group("pointer")[0]):
            waits = " and ".join(str(line) for line in sorted({one.line for one in state.stale}))
            self.facts.fault(op, "cache-stale", f"the cache may hold what was there before the wait or test in line {waits}: "
                             "pto.cmo.cacheinvalid all #pto.address_space<gm> must stand between")
        elif op.name == "func.call":
            self._call(op, state)

    def _notify(self, op: Op, state: _Pending) -> None:
        if state.cached:
            self.facts.fault(op, "cache-unwritten", f"the scalar store in line {_lines(state.cached)} is still in the cache: "
                             "pto.cmo.cacheinvalid all and a fence must stand before the notify")
        if state.writes:
            self.facts.fault(op, "fence-missing", f"the write in line {_lines(state.writes)} may arrive after this notify: "
                             "pto.fence.barrier_all #pto.fence_scope<gm> must stand between")
        elif state.reads:
            self.facts.fault(op, "fence-missing", f"the load in line {_lines(state.reads)} may still be going on at this notify: "
                             "pto.fence.barrier_all #pto.fence_scope<gm> must stand between")

    def _call(self, op: Op, state: _Pending) -> None:
        callee = self.facts.callee(op)
        if callee is None or callee.body is None:
            return
        self.calls.made += 1
        if self.calls.depth >= 16 or self.calls.made > CALLS:
            self.facts.fault(op, "call-depth", "calls are nested too deeply to be checked")
            return
        parameters = self.facts.parameters.get(callee.name, [])
        for parameter, operand in zip(parameters, op.group("arguments")):
            found = self.facts.definition(operand)
            if found:
                self.calls.arguments[parameter] = found
        self.calls.depth += 1
        after = self.inside(callee, self.copy(state))
        self.calls.depth -= 1
        state.writes, state.reads, state.cached, state.stale = after.writes, after.reads, after.cached, after.stale

    def _only_asked(self, op: Op) -> bool:
        """True when the result of a test goes into conditions alone, where `enter` sees it."""
        todo, seen = list(self.facts.results[id(op)]), set()
        while todo:
            value = todo.pop()
            for user, _ in value.uses:
                if user.name.startswith("arith."):
                    if id(user) not in seen:
                        seen.add(id(user))
                        todo += self.facts.results[id(user)]
                elif user.name != "scf.if" and not (user.name == "scf.condition" and user.operands[0].name == value.name):
                    return False
        return True

    def enter(self, op: Op, block: int, state: _Pending) -> None:
        asked = op.group("condition")
        if op.name == "scf.while":
            end = op.blocks[0].ops[-1] if op.blocks[0].ops else None
            asked = end.group("condition") if end is not None else ()
        for operand in asked:
            source = self.facts.source(operand)
            if op.name == "scf.if" and block == 1 and source is not None and source.name == "pto.comm.ttest":
                continue  # the test failed here
            state.stale |= self._tests(operand)

    def _tests(self, operand: Operand) -> frozenset[Op]:
        """The tests that a condition is computed from."""
        found: set[Op] = set()
        todo, seen = [operand], set()
        while todo:
            source = self.facts.source(todo.pop())
            if source is None or id(source) in seen:
                continue
            seen.add(id(source))
            if source.name == "pto.comm.ttest":
                found.add(source)
            elif source.name.startswith("arith."):
                todo += source.operands
        return frozenset(found)

    def _context(self, operand: Operand) -> bool:
        """True for the communication context: an i64 parameter that is only ever read by scalar loads."""
        root = self.facts.pointer_root(operand)
        while root is not None and root in self.calls.arguments:
            root = self.calls.arguments[root]
        return root is not None and root.op is None and root.type == Ptr("i64") and self._only_loaded(root, 0)

    def _only_loaded(self, value: Definition, depth: int) -> bool:
        for user, operand in value.uses:
            if user.name == "pto.load_scalar":
                continue
            if user.name in ("pto.castptr", "pto.addptr") and depth < 16:
                if all(self._only_loaded(result, depth + 1) for result in self.facts.results[id(user)]):
                    continue
            callee = self.facts.callee(user) if user.name == "func.call" else None
            if callee is not None and depth < 16:
                parameters = self.facts.parameters.get(callee.name, [])
                given = [parameter for parameter, one in zip(parameters, user.group("arguments")) if one is operand]
                if all(self._only_loaded(parameter, depth + 1) for parameter in given):
                    continue
            return False
        return True


def _lines(ops: frozenset[Op]) -> str:
    return " and ".join(str(line) for line in sorted({op.line for op in ops}))
