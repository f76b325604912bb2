// Which parameters of a function may share memory, given the calls in the program.
//
// Two arguments of one call share memory when both come from one tensor or window buffer, as a whole or in
// parts, or from two parameters of the caller that share it. Arguments of an entry have separate memory, or
// may be the same array, as the caller of the analysis says.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/nodes.h"
#include "passes/roots.h"

namespace tilewire::passes {

// For each parameter, the first one that it may share memory with; its own number if there is none.
using Sharing = std::vector<int>;

// Whether tensors of these roots may have memory in common.
bool may_overlap(const RootSet& a, const RootSet& b, const Sharing& sharing);

class SharedParameters {
 public:
  // `entries_apart`: no entry is called with one array for two parameters.
  SharedParameters(const ir::Program& program, const ReturnRoots& returns, bool entries_apart = true);
  const Sharing& of(const ir::Function& function) const { return sharing_.at(function.name); }

 private:
  void share_entries(const ir::Program& program);

  std::map<std::string, Sharing, std::less<>> sharing_;
};

}  // namespace tilewire::passes
