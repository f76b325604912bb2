// The world with one process. Nobody is elsewhere, so there is nobody to agree with, and a run in which
// nothing can happen is deadlocked.
#include <algorithm>

#include "runtime/process.h"
#include "runtime/run_state.h"
#include "runtime/windows.h"
#include "runtime/world.h"

namespace tilewire::runtime {
namespace {

struct alignas(64) WaiterWord {
  uint32_t value = 0;
};

class PooledMemory final : public GroupMemory {
 public:
  PooledMemory(uint64_t bytes, size_t count) : bytes_(bytes), words_(std::make_unique<WaiterWord[]>(count)) {
    mapped_bytes = RegionPool::rounded(bytes);
    regions.reserve(count);
    waiters.reserve(count);
  }
  ~PooledMemory() override {
    for (std::byte* region : regions) Process::get().regions.give(region, mapped_bytes, bytes_);
  }
  // False: not enough memory.
  bool add_region() {
    std::byte* region = Process::get().regions.take(mapped_bytes);
    if (!region) return false;
    waiters.push_back(&words_[regions.size()].value);
    regions.push_back(region);
    return true;
  }
  void clear(size_t member) override { RegionPool::clear(regions[member], mapped_bytes, bytes_); }

 private:
  const uint64_t bytes_;  // that a program may have written
  std::unique_ptr<WaiterWord[]> words_;
};

class LocalWorld final : public World {
 public:
  Part part(int32_t ranks) const override { return {.first = 0, .count = ranks}; }

  std::unique_ptr<GroupMemory> map(const GroupLayout& layout, int32_t) override {
    const size_t count = layout.devices.size();
    // The system may promise more than it has and kill the process later.
    if (layout.bytes > physical_bytes() / std::max<size_t>(count, 1)) return nullptr;
    auto memory = std::make_unique<PooledMemory>(layout.bytes, count);
    for (size_t i = 0; i < count; ++i) {
      if (!memory->add_region()) return nullptr;
    }
    return memory;
  }

  bool begin(Run&, std::span<const Term>) override { return true; }
  void end(Run&, std::optional<Failure>&) override {}
  void wake(int32_t) override { internal_error(__FILE__, __LINE__, "a rank lives outside the local world"); }
  void failed(Run&, const Failure&) override {}
  void quiet(Run& run) override {
    std::optional<std::vector<Blocked>> waits = run.waits();
    if (!waits) return;
    TW_CHECK(!waits->empty(), "a run came to a stop with nothing to wait for");
    run.stop(deadlock_of(std::move(*waits)));
  }
};

}  // namespace

World& local_world() {
  static LocalWorld world;
  return world;
}

}  // namespace tilewire::runtime
