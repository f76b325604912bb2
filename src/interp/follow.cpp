#include "interp/follow.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "interp/agent_keys.h"
#include "interp/delays.h"
#include "interp/op_table.h"
#include "interp/windows.h"
#include "support/diagnostics/runtime.h"

namespace tilewire::interp {
namespace {

// What an agent did in one step that a schedule has a word for.
struct Done {
  ScheduleEvent event;
  uint32_t line, column;
};

class Follower final : public EventSink {
 public:
  Follower(World& world, const Schedule& schedule) : world_(world), schedule_(schedule) {}

  std::optional<RunError> go() {
    run_host();
    for (size_t i = 0; i < schedule_.steps.size() && !world_.error() && !problem_; ++i) follow(i);
    while (!world_.error() && !problem_ && land_first()) {
    }
    if (schedule_.ends_stuck() && !world_.error() && !problem_) expect_stop();
    while (!world_.error() && !world_.finished() && !problem_) turn();
    return std::move(problem_);
  }

  void on(const Event& event) override {
    if (event.agent != current_) return;
    const bool may_wait = world_.agent(current_).level == CodeLevel::Orchestration;
    if (may_wait && event.kind == Event::Kind::Access) used_[current_].push_back(&event.where->span);
    if (event.kind == Event::Kind::Issue && event.access != ir::Access::Signal) return;
    auto kind = schedule_event(event.kind, event.test, event.cell);
    if (!kind) return;
    if (kind == ScheduleEvent::Issue) kind = ScheduleEvent::Notify;  // when it lands is another step
    used_.erase(current_);
    done_ = Done{*kind, event.where ? event.where->span.line : 0, event.where ? event.where->span.column : 0};
  }

 private:
  bool can_step(AgentId id) const {
    std::span<const AgentId> runnable = world_.runnable();
    return std::binary_search(runnable.begin(), runnable.end(), id);
  }

  void step(AgentId id) {
    current_ = id;
    done_.reset();
    world_.step(id, this);
  }

  // It says what is dispatched, and then waits for all of it: once in each call.
  void run_host() {
    while (!world_.error() && can_step(0) && world_.agent(0).level == CodeLevel::Host) step(0);
  }

  // Whether the agent is at an event, or has ended.
  bool before_event(AgentId id) {
    const Agent& agent = world_.agent(id);
    const Instr* next = agent.next();
    if (!next || !agent.started) return true;
    switch (next->code) {
      case Opcode::Return:
        return agent.frames.size() == 1;
      case Opcode::Call:
        return next->site->kind != Site::Kind::Plain;
      case Opcode::Op:
        if (next->entry->reads_cells) return reads_cell(agent, *next);
        return next->entry->cells && !world_.next_cells(id, true).empty();
      default:
        return false;
    }
  }

  static bool reads_cell(const Agent& agent, const Instr& instr) {
    const Code& code = *agent.top().code;
    const Tensor* tensor = agent.top().registers[code.slots[code.operands[instr.first].first]].tensor();
    return tensor && tensor->window >= 0 && tensor->dtype == ir::DType::Int32;
  }

  // Returns false if it is blocked, or the run has failed.
  bool go_to_event(AgentId id) {
    while (!before_event(id)) {
      if (!can_step(id)) return false;
      step(id);
      if (world_.error()) return false;
    }
    return true;
  }

  void follow(size_t index) {
    const ScheduleStep& wanted = schedule_.steps[index];
    run_host();
    if (world_.error()) return;
    keys_.update(world_);
    auto id = keys_.find(schedule_.agents[wanted.agent].key);
    if (!id) return refuse(index, "there is no such task or block yet");
    if (uses_cell(wanted.event) && land(*id, index)) return;
    if (!world_.agent(*id).next()) return refuse(index, "it has ended");
    if (wanted.event == ScheduleEvent::Access) return access(*id, index);
    const bool arrived = go_to_event(*id);
    if (world_.error()) return;
    if (!arrived || !can_step(*id)) return refuse(index, "it cannot go on");
    step(*id);
    if (world_.error()) return;
    if (!done_) return refuse(index, "it does something else");
    const bool has_place = wanted.line != 0;
    const bool notifies = done_->event == ScheduleEvent::Notify;
    if (notifies) {
      land(*id, index);
    } else if (done_->event != wanted.event) {
      return refuse(index, std::string("it comes to another event, ") + name_of(done_->event));
    }
    if (has_place && (done_->line != wanted.line || done_->column != wanted.column)) {
      return refuse(index, "it comes to line " + std::to_string(done_->line) + " first");
    }
  }

  // Cells outside windows have no name.
  bool is_cell(const Tensor& cell, const ScheduleStep& wanted) const {
    if (cell.window < 0) return wanted.cell.empty();
    const Window& window = world_.windows()[static_cast<size_t>(cell.window)];
    const std::string name = window.buffer ? window.buffer->name : "window";
    return name + "[" + std::to_string(cell.offset) + "]" == wanted.cell &&
           world_.storage(cell.storage).rank == wanted.cell_rank;
  }

