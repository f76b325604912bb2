// Agents and their steps. What concerns tasks is in tasks.cpp.
#include "interp/world.h"

#include <algorithm>
#include <new>
#include <tuple>

#include "interp/context.h"
#include "interp/move.h"
#include "interp/op_table.h"
#include "interp/wait_condition.h"
#include "interp/waiting_tests.h"
#include "ir/check_ops.h"
#include "numeric/numeric.h"
#include "support/block_text.h"
#include "support/diagnostics/runtime.h"

namespace tilewire::interp {
namespace {

using namespace ir;

// Calls f with every register whose value the instruction needs to know, not only hand on.
template <class F>
bool any_needed(const Code& code, const Instr& instr, F f) {
  auto range = [&](uint32_t first, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
      if (f(code.slots[first + i])) return true;
    }
    return false;
  };
  switch (instr.code) {
    case Opcode::Op:
      for (uint32_t i = 0; i < instr.count; ++i) {
        const Operand& operand = code.operands[instr.first + i];
        if (range(operand.first, operand.count)) return true;
      }
      return false;
    case Opcode::JumpIfNot:
    case Opcode::Get:
      return f(instr.a);
    case Opcode::ForTest:
    case Opcode::ForNext:
      return f(instr.a) || f(instr.b) || f(instr.c);
    case Opcode::Return:
      return range(instr.first, instr.count);
    case Opcode::Call: {
      const Site& site = *instr.site;
      for (Slot slot : site.args) {
        if (f(slot)) return true;
      }
      for (Slot slot : site.deps) {
        if (f(slot)) return true;
      }
      return (site.device != no_slot && f(site.device)) || (site.blocks != no_slot && f(site.blocks));
    }
    default:
      return false;
  }
}

void erase_sorted(std::vector<AgentId>& ids, AgentId id) {
  auto found = std::lower_bound(ids.begin(), ids.end(), id);
  if (found != ids.end() && *found == id) ids.erase(found);
}

// A plain read of a window may be a look at a signal cell, in a loop that waits for it to change.
bool reads_window(const Agent& agent, const Instr& instr) {
  const Code& code = *agent.top().code;
  const Operand& operand = code.operands[instr.first];
  const Tensor* tensor = agent.top().registers[code.slots[operand.first]].tensor();
  return tensor && tensor->window >= 0;
}

// A test, an update, or an element read of what may be a signal cell.
bool looks_at_cell(const Agent& agent, const Instr& instr) {
  if (instr.code != Opcode::Op) return false;
  if (instr.entry->polls || instr.entry->updates) return true;
  if (!instr.entry->reads_cells) return false;
  const Code& code = *agent.top().code;
  const Tensor* tensor = agent.top().registers[code.slots[code.operands[instr.first].first]].tensor();
  return tensor && tensor->window >= 0 && tensor->dtype == DType::Int32;
}

// Whether the op is an atomic update of floats.
bool adds_floats(const Instr& instr) {
  const auto& call = static_cast<const Call&>(*instr.node);
  return std::any_of(call.op->effects.begin(), call.op->effects.end(), [&](const Effect& effect) {
    if (effect.access != Access::Atomic || !happens(effect, call)) return false;
    const auto* tensor = as<TensorType>(call.args[call.op->operand_slots[effect.param]]->type);
    return tensor && is_float(tensor->dtype);
  });
}

// The parts of a storage that an update of `region` touches, as cells. Two updates of the same bytes have one
// in common.
void add_updated(const Tensor& region, int64_t size, std::vector<CellUse>& cells) {
  constexpr int64_t most_parts = 64;
  const int64_t part = std::max<int64_t>(size / most_parts, ir::bytes(region.dtype));
  const Box box = box_of(region);
  if (box.empty()) return;
  for (int64_t i = box.offset / part; i <= (box.end() - 1) / part; ++i) {
    if (!overlap(box, Box{i * part, part, {}})) continue;
    cells.push_back({CellUse::Kind::Sum, region.storage, i * part});
  }
}

bool counts_on(int64_t at, int64_t stop, int64_t step) {
  return step > 0 ? at < stop : at > stop;
}

}  // namespace

