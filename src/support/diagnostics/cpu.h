// Messages 23xx: the cpu target.
#pragma once

#include "support/diagnostics.h"

namespace tilewire::diag {
#define TW_DIAG(code, name, severity, text, example) inline constexpr Diag name{code};
#include "support/diagnostics/cpu.def"
#undef TW_DIAG
}  // namespace tilewire::diag
