// Parts of the caller's arrays that the dispatches of a host function pass, of all ranks.
//
// Ranks in one process share the arrays of its caller; each process has its own. So what a rank writes is not
// seen in other processes before the call has ended: a part that is written by a rank of one process and used
// by one of another is refused. What was written is known afterwards, so that it can be sent to the others.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/abi.h"
#include "runtime/box.h"
#include "runtime/world.h"

namespace tilewire::runtime {

struct ArrayPart {
  int32_t rank = 0;
  bool written = false;
  const char* name = "";         // of the parameter it is passed to
  uint32_t site = 0;             // of the dispatch
  std::vector<abi::Word> words;  // address, extents, strides
  uint8_t dimensions = 0;
  uint8_t element_bytes = 0;

  Box box() const { return {words.data(), dimensions, element_bytes}; }
  uint64_t bytes() const;  // of its elements
};

class ArrayParts {
 public:
  void clear() { parts_.clear(); }
  void add(int32_t rank, const abi::Param& param, const abi::Word* words, uint32_t site, bool written);

  // Two parts that share a byte, the first of them written, of which one is used by a rank of `here` and the
  // other by a rank elsewhere.
  std::optional<std::pair<ArrayPart, ArrayPart>> conflict(const World::Part& here) const;
  // Each part that a rank writes once, in the order of the dispatches: the same in all processes, but for
  // addresses and strides.
  std::vector<ArrayPart> written() const;

 private:
  std::vector<ArrayPart> parts_;
};

}  // namespace tilewire::runtime
