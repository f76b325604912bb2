"""The classes of tilewire.ir: construction, errors, equality, identity, serialisation."""

import copy
import gc
import inspect
import pickle
import threading

import numpy as np
import pytest

import tilewire as tw
import tilewire.language as pl
import tilewire.language.distributed as pld
from tilewire import ir

NODE_CLASSES = [c for c in vars(ir).values() if isinstance(c, type) and issubclass(c, ir.Node)]
CLASSES = [c for c in NODE_CLASSES if "__signature__" in vars(c)]
BASES = [c for c in NODE_CLASSES if c not in CLASSES]
PARAMS = [
    (c, p)
    for c in CLASSES
    for p in inspect.signature(c).parameters.values()
    if p.name != "span"
]


def param_id(value):
    return value.__name__ if isinstance(value, type) else value.name


def block(*stmts):
    return ir.Block(list(stmts))


# A right value for every kind of argument, by annotation; what a class needs beyond that by name.
BY_ANNOTATION = {
    "bool": True,
    "int": 1,
    "float": 1.5,
    "str": "name",
    "DType": pl.INT32,
    "Expr": ir.ConstInt(3),
    "Type": ir.ScalarType(pl.INT32),
    "Var": ir.Var("v", ir.ScalarType(pl.INT32)),
    "Block": block(),
    "Stmt": ir.Return([]),
    "TensorView": ir.TensorView([], pl.NZ),
    "Parameter": ir.Parameter("p", ir.ScalarType(pl.INT32)),
    "WindowBuffer": ir.WindowBuffer(ir.Var("buf", ir.PtrType()), 64),
    "Function": ir.Function("f", pl.FunctionType.InCore, [], [], block()),
    "CommGroup": ir.CommGroup([0], []),
    "Direction": ir.Direction.Out,
    "FunctionType": pl.FunctionType.AIV,
    "Layout": pl.DN,
    "Level": pl.Level.CHIP,
    "LoopKind": ir.LoopKind.Parallel,
    "Mem": pl.Mem.Vec,
    "ScopeKind": ir.ScopeKind.Storage,
    "SplitMode": pl.SplitMode.UP_DOWN,
}
BY_NAME = {
    ("TileType", "shape"): [16, 32],
    ("TensorType", "view"): None,
    ("DistributedTensorType", "view"): None,
    ("WindowBuffer", "base"): ir.Var("buf", ir.PtrType()),
    ("ConstFloat", "dtype"): pl.FP16,
    ("TupleGet", "tuple"): ir.MakeTuple([1, 2]),
    ("Call", "op"): "pl.scalar.add",
    ("Call", "args"): [ir.ConstInt(1), ir.ConstInt(2)],
    ("Call", "attrs"): {},
    ("Call", "type"): None,
}


def right(cls, param):
    key = (cls.__name__, param.name)
    if key in BY_NAME:
        return BY_NAME[key]
    annotation = param.annotation.removesuffix(" | None")
    if annotation.startswith("Sequence["):
        return [BY_ANNOTATION[annotation[len("Sequence[") : -1].split(" | ")[0]]]
    return BY_ANNOTATION[annotation.split(" | ")[0]]


def arguments(cls, everything=True):
    params = inspect.signature(cls).parameters.values()
    return {
        p.name: right(cls, p)
        for p in params
        if p.name != "span" and (everything or p.default is inspect.Parameter.empty or p.name == "body")
    }


def test_all_classes_are_here():
    assert {c.__name__ for c in BASES} == {"Node", "Type", "Expr", "Stmt"}
    assert len(CLASSES) >= 35


@pytest.mark.parametrize("cls", BASES, ids=param_id)
def test_bases_cannot_be_made(cls):
    with pytest.raises(TypeError):
        cls()


@pytest.mark.parametrize("cls", CLASSES, ids=param_id)
@pytest.mark.parametrize("everything", [True, False])
def test_construct_and_read_back(cls, everything):
    given = arguments(cls, everything)
    node = cls(**given)
    assert type(node) is cls
    by_position = cls(*given.values()) if everything else cls(**given)
    for name, value in given.items():
        if cls is ir.WindowBuffer and name == "name" or cls is ir.Call and name in ("op", "type"):
            continue
        stored = getattr(node, name)
        expected = tuple(value) if isinstance(value, list) else value
        if isinstance(stored, tuple) and expected and isinstance(expected[0], int):
            assert [getattr(s, "value", s) for s in stored] == list(expected)
        else:
            assert stored == expected, name
        assert getattr(by_position, name) == stored or isinstance(node, ir.Var)
    for name, param in inspect.signature(cls).parameters.items():
        if name not in given and name not in ("span", "type", "name"):
            assert getattr(node, name) == param.default


