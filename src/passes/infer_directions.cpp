#include "passes/infer_directions.h"

#include "ir/mutator.h"
#include "ir/op.h"
#include "ir/visitor.h"
#include "passes/roots.h"

namespace tilewire::passes {

using namespace ir;

namespace {

using Directions = std::map<std::string_view, std::vector<Direction>>;

struct Accesses : Visitor<Accesses> {
  const Roots& roots;
  const Directions& callees;
  std::vector<bool> read, written;

  Accesses(const Function& function, const Roots& r, const Directions& c)
      : roots(r), callees(c), read(function.params.size()), written(function.params.size()) {}

  void visit(const Call& call) {
    const Op& op = *call.op;
    for (const Effect& effect : op.effects) {
      // Accesses at a peer do nothing to this rank's copy.
      if (effect.peer_param >= 0 || effect.all_peers || !happens(effect, call)) continue;
      bool reads = effect.access != Access::Write && effect.access != Access::Signal;
      bool writes = effect.access != Access::Read && effect.access != Access::Wait;
      note(call.args[op.operand_slots[effect.param]], reads, writes);
    }
  }

  void visit(const FunctionCall& call) {
    auto callee = callees.find(call.callee);
    if (callee == callees.end()) return;
    for (size_t i = 0; i < call.args.size() && i < callee->second.size(); ++i) {
      Direction direction = callee->second[i];
      note(call.args[i], direction != Direction::Out, direction != Direction::In);
    }
  }

  void note(const ExprRef& value, bool reads, bool writes) {
    if (const auto* list = as<MakeTuple>(value)) {
      for (const ExprRef& element : list->elements) note(element, reads, writes);
      return;
    }
    for (int root : roots.of(value)) {
      if (root == fresh) continue;
      if (reads) read[root] = true;
      if (writes) written[root] = true;
    }
  }
};

struct ReplaceParameters : Mutator<ReplaceParameters> {};

FunctionRef with_directions(const FunctionRef& function, const std::vector<Direction>& directions) {
  ReplaceParameters mutator;
  bool changed = false;
  for (size_t i = 0; i < directions.size(); ++i) {
    const auto& param = function->params[i];
    if (param->direction == directions[i]) continue;
    Ref<Parameter> now = copy(*param);
    now->direction = directions[i];
    mutator.replace(param, finish_node(std::move(now)));
    changed = true;
  }
  return changed ? mutator.mutate(function) : function;
}

}  // namespace

ProgramRef infer_directions(const ProgramRef& program, Diagnostics&) {
  ReturnRoots returns;
  Directions directions;
  std::map<std::string_view, FunctionRef> changed;
  for (const FunctionRef& function : callees_first(*program)) {
    Roots roots(*function, returns);
    returns[function->name] = roots.of_returns();
    Accesses found(*function, roots, directions);
    found.walk(*function->body);
    std::vector<Direction>& all = directions[function->name];
    for (size_t i = 0; i < function->params.size(); ++i) {
      all.push_back(function->params[i]->direction);
      bool settled = all[i] != Direction::In || function->type == FunctionType::Host;
      if (!settled && found.written[i]) all[i] = found.read[i] ? Direction::InOut : Direction::Out;
    }
    changed[function->name] = with_directions(function, all);
  }
  Ref<Program> result = copy(*program);
  for (FunctionRef& function : result->functions) function = changed[function->name];
  return finish_node(std::move(result));
}

}  // namespace tilewire::passes