World::World(std::shared_ptr<const Image> image, Options options)
    : image_(std::move(image)), options_(std::move(options)), meter_(std::make_shared<Meter>()) {
  meter_->limit = options_.memory_limit;
  rank_tasks_.resize(options_.ranks);
  busy_.resize(options_.ranks);
  last_dispatch_.resize(options_.ranks, no_task);
}

// --- storage

StorageId World::add_array(std::byte* data, int64_t bytes) {
  Storage storage;
  storage.kind = Storage::Kind::Argument;
  storage.size = bytes;
  if (options_.detach) {
    storage.owned = allocate(bytes);
    std::copy(data, data + bytes, storage.owned->data());
  } else {
    storage.external = data;
  }
  storages_.push_back(std::move(storage));
  return static_cast<StorageId>(storages_.size() - 1);
}

StorageId World::create_storage(Storage::Kind kind, int rank, int64_t bytes, const Node* where) {
  Storage storage;
  storage.kind = kind;
  storage.rank = rank;
  storage.size = bytes;
  storage.owned = allocate(bytes);
  storage.where = where;
  storages_.push_back(std::move(storage));
  return static_cast<StorageId>(storages_.size() - 1);
}

const std::byte* World::bytes(StorageId id) const {
  const Storage& storage = storages_[id];
  return storage.external ? storage.external : storage.owned->data();
}

std::byte* World::writable(StorageId id) {
  Storage& storage = storages_[id];
  if (storage.external) return storage.external;
  if (storage.owned.use_count() > 1) storage.owned = std::make_shared<Buffer>(*storage.owned);
  return storage.owned->data();
}

std::shared_ptr<Buffer> World::allocate(int64_t bytes) {
  if (bytes > meter_->limit - meter_->used) {
    throw Failure{diag::run_memory,
                  {"the " + std::to_string(meter_->limit) + " bytes it may use"},
                  RunError::Kind::Limit};
  }
  charge(bytes / 64);
  return std::make_shared<Buffer>(meter_, bytes);
}

void World::charge(int64_t work) {
  if (work > options_.step_limit - steps_) {
    steps_ = options_.step_limit;
    throw Failure{diag::run_steps, {std::to_string(options_.step_limit)}, RunError::Kind::Limit};
  }
  if (options_.pulse && ((steps_ ^ (steps_ + work)) >> 12) != 0) options_.pulse->beat();
  steps_ += work;
}

// --- agents

AgentId World::add_agent(Agent agent) {
  auto id = static_cast<AgentId>(agents_.size());
  const bool free = agent.flight ? can_land(agent) : has_core(agent);
  agents_.emplace_back(std::move(agent));
  (free ? ready_ : blocked_).push_back(id);  // the largest so far
  ++live_;
  return id;
}

void World::start(std::vector<Value> args) {
  const Code& code = image_->entry();
  Agent agent;
  agent.level = code.level;
  agent.rank = code.level == CodeLevel::Host ? -1 : 0;
  try {
    agent.frames.push_back({&code, 0, no_slot, entry_registers(code, args, nullptr)});
  } catch (const Failure& failure) {
    Diagnostics diags;
    diags.report(failure.id, code.node->span, failure.arguments);
    error_ = RunError{RunError::Kind::Argument, diags.all().front(), {}, -1, -1, {}};
    return;
  }
  add_agent(std::move(agent));
  arguments_ = std::move(args);
}

// The host function once more: it is the same agent, so everything in a call happens before the next one.
void World::begin_call(AgentId host, EventSink* sink) {
  ++call_;
  windows_named_ = 0;
  for (std::vector<TaskNo>& tasks : rank_tasks_) tasks.clear();  // all have ended
  std::fill(last_dispatch_.begin(), last_dispatch_.end(), no_task);
  const Code& code = image_->entry();
  Agent& agent = agents_[host].write();
  agent.frames.push_back({&code, 0, no_slot, entry_registers(code, arguments_, nullptr)});
  tell(Event::Kind::Start, agent, host, sink);
}

