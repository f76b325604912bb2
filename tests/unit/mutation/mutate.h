// Small changes to what collectives were lowered to, one a mutant: a step removed, weakened or moved.
//
// Nothing here knows a lowering. A statement belongs to a collective when it has the span of a call of one,
// and what it does is what its op declares, so that mutants follow every change of the rules.
#pragma once

#include <string>
#include <vector>

#include "ir/nodes.h"

namespace tilewire::mutation {

struct Mutant {
  std::string change;  // "drop", "weaken", "early", ...
  std::string where;   // the statement, or the first line of it
  bool signals;        // only order was changed, no data: the checker has to see it
  ir::ProgramRef program;
};

// Where the collectives of a program are called, on the host and in kernels.
std::vector<Span> collective_calls(const ir::Program& program);

// `lowered`: a program from passes::lower of one with these calls. Changes of
//   signals    dropped; value 0, twice the value, set in place of added; to the own rank, the next cell
//   waits      dropped; for one less, for more, for exactly that; on the next cell
//   transfers  dropped; to or from the own rank
//   branches   always, never
//   loops      a round less at the start, at the end
//   order      a step before the one in front of it ("early"), where one of them signals or waits
//   rounds     two to four steps in a row that do nothing but signal and wait, all dropped
std::vector<Mutant> mutants_of(const ir::ProgramRef& lowered, const std::vector<Span>& calls);

}  // namespace tilewire::mutation
