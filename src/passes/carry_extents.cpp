#include "passes/carry_extents.h"

#include <algorithm>
#include <set>
#include <utility>

#include "ir/visitor.h"
#include "ops/shape.h"
#include "passes/structured_builder.h"
#include "passes/valid_shapes.h"

namespace tilewire::passes {

using namespace ir;

namespace {

// The rows (0) or columns (1) of a variable.
using Key = std::pair<const Var*, int>;

ExtentId extent_of(const ValidShapes& valid, const Expr& tile, int dimension) {
  const ValidShape& shape = valid.of(tile);
  return dimension == 0 ? shape.rows : shape.cols;
}

// The values that loops and branches assign: initial values and those of iterations, or those of both sides.
struct Sources : Visitor<Sources> {
  std::map<const Var*, std::vector<const Expr*>> of;

  void add(const VarList& vars, const ExprList& values) {
    for (size_t i = 0; i < vars.size() && i < values.size(); ++i)
      of[vars[i].get()].push_back(values[i].get());
  }
  template <class T>
  void carried(const T& loop) {
    add(loop.iter_args, loop.init_values);
    add(loop.iter_args, yielded(*loop.body));
    walk_children(loop);
  }
  void visit(const For& loop) { carried(loop); }
  void visit(const While& loop) { carried(loop); }
  void visit(const If& branch) {
    add(branch.results, yielded(*branch.then_body));
    if (branch.else_body) add(branch.results, yielded(*branch.else_body));
    walk_children(branch);
  }
};

// The scalars that have to be added.
class Needed {
 public:
  Needed(const Function& kernel, const ValidShapes& valid) : valid_(valid) { sources_.walk(*kernel.body); }

  // Returns false, and adds nothing, if something other than loops and branches changes the extents.
  bool add(const Var& tile) {
    std::set<Key> before = keys_;
    if (follow(valid_.of(tile).rows) && follow(valid_.of(tile).cols)) return true;
    keys_ = std::move(before);
    return false;
  }
  bool has(const Key& key) const { return keys_.contains(key); }

 private:
  bool follow(ExtentId extent) {
    const auto parts = valid_.parts(extent);
    return std::all_of(parts.begin(), parts.end(), [&](const ExtentPart& part) {
      if (part.expr) return true;
      const auto sources = sources_.of.find(part.var);
      if (sources == sources_.of.end() || !isa<TileType>(part.var->type)) return false;
      if (!keys_.insert({part.var, part.dimension}).second) return true;
      return std::all_of(sources->second.begin(), sources->second.end(), [&](const Expr* value) {
        return isa<Var>(*value) && follow(extent_of(valid_, *value, part.dimension));
      });
    });
  }

  const ValidShapes& valid_;
  Sources sources_;
  std::set<Key> keys_;
};

class Writer final : public StructuredBuilder {
 public:
  Writer(const ValidShapes& valid, const Needed& needed, const std::set<const Var*>& asked,
         Diagnostics& diags)
      : StructuredBuilder(diags), valid_(valid), needed_(needed), asked_(asked) {}

  std::map<const Var*, TileExtents> stated;

 protected:
  void assign(const Assign& assign) override {
    StructuredBuilder::assign(assign);
    state(*assign.var);
  }

  void give(const Yield& yield) override {
    ExprList values = use(yield.values);
    for (const Slot& slot : slots_.back())
      values.push_back(let_extent(yield.values[slot.index], slot.dimension));
    emit(make<Yield>(yield.span, std::move(values)));
  }

  void loop(const For& loop) override { carry(loop); }
  void loop(const While& loop) override { carry(loop); }

  void branch(const If& branch) override {
    at(branch.span);
    const std::vector<Slot> slots = slots_of(branch.results);
    Ref<If> now = copy(branch);
    for (const Slot& slot : slots) now->results.push_back(scalar(slot));
    slots_.push_back(slots);
    StructuredBuilder::branch(*finish_node(Ref<If>(now)));
    slots_.pop_back();
    know(branch.results, slots, now->results);
    for (const VarRef& result : branch.results) state(*result);
  }

