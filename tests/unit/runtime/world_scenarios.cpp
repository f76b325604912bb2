#include "world_scenarios.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>

namespace tilewire::runtime {
namespace {

constexpr uint32_t ne = static_cast<uint32_t>(abi::Compare::Ne);

void sums_are_the_same(const ExpectSame& expect_same) {
  expect_same([](const Setting& setting) {
    Program program;
    uint32_t site = program.site("pld.system.wait", 8);
    auto windows = setting.windows();
    Body body = [&](Context* context, const Word* args) {
      const abi::Window &data = window(args[0]), &signal = window(args[1]);
      int32_t me = context->rank;
      uint64_t all = 0;  // wraps
      for (int round = 1; round <= 50; ++round) {
        *cell_of(data, me, 0) = (me + 1) * round;
        for (int32_t p = 0; p < ranks; ++p) notify(context, signal, p, me, 1);
        for (int32_t p = 0; p < ranks; ++p) {
          if (Status status = wait(context, signal, p, round, site)) return status;
        }
        for (int32_t p = 0; p < ranks; ++p) all = all * 3 + static_cast<uint64_t>(load(context, data, p, 0));
        for (int32_t p = 0; p < ranks; ++p) notify(context, signal, p, ranks + me, 1);
        for (int32_t p = 0; p < ranks; ++p) {
          if (Status status = wait(context, signal, ranks + p, round, site)) return status;
        }
      }
      setting.results[me] = static_cast<int64_t>(all);
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
void a_token_that_wanders_is_not_a_deadlock(const ExpectSame& expect_same) {
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

void a_deadlock_lists_the_waits_of_all_parts(const ExpectSame& expect_same) {
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
      "  = note: rank 1, in `kern`: waits for `sig[2]` on rank 1 >= 1, which is 0\n"
      "  = note: rank 3, in `kern`: waits for `sig[2]` on rank 3 >= 1, which is 0\n");
}

// A part has ended long before the others are stuck, or ends after them.
void a_deadlock_is_found_when_a_part_has_ended(const ExpectSame& expect_same) {
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
        "  = note: rank 0, in `kern`: waits for `sig[3]` on rank 0 >= 7, which is 0\n");
  }
}

void a_failure_stops_all_parts(const ExpectSame& expect_same) {
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
      "error[TW2110]: invalid rank: rank 4 does not exist: there are 4\n"
      " --> k.py:9:5\n"
      "  = pld.tile.remote_load\n"
      "  = note: rank 3, in `kern`\n"
      "  = help: take it modulo the number of ranks: (pld.rank(ctx) + 1) % pld.nranks(ctx)\n");
}

// The host function runs in every part, keeps what is for ranks there, and stages their rows.
void host_functions_keep_the_dispatches_of_their_part(const ExpectSame& expect_same) {
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

// Several calls one after the other; windows keep what the call before left.
void sessions_keep_their_windows(const ExpectSame& expect_same) {
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

// A lock in a cell of rank 0, taken as generated code does it: who gives it back wakes those who live with
// rank 0.
void a_lock_of_another_part_is_tried_again(const ExpectSame& expect_same) {
  expect_same([](const Setting& setting) {
    Program program;
    uint32_t site = program.site("pld.system.compare_exchange", 8);
    auto windows = setting.windows();
    Body body = [&](Context* context, const Word* args) {
      const abi::Window &data = window(args[0]), &signal = window(args[1]);
      const int32_t* lock = cell_of(signal, 0, 0);
      for (int i = 0; i < 50; ++i) {
        for (uint32_t round = 0;; ++round) {
          const int32_t seen = compare_exchange(context, signal, 0, 0, 0, 1);
          if (seen == 0) break;
          if (round > 0) {
            context->api->look(context, lock, seen, ne, site, static_cast<uint32_t>(abi::LookKind::Update));
          }
          if (Status status = context->api->poll(context, nullptr, 0, 0, round, site)) return status;
        }
        if (i % 10 == 0) usleep(200);  // the others come to sleep
        store(context, data, 0, 0, load(context, data, 0, 0) + 1);
        notify(context, signal, 0, 0, -1);
      }
      notify(context, signal, 0, 1, 1);
      if (context->rank != 0) return Status{abi::ok};
      const Status status = wait(context, signal, 1, ranks, site);
      setting.results[0] = load(context, data, 0, 0);
      return status;
    };
    return run_on_all(program, ranks, setting.threads, *windows, 2, body, setting.request());
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

void polls_are_answered_from_other_parts(const ExpectSame& expect_same) {
  expect_same(polling(true));
}

void polls_that_nobody_answers_are_a_deadlock(const ExpectSame& expect_same) {
  expect_same(polling(false),
              "error[TW2121]: deadlock: 4 tasks are blocked and nothing can wake them\n"
              " --> k.py:8:5\n"
              "  = note: rank 0, in `kern`: reads `sig[0]` on rank 0, which is 0\n"
              "  = note: rank 1, in `kern`: reads `sig[0]` on rank 1, which is 0\n"
              "  = note: rank 2, in `kern`: reads `sig[0]` on rank 2, which is 0\n"
              "  = note: rank 3, in `kern`: reads `sig[0]` on rank 3, which is 0\n");
}

void deferred_waits_are_woken_from_other_parts(const ExpectSame& expect_same) {
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
void throttled_parts_go_on_before_a_deadlock(const ExpectSame& expect_same) {
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
                   "  = note: rank 0, in `waits`: waits for `sig[0]` on rank 0 >= 1, which is 0\n");
  }
}

void random_schedules_reach_the_same_results(const ExpectSame& expect_same) {
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

}  // namespace

std::vector<WorldScenario> world_scenarios() {
  return {
      {"SumsAreTheSame", sums_are_the_same},
      {"ATokenThatWandersIsNotADeadlock", a_token_that_wanders_is_not_a_deadlock},
      {"ADeadlockListsTheWaitsOfAllParts", a_deadlock_lists_the_waits_of_all_parts},
      {"ADeadlockIsFoundWhenAPartHasEnded", a_deadlock_is_found_when_a_part_has_ended},
      {"AFailureStopsAllParts", a_failure_stops_all_parts},
      {"HostFunctionsKeepTheDispatchesOfTheirPart", host_functions_keep_the_dispatches_of_their_part},
      {"SessionsKeepTheirWindows", sessions_keep_their_windows},
      {"ALockOfAnotherPartIsTriedAgain", a_lock_of_another_part_is_tried_again},
      {"PollsAreAnsweredFromOtherParts", polls_are_answered_from_other_parts},
      {"PollsThatNobodyAnswersAreADeadlock", polls_that_nobody_answers_are_a_deadlock},
      {"DeferredWaitsAreWokenFromOtherParts", deferred_waits_are_woken_from_other_parts},
      {"ThrottledPartsGoOnBeforeADeadlock", throttled_parts_go_on_before_a_deadlock},
      {"RandomSchedulesReachTheSameResults", random_schedules_reach_the_same_results},
  };
}

}  // namespace tilewire::runtime
