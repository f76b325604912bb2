// Atomic updates that return the old value, through the runtime, as modules with hooks make them.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <limits>

#include "ranks.h"
#include "support/schedule.h"

namespace tilewire::runtime {
namespace {

Status add(Context* context, int32_t* cell, int32_t value, uint32_t site, int64_t& old) {
  return context->api->update(context, cell, 0, value, 0, site, &old);
}
Status exchange(Context* context, int32_t* cell, int32_t expected, int32_t value, uint32_t site,
                int64_t& old) {
  return context->api->update(context, cell, expected, value, abi::Compares, site, &old);
}

TEST(Updates, ReturnWhatWasThere) {
  Program program;
  program.bits = abi::Hooks;
  int32_t narrow = std::numeric_limits<int32_t>::max();
  int64_t wide = std::numeric_limits<int64_t>::max();
  Outcome outcome = program.run(
      [&](Context* context, const Word*) {
        auto update = [&](void* element, int64_t expected, int64_t value, uint32_t bits) {
          int64_t old = -1;
          EXPECT_EQ(context->api->update(context, element, expected, value, bits, 0, &old), abi::ok);
          return old;
        };
        // Sums wrap.
        EXPECT_EQ(update(&narrow, 0, 1, 0), std::numeric_limits<int32_t>::max());
        EXPECT_EQ(narrow, std::numeric_limits<int32_t>::min());
        EXPECT_EQ(update(&wide, 0, 1, abi::Wide), std::numeric_limits<int64_t>::max());
        EXPECT_EQ(wide, std::numeric_limits<int64_t>::min());
        narrow = wide = -3;
        EXPECT_EQ(update(&narrow, 4, 5, abi::Compares), -3);
        EXPECT_EQ(narrow, -3);
        EXPECT_EQ(update(&narrow, -3, 5, abi::Compares), -3);
        EXPECT_EQ(narrow, 5);
        EXPECT_EQ(update(&wide, 4, 5, abi::Compares | abi::Wide), -3);
        EXPECT_EQ(wide, -3);
        EXPECT_EQ(update(&wide, -3, int64_t{1} << 40, abi::Compares | abi::Wide), -3);
        EXPECT_EQ(wide, int64_t{1} << 40);
        return Status{abi::ok};
      },
      1);
  EXPECT_TRUE(outcome.ok()) << text(outcome);
}

// A rank waits for a cell that another one updates: one that writes wakes it, one that fails does not.
TEST(Updates, WakeWaits) {
  for (int threads : {1, 2}) {
    for (bool fails : {false, true}) {
      Program program;
      program.bits = abi::Hooks;
      uint32_t awaited = program.site("pld.system.wait", 9);
      uint32_t updated = program.site("pld.system.compare_exchange", 7);
      auto windows = Windows::make(2, {data_and_signal(2)});
      Body body = [&](Context* context, const Word* args) {
        const abi::Window& signal = window(args[1]);
        if (context->rank == 1) return hooked_wait(context, signal, 0, 2, awaited);
        int64_t old;
        int32_t* cell = cell_of(signal, 1, 0);
        if (Status status = add(context, cell, 1, updated, old)) return status;
        return exchange(context, cell, fails ? 7 : 1, 2, updated, old);
      };
      Outcome outcome = run_on_all(program, 2, threads, *windows, 2, body);
      EXPECT_EQ(text(outcome), !fails ? ""
                                      : "error[TW2121]: deadlock: 1 task is blocked and nothing can wake it\n"
                                        " --> k.py:9:5\n"
                                        "  = note: rank 1, in `kern`: waits for `sig[0]` on rank 1 >= 2, "
                                        "which is 1\n");
    }
  }
}

// An update that writes releases: what its task has put before has landed. One that fails may leave it on its
// way.
TEST(Updates, LandWhatTheirTaskWrote) {
  for (bool fails : {false, true}) {
    int late = 0;
    for (int seed = 0; seed < 40; ++seed) {
      Program program;
      program.bits = abi::Hooks;
      uint32_t site = program.site("pld.system.compare_exchange", 8);
      auto windows = Windows::make(2, {data_and_signal(2)});
      Body body = [&](Context* context, const Word* args) {
        if (context->rank == 1) return Status{abi::ok};
        int32_t* data = cell_of(window(args[0]), 1, 0);
        int32_t value = 5;
        if (Status status = transfer(context, data, &value, 1, abi::ToPeer, 1, site)) return status;
        int64_t old;
        int32_t* cell = cell_of(window(args[1]), 1, 0);
        if (Status status = exchange(context, cell, fails ? 3 : 0, 1, site, old)) return status;
        EXPECT_EQ(old, 0);
        late += *data != 5;
        return Status{abi::ok};
      };
      Outcome outcome =
          run_on_all(program, 2, 1, *windows, 2, body, {.schedule = "random:" + std::to_string(seed)});
      EXPECT_TRUE(outcome.ok()) << text(outcome);
    }
    EXPECT_EQ(late > 0, fails);
  }
}

// Ranks add to one cell: no sum is lost, and no two see the same number.
TEST(Updates, AreAtomicUnderEverySeed) {
  for (int threads : {1, 4}) {
    for (int seed = 0; seed < 20; ++seed) {
      constexpr int ranks = 4, rounds = 5;
      Program program;
      program.bits = abi::Hooks;
      uint32_t site = program.site("pld.system.fetch_add", 8);
      auto windows = Windows::make(ranks, {data_and_signal(ranks)});
      std::array<std::atomic<int>, ranks * rounds> seen{};
      Body body = [&](Context* context, const Word* args) {
        for (int i = 0; i < rounds; ++i) {
          int64_t old;
          if (Status status = add(context, cell_of(window(args[1]), 0, 0), 1, site, old)) return status;
          ++seen.at(static_cast<size_t>(old));
        }
        return Status{abi::ok};
      };
      Outcome outcome = run_on_all(program, ranks, threads, *windows, 2, body,
                                   {.schedule = "random:" + std::to_string(seed)});
      EXPECT_TRUE(outcome.ok()) << text(outcome);
      for (const auto& count : seen) EXPECT_EQ(count, 1) << "seed " << seed;
    }
  }
}

// A schedule says which rank takes a cell first.
TEST(Updates, ComeInTheOrderOfASchedule) {
  for (uint32_t first : {0u, 1u}) {
    Program program;
    program.bits = abi::Hooks;
    uint32_t site = program.site("pld.system.compare_exchange", 7);
    auto windows = Windows::make(2, {data_and_signal(2)});
    int64_t old[2] = {-1, -1};
    Body body = [&](Context* context, const Word* args) {
      return exchange(context, cell_of(window(args[1]), 0, 0), 0, context->rank + 1, site,
                      old[context->rank]);
    };
    Schedule schedule;
    schedule.kind = "race";
    schedule.ranks = 2;
    for (int32_t rank : {0, 1}) schedule.agents.push_back({{rank, 0, 0, 0}, "kern"});
    auto step = [&](uint32_t agent, ScheduleEvent event, bool held) {
      ScheduleStep& made = schedule.steps.emplace_back();
      made.agent = agent;
      made.event = event;
      if (event == ScheduleEvent::Start) return;
      made.line = 7;
      made.column = 5;
      made.cell = "sig[0]";
      made.held = held;
    };
    for (uint32_t rank : {0u, 1u}) step(rank, ScheduleEvent::Start, true);
    step(first, ScheduleEvent::Update, true);
    step(1 - first, ScheduleEvent::Update, false);
    Outcome outcome = run_on_all(program, 2, 2, *windows, 2, body, {.replay = &schedule});
    EXPECT_TRUE(outcome.ok()) << text(outcome);
    EXPECT_EQ(old[first], 0);
    EXPECT_EQ(old[1 - first], first + 1);
  }
}

}  // namespace
}  // namespace tilewire::runtime
