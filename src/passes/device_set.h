// Sets of ranks that a host function dispatches to.
//
// Known are single ranks and all ranks from some rank on; `all` is all from 0 on, for any number
// of ranks. Values that only a call determines are not known.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tilewire::passes {

class DeviceSet {
 public:
  static DeviceSet of(std::vector<int64_t> devices);  // empty: all ranks, as in a CommGroup
  static DeviceSet one(int64_t device);
  static DeviceSet range(int64_t start, int64_t stop, int64_t step);
  static DeviceSet from(int64_t first);  // up to the last rank
  static DeviceSet unknown();

  void add(const DeviceSet& other);

  bool empty() const { return known_ && devices_.empty() && !from_; }
  bool known() const { return known_; }
  bool all() const { return known_ && from_ == 0; }
  // Only single ranks, independent of the number of ranks.
  bool constant() const { return known_ && !from_; }
  // Whether a CommGroup can express it: all ranks, or a list.
  bool is_group() const { return all() || (constant() && !devices_.empty()); }
  const std::set<int64_t>& devices() const { return devices_; }
  // The form of a CommGroup. Only where is_group().
  std::vector<int64_t> group_devices() const;
  // For a run on `ranks` ranks: all if it contains all of them.
  DeviceSet in_run_of(int64_t ranks) const;

  // "all ranks", "rank 3", "ranks 0 to 3", "ranks 0, 2 and 5", "ranks 1 and up".
  std::string text() const;

  bool operator==(const DeviceSet&) const = default;

 private:
  void settle();

  std::set<int64_t> devices_;    // smaller than from_
  std::optional<int64_t> from_;  // and all from here on
  bool known_ = true;
};

}  // namespace tilewire::passes
