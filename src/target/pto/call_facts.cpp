#include "target/pto/call_facts.h"

#include <algorithm>
#include <set>

#include "ir/op.h"
#include "ir/visitor.h"
#include "ops/shape.h"

namespace tilewire::target::pto {

using namespace ir;

namespace {

struct Calls : Visitor<Calls> {
  std::vector<const FunctionCall*> found;
  void visit(const FunctionCall& call) {
    walk_children(call);
    found.push_back(&call);
  }
};

void add_scalars(const TypeRef& type, std::vector<DType>& found) {
  if (const auto* tuple = as<TupleType>(type)) {
    for (const TypeRef& element : tuple->types) add_scalars(element, found);
  } else if (const auto* scalar = as<ScalarType>(type)) {
    found.push_back(scalar->dtype);
  }
}

struct Communication : Visitor<Communication> {
  explicit Communication(const passes::Roots& known) : roots(known) {}
  const passes::Roots& roots;
  std::set<int> found;
  void visit(const Call& call) {
    walk_children(call);
    if (call.op->module != "pld") return;
    for (const ExprRef& arg : call.args) {
      if (!arg || !isa<DistributedTensorType>(arg->type)) continue;
      for (int root : roots.of(arg)) found.insert(root);
    }
  }
};

bool is_dense(const TensorType& type) {
  const ExprList strides = ops::strides_of(type);
  ExprRef expected = const_index(1);
  for (size_t i = type.shape.size(); i-- > 0;) {
    const bool counts = constant_value(type.shape[i]) != 1;
    if (counts && ops::compare(strides[i], expected) != ops::Known::Equal) return false;
    expected = ops::product(expected, type.shape[i]);
  }
  return true;
}

// Whether a parameter of that type takes any strides.
bool says_layout(const TensorType& type) {
  return type.view && (!type.view->stride.empty() || type.view->layout != Layout::ND);
}

}  // namespace

std::vector<const FunctionCall*> calls_in(const Block& body) {
  Calls calls;
  calls.walk(body);
  return std::move(calls.found);
}

std::vector<DType> scalar_results(const Function& function) {
  std::vector<DType> found;
  for (const TypeRef& type : function.return_types) add_scalars(type, found);
  return found;
}

passes::RootSet communicates_through(const Function& kernel, const passes::ReturnRoots& returns) {
  const passes::Roots roots(kernel, returns);
  Communication communication(roots);
  communication.walk(*kernel.body);
  communication.found.erase(passes::fresh);
  return {communication.found.begin(), communication.found.end()};
}

CallFacts::CallFacts(const Program& program, const passes::ReturnRoots& returns) {
  for (const FunctionRef& function : program.functions) {
    facts_[function->name].layouts.resize(function->params.size());
  }
  std::vector<FunctionRef> callers_first = passes::callees_first(program);
  std::reverse(callers_first.begin(), callers_first.end());
  for (const FunctionRef& caller : callers_first) {
    const passes::Roots roots(*caller, returns);
    for (const FunctionCall* call : calls_in(*caller->body)) pass(program, *caller, *call, roots);
  }
}

void CallFacts::pass(const Program& program, const Function& caller, const FunctionCall& call,
                     const passes::Roots& roots) {
  FunctionRef callee = program.find(call.callee);
  Facts& facts = facts_[call.callee];
  for (size_t i = 0; i < call.args.size(); ++i) {
    const auto* type = as<TensorType>(callee->params[i]->type);
    if (!type || says_layout(*type)) continue;
    PassedLayout passed = layout_of(caller, call.args[i], roots);
    PassedLayout& known = facts.layouts[i];
    passed.strides.resize(type->shape.size());
    if (known.strides.empty()) {
      known = passed;
      continue;
    }
    known.as_typed = known.as_typed && passed.as_typed;
    for (size_t axis = 0; axis < passed.strides.size(); ++axis) {
      if (known.strides[axis] != passed.strides[axis]) known.strides[axis].reset();
    }
  }
  std::vector<std::vector<int>> caller_groups = facts_[caller.name].groups;
  if (caller_groups.empty()) caller_groups.emplace_back(caller.params.size(), -1);
  for (const std::vector<int>& outer : caller_groups) {
    std::vector<int> inner;
    for (const ExprRef& arg : call.args) inner.push_back(group_of(program, arg, roots, outer));
    if (std::find(facts.groups.begin(), facts.groups.end(), inner) == facts.groups.end()) {
      facts.groups.push_back(std::move(inner));
    }
  }
}

// Types say how views of dense tensors lie. What comes from a parameter that may be a part of something lies
// as that does.
PassedLayout CallFacts::layout_of(const Function& caller, const ExprRef& arg,
                                  const passes::Roots& roots) const {
  const auto& type = static_cast<const TensorType&>(*arg->type);
  PassedLayout layout;
  const auto& outer = facts_.find(caller.name)->second.layouts;
  for (int root : roots.of(arg)) {
    if (root < 0 || outer[static_cast<size_t>(root)].as_typed) continue;
    if (roots.same(arg) == root) return outer[static_cast<size_t>(root)];
    layout.as_typed = false;
    layout.strides.assign(type.shape.size(), std::nullopt);
    return layout;
  }
  layout.as_typed = is_dense(type);
  for (const ExprRef& stride : ops::strides_of(type)) layout.strides.push_back(constant_value(stride));
  return layout;
}

int CallFacts::group_of(const Program& program, const ExprRef& arg, const passes::Roots& roots,
                        const std::vector<int>& caller_groups) const {
  const auto* window = arg ? as<DistributedTensorType>(arg->type) : nullptr;
  if (!window) return -1;
  if (const WindowBuffer* buffer = window->window_buffer.get()) {
    for (size_t i = 0; i < program.comm_groups.size(); ++i) {
      for (const WindowBufferRef& slot : program.comm_groups[i]->slots) {
        if (slot->base.get() == buffer->base.get()) return static_cast<int>(i);
      }
    }
    return -1;
  }
  const int root = roots.only(arg);
  return root >= 0 ? caller_groups[static_cast<size_t>(root)] : -1;
}

const PassedLayout& CallFacts::layout(const Function& function, size_t param) const {
  return facts_.find(function.name)->second.layouts[param];
}

std::vector<int> CallFacts::groups(const Function& function) const {
  const auto& calls = facts_.find(function.name)->second.groups;
  std::vector<int> classes;
  for (size_t i = 0; i < function.params.size(); ++i) {
    auto same = [&](size_t other) {
      return !calls.empty() && std::all_of(calls.begin(), calls.end(), [&](const std::vector<int>& groups) {
        return groups[i] >= 0 && groups[i] == groups[other];
      });
    };
    size_t first = 0;
    while (first < i && !same(first)) ++first;
    classes.push_back(static_cast<int>(first));
  }
  return classes;
}

}  // namespace tilewire::target::pto
