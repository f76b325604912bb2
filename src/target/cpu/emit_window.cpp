// Windows: the group behind one, the same place in a peer's memory, what the runtime does for far peers, and
// what `hooks` tells it.
//
// What the runtime says about groups does not change while a function runs, so those loads are marked as
// invariant: peers in a loop cost one load each.
#include <llvm/IR/Metadata.h>

#include "ir/abi_numbers.h"
#include "ir/aliases.h"
#include "ir/op.h"
#include "passes/mark_polls.h"
#include "target/cpu/emitter.h"

namespace tilewire::target::cpu {

using namespace ir;
using llvm::Value;

Value* FunctionEmitter::fixed_field(llvm::Type* type, Value* record, Value* offset) {
  auto* load = b.CreateLoad(type, b.CreateInBoundsGEP(b.getInt8Ty(), record, offset));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(module.context, {}));
  return load;
}

Value* FunctionEmitter::group(const TensorValue& window) {
  TW_CHECK(window.window != nullptr, "a window without its record");
  return fixed_field(b.getPtrTy(), window.window, i64(offsetof(abi::Window, group)));
}

Value* FunctionEmitter::group_rank(Value* group) {
  return fixed_field(b.getInt32Ty(), group, i64(offsetof(abi::Group, rank)));
}

Value* FunctionEmitter::group_size(Value* group) {
  return fixed_field(b.getInt32Ty(), group, i64(offsetof(abi::Group, rank_count)));
}

Value* FunctionEmitter::group_hosts(Value* group) {
  return fixed_field(b.getInt32Ty(), group, i64(offsetof(abi::Group, even_hosts)));
}

Value* FunctionEmitter::per_rank(Value* group, size_t table, Value* rank) {
  Value* first = fixed_field(b.getPtrTy(), group, i64(static_cast<int64_t>(table)));
  return fixed_field(b.getPtrTy(), first, b.CreateMul(b.CreateSExt(rank, b.getInt64Ty()), i64(8)));
}

Value* FunctionEmitter::place_rank(const TensorValue& window) {
  Value* own = group_rank(group(window));
  if (!window.peer) return own;
  return b.CreateSelect(b.CreateICmpSLT(window.peer, b.getInt32(0)), own, window.peer);
}

Value* FunctionEmitter::checked_peer(const ExprRef& peer, const TensorValue& window, const Node& at) {
  Value* rank = index(peer);
  Value* count = b.CreateSExt(group_size(group(window)), b.getInt64Ty());
  fail_if(b.CreateICmpUGE(rank, count), abi::Fault::PeerOutOfRange, at, {rank, count});
  return b.CreateTrunc(rank, b.getInt32Ty());
}

TensorValue FunctionEmitter::at_peer(const TensorValue& window, Value* peer) {
  Value* members = group(window);
  auto region = [&](Value* rank) {
    return b.CreatePtrToInt(per_rank(members, offsetof(abi::Group, regions), rank), b.getInt64Ty());
  };
  Value* distance = b.CreateSub(region(peer), region(place_rank(window)));
  TensorValue there = window;
  there.data = b.CreateGEP(b.getInt8Ty(), window.data, distance);
  there.peer = peer;
  track(there);
  return there;
}

TensorValue FunctionEmitter::accessed_tensor(const ExprRef& expr, const Call& call) {
  const TensorValue& own = tensor(expr);
  ExprRef peer = peer_operand(call);
  return peer ? at_peer(own, checked_peer(peer, own, call)) : own;
}

Value* FunctionEmitter::is_far(const TensorValue& window, Value* rank) {
  return b.CreateIsNull(per_rank(group(window), offsetof(abi::Group, waiters), rank));
}

Value* FunctionEmitter::unlanded() {
  Value* word = fixed_field(b.getPtrTy(), context, i64(offsetof(abi::Context, unlanded)));
  auto* count = b.CreateAlignedLoad(b.getInt32Ty(), word, llvm::Align(4));
  count->setAtomic(llvm::AtomicOrdering::Monotonic);
  return b.CreateICmpNE(count, b.getInt32(0));
}

Value* FunctionEmitter::needs_runtime(const TensorValue& there, bool unreleased) {
  if (!there.window || !there.peer) return nullptr;
  Value* far = is_far(there, place_rank(there));
  return unreleased ? b.CreateOr(far, unlanded()) : far;
}

