// Data that a task has fetched from far peers beyond what it asked for.
//
// Between two acquires of a task, the memory that it may read at a peer does not change: a write would
// race with the task. So if loads walk a peer's memory in order, one message fetches what the next
// ones will ask for, and they need no round trip. Fetched data is dropped at the next acquire and where
// the task itself writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/transfer.h"

namespace tilewire::runtime {

class ReadAhead {
 public:
  // Copies the region from fetched data; returns false if it is not there. `bytes`: of its source, without
  // gaps. `acquires`: how many acquires the task has made.
  bool serve(const Copy& region, uint64_t bytes, uint32_t acquires);
  // What to fetch for a load of `bytes` from `source` on, where `room` bytes may be read: from there,
  // into `memory`. Null: only what was asked for, directly to its target.
  struct Fetch {
    std::byte* memory;
    uint64_t bytes;
  };
  Fetch plan(const std::byte* source, uint64_t bytes, uint64_t room);
  // The data of the last `plan` is there: `serve` finds it.
  void arrived() { streams_[fetching_].bytes = streams_[fetching_].memory.size(); }
  // The task writes there.
  void forget(std::span<const std::byte> bytes);
  void forget_all() { streams_.clear(); }

  static constexpr uint64_t most_bytes = 256 << 10;
  static constexpr size_t most_streams = 8;

 private:
  // Loads that follow each other.
  struct Stream {
    const std::byte* next = nullptr;   // where the next one is expected
    const std::byte* begin = nullptr;  // of what is here
    uint64_t bytes = 0;                // of what is here
    uint64_t last = 0;                 // bytes of the last fetch
    uint64_t used = 0;                 // when, counted in loads
    std::vector<std::byte> memory;
    bool has(const std::byte* source, uint64_t count) const {
      return source >= begin && source + count <= begin + bytes;
    }
  };
  size_t stream_for(const std::byte* source);

  std::vector<Stream> streams_;
  size_t fetching_ = 0;  // the stream that `plan` has chosen
  uint32_t acquires_ = 0;
  uint64_t loads_ = 0;
};

}  // namespace tilewire::runtime
