// Source sets after Abdulla, Aronis, Jonsson and Sagonas, POPL 2014, with sleep sets: wherever the next step
// of an agent, possible or not, depends on an earlier step that it is not ordered after, the state before
// that earlier step gets an alternative, somebody with whom a schedule begins that has the two in the other
// order. Where the next step is a wait that needs the earlier one, there is no such schedule.
#include "check/search.h"

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <span>

#include "check/divergence.h"
#include "check/outcome.h"
#include "interp/scheduler.h"
#include "interp/wait_condition.h"

namespace tilewire::check {
namespace {

using interp::CellUse;

bool dependent(const CellUse& a, const CellUse& b) {
  if (a.storage != b.storage || a.offset != b.offset) return false;
  if (!a.writes() && !b.writes()) return false;
  return !(a.kind == CellUse::Kind::Add && b.kind == CellUse::Kind::Add);
}

bool dependent(const std::vector<CellUse>& a, const std::vector<CellUse>& b) {
  for (const CellUse& x : a) {
    for (const CellUse& y : b) {
      if (dependent(x, y)) return true;
    }
  }
  return false;
}

// One state of the schedule being explored and what was, and is to be, tried from it.
struct Choice {
  std::vector<AgentId> enabled;
  std::set<AgentId> backtrack, done;
  std::map<AgentId, std::vector<CellUse>> sleep;  // with the step that they sleep on
  AgentId chosen = 0;
  std::vector<CellUse> uses;  // of the step taken
  std::vector<int64_t> held;  // of each cell that it uses, what was in it
  uint32_t number = 0;        // of the step among those of its agent, from 1
  Clock clock;                // of the agent after the step
};

// The order that dependent steps have: clocks that count steps of agents.
class StepOrder {
 public:
  // A step is about to be taken; gives its number.
  uint32_t step(AgentId agent, const std::vector<CellUse>& uses) {
    Clock& clock = clocks_[agent];
    for (const CellUse& use : uses) {
      const Cell& cell = cells_[{use.storage, use.offset}];
      if (use.kind != CellUse::Kind::Add || use.storage == interp::no_storage) {
        clock = join(clock, cell.adds);
      }
      clock = join(clock, cell.sets);
      if (use.writes()) clock = join(clock, cell.looks);
    }
    auto own =
        clock ? std::make_shared<std::vector<uint32_t>>(*clock) : std::make_shared<std::vector<uint32_t>>();
    if (own->size() <= agent) own->resize(agent + 1);
    const uint32_t number = ++(*own)[agent];
    clock = std::move(own);
    for (const CellUse& use : uses) {
      Cell& cell = cells_[{use.storage, use.offset}];
      Clock& part = !use.writes() ? cell.looks : use.kind == CellUse::Kind::Add ? cell.adds : cell.sets;
      part = join(part, clock);
    }
    return number;
  }
  bool before(AgentId earlier, uint32_t number, AgentId agent) {
    return earlier == agent || knows(clocks_[agent], earlier, number);
  }
  const Clock& clock(AgentId agent) { return clocks_[agent]; }
  // What a block that has not started will be ordered after.
  void expect(AgentId agent, TaskNo number) {
    if (number == interp::no_task) return;
    const Task& task = tasks_[number];
    Clock& clock = clocks_[agent];
    clock = join(clock, task.start);
    for (TaskNo earlier : task.after) clock = join(clock, tasks_[earlier].end);
  }
  // A notify that was issued lands after these.
  void expect_after(AgentId agent, const std::vector<AgentId>& earlier) {
    for (AgentId id : earlier) clocks_[agent] = join(clocks_[agent], clocks_[id]);
  }
  // Orders that tasks, and notifies under way, make.
  void follow(const Action& action) {
    switch (action.kind) {
      case Action::Kind::Issue:
        clocks_[action.flight] = clocks_[action.agent];
        break;
      case Action::Kind::Submit:
        tasks_[action.task] = {clocks_[action.agent], nullptr, action.after};
        submitted_[action.agent].push_back(action.task);
        break;
      case Action::Kind::Start:
        expect(action.agent, action.task);
        break;
      case Action::Kind::Join:
        clocks_[action.agent] = join(clocks_[action.agent], tasks_[action.task].end);
        break;
      case Action::Kind::End: {
        Clock& clock = clocks_[action.agent];
        for (TaskNo child : submitted_[action.agent]) clock = join(clock, tasks_[child].end);
        if (action.task != interp::no_task) tasks_[action.task].end = join(tasks_[action.task].end, clock);
        break;
      }
      default:
        break;
    }
  }

