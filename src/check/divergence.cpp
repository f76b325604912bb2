#include "check/divergence.h"

#include <algorithm>
#include <map>
#include <set>

#include "check/findings.h"
#include "check/outlook.h"
#include "support/diagnostics/check.h"

namespace tilewire::check {
namespace {

// What ranks have to agree about: the calls on one signal by one group or sub-group.
struct TeamKey {
  explicit TeamKey(const CollectiveCall& call)
      : window(call.window), offset(call.offset), members(call.members) {}
  int32_t window;
  int64_t offset;
  interp::Members members;
  auto operator<=>(const TeamKey&) const = default;
};
using Calls = std::vector<const CollectiveCall*>;

// All calls of one team by one rank: launches in the order of submission, and in each its blocks.
using RankCalls = std::map<TaskNo, std::map<int64_t, Calls>>;

// Where the user wrote it. Calls of a host function that are alike share the kernel made for the first of
// them: there the dispatch has the place.
Span span_of(const interp::World& world, const CollectiveCall& call) {
  const Span& own = call.where->span;
  if (call.task == interp::no_task) return own;
  const ir::Function* kernel = world.task(call.task).code->function;
  if (!kernel || kernel->span.line != own.line || kernel->span.column != own.column) return own;
  for (TaskNo task = call.task;;) {
    const interp::Agent& submitter = world.agent(world.task(task).submitter);
    if (submitter.level == interp::CodeLevel::Host) return world.task(task).where->span;
    if (submitter.task == interp::no_task) return own;
    task = submitter.task;
  }
}

class Comparison {
 public:
  Comparison(const interp::World& world, const Watch& watch) : world_(world) {
    for (const CollectiveCall& call : watch.collectives()) {
      teams_[TeamKey(call)][call.rank][call.task][call.block].push_back(&call);
      last_[call.agent] = &call;
    }
    for (AgentId id = 0; id < world.agent_count(); ++id) {
      const interp::Agent& agent = world.agent(id);
      if (agent.rank >= 0 && agent.next()) unfinished_.insert(agent.rank);
    }
  }

  std::optional<Divergence> find_different() const {
    for (const auto& [key, ranks] : teams_) {
      for (const auto& [rank, launches] : ranks) {
        if (auto found = compare_blocks(rank, launches)) return found;
      }
      if (auto found = compare_ranks(key, ranks)) return found;
    }
    return std::nullopt;
  }

  // A ring of ranks each of which waits in a collective for one that waits in another: two calls on different
  // signals, or of different sub-groups, in different orders.
  std::optional<Divergence> find_crossed() const {
    const std::map<int, const CollectiveCall*> inside = stuck_calls();
    for (const auto& [start, call] : inside) {
      std::vector<int> way{start};
      for (int rank = start;;) {
        const int missing = missing_from(rank, *inside.at(rank), inside);
        if (missing < 0) break;
        auto again = std::find(way.begin(), way.end(), missing);
        if (again == way.end()) {
          way.push_back(rank = missing);
          continue;
        }
        Divergence found;
        found.crossed = true;
        std::sort(again, way.end());
        for (; again != way.end(); ++again) add(found, *again, -1, inside.at(*again));
        return found;
      }
    }
    return std::nullopt;
  }

  // Per rank, the call that a block of it is stuck in.
  std::map<int, const CollectiveCall*> stuck_calls() const {
    std::map<int, const CollectiveCall*> inside;
    for (AgentId id : world_.blocked()) {
      auto call = last_.find(id);
      const interp::Instr* next = world_.agent(id).next();
      if (call == last_.end() || !next || !next->node) continue;
      const Span &at = next->node->span, &of = call->second->where->span;
      if (at.line == of.line && at.column == of.column) inside.emplace(world_.agent(id).rank, call->second);
    }
    return inside;
  }

 private:
  bool ended(AgentId agent) const { return world_.agent(agent).next() == nullptr; }

