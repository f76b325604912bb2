// Messages 26xx: the pto target.
#pragma once

#include "support/diagnostics.h"

namespace tilewire::diag {
#define TW_DIAG(code, name, severity, text, example) inline constexpr Diag name{code};
#include "support/diagnostics/pto.def"
#undef TW_DIAG
}  // namespace tilewire::diag
