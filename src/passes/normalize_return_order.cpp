#include "passes/normalize_return_order.h"

#include <algorithm>
#include <numeric>

#include "ir/function_kinds.h"
#include "ir/mutator.h"
#include "ir/visitor.h"
#include "passes/roots.h"
#include "support/diagnostics/passes.h"

namespace tilewire::passes {

using namespace ir;

namespace {

using Order = std::vector<size_t>;  // the old number of each result
using Orders = std::map<std::string_view, Order>;

template <class T>
std::vector<T> ordered(const std::vector<T>& list, const Order& order) {
  std::vector<T> result;
  for (size_t old : order) result.push_back(list[old]);
  return result;
}

TypeRef ordered_type(const TypeRef& type, const Order& order) {
  return make<TupleType>(type->span, ordered(static_cast<const TupleType&>(*type).types, order));
}

// The variables that hold the results of reordered kernels.
struct Results : Visitor<Results> {
  const Orders& orders;
  std::vector<std::pair<VarRef, const Order*>> found;
  explicit Results(const Orders& o) : orders(o) {}
  void visit(const Assign& assign) {
    const auto* call = as<FunctionCall>(assign.value);
    auto order = call ? orders.find(call->callee) : orders.end();
    if (order != orders.end()) found.emplace_back(assign.var, &order->second);
  }
};

struct Reorder : Mutator<Reorder> {
  const Orders& orders;
  PointerMap<const Order*> results;
  const Order* returns = nullptr;

  Reorder(const Function& function, const Orders& o) : orders(o) {
    Results holders(orders);
    holders.walk(function);
    for (const auto& [var, order] : holders.found) {
      results.insert(var.get(), order);
      replace(var, make<Var>(var->span, var->name_hint, ordered_type(var->type, *order)));
    }
    auto own = orders.find(function.name);
    if (own != orders.end()) returns = &own->second;
  }

  NodeRef rewrite(const FunctionCall& call) {
    Ref<const FunctionCall> inner = rewrite_children(call);
    auto order = orders.find(call.callee);
    if (order == orders.end()) return inner;
    Ref<FunctionCall> now = copy(*inner);
    now->type = ordered_type(inner->type, order->second);
    return finish_node(std::move(now));
  }

  NodeRef rewrite(const TupleGet& get) {
    const Order* const* order = results.find(get.tuple.get());
    if (!order) return rewrite_children(get);
    auto place = std::find((*order)->begin(), (*order)->end(), static_cast<size_t>(get.index));
    return make<TupleGet>(get.span, mutate(get.tuple), static_cast<int64_t>(place - (*order)->begin()));
  }

  NodeRef rewrite(const Return& ret) {
    Ref<const Return> inner = rewrite_children(ret);
    return returns ? NodeRef(make<Return>(ret.span, ordered(inner->values, *returns))) : NodeRef(inner);
  }

  NodeRef rewrite(const Function& function) {
    Ref<const Function> inner = rewrite_children(function);
    if (!returns) return inner;
    Ref<Function> now = copy(*inner);
    now->return_types = ordered(inner->return_types, *returns);
    return finish_node(std::move(now));
  }
};

// Empty when the results are in order as they are, or cannot be brought into one.
Order order_of(const Function& kernel, const std::vector<Returned>& returned, Diagnostics& diags) {
  constexpr int last = INT32_MAX;
  std::vector<int> keys;
  for (size_t i = 0; i < kernel.return_types.size(); ++i) {
    bool tensor = isa<TensorType>(kernel.return_types[i]);
    const RootSet& roots = returned[i].roots;
    if (tensor && (roots.size() != 1 || roots[0] == fresh)) {
      diags.report(diag::returns_one_of_several, kernel.body->stmts.back()->span, {kernel.name});
      return {};
    }
    int key = tensor ? roots[0] : last;
    if (tensor && std::find(keys.begin(), keys.end(), key) != keys.end()) {
      diags
          .report(diag::returned_twice, kernel.body->stmts.back()->span,
                  {kernel.name, kernel.params[key]->name})
          .with_help("return it once, and use that result in both places");
      return {};
    }
    keys.push_back(key);
  }
  Order order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return keys[a] < keys[b]; });
  return std::is_sorted(order.begin(), order.end()) ? Order{} : order;
}

}  // namespace

ProgramRef normalize_return_order(const ProgramRef& program, Diagnostics& diags) {
  ReturnRoots roots = return_roots(*program);
  Orders orders;
  for (const FunctionRef& function : program->functions) {
    if (!is_kernel_or_group(function->type) || function->return_types.empty()) continue;
    Order order = order_of(*function, roots.at(function->name), diags);
    if (!order.empty()) orders[function->name] = std::move(order);
  }
  if (orders.empty() || diags.has_errors()) return program;
  Ref<Program> result = copy(*program);
  for (FunctionRef& function : result->functions) function = Reorder(*function, orders).mutate(function);
  return finish_node(std::move(result));
}

}  // namespace tilewire::passes
