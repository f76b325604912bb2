// Messages 27xx: the host side of a program for PTO.
#pragma once

#include "support/diagnostics.h"

namespace tilewire::diag {
#define TW_DIAG(code, name, severity, text, example) inline constexpr Diag name{code};
#include "support/diagnostics/pto_host.def"
#undef TW_DIAG
}  // namespace tilewire::diag
