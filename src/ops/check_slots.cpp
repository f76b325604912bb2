#include "ops/check_slots.h"

#include "ir/aliases.h"
#include "ir/op.h"
#include "ir/pointer_map.h"
#include "ir/visitor.h"
#include "support/diagnostics/sema.h"

namespace tilewire::ops {

using namespace ir;

namespace {

class PeerSlots : public Visitor<PeerSlots> {
 public:
  explicit PeerSlots(Diagnostics& diags) : diags_(diags) {}

  void visit(const Assign& assign) {
    walk(assign.value);
    if (const Call* made = slot_of(*assign.value)) slots_.insert(assign.var.get(), made);
  }

  void visit(const Call& call) {
    walk_children(call);
    for (const Effect& effect : call.op->effects) {
      const ExprRef& operand = call.args[call.op->operand_slots[effect.param]];
      const Call* made = operand && effect.access != Access::Signal ? slot_of(*operand) : nullptr;
      if (!made) continue;
      const bool updates = effect.access == Access::Update;
      diags_.report(diag::peer_slot_used, call.span, {call.op->qualified()})
          .with_label(updates ? "updates a cell of this rank" : "looks at a cell of this rank")
          .with_note("the slot of a peer is made here", made->span)
          .with_help(updates ? "name the rank: pld.system.fetch_add(sig, peer, offsets, value)"
                             : "take a cell of this rank, sig[i:i + 1], and let the peer notify it with "
                               "pl.tile.comm_notify");
      return;
    }
  }

  void visit(const If& branch) {
    walk_children(branch);
    join(branch.results, *branch.then_body);
    if (branch.else_body) join(branch.results, *branch.else_body);
  }
  void visit(const For& loop) { carried(loop); }
  void visit(const While& loop) { carried(loop); }

 private:
  // The call that made a slot of a peer; null for anything else.
  const Call* slot_of(const Expr& expr) const {
    if (const auto* var = as<Var>(&expr)) {
      const Call* const* found = slots_.find(var);
      return found ? *found : nullptr;
    }
    const auto* call = as<Call>(&expr);
    if (!call) return nullptr;
    if (call->op->result_peer >= 0) return call;
    const Expr* viewed = aliased_operand(*call);
    return viewed ? slot_of(*viewed) : nullptr;
  }

  // What a block hands to `targets` when it ends.
  void join(const VarList& targets, const Block& block) {
    const auto* yield = block.stmts.empty() ? nullptr : as<Yield>(block.stmts.back());
    for (size_t i = 0; yield && i < targets.size() && i < yield->values.size(); ++i) {
      if (const Call* made = slot_of(*yield->values[i])) slots_.insert(targets[i].get(), made);
    }
  }

  template <class Loop>
  void carried(const Loop& loop) {
    for (size_t i = 0; i < loop.iter_args.size(); ++i) {
      if (const Call* made = slot_of(*loop.init_values[i])) slots_.insert(loop.iter_args[i].get(), made);
    }
    walk_children(loop);
    join(loop.results, *loop.body);
    for (size_t i = 0; i < loop.results.size(); ++i) {
      if (const Call* made = slot_of(*loop.iter_args[i])) slots_.insert(loop.results[i].get(), made);
    }
  }

  Diagnostics& diags_;
  PointerMap<const Call*> slots_;
};

}  // namespace

void check_slots(const Program& program, Diagnostics& diags) {
  for (const FunctionRef& function : program.functions) PeerSlots(diags).walk(function->body);
}

}  // namespace tilewire::ops
