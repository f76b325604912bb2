// The promises the ABI rests on: generated code leaves its thread in the middle of a kernel, goes on with
// another thread, or is told to end while it waits. These tests must pass under both sanitizers.
#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "program.h"

namespace tilewire::runtime {
namespace {

constexpr uint32_t ge = static_cast<uint32_t>(abi::Compare::Ge);

void until(const std::atomic<int>& value, int least) {
  while (value.load() < least) sched_yield();
}

Status wait(Context* context, const int32_t& cell, int32_t expected, int32_t* seen) {
  return context->api->wait(context, &cell, expected, ge, 1, seen);
}
void notify(Context* context, int32_t& cell, int32_t value) {
  __atomic_exchange_n(&cell, value, __ATOMIC_SEQ_CST);
  context->api->wake(context, &cell);
}

TEST(Spike, AKernelParksAndGoesOnWithAnotherThread) {
  for (int repeat = 0; repeat < 50; ++repeat) {
    Program program;
    program.site("pld.system.wait", 7);
    const abi::Function& waiting = program.function("waiting", {}, abi::MayBlock, 4096);
    const abi::Function& holding = program.function("holding", {}, abi::MayBlock);
    int32_t cell = 0;
    std::atomic<int> started{0}, resumed{0}, holders{0};
    std::thread::id before, after;

    Body waiter = [&](Context* context, const Word*) {
      char local[256];
      std::memset(local, 'x', sizeof local);
      std::memset(context->arena, 'y', 4096);
      void* arena = context->arena;
      before = std::this_thread::get_id();
      started = 1;
      int32_t seen = 0;
      if (Status status = wait(context, cell, 5, &seen)) return status;
      after = std::this_thread::get_id();
      resumed = 1;
      EXPECT_EQ(seen, 5);
      EXPECT_EQ(local[0], 'x');
      EXPECT_EQ(local[255], 'x');
      EXPECT_EQ(context->arena, arena);
      EXPECT_EQ(static_cast<char*>(context->arena)[4095], 'y');
      return abi::ok;
    };
    // Two of these hold both threads; the one on the thread the waiter left keeps it until the waiter is
    // back.
    Body holder = [&](Context* context, const Word*) {
      until(started, 1);
      holders++;
      until(holders, 2);
      if (std::this_thread::get_id() == before) {
        until(resumed, 1);
      } else {
        notify(context, cell, 5);
      }
      return abi::ok;
    };
    Outcome outcome = program.run(
        [&](Context* context, const Word*) {
          if (Status status = submit(context, waiting, waiter)) return status;
          if (Status status = submit(context, holding, holder)) return status;
          return submit(context, holding, holder);
        },
        2);
    ASSERT_TRUE(outcome.ok()) << text(outcome);
    ASSERT_EQ(resumed, 1);
    ASSERT_NE(before, after);
  }
}

TEST(Spike, AKernelIsToldToEndWhileItIsParked) {
  for (int threads : {1, 2, 3}) {
    Program program;
    uint32_t here = program.site("pld.system.wait", 7);
    uint32_t there = program.site("x // n", 9);
    const abi::Function& waiting = program.function("waiting", {}, abi::MayBlock);
    const abi::Function& failing = program.function("failing", {}, abi::MayBlock);
    int32_t never = 0;
    std::atomic<int> parked{0}, ended{0};
    Body waiter = [&](Context* context, const Word*) {
      int32_t seen = 0;
      parked++;
      Status status = context->api->wait(context, &never, 1, ge, here, &seen);
      EXPECT_EQ(status, abi::aborted);
      ended++;
      return status;
    };
    Body fails = [&](Context* context, const Word*) {
      // With one thread the waiters must have left it for this to run at all.
      while (parked < 3) {
        if (Status status = context->api->yield(context, &never, here)) return status;
      }
      return context->api->fail(context, abi::Fault::ZeroDivisor, there, 0, 0, 0, 0);
    };
    for (int repeat = 0; repeat < 20; ++repeat) {
      parked = ended = 0;
      Outcome outcome = program.run(
          [&](Context* context, const Word*) {
            for (int i = 0; i < 3; ++i) {
              if (Status status = submit(context, waiting, waiter)) return status;
            }
            return submit(context, failing, fails);
          },
          threads);
      EXPECT_EQ(ended, 3);
      EXPECT_EQ(outcome.ending, Ending::Error);
      EXPECT_EQ(text(outcome),
                "error[TW2103]: division by zero: `x // n`\n"
                " --> k.py:9:5\n"
                "  = x // n\n"
                "  = note: in `failing`\n");
      EXPECT_EQ(outcome.site.line, 9u);
    }
    Outcome next = program.run([](Context*, const Word*) { return abi::ok; }, threads);
    EXPECT_TRUE(next.ok());
  }
}

// Blocks hand a token round: every hop parks one fiber and wakes another.
TEST(Spike, ManyFibersTakeTurns) {
  for (int threads : {1, 2, 4}) {
    Program program;
    program.site("pld.system.wait", 7);
    const abi::Function& ring = program.function("ring", {}, abi::MayBlock);
    constexpr int blocks = 64, rounds = 50;
    std::vector<int32_t> cells(blocks * 16);
    std::atomic<int> hops{0};
    Body body = [&](Context* context, const Word*) {
      auto me = context->block_index;
      EXPECT_EQ(context->block_count, blocks);
      for (int round = 1; round <= rounds; ++round) {
        int32_t seen = 0;
        if (me != 0 || round > 1) {
          int expected = me == 0 ? round - 1 : round;
          if (Status status = wait(context, cells[me * 16], expected, &seen)) return status;
        }
        hops++;
        notify(context, cells[(me + 1) % blocks * 16], round);
      }
      return abi::ok;
    };
    Outcome outcome = program.run(
        [&](Context* context, const Word*) { return submit(context, ring, body, {.blocks = blocks}); },
        threads);
    EXPECT_TRUE(outcome.ok()) << text(outcome);
    EXPECT_EQ(hops, blocks * rounds);
  }
}

}  // namespace
}  // namespace tilewire::runtime
