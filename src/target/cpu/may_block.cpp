#include "target/cpu/may_block.h"

#include "abi/abi.h"
#include "ir/function_kinds.h"
#include "ir/op.h"
#include "ir/visitor.h"
#include "passes/mark_polls.h"

namespace tilewire::target::cpu {

using namespace ir;

uint32_t may_block(const Function& kernel) {
  struct Search : Visitor<Search> {
    bool found = false, reaches_peers = false;
    int loops = 0;
    void visit(const While& loop) {
      ++loops;
      walk_children(loop);
      --loops;
    }
    void visit(const Call& call) {
      walk_children(call);
      // A loop that uses cells lets others run.
      found = found || (loops > 0 && passes::uses_cells(call));
      found = found || call.op->synchronizes;
      for (const Effect& effect : call.op->effects) {
        if (!happens(effect, call)) continue;
        found = found || effect.access == Access::Wait;
        // A slot that is notified may be a peer's.
        const bool elsewhere = effect.peer_param >= 0 || effect.all_peers;
        reaches_peers = reaches_peers || elsewhere || effect.access == Access::Signal;
      }
    }
  };
  Search search;
  search.walk(*kernel.body);
  return (search.found ? abi::MayBlock : 0u) | (search.reaches_peers ? abi::MayBlockFar : 0u);
}

bool reads_peers(const Function& function) {
  struct Search : Visitor<Search> {
    bool found = false;
    void visit(const Call& call) {
      walk_children(call);
      for (const Effect& effect : call.op->effects) {
        found = found || (effect.access == Access::Read && effect.peer_param >= 0 && happens(effect, call));
      }
    }
  };
  Search search;
  if (is_kernel(function.type)) search.walk(*function.body);
  return search.found;
}

}  // namespace tilewire::target::cpu
