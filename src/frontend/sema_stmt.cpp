// Simple statements: assignments, returns, assertions, expressions.
#include <algorithm>

#include "frontend/fold.h"
#include "frontend/sema.h"
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

void Sema::block(std::span<const Stmt* const> body) {
  for (size_t i = 0; i < body.size(); ++i) {
    if (diags_.full()) return;
    const Stmt& s = *body[i];
    auto rest = body.subspan(i + 1);
    if (s.kind == StmtKind::If && contains_return(s)) {
      branch_with_return(s, rest);
      return;
    }
    statement(s);
    if (frame_->returned) {
      if (!rest.empty())
        report(diag::unreachable, rest[0]->range).with_help("remove it, or the `return` before it");
      return;
    }
    if (frame_->active_flag != 0 && leaves_loop(s) && !rest.empty()) {
      continue_if_active(rest);
      return;
    }
  }
}

// What follows a `break` or `continue` runs only where neither was reached.
void Sema::continue_if_active(std::span<const Stmt* const> rest) {
  const Value active = frame_->env[frame_->active_flag];
  if (const auto* known = active.get<bool>()) {
    if (*known) return block(rest);
    report(diag::unreachable, rest[0]->range).with_help("remove it, or the `break` or `continue` before it");
    return;
  }
  std::vector<Symbol> merged = assigned_names(rest);
  merged.push_back(frame_->active_flag);
  if (frame_->running_flag) merged.push_back(frame_->running_flag);
  branch_on(*active.get<ir::ExprRef>(), rest, {}, merged, rest[0]->range);
}

void Sema::statement(const Stmt& s) {
  switch (s.kind) {
    case StmtKind::Expr:
      return expression_statement(s);
    case StmtKind::Assign:
      return assign(s);
    case StmtKind::AnnAssign:
      return assign_annotated(s);
    case StmtKind::AugAssign:
      return assign_augmented(s);
    case StmtKind::For:
      return for_loop(s);
    case StmtKind::While:
      return while_loop(s);
    case StmtKind::If:
      return branch(s);
    case StmtKind::With:
      return with_statement(s);
    case StmtKind::Return:
      return return_statement(s);
    case StmtKind::Assert:
      return assert_statement(*s.value, s.message, s.range);
    case StmtKind::Break:
    case StmtKind::Continue:
      return leave_loop(s);
    case StmtKind::Pass:
    case StmtKind::FunctionDef:
    case StmtKind::ClassDef:
    case StmtKind::Import:
    case StmtKind::Unsupported:
      return;  // the parser has reported what is not allowed here
  }
}

void Sema::expression_statement(const Stmt& s) {
  const Expr& e = *s.value;
  if (e.kind == ExprKind::String || e.kind == ExprKind::Ellipsis) return;  // docstrings, `...` as a body
  if (e.kind == ExprKind::Call) {
    if (auto form = form_of(*e.left)) {
      if (*form == Form::StaticAssert) {
        const Expr* given[2] = {};
        if (!form_arguments(*current_scope_->tree, e, {"condition", "message"}, given) || !given[0]) {
          report(diag::form_arguments, e.range, {"pl.static_assert", "a condition and an optional message"})
              .with_help("write `pl.static_assert(x.shape[0] % 16 == 0, \"message\")`");
          return;
        }
        return assert_statement(*given[0], given[1], s.range);
      }
    }
  }
  perform(eval(e), e, s.range);
}

// A value evaluated for what it does: it must do something.
void Sema::perform(const Value& value, const Expr& e, const Range& range) {
  const auto* expr = value.get<ir::ExprRef>();
  if (value.is_error()) return;
  const auto* call = expr ? ir::as<ir::Call>(*expr) : nullptr;
  bool is_function_call = expr && ir::isa<ir::FunctionCall>(*expr);
  if (call && call->op->plain_assignment_only) {
    report_not_plain(*call->op, span(e));
    return;
  }
  bool acts = is_function_call || (call && (!call->op->effects.empty() || call->op->synchronizes));
  if (e.kind != ExprKind::Call || !acts) {
    if (e.kind == ExprKind::Call && !call) return;  // an inline call: its statements are here already
    report(diag::unused_value, e.range).with_help("assign the result to a name, or remove the line");
    return;
  }
  bool defers = call && call->op == ops_.find("pld.system.defer_wait");
  if (defers && fn_->scope_depth == fn_->spmd_depth) {
    report(diag::defer_wait_place, e.range)
        .with_help(
            "write `with pl.at(level=pl.Level.CORE_GROUP) as tid: pld.system.defer_wait(...)` in an "
            "orchestration function");
    return;
  }
  if (defers) ++fn_->defer_waits;
  if (call) note_effects(*call);
  emit(ir::make<ir::Eval>(span(range), *expr));
}

