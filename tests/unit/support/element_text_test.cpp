#include "support/element_text.h"

#include <gtest/gtest.h>

#include <vector>

namespace tilewire {
namespace {

using Shape = std::vector<int64_t>;

TEST(ElementText, HasAnIndexPerDimension) {
  EXPECT_EQ(element_text("sig", Shape{4}, 3), "sig[3]");
  EXPECT_EQ(element_text("sig", Shape{4, 1}, 3), "sig[3, 0]");
  EXPECT_EQ(element_text("sig", Shape{2, 3, 4}, 23), "sig[1, 2, 3]");
}

TEST(ElementText, CountsWhatLiesOutsideTheShape) {
  EXPECT_EQ(element_text("sig", Shape{}, 3), "sig[3]");
  EXPECT_EQ(element_text("sig", Shape{2, 2}, 4), "sig[4]");
  EXPECT_EQ(element_text("sig", Shape{2, 0}, 1), "sig[1]");
}

}  // namespace
}  // namespace tilewire
