#include "check/timeline.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "check/findings.h"
#include "support/block_text.h"

namespace tilewire::check {
namespace {

using interp::CellUse;

constexpr uint32_t none = ~0u;

// What becomes a beat if it is not cut.
struct Entry {
  enum class Source : uint8_t { Action, Blocked, Failed };
  Source source = Source::Action;
  AgentId agent = 0;
  uint32_t action = none;
  int64_t value = 0;
  uint32_t times = 1;
  bool wrong = false;
};

class Builder {
 public:
  Builder(Run& run, const Conflict* conflict)
      : run_(run), trace_(run.watch.trace()), names_(run.world), conflict_(conflict) {
    for (const Action& action : trace_) {
      if (action.kind == Action::Kind::Signal || action.kind == Action::Kind::Update) {
        signalled_.insert(action.cell());
      }
    }
  }

  void add(uint32_t index) {
    const Action& action = trace_[index];
    if (action.kind == Action::Kind::End) end(action);
    if (action.kind == Action::Kind::TaskEnd || action.kind == Action::Kind::End) return;
    if ((action.kind == Action::Kind::Issue && !action.late) || !shown(index)) return;
    if (repeats(index)) {
      ++entries_[last_[action.agent]].times;
      return;
    }
    const uint32_t entry = push({.agent = action.agent, .action = index, .wrong = is_wrong(index)});
    switch (action.kind) {
      case Action::Kind::Signal:
        signal(entry, action);
        break;
      case Action::Kind::Wait:
        wait(entry, action);
        break;
      case Action::Kind::Update:
        update(entry, action);
        break;
      case Action::Kind::Submit:
        submitted_[action.task] = entry;
        after_[action.task] = reduced(action.after);
        break;
      case Action::Kind::Start:
        start(entry, action);
        break;
      case Action::Kind::Join:
        after(action.task, entry);
        break;
      default:
        break;
    }
  }

  void finish() {
    if (conflict_) {
      for (uint32_t index : {conflict_->first, conflict_->second}) {
        if (!wrong_.count(index)) add(index);
      }
      links_.push_back({Link::Kind::Missing, wrong_[conflict_->first], wrong_[conflict_->second]});
      return;
    }
    if (run_.world.error()) {
      if (!run_.schedule.empty()) {
        push({.source = Entry::Source::Failed, .agent = run_.schedule.back(), .wrong = true});
      }
    } else if (!run_.world.finished()) {
      for (AgentId agent : run_.world.blocked()) {
        if (!run_.world.next_cells(agent).empty() || !run_.world.agent(agent).started) {
          push({.source = Entry::Source::Blocked, .agent = agent, .wrong = true});
        }
      }
    }
  }

  Timeline take(size_t most, bool from_end) {
    Timeline line;
    const size_t extra = entries_.size() > most ? entries_.size() - most : 0;
    const size_t begin = from_end ? extra : 0, end = entries_.size() - (from_end ? 0 : extra);
    line.before = begin;
    line.after = entries_.size() - end;
    std::map<AgentId, uint32_t> lanes = make_lanes(begin, end, line);
    for (size_t i = begin; i < end; ++i) {
      line.beats.push_back(beat(entries_[i], lanes.at(entries_[i].agent)));
    }
    for (const Link& link : links_) {
      if (link.from < begin || link.to < begin || link.from >= end || link.to >= end) continue;
      line.links.push_back(
          {link.kind, static_cast<uint32_t>(link.from - begin), static_cast<uint32_t>(link.to - begin)});
    }
    return line;
  }

 private:
  struct Cell {
    int64_t value = 0;
    std::vector<std::pair<uint32_t, int64_t>> signals;  // entries, and the value after each
    std::map<AgentId, size_t> seen;                     // how many of them an agent's last look could see
    std::map<AgentId, int64_t> seen_value;
  };

  uint32_t push(Entry entry) {
    const auto index = static_cast<uint32_t>(entries_.size());
    if (entry.wrong && entry.action != none) wrong_[entry.action] = index;
    last_[entry.agent] = index;
    entries_.push_back(entry);
    return index;
  }

  bool is_wrong(uint32_t index) const {
    return conflict_ && (index == conflict_->first || index == conflict_->second);
  }

