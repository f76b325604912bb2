// Events of a running program, for observers: the checker, traces, tests.
//
// Accesses come from the effects that ops declare, with the regions they had in this call. An event is valid
// only during the call of the sink.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "interp/box.h"
#include "interp/members.h"
#include "ir/op.h"
#include "support/schedule.h"

namespace tilewire::interp {

using AgentId = uint32_t;

struct Event {
  enum class Kind : uint8_t {
    Submit,     // of `task`, by `agent`; `after`: the tasks it is ordered after
    TaskStart,  // of its first block
    TaskEnd,
    Start,  // of a block
    End,
    Access,   // read, written or updated bytes: `box` of `storage`
    Signal,   // `box` is the cell, `value` what it holds now
    Wait,     // `value`: what was seen; a test that came out false has `held` false
    Update,   // `box` is the cell, `value` what it holds now, `old` what it held; one that wrote nothing has
              // `held` false
    Storage,  // `box`: all of it, created by this agent
    Join,     // the agent continues after `task`, for which it had to wait (Options::full_order)
    Issue,    // a remote write left, or a notify that has not landed, access Signal; it lands as agent
              // `flight` (Options::in_flight, late_notifies), after the notifies `after`
    Collective,  // the ops that follow are those of a collective; `box`: its signal, `name`: which one
  };
  Kind kind;
  AgentId agent = 0;
  TaskNo task = no_task;  // none in functions that submit tasks
  int rank = 0;
  int64_t block = 0;
  StorageId storage = no_storage;
  Box box = {};
  ir::Access access = ir::Access::Read;
  ir::DType dtype = ir::DType::Int32;  // of the elements of Access, Signal, Wait and Update
  int64_t value = 0;
  bool held = true;
  // Of Signal, Wait and Update: what was added, set or compared with, and how.
  int64_t operand = 0;
  int64_t old = 0;
  bool used = true;  // of Update: whether its result is used
  bool set = false;
  bool test = false;
  ir::WaitCmp cmp = ir::WaitCmp::Ge;
  bool cell = false;     // of Access: a look at a signal cell, atomic
  uint32_t joint = 0;    // of Signal and Issue: its place among notifies that are one release, in no order
  AgentId flight = 0;    // of Issue, and of a Signal that lands late: what landed; 0: it landed at once
  Members members = {};  // of Collective: the ranks that take part
  std::span<const uint32_t> after = {};  // tasks, or notifies
  std::string_view name = {};
  const ir::Node* where = nullptr;  // its span is the place in the source; null: none
};

// The name of the event in a schedule, if it has one. `test`: a wait that only looks; `cell`: an access that
// looks at a cell.
inline std::optional<ScheduleEvent> schedule_event(Event::Kind kind, bool test, bool cell) {
  switch (kind) {
    case Event::Kind::Submit:
      return ScheduleEvent::Submit;
    case Event::Kind::Start:
      return ScheduleEvent::Start;
    case Event::Kind::End:
      return ScheduleEvent::End;
    case Event::Kind::Signal:
      return ScheduleEvent::Notify;
    case Event::Kind::Update:
      return ScheduleEvent::Update;
    case Event::Kind::Issue:
      return ScheduleEvent::Issue;
    case Event::Kind::Wait:
      return test ? ScheduleEvent::Test : ScheduleEvent::Wait;
    case Event::Kind::Access:
      return cell ? std::optional(ScheduleEvent::Look) : std::nullopt;
    default:
      return std::nullopt;
  }
}

class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void on(const Event& event) = 0;
};

}  // namespace tilewire::interp
