// Which tasks wait for which, and that nothing else does.
#include <gtest/gtest.h>

#include <atomic>
#include <bitset>
#include <random>
#include <set>

#include "program.h"

namespace tilewire::runtime {
namespace {

constexpr int reads = abi::Reads, writes = abi::Writes, both = abi::Reads | abi::Writes;
constexpr uint32_t ge = static_cast<uint32_t>(abi::Compare::Ge);

struct Interval {
  std::atomic<int> begin{-1}, end{-1};
};

// Submits two tasks; whether the second may run while the first does. If it may, the first waits for it, and
// the run would deadlock otherwise.
class Pair {
 public:
  Pair() { program.site("pld.system.wait", 1); }

  bool concurrent(const abi::Function& first, const LaunchOptions& first_options, const abi::Function& second,
                  LaunchOptions second_options, bool name_it = false) {
    int32_t cell = 0;
    Body waits = [&](Context* context, const Word*) {
      int32_t seen;
      return context->api->wait(context, &cell, 1, ge, 1, &seen);
    };
    Body notifies = [&](Context* context, const Word*) {
      __atomic_exchange_n(&cell, 1, __ATOMIC_SEQ_CST);
      context->api->wake(context, &cell);
      return abi::ok;
    };
    std::set<bool> answers;
    for (int threads : {1, 2}) {
      cell = 0;
      Outcome outcome = program.run(
          [&](Context* context, const Word*) {
            abi::TaskId id = 0;
            if (Status status = submit(context, first, waits, first_options, &id)) return status;
            LaunchOptions options = second_options;
            if (name_it) options.deps.push_back(id);
            return submit(context, second, notifies, options);
          },
          threads);
      EXPECT_TRUE(outcome.ok() || outcome.ending == Ending::Deadlock) << text(outcome);
      answers.insert(outcome.ok());
    }
    EXPECT_EQ(answers.size(), 1u) << "one thread and two disagree";
    return *answers.begin();
  }

  const abi::Function& blocking(std::vector<abi::Param> params, uint32_t bits = 0) {
    return program.function("first", std::move(params), abi::MayBlock | bits);
  }
  const abi::Function& plain(std::vector<abi::Param> params, uint32_t bits = 0) {
    return program.function("second", std::move(params), bits);
  }