 private:
  // A variable that a loop or branch assigns, and a dimension of it whose extent is wanted.
  struct Slot {
    size_t index;
    int dimension;
  };

  std::vector<Slot> slots_of(const VarList& vars) const {
    std::vector<Slot> slots;
    for (size_t i = 0; i < vars.size(); ++i) {
      for (int dimension : {0, 1}) {
        if (needed_.has({vars[i].get(), dimension})) slots.push_back({i, dimension});
      }
    }
    return slots;
  }

  template <class T>
  void carry(const T& loop) {
    at(loop.span);
    const std::vector<Slot> slots = slots_of(loop.iter_args);
    Ref<T> now = copy(loop);
    for (const Slot& slot : slots) {
      now->init_values.push_back(let_extent(loop.init_values[slot.index], slot.dimension));
      now->iter_args.push_back(scalar(slot));
      now->results.push_back(scalar(slot));
    }
    know(loop.iter_args, slots, now->iter_args);
    for (const VarRef& arg : loop.iter_args) state(*arg);
    slots_.push_back(slots);
    StructuredBuilder::loop(*finish_node(Ref<T>(now)));
    slots_.pop_back();
    // The extents of a loop's results are those of its carried values.
    know(loop.iter_args, slots, now->results);
    for (const VarRef& result : loop.results) state(*result);
  }

  VarRef scalar(const Slot& slot) const {
    return make<Var>(span(), slot.dimension == 0 ? "rows" : "columns", scalar_type(DType::Index));
  }

  // The last of `all` are the extents of the variables in those slots.
  void know(const VarList& vars, const std::vector<Slot>& slots, const VarList& all) {
    for (size_t i = 0; i < slots.size(); ++i) {
      known_[{vars[slots[i].index].get(), slots[i].dimension}] = all[all.size() - slots.size() + i];
    }
  }

  // Null where it is full.
  ExprRef extent(const Expr& tile, int dimension) {
    ExprRef smallest;
    for (const ExtentPart& part : valid_.parts(extent_of(valid_, tile, dimension))) {
      const ExprRef given = part.expr ? use(part.expr) : known_.at({part.var, part.dimension});
      const auto value = constant_value(given);
      const ExprRef index = value ? number(*value) : ops::scalar_cast(given, DType::Index);
      smallest = smallest ? smaller(smallest, index) : index;
    }
    return smallest;
  }
  ExprRef let_extent(const ExprRef& tile, int dimension) {
    if (ExprRef known = extent(*tile, dimension)) return let(dimension == 0 ? "rows" : "columns", known);
    const auto& type = static_cast<const TileType&>(*tile->type);
    return number(dimension == 0 ? type.rows() : type.cols());
  }

  void state(const Var& var) {
    if (!asked_.contains(&var)) return;
    const ExprRef now = use(ExprRef(&var));
    stated[as<Var>(now)] = {extent(var, 0), extent(var, 1)};
  }

  const ValidShapes& valid_;
  const Needed& needed_;
  const std::set<const Var*>& asked_;
  std::map<Key, ExprRef> known_;
  std::vector<std::vector<Slot>> slots_;
};

}  // namespace

CarriedExtents carry_extents(const FunctionRef& kernel, const std::vector<const Var*>& tiles,
                             Diagnostics& diags) {
  const ValidShapes valid(*kernel);
  Needed needed(*kernel, valid);
  std::set<const Var*> asked;
  for (const Var* tile : tiles) {
    if (needed.add(*tile)) asked.insert(tile);
  }
  if (asked.empty()) return {kernel, {}};
  Writer writer(valid, needed, asked, diags);
  FunctionRef now = with_body(*kernel, writer.block(*kernel->body));
  return {std::move(now), std::move(writer.stated)};
}

}  // namespace tilewire::passes
