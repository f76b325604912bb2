#include "check/replay.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "check/findings.h"
#include "interp/agent_keys.h"
#include "ir/visitor.h"

namespace tilewire::check {
namespace {

struct Lines : ir::Visitor<Lines> {
  uint32_t last = 0;
  void visit(const ir::Call& call) { see(call); }
  void visit(const ir::FunctionCall& call) { see(call); }
  template <class T>
  void see(const T& call) {
    last = std::max(last, call.span.end_line);
    walk_children(call);
  }
};

// Of a scope with its body.
uint32_t last_line(const ir::Node& scope) {
  Lines lines;
  lines.last = scope.span.end_line;
  lines.walk(scope);
  return lines.last;
}

class Steps {
 public:
  explicit Steps(const Run& run) : run_(run), names_(run.world) {
    keys_.update(run.world);
    find_halves();
  }

  // `end`: the position in the trace where the schedule ends. An access whose place matters is a step, unless
  // its op goes on to notify: that is the step then.
  void add(uint32_t index, bool wrong, uint32_t end) {
    const Action& action = run_.watch.trace()[index];
    // Notifies of one release leave together.
    if (action.kind == Action::Kind::Signal && action.flight == 0 && is_joint(index)) {
      for (uint32_t part = index - action.joint; part < run_.watch.trace().size(); ++part) {
        if (part > index && run_.watch.trace()[part].joint == 0) break;
        if (issued_.insert(part).second) add(run_.watch.trace()[part], ScheduleEvent::Issue);
      }
      return add(action, ScheduleEvent::Land);
    }
    if (action.flight != 0 && halves_.count(action.flight)) {
      return add(action, action.kind == Action::Kind::Issue ? ScheduleEvent::Issue : ScheduleEvent::Land);
    }
    auto event = interp::schedule_event(action.kind, action.test, action.use == Use::CellLook);
    if (action.update) event = ScheduleEvent::Update;
    if (event == ScheduleEvent::Issue) event.reset();
    const bool matters = wrong || (run_.world.options().order_sums && action.adds_floats());
    if (!event && matters) {
      const std::optional<uint32_t> notify = notify_after(index);
      if (notify && *notify >= end) return add(*notify, false, end);
      if (!notify) event = ScheduleEvent::Access;
    }
    if (event) add(action, *event);
  }

  // The agent goes on to what makes the run fail.
  void add_failure(AgentId id) {
    Action action{.kind = Action::Kind::Access};
    action.agent = id;
    if (const interp::Instr* next = run_.world.agent(id).next()) action.where = next->node;
    add(action, ScheduleEvent::Access);
  }

  Schedule take() { return std::move(schedule_); }

 private:
  // That of the op that an access is part of; the two are one step of the program.
  std::optional<uint32_t> notify_after(uint32_t index) const {
    const Trace& trace = run_.watch.trace();
    const Action& action = trace[index];
    for (uint32_t i = index + 1; i < trace.size(); ++i) {
      if (trace[i].where != action.where || trace[i].agent != action.agent) return std::nullopt;
      if (trace[i].kind == Action::Kind::Signal || trace[i].kind == Action::Kind::Issue) return i;
    }
    return std::nullopt;
  }

  bool is_joint(uint32_t index) const {
    const Trace& trace = run_.watch.trace();
    return trace[index].joint != 0 || (index + 1 < trace.size() && trace[index + 1].joint != 0);
  }

  // Notifies that land after their agent has gone on, or not at all, and those of one release.
  void find_halves() {
    const Trace& trace = run_.watch.trace();
    std::map<AgentId, AgentId> waiting;  // the last one of each agent, while it does nothing else
    for (uint32_t i = 0; i < trace.size(); ++i) {
      const Action& action = trace[i];
      if (action.kind == Action::Kind::Issue) {
        halves_.insert(action.flight);
        if (!is_joint(i)) waiting[action.agent] = action.flight;
      } else if (action.kind == Action::Kind::Signal && action.flight != 0) {
        auto last = waiting.find(action.agent);
        if (last != waiting.end() && last->second == action.flight) halves_.erase(action.flight);
      } else {
        waiting.erase(action.agent);
      }
    }
  }

  // Of the entry, the world keeps no name when it has ended.
  std::string function_of(const Action& action) const {
    if (action.kind == Action::Kind::Start && action.task == interp::no_task) {
      if (const auto* function = ir::as<ir::Function>(action.where)) return function->name;
    }
    return interp::function_of(run_.world, action.agent);
  }

  void add(const Action& action, ScheduleEvent event) {
    auto key = keys_.key_of(run_.world, action.agent);
    if (!key) return;  // the host function is always the first to run
    auto [known, fresh] = agents_.try_emplace(*key, static_cast<uint32_t>(schedule_.agents.size()));
    if (fresh) schedule_.agents.push_back({*key, function_of(action)});
    ScheduleStep& step = schedule_.steps.emplace_back();
    step.agent = known->second;
    step.event = event;
    if (event != ScheduleEvent::Start && event != ScheduleEvent::End && action.where) {
      step.line = action.where->span.line;
      step.column = action.where->span.column;
      if (event == ScheduleEvent::Submit && !ir::as<ir::FunctionCall>(action.where)) {
        step.end_line = last_line(*action.where) + 1;
        step.end_column = 1;
      }
    }
    if (!uses_cell(event)) return;
    if (names_.is_in_window(action.cell())) {
      step.cell = names_.schedule_cell(action.cell());
      step.cell_rank = names_.rank_of(action.cell());
    }
    step.held = action.held;
  }

  const Run& run_;
  Names names_;
  interp::AgentKeys keys_;
  std::map<AgentKey, uint32_t> agents_;
  std::set<AgentId> halves_;
  std::set<uint32_t> issued_;
  Schedule schedule_;
};

}  // namespace

Schedule replay_of(const Run& run, const Conflict* conflict) {
  Steps steps(run);
  const auto count = static_cast<uint32_t>(run.watch.trace().size());
  const uint32_t end = conflict ? std::min(count, conflict->second + 1) : count;
  for (uint32_t i = 0; i < end; ++i) {
    steps.add(i, conflict && (i == conflict->first || i == conflict->second), end);
  }
  if (!conflict && run.world.error() && !run.schedule.empty()) steps.add_failure(run.schedule.back());
  return steps.take();
}

Schedule replay_of(const Run& run, const std::vector<uint32_t>& order, const Conflict& conflict) {
  Steps steps(run);
  for (uint32_t i : order) steps.add(i, false, 0);
  steps.add(conflict.first, true, 0);
  steps.add(conflict.second, true, 0);
  return steps.take();
}

}  // namespace tilewire::check
