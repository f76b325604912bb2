#include "passes/lift_kernel_tensors.h"

#include <algorithm>
#include <map>

#include "ir/function_kinds.h"
#include "ir/op.h"
#include "ops/shape.h"
#include "passes/names.h"
#include "passes/structured_builder.h"
#include "passes/task_call.h"
#include "passes/tensor_type.h"

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
  ExprList shape{make<DimSymbol>(span, name + "_blocks")};
  for (size_t i = 0; i < type.shape.size(); ++i) {
    const ExprRef& dim = type.shape[i];
    const bool portable = isa<ConstInt>(dim) || isa<DimSymbol>(dim);
    shape.push_back(portable ? dim : make<DimSymbol>(span, name + "_d" + std::to_string(i)));
  }
  TypeRef whole = make<TensorType>(span, std::move(shape), type.dtype);
  return make<Parameter>(span, name, std::move(whole), Direction::InOut);
}

// Whether a launch can compute an extent: from parameters, dynamic dimensions and constants.
bool is_known_outside(const ExprRef& extent) {
  if (isa<ConstInt>(extent) || isa<DimSymbol>(extent) || isa<Parameter>(extent)) return true;
  const auto* call = as<Call>(extent);
  return call && std::all_of(call->args.begin(), call->args.end(),
                             [](const ExprRef& arg) { return !arg || is_known_outside(arg); });
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
    // The launch gives it back.
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

// What the caller calls what a function knows by its parameters.
void bind_arguments(Rebuilder& inside, const Function& callee, const ExprList& args) {
  for (size_t i = 0; i < callee.params.size(); ++i) {
    inside.bind(*callee.params[i], args[i]);
    const auto *declared = as<TensorType>(callee.params[i]->type), *given = as<TensorType>(args[i]->type);
    for (size_t k = 0; declared && given && k < declared->shape.size(); ++k) {
      if (const auto* symbol = as<DimSymbol>(declared->shape[k]))
        inside.bind_dim(symbol->name, given->shape[k]);
    }
  }
}

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
    bind_arguments(inside, *found->second.before, call->args);
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

// Each launch makes what its blocks need, and gives it back when they have ended.
class Launches final : public StructuredBuilder {
 public:
  Launches(const ChangedFunctions& kernels, Diagnostics& diags)
      : StructuredBuilder(diags), kernels_(kernels) {}

 protected:
  void scope(const AtScope& scope) override {
    launch(single_call(*scope.body), nullptr, [&] { Rebuilder::scope(scope); });
  }
  void scope(const SpmdScope& scope) override {
    launch(single_call(*scope.body), scope.block_count, [&] { Rebuilder::scope(scope); });
  }
  void assign(const Assign& assign) override {
    launch(inside_ ? nullptr : as<FunctionCall>(assign.value), nullptr, [&] { Rebuilder::assign(assign); });
  }
  void eval(const Eval& eval) override {
    launch(inside_ ? nullptr : as<FunctionCall>(eval.value), nullptr, [&] { Rebuilder::eval(eval); });
  }

  ExprRef value(const ExprRef& expr) override {
    const auto* call = as<FunctionCall>(expr);
    if (!call || !kernels_.contains(call->callee)) return use(expr);
    Ref<FunctionCall> now = copy(static_cast<const FunctionCall&>(*use(expr)));
    now->args.insert(now->args.end(), made_.begin(), made_.end());
    return finish_node(std::move(now));
  }

 private:
  void launch(const FunctionCall* call, const ExprRef& blocks, const std::function<void()>& start) {
    auto found = call ? kernels_.find(call->callee) : kernels_.end();
    if (found == kernels_.end()) return start();
    at(call->span);
    BlockRef body = collect(call->span, [&] {
      Rebuilder inside(diags_);
      bind_arguments(inside, *found->second.before, use(call->args));
      const ExprRef count = blocks ? ops::scalar_cast(use(blocks), DType::Index) : number(1);
      for (const TypeRef& made : found->second.made) {
        const auto& type = static_cast<const TensorType&>(*made);
        ExprList shape{count};
        for (const ExprRef& dim : type.shape) shape.push_back(inside.use(dim));
        made_.push_back(let("made", op(ops::pl::tensor::create, {list(std::move(shape))},
                                       {{"dtype", AttrValue{type.dtype}}})));
      }
      inside_ = true;
      start();
      inside_ = false;
      made_.clear();
    });
    emit(make<WithScope>(call->span, ScopeKind::Storage, body));
  }

  const ChangedFunctions& kernels_;
  ExprList made_;        // for the launch being written
  bool inside_ = false;  // of one
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
