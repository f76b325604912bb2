// Shadow memory and clocks on their own.
#include "check/shadow.h"

#include <gtest/gtest.h>

namespace tilewire::check::test {
namespace {

using interp::Box;

struct Found {
  AgentId agent;
  int64_t begin, end;
  bool operator==(const Found&) const = default;
};

class ShadowTest : public testing::Test {
 protected:
  std::vector<Found> use(AgentId agent, Use use, const Box& box, ir::DType dtype = ir::DType::FP32) {
    std::vector<Found> found;
    Action action{.kind = Action::Kind::Access, .use = use, .box = box, .dtype = dtype};
    const Touch touch = touch_of(action, order_.now(agent), 0);
    shadow_.touch(0, box, touch, order_, [&](const Touch& t, int64_t begin, int64_t end) {
      (conflict(t, touch) ? found : rounded_).push_back({t.moment.agent, begin, end});
    });
    return found;
  }
  using All = std::vector<Found>;
  Order order_;
  Shadow shadow_;
  All rounded_;  // pairs that need no order, but round differently in the other one
};

TEST_F(ShadowTest, FindsTheBytesThatMeet) {
  EXPECT_EQ(use(1, Use::Write, {0, 64, {}}), All{});
  EXPECT_EQ(use(2, Use::Write, {64, 64, {}}), All{});
  EXPECT_EQ(use(3, Use::Read, {32, 64, {}}), (All{{1, 32, 64}, {2, 64, 96}}));
  EXPECT_EQ(use(4, Use::Read, {0, 32, {}}), (All{{1, 0, 32}}));
  EXPECT_EQ(use(4, Use::Read, {128, 8, {}}), All{});
}

TEST_F(ShadowTest, AtomicUpdatesOfTheSameElementsOnly) {
  EXPECT_EQ(use(1, Use::Atomic, {0, 16, {}}, ir::DType::Int32), All{});
  EXPECT_EQ(use(2, Use::Atomic, {0, 16, {}}, ir::DType::Int32), All{});
  EXPECT_EQ(rounded_, All{});
  // Another type, another width, the same type at other addresses.
  EXPECT_EQ(use(3, Use::Atomic, {0, 4, {}}, ir::DType::FP32), (All{{1, 0, 4}, {2, 0, 4}}));
  EXPECT_EQ(use(4, Use::Atomic, {8, 4, {}}, ir::DType::FP16), (All{{1, 8, 12}, {2, 8, 12}}));
  EXPECT_EQ(use(5, Use::Atomic, {14, 4, {}}, ir::DType::Int32), (All{{1, 14, 16}, {2, 14, 16}}));
}

TEST_F(ShadowTest, AnUpdateDoesNotStandForOneOfAnotherType) {
  EXPECT_EQ(use(1, Use::Atomic, {0, 4, {}}, ir::DType::FP32), All{});
  EXPECT_EQ(use(1, Use::Atomic, {0, 4, {}}, ir::DType::Int32), All{});
  EXPECT_EQ(use(2, Use::Atomic, {0, 4, {}}, ir::DType::Int32), (All{{1, 0, 4}}));
}

TEST_F(ShadowTest, SumsOfFloatsAreToldApart) {
  EXPECT_EQ(use(1, Use::Atomic, {0, 16, {}}), All{});
  EXPECT_EQ(use(2, Use::Atomic, {8, 16, {}}), All{});
  EXPECT_EQ(rounded_, (All{{1, 8, 16}}));
}

TEST_F(ShadowTest, StridedBoxesThatInterlaceDoNotMeet) {
  // Two columns of a matrix of 16 bytes a row.
  EXPECT_EQ(use(1, Use::Write, {0, 4, {{4, 16}}}), All{});
  EXPECT_EQ(use(2, Use::Write, {4, 4, {{4, 16}}}), All{});
  EXPECT_EQ(use(3, Use::Write, {16, 8, {}}), (All{{1, 16, 20}, {2, 20, 24}}));
}

TEST_F(ShadowTest, OrderedUsesDoNotConflict) {
  EXPECT_EQ(use(1, Use::Write, {0, 8, {}}), All{});
  Clock told = order_.release(1);
  EXPECT_EQ(use(1, Use::Write, {8, 8, {}}), All{});  // after the release
  order_.acquire(2, told);
  EXPECT_EQ(use(2, Use::Write, {0, 16, {}}), (All{{1, 8, 16}}));
}

TEST_F(ShadowTest, WhatALaterUseStandsForIsFoundThroughIt) {
  EXPECT_EQ(use(1, Use::Write, {0, 8, {}}), All{});
  order_.acquire(2, order_.release(1));
  EXPECT_EQ(use(2, Use::Write, {0, 8, {}}), All{});
  EXPECT_EQ(use(3, Use::Read, {0, 8, {}}), (All{{2, 0, 8}}));
}

TEST_F(ShadowTest, AtomicUsesAmongThemselves) {
  EXPECT_EQ(use(1, Use::Atomic, {0, 8, {}}), All{});
  EXPECT_EQ(use(2, Use::Atomic, {0, 8, {}}), All{});
  EXPECT_EQ(use(3, Use::CellLook, {0, 4, {}}).size(), 2u);
  EXPECT_EQ(use(4, Use::CellAdd, {16, 4, {}}), All{});
  EXPECT_EQ(use(5, Use::CellAdd, {16, 4, {}}), All{});
  EXPECT_EQ(use(6, Use::CellLook, {16, 4, {}}), All{});
  EXPECT_EQ(use(7, Use::CellSet, {16, 4, {}}).size(), 2u);
  EXPECT_EQ(use(8, Use::Read, {16, 4, {}}).size(), 3u);
}

// An atomic update must not hide an earlier read from a later atomic update.
TEST_F(ShadowTest, AReadStaysBesideAnAtomicUpdate) {
  EXPECT_EQ(use(1, Use::Read, {0, 8, {}}), All{});
  order_.acquire(2, order_.release(1));
  EXPECT_EQ(use(2, Use::Atomic, {0, 8, {}}), All{});
  EXPECT_EQ(use(3, Use::Atomic, {0, 8, {}}), (All{{1, 0, 8}}));
}

}  // namespace
}  // namespace tilewire::check::test
