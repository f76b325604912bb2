"""Pointers, views of tensors, their parts, and scalar loads and stores."""

from __future__ import annotations

from facts import Facts
from model import I64, Enum, Op, Part, Ptr, Scalar, View

LAYOUTS = ("nd", "dn")


def check(facts: Facts) -> None:
    rules = {
        "pto.addptr": _addptr,
        "pto.castptr": _castptr,
        "pto.inttoptr": _inttoptr,
        "pto.load_scalar": _scalar_access,
        "pto.store_scalar": _scalar_access,
        "pto.make_tensor_view": _view,
        "pto.partition_view": _part,
    }
    for op in facts.all_ops():
        if op.name in rules:
            rules[op.name](facts, op)


def layout_of(facts: Facts, op: Op) -> str | None:
    """The layout that a make_tensor_view names."""
    layout = op.attributes.get("layout")
    return layout.value if isinstance(layout, Enum) else None


def _addptr(facts: Facts, op: Op) -> None:
    source, result = op.group("pointer")[0].type, op.result_types[0]
    if not isinstance(source, Ptr):
        facts.fault(op, "pointer-type", f"pto.addptr moves a pointer, {source} found")
    elif source != result:
        facts.fault(op, "pointer-type", f"the pointer and the result must have one type, {source} and {result} found")


def _castptr(facts: Facts, op: Op) -> None:
    source, result = op.group("source")[0].type, op.result_types[0]
    if not any(isinstance(type_, Ptr) for type_ in (source, result)) or any(
        not isinstance(type_, Ptr) and type_ != I64 for type_ in (source, result)
    ):
        facts.fault(op, "pointer-type", f"pto.castptr casts between pointers, or a pointer and i64, {source} to {result} found")


def _inttoptr(facts: Facts, op: Op) -> None:
    source, result = op.group("source")[0].type, op.result_types[0]
    if source != I64 or not isinstance(result, Ptr):
        facts.fault(op, "pointer-type", f"pto.inttoptr casts i64 to a pointer, {source} to {result} found")
    for user, operand in facts.results[id(op)][0].uses:
        if user.name not in ("pto.load_scalar", "pto.store_scalar"):
            facts.fault(operand, "pointer-inttoptr", "such a pointer may only feed load_scalar and store_scalar; use castptr")


def _scalar_access(facts: Facts, op: Op) -> None:
    pointer = op.group("pointer")[0].type
    loads = op.name == "pto.load_scalar"
    element = op.result_types[0] if loads else op.group("value")[0].type
    if not isinstance(pointer, Ptr):
        facts.fault(op, "pointer-type", f"{op.name} takes a pointer, {pointer} found")
    elif element != Scalar(pointer.element):
        what = "result" if loads else "value"
        facts.fault(op, "scalar-element", f"the {what} must be the pointer's element type {pointer.element}, {element} found")
    if len(op.group("index")) != 1:
        facts.fault(op, "pointer-index", f"{op.name} takes one index, {len(op.group('index'))} found")
    for operand in op.group("index"):
        value = facts.integer(operand)
        if value is not None and value < 0:
            facts.fault(operand, "bounds", f"index {value} is before the pointer")


def _view(facts: Facts, op: Op) -> None:
    view = op.result_types[0]
    if not isinstance(view, View):
        facts.fault(op, "view-type", f"pto.make_tensor_view returns a tensor_view, {view} found")
        return
    shape, strides = op.group("shape"), op.group("strides")
    if len(shape) != len(view.dims) or len(strides) != len(view.dims):
        facts.fault(op, "view-operands", f"the operand counts must equal the rank of the view: {len(view.dims)} dims, "
                    f"{len(shape)} of the shape, {len(strides)} strides")
        return
    sizes = [facts.integer(operand) for operand in shape]
    steps = [facts.integer(operand) for operand in strides]
    for position, (dim, size, operand) in enumerate(zip(view.dims, sizes, shape)):
        if dim is not None and dim != size:
            facts.fault(operand, "view-shape", f"dim {position} of the view is {dim}, the operand is {_shown(size)}")
        if size is not None and size <= 0:
            facts.fault(operand, "view-shape", f"a dim of a view must be positive, {size} found")
    for operand, step in zip(strides, steps):
        if step is not None and step <= 0:
            facts.fault(operand, "view-strides", f"a stride must be positive, {step} found")
    _layout(facts, op, sizes, steps)
    _overlap(facts, op, sizes, steps)


