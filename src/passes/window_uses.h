// To which ranks a host function passes its window buffers.
#pragma once

#include <vector>

#include "ir/nodes.h"
#include "passes/device_set.h"
#include "passes/host_scalars.h"

namespace tilewire::passes {

// The buffer that a view belongs to; null for anything else.
const ir::WindowBuffer* buffer_of(const ir::ExprRef& expr);

struct WindowUses {
  // A call with `device=`, and the ranks it goes to.
  struct Dispatch {
    const ir::FunctionCall* call = nullptr;
    const ir::For* loop = nullptr;  // whose variable is the device; null: one rank
    DeviceSet devices;
    bool certain = true;  // not conditional and in no other loop that leaves open whether it happens
  };

  std::vector<const ir::Assign*> allocations;  // in the order of the source
  std::vector<const ir::Call*> views;          // pld.window
  std::vector<Dispatch> dispatches;
  std::vector<const ir::Call*> collectives;

  // Leaves out what cannot happen according to `scalars`.
  static WindowUses of(const ir::Function& host, const HostScalars& scalars);
};

}  // namespace tilewire::passes