 private:
  struct Cell {
    Clock adds, sets, looks;
  };
  struct Task {
    Clock start, end;
    std::vector<TaskNo> after;
  };
  std::map<AgentId, Clock> clocks_;
  std::map<CellId, Cell> cells_;
  std::map<TaskNo, Task> tasks_;
  std::map<AgentId, std::vector<TaskNo>> submitted_;
};

// Steps of a schedule by the cells they used: of each agent the last look, add and set. Earlier ones of the
// same kind are ordered before whatever the last one is ordered before.
class Users {
 public:
  void add(const std::vector<CellUse>& uses, AgentId agent, size_t step) {
    for (const CellUse& use : uses) {
      Cell& cell = cells_[{use.storage, use.offset}];
      cell.last[agent][part_of(use)] = step + 1;
      if (use.writes()) cell.writes.push_back(step);
    }
  }
  // The steps that write to a cell, ascending.
  std::span<const size_t> writes(const CellUse& use) const {
    auto found = cells_.find({use.storage, use.offset});
    if (found == cells_.end()) return {};
    return found->second.writes;
  }
  // Calls f(agent, step) with those that `use` depends on.
  template <class F>
  void each(const CellUse& use, F f) const {
    auto found = cells_.find({use.storage, use.offset});
    if (found == cells_.end()) return;
    for (const auto& [agent, last] : found->second.last) {
      for (size_t part = 0; part < last.size(); ++part) {
        const bool commute = use.writes() ? part_of(use) == 1 && part == 1 : part == 0;
        if (last[part] != 0 && !commute) f(agent, last[part] - 1);
      }
    }
  }

 private:
  static size_t part_of(const CellUse& use) {
    return !use.writes() ? 0 : use.kind == CellUse::Kind::Add ? 1 : 2;
  }
  struct Cell {
    std::map<AgentId, std::array<size_t, 3>> last;  // from 1; 0: none
    std::vector<size_t> writes;
  };
  std::map<CellId, Cell> cells_;
};

// Agents by random priorities; at a few random steps the one that would run becomes the last of all. A bug
// that needs k such changes at the right places is met with a chance that depends on k and the number of
// steps, not on how many schedules there are (Burckhardt and others, ASPLOS 2010).
class Priorities {
 public:
  Priorities(uint64_t seed, int changes, size_t steps) : random_(seed) {
    for (int i = 0; i < changes; ++i) changes_.insert(random_() % std::max<size_t>(steps, 1));
  }

  AgentId pick(std::span<const AgentId> runnable) {
    AgentId best = highest(runnable);
    in_a_row_ = best == last_ ? in_a_row_ + 1 : 0;
    // An agent that polls in a loop must not keep all others from running.
    constexpr int patience = 1000;
    if (changes_.count(step_++) || in_a_row_ == patience) {
      priorities_[best] = --lowest_;
      in_a_row_ = 0;
      best = highest(runnable);
    }
    return last_ = best;
  }

 private:
  AgentId highest(std::span<const AgentId> runnable) {
    AgentId best = runnable.front();
    for (AgentId agent : runnable) {
      if (priority(agent) > priority(best)) best = agent;
    }
    return best;
  }
  int64_t priority(AgentId agent) {
    auto found = priorities_.find(agent);
    if (found == priorities_.end()) {
      found = priorities_.emplace(agent, static_cast<int64_t>(random_() >> 2)).first;
    }
    return found->second;
  }