@pytest.mark.parametrize("cls", CLASSES, ids=param_id)
def test_equality_hash_and_text(cls):
    one, two = cls(**arguments(cls)), cls(**arguments(cls))
    assert one == one and hash(one) == hash(one)
    assert ir.structural_equal(one, two)
    assert ir.structural_hash(one) == ir.structural_hash(two)
    assert ir.first_difference(one, two) == ""
    if isinstance(one, ir.Var):
        assert one != two
    else:
        assert one == two and hash(one) == hash(two)
    assert one != "something else" and not one == None  # noqa: E711
    other = ir.ConstInt(77)
    assert one != other and not ir.structural_equal(one, other)
    assert repr(one).startswith(cls.__name__ + "(")
    assert isinstance(str(one), str) and isinstance(one.dump(), str)


@pytest.mark.parametrize("cls", CLASSES, ids=param_id)
def test_span_does_not_count(cls):
    span = ir.Span("file.py", 3, 5)
    node = cls(**arguments(cls), span=span)
    assert (node.span.file, node.span.line, node.span.column) == ("file.py", 3, 5)
    assert cls(**arguments(cls)).span is None
    assert ir.structural_equal(node, cls(**arguments(cls)))
    with pytest.raises(TypeError, match="span"):
        cls(**arguments(cls), span=3)


@pytest.mark.parametrize("cls", CLASSES, ids=param_id)
def test_nodes_are_immutable(cls):
    node = cls(**arguments(cls))
    for name in [*arguments(cls), "span", "new_attribute"]:
        with pytest.raises(AttributeError):
            setattr(node, name, 1)


@pytest.mark.parametrize("cls", CLASSES, ids=param_id)
def test_serialise_pickle_copy(cls):
    node = cls(**arguments(cls))
    for back in (ir.deserialize(node.serialize()), pickle.loads(pickle.dumps(node))):
        assert type(back) is cls
        assert ir.structural_equal(node, back), ir.first_difference(node, back)
    assert copy.copy(node) is node and copy.deepcopy(node) is node


WRONG = {
    "bool": [1, "True", None],
    "int": ["1", True, 1.5, None, pl.Mem.Vec, [1]],
    "float": ["1.0", None, True, 1j, pl.FP32],
    "str": [b"x", 3, None],
    "DType": ["FP32", 0, None, np.float32],
    "Sequence": [3, None, "text", {}, object(), [object()], [None]],
}


@pytest.mark.parametrize("cls, param", PARAMS, ids=param_id)
def test_wrong_types(cls, param):
    annotation = param.annotation.removesuffix(" | None")
    kind = annotation.split("[")[0].split(" | ")[0]
    if kind in WRONG:
        wrong = WRONG[kind]
    elif kind in ("Expr", "Type", "Var", "Block", "Stmt", "Op", "Mapping"):
        wrong = ["text" if kind != "Op" else 3, object(), [3], ir.Return([])]
    else:
        wrong = [0, "text", object(), ir.Return([])]
    if param.annotation.endswith("None"):
        wrong = [value for value in wrong if value is not None]
    if (cls.__name__, param.name) == ("Call", "args"):
        wrong = [3, None, "text", [object()]]
    for value in wrong:
        with pytest.raises(TypeError) as error:
            cls(**{**arguments(cls), param.name: value})
        message = str(error.value)
        assert f"`{param.name}`" in message or cls is ir.Call, message
        assert cls.__name__ in message or cls is ir.Call, message


@pytest.mark.parametrize("cls", CLASSES, ids=param_id)
def test_wrong_arguments(cls):
    given = arguments(cls)
    with pytest.raises(TypeError, match="no argument `unknown`"):
        cls(**given, unknown=1)
    with pytest.raises(TypeError, match="at most"):
        cls(*given.values(), None)
    if given:
        with pytest.raises(TypeError, match="given twice"):
            cls(next(iter(given.values())), **given)
    required = [p for p in inspect.signature(cls).parameters.values() if p.default is inspect.Parameter.empty]
    for name in (p.name for p in required):
        with pytest.raises(TypeError, match=f"missing argument `{name}`"):
            cls(**{k: v for k, v in given.items() if k != name})


