// The values of names in a host function for one call: the number of ranks, dimensions, scalar parameters.
#pragma once

#include <cstdint>
#include <optional>

#include "driver/execute/arguments.h"
#include "passes/host_scalars.h"
#include "runtime/manifest_size.h"

namespace tilewire::driver {

// For passes. The arguments and the signature must outlive it.
passes::HostScalars::Known known_values(const BoundArguments& arguments, const Signature& signature,
                                        std::optional<int64_t> ranks = std::nullopt);

// Only the number of ranks.
passes::HostScalars::Known known_ranks(int64_t ranks);

// For the sizes in a manifest.
runtime::SizeNames size_names(const Signature& signature, const BoundArguments& arguments);

}  // namespace tilewire::driver
