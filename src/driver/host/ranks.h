// How many ranks a call may have: checks of the number, and of the arguments with it.
//
// What a host function itself determines is in host_analysis.h.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "driver/execute/arguments.h"
#include "runtime/manifest_size.h"
#include "support/diagnostics.h"

namespace tilewire::driver {

// Whether a call of the entry may have that many ranks; empty after reporting why not.
std::optional<int> valid_ranks(const Signature& signature, int64_t ranks, Diagnostics& diags);

// A number of ranks, and its source.
struct RankAnswer {
  int64_t ranks;
  std::string by;
};
// The number on which all sources agree; empty after reporting that there is none, or which two differ.
std::optional<int> agreed_ranks(const Signature& signature, std::span<const RankAnswer> answers,
                                Diagnostics& diags);

// Whether the arrays given for `staged` parameters, whose row r is the share of rank r, have one row per
// rank.
bool rows_fit(const Signature& signature, std::span<const size_t> staged, int64_t ranks,
              const BoundArguments& arguments, Diagnostics& diags);

// The part of HostAnalysis that a bundle stores: the number of ranks as known without the program.
struct RankRule {
  std::optional<int64_t> only;                // built for only that number
  std::vector<runtime::SizeExpression> from;  // each yields the number; empty: the caller must pass it

  // Empty after reporting why there is no such number.
  std::optional<int> count(const Signature& signature, std::optional<int64_t> asked,
                           const BoundArguments& arguments, Diagnostics& diags) const;
};

}  // namespace tilewire::driver
