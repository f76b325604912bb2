#include "target/cpu/may_block.h"

#include "ir/op.h"
#include "ir/visitor.h"
#include "passes/mark_polls.h"

namespace tilewire::target::cpu {

using namespace ir;

bool may_block(const Function& kernel) {
  struct Search : Visitor<Search> {
    bool found = false;
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
        found = found || (effect.access == Access::Wait && happens(effect, call));
      }
    }
  };
  Search search;
  search.walk(*kernel.body);
  return search.found;
}

}  // namespace tilewire::target::cpu
