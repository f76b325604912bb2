// Emits one cluster: a loop over rows, in each row a loop over columns per level. Internal to
// emit_cluster*.cpp.
#pragma once

#include <map>

#include "target/cpu/arithmetic.h"
#include "target/cpu/emitter.h"
#include "target/cpu/math.h"

namespace tilewire::target::cpu {

class ClusterEmitter {
 public:
  ClusterEmitter(FunctionEmitter& emitter, int index)
      : e_(emitter),
        b_(emitter.b),
        plan_(emitter.plan),
        index_(index),
        cluster_(emitter.plan.clusters[index]) {}
  void run();

 private:
  enum class SinkKind : uint8_t { Reduce, Column, Write, Keep, Store };
  struct Sink {
    SinkKind kind;
    int value;   // what is evaluated
    int member;  // of Reduce, Column, Store
  };
  // Sinks that share a loop over columns.
  struct Group {
    int level;
    int64_t cols;
    ExtentId valid_cols;
    std::vector<Sink> sinks;
  };
  // A piece of a row: some lanes from `column` on, all or those of the mask.
  struct Chunk {
    unsigned lanes = 0;  // 0: one scalar
    llvm::Value* column = nullptr;
    llvm::Value* mask = nullptr;
    int level = 0;
    std::map<int, llvm::Value*> known;
  };
  struct StoreTarget {
    TileView region;
    TileView target;                    // the region, or the guard
    llvm::Value* redirected = nullptr;  // i1
    llvm::Value* peer = nullptr;        // as of StoreRegion
    llvm::Value* far = nullptr;
    size_t group = 0;
  };

  // --- before the rows
  void find_extents();
  void check_stores();
  void guard_loads();
  void guard_stores();
  void make_groups();
  void add_sink(int level, Sink sink);
  void start_columns();
  void evaluate_scalars();
  llvm::Value* overlap(const TileView& x, ir::DType x_dtype, const TileView& y, ir::DType y_dtype);
  llvm::Value* identical(const TileView& x, const TileView& y);

  // --- one row
  void row(llvm::Value* r);
  void group(Group& group);
  llvm::Value* row_scalar(int value);
  void reduce_single(const Member& member);
  llvm::Value* lanes(int value, Chunk& chunk);
  std::vector<llvm::Value*> operands(const Member& member, Chunk& chunk);
  llvm::Value* compute(const Member& member, Chunk& chunk);
  void find_divisors(int level);
  llvm::Value* read(int value, const TileView& view, ir::DType dtype, bool first_row, Chunk& chunk);
  llvm::Value* read_at(llvm::Value* row_start, llvm::Value* stride, ir::DType dtype, Chunk& chunk);
  void write_at(llvm::Value* row_start, llvm::Value* stride, ir::DType dtype, llvm::Value* value,
                Chunk& chunk);
  llvm::Value* buffer_start(const PlanValue& v);
  llvm::Value* row_start(int key, const TileView& view, ir::DType dtype, bool first_row);
  unsigned lanes_for(const Group& group) const;
  size_t work_at(int level) const;
  int busiest_level() const;
  unsigned unroll_for(const Group& group, unsigned lanes) const;
  void prefetch(const Group& group, const Chunk& chunk);
  llvm::Value* mask_below(llvm::Value* column, llvm::Value* end, unsigned lanes);
  llvm::Value* known_mask(unsigned below, unsigned lanes);

  // --- reductions
  void sinks(const Group& group, Chunk& chunk, llvm::MutableArrayRef<llvm::Value*> state);
  std::vector<llvm::Value*> start_state(const Group& group, unsigned lanes);
  void reduce_step(const Member& member, llvm::Value* value, Chunk& chunk,
                   llvm::MutableArrayRef<llvm::Value*> state);
  void finish_reductions(const Group& group, unsigned lanes, unsigned copies,
                         std::vector<llvm::Value*> state);
  llvm::Value* identity(Elementwise op, ir::DType dtype, unsigned lanes);
  llvm::Value* better(Elementwise op, ir::DType dtype, llvm::Value* a, llvm::Value* b);
  void merge(Elementwise op, ir::DType dtype, llvm::Value*& value, llvm::Value*& position, llvm::Value* other,
             llvm::Value* other_position);
  llvm::Value* combine(Elementwise op, ir::DType dtype, llvm::Value* a, llvm::Value* b);
  llvm::Value* settle_zero(Elementwise op, ir::DType dtype, llvm::Value* value);

  // --- after the rows
  void column_step(const Member& member, llvm::Value* value, Chunk& chunk);
  void finish_columns();
  void finish_stores();

  // Keys of row starts: values, then stores.
  int store_key(int member) const { return static_cast<int>(plan_.values.size()) + member; }
  const TileView& view_of(int value);
  int operand_of(const Member& member) const { return tile_operand_ids_.at(&member)[0]; }
  bool inside(int value) const { return plan_.values[value].cluster == index_; }

  FunctionEmitter& e_;
  llvm::IRBuilder<>& b_;
  const Plan& plan_;
  int index_;
  const Cluster& cluster_;
  llvm::Value* rows_ = nullptr;
  llvm::Value* row_ = nullptr;
  std::map<const Member*, std::vector<int>> tile_operand_ids_;
  std::map<const Member*, std::vector<llvm::Value*>> scalar_operands_;
  std::map<int, const Member*> member_of_;
  std::map<int, TileView> guarded_;
  std::map<int, StoreTarget> stores_;  // by member index
  std::vector<Group> groups_;
  std::map<int, llvm::Value*> row_scalars_;
  std::map<int, llvm::Value*> row_starts_;
  std::map<const Member*, Divisor> divisors_;  // of divisions by a number of the row
};

// What joins two elements, and whether the result is where the best one is.
Elementwise reduction_of(const Member& member);
bool returns_position(const Member& member);

}  // namespace tilewire::target::cpu
