"""The names of pl and pld: dtypes, enums, types, ops, forms."""

import inspect
import keyword
import pickle
import pydoc
import types

import numpy as np
import pytest

import tilewire as tw
import tilewire.language as pl
import tilewire.language.distributed as pld
from tilewire import ir

MODULES = {"pl": pl, "pld": pld}


def all_op_functions():
    found = {}
    for prefix, module in MODULES.items():
        for name, value in vars(module).items():
            if type(value).__name__ == "OpFunction":
                found[f"{prefix}.{name}"] = value
            elif isinstance(value, types.ModuleType) and "." in getattr(value, "__tilewire_path__", ""):
                for leaf, function in vars(value).items():
                    if type(function).__name__ == "OpFunction":
                        found[f"{prefix}.{name}.{leaf}"] = function
    return found


OPS = all_op_functions()
FORMS = [
    f"pl.{name}"
    for name in "range parallel unroll pipeline while_ cond yield_ at spmd split static_assert".split()
] + [f"pld.{name}" for name in "alloc_window alloc_signal".split()]


def lookup(path):
    prefix, *rest = path.split(".")
    value = MODULES[prefix]
    for name in rest:
        value = getattr(value, name)
    return value


def test_dtypes():
    sizes = {
        "BOOL": 8, "INT8": 8, "INT16": 16, "INT32": 32, "INT64": 64, "UINT8": 8, "UINT16": 16,
        "UINT32": 32, "UINT64": 64, "FP16": 16, "BF16": 16, "FP32": 32, "FP8E4M3FN": 8, "FP8E5M2": 8,
        "INT4": 4, "INDEX": 64, "TASK_ID": 64,
    }  # fmt: skip
    assert {d.name: d.get_bit() for d in pl.DType} == sizes
    for dtype in pl.DType:
        assert getattr(pl, dtype.name) is dtype
        assert dtype.get_byte() == max(1, dtype.get_bit() // 8)
        assert repr(dtype) == str(dtype) == f"pl.{dtype.name}"
        assert pickle.loads(pickle.dumps(dtype)) is dtype
    assert pl.FP32 == pl.FP32 != pl.FP16 and len({pl.FP32, pl.FP32, pl.FP16}) == 2


def test_enum_values_are_abi():
    assert {m.name: m.value for m in pld.NotifyOp} == {"AtomicAdd": 0, "Set": 1}
    assert {m.name: m.value for m in pld.WaitCmp} == {"Eq": 0, "Ge": 1, "Ne": 2, "Gt": 3, "Lt": 4, "Le": 5}
    assert {m.name: m.value for m in pld.AtomicType} == {"None_": 0, "Add": 1}
    assert {m.name: m.value for m in pld.ReduceOp} == {"Sum": 0, "Max": 1, "Min": 2, "Prod": 3}
    assert pl.MemorySpace is pl.Mem and pl.ND is pl.Layout.ND
    for member in (pl.Mem.Vec, pl.SplitMode.UP_DOWN, pl.NZ, pld.ReduceOp.Sum, ir.Direction.Out):
        assert pickle.loads(pickle.dumps(member)) is member
    assert repr(pl.Mem.Vec) == "pl.Mem.Vec" and repr(pl.NZ) == "pl.NZ"
    assert repr(pld.NotifyOp.Set) == "pld.NotifyOp.Set" and int(pld.NotifyOp.Set) == 1


N = pl.dynamic("N")


@pytest.mark.parametrize(
    "written, made",
    [
        (lambda: pl.Tensor[[N, 256], pl.FP32], lambda: ir.TensorType([N, 256], pl.FP32)),
        (lambda: pl.Tensor[[4], pl.FP32, pl.ND], lambda: ir.TensorType([4], pl.FP32)),
        (lambda: pl.Tensor[[], pl.INT32], lambda: ir.TensorType([], pl.INT32)),
        (
            lambda: pl.Tensor[[4, 4], pl.FP32, pl.NZ],
            lambda: ir.TensorType([4, 4], pl.FP32, ir.TensorView([], pl.NZ)),
        ),
        (
            lambda: pl.Tensor[[4, 4], pl.FP32, pl.TensorView(stride=[8, 1], layout=pl.ND)],
            lambda: ir.TensorType([4, 4], pl.FP32, ir.TensorView([8, 1])),
        ),
        (lambda: pl.Tensor[[N * 2, 4], pl.FP32], lambda: ir.TensorType([N * 2, 4], pl.FP32)),
        (lambda: pl.Tile[[16, 32], pl.BF16], lambda: ir.TileType([16, 32], pl.BF16)),
        (lambda: pl.Tile[[16, 32], pl.BF16, pl.Mem.Left], lambda: ir.TileType([16, 32], pl.BF16, pl.Mem.Left)),
        (lambda: pl.Scalar[pl.INT32], lambda: ir.ScalarType(pl.INT32)),
        (lambda: pl.Array[4, pl.INT32], lambda: ir.ArrayType(4, pl.INT32)),
        (lambda: pl.Tuple[pl.Scalar[pl.INT32], pl.TaskId], lambda: ir.TupleType([pl.Scalar[pl.INT32], ir.TaskIdType()])),
        (lambda: pl.TaskId, lambda: ir.TaskIdType()),
        (lambda: pl.Ptr, lambda: ir.PtrType()),
        (lambda: pld.CommCtx, lambda: ir.CommCtxType()),
        (lambda: pld.DistributedTensor[[N, 4], pl.FP32], lambda: ir.DistributedTensorType([N, 4], pl.FP32)),
    ],
)  # fmt: skip
def test_types(written, made):
    assert written() == made() and hash(written()) == hash(made())
    assert str(written()).startswith(("pl.", "pld."))


def test_directions():
    tensor = pl.Tensor[[4], pl.FP32]
    out = pl.Out[tensor]
    assert (out.type, out.direction) == (tensor, ir.Direction.Out)
    assert pl.InOut[tensor].direction is ir.Direction.InOut
    assert out == pl.Out[tensor] != pl.InOut[tensor] and hash(out) == hash(pl.Out[tensor])
    assert repr(out) == "pl.Out[pl.Tensor[[4], pl.FP32]]"


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: pl.Tensor[16, pl.FP32],
        lambda: pl.Tensor[[16]],
        lambda: pl.Tensor[[16], "FP32"],
        lambda: pl.Tensor[[16.5], pl.FP32],
        lambda: pl.Tensor[["N"], pl.FP32],
        lambda: pl.Tensor[[16], pl.FP32, 3],
        lambda: pl.Tensor[[16], pl.FP32, pl.ND, pl.ND],
        lambda: pl.Tile[[16, 16], pl.FP32, pl.NZ],
        lambda: pl.Scalar[3],
        lambda: pl.Scalar[pl.INT32, pl.INT32],
        lambda: pl.Array[pl.INT32, 4],
        lambda: pl.Tuple[3],
        lambda: pl.Out[3],
        lambda: pld.DistributedTensor[[16], 3],
    ],
)
def test_wrong_types(wrong):
    with pytest.raises(TypeError, match=r"write pld?\.\w+\["):
        wrong()