  Program program;
  float data[64 * 64] = {};
};

TEST(Order, ReadsAndWritesOfOneTensor) {
  Pair pair;
  LaunchOptions all{.args = dense(pair.data, {64, 64})};
  for (int first : {reads, writes, both}) {
    for (int second : {reads, writes, both}) {
      bool expected = first == reads && second == reads;
      EXPECT_EQ(pair.concurrent(pair.blocking({tensor(first, 2)}), all, pair.plain({tensor(second, 2)}), all),
                expected)
          << first << " then " << second;
    }
  }
}

TEST(Order, SlicesCompareAsBoxesNotHulls) {
  Pair pair;
  const abi::Function& first = pair.blocking({tensor(writes, 2)});
  const abi::Function& second = pair.plain({tensor(both, 2)});
  auto columns = [&](int from, int count) {
    return LaunchOptions{
        .args = {reinterpret_cast<Word>(pair.data + from), 64, static_cast<Word>(count), 64, 1}};
  };
  EXPECT_TRUE(pair.concurrent(first, columns(0, 32), second, columns(32, 32)));
  EXPECT_FALSE(pair.concurrent(first, columns(0, 33), second, columns(32, 32)));
  EXPECT_TRUE(pair.concurrent(first, columns(40, 0), second, columns(0, 64)));  // no element
}

TEST(Order, IdsAndUntrackedArguments) {
  Pair pair;
  const abi::Function& first = pair.blocking({tensor(writes, 2)});
  const abi::Function& second = pair.plain({tensor(writes, 2)});
  LaunchOptions all{.args = dense(pair.data, {64, 64})};
  LaunchOptions none{.args = dense(pair.data, {0, 64})};
  LaunchOptions untracked{.args = all.args, .untracked = 1};
  EXPECT_TRUE(pair.concurrent(first, none, second, all));
  EXPECT_FALSE(pair.concurrent(first, none, second, all, true));
  EXPECT_TRUE(pair.concurrent(first, all, second, untracked));
  EXPECT_TRUE(pair.concurrent(first, untracked, second, all));
}

TEST(Order, TasksThatCommunicateAreOrderedWithUsersOfTheirGroup) {
  Pair pair;
  abi::Group group{}, other{};
  abi::Window a{&group, 0, 64}, b{&group, 64, 64}, c{&other, 0, 64};
  const abi::Param window = window_param(0), talking = window_param(abi::Communicates);
  auto view = [&](abi::Window& of, int at) {
    return LaunchOptions{.args = join(dense(pair.data + at, {4}), {reinterpret_cast<Word>(&of)})};
  };
  const abi::Function& first = pair.blocking({talking});
  const abi::Function& quiet_first = pair.blocking({window});
  const abi::Function& talks = pair.plain({talking});
  const abi::Function& quiet = pair.plain({window});
  EXPECT_FALSE(pair.concurrent(first, view(a, 0), talks, view(b, 8)));
  EXPECT_FALSE(pair.concurrent(first, view(a, 0), quiet, view(b, 8)));
  EXPECT_FALSE(pair.concurrent(quiet_first, view(a, 0), talks, view(b, 8)));
  EXPECT_TRUE(pair.concurrent(quiet_first, view(a, 0), quiet, view(b, 8)));
  EXPECT_TRUE(pair.concurrent(first, view(a, 0), talks, view(c, 8)));
  LaunchOptions unordered = view(b, 8);
  unordered.bits = abi::Unordered;
  EXPECT_TRUE(pair.concurrent(first, view(a, 0), talks, unordered));
  LaunchOptions untracked = view(b, 8);
  untracked.untracked = 1;
  EXPECT_TRUE(pair.concurrent(first, view(a, 0), talks, untracked));
}

// Counts edges of calls that all write one tensor, made by `body` through `call`. On one thread no task ends
// before the last call is made.
uint64_t edges(const std::function<void(Context*, const std::function<void()>& call)>& body) {
  Program program;
  const abi::Function& kernel = program.function("k", {tensor(both)}, abi::MayBlock);
  Body nothing = [](Context*, const Word*) { return abi::ok; };
  float data[4];
  Stats stats;
  Outcome outcome = program.run(
      [&](Context* context, const Word*) {
        body(context, [&] { submit(context, kernel, nothing, {.args = dense(data, {4})}); });
        return abi::ok;
      },
      1, {.stats = &stats});
  EXPECT_TRUE(outcome.ok()) << text(outcome);
  return stats.ranks[0].edges;
}

TEST(Order, RoundsOfAParallelLoopAreIndependent) {
  auto step = [](Context* context, abi::ParallelStep what) {
    context->api->parallel(context, static_cast<uint32_t>(what));
  };
  using enum abi::ParallelStep;
  auto loop = [&](Context* context, int rounds, const std::function<void()>& round) {
    step(context, Enter);
    for (int i = 0; i < rounds; ++i) {
      step(context, Round);
      round();
    }
    step(context, Leave);
  };
  using Call = const std::function<void()>&;
  EXPECT_EQ(edges([&](Context* context, Call call) { loop(context, 5, call); }), 0u);
  // Each round after what was before the loop, what is after it after each round.
  EXPECT_EQ(edges([&](Context* context, Call call) {
              call();
              loop(context, 5, call);
              call();
            }),
            11u);
  // In a round calls are ordered as ever.
  EXPECT_EQ(edges([&](Context* context, Call call) {
              loop(context, 5, [&] {
                call();
                call();
              });
            }),
            5u);
  // Two loops one after the other: every round of the second after every round of the first.
  EXPECT_EQ(edges([&](Context* context, Call call) {
              loop(context, 3, call);
              loop(context, 4, call);
            }),
            12u);
  // A loop in a loop is independent of the same loop in other rounds.
  EXPECT_EQ(edges([&](Context* context, Call call) { loop(context, 3, [&] { loop(context, 4, call); }); }),
            0u);
  EXPECT_EQ(edges([&](Context* context, Call call) {
              loop(context, 3, [&] {
                loop(context, 4, call);
                call();
              });
            }),
            12u);
  // Deeper than what is told apart: ordered.
  EXPECT_EQ(edges([&](Context* context, Call call) {
              std::function<void(int)> nest = [&](int depth) {
                if (depth == 0) return call();
                loop(context, depth == 1 ? 3 : 1, [&] { nest(depth - 1); });
              };
              nest(5);
              nest(1);
            }),
            2u + 3u);
}

TEST(Order, AnEmptyLaunchPassesOnWhatItWaitsFor) {
  Pair pair;
  const abi::Function& first = pair.blocking({});
  const abi::Function& middle = pair.program.function("middle", {});
  const abi::Function& last = pair.program.function("last", {});
  int32_t cell = 0;
  std::atomic<int> ran{0};
  Body waits = [&](Context* context, const Word*) {
    int32_t seen;
    Status status = context->api->wait(context, &cell, 1, ge, 1, &seen);
    EXPECT_EQ(ran, 0);
    return status;
  };
  Body never = [&](Context*, const Word*) {
    ADD_FAILURE() << "a block of none ran";
    return abi::ok;
  };
  Body counts = [&](Context*, const Word*) {
    ran++;
    return abi::ok;
  };
  Body notifies = [&](Context* context, const Word*) {
    __atomic_exchange_n(&cell, 1, __ATOMIC_SEQ_CST);
    context->api->wake(context, &cell);
    return abi::ok;
  };
  for (int threads : {1, 2}) {
    cell = ran = 0;
    Outcome outcome = pair.program.run(
        [&](Context* context, const Word*) {
          abi::TaskId a = 0, b = 0;
          EXPECT_EQ(submit(context, first, waits, {}, &a), abi::ok);
          EXPECT_EQ(submit(context, middle, never, {.blocks = 0, .deps = {a}}, &b), abi::ok);
          EXPECT_EQ(submit(context, last, counts, {.deps = {b, abi::no_task}}), abi::ok);
          EXPECT_EQ(submit(context, middle, never, {.blocks = 0}, &a), abi::ok);
          EXPECT_EQ(a, abi::no_task);
          return submit(context, last, notifies);
        },
        threads);
    EXPECT_TRUE(outcome.ok()) << text(outcome);
    EXPECT_EQ(ran, 1);
  }
}

// Random tasks over a few bytes. Every pair that conflicts must not overlap in time, and must be in order.
TEST(Order, HoldsForRandomPrograms) {
  std::mt19937 random(7);
  auto pick = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random); };
  for (int round = 0; round < 40; ++round) {
    Program program;
    program.site("pld.system.wait", 1);
    static uint8_t memory[256];
    struct Planned {
      std::bitset<256> read, written;
      std::vector<int> named;
      std::vector<Word> args;
      const abi::Function* kernel = nullptr;
      int64_t blocks = 1;
    };
    constexpr int count = 300;
    std::vector<Planned> plan(count);
    for (int i = 0; i < count; ++i) {
      Planned& task = plan[i];
      std::vector<abi::Param> params;
      for (int p = pick(1, 3); p > 0; --p) {
        int access = pick(1, 3), rows = pick(1, 4), columns = pick(1, 6), row_stride = pick(6, 20);
        int start = pick(0, 150);
        params.push_back(tensor(access, 2, 1));
        task.args = join(task.args, {reinterpret_cast<Word>(memory + start), static_cast<Word>(rows),
                                     static_cast<Word>(columns), static_cast<Word>(row_stride), 1});
        for (int r = 0; r < rows; ++r) {
          for (int c = 0; c < columns; ++c) {
            if (access & reads) task.read.set(start + r * row_stride + c);
            if (access & writes) task.written.set(start + r * row_stride + c);
          }
        }
      }
      if (i > 0 && pick(0, 9) == 0) task.named.push_back(pick(0, i - 1));
      task.blocks = pick(0, 5) == 0 ? pick(0, 9) : 1;
      task.kernel = &program.function("k", params, pick(0, 2) == 0 ? uint32_t{abi::MayBlock} : 0);
    }
    std::vector<Interval> when(count);
    std::atomic<int> clock{0}, blocks_run{0};
    std::vector<Body> bodies(count);
    for (int i = 0; i < count; ++i) {
      bodies[i] = [&, i](Context* context, const Word*) {
        int now = clock++;
        int expected = -1;
        when[i].begin.compare_exchange_strong(expected, now);
        blocks_run++;
        if (context->block_index % 3 == 1 && plan[i].kernel->bits & abi::MayBlock) {
          static const int32_t zero = 0;
          if (Status status = context->api->yield(context, &zero, 1)) return status;
        }
        int end = clock++;
        int seen = when[i].end;
        while (seen < end && !when[i].end.compare_exchange_weak(seen, end)) {
        }
        return abi::ok;
      };
    }
    Outcome outcome = program.run(
        [&](Context* context, const Word*) {
          std::vector<abi::TaskId> ids(count);
          for (int i = 0; i < count; ++i) {
            LaunchOptions options{.args = plan[i].args, .blocks = plan[i].blocks};
            for (int named : plan[i].named) options.deps.push_back(ids[named]);
            if (Status status = submit(context, *plan[i].kernel, bodies[i], options, &ids[i])) return status;
          }
          return abi::ok;
        },
        1 + round % 4);
    ASSERT_TRUE(outcome.ok()) << text(outcome);
    int64_t expected_blocks = 0;
    for (const Planned& task : plan) expected_blocks += task.blocks;
    ASSERT_EQ(blocks_run, expected_blocks);
    auto meet = [](const std::bitset<256>& a, const std::bitset<256>& b) { return (a & b).any(); };
    for (int j = 0; j < count; ++j) {
      if (plan[j].blocks == 0) continue;
      for (int i = 0; i < j; ++i) {
        if (plan[i].blocks == 0) continue;
        bool conflict = meet(plan[i].written, plan[j].written) || meet(plan[i].written, plan[j].read) ||
                        meet(plan[i].read, plan[j].written);
        for (int named : plan[j].named) conflict |= named == i;
        if (conflict) {
          ASSERT_LT(when[i].end, when[j].begin) << "round " << round << ": " << i << " and " << j;
        }
      }
    }
  }
}