std::optional<Form> Sema::form_of(const Expr& callee) {
  // Only `pl.x` and `pld.x` can be forms: do not evaluate anything else twice.
  if (callee.kind != ExprKind::Attribute || callee.left->kind != ExprKind::Name) return std::nullopt;
  Value value = is_bound(callee.left->name) ? Value() : lookup(*callee.left);
  if (!value.is<ModuleValue>()) return std::nullopt;
  Value member = attribute(callee);
  const auto* form = member.get<FormValue>();
  return form ? std::optional(form->form) : std::nullopt;
}

bool Sema::is_yield(const Stmt& s) {
  bool shape = (s.kind == StmtKind::Expr || (s.kind == StmtKind::Assign && s.targets.size() == 1)) &&
               s.value && s.value->kind == ExprKind::Call;
  return shape && form_of(*s.value->left) == Form::Yield;
}

void Sema::report_not_plain(const ir::Op& op, const Span& at) {
  report(diag::not_plain_assignment, at, {op.qualified()})
      .with_help("write `buf = " + op.qualified() + "(...)`");
}

bool Sema::gives_nothing(const ir::Expr& expr) {
  const auto* unit = ir::as<ir::TupleType>(expr.type);
  return unit && unit->types.empty();
}

void Sema::report_no_value(const Span& at) {
  report(diag::no_value, at).with_help("write the call as a statement of its own");
}

void Sema::assign(const Stmt& s) {
  const Expr& value = *s.value;
  bool one_name = s.targets.size() == 1 && s.targets[0]->kind == ExprKind::Name;
  if (value.kind == ExprKind::Call) {
    auto form = form_of(*value.left);
    if (form && one_name && (*form == Form::AllocWindow || *form == Form::AllocSignal)) {
      assign_name(*s.targets[0], alloc_window(value, *form, name_of(s.targets[0]->name)), s);
      return;
    }
  }
  Value result = eval_for(value, written_dtype(s));
  // `a = b = expr`: one value, evaluated once.
  if (!one_name && result.expr() && s.targets.size() > 1) result = Value(operand(result, span(value)));
  for (const Expr* target : s.targets) assign_target(*target, result, s);
}

// The dtype of the elements a statement writes: of `x` in `x[i] = value`.
std::optional<ir::DType> Sema::written_dtype(const Stmt& s) const {
  const Expr& target = *s.targets[0];
  bool element = target.kind == ExprKind::Subscript && target.left->kind == ExprKind::Name;
  if (!element || !is_bound(target.left->name)) return std::nullopt;
  const ir::Expr* base = frame_->env[target.left->name].expr();
  if (!base) return std::nullopt;
  if (const auto* tensor = ir::as<ir::TensorType>(base->type)) return tensor->dtype;
  if (const auto* tile = ir::as<ir::TileType>(base->type)) return tile->dtype;
  if (const auto* array = ir::as<ir::ArrayType>(base->type)) return array->dtype;
  return std::nullopt;
}

void Sema::assign_target(const Expr& target, const Value& value, const Stmt& s) {
  switch (target.kind) {
    case ExprKind::Name:
      return assign_name(target, value, s);
    case ExprKind::Subscript:
      return assign_subscript(target, value, s);
    case ExprKind::Tuple:
    case ExprKind::List:
      return unpack(target, value, s);
    default:
      report(diag::assign_target, target.range)
          .with_help("assign to a name, to names in a tuple, or to a subscript of a name");
  }
}