  // The blocks of a launch make the same calls, as far as they have come. Where halves work as one block, one
  // of them makes its calls.
  std::optional<Divergence> compare_blocks(int rank, const RankCalls& launches) const {
    for (const auto& [task, blocks] : launches) {
      const int64_t lanes = task == interp::no_task ? 1 : world_.task(task).code->lanes();
      const int64_t count = task == interp::no_task ? 1 : world_.task(task).blocks / lanes;
      for (size_t i = 0;; ++i) {
        Divergence found;
        bool any = false, differ = false;
        for (int64_t block = 0; block < count; ++block) {
          auto own = blocks.lower_bound(block * lanes);
          const bool calls = own != blocks.end() && own->first < (block + 1) * lanes;
          const bool made = calls && i < own->second.size();
          if (!made && !block_ended(task, block * lanes, lanes)) continue;
          any |= made;
          add(found, rank, block, made ? own->second[i] : nullptr);
        }
        if (!any) break;
        for (const Divergence::Side& side : found.sides) differ |= side.name != found.sides[0].name;
        if (differ) return reached_first(std::move(found));
      }
    }
    return std::nullopt;
  }

  // Whether all `lanes` blocks from `first` on have ended.
  bool block_ended(TaskNo task, int64_t first, int64_t lanes) const {
    if (task == interp::no_task || world_.task(task).done) return true;
    int64_t started = 0;
    for (AgentId id = 0; id < world_.agent_count(); ++id) {
      const interp::Agent& agent = world_.agent(id);
      if (agent.task != task || agent.flight || agent.block < first || agent.block >= first + lanes) continue;
      if (!ended(id)) return false;
      ++started;
    }
    return started == lanes;
  }

  // The ranks of the run that a team consists of.
  std::vector<int> ranks_of(const TeamKey& key) const {
    const std::vector<int>& group = world_.group_of(key.window);
    std::vector<int> ranks;
    for (int64_t i = 0; i < key.members.count; ++i) {
      const auto rank = static_cast<size_t>(key.members.rank(i));
      if (rank < group.size()) ranks.push_back(group[rank]);
    }
    return ranks;
  }

  std::optional<Divergence> compare_ranks(const TeamKey& key, const std::map<int, RankCalls>& ranks) const {
    std::map<int, Calls> lanes;
    size_t longest = 0;
    for (int rank : ranks_of(key)) {
      Calls& lane = lanes[rank];
      auto own = ranks.find(rank);
      if (own == ranks.end()) continue;
      for (const auto& [task, blocks] : own->second) {
        const Calls& first = blocks.begin()->second;
        lane.insert(lane.end(), first.begin(), first.end());
      }
      longest = std::max(longest, lane.size());
    }
    for (size_t i = 0; i < longest; ++i) {
      Divergence found;
      std::set<std::string> names;
      for (const auto& [rank, lane] : lanes) {
        const bool made = i < lane.size();
        if (!made && unfinished_.count(rank)) continue;
        names.insert(made ? lane[i]->name : "");
        add(found, rank, -1, made ? lane[i] : nullptr);
      }
      if (names.size() > 1) return reached_first(std::move(found));
    }
    return std::nullopt;
  }

  // A rank of the team that has made fewer of its calls, and is stuck in a call of another one; -1: none.
  int missing_from(int rank, const CollectiveCall& call,
                   const std::map<int, const CollectiveCall*>& inside) const {
    const TeamKey key(call);
    const std::map<int, RankCalls>& ranks = teams_.at(key);
    const size_t own = count(ranks, rank);
    for (int other : ranks_of(key)) {
      auto stuck = inside.find(other);
      if (other == rank || stuck == inside.end()) continue;
      if (TeamKey(*stuck->second) == key) continue;
      if (count(ranks, other) < own) return other;
    }
    return -1;
  }

  static size_t count(const std::map<int, RankCalls>& ranks, int rank) {
    size_t sum = 0;
    auto own = ranks.find(rank);
    if (own == ranks.end()) return 0;
    for (const auto& [task, blocks] : own->second) sum += blocks.begin()->second.size();
    return sum;
  }

