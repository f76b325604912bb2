// Texts about a message, for `tilewire explain` and docs/diagnostics.md.
#pragma once

#include <string>
#include <string_view>

#include "support/diagnostics.h"

namespace tilewire {

// Why it is wrong and how to fix it; empty for messages that are clear without.
std::string_view explanation(Diag diag);
// "TW0312".
std::string code_text(Diag diag);
// The text with "..." for its arguments.
std::string text_with_dots(const DiagInfo& info);

}  // namespace tilewire
