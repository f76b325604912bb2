// Programs for the tests of passes.
#pragma once

#include <string>
#include <vector>

#include "ir/nodes.h"

namespace tilewire::passes {

// The printed forms of tests/lang/programs, and the examples.
std::vector<std::string> program_files();
std::string file_text(const std::string& path);
// Null, after failing the test, when the text is not a program.
ir::ProgramRef read_text(const std::string& text);

// Printed and read: the text of a program after one pass, or after all of them when `pass` is empty.
std::string after(const std::string& pass, const std::string& text);
// What is reported while a program is lowered.
std::string errors_of(const std::string& text);

}  // namespace tilewire::passes
