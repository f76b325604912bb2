// Whole runs: storage, results, several at once, interruption, fork, deadlock, trace and figures.
#include "runtime/run.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include "program.h"
#include "runtime/storage.h"

namespace tilewire::runtime {
namespace {

constexpr int reads = abi::Reads, writes = abi::Writes;
constexpr uint32_t ge = static_cast<uint32_t>(abi::Compare::Ge);
using Clock = std::chrono::steady_clock;

TEST(Storage, SizesRoundUpAndPiecesComeBack) {
  StoragePool pool;
  for (uint64_t bytes : {uint64_t{0}, uint64_t{1}, uint64_t{192}, uint64_t{193}, uint64_t{1000},
                         uint64_t{1} << 20, (uint64_t{1} << 23) + 1}) {
    Storage* first = pool.take(bytes);
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(first->bytes, bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(first->data()) % 64, 0u);
    std::fill_n(first->data(), bytes, std::byte{1});
    pool.give(first);
    Storage* again = pool.take(bytes);
    EXPECT_EQ(again, first);
    pool.give(again);
  }
  EXPECT_EQ(pool.take(UINT64_MAX), nullptr);
  EXPECT_EQ(pool.take(uint64_t{1} << 46), nullptr);
}

TEST(Storage, LivesUntilTheTasksThatTakeItHaveEnded) {
  for (int threads : {1, 2}) {
    Program program;
    program.site("pld.system.wait", 1);
    const abi::Function& late = program.function("late", {tensor(writes)}, abi::MayBlock);
    const abi::Function& other = program.function("other", {});
    int32_t cell = 0;
    Body writes_late = [&](Context* context, const Word* args) {
      int32_t seen;
      if (Status status = context->api->wait(context, &cell, 1, ge, 1, &seen)) return status;
      for (int i = 0; i < 1024; ++i) reinterpret_cast<float*>(args[0])[i] = 5;
      return abi::ok;
    };
    Body notifies = [&](Context* context, const Word*) {
      __atomic_exchange_n(&cell, 1, __ATOMIC_SEQ_CST);
      context->api->wake(context, &cell);
      return abi::ok;
    };
    for (uint64_t untracked : {0, 1}) {
      cell = 0;
      Outcome outcome = program.run(
          [&](Context* context, const Word*) {
            void *first = nullptr, *second = nullptr;
            EXPECT_EQ(context->api->allocate(context, 4096, 1, &first), abi::ok);
            auto words = dense(static_cast<float*>(first), {1024});
            submit(context, late, writes_late, {.args = words, .untracked = untracked});
            EXPECT_EQ(context->api->release(context, first), abi::ok);
            EXPECT_EQ(context->api->allocate(context, 4096, 1, &second), abi::ok);
            EXPECT_NE(first, second);
            std::fill_n(static_cast<float*>(second), 1024, 7.f);
            submit(context, other, notifies);
            EXPECT_EQ(context->api->release(context, second), abi::ok);
            EXPECT_EQ(context->api->allocate(context, 4096, 1, &second), abi::ok);
            return abi::ok;  // and this one is never released
          },
          threads);
      EXPECT_TRUE(outcome.ok()) << text(outcome);
      EXPECT_EQ(outcome.kept.count(), 0u);
    }
  }
}

TEST(Storage, ReturnedTensorsLiveAsLongAsTheOutcome) {
  Program program;
  abi::Param result = tensor(0);
  abi::Function entry = program.function("main", {});
  entry.results = &result;
  entry.result_count = 1;
  Word results[3] = {};
  Body body = [&](Context* context, const Word*) {
    void *kept = nullptr, *dropped = nullptr;
    context->api->allocate(context, 256, 0, &kept);
    context->api->allocate(context, 256, 0, &dropped);
    float* data = static_cast<float*>(kept) + 32;
    data[0] = 42;
    results[0] = reinterpret_cast<Word>(data);
    results[1] = 32;
    results[2] = 1;
    return abi::ok;
  };
  Word args[] = {reinterpret_cast<Word>(&body)};
  Dispatch dispatch{.rank = 0, .entry = &entry, .args = args, .results = results};
  Outcome outcome = program.run_dispatches(1, {.dispatches = {&dispatch, 1}});
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome.kept.count(), 1u);
  Outcome moved = std::move(outcome);
  EXPECT_EQ(*reinterpret_cast<float*>(results[0]), 42);
}

// Created in a loop and used by tasks that come later: what is waiting must not fill the memory.
TEST(Storage, ALoopOfLargeTensorsStaysSmall) {
  for (int threads : {1, 2}) {
    Program program;
    const abi::Function& kernel = program.function("k", {tensor(writes)}, abi::MayBlock);
    std::atomic<int> ran{0};
    Body body = [&](Context*, const Word* args) {
      *reinterpret_cast<float*>(args[0]) = 1;
      ran++;
      return abi::ok;
    };
    Outcome outcome = program.run(
        [&](Context* context, const Word*) {
          for (int i = 0; i < 100; ++i) {
            void* storage = nullptr;
            if (Status status = context->api->allocate(context, 32 << 20, 0, &storage)) return status;
            submit(context, kernel, body, {.args = dense(static_cast<float*>(storage), {8 << 20})});
            context->api->release(context, storage);
          }
          return abi::ok;
        },
        threads);
    EXPECT_TRUE(outcome.ok()) << text(outcome);
    EXPECT_EQ(ran, 100);
  }
}

// Scopes free what they created, also what no task took; what is kept lives on.
TEST(Storage, ScopesFreeWhatTheyCreate) {
  for (int threads : {1, 2}) {
    Program program;
    const abi::Function& kernel = program.function("k", {tensor(writes)}, abi::MayBlock);
    std::atomic<int> ran{0};
    Body body = [&](Context*, const Word* args) {
      *reinterpret_cast<float*>(args[0]) = 1;
      ran++;
      return abi::ok;
    };
    Outcome outcome = program.run(
        [&](Context* context, const Word*) {
          auto step = [&](abi::ParallelStep what) {
            context->api->parallel(context, static_cast<uint32_t>(what));
          };
          for (int i = 0; i < 100; ++i) {
            step(abi::ParallelStep::EnterStorage);
            void *large = nullptr, *inner = nullptr, *kept = nullptr;
            if (Status status = context->api->allocate(context, 32 << 20, 0, &large)) return status;
            submit(context, kernel, body, {.args = dense(static_cast<float*>(large), {8 << 20})});
            step(abi::ParallelStep::EnterStorage);
            if (Status status = context->api->allocate(context, 1 << 20, 0, &inner)) return status;
            if (Status status = context->api->allocate(context, 64, 0, &kept)) return status;
            step(abi::ParallelStep::Keep);
            *static_cast<int*>(kept) = i;
            step(abi::ParallelStep::LeaveStorage);
            submit(context, kernel, body, {.args = dense(static_cast<float*>(large), {8 << 20})});
            step(abi::ParallelStep::LeaveStorage);
            EXPECT_EQ(*static_cast<int*>(kept), i);
            context->api->release(context, kept);
          }
          return abi::ok;
        },
        threads);
    EXPECT_TRUE(outcome.ok()) << text(outcome);
    EXPECT_EQ(ran, 200);
  }
}

// Joins, each of the one before: nothing of a chain may nest on the stack.
TEST(Joins, LongChainsEnd) {
  for (int threads : {1, 2}) {
    Program program;
    const abi::Function& kernel = program.function("k", {}, abi::MayBlock);
    int32_t cell = 0;
    int ran = 0;
    Body waits = [&](Context* context, const Word*) {
      int32_t seen;
      return context->api->wait(context, &cell, 1, static_cast<uint32_t>(abi::Compare::Ge), 0, &seen);
    };
    Body notifies = [&](Context* context, const Word*) {
      __atomic_exchange_n(&cell, 1, __ATOMIC_SEQ_CST);
      context->api->wake(context, &cell);
      return abi::ok;
    };
    Body last = [&](Context*, const Word*) {
      EXPECT_EQ(cell, 1);
      ++ran;
      return abi::ok;
    };
    Outcome outcome = program.run(
        [&](Context* context, const Word*) {
          abi::TaskId id = abi::no_task;
          if (Status status = submit(context, kernel, waits, {}, &id)) return status;
          for (int i = 0; i < 50000; ++i) {
            const abi::TaskId before = id;
            const abi::Deferred join{nullptr, &before, 0, 1, 0, 0};
            if (Status status = context->api->defer(context, &join, &id)) return status;
          }
          if (Status status = submit(context, kernel, last, {.deps = {id}})) return status;
          return submit(context, kernel, notifies);
        },
        threads);
    EXPECT_TRUE(outcome.ok()) << text(outcome);
    EXPECT_EQ(ran, 1);
  }
}

// Blocks run side by side on all workers, each with what it created.
TEST(Storage, BlocksCreateTensorsOfTheirOwn) {
  for (uint32_t bits : {0u, static_cast<uint32_t>(abi::MayBlock)}) {
    Program program;
    const abi::Function& kernel = program.function("k", {}, bits);
    std::atomic<int> wrong{0};
    Body creates = [&](Context* context, const Word*) {
      int64_t* tensors[3];
      for (int round = 0; round < 4; ++round) {
        for (int i = 0; i < 3; ++i) {
          void* storage = nullptr;
          if (Status status = context->api->allocate(context, 256, 0, &storage)) return status;
          tensors[i] = static_cast<int64_t*>(storage);
          std::fill_n(tensors[i], 32, context->block_index * 3 + i);
        }
        context->api->release(context, tensors[1]);
        for (int i : {0, 2}) wrong += tensors[i][31] != context->block_index * 3 + i;
      }
      return abi::ok;  // with eight that nobody released
    };
    Outcome outcome = program.run(
        [&](Context* context, const Word*) {
          void* own = nullptr;
          context->api->allocate(context, 256, 0, &own);
          Status status = submit(context, kernel, creates, {.blocks = 2000});
          for (int i = 0; i < 200 && status == abi::ok; ++i) {
            context->api->release(context, own);
            status = context->api->allocate(context, 256, 0, &own);
          }
          return status;
        },
        4);
    EXPECT_TRUE(outcome.ok());
    EXPECT_EQ(wrong, 0);
  }
}

TEST(Run, SeveralThreadsAtOnce) {
  std::atomic<int> done{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 6; ++c) {
    callers.emplace_back([&done, c] {
      for (int repeat = 0; repeat < 30; ++repeat) {
        Program program;
        const abi::Function& kernel = program.function("k", {}, c % 2 ? uint32_t{abi::MayBlock} : 0);
        std::atomic<int> blocks{0};
        Body body = [&](Context*, const Word*) {
          blocks++;
          return abi::ok;
        };
        Outcome outcome = program.run(
            [&](Context* context, const Word*) {
              for (int i = 0; i < 20; ++i) submit(context, kernel, body, {.blocks = 10});
              return abi::ok;
            },
            1 + c % 3);
        if (outcome.ok() && blocks == 200) done++;
      }
    });
  }
  for (std::thread& each : callers) each.join();
  EXPECT_EQ(done, 180);
}

TEST(Run, DispatchesOfARankRunInOrderAndRanksAreConcurrent) {
  for (int threads : {1, 2, 3}) {
    Program program;
    uint32_t site = program.site("pld.system.wait", 1);
    constexpr int ranks = 20;
    int32_t arrived = 0;
    std::vector<int> steps(ranks);
    Body barrier = [&](Context* context, const Word*) {
      if (__atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST) == ranks) context->api->wake(context, &arrived);
      int32_t seen;
      EXPECT_EQ(context->rank_count, ranks);
      steps[context->rank] = 1;
      return context->api->wait(context, &arrived, ranks, ge, site, &seen);
    };
    const abi::Function& kernel = program.function("barrier", {}, abi::MayBlock);
    Body first = [&](Context* context, const Word*) { return submit(context, kernel, barrier); };
    Body second = [&](Context* context, const Word*) {
      EXPECT_EQ(std::exchange(steps[context->rank], 2), 1);
      EXPECT_EQ(__atomic_load_n(&arrived, __ATOMIC_SEQ_CST), ranks);
      return abi::ok;
    };
    const abi::Function& entry = program.function("main", {});
    Word first_args[] = {reinterpret_cast<Word>(&first)}, second_args[] = {reinterpret_cast<Word>(&second)};
    std::vector<Dispatch> dispatches;
    for (int rank = 0; rank < ranks; ++rank) {
      dispatches.push_back({.rank = rank, .entry = &entry, .args = first_args});
      dispatches.push_back({.rank = rank, .entry = &entry, .args = second_args});
    }
    Outcome outcome = program.run_dispatches(threads, {.dispatches = dispatches, .ranks = ranks});
    EXPECT_TRUE(outcome.ok()) << text(outcome);
    EXPECT_EQ(steps, std::vector<int>(ranks, 2));
  }
}

