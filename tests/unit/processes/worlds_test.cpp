// Ranks in processes: results, errors and lists of waits are those of one process.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "../runtime/world_scenarios.h"
#include "forked_world.h"
#include "processes/send_parts.h"
#include "runtime/windows.h"

namespace tilewire::processes {
namespace {

using namespace runtime;

// The local world's outcome comes from a child, too: a process that has threads is not to be forked.
Told alone(const std::function<Outcome()>& run) {
  return ForkedWorld::run(1, [&](ProcessWorld&, int32_t) { return run(); })[0];
}

void expect_same(const Scenario& scenario, const std::string& expected) {
  for (int threads : {1, 2}) {
    Shared<int64_t> one(ranks);
    const Told reference = alone([&] { return scenario({local_world(), 0, threads, one.all()}); });
    ASSERT_TRUE(reference.ended && !reference.failed);
    EXPECT_EQ(reference.text, expected);
    for (const auto& [processes, hosts] : {std::pair(1, 1), {2, 1}, {4, 1}, {2, 2}, {4, 2}, {4, 4}}) {
      Shared<int64_t> results(ranks);
      auto child = [&](ProcessWorld& world, int32_t process) {
        return scenario({world, static_cast<size_t>(process), threads, results.all()});
      };
      const std::vector<Told> all = ForkedWorld::run(processes, child, hosts);
      const std::string where = std::to_string(processes) + " processes on " + std::to_string(hosts) +
                                " hosts, " + std::to_string(threads) + " threads";
      EXPECT_TRUE(std::equal(one.all().begin(), one.all().end(), results.all().begin())) << where;
      for (const Told& told : all) {
        EXPECT_TRUE(told.ended && !told.failed) << where;
        EXPECT_EQ(told.text, expected) << where;
        EXPECT_EQ(told.ending, reference.ending);
        EXPECT_EQ(told.rank, reference.rank);
        EXPECT_EQ(told.line, reference.line);
      }
    }
  }
}

class Worlds : public testing::TestWithParam<WorldScenario> {};

TEST_P(Worlds, ProcessesAreLikeOne) {
  GetParam().check({expect_same});
}

INSTANTIATE_TEST_SUITE_P(Scenarios, Worlds, testing::ValuesIn(world_scenarios()),
                         [](const auto& of) { return std::string(of.param.name); });

// A call of `body` on all ranks.
Outcome call(ProcessWorld& world, int32_t count, int threads, const Body& body, Program& program) {
  auto windows = Windows::make(count, {data_and_signal(count)}, world);
  Request request;
  request.world = &world;
  return run_on_all(program, count, threads, *windows, 2, body, request);
}

std::string only_text(const std::vector<Told>& all) {
  for (const Told& told : all) {
    EXPECT_TRUE(told.ended && !told.failed);
    EXPECT_EQ(told.text, all[0].text);
    EXPECT_EQ(told.rank, all[0].rank);
    EXPECT_EQ(told.ending, all[0].ending);
  }
  return all[0].text;
}

TEST(Processes, EightRanksInTwo) {
  constexpr int32_t count = 8;
  Shared<int64_t> sums(count);
  const auto all = ForkedWorld::run(2, [&](ProcessWorld& world, int32_t) {
    Program program;
    const uint32_t site = program.site("pld.system.wait", 8);
    Body body = [&](Context* context, const Word* args) {
      const abi::Window &data = window(args[0]), &signal = window(args[1]);
      const int32_t me = context->rank;
      for (int round = 1; round <= 100; ++round) {
        *cell_of(data, me, round % 2) = (me + 1) * round;
        for (int32_t p = 0; p < count; ++p) notify(context, signal, p, me, 1);
        for (int32_t p = 0; p < count; ++p) {
          if (Status status = wait(context, signal, p, round, site)) return status;
        }
        for (int32_t p = 0; p < count; ++p) sums[me] += *cell_of(data, p, round % 2);
      }
      return abi::ok;
    };
    return call(world, count, 2, body, program);
  });
  EXPECT_EQ(only_text(all), "");
  for (int64_t sum : sums.all()) EXPECT_EQ(sum, 36 * 5050);
}

TEST(Processes, WindowsKnowWhoLivesHere) {
  const auto all = ForkedWorld::run(2, [](ProcessWorld& world, int32_t process) {
    auto windows = Windows::make(ranks, {{{}, 64, {{"a", 0, 64}}}, {{0, 3}, 64, {{"b", 0, 64}}}}, world);
    for (int32_t rank = 0; rank < ranks; ++rank) {
      const bool here = rank / 2 == process;
      EXPECT_EQ(windows->group(0, rank) != nullptr, here);
      EXPECT_EQ(windows->window(1, 0, rank) != nullptr, here && (rank == 0 || rank == 3));
      EXPECT_EQ(windows->rank_of(windows->data(0, 0, rank)), rank);
      EXPECT_EQ(windows->name_of(reinterpret_cast<int32_t*>(windows->data(0, 0, rank)) + 3),
                "`a[3]` on rank " + std::to_string(rank));
      EXPECT_NE(windows->waiter_word(windows->data(0, 0, rank)), nullptr);
    }
    return Outcome();
  });
  EXPECT_EQ(only_text(all), "");
}

// The memory of one call is used for the next, and is zero again.
TEST(Processes, WindowsAreZeroInEveryCall) {
  const auto all = ForkedWorld::run(2, [](ProcessWorld& world, int32_t) {
    Outcome outcome;
    std::byte* before = nullptr;
    for (int round = 0; round < 3 && outcome.ok(); ++round) {
      Program program;
      auto windows = Windows::make(2, {data_and_signal(2)}, world);
      std::byte* own = windows->data(0, 0, world.process());
      EXPECT_TRUE(!before || before == own);
      before = own;
      Request request;
      request.world = &world;
      Body body = [&](Context* context, const Word* args) {
        const int32_t me = context->rank;
        for (int64_t i = 0; i < 1024; ++i) {
          int32_t& mine = *cell_of(window(args[0]), me, i);
          EXPECT_EQ(mine, 0);
          mine = -1;
        }
        return abi::ok;
      };
      outcome = run_on_all(program, 2, 1, *windows, 2, body, request);
    }
    return outcome;
  });
  EXPECT_EQ(only_text(all), "");
}

TEST(Processes, MemoryThatIsNotThereNobodyHas) {
  const auto all = ForkedWorld::run(2, [](ProcessWorld& world, int32_t) {
    EXPECT_EQ(Windows::make(ranks, {{{}, uint64_t{1} << 50, {}}}, world), nullptr);
    EXPECT_FALSE(world.refusal());
    Program program;  // and the next call works
    Body body = [](Context*, const Word*) { return abi::ok; };
    return call(world, ranks, 1, body, program);
  });
  EXPECT_EQ(only_text(all), "");
}

// Several fail at once: one failure is reported, the same everywhere.
TEST(Processes, OneOfSeveralFailuresIsReported) {
  for (int round = 0; round < 10; ++round) {
    const auto all = ForkedWorld::run(4, [](ProcessWorld& world, int32_t) {
      Program program;
      const uint32_t site = program.site("pld.tile.remote_load", 9);
      Body body = [&](Context* context, const Word*) {
        return context->api->fail(context, abi::Fault::PeerOutOfRange, site, 10 + context->rank, 4, 0, 0);
      };
      return call(world, ranks, 1, body, program);
    });
    EXPECT_TRUE(only_text(all).starts_with("error[TW2110]: invalid rank: rank 1")) << all[0].text;
  }
}

// What a host function does wrong is the same in all processes, but memory may be short in one only.
TEST(Processes, NoRankStartsWhenOneFailsBefore) {
  Shared<std::atomic<int>> ran(1);
  const auto all = ForkedWorld::run(2, [&](ProcessWorld& world, int32_t process) {
    Program program;
    const uint32_t site = program.site("chip", 7);
    const abi::Function& entry = program.function("chip", {});
    Body body = [&](Context*, const Word*) {
      ++ran[0];
      return abi::ok;
    };
    Body host = [&](Context* context, const Word*) {
      for (int64_t rank = 0; rank < ranks; ++rank) {
        if (Status status = dispatch(context, entry, body, rank, {}, site)) return status;
      }
      if (process == 0) return abi::ok;
      usleep(2000);
      return context->api->fail(context, abi::Fault::StepZero, site, 0, 0, 0, 0);
    };
    Request request;
    request.world = &world;
    request.ranks = ranks;
    return program.run_host(host, 2, request);
  });
  EXPECT_EQ(ran[0], 0);
  EXPECT_EQ(only_text(all), "error[TW2111]: the step of a loop must not be 0\n --> k.py:7:5\n  = chip\n");
}

// Another value, another term, or one more: whatever comes first that is not as in process 0.
TEST(Processes, DifferentCallsAreRefused) {
  struct Case {
    std::vector<Term> first, last;
    const char* expected;
  };
  const Case cases[] = {
      {{{"entry", "main"}, {"scalars", "7"}},
       {{"entry", "main"}, {"scalars", "8"}},
       "error[TW2149]: the processes make different calls: `scalars` is 8 in process 1 and 7 in process 0\n"},
      {{{"entry", "f"}},
       {{"entry", "g"}},
       "error[TW2149]: the processes make different calls: `entry` is g in process 1 and f in process 0\n"},
  };
  for (const Case& one : cases) {
    for (bool with_windows : {true, false}) {
      Shared<std::atomic<int>> ran(1);
      const auto all = ForkedWorld::run(4, [&](ProcessWorld& world, int32_t process) {
        const auto admitted = world.admit(process == 0 || process == 3 ? one.first : one.last);
        Outcome outcome;
        outcome.ending = Ending::World;
        if (with_windows) {  // the first thing that waits for the others
          EXPECT_EQ(Windows::make(ranks, {data_and_signal(ranks)}, world), nullptr);
          if (!world.refusal()) return Outcome();
          outcome.error = describe(*world.refusal(), abi::Module{});
          return outcome;
        }
        Program program;
        const uint32_t site = program.site("chip", 7);
        const abi::Function& entry = program.function("chip", {});
        Body body = [&](Context*, const Word*) {
          ++ran[0];
          return abi::ok;
        };
        Body host = [&](Context* context, const Word*) {
          for (int64_t rank = 0; rank < ranks; ++rank) {
            if (Status status = dispatch(context, entry, body, rank, {}, site)) return status;
          }
          return Status{abi::ok};
        };
        Request request;
        request.world = &world;
        request.ranks = ranks;
        return program.run_host(host, 1, request);
      });
      EXPECT_EQ(ran[0], 0);
      EXPECT_EQ(only_text(all), one.expected);
      EXPECT_EQ(all[0].ending, Ending::World);
    }
  }
}

// One process may open no more files.
TEST(Processes, MemoryThatOneCannotReachIsRefused) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer opens files of its own, which this test forbids";
#endif
  const auto all = ForkedWorld::run(2, [](ProcessWorld& world, int32_t process) {
    const int next = dup(0);
    close(next);
    const rlimit one_more{static_cast<rlim_t>(next + 1), static_cast<rlim_t>(next + 1)};
    if (process == 1) setrlimit(RLIMIT_NOFILE, &one_more);
    EXPECT_EQ(Windows::make(2, {{{}, 64, {}}}, world), nullptr);
    Outcome outcome;
    outcome.ending = Ending::World;
    outcome.error = describe(world.refusal().value_or(Failure()), abi::Module{});
    return outcome;
  });
  const std::string text = only_text(all);
  EXPECT_TRUE(text.starts_with("error[TW2150]: process 1 cannot share memory with the others: /proc/"))
      << text;
  EXPECT_TRUE(text.ends_with(": Too many open files\n")) << text;
}

// A host function that hands the same row to ranks of both processes.
TEST(Processes, WhatOneWritesAnotherMayNotUse) {
  for (bool writes : {true, false}) {
    const auto all = ForkedWorld::run(2, [&](ProcessWorld& world, int32_t) {
      Program program;
      const uint32_t site = program.site("chip", 7);
      const abi::Function& entry =
          program.function("chip", {tensor(writes ? abi::Reads | abi::Writes : abi::Reads, 2)});
      std::vector<int32_t> data(8);
      Body body = [](Context*, const Word*) { return abi::ok; };
      Body host = [&](Context* context, const Word*) {
        for (int64_t rank = 0; rank < ranks; ++rank) {
          if (Status status = dispatch(context, entry, body, rank, dense(data.data(), {2, 4}), site))
            return status;
        }
        return Status{abi::ok};
      };
      Request request;
      request.world = &world;
      request.ranks = ranks;
      return program.run_host(host, 1, request);
    });
    EXPECT_EQ(only_text(all),
              writes ? "error[TW2151]: `t` is written on rank 0, and rank 2 of another process uses "
                       "the same elements: they belong in a window\n --> k.py:7:5\n  = chip\n"
                     : "");
  }
}

// Parts of several shapes and strides, of ranks in the order of their dispatches.
TEST(Processes, WhatRanksWroteIsSentToTheOthers) {
  using Who = Receivers::Who;
  for (const Receivers to : {Receivers{Who::All}, Receivers{Who::None}, Receivers{Who::One, 1}}) {
    const auto all = ForkedWorld::run(2, [&](ProcessWorld& world, int32_t process) {
      const auto admitted = world.admit({});
      std::vector<int32_t> rows(4 * 3, -1), columns(3 * 4 * 2, -1);  // every second element of the columns
      std::vector<ArrayPart> written;
      ArrayParts parts;
      for (int32_t rank = 0; rank < ranks; ++rank) {
        parts.add(rank, tensor(abi::Writes, 1), dense(&rows[rank * 3], {3}).data(), 0, true);
        std::vector<Word> column = dense(&columns[rank * 2], {3, 1});
        column[3] = 8;
        parts.add(rank, tensor(abi::Writes, 2), column.data(), 0, true);
        if (rank / 2 != process) continue;
        for (int i = 0; i < 3; ++i) rows[rank * 3 + i] = columns[rank * 2 + i * 8] = 10 * rank + i;
      }
      EXPECT_TRUE(send_parts(world, ranks, parts.written(), to));
      for (int32_t rank = 0; rank < ranks; ++rank) {
        const bool there = rank / 2 == process || to.has(process);
        for (int i = 0; i < 3; ++i) {
          EXPECT_EQ(rows[rank * 3 + i], there ? 10 * rank + i : -1);
          EXPECT_EQ(columns[rank * 2 + i * 8], there ? 10 * rank + i : -1);
          EXPECT_EQ(columns[rank * 2 + i * 8 + 1], -1);
        }
      }
      return Outcome();
    });
    EXPECT_EQ(only_text(all), "");
  }
}

// Groups of other sizes are different calls, even if their terms are the same.
TEST(Processes, DifferentWindowsAreRefused) {
  const auto all = ForkedWorld::run(2, [](ProcessWorld& world, int32_t process) {
    const uint64_t bytes = process == 0 ? 64 : 128;
    EXPECT_EQ(Windows::make(2, {{{}, bytes, {}}}, world), nullptr);
    Outcome outcome;
    outcome.ending = Ending::World;
    outcome.error = describe(world.refusal().value_or(Failure()), abi::Module{});
    return outcome;
  });
  EXPECT_EQ(
      only_text(all),
      "error[TW2149]: the processes make different calls: `windows` is 128 bytes on ranks 0 1 in process 1 "
      "and 64 bytes on ranks 0 1 in process 0\n");
}

// Whoever is interrupted stops the others, whether they run or have not come yet.
TEST(Processes, AnInterruptStopsAll) {
  for (bool late : {false, true}) {
    const auto all = ForkedWorld::run(2, [&](ProcessWorld& world, int32_t process) {
      std::thread user([&] {
        if (process != 1) return;
        usleep(20'000);
        request_abort();
      });
      if (late && process == 0) usleep(60'000);
      Program program;
      const uint32_t site = program.site("pld.system.wait", 8);
      Body body = [&](Context* context, const Word* args) {
        // One computes, so that this is no deadlock.
        while (context->rank == 0 && __atomic_load_n(context->abort, __ATOMIC_ACQUIRE) == 0) {
          std::this_thread::yield();
        }
        if (context->rank == 0) return Status{abi::aborted};
        return context->rank == 3 ? Status{abi::ok} : wait(context, window(args[1]), 0, 1, site);
      };
      Outcome outcome;
      auto windows = Windows::make(ranks, {data_and_signal(ranks)}, world);
      EXPECT_EQ(windows == nullptr, late);
      if (windows) {
        Request request;
        request.world = &world;
        outcome = run_on_all(program, ranks, 1, *windows, 2, body, request);
      } else {
        outcome.ending = Ending::Interrupted;
        outcome.error = describe(world.refusal().value_or(Failure()), abi::Module{});
      }
      user.join();
      return outcome;
    });
    EXPECT_EQ(only_text(all), "error[TW2144]: the run was interrupted\n");
    EXPECT_EQ(all[0].ending, Ending::Interrupted);
  }
}

}  // namespace
}  // namespace tilewire::processes
