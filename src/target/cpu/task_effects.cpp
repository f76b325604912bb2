#include "target/cpu/task_effects.h"

#include "abi/abi.h"
#include "ir/op.h"
#include "ir/visitor.h"

namespace tilewire::target::cpu {

using namespace ir;

namespace {

struct Effects : Visitor<Effects> {
  const passes::Roots& roots;
  TaskEffects& found;
  Effects(const passes::Roots& r, TaskEffects& f) : roots(r), found(f) {}

  void visit(const Call& call) {
    walk_children(call);
    const Op& op = *call.op;
    if (op.synchronizes) found.bits |= abi::MayBlock;
    for (const Effect& effect : op.effects) {
      if (!happens(effect, call)) continue;
      bool elsewhere = effect.peer_param >= 0 || effect.all_peers;
      bool signals = effect.access == Access::Signal || effect.access == Access::Wait;
      if (effect.access == Access::Wait) found.bits |= abi::MayBlock;
      if (elsewhere || signals) found.bits |= abi::Communicates;
      // What happens at a peer does nothing to the own copy, and cells make no data edges.
      if (!elsewhere && !signals) touch(call.args[op.operand_slots[effect.param]], effect.access);
    }
  }

  void touch(const ExprRef& value, Access access) {
    if (const auto* list = as<MakeTuple>(value)) {
      for (const ExprRef& element : list->elements) touch(element, access);
      return;
    }
    for (int root : roots.of(value)) {
      if (root == passes::fresh) continue;
      if (access != Access::Write) found.access[root] |= abi::Reads;
      if (access != Access::Read) found.access[root] |= abi::Writes;
    }
  }
};

}  // namespace

TaskEffects task_effects(const Function& kernel, const passes::ReturnRoots& returns) {
  TaskEffects found;
  found.access.resize(kernel.params.size());
  passes::Roots roots(kernel, returns);
  Effects(roots, found).walk(*kernel.body);
  return found;
}

}  // namespace tilewire::target::cpu
