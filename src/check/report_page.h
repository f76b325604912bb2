// The fixed parts of the HTML report. The page's security policy names them by their hashes, so that no other
// style or script on it is obeyed, whatever a program's text contains.
#pragma once

#include <string_view>

namespace tilewire::check {

extern const std::string_view page_style, page_style_hash;
// Small: selects findings, and lights up a step, its source line and the other ends of its arrows.
extern const std::string_view page_script, page_script_hash;

}  // namespace tilewire::check
