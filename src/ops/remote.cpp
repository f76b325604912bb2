// Memory of other ranks: loads, stores and transfers between a tensor and a peer's copy of a window.
#include "ops/checks.h"
#include "ops/define.h"
#include "ops/families.h"
#include "support/diagnostics/ops.h"

namespace tilewire::ops {

using namespace ir;

namespace {

TypeRef remote_load_rule(OpCheck& c) {
  const DistributedTensorType& target = *c.window("target");
  bool good = check_peer(c, "peer");
  good = check_length(c, "offsets", target.shape.size()) && good;
  if (!check_length(c, "shape", target.shape.size()) || !good) return nullptr;
  auto shape = checked_tile_shape(c, "shape");
  if (!shape || !check_valid_shape(c, "valid_shape", c.list("shape"))) return nullptr;
  const ExprList& extents = c.has("valid_shape") ? c.list("valid_shape") : c.list("shape");
  if (!check_region(c, "offsets", extents, target.shape)) return nullptr;
  return value_type(true, {shape->rows_expr, shape->cols_expr}, target.dtype);
}

bool check_remote_target(OpCheck& c, const char* value) {
  if (c.window("target")->dtype != *c.dtype(value)) check_same_dtype(c, "target", value);
  check_atomic(c, value);
  check_peer(c, "peer");
  return check_length(c, "offsets", c.window("target")->shape.size());
}

TypeRef remote_store_tile(OpCheck& c) {
  const ExprList& shape = c.window("target")->shape;
  if (!check_remote_target(c, "tile") || !region_of_tile(c, "tile", shape.size())) return nullptr;
  check_starts(c, "offsets", shape);
  return c.failed() ? nullptr : c.arg("target")->type;
}

bool check_equal_rank(OpCheck& c, const char* a, const char* b) {
  size_t x = c.tensor(a)->shape.size();
  size_t y = c.tensor(b)->shape.size();
  if (x == y) return true;
  c.error(diag::transfer_rank, b, {c.op.qualified(), std::to_string(x), std::to_string(y)})
      .with_help("write a slice, x[i : i + 1]: an index, x[i], drops the dimension");
  return false;
}

TypeRef remote_store_tensor(OpCheck& c) {
  const ExprList& shape = c.window("target")->shape;
  if (!check_remote_target(c, "src") || !check_equal_rank(c, "target", "src")) return nullptr;
  check_region(c, "offsets", c.tensor("src")->shape, shape);
  return c.failed() ? nullptr : c.arg("target")->type;
}

// --- put and get

// Offsets and shape, all or none; regions in bounds on both sides.
void check_transfer(OpCheck& c) {
  const TensorType& dst = *c.tensor("dst");
  const TensorType& src = *c.tensor("src");
  if (dst.dtype != src.dtype) check_same_dtype(c, "dst", "src");
  check_peer(c, "peer");
  for (const char* name : {"chunk_rows", "chunk_cols"}) {
    int64_t chunk = *c.attr(name)->get<int64_t>();
    if (chunk >= 0) continue;
    c.error(diag::chunk_negative, name, {name, c.op.qualified(), std::to_string(chunk)})
        .with_help("pass 0 to let the compiler choose the size of a chunk");
  }
  if (!check_equal_rank(c, "dst", "src")) return;
  int given = c.has("dst_offsets") + c.has("src_offsets") + c.has("shape");
  if (given == 0) {
    check_same_shape(c, "dst", "src");
    return;
  }
  if (given != 3) {
    c.error(diag::all_or_none, {c.op.qualified(), "`dst_offsets`, `src_offsets` and `shape`"})
        .with_help("leave all three out to transfer whole tensors of equal shape");
    return;
  }
  size_t rank = dst.shape.size();
  bool lengths = check_length(c, "dst_offsets", rank);
  lengths = check_length(c, "src_offsets", rank) && lengths;
  lengths = check_length(c, "shape", rank) && lengths;
  if (!lengths || !check_tensor_shape(c, "shape")) return;
  check_region(c, "dst_offsets", c.list("shape"), dst.shape);
  check_region(c, "src_offsets", c.list("shape"), src.shape);
}

void check_completion(OpCheck& c) {
  if (!c.has("signal")) {
    for (const char* name : {"at", "value"}) {
      if (c.has(name)) c.error(diag::notify_without_signal, name, {name, c.op.qualified()});
    }
    if (c.enum_attr<NotifyOp>("op") != NotifyOp::AtomicAdd) {
      c.error(diag::notify_without_signal, "op", {"op", c.op.qualified()});
    }
    return;
  }
  check_signal(c, "signal");
  if (!c.has("at")) {
    c.error(diag::notify_without_cell, "signal", {c.op.qualified()}).with_help("write at=[i, 0]");
    return;
  }
  check_element(c, "at", c.tensor("signal")->shape);
  if (!c.has("value")) c.set("value", make<ConstInt>(c.span, int64_t{1}, DType::Int32));
  normalise_int32(c, "value");
}

TypeRef put_rule(OpCheck& c) {
  check_transfer(c);
  check_atomic(c, "dst");
  check_completion(c);
  return c.failed() ? nullptr : c.arg("dst")->type;
}

TypeRef get_rule(OpCheck& c) {
  check_transfer(c);
  return c.failed() ? nullptr : c.arg("dst")->type;
}

const char* const peer_doc = "The rank whose memory it is; it may be this rank.";
const char* const offsets_doc = "Where the region starts, one entry per dimension of `target`.";
const char* const atomic_doc = "Whether to overwrite or to add, each addition atomic.";

void define_loads_stores(std::vector<Op>& ops) {
  Define(ops, "pld", "tile.remote_load",
         "Loads a region of another rank's copy of a window. It is complete when it returns.")
      .operand("target", AcceptWindow, Data, "The window.")
      .operand("peer", AcceptInt, Address, peer_doc)
      .list("offsets", AcceptInt, Address, offsets_doc)
      .list("shape", AcceptInt, Extent,
            "The extents of the region, one constant per dimension; all but the last two are 1.")
      .list("valid_shape", AcceptInt, Extent,
            "The extents that are loaded where the region is a ragged tail, at most `shape`.")
      .optional()
      .group()
      .form(OpForm::Load)
      .effect(Access::Read, "target")
      .region("offsets", "shape")
      .peer("peer")
      .result("A tile of the last two extents of `shape` and the dtype of `target`.")
      .rule(remote_load_rule);
  Define(ops, "pld", "tile.remote_store",
         "Writes the valid extent of a tile into another rank's copy of a window. Others see it once they "
         "have waited "
         "for a later notify of this task.")
      .operand("tile", AcceptTile, Data, "The tile.")
      .operand("target", AcceptWindow, Data, "The window, of the same dtype.")
      .operand("peer", AcceptInt, Address, peer_doc)
      .list("offsets", AcceptInt, Address, offsets_doc)
      .choice<AtomicType>("atomic", atomic_doc)
      .by_default(AtomicType::None_)
      .keyword_only()
      .group()
      .form(OpForm::Store)
      .store_effects("target", "offsets", "tile", "peer")
      .rebinds("target")
      .result("`target`.")
      .rule(remote_store_tile);
  Define(ops, "pld", "tensor.remote_store",
         "Writes a tensor into another rank's copy of a window. Others see it once they have waited for a "
         "later notify "
         "of this task.")
      .operand("src", AcceptTensor, Data, "The tensor, of the rank and dtype of `target`.")
      .operand("target", AcceptWindow, Data, "The window.")
      .operand("peer", AcceptInt, Address, peer_doc)
      .list("offsets", AcceptInt, Address, offsets_doc)
      .choice<AtomicType>("atomic", atomic_doc)
      .by_default(AtomicType::None_)
      .keyword_only()
      .group()
      .effect(Access::Read, "src")
      .store_effects("target", "offsets", "src", "peer")
      .rebinds("target")
      .result("`target`.")
      .rule(remote_store_tensor);
}

Define& transfer_region(Define& def) {
  return def
      .list("dst_offsets", AcceptInt, Address,
            "Where the region starts in `dst`; all of both tensors if left out.")
      .optional()
      .list("src_offsets", AcceptInt, Address,
            "Where the region starts in `src`; given together with `dst_offsets`.")
      .optional()
      .list("shape", AcceptInt, Extent, "The extents of the region; given together with the offsets.")
      .optional();
}

Define& transfer_chunks(Define& def) {
  return def.attr("chunk_rows", AttrKind::Int, "Rows moved at a time; 0 leaves it to the compiler.")
      .by_default({int64_t{0}})
      .keyword_only()
      .attr("chunk_cols", AttrKind::Int, "Columns moved at a time; 0 leaves it to the compiler.")
      .by_default({int64_t{0}})
      .keyword_only()
      .attr("pipeline", AttrKind::Bool, "Whether to read one chunk while the one before is written.")
      .by_default({false})
      .keyword_only();
}

void define_transfers(std::vector<Op>& ops) {
  Define put(ops, "pld", "tensor.put",
             "Copies a tensor into another rank's copy of a window. The source has been read when it "
             "returns; others see "
             "the data once they have waited for a later notify of this task, or for `signal`.");
  put.operand("dst", AcceptWindow, Data, "The window.")
      .operand("peer", AcceptInt, Address, "The rank whose copy is written; it may be this rank.")
      .operand("src", AcceptTensor, Data, "The tensor, of the rank and dtype of `dst`.");
  transfer_region(put).choice<AtomicType>("atomic", atomic_doc).by_default(AtomicType::None_).keyword_only();
  transfer_chunks(put)
      .operand("signal", AcceptWindow, Data,
               "An INT32 window whose cell at the peer is notified once the data has landed.")
      .optional()
      .keyword_only()
      .list("at", AcceptInt, Address, "The cell of `signal`, one entry per dimension.")
      .optional()
      .keyword_only()
      .operand("value", AcceptInt, SignalValue,
               "The value of the notify, 1 if left out; any integer, taken as INT32.")
      .literal(DType::Int32)
      .optional()
      .keyword_only()
      .choice<NotifyOp>("op", "Whether the value is added or stored.")
      .by_default(NotifyOp::AtomicAdd)
      .keyword_only()
      .group()
      .effect(Access::Read, "src")
      .region("src_offsets", "shape")
      .store_effects("dst", "dst_offsets", "shape", "peer")
      .effect(Access::Signal, "signal")
      .region("at")
      .peer("peer")
      .rebinds("dst")
      .result("`dst`.")
      .rule(put_rule);
  Define get(ops, "pld", "tensor.get",
             "Copies another rank's copy of a window into a tensor. It is complete when it returns.");
  get.operand("dst", AcceptTensor, Data, "The tensor that is written, of the rank and dtype of `src`.")
      .operand("peer", AcceptInt, Address, "The rank whose copy is read; it may be this rank.")
      .operand("src", AcceptWindow, Data, "The window.");
  transfer_chunks(transfer_region(get))
      .group()
      .effect(Access::Read, "src")
      .region("src_offsets", "shape")
      .peer("peer")
      .effect(Access::Write, "dst")
      .region("dst_offsets", "shape")
      .rebinds("dst")
      .result("`dst`, written in place.")
      .rule(get_rule);
}

}  // namespace

void define_remote(std::vector<Op>& ops) {
  define_loads_stores(ops);
  define_transfers(ops);
}

}  // namespace tilewire::ops