void FunctionEmitter::transfer(const TransferSide& target, const TransferSide& source,
                               const std::vector<Value*>& extents, DType dtype, uint32_t bits, Value* peer,
                               const Call& call) {
  llvm::StructType* type = abi_types(module.context).transfer;
  Value* record = new_alloca(type);
  auto* reserved = llvm::Constant::getNullValue(type->getElementType(11));
  fill_record(
      type, record,
      {target.data, source.data, word_array(extents), word_array(target.strides), word_array(source.strides),
       b.getInt32(static_cast<uint32_t>(extents.size())), b.getInt32(bits), peer, site(call),
       b.getInt8(static_cast<uint8_t>(abi_number(dtype))), b.getInt8(static_cast<uint8_t>(bytes(dtype))),
       reserved, acquires_ ? b.CreateLoad(b.getInt32Ty(), acquires_) : static_cast<Value*>(b.getInt32(0))});
  return_unless_ok(call_api(offsetof(abi::Api, transfer), {record}));
}

void FunctionEmitter::count_acquire(const Call& call) {
  if (!acquires_ || !passes::may_acquire(call)) return;
  b.CreateStore(b.CreateAdd(b.CreateLoad(b.getInt32Ty(), acquires_), b.getInt32(1)), acquires_);
}

void FunctionEmitter::transfer_tile(const TileView& to, const TileView& from, DType dtype, uint32_t bits,
                                    Value* peer, const Call& call) {
  transfer({to.data, {to.row_stride, to.col_stride}}, {from.data, {from.row_stride, from.col_stride}},
           {from.rows, from.cols}, dtype, bits, peer, call);
}

void FunctionEmitter::announce(abi::HookKind kind, const TensorValue& tensor, const TileView& view,
                               const Call& call) {
  const bool looks = kind == abi::HookKind::Look || kind == abi::HookKind::Looked;
  if (!module.options.hooks || !(tensor.window || looks)) return;
  Value* size = i64(bytes(tensor.dtype));
  // A row with gaps counts as a whole.
  Value* last = b.CreateMul(b.CreateSub(view.cols, i64(1)), view.col_stride);
  Value* row = b.CreateMul(b.CreateAdd(last, i64(1)), size);
  row = b.CreateSelect(b.CreateICmpEQ(view.cols, i64(0)), i64(0), row);
  llvm::StructType* type = abi_types(module.context).hook_event;
  Value* event = new_alloca(type);
  Value* extents = llvm::PoisonValue::get(llvm::ArrayType::get(b.getInt64Ty(), 2));
  extents = b.CreateInsertValue(b.CreateInsertValue(extents, view.rows, 0), row, 1);
  fill_record(
      type, event,
      {b.getInt32(static_cast<uint32_t>(kind)), site(call), view.data, extents,
       b.CreateMul(view.row_stride, size), tensor.peer ? tensor.peer : b.getInt32(-1), b.getInt32(0)});
  return_unless_ok(call_api(offsetof(abi::Api, hook), {event}));
}

void FunctionEmitter::fill_record(llvm::StructType* type, Value* record,
                                  std::initializer_list<Value*> fields) {
  unsigned i = 0;
  for (Value* field : fields) b.CreateStore(field, b.CreateStructGEP(type, record, i++));
}

Value* FunctionEmitter::call_api(size_t function, std::initializer_list<Value*> args) {
  std::vector<Value*> values = {context};
  values.insert(values.end(), args.begin(), args.end());
  std::vector<llvm::Type*> types;
  for (Value* value : values) types.push_back(value->getType());
  auto* type = llvm::FunctionType::get(b.getInt32Ty(), types, false);
  return b.CreateCall(type, api_function(function), values);
}

StoreRegion FunctionEmitter::store_region(const Call& call, const TileView& tile) {
  TensorValue target = accessed_tensor(call.args[alias_slot(*call.op)], call);
  std::vector<Value*> offsets = indices(operand(call, "offsets"));
  std::vector<Value*> extents(offsets.size(), i64(1));
  size_t rank = extents.size();
  if (rank >= 1) extents[rank - 1] = tile.cols;
  if (rank >= 2) extents[rank - 2] = tile.rows;
  StoreRegion to{region(target, offsets, extents, call), target.peer, nullptr};
  if (peer_operand(call)) {
    to.far = is_far(target, target.peer);
  } else {
    bool adds = enum_attr<AtomicType>(call, "atomic") == AtomicType::Add;
    announce(adds ? abi::HookKind::Atomic : abi::HookKind::Write, target, to.view, call);
  }
  return to;
}

}  // namespace tilewire::target::cpu
