"""A strict reader of PTO modules: the rules of the assembler, and those it does not check.

    faults = read(text, "level2")       # sorted Faults; none when the module is right

Each rules_*.py checks one subject and is listed in RULES. A rule may meet any module that the parser accepts, however
wrong: it reports what it knows and passes over what another rule reports.
"""

from __future__ import annotations

import flow
import rules_attributes
import rules_cube
import rules_extents
import rules_functions
import rules_index
import rules_masks
import rules_memory
import rules_order
import rules_pipe_use
import rules_pipes
import rules_scalars
import rules_shapes
import rules_signals
import rules_subviews
import rules_tiles
import rules_types
import rules_vector
import rules_views
from facts import Fault, Facts, Rule
from model import Module
from syntax import SyntaxFault, parse

LEVELS = ("level2", "level3")

RULES: tuple[Rule, ...] = (
    rules_functions.check,
    rules_scalars.check,
    rules_types.check,
    rules_attributes.check,
    rules_views.check,
    flow.check,
    rules_extents.check,
    rules_tiles.check,
    rules_subviews.check,
    rules_vector.check,
    rules_shapes.check,
    rules_index.check,
    rules_cube.check,
    rules_memory.check,
    rules_masks.check,
    rules_pipes.check,
    rules_pipe_use.check,
    rules_signals.check,
    rules_order.check,
)


def check(module: Module, level: str) -> list[Fault]:
    facts = Facts(module, level)
    for rule in RULES:
        rule(facts)
    return sorted(facts.faults)


def read(text: str, level: str = "level2") -> list[Fault]:
    try:
        module = parse(text)
    except SyntaxFault as fault:
        return [Fault(fault.line, fault.column, fault.code, fault.message)]
    return check(module, level)
