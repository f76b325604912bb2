// The printer on hand-built IR: names, precedence, constants and every statement. That its text reads back is
// tested with whole programs in tests/unit/frontend/roundtrip_test.cpp.
#include "ir/printer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ir/op.h"
#include "ir/printer_names.h"
#include "support/unicode.h"

namespace tilewire::ir {
namespace {

OpParam operand(std::string name, int like = -1) {
  OpParam param;
  param.name = std::move(name);
  param.like = like;
  return param;
}

OpParam list_operand(std::string name, bool optional = false) {
  OpParam param = operand(std::move(name));
  param.kind = OpParam::ListOperand;
  param.optional = optional;
  return param;
}

OpParam attribute(std::string name) {
  OpParam param = operand(std::move(name));
  param.kind = OpParam::Attribute;
  param.keyword_only = true;
  return param;
}

Op make_op(std::string module, std::string name, std::string infix, std::vector<OpParam> params) {
  Op op;
  op.module = std::move(module);
  op.name = std::move(name);
  op.infix = std::move(infix);
  op.params = std::move(params);
  for (const OpParam& param : op.params) {
    bool is_attribute = param.kind == OpParam::Attribute;
    op.operand_slots.push_back(is_attribute ? -1 : static_cast<int>(op.operand_count++));
  }
  return op;
}

Op binary_op(std::string name, std::string infix) {
  return make_op("pl", "scalar." + name, std::move(infix), {operand("a", 1), operand("b", 0)});
}

const Op add = binary_op("add", "+"), sub = binary_op("sub", "-"), mul = binary_op("mul", "*"),
         power = binary_op("pow", "**"), less = binary_op("lt", "<"), both = binary_op("and", "and"),
         either = binary_op("or", "or"), shift = binary_op("shl", "<<"),
         negate = make_op("pl", "scalar.neg", "-x", {operand("a")}),
         invert = make_op("pl", "scalar.not", "not x", {operand("a")}), smaller = binary_op("min", ""),
         load = make_op("pl", "tile.load", "",
                        {operand("t"), list_operand("offsets"), list_operand("shape"),
                         list_operand("valid_shape", true), attribute("target_memory")}),
         tile_add = make_op("pl", "tile.add", "+", {operand("a"), operand("b", 0)}),
         store = make_op("pl", "tile.store", "", {operand("tile"), list_operand("offsets"), operand("t")}),
         world_size = make_op("pld", "world_size", "", {}),
         notify = make_op("pld", "system.notify", "",
                          {operand("target"), operand("peer"), list_operand("offsets"), operand("value"),
                           attribute("op")});

ExprRef index(int64_t value) {
  return const_index(value);
}
ExprRef integer(int64_t value, DType dtype) {
  return make<ConstInt>(Span{}, value, dtype);
}
ExprRef real(double value, DType dtype = DType::FP32) {
  return make<ConstFloat>(Span{}, value, dtype);
}
ExprRef boolean(bool value) {
  return make<ConstBool>(Span{}, value);
}
VarRef var(std::string name, TypeRef type = scalar_type(DType::Index)) {
  return make<Var>(Span{}, std::move(name), std::move(type));
}
ExprRef call(const Op& op, ExprList args, TypeRef type = nullptr, AttrList attrs = {}) {
  if (!type) type = args[0]->type;
  return make<Call>(Span{}, &op, std::move(args), std::move(attrs), std::move(type));
}
ExprRef list(ExprList elements) {
  return make<MakeTuple>(Span{}, std::move(elements));
}
BlockRef block(std::vector<StmtRef> stmts) {
  return make<Block>(Span{}, std::move(stmts));
}
StmtRef assign(const VarRef& target, ExprRef value) {
  return make<Assign>(Span{}, std::move(value), target);
}
StmtRef yield(ExprList values) {
  return make<Yield>(Span{}, std::move(values));
}
TypeRef tensor(ExprList shape, DType dtype = DType::FP32) {
  return make<TensorType>(Span{}, std::move(shape), dtype);
}
TypeRef tile(int64_t rows, int64_t cols, DType dtype = DType::FP32) {
  return make<TileType>(Span{}, ExprList{index(rows), index(cols)}, dtype);
}
Ref<const Parameter> param(std::string name, TypeRef type, Direction direction = Direction::In) {
  return make<Parameter>(Span{}, std::move(name), std::move(type), direction);
}
FunctionRef function(std::vector<Ref<const Parameter>> params, BlockRef body,
                     FunctionType type = FunctionType::InCore) {
  return make<Function>(Span{}, std::string("f"), type, std::move(params), std::vector<TypeRef>{},
                        std::move(body));
}
ProgramRef program(std::vector<FunctionRef> functions) {
  return make<Program>(Span{}, std::string("P"), std::move(functions));
}

TEST(PrintExpr, ParenthesesOnlyWhereTheyMatter) {
  ExprRef a = var("a"), b = var("b"), c = var("c");
  EXPECT_EQ(as_python(call(sub, {call(sub, {a, b}), c})), "a - b - c");
  EXPECT_EQ(as_python(call(sub, {a, call(sub, {b, c})})), "a - (b - c)");
  EXPECT_EQ(as_python(call(mul, {call(add, {a, b}), c})), "(a + b) * c");
  EXPECT_EQ(as_python(call(add, {call(mul, {a, b}), c})), "a * b + c");
  EXPECT_EQ(as_python(call(shift, {call(add, {a, b}), c})), "a + b << c");
  EXPECT_EQ(as_python(call(negate, {call(mul, {a, b})})), "-(a * b)");
  EXPECT_EQ(as_python(call(mul, {call(negate, {a}), b})), "-a * b");
}

TEST(PrintExpr, PowerGroupsToTheRight) {
  ExprRef a = var("a"), b = var("b"), c = var("c");
  EXPECT_EQ(as_python(call(power, {a, call(power, {b, c})})), "a ** b ** c");
  EXPECT_EQ(as_python(call(power, {call(power, {a, b}), c})), "(a ** b) ** c");
  EXPECT_EQ(as_python(call(negate, {call(power, {a, b})})), "-a ** b");
  EXPECT_EQ(as_python(call(power, {call(negate, {a}), b})), "(-a) ** b");
  EXPECT_EQ(as_python(call(power, {a, call(negate, {b})})), "a ** -b");
  EXPECT_EQ(as_python(call(power, {index(-2), b})), "(-2) ** b");
}

TEST(PrintExpr, ComparisonsAreNeverChained) {
  ExprRef a = var("a"), b = var("b"), c = var("c");
  TypeRef boolean_type = scalar_type(DType::Bool);
  ExprRef ab = call(less, {a, b}, boolean_type), bc = call(less, {b, c}, boolean_type);
  EXPECT_EQ(as_python(call(less, {ab, c}, boolean_type)), "(a < b) < c");
  EXPECT_EQ(as_python(call(both, {ab, bc})), "a < b and b < c");
  EXPECT_EQ(as_python(call(both, {call(either, {ab, bc}), call(invert, {ab})})),
            "(a < b or b < c) and not a < b");
}

TEST(PrintExpr, ConstantsReadBackToTheirType) {
  EXPECT_EQ(as_python(index(5)), "5");
  EXPECT_EQ(as_python(index(-5)), "-5");
  EXPECT_EQ(as_python(integer(5, DType::Int32)), "pl.const(5, pl.INT32)");
  EXPECT_EQ(as_python(index(std::numeric_limits<int64_t>::min())),
            "pl.const(-9223372036854775807 - 1, pl.INDEX)");
  EXPECT_EQ(as_python(boolean(true)), "True");
  EXPECT_EQ(as_python(real(1.5)), "1.5");
  EXPECT_EQ(as_python(real(0.1)), "0.1");
  EXPECT_EQ(as_python(real(2)), "2.0");
  EXPECT_EQ(as_python(real(-0.0)), "-0.0");
  EXPECT_EQ(as_python(real(1e30)), "1e+30");
  EXPECT_EQ(as_python(real(0.1, DType::FP16)), "pl.const(0.1, pl.FP16)");
  EXPECT_EQ(as_python(real(65504, DType::FP16)), "pl.const(65504.0, pl.FP16)");
  EXPECT_EQ(as_python(real(1.0 / 3, DType::BF16)), "pl.const(0.334, pl.BF16)");
  EXPECT_EQ(as_python(real(INFINITY)), "float(\"inf\")");
  EXPECT_EQ(as_python(real(-INFINITY, DType::BF16)), "pl.const(float(\"-inf\"), pl.BF16)");
  EXPECT_EQ(as_python(real(NAN)), "float(\"nan\")");
}

TEST(PrintExpr, ConstantsAreBareWhereTheOtherOperandGivesTheirType) {
  ExprRef n = var("n", scalar_type(DType::Int32));
  EXPECT_EQ(as_python(call(add, {n, integer(1, DType::Int32)})), "n + 1");
  EXPECT_EQ(as_python(call(smaller, {integer(1, DType::Int32), n})), "pl.scalar.min(1, n)");
  EXPECT_EQ(as_python(call(add, {integer(1, DType::Int32), integer(2, DType::Int32)})),
            "pl.const(1, pl.INT32) + pl.const(2, pl.INT32)");
  EXPECT_EQ(as_python(call(add, {index(1), index(2)})), "pl.const(1, pl.INDEX) + pl.const(2, pl.INDEX)");
  EXPECT_EQ(as_python(call(negate, {index(2)})), "-pl.const(2, pl.INDEX)");
  ExprRef t = var("t", tile(16, 16, DType::FP16));
  EXPECT_EQ(as_python(call(tile_add, {t, real(1.5, DType::FP16)})), "pl.tile.add(t, 1.5)");
  ExprRef flag = var("flag", scalar_type(DType::Bool));
  EXPECT_EQ(as_python(call(both, {flag, boolean(true)})), "flag and pl.const(True, pl.BOOL)");
}

TEST(PrintExpr, ConstantsAreBareWhereAnAttributeGivesTheirType) {
  Op full = make_op("pl", "tile.full", "", {list_operand("shape"), attribute("dtype"), operand("value", 1)});
  AttrList half = {{"dtype", AttrValue{DType::FP16}}};
  ExprRef shape = list({index(16), index(16)});
  EXPECT_EQ(as_python(call(full, {shape, real(0.5, DType::FP16)}, tile(16, 16, DType::FP16), half)),
            "pl.tile.full([16, 16], dtype=pl.FP16, value=0.5)");
}

TEST(PrintExpr, CallsGoByPositionThenByKeyword) {
  ExprRef x = var("x", tensor({index(64), index(64)}));
  ExprRef zero = list({index(0), index(0)}), shape = list({index(16), index(16)});
  AttrList vec = {{"target_memory", AttrValue{enum_value(MemorySpace::Vec)}}};
  EXPECT_EQ(as_python(call(load, {x, zero, shape, nullptr}, tile(16, 16))),
            "pl.tile.load(x, [0, 0], [16, 16])");
  EXPECT_EQ(as_python(call(load, {x, zero, shape, list({index(8), index(16)})}, tile(16, 16), vec)),
            "pl.tile.load(x, [0, 0], [16, 16], [8, 16], target_memory=pl.Mem.Vec)");
  EXPECT_EQ(as_python(call(load, {x, nullptr, shape, nullptr}, tile(16, 16))),
            "pl.tile.load(x, shape=[16, 16])");
}

TEST(PrintExpr, TuplesAndFunctionCalls) {
  ExprRef a = var("a"), b = var("b");
  ExprRef pair = var("pair", make<TupleType>(Span{}, std::vector<TypeRef>{a->type, b->type}));
  EXPECT_EQ(as_python(make<TupleGet>(Span{}, pair, 1)), "pair[1]");
  EXPECT_EQ(as_python(list({a, b})), "(a, b)");
  EXPECT_EQ(as_python(list({a})), "(a,)");
  auto dispatch = make<FunctionCall>(Span{}, std::string("k"), ExprList{a, b}, ExprRef(index(0)), a);
  EXPECT_EQ(as_python(dispatch), "self.k(a, b, device=0, blocks=a)");
  ExprRef task = var("task", task_id_type());
  auto after = make<FunctionCall>(Span{}, std::string("k"), ExprList{}, nullptr, nullptr, ExprList{task});
  EXPECT_EQ(as_python(after), "self.k(deps=[task])");
}

TEST(PrintType, EveryType) {
  ExprRef rows = make<DimSymbol>(Span{}, std::string("NR"));
  EXPECT_EQ(to_string(tensor({rows, index(256)})), "pl.Tensor[[NR, 256], pl.FP32]");
  EXPECT_EQ(to_string(TypeRef(make<TensorType>(Span{}, ExprList{rows}, DType::BF16,
                                               make<TensorView>(Span{}, ExprList{}, Layout::DN)))),
            "pl.Tensor[[NR], pl.BF16, pl.DN]");
  EXPECT_EQ(to_string(TypeRef(
                make<TensorType>(Span{}, ExprList{rows, index(4)}, DType::BF16,
                                 make<TensorView>(Span{}, ExprList{index(8), index(1)}, Layout::NZ)))),
            "pl.Tensor[[NR, 4], pl.BF16, pl.TensorView(stride=[8, 1], layout=pl.NZ)]");
  EXPECT_EQ(
      to_string(TypeRef(make<TensorType>(Span{}, ExprList{rows}, DType::BF16, make<TensorView>(Span{})))),
      "pl.Tensor[[NR], pl.BF16, pl.TensorView()]");
  EXPECT_EQ(to_string(TypeRef(make<DistributedTensorType>(Span{}, ExprList{rows, index(1)}, DType::Int32))),
            "pld.DistributedTensor[[NR, 1], pl.INT32]");
  EXPECT_EQ(to_string(tile(16, 32)), "pl.Tile[[16, 32], pl.FP32]");
  EXPECT_EQ(to_string(TypeRef(make<TileType>(Span{}, ExprList{index(16), index(32)}, DType::FP32,
                                             std::optional(MemorySpace::Acc)))),
            "pl.Tile[[16, 32], pl.FP32, pl.Mem.Acc]");
  EXPECT_EQ(to_string(TypeRef(make<ArrayType>(Span{}, 4, DType::TaskId))), "pl.Array[4, pl.TASK_ID]");
  EXPECT_EQ(to_string(scalar_type(DType::Index)), "pl.Scalar[pl.INDEX]");
  EXPECT_EQ(to_string(TypeRef(make<TupleType>(Span{}, std::vector<TypeRef>{task_id_type(), ptr_type()}))),
            "pl.Tuple[pl.TaskId, pl.Ptr]");
  EXPECT_EQ(to_string(unit_type()), "pl.Tuple[()]");
  EXPECT_EQ(to_string(comm_ctx_type()), "pld.CommCtx");
}

TEST(PrintMessages, ExpressionsAreShortAndPlain) {
  EXPECT_EQ(to_string(integer(5, DType::Int32)), "5");
  ExprRef sum = var("a_rather_long_name");
  for (int i = 0; i < 10; ++i) sum = call(add, {sum, var("another_long_name")});
  EXPECT_EQ(to_string(sum).size(), 60u);
  EXPECT_TRUE(to_string(sum).ends_with("..."));
}

TEST(PrintStmt, LoopsCarryValuesExplicitly) {
  VarRef i = var("i"), n = var("n"), a = var("a"), b = var("b"), a2 = var("a_out"), b2 = var("b_out");
  auto loop = make<For>(Span{}, LoopKind::Range, index(0), n, index(1), ExprList{index(1), n}, i,
                        VarList{a, b}, block({yield({call(add, {a, i}), b})}), VarList{a2, b2});
  EXPECT_EQ(as_python(loop),
            "for i, (a, b) in pl.range(n, init_values=(1, n)):\n"
            "    a_out, b_out = pl.yield_(a + i, b)\n");
  auto step = make<For>(Span{}, LoopKind::Range, index(2), n, index(-1), ExprList{}, i, VarList{}, block({}));
  EXPECT_EQ(as_python(step), "for i in pl.range(2, n, -1):\n    pass\n");
  auto from =
      make<For>(Span{}, LoopKind::Parallel, index(2), n, index(1), ExprList{}, i, VarList{}, block({}));
  EXPECT_EQ(as_python(from), "for i in pl.parallel(2, n):\n    pass\n");
  auto piped = make<For>(Span{}, LoopKind::Pipeline, index(0), n, index(1), ExprList{index(1)}, i, VarList{a},
                         block({yield({a})}), VarList{a2}, 3);
  EXPECT_EQ(as_python(piped),
            "for i, (a,) in pl.pipeline(n, init_values=(1,), stage=3):\n    a_out = pl.yield_(a)\n");
}

TEST(PrintStmt, AssignedConstantsAreNotLiterals) {
  EXPECT_EQ(as_python(assign(var("a"), index(5))), "a = pl.const(5, pl.INDEX)\n");
  EXPECT_EQ(as_python(assign(var("b", scalar_type(DType::FP32)), real(0.5))), "b = pl.const(0.5, pl.FP32)\n");
  EXPECT_EQ(as_python(assign(var("c", scalar_type(DType::Bool)), boolean(true))),
            "c = pl.const(True, pl.BOOL)\n");
}

TEST(PrintStmt, WhileAndIf) {
  VarRef a = var("a"), b = var("b"), n = var("n"), out = var("out");
  ExprRef condition = call(less, {b, n}, scalar_type(DType::Bool));
  auto loop = make<While>(Span{}, ExprList{index(0)}, VarList{a}, block({assign(b, call(mul, {a, a}))}),
                          condition, block({yield({call(add, {a, index(1)})})}), VarList{out});
  EXPECT_EQ(as_python(loop),
            "for (a,) in pl.while_(init_values=(0,)):\n"
            "    b = a * a\n"
            "    pl.cond(b < n)\n"
            "    out = pl.yield_(a + 1)\n");
  auto forever = make<While>(Span{}, ExprList{}, VarList{}, block({}), boolean(true), block({}));
  EXPECT_EQ(as_python(forever), "for _ in pl.while_():\n    pl.cond(pl.const(True, pl.BOOL))\n");
  auto merged = make<If>(Span{}, condition, block({yield({a})}), block({yield({index(0)})}), VarList{out});
  EXPECT_EQ(as_python(merged), "if b < n:\n    out = pl.yield_(a)\nelse:\n    out = pl.yield_(0)\n");
  auto known = make<If>(Span{}, boolean(false), block({}));
  EXPECT_EQ(as_python(known), "if pl.const(False, pl.BOOL):\n    pass\n");
}

TEST(PrintStmt, ScopesPrintTheirAttributes) {
  VarRef task = var("task", task_id_type()), next = var("next", task_id_type()), n = var("n"), b = var("b");
  VarRef y = var("y", tensor({index(4)})), y2 = var("y2", y->type);
  auto at = make<AtScope>(Span{}, ExprList{task}, block({yield({y})}), VarList{y2}, next, Level::CORE_GROUP,
                          std::string("say \"hi\""), false, SplitMode::UP_DOWN);
  EXPECT_EQ(as_python(at),
            "with pl.at(level=pl.Level.CORE_GROUP, name_hint=\"say \\\"hi\\\"\", ordered=False, "
            "split=pl.SplitMode.UP_DOWN, deps=[task]) as next:\n    y2 = pl.yield_(y)\n");
  EXPECT_EQ(as_python(make<AtScope>(Span{}, ExprList{}, block({}))),
            "with pl.at(level=pl.Level.CORE_GROUP):\n    pass\n");
  EXPECT_EQ(as_python(make<SpmdScope>(Span{}, n, ExprList{}, nullptr, block({}), VarList{}, task, true)),
            "with pl.spmd(n, sync_start=True) as task:\n    pass\n");
  EXPECT_EQ(as_python(make<SpmdScope>(Span{}, index(8), ExprList{}, b, block({}))),
            "for b in pl.spmd(8):\n    pass\n");
}

TEST(PrintNames, AreUniqueAndLegal) {
  auto x = param("x", scalar_type(DType::Index));
  VarRef x2 = var("x"), x3 = var("x"), taken = var("x_1"), word = var("for"), module = var("pl"),
         odd = var("3 b"), none = var("");
  ExprRef one = call(add, {x, index(1)});
  std::string text =
      as_python(function({x}, block({assign(x2, one), assign(taken, one), assign(x3, one), assign(word, x2),
                                     assign(module, x3), assign(odd, taken), assign(none, odd)})));
  EXPECT_EQ(text,
            "@pl.function(type=pl.FunctionType.InCore)\n"
            "def f(self, x: pl.Scalar[pl.INDEX]):\n"
            "    x_1 = x + 1\n"
            "    x_2 = x + 1\n"
            "    x_3 = x + 1\n"
            "    for_ = x_1\n"
            "    pl_ = x_3\n"
            "    _3_b = x_2\n"
            "    v = _3_b\n");
}

TEST(PrintNames, ParametersAndWindowBuffersKeepTheirs) {
  Op alloc = make_op("pld", "alloc_window_buffer", "", {operand("nbytes")});
  alloc.plain_assignment_only = true;
  VarRef early = var("data"), base = var("data", ptr_type());
  auto x = param("x", scalar_type(DType::Index));
  std::string text = as_python(function(
      {x},
      block({assign(early, call(add, {x, index(1)})), assign(base, call(alloc, {index(64)}, ptr_type()))}),
      FunctionType::Host));
  EXPECT_EQ(text,
            "@pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)\n"
            "def f(self, x: pl.Scalar[pl.INDEX]):\n"
            "    data_1 = x + 1\n"
            "    data = pld.alloc_window_buffer(64)\n");
}

TEST(PrintNames, DimensionsStayClearOfVariables) {
  ExprRef nr = make<DimSymbol>(Span{}, std::string("NR")), odd = make<DimSymbol>(Span{}, std::string("n-1"));
  // A parameter of that name: the dimension moves. A variable of that name, seen first: the variable moves.
  auto x = param("NR", tensor({nr}));
  VarRef local = var("n_1");
  std::string text = as_python(program({function(
      {x}, block({assign(local, call(add, {nr, index(1)})), assign(var("y"), call(add, {local, odd}))}))}));
  EXPECT_EQ(text,
            "import tilewire.language as pl\n\n"
            "NR_1 = pl.dynamic(\"NR\")\n"
            "n_1 = pl.dynamic(\"n-1\")\n\n\n"
            "@pl.program\n"
            "class P:\n"
            "    @pl.function(type=pl.FunctionType.InCore)\n"
            "    def f(self, NR: pl.Tensor[[NR_1], pl.FP32]):\n"
            "        n_2 = NR_1 + 1\n"
            "        y = n_2 + n_1\n");
}

TEST(PrintProgram, GroupsAttributesDirectionsAndResults) {
  VarRef base = var("data_buf", ptr_type());
  WindowBufferRef buffer = make<WindowBuffer>(Span{}, base, index(64));
  auto group = make<CommGroup>(Span{}, std::vector<int64_t>{0, 1}, std::vector<WindowBufferRef>{buffer});
  TypeRef window = make<DistributedTensorType>(Span{}, ExprList{index(4), index(1)}, DType::Int32);
  auto target = param("target", window), out = param("out", tensor({index(4)}), Direction::Out);
  auto both_ways = param("acc", tensor({index(4)}), Direction::InOut);
  AttrList set = {{"op", AttrValue{enum_value(NotifyOp::Set)}}};
  ExprRef send = call(notify, {target, index(1), list({index(0), index(0)}), integer(3, DType::Int32)},
                      unit_type(), set);
  auto kernel = make<Function>(
      Span{}, std::string("k"), FunctionType::AIV, std::vector<Ref<const Parameter>>{target, out, both_ways},
      std::vector<TypeRef>{out->type, both_ways->type},
      block({make<Eval>(Span{}, send), make<Return>(Span{}, ExprList{out, both_ways})}),
      SplitMode::LEFT_RIGHT);
  auto whole = make<Program>(Span{}, std::string("Ring"), std::vector<FunctionRef>{kernel},
                             std::vector<Ref<const CommGroup>>{group});
  EXPECT_EQ(as_python(whole),
            "import tilewire.language as pl\n"
            "import tilewire.language.distributed as pld\n\n\n"
            "@pl.program\n"
            "class Ring:\n"
            "    pld.comm_group(devices=[0, 1], slots=[\"data_buf\"])\n\n"
            "    @pl.function(type=pl.FunctionType.AIV, attrs={\"split\": pl.SplitMode.LEFT_RIGHT})\n"
            "    def k(self, target: pld.DistributedTensor[[4, 1], pl.INT32], out: pl.Out[pl.Tensor[[4], "
            "pl.FP32]], "
            "acc: pl.InOut[pl.Tensor[[4], pl.FP32]]) -> pl.Tuple[pl.Tensor[[4], pl.FP32], pl.Tensor[[4], "
            "pl.FP32]]:\n"
            "        pld.system.notify(target, 1, [0, 0], pl.const(3, pl.INT32), op=pld.NotifyOp.Set)\n"
            "        return out, acc\n");
  EXPECT_EQ(as_python(program({})), "import tilewire.language as pl\n\n\n@pl.program\nclass P:\n    pass\n");
}

TEST(PrintProgram, AnnotatesWhereTheOpCannotKnow) {
  Op pop = make_op("pl", "tpop_from_aic", "", {attribute("split")});
  pop.needs_annotation = true;
  VarRef t = var("t", tile(16, 16));
  AttrList split = {{"split", AttrValue{int64_t{1}}}};
  EXPECT_EQ(as_python(assign(t, call(pop, {}, t->type, split))),
            "t: pl.Tile[[16, 16], pl.FP32] = pl.tpop_from_aic(split=1)\n");
}

// Hints come from anywhere, such as bytes of serialised IR; what is printed must be read again.
TEST(Printer, AnyHintBecomesAName) {
  EXPECT_EQ(identifier("größe"), "größe");
  EXPECT_EQ(identifier("a→b"), "a_b");
  EXPECT_EQ(identifier("a\xED\xA0\x80"), "a___");  // a surrogate is not UTF-8
  EXPECT_EQ(identifier("1 x"), "_1_x");
  for (std::string_view hint : {"", "größe", "a→b", "\xED\xA0\x80", "9", "if", "\U0001F600", "a\xE2\x82"}) {
    EXPECT_TRUE(is_name(identifier(hint))) << hint;
  }
}

}  // namespace
}  // namespace tilewire::ir
