// Which memory each tile of a kernel is in, on the core that runs it.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "ir/nodes.h"
#include "passes/tile_memory.h"
#include "target/pto/kernel_kind.h"

namespace tilewire::target::pto {

// A way a product takes a tile: as its left or right operand, turned or not.
struct Side {
  bool left = false, turned = false;
  bool operator==(const Side&) const = default;
};

class TileSpaces {
 public:
  explicit TileSpaces(const ir::Function& function);

  // As in passes/tile_memory.h, but a cube core has no Vec: there a tile is where its products take it
  // from.
  ir::MemorySpace of(const ir::Expr& tile) const;
  // Of a row in Mat: it is on its way to Bias, so its elements are not in boxes.
  bool is_bias(const ir::Expr& tile) const { return bias_.contains(&tile); }
  // Of a tile from a pipe that is used with another extent only: the `set_validshape` that states it. Null:
  // it is used as it comes.
  const ir::Call* cut_of_popped(const ir::Expr& tile) const;
  // The variable that has what is valid of a tile: that of the cut, if there is one, or its own.
  const ir::Expr& states_extent(const ir::Expr& tile) const;
  // Of a tile from a pipe that is kept after its slot is freed, for products that take it in more than
  // one way or turned: those ways. Mat has no copies, so it is in Left or Right once for each. Otherwise
  // empty.
  std::vector<Side> sides(const ir::Expr& tile) const;

 private:
  bool from_pipe(const ir::Expr& tile) const;

  const passes::TileMemory memory_;
  const bool cube_;
  std::map<const ir::Expr*, const ir::Assign*> cut_;  // where only a part of a tile becomes valid
  std::set<const ir::Expr*> left_, right_, transposed_, bias_;
  std::set<const ir::Expr*> popped_, whole_;  // tiles from pipes; tiles used other than to be cut
  std::set<const ir::Expr*> kept_;            // what they are moved to
  std::set<const ir::Expr*> beside_products_;
  std::map<const ir::Expr*, std::vector<Side>> sides_;
};

}  // namespace tilewire::target::pto
