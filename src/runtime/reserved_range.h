// Addresses that represent memory of another host: an access faults.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace tilewire::runtime {

class ReservedRange {
 public:
  ReservedRange() = default;
  // At least so many bytes. data() is null if the system has no room for it.
  explicit ReservedRange(uint64_t bytes);
  ReservedRange(ReservedRange&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}
  ReservedRange& operator=(ReservedRange&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~ReservedRange();

  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  uint64_t bytes_ = 0;
};

}  // namespace tilewire::runtime
