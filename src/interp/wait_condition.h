// The condition of a wait: `>=` as it is written, and whether a value meets it.
#pragma once

#include <cstdint>

#include "ir/abi_numbers.h"

namespace tilewire::interp {

inline const char* sign(ir::WaitCmp cmp) {
  return abi::sign(ir::abi_number(cmp));
}
inline bool holds(ir::WaitCmp cmp, int64_t value, int64_t expected) {
  return abi::holds(ir::abi_number(cmp), value, expected);
}

}  // namespace tilewire::interp
