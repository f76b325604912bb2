// Which core a function of a kernel runs on, and how wide its tiles are.
#pragma once

#include "ir/nodes.h"

namespace tilewire::target::pto {

enum class Core : uint8_t { Vector, Cube };
Core kind_of_core(const ir::Function& function);

// Whether it has products and, on the same core, work that only the vector core does.
bool mixes_cores(const ir::Function& function);

// Tiles in vec are a multiple of so many columns wide, columns so many rows high: a line of 32 bytes of the
// smallest elements of the function, so that tiles of one shape have one shape in memory whatever their
// elements are.
int64_t column_unit(const ir::Function& function);

}  // namespace tilewire::target::pto
