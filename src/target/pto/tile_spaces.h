// Which memory each tile of a kernel is in, on the core that runs it.
#pragma once

#include <map>
#include <set>

#include "ir/nodes.h"
#include "passes/tile_memory.h"
#include "target/pto/kernel_kind.h"

namespace tilewire::target::pto {

class TileSpaces {
 public:
  explicit TileSpaces(const ir::Function& function);

  // What passes/tile_memory.h says, but a cube core has no Vec: there a tile is where its products take it
  // from.
  ir::MemorySpace of(const ir::Expr& tile) const;
  // Of a row in Mat: it is on its way to Bias, so its elements are not in boxes.
  bool is_bias(const ir::Expr& tile) const { return bias_.contains(&tile); }

 private:
  const passes::TileMemory memory_;
  const bool cube_;
  std::map<const ir::Expr*, const ir::Expr*> cut_;  // the tile that has only a part of it valid
  std::set<const ir::Expr*> left_, right_, transposed_, bias_;
};

}  // namespace tilewire::target::pto
