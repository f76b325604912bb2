#include "passes/return_by_parameter.h"

#include <algorithm>

#include "ir/function_kinds.h"
#include "ir/op.h"
#include "ops/handles.h"
#include "passes/names.h"
#include "passes/rebuild.h"
#include "passes/roots.h"
#include "passes/task_call.h"
#include "passes/tensor_type.h"
#include "support/diagnostics/passes.h"

namespace tilewire::passes {

using namespace ir;

namespace {

// A kernel and which of its parameters, at the end of the list, are for tensors it returns.
struct Changed {
  FunctionRef before, after;
  std::vector<size_t> returns;  // the numbers of the returns that were its own
};
using ChangedKernels = std::map<std::string, Changed, std::less<>>;

// The kernel with parameters for the values it makes, and copies to them at its end.
class Receiver : public Rebuilder {
 public:
  Receiver(const Function& kernel, std::vector<size_t> returns, Diagnostics& diags)
      : Rebuilder(diags), kernel_(kernel), returns_(std::move(returns)) {}

  FunctionRef run() {
    Ref<Function> now = copy(kernel_);
    Names names;
    for (const auto& param : kernel_.params) names.take(param->name);
    for (size_t i : returns_) {
      const auto& value = static_cast<const Return&>(*kernel_.body->stmts.back()).values[i];
      const auto* var = as<Var>(value);
      std::string name = names.take(identifier(var && !var->name_hint.empty() ? var->name_hint : "out"));
      outputs_.push_back(make<Parameter>(value->span, name, output_type(value->type, name), Direction::Out));
      now->params.push_back(outputs_.back());
      now->return_types[i] = outputs_.back()->type;
    }
    now->body = block(*kernel_.body);
    return finish_node(std::move(now));
  }

 protected:
  void give(const Return& ret) override {
    const Op& assemble = ops::pl::tensor::assemble;
    ExprList values = use(ret.values);
    for (size_t k = 0; k < returns_.size(); ++k) {
      ExprRef& value = values[returns_[k]];
      size_t rank = tensor_type_of(value).shape.size();
      ExprRef zeros = make<MakeTuple>(ret.span, ExprList(rank, const_index(0)));
      value = assign_new("r", call_op(assemble, {outputs_[k], value, zeros}, {}, ret.span), ret.span);
    }
    emit(make<Return>(ret.span, std::move(values)));
  }

 private:
  static TypeRef output_type(const TypeRef& type, const std::string& name) {
    const auto& tensor = static_cast<const TensorType&>(*type);
    ExprList shape;
    for (size_t i = 0; i < tensor.shape.size(); ++i) {
      const ExprRef& dim = tensor.shape[i];
      bool portable = isa<ConstInt>(dim) || isa<DimSymbol>(dim);
      shape.push_back(portable ? dim : make<DimSymbol>(dim->span, name + "_d" + std::to_string(i)));
    }
    return make<TensorType>(type->span, std::move(shape), tensor.dtype);
  }

  const Function& kernel_;
  std::vector<size_t> returns_;
  std::vector<Ref<const Parameter>> outputs_;
};

// Calls of changed kernels, with the tensors created before them.
class Caller : public Rebuilder {
 public:
  Caller(const ChangedKernels& changed, Diagnostics& diags) : Rebuilder(diags), changed_(changed) {}

 protected:
  // What a task needs is made before its scope, which holds the call alone.
  void scope(const AtScope& scope) override {
    prepare(single_call(*scope.body));
    Rebuilder::scope(scope);
  }
  void scope(const SpmdScope& scope) override {
    prepare(single_call(*scope.body));
    Rebuilder::scope(scope);
  }

  ExprRef value(const ExprRef& expr) override {
    ExprRef now = use(expr);
    const auto* call = as<FunctionCall>(now);
    auto found = call ? changed_.find(call->callee) : changed_.end();
    if (found == changed_.end()) return now;
    if (prepared_ != expr.get()) prepare(as<FunctionCall>(expr));
    Ref<FunctionCall> result = copy(*call);
    result->args.insert(result->args.end(), created_.begin(), created_.end());
    result->type = type_of(*call, found->second);
    prepared_ = nullptr;
    return finish_node(std::move(result));
  }

