// Host functions: what they dispatch, what is checked before anything runs, rows staged in and out.
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>

#include "program.h"
#include "runtime/windows.h"

namespace tilewire::runtime {
namespace {

// The words of a dense FP32 view of a window in a host function.
std::vector<Word> view(uint32_t number, int64_t extent, int64_t offset_bytes = 0) {
  return {static_cast<Word>(offset_bytes), static_cast<Word>(extent), 1, number};
}

const abi::Window& window_of(const Word* words) {
  return *reinterpret_cast<const abi::Window*>(words[3]);
}

struct Fixture {
  Fixture() {
    alloc = program.site("pld.alloc_window_buffer", 3);
    call = program.site("chip", 7);
    data = program.window("data", alloc);
  }
  // Allocates and hands all of `data` to the given ranks.
  Outcome run(int32_t ranks, const std::vector<int64_t>& devices, std::vector<int32_t> group,
              const Body& body, int64_t bytes = 64) {
    const abi::Function& entry = program.function("chip", {window_param(abi::Reads | abi::Writes)});
    auto windows = Windows::make(ranks, {{std::move(group), 64, {{"data", 0, 64}}}});
    Body host = [&](Context* context, const Word*) {
      EXPECT_EQ(context->rank_count, ranks);
      if (Status status = context->api->window(context, data, bytes, alloc)) return status;
      for (int64_t device : devices) {
        if (Status status = dispatch(context, entry, body, device, view(data, 16), call)) return status;
      }
      return abi::ok;
    };
    return program.run_host(host, 2, {.ranks = ranks, .windows = windows.get()});
  }

