#include "check/findings.h"

#include <algorithm>
#include <map>

#include "check/divergence.h"
#include "check/outlook.h"
#include "check/replay.h"
#include "interp/windows.h"
#include "ops/handles.h"
#include "ops/pipe.h"
#include "support/block_text.h"
#include "support/diagnostics/check.h"
#include "support/diagnostics/runtime.h"
#include "support/element_text.h"

namespace tilewire::check {
namespace {

using interp::CellUse;

Span span_of(const Action& action) {
  return action.where ? action.where->span : Span{};
}

bool updates_cell(const Action& action) {
  return action.update || action.kind == Action::Kind::Update;
}

std::string ending(const Action& action) {
  if (updates_cell(action)) return "updates";
  switch (action.use) {
    case Use::Read:
      return "reads";
    case Use::Write:
      return "writes";
    case Use::Atomic:
      return "adds to";
    case Use::CellLook:
      return "looks at";
    case Use::CellAdd:
    case Use::CellSet:
      return "notifies";
  }
  return "";
}

std::string noun(const Action& action) {
  if (updates_cell(action)) return "atomic update";
  switch (action.use) {
    case Use::Read:
      return "read";
    case Use::Write:
      return "write";
    case Use::Atomic:
      return "atomic update";
    case Use::CellLook:
      return "wait";
    case Use::CellAdd:
    case Use::CellSet:
      return "notify";
  }
  return "";
}

// "unordered write and read", "two unordered writes".
std::string nouns(const Action& a, const Action& b) {
  const std::string one = noun(a), other = noun(b);
  if (one != other) return "unordered " + one + " and " + other;
  return "two unordered " + (one == "notify" ? "notifies" : one + "s");
}

// The name of the tensor an op works on, as the program has it.
std::string operand_name(const Action& action) {
  const auto* call = action.where ? ir::as<ir::Call>(action.where) : nullptr;
  if (!call || !call->op) return "";
  for (const ir::Effect& effect : call->op->effects) {
    const bool reads = effect.access == ir::Access::Read;
    const bool update = effect.access == ir::Access::Update;
    if (!update && reads != (action.use == Use::Read || action.use == Use::CellLook)) continue;
    const int slot = call->op->operand_slots[static_cast<size_t>(effect.param)];
    const auto* var = slot >= 0 ? ir::as<ir::Var>(call->args[static_cast<size_t>(slot)]) : nullptr;
    if (const auto* param = ir::as<ir::Parameter>(var)) return param->name;
    if (var) return var->name_hint;
  }
  return "";
}

// The cell that an action uses, as Names has it; an element of a tensor that is no window by the name that
// the op has for it.
struct CellWords {
  std::string text, brief;
  CellWords(const Names& names, const Action& action)
      : text(names.cell(action.cell())), brief(names.short_cell(action.cell())) {
    if (std::string pipe = names.pipe_cell(action.cell()); !pipe.empty()) {
      text = pipe;
      return;
    }
    const std::string name = operand_name(action);
    if (names.is_in_window(action.cell()) || name.empty()) return;
    brief = names.element(name, action.cell(), ir::bytes(action.dtype));
    text = "`" + brief + "`";
  }
};

Words signal_words(const Names& names, const Action& action) {
  const std::string amount = std::to_string(action.operand), now = std::to_string(action.value);
  const auto [cell, at] = CellWords(names, action);
  const std::string late = action.late ? "; it lands only here" : "", mark = action.late ? " late" : "";
  if (action.use == Use::CellSet)
    return {"sets " + cell + " to " + amount + late, at + " = " + amount + mark};
  return {"adds " + amount + " to " + cell + ", which is " + now + " now" + late,
          at + " += " + amount + " (" + now + ")" + mark};
}

Words update_words(const Names& names, const Action& action) {
  const std::string amount = std::to_string(action.operand), found = std::to_string(action.old);
  const auto [cell, at] = CellWords(names, action);
  const auto* call = ir::as<ir::Call>(action.where);
  const bool compares = call && call->op->param_index("expected") >= 0;
  if (!compares)
    return {"adds " + amount + " to " + cell + ", which was " + found,
            at + " += " + amount + " (was " + found + ")"};
  if (action.held)
    return {"replaces " + found + " with " + amount + " in " + cell,
            at + " = " + amount + " (was " + found + ")"};
  return {"compares " + cell + " with " + amount + ", but it is " + found,
          at + " != " + amount + " (" + found + ")"};
}

Words issue_words(const Names& names, const Action& action) {
  const std::string at = names.short_cell(action.cell());
  return {"notifies " + names.cell(action.cell()) + "; this has not landed yet", at + " under way"};
}

Words wait_words(const Names& names, const Action& action) {
  const std::string seen = std::to_string(action.value);
  const std::string condition = std::string(sign(action.cmp)) + " " + std::to_string(action.operand);
  return {(action.test ? "tests " : "waits for ") + names.cell(action.cell()) + " " + condition +
              " and sees " + seen,
          (action.test ? "test " : "wait ") + names.cell_name(action.cell()) + " " + condition + " (" + seen +
              ")"};
}

class Story {
 public:
  Story(const Run& run) : run_(run), names_(run.world) {}

