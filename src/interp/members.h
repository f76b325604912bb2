// Ranks of a group that are equally far apart: a sub-group, or all of the group.
#pragma once

#include <compare>
#include <cstdint>

namespace tilewire::interp {

struct Members {
  int64_t first = 0, stride = 1;
  int64_t count = 0;

  // In the group, of member `number`; and the reverse.
  int64_t rank(int64_t number) const { return first + number * stride; }
  int64_t number(int64_t rank) const { return (rank - first) / stride; }

  auto operator<=>(const Members&) const = default;
};

// The sub-group that `rank` is in, when a group is divided into sub-groups of `count` ranks.
inline Members members_with(int64_t rank, int64_t count, int64_t stride) {
  const int64_t span = count * stride;
  return {rank / span * span + rank % stride, stride, count};
}

}  // namespace tilewire::interp
