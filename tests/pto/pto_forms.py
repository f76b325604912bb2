"""How each `pto` op is written after its name."""

from __future__ import annotations

from collections.abc import Callable

from model import I1, I64, INDEX, UNIT, Op, Ptr, Type, View
from scanner import Scanner

# Ops written `ins(...) outs(...)` or `ins(...)`.
TILE_OPS = frozenset(
    "pto." + name
    for name in (
        "tload tstore tmov tadd tsub tmul tdiv tmax tmin tfmod trem tand tor txor tshl tshr tadds tsubs tmuls tdivs tmaxs "
        "tmins tfmods trems tands tors txors tshls tshrs tabs tneg texp tlog tsqrt trsqrt trecip trelu tnot tpow tpows "
        "texpands tci tcmp tcmps tsel tsels tcvt ttrans textract tinsert tconcat tfillpad tgetval tsetval trowsum trowmax "
        "trowmin trowprod tcolsum tcolmax tcolmin tcolprod trowargmax trowargmin tcolargmax tcolargmin trowexpand "
        "tcolexpand trowexpandadd trowexpandsub trowexpandmul trowexpanddiv trowexpandmax trowexpandmin "
        "trowexpandexpdif tcolexpandadd tcolexpandsub tcolexpandmul tcolexpanddiv tcolexpandmax tcolexpandmin "
        "tmatmul tmatmul.acc tmatmul.bias tgather tgatherb tscatter tsort32 tmrgsort tprint print"
    ).split()
)


