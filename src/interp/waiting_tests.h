// Tests that are equivalent to waits: on failure the agent tests again, or waits for the same condition,
// and then continues as after a success, with the same live registers.
//
//     if not pld.system.test(s, [0, 0], 1):          while not pld.system.test(s, [0, 0], 1):
//         pld.system.wait(s, [0, 0], 1)                  pass
//
// Between the test and the point where both answers meet, only the answer is passed on. So an
// agent whose test failed might as well have arrived when it would succeed.
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
