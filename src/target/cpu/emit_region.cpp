// Regions and elements of tensors, checked before they are touched.
#include "target/cpu/emitter.h"

namespace tilewire::target::cpu {

using namespace ir;
using llvm::Value;

std::vector<Value*> FunctionEmitter::indices(const ExprRef& list) {
  std::vector<Value*> result;
  if (const auto* tuple = as<MakeTuple>(list)) {
    for (const ExprRef& element : tuple->elements) result.push_back(index(element));
  }
  return result;
}

std::vector<Value*> FunctionEmitter::dense_strides(const std::vector<Value*>& extents) {
  std::vector<Value*> strides(extents.size());
  Value* stride = i64(1);
  for (size_t i = extents.size(); i-- > 0;) {
    strides[i] = stride;
    stride = b.CreateMul(stride, extents[i]);
  }
  return strides;
}

// One branch for all dimensions; which of them it was is found out after it has failed.
TileView FunctionEmitter::region(const TensorValue& tensor, std::span<Value* const> offsets,
                                 std::span<Value* const> extents, const Node& at) {
  Value* bad = b.getFalse();
  size_t rank = tensor.extents.size();
  std::vector<Value*> outside(rank);
  for (size_t i = 0; i < rank; ++i) {
    // 0 <= offset <= extent - asked, both signed; an empty region may stand at the end.
    Value* room = b.CreateSub(tensor.extents[i], extents[i]);
    outside[i] = b.CreateOr(b.CreateICmpSLT(room, i64(0)), b.CreateICmpUGT(offsets[i], room));
    bad = b.CreateOr(bad, outside[i]);
  }
  FaultNumbers numbers;
  for (size_t i = rank; i-- > 0;) {
    auto pick = [&](Value* mine, Value* other) {
      return other ? b.CreateSelect(outside[i], mine, other) : mine;
    };
    if (const auto* never = llvm::dyn_cast<llvm::ConstantInt>(bad); never && never->isZero()) break;
    numbers = {pick(offsets[i], numbers.a), pick(extents[i], numbers.b),
               pick(i64(static_cast<int64_t>(i)), numbers.c), pick(tensor.extents[i], numbers.d)};
  }
  if (!module.options.trusting) fail_if(bad, abi::Fault::RegionOutOfRange, at, numbers);
  Value* offset = i64(0);
  for (size_t i = 0; i < rank; ++i) offset = b.CreateAdd(offset, b.CreateMul(offsets[i], tensor.strides[i]));
  TileView view;
  view.data = element_address(tensor.data, tensor.dtype, offset);
  view.col_stride = rank ? tensor.strides[rank - 1] : i64(1);
  view.cols = rank ? extents[rank - 1] : i64(1);
  view.row_stride = rank > 1 ? tensor.strides[rank - 2] : view.cols;
  view.rows = rank > 1 ? extents[rank - 2] : i64(1);
  return view;
}

// --- what --debug-bounds needs to know

std::pair<Value*, Value*> FunctionEmitter::reach(std::span<Value* const> extents,
                                                 std::span<Value* const> strides) {
  Value *low = i64(0), *high = i64(0);
  Value* empty = b.getFalse();
  for (size_t i = 0; i < extents.size(); ++i) {
    Value* last = b.CreateMul(b.CreateSub(extents[i], i64(1)), strides[i]);
    low = b.CreateAdd(low, minimum(last, i64(0)));
    high = b.CreateAdd(high, maximum(last, i64(0)));
    empty = b.CreateOr(empty, b.CreateICmpSLE(extents[i], i64(0)));
  }
  return {b.CreateSelect(empty, i64(0), low), b.CreateSelect(empty, i64(-1), high)};
}

void FunctionEmitter::track(const TensorValue& tensor) {
  if (!module.options.bounds) return;
  auto [low, high] = reach(tensor.extents, tensor.strides);
  Value* data = b.CreatePtrToInt(tensor.data, b.getInt64Ty());
  Value* size = i64(bytes(tensor.dtype));
  accesses_.add(tensor.data, b.CreateAdd(data, b.CreateMul(low, size)),
                b.CreateAdd(data, b.CreateMul(b.CreateAdd(high, i64(1)), size)),
                static_cast<uint64_t>(bytes(tensor.dtype)));
}

void FunctionEmitter::touch(const TileView& view, DType dtype) {
  if (!module.options.bounds) return;
  Value* extents[] = {view.rows, view.cols};
  Value* strides[] = {view.row_stride, view.col_stride};
  auto [low, high] = reach(extents, strides);
  Value* size = i64(bytes(dtype));
  AccessChecks::touch(b, module.llvm_module(), view.data, b.CreateMul(low, size),
                      b.CreateMul(b.CreateAdd(high, i64(1)), size));
}

void FunctionEmitter::check_accesses() {
  accesses_.insert(
      *f_, [&](llvm::IRBuilderBase& at, const llvm::Instruction& access, Value* offset, Value* count) {
        const Node* node = module.lines->node_at(access.getDebugLoc());
        llvm::Value* status = at.CreateCall(
            module.fail_function(),
            {context, at.getInt32(static_cast<uint32_t>(abi::Fault::AccessOutside)),
             site(node ? *node : static_cast<const Node&>(function)), offset, count, i64(0), i64(0)});
        at.CreateRet(status);
      });
}

Value* FunctionEmitter::element_offset(const TensorValue& tensor, std::span<Value* const> where,
                                       const Node& at) {
  Value* offset = i64(0);
  for (size_t i = 0; i < where.size(); ++i) {
    if (!module.options.trusting)
      fail_if(b.CreateICmpUGE(where[i], tensor.extents[i]), abi::Fault::IndexOutOfRange, at,
              {where[i], tensor.extents[i], i64(static_cast<int64_t>(i)), nullptr});
    offset = b.CreateAdd(offset, b.CreateMul(where[i], tensor.strides[i]));
  }
  return offset;
}

Value* FunctionEmitter::extent_operand(Value* asked, int64_t physical, int dimension, const Node& at) {
  fail_if(b.CreateICmpUGT(asked, i64(physical)), abi::Fault::ValidShape, at,
          {asked, i64(physical), i64(dimension), nullptr});
  return asked;
}

}  // namespace tilewire::target::cpu
