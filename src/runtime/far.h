// Access to ranks that only messages reach (far_link.h): sends what generated code leaves to the
// runtime, and keeps the order of releases.
//
// A notify publishes what this process has sent to third ones, so all of that must have landed before it.
// Ranks of this process are an exception: their later messages use the same link, after it.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/bell.h"
#include "runtime/far_link.h"
#include "runtime/job.h"

namespace tilewire::runtime {

class Far {
 public:
  explicit Far(Run& run) : run_(run) {}
  // Of the world of a run; null: all ranks are near.
  void begin(FarLink* link) { link_ = link; }

  bool any() const { return link_ != nullptr; }
  const uint32_t* unlanded() const { return link_ ? link_->unlanded() : &landed; }
  // Makes progress on messages; returns false if there was nothing to do.
  bool poll() { return link_ && link_->poll(); }
  // Whether a fiber here waits for a reply: then there will be progress.
  bool awaits_replies() const { return awaited_.load() != 0; }
  bool has(const void* address) const;

  // The following block the fiber, unless the reply is there at once. They return what generated code
  // does next.

  // Everything that was sent has landed.
  abi::Status land(BlockContext& block, uint32_t site);
  // The same, as far as ranks that look at that cell can observe.
  abi::Status release(BlockContext& block, const void* cell, uint32_t site);
  // After a release.
  abi::Status notify(BlockContext& block, const int32_t* cell, int32_t value, abi::NotifyKind kind);
  abi::Status update(BlockContext& block, const void* element, int64_t expected, int64_t value, uint32_t bits,
                     uint32_t site, int64_t* old);
  // To or from a peer, as the bits say.
  abi::Status transfer(BlockContext& block, const Copy& region, const abi::Transfer& transfer);

  // On the caller's thread when no rank is active here any more: returns when all has landed or the run is
  // stopped.
  void land_all(Bell& bell);

 private:
  static constexpr uint32_t landed = 0;

  abi::Status await(BlockContext& block, FarDone& done, uint32_t site);
  abi::Status fetch(BlockContext& block, const Copy& region, uint32_t site);
  abi::Status flush(BlockContext& block, int32_t process, uint32_t site);

  Run& run_;
  FarLink* link_ = nullptr;
  std::atomic<int32_t> awaited_{0};
};

}  // namespace tilewire::runtime
