// The condition of a wait: `>=` as it is written, and whether a value meets it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ir/enums.h"

namespace tilewire::interp {

inline const char* sign(ir::WaitCmp cmp) {
  static constexpr const char* signs[] = {"==", ">=", "!=", ">", "<", "<="};
  return signs[static_cast<size_t>(cmp)];
}

inline bool holds(ir::WaitCmp cmp, int64_t value, int64_t expected) {
  switch (cmp) {
    case ir::WaitCmp::Eq:
      return value == expected;
    case ir::WaitCmp::Ge:
      return value >= expected;
    case ir::WaitCmp::Ne:
      return value != expected;
    case ir::WaitCmp::Gt:
      return value > expected;
    case ir::WaitCmp::Lt:
      return value < expected;
    case ir::WaitCmp::Le:
      return value <= expected;
  }
  return false;
}

}  // namespace tilewire::interp