TEST(Await, WaitsForWritersOrForAllUsers) {
  for (int threads : {1, 2}) {
    Program program;
    program.site("pld.system.wait", 1);
    const abi::Function& writer = program.function("writer", {tensor(writes)});
    const abi::Function& adder = program.function("adder", {tensor(both)});
    const abi::Function& parked = program.function("parked", {tensor(reads)}, abi::MayBlock);
    int32_t cell = 0;
    float data[16] = {}, elsewhere[16] = {};
    abi::Param param = tensor(reads);
    Body store = [](Context*, const Word* args) {
      reinterpret_cast<float*>(args[0])[3] = 1;
      return abi::ok;
    };
    Body add = [](Context*, const Word* args) {
      reinterpret_cast<float*>(args[0])[3] += 1;
      return abi::ok;
    };
    Body park = [&](Context* context, const Word*) {
      int32_t seen;
      return context->api->wait(context, &cell, 1, ge, 1, &seen);
    };
    Outcome outcome = program.run(
        [&](Context* context, const Word*) {
          std::vector<Word> whole = dense(data, {16});
          submit(context, writer, store, {.args = whole});
          for (int i = 0; i < 200; ++i) submit(context, adder, add, {.args = whole});
          EXPECT_EQ(context->api->await(context, &param, whole.data(), reads, 1), abi::ok);
          EXPECT_EQ(data[3], 201);
          // A reader that is blocked does not hold up a read, nor anything elsewhere.
          submit(context, parked, park, {.args = whole});
          EXPECT_EQ(context->api->await(context, &param, whole.data(), reads, 1), abi::ok);
          EXPECT_EQ(context->api->await(context, &param, dense(elsewhere, {16}).data(), writes, 1), abi::ok);
          __atomic_exchange_n(&cell, 1, __ATOMIC_SEQ_CST);
          context->api->wake(context, &cell);
          EXPECT_EQ(context->api->await(context, &param, whole.data(), writes, 1), abi::ok);
          data[3] = 0;
          return abi::ok;
        },
        threads);
    EXPECT_TRUE(outcome.ok()) << text(outcome);
  }
}

