// Names assigned in such a scope are visible after it, but for tensors that a pl.scope frees.
#include "frontend/sema_scope.h"

#include <algorithm>
#include <set>

#include "frontend/sema_function.h"
#include "frontend/sema_name.h"
#include "frontend/sema_stmt.h"
#include "ir/origins.h"
#include "support/diagnostics/sema.h"

namespace tilewire::frontend {
namespace {

bool check_form(Sema& sema, const Stmt& s, const Expr& call, const std::string& name) {
  bool ok = true;
  if (sema.fn->level != ir::OnOrchestration) {
    Diagnostic& d =
        sema.report(diag::with_level, call.range,
                    {name, sema.fn->scope_depth > 0 ? "a task scope" : ir::describe_levels(sema.fn->level)});
    d.with_help(sema.fn->scope_depth > 0
                    ? "open it around the task scope: it applies to the tasks submitted inside it"
                    : "move it into an orchestration function, decorated with " +
                          decorator(ir::FunctionType::Orchestration, *sema.fn->info));
    ok = false;
  }
  if (!call.items.empty() || !call.keywords.empty()) {
    sema.report(diag::form_arguments, call.range, {name, "no arguments"})
        .with_help("write `with " + name + "():`");
    ok = false;
  }
  if (!s.names.empty() && s.names[0]) {
    sema.report(diag::with_no_name, s.names[0]->range, {name})
        .with_help("remove `as`; `pl.task_join(deps=[...])` returns one id for several tasks");
    bind_error(sema, *s.names[0]);
    ok = false;
  }
  return ok;
}

bool may_be_created(const ir::StorageOrigins& origins, const Value& value) {
  if (const auto* list = value.get<ListValue>()) {
    return std::any_of(list->items->begin(), list->items->end(),
                       [&](const Value& item) { return may_be_created(origins, item); });
  }
  return value.expr() && origins.may_be_created(value.expr());
}

// From here on, what the scope created must not be used.
void hide_created(Sema& sema, const Stmt& s, const ir::Block& body, size_t start) {
  const ir::StorageOrigins origins({}, body, [&](const ir::FunctionCall& call) {
    std::vector<ir::Origins> results;
    auto callee = sema.versions_by_name.find(call.callee);
    if (callee == sema.versions_by_name.end()) return results;
    for (int root : callee->second->return_roots) results.push_back({root < 0 ? ir::created : root});
    return results;
  });
  std::set<Symbol> names;
  for (size_t i = start; i < sema.frame->trail.size(); ++i) names.insert(sema.frame->trail[i].first);
  for (Symbol name : names) {
    if (!sema.is_bound(name) || !may_be_created(origins, sema.frame->env[name])) continue;
    bind(sema, name,
         UnusableValue{"was created in a `pl.scope` that has ended",
                       "use it inside the `with` block, or create it before the block", sema.span(s.range)});
  }
}

}  // namespace

void plain_scope(Sema& sema, const Stmt& s, const Expr& call, Form form) {
  const bool manual = form == Form::ManualScope;
  const bool ok = check_form(sema, s, call, manual ? "pl.manual_scope" : "pl.scope");
  const size_t start = sema.mark();
  ir::BlockRef body;
  {
    BlockGuard guard(sema);
    ++sema.frame->with_depth;
    block(sema, s.body);
    --sema.frame->with_depth;
    sema.frame->returned = false;  // reported
    body = guard.take(sema.span(s.range));
  }
  if (!manual) hide_created(sema, s, *body, start);
  const auto kind = manual ? ir::ScopeKind::Manual : ir::ScopeKind::Storage;
  if (ok) sema.emit(ir::make<ir::WithScope>(sema.span(s.range), kind, std::move(body)));
}

}  // namespace tilewire::frontend
