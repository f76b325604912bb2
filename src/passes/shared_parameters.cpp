#include "passes/shared_parameters.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "ir/function_kinds.h"
#include "ir/visitor.h"
#include "ops/shape.h"

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

// Of what nothing in the program calls, and of functions that submit tasks: whoever calls those from outside
// may pass one array twice.
bool may_be_entry(const Function& function, const std::set<std::string_view>& called) {
  return !is_kernel_or_group(function.type) || !called.contains(function.name);
}

bool may_be_one_array(const TypeRef& a, const TypeRef& b) {
  const auto *x = as<TensorType>(a), *y = as<TensorType>(b);
  return x && y && x->dtype == y->dtype && ops::may_equal(x->shape, y->shape);
}

void unite(Sharing& sharing, size_t i, size_t j) {
  const int first = std::min(sharing[i], sharing[j]), second = std::max(sharing[i], sharing[j]);
  std::replace(sharing.begin(), sharing.end(), second, first);
}

}  // namespace

bool may_overlap(const RootSet& a, const RootSet& b, const Sharing& sharing) {
  auto memory = [&](int root) { return root < 0 ? root : sharing[static_cast<size_t>(root)]; };
  return std::any_of(a.begin(), a.end(), [&](int x) {
    return std::any_of(b.begin(), b.end(), [&](int y) { return memory(x) == memory(y); });
  });
}

SharedParameters::SharedParameters(const Program& program, const ReturnRoots& returns, bool entries_apart) {
  for (const FunctionRef& function : program.functions) {
    Sharing& own = sharing_[function->name];
    own.resize(function->params.size());
    std::iota(own.begin(), own.end(), 0);
  }
  if (!entries_apart) share_entries(program);
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
          unite(sharing, i, j);
        }
      }
    }
  }
}

void SharedParameters::share_entries(const Program& program) {
  std::set<std::string_view> called;
  for (const FunctionRef& function : program.functions) {
    Find find;
    find.walk(*function->body);
    for (const FunctionCall* call : find.calls) called.insert(call->callee);
  }
  for (const FunctionRef& function : program.functions) {
    if (!may_be_entry(*function, called)) continue;
    const auto& params = function->params;
    for (size_t i = 0; i < params.size(); ++i) {
      for (size_t j = i + 1; j < params.size(); ++j) {
        if (may_be_one_array(params[i]->type, params[j]->type)) unite(sharing_[function->name], i, j);
      }
    }
  }
}

}  // namespace tilewire::passes
