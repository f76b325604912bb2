#include "ops/handle.h"

#include "ops/registry.h"

namespace tilewire::ops {

const ir::Op& Handle::find() const {
  const ir::Op* op = registry().find(name_);
  TW_CHECK(op, std::string("handles.h is stale: there is no op ") + name_);
  op_.store(op, std::memory_order_release);
  return *op;
}

}  // namespace tilewire::ops
