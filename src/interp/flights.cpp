// Remote writes under way, as agents of their own (Options::in_flight), and the cores that blocks hold
// (Options::cores).
#include <algorithm>

#include "interp/move.h"
#include "interp/op_table.h"

namespace tilewire::interp {

void World::take_off(Context& context, const View& from, const Tensor& to, bool add) {
  if (element_count(to.shape) == 0) return;
  const Agent& issuer = context.agent();
  Agent agent;
  agent.rank = issuer.rank;
  agent.task = issuer.task;
  agent.block = issuer.block;
  agent.started = true;
  agent.flight = std::make_shared<Flight>(Flight{context.agent_id, &context.instr, to, dense(from), add});
  const AgentId id = add_agent(std::move(agent));
  flights_.push_back(id);
  ++storages_[to.storage].users;
  if (!context.sink) return;
  const Agent& again = context.agent();
  Event event{.kind = Event::Kind::Issue,
              .agent = context.agent_id,
              .task = again.task,
              .rank = again.rank,
              .block = again.block,
              .where = &context.call};
  event.flight = id;
  context.sink->on(event);
}

void World::land(AgentId id, EventSink* sink) {
  const std::shared_ptr<const Flight> flight = agents_[id]->flight;
  Context context(*this, flight->issuer, *flight->instr, sink);
  if (flight->notifies) {
    flights_.erase(std::find(flights_.begin(), flights_.end(), id));
    ready_.erase(std::lower_bound(ready_.begin(), ready_.end(), id));
    agents_[id].write().flight = nullptr;
    --live_;
    write_cell(context, flight->to, flight->value, flight->add, flight->joint, id);
    return unuse(flight->to.storage);
  }
  View from{flight->to.dtype, flight->data.data(), flight->to.shape, dense_strides(flight->to.shape)};
  store_region(context, from, flight->to, flight->add);
  if (sink) {
    const Agent& agent = *agents_[id];
    sink->on({.kind = Event::Kind::Access,
              .agent = id,
              .task = agent.task,
              .rank = agent.rank,
              .block = agent.block,
              .storage = flight->to.storage,
              .box = box_of(flight->to),
              .access = flight->add ? ir::Access::Atomic : ir::Access::Write,
              .dtype = flight->to.dtype,
              .where = flight->instr->node});
  }
  flights_.erase(std::find(flights_.begin(), flights_.end(), id));
  ready_.erase(std::lower_bound(ready_.begin(), ready_.end(), id));
  agents_[id].write().flight = nullptr;
  --live_;
  unuse(flight->to.storage);
  note_change();
}

void World::land_all(AgentId issuer, EventSink* sink) {
  const std::vector<AgentId> all = flights_;
  for (AgentId id : all) {
    const Flight& flight = *agents_[id]->flight;
    if (flight.issuer == issuer && !flight.notifies) land(id, sink);
  }
}

// Those of the same block that a release, or an access to the same bytes, must follow.
void World::land_before(Context& context) {
  const OpEntry& entry = *context.instr.entry;
  std::vector<CellUse> cells;
  if (entry.updates) entry.cells(context, entry.which, cells);
  if (entry.signals || writes_cell(cells)) return land_all(context.agent_id, context.sink);
  const std::vector<AgentId> all = flights_;
  for (AgentId id : all) {
    const Flight& flight = *agents_[id]->flight;
    if (flight.issuer != context.agent_id || flight.notifies) continue;
    const Box box = box_of(flight.to);
    bool meets = std::any_of(context.regions().begin(), context.regions().end(), [&](const Region& region) {
      return region.part.storage == flight.to.storage && overlap(box_of(region.part), box);
    });
    if (meets) land(id, context.sink);
  }
}

bool World::needs_core(const Agent& agent) const {
  if (options_.cores == 0 || agent.level != CodeLevel::Kernel || agent.task == no_task || agent.flight) {
    return false;
  }
  return !tasks_[agent.task]->code->defers;
}

namespace {

// The number of those that work as one.
size_t pair_of(const Agent& agent, int64_t lanes) {
  return static_cast<size_t>(agent.block / lanes);
}

}  // namespace

// Cores that have to be free for a block to start. The first of blocks that start together takes those of
// all: with sync_start of the launch, else of the halves of a kernel.
int64_t World::cores_to_start(const Agent& agent) const {
  const Task& task = *tasks_[agent.task];
  if (task.sync_start) return task.started ? 0 : task.blocks;
  const int64_t lanes = task.code->lanes();
  if (lanes == 1) return 1;
  const size_t pair = pair_of(agent, lanes);
  return pair < task.started_pairs.size() && task.started_pairs[pair] ? 0 : lanes;
}

bool World::has_core(const Agent& agent) const {
  return !needs_core(agent) || busy_[agent.rank] + cores_to_start(agent) <= options_.cores;
}

std::string World::core_text(const Agent& agent) const {
  const int64_t cores = cores_to_start(agent);
  if (cores <= 1) return "waits for a core";
  return "waits for " + std::to_string(cores) + " cores at once, there are " + std::to_string(options_.cores);
}

// A block starts; others of its rank may have to wait for it to end.
void World::take_core(const Agent& agent) {
  if (!needs_core(agent)) return;
  busy_[agent.rank] += cores_to_start(agent);
  if (const int64_t lanes = tasks_[agent.task]->code->lanes(); lanes > 1) {
    std::vector<bool>& started = tasks_[agent.task].write().started_pairs;
    const size_t pair = pair_of(agent, lanes);
    if (started.size() <= pair) started.resize(pair + 1);
    started[pair] = true;
  }
  auto waits = [&](AgentId id) {
    const Agent& other = *agents_[id];
    return &other != &agent && !other.started && !has_core(other);
  };
  for (AgentId id : ready_) {
    if (waits(id)) blocked_.push_back(id);
  }
  ready_.erase(std::remove_if(ready_.begin(), ready_.end(), waits), ready_.end());
}

}  // namespace tilewire::interp