void World::tell(Event::Kind kind, const Agent& agent, AgentId id, EventSink* sink) const {
  if (!sink) return;
  sink->on({.kind = kind,
            .agent = id,
            .task = agent.task,
            .rank = agent.rank,
            .block = agent.block,
            .where = agent.frames.empty() ? nullptr : agent.top().code->node});
}

void World::step(AgentId id, EventSink* sink) {
  changed_ = false;
  try {
    bool acted = false;
    Agent& agent = agents_[id].write();
    const bool flight = agent.flight != nullptr;
    if (flight) land(id, sink);
    if (!flight && !agent.started) {
      take_core(agent);
      agent.started = acted = true;
      bool first = agent.task != no_task && !tasks_[agent.task]->started;
      if (first) {
        tasks_[agent.task].write().started = true;
        tell(Event::Kind::TaskStart, agent, id, sink);
      }
      tell(Event::Kind::Start, agent, id, sink);
    }
    while (!flight && advance(id, sink, acted)) {
    }
    if (!flight) settle(id, sink);
    go_on(sink);
  } catch (const Failure& failure) {
    take_fault(failure, id, sink);
  } catch (const std::bad_alloc&) {
    fail_with({diag::run_memory, {"this machine has"}, RunError::Kind::Limit}, id);
  }
}

void World::go_on(EventSink* sink) {
  if (changed_) wake();
  if (ready_.empty() && !unlaunched_.empty()) launch_blocks(unlaunched_.front(), sink);
  if (ready_.empty() && options_.waiting_tests && !tests_fail_) let_tests_fail();
}

// One instruction; false where the step ends.
bool World::advance(AgentId id, EventSink* sink, bool& acted) {
  Agent& agent = agents_[id].write();
  const Instr* instr = agent.next();
  if (!instr) return false;
  const bool visible = is_visible(agent, *instr);
  if (visible && acted) return false;
  if ((visible || agent.level != CodeLevel::Kernel) && !is_ready(id, *instr)) return false;
  charge(1);
  if (agent.level != CodeLevel::Kernel) {
    if (sink && options_.full_order) tell_joins(id, *instr, sink);
    if (!flights_.empty()) join_notifies(id, *instr);
    resolve_futures(agent.frames.back(), *instr);
  }
  if (!agent.polls.rounds.empty()) follow_polls(id, *instr);
  if (instr->code != Opcode::Call || instr->site->blocks == no_slot) note_reached(agent.top());
  execute(id, *instr, sink);
  acted |= visible;
  return true;
}

void World::note_rounds(const Frame& frame, int64_t length, int64_t step) const {
  if ((length < 0) != (step < 0) || length == std::numeric_limits<int64_t>::min()) return;
  const int64_t count = length / step + (length % step != 0);
  (*options_.rounds)[frame.code->first + frame.pc].take({length, count});
}

bool World::is_visible(const Agent& agent, const Instr& instr) const {
  switch (instr.code) {
    case Opcode::Op:
      if (instr.entry->visible) return true;
      if (instr.entry->reads_cells && reads_window(agent, instr)) return true;
      if (options_.order_sums && adds_floats(instr)) return true;
      return instr.entry->accesses &&
             (options_.granularity == Granularity::Access || agent.level != CodeLevel::Kernel);
    case Opcode::Call:
      return instr.site->kind != Site::Kind::Plain;
    case Opcode::Return:
      return agent.frames.size() == 1;
    default:
      return false;
  }
}

