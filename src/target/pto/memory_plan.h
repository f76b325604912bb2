// Assigns addresses in the memories of a core such that no two areas in use at once overlap.
#pragma once

#include <string>
#include <vector>

#include "ir/enums.h"
#include "target/pto/tile_storage.h"

namespace tilewire::target::pto {

// What is placed: a tile of the text, or the slots of a pipe.
struct Area {
  std::string name;  // for messages
  ir::MemorySpace space = ir::MemorySpace::Vec;
  int64_t bytes = 0;
  int64_t alignment = 0;     // 0: that of the space
  std::vector<bool> in_use;  // by statement
  int64_t address = -1;      // the answer
};

int64_t capacity(ir::MemorySpace space);  // bytes
const char* name_of(ir::MemorySpace space);

// Gives every area an address. Returns the spaces that overflow, each with the bytes that are needed.
std::vector<std::pair<ir::MemorySpace, int64_t>> place(std::vector<Area*> areas);

}  // namespace tilewire::target::pto
