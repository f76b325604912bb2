// Sizes are rounded up to classes, four to a power of two, so that what one tensor leaves serves the next of
// about its size. Large pieces start on a huge page: the first touch of a fresh tensor is mostly page faults.
#include "runtime/storage.h"

#include <sys/mman.h>

#include <bit>
#include <cstdlib>

#include "runtime/regions.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) static_cast<void>(0)
#define ASAN_UNPOISON_MEMORY_REGION(address, size) static_cast<void>(0)
#endif

namespace tilewire::runtime {
namespace {

constexpr uint64_t smallest = 256;
constexpr uint64_t huge_page = uint64_t{2} << 20;

uint32_t class_of(uint64_t bytes) {
  if (bytes <= smallest) return 0;
  // bytes - 1 = 1.xx * 2^e: two bits after the leading one choose the quarter.
  uint32_t e = std::bit_width(bytes - 1) - 1;
  return (e - 8) * 4 + (((bytes - 1) >> (e - 2)) & 3) + 1;
}

uint64_t bytes_of(uint32_t size_class) {
  if (size_class == 0) return smallest;
  uint32_t e = (size_class - 1) / 4 + 8;
  return (uint64_t{1} << e) + (((size_class - 1) % 4 + 1) * (uint64_t{1} << (e - 2)));
}

}  // namespace

StoragePool::~StoragePool() {
  for (auto& list : free_) {
    for (Storage* storage : list) {
      ASAN_UNPOISON_MEMORY_REGION(storage, bytes_of(storage->size_class));
      std::free(storage);
    }
  }
}

Storage* StoragePool::take(uint64_t bytes) {
  // The system may promise more than it has and kill the process later.
  if (bytes > physical_bytes()) return nullptr;
  uint32_t size_class = class_of(bytes + sizeof(Storage));
  uint64_t size = bytes_of(size_class);
  Storage* storage = nullptr;
  {
    std::lock_guard lock(mutex_);
    auto& list = free_[size_class];
    if (!list.empty()) {
      storage = list.back();
      list.pop_back();
      kept_bytes_ -= size;
    }
  }
  if (storage) {
    ASAN_UNPOISON_MEMORY_REGION(storage, size);
  } else {
    bool huge = size >= 2 * huge_page;
    uint64_t alignment = huge ? huge_page : alignof(Storage);
    storage =
        static_cast<Storage*>(std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment));
    if (!storage) return nullptr;
    if (huge) madvise(storage, size, MADV_HUGEPAGE);
  }
  storage->bytes = bytes;
  storage->size_class = size_class;
  // Nothing may touch what was not asked for.
  ASAN_POISON_MEMORY_REGION(storage->data() + bytes, size - sizeof(Storage) - bytes);
  return storage;
}

void StoragePool::give(Storage* storage) {
  uint64_t size = bytes_of(storage->size_class);
  std::unique_lock lock(mutex_);
  if (kept_bytes_ + size > keep_bytes) {
    lock.unlock();
    ASAN_UNPOISON_MEMORY_REGION(storage, size);
    std::free(storage);
    return;
  }
  kept_bytes_ += size;
  free_[storage->size_class].push_back(storage);
  ASAN_POISON_MEMORY_REGION(storage->data(), size - sizeof(Storage));
}

}  // namespace tilewire::runtime
