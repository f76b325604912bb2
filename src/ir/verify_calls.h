// The part of the verifier that looks at one call: of an op, or of another function.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/function_kinds.h"
#include "ir/nodes.h"
#include "ir/op.h"
#include "support/diagnostics.h"

namespace tilewire::ir {

// The context of a call.
struct CallPlace {
  const Function* function = nullptr;
  uint8_t level = 0;     // LevelBits; 0: not known, as in inline functions
  bool in_spmd = false;  // in the body of a pl.spmd, or of a scope that is one call: it may call a kernel
};

// "1 value", "3 values".
std::string count_of(size_t count, std::string_view what);

class CallVerifier {
 public:
  CallVerifier(const Program& program, Diagnostics& diags, bool type_rules);

  // `statement`: the call is the value of an assignment or an expression statement.
  void check(const Call& call, const CallPlace& place, bool statement);
  void check(const FunctionCall& call, const CallPlace& place, bool statement);
  void check_group(const Function& group);
  void check_dependencies(const ExprList& deps);
  void check_integer(const ExprRef& expr, const char* what);
  // Reports functions that call themselves, directly or through others, in the calls checked so far. Returns
  // all functions, callees before their callers.
  std::vector<const Function*> check_recursion();

  const Function* find(std::string_view name) const;

 private:
  void check_rule(const Call& call);
  void check_levels(const FunctionCall& call, const Function& callee, const CallPlace& place);
  void check_arguments(const FunctionCall& call, const Function& callee);

  const Program& program_;
  Diagnostics& diags_;
  bool type_rules_;
  std::unordered_map<std::string_view, const Function*> functions_;
  std::unordered_map<const Function*, std::vector<const FunctionCall*>> calls_;  // by caller
};

}  // namespace tilewire::ir
