#include "driver/inputs/trial_sizes.h"

#include <gtest/gtest.h>

#include <functional>

namespace tilewire::driver {
namespace {

using Outcome = TrialSizes::Outcome;

// The values tried, in their order, where `outcome` says what comes of each.
std::vector<SizeValues> tried(TrialSizes sizes, const std::function<Outcome(const SizeValues&)>& outcome,
                              const std::vector<int64_t>& growth = {}) {
  std::vector<SizeValues> all;
  while (auto values = sizes.next()) {
    all.push_back(*values);
    sizes.note(outcome(*values), growth);
  }
  return all;
}

Outcome always_valid(const SizeValues&) {
  return Outcome::Valid;
}

Size dimension(std::set<int64_t> parts, int64_t shares = 1) {
  return {"N", std::nullopt, std::move(parts), 2, shares};
}

using Tried = std::vector<SizeValues>;

TEST(TrialSizes, two_parts_and_a_rest) {
  EXPECT_EQ(tried(TrialSizes({dimension({1024})}, {1024}), always_valid), Tried({{2049}}));
  EXPECT_EQ(tried(TrialSizes({dimension({3, 5, 16})}, {}), always_valid), Tried({{34}}));
  EXPECT_EQ(tried(TrialSizes({dimension({})}, {64}), always_valid), Tried({{5}}));
}

TEST(TrialSizes, each_dimension_has_its_own) {
  EXPECT_EQ(tried(TrialSizes({dimension({1024}), dimension({16})}, {}), always_valid), Tried({{2049, 33}}));
}

TEST(TrialSizes, parts_of_one_share) {
  EXPECT_EQ(tried(TrialSizes({dimension({16}, 3)}, {}), always_valid), Tried({{97}}));
}

TEST(TrialSizes, multiples_where_others_are_not_valid) {
  auto multiples = [](const SizeValues& values) {
    return values[0] % 16 == 0 && values[1] % 4 == 0 ? Outcome::Valid : Outcome::Invalid;
  };
  // Then each dimension alone once more.
  EXPECT_EQ(tried(TrialSizes({dimension({16}), dimension({4})}, {16}), multiples),
            Tried({{33, 9}, {32, 8}, {33, 8}, {32, 9}}));
}

TEST(TrialSizes, equal_sizes_where_others_are_not_valid) {
  auto equal = [](const SizeValues& values) {
    return values[0] == values[1] ? Outcome::Valid : Outcome::Invalid;
  };
  EXPECT_EQ(tried(TrialSizes({dimension({16}), dimension({})}, {16}), equal),
            Tried({{33, 5}, {32, 4}, {17, 17}}));
  auto never = [](const SizeValues&) { return Outcome::Invalid; };
  EXPECT_EQ(tried(TrialSizes({dimension({16}), dimension({})}, {16}), never),
            Tried({{33, 5}, {32, 4}, {17, 17}, {16, 16}}));
}

TEST(TrialSizes, one_at_a_time_where_all_take_too_long) {
  auto small = [](const SizeValues& values) {
    return values[0] * values[1] < 1000 ? Outcome::Valid : Outcome::TooLong;
  };
  EXPECT_EQ(tried(TrialSizes({dimension({64}), dimension({32})}, {64}), small),
            Tried({{129, 65}, {129, 2}, {2, 65}}));
  auto tiny = [](const SizeValues& values) {
    return values[0] * values[1] < 100 ? Outcome::Valid : Outcome::TooLong;
  };
  EXPECT_EQ(tried(TrialSizes({dimension({64}), dimension({4})}, {8}), tiny),
            Tried({{129, 9}, {129, 2}, {2, 9}}));
  // At last what is as small as tiles allow, whatever it takes.
  auto never = [](const SizeValues&) { return Outcome::TooLong; };
  EXPECT_EQ(tried(TrialSizes({dimension({64})}, {8}), never), Tried({{129}, {9}, {8}}));
}

TEST(TrialSizes, larger_ones_where_loops_went_round_too_little) {
  EXPECT_EQ(tried(TrialSizes({dimension({16})}, {}), always_valid, {4}), Tried({{33}, {133}, {533}}));
}

TEST(TrialSizes, scalars_come_last_and_alone) {
  const Size scalar{"n", 0, {64}, 3};
  EXPECT_EQ(tried(TrialSizes({scalar}, {}), always_valid), Tried({{129}}));
  EXPECT_EQ(tried(TrialSizes({dimension({16}), scalar}, {}), always_valid), Tried({{33, 3}, {33, 129}}));
}

TEST(TrialSizes, scalars_that_are_whole) {
  const Size scalar{"n", 0, {64}, 3};
  auto small = [](const SizeValues& values) { return values[0] <= 128 ? Outcome::Valid : Outcome::Invalid; };
  EXPECT_EQ(tried(TrialSizes({scalar}, {}), small), Tried({{129}, {128}}));
}

TEST(TrialSizes, none) {
  EXPECT_EQ(tried(TrialSizes(), always_valid), Tried());
  EXPECT_EQ(tried(TrialSizes({}, {16}), always_valid), Tried());
}

}  // namespace
}  // namespace tilewire::driver