bool World::is_ready(AgentId id, const Instr& instr) {
  const Agent& agent = *agents_[id];
  if (!agent.started) return has_core(agent);
  const bool submits = agent.level != CodeLevel::Kernel;
  if (submits && has_open_future(agent.top(), instr)) return false;
  if (!flights_.empty() && waits_for_notifies(id, instr)) return false;
  if (instr.code == Opcode::Return) {
    if (!submits || agent.frames.size() > 1) return true;
    // What is under way lands before a call returns.
    const bool last = agent.task != no_task || call_ + 1 == options_.calls;
    return agent.open_tasks == 0 && (last || flights_.empty());
  }
  if (instr.code != Opcode::Op) return true;
  if (polls_in_vain(agent)) return false;
  if (is_waiting_test(instr)) {
    std::vector<CellUse> cells;
    if (!add_cells(id, instr, cells)) return true;
    const CellUse& asked = cells.front();
    return holds(asked.cmp, cell_value(asked.storage, asked.offset), asked.value);
  }
  if (!instr.entry->ready && !(submits && instr.entry->accesses)) return true;
  try {
    Context context(*this, id, instr, nullptr);
    context.resolve_regions();
    if (instr.entry->ready) return instr.entry->ready(context, instr.entry->which);
    for (const Region& region : context.regions()) {
      bool writes = region.effect->access != Access::Read;
      for (TaskNo task : users(agent.rank, region.part, writes)) {
        if (!tasks_[task]->done) return false;
      }
    }
    return true;
  } catch (const Failure&) {
    return true;  // running it reports the error
  }
}

bool World::is_waiting_test(const Instr& instr) const {
  return options_.waiting_tests && !tests_fail_ && instr.code == Opcode::Op && instr.entry->polls &&
         options_.waiting_tests->contains(instr.node);
}

// Only agents before such tests can do anything, and these would only fail their test and block.
void World::let_tests_fail() {
  tests_fail_ = true;
  wake();
}

bool World::has_open_future(const Frame& frame, const Instr& instr) const {
  return any_needed(*frame.code, instr, [&](Slot slot) {
    const Future* future = frame.registers[slot].future();
    return future && !tasks_[future->task]->done;
  });
}

void World::resolve_futures(Frame& frame, const Instr& instr) {
  any_needed(*frame.code, instr, [&](Slot slot) {
    const Future* future = frame.registers[slot].future();
    if (!future) return false;
    const Task& task = *tasks_[future->task];
    if (future->index >= task.results.size()) fail(diag::run_no_result, {});
    frame.registers[slot] = task.results[future->index];
    return false;
  });
}

void World::execute(AgentId id, const Instr& instr, EventSink* sink) {
  Agent& agent = agents_[id].write();
  Frame& frame = agent.frames.back();
  std::vector<Value>& r = frame.registers;
  switch (instr.code) {
    case Opcode::Op:
      if (!run_op(id, instr, sink)) return;
      break;
    case Opcode::Move:
      r[instr.dst] = r[instr.a];
      break;
    case Opcode::Jump:
      frame.pc = instr.target;
      return;
    case Opcode::Round:
      agent.polls.round_begins = true;
      break;
    case Opcode::JumpIfNot:
      if (r[instr.a].scalar()->i != 0) break;
      frame.pc = instr.target;
      return;
    case Opcode::ForTest: {
      int64_t step = r[instr.c].scalar()->i;
      if (step == 0) fail(diag::run_step_zero, {});
      int64_t at = r[instr.a].scalar()->i;
      r[instr.a] = Scalar::of_int(DType::Index, at);
      int64_t length;
      if (options_.rounds && !__builtin_sub_overflow(r[instr.b].scalar()->i, at, &length)) {
        note_rounds(frame, length, step);
      }
      if (counts_on(at, r[instr.b].scalar()->i, step)) break;
      frame.pc = instr.target;
      return;
    }
    case Opcode::ForNext: {
      int64_t at;
      bool past = __builtin_add_overflow(r[instr.a].scalar()->i, r[instr.c].scalar()->i, &at);
      if (!past) r[instr.a] = Scalar::of_int(DType::Index, at);
      frame.pc = past ? frame.code->instrs[instr.target].target : instr.target;
      return;
    }
    case Opcode::Tuple: {
      TupleValue elements;
      for (uint32_t i = 0; i < instr.count; ++i) elements.push_back(r[frame.code->slots[instr.first + i]]);
      r[instr.dst] = std::move(elements);
      break;
    }
    case Opcode::Get: {
      Value element = (*r[instr.a].tuple())[static_cast<size_t>(instr.index)];
      r[instr.dst] = std::move(element);
      break;
    }
    case Opcode::Parallel:
      step_in(id, static_cast<abi::ParallelStep>(instr.index));
      break;
    case Opcode::Call:
      return call(id, instr, sink);
    case Opcode::Return:
      return run_return(id, instr, sink);
  }
  ++frame.pc;
}