TEST(Run, ADeadlockIsReportedAtOnceWithEveryWait) {
  for (int threads : {1, 2}) {
    Program program;
    uint32_t site = program.site("pld.system.wait", 8);
    const abi::Function& kernel = program.function("stuck", {}, abi::MayBlock);
    int32_t cell = 3;
    Body body = [&](Context* context, const Word*) {
      int32_t seen;
      return context->api->wait(context, &cell, 4, ge, site, &seen);
    };
    auto start = Clock::now();
    Outcome outcome = program.run(
        [&](Context* context, const Word*) { return submit(context, kernel, body, {.blocks = 2}); }, threads);
    EXPECT_LT(Clock::now() - start, std::chrono::milliseconds(2000));
    EXPECT_EQ(outcome.ending, Ending::Deadlock);
    EXPECT_EQ(text(outcome),
              "error[TW2121]: deadlock: 2 tasks are blocked and nothing can wake them\n"
              " --> k.py:8:5\n"
              "  = note: in `stuck`, block 0 of 2: waits for a cell >= 4, which is 3\n"
              "  = note: in `stuck`, block 1 of 2: waits for a cell >= 4, which is 3\n");
  }
}

// A round of a loop that looks at cells and hands on what it saw: false when the run is over.
struct PollLoop {
  Context* context;
  uint32_t site;
  uint32_t again = 0;

