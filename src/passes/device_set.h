// Sets of ranks that a host function dispatches to.
//
// Known are single ranks and everything from some rank on; `all` is everything from 0 on, whatever the number
// of ranks. What depends on values that only a call gives is not known.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tilewire::passes {

class DeviceSet {
 public:
  static DeviceSet of(std::vector<int64_t> devices);  // none: all ranks, as in a CommGroup
  static DeviceSet one(int64_t device);
  static DeviceSet range(int64_t start, int64_t stop, int64_t step);
  static DeviceSet from(int64_t first);  // up to the last rank
  static DeviceSet unknown();

  void add(const DeviceSet& other);

  bool empty() const { return known_ && devices_.empty() && !from_; }
  bool known() const { return known_; }
  bool all() const { return known_ && from_ == 0; }
  // No more than single ranks, which no number of ranks changes.
  bool constant() const { return known_ && !from_; }
  // Whether a CommGroup can say it: all ranks, or a list.
  bool is_group() const { return all() || (constant() && !devices_.empty()); }
  const std::set<int64_t>& devices() const { return devices_; }
  // The form of a CommGroup. Only where is_group().
  std::vector<int64_t> group_devices() const;
  // As a run of `ranks` has it: all when it has all of them.
  DeviceSet in_run_of(int64_t ranks) const;

  // "all ranks", "rank 3", "ranks 0 to 3", "ranks 0, 2 and 5", "ranks 1 and up".
  std::string text() const;

  bool operator==(const DeviceSet&) const = default;

 private:
  void settle();

  std::set<int64_t> devices_;    // below from_
  std::optional<int64_t> from_;  // and all from here on
  bool known_ = true;
};

}  // namespace tilewire::passes
