// Messages 25xx: what the checker finds.
#pragma once

#include "support/diagnostics.h"

namespace tilewire::diag {
#define TW_DIAG(code, name, severity, text, example) inline constexpr Diag name{code};
#include "support/diagnostics/check.def"
#undef TW_DIAG
}  // namespace tilewire::diag