  void look(const int32_t* cell, abi::Word& seen) const {
    const int32_t value = __atomic_load_n(cell, __ATOMIC_ACQUIRE);
    const auto differs = static_cast<uint32_t>(abi::Compare::Ne);
    if (again) context->api->look(context, cell, value, differs, site, 0);
    seen = static_cast<abi::Word>(value);
  }
  bool end_round(std::span<const abi::Word> carried) {
    const auto count = static_cast<uint32_t>(carried.size());
    return context->api->poll(context, carried.data(), count, 0, std::exchange(again, 1), site) == abi::ok;
  }
};

TEST(Run, PollsThatNobodyAnswersAreADeadlock) {
  for (int threads : {1, 2}) {
    for (int count : {1, 2}) {
      Program program;
      uint32_t site = program.site("pl.read", 8);
      const abi::Function& polls = program.function("polls", {}, abi::MayBlock);
      const abi::Function& waits = program.function("waits", {}, abi::MayBlock);
      int32_t cells[3] = {};
      Body poll = [&](Context* context, const Word*) {
        PollLoop loop{context, site};
        abi::Word seen[2] = {};
        while (seen[0] + seen[1] == 0) {
          for (int i = 0; i < count; ++i) loop.look(&cells[i], seen[i]);
          if (!loop.end_round(seen)) return abi::aborted;
        }
        return abi::ok;
      };
      Body wait = [&](Context* context, const Word*) {
        int32_t seen;
        return context->api->wait(context, &cells[2], 1, ge, site, &seen);
      };
      Outcome outcome = program.run(
          [&](Context* context, const Word*) {
            submit(context, waits, wait);
            return submit(context, polls, poll);
          },
          threads);
      EXPECT_EQ(outcome.ending, Ending::Deadlock);
      std::string all = text(outcome);
      EXPECT_NE(all.find("2 tasks"), std::string::npos) << all;
      EXPECT_NE(all.find("in `polls`: reads a cell, which is 0"), std::string::npos) << all;
      EXPECT_NE(all.find("in `waits`: waits for a cell >= 1, which is 0"), std::string::npos) << all;
    }
  }
}

