// Whether a kernel may wait for something another task does, or for a reply of a far peer: it then needs a
// fiber.
#pragma once

#include <cstdint>

#include "ir/nodes.h"

namespace tilewire::target::cpu {

// Bits of abi::KernelBits: MayBlock, MayBlockFar.
uint32_t may_block(const ir::Function& kernel);

// Whether it is a kernel that reads memory of peers.
bool reads_peers(const ir::Function& function);

}  // namespace tilewire::target::cpu
