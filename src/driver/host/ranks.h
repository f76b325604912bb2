// How many ranks a call may have: what must hold of the number, and of the arguments beside it.
//
// What a host function says of the number is in host_analysis.h.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "driver/execute/arguments.h"
#include "runtime/manifest_size.h"
#include "support/diagnostics.h"

namespace tilewire::driver {

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

// Whether the arrays given for `staged` parameters, whose row r is the share of rank r, have one row per
// rank.
bool rows_fit(const Signature& signature, std::span<const size_t> staged, int64_t ranks,
              const BoundArguments& arguments, Diagnostics& diags);

// What a bundle keeps of HostAnalysis: the number of ranks as far as it is known without the program.
struct RankRule {
  std::optional<int64_t> only;                // built for that number alone
  std::vector<runtime::SizeExpression> from;  // each gives the number; none: the caller has to

  // Nothing after reporting why there is no such number.
  std::optional<int> count(const Signature& signature, std::optional<int64_t> asked,
                           const BoundArguments& arguments, Diagnostics& diags) const;
};

}  // namespace tilewire::driver
