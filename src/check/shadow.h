// Shadow memory: the last uses of every byte, stored as intervals.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "check/order.h"

namespace tilewire::check {

struct Touch {
  Moment moment;
  Use use = Use::Read;
  ir::DType dtype = ir::DType::Int32;
  uint8_t phase = 0;    // of the first element's address, in its size
  uint32_t action = 0;  // its place in the trace
};
Touch touch_of(const Action& action, const Moment& moment, uint32_t index);

// Whether two touches of the same bytes update whole elements that both have in common.
inline bool same_elements(const Touch& a, const Touch& b) {
  return a.dtype == b.dtype && a.phase == b.phase;
}
constexpr bool updates_element(Use use) {
  return use == Use::Atomic || use == Use::CellAdd || use == Use::CellSet;
}
// Whether they need an order. Uses that are atomic among themselves are so element by element.
inline bool conflict(const Touch& a, const Touch& b) {
  const bool changes = updates_element(a.use) || updates_element(b.use);
  return conflict(a.use, b.use) || (changes && !same_elements(a, b));
}
// Whether their order, though they need none, changes the result: sums of floats are rounded.
inline bool rounds_by_order(const Touch& a, const Touch& b) {
  return a.use == Use::Atomic && b.use == Use::Atomic && is_float(a.dtype);
}

class Shadow {
 public:
  // `forget`: drops uses that a later one subsumes. Of every set of unordered pairs one is still found;
  // without it, all are.
  explicit Shadow(bool forget = true) : forget_(forget) {}

  // Called with an earlier use that conflicts, or rounds by order, and is not before the present of the new
  // one's agent, and the bytes, once per interval.
  using Found = std::function<void(const Touch& earlier, int64_t begin, int64_t end)>;
  void touch(StorageId storage, const interp::Box& box, const Touch& touch, Order& order, const Found& found);

 private:
  struct Range {
    int64_t end;
    std::vector<Touch> touches;
  };
  using Ranges = std::map<int64_t, Range>;  // by first byte; they do not overlap

  void touch_run(Ranges& ranges, int64_t begin, int64_t end, const Touch& touch, Order& order,
                 const Found& found);
  void add(Range& range, int64_t begin, const Touch& touch, Order& order, const Found& found);

  bool forget_;
  std::vector<Ranges> storages_;
};

}  // namespace tilewire::check
