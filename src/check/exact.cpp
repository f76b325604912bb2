#include "check/exact.h"

#include <algorithm>
#include <set>

#include "check/settled.h"

namespace tilewire::check {
namespace {

// What holds in every schedule, found by rounds: each takes the order found by the one before to find more
// signals that a wait cannot do without.
class Must {
 public:
  Must(const Trace& trace, Cells& cells, interp::Pulse* pulse)
      : trace_(trace), cells_(cells), pulse_(pulse), moments_(trace.size()) {}

  void beat() const {
    if (pulse_) pulse_->beat();
  }

  // Looks are taken for fixed at first: a wait may be what orders a look with the writes of the cell it waits
  // on. Those that turn out not to be make their cells general ones, and the order is found without these.
  // Where all are fixed by the order that their assumption led to, the assumption was right: in any schedule
  // the first look to see something else would come after steps that are those of this run only, for which
  // the order holds.
  void settle() {
    const Always ordered = [this](uint32_t a, uint32_t b) { return always(a, b); };
    for (bool again = true; again;) {
      find_order(ordered);
      again = false;
      for (auto& [id, cell] : cells_) {
        if (cell.unfixed || looks_are_fixed(cell, ordered)) continue;
        cell.unfixed = again = true;
      }
    }
  }

  bool always(uint32_t a, uint32_t b) const {
    const Action &x = trace_[a], &y = trace_[b];
    if (x.agent == y.agent) return a < b && !of_one_release(a, b);
    const At &earlier = moments_[a], &later = moments_[b];
    if (!knows(later.seen, x.agent, earlier.epoch)) return false;
    // Knowing one notify of a release implies nothing about the others.
    if (earlier.last == earlier.epoch && x.joint == 0) return true;
    return knows(later.seen, x.agent, earlier.last + 1) || has_acquired(a, b);
  }

  // The epoch in which the release that a notify is part of is complete.
  uint32_t last_epoch(uint32_t signal) const { return moments_[signal].last; }

  // Every wait is satisfied by the notifies that it needs.
  bool is_static() const { return static_; }
  const std::vector<uint32_t>& acquired(uint32_t wait) const {
    static const std::vector<uint32_t> none;
    auto found = acquired_.find(wait);
    return found == acquired_.end() ? none : found->second;
  }
  // Goes through the trace with the order that always holds; `look` sees each action before it counts.
  template <class F>
  void follow(F look) {
    Order order;
    std::map<uint32_t, Clock> told;
    for (uint32_t i = 0; i < trace_.size(); ++i) {
      const Action& action = trace_[i];
      if (i % 64 == 0) beat();
      look(i, order);
      if (action.kind == Action::Kind::Signal) {
        told[i] = order.release(action.agent);
      } else if (action.kind == Action::Kind::Wait) {
        for (uint32_t signal : acquired(i)) order.acquire(action.agent, told[signal]);
      } else {
        order.follow(action);
      }
    }
  }

 private:
  struct At {
    uint32_t epoch = 0;
    Clock seen;
    uint32_t last = 0;  // epoch of the last notify of the same release
  };

  void find_order(const Always& ordered) {
    constexpr int most_rounds = 6;
    acquired_.clear();
    moments_.assign(trace_.size(), {});
    first_ = true;
    for (int round = 0; round < most_rounds; ++round) {
      classify(trace_, cells_, ordered);
      if (!choose_acquired()) return;
      pass();
    }
  }

  // Notifies of one release come one after the other in the trace.
  bool of_one_release(uint32_t a, uint32_t b) const {
    const bool signals = trace_[a].kind == Action::Kind::Signal && trace_[b].kind == Action::Kind::Signal;
    return signals && b - a == trace_[b].joint - trace_[a].joint && trace_[b].joint > trace_[a].joint;
  }

  // Whether this very notify is always awaited before `b`.
  bool has_acquired(uint32_t signal, uint32_t b) const {
    auto cell = cells_.find(trace_[signal].cell());
    if (cell == cells_.end()) return false;
    for (uint32_t wait : cell->second.waits) {
      const std::vector<uint32_t>& seen = acquired(wait);
      if (std::find(seen.begin(), seen.end(), signal) == seen.end()) continue;
      if (wait == b || (trace_[wait].agent == trace_[b].agent && wait < b)) return true;
      if (knows(moments_[b].seen, trace_[wait].agent, moments_[wait].epoch)) return true;
    }
    return false;
  }

