// Memory of other ranks. Everything takes effect at once, one of the orders the rules of visibility allow,
// unless Options::in_flight asks for the others.
#include "interp/move.h"
#include "interp/op_table.h"
#include "numeric/numeric.h"
#include "ops/handles.h"

namespace tilewire::interp {
namespace {

using namespace ir;

bool adds(const Context& c) {
  return c.enum_attr<AtomicType>("atomic") == AtomicType::Add;
}

void write_there(Context& c, const View& from, const Tensor& to, bool add) {
  if (c.world.options().in_flight) {
    c.world.take_off(c, from, to, add);
  } else {
    store_region(c, from, to, add);
  }
}

void remote_store(Context& c, int) {
  write_there(c, c.view(size_t{0}), c.region(1), adds(c));
  c.result = c.value(1);
}

// dst, peer, src, dst_offsets, src_offsets, shape, signal, at, value
void put_tensor(Context& c, int) {
  const Tensor &target = c.region(0), &source = c.region(2);
  check_equal_extents(c, target.shape, source.shape);
  write_there(c, c.view(source), target, adds(c));
  if (c.has(6)) {
    c.world.land_all(c.agent_id, c.sink);
    int64_t value = c.has(8) ? c.integer(8) : 1;
    c.world.notify(c, c.region(6), value, c.enum_attr<NotifyOp>("op") == NotifyOp::AtomicAdd, 0);
  }
  c.result = c.value(0);
}

void put_cells(Context& c, int, std::vector<CellUse>& cells) {
  if (!c.has(6)) return;
  bool add = c.enum_attr<NotifyOp>("op") == NotifyOp::AtomicAdd;
  add_notified(c.region(6), c.has(8) ? c.integer(8) : 1, add, cells);
}

void get_tensor(Context& c, int) {
  const Tensor &target = c.region(0), &source = c.region(2);
  check_equal_extents(c, target.shape, source.shape);
  store_region(c, c.view(source), target, false);
  c.result = c.value(0);
}

}  // namespace

void add_remote(OpEntries& entries) {
  entries.add(ops::pld::tile::remote_load, load_tile);
  entries.add(ops::pld::tile::remote_store, remote_store);
  entries.add(ops::pld::tensor::remote_store, remote_store);
  entries.add(ops::pld::tensor::put, put_tensor).cells = put_cells;
  entries.add(ops::pld::tensor::get, get_tensor);
}

}  // namespace tilewire::interp
