// Runs that follow a schedule.
#include <gtest/gtest.h>

#include "ranks.h"
#include "support/schedule.h"

namespace tilewire::runtime {
namespace {

using Event = ScheduleEvent;

// Every rank has an orchestration function that submits one kernel on line 3; the schedule knows the kernels
// alone, as of a kernel that the host dispatches.
class Steps {
 public:
  explicit Steps(int32_t ranks, std::string kind = "race") {
    schedule.kind = std::move(kind);
    schedule.ranks = ranks;
    for (int32_t rank = 0; rank < ranks; ++rank) schedule.agents.push_back({{rank, 0, 0, 0}, "kern"});
  }
  Steps& add(uint32_t rank, Event event, uint32_t line = 0, std::string cell = "", int32_t cell_rank = 0) {
    ScheduleStep& step = schedule.steps.emplace_back();
    step.agent = rank;
    step.event = event;
    step.line = line;
    step.column = line ? 5 : 0;
    step.cell = std::move(cell);
    step.cell_rank = cell_rank;
    return *this;
  }
  Schedule schedule;
};

// Rank 0 writes and then tells rank 1, which reads without waiting: it sees what the schedule says.
TEST(Replay, DecidesWhoComesFirst) {
  for (bool writes_first : {false, true}) {
    for (int round = 0; round < 20; ++round) {
      Program program;
      program.bits = abi::Hooks;
      uint32_t site = program.site("pld.system.notify", 7);
      auto windows = Windows::make(2, {data_and_signal(2)});
      int32_t seen = -1;
      Body body = [&](Context* context, const Word* args) {
        int32_t* shared = cell_of(window(args[0]), 1, 0);
        if (context->rank == 0) {
          *shared = 5;
          return hooked_notify(context, window(args[1]), 1, 0, 1, site);
        }
        seen = *shared;
        return Status{abi::ok};
      };
      Steps steps(2);
      steps.add(0, Event::Start).add(1, Event::Start);
      if (writes_first) steps.add(0, Event::Access, 6).add(1, Event::Access, 6);
      if (!writes_first) steps.add(1, Event::Access, 6).add(0, Event::Access, 6);
      Outcome outcome = run_on_all(program, 2, 4, *windows, 2, body, {.replay = &steps.schedule});
      ASSERT_TRUE(outcome.ok()) << render(*outcome.error);
      EXPECT_EQ(seen, writes_first ? 5 : 0);
    }
  }
}

// A counter that is awaited with ==, and overtaken every time.
TEST(Replay, HangsEveryTime) {
  for (int round = 0; round < 20; ++round) {
    Program program;
    program.bits = abi::Hooks;
    uint32_t told = program.site("pld.system.notify", 7), awaited = program.site("pld.system.wait", 9);
    auto windows = Windows::make(2, {data_and_signal(2)});
    Body body = [&](Context* context, const Word* args) {
      const abi::Window& signal = window(args[1]);
      if (context->rank == 0) {
        for (int i = 0; i < 2; ++i) {
          if (Status status = hooked_notify(context, signal, 1, 0, 1, told)) return status;
        }
        return Status{abi::ok};
      }
      int32_t seen;
      return context->api->wait(context, cell_of(signal, 1, 0), 1, static_cast<uint32_t>(abi::Compare::Eq),
                                awaited, &seen);
    };
    Steps steps(2, "overshot");
    steps.add(1, Event::Start).add(0, Event::Start);
    steps.add(0, Event::Notify, 7, "sig[0]", 1).add(0, Event::Notify, 7, "sig[0]", 1).add(0, Event::End);
    Outcome outcome = run_on_all(program, 2, 1, *windows, 2, body, {.replay = &steps.schedule});
    EXPECT_EQ(outcome.ending, Ending::Deadlock);
    ASSERT_TRUE(outcome.error);
    EXPECT_EQ(render(*outcome.error),
              "error[TW2121]: deadlock: 1 task is blocked and nothing can wake it\n"
              " --> k.py:9:5\n"
              "  = note: rank 1, in `kern`: waits for `sig[0]` on rank 1 == 1, which is 2\n");
    // With one notify it does not hang, and that is said.
    steps.schedule.steps.resize(3);
    outcome = run_on_all(program, 2, 1, *windows, 2, body, {.replay = &steps.schedule});
    EXPECT_EQ(outcome.ending, Ending::Error);
    EXPECT_EQ(outcome.error->message, "the schedule ends in a deadlock, but this run can still proceed");
  }
}

std::string refused(const Steps& steps) {
  Program program;
  program.bits = abi::Hooks;
  uint32_t told = program.site("pld.system.notify", 7), awaited = program.site("pld.system.wait", 9);
  auto windows = Windows::make(2, {data_and_signal(2)});
  Body body = [&](Context* context, const Word* args) {
    const abi::Window& signal = window(args[1]);
    if (context->rank == 0) return hooked_notify(context, signal, 1, 0, 1, told);
    return hooked_wait(context, signal, 0, 1, awaited);
  };
  Outcome outcome = run_on_all(program, 2, 2, *windows, 2, body, {.replay = &steps.schedule});
  EXPECT_EQ(outcome.ending, outcome.error ? Ending::Error : Ending::Ok);
  return outcome.error ? outcome.error->message : "";
}

TEST(Replay, SaysWhichStepCannotBe) {
  Steps good(2);
  good.add(0, Event::Start).add(0, Event::Notify, 7, "sig[0]", 1).add(1, Event::Start);
  good.add(1, Event::Wait, 9, "sig[0]", 1).add(1, Event::End).add(0, Event::End);
  EXPECT_EQ(refused(good), "");
  EXPECT_EQ(
      refused(Steps(2).add(0, Event::Notify, 7, "sig[0]", 1)),
      "step 1 of the schedule cannot be followed (rank 0 in `kern`, line 7: notify of `sig[0]` on rank 1): "
      "it is not there");
  EXPECT_EQ(
      refused(Steps(2).add(1, Event::Start).add(1, Event::Wait, 9, "sig[0]", 1)),
      "step 2 of the schedule cannot be followed (rank 1 in `kern`, line 9: wait of `sig[0]` on rank 1): "
      "the cell is 0");
  EXPECT_EQ(
      refused(Steps(2).add(1, Event::Start).add(1, Event::Notify, 9, "sig[0]", 1)),
      "step 2 of the schedule cannot be followed (rank 1 in `kern`, line 9: notify of `sig[0]` on rank 1): "
      "it comes to another event, wait on line 9, `sig[0]` on rank 1");
  EXPECT_EQ(
      refused(Steps(2).add(0, Event::Start).add(0, Event::Notify, 7, "sig[1]", 1)),
      "step 2 of the schedule cannot be followed (rank 0 in `kern`, line 7: notify of `sig[1]` on rank 1): "
      "it comes to another event, notify on line 7, `sig[0]` on rank 1");
  EXPECT_EQ(refused(Steps(2).add(0, Event::Start).add(0, Event::Start)),
            "step 2 of the schedule cannot be followed (rank 0 in `kern`: start): it has started already");
  Steps elsewhere(2);
  elsewhere.schedule.agents[0].key.task = 4;
  EXPECT_EQ(refused(elsewhere.add(0, Event::Start)),
            "step 1 of the schedule cannot be followed (rank 0 in `kern`: start): there is no such task or "
            "block yet");
  elsewhere.schedule.agents[0].key = {0, 0, 0, 9};
  EXPECT_EQ(refused(elsewhere),
            "step 1 of the schedule cannot be followed (rank 0 in `kern`, block 9: start): there is no such "
            "task or "
            "block yet");
}

// Two tasks that wait hold both cores; without the schedule's cores they would not.
TEST(Replay, KnowsCores) {
  Program program;
  program.bits = abi::Hooks;
  uint32_t awaited = program.site("pld.system.wait", 9), told = program.site("pld.system.notify", 12);
  const abi::Function& hold = program.function("hold", {scalar()}, abi::MayBlock);
  const abi::Function& tell = program.function("tell", {scalar()}, abi::MayBlock);
  auto windows = Windows::make(1, {data_and_signal(1)});
  Body wait_body = [&](Context* context, const Word* args) {
    return hooked_wait(context, window(args[0]), 0, 1, awaited);
  };
  Body tell_body = [&](Context* context, const Word* args) {
    return hooked_notify(context, window(args[0]), 0, 0, 1, told);
  };
  Body orchestration = [&](Context* context, const Word* args) {
    for (int i = 0; i < 2; ++i) {
      if (Status status = submit(context, hold, wait_body, {.args = {args[1]}})) return status;
    }
    return submit(context, tell, tell_body, {.args = {args[1]}});
  };
  for (int32_t cores : {0, 2, 3}) {
    Schedule schedule;
    schedule.kind = "race";
    schedule.cores = cores;
    Outcome outcome = run_on_ranks(program, 1, 1, *windows, 2, orchestration, {.replay = &schedule});
    if (cores != 2) {
      EXPECT_TRUE(outcome.ok()) << render(*outcome.error);
      continue;
    }
    ASSERT_EQ(outcome.ending, Ending::Deadlock);
    EXPECT_NE(render(*outcome.error).find("in `tell`: waits for a core"), std::string::npos)
        << render(*outcome.error);
    EXPECT_NE(outcome.error->message.find("3 tasks"), std::string::npos) << outcome.error->message;
  }
}

// Blocks that do nothing but count, far more than run at a time, and deferred waits.
TEST(Replay, RunsWhatTheScheduleLeavesOpen) {
  Program program;
  program.bits = abi::Hooks;
  uint32_t site = program.site("pld.system.defer_wait", 9);
  const abi::Function& count = program.function("count", {});
  const abi::Function& tell = program.function("tell", {scalar()}, abi::MayBlock);
  auto windows = Windows::make(1, {data_and_signal(1)});
  int64_t counted = 0, before = 0;
  Body count_body = [&](Context*, const Word*) {
    ++counted;
    return Status{abi::ok};
  };
  Body tell_body = [&](Context* context, const Word* args) {
    before = counted;
    return hooked_notify(context, window(args[0]), 0, 0, 1, site);
  };
  Body orchestration = [&](Context* context, const Word* args) {
    abi::Condition condition{cell_of(window(args[1]), 0, 0), 1, ge, site, 0};
    abi::TaskId id, none = 0;
    abi::Deferred deferred{&condition, &none, 1, 0, site, 0};
    if (Status status = context->api->defer(context, &deferred, &id)) return status;
    if (Status status = submit(context, count, count_body, {.blocks = 20'000, .deps = {id}})) return status;
    return submit(context, tell, tell_body, {.args = {args[1]}});
  };
  Schedule schedule;
  schedule.kind = "race";
  Outcome outcome = run_on_ranks(program, 1, 1, *windows, 2, orchestration, {.replay = &schedule});
  ASSERT_TRUE(outcome.ok()) << render(*outcome.error);
  EXPECT_EQ(before, 0);
  EXPECT_EQ(counted, 20'000);
}

// A loop of tests that nobody answers is a deadlock; no clock decides that.
TEST(Replay, SeesLoopsOfTests) {
  Program program;
  program.bits = abi::Hooks;
  uint32_t site = program.site("pld.system.test", 9);
  auto windows = Windows::make(1, {data_and_signal(1)});
  Body body = [&](Context* context, const Word* args) {
    for (int32_t held = 0; held == 0;) {
      Status status = context->api->test(context, cell_of(window(args[1]), 0, 0), 1, ge, site, &held);
      if (status) return status;
    }
    return Status{abi::ok};
  };
  Schedule schedule;
  schedule.kind = "race";
  Outcome outcome = run_on_all(program, 1, 1, *windows, 2, body, {.replay = &schedule});
  ASSERT_EQ(outcome.ending, Ending::Deadlock);
  EXPECT_NE(render(*outcome.error).find("in `kern`: tests `sig[0]` on rank 0, which is 0"),
            std::string::npos);
}

// Errors of the program end the run as ever, and the next one is not touched.
TEST(Replay, PassesErrorsOn) {
  Program program;
  program.bits = abi::Hooks;
  uint32_t site = program.site("pl.tile.load", 4);
  auto windows = Windows::make(2, {data_and_signal(2)});
  Body body = [&](Context* context, const Word* args) {
    if (context->rank == 0) return hooked_wait(context, window(args[1]), 0, 1, site);
    return context->api->fail(context, abi::Fault::ZeroDivisor, site, 0, 0, 0, 0);
  };
  Steps steps(2);
  steps.add(0, Event::Start).add(1, Event::Start).add(1, Event::Access, 4);
  Outcome outcome = run_on_all(program, 2, 1, *windows, 2, body, {.replay = &steps.schedule});
  EXPECT_EQ(outcome.ending, Ending::Error);
  EXPECT_EQ(outcome.rank, 1);
  Body nothing = [](Context*, const Word*) { return Status{abi::ok}; };
  EXPECT_TRUE(run_on_all(program, 2, 2, *windows, 2, nothing).ok());
}

}  // namespace
}  // namespace tilewire::runtime