  void pass() {
    follow([this](uint32_t i, Order& order) {
      const Action& action = trace_[i];
      const bool look = action.kind == Action::Kind::Access && action.use == Use::CellLook;
      if (action.kind != Action::Kind::Signal && action.kind != Action::Kind::Wait && !look) return;
      const uint32_t epoch = order.now(action.agent).epoch;
      moments_[i] = {epoch, order.seen(action.agent), epoch};
      const uint32_t first = i - action.joint;
      for (uint32_t k = first; k < i; ++k) moments_[k].last = epoch;
    });
    // A wait releases nothing: who comes after it knows the agent's next release. What it acquired is its
    // own.
    for (uint32_t i = 0; i < trace_.size(); ++i) {
      if (trace_[i].kind != Action::Kind::Wait) continue;
      for (uint32_t signal : acquired(i)) {
        Clock told = with(moments_[signal].seen, trace_[signal].agent, moments_[signal].epoch);
        moments_[i].seen = join(moments_[i].seen, told);
      }
    }
  }

  static Clock with(const Clock& seen, AgentId agent, uint32_t epoch) {
    auto all =
        seen ? std::make_shared<std::vector<uint32_t>>(*seen) : std::make_shared<std::vector<uint32_t>>();
    if (all->size() <= agent) all->resize(agent + 1);
    (*all)[agent] = std::max((*all)[agent], epoch);
    return all;
  }

  // False when nothing new came out.
  bool choose_acquired() {
    std::map<uint32_t, std::vector<uint32_t>> chosen;
    static_ = true;
    for (const auto& [id, cell] : cells_) {
      if (cell.kind == CellClass::General) continue;
      for (uint32_t wait : cell.waits) chosen[wait] = needed(cell, wait);
    }
    bool news = first_ || chosen != acquired_;
    acquired_ = std::move(chosen);
    first_ = false;
    return news;
  }

  std::vector<uint32_t> needed(const CellRecord& cell, uint32_t wait) {
    const Action& w = trace_[wait];
    beat();
    int64_t goal = w.operand + (w.cmp == ir::WaitCmp::Gt ? 1 : 0);
    if (goal <= 0 && cell.kind != CellClass::Credit) return {};
    if (cell.kind == CellClass::Epoch) {
      for (uint32_t i : cell.signals) {
        if (trace_[i].operand >= goal) return {i};
      }
      return {};
    }
    std::vector<uint32_t> adds;
    for (uint32_t i : cell.signals) {
      if (trace_[i].operand > 0) adds.push_back(i);
      // What was taken before, by whoever waits now, has to come in again.
      if (trace_[i].operand < 0 && i < wait) goal -= trace_[i].operand;
    }
    if (goal <= 0) return {};
    return in_order(adds) ? first_of(adds, goal) : indispensable(adds, wait, goal);
  }

  bool in_order(const std::vector<uint32_t>& adds) const {
    for (size_t i = 0; i + 1 < adds.size(); ++i) {
      if (!always(adds[i], adds[i + 1])) return false;
    }
    return true;
  }

  std::vector<uint32_t> first_of(const std::vector<uint32_t>& adds, int64_t goal) const {
    for (uint32_t i : adds) {
      goal -= trace_[i].operand;
      if (goal <= 0) return {i};
    }
    return {};
  }

  // Adds without which, and without what always follows them, the others do not suffice.
  std::vector<uint32_t> indispensable(const std::vector<uint32_t>& adds, uint32_t wait, int64_t goal) {
    std::vector<uint32_t> possible, chosen;
    for (uint32_t i : adds) {
      if (!always(wait, i)) possible.push_back(i);
    }
    int64_t sum = 0;
    for (uint32_t a : possible) {
      int64_t others = 0;
      for (uint32_t b : possible) {
        if (b != a && !always(a, b)) others += trace_[b].operand;
      }
      if (others >= goal) continue;
      chosen.push_back(a);
      sum += trace_[a].operand;
    }
    if (sum < goal) static_ = false;
    return chosen;
  }

