#include "target/pto/kernel_parameters.h"

#include <algorithm>
#include <map>
#include <set>

#include "ir/function_kinds.h"
#include "ir/op.h"
#include "ir/visitor.h"
#include "ops/pipe.h"
#include "ops/shape.h"
#include "passes/roots.h"
#include "target/pto/call_facts.h"

namespace tilewire::target::pto {

using namespace ir;

namespace {

// The functions that a Group calls, in order.
std::vector<const Function*> halves_of(const Program& program, const Function& group) {
  std::vector<const Function*> halves;
  for (const FunctionCall* call : calls_in(*group.body)) {
    if (FunctionRef callee = program.find(call->callee)) halves.push_back(callee.get());
  }
  return halves;
}

// Names of parameters as values of the text: ASCII letters, digits and _, each once.
class ValueNames {
 public:
  std::string fresh(const std::string& wanted) {
    std::string base;
    for (char c : wanted) {
      const bool plain =
          (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
      base += plain ? c : '_';
    }
    if (base.empty() || (base[0] >= '0' && base[0] <= '9')) base.insert(0, "_");
    std::string name = base;
    for (int n = 1; !taken_.insert(name).second; ++n) name = base + "_" + std::to_string(n);
    return name;
  }

 private:
  std::set<std::string> taken_;
};

struct Symbols : Visitor<Symbols> {
  std::vector<std::string> found;
  void visit(const DimSymbol& symbol) {
    if (std::find(found.begin(), found.end(), symbol.name) == found.end()) found.push_back(symbol.name);
  }
};

std::vector<std::string> symbols_of(const ExprRef& expr) {
  Symbols symbols;
  symbols.walk(expr);
  return std::move(symbols.found);
}

// The dimensions of a kernel's tensors. One that is the whole extent of an axis is told there.
std::vector<KernelParameter> dimensions_of(const Function& function, ValueNames& names) {
  std::vector<KernelParameter> found;
  for (size_t i = 0; i < function.params.size(); ++i) {
    const auto* tensor = as<TensorType>(function.params[i]->type);
    if (!tensor || function.params[i]->name == ops::workspace_name) continue;
    auto add = [&](const ExprRef& expr, size_t axis) {
      for (const std::string& symbol : symbols_of(expr)) {
        auto known =
            std::find_if(found.begin(), found.end(), [&](const auto& d) { return d.symbol == symbol; });
        if (known == found.end()) {
          found.push_back({ParameterKind::Dimension, "", DType::Index, i, axis, symbol});
          continue;
        }
        const auto* of = as<TensorType>(function.params[known->index]->type);
        if (isa<DimSymbol>(expr) && !isa<DimSymbol>(of->shape[known->axis])) {
          known->index = i;
          known->axis = axis;
        }
      }
    };
    for (size_t axis = 0; axis < tensor->shape.size(); ++axis) add(tensor->shape[axis], axis);
  }
  for (KernelParameter& dimension : found) dimension.name = names.fresh(dimension.symbol);
  return found;
}

// Marks the parameters of `kernel` that some body communicates through.
std::vector<bool> communicating(const Program& program, const Kernel& kernel,
                                const passes::ReturnRoots& returns) {
  std::vector<bool> found(kernel.function->params.size());
  if (kernel.function->type != FunctionType::Group) {
    for (int root : communicates_through(*kernel.function, returns)) found[static_cast<size_t>(root)] = true;
    return found;
  }
  const passes::Roots roots(*kernel.function, returns);
  for (const FunctionCall* call : calls_in(*kernel.function->body)) {
    FunctionRef half = program.find(call->callee);
    for (int inner : communicates_through(*half, returns)) {
      for (int root : roots.of(call->args[static_cast<size_t>(inner)])) {
        if (root >= 0) found[static_cast<size_t>(root)] = true;
      }
    }
  }
  return found;
}

class Builder {
 public:
  Builder(const Program& program, const CallFacts& facts, const passes::ReturnRoots& returns)
      : program_(program), facts_(facts), returns_(returns) {}

  Kernel kernel(const Function& function) {
    Kernel kernel;
    kernel.function = &function;
    kernel.bodies = {&function};
    if (function.type == FunctionType::Group) kernel.bodies = halves_of(program_, function);
    kernel.strides.resize(function.params.size());
    kernel.contexts.assign(function.params.size(), -1);
    ValueNames names;
    tensors(kernel, names);
    scalars(kernel, names);
    for (KernelParameter& dimension : dimensions_of(function, names)) {
      kernel.parameters.push_back(std::move(dimension));
    }
    strides(kernel, names);
    groups(kernel, names);
    return kernel;
  }

