// Windows: memory every rank of a group owns a copy of. Host ops, and what a rank knows of its group.
#include "ops/windows.h"

#include <algorithm>

#include "ir/printer.h"
#include "ops/checks.h"
#include "ops/define.h"
#include "ops/families.h"
#include "ops/registry.h"
#include "support/diagnostics/ops.h"

namespace tilewire::ops {

using namespace ir;

namespace {

// Bytes of a buffer given by shape and dtype, where constant.
std::optional<int64_t> constant_bytes(const ExprList& shape, DType dtype) {
  auto count = element_count(shape);
  return count ? byte_count(*count, dtype) : std::nullopt;
}

bool check_staged(OpCheck& c, const char* name, std::optional<int64_t> bytes) {
  if (!c.has(name)) return true;
  const TensorType& t = *c.tensor(name);
  if (!isa<Parameter>(c.arg(name))) {
    c.error(diag::staged_not_parameter, name, {name})
        .with_help("pass the whole parameter: rank r uses its row r");
    return false;
  }
  if (t.shape.empty()) {
    c.error(diag::rank_too_small, name, {c.op.qualified(), "1", "0"});
    return false;
  }
  auto row = constant_bytes(ExprList(t.shape.begin() + 1, t.shape.end()), t.dtype);
  if (!row || !bytes || *row == *bytes) return true;
  c.error(diag::staged_row, name, {to_string(c.arg(name)), std::to_string(*row), std::to_string(*bytes)})
      .with_help("make the two sizes equal: rank r uses row r of the parameter");
  return false;
}

TypeRef alloc_rule(OpCheck& c) {
  const AttrValue* dtype = c.attr("dtype");
  bool by_shape = c.has("shape");
  if (by_shape == c.has("nbytes") || by_shape != (dtype != nullptr)) {
    c.error(diag::window_size_form, {c.op.qualified()})
        .with_help(
            "write pld.alloc_window_buffer(4096), or pld.alloc_window_buffer([16, 64], dtype=pl.FP32)");
    return nullptr;
  }
  std::optional<int64_t> bytes;
  if (by_shape) {
    if (!check_storage_dtype(c, "window", *dtype->get<DType>())) return nullptr;
    for (const ExprRef& extent : c.list("shape")) {
      auto value = constant_value(extent);
      if (value && *value <= 0) c.error(diag::window_size, "shape", {std::to_string(*value)});
    }
    if (c.failed()) return nullptr;
    bytes = constant_bytes(c.list("shape"), *dtype->get<DType>());
    const ExprList& shape = c.list("shape");
    auto is_constant = [](const ExprRef& extent) { return constant_value(extent).has_value(); };
    if (!bytes && std::all_of(shape.begin(), shape.end(), is_constant))
      c.error(diag::window_size, "shape", {"more than 64 bits can count"});
  } else {
    bytes = constant_value(c.arg("nbytes"));
    if (bytes && *bytes <= 0) c.error(diag::window_size, "nbytes", {std::to_string(*bytes)});
  }
  check_staged(c, "load_from_host", bytes);
  check_staged(c, "store_to_host", bytes);
  return c.failed() ? nullptr : ptr_type();
}

TypeRef window_rule(OpCheck& c) {
  DType dtype = *c.attr("dtype")->get<DType>();
  const auto* buffer = as<WindowBuffer>(c.args[0]);
  if (!buffer) {
    c.error(diag::op_operand_class, "buf", {c.op.qualified(), "a window buffer", "buf", "another value"});
    return nullptr;
  }
  bool good = check_storage_dtype(c, "window", dtype);
  if (!check_tensor_shape(c, "shape") || !good) return nullptr;
  auto bytes = constant_bytes(c.list("shape"), dtype);
  auto room = constant_value(buffer->size);
  if (bytes && room && *bytes > *room) {
    c.error(diag::window_too_large, "shape", {std::to_string(*bytes), buffer->name, std::to_string(*room)})
        .with_label(shape_text(c.list("shape")) + " of " + name_of(dtype))
        .with_note("`" + buffer->name + "` is allocated here", buffer->base->span);
    return nullptr;
  }
  return make<DistributedTensorType>(Span{}, c.list("shape"), dtype, TensorViewRef(), ref(buffer));
}

}  // namespace

void define_windows(std::vector<Op>& ops) {
  Define(ops, "pld", "world_size", "The number of ranks of this run.")
      .keeps()
      .result("An INT64 scalar.")
      .levels(OnHost)
      .rule([](OpCheck&) { return scalar_type(DType::Int64); });
  Define alloc(ops, "pld", "alloc_window_buffer",
               "Allocates a window buffer: zeroed memory of which every rank of a group owns one copy. It is "
               "the right "
               "side of a plain `name = ...`, which names the buffer; the name is unique in the program.");
  alloc
      .operand("nbytes", AcceptInt, Extent,
               "The size per rank in bytes, positive; it may depend on `pld.world_size()`.")
      .optional()
      .list("shape", AcceptInt, Extent,
            "The size per rank as a shape, together with `dtype`, in place of `nbytes`.")
      .optional()
      .attr("dtype", AttrKind::DType, "The element type that goes with `shape`.")
      .optional()
      .operand("load_from_host", AcceptTensor, Data,
               "A parameter of the host function whose row r is copied into the share of rank r before "
               "anything runs.")
      .optional()
      .keyword_only()
      .operand("store_to_host", AcceptTensor, Data,
               "A parameter of the host function whose row r receives the share of rank r when all is done.")
      .optional()
      .keyword_only()
      .attr("signal", AttrKind::Bool,
            "Whether it holds signal cells, which targets may lay out on separate cache lines.")
      .by_default({false})
      .keyword_only()
      .effect(Access::Read, "load_from_host")
      .effect(Access::Write, "store_to_host")
      .result("A Ptr, for `pld.window`.")
      .levels(OnHost)
      .rule(alloc_rule);
  alloc.op().plain_assignment_only = true;
  Define(ops, "pld", "window", "A view of a window buffer. Several views of one buffer are allowed.")
      .operand("buf", AcceptWindowBuffer, Data,
               "The buffer: the name `pld.alloc_window_buffer` was assigned to.")
      .list("shape", AcceptInt, Extent, "The extents per rank; the view is not larger than the buffer.")
      .attr("dtype", AttrKind::DType, "The element type.")
      .keeps()
      .result("A DistributedTensor.")
      .levels(OnHost)
      .rule(window_rule);
  const uint8_t per_rank = OnOrchestration | OnKernel;
  Define(ops, "pld", "get_comm_ctx", "The communication context of a window: its group, seen from this rank.")
      .operand("dt", AcceptWindow, Data, "A window of the group.")
      .keeps()
      .result("A CommCtx.")
      .levels(Anywhere)
      .rule([](OpCheck&) { return comm_ctx_type(); });
  Define(ops, "pld", "rank", "The number of this rank in its group, from 0.")
      .operand("ctx", AcceptCommCtx, Data, "The communication context of a window: pld.get_comm_ctx(window).")
      .keeps()
      .result("An INT32 scalar.")
      .levels(per_rank)
      .rule([](OpCheck&) { return scalar_type(DType::Int32); });
  Define(ops, "pld", "nranks", "The number of ranks of a group.")
      .operand("ctx", AcceptCommCtx, Data, "The communication context of a window: pld.get_comm_ctx(window).")
      .keeps()
      .result("An INT32 scalar.")
      .levels(per_rank)
      .rule([](OpCheck&) { return scalar_type(DType::Int32); });
  Define(ops, "pld", "nhosts",
         "The number of hosts of a group, if each of them has equally many, consecutive ranks; else 1. So "
         "`pld.nranks(ctx) // pld.nhosts(ctx)` ranks that follow each other share the memory of a host. 1 "
         "for a sub-group of some of the ranks.")
      .operand("ctx", AcceptCommCtx, Data, "The communication context of a window: pld.get_comm_ctx(window).")
      .keeps()
      .result("An INT32 scalar.")
      .levels(per_rank)
      .rule([](OpCheck&) { return scalar_type(DType::Int32); });
}

namespace {

// Bytes of `count` elements as an expression.
ExprRef bytes_of(const ExprRef& count, DType dtype) {
  if (auto constant = constant_value(count)) {
    if (auto total = byte_count(*constant, dtype)) return const_index(*total);
  }
  if (bits(dtype) >= 8) return product(count, const_index(bytes(dtype)));
  TW_CHECK(bits(dtype) == 4, "a dtype of an unknown number of bits");
  Diagnostics unused;
  return create_call(*registry().find("pl.scalar.floordiv"), {sum(count, const_index(1)), const_index(2)}, {},
                     count->span, unused);
}

}  // namespace

WindowBufferRef make_window_buffer(const VarRef& base, const Call& alloc) {
  const Op& op = *alloc.op;
  auto operand = [&](const char* name) { return alloc.args[op.operand_slots[op.param_index(name)]]; };
  auto variable = [&](const char* name) { return ref(as<Var>(operand(name))); };
  ExprRef size = operand("nbytes");
  if (const auto* shape = as<MakeTuple>(operand("shape"))) {
    size = const_index(1);
    for (const ExprRef& extent : shape->elements) size = product(size, extent);
    size = bytes_of(size, *find_attr(alloc.attrs, "dtype")->get<DType>());
  }
  const AttrValue* signal = find_attr(alloc.attrs, "signal");
  return make<WindowBuffer>(base->span, base, size, variable("load_from_host"), variable("store_to_host"),
                            signal && *signal->get<bool>());
}

}  // namespace tilewire::ops
