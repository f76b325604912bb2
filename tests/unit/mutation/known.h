// Mutants that the checker does not refute, and why; docs/internals/passes.md has the arguments.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "mutate.h"

namespace tilewire::mutation {

enum class Fate : uint8_t {
  Equal,    // it does the same
  Results,  // the checker has no quarrel with it, its results are wrong
  Either,   // it does the same in some places and not in others
};

struct Known {
  const char* change;
  const char* where;  // with `*` for anything
  Fate fate;
  const char* why;
  // Of programs whose names begin so, or do not.
  const char* only = "";
  const char* except = "nothing";
};

// The one that says what becomes of a mutant; null: it has to be refuted.
const Known* find_known(const Mutant& mutant, std::string_view program);
std::span<const Known> all_known();

}  // namespace tilewire::mutation
