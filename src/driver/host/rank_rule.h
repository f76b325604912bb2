// How many ranks a bundle runs on: rank_count of ranks.h, worked out as far as it can be without a call.
#pragma once

#include <optional>
#include <vector>

#include "driver/execute/arguments.h"
#include "ir/nodes.h"
#include "runtime/manifest_size.h"
#include "support/diagnostics.h"

namespace tilewire::driver {

struct RankRule {
  std::optional<int64_t> only;                // built for that number alone
  std::vector<runtime::SizeExpression> from;  // each gives the number; none: the caller has to

  // Nothing after reporting why there is no such number.
  std::optional<int32_t> count(const Signature& signature, std::optional<int64_t> asked,
                               const BoundArguments& arguments, Diagnostics& diags) const;
};

// Of a host function; others run on one rank.
RankRule rank_rule(const ir::Function& entry);

}  // namespace tilewire::driver
