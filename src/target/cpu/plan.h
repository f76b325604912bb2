// What is decided about a function before any code is emitted: which ops share a loop, in which order the
// pieces run, and where each tile lies.
//
// - Every tile and array is a value with a number. A variable has one or more leaves: itself, or those of its
//   tuple type. Ops that only rename (moves, tuple access) share numbers.
// - Row-wise ops of a block with the same row count form a cluster, emitted as one loop over the rows. Within
//   a row the work is cut into levels: what needs a row reduction of level p has at least level p + 1.
// - Everything else keeps its place. The order of actions in a block is the order of execution; positions
//   (`order`) count over the whole function, nested blocks included.
// - Loads stay where they are in memory (`deferred`) when nothing may write their tensor before they are
// used.
// - Carried values and the ops that update a tile share storage with what they replace where its life ends.
//
// The planner looks at types, uses and declared effects; it never emits code and needs no LLVM.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ir/nodes.h"
#include "ir/pointer_map.h"
#include "passes/roots.h"
#include "passes/valid_shapes.h"
#include "target/cpu/lowering.h"

namespace tilewire::target::cpu {

enum class LeafKind : uint8_t { Scalar, Tile, Tensor, Other };
struct Leaf {
  LeafKind kind;
  int id;  // into the values of that kind
};

// The valid extent of one dimension: `full`, or a number that only equal extents share.
using passes::ExtentId;
inline constexpr ExtentId full = passes::full_extent;

struct PlanValue {
  ir::DType dtype{};
  int64_t rows = 1, cols = 1;
  ExtentId valid_rows = full, valid_cols = full;
  const ir::Call* call = nullptr;  // what defines it; null: carried or joined
  const Lowering* lowering = nullptr;
  bool is_array = false;
  int cluster = -1;       // member of that cluster
  bool memory = false;    // has its own storage
  bool deferred = false;  // of loads and generators: evaluated where it is used
  int level = 0;          // of cluster members
  bool again = false;     // of cluster members: computed anew at later levels rather than kept
  int row_buffer = -1;    // value that keeps one row of it between levels
  int scratch = -1;       // value its computation needs beside it
  int staging = -1;       // of a load from a peer that is read in place: where it goes if the peer is far
  int web = -1;
  int start = -1, end = -1;  // life, in positions
  int loop = -1;             // innermost loop around the definition
  int64_t offset = -1;       // in the arena, once placed
};

struct Member {
  const ir::Call* call;
  const Lowering* lowering;
  int result = -1;  // -1: a store
  int level = 0;
  // Of a store: where the tile goes first if it may overlap an earlier store of the cluster and does, or if
  // it is for a peer and that one is far.
  int guard = -1;
  bool may_overlap = false;
};

// How a cluster reads a value from outside it.
struct ClusterRead {
  int value;
  int level;     // the last one at which it is read
  int64_t cols;  // of the loop that reads it there
  ExtentId valid_cols;
  bool aligned;    // row r and column c are read only for row r and column c, and only by that loop
  int guard = -1;  // of a load read in place: where a copy goes if what the cluster stores overlaps it
};

struct Cluster {
  int64_t rows = 1;
  ExtentId valid_rows = full;
  int levels = 1;
  int order = -1;
  bool stores = false;
  bool loads = false;  // reads tensors through deferred loads
  std::vector<Member> members;
  std::vector<ClusterRead> reads;
};

// One step of a block: a statement, or a cluster.
struct Action {
  const ir::Stmt* stmt = nullptr;
  int cluster = -1;
  int order = -1;
};

// How a value gets from a yield (or an initial value) into the storage of what carries it.
struct Transfer {
  int from = -1, to = -1;
  int through = -1;  // copied there first: `from` is overwritten by another transfer
};

struct LoopPlan {
  std::vector<bool> invariant;         // per leaf of the carried values: a tensor that stays the same
  std::vector<Transfer> enter, round;  // tiles and arrays that must be copied
};
struct BranchPlan {
  std::vector<bool> same;  // per leaf of the results: a tensor equal in both branches
  std::vector<Transfer> then_copies, else_copies;
};

class Plan {
 public:
  std::vector<PlanValue> values;
  std::vector<Cluster> clusters;
  int64_t arena_bytes = 0;
  int tensor_count = 0;
  std::vector<int> tensor_roots;  // -1: may share memory with any other such tensor; else shares with none
  int scalar_count = 0;

  std::span<const Leaf> leaves(const ir::Expr* var) const;
  const std::vector<Action>& actions(const ir::Block* block) const;
  int actions_order(const ir::Stmt* stmt) const { return *order_of.find(stmt); }
  const LoopPlan& loop(const ir::Stmt* stmt) const { return loops[*loop_of.find(stmt)]; }
  const BranchPlan& branch(const ir::Stmt* stmt) const { return branches[*branch_of.find(stmt)]; }

  // Filled by the planner.
  std::vector<Leaf> leaf_pool;
  ir::PointerMap<std::pair<int, int>> leaf_range;  // of variables
  std::vector<std::vector<Action>> blocks;
  ir::PointerMap<int> block_of;
  ir::PointerMap<int> order_of;  // of statements that are actions
  std::vector<LoopPlan> loops;
  ir::PointerMap<int> loop_of;
  std::vector<BranchPlan> branches;
  ir::PointerMap<int> branch_of;
};

// Which parameter each leaf of a kernel's result is; -1: none.
using ReturnedParams = std::vector<int>;

// What the planner asks about callees.
class Callees {
 public:
  virtual ~Callees() = default;
  virtual const ReturnedParams& returned(const ir::FunctionCall& call) const = 0;
};

// `function` is lowered and verified. `hooks`: what is written to peers is left to the runtime. Null after
// reporting an op that no lowered program may hold.
std::unique_ptr<Plan> make_plan(const ir::Function& function, const Callees& callees, const Machine& machine,
                                bool hooks, Diagnostics& diags);
// Scalars are -1 even if they are parameters: a caller need not have one itself.
ReturnedParams returned_params(const ir::Function& function, const passes::ReturnRoots& returns);

// The leaves of a type, in order.
void append_leaf_kinds(const ir::TypeRef& type, std::vector<LeafKind>& kinds);
// The scalars among what a function returns. A kernel writes each to a tensor of one element that its caller
// passes after the other arguments.
std::vector<ir::TypeRef> scalar_results(const ir::Function& function);
// A scalar in memory; task ids and contexts are 64 bits.
ir::DType stored_dtype(const ir::TypeRef& scalar);

}  // namespace tilewire::target::cpu
