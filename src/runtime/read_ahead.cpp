#include "runtime/read_ahead.h"

#include <algorithm>

namespace tilewire::runtime {

// The one that continues there, else a new one in the place of the one that was not used for longest.
size_t ReadAhead::stream_for(const std::byte* source) {
  for (size_t i = 0; i < streams_.size(); ++i) {
    if (streams_[i].next == source) return i;
  }
  if (streams_.size() < most_streams) {
    streams_.emplace_back();
    return streams_.size() - 1;
  }
  auto oldest = std::min_element(streams_.begin(), streams_.end(),
                                 [](const Stream& a, const Stream& b) { return a.used < b.used; });
  *oldest = {.memory = std::move(oldest->memory)};
  return static_cast<size_t>(oldest - streams_.begin());
}

bool ReadAhead::serve(const Copy& region, uint64_t bytes, uint32_t acquires) {
  if (acquires != acquires_) forget_all();
  acquires_ = acquires;
  for (Stream& stream : streams_) {
    if (!stream.has(region.source, bytes)) continue;
    Copy here = region;
    here.source = stream.memory.data() + (region.source - stream.begin);
    copy(here);
    stream.next = region.source + bytes;
    stream.used = ++loads_;
    return true;
  }
  return false;
}

ReadAhead::Fetch ReadAhead::plan(const std::byte* source, uint64_t bytes, uint64_t room) {
  fetching_ = stream_for(source);
  Stream& stream = streams_[fetching_];
  // A first load predicts nothing; each fetch for one that follows is twice as large.
  const uint64_t more = stream.next == source ? std::min({2 * stream.last, most_bytes, room}) : 0;
  stream.last = std::max(more, bytes);
  stream.next = source + bytes;
  stream.used = ++loads_;
  stream.bytes = 0;
  if (more <= bytes) return {nullptr, bytes};
  stream.begin = source;
  stream.memory.resize(more);
  return {stream.memory.data(), more};
}

void ReadAhead::forget(std::span<const std::byte> bytes) {
  for (Stream& stream : streams_) {
    if (bytes.data() < stream.begin + stream.bytes && stream.begin < bytes.data() + bytes.size()) {
      stream.bytes = 0;
    }
  }
}

}  // namespace tilewire::runtime