TEST(Run, PollsFillNoThreadAndSeeEveryChange) {
  constexpr int pollers = 8, changes = 200;
  for (int threads : {1, 2}) {
    for (int count : {1, 3}) {
      Program program;
      uint32_t site = program.site("pl.read", 8);
      const abi::Function& polls = program.function("polls", {}, abi::MayBlock);
      const abi::Function& tells = program.function("tells", {}, abi::MayBlock);
      int32_t cells[pollers][3] = {};
      std::atomic<int> number{0};
      // Each waits for all of the changes of its cells, one after the other.
      Body poll = [&](Context* context, const Word*) {
        int32_t* own = cells[number.fetch_add(1)];
        for (abi::Word next = 1; next <= changes; ++next) {
          PollLoop loop{context, site};
          abi::Word seen[3] = {};
          while (seen[next % static_cast<abi::Word>(count)] < next) {
            for (int i = 0; i < count; ++i) loop.look(&own[i], seen[i]);
            if (!loop.end_round(seen)) return abi::aborted;
          }
        }
        return abi::ok;
      };
      Body tell = [&](Context* context, const Word*) {
        for (int32_t next = 1; next <= changes; ++next) {
          for (auto& own : cells) {
            __atomic_store_n(&own[next % count], next, __ATOMIC_SEQ_CST);
            context->api->wake(context, &own[next % count]);
          }
          if (next % 7 == 0 && context->api->yield(context, nullptr, site)) return abi::aborted;
        }
        return abi::ok;
      };
      Outcome outcome = program.run(
          [&](Context* context, const Word*) {
            for (int i = 0; i < pollers; ++i) submit(context, polls, poll);
            return submit(context, tells, tell);
          },
          threads);
      EXPECT_TRUE(outcome.ok()) << text(outcome);
    }
  }
}