 private:
  void tensors(Kernel& kernel, ValueNames& names) const {
    const auto& params = kernel.function->params;
    for (size_t i = 0; i < params.size(); ++i) {
      if (const auto* tensor = as<TensorType>(params[i]->type)) {
        // Of slots with tiles of any type the dialect knows the address only.
        const DType dtype = params[i]->name == ops::workspace_name ? DType::FP32 : tensor->dtype;
        kernel.parameters.push_back({ParameterKind::Tensor, names.fresh(params[i]->name), dtype, i, 0, ""});
      }
    }
    const auto results = scalar_results(*kernel.function);
    for (size_t i = 0; i < results.size(); ++i) {
      std::string name = names.fresh(results.size() == 1 ? "result" : "result_" + std::to_string(i));
      kernel.parameters.push_back({ParameterKind::Result, name, results[i], i, 0, ""});
    }
  }

  void scalars(Kernel& kernel, ValueNames& names) const {
    const auto& params = kernel.function->params;
    for (size_t i = 0; i < params.size(); ++i) {
      if (const auto* scalar = as<ScalarType>(params[i]->type)) {
        kernel.parameters.push_back(
            {ParameterKind::Scalar, names.fresh(params[i]->name), scalar->dtype, i, 0, ""});
      } else if (isa<CommCtxType>(params[i]->type)) {
        kernel.parameters.push_back(
            {ParameterKind::Context, names.fresh(params[i]->name), DType::Int64, i, 0, ""});
      }
    }
  }

  void strides(Kernel& kernel, ValueNames& names) const {
    const auto& params = kernel.function->params;
    for (size_t i = 0; i < params.size(); ++i) {
      const auto* tensor = as<TensorType>(params[i]->type);
      if (!tensor) continue;
      kernel.strides[i].resize(tensor->shape.size());
      const PassedLayout& layout = facts_.layout(*kernel.function, i);
      const ExprList typed = ops::strides_of(*tensor);
      for (size_t axis = 0; axis < tensor->shape.size(); ++axis) {
        if (layout.as_typed && has_all(kernel, typed[axis])) continue;
        if (!layout.as_typed && layout.strides[axis]) {
          kernel.strides[i][axis] = {StrideSource::Constant, *layout.strides[axis]};
          continue;
        }
        kernel.strides[i][axis] = {StrideSource::Parameter, static_cast<int64_t>(kernel.parameters.size())};
        std::string name = names.fresh(params[i]->name + "_stride" + std::to_string(axis));
        kernel.parameters.push_back({ParameterKind::Stride, name, DType::Index, i, axis, ""});
      }
    }
  }

  // Whether the dimensions of the kernel determine it.
  static bool has_all(const Kernel& kernel, const ExprRef& expr) {
    const std::vector<std::string> symbols = symbols_of(expr);
    return std::all_of(symbols.begin(), symbols.end(), [&](const std::string& symbol) {
      return std::any_of(kernel.parameters.begin(), kernel.parameters.end(),
                         [&](const KernelParameter& parameter) { return parameter.symbol == symbol; });
    });
  }

  void groups(Kernel& kernel, ValueNames& names) const {
    const std::vector<bool> needs = communicating(program_, kernel, returns_);
    const std::vector<int> classes = facts_.groups(*kernel.function);
    std::map<int, int> context_of;  // by class
    for (size_t i = 0; i < needs.size(); ++i) {
      if (!needs[i]) continue;
      auto [at, is_new] = context_of.emplace(classes[i], static_cast<int>(kernel.parameters.size()));
      if (!is_new) continue;
      kernel.parameters.push_back({ParameterKind::Group, names.fresh("context"), DType::Int64, i, 0, ""});
    }
    for (size_t i = 0; i < needs.size(); ++i) {
      auto found = context_of.find(classes[i]);
      const bool window = isa<DistributedTensorType>(kernel.function->params[i]->type);
      if (window && found != context_of.end()) kernel.contexts[i] = found->second;
    }
  }

  const Program& program_;
  const CallFacts& facts_;
  const passes::ReturnRoots& returns_;
};

}  // namespace

std::vector<Kernel> kernels_of(const Program& program) {
  const passes::ReturnRoots returns = passes::return_roots(program);
  const CallFacts facts(program, returns);
  Builder builder(program, facts, returns);
  std::vector<Kernel> kernels;
  for (const FunctionRef& function : program.functions) {
    if (is_task(function->type)) kernels.push_back(builder.kernel(*function));
  }
  return kernels;
}

}  // namespace tilewire::target::pto
