#include "passes/normalize_return_order.h"

#include <algorithm>

#include "ir/function_kinds.h"
#include "ir/mutator.h"
#include "ir/visitor.h"
#include "passes/return_order.h"
#include "passes/roots.h"

namespace tilewire::passes {

using namespace ir;

namespace {

using Orders = std::map<std::string_view, ReturnOrder>;

template <class T>
std::vector<T> ordered(const std::vector<T>& list, const ReturnOrder& order) {
  std::vector<T> result;
  for (size_t old : order) result.push_back(list[old]);
  return result;
}

TypeRef ordered_type(const TypeRef& type, const ReturnOrder& order) {
  return make<TupleType>(type->span, ordered(static_cast<const TupleType&>(*type).types, order));
}

// The variables that hold the results of reordered kernels.
struct Results : Visitor<Results> {
  const Orders& orders;
  std::vector<std::pair<VarRef, const ReturnOrder*>> found;
  explicit Results(const Orders& o) : orders(o) {}
  void visit(const Assign& assign) {
    const auto* call = as<FunctionCall>(assign.value);
    auto order = call ? orders.find(call->callee) : orders.end();
    if (order != orders.end()) found.emplace_back(assign.var, &order->second);
  }
};

struct Reorder : Mutator<Reorder> {
  const Orders& orders;
  PointerMap<const ReturnOrder*> results;
  const ReturnOrder* returns = nullptr;

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
    const ReturnOrder* const* order = results.find(get.tuple.get());
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

}  // namespace

ProgramRef normalize_return_order(const ProgramRef& program, Diagnostics& diags) {
  ReturnRoots roots = return_roots(*program);
  Orders orders;
  for (const FunctionRef& function : program->functions) {
    if (!is_kernel_or_group(function->type) || function->return_types.empty()) continue;
    auto order = return_order(*function, roots.at(function->name), diags);
    if (order && !std::is_sorted(order->begin(), order->end())) orders[function->name] = std::move(*order);
  }
  if (orders.empty() || diags.has_errors()) return program;
  Ref<Program> result = copy(*program);
  for (FunctionRef& function : result->functions) function = Reorder(*function, orders).mutate(function);
  return finish_node(std::move(result));
}

}  // namespace tilewire::passes
