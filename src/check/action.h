// The events of one run that concern order and memory, in a
// form that outlives the run.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <vector>

#include "interp/event.h"
#include "interp/wait_condition.h"

namespace tilewire::check {

using interp::AgentId;
using interp::holds;
using interp::sign;
using interp::StorageId;
using interp::TaskNo;

// How bytes are used. Looks at signal cells (waits, tests, element reads of INT32 windows, compares that
// fail), notifies and updates that return what they found are atomic among themselves, atomic updates of data
// among themselves where they update the same elements (see Touch); nothing else is.
enum class Use : uint8_t { Read, Write, Atomic, CellLook, CellAdd, CellSet };

// Whether two uses of the same bytes need an order.
constexpr bool conflict(Use a, Use b) {
  constexpr auto bit = [](Use use) { return 1u << static_cast<unsigned>(use); };
  constexpr std::array<unsigned, 6> with = {
      bit(Use::Write) | bit(Use::Atomic) | bit(Use::CellAdd) | bit(Use::CellSet),
      ~0u,
      bit(Use::Read) | bit(Use::Write) | bit(Use::CellLook) | bit(Use::CellAdd) | bit(Use::CellSet),
      bit(Use::Write) | bit(Use::Atomic),
      bit(Use::Read) | bit(Use::Write) | bit(Use::Atomic) | bit(Use::CellSet),
      bit(Use::Read) | bit(Use::Write) | bit(Use::Atomic) | bit(Use::CellAdd) | bit(Use::CellSet),
  };
  return (with[static_cast<size_t>(a)] & bit(b)) != 0;
}
// Whether whatever conflicts with `a` conflicts with `b` as well.
constexpr bool covers(Use b, Use a) {
  for (unsigned i = 0; i < 6; ++i) {
    if (conflict(a, static_cast<Use>(i)) && !conflict(b, static_cast<Use>(i))) return false;
  }
  return true;
}

// A signal cell: an element of one rank's copy of a window, or of a tensor, identified by its first byte.
struct CellId {
  StorageId storage = interp::no_storage;
  int64_t offset = 0;
  auto operator<=>(const CellId&) const = default;
};

struct Action {
  using Kind = interp::Event::Kind;  // but TaskStart, Storage and Collective
  Kind kind;
  Use use = Use::Read;
  bool held = true;     // of Wait: false for a failed test; of Update: for one that wrote nothing
  bool test = false;    // of Wait
  bool update = false;  // of Signal: an update that takes effect at once and whose result is unused
  ir::WaitCmp cmp = ir::WaitCmp::Ge;
  AgentId agent = 0;
  TaskNo task = interp::no_task;
  int rank = 0;
  int64_t block = 0;
  StorageId storage = interp::no_storage;
  interp::Box box = {};
  ir::DType dtype = ir::DType::Int32;  // of the elements
  int64_t operand = 0, value = 0;
  int64_t old = 0;  // of Update
  std::vector<TaskNo> after = {};
  const ir::Node* where = nullptr;
  uint32_t step = 0;   // of the schedule it belongs to
  uint32_t joint = 0;  // of Issue and Signal: its place among notifies that are one release, in no order
  AgentId flight = 0;  // of Issue, and of the Signal when it lands; 0: none
  bool late = false;   // of that Signal: its agent has looked at cells meanwhile; of Issue: has not landed

  CellId cell() const { return {storage, box.offset}; }
  // An atomic update whose order among others determines the rounding of the sum.
  bool adds_floats() const { return kind == Kind::Access && use == Use::Atomic && is_float(dtype); }
  bool operator==(const Action&) const = default;
};

// The agent whose order counts for an action: a notify that lands late is ordered after its issuer's past.
inline AgentId actor_of(const Action& action) {
  return action.flight ? action.flight : action.agent;
}

}  // namespace tilewire::check
