// Notifies that land later than they are issued (Options::late_notifies). They are agents, like remote writes
// under way. One may land when those that happen before it have, and whoever comes after one in that order
// stands still in front of its cell until it has. Order between notifies comes from the program text of a
// block and from tasks; where a notify was seen, it has landed, and so have those before it.
#include <algorithm>

#include "interp/delays.h"
#include "interp/move.h"
#include "interp/op_table.h"
#include "numeric/arithmetic.h"
#include "numeric/numeric.h"

namespace tilewire::interp {

using namespace ir;

int64_t notified(int64_t before, int64_t value, bool add) {
  return numeric::wrap(DType::Int32, add ? before + value : value);
}

int64_t value_after(const CellUse& use, int64_t before) {
  const bool sets =
      use.kind == CellUse::Kind::Set || (use.kind == CellUse::Kind::Swap && before == use.expected);
  if (sets) return use.value;
  return use.adds() ? numeric::combine(Elementwise::Add, use.dtype, before, use.value) : before;
}

int64_t World::cell_value(StorageId id, int64_t offset, DType dtype) const {
  return numeric::load_integer(dtype, bytes(id) + offset);
}

void World::delay(std::shared_ptr<const Delays> delays) {
  options_.late_notifies = Late::Needed;
  options_.delays = std::move(delays);
}

bool World::is_late(const Agent& agent, const Instr& instr) const {
  if (options_.late_notifies == Late::Never || !notifies(instr)) return false;
  if (options_.late_notifies == Late::Always) return true;
  const Code& code = *agent.top().code;
  if (options_.delays->matter(code, agent.top().pc)) return true;
  if (!instr.entry->joint) return false;
  const Value& signal = agent.top().registers[code.slots[code.operands[instr.first].first]];
  return group_of(signal.tensor()->window).size() > 2;  // several notifies in no order
}

bool World::can_land(const Agent& agent) const {
  const std::vector<AgentId>& after = agent.flight->after;
  return std::none_of(after.begin(), after.end(), [&](AgentId id) { return in_flight(id); });
}

void World::add_notifies(std::vector<AgentId>& to, const std::vector<AgentId>& from) const {
  for (AgentId id : from) {
    if (in_flight(id) && std::find(to.begin(), to.end(), id) == to.end()) to.push_back(id);
  }
}

void World::notify(Context& context, const Tensor& cell, int64_t value, bool add, uint32_t joint) {
  const AgentId issuer = context.agent_id;
  if (!is_late(*agents_[issuer], context.instr)) return write_cell(context, cell, value, add, joint, 0);
  Agent agent;
  agent.rank = context.agent().rank;
  agent.task = context.agent().task;
  agent.block = context.agent().block;
  agent.started = true;
  Flight flight{issuer, &context.instr, cell, {}, add, true, value, joint, {}};
  std::vector<AgentId> own;
  for (AgentId id : context.agent().notifies) {
    if (!in_flight(id)) continue;
    own.push_back(id);
    // Those of the same release have no order.
    const Flight& other = *agents_[id]->flight;
    if (joint == 0 || other.issuer != issuer || other.instr != flight.instr || id + joint < agents_.size()) {
      flight.after.push_back(id);
    }
  }
  agent.flight = std::make_shared<Flight>(std::move(flight));
  const AgentId id = add_agent(std::move(agent));
  own.push_back(id);
  agents_[issuer].write().notifies = std::move(own);
  flights_.push_back(id);
  ++storages_[cell.storage].users;
  if (!context.sink) return;
  const Agent& again = context.agent();
  Event event{.kind = Event::Kind::Issue,
              .agent = issuer,
              .task = again.task,
              .rank = again.rank,
              .block = again.block,
              .storage = cell.storage,
              .box = box_of(cell),
              .access = Access::Signal,
              .where = &context.call};
  event.operand = value;
  event.set = !add;
  event.joint = joint;
  event.flight = id;
  event.after = agents_[id]->flight->after;
  context.sink->on(event);
}

void World::write_cell(Context& context, const Tensor& cell, int64_t value, bool add, uint32_t joint,
                       AgentId flight) {
  const int64_t before = numeric::load_integer(DType::Int32, context.view(cell).base);
  const int64_t now = notified(before, value, add);
  numeric::store_integer(DType::Int32, context.writable(cell), now);
  note_change();
  if (!context.sink) return;
  const Agent& agent = *agents_[flight ? flight : context.agent_id];  // the issuer may have ended
  Event event{.kind = Event::Kind::Signal,
              .agent = context.agent_id,
              .task = agent.task,
              .rank = agent.rank,
              .block = agent.block,
              .storage = cell.storage,
              .box = box_of(cell),
              .access = Access::Signal,
              .value = now,
              .where = &context.call};
  event.operand = value;
  event.set = !add;
  event.joint = joint;
  event.flight = flight;
  context.sink->on(event);
}

// Whether notifies have to land before the agent carries this out: those of the cells it uses, and all, when
// it releases and that takes effect at once.
bool World::waits_for_notifies(AgentId id, const Instr& instr) {
  const Agent& agent = *agents_[id];
  if (instr.code == Opcode::Return && agent.level == CodeLevel::Host && agent.frames.size() == 1) {
    return std::any_of(flights_.begin(), flights_.end(),
                       [&](AgentId flight) { return agents_[flight]->flight->notifies; });
  }
  if (agent.notifies.empty() || instr.code != Opcode::Op || !instr.entry->accesses) return false;
  std::vector<AgentId> waiting;
  add_notifies(waiting, agent.notifies);
  if (waiting.empty()) return false;
  if (notifies(instr)) return !is_late(agent, instr);
  try {
    Context context(*this, id, instr, nullptr);
    context.resolve_regions();
    std::vector<CellUse> cells;
    if (instr.entry->cells) instr.entry->cells(context, instr.entry->which, cells);
    const bool releases = instr.entry->updates && writes_cell(cells);
    return releases || std::any_of(waiting.begin(), waiting.end(), [&](AgentId notify) {
             const Tensor& to = agents_[notify]->flight->to;
             const Box box = box_of(to);
             auto used = [&](const CellUse& use) {
               return use.storage == to.storage && use.offset == box.offset;
             };
             auto meets = [&](const Region& region) {
               return region.part.storage == to.storage && overlap(box_of(region.part), box);
             };
             return std::any_of(cells.begin(), cells.end(), used) ||
                    std::any_of(context.regions().begin(), context.regions().end(), meets);
           });
  } catch (const Failure&) {
    return false;  // running it reports the error
  }
}

// A function that submits tasks continues after some of them.
void World::join_notifies(AgentId id, const Instr& instr) {
  for (TaskNo task : joined_tasks(id, instr)) {
    if (!tasks_[task]->end_notifies.empty()) {
      add_notifies(agents_[id].write().notifies, tasks_[task]->end_notifies);
    }
  }
}

}  // namespace tilewire::interp
