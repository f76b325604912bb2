#include "runtime/reserved_range.h"

#include <sys/mman.h>

#include <algorithm>

namespace tilewire::runtime {

ReservedRange::ReservedRange(uint64_t bytes) : bytes_(std::max<uint64_t>(bytes, 1)) {
  void* range = mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range != MAP_FAILED) data_ = static_cast<std::byte*>(range);
}

ReservedRange::~ReservedRange() {
  if (data_) munmap(data_, bytes_);
}

}  // namespace tilewire::runtime
