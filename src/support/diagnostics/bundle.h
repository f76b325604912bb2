// Messages 24xx: manifests and bundles.
#pragma once

#include "support/diagnostics.h"

namespace tilewire::diag {
#define TW_DIAG(code, name, severity, text, example) inline constexpr Diag name{code};
#include "support/diagnostics/bundle.def"
#undef TW_DIAG
}  // namespace tilewire::diag
