// Atomic updates that return the old value: one instruction, and for INT32 elements, which others may wait
// for, a look at the waiter word as after a notify. With `hooks` the runtime does them.
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

Value* hooked(FunctionEmitter& e, const Update& u, const Call& call) {
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

Value* update(FunctionEmitter& e, const Call& call) {
  Update u{e.accessed_tensor(call.args[0], call), nullptr, nullptr, nullptr};
  if (ExprRef expected = operand(call, "expected")) u.expected = e.scalar(expected);
  u.value = e.scalar(either(call, "v", "value"));
  std::vector<Value*> where = e.indices(either(call, "idx", "offsets"));
  u.element = e.element_address(u.tensor.data, u.tensor.dtype, e.element_offset(u.tensor, where, call));
  if (e.module.options.hooks) return hooked(e, u, call);
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
