#include "passes/lane_parts.h"

#include <algorithm>
#include <map>

#include "ir/aliases.h"
#include "ir/op.h"
#include "ir/visitor.h"
#include "ops/handles.h"

namespace tilewire::passes {

using namespace ir;

namespace {

const TileType& tile_type(const TypeRef& type) {
  return static_cast<const TileType&>(*type);
}

int64_t extent_of(const TypeRef& tile, int dimension) {
  return dimension == 0 ? tile_type(tile).rows() : tile_type(tile).cols();
}

// Whether an integer is a multiple of another in every run, as far as that shows.
class Multiples {
 public:
  explicit Multiples(const Function& kernel) {
    struct Loops : Visitor<Loops> {
      std::map<const Expr*, const For*> found;
      std::map<const Expr*, ExprRef> values;
      void visit(const For& loop) {
        found[loop.loop_var.get()] = &loop;
        walk_children(loop);
      }
      void visit(const Assign& assign) {
        values[assign.var.get()] = assign.value;
        walk_children(assign);
      }
    } loops;
    loops.walk(*kernel.body);
    loops_ = std::move(loops.found);
    values_ = std::move(loops.values);
  }

  bool holds(const ExprRef& expr, int64_t of) const {
    if (auto value = constant_value(expr)) return *value % of == 0;
    if (auto loop = loops_.find(expr.get()); loop != loops_.end()) {
      return holds(loop->second->start, of) && holds(loop->second->step, of);
    }
    if (auto value = values_.find(expr.get()); value != values_.end()) return holds(value->second, of);
    const auto* call = as<Call>(expr);
    if (!call) return false;
    if (call->op == ops::pl::scalar::mul) {
      for (int side : {0, 1}) {
        if (holds(call->args[static_cast<size_t>(side)], of)) return true;
      }
      return false;
    }
    if (call->op == ops::pl::scalar::add || call->op == ops::pl::scalar::sub) {
      return holds(call->args[0], of) && holds(call->args[1], of);
    }
    return false;
  }

  // The call that defines a variable; null: there is none.
  const Call* definition(const ExprRef& var) const {
    auto value = values_.find(var.get());
    return value == values_.end() ? nullptr : as<Call>(value->second);
  }

 private:
  std::map<const Expr*, const For*> loops_;
  std::map<const Expr*, ExprRef> values_;
};

// Whether every op of the vector half can be dealt out.
struct Ops : Visitor<Ops> {
  const MixedPlan& plan;
  const SplitMode mode;
  const Traits& traits;
  const int dimension;
  bool possible = true;

  Ops(const MixedPlan& p, SplitMode m, const Traits& t)
      : plan(p), mode(m), traits(t), dimension(split_dimension(m)) {}

  void visit(const Assign& assign) {
    handed_on(assign.var);
    statement(assign, assign.value);
  }
  void visit(const Eval& eval) { statement(eval, eval.value); }
  void visit(const If& branch) { carried(branch, branch.results); }
  void visit(const For& loop) { carried(loop, loop.results, loop.iter_args); }
  void visit(const While& loop) { carried(loop, loop.results, loop.iter_args); }
  template <class T>
  void carried(const T& stmt, const VarList& results, const VarList& args = {}) {
    for (const VarRef& var : results) handed_on(var);
    for (const VarRef& var : args) handed_on(var);
    walk_children(stmt);
  }

  // What crosses goes in two halves.
  void handed_on(const VarRef& var) {
    if (plan.crosses_from(*var) == 0) return;
    possible = possible && isa<TileType>(var->type) && is_dealt(var->type, mode) && evenly(var->type);
    if (!possible || !traits.has_halves) return;
    possible = traits.has_halves(tile_type(var->type), mode, plan.crosses_from(*var) == on_cube);
  }

  void statement(const Stmt& stmt, const ExprRef& value) {
    if (!(plan.places(stmt) & on_vector)) return;
    const auto* call = as<Call>(value);
    possible = possible && (call ? fits(*call) : isa<ScalarType>(value->type));
    if (call) walk_children(*call);
  }
  // Within another expression, or a condition: an element of a tile differs between lanes.
  void visit(const Call& call) {
    for (const ExprRef& arg : call.args) possible = possible && !(arg && isa<TileType>(arg->type));
    walk_children(call);
  }

  bool evenly(const TypeRef& type) const {
    const int64_t extent = extent_of(type, dimension);
    return extent == 1 || extent % 2 == 0;
  }

  bool fits(const Call& call) const {
    const Op& op = *call.op;
    bool tiles = isa<TileType>(call.type);
    if (tiles && !evenly(call.type)) return false;
    for (const ExprRef& arg : call.args) {
      if (!arg || !isa<TileType>(arg->type)) continue;
      tiles = true;
      if (!evenly(arg->type)) return false;
    }
    // Scalars and views are common to all lanes; effects happen once.
    if (!tiles) return op.effects.empty() && !op.synchronizes && !op.keeps && op.form != OpForm::Create;
    switch (op.form) {
      case OpForm::Map:
      case OpForm::MapRow:
      case OpForm::MapCol:
      case OpForm::ExpandRow:
      case OpForm::ExpandCol:
      case OpForm::Fill:
      case OpForm::Create:
      case OpForm::Same:
        return true;
      case OpForm::ReduceRow:
      case OpForm::ArgRow:
        return dimension == 0;
      case OpForm::ReduceCol:
        return dimension == 1;
      case OpForm::Count: {
        const AttrValue* given = find_attr(call.attrs, "axis");
        const int64_t axis = given ? *given->get<int64_t>() : -1;
        return (axis < 0 ? axis + 2 : axis) != dimension;
      }
      case OpForm::Load:
        return op == ops::pl::tile::load && call.args[1] && call.args[2];
      case OpForm::Store:
        return op == ops::pl::tile::store && isa<Var>(call.args[0]) &&
               plan.states_extents(static_cast<const Var&>(*call.args[0]));
      default:
        return op == ops::pl::tile::set_validshape;
    }
  }
};

// Whether the tiles of one lane stay apart from those of the other one where a tensor is stored to: there is
// one store and nothing else, or every tile is in its place, at a multiple of its extent, or the first lane
// stores all there is.
struct Meetings : Visitor<Meetings> {
  const MixedPlan& plan;
  const Roots& roots;
  const int dimension;
  const Multiples multiples;
  int depth = 0;
  struct Memory {
    bool stored = false, in_place = true, first_lane = true;
    int meetings = 0, param = -1;
    int64_t extent = 0;
  };
  std::map<int, Memory> memory;  // by the first of the parameters that share it