I32 = ir.ScalarType(pl.INT32)
NO_VALUES = {
    "tile of one dimension": lambda: ir.TileType([16], pl.FP32),
    "tile of no size": lambda: ir.TileType([16, 0], pl.FP32),
    "dynamic tile": lambda: ir.TileType([16, pl.dynamic("N")], pl.FP32),
    "negative dimension": lambda: ir.TensorType([-1], pl.FP32),
    "float dimension": lambda: ir.TensorType([1.5], pl.FP32),
    "strides of another rank": lambda: ir.TensorType([2, 2], pl.FP32, ir.TensorView([1])),
    "array of none": lambda: ir.ArrayType(0, pl.INT32),
    "array of floats": lambda: ir.ArrayType(4, pl.FP32),
    "nameless parameter": lambda: ir.Parameter("", I32),
    "nameless dimension": lambda: pl.dynamic(""),
    "too large for its dtype": lambda: ir.ConstInt(128, pl.INT8),
    "too large for 64 bits": lambda: ir.ConstInt(2**64),
    "integer of float dtype": lambda: ir.ConstInt(1, pl.FP32),
    "float of integer dtype": lambda: ir.ConstFloat(1.0, pl.INT32),
    "window without a pointer": lambda: ir.WindowBuffer(ir.Var("b", I32), 64),
    "window of no size": lambda: ir.WindowBuffer(ir.Var("b", ir.PtrType()), 0),
    "element of no tuple": lambda: ir.TupleGet(ir.ConstInt(1), 0),
    "element beyond the tuple": lambda: ir.TupleGet(ir.MakeTuple([1]), 1),
    "variable without type": lambda: ir.Var("x", None),
    "assignment of nothing": lambda: ir.Assign(None, ir.Var("x", I32)),
    "nothing evaluated": lambda: ir.Eval(None),
    "branch without condition": lambda: ir.If(None, block()),
    "scope without body": lambda: ir.AtScope([], None),
    "no blocks": lambda: ir.SpmdScope(0, body=block()),
    "negative stage": lambda: ir.For(
        ir.LoopKind.Range, 0, 4, 1, [], ir.Var("i", I32), [], block(), stage=-1
    ),
    "while without body": lambda: ir.While([], [], block(), ir.ConstBool(True), None),
    "nameless function": lambda: ir.Function("", pl.FunctionType.InCore, [], [], block()),
    "device twice": lambda: ir.CommGroup([0, 0], []),
    "negative device": lambda: ir.CommGroup([-1], []),
    "nameless call": lambda: ir.FunctionCall("", []),
    "unknown op": lambda: ir.Call("pl.tile.no_such_op", []),
    "too many operands": lambda: ir.Call("pl.scalar.add", [1, 2, 3]),
    "lone surrogate": lambda: ir.DimSymbol("\ud800"),
    "no line": lambda: ir.Span("f", 0, 1),
}


@pytest.mark.parametrize("name", NO_VALUES)
def test_wrong_values(name):
    with pytest.raises(ValueError):
        NO_VALUES[name]()


def test_numbers_are_constants():
    assert ir.MakeTuple([1, True, 2.5]).elements == (
        ir.ConstInt(1), ir.ConstBool(True), ir.ConstFloat(2.5),
    )  # fmt: skip
    assert ir.ConstInt(np.int32(5)).value == 5
    assert ir.ConstFloat(np.float32(0.5)).value == 0.5
    assert ir.ConstFloat(0.1, pl.FP16).value == float(np.float16(0.1))
    assert ir.TensorType([np.int64(4)], pl.FP32).shape == (ir.ConstInt(4),)


def test_one_node_one_object():
    shared = ir.ScalarType(pl.FP32)
    pair = ir.TupleType([shared, shared])
    assert pair.types[0] is shared and pair.types[1] is shared
    number = id(shared)
    assert id(pair.types[0]) == number
    del shared, pair
    gc.collect()
    # Nodes outlive the objects that showed them.
    outer = ir.TupleType([ir.TupleType([ir.ScalarType(pl.INT8)])])
    gc.collect()
    assert outer.types[0].types[0].dtype is pl.INT8


