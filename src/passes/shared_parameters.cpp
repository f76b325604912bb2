#include "passes/shared_parameters.h"

#include <algorithm>
#include <numeric>

#include "ir/visitor.h"

namespace tilewire::passes {

using namespace ir;

namespace {

// Variables that name tensors which the function makes or gets, so that each is an origin of its own; and its
// calls.
struct Find : Visitor<Find> {
  std::vector<const Var*> made;
  std::vector<const FunctionCall*> calls;
  void visit(const Assign& assign) {
    if (isa<TensorType>(assign.var->type)) made.push_back(assign.var.get());
    walk_children(assign);
  }
  void visit(const FunctionCall& call) { calls.push_back(&call); }
};

bool meet(const RootSet& a, const RootSet& b) {
  return std::any_of(a.begin(), a.end(),
                     [&](int root) { return std::binary_search(b.begin(), b.end(), root); });
}

const WindowBuffer* buffer_of(const ExprRef& expr) {
  const auto* window = as<DistributedTensorType>(expr->type);
  return window ? window->window_buffer.get() : nullptr;
}

}  // namespace

SharedParameters::SharedParameters(const Program& program, const ReturnRoots& returns) {
  for (const FunctionRef& function : program.functions) {
    Sharing& own = sharing_[function->name];
    own.resize(function->params.size());
    std::iota(own.begin(), own.end(), 0);
  }
  std::vector<FunctionRef> callers = callees_first(program);
  std::reverse(callers.begin(), callers.end());
  for (const FunctionRef& caller : callers) {
    Find find;
    find.walk(*caller->body);
    std::vector<const Var*> origins;
    for (const auto& param : caller->params) origins.push_back(param.get());
    origins.insert(origins.end(), find.made.begin(), find.made.end());
    const Roots roots(origins, *caller->body, returns);
    const Sharing& outer = sharing_.at(caller->name);
    // What a variable of its own may be besides itself is in the set as well. Memory that no origin stands
    // for is one that all of it may share.
    auto origins_of = [&](const ExprRef& arg) {
      RootSet set = roots.of(arg);
      for (int& root : set) {
        if (root >= 0 && static_cast<size_t>(root) < outer.size()) root = outer[static_cast<size_t>(root)];
      }
      if (set.size() > 1) set.erase(std::remove(set.begin(), set.end(), fresh), set.end());
      std::sort(set.begin(), set.end());
      return set;
    };
    for (const FunctionCall* call : find.calls) {
      auto callee = sharing_.find(call->callee);
      if (callee == sharing_.end()) continue;
      Sharing& sharing = callee->second;
      const size_t count = std::min(call->args.size(), sharing.size());
      for (size_t i = 0; i < count; ++i) {
        for (size_t j = i + 1; j < count; ++j) {
          if (!isa<TensorType>(call->args[i]->type) || !isa<TensorType>(call->args[j]->type)) continue;
          const WindowBuffer* buffer = buffer_of(call->args[i]);
          const bool one_window = buffer && buffer == buffer_of(call->args[j]);
          if (!one_window && !meet(origins_of(call->args[i]), origins_of(call->args[j]))) continue;
          const int first = std::min(sharing[i], sharing[j]), second = std::max(sharing[i], sharing[j]);
          std::replace(sharing.begin(), sharing.end(), second, first);
        }
      }
    }
  }
}

}  // namespace tilewire::passes
