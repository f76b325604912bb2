#include "sample.h"

#include <gtest/gtest.h>

#include "support/diagnostics/ops.h"

namespace tilewire::ir::sample {
namespace {

OpParam operand(std::string name, uint16_t accepts) {
  OpParam param;
  param.name = std::move(name);
  param.doc = "An operand.";
  param.accepts = accepts;
  return param;
}

OpParam list_operand(std::string name) {
  OpParam param = operand(std::move(name), AcceptInt);
  param.kind = OpParam::ListOperand;
  return param;
}

OpParam attribute(std::string name, AttrKind kind, EnumId id = {}, std::optional<AttrValue> value = {}) {
  OpParam param;
  param.name = std::move(name);
  param.doc = "An attribute.";
  param.kind = OpParam::Attribute;
  param.attr_kind = kind;
  param.enum_id = id;
  param.optional = value.has_value();
  param.default_value = std::move(value);
  return param;
}

Effect effect(int param, Access access) {
  Effect result;
  result.param = param;
  result.access = access;
  return result;
}

Op make_op(std::string name, std::vector<OpParam> params, uint8_t levels,
           std::function<TypeRef(OpCheck&)> rule) {
  Op op;
  op.module = "pl";
  op.name = std::move(name);
  op.doc = "An op of the tests.";
  op.params = std::move(params);
  op.levels = levels;
  op.rule = std::move(rule);
  return op;
}

TypeRef same_types(OpCheck& check) {
  const TypeRef& a = check.args[0]->type;
  if (scalar_dtype(a) != scalar_dtype(check.args[1]->type)) {
    check.error(diag::dtype_mismatch, {check.op.qualified(), to_string(a), to_string(check.args[1]->type)});
    return nullptr;
  }
  return a;
}

std::vector<Op> scalar_ops() {
  OpParam a = operand("a", AcceptScalar), b = operand("b", AcceptScalar);
  a.like = 1;
  b.like = 0;
  Op add = make_op("add", {a, b}, Anywhere, same_types);
  add.infix = "+";
  Op less = make_op("less", {a, b}, Anywhere,
                    [](OpCheck& check) { return same_types(check) ? scalar_type(DType::Bool) : nullptr; });
  less.infix = "<";
  return {add, less};
}

std::vector<Op> tile_ops() {
  Op load = make_op("load", {operand("t", AcceptTensor), list_operand("offsets"), list_operand("shape")},
                    OnKernel, [](OpCheck& check) -> TypeRef {
                      return make<TileType>(Span{}, check.list("shape"), *check.dtype("t"));
                    });
  load.effects = {effect(0, Access::Read)};
  Op add = make_op("tile_add", {operand("a", AcceptTile), operand("b", AcceptTile)}, OnKernel,
                   [](OpCheck& check) { return check.args[0]->type; });
  OpParam offsets = list_operand("offsets");
  offsets.optional = true;
  Op store = make_op(
      "store",
      {operand("tile", AcceptTile), offsets, operand("t", AcceptTensor),
       attribute("atomic", AttrKind::Enum, EnumId::AtomicType, AttrValue{enum_value(AtomicType::None_)})},
      OnKernel, [](OpCheck& check) { return check.args[2]->type; });
  store.effects = {effect(2, Access::Write)};
  store.result_alias = 2;
  Op pop = make_op("pop", {attribute("id", AttrKind::Int)}, OnKernel,
                   [](OpCheck& check) { return check.annotated; });
  pop.needs_annotation = true;
  Op create = make_op(
      "create", {list_operand("shape"), attribute("scale", AttrKind::Float)}, OnOrchestration,
      [](OpCheck& check) -> TypeRef { return make<TensorType>(Span{}, check.list("shape"), DType::FP32); });
  Op view = make_op("view", {operand("t", AcceptTensor)}, Anywhere,
                    [](OpCheck& check) { return check.args[0]->type; });
  view.result_alias = 0;
  return {load, add, store, pop, create, view};
}

std::vector<Op> window_ops() {
  Op alloc = make_op("alloc", {operand("size", AcceptInt)}, OnHost, [](OpCheck&) { return ptr_type(); });
  alloc.plain_assignment_only = true;
  Op window = make_op(
      "window",
      {operand("buffer", AcceptWindowBuffer), list_operand("shape"), attribute("dtype", AttrKind::DType)},
      OnHost, [](OpCheck& check) -> TypeRef {
        const auto* buffer = as<WindowBuffer>(check.args[0]);
        if (!buffer) return check.annotated;
        return make<DistributedTensorType>(Span{}, check.list("shape"), *check.attr("dtype")->get<DType>(),
                                           nullptr, ref(buffer));
      });
  OpParam value = operand("value", AcceptInt);
  value.literal = DType::Int32;
  Op notify =
      make_op("notify",
              {operand("target", AcceptWindow), operand("peer", AcceptInt), value,
               attribute("op", AttrKind::Enum, EnumId::NotifyOp, AttrValue{enum_value(NotifyOp::AtomicAdd)})},
              OnKernel, [](OpCheck&) { return unit_type(); });
  notify.effects = {effect(0, Access::Signal)};
  return {alloc, window, notify};
}

}  // namespace

const OpTable& ops() {
  static const OpTable table = [] {
    std::vector<Op> all = scalar_ops();
    for (Op& op : tile_ops()) all.push_back(std::move(op));
    for (Op& op : window_ops()) all.push_back(std::move(op));
    return OpTable(std::move(all));
  }();
  return table;
}

const Op& op(std::string_view qualified) {
  const Op* found = ops().find(qualified);
  if (!found) throw std::logic_error("no op " + std::string(qualified));
  return *found;
}

TypeRef tensor(std::vector<int64_t> shape, DType dtype) {
  ExprList dims;
  for (int64_t dim : shape) dims.push_back(index(dim));
  return make<TensorType>(Span{}, dims, dtype);
}
TypeRef tile(int64_t rows, int64_t cols, DType dtype) {
  return make<TileType>(Span{}, ExprList{index(rows), index(cols)}, dtype);
}
TypeRef scalar(DType dtype) {
  return scalar_type(dtype);
}
VarRef var(std::string name, TypeRef type) {
  return make<Var>(Span{}, std::move(name), std::move(type));
}
Ref<const Parameter> param(std::string name, TypeRef type, Direction direction) {
  return make<Parameter>(Span{}, std::move(name), std::move(type), direction);
}
ExprRef index(int64_t value) {
  return const_index(value);
}
ExprRef list(ExprList elements) {
  return make<MakeTuple>(Span{}, std::move(elements));
}

Ref<const Call> call(std::string_view name, ExprList args, AttrList attrs, TypeRef annotated) {
  Diagnostics diags;
  auto made = create_call(op(name), std::move(args), std::move(attrs), Span{}, diags, std::move(annotated));
  EXPECT_TRUE(made) << diags.text();
  return made;
}

StmtRef assign(const VarRef& var, ExprRef value) {
  return make<Assign>(Span{}, std::move(value), var);
}
BlockRef block(std::vector<StmtRef> stmts) {
  return make<Block>(Span{}, std::move(stmts));
}
FunctionRef function(std::string name, FunctionType type, std::vector<Ref<const Parameter>> params,
                     std::vector<TypeRef> returns, std::vector<StmtRef> stmts) {
  return make<Function>(Span{}, std::move(name), type, std::move(params), std::move(returns),
                        block(std::move(stmts)));
}
ProgramRef program_of(std::vector<FunctionRef> functions, std::vector<Ref<const CommGroup>> groups) {
  return make<Program>(Span{}, std::string("p"), std::move(functions), std::move(groups));
}

namespace {

// Builds the sample with names and spans of a style.
class Builder {
 public:
  explicit Builder(const Style& style)
      : style_(style), file_(new SourceFile("sample.py", "text\n", 1)), line_(style.first_line) {}

