// Operators: folded when both sides are known, else the op the language says they are.
#include "frontend/fold.h"
#include "frontend/sema.h"
#include "ops/broadcast.h"
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

Value Sema::eval_operator(const Expr& e) {
  if (e.kind == ExprKind::Unary) {
    Value a = eval(*e.left);
    return a.is_error() ? Value() : unary(e.op, a, e);
  }
  Value a = eval_once(*e.left);
  if (a.expr()) a = Value(operand(a, span(*e.left)));
  Value b = eval_once(*e.right);
  if (a.is_error() || b.is_error()) return {};
  return binary(e.op, a, b, e);
}

// The middle of a chained comparison stands in the tree twice and is evaluated once.
Value Sema::eval_once(const Expr& e) {
  if (once_.empty()) return eval(e);
  auto found = once_.find(&e);
  if (found == once_.end()) return eval(e);
  if (found->second.is<UnboundValue>()) {
    Value value = eval(e);
    if (value.expr()) value = Value(operand(value, span(e)));
    once_[&e] = value;
    return value;
  }
  return found->second;
}

Value Sema::binary(Operator op, const Value& a, const Value& b, const Expr& e) {
  if (a.is<HostObjectValue>() || b.is<HostObjectValue>()) {
    if (is_known(a) && is_known(b) && current_scope_->host) return ask_host(e);
  }
  if (Folded folded = fold_binary(op, a, b)) {
    if (auto* value = std::get_if<Value>(&*folded)) return *value;
    report(diag::cannot_fold, e.range, {std::get<std::string>(*folded)});
    return {};
  }
  return runtime_binary(op, a, b, e);
}

Value Sema::runtime_binary(Operator op, const Value& a, const Value& b, const Expr& e) {
  auto operand_error = [&]() -> Value {
    Diagnostic& d =
        report(diag::operator_operands, e.range, {std::string(spelling(op)), describe(a), describe(b)});
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
    args.push_back({operand(a, span(*e.left)), span(*e.left)});
    args.push_back({operand(b, span(*e.right)), span(*e.right)});
    return make_call(*ops_.find("pl." + std::string(names->scalar)), std::move(args), {}, span(e));
  }
  if (names->tile.empty()) {
    Diagnostic& d =
        report(diag::operator_on_tiles, e.range, {std::string(spelling(op)), tile ? "tiles" : "tensors"});
    d.with_help(op == Operator::FloorDiv
                    ? "`/` on integer tiles truncates; there is no flooring division of tiles"
                    : "write it with pl.mul, pl.exp and pl.log");
    return {};
  }
  bool fits = (tile || tensor) && !(tile && tensor) && (is_tile(a) || is_tensor(a) || is_scalar(a)) &&
              (is_tile(b) || is_tensor(b) || is_scalar(b));
  if (!fits) {
    if (tile && tensor) {
      report(diag::tile_with_tensor, e.range, {std::string(spelling(op))})
          .with_help("load the tensor first: `pl.load(x, offsets, shape)`");
      return {};
    }
    return operand_error();
  }
  return tile_binary(op, std::string("pl.") + (tile ? "tile." : "tensor.") + std::string(names->tile), a, b,
                     e);
}

Value Sema::tile_binary(Operator op, const std::string& name, const Value& a, const Value& b, const Expr& e) {
  std::vector<ir::OpArgument> args;
  args.reserve(3);
  args.push_back(argument(a, span(*e.left)));
  args.push_back(argument(b, span(*e.right)));
  if (auto cmp = comparison(op)) {
    args.push_back({ir::AttrValue{ir::enum_value(*cmp)}, span(e)});
  }
  const ir::Op* chosen = ops_.find(name);
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
    } else if (ir::ExprRef filled = fill_like(*b.get<ir::ExprRef>(), a, span(*e.left))) {
      args[0].value = filled;
    } else {
      return {};
    }
  }
  if (const ir::Op* expanded = expanded_form(*chosen, args)) chosen = expanded;
  ir::ExprRef result = make_call(*chosen, std::move(args), {}, span(e));
  return result ? Value(result) : Value();
}

// A tile or tensor of the shape and dtype of `like`, every element `value`.
ir::ExprRef Sema::fill_like(const ir::ExprRef& like, const Value& value, const Span& at) {
  const auto* tile = ir::as<ir::TileType>(like->type);
  const auto* tensor = ir::as<ir::TensorType>(like->type);
  const ir::ExprList& shape = tile ? tile->shape : tensor->shape;
  std::vector<ir::OpArgument> args;
  args.push_back({ir::ExprRef(ir::make<ir::MakeTuple>(at, shape)), at});
  std::vector<ir::OpKeyword> keywords;
  keywords.push_back({"dtype", {ir::AttrValue{tile ? tile->dtype : tensor->dtype}, at}, at});
  keywords.push_back({"value", argument(value, at), at});
  const ir::Op* op = ops_.find(tile ? "pl.tile.full" : "pl.tensor.full");
  ir::ExprRef filled = make_call(*op, std::move(args), std::move(keywords), at);
  return filled ? operand(Value(filled), at) : nullptr;
}

// The row_expand_* or col_expand_* form of a binary op whose operands have shapes [r, c] and [r, 1] or [1,
// c].
const ir::Op* Sema::expanded_form(const ir::Op& op, std::vector<ir::OpArgument>& args) {
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
    ir::ExprRef expanded = make_call(*expand, std::move(expand_args), {}, args[i].span);
    if (expanded) args[i].value = operand(Value(expanded), args[i].span);
    return nullptr;
  }
  return nullptr;
}

