// Processes that are killed or stopped, ranks that fail or wait in vain, at random moments: all others end
// within the limit and report the same.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>

#include "forked_world.h"
#include "ranks.h"
#include "runtime/run_state.h"
#include "runtime/windows.h"

namespace tilewire::processes {
namespace {

using namespace runtime;

constexpr int32_t ranks = 4;
constexpr Limits quick{.silence_ns = 1'000'000'000};

// Tokens go round for so many rounds; the rank `odd` does something else in round `odd_round`.
struct Ring {
  int rounds = 0;
  int32_t odd = -1;
  int odd_round = -1;
  bool fails = false;  // it does, or it waits for what nobody sends

  Outcome call(ProcessWorld& world, int threads) const {
    Program program;
    const uint32_t waits = program.site("pld.system.wait", 8),
                   loads = program.site("pld.tile.remote_load", 9);
    auto windows = Windows::make(ranks, {data_and_signal(ranks)}, world);
    if (!windows) {
      Outcome outcome;
      outcome.ending = Ending::World;
      outcome.error = describe(world.refusal().value_or(Failure()), abi::Module{});
      return outcome;
    }
    Body body = [&](Context* context, const Word* args) {
      const abi::Window& signal = window(args[1]);
      const int32_t me = context->rank;
      for (int round = 1; round <= rounds; ++round) {
        if (me == odd && round == odd_round) {
          if (!fails) return wait(context, signal, 3, 1'000'000, waits);
          return context->api->fail(context, abi::Fault::PeerOutOfRange, loads, 4, 4, 0, 0);
        }
        notify(context, signal, (me + 1) % ranks, 0, 1);
        if (Status status = wait(context, signal, 0, round, waits)) return status;
      }
      return Status{abi::ok};
    };
    Request request;
    request.world = &world;
    return run_on_all(program, ranks, threads, *windows, 2, body, request);
  }
};

// What a process has mapped there would stay when it is killed. Other programs put files there, too.
bool maps_shared_files() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find("/dev/shm/") != std::string::npos) return true;
  }
  return false;
}

// Rounds of a test: more when asked for.
int rounds_of(int few) {
  const char* many = std::getenv("TILEWIRE_FAULTS");
  return many ? std::atoi(many) / 4 : few;
}