  const Trace& trace_;
  Cells& cells_;
  interp::Pulse* pulse_;
  std::vector<At> moments_;  // of signals and waits
  std::map<uint32_t, std::vector<uint32_t>> acquired_;
  bool first_ = true;
  bool static_ = true;
};

class Decision {
 public:
  Decision(const Trace& trace, Must& must, ExactResult& result)
      : trace_(trace), must_(must), result_(result), machine_(trace) {}

  void look_for_races() {
    result_.in_one_pass = must_.is_static();
    Shadow shadow(must_.is_static());
    segments_.resize(trace_.size());
    std::map<AgentId, uint32_t> last;  // the latest action of an agent that orders anything
    must_.follow([&](uint32_t i, Order& order) {
      const Action& action = trace_[i];
      segments_[i] = last[action.agent];
      if (action.kind != Action::Kind::Access) last[action.agent] = i + 1;
      if (action.kind != Action::Kind::Access && action.kind != Action::Kind::Signal &&
          action.kind != Action::Kind::Wait) {
        return;
      }
      Moment moment = order.now(action.agent);
      if (action.kind == Action::Kind::Signal) moment.epoch = std::max(moment.epoch, must_.last_epoch(i));
      const Touch touch = touch_of(action, moment, i);
      shadow.touch(action.storage, action.box, touch, order,
                   [&](const Touch& earlier, int64_t begin, int64_t end) {
                     if (conflict(earlier, touch)) try_pair({earlier.action, i, begin, end});
                   });
    });
  }

 private:
  void try_pair(const Conflict& conflict) {
    const Action &a = trace_[conflict.first], &b = trace_[conflict.second];
    const std::pair<const ir::Node*, const ir::Node*> places = std::minmax(a.where, b.where);
    if (told_.count(places)) return;
    auto key = std::tuple(a.agent, segments_[conflict.first], b.agent, segments_[conflict.second]);
    if (apart_.count(key)) return;
    ++result_.tried;
    must_.beat();
    auto schedule = machine_.run({{a.agent, conflict.first}, {b.agent, conflict.second}});
    if (!schedule) {
      apart_.insert(key);
      return;
    }
    told_.insert(places);
    result_.races.push_back({conflict, std::move(*schedule)});
  }

  const Trace& trace_;
  Must& must_;
  ExactResult& result_;
  Machine machine_;
  std::vector<uint32_t> segments_;
  std::set<std::pair<const ir::Node*, const ir::Node*>> told_;
  std::set<std::tuple<AgentId, uint32_t, AgentId, uint32_t>> apart_;
};

// Atomic updates of floats that are not always ordered with another update of the same elements.
void add_unordered_sums(const Trace& trace, Must& must, Unsettled& unsettled) {
  Shadow shadow;
  must.follow([&](uint32_t i, Order& order) {
    const Action& action = trace[i];
    if (!action.adds_floats()) return;
    shadow.touch(action.storage, action.box, touch_of(action, order.now(action.agent), i), order,
                 [&](const Touch& earlier, int64_t, int64_t) {
                   unsettled.insert({trace[earlier.action].where, action.where});
                 });
  });
}

}  // namespace

ExactResult decide_exactly(const interp::World& start, const interp::Code& entry, const Run& run,
                           Cells& cells, const Ignored& ignored) {
  ExactResult result;
  const Trace& trace = run.watch.trace();
  Must must(trace, cells, start.options().pulse);
  must.settle();
  if (run.wrong()) return result;
  for (const auto& [id, cell] : cells) {
    if (cell.kind == CellClass::General) return result;
  }
  result.flow = flow_of(entry, nullptr, ignored);
  if (!result.flow.schedule.empty() || !result.flow.results.empty()) {
    const Always always = [&](uint32_t a, uint32_t b) { return must.always(a, b); };
    Unsettled unsettled = unsettled_waits(start, run, cells, always);
    add_unordered_sums(trace, must, unsettled);
    result.flow = flow_of(entry, &unsettled, ignored);
    if (!result.flow.schedule.empty()) return result;
  }
  result.applies = true;
  Decision(trace, must, result).look_for_races();
  return result;
}

}  // namespace tilewire::check