// False where the op has more to do.
bool World::run_op(AgentId id, const Instr& instr, EventSink* sink) {
  Context context(*this, id, instr, sink);
  if (instr.entry->accesses) {
    context.resolve_regions();
    if (!flights_.empty()) land_before(context);
    context.report_accesses();
  }
  instr.entry->run(context, instr.entry->which);
  Agent& agent = agents_[id].write();
  agent.part = context.again ? agent.part + 1 : 0;
  if (context.again) return false;
  agent.frames.back().registers[instr.dst] = std::move(context.result);
  return true;
}

// What a function that submits tasks waited for before this instruction: results of tasks, tasks that touch
// the elements it touches.
std::vector<TaskNo> World::joined_tasks(AgentId id, const Instr& instr) const {
  const Agent& agent = *agents_[id];
  std::vector<TaskNo> tasks;
  any_needed(*agent.top().code, instr, [&](Slot slot) {
    if (const Future* future = agent.top().registers[slot].future()) tasks.push_back(future->task);
    return false;
  });
  if (instr.code == Opcode::Op && instr.entry->accesses && agent.rank >= 0) {
    Context context(const_cast<World&>(*this), id, instr, nullptr);
    context.resolve_regions();
    for (const Region& region : context.regions()) {
      const bool writes = region.effect->access != Access::Read;
      for (TaskNo task : users(agent.rank, region.part, writes)) tasks.push_back(task);
    }
  }
  return tasks;
}

void World::tell_joins(AgentId id, const Instr& instr, EventSink* sink) const {
  const Agent& agent = *agents_[id];
  for (TaskNo task : joined_tasks(id, instr)) {
    sink->on({.kind = Event::Kind::Join, .agent = id, .task = task, .rank = agent.rank, .where = instr.node});
  }
}

void World::run_return(AgentId id, const Instr& instr, EventSink* sink) {
  Agent& agent = agents_[id].write();
  Frame& frame = agent.frames.back();
  std::vector<Value> values;
  for (uint32_t i = 0; i < instr.count; ++i) {
    values.push_back(frame.registers[frame.code->slots[instr.first + i]]);
  }
  if (agent.frames.size() == 1) return end_block(id, std::move(values), sink);
  Slot dst = frame.dst;
  agent.frames.pop_back();
  Value& target = agent.frames.back().registers[dst];
  if (values.size() == 1) {
    target = std::move(values[0]);
  } else {
    target = std::move(values);
  }
}

// The state of the agent after its step: ended, before something it can do, or blocked.
void World::settle(AgentId id, EventSink* sink) {
  const Agent& agent = *agents_[id];
  const Instr* next = agent.next();
  if (next && agent.polls.round_begins && looks_at_cell(agent, *next)) {
    agents_[id].write().polls.arrive(agent);
  }
  if (!next) {
    erase_sorted(ready_, id);
    agents_[id].write().frames.shrink_to_fit();
    --live_;
    return;
  }
  if (is_ready(id, *next)) return;
  erase_sorted(ready_, id);
  blocked_.push_back(id);
  if (agent.level != CodeLevel::Host || held_.empty()) return;
  form_groups();
  std::vector<TaskNo> held = std::move(held_);
  held_.clear();
  for (TaskNo task : held) release(task, sink);
}

