// Deferred waits, and what modules with hooks can have: signals through the runtime, random schedules, traces
// with arrows.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <iterator>
#include <set>

#include "ranks.h"

namespace tilewire::runtime {
namespace {

abi::Condition condition(const abi::Window& signal, int64_t index, int32_t expected, uint32_t site) {
  return {cell_of(signal, signal.group->rank, index), expected, ge, site, 0};
}

Status defer(Context* context, const std::vector<abi::Condition>& conditions,
             const std::vector<abi::TaskId>& deps, uint32_t site, abi::TaskId* id) {
  abi::Deferred deferred{conditions.data(),
                         deps.data(),
                         static_cast<uint32_t>(conditions.size()),
                         static_cast<uint32_t>(deps.size()),
                         site,
                         0};
  return context->api->defer(context, &deferred, id);
}

// Rank 0 defers; who depends on it runs after both signals of rank 1, others at once.
TEST(Defer, OrdersThoseWhoNameIt) {
  for (int threads : {1, 2, 4}) {
    for (int round = 0; round < 50; ++round) {
      Program program;
      uint32_t site = program.site("pld.system.defer_wait", 8);
      const abi::Function& kernel = program.function("k", {}, abi::MayBlock);
      auto windows = Windows::make(2, {data_and_signal(2)});
      std::atomic<bool> free_ran{false}, ordered_ran{false};
      int32_t got = 0;
      Body free = [&](Context*, const Word*) {
        free_ran = true;
        return abi::ok;
      };
      const abi::Window* data = nullptr;
      Body ordered = [&](Context*, const Word*) {
        got = *cell_of(*data, 0, 0);
        ordered_ran = true;
        return abi::ok;
      };
      Body orchestration = [&](Context* context, const Word* args) {
        const abi::Window& signal = window(args[1]);
        if (context->rank == 0) {
          data = &window(args[0]);
          abi::TaskId id = 0;
          auto conditions = {condition(signal, 0, 1, site), condition(signal, 1, 2, site)};
          if (Status status = defer(context, conditions, {}, site, &id)) return status;
          EXPECT_NE(id, abi::no_task);
          if (Status status = submit(context, kernel, ordered, {.deps = {id}})) return status;
          return submit(context, kernel, free);
        }
        notify(context, signal, 0, 0, 1);
        notify(context, signal, 0, 1, 1);
        EXPECT_FALSE(ordered_ran);
        *cell_of(window(args[0]), 0, 0) = 7;
        notify(context, signal, 0, 1, 1);
        return abi::ok;
      };
      Outcome outcome = run_on_ranks(program, 2, threads, *windows, 2, orchestration);
      EXPECT_TRUE(outcome.ok()) << text(outcome);
      EXPECT_TRUE(free_ran && ordered_ran);
      EXPECT_EQ(got, 7);
      EXPECT_EQ(*windows->group(0, 0)->waiters[0], 0u);
    }
  }
}

// A deferred wait looks only when what it depends on has ended; then it may hold already.
TEST(Defer, WaitsForItsOwnPredecessors) {
  for (int threads : {1, 2}) {
    Program program;
    uint32_t site = program.site("pld.system.defer_wait", 8);
    const abi::Function& kernel = program.function("k", {}, abi::MayBlock);
    auto windows = Windows::make(1, {data_and_signal(1)});
    std::vector<int> order;
    Body orchestration = [&](Context* context, const Word* args) {
      const abi::Window& signal = window(args[1]);
      Body first = [&](Context* inner, const Word*) {
        order.push_back(1);
        notify(inner, signal, 0, 0, 1);
        return abi::ok;
      };
      Body second = [&](Context*, const Word*) {
        order.push_back(2);
        return abi::ok;
      };
      abi::TaskId made, waited;
      float storage = 0;
      abi::Param whole = tensor(abi::Writes);
      std::vector<Word> words = dense(&storage, {1});
      const abi::Function& writer = program.function("w", {tensor(abi::Writes)}, abi::MayBlock);
      if (Status status = submit(context, writer, first, {.args = words}, &made)) return status;
      if (Status status = defer(context, {condition(signal, 0, 1, site)}, {made}, site, &waited))
        return status;
      const abi::Function& last = program.function("l", {tensor(abi::Reads)}, abi::MayBlock);
      if (Status status = submit(context, last, second, {.args = words, .deps = {waited}})) return status;
      return context->api->await(context, &whole, words.data(), abi::Writes, 0);
    };
    Outcome outcome = run_on_ranks(program, 1, threads, *windows, 2, orchestration);
    EXPECT_TRUE(outcome.ok()) << text(outcome);
    EXPECT_EQ(order, (std::vector<int>{1, 2}));
    static_cast<void>(kernel);
  }
}

TEST(Defer, TakesPartInDeadlocks) {
  for (int threads : {1, 2}) {
    Program program;
    uint32_t site = program.site("pld.system.defer_wait", 8), wait_site = program.site("pld.system.wait", 9);
    const abi::Function& kernel = program.function("kern", {}, abi::MayBlock);
    auto windows = Windows::make(2, {data_and_signal(2)});
    Body orchestration = [&](Context* context, const Word* args) {
      const abi::Window& signal = window(args[1]);
      Body waits = [&](Context* inner, const Word*) { return wait(inner, signal, 1, 3, wait_site); };
      abi::TaskId id;
      if (context->rank == 1) return defer(context, {condition(signal, 0, 1, site)}, {}, site, &id);
      if (Status status = submit(context, kernel, waits, {}, &id)) return status;
      // Never looks: what it depends on does not end.
      return defer(context, {condition(signal, 0, 5, site)}, {id}, site, &id);
    };
    Outcome outcome = run_on_ranks(program, 2, threads, *windows, 2, orchestration);
    EXPECT_EQ(outcome.ending, Ending::Deadlock);
    EXPECT_EQ(text(outcome),
              "error[TW2121]: deadlock: 2 tasks are blocked and nothing can wake them\n"
              " --> k.py:9:5\n"
              "  = note: rank 0, in `kern`: waits for `sig[1]` on rank 0 >= 3, which is 0\n"
              "  = note: rank 1: waits for `sig[0]` on rank 1 >= 1, which is 0\n"
              " --> k.py:8:5\n");
  }
}

// A sum over all ranks with puts and two rounds of signals, all through the runtime.
Status exchange(Context* context, const Word* args, int32_t ranks, int rounds, uint32_t site,
                std::atomic<int>& right) {
  const abi::Window &data = window(args[0]), &signal = window(args[1]);
  int32_t me = context->rank;
  for (int round = 1; round <= rounds; ++round) {
    for (int32_t p = 0; p < ranks; ++p) {
      int32_t value = (me + 1) * round;
      if (Status status = transfer(context, cell_of(data, p, me), &value, 1, abi::ToPeer, p, site))
        return status;
      if (Status status = hooked_notify(context, signal, p, me, 1, site)) return status;
    }
    for (int32_t p = 0; p < ranks; ++p) {
      if (Status status = hooked_wait(context, signal, p, round, site)) return status;
    }
    abi::HookEvent event{abi::HookKind::Read, site, cell_of(data, me, 0), {1, 4 * ranks}, 0, -1, 0};
    if (Status status = context->api->hook(context, &event)) return status;
    int64_t sum = 0;
    for (int32_t p = 0; p < ranks; ++p) sum += *cell_of(data, me, p);
    right += sum == int64_t{round} * ranks * (ranks + 1) / 2;
    for (int32_t p = 0; p < ranks; ++p) {
      if (Status status = hooked_notify(context, signal, p, ranks + me, 1, site)) return status;
    }
    for (int32_t p = 0; p < ranks; ++p) {
      if (Status status = hooked_wait(context, signal, ranks + p, round, site)) return status;
    }
  }
  return abi::ok;
}

TEST(Random, ARightProgramIsRightUnderEverySeed) {
  constexpr int32_t ranks = 4;
  for (int threads : {1, 2}) {
    for (int seed = 0; seed < 40; ++seed) {
      Program program;
      program.bits = abi::Hooks;
      uint32_t site = program.site("pld.tensor.put", 8);
      auto windows = Windows::make(ranks, {data_and_signal(ranks)});
      std::atomic<int> right{0};
      Body body = [&](Context* context, const Word* args) {
        return exchange(context, args, ranks, 3, site, right);
      };
      Outcome outcome = run_on_all(program, ranks, threads, *windows, 2, body,
                                   {.schedule = "random:" + std::to_string(seed)});
      EXPECT_TRUE(outcome.ok()) << text(outcome);
      EXPECT_EQ(right, ranks * 3) << "seed " << seed;
    }
  }
}

// Order in which blocks and tasks of three ranks take their steps.
std::vector<int> steps(const std::string& schedule) {
  Program program;
  program.bits = abi::Hooks;
  auto windows = Windows::make(3, {data_and_signal(3)});
  const abi::Function& kernel = program.function("k", {scalar()});
  std::vector<int> order;
  Body body = [&](Context* context, const Word* args) {
    for (int i = 0; i < 3; ++i) {
      order.push_back(
          static_cast<int>(context->rank * 100 + static_cast<int>(args[0]) * 10 + context->block_index));
      abi::HookEvent event{abi::HookKind::Read, 0, windows->data(0, 0, 0), {1, 4}, 0, -1, 0};
      if (Status status = context->api->hook(context, &event)) return status;
    }
    return abi::ok;
  };
  Body orchestration = [&](Context* context, const Word*) {
    for (Word task = 0; task < 3; ++task) {
      if (Status status = submit(context, kernel, body, {.args = {task}, .blocks = 2})) return status;
    }
    return abi::ok;
  };
  Outcome outcome = run_on_ranks(program, 3, 1, *windows, 2, orchestration, {.schedule = schedule});
  EXPECT_TRUE(outcome.ok()) << text(outcome);
  EXPECT_EQ(order.size(), 54u);
  return order;
}

TEST(Random, ASeedGivesTheSameRunAndOthersGiveOthers) {
  std::set<std::vector<int>> different;
  for (int seed = 0; seed < 20; ++seed) {
    std::string schedule = "random:" + std::to_string(seed);
    std::vector<int> first = steps(schedule);
    EXPECT_EQ(steps(schedule), first) << schedule;
    different.insert(first);
  }
  EXPECT_GE(different.size(), 18u);
  EXPECT_EQ(steps(""), steps(""));
}

// A put lands at the next notify at the latest, and later accesses of its task see it; until then it may be
// on its way.
TEST(Random, PutsLandLate) {
  int late = 0, runs = 0;
  for (int seed = 0; seed < 60; ++seed) {
    Program program;
    program.bits = abi::Hooks;
    uint32_t site = program.site("pld.tensor.put", 8);
    auto windows = Windows::make(2, {data_and_signal(2)});
    Body body = [&](Context* context, const Word* args) {
      const abi::Window &data = window(args[0]), &signal = window(args[1]);
      if (context->rank == 1) {
        if (Status status = hooked_wait(context, signal, 0, 1, site)) return status;
        EXPECT_EQ(*cell_of(data, 1, 0), 5);
        EXPECT_EQ(*cell_of(data, 1, 1), 6);
        EXPECT_EQ(*cell_of(data, 1, 2), 3 + 4);
        return abi::ok;
      }
      int32_t values[2] = {5, 6};
      if (Status status = transfer(context, cell_of(data, 1, 0), values, 2, abi::ToPeer, 1, site))
        return status;
      values[0] = values[1] = 9;  // has been read
      ++runs;
      late += *cell_of(data, 1, 0) != 5;
      for (int32_t add : {3, 4}) {
        if (Status status =
                transfer(context, cell_of(data, 1, 2), &add, 1, abi::ToPeer | abi::AtomicAdd, 1, site))
          return status;
      }
      int32_t back[2];
      if (Status status = transfer(context, back, cell_of(data, 1, 0), 2, 0, 1, site)) return status;
      EXPECT_EQ(back[0], 5);
      EXPECT_EQ(back[1], 6);
      return hooked_notify(context, signal, 1, 0, 1, site);
    };
    Outcome outcome =
        run_on_all(program, 2, 1, *windows, 2, body, {.schedule = "random:" + std::to_string(seed)});
    EXPECT_TRUE(outcome.ok()) << text(outcome);
  }
  EXPECT_EQ(runs, 60);
  EXPECT_GT(late, 20);
  EXPECT_LT(late, 60);
}

// What is announced as an access makes the writes there land, others not.
TEST(Random, AnAnnouncedAccessSeesWhatItsTaskWrote) {
  int late = 0;
  for (int seed = 0; seed < 40; ++seed) {
    Program program;
    program.bits = abi::Hooks;
    uint32_t site = program.site("pld.tile.remote_load", 8);
    auto windows = Windows::make(2, {data_and_signal(2)});
    Body body = [&](Context* context, const Word* args) {
      const abi::Window& data = window(args[0]);
      if (context->rank == 1) return abi::ok;
      for (int32_t i : {0, 8}) {
        int32_t value = i + 1;
        if (Status status = transfer(context, cell_of(data, 1, i), &value, 1, abi::ToPeer, 1, site))
          return status;
      }
      abi::HookEvent event{abi::HookKind::RemoteRead, site, cell_of(data, 1, 0), {2, 8}, 12, 1, 0};
      if (Status status = context->api->hook(context, &event)) return status;
      EXPECT_EQ(*cell_of(data, 1, 0), 1);
      late += *cell_of(data, 1, 8) != 9;
      return abi::ok;
    };
    Outcome outcome =
        run_on_all(program, 2, 1, *windows, 2, body, {.schedule = "random:" + std::to_string(seed)});
    EXPECT_TRUE(outcome.ok()) << text(outcome);
    EXPECT_EQ(*reinterpret_cast<int32_t*>(windows->data(0, 0, 1) + 32), 9);  // at its task's end
  }
  EXPECT_GT(late, 5);
}

TEST(Random, CreatedStorageIsFilledWithNaN) {
  Program program;
  float first = 0;
  Outcome outcome = program.run(
      [&](Context* context, const Word*) {
        void* storage;
        if (Status status = context->api->allocate(context, 64, 0, &storage)) return status;
        first = *static_cast<float*>(storage);
        return context->api->release(context, storage);
      },
      1, {.schedule = "random:3"});
  EXPECT_TRUE(outcome.ok()) << text(outcome);
  EXPECT_NE(first, first);
}

TEST(Random, OtherSchedulesAreRefused) {
  for (const char* schedule : {"fast", "random", "random:", "random:-1", "random:1x", "replay:s.json"}) {
    Program program;
    Outcome outcome = program.run([](Context*, const Word*) { return abi::ok; }, 1, {.schedule = schedule});
    EXPECT_EQ(text(outcome),
              "error[TW2132]: `" + std::string(schedule) +
                  "` is not a schedule\n  = help: write `random:SEED`, with a number for SEED\n");
  }
}

TEST(Test, IsASchedulingPointWhenItComesOutFalse) {
  for (int threads : {1, 2}) {
    Program program;
    program.bits = abi::Hooks;
    uint32_t site = program.site("pld.system.test", 8);
    auto windows = Windows::make(2, {data_and_signal(2)});
    Body body = [&](Context* context, const Word* args) {
      const abi::Window& signal = window(args[1]);
      if (context->rank == 1) return hooked_notify(context, signal, 0, 0, 1, site);
      for (int32_t held = 0; !held;) {
        if (Status status = context->api->test(context, cell_of(signal, 0, 0), 1, ge, site, &held))
          return status;
      }
      return abi::ok;
    };
    Outcome outcome = run_on_all(program, 2, threads, *windows, 2, body);
    EXPECT_TRUE(outcome.ok()) << text(outcome);
  }
}

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(Trace, ShowsWaitsTransfersAndArrows) {
  for (int threads : {1, 2}) {
    Program program;
    program.bits = abi::Hooks;
    uint32_t site = program.site("pld.tensor.put", 8);
    auto windows = Windows::make(2, {data_and_signal(2)});
    std::string path = testing::TempDir() + "tilewire_arrows_" + std::to_string(getpid()) + ".json";
    std::atomic<int> right{0};
    Body body = [&](Context* context, const Word* args) {
      return exchange(context, args, 2, 1, site, right);
    };
    Stats stats;
    Outcome outcome = run_on_all(program, 2, threads, *windows, 2, body, {.trace = path, .stats = &stats});
    EXPECT_TRUE(outcome.ok()) << text(outcome);
    std::ifstream file(path);
    std::string json((std::istreambuf_iterator<char>(file)), {});
    unlink(path.c_str());
    EXPECT_EQ(count(json, "\"ph\":\"b\""), 8u) << json;
    EXPECT_EQ(count(json, "\"ph\":\"s\""), 8u) << json;
    EXPECT_EQ(count(json, "\"ph\":\"f\",\"bp\":\"e\""), 8u) << json;
    EXPECT_EQ(count(json, "\"name\":\"notify\""), 8u) << json;
    EXPECT_EQ(count(json, "\"name\":\"pld.tensor.put\",\"cat\":\"transfer\""), 4u) << json;
    EXPECT_EQ(count(json, "\"bytes\":4,\"peer\":1"), 2u) << json;
    EXPECT_EQ(count(json, "\"cell\":\"`sig[1]` on rank 0\",\"condition\":\">= 1\""), 1u) << json;
    ASSERT_EQ(stats.ranks.size(), 2u);
    for (const RankStats& rank : stats.ranks) {
      EXPECT_EQ(rank.bytes, 8u);
      EXPECT_GT(rank.transfer_ns, 0u);
    }
  }
}

}  // namespace
}  // namespace tilewire::runtime
