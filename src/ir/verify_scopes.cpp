// What a scope defines stays in scope behind it, so that every way out of it is a use of one of its
// variables: in a yield, a return, a view, a call.
#include "ir/verify_scopes.h"

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ir/origins.h"
#include "ir/visitor.h"
#include "support/diagnostics/verifier.h"

namespace tilewire::ir {
namespace {

class ScopeCheck : public Visitor<ScopeCheck> {
 public:
  ScopeCheck(StorageOrigins::Results results, Diagnostics& diags)
      : results_(std::move(results)), diags_(diags) {}

  template <class T>
  requires std::is_base_of_v<Stmt, T>
  void visit(const T& stmt) {
    const Span* outer = std::exchange(here_, stmt.span ? &stmt.span : here_);
    walk_children(stmt);
    here_ = outer;
    if constexpr (std::is_same_v<T, WithScope>) {
      if (stmt.scope_kind == ScopeKind::Storage) leave(stmt);
    }
  }

  // What the scope itself uses has been visited, and what comes before it cannot use what it defines.
  void visit(const Var& var) {
    auto freed = freed_.find(&var);
    if (freed == freed_.end()) return;
    diags_
        .report(diag::created_in_ended_scope, here_ ? *here_ : Span{},
                {var.name_hint.empty() ? "?" : var.name_hint})
        .with_note("the scope is this one", freed->second->span)
        .with_help("use it inside the scope, or create it before the scope");
    freed_.erase(freed);
  }

 private:
  void leave(const WithScope& scope) {
    const StorageOrigins origins({}, *scope.body, results_);
    for (const Var* var : origins.may_be_created()) freed_.emplace(var, &scope);
  }

  const StorageOrigins::Results results_;
  Diagnostics& diags_;
  const Span* here_ = nullptr;
  std::unordered_map<const Var*, const WithScope*> freed_;
};

}  // namespace

void check_scoped_storage(const std::vector<const Function*>& callees_first, Diagnostics& diags) {
  std::map<std::string_view, std::vector<Origins>> returned;
  auto results = [&](const FunctionCall& call) { return returned[call.callee]; };
  for (const Function* function : callees_first) {
    returned[function->name] = StorageOrigins(function->params, *function->body, results).returned();
    ScopeCheck(results, diags).walk(*function);
  }
}

}  // namespace tilewire::ir
