#include "check/order.h"

#include <algorithm>

namespace tilewire::check {

namespace {

bool within(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] > (i < b.size() ? b[i] : 0)) return false;
  }
  return true;
}

}  // namespace

Clock join(const Clock& a, const Clock& b) {
  if (a == b || !b) return a;
  if (!a || within(*a, *b)) return b;
  if (within(*b, *a)) return a;
  auto sum = std::make_shared<std::vector<uint32_t>>(*a);
  if (sum->size() < b->size()) sum->resize(b->size());
  for (size_t i = 0; i < b->size(); ++i) (*sum)[i] = std::max((*sum)[i], (*b)[i]);
  return sum;
}

Order::AgentState& Order::state(AgentId agent) {
  if (agent >= agents_.size()) agents_.resize(agent + 1);
  return agents_[agent];
}

Order::TaskState& Order::task(TaskNo number) {
  if (number >= tasks_.size()) tasks_.resize(number + 1);
  return tasks_[number];
}

void Order::acquire(AgentId agent, const Clock& clock) {
  AgentState& a = state(agent);
  a.seen = join(a.seen, clock);
}

Clock Order::release(AgentId agent) {
  AgentState& a = state(agent);
  const Clock known = join(a.seen, a.issued);
  auto told =
      known ? std::make_shared<std::vector<uint32_t>>(*known) : std::make_shared<std::vector<uint32_t>>();
  if (told->size() <= agent) told->resize(agent + 1);
  (*told)[agent] = a.epoch++;
  return told;
}

void Order::issue(AgentId issuer, AgentId flight, bool joint) {
  state(std::max(issuer, flight));
  if (!joint) state(issuer).told = release(issuer);
  AgentState& landing = state(flight);
  landing.flies = true;
  landing.issuer = issuer;
  landing.seen = state(issuer).told;
  auto landed = std::make_shared<std::vector<uint32_t>>(*landing.seen);
  if (landed->size() <= flight) landed->resize(flight + 1);
  (*landed)[flight] = landing.epoch;
  state(issuer).issued = join(state(issuer).issued, landed);
}

void Order::follow(const Action& action) {
  switch (action.kind) {
    case Action::Kind::Submit: {
      task(action.task).start = release(action.agent);
      task(action.task).after = action.after;
      state(action.agent).submitted.push_back(action.task);
      break;
    }
    case Action::Kind::Start:
      if (action.task != interp::no_task) {
        TaskState& own = task(action.task);
        for (TaskNo earlier : own.after) own.start = join(own.start, tasks_[earlier].end);
        own.after.clear();
        acquire(action.agent, own.start);
      }
      break;
    case Action::Kind::End: {
      for (TaskNo child : state(action.agent).submitted) acquire(action.agent, task(child).end);
      Clock end = release(action.agent);
      if (action.task != interp::no_task) task(action.task).end = join(task(action.task).end, end);
      break;
    }
    case Action::Kind::Join:
      acquire(action.agent, task(action.task).end);
      break;
    default:
      break;
  }
}

}  // namespace tilewire::check
