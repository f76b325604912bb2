// Signals: cells that ranks notify and wait on, and what a rank knows of its group.
//
// A notify is one sequentially consistent update of the cell and a look at the waiter word of the region it
// lies in; a wait whose condition holds is one acquiring load. The runtime is called for the rest: to wake,
// to block, to let others run, and to notify far peers, or others behind what was sent to far ones. With
// `hooks` it does all of it.
#include <llvm/IR/MDBuilder.h>

#include "ir/abi_numbers.h"
#include "ir/op.h"
#include "ops/handles.h"
#include "target/cpu/emitter.h"

namespace tilewire::target::cpu {

using namespace ir;
using llvm::Value;

namespace {

Value* get_comm_ctx(FunctionEmitter& e, const Call& call) {
  return e.b.CreatePtrToInt(e.group(e.tensor(call.args[0])), e.b.getInt64Ty());
}

Value* group_of_context(FunctionEmitter& e, const ExprRef& context) {
  return e.b.CreateIntToPtr(e.scalar(context), e.b.getPtrTy());
}

Value* rank(FunctionEmitter& e, const Call& call) {
  return e.group_rank(group_of_context(e, call.args[0]));
}

Value* nranks(FunctionEmitter& e, const Call& call) {
  return e.group_size(group_of_context(e, call.args[0]));
}

Value* nhosts(FunctionEmitter& e, const Call& call) {
  return e.group_hosts(group_of_context(e, call.args[0]));
}

Value* check_group(FunctionEmitter& e, const Call& call) {
  Value* own = e.b.CreatePtrToInt(e.group(e.tensor(call.args[0])), e.b.getInt64Ty());
  e.fail_if(e.b.CreateICmpNE(own, e.scalar(call.args[1])), abi::Fault::OtherGroup, call, {});
  return nullptr;
}

// --- one cell

llvm::AtomicOrdering acquire = llvm::AtomicOrdering::Acquire;

Value* load_cell(FunctionEmitter& e, Value* cell) {
  auto* value = e.b.CreateAlignedLoad(e.b.getInt32Ty(), cell, llvm::Align(4));
  value->setAtomic(acquire);
  return value;
}

Value* holds(FunctionEmitter& e, abi::Compare cmp, Value* value, Value* expected) {
  switch (cmp) {
    case abi::Compare::Eq:
      return e.b.CreateICmpEQ(value, expected);
    case abi::Compare::Ge:
      return e.b.CreateICmpSGE(value, expected);
    case abi::Compare::Ne:
      return e.b.CreateICmpNE(value, expected);
    case abi::Compare::Gt:
      return e.b.CreateICmpSGT(value, expected);
    case abi::Compare::Lt:
      return e.b.CreateICmpSLT(value, expected);
    case abi::Compare::Le:
      return e.b.CreateICmpSLE(value, expected);
  }
  return nullptr;
}

// Emits `slow` for when the condition does not hold, away from the straight path. Returns what is known
// afterwards: `fast` if it succeeded, else the result of `slow`.
Value* unless(FunctionEmitter& e, Value* condition, Value* fast, llvm::function_ref<Value*()> slow) {
  llvm::Function* f = e.b.GetInsertBlock()->getParent();
  llvm::BasicBlock* before = e.b.GetInsertBlock();
  auto* aside = llvm::BasicBlock::Create(e.module.context, "slow", f);
  auto* after = llvm::BasicBlock::Create(e.module.context, "held", f, before->getNextNode());
  e.b.CreateCondBr(condition, after, aside, llvm::MDBuilder(e.module.context).createLikelyBranchWeights());
  e.b.SetInsertPoint(aside);
  Value* value = slow();
  llvm::BasicBlock* last = e.b.GetInsertBlock();
  e.b.CreateBr(after);
  e.b.SetInsertPoint(after);
  if (!fast) return nullptr;
  llvm::PHINode* result = e.b.CreatePHI(fast->getType(), 2);
  result->addIncoming(fast, before);
  result->addIncoming(value, last);
  return result;
}

// Looked at again, the cell is the same until it is another.
void note_value(FunctionEmitter& e, Value* cell, Value* value, const Call& call) {
  Value* differs = e.b.getInt32(static_cast<uint32_t>(abi::Compare::Ne));
  e.note_look(cell, value, differs, abi::LookKind::Read, call);
}

Value* wait_cell(FunctionEmitter& e, Value* cell, Value* expected, abi::Compare cmp, const Call& call) {
  Value* number = e.b.getInt32(static_cast<uint32_t>(cmp));
  auto block = [&]() -> Value* {
    Value* seen = e.new_alloca(e.b.getInt32Ty());
    e.return_unless_ok(e.call_api(offsetof(abi::Api, wait), {cell, expected, number, e.site(call), seen}));
    return e.b.CreateAlignedLoad(e.b.getInt32Ty(), seen, llvm::Align(4));
  };
  Value* value = nullptr;
  if (e.module.options.hooks) {
    value = block();
  } else {
    Value* loaded = load_cell(e, cell);
    value = unless(e, holds(e, cmp, loaded, expected), loaded, block);
  }
  note_value(e, cell, value, call);
  return value;
}

// Asked again, the test has the same answer until the condition, or its opposite, holds.
void note_answer(FunctionEmitter& e, Value* cell, Value* expected, abi::Compare cmp, Value* held,
                 const Call& call) {
  if (!e.in_poll()) return;
  auto number = [&](abi::Compare c) { return e.b.getInt32(static_cast<uint32_t>(c)); };
  Value* change = e.b.CreateSelect(held, number(opposite(cmp)), number(cmp));
  e.note_look(cell, expected, change, abi::LookKind::Test, call);
}

Value* test_cell(FunctionEmitter& e, Value* cell, Value* expected, abi::Compare cmp, const Call& call) {
  if (e.module.options.hooks) {
    Value* held = e.new_alloca(e.b.getInt32Ty());
    Value* number = e.b.getInt32(static_cast<uint32_t>(cmp));
    e.return_unless_ok(e.call_api(offsetof(abi::Api, test), {cell, expected, number, e.site(call), held}));
    Value* answer = e.b.CreateAlignedLoad(e.b.getInt32Ty(), held, llvm::Align(4));
    answer = e.b.CreateICmpNE(answer, e.b.getInt32(0));
    note_answer(e, cell, expected, cmp, answer, call);
    return answer;
  }
  Value* held = holds(e, cmp, load_cell(e, cell), expected);
  note_answer(e, cell, expected, cmp, held, call);
  if (e.in_poll()) return held;  // the end of the iteration yields
  unless(e, held, nullptr, [&]() -> Value* {
    e.return_unless_ok(e.call_api(offsetof(abi::Api, yield), {cell, e.site(call)}));
    return nullptr;
  });
  return held;
}

}  // namespace

// A plain tensor may be a window of the caller: the runtime knows.
void FunctionEmitter::wake_waiters(const TensorValue& tensor, Value* cell) {
  auto wake = [&]() -> Value* {
    auto* type = llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getPtrTy()}, false);
    b.CreateCall(type, api_function(offsetof(abi::Api, wake)), {context, cell});
    return nullptr;
  };
  if (!tensor.window) {
    wake();
    return;
  }
  Value* word = per_rank(group(tensor), offsetof(abi::Group, waiters), place_rank(tensor));
  auto* waiters = b.CreateAlignedLoad(b.getInt32Ty(), word, llvm::Align(4));
  waiters->setAtomic(llvm::AtomicOrdering::SequentiallyConsistent);
  unless(*this, b.CreateICmpEQ(waiters, b.getInt32(0)), nullptr, wake);
}

