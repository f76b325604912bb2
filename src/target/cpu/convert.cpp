// Float formats. Everything is FP32 bit arithmetic: a narrower format is FP32 with fewer mantissa bits and,
// below its smallest normal number, a fixed unit. Adding a power of two whose unit is that one lets the
// processor's own rounding do the denormals.
#include "target/cpu/convert.h"

#include <cmath>

#include "support/diagnostics.h"
#include "target/cpu/vector.h"

namespace tilewire::target::cpu {

using ir::DType;
using ir::RoundMode;
using llvm::Value;

namespace {

struct Format {
  int mantissa;       // explicit bits
  int min_exponent;   // of the smallest normal number
  uint32_t max_bits;  // the largest finite value, as FP32 bits
  int infinity_code;  // in storage; of E4M3FN the NaN it has instead
  int nan_code;
  bool has_infinity;
};

constexpr Format fp16 = {10, -14, 0x477fe000, 0x7c00, 0x7e00, true};
constexpr Format e4m3 = {3, -6, 0x43e00000, 0x7f, 0x7f, false};
constexpr Format e5m2 = {2, -14, 0x47600000, 0x7c, 0x7f, true};

constexpr uint32_t fp32_infinity = 0x7f800000;

const Format& format_of(DType dtype) {
  switch (dtype) {
    case DType::FP16:
      return fp16;
    case DType::FP8E4M3FN:
      return e4m3;
    case DType::FP8E5M2:
      return e5m2;
    default:
      internal_error(__FILE__, __LINE__, "not a small float format");
  }
}

// A power of two whose unit in the last place is the smallest denormal of the format.
double denormal_magic(const Format& format) {
  return std::ldexp(1.0, 23 + format.min_exponent - format.mantissa);
}

Value* is_small(const Lanes& v, const Format& format, Value* magnitude) {
  return v.b().CreateFCmpOLT(magnitude, v.f(std::ldexp(1.0, format.min_exponent)));
}

// Bits of an IEEE half in the low 16 of an INT32.
Value* half_to_float(const Lanes& v, Value* half) {
  auto& b = v.b();
  if (v.machine().f16c) {
    Value* narrow = b.CreateTrunc(half, v.int_type(16));
    return b.CreateFPExt(b.CreateBitCast(narrow, v.of(b.getHalfTy())), v.float_type());
  }
  Value* shifted = b.CreateShl(b.CreateAnd(half, v.i(0x7fff)), v.i(13));
  Value* scaled = v.as_int(b.CreateFMul(v.as_float(shifted), v.f(0x1p112)));
  Value* special = b.CreateICmpUGE(shifted, v.i(0x7c00 << 13));
  Value* bits = b.CreateSelect(special, b.CreateOr(shifted, v.i(fp32_infinity)), scaled);
  Value* sign = b.CreateShl(b.CreateAnd(half, v.i(0x8000)), v.i(16));
  return v.as_float(b.CreateOr(bits, sign));
}

Value* e4m3_to_float(const Lanes& v, Value* stored) {
  auto& b = v.b();
  // As a half its exponent is 8 too small; halves have room for all its values, denormals included.
  Value* magnitude = b.CreateAnd(stored, v.i(0x7f));
  Value* sign = b.CreateShl(b.CreateAnd(stored, v.i(0x80)), v.i(8));
  Value* half = b.CreateOr(b.CreateShl(magnitude, v.i(7)), sign);
  Value* scaled = b.CreateFMul(half_to_float(v, half), v.f(256));
  return b.CreateSelect(b.CreateICmpEQ(magnitude, v.i(0x7f)), v.nan(), scaled);
}

// Storage of a value the format can hold.
Value* exact_code(const Lanes& v, const Format& format, Value* x, int bits) {
  auto& b = v.b();
  int shift = 23 - format.mantissa;
  Value* magnitude = v.magnitude(x);
  Value* whole = v.as_int(magnitude);
  int rebias = (126 + format.min_exponent) << format.mantissa;
  Value* normal = b.CreateSub(b.CreateLShr(whole, v.i(shift)), v.i(rebias));
  Value* magic = v.f(denormal_magic(format));
  Value* small = b.CreateSub(v.as_int(b.CreateFAdd(magnitude, magic)), v.as_int(magic));
  Value* code = b.CreateSelect(is_small(v, format, magnitude), small, normal);
  if (format.has_infinity) {
    Value* infinite = b.CreateICmpEQ(whole, v.i(fp32_infinity));
    code = b.CreateSelect(infinite, v.i(format.infinity_code), code);
  }
  code = b.CreateSelect(v.is_nan(x), v.i(format.nan_code), code);
  Value* sign = b.CreateLShr(v.sign_bit(x), v.i(32 - bits));
  return b.CreateTrunc(b.CreateOr(code, sign), v.int_type(bits));
}

// Whether a magnitude between two neighbours becomes the larger one.
Value* goes_up(const Lanes& v, RoundMode mode, Value* inexact, Value* half_or_more, Value* odd,
               Value* negative) {
  auto& b = v.b();
  switch (mode) {
    case RoundMode::Floor:
      return b.CreateAnd(inexact, negative);
    case RoundMode::Ceil:
      return b.CreateAnd(inexact, b.CreateNot(negative));
    case RoundMode::Round:
      return half_or_more;
    case RoundMode::Odd:
      return b.CreateAnd(inexact, b.CreateNot(odd));
    case RoundMode::Trunc:
      return llvm::Constant::getNullValue(v.int_type(1));
    case RoundMode::Rint:
      break;
  }
  internal_error(__FILE__, __LINE__, "rounding to nearest even is done by the processor");
}

// The magnitude, as bits, with the low `shift` bits rounded away. A carry into the exponent is right.
Value* drop_bits(const Lanes& v, Value* whole, int shift, RoundMode mode, Value* negative) {
  auto& b = v.b();
  int unit = 1 << shift;
  Value* lowest = b.CreateAnd(b.CreateLShr(whole, v.i(shift)), v.i(1));
  if (mode == RoundMode::Rint) {
    Value* up = b.CreateAdd(whole, b.CreateAdd(lowest, v.i(unit / 2 - 1)));
    return b.CreateAnd(up, v.i(-unit));
  }
  Value* low = b.CreateAnd(whole, v.i(unit - 1));
  Value* up = goes_up(v, mode, b.CreateICmpNE(low, v.i(0)), b.CreateICmpUGE(low, v.i(unit / 2)),
                      b.CreateICmpNE(lowest, v.i(0)), negative);
  Value* down = b.CreateAnd(whole, v.i(-unit));
  return b.CreateSelect(up, b.CreateAdd(down, v.i(unit)), down);
}

// A magnitude below the smallest normal number rounded to a multiple of the smallest denormal.
Value* round_small(const Lanes& v, const Format& format, Value* magnitude, RoundMode mode, Value* negative) {
  auto& b = v.b();
  Value* magic = v.f(denormal_magic(format));
  Value* nearest = b.CreateFSub(b.CreateFAdd(magnitude, magic), magic);
  if (mode == RoundMode::Rint) return nearest;
  Value* unit = v.f(std::ldexp(1.0, format.min_exponent - format.mantissa));
  Value* too_far = b.CreateFCmpOGT(nearest, magnitude);
  Value* down = b.CreateSelect(too_far, b.CreateFSub(nearest, unit), nearest);
  Value* rest = b.CreateFSub(magnitude, down);
  Value* half = v.f(std::ldexp(0.5, format.min_exponent - format.mantissa));
  // The lowest bit of the multiple is the lowest mantissa bit beside the magic number.
  Value* lowest = b.CreateAnd(v.as_int(b.CreateFAdd(down, magic)), v.i(1));
  Value* up = goes_up(v, mode, b.CreateFCmpOGT(rest, v.f(0)), b.CreateFCmpOGE(rest, half),
                      b.CreateICmpNE(lowest, v.i(0)), negative);
  return b.CreateSelect(up, b.CreateFAdd(down, unit), down);
}

Value* round_bf16(const Lanes& v, Value* x, RoundMode mode) {
  auto& b = v.b();
  Value* sign = v.sign_bit(x);
  Value* whole = b.CreateXor(v.as_int(x), sign);
  Value* negative = b.CreateICmpNE(sign, v.i(0));
  // Rounding to nearest even does not look at the sign, and a carry cannot reach it but from a NaN.
  Value* rounded = mode == RoundMode::Rint ? drop_bits(v, v.as_int(x), 16, mode, negative)
                                           : b.CreateOr(drop_bits(v, whole, 16, mode, negative), sign);
  Value* nan = b.CreateOr(b.CreateAnd(v.as_int(x), v.i(-0x10000)), v.i(0x400000));
  return v.as_float(b.CreateSelect(v.is_nan(x), nan, rounded));
}

// What a finite magnitude beyond the largest one becomes.
Value* too_large(const Lanes& v, RoundMode mode, Value* negative, Value* infinity, Value* largest) {
  switch (mode) {
    case RoundMode::Rint:
    case RoundMode::Round:
      return infinity;
    case RoundMode::Floor:
      return v.b().CreateSelect(negative, infinity, largest);
    case RoundMode::Ceil:
      return v.b().CreateSelect(negative, largest, infinity);
    case RoundMode::Trunc:
    case RoundMode::Odd:
      break;
  }
  return largest;
}

Value* round_small_format(const Lanes& v, const Format& format, Value* x, RoundMode mode) {
  auto& b = v.b();
  Value* sign = v.sign_bit(x);
  Value* negative = b.CreateICmpNE(sign, v.i(0));
  Value* magnitude = v.magnitude(x);
  Value* normal = drop_bits(v, v.as_int(magnitude), 23 - format.mantissa, mode, negative);
  Value* small = v.as_int(round_small(v, format, magnitude, mode, negative));
  Value* rounded = b.CreateSelect(is_small(v, format, magnitude), small, normal);
  Value* infinity = format.has_infinity ? v.i(fp32_infinity) : v.as_int(v.nan());
  Value* limit = too_large(v, mode, negative, infinity, v.i(format.max_bits));
  rounded = b.CreateSelect(b.CreateICmpUGT(rounded, v.i(format.max_bits)), limit, rounded);
  if (limit != infinity) {
    rounded = b.CreateSelect(b.CreateFCmpOEQ(magnitude, v.infinity()), infinity, rounded);
  }
  Value* result = v.as_float(b.CreateOr(rounded, sign));
  return b.CreateSelect(v.is_nan(x), v.nan(), result);
}

}  // namespace

llvm::Type* register_type(llvm::LLVMContext& context, DType dtype, unsigned lanes) {
  llvm::Type* element;
  if (ir::is_float(dtype)) {
    element = llvm::Type::getFloatTy(context);
  } else if (dtype == DType::Bool) {
    element = llvm::Type::getInt1Ty(context);
  } else {
    element = llvm::Type::getIntNTy(context, 8 * ir::bytes(dtype));
  }
  return lanes ? llvm::FixedVectorType::get(element, lanes) : element;
}

llvm::Type* storage_type(llvm::LLVMContext& context, DType dtype, unsigned lanes) {
  llvm::Type* element = dtype == DType::FP32 ? llvm::Type::getFloatTy(context)
                                             : llvm::Type::getIntNTy(context, 8 * ir::bytes(dtype));
  return lanes ? llvm::FixedVectorType::get(element, lanes) : element;
}

Value* from_storage(llvm::IRBuilderBase& builder, const Machine& machine, DType dtype, Value* stored) {
  Lanes v(builder, machine, stored->getType());
  if (stored->getType()->getScalarType()->isHalfTy() || stored->getType()->getScalarType()->isBFloatTy()) {
    stored = builder.CreateBitCast(stored, v.int_type(16));
  }
  auto wide = [&] { return builder.CreateZExt(stored, v.int_type()); };
  switch (dtype) {
    case DType::FP16:
      return half_to_float(v, wide());
    case DType::BF16:
      return v.as_float(builder.CreateShl(wide(), v.i(16)));
    case DType::FP8E4M3FN:
      return e4m3_to_float(v, wide());
    case DType::FP8E5M2:
      return half_to_float(v, builder.CreateShl(wide(), v.i(8)));
    case DType::Bool:
      return builder.CreateICmpNE(stored, v.i(0, 8));
    default:
      return stored;
  }
}

Value* to_storage(llvm::IRBuilderBase& builder, const Machine& machine, DType dtype, Value* value) {
  Lanes v(builder, machine, value->getType());
  switch (dtype) {
    case DType::FP16:
      if (!machine.f16c) return exact_code(v, fp16, value, 16);
      return builder.CreateBitCast(builder.CreateFPTrunc(value, v.of(builder.getHalfTy())), v.int_type(16));
    case DType::BF16:
      return builder.CreateTrunc(builder.CreateLShr(v.as_int(value), v.i(16)), v.int_type(16));
    case DType::FP8E4M3FN:
    case DType::FP8E5M2:
      return exact_code(v, format_of(dtype), value, 8);
    case DType::Bool:
      return builder.CreateZExt(value, v.int_type(8));
    default:
      return value;
  }
}

Value* round_to(llvm::IRBuilderBase& builder, const Machine& machine, DType dtype, Value* value,
                RoundMode mode) {
  if (dtype == DType::FP32) return value;
  Lanes v(builder, machine, value->getType());
  if (dtype == DType::BF16) return round_bf16(v, value, mode);
  if (dtype == DType::FP16 && machine.f16c && mode == RoundMode::Rint) {
    return builder.CreateFPExt(builder.CreateFPTrunc(value, v.of(builder.getHalfTy())), v.float_type());
  }
  return round_small_format(v, format_of(dtype), value, mode);
}

}  // namespace tilewire::target::cpu
