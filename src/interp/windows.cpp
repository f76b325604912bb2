// Window buffers: one storage per rank.
#include "interp/world.h"

namespace tilewire::interp {

int32_t World::add_window(Window window) {
  windows_.push_back(std::move(window));
  return static_cast<int32_t>(windows_.size() - 1);
}

Tensor World::at_rank(const Tensor& tensor, int rank) const {
  Tensor copy = tensor;
  if (tensor.window >= 0) copy.storage = windows_[tensor.window].copies[static_cast<size_t>(rank)];
  return copy;
}

}  // namespace tilewire::interp
