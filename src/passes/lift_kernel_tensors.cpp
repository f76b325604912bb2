#include "passes/lift_kernel_tensors.h"

#include <algorithm>
#include <map>

#include "ir/function_kinds.h"
#include "ir/op.h"
#include "ops/shape.h"
#include "passes/launch_tensors.h"
#include "passes/names.h"
#include "passes/shapes_outside.h"

namespace tilewire::passes {
namespace {

using namespace ir;

using Parameters = std::vector<Ref<const Parameter>>;

// A kernel or Group with parameters at the end of the list for the tensors it made.
struct Changed {
  FunctionRef before, after;
  std::vector<TypeRef> made;  // of one block, in terms of its other parameters
};
using ChangedFunctions = std::map<std::string, Changed, std::less<>>;

// A parameter that holds a tensor of that type for each block.
Ref<const Parameter> parameter_for(const TensorType& type, const std::string& name, const Span& span) {
  ExprList shape = parameter_shape(type, name, span);
  shape.insert(shape.begin(), make<DimSymbol>(span, name + "_blocks"));
  TypeRef whole = make<TensorType>(span, std::move(shape), type.dtype);
  return make<Parameter>(span, name, std::move(whole), Direction::InOut);
}

// The kernel, which takes its block's part of each parameter.
class Kernel final : public StructuredBuilder {
 public:
  Kernel(const Function& kernel, Diagnostics& diags) : StructuredBuilder(diags), kernel_(kernel) {
    for (const auto& param : kernel.params) names_.take(param->name);
  }

  Changed run() {
    Ref<Function> now = copy(kernel_);
    now->body = block(*kernel_.body);
    now->params.insert(now->params.end(), params_.begin(), params_.end());
    return {FunctionRef(&kernel_), finish_node(std::move(now)), std::move(made_)};
  }

 protected:
  void assign(const Assign& assign) override {
    const auto* call = as<Call>(assign.value);
    // Released by the launch.
    if (call && call->op == ops::pl::tensor::release) return bind(*assign.var, use(call->args[0]));
    const auto* type = call && call->op == ops::pl::tensor::create ? as<TensorType>(call->type) : nullptr;
    const bool known = type && std::all_of(type->shape.begin(), type->shape.end(), is_known_outside);
    if (!known) return Rebuilder::assign(assign);
    at(*call);
    const std::string& hint = assign.var->name_hint;
    const std::string name = names_.take(identifier(hint.empty() ? "made" : hint));
    params_.push_back(parameter_for(*type, name, call->span));
    made_.push_back(call->type);
    const ExprRef index = let("block", op(ops::pl::tile::get_block_idx, {}));
    ExprList extents{number(1)}, offsets{index};
    for (const ExprRef& dim : type->shape) {
      extents.push_back(use(dim));
      offsets.push_back(number(0));
    }
    const Op& slice = ops::pl::tensor::slice;
    ExprList args{params_.back(), list(std::move(extents)), list(std::move(offsets))};
    args.resize(slice.operand_count);
    args[slice.operand_slots[slice.param_index("drop_dims")]] = list({number(0)});
    bind(*assign.var, let(hint.c_str(), op(slice, std::move(args))));
  }
  void eval(const Eval& eval) override {
    const auto* call = as<Call>(eval.value);
    if (!call || call->op != ops::pl::tensor::release) Rebuilder::eval(eval);
  }

 private:
  const Function& kernel_;
  Names names_;
  Parameters params_;
  std::vector<TypeRef> made_;
};

// A Group hands on what its halves need.
class Group final : public Rebuilder {
 public:
  Group(const Function& group, const ChangedFunctions& halves, Diagnostics& diags)
      : Rebuilder(diags), group_(group), halves_(halves) {
    for (const auto& param : group.params) names_.take(param->name);
  }

  Changed run() {
    Ref<Function> now = copy(group_);
    now->body = block(*group_.body);
    now->params.insert(now->params.end(), params_.begin(), params_.end());
    return {FunctionRef(&group_), finish_node(std::move(now)), std::move(made_)};
  }

 protected:
  ExprRef value(const ExprRef& expr) override {
    const auto* call = as<FunctionCall>(expr);
    auto found = call ? halves_.find(call->callee) : halves_.end();
    if (found == halves_.end()) return use(expr);
    Rebuilder inside(diags_);
    inside.bind_arguments(*found->second.before, call->args);
    Ref<FunctionCall> now = copy(*call);
    for (const TypeRef& made : found->second.made) {
      made_.push_back(inside.use_type(made));
      params_.push_back(
          parameter_for(static_cast<const TensorType&>(*made_.back()), names_.take("made"), call->span));
      now->args.push_back(params_.back());
    }
    return finish_node(std::move(now));
  }

 private:
  const Function& group_;
  const ChangedFunctions& halves_;
  Names names_;
  Parameters params_;
  std::vector<TypeRef> made_;
};

// Each launch makes what its blocks need.
class Launches final : public LaunchTensors {
 public:
  Launches(const ChangedFunctions& kernels, Diagnostics& diags) : LaunchTensors(diags), kernels_(kernels) {}

 protected:
  bool is_changed(const std::string& callee) const override { return kernels_.contains(callee); }
  ExprList make_tensors(const FunctionCall& call, const ExprRef& blocks) override {
    const Changed& kernel = kernels_.find(call.callee)->second;
    Rebuilder inside(diags_);
    inside.bind_arguments(*kernel.before, use(call.args));
    const ExprRef count = blocks ? ops::scalar_cast(use(blocks), DType::Index) : number(1);
    ExprList tensors;
    for (const TypeRef& made : kernel.made) {
      const auto& type = static_cast<const TensorType&>(*made);
      ExprList shape{count};
      for (const ExprRef& dim : type.shape) shape.push_back(inside.use(dim));
      tensors.push_back(let(
          "made", op(ops::pl::tensor::create, {list(std::move(shape))}, {{"dtype", AttrValue{type.dtype}}})));
    }
    return tensors;
  }

 private:
  const ChangedFunctions& kernels_;
};

}  // namespace

ProgramRef lift_kernel_tensors(const ProgramRef& program, Diagnostics& diags) {
  ChangedFunctions changed, groups;
  for (const FunctionRef& function : program->functions) {
    if (!is_kernel(function->type)) continue;
    Changed kernel = Kernel(*function, diags).run();
    if (!kernel.made.empty()) changed[function->name] = std::move(kernel);
  }
  if (changed.empty()) return program;
  for (const FunctionRef& function : program->functions) {
    if (function->type != FunctionType::Group) continue;
    Changed group = Group(*function, changed, diags).run();
    if (!group.made.empty()) groups[function->name] = std::move(group);
  }
  changed.merge(groups);
  Ref<Program> result = copy(*program);
  for (FunctionRef& function : result->functions) {
    auto found = changed.find(function->name);
    if (found != changed.end()) {
      function = found->second.after;
    } else if (function->type == FunctionType::Orchestration) {
      Launches launches(changed, diags);
      function = with_body(*function, launches.block(*function->body));
    }
  }
  return finish_node(std::move(result));
}

}  // namespace tilewire::passes
