#include "check/outcome.h"

#include <algorithm>
#include <cstring>

#include "interp/context.h"
#include "interp/lanes.h"

namespace tilewire::check {
namespace {

using interp::Value;
using interp::World;

std::vector<std::byte> elements(const World& world, const interp::Tensor& tensor) {
  if (tensor.storage == interp::no_storage) return {};
  const std::byte* base = world.bytes(tensor.storage) + tensor.offset * ir::bytes(tensor.dtype);
  return interp::dense({tensor.dtype, base, tensor.shape, tensor.strides});
}

bool same(const World& a, const Value& x, const World& b, const Value& y) {
  if (x.v.index() != y.v.index()) return false;
  if (x.scalar()) return x.scalar()->i == y.scalar()->i;
  if (x.tensor()) {
    return x.tensor()->shape == y.tensor()->shape && elements(a, *x.tensor()) == elements(b, *y.tensor());
  }
  if (!x.tuple()) return true;
  return std::equal(x.tuple()->begin(), x.tuple()->end(), y.tuple()->begin(), y.tuple()->end(),
                    [&](const Value& p, const Value& q) { return same(a, p, b, q); });
}

}  // namespace

bool same_outcome(const World& a, const World& b) {
  const size_t storages = std::min(a.storage_count(), b.storage_count());
  for (interp::StorageId id = 0; id < storages; ++id) {
    if (a.storage(id).kind != interp::Storage::Kind::Argument) continue;
    const std::byte *x = a.bytes(id), *y = b.bytes(id);
    if (x != y && std::memcmp(x, y, static_cast<size_t>(a.storage(id).size)) != 0) return false;
  }
  return std::equal(a.results().begin(), a.results().end(), b.results().begin(), b.results().end(),
                    [&](const Value& p, const Value& q) { return same(a, p, b, q); });
}

}  // namespace tilewire::check
