// Which notifies matter if they land later than they are issued.
//
// Between a notify and the next release of its agent, and of the tasks ordered after it, their behaviour does
// not show whether it has landed, unless they look: test a cell, read one, or wait for a value that
// may pass by. A test that is a wait (waiting_tests.h) counts as one here too. Without a look the agent might
// as well have issued the notify later, so it may land at once.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "interp/code.h"

namespace tilewire::interp {

class Delays {
 public:
  // `passes_by`: of a wait, whether it may be for a value that is reached and passed again; of a test, also
  // whether it is more than a wait.
  Delays(const Image& image, const std::function<bool(const Instr&)>& passes_by);
  // Whether the notify at this place is one of them.
  bool matter(const Code& code, uint32_t pc) const;

 private:
  bool looks(const Instr& instr) const;
  bool enters_look(const Code& code) const;
  // Whether a look happens before the next release, from each instruction on.
  std::vector<bool> looks_ahead(const Code& code, bool at_end) const;

  std::function<bool(const Instr&)> passes_by_;
  std::map<const Code*, std::vector<bool>> ahead_;
};

// Whether an instruction notifies.
bool notifies(const Instr& instr);

}  // namespace tilewire::interp