  bool shown(uint32_t index) const {
    const Action& action = trace_[index];
    if (action.kind != Action::Kind::Access || is_wrong(index)) return true;
    if (conflict_ && action.storage == trace_[conflict_->first].storage) return true;
    return run_.world.storage(action.storage).kind == interp::Storage::Kind::Window;
  }

  // The same use again, with nothing in between, as by a loop over the elements of a row.
  bool repeats(uint32_t index) const {
    const Action& action = trace_[index];
    auto last = last_.find(action.agent);
    if (action.kind != Action::Kind::Access || is_wrong(index) || last == last_.end()) return false;
    const Entry& entry = entries_[last->second];
    if (entry.action == none || entry.wrong) return false;
    const Action& other = trace_[entry.action];
    return other.kind == Action::Kind::Access && other.where == action.where &&
           other.storage == action.storage && other.use == action.use;
  }

  void signal(uint32_t entry, const Action& action) {
    Cell& cell = cells_[action.cell()];
    const bool adds = action.use != Use::CellSet;
    cell.value =
        action.update ? cell.value + action.operand : interp::notified(cell.value, action.operand, adds);
    entries_[entry].value = cell.value;
    cell.signals.emplace_back(entry, cell.value);
  }

  // From the notify that made the condition true for good, and from what its sum is made of, as far as the
  // agent has not seen it before.
  void wait(uint32_t entry, const Action& action) {
    Cell& cell = cells_[action.cell()];
    entries_[entry].value = cell.value;
    const size_t seen = cell.seen[action.agent];
    const auto holds_after = [&](size_t i) {
      return holds(action.cmp, cell.signals[i].second, action.operand);
    };
    size_t first = cell.signals.size();
    while (action.held && first > seen && holds_after(first - 1)) --first;
    const bool held_before = holds(action.cmp, cell.seen_value[action.agent], action.operand);
    if (first < cell.signals.size() && !(first == seen && held_before)) {
      links_.push_back({Link::Kind::Signal, cell.signals[first].first, entry});
      for (size_t i = first; i-- > seen && adds(cell.signals[i + 1].first);) {
        const Action& part = trace_[entries_[cell.signals[i].first].action];
        if (part.use == Use::CellSet || part.operand > 0) {
          links_.push_back({Link::Kind::Part, cell.signals[i].first, entry});
        }
      }
    }
    cell.seen[action.agent] = cell.signals.size();
    cell.seen_value[action.agent] = cell.value;
  }

  // From the last write of the cell that the agent has not seen.
  void update(uint32_t entry, const Action& action) {
    Cell& cell = cells_[action.cell()];
    if (cell.signals.size() > cell.seen[action.agent]) {
      links_.push_back({Link::Kind::Signal, cell.signals.back().first, entry});
    }
    entries_[entry].value = cell.value = action.value;
    if (action.held) cell.signals.emplace_back(entry, cell.value);
    cell.seen[action.agent] = cell.signals.size();
    cell.seen_value[action.agent] = cell.value;
  }

  bool adds(uint32_t entry) const { return trace_[entries_[entry].action].use == Use::CellAdd; }

  void start(uint32_t entry, const Action& action) {
    if (action.task == interp::no_task) {
      if (const auto* function = ir::as<ir::Function>(action.where)) entry_name_ = function->name;
      return;
    }
    auto submit = submitted_.find(action.task);
    if (submit != submitted_.end()) links_.push_back({Link::Kind::Task, submit->second, entry});
    for (TaskNo task : after_[action.task]) after(task, entry);
  }

  void after(TaskNo task, uint32_t entry) {
    for (uint32_t last : ends_[task]) links_.push_back({Link::Kind::Task, last, entry});
  }

  void end(const Action& action) {
    auto last = last_.find(action.agent);
    if (action.task != interp::no_task && last != last_.end()) ends_[action.task].push_back(last->second);
  }

  // Without those that another one of them is ordered after.
  std::vector<TaskNo> reduced(const std::vector<TaskNo>& tasks) const {
    std::set<TaskNo> implied;
    for (TaskNo task : tasks) {
      auto own = after_.find(task);
      if (own != after_.end()) implied.insert(own->second.begin(), own->second.end());
    }
    std::vector<TaskNo> left;
    for (TaskNo task : tasks) {
      if (!implied.count(task)) left.push_back(task);
    }
    return left;
  }

