// Tensors as such: views, new storage, single elements.
#include "ir/op.h"
#include "ops/handles.h"
#include "target/cpu/emitter.h"

namespace tilewire::target::cpu {

using namespace ir;
using llvm::Value;

namespace {

// The variable a view or creation defines is found through its call: each has one result.
TensorValue& result_slot(FunctionEmitter& e, const Call& call) {
  return e.tensor_slot(e.tensor_result(&call));
}

Value* slice(FunctionEmitter& e, const Call& call) {
  const TensorValue& t = e.tensor(call.args[0]);
  std::vector<Value*> shape = e.indices(call.args[1]);
  std::vector<Value*> offsets = e.indices(call.args[2]);
  for (size_t i = 0; i < shape.size(); ++i) {
    e.fail_if(e.b.CreateICmpSLT(shape[i], e.i64(0)), abi::Fault::NegativeExtent, call,
              {shape[i], nullptr, e.i64(static_cast<int64_t>(i)), nullptr});
  }
  TensorValue part = t;
  part.data = e.region(t, offsets, shape, call).data;
  part.extents.clear();
  part.strides.clear();
  std::vector<bool> drop(shape.size());
  if (call.args.size() > 3 && call.args[3]) {
    for (const ExprRef& dim : static_cast<const MakeTuple&>(*call.args[3]).elements)
      drop[*constant_value(dim)] = true;
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    if (drop[i]) continue;
    part.extents.push_back(shape[i]);
    part.strides.push_back(t.strides[i]);
  }
  result_slot(e, call) = std::move(part);
  return nullptr;
}

Value* reshape(FunctionEmitter& e, const Call& call) {
  const TensorValue& t = e.tensor(call.args[0]);
  TensorValue view = t;
  view.extents = e.indices(call.args[1]);
  view.strides = e.dense_strides(view.extents);
  Value* count = e.i64(1);
  Value* strided = e.b.getFalse();
  std::vector<Value*> dense = e.dense_strides(t.extents);
  for (size_t i = 0; i < t.extents.size(); ++i) {
    count = e.b.CreateMul(count, t.extents[i]);
    Value* moves = e.b.CreateICmpNE(t.extents[i], e.i64(1));
    strided = e.b.CreateOr(strided, e.b.CreateAnd(moves, e.b.CreateICmpNE(t.strides[i], dense[i])));
  }
  strided = e.b.CreateAnd(strided, e.b.CreateICmpNE(count, e.i64(0)));
  Value* asked = e.i64(1);
  for (Value* extent : view.extents) asked = e.b.CreateMul(asked, extent);
  Value* bad = e.b.CreateOr(strided, e.b.CreateICmpNE(count, asked));
  e.fail_if(bad, abi::Fault::ReshapeCount, call, {e.b.CreateSelect(strided, e.i64(-1), count), asked});
  result_slot(e, call) = std::move(view);
  return nullptr;
}

Value* transpose(FunctionEmitter& e, const Call& call) {
  TensorValue view = e.tensor(call.args[0]);
  auto axis = [&](const char* name, int64_t fallback) {
    const AttrValue* value = find_attr(call.attrs, name);
    int64_t index = value ? *value->get<int64_t>() : fallback;
    return static_cast<size_t>(index < 0 ? index + static_cast<int64_t>(view.extents.size()) : index);
  };
  size_t a = axis("axis1", -2), b = axis("axis2", -1);
  std::swap(view.extents[a], view.extents[b]);
  std::swap(view.strides[a], view.strides[b]);
  result_slot(e, call) = std::move(view);
  return nullptr;
}

Value* no_dep(FunctionEmitter& e, const Call& call) {
  TensorValue view = e.tensor(call.args[0]);
  view.untracked = true;
  result_slot(e, call) = std::move(view);
  return nullptr;
}

// A part of a buffer of bytes.
Value* slot(FunctionEmitter& e, const Call& call) {
  const TensorValue& buffer = e.tensor(call.args[0]);
  TensorValue part = buffer;
  part.dtype = static_cast<const TensorType&>(*call.type).dtype;
  part.extents = e.indices(call.args[2]);
  part.strides = e.dense_strides(part.extents);
  Value* size = e.i64(bytes(part.dtype));
  for (Value* extent : part.extents) size = e.b.CreateMul(size, extent);
  Value* const starts[] = {e.index(call.args[1])};
  Value* const sizes[] = {size};
  part.data = e.region(buffer, starts, sizes, call).data;
  result_slot(e, call) = std::move(part);
  return nullptr;
}

Value* check_workspace(FunctionEmitter& e, const Call& call) {
  Value *bytes = e.index(call.args[0]), *blocks = e.index(call.args[1]), *needed = e.index(call.args[2]);
  Value* share = e.b.CreateSDiv(bytes, e.maximum(blocks, e.i64(1)));
  e.fail_if(e.b.CreateICmpSLT(share, needed), abi::Fault::PipeWorkspace, call, {bytes, blocks, needed});
  return nullptr;
}

struct Created {
  TensorValue tensor;
  Value* bytes;
};

// The runtime owns created storage; it gives it back when the function ends and its readers have.
Created new_tensor(FunctionEmitter& e, const Call& call) {
  TensorValue t;
  t.dtype = static_cast<const TensorType&>(*call.type).dtype;
  t.extents = e.indices(call.args[0]);
  t.strides = e.dense_strides(t.extents);
  Value* size = e.i64(bytes(t.dtype));
  Value* too_large = e.b.getFalse();
  for (size_t i = 0; i < t.extents.size(); ++i) {
    Value* extent = t.extents[i];
    e.fail_if(e.b.CreateICmpSLT(extent, e.i64(0)), abi::Fault::NegativeExtent, call,
              {extent, nullptr, e.i64(static_cast<int64_t>(i)), nullptr});
    Value* pair = e.b.CreateBinaryIntrinsic(llvm::Intrinsic::umul_with_overflow, size, extent);
    size = e.b.CreateExtractValue(pair, 0);
    too_large = e.b.CreateOr(too_large, e.b.CreateExtractValue(pair, 1));
  }
  size = e.b.CreateSelect(too_large, e.i64(-1), size);  // more than there is: the runtime reports it
  Value* slot = e.new_alloca(e.b.getPtrTy());
  auto* type = llvm::FunctionType::get(
      e.b.getInt32Ty(), {e.b.getPtrTy(), e.b.getInt64Ty(), e.b.getInt32Ty(), e.b.getPtrTy()}, false);
  Value* status = e.b.CreateCall(type, e.api_function(offsetof(abi::Api, allocate)),
                                 {e.context, size, e.site(call), slot});
  e.return_unless_ok(status);
  t.data = e.b.CreateLoad(e.b.getPtrTy(), slot);
  e.track(t);
  return {std::move(t), size};
}

Value* create(FunctionEmitter& e, const Call& call) {
  result_slot(e, call) = new_tensor(e, call).tensor;
  return nullptr;
}

Value* release(FunctionEmitter& e, const Call& call) {
  e.return_unless_ok(e.call_api(offsetof(abi::Api, release), {e.tensor(call.args[0]).data}));
  return nullptr;
}

Value* cells(FunctionEmitter& e, const Call& call) {
  Created made = new_tensor(e, call);
  e.b.CreateMemSet(made.tensor.data, e.b.getInt8(0), made.bytes, llvm::MaybeAlign(64));
  result_slot(e, call) = std::move(made.tensor);
  return nullptr;
}

TileView one_element(FunctionEmitter& e, Value* at) {
  return {at, e.i64(1), e.i64(1), e.i64(1), e.i64(1)};
}

Value* read(FunctionEmitter& e, const Call& call) {
  TensorValue t = e.tensor(call.args[0]);
  std::vector<Value*> where = e.indices(call.args[1]);
  Value* at = e.element_address(t.data, t.dtype, e.element_offset(t, where, call));
  e.await_element(call, t, at, abi::Reads);
  // An element of an INT32 window may be a cell that others notify; so may one of a plain tensor that a loop
  // polls, where the caller has passed a window.
  bool cell = (t.window || e.in_poll()) && t.dtype == DType::Int32;
  e.announce(cell ? abi::HookKind::Look : abi::HookKind::Read, t, one_element(e, at), call);
  if (!cell) return e.load_element(at, t.dtype);
  auto* value = e.b.CreateAlignedLoad(e.b.getInt32Ty(), at, llvm::Align(4));
  value->setAtomic(llvm::AtomicOrdering::Monotonic);
  e.announce(abi::HookKind::Looked, t, one_element(e, at), call);
  Value* differs = e.b.getInt32(static_cast<uint32_t>(abi::Compare::Ne));
  e.note_look(at, value, differs, abi::LookKind::Read, call);
  return value;
}

Value* write(FunctionEmitter& e, const Call& call) {
  TensorValue t = e.tensor(call.args[0]);
  std::vector<Value*> where = e.indices(call.args[1]);
  Value* value = e.scalar(call.args[2]);
  Value* at = e.element_address(t.data, t.dtype, e.element_offset(t, where, call));
  e.await_element(call, t, at, abi::Writes);
  e.announce(abi::HookKind::Write, t, one_element(e, at), call);
  e.store_element(at, t.dtype, value);
  return nullptr;
}

Value* dim(FunctionEmitter& e, const Call& call) {
  const TensorValue& t = e.tensor(call.args[0]);
  int64_t axis = *find_attr(call.attrs, "i")->get<int64_t>();
  return t.extents[static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(t.extents.size()) : axis)];
}

}  // namespace

