#include "passes/verify_lowered.h"

#include "ir/check_ops.h"
#include "ir/function_kinds.h"
#include "ir/visitor.h"
#include "passes/expand_ops.h"
#include "passes/roots.h"
#include "passes/task_call.h"

namespace tilewire::passes {

using namespace ir;

namespace {

// Whether the call creates a tensor; views and writers return existing storage.
bool makes_tensor(const Call& call) {
  return isa<TensorType>(call.type) && call.op->result_alias < 0;
}

// Whether the call reads all elements of a tensor of this rank, other than to send them.
bool reads_whole_tensor(const Call& call) {
  bool reads = false;
  for (const Effect& effect : call.op->effects) {
    if (effect.peer_param >= 0 || effect.all_peers) return false;
    bool elements = effect.access == Access::Read || effect.access == Access::ReadWrite;
    const ExprRef& operand = call.args[call.op->operand_slots[effect.param]];
    bool tensor = operand && !isa<TileType>(operand->type);
    reads = reads || (elements && tensor && effect.offsets_param < 0);
  }
  return reads;
}

class Check : public Visitor<Check> {
 public:
  using Functions = std::map<std::string_view, const Function*>;
  Check(const Functions& functions, const Function& function, const Traits& traits, std::string& problems)
      : functions_(functions), function_(function), traits_(traits), problems_(problems) {}

  void visit(const Call& call) {
    walk_children(call);
    if (call.op->note) return;
    const bool creates = call.op->form == OpForm::Create;
    const bool computes = (makes_tensor(call) && !creates) || reads_whole_tensor(call);
    const bool left = is_expanded(*call.op, traits_) || (is_kernel(function_.type) && computes);
    if (left) say(call.op->qualified() + " is left");
    const int group = call.op->group_param;
    if (group >= 0 && call.args[call.op->operand_slots[group]])
      say(call.op->qualified() + " has a sub-group");
    if (function_.type != FunctionType::Orchestration || in_scope_) return;
    bool value = isa<ScalarType>(call.type) || isa<TaskIdType>(call.type) || isa<ArrayType>(call.type) ||
                 isa<CommCtxType>(call.type);
    bool tensor = call.op->result_alias >= 0 || creates;
    if (!value && !tensor && !only_checks(*call.op)) say(call.op->qualified() + " is left");
  }

  void visit(const FunctionCall& call) {
    walk_children(call);
    auto found = functions_.find(call.callee);
    const Function* callee = found == functions_.end() ? nullptr : found->second;
    bool dispatch = function_.type == FunctionType::Host;
    if (dispatch && callee && callee->type != FunctionType::Orchestration) {
      say("the host dispatches " + call.callee);
    }
    if (call.blocks) say("calls " + call.callee + " with blocks");
    if (callee && callee->type == FunctionType::Inline) say("calls the inline function " + call.callee);
  }

  void visit(const AtScope& scope) { task(scope); }
  void visit(const SpmdScope& scope) { task(scope); }

 private:
  template <class T>
  void task(const T& scope) {
    bool whole = single_call(*scope.body) || only_defers(*scope.body);
    if constexpr (requires { scope.block_var; }) whole = whole && !scope.block_var;
    if (!whole) say("a scope holds more than one call");
    in_scope_ = true;
    walk_children(scope);
    in_scope_ = false;
  }

  void say(const std::string& what) { problems_ += function_.name + ": " + what + "\n"; }

  const Functions& functions_;
  const Function& function_;
  const Traits& traits_;
  std::string& problems_;
  bool in_scope_ = false;
};

}  // namespace

std::string not_lowered(const Program& program, const Traits& traits) {
  std::string problems;
  ReturnRoots roots = return_roots(program);
  Check::Functions functions;
  for (const FunctionRef& function : program.functions) functions[function->name] = function.get();
  for (const FunctionRef& function : program.functions) {
    if (function->type == FunctionType::Inline || function->type == FunctionType::Opaque) {
      problems += function->name + ": is still inline or opaque\n";
    }
    if (!traits.has_pipes && (is_half(function->type) || function->type == FunctionType::Group)) {
      problems += function->name + ": is still a half or a group of halves\n";
    }
    Check(functions, *function, traits, problems).walk(*function);
    if (!is_kernel_or_group(function->type)) continue;
    int last = -1;
    for (size_t i = 0; i < function->return_types.size(); ++i) {
      if (!isa<TensorType>(function->return_types[i])) continue;
      const RootSet& root = roots.at(function->name)[i].roots;
      bool good = root.size() == 1 && root[0] > last;
      if (!good) problems += function->name + ": returns are not in the order of parameters\n";
      last = good ? root[0] : last;
    }
  }
  return problems;
}

}  // namespace tilewire::passes
