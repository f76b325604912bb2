// Which half of a kernel, the cube or the vector core, runs what, and which values cross between them.
//
// - Products run on the cube half, everything else on tiles on the vector half. What only makes tiles (loads
//   of memory that is not written meanwhile, constants) is done where it is needed, twice if need be. So is
//   scalar arithmetic, and the loops and branches around what a half does.
// - Effects happen once: on the vector half, but stores of products to a tensor that only such stores touch.
// A
//   kernel that signals, waits or reaches a peer has all its effects on the vector half, in the order of
//   program.
// - A tile, or a scalar that cannot be recomputed (an element read, what a wait saw), that the other half
// needs
//   crosses where it is defined.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ir/nodes.h"
#include "ir/pointer_map.h"
#include "passes/carry_extents.h"
#include "passes/roots.h"
#include "passes/shared_parameters.h"
#include "passes/traits.h"
#include "passes/valid_shapes.h"

namespace tilewire::passes {

// Sets of halves.
using Halves = uint8_t;
inline constexpr Halves on_cube = 1, on_vector = 2, on_both = 3;
constexpr Halves other_half(Halves half) {
  return static_cast<Halves>(on_both & ~half);
}

// Whether a call fills a tile with values other than the zeros that sums start with.
bool needs_fill(const ir::Call& call);

class MixedPlan {
 public:
  // `stated`: extents of tiles that are known beyond what valid_shapes.h finds.
  MixedPlan(const ir::Function& kernel, const ReturnRoots& returns, Sharing sharing, const Traits& traits,
            std::map<const ir::Var*, TileExtents> stated = {});

  // Whether both halves have work, and values to pass on.
  bool mixed() const { return mixed_; }
  // Why it cannot be split, for a message; empty when it can.
  const std::string& obstacle() const { return obstacle_; }

  // Which half runs a statement: a call, a loop, a branch.
  Halves places(const ir::Stmt& stmt) const;
  // Which half computes a variable, not counting values that cross.
  Halves holds(const ir::Var& var) const;
  // The half it crosses from; 0: it does not.
  Halves crosses_from(const ir::Var& var) const;
  // Of a tile that crosses: the extents to be set where it arrives.
  TileExtents extents(const ir::Var& tile) const;
  // Whether extents() is complete: no extent is known only at run time.
  bool states_extents(const ir::Var& tile) const;
  // The tiles that cross without it.
  const std::vector<const ir::Var*>& without_extents() const { return without_extents_; }
  // Whether a half writes the tensor of a parameter.
  bool writes(Halves half, size_t param) const;
  // The parameters that the kernel returns, in their order.
  const std::vector<int>& returned() const { return returned_; }
  // The tiles and scalars that cross, from either half.
  const std::vector<const ir::Var*>& crossing() const { return crossing_; }
  const Roots& roots() const { return roots_; }
  const Sharing& sharing() const { return sharing_; }
  // The halves that values cross from.
  Halves senders() const { return senders_; }

 private:
  struct Value {
    ir::VarRef var;
    Halves home = 0;  // 0: wherever it is needed
    Halves need = 0;
    bool parameter = false;
    const ir::Call* call = nullptr;
    const ir::Expr* from = nullptr;           // of a TupleGet, the tuple
    int structure = -1;                       // the innermost around it
    std::vector<ir::ExprRef> starts, yields;  // of what a loop carries, or a branch decides
    int partner = -1;   // of a carried value, the result; of a result, the carried value
    int given_by = -1;  // of these, the loop or branch
  };
  struct Structure {
    const ir::Stmt* stmt;
    int outer;
    Halves halves = 0;
    bool condition = false;  // evaluated by a while loop before its condition
  };
  struct Work {
    const ir::Stmt* stmt;
    const ir::Call* call;  // null: a TupleGet or scalar expression
    ir::VarRef var;        // null: the value is unused
    int structure;
    Halves home = 0;
  };

  void collect(const ir::Block& body, int structure);
  void add(const ir::VarRef& var, int structure);
  int number(const ir::Expr& expr) const;
  Halves home_of(const ir::Expr& expr) const;
  void find_effects();
  bool stays_unwritten(const ir::ExprRef& tensor) const;
  size_t memory_of(int param) const { return static_cast<size_t>(sharing_[static_cast<size_t>(param)]); }
  Halves home_of_call(const ir::Call& call) const;
  Halves home_of_carried(const Value& value) const;
  void settle_homes();
  bool need(const ir::ExprRef& expr, Halves halves);
  bool need_structures(int structure, Halves halves);
  void settle_needs();
  bool round_of_needs();
  bool decides_loop(const Value& value) const;
  void find_crossings();
  void stop(std::string why) {
    if (obstacle_.empty()) obstacle_ = std::move(why);
  }

  const ir::Function& kernel_;
  const bool cube_fills_;
  Roots roots_;
  const Sharing sharing_;
  ValidShapes valid_;
  const std::map<const ir::Var*, TileExtents> stated_;
  std::vector<const ir::Var*> crossing_, without_extents_;
  std::vector<Value> values_;
  ir::PointerMap<uint32_t> numbers_;
  std::vector<Structure> structures_;
  ir::PointerMap<uint32_t> structure_numbers_;
  std::vector<Work> works_;
  ir::PointerMap<uint32_t> work_numbers_;
  bool synchronizes_ = false;
  std::vector<bool> written_, cube_owned_;  // by parameter, the first of those that share memory
  std::vector<int> returned_;
  std::string obstacle_;
  bool mixed_ = false;
  Halves senders_ = 0;
};

// A kernel and its plan. Where tiles cross whose extents only run time knows, the kernel is one that computes
// them as scalars too.
struct PlannedKernel {
  ir::FunctionRef kernel;
  MixedPlan plan;
};
PlannedKernel plan_mixed(const ir::FunctionRef& kernel, const ReturnRoots& returns, const Sharing& sharing,
                         const Traits& traits, Diagnostics& diags);

}  // namespace tilewire::passes
