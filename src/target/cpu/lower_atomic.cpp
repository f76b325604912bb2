// Atomic updates that return the old value: one instruction, and for INT32 elements, which others may wait
// for, a look at the waiter word as after a notify. With `hooks` the runtime does them, and where it does
// notifies.
#include <limits>

#include "ir/op.h"
#include "ops/handles.h"
#include "target/cpu/emitter.h"

namespace tilewire::target::cpu {

using namespace ir;
using llvm::Value;

namespace {

// The first of these operands that the op has.
ExprRef either(const Call& call, const char* name, const char* other) {
  ExprRef found = operand(call, name);
  return found ? found : operand(call, other);
}

struct Update {
  TensorValue tensor;
  Value *element, *value, *expected;  // null: it adds
};

Value* left_to_runtime(FunctionEmitter& e, const Update& u, const Call& call) {
  auto* wide = e.b.getInt64Ty();
  const bool is_wide = u.tensor.dtype == DType::Int64;
  const uint32_t bits = (u.expected ? abi::Compares : 0u) | (is_wide ? abi::Wide : 0u);
  Value* expected = u.expected ? e.b.CreateSExt(u.expected, wide) : e.i64(0);
  Value* old = e.new_alloca(wide);
  e.return_unless_ok(e.call_api(
      offsetof(abi::Api, update),
      {u.element, expected, e.b.CreateSExt(u.value, wide), e.b.getInt32(bits), e.site(call), old}));
  return e.b.CreateTrunc(e.b.CreateAlignedLoad(wide, old, llvm::Align(8)), u.value->getType());
}

// A round that tries it again finds the same until the cell is another. One that has changed the cell does
// not come again: its condition always holds.
void note_try(FunctionEmitter& e, const Update& u, Value* old, const Call& call) {
  if (!e.in_poll() || u.tensor.dtype != DType::Int32) return;
  auto number = [&](abi::Compare cmp) { return e.b.getInt32(static_cast<uint32_t>(cmp)); };
  Value* changed =
      u.expected ? e.b.CreateICmpEQ(old, u.expected) : e.b.CreateICmpNE(u.value, e.b.getInt32(0));
  Value* least = e.b.getInt32(static_cast<uint32_t>(std::numeric_limits<int32_t>::min()));
  Value* cmp = e.b.CreateSelect(changed, number(abi::Compare::Ge), number(abi::Compare::Ne));
  e.note_look(u.element, e.b.CreateSelect(changed, least, old), cmp, abi::LookKind::Update, call);
}

Value* made_inline(FunctionEmitter& e, const Update& u) {
  const bool awaited = u.tensor.dtype == DType::Int32;
  const llvm::Align align(static_cast<uint64_t>(bytes(u.tensor.dtype)));
  const auto order = llvm::AtomicOrdering::SequentiallyConsistent;
  if (!u.expected) {
    Value* old = e.b.CreateAtomicRMW(llvm::AtomicRMWInst::Add, u.element, u.value, align, order);
    if (awaited) e.wake_waiters(u.tensor, u.element);
    return old;
  }
  Value* both =
      e.b.CreateAtomicCmpXchg(u.element, u.expected, u.value, align, order, llvm::AtomicOrdering::Acquire);
  if (awaited) {
    e.when(e.b.CreateExtractValue(both, 1), [&] { e.wake_waiters(u.tensor, u.element); });
  }
  return e.b.CreateExtractValue(both, 0);
}

Value* update(FunctionEmitter& e, const Call& call) {
  Update u{e.accessed_tensor(call.args[0], call), nullptr, nullptr, nullptr};
  if (ExprRef expected = operand(call, "expected")) u.expected = e.scalar(expected);
  u.value = e.scalar(either(call, "v", "value"));
  std::vector<Value*> where = e.indices(either(call, "idx", "offsets"));
  u.element = e.element_address(u.tensor.data, u.tensor.dtype, e.element_offset(u.tensor, where, call));
  auto leave = [&] { return left_to_runtime(e, u, call); };
  auto make = [&] { return made_inline(e, u); };
  Value* old = nullptr;
  if (e.module.options.hooks) {
    old = leave();
  } else if (Value* special = e.needs_runtime(u.tensor, true)) {
    old = e.rarely(special, leave, make);
  } else {
    old = make();
  }
  note_try(e, u, old, call);
  return old;
}

}  // namespace

void add_atomic_lowerings(LoweringTable& table) {
  Lowering lowering;
  lowering.op_class = OpClass::Scalar;
  lowering.scalar = update;
  table.add(ops::pl::tensor::atomic_add, lowering);
  table.add(ops::pl::tensor::atomic_cas, lowering);
  table.add(ops::pld::system::fetch_add, lowering);
  table.add(ops::pld::system::compare_exchange, lowering);
}

}  // namespace tilewire::target::cpu
