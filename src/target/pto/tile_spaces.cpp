#include "target/pto/tile_spaces.h"

#include "ir/visitor.h"
#include "ops/handles.h"
#include "target/pto/rules.h"

namespace tilewire::target::pto {

using namespace ir;

TileSpaces::TileSpaces(const Function& function)
    : memory_(function), cube_(kind_of_core(function) == Core::Cube) {
  struct Uses : Visitor<Uses> {
    TileSpaces& spaces;
    explicit Uses(TileSpaces& s) : spaces(s) {}
    void visit(const Call& call) {
      walk_children(call);
      const OpForm form = call.op->form;
      if (form == OpForm::Matmul || form == OpForm::MatmulAcc || form == OpForm::MatmulBias) {
        const Expr* a = operand(call, "a").get();
        const Expr* b = operand(call, "b").get();
        spaces.left_.insert(a);
        spaces.right_.insert(b);
        if (flag(call, "a_trans")) spaces.transposed_.insert(a);
        if (flag(call, "b_trans")) spaces.transposed_.insert(b);
      }
      if (form == OpForm::MatmulBias) spaces.bias_.insert(operand(call, "bias").get());
      if (call.op == ops::pl::tile::move && as<TileType>(call.type)->memory == MemorySpace::Bias) {
        spaces.bias_.insert(call.args[0].get());
      }
    }
    void visit(const Assign& assign) {
      walk_children(assign);
      const auto* call = as<Call>(assign.value);
      if (call && call->op == ops::pl::tile::set_validshape)
        spaces.cut_[call->args[0].get()] = assign.var.get();
    }
    static bool flag(const Call& call, const char* name) {
      return call.op->param_index(name) >= 0 && *attribute(call, name)->get<bool>();
    }
  };
  Uses(*this).walk(*function.body);
}

MemorySpace TileSpaces::of(const Expr& tile) const {
  const MemorySpace space = memory_.of(tile);
  if (!cube_ || space != MemorySpace::Vec) return space;
  if (auto cut = cut_.find(&tile); cut != cut_.end()) return of(*cut->second);
  const bool left = left_.contains(&tile), right = right_.contains(&tile);
  if (bias_.contains(&tile) || left == right || transposed_.contains(&tile)) return MemorySpace::Mat;
  return left ? MemorySpace::Left : MemorySpace::Right;
}

}  // namespace tilewire::target::pto
