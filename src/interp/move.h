// Moving blocks of elements, for local and remote ops alike.
#pragma once

#include "interp/lanes.h"

namespace tilewire::interp {

// `from` has as many elements as `to` and is read before anything is written. `add`: added to what is there.
void store_region(Context& c, const View& from, const Tensor& to, bool add);
// A tile of the region of operand 0, its valid extent that of the region.
void load_tile(Context& c, int);
// "`sig[3]` on rank 1, which is 0".
std::string cell_text(const Context& c, const Tensor& cell);
void add_notified(const Tensor& cell, int64_t value, bool add, std::vector<CellUse>& cells);

}  // namespace tilewire::interp
