// Memory of other ranks. Tiles are loaded and stored in place like those of own tensors, while the rank is
// near; whole tensors are transferred by the runtime.
#include "ir/op.h"
#include "ops/handles.h"
#include "target/cpu/emitter.h"

namespace tilewire::target::cpu {

using namespace ir;
using llvm::Value;

namespace {

bool adds(const Call& call) {
  return call.op->param_index("atomic") >= 0 && enum_attr<AtomicType>(call, "atomic") == AtomicType::Add;
}

// A region of a tensor: at `offsets`, or all of it without.
TransferSide region(FunctionEmitter& e, const TensorValue& tensor, const std::vector<Value*>& offsets,
                    const std::vector<Value*>& extents, const Call& call) {
  if (offsets.empty()) return {tensor.data, tensor.strides};
  return {e.region(tensor, offsets, extents, call).data, tensor.strides};
}

void store_tile(FunctionEmitter& e, const Call& call, std::span<const int>) {
  const TileView& tile = e.tile(call.args[0]);
  const DType dtype = static_cast<const TileType&>(*call.args[0]->type).dtype;
  const StoreRegion to = e.store_region(call, tile);
  auto send = [&]() -> Value* {
    const uint32_t bits = abi::ToPeer | (adds(call) ? abi::AtomicAdd : 0u);
    e.transfer_tile(to.view, tile, dtype, bits, to.peer, call);
    return nullptr;
  };
  if (e.module.options.hooks) {
    send();
    return;
  }
  e.rarely(to.far, send, [&]() -> Value* {
    add_tile(e, dtype, tile, to.view);
    return nullptr;
  });
}

Value* store_tensor(FunctionEmitter& e, const Call& call) {
  const TensorValue& source = e.tensor(call.args[0]);
  TensorValue target = e.accessed_tensor(call.args[1], call);
  TransferSide to = region(e, target, e.indices(operand(call, "offsets")), source.extents, call);
  uint32_t bits = abi::ToPeer | (adds(call) ? abi::AtomicAdd : 0u);
  e.transfer(to, {source.data, source.strides}, source.extents, target.dtype, bits, target.peer, call);
  return nullptr;
}

// put and get: `away` is the operand at the peer.
struct Copied {
  TensorValue target, source;
};

void copy(FunctionEmitter& e, const Copied& c, uint32_t bits, Value* peer, const Call& call) {
  std::vector<Value*> extents = c.target.extents;
  if (ExprRef shape = operand(call, "shape")) {
    extents = e.indices(shape);
    for (size_t i = 0; i < extents.size(); ++i) {
      e.fail_if(e.b.CreateICmpSLT(extents[i], e.i64(0)), abi::Fault::NegativeExtent, call,
                {extents[i], nullptr, e.i64(static_cast<int64_t>(i)), nullptr});
    }
  } else {
    for (size_t i = 0; i < extents.size(); ++i) {
      e.fail_if(e.b.CreateICmpNE(extents[i], c.source.extents[i]), abi::Fault::ExtentMismatch, call,
                {extents[i], c.source.extents[i], e.i64(static_cast<int64_t>(i)), nullptr});
    }
  }
  auto offsets = [&](const char* name) {
    ExprRef list = operand(call, name);
    return list ? e.indices(list) : std::vector<Value*>();
  };
  TransferSide to = region(e, c.target, offsets("dst_offsets"), extents, call);
  TransferSide from = region(e, c.source, offsets("src_offsets"), extents, call);
  e.transfer(to, from, extents, c.target.dtype, bits, peer, call);
}

Value* put(FunctionEmitter& e, const Call& call) {
  TensorValue target = e.accessed_tensor(call.args[0], call);
  uint32_t bits = abi::ToPeer | (adds(call) ? abi::AtomicAdd : 0u);
  ExprRef signal = operand(call, "signal");
  Value *cell = nullptr, *value = nullptr;
  TensorValue cells;
  // A cell that is not there stops the run before any data moves.
  if (signal) {
    cells = e.accessed_tensor(signal, call);
    value = e.scalar(operand(call, "value"));
    Value* offset = e.element_offset(cells, e.indices(operand(call, "at")), call);
    cell = e.element_address(cells.data, cells.dtype, offset);
  }
  copy(e, {target, e.tensor(operand(call, "src"))}, bits, target.peer, call);
  if (signal) e.notify(cells, cell, value, enum_attr<NotifyOp>(call, "op"), call);
  return nullptr;
}

Value* get(FunctionEmitter& e, const Call& call) {
  TensorValue source = e.accessed_tensor(operand(call, "src"), call);
  copy(e, {e.tensor(call.args[0]), source}, 0, source.peer, call);
  return nullptr;
}

}  // namespace

void add_remote_lowerings(LoweringTable& table) {
  auto add = [&](const Op& op, ScalarFn function) {
    Lowering lowering;
    lowering.op_class = OpClass::Scalar;
    lowering.scalar = function;
    table.add(op, lowering);
  };
  table.add(ops::pld::tile::remote_load, {});
  Lowering store;
  store.opaque = store_tile;
  table.add(ops::pld::tile::remote_store, store);
  add(ops::pld::tensor::remote_store, store_tensor);
  add(ops::pld::tensor::put, put);
  add(ops::pld::tensor::get, get);
}

}  // namespace tilewire::target::cpu