def _overlap(facts: Facts, op: Op, sizes: list[int | None], steps: list[int | None]) -> None:
    """Two elements of a view are two elements of memory: a step of a dim passes over all of the next one."""
    order = list(range(len(sizes)))
    if layout_of(facts, op) == "dn" and len(order) > 1:
        order[-2:] = order[-1], order[-2]
    if steps[order[-1]] != 1:
        return  # the layout is not that of the strides, which is reported
    for outer, inner in zip(order, order[1:]):
        size, step, length, unit = sizes[outer], steps[outer], sizes[inner], steps[inner]
        if size != 1 and step is not None and length is not None and unit is not None and step < length * unit:
            facts.fault(op.group("strides")[outer], "view-strides", f"elements overlap: stride {step} of dim {outer} "
                        f"is below {length} x {unit} of dim {inner}")


def _shown(value: int | None) -> str:
    return "not a constant" if value is None else str(value)


def _layout(facts: Facts, op: Op, sizes: list[int | None], steps: list[int | None]) -> None:
    given = layout_of(facts, op)
    if given is None:
        return  # a missing attribute is reported
    if given not in LAYOUTS:
        facts.fault(op, "view-layout", f"a view is nd or dn, {given} found")
        return
    column = len(sizes) >= 2 and sizes[-1] == 1 and sizes[-2] != 1
    if len(sizes) < 2:
        strides_say = "nd" if steps[-1] == 1 else None
    elif column and steps[-2] == 1:
        strides_say = "dn"  # contiguous columns of one element
    elif steps[-1] == 1:
        strides_say = "nd"
    elif steps[-2] == 1:
        strides_say = "dn"
    else:
        strides_say = None
    # A single element, or a single row, is both.
    both = len(sizes) >= 2 and sizes[-2] == 1 and steps[-1] == 1 and steps[-2] == 1
    if strides_say is None:
        facts.fault(op, "view-strides", "no stride of the last two dims is 1")
    elif strides_say != given and not both:
        facts.fault(op.places.get("layout", (op.line, op.column)), "view-layout", f"given layout {given}, strides say {strides_say}")


def _part(facts: Facts, op: Op) -> None:
    view, part = op.group("view")[0].type, op.result_types[0]
    if not isinstance(view, View) or not isinstance(part, Part):
        facts.fault(op, "view-type", f"pto.partition_view takes a tensor_view and returns a partition, {view} to {part} found")
        return
    if view.element != part.element:
        facts.fault(op, "view-type", f"the element types of view and partition differ: {view.element} and {part.element}")
    offsets, sizes = op.group("offsets"), op.group("sizes")
    if len(part.dims) != len(view.dims):
        facts.fault(op, "view-rank", f"the partition cannot be lowered: rank {len(part.dims)} of a view of rank {len(view.dims)}")
        return
    if len(offsets) != len(view.dims) or len(sizes) != len(view.dims):
        facts.fault(op, "view-operands", f"the operand counts must equal the rank of the view: {len(view.dims)} dims, "
                    f"{len(offsets)} offsets, {len(sizes)} sizes")
        return
    source = facts.source(op.group("view")[0])
    shape = source.group("shape") if source and source.name == "pto.make_tensor_view" else ()
    for position, (dim, operand) in enumerate(zip(part.dims, sizes)):
        size, offset = facts.integer(operand), facts.integer(offsets[position])
        if dim is not None and size != dim:
            facts.fault(operand, "view-sizes", f"the size operand and the result dim differ at dim {position}: {_shown(size)} and {dim}")
        if offset is not None and offset < 0:
            facts.fault(offsets[position], "bounds", f"offset {offset} is before the view")
        limit = view.dims[position]
        if limit is None and position < len(shape):
            limit = facts.integer(shape[position])
        if limit is not None and size is not None and (offset or 0) + size > limit:
            facts.fault(operand, "bounds", f"offset {offset or 0} + size {size} exceed dim {position} of the view ({limit})")

