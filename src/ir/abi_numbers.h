// The numbers of enumerations that generated code and the runtime know too: abi/numbers.h, seen from the IR.
#pragma once

#include "abi/numbers.h"
#include "ir/dtype.h"
#include "ir/enums.h"

namespace tilewire::ir {
namespace detail {

template <class A, class B>
constexpr bool same_number(A a, B b) {
  return static_cast<int>(a) == static_cast<int>(b);
}

#define TW_SAME(ours, theirs, name) static_assert(same_number(ours::name, abi::theirs::name))
TW_SAME(WaitCmp, Compare, Eq);
TW_SAME(WaitCmp, Compare, Ge);
TW_SAME(WaitCmp, Compare, Ne);
TW_SAME(WaitCmp, Compare, Gt);
TW_SAME(WaitCmp, Compare, Lt);
TW_SAME(WaitCmp, Compare, Le);
TW_SAME(DType, ElementType, Bool);
TW_SAME(DType, ElementType, Int8);
TW_SAME(DType, ElementType, Int16);
TW_SAME(DType, ElementType, Int32);
TW_SAME(DType, ElementType, Int64);
TW_SAME(DType, ElementType, UInt8);
TW_SAME(DType, ElementType, UInt16);
TW_SAME(DType, ElementType, UInt32);
TW_SAME(DType, ElementType, UInt64);
TW_SAME(DType, ElementType, FP16);
TW_SAME(DType, ElementType, BF16);
TW_SAME(DType, ElementType, FP32);
TW_SAME(DType, ElementType, FP8E4M3FN);
TW_SAME(DType, ElementType, FP8E5M2);
TW_SAME(DType, ElementType, Int4);
TW_SAME(DType, ElementType, Index);
TW_SAME(DType, ElementType, TaskId);
#undef TW_SAME
static_assert(same_number(NotifyOp::AtomicAdd, abi::NotifyKind::Add) &&
              same_number(NotifyOp::Set, abi::NotifyKind::Set));

}  // namespace detail

constexpr abi::Compare abi_number(WaitCmp cmp) {
  return static_cast<abi::Compare>(cmp);
}
constexpr abi::NotifyKind abi_number(NotifyOp op) {
  return static_cast<abi::NotifyKind>(op);
}
constexpr abi::ElementType abi_number(DType dtype) {
  return static_cast<abi::ElementType>(dtype);
}
inline abi::PrintFormat print_format(DType dtype) {
  if (dtype == DType::Bool) return abi::PrintFormat::Bool;
  if (is_float(dtype)) return abi::PrintFormat::Float;
  return info(dtype).is_signed ? abi::PrintFormat::Signed : abi::PrintFormat::Unsigned;
}

}  // namespace tilewire::ir
