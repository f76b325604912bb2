// Mutants that the checker does not refute, and why; docs/internals/passes.md has the arguments.
#pragma once

#include <cstdint>
#include <span>

#include "mutate.h"

namespace tilewire::mutation {

enum class Fate : uint8_t {
  Equal,    // it does the same
  Results,  // the checker has no quarrel with it, its results are wrong
};

struct Known {
  const char* change;
  const char* where;  // with `*` for anything
  Fate fate;
  const char* why;
};

// The one that says what becomes of a mutant; null: it has to be refuted.
const Known* find_known(const Mutant& mutant);
std::span<const Known> all_known();

}  // namespace tilewire::mutation
