#include "passes/drop_unused.h"

#include <algorithm>

#include "ir/fields.h"
#include "ir/op.h"
#include "ir/pointer_map.h"

namespace tilewire::passes {

using namespace ir;

namespace {

// Walks backwards: when a statement is met, every use of what it defines has been seen.
class Sweep {
 public:
  BlockRef block(const BlockRef& body) {
    std::vector<StmtRef> kept;
    bool changed = false;
    for (size_t i = body->stmts.size(); i-- > 0;) {
      StmtRef now = dispatch(*body->stmts[i], [&](const auto& typed) { return statement(typed); });
      changed = changed || now != body->stmts[i];
      if (now) kept.push_back(std::move(now));
    }
    if (!changed) return body;
    std::reverse(kept.begin(), kept.end());
    return make<Block>(body->span, std::move(kept));
  }

 private:
  bool is_used(const VarList& vars) const {
    return std::any_of(vars.begin(), vars.end(), [&](const VarRef& var) { return used_.find(var.get()); });
  }

  // Everything a node uses, types included: the size of a window may name a variable.
  void use(const Node& node) {
    if (const auto* var = as<Var>(&node)) {
      used_.insert(var, 1);
      if (!isa<WindowBuffer>(*var)) return;
    }
    for_each_child(node, [&](const auto& child, FieldRole role) {
      if (child && role != FieldRole::Def && role != FieldRole::Bind) use(*child);
    });
  }
  void use(const ExprList& list) {
    for (const ExprRef& expr : list) {
      if (expr) use(*expr);
    }
  }
  void use_types(const VarList& vars) {
    for (const VarRef& var : vars) use(*var->type);
  }

  StmtRef statement(const Node&) { internal_error(__FILE__, __LINE__, "not a statement"); }

  StmtRef statement(const Assign& assign) {
    bool needed = used_.find(assign.var.get());
    if (!needed) {
      const auto* call = as<Call>(assign.value);
      needed = isa<FunctionCall>(assign.value) || (call && !call->op->removable);
    }
    if (!needed) return nullptr;
    keep_ = true;
    use(*assign.value);
    use(*assign.var->type);
    return ref(static_cast<const Stmt*>(&assign));
  }

  StmtRef statement(const Eval& eval) {
    const auto* call = as<Call>(eval.value);
    if (call && call->op->removable) return nullptr;
    if (!call && !isa<FunctionCall>(eval.value)) return nullptr;
    keep_ = true;
    use(*eval.value);
    return ref(static_cast<const Stmt*>(&eval));
  }

  StmtRef statement(const Return& ret) {
    use(ret.values);
    keep_ = true;
    return ref(static_cast<const Stmt*>(&ret));
  }
  StmtRef statement(const Yield& yield) {
    use(yield.values);
    return ref(static_cast<const Stmt*>(&yield));
  }

  // Runs `walk` and returns whether it kept anything with a purpose.
  template <class F>
  bool keeps(F&& walk) {
    bool outer = std::exchange(keep_, false);
    walk();
    return std::exchange(keep_, outer);
  }

  StmtRef statement(const If& branch) {
    Ref<If> now = copy(branch);
    bool used = is_used(branch.results);
    bool purpose = keeps([&] {
      now->then_body = block(branch.then_body);
      if (branch.else_body) now->else_body = block(branch.else_body);
    });
    if (!used && !purpose) return nullptr;
    keep_ = true;
    use(*branch.condition);
    use_types(branch.results);
    return finish_node(std::move(now));
  }

  StmtRef statement(const For& loop) {
    Ref<For> now = copy(loop);
    bool used = is_used(loop.results);
    bool purpose = keeps([&] { now->body = block(loop.body); });
    // A step that is computed may be 0, which is an error.
    if (!used && !purpose && constant_value(loop.step)) return nullptr;
    keep_ = true;
    use(*loop.start);
    use(*loop.stop);
    use(*loop.step);
    use(loop.init_values);
    use_types(loop.results);
    return finish_node(std::move(now));
  }

  // A loop that may never end is an effect.
  StmtRef statement(const While& loop) {
    Ref<While> now = copy(loop);
    now->body = block(loop.body);
    use(*loop.condition);
    now->before = block(loop.before);
    use(loop.init_values);
    use_types(loop.results);
    keep_ = true;
    return finish_node(std::move(now));
  }

  template <class T>
  StmtRef task_scope(const T& scope) {
    Ref<T> now = copy(scope);
    now->body = block(scope.body);
    use(scope.deps);
    if constexpr (requires { scope.block_count; }) use(*scope.block_count);
    use_types(scope.results);
    keep_ = true;
    return finish_node(std::move(now));
  }
  StmtRef statement(const AtScope& scope) { return task_scope(scope); }
  StmtRef statement(const SpmdScope& scope) { return task_scope(scope); }
  StmtRef statement(const WithScope& scope) {
    BlockRef body = block(scope.body);
    if (body->stmts.empty()) return nullptr;
    if (body == scope.body) return ref(static_cast<const Stmt*>(&scope));
    return make<WithScope>(scope.span, scope.scope_kind, std::move(body));
  }

  PointerMap<uint8_t> used_;
  bool keep_ = false;
};

}  // namespace

BlockRef drop_unused(const BlockRef& body) {
  return Sweep().block(body);
}

}  // namespace tilewire::passes
