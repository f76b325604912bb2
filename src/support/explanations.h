// What is said of a message itself, for `tilewire explain` and docs/diagnostics.md.
#pragma once

#include <string>
#include <string_view>

#include "support/diagnostics.h"

namespace tilewire {

// Why it is wrong and how to mend it; empty for messages that say so themselves.
std::string_view explanation(Diag diag);
// "TW0312".
std::string code_text(Diag diag);
// The text with "..." for its arguments.
std::string text_with_dots(const DiagInfo& info);

}  // namespace tilewire
