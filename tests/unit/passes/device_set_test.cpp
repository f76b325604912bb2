#include "passes/device_set.h"

#include <gtest/gtest.h>

namespace tilewire::passes {
namespace {

DeviceSet both(DeviceSet a, const DeviceSet& b) {
  a.add(b);
  return a;
}

TEST(DeviceSet, SaysWhatItHolds) {
  EXPECT_EQ(DeviceSet().text(), "no rank");
  EXPECT_EQ(DeviceSet::one(3).text(), "rank 3");
  EXPECT_EQ(DeviceSet::of({1, 0}).text(), "ranks 0 and 1");
  EXPECT_EQ(DeviceSet::range(0, 4, 1).text(), "ranks 0 to 3");
  EXPECT_EQ(DeviceSet::of({0, 2, 5, 6, 7}).text(), "ranks 0, 2, 5 to 7");
  EXPECT_EQ(DeviceSet::from(0).text(), "all ranks");
  EXPECT_EQ(DeviceSet::from(2).text(), "ranks 2 and up");
  EXPECT_EQ(both(DeviceSet::one(0), DeviceSet::from(2)).text(), "ranks 0, 2 and up");
}

TEST(DeviceSet, OneFormForEqualSets) {
  EXPECT_EQ(both(DeviceSet::one(0), DeviceSet::from(1)), DeviceSet::from(0));
  EXPECT_EQ(both(DeviceSet::from(1), DeviceSet::range(0, 1, 1)), DeviceSet::of({}));
  EXPECT_EQ(both(DeviceSet::from(2), DeviceSet::of({1, 7})), DeviceSet::from(1));
  EXPECT_EQ(DeviceSet::range(3, -1, -1), DeviceSet::range(0, 4, 1));
  EXPECT_NE(DeviceSet::from(1), DeviceSet::from(0));
  EXPECT_EQ(both(DeviceSet::unknown(), DeviceSet::from(0)), DeviceSet::from(0));
  EXPECT_FALSE(both(DeviceSet::unknown(), DeviceSet::from(1)).known());
}

TEST(DeviceSet, InARun) {
  EXPECT_EQ(DeviceSet::range(0, 4, 1).in_run_of(4), DeviceSet::from(0));
  EXPECT_EQ(DeviceSet::range(0, 3, 1).in_run_of(4), DeviceSet::of({0, 1, 2}));
  EXPECT_EQ(DeviceSet::from(1).in_run_of(3), DeviceSet::of({1, 2}));
  EXPECT_EQ(DeviceSet::from(1).in_run_of(1), DeviceSet());
  EXPECT_EQ(both(DeviceSet::one(0), DeviceSet::from(2)).in_run_of(4), DeviceSet::of({0, 2, 3}));
}

TEST(DeviceSet, RangesNoRunCanHaveAreNotListed) {
  EXPECT_FALSE(DeviceSet::range(0, int64_t{1} << 60, 1).known());
  EXPECT_FALSE(DeviceSet::range(-1, 4, 1).known());
  EXPECT_FALSE(DeviceSet::range(0, 4, 0).known());
  EXPECT_TRUE(DeviceSet::range(4, 4, 1).empty());
}

}  // namespace
}  // namespace tilewire::passes