// A round that hands on something else is not a repetition, whatever its cells do.
TEST(Run, PollsThatFollowAChainGoOn) {
  for (int threads : {1, 2}) {
    Program program;
    uint32_t site = program.site("pl.read", 8);
    const abi::Function& polls = program.function("polls", {}, abi::MayBlock);
    const int32_t chain[] = {3, 5, 1, 2, 0, 4};  // 0 3 2 1 5 4 0 ...
    abi::Word at = 0;
    Body poll = [&](Context* context, const Word*) {
      PollLoop loop{context, site};
      while (at != 4) {
        loop.look(&chain[at], at);
        if (!loop.end_round({&at, 1})) return abi::aborted;
      }
      return abi::ok;
    };
    Outcome outcome =
        program.run([&](Context* context, const Word*) { return submit(context, polls, poll); }, threads);
    EXPECT_TRUE(outcome.ok()) << text(outcome);
    // Round and round, for ever.
    Body forever = [&](Context* context, const Word*) {
      PollLoop loop{context, site};
      for (;;) {
        loop.look(&chain[at], at);
        if (!loop.end_round({&at, 1})) return abi::aborted;
      }
    };
    outcome =
        program.run([&](Context* context, const Word*) { return submit(context, polls, forever); }, threads);
    EXPECT_EQ(outcome.ending, Ending::Deadlock) << text(outcome);
  }
}

