// What passes may know of native code on this machine's cores. No LLVM in this header.
#pragma once

#include "ir/op.h"
#include "ops/handles.h"
#include "passes/traits.h"

namespace tilewire::target::cpu {

using passes::any;

// Which mode was fastest where it was measured: build/release/bench/collectives --table writes the rows.
inline constexpr passes::ModeRow allreduce_modes[] = {
#include "target/cpu/allreduce_modes.def"
};

// docs/performance.md has the figures for it.
inline constexpr passes::HostRow allreduce_on_hosts[] = {
    {any, any, any, passes::HostRow::Form::Chain},
};

// The rules that beat an expansion. tests/unit/cpu compares them with it, bit for bit.
inline bool has_rule(const ir::Op& op) {
  return (op.on_tensors ? op.counterpart : &op) == ops::pl::tile::silu;
}

inline constexpr passes::Traits traits{
    .pushes_wait_early = true,
    .has_rule = has_rule,
    .whole_tile_bytes = 256 << 10,
    .block_bytes = 64 << 10,
    .chunk_bytes = 8192,  // that of one rank and the sum fit the L1 cache
    .allreduce_modes = allreduce_modes,
    .allreduce_on_hosts = allreduce_on_hosts,
    .segment_bytes = 512 << 10,
};

}  // namespace tilewire::target::cpu
