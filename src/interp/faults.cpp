// Checked errors that do not end the run: what is wrong without them shows all the same.
#include <algorithm>

#include "interp/op_table.h"
#include "interp/world.h"
#include "ir/op.h"

namespace tilewire::interp {

void World::take_fault(const Failure& failure, AgentId id, EventSink* sink) {
  constexpr size_t most = 10'000;  // a loop may never end
  const bool is_program = failure.kind == RunError::Kind::Program && faults_.size() < most;
  if (options_.on_error == OnError::Stop || !is_program || agents_[id]->level == CodeLevel::Host) {
    return fail_with(failure, id);
  }
  Fault fault{.error = error_of(failure, id), .agent = id};
  fault.skipped = options_.on_error == OnError::Skip && skip_op(id, fault);
  faults_.push_back(std::move(fault));
  try {
    if (faults_.back().skipped) {
      settle(id, sink);
    } else {
      ready_.erase(std::remove(ready_.begin(), ready_.end(), id), ready_.end());
    }
    go_on(sink);
  } catch (const Failure& next) {
    fail_with(next, id);
  }
}

// Goes on after an op that yields no data. False where it does.
bool World::skip_op(AgentId id, Fault& fault) {
  Agent& agent = agents_[id].write();
  const Instr* instr = agent.next();
  const auto* call = instr && instr->code == Opcode::Op ? ir::as<ir::Call>(instr->node) : nullptr;
  if (!call || agent.flight || !agent.started) return false;
  bool notifies = false;
  for (const ir::Effect& effect : call->op->effects) {
    if (effect.access == ir::Access::Wait || effect.access == ir::Access::Update) return false;
    notifies |= effect.access == ir::Access::Signal;
  }
  if (ir::isa<ir::TileType>(call->type) || ir::scalar_dtype(call->type)) return false;
  Frame& frame = agent.frames.back();
  auto operand = [&](size_t i) -> const Value* {
    const Operand& at = frame.code->operands[instr->first + i];
    return at.given ? &frame.registers[frame.code->slots[at.first]] : nullptr;
  };
  const Value* result = nullptr;
  for (size_t i = 0; i < instr->count; ++i) {
    const Value* value = operand(i);
    const Tensor* tensor = value ? value->tensor() : nullptr;
    if (!tensor) continue;
    if (!result) result = value;
    if (tensor->window >= 0) fault.windows.push_back(tensor->window);
  }
  fault.added = 0;
  if (notifies) {
    const int param = call->op->param_index("value");
    const int slot = param < 0 ? -1 : call->op->operand_slots[static_cast<size_t>(param)];
    const Value* value = slot < 0 ? nullptr : operand(static_cast<size_t>(slot));
    fault.added = value ? value->scalar()->i : 1;
    const ir::AttrValue* how = ir::find_attr(call->attrs, "op");
    const auto* kind = how ? how->get<ir::EnumValue>() : nullptr;
    if (kind && static_cast<ir::NotifyOp>(kind->value) != ir::NotifyOp::AtomicAdd) fault.added = {};
  }
  if (result) {
    Value copy = *result;
    frame.registers[instr->dst] = std::move(copy);
  }
  agent.part = 0;
  ++frame.pc;
  return true;
}

}  // namespace tilewire::interp
