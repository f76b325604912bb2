// How many ranks a run has: what was asked for, or what the program and its arguments say.
//
// Without an answer from the caller, the number follows from the ranks the host function dispatches to, when
// none of them depends on world_size(); else from a dimension that is compared with world_size(), or whose
// rows are staged into windows. A program without a host function runs on one rank.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "driver/execute/arguments.h"
#include "ir/nodes.h"
#include "passes/host_scalars.h"
#include "support/diagnostics.h"

namespace tilewire::driver {

// What a call says of world_size(), dimensions and scalar parameters of a host function. The arguments must
// outlive it.
passes::HostScalars::Known known_values(const BoundArguments& arguments, const Signature& signature,
                                        std::optional<int64_t> ranks = std::nullopt);

// The number of ranks alone.
passes::HostScalars::Known known_ranks(int64_t ranks);

// Dimensions that are the number of ranks.
std::vector<std::string> rank_dimensions(const ir::Function& entry);

// Whether a call of the entry may have that many ranks; nothing after reporting why not.
std::optional<int> valid_ranks(const Signature& signature, int64_t ranks, Diagnostics& diags);

// A number of ranks, and what says so.
struct RankAnswer {
  int64_t ranks;
  std::string by;
};
// The number that all answers say; nothing after reporting that there is none, or which two differ.
std::optional<int> agreed_ranks(const Signature& signature, std::span<const RankAnswer> answers,
                                Diagnostics& diags);

// Whether the arrays given for parameters whose row r is the share of rank r have one row per rank.
bool rows_fit(const Signature& signature, std::span<const size_t> staged, int64_t ranks,
              const BoundArguments& arguments, Diagnostics& diags);

class RankCounter {
 public:
  // What can be told before any call is worked out here, once. The signature must outlive it.
  explicit RankCounter(const Signature& signature);

  // Nothing after reporting why there is no such number, or why the arguments do not fit it.
  std::optional<int> count(std::optional<int64_t> asked, const BoundArguments& arguments,
                           Diagnostics& diags) const;

 private:
  // A loop over a dimension that dispatches to as many ranks: they are all there are.
  struct CountedLoop {
    std::string dimension, callee;
    Span span;
  };

  std::optional<int> deduced(const BoundArguments& arguments, Diagnostics& diags) const;
  bool fits(int64_t ranks, const BoundArguments& arguments, Diagnostics& diags) const;

  const Signature& signature_;
  std::vector<size_t> staged_;  // parameters whose row r is the share of rank r
  std::vector<CountedLoop> loops_;
};

// Of one call.
inline std::optional<int> rank_count(const Signature& signature, std::optional<int64_t> asked,
                                     const BoundArguments& arguments, Diagnostics& diags) {
  return RankCounter(signature).count(asked, arguments, diags);
}

}  // namespace tilewire::driver