TEST(Run, AnInterruptStopsItSoon) {
  for (bool parked : {true, false}) {
    for (int threads : {1, 2}) {
      Program program;
      uint32_t site = program.site("pld.system.wait", 8);
      const abi::Function& kernel = program.function("k", {}, abi::MayBlock);
      const abi::Function& loops = program.function("loops", {}, abi::MayBlock);
      int32_t cell = 0;
      std::atomic<bool> started{false};
      Body waits = [&](Context* context, const Word*) {
        int32_t seen;
        return context->api->wait(context, &cell, 1, ge, site, &seen);
      };
      // As generated loops do.
      Body spins = [&](Context* context, const Word*) {
        started = true;
        while (__atomic_load_n(context->abort, __ATOMIC_RELAXED) == 0) usleep(100);
        return abi::aborted;
      };
      Clock::time_point asked;
      std::thread other([&] {
        while (!started) usleep(100);
        usleep(parked ? 2000 : 0);
        asked = Clock::now();
        request_abort();
      });
      Outcome outcome = program.run(
          [&](Context* context, const Word*) {
            submit(context, kernel, waits);
            return submit(context, loops, spins);
          },
          threads);
      auto stopped = Clock::now();
      other.join();
      EXPECT_EQ(outcome.ending, Ending::Interrupted);
      EXPECT_EQ(text(outcome), "error[TW2144]: the run was interrupted\n");
      EXPECT_LT(stopped - asked, std::chrono::milliseconds(200));
      EXPECT_TRUE(program.run([](Context*, const Word*) { return abi::ok; }, threads).ok());
    }
  }
}

bool works(int threads) {
  Program program;
  const abi::Function& kernel = program.function("k", {}, abi::MayBlock);
  std::atomic<int> ran{0};
  Body body = [&](Context*, const Word*) {
    usleep(10);
    ran++;
    return abi::ok;
  };
  Outcome outcome = program.run(
      [&](Context* context, const Word*) { return submit(context, kernel, body, {.blocks = 100}); }, threads);
  return outcome.ok() && ran == 100;
}

cpu_set_t cores_of(pid_t thread) {
  cpu_set_t cpus;
  sched_getaffinity(thread, sizeof cpus, &cpus);
  return cpus;
}

// Systems like to wake a thread where its waker runs, and to leave it there.
TEST(Run, HelpersAreWokenOnOtherCoresThanTheCallers) {
  if (core_count() < 2) GTEST_SKIP() << "one core";
  Program program;
  const abi::Function& kernel = program.function("k", {});
  for (int round = 0; round < 3; ++round) {
    std::atomic<int> cores{0};
    Body body = [&, caller = pthread_self()](Context*, const Word*) {
      usleep(500);
      cpu_set_t cpus = cores_of(0);
      if (!pthread_equal(pthread_self(), caller)) cores = CPU_COUNT(&cpus);
      return abi::ok;
    };
    Outcome outcome = program.run(
        [&](Context* context, const Word*) { return submit(context, kernel, body, {.blocks = 100}); }, 2);
    EXPECT_TRUE(outcome.ok()) << text(outcome);
    if (round == 0) continue;  // it may have made the thread
    EXPECT_EQ(cores, core_count() - 1);
  }
}

// A helper that the system has put on the caller's core leaves it as soon as it has to wait.
TEST(Run, WorkersOnOneCoreAreKeptApart) {
  if (core_count() < 2) GTEST_SKIP() << "one core";
  Program program;
  const abi::Function& kernel = program.function("k", {}, abi::MayBlock);
  std::atomic<pid_t> helper{0};
  int32_t cell = 0;
  std::atomic<int> core{-1};
  bool apart = false;
  auto waits = [&](Context* context) {
    while (core < 0) sched_yield();
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(core, &only);
    sched_setaffinity(0, sizeof only, &only);
    helper = gettid();
    int32_t seen;
    return context->api->wait(context, &cell, 1, ge, 0, &seen);
  };
  Body body = [&, caller = pthread_self()](Context* context, const Word*) {
    if (!pthread_equal(pthread_self(), caller)) return waits(context);
    core = sched_getcpu();
    auto give_up = Clock::now() + std::chrono::seconds(2);
    while (!apart && Clock::now() < give_up) {
      sched_yield();
      if (helper == 0) continue;
      cpu_set_t cpus = cores_of(helper);
      apart = !CPU_ISSET(core, &cpus);
    }
    __atomic_exchange_n(&cell, 1, __ATOMIC_SEQ_CST);
    context->api->wake(context, &cell);
    return abi::ok;
  };
  // The caller may itself have been moved in between: then nobody is in anybody's way.
  for (int attempt = 0; attempt < 3 && !apart; ++attempt) {
    helper = cell = 0;
    core = -1;
    Outcome outcome = program.run(
        [&](Context* context, const Word*) { return submit(context, kernel, body, {.blocks = 2}); }, 2);
    EXPECT_TRUE(outcome.ok()) << text(outcome);
  }
  EXPECT_TRUE(apart);
}

