#include "target/pto/tile_spaces.h"

#include <algorithm>

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
        taken(a, {true, flag(call, "a_trans")});
        taken(b, {false, flag(call, "b_trans")});
      }
      for (const ExprRef& arg : call.args) {
        const bool product =
            form == OpForm::Matmul || form == OpForm::MatmulAcc || form == OpForm::MatmulBias;
        if (!product || (arg != operand(call, "a") && arg != operand(call, "b")))
          spaces.beside_products_.insert(arg.get());
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
      if (call->op == ops::pl::tile::move && spaces.from_pipe(*call->args[0]))
        spaces.kept_.insert(assign.var.get());
      if (call->op != ops::pl::tile::set_validshape) return;
      const Expr* tile = call->args[0].get();
      if (spaces.cut_.contains(tile)) spaces.whole_.insert(tile);  // in two ways
      spaces.cut_[tile] = &assign;
    }
    void visit(const Yield& yield) {
      for (const ExprRef& value : yield.values) beside(value);
    }
    void visit(const For& loop) {
      for (const ExprRef& init : loop.init_values) beside(init);
      walk_children(loop);
    }
    void visit(const While& loop) {
      for (const ExprRef& init : loop.init_values) beside(init);
      walk_children(loop);
    }
    void beside(const ExprRef& value) {
      spaces.whole_.insert(value.get());
      spaces.beside_products_.insert(value.get());
    }
    void taken(const Expr* tile, Side side) {
      auto& sides = spaces.sides_[tile];
      if (std::find(sides.begin(), sides.end(), side) == sides.end()) sides.push_back(side);
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

bool TileSpaces::from_pipe(const Expr& tile) const {
  return popped_.contains(&tile) || std::any_of(popped_.begin(), popped_.end(), [&](const Expr* popped) {
           const auto cut = cut_.find(popped);
           return cut != cut_.end() && cut->second->var.get() == &tile;
         });
}

std::vector<Side> TileSpaces::sides(const Expr& tile) const {
  const auto found = sides_.find(&tile);
  if (!cube_ || found == sides_.end() || !kept_.contains(&tile) || beside_products_.contains(&tile))
    return {};
  const bool plain = found->second.size() == 1 && !found->second[0].turned;
  return plain ? std::vector<Side>{} : found->second;
}

const Expr& TileSpaces::states_extent(const Expr& tile) const {
  return cut_of_popped(tile) ? *cut_.at(&tile)->var : tile;
}

const Call* TileSpaces::cut_of_popped(const Expr& tile) const {
  const auto cut = cut_.find(&tile);
  if (cut == cut_.end() || !popped_.contains(&tile) || whole_.contains(&tile)) return nullptr;
  return static_cast<const Call*>(cut->second->value.get());
}

}  // namespace tilewire::target::pto
