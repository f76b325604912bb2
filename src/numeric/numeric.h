// Elements as they lie in memory, and the rules of arithmetic that every target shares.
//
// An element of a dtype occupies `ir::bytes(dtype)` bytes in the byte order of the machine; INT4 has a byte
// of its own and is kept sign-extended, BOOL is 0 or 1. All functions here are total: no bit pattern and no
// value is out of bounds for them.
//
// - Floats are rounded once, to nearest even unless a mode is given. Overflow of FP16, BF16,
//   FP32 and FP8E5M2 becomes an infinity; FP8E4M3FN has none and yields NaN. A directed mode (floor, ceil,
//   trunc, odd) stops at the largest finite value where it does not round away from zero.
// - Integers wrap. A float that becomes an integer is rounded, then saturates; NaN becomes 0.
// - Anything but 0 becomes True as BOOL, NaN included.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ir/dtype.h"
#include "ir/enums.h"

namespace tilewire::numeric {

using ir::DType;
using ir::RoundMode;

// --- bits of the small float formats; `dtype` is one of the float dtypes

// The encoding of `value`, rounded once.
uint32_t encode(DType dtype, double value, RoundMode mode = RoundMode::Rint);
// Exact. Bits above the width of the dtype are ignored.
float decode(DType dtype, uint32_t bits);
// `value` as the dtype holds it.
double round_float(DType dtype, double value, RoundMode mode = RoundMode::Rint);
float round_float(DType dtype, float value);

// --- integers

// The value that remains when an integer dtype or BOOL takes the low bits of `value`. UINT64 values are
// passed and returned as the int64_t of equal bits.
int64_t wrap(DType dtype, int64_t value);
// Rounded by `mode` and saturated to the range of an integer dtype; UINT64 as above.
int64_t to_integer(DType dtype, double value, RoundMode mode = RoundMode::Rint);
// An integer rounded once to a float dtype. `is_unsigned`: `value` is the bits of a uint64_t.
double to_float(DType dtype, int64_t value, bool is_unsigned, RoundMode mode = RoundMode::Rint);

// --- elements in memory

// Float dtypes.
float load_float(DType dtype, const void* element);
void store_float(DType dtype, void* element, double value);
// Integer dtypes, BOOL and TASK_ID.
int64_t load_integer(DType dtype, const void* element);
void store_integer(DType dtype, void* element, int64_t value);

// --- rows of elements, `stride` elements apart

void load_floats(DType dtype, const void* from, ptrdiff_t stride, size_t count, float* to);
void store_floats(DType dtype, const float* from, size_t count, void* to, ptrdiff_t stride);
void load_integers(DType dtype, const void* from, ptrdiff_t stride, size_t count, int64_t* to);
void store_integers(DType dtype, const int64_t* from, size_t count, void* to, ptrdiff_t stride);
// Between any two dtypes but TASK_ID; both rows are dense and do not overlap.
void cast(DType from_dtype, const void* from, DType to_dtype, void* to, size_t count,
          RoundMode mode = RoundMode::Rint);

// Fills a row with what no program should read: NaN, True, or a pattern of bytes.
void poison(DType dtype, void* to, size_t count);

}  // namespace tilewire::numeric