  // Agents that make the same call in the same place, or none, are one side.
  void add(Divergence& to, int rank, int64_t block, const CollectiveCall* call) const {
    Divergence::Side side{{rank}, {}, call != nullptr, "", "", 0, {}};
    if (block >= 0) side.blocks.push_back(block);
    if (call) {
      side.name = call->name;
      side.function = Names(world_).function(call->task);
      side.call = Names(world_).call(call->task);
      side.span = span_of(world_, *call);
      const interp::Window& window = world_.windows()[static_cast<size_t>(call->window)];
      if (window.buffer) to.signal = window.buffer->name;
    }
    for (Divergence::Side& known : to.sides) {
      const bool same = known.name == side.name && known.span.line == side.span.line;
      if (!same) continue;
      if (block >= 0) {
        known.blocks.push_back(block);
      } else {
        known.ranks.push_back(rank);
      }
      return;
    }
    to.sides.push_back(std::move(side));
  }

  static Divergence reached_first(Divergence found) {
    std::stable_partition(found.sides.begin(), found.sides.end(),
                          [](const Divergence::Side& side) { return side.reached; });
    return found;
  }

  const interp::World& world_;
  std::map<TeamKey, std::map<int, RankCalls>> teams_;
  std::map<AgentId, const CollectiveCall*> last_;
  std::set<int> unfinished_;  // ranks that have more to do
};

// "rank 2", "blocks 0, 1 and 3".
template <class T>
std::string listed(const char* what, const std::vector<T>& numbers) {
  std::string text = what + std::string(numbers.size() == 1 ? " " : "s ");
  for (size_t i = 0; i < numbers.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == numbers.size() ? " and " : ", ") + std::to_string(numbers[i]);
  }
  return text;
}

std::string who(const Divergence::Side& side) {
  return (side.blocks.empty() ? "" : listed("block", side.blocks) + " of ") + listed("rank", side.ranks);
}

bool is_many(const Divergence::Side& side) {
  return side.ranks.size() > 1 || side.blocks.size() > 1;
}

std::string sentence(const Divergence& divergence) {
  std::string text;
  for (size_t i = 0; i < divergence.sides.size(); ++i) {
    const Divergence::Side& side = divergence.sides[i];
    const bool many = is_many(side);
    text += (i == 0 ? "" : ", ") + who(side);
    if (divergence.crossed) {
      text += (i > 0 ? " in " : many ? " wait in " : " waits in ") + side.name;
    } else if (side.reached) {
      text += (many ? " call " : " calls ") + side.name;
    } else {
      text += many ? " do not" : " does not";
    }
  }
  return text + (divergence.crossed ? ", each for another to come to its own" : "");
}

}  // namespace

Finding divergent_finding(const Run& run, const Divergence& divergence) {
  Finding finding{
      .kind = Kind::Divergent, .diagnostic = {}, .places = {}, .story = {}, .schedule = run.schedule};
  const Divergence::Side& first = divergence.sides.front();
  Diagnostics diags;
  finding.diagnostic = diags.report(diag::check_divergent, first.span, {sentence(divergence)});
  finding.diagnostic.with_label(who(first));
  for (const Divergence::Side& side : divergence.sides) {
    if (!side.reached) {
      finding.diagnostic.with_note(who(side) + (is_many(side) ? " end" : " ends") +
                                   " without another collective on `" + divergence.signal + "`");
      continue;
    }
    if (&side != &first)
      finding.diagnostic.with_note(who(side) + (is_many(side) ? " call " : " calls ") + side.name, side.span);
    for (int rank : side.ranks) {
      const int64_t block = side.blocks.empty() ? 0 : side.blocks.front();
      finding.places.push_back({rank, side.function, block, side.call, side.span, "calls " + side.name});
    }
  }
  return finding;
}

std::optional<Divergence> divergence_of(const Run& run) {
  if (run.watch.collectives().empty() || run.world.error()) return std::nullopt;
  const Comparison now(run.world, run.watch);
  if (auto found = now.find_different()) return found;
  if (run.world.finished() || now.stuck_calls().empty()) return std::nullopt;
  if (auto found = now.find_crossed()) return found;
  const Outlook outlook = outlook_of(run);
  return Comparison(outlook.world, outlook.watch).find_different();
}

}  // namespace tilewire::check