class PtoForms(Scanner):
    # -- ops with ins and outs ----------------------------------------------------------------------------------------

    def tile_op(self, op: Op) -> None:
        self.expect_word("ins")
        self.expect("(")
        op.groups["ins"] = ()
        if op.name == "pto.print":
            text = self.string()
            if text is None:
                self.fault(f"expected the text to print, found {self.found()}")
            op.attributes["format"] = text
            self.expect(",")
        self.operand(op, "ins")
        while self.accept(",") and not self.peek("{"):
            self.operand(op, "ins")
        if self.peek("{"):
            op.ins_attributes = self.attributes(op.places)
        self.expect(":")
        types: list[Type | None] = [self.type()]
        while self.accept(","):
            if (axis := self.string()) is not None:
                op.attributes["axis"] = axis
                break
            types.append(self.type())
        self.expect(")")
        self.retype(op, types)
        if self.accept_word("outs"):
            if op.name == "pto.tgetval":
                self.expect(":")
                op.result_types = (self.type(),)
                return
            ins = op.operands
            op.operands = []
            groups = op.groups
            op.groups = {"outs": ()}
            self.expect("(")
            self.operand(op, "outs")
            while self.accept(","):
                self.operand(op, "outs")
            self.expect(":")
            self.retype(op, list(self.types()))
            self.expect(")")
            op.operands = ins + op.operands
            op.groups = groups | op.groups
        op.attributes |= self.attributes(op.places)

    # -- pointers, views, tiles ---------------------------------------------------------------------------------------

    def op_pto_addptr(self, op: Op) -> None:
        self.operand(op, "pointer")
        self.expect(",")
        self.operand(op, "offset", INDEX)
        self.arrow(op, 1)

    def arrow(self, op: Op, implied: int = 0) -> None:
        """`: A -> B`; the last `implied` operands keep their types."""
        self.expect(":")
        types: list[Type | None] = list(self.types())
        self.retype(op, types + [None] * implied)
        self.expect("->")
        op.result_types = (self.type(),)

    def view_of_source(self, op: Op) -> None:
        self.operand(op, "source")
        self.arrow(op)

    op_pto_castptr = view_of_source
    op_pto_inttoptr = view_of_source
    op_pto_treshape = view_of_source
    op_pto_bitcast = view_of_source

    def op_pto_load_scalar(self, op: Op) -> None:
        self.operand(op, "pointer")
        self.bracketed(op, "index")
        self.arrow(op, len(op.group("index")))

    def op_pto_store_scalar(self, op: Op) -> None:
        self.operand(op, "value")
        self.expect(",")
        self.operand(op, "pointer")
        self.bracketed(op, "index")
        self.expect(":")
        pointer = self.type()
        self.expect(",")
        self.retype(op, [self.type(), pointer] + [None] * len(op.group("index")))

    def named(self, op: Op, name: str) -> None:
        self.expect(",")
        self.expect_word(name)
        self.expect("=")
        self.bracketed(op, name)

    def op_pto_make_tensor_view(self, op: Op) -> None:
        self.operand(op, "pointer")
        self.named(op, "shape")
        self.named(op, "strides")
        op.attributes = self.attributes(op.places)
        self.expect(":")
        op.result_types = (self.type(),)
        view = op.result_types[0]
        kept: list[Type | None] = [None] * len(op.operands)
        if isinstance(view, View):
            kept[0] = Ptr(view.element)
        self.retype(op, kept)

    def op_pto_partition_view(self, op: Op) -> None:
        self.operand(op, "view")
        self.named(op, "offsets")
        self.named(op, "sizes")
        self.arrow(op, len(op.operands) - 1)

    def op_pto_alloc_tile(self, op: Op) -> None:
        for name, type_ in (("addr", I64), ("valid_row", INDEX), ("valid_col", INDEX)):
            if self.accept_word(name):
                self.expect("=")
                self.operand(op, name, type_)
        self.expect(":")
        op.result_types = (self.type(),)

    def op_pto_set_validshape(self, op: Op) -> None:
        self.operand(op, "tile")
        self.expect(",")
        self.operand(op, "rows", INDEX)
        self.expect(",")
        self.operand(op, "columns", INDEX)
        self.expect(":")
        self.retype(op, [self.type(), None, None])

    def op_pto_subview(self, op: Op) -> None:
        self.operand(op, "source")
        self.bracketed(op, "offsets")
        self.expect_word("sizes")
        op.places["sizes"] = self.place()
        self.expect("[")
        op.attributes["sizes"] = tuple(self.list_of(self.integer, "]"))
        if self.accept_word("valid"):
            self.bracketed(op, "valid")
        self.arrow(op, len(op.operands) - 1)

    def op_pto_declare_local_array(self, op: Op) -> None:
        self.expect("->")
        op.result_types = (self.type(),)

    def op_pto_local_array_get(self, op: Op) -> None:
        self.operand(op, "array")
        self.bracketed(op, "index")
        self.arrow(op, len(op.group("index")))

    def op_pto_local_array_set(self, op: Op) -> None:
        self.operand(op, "array")
        self.bracketed(op, "index")
        self.expect(",")
        self.operand(op, "value")
        self.expect(":")
        array = self.type()
        self.expect(",")
        self.retype(op, [array] + [None] * len(op.group("index")) + [self.type()])

    # -- pipes --------------------------------------------------------------------------------------------------------

    def buffer(self, op: Op) -> None:
        op.attributes = self.attributes(op.places)
        self.expect("->")
        op.result_types = (self.type(),)

    op_pto_reserve_buffer = buffer
    op_pto_import_reserved_buffer = buffer

    def initialize(self, op: Op) -> None:
        op.attributes = self.attributes(op.places)
        self.expect("(")

        def entry() -> None:
            start = self.at
            role = self.word("gm_slot_buffer, c2v_consumer_buf or v2c_consumer_buf")
            if role not in ("gm_slot_buffer", "c2v_consumer_buf", "v2c_consumer_buf"):
                self.fault(f"unknown operand `{role}` of {op.name}", at=start)
            if role in op.groups:
                self.fault(f"operand `{role}` is given twice", at=start)
            self.expect("=")
            self.operand(op, role)
            self.expect(":")
            self.retype(op, [None] * (len(op.operands) - 1) + [self.type()])

        self.list_of(entry, ")")

    op_pto_aic_initialize_pipe = initialize
    op_pto_aiv_initialize_pipe = initialize

    def push(self, op: Op) -> None:
        self.expect("(")
        self.operand(op, "tile")
        self.expect(":")
        self.retype(op, [self.type()])
        self.expect(")")
        op.attributes = self.attributes(op.places)

    op_pto_tpush_to_aiv = push
    op_pto_tpush_to_aic = push

    def pop(self, op: Op) -> None:
        if self.accept("("):
            self.list_of(lambda: self.operand(op, "valid", INDEX), ")")
        op.attributes = self.attributes(op.places)
        self.expect("->")
        op.result_types = (self.type(),)

    op_pto_tpop_from_aic = pop
    op_pto_tpop_from_aiv = pop

    def free(self, op: Op) -> None:
        op.attributes = self.attributes(op.places)

    op_pto_tfree_from_aic = free
    op_pto_tfree_from_aiv = free

    # -- communication and order --------------------------------------------------------------------------------------

    def copy(self, op: Op) -> None:
        self.expect("(")
        self.operand(op, "dst")
        self.expect(",")
        self.operand(op, "src")
        self.expect(",")
        self.expect_word("buf")
        self.expect("(")
        self.list_of(lambda: self.operand(op, "buf"), ")")
        self.expect(":")
        self.retype(op, list(self.types()))
        self.expect(")")
        op.attributes = self.attributes(op.places)

    op_pto_comm_tput = copy
    op_pto_comm_tget = copy

    def signal(self, op: Op) -> None:
        self.expect("(")
        self.operand(op, "signal")
        self.expect(",")
        self.operand(op, "value")
        self.expect(":")
        self.retype(op, list(self.types()))
        self.expect(")")
        op.attributes = self.attributes(op.places)

    op_pto_comm_tnotify = signal
    op_pto_comm_twait = signal

    def op_pto_comm_ttest(self, op: Op) -> None:
        self.signal(op)
        self.expect("->")
        op.result_types = (self.type(),)

    def op_pto_cmo_cacheinvalid(self, op: Op) -> None:
        if self.accept_word("all"):
            op.places["space"] = self.place()
            op.attributes["space"] = self.enum()
            return
        self.operand(op, "view")
        self.expect_word("single_cache_line")
        op.attributes["single_cache_line"] = UNIT
        self.expect(":")
        self.retype(op, [self.type()])

    def one_enum(self, name: str) -> Callable[[Op], None]:
        def form(op: Op) -> None:
            op.places[name] = self.place()
            op.attributes[name] = self.enum()

        return form

    @property
    def op_pto_fence_barrier_all(self) -> Callable[[Op], None]:
        return self.one_enum("scope")

    @property
    def op_pto_barrier(self) -> Callable[[Op], None]:
        return self.one_enum("pipe")

    def flag(self, op: Op) -> None:
        self.expect("[")
        for name in ("from", "to", "event"):
            if name != "from":
                self.expect(",")
            self.one_enum(name)(op)
        self.expect("]")

    op_pto_set_flag = flag
    op_pto_wait_flag = flag

    def op_pto_syncall(self, op: Op) -> None:
        self.expect("(")
        if not self.accept(")"):
            self.operand(op, "workspace")
            self.expect(":")
            self.retype(op, [self.type()])
            self.expect(")")
        for name in ("mode", "core_type"):
            if name != "mode":
                self.expect(",")
            self.expect_word(name)
            self.expect("=")
            self.one_enum(name)(op)

    def op_pto_trap(self, op: Op) -> None:
        pass

    def block_number(self, op: Op) -> None:
        op.result_types = (I64,)

    op_pto_get_block_idx = block_number
    op_pto_get_block_num = block_number
    op_pto_get_subblock_idx = block_number
    op_pto_get_subblock_num = block_number