  void tell(const Action& action, bool last = false) {
    Step step;
    step.rank = action.rank;
    step.who = names_.who(action.agent, action.rank, action.task);
    step.line = span_of(action).line;
    step.last = last;
    Words words = names_.words(action);
    if (words.text.empty()) return;
    step.text = std::move(words.text);
    step.brief = std::move(words.brief);
    steps_.push_back(std::move(step));
  }

  // The end of a story is what matters.
  std::vector<Step> take() {
    constexpr size_t most = 40;
    if (steps_.size() > most) {
      Step gap;
      gap.rank = -1;
      gap.text = std::to_string(steps_.size() - most) + " earlier signals and waits";
      steps_.erase(steps_.begin(), steps_.end() - most);
      steps_.insert(steps_.begin(), std::move(gap));
    }
    return std::move(steps_);
  }

  void step(Step step) { steps_.push_back(std::move(step)); }

 private:
  const Run& run_;
  Names names_;
  std::vector<Step> steps_;
};

Place place_of(const Run& run, const Action& action, std::string text) {
  const Names names(run.world);
  const bool entry = action.task == interp::no_task && action.rank >= 0;  // of a program without a host
  std::string function = entry ? run.world.entry().name : names.function(action.task);
  return {action.rank,     std::move(function),     action.block, names.call(action.task), span_of(action),
          std::move(text), names.lanes(action.task)};
}

Diagnostic diagnostic(Diag id, const Span& span, std::vector<std::string> arguments) {
  Diagnostics all;
  return all.report(id, span, std::move(arguments));
}

// Kind and words for two uses that nothing orders.
Finding conflict_finding(const Run& run, const Conflict& conflict) {
  const Trace& trace = run.watch.trace();
  const Action &a = trace[conflict.first], &b = trace[conflict.second];
  Names names(run.world);
  Finding finding{.kind = Kind::Race, .diagnostic = {}, .places = {}, .story = {}, .schedule = run.schedule};
  const auto sets = [](const Action& x) { return x.use == Use::CellSet; };
  const auto changes = [&](const Action& x) { return sets(x) || x.use == Use::CellAdd; };
  const std::string bytes = names.bytes(b, conflict.begin, conflict.end);
  const bool blocks = a.task == b.task && a.task != interp::no_task;
  if (changes(a) && changes(b) && (sets(a) || sets(b))) {
    const Action& set = sets(b) ? b : a;
    const Action& other = &set == &a ? b : a;
    finding.kind = Kind::Lost;
    finding.diagnostic = diagnostic(diag::check_lost, span_of(set), {names.cell(set.cell())});
    finding.diagnostic.with_label(names.who(set.agent, set.rank, set.task) + " sets it");
    finding.diagnostic.with_note(names.who(other.agent, other.rank, other.task) +
                                     (sets(other)           ? " sets it"
                                      : updates_cell(other) ? " updates it"
                                                            : " adds to it") +
                                     ", and nothing orders the two",
                                 span_of(other));
  } else if (blocks && a.where == b.where && a.use == Use::Write && b.use == Use::Write) {
    finding.kind = Kind::Shard;
    finding.diagnostic = diagnostic(diag::check_shard, span_of(b), {bytes});
    finding.diagnostic.with_label(names.who(a.agent, a.rank, a.task) + " and block " +
                                  std::to_string(b.block));
  } else {
    finding.diagnostic = diagnostic(diag::check_race, span_of(a), {bytes, nouns(a, b)});
    finding.diagnostic.with_label(names.who(a.agent, a.rank, a.task) + " " + ending(a) + " them");
    finding.diagnostic.with_note(names.who(b.agent, b.rank, b.task) + " " + ending(b) + " them", span_of(b));
  }
  finding.places = {place_of(run, a, ending(a) + " " + bytes), place_of(run, b, ending(b) + " " + bytes)};
  return finding;
}

// The blocked agents of a deadlocked run, those that wait for a cell or a core first.
std::vector<AgentId> stuck(Run& run) {
  std::vector<AgentId> at_cells, all = run.world.blocked();
  for (AgentId id : all) {
    if (!run.world.next_cells(id).empty()) at_cells.push_back(id);
  }
  return at_cells.empty() ? all : at_cells;
}

// Whether a notify may bring the wait closer to its end.
bool can_help(const Action& notify, const CellUse& wait) {
  if (wait.kind != CellUse::Kind::Wait || notify.kind != Action::Kind::Signal) return true;
  const bool rises = wait.cmp == ir::WaitCmp::Ge || wait.cmp == ir::WaitCmp::Gt;
  return !rises || notify.use != Use::CellAdd || notify.operand > 0;
}

// Which agents have notified the cell, and which would still: the explanation of a wait for it.
std::string notifies_of(const Run& run, const CellUse& wait, AgentId waiter, const Outlook& outlook) {
  const CellId cell{wait.storage, wait.offset};
  const Trace& trace = outlook.watch.trace();
  Names names(outlook.world);
  auto by = [&](const Action& action) { return names.who(action.agent, action.rank, action.task); };
  auto line = [](const Span& span) { return " on line " + std::to_string(span.line); };
  size_t made = 0;
  std::string last, later;
  std::set<std::pair<std::string, uint32_t>> told;
  for (size_t i = 0; i < trace.size(); ++i) {
    const Action& action = trace[i];
    const bool notifies =
        action.kind == Action::Kind::Signal || (action.kind == Action::Kind::Update && action.held);
    if (!notifies || action.cell() != cell || !can_help(action, wait)) continue;
    if (i < outlook.begin) {
      ++made;
      last = by(action) + line(span_of(action));
      continue;
    }
    constexpr size_t most = 3;
    if (!told.emplace(by(action), span_of(action).line).second || told.size() > most) continue;
    later += "; " + by(action) + " notifies it" + line(span_of(action));
    if (action.agent == waiter) {
      later += ", after this wait";
      continue;
    }
    const bool known = action.agent < run.world.agent_count() && run.world.agent(action.agent).started;
    const interp::Instr* stop = known ? run.world.agent(action.agent).next() : nullptr;
    later += stop ? ", but waits" + line(stop->node->span) : ", but has not started";
  }
  if (made == 0)
    return !later.empty() ? later : outlook.complete ? "; nothing notifies it" : "; nothing has notified it";
  const bool all = later.empty() && outlook.complete;
  const std::string number = std::to_string(made);
  const std::string text =
      made == 1 ? (all ? "; its only notify has been made, by " : "; one notify of it has been made, by ")
      : all     ? "; all " + number + " notifies of it have been made, the last by "
                : "; " + number + " notifies of it have been made, the last by ";
  return text + last + later;
}

struct Blocked {
  AgentId agent;
  Span span;
  std::string text;
  std::optional<CellUse> wait;
};

int64_t value_of(const Run& run, const CellUse& use) {
  return run.world.cell_value(use.storage, use.offset, use.dtype);
}

Blocked describe_blocked(Run& run, AgentId id, const Outlook& outlook) {
  const interp::Agent& agent = run.world.agent(id);
  Names names(run.world);
  const Span where = agent.started ? agent.next()->node->span : agent.top().code->node->span;
  Blocked blocked{id, where, names.who(id, agent.rank, agent.task), {}};
  auto uses = run.world.next_cells(id);
  auto wait = std::find_if(uses.begin(), uses.end(), [](const CellUse& use) {
    return use.kind == CellUse::Kind::Wait || use.kind == CellUse::Kind::Test;
  });
  if (wait != uses.end()) {
    CellId cell{wait->storage, wait->offset};
    blocked.wait = *wait;
    const auto* call = agent.next() ? ir::as<ir::Call>(agent.next()->node) : nullptr;
    const ir::AttrValue* what = call ? ir::find_attr(call->attrs, "what") : nullptr;
    blocked.text += " waits for " + (what ? *what->get<std::string>() + ": " : "") + names.cell(cell) + " " +
                    sign(wait->cmp) + " " + std::to_string(wait->value) + ", it is " +
                    std::to_string(value_of(run, *wait)) + notifies_of(run, *wait, id, outlook);
  } else if (agent.polls.repeated >= 0) {
    const CellId cell{uses.front().storage, uses.front().offset};
    blocked.text += " reads " + names.cell(cell) + " in a loop, it is " +
                    std::to_string(value_of(run, uses.front())) + notifies_of(run, uses.front(), id, outlook);
  } else if (!agent.started) {
    blocked.text += " " + run.world.core_text(agent);
  } else {
    blocked.text += " waits for tasks";
  }
  return blocked;
}

Finding deadlock_finding(Run& run) {
  Names names(run.world);
  std::vector<Blocked> all;
  const Outlook outlook = outlook_of(run);
  for (AgentId id : stuck(run)) all.push_back(describe_blocked(run, id, outlook));
  Finding finding{
      .kind = Kind::Deadlock, .diagnostic = {}, .places = {}, .story = {}, .schedule = run.schedule};
  auto passed = std::find_if(all.begin(), all.end(), [&](const Blocked& b) {
    return b.wait && b.wait->cmp == ir::WaitCmp::Eq && b.wait->kind == CellUse::Kind::Wait &&
           run.watch.has_met(b.agent, {b.wait->storage, b.wait->offset}, b.wait->cmp, b.wait->value);
  });
  const Span where = passed != all.end() ? passed->span : all.empty() ? Span{} : all.front().span;
  if (passed != all.end()) {
    finding.kind = Kind::Overshot;
    finding.diagnostic = diagnostic(
        diag::check_overshot, where,
        {names.cell({passed->wait->storage, passed->wait->offset}), std::to_string(passed->wait->value)});
  } else {
    finding.diagnostic = diagnostic(diag::check_deadlock, where, {diag::blocked_text(all.size())});
  }
  for (const Blocked& b : all) {
    const bool shown =
        b.span.line == where.line && b.span.column == where.column && b.span.file == where.file;
    finding.diagnostic.with_note(b.text, shown ? Span{} : b.span);
    const interp::Agent& agent = run.world.agent(b.agent);
    finding.places.push_back({agent.rank, names.function(agent.task), agent.block, names.call(agent.task),
                              b.span, b.text, names.lanes(agent.task)});
  }
  return finding;
}

std::vector<Step> story_of(const Run& run, const Conflict* conflict) {
  Story story(run);
  const Trace& trace = run.watch.trace();
  const size_t end = conflict ? std::max(conflict->first, conflict->second) : trace.size();
  for (size_t i = 0; i < end; ++i) {
    const bool sum = run.world.options().order_sums && trace[i].adds_floats();
    if (trace[i].kind == Action::Kind::Access && !sum) continue;
    if (conflict && i == std::min(conflict->first, conflict->second)) continue;
    story.tell(trace[i]);
  }
  if (conflict) {
    story.tell(trace[conflict->first], true);
    story.tell(trace[conflict->second], true);
  }
  return story.take();
}

// The steps that another order of a run's actions takes; some steps have no action.
std::vector<AgentId> steps_in_order(const Run& run, const std::vector<uint32_t>& actions) {
  std::map<AgentId, std::vector<uint32_t>> steps;
  for (uint32_t i = 0; i < run.schedule.size(); ++i) steps[run.schedule[i]].push_back(i);
  std::map<AgentId, size_t> taken;
  std::vector<AgentId> order;
  for (uint32_t i : actions) {
    const Action& action = run.watch.trace()[i];
    const std::vector<uint32_t>& own = steps[action.agent];
    for (size_t& next = taken[action.agent]; next < own.size() && own[next] <= action.step; ++next) {
      order.push_back(action.agent);
    }
  }
  return order;
}

// The conflict of another run between the same blocks, in the same places and order: which use comes first
// decides whether a replay shows a wrong result.
const Conflict* same_conflict(const Run& run, const Conflict& conflict, const Run& other) {
  using Use = std::tuple<const ir::Node*, int, std::string, int64_t, int>;
  const auto uses = [](const Run& of, const Conflict& c) {
    const Names names(of.world);
    const auto use = [&](uint32_t i) {
      const Action& action = of.watch.trace()[i];
      return Use{action.where, action.rank, names.function(action.task), action.block,
                 names.call(action.task)};
    };
    return std::pair(use(c.first), use(c.second));
  };
  const auto wanted = uses(run, conflict);
  const Kind kind = conflict_finding(run, conflict).kind;
  for (const Conflict& candidate : other.watch.conflicts()) {
    if (uses(other, candidate) == wanted && conflict_finding(other, candidate).kind == kind)
      return &candidate;
  }
  return nullptr;
}

bool same_failure(const Run& run, const Run& other) {
  if (!run.world.error() || !other.world.error()) return false;
  const interp::RunError &a = *run.world.error(), &b = *other.world.error();
  return a.kind == b.kind && a.diagnostic.id == b.diagnostic.id &&
         a.diagnostic.span.line == b.diagnostic.span.line &&
         a.diagnostic.span.column == b.diagnostic.span.column && a.rank == b.rank && a.task == b.task &&
         a.block == b.block;
}

// The finding of the shortest run that shows the conflict; nothing if the steps do not lead there.
std::optional<Finding> shortened(const Run& run, const Conflict& conflict, const std::vector<AgentId>& steps,
                                 Shortener& shortener) {
  const auto shorter = shortener.shorten(
      run, steps, [&](const Run& other) { return same_conflict(run, conflict, other) != nullptr; });
  if (!shorter) return std::nullopt;
  const Conflict shown = *same_conflict(run, conflict, *shorter);
  Finding finding = conflict_finding(*shorter, shown);
  finding.story = story_of(*shorter, &shown);
  finding.timeline = timeline_of(*shorter, &shown);
  finding.replay = replay_of(*shorter, &shown);
  return finding;
}

int64_t pipe_cell_number(const CellId& cell) {
  return cell.offset / (ops::cell_line * ir::bytes(ir::DType::Int32));
}

}  // namespace

std::string Names::function(TaskNo task) const {
  return task == interp::no_task ? "" : world_.task(task).code->name;
}

std::string Names::who(AgentId agent, int rank, TaskNo task) const {
  std::string text = rank < 0 ? "the host function" : "rank " + std::to_string(rank);
  if (task == interp::no_task) return text;
  const interp::Agent& a = world_.agent(agent);
  text += " in `" + function(task) + "`";
  const int64_t lanes = this->lanes(task);
  const std::string half = half_text(a.block, lanes);
  if (!half.empty()) text += ", " + half;
  if (a.blocks > lanes) text += (half.empty() ? ", block " : " of block ") + std::to_string(a.block / lanes);
  if (world_.options().calls > 1) text += ", call " + std::to_string(call(task) + 1);
  return text;
}

const interp::Window* Names::window_of(StorageId storage) const {
  for (const interp::Window& window : world_.windows()) {
    if (std::find(window.copies.begin(), window.copies.end(), storage) != window.copies.end()) return &window;
  }
  return nullptr;
}

std::string Names::cell_name(const CellId& cell) const {
  if (const std::string* rings = rings_of(cell)) return ops::short_cell_text(*rings, pipe_cell_number(cell));
  const interp::Window* window = window_of(cell.storage);
  if (!window) return tensor_element(cell);
  return interp::cell_text(*window, cell.offset);
}

// By the parameter of the entry, or where it was created.
std::string Names::tensor_element(const CellId& cell) const {
  std::string name = "tensor";
  int size = ir::bytes(ir::DType::Int32);
  const interp::Storage& storage = world_.storage(cell.storage);
  if (const auto* made = storage.where ? ir::as<ir::Call>(storage.where) : nullptr) {
    if (const auto* type = ir::as<ir::TensorType>(made->type)) size = ir::bytes(type->dtype);
  }
  for (size_t i = 0; i < world_.arguments().size(); ++i) {
    const interp::Tensor* tensor = world_.arguments()[i].tensor();
    if (!tensor || tensor->storage != cell.storage) continue;
    name = world_.entry().function->params[i]->name;
    size = ir::bytes(tensor->dtype);
  }
  return element(name, cell, size);
}

std::string Names::element(const std::string& name, const CellId& cell, int64_t size) const {
  std::span<const int64_t> shape;
  for (const interp::Value& argument : world_.arguments()) {
    const interp::Tensor* tensor = argument.tensor();
    const bool is_it = tensor && tensor->storage == cell.storage;
    if (is_it && tensor->strides == interp::dense_strides(tensor->shape)) shape = tensor->shape;
  }
  return element_text(name, shape, cell.offset / size);
}

std::string Names::schedule_cell(const CellId& cell) const {
  const interp::Window* window = window_of(cell.storage);
  if (!window) return "";
  return element_text(window->buffer ? window->buffer->name : "window", {},
                      cell.offset / ir::bytes(ir::DType::Int32));
}

const std::string* Names::rings_of(const CellId& cell) const {
  const interp::Storage& storage = world_.storage(cell.storage);
  const auto* made = storage.where ? ir::as<ir::Call>(storage.where) : nullptr;
  if (!made || made->op != ops::pl::pipe::cells) return nullptr;
  return ir::find_attr(made->attrs, "rings")->get<std::string>();
}

std::string Names::pipe_cell(const CellId& cell) const {
  const std::string* rings = rings_of(cell);
  return rings ? ops::cell_text(*rings, pipe_cell_number(cell)) : "";
}

std::string Names::cell(const CellId& cell) const {
  if (std::string pipe = pipe_cell(cell); !pipe.empty()) return pipe;
  const std::string name = "`" + cell_name(cell) + "`";
  return rank_of(cell) < 0 ? name : name + " on rank " + std::to_string(rank_of(cell));
}

Words Names::words(const Action& action) const {
  switch (action.kind) {
    case Action::Kind::Signal:
      return signal_words(*this, action);
    case Action::Kind::Wait:
      return wait_words(*this, action);
    case Action::Kind::Update:
      return update_words(*this, action);
    case Action::Kind::Issue:
      return action.late ? issue_words(*this, action) : Words{};
    case Action::Kind::Access:
      return {ending(action) + " " + bytes(action, action.box.offset, action.box.end()),
              ending(action) + " " + operand_name(action)};
    default:
      return {};
  }
}

std::string Names::bytes(const Action& action, int64_t begin, int64_t end) const {
  std::string text = end - begin == 1 ? "byte " + std::to_string(begin)
                                      : "bytes " + std::to_string(begin) + " to " + std::to_string(end - 1);
  if (const interp::Window* window = window_of(action.storage)) {
    text += " of `" + (window->buffer ? window->buffer->name : "window") + "`";
    return text + " on rank " + std::to_string(world_.storage(action.storage).rank);
  }
  std::string name = operand_name(action);
  return text + (name.empty() ? " of a tensor" : " of `" + name + "`");
}

std::string Names::short_cell(const CellId& cell) const {
  return cell_name(cell) + (rank_of(cell) < 0 ? "" : "@" + std::to_string(rank_of(cell)));
}

std::vector<Actor> actors_of(const interp::World& world) {
  std::vector<int64_t> numbers(world.task_count(), -1);
  std::map<int, int64_t> counts;
  for (TaskNo task = 0; task < world.task_count(); ++task) {
    const bool dispatch = world.agent(world.task(task).submitter).level == interp::CodeLevel::Host;
    if (!dispatch) numbers[task] = counts[world.task(task).rank]++;
  }
  std::vector<Actor> actors;
  for (AgentId id = 0; id < world.agent_count(); ++id) {
    const interp::Agent& agent = world.agent(id);
    Actor actor{agent.rank, Names(world).function(agent.task), -1, agent.block};
    if (agent.task != interp::no_task) actor.task = numbers[agent.task];
    actors.push_back(std::move(actor));
  }
  return actors;
}

std::vector<Finding> conflict_findings(Run& run, Shortener& shortener) {
  constexpr size_t most_timelines = 24;  // each takes a pass over the run, and users read only the first few
  std::vector<Finding> all;
  for (const Conflict& conflict : run.watch.conflicts()) {
    const uint32_t last = run.watch.trace()[conflict.second].step;
    const std::vector<AgentId> steps(run.schedule.begin(), run.schedule.begin() + last + 1);
    std::optional<Finding> shorter;
    if (all.size() < most_timelines) shorter = shortened(run, conflict, steps, shortener);
    if (shorter) {
      all.push_back(std::move(*shorter));
      continue;
    }
    Finding finding = conflict_finding(run, conflict);
    finding.story = story_of(run, &conflict);
    if (all.size() < most_timelines) finding.timeline = timeline_of(run, &conflict);
    finding.replay = replay_of(run, &conflict);
    all.push_back(std::move(finding));
  }
  return all;
}

Finding deadlock_of(Run& run) {
  Finding finding = deadlock_finding(run);
  finding.story = story_of(run, nullptr);
  finding.timeline = timeline_of(run, nullptr);
  finding.replay = replay_of(run, nullptr);
  return finding;
}

std::vector<Finding> findings_of(Run& run, Shortener& shortener) {
  std::vector<Finding> all;
  // If ranks do not call the same collectives, races and deadlocks inside these add nothing.
  if (auto divergence = divergence_of(run)) {
    all.push_back(divergent_finding(run, *divergence));
    all.back().story = story_of(run, nullptr);
    all.back().timeline = timeline_of(run, nullptr);
    all.back().replay = replay_of(run, nullptr);
    return all;
  }
  all = conflict_findings(run, shortener);
  // What is wrong after a race may be its doing.
  if (all.empty() && !run.world.finished() && run.world.runnable().empty() && !run.world.error()) {
    all.push_back(deadlock_of(run));
  }
  if (all.empty()) {
    if (auto failure = failure_of(run)) {
      const auto shorter =
          shortener.shorten(run, run.schedule, [&](const Run& other) { return same_failure(run, other); });
      Run& shown = shorter ? *shorter : run;
      all.push_back(shorter ? *failure_of(shown) : std::move(*failure));
      all.back().timeline = timeline_of(shown, nullptr);
      all.back().replay = replay_of(shown, nullptr);
    }
  }
  return all;
}

Finding race_in(Run& run, const Conflict& conflict, const std::vector<uint32_t>& schedule,
                Shortener& shortener) {
  std::vector<uint32_t> actions = schedule;
  actions.push_back(conflict.first);
  actions.push_back(conflict.second);
  if (auto shorter = shortened(run, conflict, steps_in_order(run, actions), shortener)) {
    return std::move(*shorter);
  }
  Finding finding = conflict_finding(run, conflict);
  const Trace& trace = run.watch.trace();
  Story story(run);
  std::map<CellId, int64_t> values;
  for (uint32_t i : schedule) {
    if (trace[i].kind == Action::Kind::Access) continue;
    Action action = trace[i];
    if (action.kind == Action::Kind::Signal) {
      int64_t& value = values[action.cell()];
      value = action.use == Use::CellSet ? action.operand : value + action.operand;
      action.value = value;
    } else if (action.kind == Action::Kind::Wait) {
      action.value = values[action.cell()];
    }
    story.tell(action);
  }
  story.tell(trace[conflict.first], true);
  story.tell(trace[conflict.second], true);
  finding.story = story.take();
  finding.schedule = steps_in_order(run, schedule);
  finding.timeline = timeline_of(run, schedule, &conflict);
  finding.replay = replay_of(run, schedule, conflict);
  return finding;
}

std::optional<Finding> failure_of(const Run& run) {
  if (!run.world.error() || run.world.error()->kind != interp::RunError::Kind::Program) return std::nullopt;
  const Diagnostic& said = run.world.error()->diagnostic;
  Finding finding{
      .kind = Kind::Bounds, .diagnostic = {}, .places = {}, .story = {}, .schedule = run.schedule};
  if (said.id == diag::run_window_view) {
    finding.kind = Kind::Window;
  } else if (said.id == diag::run_pipe_workspace) {
    finding.kind = Kind::Shard;
  } else if (said.id != diag::run_index && said.id != diag::run_region && said.id != diag::run_peer) {
    return std::nullopt;
  }
  Diag id = finding.kind == Kind::Window  ? diag::check_window
            : finding.kind == Kind::Shard ? diag::check_workspace
                                          : diag::check_bounds;
  // The kind of error comes first in both messages.
  const size_t kind = said.message.find(": ");
  TW_CHECK(kind != std::string::npos, "an error at run time does not say of which kind it is");
  finding.diagnostic = diagnostic(id, said.span, {said.message.substr(kind + 2)});
  finding.diagnostic.label = said.label;
  finding.diagnostic.notes = said.notes;
  finding.diagnostic.helps = said.helps;
  const interp::RunError& error = *run.world.error();
  const Names names(run.world);
  const TaskNo task = run.schedule.empty() ? interp::no_task : run.world.agent(run.schedule.back()).task;
  finding.places.push_back(
      {error.rank, error.task, error.block, names.call(task), said.span, said.message, names.lanes(task)});
  finding.story = story_of(run, nullptr);
  return finding;
}

}  // namespace tilewire::check
