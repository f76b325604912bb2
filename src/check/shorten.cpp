#include "check/shorten.h"

#include <algorithm>
#include <compare>
#include <map>
#include <optional>
#include <tuple>

#include "interp/agent_keys.h"

namespace tilewire::check {
namespace {

// An agent in terms that hold in every schedule.
struct AgentName {
  std::optional<AgentKey> key;  // nothing: the host function
  int64_t flight = -1;          // a notify under way: which one of those that the agent has issued
  auto operator<=>(const AgentName&) const = default;
};

using Steps = std::vector<AgentName>;

// The names of the agents of one run.
class AgentNames {
 public:
  // To be called after each step, or once at the end of a run to ask for names only.
  void update(const Run& run) {
    const Trace& trace = run.watch.trace();
    for (; seen_ < trace.size(); ++seen_) {
      const Action& action = trace[seen_];
      if (action.kind != Action::Kind::Issue) continue;
      const AgentName name{name_of(run, action.agent).key, issued_[action.agent]++};
      flights_.emplace(action.flight, name);
      ids_.emplace(name, action.flight);
    }
    keys_.update(run.world);
  }
  AgentName name_of(const Run& run, AgentId id) {
    auto flight = flights_.find(id);
    if (flight != flights_.end()) return flight->second;
    keys_.update(run.world);
    return {keys_.key_of(run.world, id)};
  }
  std::optional<AgentId> find(const AgentName& name) const {
    if (name.flight < 0) return name.key ? keys_.find(*name.key) : AgentId{0};
    auto found = ids_.find(name);
    return found == ids_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  interp::AgentKeys keys_;
  std::map<AgentId, AgentName> flights_;
  std::map<AgentName, AgentId> ids_;
  std::map<AgentId, int64_t> issued_;
  size_t seen_ = 0;
};

size_t switches(const Steps& steps) {
  size_t count = 0;
  for (size_t i = 1; i < steps.size(); ++i) count += steps[i] != steps[i - 1];
  return count;
}

// Without the steps of `agent` after its first `keep`.
Steps without(const Steps& steps, const AgentName& agent, size_t keep) {
  Steps left;
  for (const AgentName& step : steps) {
    if (step == agent && keep-- == 0) {
      keep = 0;
      continue;
    }
    left.push_back(step);
  }
  return left;
}

}  // namespace

// Runs candidates and keeps the best.
class Attempt {
 public:
  Attempt(Shortener& shortener, const Shortener::Shows& shows) : shortener_(shortener), shows_(shows) {}

  // Steps that are not possible are left out. Whether the run shows the error and is better than the best so
  // far.
  bool accept(const Steps& candidate) {
    if (shortener_.spent()) return false;
    auto run = std::make_unique<Run>(shortener_.start_);
    Steps taken;
    if (!take(candidate, *run, taken)) return false;
    const auto cost = [](const Steps& steps) { return std::tuple(steps.size(), switches(steps)); };
    if (run_ && cost(taken) >= cost(steps_)) return false;
    run_ = std::move(run);
    steps_ = std::move(taken);
    return true;
  }

  // Leaves out as many of the last steps of an agent as possible.
  bool drop_from(const AgentName& agent) {
    const auto count = [&] { return static_cast<size_t>(std::count(steps_.begin(), steps_.end(), agent)); };
    bool shorter = false;
    size_t fewest = 0;
    for (size_t keep = 0; fewest < count() && !shortener_.spent(); keep = (fewest + count()) / 2) {
      if (accept(without(steps_, agent, keep))) {
        shorter = true;
      } else {
        fewest = keep + 1;
      }
    }
    return shorter;
  }

  // Moves the next turn of an agent up to where its last one ended.
  bool join_turns() {
    bool better = false;
    for (size_t i = 1; i < steps_.size() && !shortener_.spent(); ++i) {
      if (steps_[i] == steps_[i - 1]) continue;
      const auto begin = std::find(steps_.begin() + static_cast<int64_t>(i), steps_.end(), steps_[i - 1]);
      if (begin == steps_.end()) continue;
      const auto end =
          std::find_if(begin, steps_.end(), [&](const AgentName& step) { return step != *begin; });
      Steps candidate(steps_.begin(), steps_.begin() + static_cast<int64_t>(i));
      candidate.insert(candidate.end(), begin, end);
      candidate.insert(candidate.end(), steps_.begin() + static_cast<int64_t>(i), begin);
      candidate.insert(candidate.end(), end, steps_.end());
      better = accept(candidate) || better;
    }
    return better;
  }

  const Steps& steps() const { return steps_; }
  std::unique_ptr<Run> result() { return std::move(run_); }

 private:
  bool take(const Steps& candidate, Run& run, Steps& taken) {
    interp::Pulse* pulse = run.world.options().pulse;
    AgentNames names;
    names.update(run);
    size_t conflicts = 0;
    for (const AgentName& name : candidate) {
      if (run.world.finished() || shortener_.spent()) return false;
      const auto id = names.find(name);
      const std::span<const AgentId> runnable = run.world.runnable();
      if (!id || !std::binary_search(runnable.begin(), runnable.end(), *id)) continue;
      --shortener_.steps_left_;
      if (pulse) pulse->beat();
      run.watch.begin_step(static_cast<uint32_t>(run.schedule.size()));
      run.schedule.push_back(*id);
      taken.push_back(name);
      run.world.step(*id, &run.watch);
      names.update(run);
      const bool news = run.watch.conflicts().size() != conflicts || run.world.error();
      conflicts = run.watch.conflicts().size();
      if (news && shows_(run)) {
        run.end = run.world.error() ? Run::End::Failed : Run::End::Conflict;
        return true;
      }
      if (run.world.error()) return false;
    }
    return false;
  }

  Shortener& shortener_;
  const Shortener::Shows& shows_;
  std::unique_ptr<Run> run_;
  Steps steps_;
};

bool Shortener::spent() const {
  return steps_left_ == 0 || std::chrono::steady_clock::now() > *until_;
}

std::unique_ptr<Run> Shortener::shorten(const Run& run, const std::vector<AgentId>& steps,
                                        const Shows& shows) {
  if (!until_) until_ = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  AgentNames names;
  names.update(run);
  Steps all;
  for (AgentId id : steps) all.push_back(names.name_of(run, id));
  Attempt attempt(*this, shows);
  if (!attempt.accept(all)) return nullptr;
  for (bool better = true; better && !spent();) {
    better = false;
    std::map<AgentName, size_t> counts;
    for (const AgentName& step : attempt.steps()) ++counts[step];
    // The host function dispatches to all ranks before any of them starts.
    std::erase_if(counts, [](const auto& entry) { return !entry.first.key; });
    std::vector<std::pair<size_t, AgentName>> order;
    for (const auto& [name, count] : counts) order.emplace_back(count, name);
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& [count, name] : order) better = attempt.drop_from(name) || better;
    better = attempt.join_turns() || better;
  }
  return attempt.result();
}

}  // namespace tilewire::check
