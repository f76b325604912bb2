// Each process puts its parts into a shared region, densely and one after the other, and takes the others'
// from theirs. All know the parts of all, so nothing but the elements is sent.
#include "processes/send_parts.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "runtime/transfer.h"
#include "runtime/windows.h"

namespace tilewire::processes {
namespace {

using runtime::ArrayPart;

// Copies a part to dense elements, or from them. Returns where the next part is.
std::byte* copy_part(const ArrayPart& part, std::byte* dense, bool to_dense) {
  auto* array = reinterpret_cast<std::byte*>(part.words[0]);
  auto* extents = reinterpret_cast<const int64_t*>(part.words.data() + 1);
  const int64_t* strides = extents + part.dimensions;
  std::vector<int64_t> dense_strides(part.dimensions);
  for (int64_t stride = 1, i = part.dimensions; i-- > 0; stride *= extents[i]) dense_strides[i] = stride;
  runtime::copy({.target = to_dense ? dense : array,
                 .source = to_dense ? array : dense,
                 .extents = extents,
                 .target_strides = to_dense ? dense_strides.data() : strides,
                 .source_strides = to_dense ? strides : dense_strides.data(),
                 .rank = part.dimensions,
                 .element_bytes = part.element_bytes});
  return dense + part.bytes();
}

}  // namespace

bool send_parts(ProcessWorld& world, int32_t ranks, std::span<const ArrayPart> written, const Receivers& to) {
  if (to.who == Receivers::Who::None || world.processes() == 1) return true;
  const int32_t share = ranks / world.processes();
  std::vector<uint64_t> bytes(world.processes());
  for (const ArrayPart& part : written) bytes[part.rank / share] += part.bytes();
  const uint64_t most = *std::max_element(bytes.begin(), bytes.end());
  if (most == 0) return true;
  const std::shared_ptr<runtime::GroupMemory> memory = world.exchange_memory(most);
  if (!memory) return false;
  std::byte* own = memory->regions[world.process()];
  for (const ArrayPart& part : written) {
    if (part.rank / share == world.process()) own = copy_part(part, own, true);
  }
  if (!world.gather("")) return false;  // all are there
  if (!to.has(world.process())) return true;
  std::vector<std::byte*> at = memory->regions;
  for (const ArrayPart& part : written) {
    const int32_t from = part.rank / share;
    if (from != world.process()) at[from] = copy_part(part, at[from], false);
  }
  return true;
}

}  // namespace tilewire::processes
