// How many ranks a run has: what was asked for, or what the program and its arguments say.
//
// Without an answer from the caller, the number follows from the ranks the host function dispatches to, when
// none of them depends on world_size(); else from a dimension that is compared with world_size(), or whose
// rows are staged into windows. A program without a host function runs on one rank.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/arguments.h"
#include "ir/nodes.h"
#include "passes/host_scalars.h"
#include "support/diagnostics.h"

namespace tilewire::driver {

inline constexpr int64_t most_ranks = 1 << 16;

// What a call says of world_size(), dimensions and scalar parameters of a host function. The arguments must
// outlive it.
passes::HostScalars::Known known_values(const BoundArguments& arguments, const Signature& signature,
                                        std::optional<int64_t> ranks = std::nullopt);

// The number of ranks alone.
passes::HostScalars::Known known_ranks(int64_t ranks);

// Dimensions that are the number of ranks.
std::vector<std::string> rank_dimensions(const ir::Function& entry);

// Nothing after reporting why there is no such number.
std::optional<int> rank_count(const Signature& signature, std::optional<int64_t> asked,
                              const BoundArguments& arguments, Diagnostics& diags);

}  // namespace tilewire::driver
