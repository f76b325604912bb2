// Every interleaving of a tiny program, with no reduction but that equal states are visited once: what the
// tiers of the checker are compared with. It shares the interpreter with them and nothing else: order is kept
// as sets of events, remote writes are agents of their own, every access is a step.
#pragma once

#include <cstddef>
#include <string>

#include "interp/interp.h"

namespace tilewire::check::test {

struct Explored {
  bool race = false;
  bool lost = false;
  bool deadlock = false;  // and no wait for equality was overtaken
  bool overshot = false;
  bool complete = false;  // false: the limit came first
  size_t states = 0;

  bool wrong() const { return race || lost || deadlock || overshot; }
  std::string text() const;
};

// `late`: which notifies land later; with Needed those that may make a difference.
Explored explore(const ir::ProgramRef& program, const std::string& entry, int ranks, size_t limit,
                 int calls = 1, interp::Late late = interp::Late::Always);

}  // namespace tilewire::check::test
