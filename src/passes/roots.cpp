#include "passes/roots.h"

#include <algorithm>

#include "ir/aliases.h"
#include "ir/op.h"
#include "ir/visitor.h"
#include "ops/handles.h"

namespace tilewire::passes {

using namespace ir;

namespace {

const RootSet nothing, own{fresh};

// Whether the result of an op is the operand it aliases, not a view of it.
bool hands_back(const Op& op) {
  if (op.result_peer >= 0) return false;
  if (op == ops::pl::no_dep) return true;
  return std::any_of(op.effects.begin(), op.effects.end(), [&](const Effect& effect) {
    return effect.param == op.result_alias && effect.access != Access::Read;
  });
}

bool add(RootSet& set, const RootSet& more) {
  size_t before = set.size();
  for (int root : more) {
    auto at = std::lower_bound(set.begin(), set.end(), root);
    if (at == set.end() || *at != root) set.insert(at, root);
  }
  return set.size() != before;
}

}  // namespace

// Walks statements in order. A loop is walked again while what it carries still grows, which takes at most
// one more round than it carries values.
class RootWalk {
 public:
  RootWalk(Roots& roots, const ReturnRoots& returns) : roots_(roots), returns_(returns) {}

  void block(const Block& block) {
    for (const StmtRef& stmt : block.stmts) dispatch(*stmt, [&](const auto& typed) { statement(typed); });
  }

  bool join(const Var& var, RootSet more) {  // by value: the table it may come from grows
    if (more.empty()) return false;
    auto [place, added] = roots_.places_.insert(&var, static_cast<uint32_t>(roots_.sets_.size()));
    if (added) roots_.sets_.emplace_back();
    return add(roots_.sets_[*place], more);
  }

  // One of the values that a variable may have. Whether that is another one than before.
  bool join_same(const Var& var, int same) {
    auto [known, is_new] = roots_.same_.insert(&var, same);
    if (is_new || *known == same || *known < 0) return false;
    *known = -1;
    return true;
  }

 private:
  void statement(const Node&) {}

  void statement(const Assign& assign) {
    if (const auto* call = as<Call>(assign.value)) {
      join(*assign.var, roots_.of(assign.value));
      const Expr* operand = hands_back(*call->op) ? aliased_operand(*call) : nullptr;
      assign_same(*assign.var, operand ? roots_.same(ref(operand)) : -1);
    } else if (const auto* call = as<FunctionCall>(assign.value)) {
      calls_.insert(assign.var.get(), call);
      if (!isa<TupleType>(call->type)) assign_result(*assign.var, *call, 0);
    } else if (const auto* get = as<TupleGet>(assign.value)) {
      const FunctionCall* const* from = calls_.find(get->tuple.get());
      if (from) assign_result(*assign.var, **from, static_cast<size_t>(get->index));
    } else {
      if (isa<TensorType>(assign.value->type)) join(*assign.var, roots_.of(assign.value));
      assign_same(*assign.var, roots_.same(assign.value));
    }
  }

  void assign_result(const Var& var, const FunctionCall& call, size_t index) {
    auto callee = returns_.find(call.callee);
    if (callee == returns_.end() || index >= callee->second.size()) return;
    const Returned& returned = callee->second[index];
    auto argument = [&](int root) { return static_cast<size_t>(root) < call.args.size(); };
    RootSet set;
    for (int root : returned.roots) {
      if (root == fresh) {
        add(set, {fresh});
      } else if (argument(root)) {
        add(set, roots_.of(call.args[root]));
      }
    }
    join(var, std::move(set));
    const bool is_argument = returned.same >= 0 && argument(returned.same);
    assign_same(var, is_argument ? roots_.same(call.args[returned.same]) : -1);
  }

  // Of a variable with one definition, which a loop may come to again.
  void assign_same(const Var& var, int same) {
    if (int* known = roots_.same_.find(&var)) {
      *known = same;
    } else if (same >= 0) {
      roots_.same_.insert(&var, same);
    }
  }

  void statement(const If& branch) {
    for (const BlockRef& body : {branch.then_body, branch.else_body}) {
      if (!body) continue;
      block(*body);
      hand_on(*body, branch.results);
    }
  }

  bool hand_on(const Block& body, const VarList& to) {
    const auto* yield = body.stmts.empty() ? nullptr : as<Yield>(body.stmts.back());
    bool grew = false;
    for (size_t i = 0; yield && i < to.size() && i < yield->values.size(); ++i) {
      grew = join(*to[i], roots_.of(yield->values[i])) || grew;
      grew = join_same(*to[i], roots_.same(yield->values[i])) || grew;
    }
    return grew;
  }

