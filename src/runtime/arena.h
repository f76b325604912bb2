// Scratch memory of a running block, which holds its tiles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace tilewire::runtime {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() { std::free(data_); }

  // At least `bytes`, 64-byte aligned, with undefined content. Returns false if there is not enough memory.
  bool reserve(uint64_t bytes) { return bytes <= bytes_ || grow(bytes); }
  // Releases what exceeds `bytes`.
  void trim(uint64_t bytes) {
    if (bytes_ > bytes) release();
  }
  std::byte* data() const { return data_; }

 private:
  bool grow(uint64_t bytes) {
    release();
    if (bytes > uint64_t{1} << 46) return false;
    uint64_t rounded = (bytes + 4095) / 4096 * 4096;
    data_ = static_cast<std::byte*>(std::aligned_alloc(64, rounded));
    bytes_ = data_ ? rounded : 0;
    return data_ != nullptr;
  }
  void release() {
    std::free(data_);
    data_ = nullptr;
    bytes_ = 0;
  }

  std::byte* data_ = nullptr;
  uint64_t bytes_ = 0;
};

}  // namespace tilewire::runtime