  ProgramRef build() {
    std::vector<FunctionRef> functions = {
        kernel(), half("cube", FunctionType::AIC), half("vec", FunctionType::AIV), group(), orchestration(),
        host()};
    auto comm = make<CommGroup>(at(), std::vector<int64_t>{0, 1}, std::vector<WindowBufferRef>{buffer_});
    return make<Program>(at(), "sample" + style_.suffix, functions, std::vector{comm});
  }

 private:
  Span at() {
    uint32_t line = line_++;
    return {file_, line, 3, line, 9};
  }
  VarRef fresh(const std::string& name, TypeRef type) {
    return make<Var>(at(), name + style_.suffix, std::move(type));
  }
  StmtRef let(const VarRef& v, ExprRef value) { return make<Assign>(at(), std::move(value), v); }
  ExprRef integer(int64_t value) { return make<ConstInt>(at(), value); }
  ExprRef at_origin() { return make<MakeTuple>(at(), ExprList{integer(0), integer(0)}); }

  // x, y, w and a counter; a loop that carries a tile, a branch that gives one, a loop that counts.
  FunctionRef kernel() {
    auto x = make<Parameter>(at(), std::string("x"), dynamic_, Direction::In);
    auto y = make<Parameter>(at(), std::string("y"), dynamic_, Direction::Out);
    auto w = make<Parameter>(at(), std::string("w"), any_window_, Direction::InOut);
    auto n = make<Parameter>(at(), std::string("n"), scalar_type(DType::Int32), Direction::In);
    auto shape = make<MakeTuple>(at(), ExprList{integer(16), integer(16)});
    VarRef t0 = fresh("t", tile_), t1 = fresh("t", tile_), acc = fresh("acc", tile_), i = fresh("i", index_);
    VarRef sum = fresh("sum", tile_), total = fresh("total", tile_);
    StmtRef load = let(t0, call("pl.load", {x, at_origin(), shape}));
    BlockRef body = make<Block>(at(), std::vector<StmtRef>{let(sum, call("pl.tile_add", {acc, t0})),
                                                           make<Yield>(at(), ExprList{sum})});
    StmtRef loop = make<For>(at(), LoopKind::Pipeline, integer(0), integer(8), integer(2), ExprList{t0}, i,
                             VarList{acc}, body, VarList{total}, int64_t{2});
    BlockRef taken = make<Block>(at(), std::vector<StmtRef>{make<Yield>(at(), ExprList{total})});
    BlockRef other = make<Block>(at(), std::vector<StmtRef>{make<Yield>(at(), ExprList{t0})});
    StmtRef branch = make<If>(at(), call("pl.less", {n, make<ConstInt>(at(), 3, DType::Int32)}), taken, other,
                              VarList{t1});
    VarRef out = fresh("y", dynamic_);
    StmtRef store =
        let(out, call("pl.store", {t1, nullptr, y}, {{"atomic", AttrValue{enum_value(AtomicType::Add)}}}));
    StmtRef notify = make<Eval>(at(), call("pl.notify", {w, n, integer(1)}));
    StmtRef popped = let(fresh("p", tile_), call("pl.pop", {}, {{"id", AttrValue{int64_t{3}}}}, tile_));
    return make<Function>(
        at(), std::string("kernel"), FunctionType::InCore, std::vector<Ref<const Parameter>>{x, y, w, n},
        std::vector<TypeRef>{dynamic_},
        make<Block>(at(), std::vector<StmtRef>{load, loop, branch, counting(n), store, notify, popped,
                                               make<Return>(at(), ExprList{out})}),
        SplitMode::UP_DOWN);
  }

