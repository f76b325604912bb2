// Which on-chip memory each tile of a kernel lives in, for targets that have more than one.
//
// Vector ops work in Vec. A product takes its operands from Left and Right, its bias from Bias, and leaves
// its result in Acc. What is loaded only for products is staged in Mat; if the memory of a tile is
// not the one an op takes it from, the target moves it. Memory named in the program is kept.
#pragma once

#include <optional>

#include "ir/nodes.h"
#include "ir/pointer_map.h"

namespace tilewire::passes {

// The memory an op takes an operand from; nothing where any will do (stores, moves, pushes).
std::optional<ir::MemorySpace> required_memory(const ir::Call& call, size_t operand);

class TileMemory {
 public:
  explicit TileMemory(const ir::Function& kernel);
  // Of a variable of tile type.
  ir::MemorySpace of(const ir::Expr& tile) const;

 private:
  ir::PointerMap<ir::MemorySpace> spaces_;
};

}  // namespace tilewire::passes
