// Tasks written inline: `with pl.at(...)`, `with pl.spmd(...)`, `for b in pl.spmd(...)`.
#include "frontend/attributes.h"
#include "frontend/sema.h"
#include "ir/printer.h"
#include "support/diagnostics/sema.h"

namespace tilewire::frontend {

void Sema::with_statement(const Stmt& s) {
  if (s.items.size() != 1) {
    report(diag::with_items, s.range).with_help("write one scope after the other: task scopes do not nest");
    return skip_scope(s);
  }
  const Expr& item = *s.items[0];
  auto form = item.kind == ExprKind::Call ? form_of(*item.left) : std::nullopt;
  if (form == Form::At) return at_scope(s, item);
  if (form == Form::Spmd) return spmd_scope(s, item, nullptr);
  report(diag::with_form, item.range)
      .with_help("write `with pl.at(level=pl.Level.CORE_GROUP):` or `with pl.spmd(n):`");
  skip_scope(s);
}

// After a broken `with`: what it would have assigned counts as assigned, so that its uses stay silent.
void Sema::skip_scope(const Stmt& s) {
  for (const Expr* name : s.names) {
    if (name) bind_error(*name);
  }
  for (Symbol name : assigned_names(s.body)) bind(name, Value());
}

template <class T>
bool Sema::scope_keyword(T& node, const Keyword& keyword, const char* form) {
  std::string_view name = current_scope_->tree->name(keyword.name);
  if (name == "deps") return task_ids(*keyword.value, node.deps);
  Value value = eval(*keyword.value);
  if (value.is_error()) return false;
  if (name == "optimizations") return split_of(value, *keyword.value, node.split);
  switch (set_attribute_field(node, name, value)) {
    case AttributeResult::Set:
      return true;
    case AttributeResult::WrongType:
      report(diag::keyword_type, keyword.value->range, {form, std::string(name), describe(value)})
          .with_help(attribute_help<T>(name));
      return false;
    case AttributeResult::NoSuchField:
      break;
  }
  report(diag::unknown_keyword, keyword.name_range, {form, std::string(name)})
      .with_help(keywords_help<T>({"deps", "optimizations"}));
  return false;
}

template bool Sema::scope_keyword(ir::AtScope&, const Keyword&, const char*);
template bool Sema::scope_keyword(ir::SpmdScope&, const Keyword&, const char*);

bool Sema::set_attribute(LoopHeader& header, std::string_view name, const Value& value,
                         const Keyword& keyword, const std::string& form) {
  AttributeResult result = header.counted ? set_attribute_field(*header.counted, name, value)
                                          : set_attribute_field(*header.conditional, name, value);
  if (result != AttributeResult::WrongType) return result == AttributeResult::Set;
  report(diag::keyword_type, keyword.value->range, {form, std::string(name), describe(value)})
      .with_help(header.counted ? attribute_help<ir::For>(name) : attribute_help<ir::While>(name));
  return true;  // reported
}

// optimizations=[pl.split(pl.SplitMode.UP_DOWN)]
bool Sema::split_of(const Value& value, const Expr& e, ir::SplitMode& out) {
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
    report(diag::optimizations, e.range).with_help("write `optimizations=[pl.split(pl.SplitMode.UP_DOWN)]`");
  }
  return ok;
}

bool Sema::task_ids(const Expr& e, ir::ExprList& out) {
  if (e.kind != ExprKind::List && e.kind != ExprKind::Tuple) {
    report(diag::deps_list, e.range).with_help("write `deps=[tid]`");
    return false;
  }
  bool ok = true;
  for (const Expr* item : e.items) {
    Value value = eval(*item);
    if (value.is_error()) {
      ok = false;
      continue;
    }
    ir::ExprRef id = value.expr() ? operand(value, span(*item)) : nullptr;
    const auto* array = id ? ir::as<ir::ArrayType>(id->type) : nullptr;
    bool fits = id && (ir::isa<ir::TaskIdType>(id->type) || (array && array->dtype == ir::DType::TaskId));
    if (!fits) {
      report(diag::deps_type, item->range, {describe(value)})
          .with_label("this is " + to_text(value))
          .with_help("name a task with `with pl.at(...) as tid:`");
      ok = false;
      continue;
    }
    out.push_back(std::move(id));
  }
  return ok;
}

