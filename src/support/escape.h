// Text made safe for other formats. What is not UTF-8 becomes U+FFFD, so that the result always is.
#pragma once

#include <string>
#include <string_view>

namespace tilewire {

// For text and quoted attributes of HTML; control characters other than tab and newline become U+FFFD too.
std::string html_escaped(std::string_view text);
// With the quotation marks around it.
std::string json_quoted(std::string_view text);

}  // namespace tilewire
