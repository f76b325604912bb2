// Comparisons of waits: a condition and its opposite, and that the IR's names mean what the runtime's do.
#include "interp/wait_condition.h"

#include <gtest/gtest.h>

namespace tilewire::interp {
namespace {

TEST(WaitCondition, HoldsAsWritten) {
  struct Case {
    ir::WaitCmp cmp;
    const char* sign;
    bool below, equal, above;
  };
  const Case cases[] = {
      {ir::WaitCmp::Eq, "==", false, true, false}, {ir::WaitCmp::Ge, ">=", false, true, true},
      {ir::WaitCmp::Ne, "!=", true, false, true},  {ir::WaitCmp::Gt, ">", false, false, true},
      {ir::WaitCmp::Lt, "<", true, false, false},  {ir::WaitCmp::Le, "<=", true, true, false},
  };
  for (const Case& c : cases) {
    EXPECT_STREQ(sign(c.cmp), c.sign);
    const bool expected[] = {c.below, c.equal, c.above};
    for (int64_t value : {4, 5, 6}) {
      EXPECT_EQ(holds(c.cmp, value, 5), expected[value - 4]) << c.sign << " " << value;
      EXPECT_NE(abi::holds(abi::opposite(ir::abi_number(c.cmp)), value, 5), expected[value - 4])
          << c.sign << " " << value;
    }
  }
}

}  // namespace
}  // namespace tilewire::interp
