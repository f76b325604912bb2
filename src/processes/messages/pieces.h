// Regions cut into pieces that fit into messages.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "processes/messages/wire.h"
#include "runtime/transfer.h"

namespace tilewire::processes {

// A region in two places: at a peer (far) and in this process (near). Strides are in elements.
struct PieceDim {
  int64_t extent, far, near;
};

struct Piece {
  int64_t far = 0, near = 0;  // where it starts, in elements
  std::vector<PieceDim> dims{};
  int64_t count = 1;  // of elements

  // It lies in both places without gaps.
  bool is_dense() const {
    return dims.empty() || (dims.size() == 1 && dims[0].far == 1 && dims[0].near == 1);
  }
};

struct PieceLimits {
  uint64_t small_bytes;  // of a piece
  uint64_t bulk_bytes;   // a dense one of so many or more stays whole
};

// In the order of its elements; none if it has no elements. A piece has at most `most_wire_dims` dimensions.
std::vector<Piece> cut(const int64_t* extents, const int64_t* far_strides, const int64_t* near_strides,
                       uint32_t rank, uint32_t element_bytes, const PieceLimits& limits);

// A strided region in memory, and its elements packed one behind the other in a message.
class Packing {
 public:
  // As it lies in this process.
  Packing(const Piece& piece, uint32_t element_bytes);
  // The region that a message names.
  explicit Packing(const WireMessage& message);

  runtime::Copy pack(const std::byte* place, std::byte* packed) const;
  runtime::Copy unpack(const std::byte* packed, std::byte* place) const;

 private:
  void finish();

  std::array<int64_t, most_wire_dims> extents_, strides_, packed_;
  uint32_t rank_;
  uint32_t element_bytes_;
};

}  // namespace tilewire::processes