std::vector<CellUse> World::next_cells(AgentId id, bool issued) {
  std::vector<CellUse> cells;
  const Agent& agent = *agents_[id];
  if (agent.flight && agent.flight->notifies) {
    add_notified(agent.flight->to, agent.flight->value, agent.flight->add, cells);
  }
  const Instr* instr = agent.next();
  if (!instr) return cells;
  const bool ends = instr->code == Opcode::Return && agent.frames.size() == 1;
  if (needs_core(agent) && (!agent.started || ends)) {
    cells.push_back({CellUse::Kind::Set, no_storage, agent.rank});
  }
  if (!agent.started || instr->code != Opcode::Op || !add_cells(id, *instr, cells, issued)) return cells;
  // It blocks and resumes as a wait does.
  if (is_waiting_test(*instr)) {
    for (CellUse& cell : cells) cell.kind = CellUse::Kind::Wait;
  }
  if (agent.polls.repeated >= 0) {
    const size_t round = static_cast<size_t>(agent.polls.repeated);
    for (size_t i = agent.polls.rounds[round].first_look; i < agent.polls.looks.size(); ++i) {
      const Polls::Look& look = agent.polls.looks[i];
      cells.push_back(
          {.kind = CellUse::Kind::Read, .storage = look.storage, .offset = look.offset, .dtype = look.dtype});
    }
  }
  return cells;
}

// The cells of one op. False: they are not known, and running the op reports the error.
bool World::add_cells(AgentId id, const Instr& instr, std::vector<CellUse>& cells, bool issued) {
  const OpEntry& entry = *instr.entry;
  const bool updates = options_.order_sums && adds_floats(instr);
  const bool uses_cells = (entry.cells && (issued || !is_late(*agents_[id], instr))) || entry.reads_cells;
  if (!uses_cells && !updates) return true;
  try {
    Context context(*this, id, instr, nullptr);
    context.resolve_regions();
    for (const Region& region : context.regions()) {
      if (!updates || region.effect->access != Access::Atomic) continue;
      add_updated(region.part, storages_[region.part.storage].size, cells);
    }
    if (!uses_cells) return true;
    if (entry.cells) {
      entry.cells(context, entry.which, cells);
    } else if (const Tensor& cell = context.region(0); cell.window >= 0) {
      cells.push_back({CellUse::Kind::Read, cell.storage, cell.offset * ir::bytes(cell.dtype)});
    }
    return true;
  } catch (const Failure&) {
    return false;
  }
}

std::vector<AgentId> World::blocked() const {
  std::vector<AgentId> ids = blocked_;
  std::sort(ids.begin(), ids.end());
  return ids;
}

// The agent carries out an instruction, having looked at cells in a loop since it last wrote anything.
void World::follow_polls(AgentId id, const Instr& instr) {
  Agent& agent = agents_[id].write();
  Polls& polls = agent.polls;
  const bool submits = instr.code == Opcode::Call && instr.site->kind != Site::Kind::Plain;
  const bool is_op = instr.code == Opcode::Op;
  if (submits || (is_op && instr.entry->writes && !instr.entry->updates)) return polls.forget();
  if (!is_op || !(instr.entry->cells || looks_at_cell(agent, instr))) return;
  std::vector<CellUse> cells;
  add_cells(id, instr, cells);
  // An update that leaves the cell as it is has only looked.
  if (std::any_of(cells.begin(), cells.end(), [](const CellUse& use) { return use.changes(); })) {
    return polls.forget();
  }
  polls.leave();
  for (const CellUse& cell : cells) {
    const int64_t value = cell_value(cell.storage, cell.offset, cell.dtype);
    polls.looks.push_back({cell.storage, cell.offset, cell.dtype, value});
  }
}

bool World::polls_in_vain(const Agent& agent) const {
  const Polls& polls = agent.polls;
  if (polls.repeated < 0) return false;
  const size_t round = static_cast<size_t>(polls.repeated);
  auto unchanged = [&](const Polls::Look& look) {
    return cell_value(look.storage, look.offset, look.dtype) == look.value;
  };
  return std::all_of(polls.looks.begin() + static_cast<ptrdiff_t>(polls.rounds[round].first_look),
                     polls.looks.end(), unchanged);
}

