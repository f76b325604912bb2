// Dimensions that lie behind each other in both places are merged first, so that most regions become a few
// long rows: those go to memmove, short ones are moved in registers.
#include "runtime/transfer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "abi/numbers.h"
#include "support/diagnostics.h"

namespace tilewire::runtime {
namespace {

// Extents above 1, from the innermost out, merged where possible. Strides are in bytes.
class Shape {
 public:
  struct Dim {
    int64_t extent, target, source;
  };

 private:
  std::array<Dim, 6> inline_;
  std::vector<Dim> more_;

 public:
  explicit Shape(const Copy& region) {
    if (region.rank > inline_.size()) {
      more_.resize(region.rank);
      dims = more_.data();
    }
    for (uint32_t i = region.rank; i-- > 0;) {
      int64_t extent = region.extents[i];
      if (extent <= 0) empty = true;
      if (extent <= 1) continue;
      int64_t to = region.target_strides[i] * region.element_bytes;
      int64_t from = region.source_strides[i] * region.element_bytes;
      Dim* inner = count > 0 ? &dims[count - 1] : nullptr;
      if (inner && to == inner->target * inner->extent && from == inner->source * inner->extent) {
        inner->extent *= extent;
      } else {
        dims[count++] = {extent, to, from};
      }
    }
  }
  Shape(const Shape&) = delete;

  Dim* dims = inline_.data();
  uint32_t count = 0;
  bool empty = false;
};

// Calls visit(target, source) for every index of dimensions [first, end).
template <class Visit>
void each(const Shape& shape, uint32_t first, uint32_t end, std::byte* target, const std::byte* source,
          const Visit& visit) {
  if (first == end) return visit(target, source);
  const Shape::Dim& dim = shape.dims[end - 1];
  if (first + 1 == end) {
    for (int64_t i = 0; i < dim.extent; ++i) visit(target + i * dim.target, source + i * dim.source);
    return;
  }
  for (int64_t i = 0; i < dim.extent; ++i) {
    each(shape, first, end - 1, target + i * dim.target, source + i * dim.source, visit);
  }
}

template <size_t Bytes>
void move_fixed(std::byte* target, const std::byte* source) {
  std::array<std::byte, Bytes> value;
  std::memcpy(&value, source, Bytes);
  std::memcpy(target, &value, Bytes);
}

// One row; short ones without a call.
void move_row(std::byte* target, const std::byte* source, uint64_t bytes) {
  switch (bytes) {
    case 2:
      return move_fixed<2>(target, source);
    case 4:
      return move_fixed<4>(target, source);
    case 8:
      return move_fixed<8>(target, source);
    default:
      std::memmove(target, source, bytes);
  }
}

// How many elements a region has that lies in both places without gaps; -1 when there are some.
int64_t dense_count(const Copy& region) {
  int64_t count = 1;
  for (uint32_t i = region.rank; i-- > 0;) {
    int64_t extent = region.extents[i];
    bool fits = region.target_strides[i] == count && region.source_strides[i] == count;
    if (extent <= 0) return 0;
    if (extent > 1 && !fits) return -1;
    count *= extent;
  }
  return count;
}

void copy_rows(const Shape& shape, uint32_t first, uint64_t row_bytes, std::byte* target,
               const std::byte* source) {
  auto fixed = [&]<size_t Bytes>(std::integral_constant<size_t, Bytes>) {
    each(shape, first, shape.count, target, source, move_fixed<Bytes>);
  };
  switch (row_bytes) {
    case 1:
      return fixed(std::integral_constant<size_t, 1>());
    case 2:
      return fixed(std::integral_constant<size_t, 2>());
    case 4:
      return fixed(std::integral_constant<size_t, 4>());
    case 8:
      return fixed(std::integral_constant<size_t, 8>());
    case 16:
      return fixed(std::integral_constant<size_t, 16>());
    case 32:
      return fixed(std::integral_constant<size_t, 32>());
    case 64:
      return fixed(std::integral_constant<size_t, 64>());
    default:
      return each(shape, first, shape.count, target, source,
                  [row_bytes](std::byte* to, const std::byte* from) { std::memmove(to, from, row_bytes); });
  }
}

struct Range {
  intptr_t lo, hi;
};
Range range_of(const void* start, const Shape& shape, int64_t Shape::Dim::*stride, uint64_t element_bytes) {
  auto lo = reinterpret_cast<intptr_t>(start);
  intptr_t hi = lo + static_cast<intptr_t>(element_bytes);
  for (uint32_t i = 0; i < shape.count; ++i) {
    int64_t reach = (shape.dims[i].extent - 1) * (shape.dims[i].*stride);
    (reach < 0 ? lo : hi) += reach;
  }
  return {lo, hi};
}

bool overlap(const Copy& region, const Shape& shape) {
  Range to = range_of(region.target, shape, &Shape::Dim::target, region.element_bytes);
  Range from = range_of(region.source, shape, &Shape::Dim::source, region.element_bytes);
  return to.lo < from.hi && from.lo < to.hi;
}

// The source's elements packed one after the other, for a second copy from there.
struct Dense {
  explicit Dense(const Copy& region)
      : strides(region.rank),
        bytes(static_cast<uint64_t>(element_count(region.extents, region.rank)) * region.element_bytes) {
    int64_t stride = 1;
    for (uint32_t i = region.rank; i-- > 0;) {
      strides[i] = stride;
      stride *= region.extents[i];
    }
    Copy out = region;
    out.target = bytes.data();
    out.target_strides = strides.data();
    copy(out);
  }
  Copy in(Copy region) const {
    region.source = bytes.data();
    region.source_strides = strides.data();
    return region;
  }
  std::vector<int64_t> strides;
  std::vector<std::byte> bytes;
};

void copy_strided(const Copy& region) {
  Shape shape(region);
  if (shape.empty) return;
  auto element = static_cast<int64_t>(region.element_bytes);
  bool rows = shape.count > 0 && shape.dims[0].target == element && shape.dims[0].source == element;
  uint32_t first = rows ? 1 : 0;
  uint64_t row_bytes = rows ? static_cast<uint64_t>(shape.dims[0].extent * element) : region.element_bytes;
  if (shape.count > first && overlap(region, shape)) return copy(Dense(region).in(region));
  copy_rows(shape, first, row_bytes, region.target, region.source);
}

float from_half(uint16_t bits) {
  uint32_t sign = uint32_t{bits} >> 15 << 31;
  uint32_t magnitude = bits & 0x7FFF;
  if (magnitude >= 0x7C00) return std::bit_cast<float>(sign | 0x7F800000 | (magnitude & 0x3FF) << 13);
  // A normal number's exponent moves by 112; for subnormal ones the multiplication does it.
  float value = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(value));
}

uint16_t to_half(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  uint32_t magnitude = bits & 0x7FFFFFFF;
  if (magnitude > 0x7F800000) return sign | 0x7E00;
  if (magnitude >= 0x477FF000) return sign | 0x7C00;  // rounds to 2^16 or more
  if (magnitude < 0x38800000) {
    // Adding 0.5 leaves the units of 2^-24 in the low bits, rounded to nearest even.
    float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return sign | static_cast<uint16_t>(std::bit_cast<uint32_t>(shifted) - 0x3F000000);
  }
  uint32_t rounded = magnitude - (112u << 23) + 0xFFF + (magnitude >> 13 & 1);
  return sign | static_cast<uint16_t>(rounded >> 13);
}

float from_brain(uint16_t bits) {
  return std::bit_cast<float>(uint32_t{bits} << 16);
}

uint16_t to_brain(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7FFFFFFF) > 0x7F800000) return static_cast<uint16_t>(bits >> 16 & 0x8000) | 0x7FC0;
  return static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

