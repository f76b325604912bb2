// The value of `pld.nhosts` for the hosts of the ranks of a group.
#pragma once

#include <cstdint>
#include <span>

namespace tilewire::abi {

// The number of hosts, if each has equally many ranks and these follow each other; else 1. `hosts`: per rank,
// any numbers.
inline int32_t even_hosts(std::span<const int32_t> hosts) {
  const auto ranks = static_cast<int32_t>(hosts.size());
  int32_t each = 0;
  while (each < ranks && hosts[each] == hosts[0]) ++each;
  if (each == 0 || ranks % each != 0) return 1;
  for (int32_t rank = 0; rank < ranks; ++rank) {
    const int32_t first = rank / each * each;
    if (hosts[rank] != hosts[first]) return 1;
    for (int32_t other = 0; rank == first && other < first; other += each) {
      if (hosts[other] == hosts[first]) return 1;
    }
  }
  return ranks / each;
}

}  // namespace tilewire::abi