// Long calls, or many short ones, until the process `victim` is given `signal`.
void expect_lost(int signal, const std::string& how, int rounds, uint64_t limit_ns, int32_t hosts = 1) {
  uint64_t slowest_ns = 0;
  for (int round = 0; round < rounds; ++round) {
    std::mt19937 random(round);
    const int32_t processes = random() % 2 == 0 ? 2 : 4;
    const auto victim = static_cast<int32_t>(random() % processes);
    const int threads = 1 + static_cast<int>(random() % 2);
    const Ring ring{random() % 2 == 0 ? 20 : 1'000'000'000};
    ForkedWorld forked(
        processes,
        [&](ProcessWorld& world, int32_t) {
          Outcome outcome = ring.call(world, threads);
          while (outcome.ok()) outcome = ring.call(world, threads);
          EXPECT_FALSE(maps_shared_files());
          // No call is possible any more, and says the same at once.
          const std::string first = text(outcome);
          outcome = ring.call(world, threads);
          EXPECT_EQ(text(outcome), first);
          return outcome;
        },
        signal == SIGSTOP ? quick : Limits(), hosts);
    usleep(random() % 40'000);
    const uint64_t killed_ns = now_ns();
    kill(forked.process(victim), signal);
    if (signal == SIGSTOP) {
      forked.wait_but(victim, 10'000);
      kill(forked.process(victim), SIGCONT);
    }
    const std::vector<Told> all = forked.wait(10'000);
    for (int32_t p = 0; p < processes; ++p) {
      if (p == victim && signal == SIGKILL) {
        EXPECT_FALSE(all[p].ended);
        continue;
      }
      EXPECT_TRUE(all[p].ended && !all[p].failed) << "seed " << round;
      EXPECT_EQ(all[p].ending, Ending::World);
      if (p == victim) continue;  // it came back, and was told so or found the others gone
      EXPECT_EQ(all[p].text,
                "error[TW2148]: the world has lost process " + std::to_string(victim) + ": " + how + "\n")
          << "seed " << round;
      const uint64_t took_ns = all[p].at_ns - std::min(all[p].at_ns, killed_ns);
      EXPECT_LT(took_ns, limit_ns) << "seed " << round;
      slowest_ns = std::max(slowest_ns, took_ns);
    }
  }
  testing::Test::RecordProperty("slowest_us", static_cast<int>(slowest_ns / 1000));
  std::printf("all others knew after at most %.1f ms\n", static_cast<double>(slowest_ns) * 1e-6);
}

TEST(Faults, AKilledProcessIsNamed) {
  expect_lost(SIGKILL, "it has ended", rounds_of(20), 2'000'000'000);
}

TEST(Faults, AKilledProcessIsNamedOnOtherHosts) {
  expect_lost(SIGKILL, "it has ended", rounds_of(20), 2'000'000'000, 2);
}

// The others may wait for its answer, or for it to make a call; it may be the one who watches over the
// others.
TEST(Faults, AStoppedProcessIsNamed) {
  expect_lost(SIGSTOP, quick.silence(), rounds_of(6), 10'000'000'000);
}

TEST(Faults, AStoppedProcessIsNamedOnOtherHosts) {
  expect_lost(SIGSTOP, quick.silence(), rounds_of(6), 10'000'000'000, 2);
}

// A rank fails or waits in vain; the same is reported everywhere, and the world stays usable.
void expect_reported(bool fails, const std::string& expected, int rounds, int32_t hosts = 1) {
  Shared<std::atomic<uint64_t>> slowest_ns(1);
  for (int round = 0; round < rounds; ++round) {
    std::mt19937 random(round);
    const int32_t processes = random() % 2 == 0 ? 2 : 4;
    const int threads = 1 + static_cast<int>(random() % 2);
    const Ring odd{.rounds = 100,
                   .odd = static_cast<int32_t>(random() % ranks),
                   .odd_round = 1 + static_cast<int>(random() % 90),  // later, some ranks come to their end
                   .fails = fails};
    const Ring ring{50};
    auto child = [&](ProcessWorld& world, int32_t) {
      EXPECT_TRUE(ring.call(world, threads).ok());
      const uint64_t start_ns = now_ns();
      Outcome outcome = odd.call(world, threads);
      const uint64_t took_ns = now_ns() - start_ns;
      if (took_ns > slowest_ns[0]) slowest_ns[0] = took_ns;
      EXPECT_TRUE(ring.call(world, threads).ok());
      return outcome;
    };
    const std::vector<Told> all = ForkedWorld::run(processes, child, hosts);
    for (const Told& told : all) {
      EXPECT_TRUE(told.ended && !told.failed) << "seed " << round;
      EXPECT_TRUE(told.text.starts_with(expected)) << "seed " << round << "\n" << told.text;
      EXPECT_EQ(told.text, all[0].text);
      EXPECT_EQ(told.ending, fails ? Ending::Error : Ending::Deadlock);
      EXPECT_EQ(told.rank, fails ? odd.odd : -1);
    }
  }
  std::printf("all knew after at most %.1f ms\n", static_cast<double>(slowest_ns[0]) * 1e-6);
}

constexpr const char* no_rank_4 =
    "error[TW2110]: invalid rank: rank 4 does not exist: there are 4\n --> k.py:9:5\n";
constexpr const char* all_blocked =
    "error[TW2121]: deadlock: 4 tasks are blocked and nothing can wake them\n";

TEST(Faults, AFailureIsReportedOnceEverywhere) {
  expect_reported(true, no_rank_4, rounds_of(15));
}

TEST(Faults, AFailureIsReportedOnceOnAllHosts) {
  expect_reported(true, no_rank_4, rounds_of(15), 2);
}

TEST(Faults, ADeadlockIsReportedOnceEverywhere) {
  expect_reported(false, all_blocked, rounds_of(15));
}

TEST(Faults, ADeadlockIsReportedOnceOnAllHosts) {
  expect_reported(false, all_blocked, rounds_of(15), 2);
}

// The others wait for a call that one never makes: it has left.
TEST(Faults, AProcessThatLeavesIsNamed) {
  for (int32_t leaver : {0, 1, 3}) {
    const std::vector<Told> all = ForkedWorld::run(4, [&](ProcessWorld& world, int32_t process) {
      const Ring ring{10};
      EXPECT_TRUE(ring.call(world, 1).ok());
      if (process == leaver) return Outcome();
      return ring.call(world, 1);
    });
    for (int32_t p = 0; p < 4; ++p) {
      EXPECT_TRUE(all[p].ended && !all[p].failed);
      if (p == leaver) continue;
      EXPECT_EQ(all[p].text, "error[TW2148]: the world has lost process " + std::to_string(leaver) +
                                 ": it has left the world\n");
    }
  }
}

// A child of fork has the memory of its parent, but is no process of the world. The parent's end is noticed
// although the child lives on.
TEST(Faults, AChildOfForkTakesNoPart) {
  const std::vector<Told> all = ForkedWorld::run(2, [&](ProcessWorld& world, int32_t process) {
    const Ring ring{10};
    if (process == 0) return ring.call(world, 1);
    const pid_t child = fork();
    if (child == 0) {
      const Outcome outcome = ring.call(world, 1);
      const bool refused = text(outcome) ==
                           "error[TW2148]: the world has lost process 1: this is a child of it, "
                           "made by fork\n";
      usleep(refused ? 300'000 : 0);
      _exit(0);
    }
    usleep(20'000);
    EXPECT_EQ(kill(child, 0), 0);
    EXPECT_EQ(waitpid(child, nullptr, WNOHANG), 0) << "the call in the child was not refused";
    kill(getpid(), SIGKILL);
    return Outcome();
  });
  EXPECT_EQ(all[0].text, "error[TW2148]: the world has lost process 1: it has ended\n");
}

}  // namespace
}  // namespace tilewire::processes
