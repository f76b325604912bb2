// One schedule of a program, as data: the order of its events. The checker finds it, a file stores it, the
// interpreter and the native runtime follow it.
//
// It names things in terms that hold in every run of the program. An agent is an orchestration function or a
// block of a task. Its steps are its starts and ends, submissions, and uses of signal cells: what agents can
// observe of each other. A step runs its agent up to the event named, performs the event, and stops the agent
// after it. Work between two events belongs to the later one. `Access` stops before the next event instead,
// or where an element access makes the agent wait for tasks: the work up to there has been done then.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilewire {

struct AgentKey {
  int32_t rank = 0;
  int32_t dispatch = 0;  // of its rank, in the order of the host function
  int32_t task = -1;     // of the dispatch, in the order of submission; -1: the orchestration function
  int64_t block = 0;
  int32_t call = 0;  // of the entry, from 0; dispatches are counted anew in each
  auto operator<=>(const AgentKey&) const = default;
};

struct ScheduleAgent {
  AgentKey key;
  std::string function;  // for people
  bool operator==(const ScheduleAgent&) const = default;
};

// Issue and Land are the two halves of a notify that lands after its agent has continued.
enum class ScheduleEvent : uint8_t {
  Start,
  Submit,
  Notify,
  Wait,
  Test,
  Look,
  Update,
  Issue,
  Land,
  End,
  Access
};
inline constexpr const char* schedule_event_names[] = {"start",  "submit", "notify", "wait", "test",  "look",
                                                       "update", "issue",  "land",   "end",  "access"};
inline const char* name_of(ScheduleEvent event) {
  return schedule_event_names[static_cast<size_t>(event)];
}
inline bool uses_cell(ScheduleEvent event) {
  return event >= ScheduleEvent::Notify && event <= ScheduleEvent::Land;
}

struct ScheduleStep {
  uint32_t agent = 0;  // in Schedule::agents
  ScheduleEvent event = ScheduleEvent::Start;
  uint32_t line = 0, column = 0;  // 0: nowhere
  uint32_t end_line = 0,
           end_column = 0;  // of a scope that is submitted: compiled code may submit a call in it
  std::string cell;         // "sig[3]", the fourth INT32 of that window buffer; empty: of no window
  int32_t cell_rank = 0;
  bool held = true;  // of a test; of an update, whether it wrote
  bool operator==(const ScheduleStep&) const = default;
};

struct Schedule {
  std::string kind;  // of the finding that it shows: "race", "deadlock", ...
  int32_t ranks = 1;
  int32_t hosts = 1;    // hosts that they are spread over evenly
  int32_t calls = 1;    // of the entry, over windows that keep their content
  int32_t cores = 0;    // blocks of a rank that run at a time, waiting ones included; 0: any number
  std::string entry;    // empty: the only one there is
  std::string split;    // how kernels were split ("split"); empty: the target's default
  std::string program;  // digest of the functions it is about
  // As they were given: "N=4", "x=4x16:FP32", "x=x.npy".
  std::vector<std::string> constants, shapes, inputs;
  uint64_t seed = 0;      // of made-up inputs
  int64_t dimension = 0;  // value of dynamic dimensions that nothing fixes
  std::map<std::string, int64_t, std::less<>> dimensions = {};  // but for these
  std::string told;  // of a race: the two uses in their order, in words
  std::vector<ScheduleAgent> agents;
  std::vector<ScheduleStep> steps;
  bool operator==(const Schedule&) const = default;

  // The run stops where the schedule ends.
  bool ends_stuck() const { return kind == "deadlock" || kind == "overshot"; }
};

// The steps of one call, as a schedule of one call. Calls before the last run to their end.
Schedule part_of_call(const Schedule& schedule, int32_t call);

// "rank 1 in `k`, block 2", "rank 0"
std::string text_of(const ScheduleAgent& agent);
// "rank 1 in `k`, line 30: notify of `sig[1, 0]` on rank 0", with `cell` as the run names it; without one,
// `sig[3]`.
std::string text_of(const Schedule& schedule, const ScheduleStep& step);
std::string text_of(const Schedule& schedule, const ScheduleStep& step, const std::string& cell);

// The cell of a step: `element` counts INT32s of the window buffer. Nothing for one of no window.
struct ScheduleCell {
  std::string window;
  int64_t element = 0;
};
std::optional<ScheduleCell> cell_of(const ScheduleStep& step);

}  // namespace tilewire
