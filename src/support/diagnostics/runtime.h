// Messages 21xx: run time.
#pragma once

#include <cstddef>
#include <string>

#include "support/diagnostics.h"

namespace tilewire::diag {
#define TW_DIAG(code, name, severity, text, example) inline constexpr Diag name{code};
#include "support/diagnostics/runtime.def"
#undef TW_DIAG

// The argument of run_deadlock for that many blocked tasks.
inline std::string blocked_text(size_t count) {
  return count == 1 ? "1 task is blocked and nothing can wake it"
                    : std::to_string(count) + " tasks are blocked and nothing can wake them";
}
}  // namespace tilewire::diag
