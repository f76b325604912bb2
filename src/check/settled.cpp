// What a wait can see follows from the order: the writes that always come before it, and any of those that
// may. Each such value is put into the cell of a copy of the world, which takes the step with it.
#include "check/settled.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "interp/polls.h"
#include "numeric/numeric.h"

namespace tilewire::check {
namespace {

using interp::World;

constexpr size_t most_values = 64;  // that one wait may see

// What the wait at `wait` sees in some schedule besides what it saw; empty: too many to try.
std::optional<std::set<int64_t>> other_values(const Trace& trace, const CellRecord& cell, uint32_t wait,
                                              const Always& always) {
  std::set<int64_t> values{0};
  for (uint32_t i : cell.signals) {
    if (always(wait, i)) continue;
    const Action& signal = trace[i];
    const bool before = always(i, wait);
    std::set<int64_t> with;
    for (int64_t value : values)
      with.insert(signal.use == Use::CellSet ? signal.operand : value + signal.operand);
    if (!before) with.insert(values.begin(), values.end());
    if (with.size() > most_values) return std::nullopt;
    values = std::move(with);
  }
  values.erase(trace[wait].value);
  std::erase_if(values, [&](int64_t value) { return !holds(trace[wait].cmp, value, trace[wait].operand); });
  return values;
}

// What a step did.
struct Done final : interp::EventSink {
  std::vector<Action> actions;
  void on(const interp::Event& event) override {
    if (auto action = action_of(event)) actions.push_back(std::move(*action));
  }
};

class Settler {
 public:
  Settler(const World& start, const Run& run) : start_(start), run_(run) {}

  // Whether `value`, seen at position `wait` of the trace, leads to the same state.
  void doubt(uint32_t wait, std::set<int64_t> values) {
    doubts_[run_.watch.trace()[wait].step].emplace_back(wait, std::move(values));
  }

  // Repeats the run; returns the waits, by position, that make a difference.
  std::set<uint32_t> differing() {
    std::set<uint32_t> found;
    if (doubts_.empty()) return found;
    World world(start_);
    const uint32_t last = doubts_.rbegin()->first;
    for (uint32_t step = 0; step <= last; ++step) {
      const AgentId agent = run_.schedule[step];
      auto here = doubts_.find(step);
      if (here == doubts_.end()) {
        world.step(agent, nullptr);
        continue;
      }
      const World before(world);
      Done as_it_was;
      world.step(agent, &as_it_was);
      for (const auto& [wait, values] : here->second) {
        const bool makes_none = std::all_of(values.begin(), values.end(), [&](int64_t value) {
          World other(before);
          const CellId cell = run_.watch.trace()[wait].cell();
          numeric::store_integer(ir::DType::Int32, other.writable(cell.storage) + cell.offset, value);
          Done changed;
          other.step(agent, &changed);
          return !other.error() && same_actions(world, as_it_was, other, changed, cell) &&
                 same_state(world.agent(agent), other.agent(agent));
        });
        if (!makes_none) found.insert(wait);
      }
    }
    return found;
  }

 private:
  // The same actions, down to every byte that was read, and the same bytes written. What the wait itself saw
  // is what differs.
  static bool same_actions(const World& a, const Done& in_a, const World& b, const Done& in_b,
                           const CellId& cell) {
    if (in_a.actions.size() != in_b.actions.size()) return false;
    for (size_t i = 0; i < in_a.actions.size(); ++i) {
      const Action& x = in_a.actions[i];
      Action y = in_b.actions[i];
      if (x.kind == Action::Kind::Wait && x.cell() == cell) y.value = x.value;
      if (!(x == y)) return false;
      if (x.kind == Action::Kind::Wait) continue;
      if (x.kind != Action::Kind::Access) return false;  // the wait is what a step like this has of the kind
      if (x.use == Use::Read) continue;
      if (x.storage == cell.storage) return false;
      if (std::memcmp(a.bytes(x.storage), b.bytes(x.storage),
                      static_cast<size_t>(a.storage(x.storage).size)) != 0)
        return false;
    }
    return true;
  }

  static bool same_state(const interp::Agent& a, const interp::Agent& b) {
    const bool polls = !a.polls.rounds.empty() || !b.polls.rounds.empty();
    return !polls && a.polls.round_begins == b.polls.round_begins && a.part == b.part &&
           a.open_tasks == b.open_tasks && interp::state_of(a) == interp::state_of(b);
  }

  const World& start_;
  const Run& run_;
  std::map<uint32_t, std::vector<std::pair<uint32_t, std::set<int64_t>>>> doubts_;  // by step
};

}  // namespace

std::set<const ir::Node*> unsettled_waits(const World& start, const Run& run, const Cells& cells,
                                          const Always& always) {
  const Trace& trace = run.watch.trace();
  std::set<const ir::Node*> unsettled;
  Settler settler(start, run);
  for (const auto& [id, cell] : cells) {
    for (uint32_t wait : cell.waits) {
      auto values = other_values(trace, cell, wait, always);
      if (!values) {
        unsettled.insert(trace[wait].where);
      } else if (!values->empty()) {
        settler.doubt(wait, std::move(*values));
      }
    }
  }
  for (uint32_t wait : settler.differing()) unsettled.insert(trace[wait].where);
  return unsettled;
}

}  // namespace tilewire::check