// Recomputes which agents are runnable. A change may also take away what a wait was ready for.
void World::wake() {
  std::vector<AgentId> still;
  auto stopped = [&](AgentId id) {
    const Instr* next = agents_[id]->started ? agents_[id]->next() : nullptr;
    if (!next || next->code != Opcode::Op) return false;
    // A compare that would succeed now releases, after notifies that may not have landed.
    const bool may_release = next->entry->compares && !flights_.empty();
    const bool may_stop =
        next->entry->ready || may_release || agents_[id]->polls.repeated >= 0 || is_waiting_test(*next);
    if (!may_stop || is_ready(id, *next)) return false;
    still.push_back(id);
    return true;
  };
  ready_.erase(std::remove_if(ready_.begin(), ready_.end(), stopped), ready_.end());
  std::vector<AgentId> blocked = std::move(blocked_);
  for (AgentId id : blocked) {
    const Agent& agent = *agents_[id];
    if (agent.flight ? !can_land(agent) : !is_ready(id, *agent.next())) {
      still.push_back(id);
      continue;
    }
    ready_.insert(std::lower_bound(ready_.begin(), ready_.end(), id), id);
  }
  blocked_ = std::move(still);
}

// --- endings

namespace {

std::string place(const Agent& agent, int ranks) {
  std::string where = ranks > 1 && agent.rank >= 0 ? "rank " + std::to_string(agent.rank) : "";
  if (agent.level == CodeLevel::Kernel && !agent.frames.empty()) {
    where += where.empty() ? "" : ", ";
    const Code& task = *agent.frames.front().code;
    where += "in `" + task.name + "`";
    const std::string block = block_text(agent.block, agent.blocks, task.lanes());
    if (!block.empty()) where += ", " + block;
  }
  return where;
}

}  // namespace

RunError World::error_of(const Failure& failure, AgentId id) const {
  const Agent& agent = *agents_[id];
  RunError error;
  error.kind = failure.kind;
  error.rank = agent.rank;
  const Instr* instr = agent.next();
  std::string task = agent.frames.empty() ? "" : agent.frames.front().code->name;
  if (agent.level == CodeLevel::Kernel) {
    error.block = agent.block;
    error.task = task;
  }
  if (instr && instr->code == Opcode::Op) {
    error.op = op_for_messages(static_cast<const Call&>(*instr->node));
  }
  Diagnostics diags;
  Diagnostic& d = diags.report(failure.id, instr ? instr->node->span : Span{}, failure.arguments);
  std::string where = place(agent, options_.ranks);
  if (!error.op.empty()) d.with_label(error.op);
  if (!where.empty()) d.with_note(where);
  error.diagnostic = d;
  return error;
}

void World::fail_with(const Failure& failure, AgentId id) {
  error_ = error_of(failure, id);
  ready_.clear();
}

void World::report_deadlock() {
  // Those that wait for others to end add nothing.
  std::vector<AgentId> waiting;
  for (AgentId id : blocked_) {
    if (agents_[id]->next()->code == Opcode::Op) waiting.push_back(id);
  }
  if (waiting.empty()) waiting = blocked_;
  // As the runtime lists them, whatever the schedule was.
  auto order = [&](AgentId id) {
    const Span& at = agents_[id]->next()->node->span;
    return std::tuple(agents_[id]->rank, at.line, at.column, agents_[id]->block, id);
  };
  std::sort(waiting.begin(), waiting.end(), [&](AgentId a, AgentId b) { return order(a) < order(b); });
  Diagnostics diags;
  Span first;
  if (!waiting.empty()) first = agents_[waiting.front()]->next()->node->span;
  Diagnostic& d = diags.report(diag::run_deadlock, first, {diag::blocked_text(waiting.size())});
  for (AgentId id : waiting) {
    const Agent& agent = *agents_[id];
    std::string where = place(agent, options_.ranks);
    if (where.empty()) where = "the orchestration function";
    const Instr& instr = *agent.next();
    if (!agent.started) {
      d.with_note(where + ": " + core_text(agent), agent.top().code->node->span);
    } else if (instr.code == Opcode::Op && instr.entry->explain &&
               (instr.entry->ready || polls_in_vain(agent))) {
      Context context(*this, id, instr, nullptr);
      context.resolve_regions();
      d.with_note(where + ": " + instr.entry->explain(context, instr.entry->which), instr.node->span);
    } else {
      d.with_note(where + ": waits here", instr.node->span);
    }
  }
  error_ = RunError{RunError::Kind::Deadlock, d, {}, -1, -1, {}};
}

}  // namespace tilewire::interp
