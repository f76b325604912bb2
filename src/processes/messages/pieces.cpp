#include "processes/messages/pieces.h"

#include <algorithm>

namespace tilewire::processes {
namespace {

// Extents above 1, outermost first, merged where the region goes on without a step in both places.
std::vector<PieceDim> merge(const int64_t* extents, const int64_t* far, const int64_t* near, uint32_t rank) {
  std::vector<PieceDim> dims;
  for (uint32_t i = 0; i < rank; ++i) {
    if (extents[i] <= 1) continue;
    PieceDim* outer = dims.empty() ? nullptr : &dims.back();
    if (outer && outer->far == far[i] * extents[i] && outer->near == near[i] * extents[i]) {
      *outer = {outer->extent * extents[i], far[i], near[i]};
    } else {
      dims.push_back({extents[i], far[i], near[i]});
    }
  }
  return dims;
}

void cut_into(std::vector<Piece>& pieces, Piece&& whole, uint32_t element_bytes, const PieceLimits& limits) {
  const uint64_t bytes = static_cast<uint64_t>(whole.count) * element_bytes;
  const bool fits = bytes <= limits.small_bytes || (whole.is_dense() && bytes >= limits.bulk_bytes);
  const bool too_deep = whole.dims.size() > most_wire_dims;
  if (fits && !too_deep) {
    pieces.push_back(std::move(whole));
    return;
  }
  const PieceDim outer = whole.dims.front();
  const int64_t row = whole.count / outer.extent;
  const auto small = static_cast<int64_t>(limits.small_bytes / element_bytes);
  const int64_t rows = too_deep ? 1 : std::max<int64_t>(1, small / row);
  for (int64_t i = 0; i < outer.extent; i += rows) {
    Piece part = whole;
    part.far += i * outer.far;
    part.near += i * outer.near;
    part.dims.front().extent = std::min(rows, outer.extent - i);
    part.count = row * part.dims.front().extent;
    if (part.dims.front().extent == 1) part.dims.erase(part.dims.begin());
    cut_into(pieces, std::move(part), element_bytes, limits);
  }
}

}  // namespace

std::vector<Piece> cut(const int64_t* extents, const int64_t* far_strides, const int64_t* near_strides,
                       uint32_t rank, uint32_t element_bytes, const PieceLimits& limits) {
  std::vector<Piece> pieces;
  Piece whole;
  whole.count = runtime::element_count(extents, rank);
  if (whole.count == 0) return pieces;
  whole.dims = merge(extents, far_strides, near_strides, rank);
  cut_into(pieces, std::move(whole), element_bytes, limits);
  return pieces;
}

Packing::Packing(const Piece& piece, uint32_t element_bytes)
    : rank_(static_cast<uint32_t>(piece.dims.size())), element_bytes_(element_bytes) {
  for (size_t i = 0; i < rank_; ++i) {
    extents_[i] = piece.dims[i].extent;
    strides_[i] = piece.dims[i].near;
  }
  finish();
}

Packing::Packing(const WireMessage& message)
    : rank_(message.head.dims), element_bytes_(message.head.element_bytes) {
  for (size_t i = 0; i < rank_; ++i) {
    extents_[i] = message.dims[i].extent;
    strides_[i] = message.dims[i].stride;
  }
  finish();
}

void Packing::finish() {
  int64_t stride = 1;
  for (size_t i = rank_; i-- > 0; stride *= extents_[i]) packed_[i] = stride;
}

runtime::Copy Packing::pack(const std::byte* place, std::byte* packed) const {
  return {.target = packed,
          .source = place,
          .extents = extents_.data(),
          .target_strides = packed_.data(),
          .source_strides = strides_.data(),
          .rank = rank_,
          .element_bytes = element_bytes_};
}

runtime::Copy Packing::unpack(const std::byte* packed, std::byte* place) const {
  return {.target = place,
          .source = packed,
          .extents = extents_.data(),
          .target_strides = strides_.data(),
          .source_strides = packed_.data(),
          .rank = rank_,
          .element_bytes = element_bytes_};
}

}  // namespace tilewire::processes
