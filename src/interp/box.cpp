#include "interp/box.h"

#include <algorithm>

#include "support/overlap.h"

namespace tilewire::interp {

int64_t Box::end() const {
  int64_t length = run;
  for (const Dim& dim : dims) length += (dim.extent - 1) * dim.stride;
  return offset + length;
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
  OverlapSearch search;
  for (const Box::Dim& dim : a.dims) search.first(dim.stride, dim.extent);
  for (const Box::Dim& dim : b.dims) search.second(dim.stride, dim.extent);
  return search.meets(b.offset - a.offset, a.run, b.run);
}

}  // namespace tilewire::interp