  std::mt19937_64 random_;
  std::set<size_t> changes_;
  std::map<AgentId, int64_t> priorities_;
  int64_t lowest_ = 0;
  size_t step_ = 0;
  AgentId last_ = ~AgentId{0};
  int in_a_row_ = 0;
};

class Search {
 public:
  Search(const interp::World& start, const SearchLimits& limits,
         const std::function<void(const Run&)>& finished)
      : start_(start), limits_(limits), tell_(finished) {}

  SearchResult go() {
    do {
      if (runs_++ == limits_.schedules) return at_random();
      auto run = std::make_unique<Run>(start_);
      explore(*run);
      longest_ = std::max(longest_, run->schedule.size());
      if (run->end != Run::End::Covered) ++result_.schedules;
      if (run->end == Run::End::TooLong) return std::move(result_);
      if (run->wrong()) {
        result_.wrong = std::move(run);
        return std::move(result_);
      }
      note_outcome(*run);
    } while (next_choice());
    result_.complete = true;
    return std::move(result_);
  }

 private:
  void note_outcome(const Run& run) {
    if (run.end != Run::End::Finished) return;
    if (tell_) tell_(run);
    const std::set<const ir::Node*>& sums = run.watch.unordered_sums();
    result_.unordered_sums.insert(sums.begin(), sums.end());
    if (!finished_) finished_.emplace(run.world);
    result_.outcomes_differ = result_.outcomes_differ || !same_outcome(*finished_, run.world);
  }

  // Repeats the choices so far, then continues to an end.
  void explore(Run& run) {
    StepOrder order;
    Users users;
    scheduler_ = {};
    size_t depth = 0, told = 0;
    const size_t repeated = choices_.size();
    auto follow = [&] {
      for (; told < run.watch.trace().size(); ++told) order.follow(run.watch.trace()[told]);
      if (depth > 0) choices_[depth - 1].clock = order.clock(choices_[depth - 1].chosen);
    };
    Pick pick = [&](Run&, std::span<const AgentId> runnable) -> AgentId {
      follow();
      if (depth >= repeated && limits_.reduce) add_alternatives(run, order, users);
      if (depth == choices_.size() && !add_choice(run, runnable)) return no_agent;
      Choice& choice = choices_[depth];
      choice.uses = run.world.next_cells(choice.chosen);
      choice.held.clear();
      for (const CellUse& use : choice.uses) choice.held.push_back(value_of(run, use));
      expect(run, order, choice.chosen, choice.uses);
      choice.number = order.step(choice.chosen, choice.uses);
      users.add(choice.uses, choice.chosen, depth);
      ++depth;
      return choice.chosen;
    };
    carry_out(run, pick);
    follow();
    if (!run.world.finished() && limits_.reduce) add_alternatives(run, order, users);
  }

  // False where all that could be done is asleep.
  bool add_choice(Run& run, std::span<const AgentId> runnable) {
    Choice choice;
    choice.enabled.assign(runnable.begin(), runnable.end());
    if (!choices_.empty() && limits_.reduce) {
      const Choice& last = choices_.back();
      for (const auto& [agent, uses] : last.sleep) {
        if (agent != last.chosen && !dependent(uses, last.uses)) choice.sleep.emplace(agent, uses);
      }
    }
    std::vector<AgentId> awake;
    for (AgentId agent : choice.enabled) {
      if (!choice.sleep.count(agent)) awake.push_back(agent);
    }
    if (awake.empty()) return false;
    // Notifies land as soon as they can; then one that lets others have a turn where somebody goes round and
    // round.
    auto lands = std::find_if(awake.begin(), awake.end(),
                              [&](AgentId agent) { return run.world.agent(agent).flight != nullptr; });
    choice.chosen = lands != awake.end() ? *lands : awake[scheduler_.pick(run.world, awake)];
    choice.backtrack.insert(choice.chosen);
    if (!limits_.reduce) choice.backtrack.insert(choice.enabled.begin(), choice.enabled.end());
    choices_.push_back(std::move(choice));
    ++result_.states;
    return true;
  }

  void add_alternatives(Run& run, StepOrder& order, const Users& users) {
    std::vector<AgentId> all(run.world.runnable().begin(), run.world.runnable().end());
    for (AgentId id : run.world.blocked()) all.push_back(id);
    for (AgentId agent : all) {
      const std::vector<CellUse> next = run.world.next_cells(agent);
      if (next.empty()) continue;
      expect(run, order, agent, next);
      for (size_t step : races_of(run, agent, next, order, users)) add_alternative(step, agent, next, order);
    }
  }

