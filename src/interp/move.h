// Writing a block of elements into a tensor, for stores of every kind.
#pragma once

#include "interp/lanes.h"

namespace tilewire::interp {

// `from` has as many elements as `to` and is read before anything is written. `add`: added to what is there.
void store_region(Context& c, const View& from, const Tensor& to, bool add);

}  // namespace tilewire::interp
