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
    if (llvm::isa<llvm::Constant>(bad)) break;
    numbers = {pick(offsets[i], numbers.a), pick(extents[i], numbers.b),
               pick(i64(static_cast<int64_t>(i)), numbers.c), pick(tensor.extents[i], numbers.d)};
  }
  fail_if(bad, abi::Fault::RegionOutOfRange, at, numbers);
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

Value* FunctionEmitter::element_offset(const TensorValue& tensor, std::span<Value* const> where,
                                       const Node& at) {
  Value* offset = i64(0);
  for (size_t i = 0; i < where.size(); ++i) {
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
