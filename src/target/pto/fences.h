// Which notifies need a fence before them.
//
// A notify is a release: what its task has written must be visible to whoever sees it. The assembler adds no
// fence, so the text has one before each notify that something was written ahead of, as the declared effects
// of the ops say. Notifies that follow one another share one.
#pragma once

#include <set>

#include "ir/nodes.h"

namespace tilewire::target::pto {

class Fences {
 public:
  explicit Fences(const ir::Function& function);
  bool needed(const ir::Call& notify) const { return needed_.contains(&notify); }

 private:
  friend class FenceWalk;
  std::set<const ir::Call*> needed_;
};

}  // namespace tilewire::target::pto