def test_variables_are_themselves():
    a, b = ir.Var("x", I32), ir.Var("x", I32)
    assert a != b and len({a, b, a}) == 2
    # Defined inside, they correspond; free ones are only equal to themselves.
    assert block(ir.Assign(1, a)) == block(ir.Assign(1, b))
    assert hash(block(ir.Assign(1, a))) == hash(block(ir.Assign(1, b)))
    assert ir.Eval(a) != ir.Eval(b) and ir.structural_equal(ir.Eval(a), ir.Eval(b))


def test_windows_make_types_differ():
    one = ir.WindowBuffer(ir.Var("one", ir.PtrType()), 64)
    two = ir.WindowBuffer(ir.Var("two", ir.PtrType()), 64)
    types = [ir.DistributedTensorType([16], pl.FP32, None, w) for w in (None, one, two)]
    assert len(set(types)) == 3 and isinstance(types[0], ir.TensorType)


def test_call_runs_the_type_rule():
    tile = ir.Var("t", pl.Tile[[16, 16], pl.FP32])
    call = ir.Call("pl.tile.add", [tile, tile])
    assert call.type == tile.type and call.op.name == "pl.tile.add" and call.op is ir.op("pl.tile.add")
    assert ir.Call(call.op, call.args, call.attrs) == call
    half = ir.Var("h", pl.Tile[[16, 16], pl.FP16])
    with pytest.raises(tw.ProgramError) as error:
        ir.Call("pl.tile.add", [tile, half])
    assert "pl.FP32" in str(error.value) and "pl.FP16" in str(error.value) and "pl.cast" in str(error.value)
    (diagnostic,) = error.value.diagnostics
    assert diagnostic.code.startswith("TW03") and diagnostic.severity == "error"
    assert pickle.loads(pickle.dumps(error.value)).diagnostics == error.value.diagnostics


def test_call_attributes():
    tile = ir.Var("t", pl.Tile[[16, 16], pl.FP32])
    cast = ir.Call("pl.tile.cast", [tile], {"target_type": pl.BF16})
    assert cast.attrs["target_type"] is pl.BF16 and cast.type.dtype is pl.BF16
    with pytest.raises(TypeError, match="attrs"):
        ir.Call("pl.tile.cast", [tile], [("target_type", pl.BF16)])
    with pytest.raises(tw.ProgramError):
        ir.Call("pl.tile.cast", [tile], {"target_type": 3})
    with pytest.raises(tw.ProgramError):
        ir.Call("pl.tile.cast", [tile], {"target_type": pl.BF16, "no_such": 1})


