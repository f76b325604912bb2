#include "passes/return_by_parameter.h"

#include <algorithm>

#include "ir/function_kinds.h"
#include "ir/op.h"
#include "ops/handles.h"
#include "passes/names.h"
#include "passes/rebuild.h"
#include "passes/roots.h"
#include "passes/shapes_outside.h"
#include "passes/task_call.h"
#include "passes/tensor_type.h"
#include "support/diagnostics/passes.h"

namespace tilewire::passes {

using namespace ir;

namespace {

// A tensor that a kernel makes, and now takes as a parameter.
struct Made {
  TypeRef type;       // in terms of the kernel's parameters
  int returned = -1;  // the index of the return value; -1: a Group does not return this result of its half
};

// A kernel or Group, with a parameter at the end of the list for each tensor it made.
struct Changed {
  FunctionRef before, after;
  std::vector<Made> made;
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
    return make<TensorType>(type->span, parameter_shape(tensor, name, type->span), tensor.dtype);
  }

  const Function& kernel_;
  std::vector<size_t> returns_;
  std::vector<Ref<const Parameter>> outputs_;
};

// The type of a call whose callee gets the tensors it made.
TypeRef call_type(const FunctionCall& call, const Changed& changed, const ExprList& given) {
  std::vector<TypeRef> types;
  if (const auto* tuple = as<TupleType>(call.type)) {
    types = tuple->types;
  } else {
    types = {call.type};
  }
  for (size_t k = 0; k < changed.made.size(); ++k) {
    const int returned = changed.made[k].returned;
    if (returned >= 0) types[static_cast<size_t>(returned)] = given[k]->type;
  }
  return types.size() == 1 ? types[0] : TypeRef(make<TupleType>(call.span, std::move(types)));
}

// A Group takes what its halves make and hands it on.
class GroupReceiver : public Rebuilder {
 public:
  GroupReceiver(const Function& group, const ChangedKernels& halves, Diagnostics& diags)
      : Rebuilder(diags), group_(group), halves_(halves) {}

  Changed run() {
    for (const auto& param : group_.params) names_.take(param->name);
    Ref<Function> now = copy(group_);
    now->body = block(*group_.body);
    now->params.insert(now->params.end(), outputs_.begin(), outputs_.end());
    for (size_t k = 0; k < made_.size(); ++k) {
      if (made_[k].returned >= 0)
        now->return_types[static_cast<size_t>(made_[k].returned)] = outputs_[k]->type;
    }
    return {FunctionRef(&group_), finish_node(std::move(now)), std::move(made_)};
  }

 protected:
  ExprRef value(const ExprRef& expr) override {
    const auto* call = as<FunctionCall>(expr);
    auto found = call ? halves_.find(call->callee) : halves_.end();
    if (found == halves_.end()) return use(expr);
    const Changed& half = found->second;
    Rebuilder inside(diags_);
    inside.bind_arguments(*half.before, call->args);
    ExprList given;
    for (const Made& made : half.made) {
      const TypeRef type = inside.use_type(made.type);
      const auto& tensor = static_cast<const TensorType&>(*type);
      const std::string name = names_.take("made");
      TypeRef own = make<TensorType>(call->span, parameter_shape(tensor, name, call->span), tensor.dtype);
      outputs_.push_back(make<Parameter>(call->span, name, own, Direction::Out));
      given.push_back(outputs_.back());
      made_.push_back({type, returned_from(*call, made.returned)});
    }
    Ref<FunctionCall> now = copy(*call);
    now->args.insert(now->args.end(), given.begin(), given.end());
    now->type = call_type(*call, half, given);
    return finish_node(std::move(now));
  }

 private:
  // The number of the Group's return that is this return of a call.
  int returned_from(const FunctionCall& call, int which) const {
    const auto* ret = as<Return>(group_.body->stmts.back());
    if (!ret || which < 0) return -1;
    const Expr* wanted = nullptr;
    for (const StmtRef& stmt : group_.body->stmts) {
      const auto* assign = as<Assign>(stmt);
      if (!assign) continue;
      const auto* get = as<TupleGet>(assign->value);
      if (assign->value.get() == &call) wanted = assign->var.get();
      if (get && get->tuple.get() == wanted && get->index == which) wanted = assign->var.get();
    }
    for (size_t i = 0; wanted && i < ret->values.size(); ++i) {
      if (ret->values[i].get() == wanted) return static_cast<int>(i);
    }
    return -1;
  }

  const Function& group_;
  const ChangedKernels& halves_;
  Names names_;
  std::vector<Ref<const Parameter>> outputs_;
  std::vector<Made> made_;
};

// Calls of changed kernels, with the tensors created before them.
class Caller : public Rebuilder {
 public:
  Caller(const ChangedKernels& changed, Diagnostics& diags) : Rebuilder(diags), changed_(changed) {}

 protected:
  // What a task needs is created before its scope, which holds only the call.
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
    result->type = call_type(*call, found->second, created_);
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
    Rebuilder inside(diags_);
    inside.bind_arguments(*found->second.before, use(call->args));
    for (const Made& made : found->second.made) {
      const auto& type = static_cast<const TensorType&>(*made.type);
      ExprRef shape = make<MakeTuple>(call->span, inside.use(type.shape));
      created_.push_back(assign_new(
          "made", call_op(create, {shape}, {{"dtype", AttrValue{type.dtype}}}, call->span), call->span));
    }
  }

  const ChangedKernels& changed_;
  const Expr* prepared_ = nullptr;
  ExprList created_;
};

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
            .with_help("copy the result into one tensor, `out[...] = ...`, and return that");
      } else if (!std::all_of(tensor->shape.begin(), tensor->shape.end(), is_known_outside)) {
        diags.report(diag::returned_shape, ret.span, {kernel->name})
            .with_help("write the result to a tensor that the caller creates");
      } else {
        own.push_back(i);
      }
    }
    if (own.empty()) continue;
    std::vector<Made> made;
    for (size_t i : own) made.push_back({ret.values[i]->type, static_cast<int>(i)});
    changed[kernel->name] = {kernel, Receiver(*kernel, own, diags).run(), std::move(made)};
  }
  if (changed.empty()) return program;
  ChangedKernels groups;
  for (const FunctionRef& function : program->functions) {
    if (function->type != FunctionType::Group) continue;
    Changed group = GroupReceiver(*function, changed, diags).run();
    if (!group.made.empty()) groups[function->name] = std::move(group);
  }
  changed.merge(groups);
  Ref<Program> result = copy(*program);
  for (FunctionRef& function : result->functions) {
    auto found = changed.find(function->name);
    if (found != changed.end()) {
      function = found->second.after;
    } else if (function->type != FunctionType::Group) {
      Caller caller(changed, diags);
      function = with_body(*function, caller.block(*function->body));
    }
  }
  return finish_node(std::move(result));
}

}  // namespace tilewire::passes