  // What the next step of an agent is always ordered after, besides its own steps.
  static void expect(const Run& run, StepOrder& order, AgentId id, const std::vector<CellUse>& next) {
    const interp::Agent& agent = run.world.agent(id);
    if (!agent.started) order.expect(id, agent.task);
    if (agent.flight) return order.expect_after(id, agent.flight->after);
    // A release that takes effect at once is ordered after notifies that have not landed.
    const bool releases = std::any_of(next.begin(), next.end(), [](const CellUse& use) {
      return use.writes() && use.kind != CellUse::Kind::Sum;
    });
    if (releases) order.expect_after(id, agent.notifies);
  }

  // Of each other agent the last step that the next one of `agent` depends on, is not ordered after, and does
  // not need, unless it is ordered before another of them.
  std::vector<size_t> races_of(const Run& run, AgentId agent, const std::vector<CellUse>& next,
                               StepOrder& order, const Users& users) const {
    std::map<AgentId, size_t> last;
    auto add = [&](AgentId other, size_t step) {
      if (order.before(other, choices_[step].number, agent)) return;
      size_t& known = last[other];
      known = std::max(known, step);
    };
    for (const CellUse& use : next) {
      if (use.kind != CellUse::Kind::Wait) {
        users.each(use, add);
        continue;
      }
      const std::span<const size_t> writes = users.writes(use);
      for (size_t i = 0; i < writes.size(); ++i) {
        if (holds_without(run, writes.subspan(i), use)) add(choices_[writes[i]].chosen, writes[i]);
      }
    }
    std::vector<size_t> races;
    for (const auto& [of, step] : last) {
      const bool leads = std::any_of(last.begin(), last.end(), [&, step = step](const auto& other) {
        return other.second != step && leads_to(step, other.second);
      });
      if (!leads) races.push_back(step);
    }
    return races;
  }

  static int64_t value_of(const Run& run, const CellUse& use) {
    if (use.storage == interp::no_storage || use.kind == CellUse::Kind::Sum) return 0;
    return run.world.cell_value(use.storage, use.offset, use.dtype);
  }

  // Whether a wait could go on without the first of these steps, and those that come after it, which write to
  // its cell and end with the last that has. If not, there is no schedule with the two in the other order
  // that begins like this one.
  bool holds_without(const Run& run, std::span<const size_t> writes, const CellUse& wait) const {
    std::optional<int64_t> with, without;
    for (size_t step : writes) {
      const Choice& choice = choices_[step];
      for (size_t k = 0; k < choice.uses.size(); ++k) {
        const CellUse& use = choice.uses[k];
        if (use.storage != wait.storage || use.offset != wait.offset || !use.writes()) continue;
        if (!with) with = without = choice.held[k];
        *with = value_after(use, *with);
        if (step != writes.front() && !leads_to(writes.front(), step)) *without = value_after(use, *without);
      }
    }
    if (*with != value_of(run, wait)) return true;  // something else has written to it
    return interp::holds(wait.cmp, *without, wait.value);
  }

  bool leads_to(size_t earlier, size_t later) const {
    return earlier < later &&
           knows(choices_[later].clock, choices_[earlier].chosen, choices_[earlier].number);
  }