bool Sema::scope_allowed(const Range& range, const char* form) {
  if (fn_->level == ir::OnOrchestration) return true;
  Diagnostic& d =
      report(diag::scope_level, range,
             {form, fn_->scope_depth > 0 ? "other task scopes" : ir::describe_levels(fn_->level)});
  if (fn_->scope_depth > 0) {
    d.with_help("end the scope around it first: task scopes do not nest");
  } else {
    d.with_help(
        "tasks are submitted by orchestration functions: `@pl.function(type=pl.FunctionType.Orchestration)`");
  }
  return false;
}

void Sema::at_scope(const Stmt& s, const Expr& call) {
  Ref<ir::AtScope> scope = ir::make_empty<ir::AtScope>();
  scope->span = span(s.range);
  bool ok = scope_allowed(call.range, "pl.at");
  if (!call.items.empty()) {
    report(diag::form_arguments, call.range, {"pl.at", "keywords only"})
        .with_help("write `pl.at(level=pl.Level.CORE_GROUP, name_hint=\"name\")`");
    ok = false;
  }
  for (const Keyword& keyword : call.keywords) ok = scope_keyword(*scope, keyword, "pl.at") && ok;
  if (ok && scope->level != ir::Level::CORE_GROUP) {
    report(diag::at_level, call.range, {std::string(member_name(ir::enum_value(scope->level)))})
        .with_help("write `level=pl.Level.CORE_GROUP`: the scope is one kernel task");
    ok = false;
  }
  size_t waits_before = fn_->defer_waits;
  fn_->scope_call = {};
  size_t errors_before = diags_.error_count();
  scope->body = scope_body(s, scope->results);
  if (diags_.error_count() == errors_before) ok = check_scope_call(*scope) && ok;
  ok = check_defer_waits(*scope, call, fn_->defer_waits - waits_before) && ok;
  bind_task_id(s, scope->task_id);
  if (ok) emit(ir::finish_node(std::move(scope)));
}

void Sema::spmd_scope(const Stmt& s, const Expr& call, const Expr* block_name) {
  Ref<ir::SpmdScope> scope = ir::make_empty<ir::SpmdScope>();
  scope->span = span(s.range);
  bool ok = scope_allowed(call.range, "pl.spmd");
  if (call.items.size() != 1) {
    report(diag::form_arguments, call.range, {"pl.spmd", "the number of blocks"})
        .with_help("write `pl.spmd(8)`");
    ok = false;
  } else {
    scope->block_count = index_expr(eval(*call.items[0]), span(*call.items[0]), "the number of blocks");
    ok = ok && scope->block_count;
    auto count = scope->block_count ? ir::constant_value(scope->block_count) : std::nullopt;
    if (count && *count <= 0) {
      report(diag::block_count, call.items[0]->range, {std::to_string(*count)});
      ok = false;
    }
  }
  for (const Keyword& keyword : call.keywords) ok = scope_keyword(*scope, keyword, "pl.spmd") && ok;
  size_t start = mark();
  if (block_name) {
    if (block_name->kind != ExprKind::Name) {
      report(diag::loop_target, block_name->range).with_help("write `for b in pl.spmd(n):`");
      return skip_loop(s);
    }
    scope->block_var =
        ir::make<ir::Var>(span(*block_name), name_of(block_name->name), ir::scalar_type(ir::DType::Index));
    bind(block_name->name, ir::ExprRef(scope->block_var));
    if (leaves_loop(s.body)) {
      report(diag::break_not_allowed, s.range, {"pl.spmd"})
          .with_help("blocks are concurrent: guard the work with `if`");
      return skip_loop(s);
    }
  }
  scope->body = scope_body(s, scope->results, start);
  bind_task_id(s, scope->task_id);
  if (ok) emit(ir::finish_node(std::move(scope)));
}

void Sema::bind_task_id(const Stmt& s, ir::VarRef& out) {
  const Expr* name = s.kind == StmtKind::With && !s.names.empty() ? s.names[0] : nullptr;
  if (!name) return;
  if (name->kind != ExprKind::Name) {
    report(diag::with_name, name->range).with_help("write `as tid`");
    return;
  }
  out = ir::make<ir::Var>(span(*name), name_of(name->name), ir::task_id_type());
  bind(name->name, ir::ExprRef(out));
}

