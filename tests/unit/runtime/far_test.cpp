// Ranks that only messages reach: what the runtime waits for, and what not.
#include "runtime/far.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <functional>

#include "split_world.h"
#include "world_scenarios.h"

namespace tilewire::runtime {
namespace {

constexpr int32_t count = 3;
constexpr auto add_kind = static_cast<uint32_t>(abi::NotifyKind::Add);

// Three ranks, each on a host of its own; what rank 0 sends to rank 2 is slow, or held where nobody would
// wait for it.
struct Hosts {
  explicit Hosts(bool acknowledges = true, uint64_t slow_us = 1000)
      : world({1, 1, 1}, 20'000, {0, 1, 2},
              {.seed = 7,
               .acknowledges = acknowledges,
               .slow = std::pair<size_t, size_t>(0, 2),
               .slow_us = slow_us,
               .holds = !acknowledges}) {}

  // `body` as a kernel of every rank.
  std::vector<Outcome> run(const Body& body, uint32_t bits = abi::MayBlock, int threads = 1,
                           const std::function<void(Windows&, int32_t)>& after = {}) {
    return world.run([&](World& part, size_t i) {
      Program program;
      program.site("pld.system.wait", 8);
      auto windows = Windows::make(count, {data_and_signal(count)}, part);
      const abi::Function& kernel = program.function("kern", std::vector<abi::Param>(2, scalar()), bits);
      Body orchestration = [&](Context* context, const Word* args) {
        return submit(context, kernel, body, {.args = {args, args + 2}});
      };
      Request request;
      request.world = &part;
      request.ranks = count;
      Outcome outcome = run_on_ranks(program, count, threads, *windows, 2, orchestration, request);
      if (after) after(*windows, static_cast<int32_t>(i));
      return outcome;
    });
  }