  Meetings(const Function& kernel, const MixedPlan& p, const Roots& r, SplitMode mode)
      : plan(p), roots(r), dimension(split_dimension(mode)), multiples(kernel) {}

  void visit(const For& loop) { nested(loop); }
  void visit(const While& loop) { nested(loop); }
  template <class T>
  void nested(const T& loop) {
    ++depth;
    walk_children(loop);
    --depth;
  }
  void visit(const Assign& assign) { statement(assign, assign.value); }
  void visit(const Eval& eval) { statement(eval, eval.value); }

  void statement(const Stmt& stmt, const ExprRef& value) {
    const auto* call = as<Call>(value);
    if (!call || !(plan.places(stmt) & on_vector)) return;
    const bool load = call->op == ops::pl::tile::load, store = call->op == ops::pl::tile::store;
    if (!load && !store) return;
    const int64_t extent = extent_of(load ? call->type : call->args[0]->type, dimension);
    const ExprRef& tensor = call->args[load ? 0 : 2];
    for (int root : roots.of(tensor)) {
      Memory& at = memory[root < 0 ? root : plan.sharing()[static_cast<size_t>(root)]];
      if (at.meetings == 0) {
        at.extent = extent;
        at.param = root;
      }
      at.meetings += depth == 0 ? 1 : 2;
      at.stored = at.stored || store;
      at.first_lane = at.first_lane && store && extent == 1;
      at.in_place = at.in_place && at.param == root && at.extent == extent && extent > 1 &&
                    in_its_place(tensor, extent) && starts_in_place(tensor, call->args[1], extent);
    }
  }

  // Whether a tensor has the rows (columns) of its parameter, or of a part of it that starts at a multiple.
  bool in_its_place(const ExprRef& tensor, int64_t extent) const {
    if (roots.same(tensor) >= 0) return true;
    const Call* call = multiples.definition(tensor);
    if (!call) return false;
    if (call->op == ops::pl::tile::store) return in_its_place(ref(aliased_operand(*call)), extent);
    if (call->op != ops::pl::tensor::slice) return false;
    const ExprRef& source = call->args[0];
    const size_t rank = static_cast<const TensorType&>(*source->type).shape.size();
    if (const auto* dropped = as<MakeTuple>(call->args[3])) {
      auto is_dealt_dim = [&](const ExprRef& dim) {
        return static_cast<size_t>(*constant_value(dim)) + 2 >= rank;
      };
      if (std::any_of(dropped->elements.begin(), dropped->elements.end(), is_dealt_dim)) return false;
    }
    return starts_in_place(source, call->args[2], extent) && in_its_place(source, extent);
  }

  // Whether offsets into a tensor are at a multiple in the dimension that is dealt out.
  bool starts_in_place(const ExprRef& tensor, const ExprRef& offsets, int64_t extent) const {
    const auto* list = as<MakeTuple>(offsets);
    if (!list) return true;  // all of it, from the start
    const size_t rank = static_cast<const TensorType&>(*tensor->type).shape.size();
    if (rank == 1) return dimension == 1 && multiples.holds(list->elements[0], extent);
    return multiples.holds(list->elements[rank - 2 + static_cast<size_t>(dimension)], extent);
  }

  bool stay_apart() const {
    return std::all_of(memory.begin(), memory.end(), [](const auto& entry) {
      const Memory& one = entry.second;
      return !one.stored || one.meetings == 1 || one.in_place || one.first_lane;
    });
  }
};

}  // namespace

int split_dimension(SplitMode mode) {
  return mode == SplitMode::LEFT_RIGHT ? 1 : 0;
}

bool is_dealt(const TypeRef& tile, SplitMode mode) {
  return mode != SplitMode::NONE && extent_of(tile, split_dimension(mode)) > 1;
}

TypeRef lane_type(const TypeRef& tile, SplitMode mode) {
  if (!is_dealt(tile, mode)) return tile;
  Ref<TileType> half = copy(tile_type(tile));
  const auto dimension = static_cast<size_t>(split_dimension(mode));
  half->shape[dimension] = const_index(extent_of(tile, split_dimension(mode)) / 2);
  return finish_node(std::move(half));
}

SplitMode lane_split(const Function& kernel, const MixedPlan& plan, SplitMode mode, const Traits& traits) {
  if (mode == SplitMode::NONE) return mode;
  Ops ops(plan, mode, traits);
  ops.walk(*kernel.body);
  if (!ops.possible) return SplitMode::NONE;
  Meetings meetings(kernel, plan, plan.roots(), mode);
  meetings.walk(*kernel.body);
  return meetings.stay_apart() ? mode : SplitMode::NONE;
}

}  // namespace tilewire::passes
