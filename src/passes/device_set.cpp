#include "passes/device_set.h"

#include <algorithm>

#include "abi/numbers.h"
#include "support/ranges_text.h"

namespace tilewire::passes {

DeviceSet DeviceSet::of(std::vector<int64_t> devices) {
  if (devices.empty()) return from(0);
  DeviceSet set;
  set.devices_.insert(devices.begin(), devices.end());
  return set;
}

DeviceSet DeviceSet::one(int64_t device) {
  return of({device});
}

DeviceSet DeviceSet::range(int64_t start, int64_t stop, int64_t step) {
  DeviceSet set;
  if (step == 0) return unknown();
  // Ranks outside a run stop it; how many of them there are does not matter.
  for (__int128 i = start; step > 0 ? i < stop : i > stop; i += step) {
    if (i < 0 || i >= abi::most_ranks) return unknown();
    set.devices_.insert(static_cast<int64_t>(i));
  }
  return set;
}

DeviceSet DeviceSet::from(int64_t first) {
  DeviceSet set;
  set.from_ = first;
  return set;
}

DeviceSet DeviceSet::unknown() {
  DeviceSet set;
  set.known_ = false;
  return set;
}

void DeviceSet::add(const DeviceSet& other) {
  if (all() || other.all()) {
    *this = from(0);
    return;
  }
  known_ = known_ && other.known_;
  if (other.from_) from_ = std::min(from_.value_or(*other.from_), *other.from_);
  devices_.insert(other.devices_.begin(), other.devices_.end());
  settle();
}

// One form for equal sets.
void DeviceSet::settle() {
  if (!from_) return;
  while (devices_.contains(*from_ - 1)) --*from_;
  devices_.erase(devices_.lower_bound(*from_), devices_.end());
}

std::vector<int64_t> DeviceSet::group_devices() const {
  if (all()) return {};
  return {devices_.begin(), devices_.end()};
}

DeviceSet DeviceSet::in_run_of(int64_t ranks) const {
  if (!known_ || all()) return *this;
  DeviceSet set = *this;
  set.from_.reset();
  if (from_) set.add(range(*from_, ranks, 1));
  bool complete = static_cast<int64_t>(set.devices_.size()) == ranks && set.devices_.contains(ranks - 1);
  return complete ? from(0) : set;
}

std::string DeviceSet::text() const {
  if (!known_) return "ranks that only a call tells";
  if (all()) return "all ranks";
  if (empty()) return "no rank";
  std::string list = ranges_text(devices_);
  if (from_) list += (list.empty() ? "" : ", ") + std::to_string(*from_) + " and up";
  return (constant() && devices_.size() == 1 ? "rank " : "ranks ") + list;
}

}  // namespace tilewire::passes
