// Program text for notebooks.
#pragma once

#include <string>
#include <string_view>

namespace tilewire::python {

// A <pre> with the text, coloured; nothing in the text can leave it.
std::string html_of(std::string_view python_text);

}  // namespace tilewire::python