  template <class T>
  void carried(const T& loop) {
    for (size_t i = 0; i < loop.iter_args.size(); ++i) {
      join(*loop.iter_args[i], roots_.of(loop.init_values[i]));
      join_same(*loop.iter_args[i], roots_.same(loop.init_values[i]));
    }
    do {
      if constexpr (requires { loop.before; }) block(*loop.before);
      block(*loop.body);
    } while (hand_on(*loop.body, loop.iter_args));
    for (size_t i = 0; i < loop.results.size(); ++i) {
      join(*loop.results[i], roots_.of(loop.iter_args[i]));
      join_same(*loop.results[i], roots_.same(loop.iter_args[i]));
    }
  }
  void statement(const For& loop) { carried(loop); }
  void statement(const While& loop) { carried(loop); }

  template <class T>
  void task_scope(const T& scope) {
    block(*scope.body);
    hand_on(*scope.body, scope.results);
  }
  void statement(const AtScope& scope) { task_scope(scope); }
  void statement(const SpmdScope& scope) { task_scope(scope); }
  void statement(const WithScope& scope) { block(*scope.body); }

  void statement(const Return& ret) {
    roots_.returned_.clear();
    for (const ExprRef& value : ret.values) {
      roots_.returned_.push_back({roots_.of(value), roots_.same(value)});
    }
  }

  Roots& roots_;
  const ReturnRoots& returns_;
  PointerMap<const FunctionCall*> calls_;
};

namespace {

std::vector<const Var*> params_of(const Function& function) {
  std::vector<const Var*> params;
  for (const auto& param : function.params) params.push_back(param.get());
  return params;
}

}  // namespace

Roots::Roots(const Function& function, const ReturnRoots& returns)
    : Roots(params_of(function), *function.body, returns) {}

Roots::Roots(const std::vector<const Var*>& params, const Block& body, const ReturnRoots& returns,
             bool untracked)
    : untracked_(untracked) {
  RootWalk walk(*this, returns);
  for (size_t i = 0; i < params.size(); ++i) {
    if (isa<TensorType>(params[i]->type)) walk.join(*params[i], {static_cast<int>(i)});
    same_.insert(params[i], static_cast<int>(i));
  }
  walk.block(body);
}

const Expr* Roots::source_of(const Call& call) const {
  return call.op == ops::pl::no_dep && !untracked_ ? nullptr : aliased_operand(call);
}

const RootSet& Roots::of(const ExprRef& expr) const {
  const Expr* at = expr.get();
  while (const auto* call = as<Call>(at)) {
    at = source_of(*call);
    if (!at) return isa<TensorType>(call->type) ? own : nothing;
  }
  const uint32_t* place = at ? places_.find(at) : nullptr;
  return place ? sets_[*place] : nothing;
}

int Roots::only(const ExprRef& expr) const {
  const RootSet& set = of(expr);
  return set.size() == 1 ? set[0] : -1;
}

int Roots::same(const ExprRef& expr) const {
  const int* known = same_.find(expr.get());
  return known ? *known : -1;
}

std::vector<FunctionRef> callees_first(const Program& program) {
  struct Callees : Visitor<Callees> {
    std::vector<std::string_view> names;
    void visit(const FunctionCall& call) { names.push_back(call.callee); }
  };
  struct Open {
    const Function* function;
    std::vector<std::string_view> callees;
    size_t next = 0;
  };
  std::map<std::string_view, const Function*> by_name;
  for (const FunctionRef& function : program.functions) by_name[function->name] = function.get();
  std::vector<FunctionRef> order;
  PointerMap<uint8_t> seen;
  std::vector<Open> stack;
  auto open = [&](const Function* function) {
    if (!seen.insert(function, 1).second) return;
    Callees callees;
    callees.walk(*function);
    stack.push_back({function, std::move(callees.names)});
  };
  for (const FunctionRef& root : program.functions) {
    open(root.get());
    while (!stack.empty()) {
      Open& top = stack.back();
      if (top.next < top.callees.size()) {
        auto callee = by_name.find(top.callees[top.next++]);
        if (callee != by_name.end()) open(callee->second);
      } else {
        order.push_back(ref(top.function));
        stack.pop_back();
      }
    }
  }
  return order;
}

ReturnRoots return_roots(const Program& program) {
  ReturnRoots all;
  for (const FunctionRef& function : callees_first(program)) {
    Roots roots(*function, all);
    all[function->name] = roots.of_returns();
  }
  return all;
}

}  // namespace tilewire::passes
