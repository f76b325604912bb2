// Getting the program a command is to work on.
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
  ir::ProgramRef program;  // null: nothing to work on, and it has been said why
  int exit_code = Fine;
  Messages messages = {};  // what has been said
};

// Reads, checks and verifies; says every error and warning on standard error.
Input read_input(const InputOptions& options);

// What a command that reports these ends with: options and arguments that do not fit are wrong usage.
int exit_code_for(const Diagnostics& diags, int otherwise);

// "x=4x16:FP32" as a name and a type; nothing when it is not of that form.
std::optional<std::pair<std::string, ir::TypeRef>> parse_shape_setting(const std::string& text);
// All that are, by name.
std::map<std::string, ir::TypeRef, std::less<>> given_shapes(const InputOptions& options);

}  // namespace tilewire::cli
