// Ranks that live in several parts of a world: results, errors and lists of waits are those of one part.
#include "runtime/world.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>

#include "ranks.h"
#include "split_world.h"

namespace tilewire::runtime {
namespace {

constexpr int32_t ranks = 4;
constexpr uint32_t ne = static_cast<uint32_t>(abi::Compare::Ne);

// One call in a part of a world. Each rank writes its own number in `results`.
struct Setting {
  World& world;
  size_t part;
  int threads;
  std::vector<int64_t>& results;

  Request request() const {
    Request request;
    request.world = &world;
    request.ranks = ranks;
    return request;
  }
  std::unique_ptr<Windows> windows() const { return Windows::make(ranks, {data_and_signal(ranks)}, world); }
};
using Scenario = std::function<Outcome(const Setting&)>;

const std::vector<std::vector<int32_t>> splits = {{2, 2}, {1, 2, 1}, {3, 1}, {1, 1, 1, 1}};

// Runs it in one part and in several; all parts report the same, and so does the local world.
void expect_same(const Scenario& scenario, const std::string& expected = "") {
  for (int threads : {1, 2}) {
    std::vector<int64_t> alone(ranks);
    const Outcome reference = scenario({local_world(), 0, threads, alone});
    EXPECT_EQ(text(reference), expected);
    for (const std::vector<int32_t>& counts : splits) {
      for (uint64_t spin_ns : {0, 20'000}) {
        SplitWorld world(counts, spin_ns);
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

TEST(Worlds, WindowsKnowWhoLivesHere) {
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

TEST(Worlds, AnAddressNamesAFarRankAndItsWindow) {
  FarWorld world;
  auto windows = Windows::make(2, {{{}, 64, {{"a", 0, 64}}}}, world);
  auto* cell = reinterpret_cast<int32_t*>(windows->data(0, 0, 1)) + 2;
  EXPECT_EQ(windows->rank_of(cell), 1);
  EXPECT_EQ(windows->name_of(cell), "`a[2]` on rank 1");
  EXPECT_EQ(windows->waiter_word(cell), nullptr);
  EXPECT_NE(windows->waiter_word(windows->data(0, 0, 0)), nullptr);
  windows->zero();  // what lives here
}

TEST(Worlds, MemoryThatOnePartHasNotNobodyHas) {
  SplitWorld world({2, 2});
  world.run([](World& part, size_t) {
    EXPECT_EQ(Windows::make(ranks, {{{}, uint64_t{1} << 50, {}}}, part), nullptr);
    return Outcome();
  });
}

TEST(Worlds, SumsAreTheSame) {
  expect_same([](const Setting& setting) {
    Program program;
    uint32_t site = program.site("pld.system.wait", 8);
    auto windows = setting.windows();
    Body body = [&](Context* context, const Word* args) {
      const abi::Window &data = window(args[0]), &signal = window(args[1]);
      int32_t me = context->rank;
      int64_t all = 0;
      for (int round = 1; round <= 50; ++round) {
        *cell_of(data, me, 0) = (me + 1) * round;
        for (int32_t p = 0; p < ranks; ++p) notify(context, signal, p, me, 1);
        for (int32_t p = 0; p < ranks; ++p) {
          if (Status status = wait(context, signal, p, round, site)) return status;
        }
        for (int32_t p = 0; p < ranks; ++p) all = all * 3 + *cell_of(data, p, 0);
        for (int32_t p = 0; p < ranks; ++p) notify(context, signal, p, ranks + me, 1);
        for (int32_t p = 0; p < ranks; ++p) {
          if (Status status = wait(context, signal, ranks + p, round, site)) return status;
        }
      }
      setting.results[me] = all;
      return abi::ok;
    };
    Outcome outcome = run_on_all(program, ranks, setting.threads, *windows, 2, body, setting.request());
    const World::Part place = setting.world.part(ranks);
    const abi::Group* group = windows->group(0, place.first);
    for (int32_t rank = 0; rank < place.count; ++rank) EXPECT_EQ(*group->waiters[place.first + rank], 0u);
    return outcome;
  });
}

// Everybody is parked nearly all the time, but never all at once.
TEST(Worlds, ATokenThatWandersIsNotADeadlock) {
  expect_same([](const Setting& setting) {
    Program program;
    uint32_t site = program.site("pld.system.wait", 8);
    auto windows = setting.windows();
    Body body = [&](Context* context, const Word* args) {
      const abi::Window& signal = window(args[1]);
      int32_t me = context->rank;
      for (int round = 1; round <= 300; ++round) {
        if (me != 0 || round != 1) {
          if (Status status = wait(context, signal, 0, me == 0 ? round - 1 : round, site)) return status;
        }
        notify(context, signal, (me + 1) % ranks, 0, 1);
      }
      setting.results[me] = 1;
      return me == 0 ? wait(context, signal, 0, 300, site) : abi::ok;
    };
    return run_on_all(program, ranks, setting.threads, *windows, 2, body, setting.request());
  });
}

TEST(Worlds, ADeadlockListsTheWaitsOfAllParts) {
  expect_same(
      [](const Setting& setting) {
        Program program;
        uint32_t site = program.site("pld.system.wait", 8);
        auto windows = setting.windows();
        // Rank 2 never notifies, and ends.
        Body body = [&](Context* context, const Word* args) {
          const abi::Window& signal = window(args[1]);
          if (context->rank == 2) return abi::ok;
          for (int32_t p = 0; p < ranks; ++p) notify(context, signal, p, context->rank, 1);
          for (int32_t p = 0; p < ranks; ++p) {
            if (Status status = wait(context, signal, p, 1, site)) return status;
          }
          return abi::ok;
        };
        return run_on_all(program, ranks, setting.threads, *windows, 2, body, setting.request());
      },
      "error[TW2121]: deadlock: 3 tasks are blocked and nothing can wake them\n"
      " --> k.py:8:5\n"
      "  = note: rank 0, in `kern`: waits for `sig[2]` on rank 0 >= 1, which is 0\n"
      " --> k.py:8:5\n"
      "  = note: rank 1, in `kern`: waits for `sig[2]` on rank 1 >= 1, which is 0\n"
      " --> k.py:8:5\n"
      "  = note: rank 3, in `kern`: waits for `sig[2]` on rank 3 >= 1, which is 0\n"
      " --> k.py:8:5\n");
}

// A part has ended long before the others are stuck, or ends after them.
TEST(Worlds, ADeadlockIsFoundWhenAPartHasEnded) {
  for (int late : {0, 1}) {
    expect_same(
        [late](const Setting& setting) {
          Program program;
          uint32_t site = program.site("pld.system.wait", 8);
          auto windows = setting.windows();
          Body body = [&](Context* context, const Word* args) {
            if (context->rank == 0) return wait(context, window(args[1]), 3, 7, site);
            if (late) usleep(2000);
            return abi::ok;
          };
          return run_on_all(program, ranks, setting.threads, *windows, 2, body, setting.request());
        },
        "error[TW2121]: deadlock: 1 task is blocked and nothing can wake it\n"
        " --> k.py:8:5\n"
        "  = note: rank 0, in `kern`: waits for `sig[3]` on rank 0 >= 7, which is 0\n"
        " --> k.py:8:5\n");
  }
}

TEST(Worlds, AFailureStopsAllParts) {
  expect_same(
      [](const Setting& setting) {
        Program program;
        uint32_t waits = program.site("pld.system.wait", 8), loads = program.site("pld.tile.remote_load", 9);
        auto windows = setting.windows();
        Body body = [&](Context* context, const Word* args) {
          if (context->rank != 3) return wait(context, window(args[1]), 0, 1, waits);
          return context->api->fail(context, abi::Fault::PeerOutOfRange, loads, 4, 4, 0, 0);
        };
        return run_on_all(program, ranks, setting.threads, *windows, 2, body, setting.request());
      },
      "error[TW2110]: rank 4 does not exist: there are 4\n"
      " --> k.py:9:5\n"
      "  = pld.tile.remote_load\n"
      "  = note: rank 3, in `kern`\n");
}

// Several fail at once: one failure is reported, the same everywhere.
TEST(Worlds, OneOfSeveralFailuresIsReported) {
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

// The host function runs in every part, keeps what is for ranks there, and stages their rows.
TEST(Worlds, HostFunctionsKeepTheDispatchesOfTheirPart) {
  expect_same([](const Setting& setting) {
    Program program;
    uint32_t data = program.window("data", 0, 0, 1);
    const abi::Function& entry = program.function("chip", {window_param(abi::Reads | abi::Writes)});
    auto windows = Windows::make(ranks, {{{}, 64, {{"data", 0, 64}}}}, setting.world);
    std::vector<int32_t> in(ranks), out(ranks, -1);
    for (int32_t rank = 0; rank < ranks; ++rank) in[rank] = 10 * (rank + 1);
    Body body = [&](Context* context, const Word* args) {
      const abi::Window& mine = window(args[3]);
      *reinterpret_cast<int32_t*>(args[0]) += *cell_of(mine, context->rank, 0) + context->rank;
      return abi::ok;
    };
    std::atomic<int> dispatched{0};
    Body host = [&](Context* context, const Word*) {
      if (Status status = context->api->window(context, data, 64, 0)) return status;
      for (int64_t rank = 0; rank < ranks; ++rank) {
        ++dispatched;
        if (Status status = dispatch(context, entry, body, rank, {0, 1, 1, data})) return status;
      }
      return abi::ok;
    };
    Request request = setting.request();
    request.windows = windows.get();
    Outcome outcome =
        program.run_host(host, setting.threads, request, {tensor(abi::Reads, 2), tensor(abi::Writes, 2)},
                         join(dense(in.data(), {ranks, 1}), dense(out.data(), {ranks, 1})));
    EXPECT_EQ(dispatched, ranks);
    const World::Part place = setting.world.part(ranks);
    for (int32_t rank = 0; rank < ranks; ++rank) {
      if (place.has(rank)) setting.results[rank] = out[rank];
      EXPECT_EQ(out[rank], place.has(rank) ? 20 * (rank + 1) + rank : -1);
    }
    return outcome;
  });
}

// What a host function does wrong is the same in all parts, but memory may be short in one only.
TEST(Worlds, NoRankStartsWhenAPartFailsBefore) {
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

TEST(Worlds, DifferentCallsAreRefused) {
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
    EXPECT_EQ(text(outcome),
              "error[TW2146]: an error in Tilewire: `scalars` is 1 in part 1 and 0 in part 0\n");
  }
}

// Several calls one after the other; windows keep what the call before left.
TEST(Worlds, SessionsKeepTheirWindows) {
  expect_same([](const Setting& setting) {
    Program program;
    uint32_t site = program.site("pld.system.wait", 8);
    auto windows = setting.windows();
    Outcome outcome;
    for (int call = 1; call <= 3 && outcome.ok(); ++call) {
      Body body = [&](Context* context, const Word* args) {
        const abi::Window &data = window(args[0]), &signal = window(args[1]);
        const int32_t me = context->rank, next = (me + 1) % ranks;
        notify(context, signal, next, 0, 1);
        if (Status status = wait(context, signal, 0, call, site)) return status;
        *cell_of(data, me, 0) += 10 * call + me;
        setting.results[me] = *cell_of(data, me, 0);
        return abi::ok;
      };
      Request request = setting.request();
      request.keep = call > 1;
      outcome = run_on_all(program, ranks, setting.threads, *windows, 2, body, request);
    }
    return outcome;
  });
}

// A loop that polls parks; the answer comes from another part, or never.
Scenario polling(bool answered) {
  return [answered](const Setting& setting) {
    Program program;
    uint32_t site = program.site("pld.system.test", 8);
    auto windows = setting.windows();
    Body body = [&](Context* context, const Word* args) {
      const abi::Window& signal = window(args[1]);
      const int32_t me = context->rank;
      if (answered) notify(context, signal, (me + 1) % ranks, 0, 1);
      const int32_t* cell = cell_of(signal, me, 0);
      for (uint32_t round = 0;; ++round) {
        const int32_t seen = __atomic_load_n(cell, __ATOMIC_ACQUIRE);
        if (seen != 0) break;
        if (round > 0) {
          context->api->look(context, cell, seen, ne, site, static_cast<uint32_t>(abi::LookKind::Read));
        }
        const Word carried = static_cast<Word>(seen);
        if (Status status = context->api->poll(context, &carried, 1, 0, round, site)) return status;
      }
      setting.results[me] = 1;
      return abi::ok;
    };
    return run_on_all(program, ranks, setting.threads, *windows, 2, body, setting.request());
  };
}

// A lock in a cell of rank 0, taken as generated code does it: who gives it back wakes those who live with
// rank 0.
TEST(Worlds, ALockOfAnotherPartIsTriedAgain) {
  expect_same([](const Setting& setting) {
    Program program;
    uint32_t site = program.site("pld.system.compare_exchange", 8);
    auto windows = setting.windows();
    Body body = [&](Context* context, const Word* args) {
      const abi::Window &data = window(args[0]), &signal = window(args[1]);
      int32_t *lock = cell_of(signal, 0, 0), *sum = cell_of(data, 0, 0);
      for (int i = 0; i < 50; ++i) {
        for (uint32_t round = 0;; ++round) {
          int32_t seen = 0;
          if (__atomic_compare_exchange_n(lock, &seen, 1, false, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE)) break;
          if (round > 0) {
            context->api->look(context, lock, seen, ne, site, static_cast<uint32_t>(abi::LookKind::Update));
          }
          if (Status status = context->api->poll(context, nullptr, 0, 0, round, site)) return status;
        }
        if (i % 10 == 0) usleep(200);  // the others come to sleep
        *sum += 1;
        notify(context, signal, 0, 0, -1);
      }
      notify(context, signal, 0, 1, 1);
      if (context->rank != 0) return Status{abi::ok};
      const Status status = wait(context, signal, 1, ranks, site);
      setting.results[0] = *sum;
      return status;
    };
    return run_on_all(program, ranks, setting.threads, *windows, 2, body, setting.request());
  });
}

TEST(Worlds, PollsAreAnsweredFromOtherParts) {
  expect_same(polling(true));
}

TEST(Worlds, PollsThatNobodyAnswersAreADeadlock) {
  expect_same(polling(false),
              "error[TW2121]: deadlock: 4 tasks are blocked and nothing can wake them\n"
              " --> k.py:8:5\n"
              "  = note: rank 0, in `kern`: reads `sig[0]` on rank 0, which is 0\n"
              " --> k.py:8:5\n"
              "  = note: rank 1, in `kern`: reads `sig[0]` on rank 1, which is 0\n"
              " --> k.py:8:5\n"
              "  = note: rank 2, in `kern`: reads `sig[0]` on rank 2, which is 0\n"
              " --> k.py:8:5\n"
              "  = note: rank 3, in `kern`: reads `sig[0]` on rank 3, which is 0\n"
              " --> k.py:8:5\n");
}

TEST(Worlds, DeferredWaitsAreWokenFromOtherParts) {
  expect_same([](const Setting& setting) {
    Program program;
    uint32_t site = program.site("pld.system.defer_wait", 8);
    const abi::Function& kernel = program.function("kern", {scalar()});
    auto windows = setting.windows();
    Body after = [&](Context* context, const Word*) {
      setting.results[context->rank] = 1;
      return abi::ok;
    };
    Body orchestration = [&](Context* context, const Word* args) {
      const abi::Window& signal = window(args[1]);
      const abi::Condition condition{cell_of(signal, context->rank, 0), 1, ge, site, 0};
      const abi::Deferred deferred{&condition, nullptr, 1, 0, site, 0};
      abi::TaskId id;
      if (Status status = context->api->defer(context, &deferred, &id)) return status;
      notify(context, signal, (context->rank + 2) % ranks, 0, 1);
      return submit(context, kernel, after, {.args = {0}, .deps = {id}});
    };
    return run_on_ranks(program, ranks, setting.threads, *windows, 2, orchestration, setting.request());
  });
}

// The orchestration function of rank 0 has more tasks than it may have at once, all behind one that waits,
// and a last one that makes rank 3 answer. It goes on when nobody else can.
TEST(Worlds, ThrottledPartsGoOnBeforeADeadlock) {
  for (bool answered : {true, false}) {
    expect_same(
        [answered](const Setting& setting) {
          Program program;
          uint32_t site = program.site("pld.system.wait", 8);
          const abi::Function& waits = program.function("waits", {scalar()}, abi::MayBlock);
          const abi::Function& other = program.function("other", {scalar()});
          auto windows = setting.windows();
          Body wait_here = [&](Context* context, const Word* args) {
            return wait(context, window(args[0]), 0, 1, site);
          };
          Body nothing = [](Context*, const Word*) { return abi::ok; };
          Body tell = [&](Context* context, const Word* args) {
            if (answered || context->rank == 0) notify(context, window(args[0]), 3 - context->rank, 0, 1);
            setting.results[context->rank] = 1;
            return abi::ok;
          };
          Body orchestration = [&](Context* context, const Word* args) {
            if (context->rank == 1 || context->rank == 2) return abi::ok;
            abi::TaskId first;
            if (Status status = submit(context, waits, wait_here, {.args = {args[1]}}, &first)) return status;
            for (int i = 0; i < 5000 && context->rank == 0; ++i) {
              Status status = submit(context, other, nothing, {.args = {args[1]}, .deps = {first}});
              if (status) return status;
            }
            std::vector<abi::TaskId> before;
            if (context->rank == 3) before.push_back(first);
            return submit(context, other, tell, {.args = {args[1]}, .deps = before});
          };
          return run_on_ranks(program, ranks, setting.threads, *windows, 2, orchestration, setting.request());
        },
        answered ? ""
                 : "error[TW2121]: deadlock: 1 task is blocked and nothing can wake it\n"
                   " --> k.py:8:5\n"
                   "  = note: rank 0, in `waits`: waits for `sig[0]` on rank 0 >= 1, which is 0\n"
                   " --> k.py:8:5\n");
  }
}

TEST(Worlds, RandomSchedulesReachTheSameResults) {
  for (int seed = 0; seed < 10; ++seed) {
    expect_same([seed](const Setting& setting) {
      Program program;
      program.bits = abi::Hooks;
      uint32_t site = program.site("pld.system.wait", 8);
      auto windows = setting.windows();
      Body body = [&](Context* context, const Word* args) {
        const abi::Window &data = window(args[0]), &signal = window(args[1]);
        const int32_t me = context->rank, next = (me + 1) % ranks;
        for (int32_t round = 1; round <= 3; ++round) {
          const int32_t value = 100 * round + me;
          Status status = transfer(context, cell_of(data, next, round), &value, 1, abi::ToPeer, next, site);
          if (!status) status = hooked_notify(context, signal, next, 0, 1, site);
          if (!status) status = hooked_wait(context, signal, 0, round, site);
          if (status) return status;
          setting.results[me] = setting.results[me] * 1000 + *cell_of(data, me, round);
        }
        return abi::ok;
      };
      Request request = setting.request();
      request.schedule = "random:" + std::to_string(seed);
      return run_on_all(program, ranks, setting.threads, *windows, 2, body, request);
    });
  }
}

TEST(Worlds, TracesAndFiguresAreThoseOfTheRanksHere) {
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

TEST(Worlds, AnInterruptStopsAllParts) {
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