def test_operators_build_calls():
    n = pl.dynamic("N")
    assert (n * 2 + 1).op.name == "pl.scalar.add"
    assert (1 + n).args == (ir.ConstInt(1), n)
    for value, name in [
        (n - 1, "sub"), (n // 2, "floordiv"), (n % 2, "mod"), (-n, "neg"), (n < 3, "lt"), (n >= 3, "ge"),
        (n & 1, "bitand"), (n << 1, "shl"),
    ]:  # fmt: skip
        assert value.op.name == "pl.scalar." + name
    tile = ir.Var("t", pl.Tile[[16, 16], pl.FP32])
    assert (tile * 2.0).op.name == "pl.tile.mul"
    with pytest.raises(TypeError):
        n + "x"
    with pytest.raises(TypeError):
        bool(n < 3)


def small_program(name="P", function="kernel"):
    param = ir.Parameter("x", ir.TensorType([16, 16], pl.FP32), ir.Direction.InOut)
    load = ir.Call("pl.tile.load", [param, [0, 0], [16, 16]])
    tile = ir.Var("t", load.type)
    store = ir.Call("pl.tile.store", [tile, [0, 0], param])
    body = block(ir.Assign(load, tile), ir.Eval(store))
    return ir.Program(name, [ir.Function(function, pl.FunctionType.InCore, [param], [], body)])


def test_program():
    program = small_program()
    assert program["kernel"] is program.functions[0] is program.kernel.function
    assert "kernel" in dir(program) and program.kernel.name == "kernel"
    with pytest.raises(KeyError, match="kernel"):
        program["other"]
    with pytest.raises(AttributeError, match="kernel"):
        program.other
    assert not hasattr(program, "_ipython_display_")
    assert program == small_program("Q") != small_program(function="other")
    assert str(program) == program.as_python() and "def kernel(self, x" in str(program)
    assert ir.first_difference(program, small_program(function="other")) != ""


def test_program_round_trips():
    program = small_program()
    assert ir.deserialize(program.serialize()) == program
    assert pickle.loads(pickle.dumps(program)) == program
    assert pl.parse(program.as_python()) == program


def test_html_is_escaped():
    html = small_program()._repr_html_()
    assert html.startswith("<pre") and "kernel" in html and "<span" in html
    hostile = ir.Program("P", [ir.Function("f", pl.FunctionType.InCore, [], [], block(ir.Return([])))])
    assert "<script>" not in ir.Program("<script>", hostile.functions)._repr_html_()


@pytest.mark.parametrize("data", [b"", b"TWIR", b"garbage" * 100, bytes(1000)])
def test_bytes_that_hold_nothing(data):
    with pytest.raises(tw.ProgramError) as error:
        ir.deserialize(data)
    assert error.value.diagnostics[0].code.startswith("TW05")


def test_truncated_and_flipped_bytes():
    data = small_program().serialize()
    for length in range(0, len(data), 7):
        with pytest.raises(tw.ProgramError):
            ir.deserialize(data[:length])
    for i in range(0, len(data), 5):
        broken = bytearray(data)
        broken[i] ^= 0x40
        try:
            ir.deserialize(bytes(broken))
        except tw.ProgramError:
            pass


def test_deserialised_programs_are_verified():
    body = block(ir.Eval(ir.ConstInt(1)))
    undefined = block(ir.Return([ir.Var("nowhere", I32)]))
    program = ir.Program("P", [ir.Function("f", pl.FunctionType.InCore, [], [I32], undefined)])
    with pytest.raises(tw.ProgramError) as error:
        ir.deserialize(program.serialize())
    assert error.value.diagnostics[0].code.startswith("TW04")
    assert ir.deserialize(body.serialize()) == body


def test_storage_that_a_scope_frees_is_not_used_after_it():
    x = ir.Parameter("x", pl.Tensor[[16, 16], pl.FP32])
    new = ir.Call("pl.tensor.create", [[16, 16]], {"dtype": pl.FP32})
    made, rest = ir.Var("made", new.type), ir.Var("rest", new.type)
    part = ir.Call("pl.tensor.slice", [made, [8, 16], [0, 0]])
    half = ir.Var("half", part.type)
    carried, last = ir.Var("carried", x.type), ir.Var("last", x.type)

    def program(*stmts, returns=()):
        function = ir.Function("main", pl.FunctionType.Orchestration, [x], list(returns), block(*stmts))
        return ir.Program("P", [function])

    def scope(*stmts):
        return ir.WithScope(ir.ScopeKind.Storage, block(*stmts))

    def loop(*stmts):
        i = ir.Var("i", pl.Scalar[pl.INDEX])
        return ir.For(ir.LoopKind.Range, 0, 4, 1, [x], i, [carried], block(*stmts), [last])

    create, view = ir.Assign(new, made), ir.Assign(part, half)
    ways_out = {
        "made": [
            program(scope(create), ir.Return([made]), returns=[made.type]),
            program(scope(create), view),
            program(loop(scope(create), ir.Yield([made]))),
        ],
        "half": [program(scope(create, view), ir.Return([half]), returns=[half.type])],
    }
    for name, programs in ways_out.items():
        for wrong in programs:
            with pytest.raises(tw.ProgramError) as error:
                ir.deserialize(wrong.serialize())
            (found,) = error.value.diagnostics
            assert found.code == "TW0470"
            assert found.message == f"`{name}` was created in a `pl.scope` that has ended"
            assert found.helps == ("use it inside the scope, or create it before the scope",)
    right = program(create, scope(view), ir.Return([half]), returns=[half.type])
    assert ir.deserialize(right.serialize()) == right


def test_ops_are_described():
    assert len(ir.ops()) > 100
    for op in ir.ops():
        assert op.doc and op.levels and repr(op) == f"Op({op.name})"
        assert pickle.loads(pickle.dumps(op)) is ir.op(op.name)
        for param in op.params:
            assert param.doc and param.name in repr(param)
    with pytest.raises(ValueError):
        ir.op("pl.no_such")
    assert ir.op("pld.system.wait").params[0].is_attribute is False


def test_threads_share_nodes():
    program = small_program()
    errors = []

    def work():
        try:
            for _ in range(200):
                assert ir.deserialize(program.serialize()) == program
                assert program.functions[0].params[0].type.shape[0].value == 16
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


def test_enums_are_abi():
    assert [m.value for m in pld.WaitCmp] == list(range(6))
    assert (pld.NotifyOp.AtomicAdd, pld.NotifyOp.Set) == (0, 1)
