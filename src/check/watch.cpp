#include "check/watch.h"

#include <algorithm>

namespace tilewire::check {
namespace {

using interp::Event;

Use use_of(const Event& event) {
  // A compare that succeeded has seen what it replaced, so nothing is lost.
  if (event.access == ir::Access::Update) return event.held ? Use::CellAdd : Use::CellLook;
  if (event.access == ir::Access::Signal) return event.set ? Use::CellSet : Use::CellAdd;
  if (event.kind == Event::Kind::Wait) return Use::CellLook;
  switch (event.access) {
    case ir::Access::Write:
    case ir::Access::ReadWrite:
      return Use::Write;
    case ir::Access::Atomic:
      return Use::Atomic;
    default:
      return event.cell ? Use::CellLook : Use::Read;
  }
}

}  // namespace

std::optional<Action> action_of(const Event& event) {
  using Kind = Event::Kind;
  const Kind kind = event.kind;
  if (kind == Kind::TaskStart || kind == Kind::Storage || kind == Kind::Collective) return std::nullopt;
  if (kind == Kind::Issue && event.access != ir::Access::Signal) return std::nullopt;
  const bool unseen = kind == Kind::Update && !event.used;
  Action action{.kind = unseen ? Kind::Signal : kind};
  action.use = use_of(event);
  action.update = unseen;
  action.old = event.old;
  action.held = event.held;
  action.test = event.test;
  action.cmp = event.cmp;
  action.agent = event.agent;
  action.task = event.task;
  action.rank = event.rank;
  action.block = event.block;
  action.storage = event.storage;
  action.box = event.box;
  action.dtype = event.dtype;
  action.operand = event.operand;
  action.value = event.value;
  action.after.assign(event.after.begin(), event.after.end());
  action.joint = event.joint;
  action.flight = event.flight;
  action.where = event.where;
  return action;
}

void Watch::on(const Event& event) {
  if (event.kind == Event::Kind::Collective) {
    collectives_.push_back({event.agent, event.task, event.rank, event.block,
                            static_cast<int32_t>(event.value), event.box.offset, event.members,
                            std::string(event.name), event.where});
    return;
  }
  auto action = action_of(event);
  if (!action) return;
  action->step = step_;
  const auto index = static_cast<uint32_t>(trace_.size());
  if (action->kind == Action::Kind::Issue) action->late = true;
  if (action->kind == Action::Kind::Signal && action->flight) {
    action->late = has_looked_since(*action);
    trace_[issued_.at(action->flight)].late = false;
  }
  trace_.push_back(std::move(*action));
  const Action& last = trace_.back();
  switch (last.kind) {
    case Action::Kind::Access:
      touch(index);
      break;
    case Action::Kind::Issue:
      issued_[last.flight] = index;
      order_.issue(last.agent, last.flight, last.joint != 0);
      break;
    case Action::Kind::Signal:
    case Action::Kind::Wait:
      touch(index);
      use_cell(last);
      break;
    case Action::Kind::Update:
      order_.acquire(last.agent, cells_[last.cell()].chain);
      touch(index);
      use_cell(last);
      break;
    default:
      order_.follow(last);
  }
}

bool Watch::has_looked_since(const Action& landing) const {
  for (size_t i = issued_.at(landing.flight) + 1; i < trace_.size(); ++i) {
    const Action& action = trace_[i];
    const bool looks = action.kind == Action::Kind::Wait || action.kind == Action::Kind::Update ||
                       action.use == Use::CellLook;
    if (action.agent == landing.agent && looks) return true;
  }
  return false;
}

void Watch::touch(uint32_t index) {
  const Action& action = trace_[index];
  const Touch touch = touch_of(action, order_.now(actor_of(action)), index);
  shadow_.touch(action.storage, action.box, touch, order_,
                [&](const Touch& earlier, int64_t begin, int64_t end) {
                  const Action& other = trace_[earlier.action];
                  if (!conflict(earlier, touch)) {
                    unordered_sums_.insert({other.where, action.where});
                    return;
                  }
                  const bool blocks = other.task == action.task && action.task != interp::no_task;
                  auto [first, second] = std::minmax(other.where, action.where);
                  if (told_.emplace(first, second, blocks).second) {
                    conflicts_.push_back({earlier.action, index, begin, end});
                  }
                });
}

void Watch::use_cell(const Action& action) {
  Cell& cell = cells_[action.cell()];
  const bool update = action.kind == Action::Kind::Update;
  if (action.kind == Action::Kind::Signal || (update && action.held)) {
    Clock told = order_.release(actor_of(action));
    cell.chain = action.use == Use::CellSet ? told : join(cell.chain, told);
    cell.values.push_back(action.value);
  } else if (!update && action.held) {
    order_.acquire(action.agent, cell.chain);
  }
  cell.last_use[action.agent] = cell.values.size() - 1;
}

bool Watch::has_met(AgentId agent, const CellId& cell, ir::WaitCmp cmp, int64_t expected) const {
  auto found = cells_.find(cell);
  if (found == cells_.end()) return holds(cmp, 0, expected);
  auto last = found->second.last_use.find(agent);
  size_t i = last == found->second.last_use.end() ? 0 : last->second;
  for (; i < found->second.values.size(); ++i) {
    if (holds(cmp, found->second.values[i], expected)) return true;
  }
  return false;
}

int64_t Watch::value_of(const CellId& cell) const {
  auto found = cells_.find(cell);
  return found == cells_.end() ? 0 : found->second.values.back();
}

}  // namespace tilewire::check