Value Sema::unary(Operator op, const Value& a, const Expr& e) {
  if (a.is<HostObjectValue>() && current_scope_->host) return ask_host(e);
  if (Folded folded = fold_unary(op, a)) {
    if (auto* value = std::get_if<Value>(&*folded)) return *value;
    report(diag::cannot_fold, e.range, {std::get<std::string>(*folded)});
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
    Diagnostic& d = report(diag::operator_operand, e.range, {std::string(spelling(op)), describe(a)});
    if (op == Operator::Not && (tile || tensor))
      d.with_help("write `~` for the opposite of every element of a mask");
    return {};
  }
  std::vector<ir::OpArgument> args;
  args.push_back({operand(a, span(*e.left)), span(*e.left)});
  return make_call(*ops_.find(name), std::move(args), {}, span(e));
}

// `a and b`, `a or b`. The right side is evaluated only when the left one asks for it: if it needs statements
// of its own, they go into a branch.
Value Sema::logical(const Expr& e) {
  bool is_and = e.kind == ExprKind::And;
  std::unordered_map<const Expr*, Value> outer;
  if (e.chained) {
    outer = once_;
    const Expr* first = e.left->kind == ExprKind::And ? e.left->right : e.left;
    once_.emplace(first->right, unbound());
  }
  Value a = eval(*e.left);
  Value result;
  if (auto known = is_known(a) ? truth(a) : std::nullopt) {
    // Python gives the operand that decided.
    result = *known == is_and ? eval(*e.right) : a;
  } else if (!a.is_error()) {
    result = runtime_logical(is_and, a, e);
  }
  if (e.chained) once_ = std::move(outer);
  return result;
}

Value Sema::runtime_logical(bool is_and, const Value& a, const Expr& e) {
  if (!require_function(e)) return {};
  ir::ExprRef left = condition_of(a, *e.left);
  ir::ExprRef right;
  ir::BlockRef right_block;
  {
    BlockGuard guard(*this);
    Value b = eval(*e.right);
    if (b.is_error()) return {};
    right = condition_of(b, *e.right);
    if (right && !guard.empty()) {
      emit(ir::make<ir::Yield>(span(*e.right), ir::ExprList{right}));
      right_block = guard.take(span(*e.right));
    }
  }
  if (!left || !right) return {};
  if (!right_block) {
    ir::ExprRef result = op_call(is_and ? "pl.scalar.and" : "pl.scalar.or", {left, right}, span(e));
    return result ? Value(result) : Value();
  }
  ir::ExprRef otherwise = ir::make<ir::ConstBool>(span(e), !is_and);
  ir::BlockRef short_cut = ir::make<ir::Block>(
      span(e), std::vector<ir::StmtRef>{ir::make<ir::Yield>(span(e), ir::ExprList{otherwise})});
  ir::VarRef var = ir::make<ir::Var>(span(e), is_and ? "both" : "either", ir::scalar_type(ir::DType::Bool));
  emit(ir::make<ir::If>(span(e), left, is_and ? right_block : short_cut, is_and ? short_cut : right_block,
                        ir::VarList{var}));
  return ir::ExprRef(var);
}

// The value of an expression whose literals, if it has nothing else to go by, become `dtype`.
Value Sema::eval_for(const Expr& e, std::optional<ir::DType> dtype) {
  if (e.kind == ExprKind::Conditional) literal_dtype_ = dtype;
  return eval(e);
}

Value Sema::conditional(const Expr& e) {
  const std::optional<ir::DType> wanted = std::exchange(literal_dtype_, std::nullopt);
  Value c = eval(*e.items[0]);
  if (c.is_error()) return {};
  if (auto known = known_condition(c)) return eval_for(*e.items[*known ? 1 : 2], wanted);
  if (!require_function(e)) return {};
  ir::ExprRef test = condition_of(c, *e.items[0]);
  if (!test) return {};
  Value sides[2];
  std::vector<ir::StmtRef> stmts[2];
  for (int i = 0; i < 2; ++i) {
    BlockGuard guard(*this);
    const Expr& branch = *e.items[1 + i];
    sides[i] = eval_for(branch, wanted);
    if (!sides[i].is_number()) sides[i] = Value(operand(sides[i], span(branch)));
    if (sides[i].is_error()) return {};
    stmts[i] = std::move(guard.stmts());
  }
  ir::ExprRef values[2];
  ir::BlockRef blocks[2];
  for (int i = 0; i < 2; ++i) {
    const Expr& branch = *e.items[1 + i];
    const ir::Expr* other = sides[1 - i].expr();
    bool literals = sides[0].is_number() && sides[1].is_number();
    if (other) adopt_dtype(sides[i], ir::scalar_dtype(other->type), span(branch));
    if (literals || ir::as<ir::ConstInt>(other) || ir::as<ir::ConstFloat>(other)) {
      adopt_dtype(sides[i], wanted, span(branch));
    }
    values[i] = to_expr(sides[i], span(branch));
    if (!values[i]) return {};
    stmts[i].push_back(ir::make<ir::Yield>(span(branch), ir::ExprList{values[i]}));
    blocks[i] = ir::make<ir::Block>(span(branch), std::move(stmts[i]));
  }
  if (!same_type(values[0]->type, values[1]->type)) {
    report(diag::conditional_types, e.range, {ir::to_string(values[0]->type), ir::to_string(values[1]->type)})
        .with_help("make both sides the same type with `pl.cast` or `pl.const(value, dtype)`");
    return {};
  }
  ir::VarRef var = ir::make<ir::Var>(span(e), "chosen", values[0]->type);
  emit(ir::make<ir::If>(span(e), test, blocks[0], blocks[1], ir::VarList{var}));
  return ir::ExprRef(var);
}

}  // namespace tilewire::frontend