void FunctionEmitter::notify(const TensorValue& window, Value* cell, Value* value, NotifyOp op,
                             const Call& call, bool unreleased) {
  auto leave = [&]() -> Value* {
    Value* peer = window.window ? place_rank(window) : b.getInt32(-1);
    Value* number =
        b.getInt32(static_cast<uint32_t>(abi_number(op)) | (unreleased ? 0u : uint32_t{abi::released}));
    return_unless_ok(call_api(offsetof(abi::Api, notify), {cell, value, number, peer, site(call)}));
    return nullptr;
  };
  auto write = [&]() -> Value* {
    auto update = op == NotifyOp::AtomicAdd ? llvm::AtomicRMWInst::Add : llvm::AtomicRMWInst::Xchg;
    b.CreateAtomicRMW(update, cell, value, llvm::Align(4), llvm::AtomicOrdering::SequentiallyConsistent);
    wake_waiters(window, cell);
    return nullptr;
  };
  if (module.options.hooks) {
    leave();
  } else if (Value* special = needs_runtime(window, unreleased)) {
    rarely(special, leave, write);
  } else {
    write();
  }
}

namespace {

// The cell at `offsets`, or the only one of a slot.
Value* cell_of(FunctionEmitter& e, const TensorValue& window, const ExprRef& offsets, const Call& call) {
  if (!offsets) return window.data;
  return e.element_address(window.data, window.dtype, e.element_offset(window, e.indices(offsets), call));
}

Value* notify(FunctionEmitter& e, const Call& call) {
  TensorValue window = e.accessed_tensor(call.args[0], call);
  Value* value = e.scalar(operand(call, "value"));
  Value* cell = cell_of(e, window, operand(call, "offsets"), call);
  e.notify(window, cell, value, enum_attr<NotifyOp>(call, "op"), call);
  return nullptr;
}

struct Awaited {
  Value *cell, *expected;
  abi::Compare cmp;
};

Awaited awaited(FunctionEmitter& e, const Call& call) {
  ExprRef expected = operand(call, "expected");
  if (!expected) expected = operand(call, "cmp_value");
  Value* value = e.scalar(expected);
  return {cell_of(e, e.tensor(call.args[0]), operand(call, "offsets"), call), value,
          abi_number(enum_attr<WaitCmp>(call, "cmp"))};
}

Value* wait(FunctionEmitter& e, const Call& call) {
  Awaited a = awaited(e, call);
  return wait_cell(e, a.cell, a.expected, a.cmp, call);
}

Value* test(FunctionEmitter& e, const Call& call) {
  Awaited a = awaited(e, call);
  return test_cell(e, a.cell, a.expected, a.cmp, call);
}

Value* defer_wait(FunctionEmitter& e, const Call& call) {
  Awaited a = awaited(e, call);
  e.conditions.push_back({a.cell, a.expected, e.b.getInt32(static_cast<uint32_t>(a.cmp)), e.site(call)});
  return nullptr;
}

Value* peer_slot(FunctionEmitter& e, const Call& call) {
  const TensorValue& window = e.tensor(call.args[0]);
  TensorValue slot = e.at_peer(window, e.checked_peer(operand(call, "peer"), window, call));
  slot.data = cell_of(e, slot, operand(call, "offsets"), call);
  slot.extents = {e.i64(1)};
  slot.strides = {e.i64(1)};
  e.tensor_slot(e.tensor_result(&call)) = std::move(slot);
  return nullptr;
}

// --- a cell per rank, counted in row-major order

Value* numbered_cell(FunctionEmitter& e, const TensorValue& signal, Value* number, const Call& call) {
  Value* count = e.i64(1);
  for (Value* extent : signal.extents) count = e.b.CreateMul(count, extent);
  e.fail_if(e.b.CreateICmpUGE(number, count), abi::Fault::IndexOutOfRange, call,
            {number, count, e.i64(0), nullptr});
  Value* offset = e.i64(0);
  Value* rest = number;
  for (size_t d = signal.extents.size(); d-- > 0;) {
    // There is such a cell, so the extents before it are not zero.
    Value* extent = e.maximum(signal.extents[d], e.i64(1));
    Value* at = d == 0 ? rest : e.b.CreateURem(rest, extent);
    offset = e.b.CreateAdd(offset, e.b.CreateMul(at, signal.strides[d]));
    if (d != 0) rest = e.b.CreateUDiv(rest, extent);
  }
  return e.element_address(signal.data, signal.dtype, offset);
}

// Every other rank of the signal's group, or of the members given.
void each_other(FunctionEmitter& e, const TensorValue& signal, const ExprRef& members,
                llvm::function_ref<void(Value* me, Value* other)> body) {
  Value* group = e.group(signal);
  Value* me = e.b.CreateSExt(e.group_rank(group), e.b.getInt64Ty());
  Value *first = e.i64(0), *stride = e.i64(1), *count = nullptr;
  if (const auto* numbers = as<MakeTuple>(members)) {
    first = e.index(numbers->elements[0]);
    stride = e.index(numbers->elements[1]);
    count = e.index(numbers->elements[2]);
  } else {
    count = e.b.CreateSExt(e.group_size(group), e.b.getInt64Ty());
  }
  e.repeat(e.i64(0), count, 1, [&](Value* i) {
    Value* other = e.b.CreateAdd(first, e.b.CreateMul(i, stride));
    e.when(e.b.CreateICmpNE(other, me), [&] { body(me, other); });
  });
}

// One release: its notifies are not ordered among themselves.
Value* notify_all(FunctionEmitter& e, const Call& call) {
  TensorValue signal = e.tensor(call.args[0]);
  Value* value = e.scalar(call.args[1]);
  e.rarely(
      e.unlanded(),
      [&]() -> Value* {
        e.return_unless_ok(e.call_api(offsetof(abi::Api, land), {e.site(call)}));
        return nullptr;
      },
      []() -> Value* { return nullptr; });
  each_other(e, signal, call.args[3], [&](Value* me, Value* other) {
    TensorValue there = e.at_peer(signal, e.b.CreateTrunc(other, e.b.getInt32Ty()));
    e.notify(there, numbered_cell(e, there, me, call), value, NotifyOp::AtomicAdd, call, false);
  });
  return nullptr;
}

Value* wait_all(FunctionEmitter& e, const Call& call) {
  TensorValue signal = e.tensor(call.args[0]);
  Value* expected = e.scalar(call.args[1]);
  each_other(e, signal, call.args[3], [&](Value*, Value* other) {
    wait_cell(e, numbered_cell(e, signal, other, call), expected, abi::Compare::Ge, call);
  });
  return nullptr;
}

}  // namespace

void add_signal_lowerings(LoweringTable& table) {
  auto add = [&](const Op& op, ScalarFn function, OpClass op_class = OpClass::Scalar) {
    Lowering lowering;
    lowering.op_class = op_class;
    lowering.scalar = function;
    table.add(op, lowering);
  };
  add(ops::pld::get_comm_ctx, get_comm_ctx);
  add(ops::pld::rank, rank);
  add(ops::pld::nranks, nranks);
  add(ops::pld::nhosts, nhosts);
  add(ops::pld::system::check_group, check_group);
  add(ops::pld::system::notify, notify);
  add(ops::pld::system::wait, wait);
  add(ops::pld::system::test, test);
  add(ops::pld::system::defer_wait, defer_wait);
  add(ops::pld::system::notify_all, notify_all);
  add(ops::pld::system::wait_all, wait_all);
  add(ops::pld::peer_slot, peer_slot, OpClass::TensorView);
  add(ops::pl::pipe::notify, notify);
  add(ops::pl::pipe::wait, wait);
  add(ops::pl::tile::comm_notify, notify);
  add(ops::pl::tile::comm_wait, wait);
  add(ops::pl::tile::comm_test, test);
}

}  // namespace tilewire::target::cpu
