// What the callers of a kernel pass: how the tensors lie in memory and which windows share a group.
// Parameters do not say it, and the text of a kernel depends on it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/nodes.h"
#include "passes/roots.h"

namespace tilewire::target::pto {

// How a tensor parameter lies in memory in all calls.
struct PassedLayout {
  bool as_typed = true;  // with the strides of its type
  // Per axis, the stride on which all callers agree, if any; empty: it has no callers.
  std::vector<std::optional<int64_t>> strides;
};

class CallFacts {
 public:
  CallFacts(const ir::Program& program, const passes::ReturnRoots& returns);

  const PassedLayout& layout(const ir::Function& function, size_t param) const;
  // A number per parameter: windows have the same one if they are of one group in every call.
  std::vector<int> groups(const ir::Function& function) const;

 private:
  struct Facts {
    std::vector<PassedLayout> layouts;
    std::vector<std::vector<int>> groups;  // of the parameters, one entry per different call; -1: not known
  };
  void pass(const ir::Program& program, const ir::Function& caller, const ir::FunctionCall& call,
            const passes::Roots& roots);
  PassedLayout layout_of(const ir::Function& caller, const ir::ExprRef& arg,
                         const passes::Roots& roots) const;
  int group_of(const ir::Program& program, const ir::ExprRef& arg, const passes::Roots& roots,
               const std::vector<int>& caller_groups) const;

  std::map<std::string, Facts, std::less<>> facts_;
};

// The calls of functions in a body, in order.
std::vector<const ir::FunctionCall*> calls_in(const ir::Block& body);
// The element types of the scalars that a function returns, those in tuples too.
std::vector<ir::DType> scalar_results(const ir::Function& function);
// The parameters whose group a kernel asks for: it signals, waits, touches a peer or asks for ranks through
// them.
passes::RootSet communicates_through(const ir::Function& kernel, const passes::ReturnRoots& returns);

}  // namespace tilewire::target::pto