  Program program;
  uint32_t alloc, call, data;
};

TEST(Host, HandsEveryRankItsOwnCopy) {
  Fixture fixture;
  std::atomic<int> right{0};
  Outcome outcome = fixture.run(4, {0, 1, 2, 3, 2}, {}, [&](Context* context, const Word* args) {
    const abi::Window& window = window_of(args);
    right += window.group->rank == context->rank && window.group->rank_count == 4 &&
             reinterpret_cast<Word>(window.group->regions[context->rank]) + window.offset == args[0];
    return abi::ok;
  });
  EXPECT_TRUE(outcome.ok()) << text(outcome);
  EXPECT_EQ(right, 5);
}

TEST(Host, RanksOfAGroupAreCountedInTheGroup) {
  Fixture fixture;
  std::atomic<int> right{0};
  Outcome outcome = fixture.run(4, {3, 1}, {1, 3}, [&](Context* context, const Word* args) {
    right += window_of(args).group->rank == (context->rank == 3) && context->rank_count == 4;
    return abi::ok;
  });
  EXPECT_TRUE(outcome.ok()) << text(outcome);
  EXPECT_EQ(right, 2);
}

TEST(Host, WhatItDispatchesWronglyRunsNothing) {
  std::atomic<int> ran{0};
  Body body = [&](Context*, const Word*) {
    ++ran;
    return abi::ok;
  };
  std::string at = "\n --> k.py:7:5\n  = chip\n";
  EXPECT_EQ(text(Fixture().run(4, {0, 1, 4}, {}, body)),
            "error[TW2127]: invalid rank: `chip` is dispatched to rank 4, but there are 4" + at);
  EXPECT_EQ(text(Fixture().run(4, {0, -1}, {}, body)),
            "error[TW2127]: invalid rank: `chip` is dispatched to rank -1, but there are 4" + at);
  EXPECT_EQ(text(Fixture().run(4, {0, 1, 2}, {}, body)),
            "error[TW2130]: the window `data` is never passed to rank 3 of its group" + at);
  EXPECT_EQ(text(Fixture().run(5, {4, 1}, {}, body)),
            "error[TW2130]: the window `data` is never passed to ranks 0, 2 and 3 of its group" + at);
  EXPECT_EQ(text(Fixture().run(4, {0, 1, 2}, {0, 1}, body)),
            "error[TW2131]: the window `data` is passed to rank 2, but its group is ranks 0 and 1" + at);
  EXPECT_EQ(
      text(Fixture().run(2, {0, 1}, {}, body, 0)),
      "error[TW2128]: a window buffer cannot have 0 bytes\n --> k.py:3:5\n  = pld.alloc_window_buffer\n");
  EXPECT_EQ(text(Fixture().run(2, {0, 1}, {}, body, 65)),
            "error[TW2146]: internal error: the window buffer `data` was laid out with 64 bytes, and the "
            "host function asks for 65\n --> k.py:3:5\n");
  EXPECT_EQ(ran, 0);
}

TEST(Host, DispatchesOfARankRunInOrder) {
  Program program;
  const abi::Function& entry = program.function("chip", {scalar()});
  std::vector<std::vector<Word>> seen(3);
  Body body = [&](Context* context, const Word* args) {
    seen[context->rank].push_back(args[0]);
    return abi::ok;
  };
  Outcome outcome = program.run_host(
      [&](Context* context, const Word*) {
        for (Word i = 0; i < 30; ++i) {
          if (Status status = dispatch(context, entry, body, i % 3, {i})) return status;
        }
        return abi::ok;
      },
      3, {.ranks = 3});
  EXPECT_TRUE(outcome.ok()) << text(outcome);
  for (Word rank = 0; rank < 3; ++rank) {
    ASSERT_EQ(seen[rank].size(), 10u);
    for (Word i = 0; i < 10; ++i) EXPECT_EQ(seen[rank][i], 3 * i + rank);
  }
}

// A window may be given for a plain tensor: the address says which one.
TEST(Host, AWindowIsATensorToo) {
  Program program;
  uint32_t data = program.window("data", 0);
  const abi::Function& entry = program.function("chip", {tensor(abi::Reads)});
  auto windows = Windows::make(2, {{{}, 192, {{"other", 0, 64}, {"data", 64, 128}}}});
  std::atomic<int> right{0};
  Body body = [&](Context* context, const Word* args) {
    right += args[0] == reinterpret_cast<Word>(windows->data(0, 1, context->rank)) + 32;
    return abi::ok;
  };
  Outcome outcome = program.run_host(
      [&](Context* context, const Word*) {
        if (Status status = context->api->window(context, data, 128, 0)) return status;
        for (int rank : {0, 1}) {
          if (Status status = dispatch(context, entry, body, rank, {abi::host_window(data) + 32, 24, 1}))
            return status;
        }
        return abi::ok;
      },
      1, {.ranks = 2, .windows = windows.get()});
  EXPECT_TRUE(outcome.ok()) << text(outcome);
  EXPECT_EQ(right, 2);
}

// Rows of [3, 2, 4], the last dimension of which is every second element.
TEST(Host, RowsAreStagedInAndOut) {
  for (bool fails : {false, true}) {
    Program program;
    uint32_t fault = program.site("//", 9);
    uint32_t in = program.window("in", 0, 0, 1);
    const abi::Function& entry = program.function("chip", {window_param(abi::Reads | abi::Writes)});
    auto windows = Windows::make(3, {{{}, 64, {{"in", 0, 64}}}});
    std::vector<float> x(48), y(24, -1);
    std::iota(x.begin(), x.end(), 0.0f);
    std::vector<Word> args{reinterpret_cast<Word>(x.data()), 3, 2, 4, 16, 8, 2};
    args = join(args, dense(y.data(), {3, 2, 4}));
    Body body = [&](Context* context, const Word* words) {
      auto* share = reinterpret_cast<float*>(words[0]);
      for (int i = 0; i < 8; ++i) share[i] += 0.5f;
      if (fails && context->rank == 1)
        return context->api->fail(context, abi::Fault::ZeroDivisor, fault, 0, 0, 0, 0);
      return abi::ok;
    };
    Outcome outcome = program.run_host(
        [&](Context* context, const Word*) {
          if (Status status = context->api->window(context, in, 64, 0)) return status;
          for (int rank : {0, 1, 2}) {
            if (Status status = dispatch(context, entry, body, rank, view(in, 16))) return status;
          }
          return abi::ok;
        },
        2, {.ranks = 3, .windows = windows.get()}, {tensor(abi::Reads, 3), tensor(abi::Writes, 3)}, args);
    EXPECT_EQ(outcome.ok(), !fails) << text(outcome);
    for (int i = 0; i < 24; ++i) EXPECT_EQ(y[i], fails ? -1 : x[2 * i] + 0.5f) << i;
  }
}

TEST(Host, RowsThatDoNotFitAreRefused) {
  auto shown = [](int64_t rows, int64_t columns) {
    Program program;
    uint32_t site = program.site("pld.alloc_window_buffer", 3);
    uint32_t number = program.window("in", site, 0);
    auto windows = Windows::make(3, {{{}, 64, {{"in", 0, 64}}}});
    std::vector<float> x(static_cast<size_t>(rows * columns));
    return text(program.run_host(
        [&](Context* context, const Word*) { return context->api->window(context, number, 64, site); }, 2,
        {.ranks = 3, .windows = windows.get()}, {tensor(abi::Reads, 2)}, dense(x.data(), {rows, columns})));
  };
  std::string at = "\n --> k.py:3:5\n  = pld.alloc_window_buffer\n";
  EXPECT_EQ(shown(3, 16), "");
  EXPECT_EQ(shown(2, 16),
            "error[TW2102]: out of bounds: elements 0 to 2 are outside dimension 0, which has extent 2" + at);
  EXPECT_EQ(
      shown(3, 17),
      "error[TW2129]: window too small: a view of 68 bytes does not fit the window buffer `in` of 64 bytes" +
          at);
}

// Every run finds zeros, unless it asks for what the last one left.
TEST(Host, WindowsAreZeroUnlessKept) {
  for (uint64_t bytes : {uint64_t{64}, uint64_t{8} << 20}) {
    Program program;
    uint32_t data = program.window("data", 0);
    const abi::Function& entry = program.function("chip", {window_param(abi::Reads | abi::Writes)});
    auto windows = Windows::make(2, {{{}, bytes, {{"data", 0, bytes}}}});
    std::atomic<int64_t> sum{0};
    Body body = [&](Context*, const Word* words) {
      auto* last = reinterpret_cast<int32_t*>(words[0] + bytes) - 1;
      sum += *last;
      ++*last;
      return abi::ok;
    };
    Body host = [&](Context* context, const Word*) {
      if (Status status = context->api->window(context, data, static_cast<int64_t>(bytes), 0)) return status;
      for (int rank : {0, 1}) {
        if (Status status = dispatch(context, entry, body, rank, view(data, 16))) return status;
      }
      return abi::ok;
    };
    auto left = [&](bool keep) {
      sum = 0;
      EXPECT_TRUE(program.run_host(host, 2, {.ranks = 2, .windows = windows.get(), .keep = keep}).ok());
      return sum.load();
    };
    EXPECT_EQ(left(false), 0);
    EXPECT_EQ(left(true), 2);
    EXPECT_EQ(left(true), 4);
    EXPECT_EQ(left(false), 0);
    windows->zero();
    EXPECT_EQ(left(true), 0);
  }
}

TEST(Host, AFailureOfItsOwnIsReported) {
  Program program;
  uint32_t site = program.site("//", 4);
  Outcome outcome = program.run_host(
      [&](Context* context, const Word*) {
        return context->api->fail(context, abi::Fault::ZeroDivisor, site, 0, 0, 0, 0);
      },
      2, {.ranks = 4});
  EXPECT_EQ(text(outcome), "error[TW2103]: division by zero: `//`\n --> k.py:4:5\n  = //\n");
  EXPECT_EQ(outcome.rank, -1);
}

}  // namespace
}  // namespace tilewire::runtime
