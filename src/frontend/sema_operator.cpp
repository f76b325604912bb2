// Operators: folded if both sides are known, else calls of the corresponding op.
#include "frontend/sema_operator.h"

#include "frontend/fold.h"
#include "frontend/sema_branch.h"
#include "frontend/sema_expr.h"
#include "frontend/sema_function.h"
#include "frontend/sema_host.h"
#include "frontend/sema_name.h"
#include "ops/broadcast.h"
#include "ops/handles.h"
#include "support/diagnostics/sema.h"

namespace tilewire::frontend {
namespace {

struct OperatorNames {
  Operator op;
  std::string_view scalar;  // op names without `pl.`; empty: none
  std::string_view tile;    // without `tile.` or `tensor.`
};
constexpr OperatorNames binary_ops[] = {
    {Operator::Add, "scalar.add", "add"},        {Operator::Sub, "scalar.sub", "sub"},
    {Operator::Mul, "scalar.mul", "mul"},        {Operator::Div, "scalar.truediv", "div"},
    {Operator::FloorDiv, "scalar.floordiv", ""}, {Operator::Mod, "scalar.mod", "rem"},
    {Operator::Pow, "scalar.pow", ""},           {Operator::BitAnd, "scalar.bitand", "and_"},
    {Operator::BitOr, "scalar.bitor", "or_"},    {Operator::BitXor, "scalar.bitxor", "xor"},
    {Operator::Shl, "scalar.shl", "shl"},        {Operator::Shr, "scalar.shr", "shr"},
    {Operator::Eq, "scalar.eq", "cmp"},          {Operator::Ne, "scalar.ne", "cmp"},
    {Operator::Lt, "scalar.lt", "cmp"},          {Operator::Le, "scalar.le", "cmp"},
    {Operator::Gt, "scalar.gt", "cmp"},          {Operator::Ge, "scalar.ge", "cmp"},
};

const OperatorNames* names_of(Operator op) {
  for (const OperatorNames& entry : binary_ops) {
    if (entry.op == op) return &entry;
  }
  return nullptr;
}

std::optional<ir::CmpOp> comparison(Operator op) {
  switch (op) {
    case Operator::Eq:
      return ir::CmpOp::Eq;
    case Operator::Ne:
      return ir::CmpOp::Ne;
    case Operator::Lt:
      return ir::CmpOp::Lt;
    case Operator::Le:
      return ir::CmpOp::Le;
    case Operator::Gt:
      return ir::CmpOp::Gt;
    case Operator::Ge:
      return ir::CmpOp::Ge;
    default:
      return std::nullopt;
  }
}

bool is_tile(const Value& v) {
  return v.expr() && ir::isa<ir::TileType>(v.expr()->type);
}
bool is_tensor(const Value& v) {
  return v.expr() && ir::isa<ir::TensorType>(v.expr()->type);
}
bool is_scalar(const Value& v) {
  return v.is_number() || (v.expr() && ir::isa<ir::ScalarType>(v.expr()->type));
}

const ir::TileType* tile_type(const ir::OpArgument& arg) {
  const auto* expr = std::get_if<ir::ExprRef>(&arg.value);
  return expr && *expr ? ir::as<ir::TileType>((*expr)->type) : nullptr;
}

}  // namespace

Value eval_once(Sema& sema, const Expr& e);
Value unary(Sema& sema, Operator op, const Value& a, const Expr& e);
Value runtime_logical(Sema& sema, bool is_and, const Value& a, const Expr& e);
Value tile_binary(Sema& sema, Operator op, const std::string& name, const Value& a, const Value& b,
                  const Expr& e);
ir::ExprRef fill_like(Sema& sema, const ir::ExprRef& like, const Value& value, const Span& at);
Value runtime_binary(Sema& sema, Operator op, const Value& a, const Value& b, const Expr& e);

Value eval_operator(Sema& sema, const Expr& e) {
  if (e.kind == ExprKind::Unary) {
    Value a = eval(sema, *e.left);
    return a.is_error() ? Value() : unary(sema, e.op, a, e);
  }
  Value a = eval_once(sema, *e.left);
  if (a.expr()) a = Value(operand(sema, a, sema.span(*e.left)));
  Value b = eval_once(sema, *e.right);
  if (a.is_error() || b.is_error()) return {};
  return binary(sema, e.op, a, b, e);
}

// The middle of a chained comparison is in the tree twice and is evaluated once.
Value eval_once(Sema& sema, const Expr& e) {
  if (sema.once.empty()) return eval(sema, e);
  auto found = sema.once.find(&e);
  if (found == sema.once.end()) return eval(sema, e);
  if (found->second.is<UnboundValue>()) {
    Value value = eval(sema, e);
    if (value.expr()) value = Value(operand(sema, value, sema.span(e)));
    sema.once[&e] = value;
    return value;
  }
  return found->second;
}

Value binary(Sema& sema, Operator op, const Value& a, const Value& b, const Expr& e) {
  if (a.is<HostObjectValue>() || b.is<HostObjectValue>()) {
    if (is_known(a) && is_known(b) && sema.current_scope->host) return ask_host(sema, e);
  }
  if (Folded folded = fold_binary(op, a, b)) {
    if (auto* value = std::get_if<Value>(&*folded)) return *value;
    sema.report(diag::cannot_fold, e.range, {std::get<std::string>(*folded)});
    return {};
  }
  return runtime_binary(sema, op, a, b, e);
}

Value runtime_binary(Sema& sema, Operator op, const Value& a, const Value& b, const Expr& e) {
  auto operand_error = [&]() -> Value {
    Diagnostic& d =
        sema.report(diag::operator_operands, e.range, {std::string(spelling(op)), describe(a), describe(b)});
    if (op == Operator::In || op == Operator::NotIn) d.with_help("compare with each: `n == 1 or n == 2`");
    if (op == Operator::Is || op == Operator::IsNot) d.with_help("write `==` or `!=`");
    return {};
  };
  const OperatorNames* names = names_of(op);
  if (!names || (!a.expr() && !b.expr())) return operand_error();
  bool tile = is_tile(a) || is_tile(b), tensor = is_tensor(a) || is_tensor(b);
  if (!tile && !tensor) {
    if (!is_scalar(a) || !is_scalar(b)) return operand_error();
    std::vector<ir::OpArgument> args;
    args.reserve(2);
    args.push_back({operand(sema, a, sema.span(*e.left)), sema.span(*e.left)});
    args.push_back({operand(sema, b, sema.span(*e.right)), sema.span(*e.right)});
    return make_call(sema, *sema.ops.find("pl." + std::string(names->scalar)), std::move(args), {},
                     sema.span(e));
  }
  if (names->tile.empty()) {
    Diagnostic& d = sema.report(diag::operator_on_tiles, e.range,
                                {std::string(spelling(op)), tile ? "tiles" : "tensors"});
    d.with_help(op == Operator::FloorDiv
                    ? "write `/`, which truncates on integer tiles: tiles have no floor division"
                    : "write `t * t` for a square, or pl.exp(pl.log(t) * n) for other powers");
    return {};
  }
  bool fits = (tile || tensor) && !(tile && tensor) && (is_tile(a) || is_tensor(a) || is_scalar(a)) &&
              (is_tile(b) || is_tensor(b) || is_scalar(b));
  if (!fits) {
    if (tile && tensor) {
      sema.report(diag::tile_with_tensor, e.range, {std::string(spelling(op))})
          .with_help("load the tensor first: `pl.load(x, offsets, shape)`");
      return {};
    }
    return operand_error();
  }
  return tile_binary(sema, op, std::string("pl.") + (tile ? "tile." : "tensor.") + std::string(names->tile),
                     a, b, e);
}

Value tile_binary(Sema& sema, Operator op, const std::string& name, const Value& a, const Value& b,
                  const Expr& e) {
  std::vector<ir::OpArgument> args;
  args.reserve(3);
  args.push_back(argument(sema, a, sema.span(*e.left)));
  args.push_back(argument(sema, b, sema.span(*e.right)));
  if (auto cmp = comparison(op)) {
    args.push_back({ir::AttrValue{ir::enum_value(*cmp)}, sema.span(e)});
  }
  const ir::Op* chosen = sema.ops.find(name);
  TW_CHECK(chosen != nullptr, "no op " + name);
  // `1 - t` and `2 / t`: the number becomes a tile, because the ops take it on the right only.
  bool number_first = is_scalar(a);
  if (number_first) {
    bool commutes = op == Operator::Add || op == Operator::Mul || op == Operator::BitAnd ||
                    op == Operator::BitOr || op == Operator::BitXor;
    if (commutes) {
      std::swap(args[0], args[1]);
    } else if (auto cmp = comparison(op)) {
      std::swap(args[0], args[1]);
      ir::CmpOp mirrored = *cmp == ir::CmpOp::Lt   ? ir::CmpOp::Gt
                           : *cmp == ir::CmpOp::Le ? ir::CmpOp::Ge
                           : *cmp == ir::CmpOp::Gt ? ir::CmpOp::Lt
                           : *cmp == ir::CmpOp::Ge ? ir::CmpOp::Le
                                                   : *cmp;
      args[2].value = ir::AttrValue{ir::enum_value(mirrored)};
    } else if (ir::ExprRef filled = fill_like(sema, *b.get<ir::ExprRef>(), a, sema.span(*e.left))) {
      args[0].value = filled;
    } else {
      return {};
    }
  }
  if (const ir::Op* expanded = expanded_form(sema, *chosen, args)) chosen = expanded;
  ir::ExprRef result = make_call(sema, *chosen, std::move(args), {}, sema.span(e));
  return result ? Value(result) : Value();
}

// A tile or tensor of the shape and dtype of `like`, every element `value`.
ir::ExprRef fill_like(Sema& sema, const ir::ExprRef& like, const Value& value, const Span& at) {
  const auto* tile = ir::as<ir::TileType>(like->type);
  const auto* tensor = ir::as<ir::TensorType>(like->type);
  const ir::ExprList& shape = tile ? tile->shape : tensor->shape;
  std::vector<ir::OpArgument> args;
  args.push_back({ir::ExprRef(ir::make<ir::MakeTuple>(at, shape)), at});
  std::vector<ir::OpKeyword> keywords;
  keywords.push_back({"dtype", {ir::AttrValue{tile ? tile->dtype : tensor->dtype}, at}, at});
  keywords.push_back({"value", argument(sema, value, at), at});
  const ir::Op* op = sema.ops.find(tile ? "pl.tile.full" : "pl.tensor.full");
  ir::ExprRef filled = make_call(sema, *op, std::move(args), std::move(keywords), at);
  return filled ? operand(sema, Value(filled), at) : nullptr;
}

const ir::Op* expanded_form(Sema& sema, const ir::Op& op, std::vector<ir::OpArgument>& args) {
  if (args.size() < 2) return nullptr;
  const ir::TileType *a = tile_type(args[0]), *b = tile_type(args[1]);
  if (!a || !b || (a->rows() == b->rows() && a->cols() == b->cols())) return nullptr;
  if (const ir::Op* expanded = ops::expanded_form(op, *a, *b)) return expanded;
  bool commutes = op.infix == "+" || op.infix == "*";
  if (const ir::Op* expanded = commutes ? ops::expanded_form(op, *b, *a) : nullptr) {
    std::swap(args[0], args[1]);
    return expanded;
  }
  if (op.infix.empty() && op.param_index("op") < 0) return nullptr;  // not an operator
  for (int i = 0; i < 2; ++i) {
    const ir::TileType& full = i == 0 ? *b : *a;
    const ir::Op* expand = ops::expansion(i == 0 ? *a : *b, full);
    if (!expand) continue;
    std::vector<ir::OpArgument> expand_args;
    expand_args.push_back(args[i]);
    expand_args.push_back({ir::ExprRef(ir::make<ir::MakeTuple>(args[i].span, full.shape)), args[i].span});
    ir::ExprRef expanded = make_call(sema, *expand, std::move(expand_args), {}, args[i].span);
    if (expanded) args[i].value = operand(sema, Value(expanded), args[i].span);
    return nullptr;
  }
  return nullptr;
}

Value unary(Sema& sema, Operator op, const Value& a, const Expr& e) {
  if (a.is<HostObjectValue>() && sema.current_scope->host) return ask_host(sema, e);
  if (Folded folded = fold_unary(op, a)) {
    if (auto* value = std::get_if<Value>(&*folded)) return *value;
    sema.report(diag::cannot_fold, e.range, {std::get<std::string>(*folded)});
    return {};
  }
  const char* name = nullptr;
  bool tile = is_tile(a), tensor = is_tensor(a);
  if (a.expr() && (tile || tensor || is_scalar(a))) {
    if (op == Operator::Pos) return a;
    if (op == Operator::Neg) name = tile ? "pl.tile.neg" : tensor ? "pl.tensor.neg" : "pl.scalar.neg";
    if (op == Operator::Invert) name = tile ? "pl.tile.not_" : tensor ? "pl.tensor.not_" : "pl.scalar.bitnot";
    if (op == Operator::Not && !tile && !tensor) name = "pl.scalar.not";
  }
  if (!name) {
    Diagnostic& d = sema.report(diag::operator_operand, e.range, {std::string(spelling(op)), describe(a)});
    if (op == Operator::Not && (tile || tensor))
      d.with_help("write `~mask` to negate every element of a mask");
    return {};
  }
  std::vector<ir::OpArgument> args;
  args.push_back({operand(sema, a, sema.span(*e.left)), sema.span(*e.left)});
  return make_call(sema, *sema.ops.find(name), std::move(args), {}, sema.span(e));
}

Value logical(Sema& sema, const Expr& e) {
  bool is_and = e.kind == ExprKind::And;
  std::unordered_map<const Expr*, Value> outer;
  if (e.chained) {
    outer = sema.once;
    const Expr* first = e.left->kind == ExprKind::And ? e.left->right : e.left;
    sema.once.emplace(first->right, unbound());
  }
  Value a = eval(sema, *e.left);
  Value result;
  if (auto known = is_known(a) ? truth(a) : std::nullopt) {
    // Python returns the deciding operand.
    result = *known == is_and ? eval(sema, *e.right) : a;
  } else if (!a.is_error()) {
    result = runtime_logical(sema, is_and, a, e);
  }
  if (e.chained) sema.once = std::move(outer);
  return result;
}

namespace {

// Whether an op stops the run for no left operand, because its right one is this constant.
bool harmless_right(ir::Elementwise kind, int64_t right) {
  switch (kind) {
    case ir::Elementwise::FloorDiv:
    case ir::Elementwise::Mod:
      return right != 0;
    case ir::Elementwise::Shl:
    case ir::Elementwise::Shr:
    case ir::Elementwise::Pow:
      return right >= 0;
    default:
      return false;
  }
}

// Whether a conversion keeps every value.
bool keeps_values(ir::DType from, ir::DType to) {
  if (!ir::is_integer(from) || !ir::is_integer(to)) return true;  // floats round and saturate
  if (ir::info(from).is_signed == ir::info(to).is_signed) return ir::bits(to) >= ir::bits(from);
  return ir::info(to).is_signed && ir::bits(to) > ir::bits(from);
}

}  // namespace

bool may_stop(const ir::Expr& scalar) {
  const auto* call = ir::as<ir::Call>(&scalar);
  if (!call) return false;
  for (const ir::ExprRef& arg : call->args) {
    if (arg && may_stop(*arg)) return true;
  }
  // Operands that decide whether the run stops have this role.
  for (size_t i = 0; i < call->op->params.size(); ++i) {
    const ir::OpParam& param = call->op->params[i];
    const int slot = call->op->operand_slots[i];
    if (param.kind != ir::OpParam::Operand || param.role != ir::OperandRole::Control || slot < 0 ||
        !call->args[slot])
      continue;
    const auto right = ir::constant_value(call->args[slot]);
    const auto from = ir::scalar_dtype(call->args[slot]->type), to = ir::scalar_dtype(call->type);
    if (call->op == ops::pl::scalar::cast && from && to && keeps_values(*from, *to)) continue;
    if (from && ir::is_float(*from)) continue;
    if (!right || !harmless_right(call->op->kind, *right)) return true;
  }
  return false;
}

Value runtime_logical(Sema& sema, bool is_and, const Value& a, const Expr& e) {
  if (!require_function(sema, e)) return {};
  ir::ExprRef left = condition_of(sema, a, *e.left);
  ir::ExprRef right;
  ir::BlockRef right_block;
  {
    BlockGuard guard(sema);
    Value b = eval(sema, *e.right);
    if (b.is_error()) return {};
    right = condition_of(sema, b, *e.right);
    if (right && (!guard.empty() || may_stop(*right))) {
      sema.emit(ir::make<ir::Yield>(sema.span(*e.right), ir::ExprList{right}));
      right_block = guard.take(sema.span(*e.right));
    }
  }
  if (!left || !right) return {};
  if (!right_block) {
    ir::ExprRef result =
        op_call(sema, is_and ? "pl.scalar.and" : "pl.scalar.or", {left, right}, sema.span(e));
    return result ? Value(result) : Value();
  }
  ir::ExprRef otherwise = ir::make<ir::ConstBool>(sema.span(e), !is_and);
  ir::BlockRef short_cut = ir::make<ir::Block>(
      sema.span(e), std::vector<ir::StmtRef>{ir::make<ir::Yield>(sema.span(e), ir::ExprList{otherwise})});
  ir::VarRef var =
      ir::make<ir::Var>(sema.span(e), is_and ? "both" : "either", ir::scalar_type(ir::DType::Bool));
  sema.emit(ir::make<ir::If>(sema.span(e), left, is_and ? right_block : short_cut,
                             is_and ? short_cut : right_block, ir::VarList{var}));
  return ir::ExprRef(var);
}

Value eval_for(Sema& sema, const Expr& e, std::optional<ir::DType> dtype) {
  if (e.kind == ExprKind::Conditional) sema.literal_dtype = dtype;
  return eval(sema, e);
}

Value conditional(Sema& sema, const Expr& e) {
  const std::optional<ir::DType> wanted = std::exchange(sema.literal_dtype, std::nullopt);
  Value c = eval(sema, *e.items[0]);
  if (c.is_error()) return {};
  if (auto known = known_condition(c)) return eval_for(sema, *e.items[*known ? 1 : 2], wanted);
  if (!require_function(sema, e)) return {};
  ir::ExprRef test = condition_of(sema, c, *e.items[0]);
  if (!test) return {};
  Value sides[2];
  std::vector<ir::StmtRef> stmts[2];
  for (int i = 0; i < 2; ++i) {
    BlockGuard guard(sema);
    const Expr& branch = *e.items[1 + i];
    sides[i] = eval_for(sema, branch, wanted);
    if (!sides[i].is_number()) sides[i] = Value(operand(sema, sides[i], sema.span(branch)));
    if (sides[i].is_error()) return {};
    stmts[i] = std::move(guard.stmts());
  }
  ir::ExprRef values[2];
  ir::BlockRef blocks[2];
  for (int i = 0; i < 2; ++i) {
    const Expr& branch = *e.items[1 + i];
    const ir::Expr* other = sides[1 - i].expr();
    bool literals = sides[0].is_number() && sides[1].is_number();
    if (other) adopt_dtype(sema, sides[i], ir::scalar_dtype(other->type), sema.span(branch));
    if (literals || ir::as<ir::ConstInt>(other) || ir::as<ir::ConstFloat>(other)) {
      adopt_dtype(sema, sides[i], wanted, sema.span(branch));
    }
    values[i] = to_expr(sema, sides[i], sema.span(branch));
    if (!values[i]) return {};
    stmts[i].push_back(ir::make<ir::Yield>(sema.span(branch), ir::ExprList{values[i]}));
    blocks[i] = ir::make<ir::Block>(sema.span(branch), std::move(stmts[i]));
  }
  if (!same_type(values[0]->type, values[1]->type)) {
    sema.report(diag::conditional_types, e.range,
                {ir::to_string(values[0]->type), ir::to_string(values[1]->type)})
        .with_help("make both sides the same type with `pl.cast` or `pl.const(value, dtype)`");
    return {};
  }
  ir::VarRef var = ir::make<ir::Var>(sema.span(e), "chosen", values[0]->type);
  sema.emit(ir::make<ir::If>(sema.span(e), test, blocks[0], blocks[1], ir::VarList{var}));
  return ir::ExprRef(var);
}

}  // namespace tilewire::frontend
