// What a run does about ranks that only messages reach (far_link.h): sends what generated code leaves to the
// runtime, and keeps the order of releases.
//
// A notify lets others see what this process has sent to third ones. So before it, all of that has landed.
// Ranks of this process are an exception: what they do next goes through the same link, behind it.
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
  // Of the world of a run; null: everybody is near.
  void begin(FarLink* link) { link_ = link; }

  bool any() const { return link_ != nullptr; }
  const uint32_t* unlanded() const { return link_ ? link_->unlanded() : &landed; }
  // Moves messages along; false when there was nothing to do.
  bool poll() { return link_ && link_->poll(); }
  // Whether somebody here waits for a reply: then something will happen.
  bool awaits_replies() const { return awaited_.load() != 0; }
  bool has(const void* address) const;

  // The following block the fiber, unless the reply is there at once. What they give is what generated code
  // does next.

  // Everything that was sent has landed.
  abi::Status land(BlockContext& block, uint32_t site);
  // The same as far as ranks that look at that cell can tell.
  abi::Status release(BlockContext& block, const void* cell, uint32_t site);
  // Behind a release.
  abi::Status notify(BlockContext& block, const int32_t* cell, int32_t value, abi::NotifyKind kind);
  abi::Status update(BlockContext& block, const void* element, int64_t expected, int64_t value, uint32_t bits,
                     uint32_t site, int64_t* old);
  // To or from a peer, as the bits say.
  abi::Status transfer(BlockContext& block, const Copy& region, const abi::Transfer& transfer);

  // On the caller's thread when no rank does anything here any more: until all has landed or the run is
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