def test_wrong_shapes():
    with pytest.raises(ValueError):
        pl.Tile[[16], pl.FP32]
    with pytest.raises(ValueError):
        pl.Tensor[[-1], pl.FP32]


def test_const():
    assert pl.const(3, pl.INT32) == ir.ConstInt(3, pl.INT32)
    assert pl.const(1.5, pl.FP16) == ir.ConstFloat(1.5, pl.FP16)
    assert pl.const(1, pl.FP32) == ir.ConstFloat(1.0)
    assert pl.const(True, pl.BOOL) == ir.ConstBool(True)
    for value, dtype in [("x", pl.INT32), (1.5, pl.INT32), (True, pl.INT32), (3, "INT32"), (None, pl.FP32)]:
        with pytest.raises(TypeError):
            pl.const(value, dtype)
    with pytest.raises(ValueError):
        pl.const(300, pl.INT8)


def test_every_op_is_there():
    for op in ir.ops():
        leaf = op.name.rpartition(".")[2]
        if not keyword.iskeyword(leaf):
            assert op in lookup(op.name).ops
            if op.name.split(".")[1] in ("tile", "tensor"):
                assert op in lookup(op.name.split(".")[0] + "." + leaf).ops
    assert len(OPS) > len(ir.ops())


@pytest.mark.parametrize("path", OPS)
def test_op_function(path):
    function = OPS[path]
    assert repr(function) == f"<op {path}>"
    assert function.__name__ == path.rpartition(".")[2]
    assert function.__module__ == {"pl": "tilewire.language", "pld": "tilewire.language.distributed"}[path.split(".")[0]]
    assert function.__doc__ and function.ops[0].doc.split(".")[0] in function.__doc__
    assert pickle.loads(pickle.dumps(function)) is function
    signature = inspect.signature(function)
    if len(function.ops) == 1:
        (op,) = function.ops
        assert list(signature.parameters) == [p.name for p in op.params]
        for param in op.params:
            bound = signature.parameters[param.name]
            assert (bound.default is not inspect.Parameter.empty) == (param.optional or param.default is not None)
            if param.keyword_only:
                assert bound.kind is inspect.Parameter.KEYWORD_ONLY
    assert function.__doc__.split("\n")[0] in pydoc.render_doc(function)


