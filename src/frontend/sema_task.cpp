// Tasks written inline: `with pl.at(...)`, `with pl.spmd(...)`, `for b in pl.spmd(...)`.
#include "frontend/sema_task.h"

#include "frontend/attributes.h"
#include "frontend/sema_branch.h"
#include "frontend/sema_call.h"
#include "frontend/sema_expr.h"
#include "frontend/sema_function.h"
#include "frontend/sema_index.h"
#include "frontend/sema_loop.h"
#include "frontend/sema_name.h"
#include "frontend/sema_scope.h"
#include "frontend/sema_stmt.h"
#include "ir/printer.h"
#include "support/diagnostics/sema.h"

namespace tilewire::frontend {

void at_scope(Sema& sema, const Stmt& s, const Expr& call);
void bind_task_id(Sema& sema, const Stmt& s, ir::VarRef& out);
ir::BlockRef scope_body(Sema& sema, const Stmt& s, ir::VarList& results,
                        std::optional<size_t> start_mark = std::nullopt);
bool check_defer_waits(Sema& sema, const ir::AtScope& scope, const Expr& call, size_t waits);
void skip_scope(Sema& sema, const Stmt& s);

void with_statement(Sema& sema, const Stmt& s) {
  if (s.items.size() != 1) {
    sema.report(diag::with_items, s.range)
        .with_help("write one `with` after the other: task scopes do not nest");
    return skip_scope(sema, s);
  }
  const Expr& item = *s.items[0];
  auto form = item.kind == ExprKind::Call ? form_of(sema, *item.left) : std::nullopt;
  if (form == Form::At) return at_scope(sema, s, item);
  if (form == Form::Spmd) return spmd_scope(sema, s, item, nullptr);
  if (form == Form::ManualScope || form == Form::StorageScope) return plain_scope(sema, s, item, *form);
  sema.report(diag::with_form, item.range)
      .with_help("write `with pl.at(level=pl.Level.CORE_GROUP):` or `with pl.spmd(n):`");
  skip_scope(sema, s);
}

// After a broken `with`: the names that it would assign count as assigned, so that their uses stay silent.
void skip_scope(Sema& sema, const Stmt& s) {
  for (const Expr* name : s.names) {
    if (name) bind_error(sema, *name);
  }
  for (Symbol name : assigned_names(s.body)) bind(sema, name, Value());
}

template <class T>
bool scope_keyword(Sema& sema, T& node, const Keyword& keyword, const char* form) {
  std::string_view name = sema.current_scope->tree->name(keyword.name);
  if (name == "deps") return task_ids(sema, *keyword.value, node.deps);
  Value value = eval(sema, *keyword.value);
  if (value.is_error()) return false;
  if (name == "optimizations") return split_of(sema, value, *keyword.value, node.split);
  switch (set_attribute_field(node, name, value)) {
    case AttributeResult::Set:
      return true;
    case AttributeResult::WrongType:
      sema.report(diag::keyword_type, keyword.value->range, {form, std::string(name), describe(value)})
          .with_help(attribute_help<T>(name));
      return false;
    case AttributeResult::NoSuchField:
      break;
  }
  sema.report(diag::unknown_keyword, keyword.name_range, {form, std::string(name)})
      .with_help(keywords_help<T>({"deps", "optimizations"}));
  return false;
}

bool set_attribute(Sema& sema, LoopHeader& header, std::string_view name, const Value& value,
                   const Keyword& keyword, const std::string& form) {
  AttributeResult result = header.counted ? set_attribute_field(*header.counted, name, value)
                                          : set_attribute_field(*header.conditional, name, value);
  if (result != AttributeResult::WrongType) return result == AttributeResult::Set;
  sema.report(diag::keyword_type, keyword.value->range, {form, std::string(name), describe(value)})
      .with_help(header.counted ? attribute_help<ir::For>(name) : attribute_help<ir::While>(name));
  return true;  // reported
}

bool split_of(Sema& sema, const Value& value, const Expr& e, ir::SplitMode& out) {
  const auto* list = value.get<ListValue>();
  bool ok = list != nullptr;
  if (ok) {
    for (const Value& item : *list->items) {
      const auto* member = item.get<ir::EnumValue>();
      ok = ok && member && member->id == ir::EnumId::SplitMode;
      if (ok) out = static_cast<ir::SplitMode>(member->value);
    }
  }
  if (!ok) {
    sema.report(diag::optimizations, e.range)
        .with_help("write `optimizations=[pl.split(pl.SplitMode.UP_DOWN)]`");
  }
  return ok;
}

bool task_ids(Sema& sema, const Expr& e, ir::ExprList& out) {
  if (e.kind != ExprKind::List && e.kind != ExprKind::Tuple) {
    sema.report(diag::deps_list, e.range).with_help("write `deps=[tid]`");
    return false;
  }
  bool ok = true;
  for (const Expr* item : e.items) {
    Value value = eval(sema, *item);
    if (value.is_error()) {
      ok = false;
      continue;
    }
    ir::ExprRef id = value.expr() ? operand(sema, value, sema.span(*item)) : nullptr;
    const auto* array = id ? ir::as<ir::ArrayType>(id->type) : nullptr;
    bool fits = id && (ir::isa<ir::TaskIdType>(id->type) || (array && array->dtype == ir::DType::TaskId));
    if (!fits) {
      sema.report(diag::deps_type, item->range, {describe(value)})
          .with_label("this is " + to_text(value))
          .with_help("take the id of a task from `with pl.at(...) as tid:`");
      ok = false;
      continue;
    }
    out.push_back(std::move(id));
  }
  return ok;
}

bool scope_allowed(Sema& sema, const Range& range, const char* form) {
  if (sema.fn->level == ir::OnOrchestration) return true;
  Diagnostic& d = sema.report(
      diag::scope_level, range,
      {form, sema.fn->scope_depth > 0 ? "other task scopes" : ir::describe_levels(sema.fn->level)});
  if (sema.fn->scope_depth > 0) {
    d.with_help("move it out of the enclosing task scope: task scopes do not nest");
  } else {
    d.with_help("move it into an orchestration function, decorated with " +
                decorator(ir::FunctionType::Orchestration, *sema.fn->info));
  }
  return false;
}

void at_scope(Sema& sema, const Stmt& s, const Expr& call) {
  Ref<ir::AtScope> scope = ir::make_empty<ir::AtScope>();
  scope->span = sema.span(s.range);
  bool ok = scope_allowed(sema, call.range, "pl.at");
  if (!call.items.empty()) {
    sema.report(diag::form_arguments, call.range, {"pl.at", "keywords only"})
        .with_help("write `pl.at(level=pl.Level.CORE_GROUP, name_hint=\"name\")`");
    ok = false;
  }
  for (const Keyword& keyword : call.keywords) ok = scope_keyword(sema, *scope, keyword, "pl.at") && ok;
  if (ok && scope->level != ir::Level::CORE_GROUP) {
    sema.report(diag::at_level, call.range, {std::string(member_name(ir::enum_value(scope->level)))})
        .with_help("write `level=pl.Level.CORE_GROUP`");
    ok = false;
  }
  size_t waits_before = sema.fn->defer_waits;
  sema.fn->scope_call = {};
  size_t errors_before = sema.diags.error_count();
  scope->body = scope_body(sema, s, scope->results);
  if (sema.diags.error_count() == errors_before) ok = check_scope_call(sema, *scope) && ok;
  ok = check_defer_waits(sema, *scope, call, sema.fn->defer_waits - waits_before) && ok;
  bind_task_id(sema, s, scope->task_id);
  if (ok) sema.emit(ir::finish_node(std::move(scope)));
}

void spmd_scope(Sema& sema, const Stmt& s, const Expr& call, const Expr* block_name) {
  Ref<ir::SpmdScope> scope = ir::make_empty<ir::SpmdScope>();
  scope->span = sema.span(s.range);
  bool ok = scope_allowed(sema, call.range, "pl.spmd");
  if (call.items.size() != 1) {
    sema.report(diag::form_arguments, call.range, {"pl.spmd", "the number of blocks"})
        .with_help("write `pl.spmd(8)`");
    ok = false;
  } else {
    scope->block_count =
        index_expr(sema, eval(sema, *call.items[0]), sema.span(*call.items[0]), "the number of blocks");
    ok = ok && scope->block_count;
    auto count = scope->block_count ? ir::constant_value(scope->block_count) : std::nullopt;
    if (count && *count <= 0) {
      sema.report(diag::block_count, call.items[0]->range, {std::to_string(*count)});
      ok = false;
    }
  }
  for (const Keyword& keyword : call.keywords) ok = scope_keyword(sema, *scope, keyword, "pl.spmd") && ok;
  size_t start = sema.mark();
  if (block_name) {
    if (block_name->kind != ExprKind::Name) {
      sema.report(diag::loop_target, block_name->range).with_help("write `for b in pl.spmd(n):`");
      return skip_loop(sema, s);
    }
    scope->block_var = ir::make<ir::Var>(sema.span(*block_name), sema.name_of(block_name->name),
                                         ir::scalar_type(ir::DType::Index));
    bind(sema, block_name->name, ir::ExprRef(scope->block_var));
    if (leaves_loop(s.body)) {
      sema.report(diag::break_not_allowed, s.range, {"pl.spmd"})
          .with_help("guard the work with `if`: all blocks run concurrently");
      return skip_loop(sema, s);
    }
  }
  scope->body = scope_body(sema, s, scope->results, start);
  bind_task_id(sema, s, scope->task_id);
  if (ok) sema.emit(ir::finish_node(std::move(scope)));
}

void bind_task_id(Sema& sema, const Stmt& s, ir::VarRef& out) {
  const Expr* name = s.kind == StmtKind::With && !s.names.empty() ? s.names[0] : nullptr;
  if (!name) return;
  if (name->kind != ExprKind::Name) {
    sema.report(diag::with_name, name->range).with_help("write `as tid`");
    return;
  }
  out = ir::make<ir::Var>(sema.span(*name), sema.name_of(name->name), ir::task_id_type());
  bind(sema, name->name, ir::ExprRef(out));
}

ir::BlockRef scope_body(Sema& sema, const Stmt& s, ir::VarList& results, std::optional<size_t> start_mark) {
  size_t start = start_mark.value_or(sema.mark());
  const std::vector<Symbol>& names = sema.frame->carries.of(s);
  std::vector<const ir::Expr*> before;
  for (Symbol name : names) before.push_back(sema.is_bound(name) ? sema.frame->env[name].expr() : nullptr);
  std::span<const Stmt* const> body = s.body;
  Explicit yield = take_explicit_yield(sema, body);
  ir::BlockRef block_node;
  std::vector<std::pair<Symbol, Value>> after;
  {
    BlockGuard guard(sema);
    uint8_t level = std::exchange(sema.fn->level, static_cast<uint8_t>(ir::OnKernel));
    auto flags = std::exchange(sema.frame->active_flag, 0);
    ++sema.fn->scope_depth;
    if (s.kind == StmtKind::For || form_of(sema, *s.items[0]->left) == Form::Spmd) ++sema.fn->spmd_depth;
    block(sema, body);
    if (s.kind == StmtKind::For || form_of(sema, *s.items[0]->left) == Form::Spmd) --sema.fn->spmd_depth;
    eval_explicit_yield(sema, yield);
    --sema.fn->scope_depth;
    sema.fn->level = level;
    sema.frame->active_flag = flags;
    ir::ExprList values;
    for (size_t i = 0; i < yield.values.size() && !yield.failed; ++i) {
      std::string hint = i < yield.names.size() ? sema.name_of(yield.names[i]) : "v";
      results.push_back(ir::make<ir::Var>(yield.span, hint, yield.values[i]->type));
      merge_roots(sema, results.back(), yield.values[i], yield.values[i]);
      values.push_back(yield.values[i]);
      if (i < yield.names.size()) after.emplace_back(yield.names[i], ir::ExprRef(results.back()));
    }
    for (size_t i = 0; i < names.size(); ++i) {
      if (std::find(yield.names.begin(), yield.names.end(), names[i]) != yield.names.end()) continue;
      const Value now = sema.is_bound(names[i]) ? sema.frame->env[names[i]] : unbound();
      if (now.is<UnboundValue>() || (now.expr() && now.expr() == before[i])) continue;
      if (now.is_error()) {
        after.emplace_back(names[i], Value());
      } else if (now.expr() && before[i] && ir::isa<ir::TensorType>(now.expr()->type)) {
        ir::ExprRef value = *now.get<ir::ExprRef>();
        results.push_back(ir::make<ir::Var>(sema.span(s.range), sema.name_of(names[i]), value->type));
        merge_roots(sema, results.back(), value, value);
        values.push_back(value);
        after.emplace_back(names[i], ir::ExprRef(results.back()));
      } else {
        after.emplace_back(names[i],
                           UnusableValue{"was assigned inside a task scope and is not visible after it",
                                         "store the value in a tensor inside the scope, and read that tensor "
                                         "after it",
                                         sema.span(s.range)});
      }
    }
    if (!results.empty())
      sema.emit(ir::make<ir::Yield>(yield.stmt ? yield.span : sema.span(s.range), std::move(values)));
    block_node = guard.take(sema.span(s.range));
  }
  undo_to(sema, start);
  for (auto& [name, value] : after) bind(sema, name, std::move(value));
  return block_node;
}

// `defer_wait` turns its scope into a task that occupies no core: it must be the only statement.
bool check_defer_waits(Sema& sema, const ir::AtScope& scope, const Expr& call, size_t waits) {
  const ir::Op* defer = sema.ops.find("pld.system.defer_wait");
  size_t others = 0;
  for (const ir::StmtRef& stmt : scope.body->stmts) {
    const auto* eval = ir::as<ir::Eval>(stmt);
    const auto* op_call = eval ? ir::as<ir::Call>(eval->value) : nullptr;
    others += !op_call || op_call->op != defer;  // a loop with waits in it is something else too
  }
  if (waits == 0 || others == 0) return true;
  sema.report(diag::defer_wait_scope, call.range)
      .with_help("put the other statements into a scope of their own, with deps=[tid]");
  return false;
}

}  // namespace tilewire::frontend
