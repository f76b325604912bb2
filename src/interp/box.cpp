#include "interp/box.h"

#include <algorithm>

namespace tilewire::interp {
namespace {

int64_t hull(const std::vector<Box::Dim>& dims, size_t from, int64_t run) {
  for (size_t i = from; i < dims.size(); ++i) run += (dims[i].extent - 1) * dims[i].stride;
  return run;
}

int64_t floor_div(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && a < 0);
}

// Whether a at 0 and b at `distance` meet, looking at one stride a level, the largest first: rows i of a and
// j of b can only meet where (i - j) * stride is about `distance`, which leaves few differences to follow.
struct Search {
  const Box& a;
  const Box& b;
  int budget = 1 << 16;

  bool meets(size_t ia, size_t ib, int64_t distance) {
    if (--budget < 0) return true;
    const bool more_a = ia < a.dims.size(), more_b = ib < b.dims.size();
    if (!more_a && !more_b) return distance < a.run && distance > -b.run;
    int64_t stride = std::max(more_a ? a.dims[ia].stride : 0, more_b ? b.dims[ib].stride : 0);
    int64_t most = 0, least = 0;  // of i - j
    if (more_a && a.dims[ia].stride == stride) most = a.dims[ia++].extent - 1;
    if (more_b && b.dims[ib].stride == stride) least = 1 - b.dims[ib++].extent;
    const int64_t length_a = hull(a.dims, ia, a.run), length_b = hull(b.dims, ib, b.run);
    // k * stride < distance + length_b and k * stride + length_a > distance
    const int64_t first = std::max(least, floor_div(distance - length_a, stride) + 1);
    const int64_t last = std::min(most, floor_div(distance + length_b - 1, stride));
    for (int64_t k = first; k <= last; ++k) {
      if (meets(ia, ib, distance - k * stride)) return true;
    }
    return false;
  }
};

}  // namespace

int64_t Box::end() const {
  return offset + hull(dims, 0, run);
}

Box box_of(const Tensor& tensor) {
  const int64_t size = ir::bytes(tensor.dtype);
  Box box;
  box.offset = tensor.offset * size;
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    Box::Dim dim{tensor.shape[i], tensor.strides[i] * size};
    if (dim.extent == 0) return Box{box.offset, 0, {}};
    if (dim.extent == 1 || dim.stride == 0) continue;
    if (dim.stride < 0) {
      box.offset += (dim.extent - 1) * dim.stride;
      dim.stride = -dim.stride;
    }
    box.dims.push_back(dim);
  }
  std::sort(box.dims.begin(), box.dims.end(),
            [](const Box::Dim& x, const Box::Dim& y) { return x.stride > y.stride; });
  box.run = size;
  while (!box.dims.empty() && box.dims.back().stride == box.run) {
    box.run *= box.dims.back().extent;
    box.dims.pop_back();
  }
  for (size_t i = 0; i + 1 < box.dims.size();) {
    if (box.dims[i].stride == box.dims[i + 1].stride * box.dims[i + 1].extent) {
      box.dims[i] = {box.dims[i].extent * box.dims[i + 1].extent, box.dims[i + 1].stride};
      box.dims.erase(box.dims.begin() + static_cast<ptrdiff_t>(i) + 1);
    } else {
      ++i;
    }
  }
  return box;
}

bool overlap(const Box& a, const Box& b) {
  if (a.empty() || b.empty() || a.end() <= b.offset || b.end() <= a.offset) return false;
  return Search{a, b}.meets(0, 0, b.offset - a.offset);
}

}  // namespace tilewire::interp