def test_ops_build_calls():
    tensor = ir.Var("x", pl.Tensor[[64, 64], pl.FP32])
    tile = pl.load(tensor, [0, 0], [16, 16])
    assert isinstance(tile, ir.Call) and tile.type == pl.Tile[[16, 16], pl.FP32]
    assert pl.add(ir.Var("t", tile.type), 1.0).op is ir.op("pl.tile.add")
    assert pl.add(tensor, tensor).op is ir.op("pl.tensor.add")
    assert pl.tile.exp(ir.Var("t", tile.type)).type == tile.type
    assert pl.load(t=tensor, offsets=[0, 0], shape=[16, 16]) == tile


def test_ops_say_what_is_wrong():
    tensor = ir.Var("x", pl.Tensor[[64, 64], pl.FP32])
    for wrong in (np.zeros(3), object(), {"a": 1}, ir.Return([])):
        with pytest.raises(TypeError, match="inside a decorated function"):
            pl.load(wrong, [0, 0], [16, 16])
    with pytest.raises(tw.ProgramError, match="TW03"):
        pl.load(tensor, [0, 0], [128, 128])
    with pytest.raises(tw.ProgramError):
        pl.load(tensor, [0, 0], [16, 16], no_such_keyword=1)
    with pytest.raises(tw.ProgramError):
        pl.load()


@pytest.mark.parametrize("path", FORMS)
def test_forms(path):
    form = lookup(path)
    assert form.__doc__ and repr(form) == path and pickle.loads(pickle.dumps(form)) is form
    assert inspect.signature(form).parameters
    with pytest.raises(TypeError, match=f"`{path}` is used inside a decorated function"):
        form()


def test_comm_group_may_stand_in_a_class():
    class Body:
        pld.comm_group(devices=[0, 1], slots=["buf"])

    assert list(inspect.signature(pld.comm_group).parameters) == ["devices", "slots"]


def test_auto_and_dynamic():
    assert repr(pl.AUTO) == "pl.AUTO"
    assert pl.dynamic("NR") == pl.dynamic("NR") != pl.dynamic("NQ")
    assert str(inspect.signature(pl.dynamic)) == "(name: 'str') -> 'ir.DimSymbol'"
    with pytest.raises(TypeError):
        pl.dynamic(3)


def test_star_import_names():
    for module in MODULES.values():
        assert len(set(module.__all__)) == len(module.__all__)
        for name in module.__all__:
            assert hasattr(module, name)
