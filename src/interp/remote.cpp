// Memory of other ranks. Everything takes effect at once: one of the orders the rules of visibility allow.
#include "interp/move.h"
#include "interp/op_table.h"
#include "numeric/numeric.h"

namespace tilewire::interp {
namespace {

using namespace ir;

bool adds(const Context& c) {
  return c.enum_attr<AtomicType>("atomic") == AtomicType::Add;
}

void remote_store(Context& c, int) {
  store_region(c, c.view(size_t{0}), c.region(1), adds(c));
  c.result = c.value(1);
}

// Copies between the regions of operands `to` and `from`.
void transfer(Context& c, size_t to, size_t from, bool add) {
  const Tensor &target = c.region(to), &source = c.region(from);
  check_equal_extents(c, target.shape, source.shape);
  store_region(c, c.view(source), target, add);
}

// dst, peer, src, dst_offsets, src_offsets, shape, signal, at, value
void put_tensor(Context& c, int) {
  transfer(c, 0, 2, adds(c));
  if (c.has(6)) {
    int64_t value = c.has(8) ? c.integer(8) : 1;
    notify_cell(c, c.region(6), value, c.enum_attr<NotifyOp>("op") == NotifyOp::AtomicAdd);
  }
  c.result = c.value(0);
}

void get_tensor(Context& c, int) {
  transfer(c, 0, 2, false);
  c.result = c.value(0);
}

}  // namespace

void add_remote(OpEntries& entries) {
  entries.add("pld.tile.remote_load", load_tile);
  entries.add("pld.tile.remote_store", remote_store);
  entries.add("pld.tensor.remote_store", remote_store);
  entries.add("pld.tensor.put", put_tensor);
  entries.add("pld.tensor.get", get_tensor);
}

}  // namespace tilewire::interp
