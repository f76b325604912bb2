#include "passes/effects.h"

#include "ir/function_kinds.h"
#include "ir/op.h"
#include "ir/visitor.h"

namespace tilewire::passes {

using namespace ir;

namespace {

class EffectWalk : public Visitor<EffectWalk> {
 public:
  EffectWalk(const std::vector<const Var*>& params, const Roots& roots, const KernelEffects& callees)
      : params_(params), roots_(roots), callees_(callees), found_(params.size()), plain_(params.size()) {}

  ParamEffects take() {
    for (size_t i = 0; i < found_.size(); ++i) {
      if (plain_[i]) found_[i] &= static_cast<uint8_t>(~EffectAtomic);
    }
    return std::move(found_);
  }

  void visit(const Call& call) {
    walk_children(call);
    const Op& op = *call.op;
    for (const Effect& effect : op.effects) {
      if (!happens(effect, call)) continue;
      const ExprRef& operand = call.args[op.operand_slots[effect.param]];
      touch(operand, bits_of(effect, isa<DistributedTensorType>(operand->type)));
    }
  }

  void visit(const FunctionCall& call) {
    walk_children(call);
    auto callee = callees_.find(call.callee);
    TW_CHECK(callee != callees_.end(), "a call of a function whose effects are not known: " + call.callee);
    for (size_t i = 0; i < call.args.size() && i < callee->second.size(); ++i) {
      touch(call.args[i], callee->second[i]);
    }
  }

 private:
  // What happens at a peer does nothing to this rank's copy, and signal cells of a window make no data order.
  // Cells of other memory are between the blocks of a launch: what tasks before and after it do with them is
  // data.
  static uint8_t bits_of(const Effect& effect, bool window) {
    if (effect.peer_param >= 0 || effect.all_peers) return EffectCommunicates;
    switch (effect.access) {
      case Access::Read:
        return EffectReads;
      case Access::Write:
        return EffectWrites;
      case Access::ReadWrite:
        return EffectReads | EffectWrites;
      case Access::Atomic:
        return EffectReads | EffectWrites | EffectAtomic;
      case Access::Signal:
        return window ? EffectCommunicates : EffectReads | EffectWrites | EffectAtomic;
      case Access::Wait:
        return window ? EffectCommunicates : EffectReads;
      case Access::Update:
        // Data to whoever reads the element afterwards, and an acquire and a release where it is in a window.
        return EffectReads | EffectWrites | EffectAtomic | EffectCommunicates;
    }
    return 0;
  }

  void touch(const ExprRef& value, uint8_t bits) {
    if (bits == 0) return;
    if (const auto* list = as<MakeTuple>(value)) {
      for (const ExprRef& element : list->elements) touch(element, bits);
      return;
    }
    if (!isa<TensorType>(value->type)) return;
    const RootSet& roots = roots_.of(value);
    for (int root : roots) {
      if (root != fresh) add(static_cast<size_t>(root), bits);
    }
    // The origin of a tensor about which nothing is known: it may be any of them.
    for (size_t i = 0; roots.empty() && i < params_.size(); ++i) {
      if (isa<TensorType>(params_[i]->type)) add(i, bits);
    }
  }

  void add(size_t param, uint8_t bits) {
    found_[param] |= bits;
    plain_[param] = plain_[param] || ((bits & EffectWrites) && !(bits & EffectAtomic));
  }

  const std::vector<const Var*>& params_;
  const Roots& roots_;
  const KernelEffects& callees_;
  ParamEffects found_;
  std::vector<bool> plain_;  // written other than by atomic updates
};

}  // namespace

ParamEffects effects_of(const Block& body, const std::vector<const Var*>& roots, const ReturnRoots& returns,
                        const KernelEffects& callees) {
  Roots named(roots, body, returns, false);
  EffectWalk walk(roots, named, callees);
  walk.walk(body);
  return walk.take();
}

namespace {

// Kernels, and before inlining, the inline functions that kernels call.
bool has_effects(const Function& function) {
  return is_kernel_or_group(function.type) || function.type == FunctionType::Inline;
}

}  // namespace

std::optional<KernelEffects> recorded_effects(const Program& program) {
  KernelEffects all;
  for (const FunctionRef& function : program.functions) {
    if (!has_effects(*function)) continue;
    auto effects = param_effects(function->effects);
    if (!effects || effects->size() != function->params.size()) return std::nullopt;
    all[function->name] = std::move(*effects);
  }
  return all;
}

ProgramRef record_effects(const ProgramRef& program, Diagnostics&) {
  const ReturnRoots returns = return_roots(*program);
  KernelEffects known;
  for (const FunctionRef& function : callees_first(*program)) {
    if (!has_effects(*function)) continue;
    std::vector<const Var*> params;
    for (const auto& param : function->params) params.push_back(param.get());
    known[function->name] = effects_of(*function->body, params, returns, known);
  }
  Ref<Program> now = copy(*program);
  for (FunctionRef& function : now->functions) {
    auto found = known.find(function->name);
    std::string text = found == known.end() ? "" : to_text(found->second);
    if (text == function->effects) continue;
    Ref<Function> with = copy(*function);
    with->effects = std::move(text);
    function = finish_node(std::move(with));
  }
  return finish_node(std::move(now));
}

}  // namespace tilewire::passes