ir::BlockRef Sema::scope_body(const Stmt& s, ir::VarList& results, std::optional<size_t> start_mark) {
  size_t start = start_mark.value_or(mark());
  const std::vector<Symbol>& names = frame_->carries.of(s);
  std::vector<const ir::Expr*> before;
  for (Symbol name : names) before.push_back(is_bound(name) ? frame_->env[name].expr() : nullptr);
  std::span<const Stmt* const> body = s.body;
  Explicit yield = take_explicit_yield(body);
  ir::BlockRef block_node;
  std::vector<std::pair<Symbol, Value>> after;
  {
    BlockGuard guard(*this);
    uint8_t level = std::exchange(fn_->level, static_cast<uint8_t>(ir::OnKernel));
    auto flags = std::exchange(frame_->active_flag, 0);
    ++fn_->scope_depth;
    if (s.kind == StmtKind::For || form_of(*s.items[0]->left) == Form::Spmd) ++fn_->spmd_depth;
    block(body);
    if (s.kind == StmtKind::For || form_of(*s.items[0]->left) == Form::Spmd) --fn_->spmd_depth;
    eval_explicit_yield(yield);
    --fn_->scope_depth;
    fn_->level = level;
    frame_->active_flag = flags;
    ir::ExprList values;
    for (size_t i = 0; i < yield.values.size() && !yield.failed; ++i) {
      std::string hint = i < yield.names.size() ? name_of(yield.names[i]) : "v";
      results.push_back(ir::make<ir::Var>(yield.span, hint, yield.values[i]->type));
      merge_roots(results.back(), yield.values[i], yield.values[i]);
      values.push_back(yield.values[i]);
      if (i < yield.names.size()) after.emplace_back(yield.names[i], ir::ExprRef(results.back()));
    }
    for (size_t i = 0; i < names.size(); ++i) {
      if (std::find(yield.names.begin(), yield.names.end(), names[i]) != yield.names.end()) continue;
      const Value now = is_bound(names[i]) ? frame_->env[names[i]] : unbound();
      if (now.is<UnboundValue>() || (now.expr() && now.expr() == before[i])) continue;
      if (now.is_error()) {
        after.emplace_back(names[i], Value());
      } else if (now.expr() && before[i] && ir::isa<ir::TensorType>(now.expr()->type)) {
        ir::ExprRef value = *now.get<ir::ExprRef>();
        results.push_back(ir::make<ir::Var>(span(s.range), name_of(names[i]), value->type));
        merge_roots(results.back(), value, value);
        values.push_back(value);
        after.emplace_back(names[i], ir::ExprRef(results.back()));
      } else {
        after.emplace_back(names[i],
                           UnusableValue{"was assigned inside a task scope and is not visible after it",
                                         "only tensors written in place come out of a scope: store the value "
                                         "in a tensor",
                                         span(s.range)});
      }
    }
    if (!results.empty())
      emit(ir::make<ir::Yield>(yield.stmt ? yield.span : span(s.range), std::move(values)));
    block_node = guard.take(span(s.range));
  }
  undo_to(start);
  for (auto& [name, value] : after) bind(name, std::move(value));
  return block_node;
}

// `defer_wait` turns its scope into a task that occupies no core: nothing else may stand in it.
bool Sema::check_defer_waits(const ir::AtScope& scope, const Expr& call, size_t waits) {
  const ir::Op* defer = ops_.find("pld.system.defer_wait");
  size_t others = 0;
  for (const ir::StmtRef& stmt : scope.body->stmts) {
    const auto* eval = ir::as<ir::Eval>(stmt);
    const auto* op_call = eval ? ir::as<ir::Call>(eval->value) : nullptr;
    others += !op_call || op_call->op != defer;  // a loop with waits in it is something else too
  }
  if (waits == 0 || others == 0) return true;
  report(diag::defer_wait_scope, call.range)
      .with_help("put the other statements into a scope of their own, with deps=[tid]");
  return false;
}

}  // namespace tilewire::frontend
