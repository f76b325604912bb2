// Host functions: window buffers, and views of them. They run before any rank does, so nothing is allocated
// here: the runtime is told what size each buffer has, and views are places in a buffer of some number.
#include "ir/op.h"
#include "ops/handles.h"
#include "target/cpu/emitter.h"

namespace tilewire::target::cpu {

using namespace ir;
using llvm::Value;

namespace {

Value* world_size(FunctionEmitter& e, const Call&) {
  Value* count = e.context_field(offsetof(abi::Context, rank_count), e.b.getInt32Ty());
  return e.b.CreateSExt(count, e.b.getInt64Ty());
}

// Bytes of a dense tensor; the largest number there is when they are more.
Value* byte_count(FunctionEmitter& e, const std::vector<Value*>& extents, DType dtype, const Call& call) {
  Value* size = e.i64(bytes(dtype));
  Value* too_large = e.b.getFalse();
  for (size_t i = 0; i < extents.size(); ++i) {
    e.fail_if(e.b.CreateICmpSLT(extents[i], e.i64(0)), abi::Fault::NegativeExtent, call,
              {extents[i], nullptr, e.i64(static_cast<int64_t>(i)), nullptr});
    Value* pair = e.b.CreateBinaryIntrinsic(llvm::Intrinsic::smul_with_overflow, size, extents[i]);
    size = e.b.CreateExtractValue(pair, 0);
    too_large = e.b.CreateOr(too_large, e.b.CreateExtractValue(pair, 1));
  }
  return e.b.CreateSelect(too_large, e.i64(INT64_MAX), size);
}

// Gives the bytes, which views of the buffer are compared with.
Value* alloc_window_buffer(FunctionEmitter& e, const Call& call) {
  Value* size = nullptr;
  if (ExprRef shape = operand(call, "shape")) {
    size = byte_count(e, e.indices(shape), *find_attr(call.attrs, "dtype")->get<DType>(), call);
  } else {
    size = e.index(operand(call, "nbytes"));
  }
  e.fail_if(e.b.CreateICmpSLE(size, e.i64(0)), abi::Fault::WindowSize, call, {size});
  if (auto number = e.module.window_number(e.variable_result())) {
    e.return_unless_ok(e.call_api(offsetof(abi::Api, window), {e.b.getInt32(*number), size, e.site(call)}));
  }
  return size;
}

Value* window(FunctionEmitter& e, const Call& call) {
  const auto& buffer = static_cast<const WindowBuffer&>(*call.args[0]);
  uint32_t number = *e.module.window_number(buffer.base.get());
  TensorValue view;
  view.dtype = static_cast<const TensorType&>(*call.type).dtype;
  view.extents = e.indices(call.args[1]);
  view.strides = e.dense_strides(view.extents);
  Value* size = byte_count(e, view.extents, view.dtype, call);
  Value* room = e.scalar(buffer.base);
  e.fail_if(e.b.CreateICmpSGT(size, room), abi::Fault::WindowView, call, {size, room, e.i64(number)});
  view.data = llvm::ConstantPointerNull::get(e.b.getPtrTy());
  view.window = e.b.CreateIntToPtr(e.i64(number), e.b.getPtrTy());
  e.tensor_slot(e.tensor_result(&call)) = std::move(view);
  return nullptr;
}

}  // namespace

void add_host_lowerings(LoweringTable& table) {
  auto add = [&](const Op& op, ScalarFn function, OpClass op_class) {
    Lowering lowering;
    lowering.op_class = op_class;
    lowering.scalar = function;
    table.add(op, lowering);
  };
  add(ops::pld::world_size, world_size, OpClass::Scalar);
  add(ops::pld::alloc_window_buffer, alloc_window_buffer, OpClass::Scalar);
  add(ops::pld::window, window, OpClass::TensorCreate);
}

}  // namespace tilewire::target::cpu