  std::map<AgentId, uint32_t> make_lanes(size_t begin, size_t end, Timeline& line) const {
    std::set<AgentId> used;
    for (size_t i = begin; i < end; ++i) used.insert(entries_[i].agent);
    std::vector<AgentId> order(used.begin(), used.end());
    std::stable_sort(order.begin(), order.end(), [&](AgentId a, AgentId b) {
      return run_.world.agent(a).rank < run_.world.agent(b).rank;
    });
    const std::vector<Actor> actors = actors_of(run_.world);
    std::map<AgentId, uint32_t> lanes;
    for (AgentId id : order) {
      lanes[id] = static_cast<uint32_t>(line.lanes.size());
      const interp::Agent& agent = run_.world.agent(id);
      const std::string& function = agent.task == interp::no_task ? entry_name_ : actors[id].function;
      line.lanes.push_back({actors[id].rank, function, actors[id].task, actors[id].block, agent.blocks,
                            agent.task == interp::no_task ? 1 : run_.world.task(agent.task).code->lanes()});
    }
    return lanes;
  }

  Beat beat(const Entry& entry, uint32_t lane) {
    Beat made;
    made.lane = lane;
    made.wrong = entry.wrong;
    made.times = entry.times;
    if (entry.source == Entry::Source::Blocked) {
      blocked(entry.agent, made);
    } else if (entry.source == Entry::Source::Failed) {
      made.kind = Beat::Kind::Failed;
      made.span = run_.world.error()->diagnostic.span;
      made.text = run_.world.error()->diagnostic.message;
      made.brief = "refused";
    } else {
      act(trace_[entry.action], entry, made);
    }
    return made;
  }

  void blocked(AgentId id, Beat& made) {
    const interp::Agent& agent = run_.world.agent(id);
    made.kind = Beat::Kind::Blocked;
    if (const interp::Instr* next = agent.next(); next && next->node) made.span = next->node->span;
    for (const CellUse& use : run_.world.next_cells(id)) {
      if (use.kind != CellUse::Kind::Wait && use.kind != CellUse::Kind::Test) continue;
      const CellId cell{use.storage, use.offset};
      const std::string condition = std::string(sign(use.cmp)) + " " + std::to_string(use.value);
      set_cell(cell, run_.world.cell_value(use.storage, use.offset, use.dtype), made);
      made.text = "waits for " + names_.cell(cell) + " " + condition + ", it is " +
                  std::to_string(made.value) + " and stays so";
      made.brief =
          "wait " + names_.cell_name(cell) + " " + condition + " (" + std::to_string(made.value) + ")";
      return;
    }
    if (agent.polls.repeated >= 0) {
      const CellUse use = run_.world.next_cells(id).front();
      set_cell({use.storage, use.offset}, run_.world.cell_value(use.storage, use.offset, use.dtype), made);
    }
    made.text = agent.started ? "looks at cells that nobody changes any more" : run_.world.core_text(agent);
    made.brief = agent.started ? "polls" : "no core";
  }

  void set_cell(const CellId& cell, int64_t value, Beat& made) const {
    made.cell = names_.short_cell(cell);
    made.value = value;
  }

  void act(Action action, const Entry& entry, Beat& made) const {
    if (action.where) made.span = action.where->span;
    const bool uses_cell = action.kind == Action::Kind::Signal || action.kind == Action::Kind::Wait ||
                           action.kind == Action::Kind::Update;
    if (uses_cell) {
      action.value = entry.value;
      set_cell(action.cell(), entry.value, made);
    }
    const interp::World& world = run_.world;
    switch (action.kind) {
      case Action::Kind::Submit:
        made.kind = Beat::Kind::Submit;
        submit(action, made);
        return;
      case Action::Kind::Start:
        made.kind = Beat::Kind::Start;
        if (action.task != interp::no_task && world.task(action.task).where) {
          made.span = world.task(action.task).where->span;
        }
        made.text = "starts";
        made.brief = names_.function(action.task);
        return;
      case Action::Kind::Join:
        made.kind = Beat::Kind::Join;
        made.text = "goes on after the end of `" + names_.function(action.task) + "`";
        made.brief = "after " + names_.function(action.task);
        return;
      default:
        break;
    }
    Words words = names_.words(action);
    made.text = std::move(words.text);
    made.brief = std::move(words.brief);
    made.kind = kind_of(action);
    if (action.kind == Action::Kind::Access) access(action, made);
  }

