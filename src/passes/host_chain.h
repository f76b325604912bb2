// Allreduce where the ranks live on several hosts, in rank order.
#pragma once

#include "passes/collective_builder.h"

namespace tilewire::passes {

// Whether the sum of one host can be handed on as it is: that of 16 bits would be rounded once a host.
bool has_chain(ir::ReduceOp how, const Units& units);

// Combines a dense window, hosts one after the other. Needs: more than one host. Complete when it returns,
// and begins without its own barrier.
void host_chain(ir::ReduceOp how, const Units& units, const Team& team, CollectiveBuilder& b);

}  // namespace tilewire::passes
