// The two families most ops come in: the same op on tiles and on tensors.
#pragma once

#include "ir/op.h"

namespace tilewire::ops {

struct Level {
  const char* family;
  uint16_t accepts;
  const char* noun;

  bool tensors() const { return accepts == ir::AcceptTensor; }
};
inline constexpr Level levels[] = {{"tile.", ir::AcceptTile, "tile"},
                                   {"tensor.", ir::AcceptTensor, "tensor"}};

}  // namespace tilewire::ops
