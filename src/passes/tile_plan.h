// Which tensors of a kernel are held in tiles and which live in memory.
//
// A tensor that a kernel makes for itself can be a tile when its extents are constants, all but the last two
// are 1, it is small, and nothing needs its address: no view that outlives a read, no load or store, no
// remote access, no parameter that it might be instead. Values carried by loops and branches have one kind,
// so variables they connect are decided together. Ops that write in place make a new tile of an old one,
// which is equivalent as long as the old one is not read again.
#pragma once

#include "ir/nodes.h"
#include "ir/pointer_map.h"
#include "passes/traits.h"

namespace tilewire::passes {

class TilePlan {
 public:
  TilePlan(const ir::Function& kernel, const Traits& traits);
  bool is_tile(const ir::Expr& var) const { return tiles_.find(&var) != nullptr; }

  // Whether a tensor of this type can be loaded as one tile: constant extents, all but the last two 1, small.
  bool fits(const ir::TypeRef& type) const;
  // Whether all tensors of an operand can; null has none.
  bool fits_whole(const ir::ExprRef& operand) const;
  // The most bytes of one block of a larger one.
  int64_t block_bytes() const { return block_bytes_; }

 private:
  const int64_t whole_tile_bytes_, block_bytes_;
  ir::PointerMap<uint8_t> tiles_;
};

}  // namespace tilewire::passes
