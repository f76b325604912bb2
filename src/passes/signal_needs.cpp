#include "passes/signal_needs.h"

#include <cstdint>

#include "ir/op.h"
#include "ir/visitor.h"
#include "passes/roots.h"

namespace tilewire::passes {

using namespace ir;

const ExprRef* signal_operand(const Call& call, int64_t& cells_per_rank) {
  for (const Effect& effect : call.op->effects) {
    if (effect.access != Access::Signal || !effect.all_peers) continue;
    const ExprRef& operand = call.args[call.op->operand_slots[effect.param]];
    if (!operand) continue;
    const AttrValue* cores = find_attr(call.attrs, "core_num");
    const AttrValue* mode = find_attr(call.attrs, "mode");
    cells_per_rank = cores ? *cores->get<int64_t>() : 1;
    bool ring = mode && *mode == AttrValue{enum_value(AllreduceMode::Ring)};
    if (__builtin_mul_overflow(cells_per_rank, ring ? 2 : 1, &cells_per_rank)) cells_per_rank = INT64_MAX;
    return &operand;
  }
  return nullptr;
}

namespace {

class NeedWalk : public Visitor<NeedWalk> {
 public:
  NeedWalk(const Function& function, const Roots& roots, const SignalNeeds& callees,
           std::vector<SignalNeed>& needs)
      : function_(function), roots_(roots), callees_(callees), needs_(needs) {}

  void visit(const Call& call) {
    walk_children(call);
    int64_t cells = 0;
    if (const ExprRef* operand = signal_operand(call, cells)) note(*operand, {cells, &call, &function_});
  }

  void visit(const FunctionCall& call) {
    walk_children(call);
    auto callee = callees_.find(call.callee);
    if (callee == callees_.end()) return;
    for (size_t i = 0; i < call.args.size() && i < callee->second.size(); ++i) {
      if (callee->second[i].cells_per_rank > 0) note(call.args[i], callee->second[i]);
    }
  }

 private:
  void note(const ExprRef& operand, const SignalNeed& need) {
    int param = roots_.only(operand);
    if (param < 0) return;
    SignalNeed& known = needs_[param];
    if (need.cells_per_rank > known.cells_per_rank) known = need;
  }

  const Function& function_;
  const Roots& roots_;
  const SignalNeeds& callees_;
  std::vector<SignalNeed>& needs_;
};

}  // namespace

SignalNeeds signal_needs(const Program& program) {
  SignalNeeds needs;
  ReturnRoots returns = return_roots(program);
  for (const FunctionRef& function : callees_first(program)) {
    if (function->type == FunctionType::Host) continue;
    Roots roots(*function, returns);
    std::vector<SignalNeed> of_function(function->params.size());
    NeedWalk(*function, roots, needs, of_function).walk(*function->body);
    needs[function->name] = std::move(of_function);
  }
  return needs;
}

}  // namespace tilewire::passes