void Sema::unpack(const Expr& target, const Value& value, const Stmt& s) {
  std::vector<Value> items;
  if (const auto* list = value.get<ListValue>()) {
    items = *list->items;
  } else if (value.expr() && ir::isa<ir::TupleType>(value.expr()->type)) {
    ir::ExprRef tuple = operand(value, span(*s.value));
    if (!tuple) return;
    const auto* type = ir::as<ir::TupleType>(tuple->type);
    for (size_t i = 0; i < type->types.size(); ++i) {
      items.push_back(ir::ExprRef(ir::make<ir::TupleGet>(span(*s.value), tuple, static_cast<int64_t>(i))));
    }
  } else {
    if (!value.is_error()) {
      report(diag::cannot_unpack, s.value->range, {describe(value), std::to_string(target.items.size())})
          .with_help("only tuples and lists are unpacked");
    }
    for (const Expr* item : target.items) bind_error(*item);
    return;
  }
  bool readable = std::none_of(target.items.begin(), target.items.end(),
                               [](const Expr* item) { return item->kind == ExprKind::Unsupported; });
  if (!readable || items.size() != target.items.size()) {
    if (readable) {
      report(diag::unpack_count, target.range,
             {std::to_string(target.items.size()), std::to_string(items.size())})
          .with_help("write one name per value; `_` is a name for what is not used");
    }
    for (const Expr* item : target.items) bind_error(*item);
    return;
  }
  for (size_t i = 0; i < items.size(); ++i) assign_target(*target.items[i], items[i], s);
}

// After an error the name counts as assigned, so that its uses stay silent.
void Sema::bind_error(const Expr& target) {
  if (target.kind == ExprKind::Name) bind(target.name, Value());
  for (const Expr* item : target.items) {
    if (target.kind == ExprKind::Tuple || target.kind == ExprKind::List) bind_error(*item);
  }
}

void Sema::assign_name(const Expr& target, Value value, const Stmt& s) {
  const auto* expr = value.get<ir::ExprRef>();
  if (!expr) return bind(target.name, std::move(value));
  if (const auto* call = ir::as<ir::Call>(*expr); call && call->op->plain_assignment_only) {
    bool plain = s.kind == StmtKind::Assign && s.targets.size() == 1 && s.targets[0] == &target;
    if (!plain) {
      report_not_plain(*call->op, span(*s.value));
      return bind(target.name, Value());
    }
    ir::WindowBufferRef buffer = define_window(name_of(target.name), *expr, span(s.range));
    return bind(target.name, buffer ? Value(ir::ExprRef(buffer)) : Value());
  }
  if (gives_nothing(**expr)) {
    report_no_value(span(*s.value));
    return bind(target.name, Value());
  }
  // A name for a variable that exists already is only another name.
  bool atom = ir::isa<ir::Var>(*expr) || ir::isa<ir::DimSymbol>(*expr);
  ir::ExprRef named = atom ? *expr : ir::ExprRef(emit_assign(*expr, name_of(target.name), span(s.range)));
  warn_plain_rebinding(target.name, named, s.range);
  bind(target.name, named);
}

// `out = expr` on an output parameter writes nothing; nearly always the user meant to.
void Sema::warn_plain_rebinding(Symbol name, const ir::ExprRef& value, const Range& range) {
  if (frame_->is_inline || !is_bound(name)) return;
  const ir::Expr* before = frame_->env[name].expr();
  int root = before ? root_of(before) : -1;
  if (root < 0 || root_of(value.get()) == root) return;
  const ir::Parameter& param = *fn_->params[root];
  if (param.direction == ir::Direction::In || param.name != name_of(name)) return;
  std::string text = name_of(name);
  report(diag::rebinds_output, range, {text})
      .with_help("write it: `" + text + " = pl.store(tile, offsets, " + text + ")` or `" + text +
                 "[...] = value`");
}