// A blocked task holds up its successors, however many, and nobody else.
TEST(Graph, ABlockedTaskNeverStopsTheSubmitter) {
  for (int threads : {1, 2}) {
    Program program;
    program.site("pld.system.wait", 1);
    const abi::Function& parked = program.function("parked", {tensor(writes)}, abi::MayBlock);
    const abi::Function& follower = program.function("follower", {tensor(both)});
    const abi::Function& other = program.function("other", {});
    int32_t cell = 0;
    float data[16] = {};
    int followed = 0;
    Body park = [&](Context* context, const Word*) {
      int32_t seen;
      return context->api->wait(context, &cell, 1, ge, 1, &seen);
    };
    Body follow = [&](Context*, const Word*) {
      ++followed;
      return abi::ok;
    };
    Body notify = [&](Context* context, const Word*) {
      __atomic_exchange_n(&cell, 1, __ATOMIC_SEQ_CST);
      context->api->wake(context, &cell);
      return abi::ok;
    };
    Outcome outcome = program.run(
        [&](Context* context, const Word*) {
          submit(context, parked, park, {.args = dense(data, {16})});
          for (int i = 0; i < 10'000; ++i) submit(context, follower, follow, {.args = dense(data, {16})});
          return submit(context, other, notify);
        },
        threads);
    EXPECT_TRUE(outcome.ok()) << text(outcome);
    EXPECT_EQ(followed, 10'000);
  }
}

TEST(Blocks, EveryBlockRunsOnce) {
  for (int threads : {1, 2, 4}) {
    for (int64_t blocks : {1, 2, 3, 7, 64, 1000, 100'000}) {
      for (uint32_t bits : {uint32_t{0}, uint32_t{abi::MayBlock}}) {
        if (bits && blocks > 1000 && threads != 2) continue;
        Program program;
        const abi::Function& kernel = program.function("k", {tensor(writes)}, bits, 64);
        std::vector<std::atomic<uint8_t>> ran(blocks);
        Body body = [&](Context* context, const Word*) {
          EXPECT_EQ(context->block_count, blocks);
          EXPECT_EQ(reinterpret_cast<uintptr_t>(context->arena) % 64, 0u);
          ran[context->block_index]++;
          return abi::ok;
        };
        int after = 0;
        Body last = [&](Context*, const Word*) {
          for (auto& each : ran) after += each;
          return abi::ok;
        };
        const abi::Function& reader = program.function("reader", {tensor(reads)});
        Outcome outcome = program.run(
            [&](Context* context, const Word*) {
              submit(context, kernel, body, {.args = dense(&ran[0], {4}), .blocks = blocks});
              return submit(context, reader, last, {.args = dense(&ran[0], {4})});
            },
            threads);
        ASSERT_TRUE(outcome.ok()) << text(outcome);
        ASSERT_EQ(after, blocks);
        for (auto& each : ran) ASSERT_EQ(each, 1);
      }
    }
  }
}

TEST(Blocks, AllCanWaitForTheLast) {
  for (int threads : {1, 2}) {
    Program program;
    program.site("pld.system.wait", 1);
    const abi::Function& kernel = program.function("barrier", {}, abi::MayBlock);
    constexpr int64_t blocks = 3000;
    int32_t arrived = 0;
    Body body = [&](Context* context, const Word*) {
      if (__atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST) == blocks) context->api->wake(context, &arrived);
      int32_t seen;
      return context->api->wait(context, &arrived, blocks, ge, 1, &seen);
    };
    for (uint32_t bits : {uint32_t{0}, uint32_t{abi::SyncStart}}) {
      arrived = 0;
      Outcome outcome = program.run(
          [&](Context* context, const Word*) {
            return submit(context, kernel, body, {.blocks = blocks, .bits = bits});
          },
          threads);
      EXPECT_TRUE(outcome.ok()) << text(outcome);
    }
  }
}

TEST(Graph, RecordsAreReused) {
  for (uint32_t bits : {uint32_t{0}, uint32_t{abi::MayBlock}}) {
    for (int threads : {1, 2}) {
      Program program;
      const abi::Function& kernel = program.function("k", {tensor(both), scalar()}, bits);
      int64_t sum = 0;
      float data[4] = {};
      Body body = [&](Context*, const Word* args) {
        sum += static_cast<int64_t>(args[3]);
        return abi::ok;
      };
      Stats stats;
      Outcome outcome = program.run(
          [&](Context* context, const Word*) {
            for (int64_t i = 0; i < 50'000; ++i) {
              submit(context, kernel, body, {.args = join(dense(data, {4}), {static_cast<Word>(i)})});
            }
            return abi::ok;
          },
          threads, {.stats = &stats});
      EXPECT_TRUE(outcome.ok()) << text(outcome);
      EXPECT_EQ(sum, 50'000ll * 49'999 / 2);
      EXPECT_EQ(stats.ranks.at(0).tasks, 50'000u);
      // Other tests may have left more with the run's state, but none submits so many that can run.
      EXPECT_LT(stats.ranks.at(0).records, 20'000u);
    }
  }
}

}  // namespace
}  // namespace tilewire::runtime