TEST(Run, WorksAfterShutdownAndInAChildOfFork) {
  EXPECT_TRUE(works(2));
  shutdown();
  EXPECT_TRUE(works(2));
  pid_t child = fork();
  ASSERT_GE(child, 0);
#ifdef __SANITIZE_THREAD__
  constexpr int child_threads = 1;  // the thread sanitizer allows no new ones there
#else
  constexpr int child_threads = 2;
#endif
  if (child == 0) _exit(works(child_threads) && works(1) ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(works(2));
}

TEST(Run, TraceAndFigures) {
  Program program;
  uint32_t site = program.site("def \"k\"", 8);
  static_cast<void>(site);
  const abi::Function& plain = program.function("plain", {tensor(writes)});
  const abi::Function& fiber = program.function("fiber \"quoted\"", {tensor(reads)}, abi::MayBlock);
  float data[4] = {};
  int32_t cell = 0;
  Body body = [](Context*, const Word*) { return abi::ok; };
  Body waits = [&](Context* context, const Word*) {
    int32_t seen;
    return context->api->wait(context, &cell, 1, ge, site, &seen);
  };
  Body notifies = [&](Context* context, const Word*) {
    usleep(1000);
    __atomic_exchange_n(&cell, 1, __ATOMIC_SEQ_CST);
    context->api->wake(context, &cell);
    return abi::ok;
  };
  std::string path = testing::TempDir() + "tilewire_trace_" + std::to_string(getpid()) + ".json";
  Stats stats;
  Request request;
  request.trace = path;
  request.stats = &stats;
  Outcome outcome = program.run(
      [&](Context* context, const Word*) {
        submit(context, plain, body, {.args = dense(data, {4}), .blocks = 8});
        submit(context, fiber, waits, {.args = dense(data, {4})});
        return submit(context, program.function("n", {}, abi::MayBlock), notifies);
      },
      1, request);
  ASSERT_TRUE(outcome.ok()) << text(outcome);
  ASSERT_EQ(stats.ranks.size(), 1u);
  EXPECT_EQ(stats.ranks[0].tasks, 3u);
  EXPECT_EQ(stats.ranks[0].blocks, 10u);
  EXPECT_EQ(stats.ranks[0].parks, 1u);
  EXPECT_EQ(stats.threads, 1);
  EXPECT_GE(stats.ranks[0].wait_ns, 1'000'000u);
  EXPECT_GE(stats.ranks[0].compute_ns, 1'000'000u);
  EXPECT_GE(stats.wall_ns, stats.ranks[0].wait_ns);
  std::ifstream file(path);
  std::stringstream content;
  content << file.rdbuf();
  std::string json = content.str();
  EXPECT_EQ(json.find("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"), 0u);
  EXPECT_NE(json.find("\"name\":\"plain\",\"cat\":\"blocks\",\"pid\":0,\"tid\":0"), std::string::npos)
      << json;
  EXPECT_NE(json.find("\"first block\":0,\"blocks\":8"), std::string::npos);
  EXPECT_NE(json.find("\"name\":\"wait in fiber \\\"quoted\\\"\""), std::string::npos);
  EXPECT_NE(json.find("\"name\":\"rank 0\""), std::string::npos);
  EXPECT_TRUE(json.ends_with("}\n]}\n"));
  unlink(path.c_str());

  request.trace = "/proc/no/such/folder.json";
  outcome = program.run([](Context*, const Word*) { return abi::ok; }, 1, request);
  EXPECT_EQ(
      text(outcome),
      "error[TW2145]: cannot write the trace: `/proc/no/such/folder.json`: No such file or directory\n");
}

}  // namespace
}  // namespace tilewire::runtime