void Sema::assign_annotated(const Stmt& s) {
  auto type = annotation(*s.annotation);
  const Expr& target = *s.targets[0];
  if (target.kind != ExprKind::Name) {
    report(diag::annotated_target, target.range).with_help("leave the annotation out");
    return;
  }
  if (!s.value) {
    report(diag::declaration_only, s.range, {name_of(target.name)}).with_help("give it a value");
    return;
  }
  Value callee = s.value->kind == ExprKind::Call ? eval(*s.value->left) : Value(NoneValue{});
  Value value;
  const auto* op = callee.get<OpValue>();
  if (op && !type && op->candidates[0]->needs_annotation) {
    value = Value();  // what is wrong with the annotation has been said
  } else if (op) {
    value = call_op(*op, *s.value, type ? type->type : nullptr);
  } else if (callee.is_error()) {
    value = Value();
  } else {
    value = eval(*s.value);
  }
  if (!type || value.is_error()) return bind(target.name, Value());
  if (type->has_direction || !type->type) {
    report(diag::direction_on_variable, s.annotation->range).with_help("directions belong to parameters");
    return bind(target.name, Value());
  }
  if (auto dtype = ir::scalar_dtype(type->type); dtype && value.is_number()) {
    value = typed_constant(value, *dtype, span(*s.value));
  }
  if (value.is_error()) return bind(target.name, Value());
  const auto* expr = value.get<ir::ExprRef>();
  if (!expr || !ir::compatible(type->type, (*expr)->type)) {
    report(diag::annotation_mismatch, s.value->range, {ir::to_string(type->type), to_text(value)})
        .with_label("this is " + to_text(value))
        .with_help("correct the annotation or leave it out; pl.cast(x, dtype) converts values");
    return bind(target.name, Value());
  }
  assign_name(target, value, s);
}

void Sema::assign_augmented(const Stmt& s) {
  const Expr& target = *s.targets[0];
  if (target.kind != ExprKind::Name && target.kind != ExprKind::Subscript) {
    report(diag::assign_target, target.range).with_help("assign to a name or to a subscript of a name");
    return;
  }
  Value before = eval(target);
  if (before.expr()) before = Value(operand(before, span(target)));
  Value by = eval(*s.value);
  if (before.is_error() || by.is_error()) return bind_error(target);
  Expr e = target;  // the operator's place in the text: the whole statement
  e.kind = ExprKind::Binary;
  e.op = s.op;
  e.left = &target;
  e.right = s.value;
  e.range = s.range;
  Value result = binary(s.op, before, by, e);
  if (result.is_error()) return bind_error(target);
  assign_target(target, result, s);
}

void Sema::return_statement(const Stmt& s) {
  if (frame_->loop_depth > 0) {
    report(diag::return_in_loop, s.range)
        .with_help("assign the value to a name and return it after the loop");
    return;
  }
  if (fn_->scope_depth > frame_->scope_depth_at_entry) {
    report(diag::return_in_scope, s.range).with_help("return after the `with` block");
    return;
  }
  frame_->returned = true;
  frame_->return_span = span(s.range);
  frame_->return_values.clear();
  frame_->returns_tuple = false;
  if (!s.value) return;
  Value value = eval(*s.value);
  if (value.expr() && gives_nothing(*value.expr())) return perform(value, *s.value, s.range);
  if (value.expr()) value = Value(operand(value, span(*s.value), "result"));
  const auto* list = value.get<ListValue>();
  frame_->returns_tuple = list && list->is_tuple;
  if (frame_->returns_tuple) {
    frame_->return_values = *list->items;
  } else {
    frame_->return_values.push_back(std::move(value));
  }
}

void Sema::assert_statement(const Expr& condition, const Expr* message, const Range& range) {
  Value value = eval(condition);
  if (value.is_error()) return;
  auto known = known_condition(value);
  if (!known) {
    report(diag::assert_at_run_time, condition.range)
        .with_help("assert what is known when the program is read: shapes, constants, dtypes");
    return;
  }
  if (*known) return;
  std::string text(current_scope_->tree->text(condition.range));
  Value said = message ? eval(*message) : Value(NoneValue{});
  Diagnostic& d = report(diag::assertion_failed, range, {text});
  if (const auto* why = said.get<std::string>()) d.with_note(*why);
}

}  // namespace tilewire::frontend
