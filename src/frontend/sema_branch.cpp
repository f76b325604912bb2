// Branches: one side when the condition is known, else both and a merge of what they assign.
#include "frontend/sema_branch.h"

#include "frontend/fold.h"
#include "frontend/sema_expr.h"
#include "frontend/sema_form.h"
#include "frontend/sema_function.h"
#include "frontend/sema_name.h"
#include "frontend/sema_stmt.h"
#include "ir/printer.h"
#include "support/diagnostics/sema.h"

namespace tilewire::frontend {
namespace {

// Of a statement that has one.
const Stmt* first_return(const Stmt& s) {
  if (s.kind == StmtKind::Return) return &s;
  for (const auto* body : {&s.body, &s.orelse}) {
    for (const Stmt* inner : *body) {
      if (inner->kind != StmtKind::Return && inner->kind != StmtKind::If) continue;
      if (const Stmt* found = first_return(*inner)) return found;
    }
  }
  return nullptr;
}

}  // namespace

void merge_explicit(Sema& sema, Explicit& a, Explicit& b, const Range& range, ir::VarList& results,
                    ir::ExprList yields[2]);
void merge_name(Sema& sema, Symbol name, Value a, Value b, const Range& range, ir::VarList& results,
                ir::ExprList yields[2]);
void merge_returns(Sema& sema, const Stmt& s, const ir::ExprRef& test, std::vector<ir::StmtRef>& then_stmts,
                   std::vector<ir::StmtRef>& else_stmts, const std::vector<Value>& a,
                   const std::vector<Value>& b);

std::optional<bool> known_condition(const Value& value) {
  return is_known(value) ? truth(value) : std::nullopt;
}

ir::ExprRef condition_of(Sema& sema, const Value& value, const Expr& e) {
  if (value.is_error()) return nullptr;
  if (auto known = known_condition(value)) return ir::make<ir::ConstBool>(sema.span(e), *known);
  ir::ExprRef expr = value.expr() ? operand(sema, value, sema.span(e)) : nullptr;
  auto dtype = expr ? ir::scalar_dtype(expr->type) : std::nullopt;
  if (dtype == ir::DType::Bool) return expr;
  if (dtype && ir::is_integer(*dtype)) {
    return op_call(sema, "pl.scalar.ne", {expr, ir::const_index(0, sema.span(e))},
                   sema.span(e));  // Python's truth of an int
  }
  sema.report(diag::not_a_condition, e.range, {describe(value)})
      .with_label("this is " + to_text(value))
      .with_help(value.expr() && ir::isa<ir::TileType>(value.expr()->type)
                     ? "choose element by element: pl.sel(mask, a, b)"
                     : "compare it: `" + std::string(sema.current_scope->tree->text(e.range)) + " != 0`");
  return nullptr;
}

void branch(Sema& sema, const Stmt& s) {
  Value value = eval(sema, *s.value);
  if (auto known = known_condition(value)) return block(sema, *known ? s.body : s.orelse);
  ir::ExprRef test = condition_of(sema, value, *s.value);
  std::vector<Symbol> merged = sema.frame->carries.of(s);
  if (sema.frame->active_flag != 0 && leaves_loop(s)) {
    merged.push_back(sema.frame->active_flag);
    if (sema.frame->running_flag) merged.push_back(sema.frame->running_flag);
  }
  if (!test) test = ir::make<ir::ConstBool>(sema.span(*s.value), true);  // reported; look for more errors
  branch_on(sema, test, s.body, s.orelse, merged, s.range);
}

Explicit take_explicit_yield(Sema& sema, std::span<const Stmt* const>& body) {
  Explicit result;
  if (body.empty() || !is_yield(sema, *body.back())) return result;
  result.stmt = body.back();
  body = body.first(body.size() - 1);
  if (result.stmt->kind == StmtKind::Assign) {
    const Expr& target = *result.stmt->targets[0];
    auto add = [&](const Expr& name) {
      if (name.kind == ExprKind::Name) {
        result.names.push_back(name.name);
      } else {
        sema.report(diag::yield_targets, name.range)
            .with_help("yield to a name, and assign that name after the branch");
      }
    };
    if (target.kind == ExprKind::Tuple) {
      for (const Expr* item : target.items) add(*item);
    } else {
      add(target);
    }
  }
  return result;
}

void eval_explicit_yield(Sema& sema, Explicit& yield) {
  if (!yield.stmt) return;
  const Expr& call = *yield.stmt->value;
  yield.span = sema.span(yield.stmt->range);
  if (!call.keywords.empty()) {
    sema.report(diag::form_arguments, call.keywords[0].name_range, {"pl.yield_", "values without names"})
        .with_help("write `a, b = pl.yield_(x, y)`");
    yield.failed = true;
  }
  for (const Expr* item : call.items) {
    ir::ExprRef value = operand(sema, eval(sema, *item), sema.span(*item));
    yield.failed = yield.failed || !value;
    yield.values.push_back(std::move(value));
  }
  if (!yield.names.empty() && yield.names.size() != yield.values.size()) {
    sema.report(diag::yield_values, call.range,
                {std::to_string(yield.names.size()), std::to_string(yield.values.size())})
        .with_help("write `a, b = pl.yield_(x, y)`");
    yield.failed = true;
  }
}

void branch_on(Sema& sema, const ir::ExprRef& condition, std::span<const Stmt* const> body,
               std::span<const Stmt* const> orelse, const std::vector<Symbol>& names, const Range& range) {
  struct Side {
    std::vector<ir::StmtRef> stmts;
    Explicit yield;
    std::vector<Value> values;
  } sides[2];
  size_t start = sema.mark();
  std::span<const Stmt* const> bodies[2] = {body, orelse};
  for (int i = 0; i < 2; ++i) {
    Side& side = sides[i];
    BlockGuard guard(sema);
    side.yield = take_explicit_yield(sema, bodies[i]);
    // One that is not the last statement is reported in its place.
    bool misplaced =
        std::any_of(bodies[i].begin(), bodies[i].end(), [&](const Stmt* b) { return is_yield(sema, *b); });
    side.yield.failed = misplaced;
    block(sema, bodies[i]);
    eval_explicit_yield(sema, side.yield);
    for (Symbol name : names) side.values.push_back(sema.is_bound(name) ? sema.frame->env[name] : unbound());
    side.stmts = std::move(guard.stmts());
    undo_to(sema, start);
  }
  ir::VarList results;
  ir::ExprList yields[2];
  if (sides[0].yield.stmt || sides[1].yield.stmt) {
    merge_explicit(sema, sides[0].yield, sides[1].yield, range, results, yields);
  }
  const auto& explicit_names = sides[0].yield.names;
  for (size_t n = 0; n < names.size(); ++n) {
    if (std::find(explicit_names.begin(), explicit_names.end(), names[n]) != explicit_names.end()) continue;
    merge_name(sema, names[n], sides[0].values[n], sides[1].values[n], range, results, yields);
  }
  ir::BlockRef blocks[2];
  for (int i = 0; i < 2; ++i) {
    if (!results.empty()) sides[i].stmts.push_back(ir::make<ir::Yield>(sema.span(range), yields[i]));
    if (i == 0 || !sides[i].stmts.empty())
      blocks[i] = ir::make<ir::Block>(sema.span(range), std::move(sides[i].stmts));
  }
  sema.emit(ir::make<ir::If>(sema.span(range), condition, blocks[0], blocks[1], std::move(results)));
}

void merge_explicit(Sema& sema, Explicit& a, Explicit& b, const Range& range, ir::VarList& results,
                    ir::ExprList yields[2]) {
  bool same = a.stmt && b.stmt && a.names == b.names && a.values.size() == b.values.size();
  if (!same || a.failed || b.failed) {
    if (!a.failed && !b.failed) {
      sema.report(diag::yield_branches, a.stmt   ? a.stmt->range
                                        : b.stmt ? b.stmt->range
                                                 : range)
          .with_help("end both branches with a `pl.yield_` of the same names");
    }
    for (Symbol name : a.names) bind(sema, name, Value());
    for (Symbol name : b.names) bind(sema, name, Value());
    return;
  }
  for (size_t i = 0; i < a.values.size(); ++i) {
    std::string hint = i < a.names.size() ? sema.name_of(a.names[i]) : "v";
    if (!same_type(a.values[i]->type, b.values[i]->type)) {
      sema.report(diag::branch_types, b.span,
                  {hint, ir::to_string(a.values[i]->type), ir::to_string(b.values[i]->type)})
          .with_note("the other branch", a.span)
          .with_help("make both the same type with `pl.cast` or `pl.const(value, dtype)`");
      if (i < a.names.size()) bind(sema, a.names[i], Value());
      continue;
    }
    ir::VarRef result = ir::make<ir::Var>(sema.span(range), hint, a.values[i]->type);
    merge_roots(sema, result, a.values[i], b.values[i]);
    results.push_back(result);
    yields[0].push_back(a.values[i]);
    yields[1].push_back(b.values[i]);
    if (i < a.names.size()) bind(sema, a.names[i], ir::ExprRef(result));
  }
}

void adopt_dtype(Sema& sema, Value& literal, std::optional<ir::DType> dtype, const Span& at) {
  if (!dtype) return;
  const auto* i = literal.get<int64_t>();
  bool fits = i ? (ir::is_integer(*dtype) && ir::fits(*i, *dtype)) || ir::is_float(*dtype)
                : literal.is<double>() && ir::is_float(*dtype);
  if (fits) literal = typed_constant(sema, literal, *dtype, at);
}

void merge_roots(Sema& sema, const ir::VarRef& result, const ir::ExprRef& a, const ir::ExprRef& b) {
  int root = root_of(sema, a.get());
  if (root >= 0 && root == root_of(sema, b.get())) sema.fn->roots[result.get()] = root;
}

// What a name means after a branch: the same as before, a merged variable, or nothing usable.
void merge_name(Sema& sema, Symbol name, Value a, Value b, const Range& range, ir::VarList& results,
                ir::ExprList yields[2]) {
  bool flag = is_flag(sema, name);
  std::string text = flag ? "active" : sema.name_of(name);
  if (a.is<UnboundValue>() && b.is<UnboundValue>()) return;
  if (a.is_error() || b.is_error()) return bind(sema, name, Value());
  if (a.is<UnusableValue>()) return bind(sema, name, a);
  if (b.is<UnusableValue>()) return bind(sema, name, b);
  if (a.is<UnboundValue>() || b.is<UnboundValue>()) {
    return bind(
        sema, name,
        UnusableValue{"may be undefined here: only one branch assigns it",
                      "give `" + text + "` a value before the `if`, or in both branches", sema.span(range)});
  }
  if (a.expr() && a.expr() == b.expr()) return bind(sema, name, a);
  if (is_known(a) && is_known(b) && a.v.index() == b.v.index() && known_equal(a, b))
    return bind(sema, name, a);
  auto convertible = [](const Value& v) { return v.expr() || v.is_number(); };
  if (!convertible(a) || !convertible(b)) {
    return bind(sema, name,
                UnusableValue{"is " + to_text(a) + " or " + to_text(b) + ", depending on a branch",
                              "assign the same value in both branches: only run-time values can differ",
                              sema.span(range)});
  }
  if (b.expr()) adopt_dtype(sema, a, ir::scalar_dtype(b.expr()->type), sema.span(range));
  if (a.expr()) adopt_dtype(sema, b, ir::scalar_dtype(a.expr()->type), sema.span(range));
  ir::ExprRef x = to_expr(sema, a, sema.span(range)), y = to_expr(sema, b, sema.span(range));
  if (!same_type(x->type, y->type)) {
    return bind(sema, name,
                UnusableValue{"has different types in the two branches: " + ir::to_string(x->type) + " and " +
                                  ir::to_string(y->type),
                              "use two names, or convert with `pl.cast`", sema.span(range)});
  }
  ir::VarRef result = ir::make<ir::Var>(sema.span(range), text, x->type);
  merge_roots(sema, result, x, y);
  results.push_back(result);
  yields[0].push_back(x);
  yields[1].push_back(y);
  bind(sema, name, ir::ExprRef(result));
}

bool contains_return(const Stmt& s) {
  if (s.kind == StmtKind::Return) return true;
  if (s.kind != StmtKind::If) return false;
  auto any = [](std::span<const Stmt* const> body) {
    return std::any_of(body.begin(), body.end(), [](const Stmt* inner) { return contains_return(*inner); });
  };
  return any(s.body) || any(s.orelse);
}

void branch_with_return(Sema& sema, const Stmt& s, std::span<const Stmt* const> rest) {
  Value value = eval(sema, *s.value);
  if (auto known = known_condition(value)) {
    block(sema, *known ? s.body : s.orelse);
    if (!sema.frame->returned) return block(sema, rest);
    return;
  }
  ir::ExprRef test = condition_of(sema, value, *s.value);
  if (sema.frame->loop_depth > 0 || !test) {
    if (test) {
      sema.report(diag::return_in_loop, first_return(s)->range)
          .with_help("assign the value to a name and return it after the loop");
    }
    return;
  }
  struct Side {
    std::vector<ir::StmtRef> stmts;
    std::vector<Value> values;
    bool tuple = false;
  } sides[2];
  size_t start = sema.mark();
  for (int i = 0; i < 2; ++i) {
    BlockGuard guard(sema);
    sema.frame->returned = false;
    block(sema, i == 0 ? s.body : s.orelse);
    if (!sema.frame->returned) block(sema, rest);
    if (!sema.frame->returned) sema.frame->return_values.clear();
    sides[i].values = sema.frame->return_values;
    sides[i].tuple = sema.frame->returns_tuple;
    sides[i].stmts = std::move(guard.stmts());
    undo_to(sema, start);
  }
  sema.frame->returned = true;
  sema.frame->returns_tuple = sides[0].tuple;
  merge_returns(sema, s, test, sides[0].stmts, sides[1].stmts, sides[0].values, sides[1].values);
}

void merge_returns(Sema& sema, const Stmt& s, const ir::ExprRef& test, std::vector<ir::StmtRef>& then_stmts,
                   std::vector<ir::StmtRef>& else_stmts, const std::vector<Value>& a,
                   const std::vector<Value>& b) {
  sema.frame->return_values.assign(std::max(a.size(), b.size()), Value());
  if (a.size() != b.size()) {
    sema.report(diag::return_counts, s.range, {std::to_string(a.size()), std::to_string(b.size())})
        .with_help("return the same values on every path");
    return;
  }
  ir::VarList results;
  ir::ExprList yields[2];
  for (size_t i = 0; i < a.size(); ++i) {
    ir::ExprRef x = to_expr(sema, a[i], sema.span(s.range)), y = to_expr(sema, b[i], sema.span(s.range));
    if (!x || !y) return;
    if (!same_type(x->type, y->type)) {
      sema.report(diag::return_types, s.range, {ir::to_string(x->type), ir::to_string(y->type)})
          .with_help("make both the same type with `pl.cast` or `pl.const(value, dtype)`");
      return;
    }
    ir::VarRef result = ir::make<ir::Var>(sema.span(s.range), "result", x->type);
    merge_roots(sema, result, x, y);
    results.push_back(result);
    yields[0].push_back(x);
    yields[1].push_back(y);
    sema.frame->return_values[i] = Value(ir::ExprRef(result));
  }
  if (!results.empty()) {
    then_stmts.push_back(ir::make<ir::Yield>(sema.span(s.range), yields[0]));
    else_stmts.push_back(ir::make<ir::Yield>(sema.span(s.range), yields[1]));
  }
  ir::BlockRef then_block = ir::make<ir::Block>(sema.span(s.range), std::move(then_stmts));
  ir::BlockRef else_block =
      else_stmts.empty() ? nullptr : ir::make<ir::Block>(sema.span(s.range), std::move(else_stmts));
  sema.emit(ir::make<ir::If>(sema.span(s.range), test, then_block, else_block, std::move(results)));
}

}  // namespace tilewire::frontend