  SplitWorld world;
};

void expect_ok(const std::vector<Outcome>& outcomes) {
  for (const Outcome& outcome : outcomes) EXPECT_TRUE(outcome.ok()) << text(outcome);
}

// Rank 0 writes to rank 2 and tells rank 1, which tells rank 2, which reads: how often it finds what was
// there before.
int stale_reads(bool acknowledges, uint32_t bits) {
  const int32_t rounds = acknowledges ? 20 : 1;
  Hosts hosts(acknowledges);
  std::atomic<int> stale{0};
  Body body = [&](Context* context, const Word* args) {
    const abi::Window &data = window(args[0]), &signal = window(args[1]);
    for (int32_t round = 1; round <= rounds; ++round) {
      if (context->rank == 0) {
        store(context, data, 2, 0, round);
        if (bits & abi::released) {
          if (Status status = context->api->land(context, 0)) return status;
        }
        context->api->notify(context, cell_of(signal, 1, 0), 1, add_kind | bits, 1, 0);
        if (Status status = wait(context, signal, 2, round, 1)) return status;
      } else if (context->rank == 1) {
        if (Status status = wait(context, signal, 0, round, 1)) return status;
        notify(context, signal, 2, 1, 1);
      } else {
        if (Status status = wait(context, signal, 1, round, 1)) return status;
        stale += *cell_of(data, 2, 0) != round;
        hosts.world.network().let_go();
        notify(context, signal, 0, 2, 1);
      }
    }
    return abi::ok;
  };
  expect_ok(hosts.run(body));
  return stale;
}

TEST(Far, ANotifyReleasesThroughAThirdRank) {
  EXPECT_EQ(stale_reads(true, 0), 0);
}

// As notify_all does it: one release for several notifies.
TEST(Far, SeveralNotifiesCanBeOneRelease) {
  EXPECT_EQ(stale_reads(true, abi::released), 0);
}

// So the two tests above can fail.
TEST(Far, WithoutAcknowledgementsReadsAreStale) {
  EXPECT_EQ(stale_reads(false, 0), 1);
}

// The same with a notify in place of the write, and with an update in place of the other notify.
TEST(Far, NotifiesAndUpdatesLandInTheirOrder) {
  for (bool updates : {false, true}) {
    Hosts hosts;
    std::atomic<int> early{0};
    Body body = [&](Context* context, const Word* args) {
      const abi::Window& signal = window(args[1]);
      if (context->rank == 0) {
        notify(context, signal, 2, 3, 1);
        if (updates) {
          EXPECT_EQ(compare_exchange(context, signal, 1, 0, 0, 1), 0);
        } else {
          notify(context, signal, 1, 0, 1);
        }
      } else if (context->rank == 1) {
        if (Status status = wait(context, signal, 0, 1, 1)) return status;
        notify(context, signal, 2, 1, 1);
      } else {
        if (Status status = wait(context, signal, 1, 1, 1)) return status;
        early += __atomic_load_n(cell_of(signal, 2, 3), __ATOMIC_ACQUIRE) != 1;
      }
      return abi::ok;
    };
    expect_ok(hosts.run(body));
    EXPECT_EQ(early, 0);
  }
}

// A rank on the host of rank 0, in another part: signals go to it through memory, but not before the write to
// the third has landed.
TEST(Far, ANotifyToANearRankOfAnotherProcessWaitsToo) {
  SplitWorld world({1, 1, 1}, 20'000, {0, 0, 1}, {.seed = 3, .slow = std::pair<size_t, size_t>(0, 2)});
  std::atomic<int> stale{0};
  std::vector<Outcome> outcomes = world.run([&](World& part, size_t) {
    Program program;
    program.site("pld.system.wait", 8);
    auto windows = Windows::make(count, {data_and_signal(count)}, part);
    Body body = [&](Context* context, const Word* args) {
      const abi::Window &data = window(args[0]), &signal = window(args[1]);
      for (int32_t round = 1; round <= 5; ++round) {
        if (context->rank == 0) {
          EXPECT_FALSE(is_far(signal, 1));
          store(context, data, 2, 0, round);
          notify(context, signal, 1, 0, 1);
          if (Status status = wait(context, signal, 2, round, 1)) return status;
        } else if (context->rank == 1) {
          if (Status status = wait(context, signal, 0, round, 1)) return status;
          stale += load(context, data, 2, 0) != round;
          notify(context, signal, 0, 2, 1);
        }
      }
      return abi::ok;
    };
    Request request;
    request.world = &part;
    return run_on_all(program, count, 1, *windows, 2, body, request);
  });
  expect_ok(outcomes);
  EXPECT_EQ(stale, 0);
}

// Nobody waits for what a rank has written when it ends, and yet it is there when the run has.
TEST(Far, WhatWasWrittenIsThereWhenARunHasEnded) {
  Hosts hosts(true, 100'000);
  Body body = [&](Context* context, const Word* args) {
    for (int32_t i = 0; i < 100 && context->rank == 0; ++i) store(context, window(args[0]), 2, i, i + 1);
    return abi::ok;
  };
  expect_ok(hosts.run(body, abi::MayBlock, 1, [](Windows& windows, int32_t rank) {
    const auto* data = reinterpret_cast<const int32_t*>(windows.data(0, 0, rank));
    for (int32_t i = 0; i < 100 && rank == 2; ++i) EXPECT_EQ(data[i], i + 1);
  }));
}

// A kernel that a local world runs without a fiber.
TEST(Far, KernelsThatReachPeersGetFibers) {
  for (int threads : {1, 2}) {
    Hosts hosts;
    std::atomic<int> on_fibers{0};
    Body body = [&](Context* context, const Word* args) {
      const abi::Window& data = window(args[0]);
      EXPECT_EQ(load(context, data, (context->rank + 1) % count, 5), 0);
      ++on_fibers;
      return abi::ok;
    };
    expect_ok(hosts.run(body, abi::MayBlockFar, threads));
    EXPECT_EQ(on_fibers, count);
  }
}

// One fails while others wait for replies: they stop, and what comes in later hits nothing.
TEST(Far, AFailureStopsThoseWhoWaitForReplies) {
  for (int round = 0; round < 20; ++round) {
    Hosts hosts;
    Body body = [&](Context* context, const Word* args) {
      const abi::Window &data = window(args[0]), &signal = window(args[1]);
      for (int32_t i = 0;; ++i) {
        if (context->rank == 2 && i == round) {
          return context->api->fail(context, abi::Fault::ZeroDivisor, 1, 0, 0, 0, 0);
        }
        int32_t values[64];
        const int32_t peer = (context->rank + 1) % count;
        if (Status status = transfer(context, values, cell_of(data, peer, 0), 64, 0, peer, 1)) return status;
        int64_t old = 0;
        Status status = context->api->update(context, cell_of(signal, peer, 0), 0, 1, 0, 1, &old);
        if (status) return status;
      }
    };
    for (const Outcome& outcome : hosts.run(body)) {
      EXPECT_EQ(outcome.ending, Ending::Error);
      EXPECT_EQ(outcome.rank, 2);
    }
  }
}

TEST(Far, AtomicAdditionsAreMadeWhereTheElementIs) {
  Hosts hosts;
  Body body = [&](Context* context, const Word* args) {
    const abi::Window& data = window(args[0]);
    const int32_t one[] = {1, 10};
    for (int i = 0; i < 50; ++i) {
      Status status = transfer(context, cell_of(data, 1, 0), one, 2, abi::ToPeer | abi::AtomicAdd, 1, 1);
      if (status) return status;
    }
    return abi::ok;
  };
  expect_ok(hosts.run(body, abi::MayBlock, 2, [](Windows& windows, int32_t rank) {
    const auto* data = reinterpret_cast<const int32_t*>(windows.data(0, 0, rank));
    EXPECT_EQ(data[0], rank == 1 ? 150 : 0);
    EXPECT_EQ(data[1], rank == 1 ? 1500 : 0);
  }));
}

// With hooks and a random schedule, too; what parks for a reply does not count as computing.
TEST(Far, RunsThatAreWatchedReachFarRanks) {
  for (const char* schedule : {"", "random:1", "random:2"}) {
    SplitWorld world({1, 1}, 20'000, {0, 1});
    std::vector<Outcome> outcomes = world.run([&](World& part, size_t i) {
      Program program;
      program.bits = abi::Hooks;
      const uint32_t site = program.site("pld.tensor.get", 8);
      auto windows = Windows::make(2, {data_and_signal(2)}, part);
      Body body = [&](Context* context, const Word* args) {
        const abi::Window &data = window(args[0]), &signal = window(args[1]);
        const int32_t peer = 1 - context->rank;
        for (int32_t round = 1; round <= 10; ++round) {
          const int32_t sent[] = {round, 2 * round};
          int32_t found[2] = {};
          Status status = transfer(context, cell_of(data, peer, 0), sent, 2, abi::ToPeer, peer, site);
          if (!status) status = transfer(context, found, cell_of(data, peer, 0), 2, 0, peer, site);
          EXPECT_EQ(found[1], 2 * round);
          if (!status) status = hooked_notify(context, signal, peer, 0, 1, site);
          if (!status) status = hooked_wait(context, signal, 0, round, site);
          if (status) return status;
          EXPECT_EQ(*cell_of(data, context->rank, 0), round);
          // Read before it is written again.
          status = hooked_notify(context, signal, peer, 1, 1, site);
          if (!status) status = hooked_wait(context, signal, 1, round, site);
          if (status) return status;
        }
        return abi::ok;
      };
      Stats stats;
      Request request;
      request.world = &part;
      request.schedule = schedule;
      request.stats = &stats;
      request.trace = testing::TempDir() + "far" + std::to_string(i) + "." + std::to_string(getpid());
      Outcome outcome = run_on_all(program, 2, 2, *windows, 2, body, request);
      EXPECT_EQ(stats.ranks[0].bytes, 10u * 2 * 2 * sizeof(int32_t));
      EXPECT_LE(stats.ranks[0].compute_ns, stats.wall_ns);
      EXPECT_GT(stats.ranks[0].transfer_ns, 0u);
      unlink(request.trace.c_str());
      return outcome;
    });
    expect_ok(outcomes);
  }
}

TEST(Far, GroupsKnowTheirHosts) {
  SplitWorld world({1, 2, 1}, 0, {5, 3, 5});
  world.run([](World& part, size_t) {
    auto windows = Windows::make(4, {{{}, 64, {{"a", 0, 64}}}, {{1, 2}, 64, {{"b", 0, 64}}}}, part);
    const int32_t rank = part.part(4).first;
    const abi::Group& all = *windows->group(0, rank);
    EXPECT_EQ(std::vector<int32_t>(all.hosts, all.hosts + 4), (std::vector<int32_t>{0, 1, 1, 0}));
    EXPECT_EQ(all.host_count, 2);
    if (rank == 1) {
      EXPECT_EQ(windows->group(1, rank)->host_count, 1);
      EXPECT_FALSE(windows->far_place(windows->data(1, 0, 2)).memory);
      const FarPlace place = windows->far_place(windows->data(0, 0, 3) + 12);
      EXPECT_TRUE(place.memory);
      EXPECT_EQ(place.member, 3);
      EXPECT_EQ(place.offset, 12u);
    }
    return Outcome();
  });
}

TEST(Far, EverythingHasLandedInTheLocalWorld) {
  Program program;
  auto windows = Windows::make(2, {data_and_signal(2)});
  Body body = [](Context* context, const Word*) {
    EXPECT_EQ(*context->unlanded, 0u);
    return context->api->land(context, 0);
  };
  EXPECT_TRUE(run_on_all(program, 2, 1, *windows, 2, body).ok());
}

}  // namespace
}  // namespace tilewire::runtime
