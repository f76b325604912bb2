#include "check/shadow.h"

#include <algorithm>

namespace tilewire::check {
namespace {

// Whether whatever conflicts with `earlier` conflicts with `later` as well.
bool stands_for(const Touch& later, const Touch& earlier) {
  if (!covers(later.use, earlier.use)) return false;
  const bool whole = later.use == Use::Write || earlier.use == Use::Read;
  return whole || same_elements(later, earlier);
}

}  // namespace

Touch touch_of(const Action& action, const Moment& moment, uint32_t index) {
  const auto phase = static_cast<uint8_t>(action.box.offset % ir::bytes(action.dtype));
  return {moment, action.use, action.dtype, phase, index};
}

void Shadow::touch(StorageId storage, const interp::Box& box, const Touch& touch, Order& order,
                   const Found& found) {
  if (box.empty()) return;
  if (storage >= storages_.size()) storages_.resize(storage + 1);
  Ranges& ranges = storages_[storage];
  std::vector<int64_t> index(box.dims.size(), 0);
  int64_t at = box.offset;
  while (true) {
    touch_run(ranges, at, at + box.run, touch, order, found);
    size_t d = box.dims.size();
    while (d > 0) {
      --d;
      at += box.dims[d].stride;
      if (++index[d] < box.dims[d].extent) break;
      at -= box.dims[d].stride * box.dims[d].extent;
      index[d] = 0;
      if (d == 0) return;
    }
    if (box.dims.empty()) return;
  }
}

// Intervals are cut at the ends of the run, and gaps in it become intervals.
void Shadow::touch_run(Ranges& ranges, int64_t begin, int64_t end, const Touch& touch, Order& order,
                       const Found& found) {
  auto at = ranges.upper_bound(begin);
  if (at != ranges.begin()) {
    auto before = std::prev(at);
    if (before->second.end > begin) {
      if (before->first == begin) {
        at = before;
      } else {
        Range rest = before->second;
        before->second.end = begin;
        at = ranges.emplace_hint(at, begin, std::move(rest));
      }
    }
  }
  while (begin < end) {
    if (at == ranges.end() || at->first > begin) {
      int64_t until = at == ranges.end() ? end : std::min(end, at->first);
      at = ranges.emplace_hint(at, begin, Range{until, {}});
    } else if (at->second.end > end) {
      Range rest = at->second;
      at->second.end = end;
      ranges.emplace_hint(std::next(at), end, std::move(rest));
    }
    add(at->second, begin, touch, order, found);
    begin = at->second.end;
    ++at;
  }
}

void Shadow::add(Range& range, int64_t begin, const Touch& touch, Order& order, const Found& found) {
  bool known = false;
  const AgentId agent = touch.moment.agent;
  auto dropped = std::remove_if(range.touches.begin(), range.touches.end(), [&](const Touch& earlier) {
    const bool same = earlier.moment.agent == agent && earlier.moment.epoch == touch.moment.epoch;
    if (same && earlier.use == touch.use && same_elements(earlier, touch)) known = true;
    if (order.before(earlier.moment, agent)) {
      return forget_ && !known && stands_for(touch, earlier);
    }
    if (conflict(earlier, touch) || rounds_by_order(earlier, touch)) found(earlier, begin, range.end);
    return false;
  });
  range.touches.erase(dropped, range.touches.end());
  if (!known) range.touches.push_back(touch);
}

}  // namespace tilewire::check
