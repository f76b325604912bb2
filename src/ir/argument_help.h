// What the arguments of a call were meant to be, for help lines.
#pragma once

#include <span>

#include "ir/op.h"

namespace tilewire::ir {

// An argument as it is written in the program; "..." if that is long, or has no text.
std::string written(const OpArgument& argument);

// The operand that the entries of a list refer to, one entry per dimension, and whether they are offsets
// or extents. -1: no such operand.
struct ListSubject {
  int param = -1;
  bool offsets = false;
};
ListSubject subject_of(const Op& op, int list_param);

// "write [i, 0]": `entries` are those in the program; the subject has `rank` dimensions.
std::string list_help(std::vector<std::string> entries, const ListSubject& subject, size_t rank,
                      const std::string& subject_text);

// Whether the argument has a kind that the parameter accepts: a list, a tile, a number, ...
bool fits(const OpParam& param, const OpArgument& argument);

// The parameter that each positional argument fits, in the order of the arguments, if they do not fit the
// parameters at their own positions. `free`: the parameters not passed by keyword.
struct Intent {
  std::vector<int> params;
  bool in_order = false;  // each fits a later parameter than the one before: an argument is missing
};
std::optional<Intent> intent_of(const Op& op, std::span<const OpArgument> positional,
                                const std::vector<bool>& free);

// The call with its arguments in the right positions, and parameter names for missing arguments.
std::string rewritten(const Op& op, const Span& call, std::span<const OpArgument> positional,
                      std::span<const OpKeyword> keywords, const std::vector<int>& params);

}  // namespace tilewire::ir
