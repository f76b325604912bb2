// The communication manifest of a host function, from the communication groups of its program.
#pragma once

#include <optional>

#include "driver/execute/arguments.h"
#include "ir/nodes.h"
#include "runtime/manifest.h"
#include "support/diagnostics.h"

namespace tilewire::driver {

// The window buffers that `host` allocates, by the groups of `program`, in the order of both. Sizes are
// written over world_size(), dimensions and integer scalar parameters of `host`; with `ranks`, for that
// number alone. Nothing after reporting a size that cannot be written so. A program without groups has an
// empty manifest.
std::optional<runtime::Manifest> manifest_of(const ir::Program& program, const ir::Function& host,
                                             std::optional<int64_t> ranks, Diagnostics& diags);

// What the names in sizes stand for in one call.
runtime::SizeNames size_names(const Signature& signature, const BoundArguments& arguments);

}  // namespace tilewire::driver
