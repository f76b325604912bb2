// What follows from the text of a host function: how many ranks it runs on, and how large its windows are.
//
// Computed once per program; a call adds the values of its arguments. Entries that are not host functions
// run on one rank and have no windows.
//
// If the caller does not pass it, the number of ranks follows from those the host function dispatches to,
// if none of them depends on world_size(); else from a dimension that is compared with world_size(), or
// whose rows are staged into windows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/execute/arguments.h"
#include "driver/host/ranks.h"
#include "driver/host/size_text.h"
#include "ir/nodes.h"
#include "runtime/manifest.h"
#include "support/diagnostics.h"

namespace tilewire::driver {

class HostAnalysis {
 public:
  // `lowered`: the program of the entry after the passes. The signature must outlive it.
  HostAnalysis(const Signature& signature, const ir::Program& lowered);

  // The entry as lowered; null if it is not a host function.
  const ir::Function* function() const { return lowered_.get(); }

  // The number of ranks of a call. Empty after reporting why there is none, or why the arguments do not fit
  // it.
  std::optional<int> ranks(std::optional<int64_t> asked, const BoundArguments& arguments,
                           Diagnostics& diags) const;
  // The same as far as it is known without a call.
  const RankRule& rank_rule() const { return rule_; }
  // Dimensions that are equal to the number of ranks.
  const std::vector<std::string>& rank_dimensions() const { return dimensions_; }
  // Those, and the ones of arrays whose row r goes to rank r in a loop over all ranks: with as many rows as
  // ranks, a process needs only its ranks' rows.
  const std::vector<std::string>& row_dimensions() const { return row_dimensions_; }

  // The window buffers of the host function, by the groups of `grouped`, in the order of both: the lowered
  // program, or the same with other groups. Sizes are written over world_size(), dimensions and integer
  // scalar parameters; with `ranks`, only for that number. Empty after reporting a size that cannot be
  // expressed so. A program without groups has an empty manifest.
  std::optional<runtime::Manifest> manifest(const ir::Program& grouped, std::optional<int64_t> ranks,
                                            Diagnostics& diags) const;

 private:
  // Whether a loop over a dimension dispatches to that many ranks, which are then all of them.
  struct CountedLoop {
    std::string dimension, callee;
    Span span;
  };

  void find_ranks();
  std::optional<int> deduced(const BoundArguments& arguments, Diagnostics& diags) const;
  bool fits(int64_t ranks, const BoundArguments& arguments, Diagnostics& diags) const;

  const Signature& signature_;
  std::vector<size_t> staged_;  // parameters whose row r is staged into or out of the windows of rank r
  std::vector<size_t> rows_;  // those of which a loop over all ranks takes row r for rank r, and nothing else
  std::vector<std::string> dimensions_, row_dimensions_;
  std::vector<CountedLoop> loops_;
  RankRule rule_;
  ir::FunctionRef lowered_;
  AssignedValues values_;  // of it
};

}  // namespace tilewire::driver
