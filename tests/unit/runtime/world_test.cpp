// Ranks that live in several parts of a world: results, errors and lists of waits are those of one part.
#include "runtime/world.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>

#include "ranks.h"
#include "split_world.h"
#include "world_scenarios.h"

namespace tilewire::runtime {
namespace {

const std::vector<std::vector<int32_t>> splits = {{2, 2}, {1, 2, 1}, {3, 1}, {1, 1, 1, 1}};

// On one host, and with parts on several.
struct Places {
  std::vector<int32_t> counts, hosts;
};
std::vector<Places> places() {
  std::vector<Places> all = {{{2, 2}, {0, 1}}, {{1, 2, 1}, {0, 1, 0}}, {{1, 1, 1, 1}, {0, 1, 2, 3}}};
  for (const std::vector<int32_t>& counts : splits) all.push_back({counts, {}});
  return all;
}

// Runs it in one part and in several; all parts report the same, and so does the local world.
void expect_same(const Scenario& scenario, const std::string& expected) {
  for (int threads : {1, 2}) {
    std::vector<int64_t> alone(ranks);
    const Outcome reference = scenario({local_world(), 0, threads, alone});
    EXPECT_EQ(text(reference), expected);
    for (const auto& [counts, hosts] : places()) {
      for (uint64_t spin_ns : {0, 20'000}) {
        if (!hosts.empty() && (threads == 1) != (spin_ns == 0)) continue;  // messages take their time
        SplitWorld world(counts, spin_ns, hosts);
        std::vector<int64_t> results(ranks);
        const std::vector<Outcome> outcomes = world.run([&](World& part, size_t i) {
          return scenario({part, i, threads, results});
        });
        EXPECT_EQ(results, alone);
        for (const Outcome& outcome : outcomes) {
          EXPECT_EQ(text(outcome), expected) << counts.size() << " parts, " << threads << " threads";
          EXPECT_EQ(outcome.ending, reference.ending);
          EXPECT_EQ(outcome.rank, reference.rank);
          EXPECT_EQ(outcome.site.line, reference.site.line);
        }
      }
    }
  }
}

class Worlds : public testing::TestWithParam<WorldScenario> {};

TEST_P(Worlds, PartsAreLikeOne) {
  GetParam().check({expect_same});
}

INSTANTIATE_TEST_SUITE_P(Scenarios, Worlds, testing::ValuesIn(world_scenarios()),
                         [](const auto& of) { return std::string(of.param.name); });

TEST(WorldParts, WindowsKnowWhoLivesHere) {
  SplitWorld world({1, 2, 1});
  world.run([](World& part, size_t i) {
    auto windows = Windows::make(ranks, {{{}, 64, {{"a", 0, 64}}}, {{0, 3}, 64, {{"b", 0, 64}}}}, part);
    const World::Part place = part.part(ranks);
    for (int32_t rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(windows->group(0, rank) != nullptr, place.has(rank));
      EXPECT_EQ(windows->window(1, 0, rank) != nullptr, place.has(rank) && (rank == 0 || rank == 3));
      EXPECT_EQ(windows->in_group(1, rank), rank == 0 || rank == 3);
      EXPECT_EQ(windows->rank_of(windows->data(0, 0, rank)), rank);
      EXPECT_EQ(windows->name_of(reinterpret_cast<int32_t*>(windows->data(0, 0, rank)) + 3),
                "`a[3]` on rank " + std::to_string(rank));
    }
    for (int32_t rank = place.first; rank < place.first + place.count; ++rank) {
      EXPECT_EQ(windows->group(0, rank)->rank, rank);
      EXPECT_EQ(windows->window(0, 0, rank)->group, windows->group(0, rank));
    }
    if (i == 2) {
      EXPECT_EQ(windows->group(1, 3)->rank, 1);
      EXPECT_EQ(windows->window(1, 0, 3)->group, windows->group(1, 3));
    }
    return Outcome();
  });
}

// Two ranks, of which only messages reach the second.
class Far final : public GroupMemory {
 public:
  explicit Far(std::unique_ptr<GroupMemory> near) : near_(std::move(near)) {
    mapped_bytes = near_->mapped_bytes;
    regions = near_->regions;
    waiters = {near_->waiters[0], nullptr};
  }
  void clear(size_t member) override {
    EXPECT_EQ(member, 0u);
    near_->clear(member);
  }

 private:
  std::unique_ptr<GroupMemory> near_;
};
class FarWorld final : public World {
 public:
  Part part(int32_t) const override { return {.first = 0, .count = 1}; }
  std::unique_ptr<GroupMemory> map(const GroupLayout& layout, int32_t count) override {
    return std::make_unique<Far>(local_world().map(layout, count));
  }
  bool begin(Run&, std::span<const Term>) override { return true; }
  void end(Run&, std::optional<Failure>&) override {}
  void wake(int32_t) override {}
  void failed(Run&, const Failure&) override {}
  void quiet(Run&) override {}
};

TEST(WorldParts, AnAddressNamesAFarRankAndItsWindow) {
  FarWorld world;
  auto windows = Windows::make(2, {{{}, 64, {{"a", 0, 64}}}}, world);
  auto* cell = reinterpret_cast<int32_t*>(windows->data(0, 0, 1)) + 2;
  EXPECT_EQ(windows->rank_of(cell), 1);
  EXPECT_EQ(windows->name_of(cell), "`a[2]` on rank 1");
  EXPECT_EQ(windows->waiter_word(cell), nullptr);
  EXPECT_NE(windows->waiter_word(windows->data(0, 0, 0)), nullptr);
  windows->zero();  // what lives here
}

TEST(WorldParts, MemoryThatOnePartHasNotNobodyHas) {
  SplitWorld world({2, 2});
  world.run([](World& part, size_t) {
    EXPECT_EQ(Windows::make(ranks, {{{}, uint64_t{1} << 50, {}}}, part), nullptr);
    return Outcome();
  });
}

// Several fail at once: one failure is reported, the same everywhere.
TEST(WorldParts, OneOfSeveralFailuresIsReported) {
  for (int round = 0; round < 20; ++round) {
    SplitWorld world({2, 2});
    std::vector<int64_t> results(ranks);
    std::vector<Outcome> outcomes = world.run([&](World& part, size_t i) {
      const Setting setting{part, i, 2, results};
      Program program;
      uint32_t site = program.site("pld.tile.remote_load", 9);
      auto windows = setting.windows();
      Body body = [&](Context* context, const Word*) {
        return context->api->fail(context, abi::Fault::PeerOutOfRange, site, 10 + context->rank, 4, 0, 0);
      };
      return run_on_all(program, ranks, 2, *windows, 2, body, setting.request());
    });
    EXPECT_NE(text(outcomes[0]), "");
    EXPECT_EQ(text(outcomes[0]), text(outcomes[1]));
    EXPECT_EQ(outcomes[0].rank, outcomes[1].rank);
  }
}

// What a host function does wrong is the same in all parts, but memory may be short in one only.
TEST(WorldParts, NoRankStartsWhenAPartFailsBefore) {
  SplitWorld world({2, 2});
  std::atomic<int> ran{0};
  std::vector<Outcome> outcomes = world.run([&](World& part, size_t i) {
    Program program;
    uint32_t site = program.site("chip", 7);
    const abi::Function& entry = program.function("chip", {});
    Body body = [&](Context*, const Word*) {
      ++ran;
      return abi::ok;
    };
    Body host = [&](Context* context, const Word*) {
      for (int64_t rank = 0; rank < ranks; ++rank) {
        if (Status status = dispatch(context, entry, body, rank, {}, site)) return status;
      }
      if (i == 0) return abi::ok;
      usleep(2000);
      return context->api->fail(context, abi::Fault::StepZero, site, 0, 0, 0, 0);
    };
    Request request;
    request.world = &part;
    request.ranks = ranks;
    return program.run_host(host, 2, request);
  });
  EXPECT_EQ(ran, 0);
  EXPECT_NE(text(outcomes[0]), "");
  EXPECT_EQ(text(outcomes[0]), text(outcomes[1]));
}

TEST(WorldParts, DifferentCallsAreRefused) {
  SplitWorld world({2, 2});
  std::atomic<int> ran{0};
  std::vector<Outcome> outcomes = world.run([&](World& part, size_t i) {
    Program program;
    auto windows = Windows::make(ranks, {data_and_signal(ranks)}, part);
    const std::vector<Term> terms = {{"entry", "main"}, {"scalars", std::to_string(i)}};
    Request request;
    request.world = &part;
    request.terms = terms;
    Body body = [&](Context*, const Word*) {
      ++ran;
      return abi::ok;
    };
    return run_on_all(program, ranks, 1, *windows, 2, body, request);
  });
  EXPECT_EQ(ran, 0);
  for (const Outcome& outcome : outcomes) {
    EXPECT_EQ(text(outcome), "error[TW2146]: internal error: `scalars` is 1 in part 1 and 0 in part 0\n");
  }
}

TEST(WorldParts, TracesAndFiguresAreThoseOfTheRanksHere) {
  SplitWorld world({1, 2, 1});
  std::vector<int64_t> results(ranks);
  world.run([&](World& part, size_t i) {
    const Setting setting{part, i, 1, results};
    const World::Part place = part.part(ranks);
    Program program;
    program.bits = abi::Hooks;
    uint32_t site = program.site("pld.system.wait", 8);
    auto windows = setting.windows();
    Body body = [&](Context* context, const Word* args) {
      const abi::Window& signal = window(args[1]);
      hooked_notify(context, signal, (context->rank + 1) % ranks, 0, 1, site);
      return hooked_wait(context, signal, 0, 1, site);
    };
    Stats stats;
    Request request = setting.request();
    request.trace = testing::TempDir() + "part" + std::to_string(i) + "." + std::to_string(getpid());
    request.stats = &stats;
    Outcome outcome = run_on_all(program, ranks, 1, *windows, 2, body, request);
    EXPECT_TRUE(outcome.ok()) << text(outcome);
    EXPECT_EQ(stats.ranks.size(), static_cast<size_t>(place.count));
    for (size_t k = 0; k < stats.ranks.size(); ++k) {
      EXPECT_EQ(stats.ranks[k].rank, place.first + static_cast<int32_t>(k));
      EXPECT_EQ(stats.ranks[k].tasks, 1u);
    }
    std::stringstream written;
    written << std::ifstream(request.trace).rdbuf();
    for (int32_t rank = 0; rank < ranks; ++rank) {
      const std::string track = "\"pid\":" + std::to_string(rank) + ",";
      EXPECT_EQ(written.str().find(track) != std::string::npos, place.has(rank));
    }
    unlink(request.trace.c_str());
    return outcome;
  });
}

TEST(WorldParts, AnInterruptStopsAllParts) {
  for (const std::vector<int32_t>& counts : splits) {
    SplitWorld world(counts);
    std::vector<int64_t> results(ranks);
    std::atomic<int> waiting{0};
    std::thread user([&] {
      while (waiting < ranks - 1) std::this_thread::yield();
      usleep(1000);
      request_abort();
    });
    std::vector<Outcome> outcomes = world.run([&](World& part, size_t i) {
      const Setting setting{part, i, 1, results};
      Program program;
      uint32_t site = program.site("pld.system.wait", 8);
      auto windows = setting.windows();
      Body body = [&](Context* context, const Word* args) {
        // One keeps computing, so that this is not a deadlock.
        while (context->rank == 0 && __atomic_load_n(context->abort, __ATOMIC_ACQUIRE) == 0) {
          std::this_thread::yield();
        }
        if (context->rank != 0) ++waiting;
        return context->rank == 0 ? abi::aborted : wait(context, window(args[1]), 0, 1, site);
      };
      return run_on_all(program, ranks, 2, *windows, 2, body, setting.request());
    });
    user.join();
    for (const Outcome& outcome : outcomes) EXPECT_EQ(outcome.ending, Ending::Interrupted) << text(outcome);
  }
}

}  // namespace
}  // namespace tilewire::runtime
