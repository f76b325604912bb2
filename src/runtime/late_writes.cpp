#include "runtime/late_writes.h"

#include <algorithm>

namespace tilewire::runtime {

Bytes span_of(const void* start, const int64_t* extents, const int64_t* strides, uint32_t rank,
              uint32_t element_bytes) {
  auto lo = reinterpret_cast<uint64_t>(start);
  uint64_t hi = lo + element_bytes;
  for (uint32_t i = 0; i < rank; ++i) {
    int64_t reach = (extents[i] - 1) * strides[i] * static_cast<int64_t>(element_bytes);
    (reach < 0 ? lo : hi) += static_cast<uint64_t>(reach);
  }
  return {lo, hi};
}

void LateWrites::add(const Copy& region, uint32_t bits, uint8_t dtype) {
  int64_t count = element_count(region.extents, region.rank);
  if (count == 0) return;
  Bytes to = span_of(region.target, region.extents, region.target_strides, region.rank, region.element_bytes);
  land(to);
  land(span_of(region.source, region.extents, region.source_strides, region.rank, region.element_bytes));
  Write& write = writes_.emplace_back();
  write.target = region.target;
  write.extents.assign(region.extents, region.extents + region.rank);
  write.target_strides.assign(region.target_strides, region.target_strides + region.rank);
  write.source_strides.resize(region.rank);
  int64_t stride = 1;
  for (uint32_t i = region.rank; i-- > 0; stride *= region.extents[i]) write.source_strides[i] = stride;
  write.bytes.resize(static_cast<uint64_t>(count) * region.element_bytes);
  write.element_bytes = region.element_bytes;
  write.bits = bits;
  write.dtype = dtype;
  write.span = to;
  Copy keep = region;
  keep.target = write.bytes.data();
  keep.target_strides = write.source_strides.data();
  copy(keep);
}

void LateWrites::Write::land() const {
  Copy region{.target = target,
              .source = bytes.data(),
              .extents = extents.data(),
              .target_strides = target_strides.data(),
              .source_strides = source_strides.data(),
              .rank = static_cast<uint32_t>(extents.size()),
              .element_bytes = element_bytes};
  if (bits & abi::AtomicAdd) {
    runtime::add(region, dtype);
  } else {
    copy(region);
  }
}

void LateWrites::land(const Bytes& touched) {
  std::erase_if(writes_, [&](const Write& write) {
    bool meets = write.span.meets(touched);
    if (meets) write.land();
    return meets;
  });
}

void LateWrites::land_all() {
  for (const Write& write : writes_) write.land();
  writes_.clear();
}

void LateWrites::land_first() {
  if (writes_.empty()) return;
  writes_.front().land();
  writes_.erase(writes_.begin());
}

}  // namespace tilewire::runtime
