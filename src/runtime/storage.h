// Memory of created tensors: 64-byte aligned, reused from task to task and from run to run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace tilewire::runtime {

// Precedes the bytes it describes.
struct alignas(64) Storage {
  uint64_t bytes;  // asked for
  uint32_t size_class;
  uint32_t position;  // in the list that contains it

  std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }
  static Storage* of(void* data) { return static_cast<Storage*>(data) - 1; }
};
static_assert(sizeof(Storage) == 64);

// Those in use by one owner, in no order.
class StorageList {
 public:
  void add(Storage& storage) {
    storage.position = static_cast<uint32_t>(list_.size());
    list_.push_back(&storage);
  }
  void remove(const Storage& storage) {
    Storage* last = list_.back();
    last->position = storage.position;
    list_[storage.position] = last;
    list_.pop_back();
  }
  void clear() { list_.clear(); }
  bool empty() const { return list_.empty(); }
  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }

 private:
  std::vector<Storage*> list_;
};

class StoragePool {
 public:
  StoragePool() = default;
  StoragePool(const StoragePool&) = delete;
  ~StoragePool();

  Storage* take(uint64_t bytes);  // null: not enough memory
  void give(Storage* storage);

  // Maximum number of bytes kept for reuse.
  static constexpr uint64_t keep_bytes = uint64_t{256} << 20;

 private:
  static constexpr uint32_t class_count = 256;

  std::mutex mutex_;
  uint64_t kept_bytes_ = 0;
  std::array<std::vector<Storage*>, class_count> free_;
};

}  // namespace tilewire::runtime
