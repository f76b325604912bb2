// Memory of created tensors: 64-byte aligned, reused from task to task and from run to run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace tilewire::runtime {

// Lies in front of the bytes it describes.
struct alignas(64) Storage {
  uint64_t bytes;  // asked for
  uint32_t size_class;
  uint32_t position;  // in its rank's list

  std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }
  static Storage* of(void* data) { return static_cast<Storage*>(data) - 1; }
};
static_assert(sizeof(Storage) == 64);

class StoragePool {
 public:
  StoragePool() = default;
  StoragePool(const StoragePool&) = delete;
  ~StoragePool();

  Storage* take(uint64_t bytes);  // null: there is not that much memory
  void give(Storage* storage);

  // Bytes kept for reuse at most.
  static constexpr uint64_t keep_bytes = uint64_t{256} << 20;

 private:
  static constexpr uint32_t class_count = 256;

  std::mutex mutex_;
  uint64_t kept_bytes_ = 0;
  std::array<std::vector<Storage*>, class_count> free_;
};

}  // namespace tilewire::runtime
