// How messages name a block of a launch.
#pragma once

#include <cstdint>
#include <string>

namespace tilewire {

// Of a kernel made of two halves (ir::Function::lanes, abi::lanes_of) `lanes` blocks work as one: "cube
// half", "vector half", "vector lane 1"; empty when `lanes` is 1.
std::string half_text(int64_t block, int64_t lanes);

// "block 3 of 8", "cube half of block 1 of 4", "cube half"; empty where the launch has one block.
std::string block_text(int64_t block, int64_t blocks, int64_t lanes);

}  // namespace tilewire