  StmtRef counting(const VarRef& n) {
    VarRef c = fresh("c", scalar_type(DType::Int32)), last = fresh("c", scalar_type(DType::Int32));
    VarRef bound = fresh("bound", scalar_type(DType::Int32));
    ExprRef one = make<ConstInt>(at(), 1, DType::Int32);
    BlockRef before = make<Block>(at(), std::vector<StmtRef>{let(bound, call("pl.add", {n, one}))});
    BlockRef body =
        make<Block>(at(), std::vector<StmtRef>{make<Yield>(at(), ExprList{call("pl.add", {c, one})})});
    return make<While>(at(), ExprList{n}, VarList{c}, before, call("pl.less", {c, bound}), body,
                       VarList{last});
  }

  FunctionRef half(const std::string& name, FunctionType type) {
    auto x = make<Parameter>(at(), std::string("x"), fixed_, Direction::In);
    auto on = make<ConstBool>(at(), true);
    BlockRef body = make<Block>(at(), std::vector<StmtRef>{});
    StmtRef branch = make<If>(at(), on, body, BlockRef(), VarList{});
    StmtRef scale = let(fresh("s", scalar_type(DType::FP32)),
                        call("pl.add", {make<ConstFloat>(at(), 0.5), make<ConstFloat>(at(), -0.0)}));
    return make<Function>(
        at(), name, type, std::vector<Ref<const Parameter>>{x},
        std::vector<TypeRef>{fixed_, scalar_type(DType::Index)},
        make<Block>(at(), std::vector<StmtRef>{branch, scale, make<Return>(at(), ExprList{x, integer(4)})}));
  }

  FunctionRef group() {
    auto x = make<Parameter>(at(), std::string("x"), fixed_, Direction::In);
    TypeRef pair = make<TupleType>(Span{}, std::vector<TypeRef>{fixed_, scalar_type(DType::Index)});
    VarRef both = fresh("both", pair), first = fresh("first", fixed_);
    auto cube =
        make<FunctionCall>(at(), std::string("cube"), ExprList{x}, ExprRef(), ExprRef(), ExprList{}, pair);
    auto vec =
        make<FunctionCall>(at(), std::string("vec"), ExprList{x}, ExprRef(), ExprRef(), ExprList{}, pair);
    return make<Function>(
        at(), std::string("group"), FunctionType::Group, std::vector<Ref<const Parameter>>{x},
        std::vector<TypeRef>{fixed_},
        make<Block>(at(), std::vector<StmtRef>{let(both, cube), make<Eval>(at(), vec),
                                               let(first, make<TupleGet>(at(), both, int64_t{0})),
                                               make<Return>(at(), ExprList{first})}));
  }

