// Scalars that the vector half of a kernel sends to the cube half.
//
// The program pushes a tile of one value, and the cube half reads an element of what it pops. The cube core
// reads no elements of its tiles, so the value goes through a cell in global memory, and what goes through
// the pipe says when it is there. The last slot of the workspace's ring holds the cells: one more than the
// pipe then has slots, since the next value is written before its push waits for a slot.
#pragma once

#include <map>
#include <set>

#include "ops/pipe.h"
#include "target/pto/kernel_parameters.h"

namespace tilewire::target::pto {

class PipeScalars {
 public:
  explicit PipeScalars(const Kernel& kernel);
  // The call that fills a tile which is pushed as a scalar; null: it is not.
  const ir::Call* sent(const ir::Expr& tile) const;
  // Whether a popped tile is a scalar.
  bool received(const ir::Expr& tile) const { return received_.contains(&tile); }
  // Whether a pipe carries any.
  bool uses(const ops::Pipe& pipe) const { return pipes_.contains(pipe.id); }
  // The slots that the hardware has of a pipe.
  int64_t slots(const ops::Pipe& pipe) const { return uses(pipe) ? pipe.slots - 1 : pipe.slots; }
  // Bytes from the start of a pipe's workspace to its first cell.
  int64_t cells_at(const ops::Pipe& pipe) const;

 private:
  std::map<const ir::Expr*, const ir::Call*> sent_;
  std::set<const ir::Expr*> received_;
  std::set<int64_t> pipes_;
};

inline constexpr int64_t cell_bytes = 8;

// Bytes of a slot, and whether two lanes can have half of a tile each: passes/traits.h.
int64_t slot_bytes(const ir::TileType* tile, bool from_cube);
bool has_halves(const ir::TileType& tile, ir::SplitMode mode, bool from_cube);

}  // namespace tilewire::target::pto
