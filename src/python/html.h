// What notebooks show of programs.
#pragma once

#include <string>
#include <string_view>

#include "driver/execute/executable.h"

namespace tilewire::python {

// A <pre> with the text, coloured; nothing in the text can leave it.
std::string html_of(std::string_view python_text);
// What an executable is called with, its windows, and the program it was made of.
std::string html_of(const driver::Executable& executable);

}  // namespace tilewire::python