  FunctionRef orchestration() {
    auto x = make<Parameter>(at(), std::string("x"), dynamic_, Direction::InOut);
    auto w = make<Parameter>(at(), std::string("w"), any_window_, Direction::In);
    VarRef task = fresh("tid", task_id_type()), second = fresh("tid", task_id_type());
    VarRef t = fresh("t", tile_), inner = fresh("x", dynamic_), after = fresh("x", dynamic_);
    auto shape = make<MakeTuple>(at(), ExprList{integer(16), integer(16)});
    BlockRef body = make<Block>(at(), std::vector<StmtRef>{let(t, call("pl.load", {x, at_origin(), shape})),
                                                           let(inner, call("pl.store", {t, at_origin(), x})),
                                                           make<Yield>(at(), ExprList{inner})});
    StmtRef scope = make<AtScope>(at(), ExprList{}, body, VarList{after}, task, Level::CORE_GROUP,
                                  std::string("copy"), false, SplitMode::LEFT_RIGHT);
    VarRef b = fresh("b", index_);
    auto three = make<ConstInt>(at(), 3, DType::Int32);
    auto launch = make<FunctionCall>(at(), std::string("kernel"), ExprList{x, after, w, three}, ExprRef(),
                                     ExprRef(), ExprList{task}, dynamic_);
    BlockRef blocks = make<Block>(at(), std::vector<StmtRef>{make<Eval>(at(), launch)});
    StmtRef spmd = make<SpmdScope>(at(), integer(4), ExprList{task}, b, blocks, VarList{}, second, true,
                                   std::string("many"));
    StmtRef made = let(fresh("scratch", fixed_), call("pl.create", {shape}, {{"scale", AttrValue{0.25}}}));
    StmtRef free = make<WithScope>(at(), ScopeKind::Storage, make<Block>(at(), std::vector<StmtRef>{made}));
    return make<Function>(at(), std::string("chip"), FunctionType::Orchestration,
                          std::vector<Ref<const Parameter>>{x, w}, std::vector<TypeRef>{},
                          make<Block>(at(), std::vector<StmtRef>{free, scope, spmd}));
  }

  FunctionRef host() {
    auto x = make<Parameter>(at(), std::string("x"), viewed_, Direction::InOut);
    auto ctx = make<Parameter>(at(), std::string("ctx"), comm_ctx_type(), Direction::In);
    auto ids = make<Parameter>(at(), std::string("ids"),
                               TypeRef(make<ArrayType>(Span{}, int64_t{4}, DType::Int32)), Direction::In);
    VarRef base = make<Var>(at(), std::string("data_buf"), ptr_type());
    buffer_ = make<WindowBuffer>(at(), base, integer(4096), VarRef(x), VarRef(), true);
    auto type = make<DistributedTensorType>(Span{}, ExprList{integer(4), integer(1)}, DType::Int32,
                                            TensorViewRef(), buffer_);
    VarRef w = fresh("w", type), r = fresh("r", index_);
    StmtRef alloc = let(base, call("pl.alloc", {integer(4096)}));
    StmtRef view =
        let(w, call("pl.window", {buffer_, make<MakeTuple>(at(), ExprList{integer(4), integer(1)})},
                    {{"dtype", AttrValue{DType::Int32}}}));
    auto dispatch = make<FunctionCall>(at(), std::string("chip"), ExprList{x, w}, r);
    BlockRef body = make<Block>(at(), std::vector<StmtRef>{make<Eval>(at(), dispatch)});
    StmtRef loop = make<For>(at(), LoopKind::Range, integer(0), integer(2), integer(1), ExprList{}, r,
                             VarList{}, body, VarList{});
    return make<Function>(at(), std::string("host"), FunctionType::Host,
                          std::vector<Ref<const Parameter>>{x, ctx, ids}, std::vector<TypeRef>{},
                          make<Block>(at(), std::vector<StmtRef>{alloc, view, loop}));
  }

  Style style_;
  Ref<const SourceFile> file_;
  uint32_t line_;
  WindowBufferRef buffer_;
  TypeRef index_ = scalar_type(DType::Index);
  TypeRef tile_ = tile(16, 16);
  TypeRef fixed_ = tensor({16, 16});
  TypeRef dynamic_ =
      make<TensorType>(Span{}, ExprList{make<DimSymbol>(Span{}, std::string("NR")), index(256)}, DType::FP32);
  TypeRef viewed_ = make<TensorType>(Span{}, ExprList{make<DimSymbol>(Span{}, std::string("NR")), index(256)},
                                     DType::FP32, make<TensorView>(Span{}, ExprList{index(512), index(1)}));
  TypeRef any_window_ = make<DistributedTensorType>(Span{}, ExprList{index(4), index(1)}, DType::Int32);
};

}  // namespace

ProgramRef program(const Style& style) {
  return Builder(style).build();
}

}  // namespace tilewire::ir::sample
