#include "target/pto/tile_spaces.h"

#include "ir/visitor.h"
#include "ops/handles.h"
#include "ops/pipe.h"
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
      const auto pipe = ops::pipe_use(call);
      const bool frees = pipe && pipe->kind == ops::PipeUse::Kind::Free;
      if (call.op != ops::pl::tile::set_validshape && !frees) {
        for (const ExprRef& arg : call.args) spaces.whole_.insert(arg.get());
      }
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
      if (!call) return;
      const auto pipe = ops::pipe_use(*call);
      if (pipe && pipe->kind == ops::PipeUse::Kind::Pop) spaces.popped_.insert(assign.var.get());
      if (call->op != ops::pl::tile::set_validshape) return;
      const Expr* tile = call->args[0].get();
      if (spaces.cut_.contains(tile)) spaces.whole_.insert(tile);  // in two ways
      spaces.cut_[tile] = &assign;
    }
    void visit(const Yield& yield) {
      for (const ExprRef& value : yield.values) spaces.whole_.insert(value.get());
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
  if (auto cut = cut_.find(&tile); cut != cut_.end()) return of(*cut->second->var);
  const bool left = left_.contains(&tile), right = right_.contains(&tile);
  if (bias_.contains(&tile) || left == right || transposed_.contains(&tile)) return MemorySpace::Mat;
  return left ? MemorySpace::Left : MemorySpace::Right;
}

const Call* TileSpaces::cut_of_popped(const Expr& tile) const {
  const auto cut = cut_.find(&tile);
  if (cut == cut_.end() || !popped_.contains(&tile) || whole_.contains(&tile)) return nullptr;
  return static_cast<const Call*>(cut->second->value.get());
}

}  // namespace tilewire::target::pto