void add_tensor_lowerings(LoweringTable& table) {
  auto add = [&](const Op& op, OpClass op_class, ScalarFn function) {
    Lowering lowering;
    lowering.op_class = op_class;
    lowering.scalar = function;
    table.add(op, lowering);
  };
  add(ops::pl::tensor::slice, OpClass::TensorView, slice);
  add(ops::pl::tensor::reshape, OpClass::TensorView, reshape);
  add(ops::pl::tensor::transpose, OpClass::TensorView, transpose);
  Lowering untracked;
  untracked.op_class = OpClass::TensorView;
  untracked.scalar = no_dep;
  untracked.untracked = true;
  table.add(ops::pl::no_dep, untracked);
  add(ops::pl::pipe::cells, OpClass::TensorCreate, cells);
  add(ops::pl::pipe::slot, OpClass::TensorView, slot);
  add(ops::pl::pipe::check_workspace, OpClass::Scalar, check_workspace);
  add(ops::pl::tensor::create, OpClass::TensorCreate, create);
  add(ops::pl::tensor::release, OpClass::Scalar, release);
  add(ops::pl::tensor::read, OpClass::Scalar, read);
  add(ops::pl::tensor::write, OpClass::Scalar, write);
  add(ops::pl::tensor::dim, OpClass::Scalar, dim);
}

}  // namespace tilewire::target::cpu
