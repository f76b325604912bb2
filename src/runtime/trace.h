// The events of a run as a Chrome trace.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "abi/abi.h"

namespace tilewire::runtime {

struct TraceEvent {
  enum class Kind : uint8_t { Orchestration, Blocks, Wait, Deferred, Notify, Update, Transfer };
  Kind kind;
  const char* name;  // of the function
  const abi::Site* site;
  int32_t rank;
  int64_t block = 0, blocks = 1;  // first, and how many
  // Of one block on a fiber: how many blocks of the kernel run as one, and the launch.
  int64_t lanes = 1;
  const void* launch = nullptr;
  uint64_t start_ns = 0, end_ns = 0;

  // Of waits, notifies and updates that return the old value: the value awaited or written, and the cell.
  const int32_t* cell = nullptr;
  int32_t value = 0;
  uint32_t cmp = 0;
  uint64_t notify = 0;  // its number; of a wait, that of the notify it saw, 0 if not known
  // Of a condition of `defer_wait`: its number. Of the first blocks of a task: that of the condition that
  // held last before the task started, 0 without one.
  uint64_t deferred = 0;

  // Of transfers, and notifies.
  uint64_t bytes = 0;
  int32_t peer = -1;
};

// One worker's events, in order of their ends.
using TraceBuffer = std::vector<TraceEvent>;

// One process per rank, one thread per worker, one for each half of a kernel that is made of two, and as many
// as are needed for the conditions of `defer_wait` that are waited for at the same time. Returns
// false and sets `error` if the file cannot be written. `name_of`: a cell, in words.
bool write_trace(const std::string& path, const std::vector<const TraceBuffer*>& workers, uint64_t origin_ns,
                 const std::function<std::string(const int32_t*)>& name_of, std::string& error);

}  // namespace tilewire::runtime