template <class Bits, class Sum>
void add_by_exchange(std::byte* target, const std::byte* source, Sum sum) {
  Bits more;
  std::memcpy(&more, source, sizeof more);
  auto* place = reinterpret_cast<Bits*>(target);
  Bits old = __atomic_load_n(place, __ATOMIC_RELAXED);
  while (
      !__atomic_compare_exchange_n(place, &old, sum(old, more), true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

template <class Bits>
void add_integer(std::byte* target, const std::byte* source) {
  Bits more;
  std::memcpy(&more, source, sizeof more);
  __atomic_fetch_add(reinterpret_cast<Bits*>(target), more, __ATOMIC_RELAXED);
}

void add_float(std::byte* target, const std::byte* source) {
  add_by_exchange<uint32_t>(target, source, [](uint32_t a, uint32_t b) {
    return std::bit_cast<uint32_t>(std::bit_cast<float>(a) + std::bit_cast<float>(b));
  });
}
void add_half(std::byte* target, const std::byte* source) {
  add_by_exchange<uint16_t>(target, source,
                            [](uint16_t a, uint16_t b) { return to_half(from_half(a) + from_half(b)); });
}
void add_brain(std::byte* target, const std::byte* source) {
  add_by_exchange<uint16_t>(target, source,
                            [](uint16_t a, uint16_t b) { return to_brain(from_brain(a) + from_brain(b)); });
}

}  // namespace

uint64_t dense_bytes_of_source(const Copy& region) {
  Copy alike = region;
  alike.target_strides = region.source_strides;
  return static_cast<uint64_t>(std::max<int64_t>(dense_count(alike), 0)) * region.element_bytes;
}

std::span<const std::byte> hull_of_target(const Copy& region) {
  int64_t first = 0, last = 0;  // elements
  for (uint32_t i = 0; i < region.rank; ++i) {
    if (region.extents[i] <= 0) return {};
    const int64_t reach = (region.extents[i] - 1) * region.target_strides[i];
    (reach < 0 ? first : last) += reach;
  }
  return {region.target + first * region.element_bytes,
          static_cast<size_t>((last - first + 1) * region.element_bytes)};
}

int64_t element_count(const int64_t* extents, uint32_t rank) {
  int64_t count = 1;
  for (uint32_t i = 0; i < rank; ++i) count *= extents[i] > 0 ? extents[i] : 0;
  return count;
}

void copy(const Copy& region) {
  int64_t count = dense_count(region);
  if (count >= 0) {
    if (count > 0)
      move_row(region.target, region.source, static_cast<uint64_t>(count) * region.element_bytes);
    return;
  }
  copy_strided(region);
}

void add(const Copy& region, uint8_t dtype) {
  Shape shape(region);
  if (shape.empty) return;
  if (overlap(region, shape) && shape.count > 0) return add(Dense(region).in(region), dtype);
  auto all = [&](auto visit) { each(shape, 0, shape.count, region.target, region.source, visit); };
  switch (static_cast<abi::ElementType>(dtype)) {
    case abi::ElementType::Int16:
    case abi::ElementType::UInt16:
      return all(add_integer<uint16_t>);
    case abi::ElementType::Int32:
    case abi::ElementType::UInt32:
      return all(add_integer<uint32_t>);
    case abi::ElementType::Int64:
    case abi::ElementType::UInt64:
    case abi::ElementType::Index:
      return all(add_integer<uint64_t>);
    case abi::ElementType::FP16:
      return all(add_half);
    case abi::ElementType::BF16:
      return all(add_brain);
    case abi::ElementType::FP32:
      return all(add_float);
    default:
      break;
  }
  internal_error(__FILE__, __LINE__, "an atomic addition of elements that have none");
}

}  // namespace tilewire::runtime
