// Simple statements: assignments, returns, assertions, expressions.
#include "frontend/sema_stmt.h"

#include <algorithm>

#include "frontend/fold.h"
#include "frontend/sema_branch.h"
#include "frontend/sema_expr.h"
#include "frontend/sema_form.h"
#include "frontend/sema_function.h"
#include "frontend/sema_index.h"
#include "frontend/sema_loop.h"
#include "frontend/sema_name.h"
#include "frontend/sema_operator.h"
#include "frontend/sema_task.h"
#include "frontend/sema_type.h"
#include "ir/printer.h"
#include "ir/structural.h"
#include "support/diagnostics/sema.h"

namespace tilewire::frontend {
namespace {

// The arguments of a form by the names of its parameters, each at most once; null where one is left out.
template <size_t N>
bool form_arguments(const SyntaxTree& tree, const Expr& call, const std::string_view (&names)[N],
                    const Expr* (&given)[N]) {
  if (call.items.size() > N) return false;
  std::copy(call.items.begin(), call.items.end(), given);
  for (const Keyword& keyword : call.keywords) {
    auto name = std::find(std::begin(names), std::end(names), tree.name(keyword.name));
    if (name == std::end(names) || given[name - names]) return false;
    given[name - names] = keyword.value;
  }
  return true;
}

}  // namespace

std::optional<ir::DType> written_dtype(const Sema& sema, const Stmt& s);
void continue_if_active(Sema& sema, std::span<const Stmt* const> rest);
void statement(Sema& sema, const Stmt& s);
void expression_statement(Sema& sema, const Stmt& s);
void perform(Sema& sema, const Value& value, const Expr& e, const Range& range);
void assign(Sema& sema, const Stmt& s);
void assign_target(Sema& sema, const Expr& target, const Value& value, const Stmt& s);
void unpack(Sema& sema, const Expr& target, const Value& value, const Stmt& s);
void assign_name(Sema& sema, const Expr& target, Value value, const Stmt& s);
void assign_annotated(Sema& sema, const Stmt& s);
void assign_augmented(Sema& sema, const Stmt& s);
void return_statement(Sema& sema, const Stmt& s);
void assert_statement(Sema& sema, const Expr& condition, const Expr* message, const Range& range);
void warn_plain_rebinding(Sema& sema, Symbol name, const ir::ExprRef& value, const Range& range);

void block(Sema& sema, std::span<const Stmt* const> body) {
  for (size_t i = 0; i < body.size(); ++i) {
    if (sema.diags.full()) return;
    const Stmt& s = *body[i];
    auto rest = body.subspan(i + 1);
    if (s.kind == StmtKind::If && contains_return(s)) {
      branch_with_return(sema, s, rest);
      return;
    }
    statement(sema, s);
    if (sema.frame->returned) {
      if (!rest.empty())
        sema.report(diag::unreachable, rest[0]->range).with_help("remove it, or the `return` before it");
      return;
    }
    if (sema.frame->active_flag != 0 && leaves_loop(s) && !rest.empty()) {
      continue_if_active(sema, rest);
      return;
    }
  }
}

// What follows a `break` or `continue` runs only where neither was reached.
void continue_if_active(Sema& sema, std::span<const Stmt* const> rest) {
  const Value active = sema.frame->env[sema.frame->active_flag];
  if (const auto* known = active.get<bool>()) {
    if (*known) return block(sema, rest);
    sema.report(diag::unreachable, rest[0]->range)
        .with_help("remove it, or the `break` or `continue` before it");
    return;
  }
  std::vector<Symbol> merged = assigned_names(rest);
  merged.push_back(sema.frame->active_flag);
  if (sema.frame->running_flag) merged.push_back(sema.frame->running_flag);
  branch_on(sema, *active.get<ir::ExprRef>(), rest, {}, merged, rest[0]->range);
}

void statement(Sema& sema, const Stmt& s) {
  switch (s.kind) {
    case StmtKind::Expr:
      return expression_statement(sema, s);
    case StmtKind::Assign:
      return assign(sema, s);
    case StmtKind::AnnAssign:
      return assign_annotated(sema, s);
    case StmtKind::AugAssign:
      return assign_augmented(sema, s);
    case StmtKind::For:
      return for_loop(sema, s);
    case StmtKind::While:
      return while_loop(sema, s);
    case StmtKind::If:
      return branch(sema, s);
    case StmtKind::With:
      return with_statement(sema, s);
    case StmtKind::Return:
      return return_statement(sema, s);
    case StmtKind::Assert:
      return assert_statement(sema, *s.value, s.message, s.range);
    case StmtKind::Break:
    case StmtKind::Continue:
      return leave_loop(sema, s);
    case StmtKind::Pass:
    case StmtKind::FunctionDef:
    case StmtKind::ClassDef:
    case StmtKind::Import:
    case StmtKind::Unsupported:
      return;  // the parser has reported what is not allowed here
  }
}

void expression_statement(Sema& sema, const Stmt& s) {
  const Expr& e = *s.value;
  if (e.kind == ExprKind::String || e.kind == ExprKind::Ellipsis) return;  // docstrings, `...` as a body
  if (e.kind == ExprKind::Call) {
    if (auto form = form_of(sema, *e.left)) {
      if (*form == Form::StaticAssert) {
        const Expr* given[2] = {};
        if (!form_arguments(*sema.current_scope->tree, e, {"condition", "message"}, given) || !given[0]) {
          sema.report(diag::form_arguments, e.range,
                      {"pl.static_assert", "a condition and an optional message"})
              .with_help("write `pl.static_assert(x.shape[0] % 16 == 0, \"message\")`");
          return;
        }
        return assert_statement(sema, *given[0], given[1], s.range);
      }
    }
  }
  perform(sema, eval(sema, e), e, s.range);
}

// A value evaluated for its effect: it must have one.
void perform(Sema& sema, const Value& value, const Expr& e, const Range& range) {
  const auto* expr = value.get<ir::ExprRef>();
  if (value.is_error()) return;
  const auto* call = expr ? ir::as<ir::Call>(*expr) : nullptr;
  bool is_function_call = expr && ir::isa<ir::FunctionCall>(*expr);
  if (call && call->op->plain_assignment_only) {
    report_not_plain(sema, *call->op, sema.span(e));
    return;
  }
  bool acts = is_function_call ||
              (call && (!call->op->effects.empty() || call->op->synchronizes || has_no_value(*call)));
  if (e.kind != ExprKind::Call || !acts) {
    if (e.kind == ExprKind::Call && !call) return;  // an inline call: its statements are here already
    sema.report(diag::unused_value, e.range).with_help("assign the result to a name, or remove the line");
    return;
  }
  bool defers = call && call->op == sema.ops.find("pld.system.defer_wait");
  if (defers && sema.fn->scope_depth == sema.fn->spmd_depth) {
    sema.report(diag::defer_wait_place, e.range)
        .with_help(
            "write `with pl.at(level=pl.Level.CORE_GROUP) as tid: pld.system.defer_wait(...)` in an "
            "orchestration function");
    return;
  }
  if (defers) ++sema.fn->defer_waits;
  if (call) note_effects(sema, *call);
  sema.emit(ir::make<ir::Eval>(sema.span(range), *expr));
}

std::optional<Form> form_of(Sema& sema, const Expr& callee) {
  // Only `pl.x` and `pld.x` can be forms: do not evaluate anything else twice.
  if (callee.kind != ExprKind::Attribute || callee.left->kind != ExprKind::Name) return std::nullopt;
  Value value = sema.is_bound(callee.left->name) ? Value() : lookup(sema, *callee.left);
  if (!value.is<ModuleValue>()) return std::nullopt;
  Value member = attribute(sema, callee);
  const auto* form = member.get<FormValue>();
  return form ? std::optional(form->form) : std::nullopt;
}

bool is_yield(Sema& sema, const Stmt& s) {
  bool shape = (s.kind == StmtKind::Expr || (s.kind == StmtKind::Assign && s.targets.size() == 1)) &&
               s.value && s.value->kind == ExprKind::Call;
  return shape && form_of(sema, *s.value->left) == Form::Yield;
}

void report_not_plain(Sema& sema, const ir::Op& op, const Span& at) {
  sema.report(diag::not_plain_assignment, at, {op.qualified()})
      .with_help("write `buf = " + op.qualified() + "(...)`");
}

bool has_no_value(const ir::Expr& expr) {
  const auto* unit = ir::as<ir::TupleType>(expr.type);
  return unit && unit->types.empty();
}

void report_no_value(Sema& sema, const Span& at) {
  sema.report(diag::no_value, at).with_help("write the call as a statement of its own");
}

void assign(Sema& sema, const Stmt& s) {
  const Expr& value = *s.value;
  bool one_name = s.targets.size() == 1 && s.targets[0]->kind == ExprKind::Name;
  if (value.kind == ExprKind::Call) {
    auto form = form_of(sema, *value.left);
    if (form && one_name && (*form == Form::AllocWindow || *form == Form::AllocSignal)) {
      assign_name(sema, *s.targets[0], alloc_window(sema, value, *form, sema.name_of(s.targets[0]->name)), s);
      return;
    }
  }
  Value result = eval_for(sema, value, written_dtype(sema, s));
  // `a = b = expr`: one value, evaluated once.
  if (!one_name && result.expr() && s.targets.size() > 1)
    result = Value(operand(sema, result, sema.span(value)));
  for (const Expr* target : s.targets) assign_target(sema, *target, result, s);
}

// The dtype of the elements a statement writes: of `x` in `x[i] = value`.
std::optional<ir::DType> written_dtype(const Sema& sema, const Stmt& s) {
  const Expr& target = *s.targets[0];
  bool element = target.kind == ExprKind::Subscript && target.left->kind == ExprKind::Name;
  if (!element || !sema.is_bound(target.left->name)) return std::nullopt;
  const ir::Expr* base = sema.frame->env[target.left->name].expr();
  if (!base) return std::nullopt;
  if (const auto* tensor = ir::as<ir::TensorType>(base->type)) return tensor->dtype;
  if (const auto* tile = ir::as<ir::TileType>(base->type)) return tile->dtype;
  if (const auto* array = ir::as<ir::ArrayType>(base->type)) return array->dtype;
  return std::nullopt;
}

void assign_target(Sema& sema, const Expr& target, const Value& value, const Stmt& s) {
  switch (target.kind) {
    case ExprKind::Name:
      return assign_name(sema, target, value, s);
    case ExprKind::Subscript:
      return assign_subscript(sema, target, value, s);
    case ExprKind::Tuple:
    case ExprKind::List:
      return unpack(sema, target, value, s);
    default:
      sema.report(diag::assign_target, target.range)
          .with_help("assign to a name, to names in a tuple, or to a subscript of a name");
  }
}

void unpack(Sema& sema, const Expr& target, const Value& value, const Stmt& s) {
  std::vector<Value> items;
  if (const auto* list = value.get<ListValue>()) {
    items = *list->items;
  } else if (value.expr() && ir::isa<ir::TupleType>(value.expr()->type)) {
    ir::ExprRef tuple = operand(sema, value, sema.span(*s.value));
    if (!tuple) return;
    const auto* type = ir::as<ir::TupleType>(tuple->type);
    for (size_t i = 0; i < type->types.size(); ++i) {
      items.push_back(
          ir::ExprRef(ir::make<ir::TupleGet>(sema.span(*s.value), tuple, static_cast<int64_t>(i))));
    }
  } else {
    if (!value.is_error()) {
      sema.report(diag::cannot_unpack, s.value->range, {describe(value), std::to_string(target.items.size())})
          .with_help("write a tuple or list with one item per name");
    }
    for (const Expr* item : target.items) bind_error(sema, *item);
    return;
  }
  bool readable = std::none_of(target.items.begin(), target.items.end(),
                               [](const Expr* item) { return item->kind == ExprKind::Unsupported; });
  if (!readable || items.size() != target.items.size()) {
    if (readable) {
      sema.report(diag::unpack_count, target.range,
                  {std::to_string(target.items.size()), std::to_string(items.size())})
          .with_help("write one name per value; use `_` for values that are not used");
    }
    for (const Expr* item : target.items) bind_error(sema, *item);
    return;
  }
  for (size_t i = 0; i < items.size(); ++i) assign_target(sema, *target.items[i], items[i], s);
}

void bind_error(Sema& sema, const Expr& target) {
  if (target.kind == ExprKind::Name) bind(sema, target.name, Value());
  for (const Expr* item : target.items) {
    if (target.kind == ExprKind::Tuple || target.kind == ExprKind::List) bind_error(sema, *item);
  }
}

void assign_name(Sema& sema, const Expr& target, Value value, const Stmt& s) {
  const auto* expr = value.get<ir::ExprRef>();
  if (!expr) return bind(sema, target.name, std::move(value));
  if (const auto* call = ir::as<ir::Call>(*expr); call && call->op->plain_assignment_only) {
    bool plain = s.kind == StmtKind::Assign && s.targets.size() == 1 && s.targets[0] == &target;
    if (!plain) {
      report_not_plain(sema, *call->op, sema.span(*s.value));
      return bind(sema, target.name, Value());
    }
    ir::WindowBufferRef buffer = define_window(sema, sema.name_of(target.name), *expr, sema.span(s.range));
    return bind(sema, target.name, buffer ? Value(ir::ExprRef(buffer)) : Value());
  }
  if (has_no_value(**expr)) {
    report_no_value(sema, sema.span(*s.value));
    return bind(sema, target.name, Value());
  }
  // A name for a variable that exists already is only another name.
  bool atom = ir::isa<ir::Var>(*expr) || ir::isa<ir::DimSymbol>(*expr);
  ir::ExprRef named =
      atom ? *expr : ir::ExprRef(emit_assign(sema, *expr, sema.name_of(target.name), sema.span(s.range)));
  warn_plain_rebinding(sema, target.name, named, s.range);
  bind(sema, target.name, named);
}

// `out = expr` on an output parameter writes nothing; nearly always the user meant to.
void warn_plain_rebinding(Sema& sema, Symbol name, const ir::ExprRef& value, const Range& range) {
  if (sema.frame->is_inline || !sema.is_bound(name)) return;
  const ir::Expr* before = sema.frame->env[name].expr();
  int root = before ? root_of(sema, before) : -1;
  if (root < 0 || root_of(sema, value.get()) == root) return;
  const ir::Parameter& param = *sema.fn->params[root];
  if (param.direction == ir::Direction::In || param.name != sema.name_of(name)) return;
  std::string text = sema.name_of(name);
  sema.report(diag::rebinds_output, range, {text})
      .with_help("write into it: `" + text + " = pl.store(tile, offsets, " + text + ")` or `" + text +
                 "[...] = value`");
}

void assign_annotated(Sema& sema, const Stmt& s) {
  auto type = annotation(sema, *s.annotation);
  const Expr& target = *s.targets[0];
  if (target.kind != ExprKind::Name) {
    sema.report(diag::annotated_target, target.range).with_help("leave the annotation out");
    return;
  }
  if (!s.value) {
    sema.report(diag::declaration_only, s.range, {sema.name_of(target.name)})
        .with_help("assign a value on this line: `" + sema.name_of(target.name) + ": ... = value`");
    return;
  }
  Value callee = s.value->kind == ExprKind::Call ? eval(sema, *s.value->left) : Value(NoneValue{});
  Value value;
  const auto* op = callee.get<OpValue>();
  if (op && !type && op->candidates[0]->needs_annotation) {
    value = Value();  // the error of the annotation has been reported
  } else if (op) {
    value = call_op(sema, *op, *s.value, type ? type->type : nullptr);
  } else if (callee.is_error()) {
    value = Value();
  } else {
    value = eval(sema, *s.value);
  }
  if (!type || value.is_error()) return bind(sema, target.name, Value());
  if (type->has_direction || !type->type) {
    sema.report(diag::direction_on_variable, s.annotation->range)
        .with_help("write the type without `pl.Out[...]` or `pl.InOut[...]`");
    return bind(sema, target.name, Value());
  }
  if (auto dtype = ir::scalar_dtype(type->type); dtype && value.is_number()) {
    value = typed_constant(sema, value, *dtype, sema.span(*s.value));
  }
  if (value.is_error()) return bind(sema, target.name, Value());
  const auto* expr = value.get<ir::ExprRef>();
  if (!expr || !ir::compatible(type->type, (*expr)->type)) {
    sema.report(diag::annotation_mismatch, s.value->range, {ir::to_string(type->type), to_text(value)})
        .with_help("correct the annotation, or convert the value with pl.cast(x, dtype)");
    return bind(sema, target.name, Value());
  }
  assign_name(sema, target, value, s);
}

void assign_augmented(Sema& sema, const Stmt& s) {
  const Expr& target = *s.targets[0];
  if (target.kind != ExprKind::Name && target.kind != ExprKind::Subscript) {
    sema.report(diag::assign_target, target.range).with_help("assign to a name or to a subscript of a name");
    return;
  }
  Value before = eval(sema, target);
  if (before.expr()) before = Value(operand(sema, before, sema.span(target)));
  Value by = eval(sema, *s.value);
  if (before.is_error() || by.is_error()) return bind_error(sema, target);
  Expr e = target;  // the operator's place in the text: the whole statement
  e.kind = ExprKind::Binary;
  e.op = s.op;
  e.left = &target;
  e.right = s.value;
  e.range = s.range;
  Value result = binary(sema, s.op, before, by, e);
  if (result.is_error()) return bind_error(sema, target);
  assign_target(sema, target, result, s);
}

void return_statement(Sema& sema, const Stmt& s) {
  if (sema.frame->loop_depth > 0) {
    sema.report(diag::return_in_loop, s.range)
        .with_help("assign the value to a name and return it after the loop");
    return;
  }
  if (sema.fn->scope_depth > sema.frame->scope_depth_at_entry || sema.frame->with_depth > 0) {
    sema.report(diag::return_in_scope, s.range).with_help("return after the `with` block");
    return;
  }
  sema.frame->returned = true;
  sema.frame->return_span = sema.span(s.range);
  sema.frame->return_values.clear();
  sema.frame->returns_tuple = false;
  if (!s.value) return;
  Value value = eval(sema, *s.value);
  if (value.expr() && has_no_value(*value.expr())) return perform(sema, value, *s.value, s.range);
  if (value.expr()) value = Value(operand(sema, value, sema.span(*s.value), "result"));
  const auto* list = value.get<ListValue>();
  sema.frame->returns_tuple = list && list->is_tuple;
  if (sema.frame->returns_tuple) {
    sema.frame->return_values = *list->items;
  } else {
    sema.frame->return_values.push_back(std::move(value));
  }
}

void assert_statement(Sema& sema, const Expr& condition, const Expr* message, const Range& range) {
  Value value = eval(sema, condition);
  if (value.is_error()) return;
  auto known = known_condition(value);
  if (!known) {
    sema.report(diag::assert_at_run_time, condition.range)
        .with_help("assert only what is known when the program is read: shapes, constants, dtypes");
    return;
  }
  if (*known) return;
  std::string text(sema.current_scope->tree->text(condition.range));
  Value said = message ? eval(sema, *message) : Value(NoneValue{});
  Diagnostic& d = sema.report(diag::assertion_failed, range, {text});
  if (const auto* why = said.get<std::string>()) d.with_note(*why);
}

}  // namespace tilewire::frontend
