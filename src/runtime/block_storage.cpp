// Memory of tensors that kernels create. They live until they are released or the block ends; no task takes
// them, so nothing has to wait for anything.
#include <algorithm>
#include <cstring>

#include "runtime/job.h"
#include "runtime/run_state.h"

namespace tilewire::runtime {

abi::Status BlockContext::create(uint64_t bytes, uint32_t site, void** storage) {
  if (run->aborted()) return abi::aborted;
  Storage* made = run->process.storage.take(bytes);
  if (!made) return run->fail_memory(*this, bytes, site);
  if (run->fills()) std::memset(made->data(), run->filling(), bytes);
  created.add(*made);
  *storage = made->data();
  return abi::ok;
}

void BlockContext::release(void* data) {
  const auto found =
      std::find_if(created.begin(), created.end(), [&](Storage* storage) { return storage->data() == data; });
  if (found == created.end()) return;  // of an argument
  Storage* storage = *found;
  created.remove(*storage);
  run->process.storage.give(storage);
}

void BlockContext::release_all() {
  for (Storage* storage : created) run->process.storage.give(storage);
  created.clear();
}

}  // namespace tilewire::runtime