  // Lets somebody go first, in the state before `step`, with whom a schedule begins in which `agent` comes
  // before it: of the steps since then that are not ordered after it, and the next one of `agent`, one that
  // none of the others has to come before.
  void add_alternative(size_t step, AgentId agent, const std::vector<CellUse>& next, StepOrder& order) {
    std::map<AgentId, size_t> firsts;  // steps of others that are not ordered after it, the first of each
    bool alone = true;                 // none of them comes before the next one of `agent`
    for (size_t later = step + 1; later < choices_.size(); ++later) {
      const Choice& other = choices_[later];
      if (other.number == 0) break;  // not taken yet
      if (leads_to(step, later)) continue;
      firsts.emplace(other.chosen, later);
      alone = alone && !order.before(other.chosen, other.number, agent) && !dependent(other.uses, next);
    }
    Choice& choice = choices_[step];
    std::set<AgentId> ways;
    auto add = [&](AgentId id) {
      if (std::binary_search(choice.enabled.begin(), choice.enabled.end(), id)) ways.insert(id);
    };
    for (const auto& [id, first] : firsts) {
      const bool led = std::any_of(firsts.begin(), firsts.end(), [&, first = first](const auto& other) {
        return other.second != first && leads_to(other.second, first);
      });
      if (!led) add(id);
    }
    if (alone && !firsts.count(agent)) add(agent);
    for (AgentId way : ways) {
      if (choice.backtrack.count(way)) return;
    }
    if (!ways.empty()) {
      choice.backtrack.insert(ways.count(agent) ? agent : *ways.begin());
    } else {
      choice.backtrack.insert(choice.enabled.begin(), choice.enabled.end());
    }
  }

  // The deepest state with something left to try.
  bool next_choice() {
    while (!choices_.empty()) {
      Choice& choice = choices_.back();
      choice.done.insert(choice.chosen);
      if (limits_.reduce) choice.sleep.emplace(choice.chosen, choice.uses);
      choice.number = 0;
      for (AgentId agent : choice.backtrack) {
        if (choice.done.count(agent) || choice.sleep.count(agent)) continue;
        choice.chosen = agent;
        return true;
      }
      choices_.pop_back();
    }
    return false;
  }

  SearchResult at_random() {
    for (; result_.random < limits_.random; ++result_.random) {
      auto run = std::make_unique<Run>(start_);
      Priorities priorities(limits_.seed + result_.random, limits_.changes, longest_);
      carry_out(*run, [&](Run&, std::span<const AgentId> runnable) { return priorities.pick(runnable); });
      note_outcome(*run);
      if (!run->wrong()) continue;
      result_.wrong = std::move(run);
      ++result_.random;
      break;
    }
    result_.schedules += result_.random;
    return std::move(result_);
  }

  static constexpr AgentId no_agent = ~AgentId{0};

  const interp::World& start_;
  SearchLimits limits_;
  const std::function<void(const Run&)>& tell_;  // of runs that come to their end
  std::vector<Choice> choices_;
  interp::InOrder scheduler_;
  SearchResult result_;
  std::optional<interp::World> finished_;  // the first schedule that came to its end
  size_t longest_ = 0;                     // steps of a schedule
  size_t runs_ = 0;                        // with those that turned out to be part of others
};

}  // namespace

void carry_out(Run& run, const Pick& pick, bool to_end) {
  interp::World& world = run.world;
  interp::Pulse* pulse = world.options().pulse;
  if (pulse) ++pulse->runs;
  while (!world.finished()) {
    std::span<const AgentId> runnable = world.runnable();
    if (runnable.empty()) {
      run.end = world.faults().empty() ? Run::End::Deadlock : Run::End::Halted;
      break;
    }
    if (run.schedule.size() == most_steps) {
      run.end = Run::End::TooLong;
      return;
    }
    const AgentId agent = pick(run, runnable);
    if (agent == ~AgentId{0}) {
      run.end = Run::End::Covered;
      return;
    }
    run.watch.begin_step(static_cast<uint32_t>(run.schedule.size()));
    run.schedule.push_back(agent);
    if (pulse) {
      ++pulse->steps;
      pulse->beat();
    }
    world.step(agent, &run.watch);
    if (world.error()) {
      run.end = Run::End::Failed;
      break;
    }
    if (!run.watch.conflicts().empty() && !to_end) break;
  }
  if (!run.watch.conflicts().empty() && run.end != Run::End::Failed) run.end = Run::End::Conflict;
  if (run.end == Run::End::Finished && divergence_of(run)) run.end = Run::End::Divergent;
}

SearchResult search(const interp::World& start, const SearchLimits& limits,
                    const std::function<void(const Run&)>& finished) {
  return Search(start, limits, finished).go();
}

}  // namespace tilewire::check
