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

// A part in its array, and as elements one behind the other. Both return where the next part is.
class DensePart {
 public:
  explicit DensePart(const ArrayPart& part) : part_(part), strides_(part.dimensions) {
    for (int64_t stride = 1, i = part.dimensions; i-- > 0; stride *= extents()[i]) strides_[i] = stride;
  }
  std::byte* write(std::byte* dense) const {
    copy(dense, array(), strides_.data(), strides());
    return dense + part_.bytes();
  }
  const std::byte* read(const std::byte* dense) const {
    copy(array(), dense, strides(), strides_.data());
    return dense + part_.bytes();
  }

 private:
  std::byte* array() const { return reinterpret_cast<std::byte*>(part_.words[0]); }
  const int64_t* extents() const { return reinterpret_cast<const int64_t*>(part_.words.data() + 1); }
  const int64_t* strides() const { return extents() + part_.dimensions; }
  void copy(std::byte* target, const std::byte* source, const int64_t* to, const int64_t* from) const {
    runtime::copy({.target = target,
                   .source = source,
                   .extents = extents(),
                   .target_strides = to,
                   .source_strides = from,
                   .rank = part_.dimensions,
                   .element_bytes = part_.element_bytes});
  }

  const ArrayPart& part_;
  std::vector<int64_t> strides_;
};

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
    if (part.rank / share == world.process()) own = DensePart(part).write(own);
  }
  if (!world.gather("")) return false;  // all are there
  std::vector<std::vector<std::byte>> copies(bytes.size());
  std::vector<const std::byte*> at(bytes.size());
  for (int32_t p = 0; p < world.processes() && to.has(world.process()); ++p) {
    if (bytes[p] > 0) at[p] = world.read(*memory, p, bytes[p], copies[p]);
  }
  if (world.has_far() && !world.gather("")) return false;
  if (!to.has(world.process())) return true;
  for (const ArrayPart& part : written) {
    const int32_t from = part.rank / share;
    if (from != world.process()) at[from] = DensePart(part).read(at[from]);
  }
  return true;
}

}  // namespace tilewire::processes
