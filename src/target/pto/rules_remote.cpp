// Memory of other ranks: loads, stores and copies through a tile.
#include <algorithm>

#include "ops/handles.h"
#include "target/pto/emitter.h"
#include "target/pto/peers.h"
#include "target/pto/rules.h"

namespace tilewire::target::pto {

using namespace ir;

namespace {

constexpr int64_t staging_bytes = 16 << 10;

void remote_load(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  const auto& type = static_cast<const TileType&>(*result->type);
  Tensor there = at_peer(e, e.tensor(operand(call, "target")), e.index(operand(call, "peer")), call.span);
  Extent rows = e.number(type.rows()), cols = e.number(type.cols());
  if (const ExprRef valid = operand(call, "valid_shape")) {
    const std::vector<Scalar> stated = e.indices(valid);
    cols = stated.back();
    if (stated.size() > 1) rows = stated[stated.size() - 2];
  }
  e.load(there, e.indices(operand(call, "offsets")), *result, rows, cols, call);
}

void remote_store_tile(FunctionEmitter& e, const Call& call, const Var* result) {
  const ExprRef target = operand(call, "target");
  Tensor there = at_peer(e, e.tensor(target), e.index(operand(call, "peer")), call.span);
  const bool add = enum_attribute<AtomicType>(call, "atomic") == AtomicType::Add;
  e.store(e.tile(operand(call, "tile")), there, e.indices(operand(call, "offsets")), add, call);
  if (result) e.name_tensor(*result, e.tensor(target));
}

// --- copies between tensors

// The tile that a copy goes through: of a size that divides the region where that is known.
struct Staging {
  TileForm form;
  Extent rows, cols;
};

int64_t largest_divisor(int64_t extent, int64_t limit) {
  for (int64_t part = std::min(extent, limit); part > 1; --part) {
    if (extent % part == 0) return part;
  }
  return 1;
}

Staging staging_for(FunctionEmitter& e, const Tensor& tensor, const Extent& rows, const Extent& cols,
                    int64_t chunk_rows, int64_t chunk_cols) {
  Staging made;
  made.form.space = MemorySpace::Vec;
  made.form.element = element_text(tensor.dtype);
  const int64_t bytes = element_bytes(made.form.element);
  const int64_t widest = chunk_cols > 0 ? std::min(chunk_cols, staging_bytes / bytes) : 2048 / bytes;
  const int64_t width = cols.integer ? largest_divisor(std::max<int64_t>(*cols.integer, 1), widest) : widest;
  made.form.cols = e.up_to_unit(width);
  const int64_t tallest = std::max<int64_t>(
      1, std::min(chunk_rows > 0 ? chunk_rows : staging_bytes, staging_bytes / (made.form.cols * bytes)));
  made.form.rows = rows.integer ? largest_divisor(std::max<int64_t>(*rows.integer, 1), tallest) : tallest;
  const bool dynamic = !rows.integer || !cols.integer;
  // What only run time knows is at most the tile.
  made.rows = dynamic ? e.smaller(rows, e.number(made.form.rows)) : e.number(made.form.rows);
  made.cols = dynamic ? e.smaller(cols, e.number(made.form.cols)) : e.number(width);
  return made;
}

struct Copy {
  Tensor to, from;
  std::vector<Scalar> to_place, from_place, sizes;
  bool put = true;  // else a get
  bool add = false;
  int64_t chunk_rows = 0, chunk_cols = 0;
  bool pipeline = false;
};

bool neighbours(const Tensor& tensor) {
  return !tensor.strides.empty() &&
         (tensor.strides.back().integer == 1 || tensor.extents.back().integer == 1);
}

void copy_matrix(FunctionEmitter& e, Copy& copy) {
  const size_t rank = copy.sizes.size();
  const Extent rows = rank > 1 ? copy.sizes[rank - 2] : e.number(1), cols = copy.sizes[rank - 1];
  const Staging staging = staging_for(e, copy.to, rows, cols, copy.chunk_rows, copy.chunk_cols);
  const Tile ping = e.temporary(staging.form, staging.rows, staging.cols);
  std::string tiles = ping.name, types = ping.type();
  if (copy.pipeline) {
    const Tile pong = e.temporary(staging.form, staging.rows, staging.cols);
    tiles += ", " + pong.name;
    types += ", " + pong.type();
  }
  copy.to.layout = copy.from.layout = Layout::ND;
  const Operand to = e.region(copy.to, copy.to_place, copy.sizes);
  const Operand from = e.region(copy.from, copy.from_place, copy.sizes);
  std::string line = std::string("pto.comm.") + (copy.put ? "tput" : "tget") + "(" + to.name + ", " +
                     from.name + ", buf(" + tiles + ") : " + to.type + ", " + from.type + ", " + types + ")";
  if (copy.put) {
    line +=
        std::string(" {atomicType = #pto<atomic_type ") + (copy.add ? "atomic_add" : "atomic_none") + ">}";
  }
  e.text.line(line);
}

// The op copies rows and columns; what is in front of them is a loop each.
void copy_from(FunctionEmitter& e, Copy& copy, size_t axis) {
  if (axis + 2 >= copy.sizes.size()) return copy_matrix(e, copy);
  if (copy.sizes[axis].integer == 1) return copy_from(e, copy, axis + 1);
  const std::string number = e.text.fresh("i");
  e.text.open("scf.for " + number + " = " + e.text.integer(0, "index") + " to " +
              e.text.name(copy.sizes[axis]) + " step " + e.text.integer(1, "index") + " {");
  e.enter();
  Copy inner = copy;
  const Scalar at = e.named(number, "index");
  inner.to_place[axis] = e.add(copy.to_place[axis], at);
  inner.from_place[axis] = e.add(copy.from_place[axis], at);
  inner.sizes[axis] = e.number(1);
  copy_from(e, inner, axis + 1);
  e.leave();
  e.text.close();
}

void write_copy(FunctionEmitter& e, Copy& copy, const Call& call) {
  const size_t rank = copy.sizes.size();
  if (rank == 0 || rank > 5) {
    e.refuse(call.span, "a copy of tensors of " + std::to_string(rank) + " dimensions",
             "views have one to five");
    return;
  }
  if (!neighbours(copy.to) || !neighbours(copy.from)) {
    e.refuse(call.span, "a copy of a tensor whose columns are apart in memory", "it copies whole rows");
    return;
  }
  copy_from(e, copy, 0);
}

// Places and sizes of `put` and `get`, which are given all or none.
void set_region(FunctionEmitter& e, Copy& copy, const Call& call) {
  if (operand(call, "shape")) {
    copy.to_place = e.indices(operand(call, "dst_offsets"));
    copy.from_place = e.indices(operand(call, "src_offsets"));
    copy.sizes = e.indices(operand(call, "shape"));
    return;
  }
  copy.sizes = copy.to.extents;
  for (size_t i = 0; i < copy.sizes.size(); ++i) {
    if (copy.from.extents[i].integer) copy.sizes[i] = copy.from.extents[i];
  }
  copy.to_place.assign(copy.sizes.size(), e.number(0));
  copy.from_place = copy.to_place;
}

void set_chunks(Copy& copy, const Call& call) {
  copy.chunk_rows = *attribute(call, "chunk_rows")->get<int64_t>();
  copy.chunk_cols = *attribute(call, "chunk_cols")->get<int64_t>();
  copy.pipeline = *attribute(call, "pipeline")->get<bool>();
}

void put(FunctionEmitter& e, const Call& call, const Var* result) {
  const ExprRef target = operand(call, "dst");
  const Scalar peer = e.index(operand(call, "peer"));
  Copy copy;
  copy.to = at_peer(e, e.tensor(target), peer, call.span);
  copy.from = e.tensor(operand(call, "src"));
  copy.add = enum_attribute<AtomicType>(call, "atomic") == AtomicType::Add;
  set_region(e, copy, call);
  set_chunks(copy, call);
  write_copy(e, copy, call);
  if (const ExprRef signal = operand(call, "signal")) {
    fence(e);
    const Tensor there = at_peer(e, e.tensor(signal), peer, call.span);
    const Operand cell_there = cell(e, there, e.indices(operand(call, "at")));
    const bool set = enum_attribute<NotifyOp>(call, "op") == NotifyOp::Set;
    e.text.line("pto.comm.tnotify(" + cell_there.name + ", " + e.text.name(e.scalar(operand(call, "value"))) +
                " : " + cell_there.type + ", i32) {notifyOp = #pto<notify_op " +
                (set ? "set" : "atomic_add") + ">}");
  }
  if (result) e.name_tensor(*result, e.tensor(target));
}

void get(FunctionEmitter& e, const Call& call, const Var* result) {
  const ExprRef target = operand(call, "dst");
  Copy copy;
  copy.put = false;
  copy.to = e.tensor(target);
  copy.from = at_peer(e, e.tensor(operand(call, "src")), e.index(operand(call, "peer")), call.span);
  set_region(e, copy, call);
  set_chunks(copy, call);
  write_copy(e, copy, call);
  if (result) e.name_tensor(*result, e.tensor(target));
}

void remote_store_tensor(FunctionEmitter& e, const Call& call, const Var* result) {
  const ExprRef target = operand(call, "target");
  Copy copy;
  copy.to = at_peer(e, e.tensor(target), e.index(operand(call, "peer")), call.span);
  copy.from = e.tensor(operand(call, "src"));
  copy.add = enum_attribute<AtomicType>(call, "atomic") == AtomicType::Add;
  copy.to_place = e.indices(operand(call, "offsets"));
  copy.from_place.assign(copy.to_place.size(), e.number(0));
  copy.sizes = copy.from.extents;
  write_copy(e, copy, call);
  if (result) e.name_tensor(*result, e.tensor(target));
}

}  // namespace

void add_remote_rules(RuleTable& table) {
  table.add(ops::pld::tile::remote_load, {remote_load, stored, "tload from the peer's address", {}});
  table.add(ops::pld::tile::remote_store,
            {remote_store_tile, stored, "tstore to the peer's address, with atomicType to add", {}});
  table.add(ops::pld::tensor::remote_store,
            {remote_store_tensor, stored, "comm.tput of the whole tensor", {}});
  table.add(
      ops::pld::tensor::put,
      {put, stored, "comm.tput through a tile, two with pipeline; a fence and comm.tnotify for signal", {}});
  table.add(ops::pld::tensor::get, {get, stored, "comm.tget through a tile, two with pipeline", {}});
}

}  // namespace tilewire::target::pto
