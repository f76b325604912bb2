// Loading the program that a command works on.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "ir/nodes.h"
#include "support/diagnostics.h"

namespace tilewire::cli {

// For commands that print JSON.
struct Messages {
  std::string invalid;           // the first error; empty: there is none
  std::vector<std::string> all;  // objects, as check::json_of makes them
};
Messages messages_of(const Diagnostics& diags);

struct Input {
  ir::ProgramRef program;  // null: loading failed, and the error has been printed
  int exit_code = Fine;
  Messages messages = {};  // what has been said
};

// Reads, checks and verifies; prints all errors and warnings on standard error.
Input read_input(const InputOptions& options);

// The exit code of a command that reports these: wrong usage for invalid options and arguments.
int exit_code_for(const Diagnostics& diags, int otherwise);

// "x=4x16:FP32" as a name and a type; empty if it does not have that form.
std::optional<std::pair<std::string, ir::TypeRef>> parse_shape_setting(const std::string& text);
// The valid ones, by name.
std::map<std::string, ir::TypeRef, std::less<>> given_shapes(const InputOptions& options);

}  // namespace tilewire::cli
