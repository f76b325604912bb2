// What the arguments of a call were meant to be, for the help of an error about what they are.
#pragma once

#include <span>

#include "ir/op.h"

namespace tilewire::ir {

// An argument as the program writes it; "..." where that is long, or no text.
std::string written(const OpArgument& argument);

// The operand that a list says something about, entry by entry for each dimension, and whether the entries
// are offsets in it; else they are extents. -1: no such operand.
struct ListSubject {
  int param = -1;
  bool offsets = false;
};
ListSubject subject_of(const Op& op, int list_param);

// "write [i, 0]": `entries` are those that the program has, and the subject has `rank` dimensions.
std::string list_help(std::vector<std::string> entries, const ListSubject& subject, size_t rank,
                      const std::string& subject_text);

// Whether the argument may be one of that parameter, by its kind: a list, a tile, a number, ...
bool fits(const OpParam& param, const OpArgument& argument);

// The parameter that each positional argument fits, in the order of the arguments, where they do not fit the
// parameters at their own places. `free`: the parameters that no keyword names.
struct Intent {
  std::vector<int> params;
  bool in_order = false;  // each fits a later parameter than the one before: something is left out
};
std::optional<Intent> intent_of(const Op& op, std::span<const OpArgument> positional,
                                const std::vector<bool>& free);

// The call with its arguments at their places, and the names of parameters for what is missing.
std::string rewritten(const Op& op, const Span& call, std::span<const OpArgument> positional,
                      std::span<const OpKeyword> keywords, const std::vector<int>& params);

}  // namespace tilewire::ir