 private:
  void prepare(const FunctionCall* call) {
    const Op& create = ops::pl::tensor::create;
    auto found = call ? changed_.find(call->callee) : changed_.end();
    if (found == changed_.end()) return;
    prepared_ = call;
    created_.clear();
    const Function& kernel = *found->second.before;
    Rebuilder inside(diags_);
    for (size_t i = 0; i < kernel.params.size(); ++i) {
      inside.bind(*kernel.params[i], use(call->args[i]));
      bind_dims(inside, kernel.params[i]->type, use(call->args[i])->type);
    }
    const auto& ret = static_cast<const Return&>(*kernel.body->stmts.back());
    for (size_t k : found->second.returns) {
      const TensorType& type = tensor_type_of(ret.values[k]);
      ExprRef shape = make<MakeTuple>(call->span, inside.use(type.shape));
      created_.push_back(assign_new(
          "made", call_op(create, {shape}, {{"dtype", AttrValue{type.dtype}}}, call->span), call->span));
    }
  }

  static void bind_dims(Rebuilder& inside, const TypeRef& param, const TypeRef& arg) {
    const auto* declared = as<TensorType>(param);
    const auto* given = as<TensorType>(arg);
    for (size_t i = 0; declared && given && i < declared->shape.size(); ++i) {
      if (const auto* symbol = as<DimSymbol>(declared->shape[i])) {
        inside.bind_dim(symbol->name, given->shape[i]);
      }
    }
  }

  TypeRef type_of(const FunctionCall& call, const Changed& changed) {
    std::vector<TypeRef> types;
    if (const auto* tuple = as<TupleType>(call.type)) {
      types = tuple->types;
    } else {
      types = {call.type};
    }
    for (size_t k = 0; k < changed.returns.size(); ++k) types[changed.returns[k]] = created_[k]->type;
    return types.size() == 1 ? types[0] : TypeRef(make<TupleType>(call.span, std::move(types)));
  }

  const ChangedKernels& changed_;
  const Expr* prepared_ = nullptr;
  ExprList created_;
};

// Whether the caller can compute an extent: from parameters, dynamic dimensions and constants.
bool is_known_outside(const ExprRef& extent) {
  if (isa<ConstInt>(extent) || isa<DimSymbol>(extent) || isa<Parameter>(extent)) return true;
  const auto* call = as<Call>(extent);
  if (!call) return false;
  for (const ExprRef& arg : call->args) {
    if (arg && !isa<TensorType>(arg->type) && !is_known_outside(arg)) return false;
    if (arg && isa<TensorType>(arg->type) && !isa<Parameter>(arg)) return false;
  }
  return true;
}

}  // namespace

ProgramRef return_by_parameter(const ProgramRef& program, Diagnostics& diags) {
  ReturnRoots returns = return_roots(*program);
  ChangedKernels changed;
  for (const FunctionRef& kernel : program->functions) {
    if (!is_kernel(kernel->type) || kernel->return_types.empty()) continue;
    const auto& ret = static_cast<const Return&>(*kernel->body->stmts.back());
    std::vector<size_t> own;
    for (size_t i = 0; i < ret.values.size(); ++i) {
      const auto* tensor = as<TensorType>(ret.values[i]->type);
      const RootSet& roots = returns.at(kernel->name)[i].roots;
      if (!tensor || (roots.size() == 1 && roots[0] != fresh)) continue;
      if (roots.size() > 1) {
        diags.report(diag::returns_one_of_several, ret.span, {kernel->name})
            .with_help("copy what is to be returned into one tensor: `out[...] = ...`");
      } else if (!std::all_of(tensor->shape.begin(), tensor->shape.end(), is_known_outside)) {
        diags.report(diag::returned_shape, ret.span, {kernel->name})
            .with_help("write the result to a tensor that the caller creates");
      } else {
        own.push_back(i);
      }
    }
    if (own.empty()) continue;
    FunctionRef after = Receiver(*kernel, own, diags).run();
    changed[kernel->name] = {kernel, after, own};
  }
  if (changed.empty()) return program;
  Ref<Program> result = copy(*program);
  for (FunctionRef& function : result->functions) {
    auto found = changed.find(function->name);
    if (found != changed.end()) {
      function = found->second.after;
    } else {
      Caller caller(changed, diags);
      function = with_body(*function, caller.block(*function->body));
    }
  }
  return finish_node(std::move(result));
}

}  // namespace tilewire::passes
