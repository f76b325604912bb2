// Ranks that share windows, with signals as generated code does them.
#include "runtime/windows.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>

#include "abi/even_hosts.h"
#include "ranks.h"

namespace tilewire::runtime {
namespace {

TEST(Windows, HostsAreEvenWhereRanksFollowEachOther) {
  auto even = [](std::vector<int32_t> hosts) { return abi::even_hosts(hosts); };
  EXPECT_EQ(even({}), 1);
  EXPECT_EQ(even({3}), 1);
  EXPECT_EQ(even({3, 3, 3}), 1);
  EXPECT_EQ(even({0, 0, 1, 1}), 2);
  EXPECT_EQ(even({5, 2, 9}), 3);
  EXPECT_EQ(even({0, 0, 1}), 1);
  EXPECT_EQ(even({0, 1, 1}), 1);
  EXPECT_EQ(even({0, 1, 0, 1}), 1);
  EXPECT_EQ(even({0, 0, 1, 1, 0, 0}), 1);
  EXPECT_EQ(even({0, 0, 1, 2}), 1);
}

TEST(Windows, GroupsKnowTheirRanks) {
  auto windows =
      Windows::make(4, {{{}, 128, {{"a", 0, 64}, {"b", 64, 64}}}, {{1, 3}, 4096, {{"c", 64, 100}}}});
  ASSERT_TRUE(windows);
  for (int32_t rank = 0; rank < 4; ++rank) {
    const abi::Group* group = windows->group(0, rank);
    EXPECT_EQ(group->rank, rank);
    EXPECT_EQ(group->rank_count, 4);
    EXPECT_EQ(windows->data(0, 1, rank), group->regions[rank] + 64);
    EXPECT_EQ(*windows->data(0, 1, rank), std::byte{0});
    EXPECT_EQ(windows->window(0, 1, rank)->group, group);
  }
  EXPECT_EQ(windows->group(1, 0), nullptr);
  EXPECT_EQ(windows->window(1, 0, 2), nullptr);
  EXPECT_EQ(windows->group(1, 3)->rank, 1);
  EXPECT_EQ(windows->group(1, 3)->rank_count, 2);
  *windows->data(1, 0, 3) = std::byte{7};
  windows->zero();
  EXPECT_EQ(*windows->data(1, 0, 3), std::byte{0});
  EXPECT_EQ(windows->name_of(reinterpret_cast<int32_t*>(windows->data(0, 1, 2)) + 5), "`b[5]` on rank 2");
  EXPECT_EQ(windows->name_of(reinterpret_cast<int32_t*>(windows->group(1, 3)->regions[1])),
            "byte 0 of the region of rank 3");
  int32_t outside = 0;
  EXPECT_EQ(windows->name_of(&outside), "");
  EXPECT_EQ(windows->waiter_word(&outside), nullptr);
  EXPECT_EQ(windows->waiter_word(windows->data(1, 0, 3)), windows->group(1, 1)->waiters[1]);
}

TEST(Windows, TooLargeOnesAreRefused) {
  EXPECT_EQ(Windows::make(4, {{{}, uint64_t{1} << 50, {}}}), nullptr);
}

TEST(WindowsDeathTest, WritingPastARegionIsCaught) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto windows = Windows::make(2, {{{}, 4096, {{"a", 0, 4096}}}});
  volatile std::byte* end = windows->data(0, 0, 0) + 4096;
  EXPECT_DEATH(*end = std::byte{1}, "");
}

// Every rank adds up what all ranks put, in two rounds of signals, several times over.
TEST(Ranks, ReduceByHand) {
  for (int32_t ranks : {1, 2, 3, 4, 8, 64}) {
    for (int threads : {1, 2, 4}) {
      Program program;
      uint32_t site = program.site("pld.system.wait", 8);
      auto windows = Windows::make(ranks, {data_and_signal(ranks)});
      ASSERT_TRUE(windows);
      std::atomic<int> right{0};
      Body body = [&](Context* context, const Word* args) {
        const abi::Window &data = window(args[0]), &signal = window(args[1]);
        int32_t me = context->rank;
        for (int round = 1; round <= 5; ++round) {
          *cell_of(data, me, 0) = me * round;
          for (int32_t p = 0; p < ranks; ++p) notify(context, signal, p, me, 1);
          for (int32_t p = 0; p < ranks; ++p) {
            if (Status status = wait(context, signal, p, round, site)) return status;
          }
          int64_t sum = 0;
          for (int32_t p = 0; p < ranks; ++p) sum += *cell_of(data, p, 0);
          right += sum == int64_t{round} * ranks * (ranks - 1) / 2;
          for (int32_t p = 0; p < ranks; ++p) notify(context, signal, p, ranks + me, 1);
          for (int32_t p = 0; p < ranks; ++p) {
            if (Status status = wait(context, signal, ranks + p, round, site)) return status;
          }
        }
        return abi::ok;
      };
      Outcome outcome = run_on_all(program, ranks, threads, *windows, 2, body);
      EXPECT_TRUE(outcome.ok()) << text(outcome);
      EXPECT_EQ(right, ranks * 5);
      for (int32_t rank = 0; rank < ranks; ++rank) EXPECT_EQ(*windows->group(0, 0)->waiters[rank], 0u);
    }
  }
}

TEST(Ranks, AThousandPassATokenRound) {
  constexpr int32_t ranks = 1024;
  for (int threads : {1, 2}) {
    Program program;
    uint32_t site = program.site("pld.system.wait", 8);
    auto windows = Windows::make(ranks, {data_and_signal(1)});
    Body body = [&](Context* context, const Word* args) {
      const abi::Window& signal = window(args[1]);
      int32_t me = context->rank;
      if (me != 0) {
        if (Status status = wait(context, signal, 0, 1, site)) return status;
      }
      notify(context, signal, (me + 1) % ranks, 0, 1);
      return me == 0 ? wait(context, signal, 0, 1, site) : abi::ok;
    };
    Outcome outcome = run_on_all(program, ranks, threads, *windows, 2, body);
    EXPECT_TRUE(outcome.ok()) << text(outcome);
  }
}

TEST(Ranks, AThousandMeetAtABarrier) {
  constexpr int32_t ranks = 1024;
  Program program;
  uint32_t site = program.site("pld.system.wait", 8);
  auto windows = Windows::make(ranks, {data_and_signal(ranks)});
  std::atomic<int> arrived{0}, early{0};
  Body body = [&](Context* context, const Word* args) {
    const abi::Window& signal = window(args[1]);
    ++arrived;
    for (int32_t p = 0; p < ranks; ++p) notify(context, signal, p, context->rank, 1);
    for (int32_t p = 0; p < ranks; ++p) {
      if (Status status = wait(context, signal, p, 1, site)) return status;
    }
    early += arrived != ranks;
    return abi::ok;
  };
  Outcome outcome = run_on_all(program, ranks, 2, *windows, 2, body);
  EXPECT_TRUE(outcome.ok()) << text(outcome);
  EXPECT_EQ(early, 0);
}

TEST(Ranks, ADeadlockNamesRankCellAndCondition) {
  Program program;
  uint32_t site = program.site("pld.system.wait", 8);
  auto windows = Windows::make(3, {data_and_signal(3)});
  // Rank 2 never notifies.
  Body body = [&](Context* context, const Word* args) {
    const abi::Window& signal = window(args[1]);
    if (context->rank == 2) return abi::ok;
    for (int32_t p = 0; p < 3; ++p) notify(context, signal, p, context->rank, 1);
    for (int32_t p = 0; p < 3; ++p) {
      if (Status status = wait(context, signal, p, 1, site)) return status;
    }
    return abi::ok;
  };
  auto start = std::chrono::steady_clock::now();
  Outcome outcome = run_on_all(program, 3, 2, *windows, 2, body);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
  EXPECT_EQ(outcome.ending, Ending::Deadlock);
  EXPECT_EQ(text(outcome),
            "error[TW2121]: deadlock: 2 tasks are blocked and nothing can wake them\n"
            " --> k.py:8:5\n"
            "  = note: rank 0, in `kern`: waits for `sig[2]` on rank 0 >= 1, which is 0\n"
            "  = note: rank 1, in `kern`: waits for `sig[2]` on rank 1 >= 1, which is 0\n");
}

TEST(Ranks, AFailureOfOneStopsTheOthers) {
  for (int threads : {1, 2}) {
    Program program;
    uint32_t site = program.site("pld.tile.remote_load", 8);
    auto windows = Windows::make(8, {data_and_signal(8)});
    Body body = [&](Context* context, const Word* args) {
      if (context->rank == 5)
        return context->api->fail(context, abi::Fault::PeerOutOfRange, site, 8, 8, 0, 0);
      return wait(context, window(args[1]), 0, 1, site);
    };
    Outcome outcome = run_on_all(program, 8, threads, *windows, 2, body);
    EXPECT_EQ(outcome.rank, 5);
    EXPECT_EQ(text(outcome),
              "error[TW2110]: invalid rank: rank 8 does not exist: there are 8\n"
              " --> k.py:8:5\n"
              "  = pld.tile.remote_load\n"
              "  = note: rank 5, in `kern`\n"
              "  = help: take it modulo the number of ranks: (pld.rank(ctx) + 1) % pld.nranks(ctx)\n");
  }
}

}  // namespace
}  // namespace tilewire::runtime
