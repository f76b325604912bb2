// Tests that are waits in all but name: where the answer is no, the agent asks again, or waits for the same,
// and then goes on as it does after a yes, with the same live registers.
//
//     if not pld.system.test(s, [0, 0], 1):          while not pld.system.test(s, [0, 0], 1):
//         pld.system.wait(s, [0, 0], 1)                  pass
//
// Nothing lies between the test and the place where both answers meet but the answer being passed on. So an
// agent that was told no might as well have come to the test when the answer was yes.
#pragma once

#include <set>

#include "interp/code.h"

namespace tilewire::interp {

class WaitingTests {
 public:
  explicit WaitingTests(const Image& image);
  bool contains(const ir::Node* test) const { return tests_.count(test) != 0; }

 private:
  std::set<const ir::Node*> tests_;
};

}  // namespace tilewire::interp