  // Lands the notify in flight that this step names, or notes that it lands later. False: there is none.
  bool land(AgentId issuer, size_t index) {
    const ScheduleStep& wanted = schedule_.steps[index];
    const bool lands = wanted.event == ScheduleEvent::Land;
    if (!lands && wanted.event != ScheduleEvent::Notify && wanted.event != ScheduleEvent::Issue) return false;
    for (AgentId id : world_.flights()) {
      const Flight& flight = *world_.agent(id).flight;
      if (flight.issuer != issuer || flight.notifies == false || known_.count(id) != lands) continue;
      if (!is_cell(flight.to, wanted)) continue;
      known_.insert(id);
      if (wanted.event == ScheduleEvent::Issue) return true;
      if (!can_step(id)) {
        refuse(index, "others have to land before it");
        return true;
      }
      step(id);
      return true;
    }
    if (lands) refuse(index, "it has not been issued");
    return lands;
  }

  // The use may be part of an op that is an event as well: a put that notifies.
  void access(AgentId id, size_t index) {
    const ScheduleStep& wanted = schedule_.steps[index];
    if (!go_to_event(id)) {
      // An orchestration function may wait for tasks at an element that it comes to after the use.
      const std::vector<const Span*>& places = used_[id];
      const bool used = std::any_of(places.begin(), places.end(), [&](const Span* at) {
        return at->line == wanted.line && at->column == wanted.column;
      });
      if (!world_.error() && !used) refuse(index, "it cannot go on");
      return;
    }
    const Instr* next = world_.agent(id).next();
    const bool here = next && next->code == Opcode::Op && next->entry->accesses && next->node &&
                      next->node->span.line == wanted.line && next->node->span.column == wanted.column;
    const bool moves = here && next->entry->cells && next->entry->moves;
    if (moves && can_step(id)) step(id);
  }

  void expect_stop() {
    keys_.update(world_);
    for (const auto& [key, id] : keys_.all()) {
      go_to_event(id);
      if (world_.error()) return;
    }
    if (world_.runnable().empty()) return;
    Diagnostics diags;
    problem_ = RunError{RunError::Kind::Program, diags.report(diag::run_replay_goes_on, {}), {}, -1, -1, {}};
  }

  // One agent, the next by its key that can, goes on up to and with its next event. Each notify of a release
  // to several cells is an event.
  void turn() {
    keys_.update(world_);
    // Orchestration functions first; blocks in the order of keys, beginning after the one that was last.
    auto place = [&](const AgentKey& key) {
      return std::tuple(key.task >= 0, key.task >= 0 && last_ && key <= *last_, key);
    };
    std::optional<AgentKey> next;
    AgentId chosen = 0;
    auto consider = [&](AgentId id) {
      auto key = keys_.key_of(world_, id);
      if (!key || (next && place(*next) < place(*key))) return;
      next = key;
      chosen = id;
    };
    for (AgentId id : world_.runnable()) {
      const std::shared_ptr<const Flight>& flight = world_.agent(id).flight;
      consider(flight ? flight->issuer : id);
    }
    if (next) {
      if (next->task >= 0) last_ = next;
      if (land_first(chosen) || !go_to_event(chosen) || !can_step(chosen)) return;
      step(chosen);
      if (!world_.error()) land_first(chosen);
      return;
    }
    if (world_.runnable().empty()) return world_.report_deadlock();
    step(world_.runnable().front());  // the host function's end
  }

  // The first notify under way that can land does, of one agent or of all. False: there is none.
  bool land_first(std::optional<AgentId> issuer = std::nullopt) {
    for (AgentId id : world_.flights()) {
      if ((issuer && world_.agent(id).flight->issuer != *issuer) || !can_step(id)) continue;
      step(id);
      return true;
    }
    return false;
  }

  std::string shown_cell(const ScheduleStep& step) const {
    const auto cell = cell_of(step);
    for (const Window& window : world_.windows()) {
      if (!cell || !window.buffer || window.buffer->name != cell->window) continue;
      return cell_text(window, cell->element * ir::bytes(ir::DType::Int32));
    }
    return step.cell;
  }

  void refuse(size_t index, const std::string& why) {
    const ScheduleStep& step = schedule_.steps[index];
    Diagnostics diags;
    const Diagnostic& said =
        diags.report(diag::run_replay_step, {},
                     {std::to_string(index + 1), text_of(schedule_, step, shown_cell(step)), why});
    problem_ = RunError{RunError::Kind::Program, said, {}, -1, -1, {}};
  }

  World& world_;
  const Schedule& schedule_;
  AgentKeys keys_;
  AgentId current_ = 0;
  std::optional<Done> done_;
  std::optional<AgentKey> last_;
  std::set<AgentId> known_;                           // notifies in flight that the schedule has mentioned
  std::map<AgentId, std::vector<const Span*>> used_;  // places of what each has used since its last event
  std::optional<RunError> problem_;
};

}  // namespace

std::optional<RunError> follow(World& world, const Schedule& schedule) {
  return Follower(world, schedule).go();
}

}  // namespace tilewire::interp