  void submit(const Action& action, Beat& made) const {
    const interp::Task& task = run_.world.task(action.task);
    const bool dispatch = run_.world.agent(action.agent).level == interp::CodeLevel::Host;
    const std::string name = names_.function(action.task);
    made.text = dispatch ? "dispatches `" + name + "` to rank " + std::to_string(task.rank)
                         : "submits `" + name + "`";
    made.brief = name + (dispatch ? " @" + std::to_string(task.rank) : "()");
    if (task.blocks > 1) {
      made.text += ", " + std::to_string(task.blocks) + " blocks";
      made.brief += " x" + std::to_string(task.blocks);
    }
  }

  void access(const Action& action, Beat& made) const {
    if (made.kind == Beat::Kind::Look) {
      made.cell = names_.short_cell(action.cell());
      made.brief = "reads " + made.cell;
      return;
    }
    const interp::Storage& storage = run_.world.storage(action.storage);
    if (storage.kind != interp::Storage::Kind::Window) return;
    const std::string cell = names_.cell_name({action.storage, 0});
    made.brief = made.brief.substr(0, made.brief.rfind(' ')) + " " + cell.substr(0, cell.rfind('[')) + "@" +
                 std::to_string(storage.rank);
  }

  Beat::Kind kind_of(const Action& action) const {
    if (action.kind == Action::Kind::Update) return action.held ? Beat::Kind::Update : Beat::Kind::Test;
    switch (action.use) {
      case Use::Read:
        return Beat::Kind::Read;
      case Use::Write:
        return Beat::Kind::Write;
      case Use::Atomic:
        return Beat::Kind::Update;
      case Use::CellAdd:
        return Beat::Kind::Add;
      case Use::CellSet:
        return Beat::Kind::Set;
      case Use::CellLook:
        if (action.kind == Action::Kind::Wait) return action.test ? Beat::Kind::Test : Beat::Kind::Wait;
        return signalled_.count(action.cell()) ? Beat::Kind::Look : Beat::Kind::Read;
    }
    return Beat::Kind::Read;
  }

  Run& run_;
  const Trace& trace_;
  Names names_;
  const Conflict* conflict_;
  std::set<CellId> signalled_;
  std::vector<Entry> entries_;
  std::vector<Link> links_;
  std::map<AgentId, uint32_t> last_;
  std::map<uint32_t, uint32_t> wrong_;  // by action
  std::map<CellId, Cell> cells_;
  std::map<TaskNo, uint32_t> submitted_;
  std::map<TaskNo, std::vector<TaskNo>> after_;
  std::map<TaskNo, std::vector<uint32_t>> ends_;  // the last entries of its blocks
  std::string entry_name_;
};

}  // namespace

std::string_view name(Beat::Kind kind) {
  static constexpr std::string_view names[] = {"start",  "submit",  "join",  "add",  "set",
                                               "wait",   "test",    "look",  "read", "write",
                                               "update", "blocked", "failed"};
  return names[static_cast<size_t>(kind)];
}

std::string_view name(Link::Kind kind) {
  static constexpr std::string_view names[] = {"signal", "part", "task", "missing"};
  return names[static_cast<size_t>(kind)];
}

std::string title(const Lane& lane) {
  if (lane.rank < 0) return "the host";
  std::string text = "rank " + std::to_string(lane.rank) + " `" + lane.function + "`";
  const std::string block = block_text(lane.block, lane.blocks, lane.lanes);
  return block.empty() ? text : text + ", " + block;
}

Timeline timeline_of(Run& run, std::span<const uint32_t> order, const Conflict* conflict, size_t most) {
  Builder builder(run, conflict);
  for (uint32_t index : order) builder.add(index);
  builder.finish();
  return builder.take(most, conflict || run.wrong());
}

Timeline timeline_of(Run& run, const Conflict* conflict, size_t most) {
  const size_t end =
      conflict ? std::max(conflict->first, conflict->second) + size_t{1} : run.watch.trace().size();
  std::vector<uint32_t> order(end);
  std::iota(order.begin(), order.end(), 0u);
  return timeline_of(run, order, conflict, most);
}

}  // namespace tilewire::check
