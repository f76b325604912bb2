// Messages 03xx: op arguments and type rules.
#pragma once

#include "support/diagnostics.h"

namespace tilewire::diag {
#define TW_DIAG(code, name, severity, text, example) inline constexpr Diag name{code};
#include "support/diagnostics/ops.def"
#undef TW_DIAG
}  // namespace tilewire::diag
