// Casts that have an integer on one side or on both.
#include <llvm/IR/Intrinsics.h>

#include "support/diagnostics.h"
#include "target/cpu/convert.h"
#include "target/cpu/vector.h"

namespace tilewire::target::cpu {

using ir::DType;
using ir::RoundMode;
using llvm::Value;
using llvm::Intrinsic::ID;

namespace {

bool is_signed(DType dtype) {
  return ir::info(dtype).is_signed;
}

// Without a rounding instruction. A value of 2^23 or more has no fraction; below it, adding and taking away
// 2^23 rounds to nearest even, and the other modes are one step from there.
Value* round_by_magic(const Lanes& v, Value* x, RoundMode mode) {
  auto& b = v.b();
  Value* sign = v.sign_bit(x);
  Value* magnitude = v.magnitude(x);
  Value* nearest = b.CreateFSub(b.CreateFAdd(magnitude, v.f(0x1p23)), v.f(0x1p23));
  nearest = v.as_float(b.CreateOr(v.as_int(nearest), sign));
  Value* result = nearest;
  Value* up = b.CreateFCmpOLT(nearest, x);
  Value* down = b.CreateFCmpOGT(nearest, x);
  if (mode == RoundMode::Trunc) {
    Value* negative = b.CreateICmpNE(sign, v.i(0));
    up = b.CreateAnd(up, negative);
    down = b.CreateAnd(down, b.CreateNot(negative));
  }
  if (mode == RoundMode::Ceil || mode == RoundMode::Trunc) {
    result = b.CreateSelect(up, b.CreateFAdd(nearest, v.f(1)), result);
  }
  if (mode == RoundMode::Floor || mode == RoundMode::Trunc) {
    result = b.CreateSelect(down, b.CreateFSub(nearest, v.f(1)), result);
  }
  return b.CreateSelect(b.CreateFCmpOLT(magnitude, v.f(0x1p23)), result, x);
}

Value* round_plain(const Lanes& v, Value* x, RoundMode mode) {
  if (!v.machine().round) return round_by_magic(v, x, mode);
  ID id = mode == RoundMode::Rint    ? llvm::Intrinsic::roundeven
          : mode == RoundMode::Floor ? llvm::Intrinsic::floor
          : mode == RoundMode::Ceil  ? llvm::Intrinsic::ceil
                                     : llvm::Intrinsic::trunc;
  return v.intrinsic(id, x);
}

Value* float_to_int(const Lanes& v, Value* x, DType to, RoundMode mode) {
  auto& b = v.b();
  // The conversion itself truncates.
  if (mode != RoundMode::Trunc) x = round_integral(b, v.machine(), x, mode);
  ID id = is_signed(to) ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
  Value* whole = b.CreateIntrinsic(id, {v.int_type(ir::bits(to)), x->getType()}, {x});
  return to == DType::Int4 ? b.CreateSExt(whole, v.int_type(8)) : whole;
}

Value* int_to_int(const Lanes& v, Value* x, DType from, DType to) {
  auto& b = v.b();
  if (to == DType::Int4) {
    Value* low = b.CreateZExtOrTrunc(x, v.int_type(8));
    return b.CreateAShr(b.CreateShl(low, v.i(4, 8)), v.i(4, 8));
  }
  llvm::Type* type = v.int_type(8 * ir::bytes(to));
  return is_signed(from) ? b.CreateSExtOrTrunc(x, type) : b.CreateZExtOrTrunc(x, type);
}

struct Normalised {
  Value* mantissa;  // 32 bits, the top one set unless the integer is 0; the lowest also holds all bits below
  Value* exponent;  // of that top bit
  Value* sign;      // an FP32 sign bit
};

Normalised normalise(const Lanes& v, Value* x, DType from) {
  auto& b = v.b();
  unsigned width = x->getType()->getScalarSizeInBits();
  Value* sign = v.i(0);
  if (is_signed(from)) {
    Value* negative = b.CreateICmpSLT(x, v.i(0, width));
    x = b.CreateSelect(negative, b.CreateNeg(x), x);
    sign = b.CreateSelect(negative, v.i(INT32_MIN), v.i(0));
  }
  Value* zeros = b.CreateIntrinsic(llvm::Intrinsic::ctlz, {x->getType()}, {x, b.getFalse()});
  // Shifting by the full width is poison; of a zero nothing is left whatever the distance.
  zeros = b.CreateAnd(zeros, v.i(width - 1, width));
  Value* top = b.CreateShl(x, zeros);
  if (width == 64) {
    Value* sticky = b.CreateICmpNE(b.CreateTrunc(top, v.int_type()), v.i(0));
    top = b.CreateTrunc(b.CreateLShr(top, v.i(32, 64)), v.int_type());
    top = b.CreateOr(top, b.CreateZExt(sticky, v.int_type()));
    zeros = b.CreateTrunc(zeros, v.int_type());
  }
  return {top, b.CreateSub(v.i(width - 1), zeros), sign};
}

// A 32- or 64-bit integer in FP32, rounded in any mode. Odd loses nothing a later rounding could ask for.
Value* wide_to_float(const Lanes& v, Value* x, DType from, RoundMode mode) {
  auto& b = v.b();
  Normalised n = normalise(v, x, from);
  Value* low = b.CreateAnd(n.mantissa, v.i(0xff));
  Value* kept = b.CreateLShr(n.mantissa, v.i(8));
  Value* inexact = b.CreateICmpNE(low, v.i(0));
  Value* negative = b.CreateICmpNE(n.sign, v.i(0));
  Value* up = nullptr;
  if (mode == RoundMode::Floor) up = b.CreateAnd(inexact, negative);
  if (mode == RoundMode::Ceil) up = b.CreateAnd(inexact, b.CreateNot(negative));
  if (mode == RoundMode::Round) up = b.CreateICmpUGE(low, v.i(0x80));
  if (mode == RoundMode::Odd) kept = b.CreateOr(kept, b.CreateZExt(inexact, v.int_type()));
  if (up) kept = b.CreateAdd(kept, b.CreateZExt(up, v.int_type()));
  // The hidden bit adds one to the exponent field, and a carry from rounding one more.
  Value* field = b.CreateShl(b.CreateAdd(n.exponent, v.i(126)), v.i(23));
  Value* bits = b.CreateOr(b.CreateAdd(field, kept), n.sign);
  return v.as_float(b.CreateSelect(b.CreateICmpEQ(n.mantissa, v.i(0)), v.i(0), bits));
}

Value* int_to_float(const Lanes& v, Value* x, DType from, DType to, RoundMode mode) {
  auto& b = v.b();
  bool exact = ir::bits(from) <= 16;  // in FP32
  auto plain = [&] {
    return is_signed(from) ? b.CreateSIToFP(x, v.float_type()) : b.CreateUIToFP(x, v.float_type());
  };
  if (to == DType::FP32) {
    return exact || mode == RoundMode::Rint ? plain() : wide_to_float(v, x, from, mode);
  }
  // Rounding twice differs from rounding once only where FP32 is inexact and the target still finite.
  bool innocuous = mode == RoundMode::Rint && to != DType::BF16;
  Value* middle = exact || innocuous ? plain() : wide_to_float(v, x, from, RoundMode::Odd);
  return round_to(b, v.machine(), to, middle, mode);
}

}  // namespace

Value* round_integral(llvm::IRBuilderBase& builder, const Machine& machine, Value* value, RoundMode mode) {
  TW_CHECK(mode != RoundMode::Odd, "rounding to odd has no meaning for integers");
  Lanes v(builder, machine, value->getType());
  if (mode != RoundMode::Round) return round_plain(v, value, mode);
  Value* whole = round_plain(v, value, RoundMode::Trunc);
  Value* rest = v.magnitude(builder.CreateFSub(value, whole));
  Value* away = builder.CreateFAdd(whole, v.as_float(builder.CreateOr(v.as_int(v.f(1)), v.sign_bit(value))));
  return builder.CreateSelect(builder.CreateFCmpOGE(rest, v.f(0.5)), away, whole);
}

Value* cast(llvm::IRBuilderBase& builder, const Machine& machine, Value* value, DType from, DType to,
            RoundMode mode) {
  TW_CHECK(from != DType::TaskId && to != DType::TaskId, "a task id is not a number");
  if (from == to) return value;
  Lanes v(builder, machine, value->getType());
  if (to == DType::Bool) {
    if (ir::is_float(from)) return builder.CreateFCmpUNE(value, v.f(0));
    return builder.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
  }
  if (from == DType::Bool) {
    if (ir::is_float(to)) return builder.CreateUIToFP(value, v.float_type());
    return builder.CreateZExt(value, v.int_type(8 * ir::bytes(to)));
  }
  if (ir::is_float(from)) {
    return ir::is_float(to) ? round_to(builder, machine, to, value, mode) : float_to_int(v, value, to, mode);
  }
  return ir::is_float(to) ? int_to_float(v, value, from, to, mode) : int_to_int(v, value, from, to);
}

}  // namespace tilewire::target::cpu
