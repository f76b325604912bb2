// What happened when, for people: Chrome trace events.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "abi/abi.h"

namespace tilewire::runtime {

struct TraceEvent {
  enum class Kind : uint8_t { Orchestration, Blocks, Wait };
  Kind kind;
  const char* name;
  const abi::Site* site;
  int32_t rank;
  int64_t block, blocks;  // first, and how many
  uint64_t start_ns, end_ns;
};

// One worker's events, in order of their ends.
using TraceBuffer = std::vector<TraceEvent>;

// One process per rank, one thread per worker. Gives false and says why in `error` when the file cannot be
// written.
bool write_trace(const std::string& path, const std::vector<const TraceBuffer*>& workers, uint64_t origin_ns,
                 std::string& error);

}  // namespace tilewire::runtime
