// Atomic updates that return the old value: of elements of this rank's tensors, and of cells of any rank.
#include "ops/checks.h"
#include "ops/define.h"
#include "ops/families.h"
#include "support/diagnostics/ops.h"

namespace tilewire::ops {

using namespace ir;

namespace {

bool check_counter(OpCheck& c, DType dtype) {
  if (dtype == DType::Int32 || dtype == DType::Int64) return true;
  c.error(diag::dtype_not_allowed, "t", {c.op.qualified(), name_of(dtype)})
      .with_help(
          "use elements of INT32 or INT64; to add to other dtypes, write `pl.store(tile, offsets, t, "
          "atomic=pld.AtomicType.Add)`");
  return false;
}

TypeRef update_element(OpCheck& c) {
  const TensorType& t = *c.tensor("t");
  const bool counts = check_counter(c, t.dtype);
  bool good = check_element(c, "idx", t.shape) && counts;
  for (const char* value : {"expected", "v"}) {
    if (counts && c.op.param_index(value) >= 0) good = check_element_value(c, value, t.dtype) && good;
  }
  return good ? scalar_type(t.dtype) : nullptr;
}

TypeRef update_cell(OpCheck& c) {
  bool good = check_signal(c, "target");
  good = check_element(c, "offsets", c.tensor("target")->shape) && good;
  for (const char* value : {"expected", "value"}) {
    if (c.op.param_index(value) >= 0) good = normalise_int32(c, value) && good;
  }
  return check_peer(c, "peer") && good ? scalar_type(DType::Int32) : nullptr;
}

const char* const tensor_doc =
    "The tensor, of INT32 or INT64. Other accesses to the element race with this one unless they are atomic "
    "too.";
const char* const element_doc = "The element, one entry per dimension.";
const char* const window_doc = "An INT32 window.";
const char* const peer_doc = "The rank whose cell it is; it may be this rank.";
const char* const cell_doc = "The cell, one entry per dimension.";
const char* const expected_doc = "The value it must have to be replaced.";
const char* const new_doc = "The new value.";
const char* const old_doc = "The value before.";

void define_elements(std::vector<Op>& ops) {
  Define(
      ops, "pl", "tensor.atomic_add",
      "Adds to one element of a tensor in one step and returns what it was. The step acquires and releases, "
      "and takes effect at once. Sums wrap.")
      .operand("t", AcceptTensor, Data, tensor_doc)
      .list("idx", AcceptInt, Address, element_doc)
      .operand("v", AcceptScalar, SignalValue,
               "What is added, of the dtype of `t`. A literal takes that dtype.")
      .like(0)
      .effect(Access::Update, "t")
      .region("idx")
      .result(old_doc)
      .rule(update_element);
  Define(
      ops, "pl", "tensor.atomic_cas",
      "Replaces one element of a tensor if it has an expected value, in one step, and returns what it was: "
      "`expected` when it was replaced. The step takes effect at once; it acquires, and releases if it "
      "replaces.")
      .operand("t", AcceptTensor, Data, tensor_doc)
      .list("idx", AcceptInt, Address, element_doc)
      .operand("expected", AcceptScalar, SignalValue, expected_doc)
      .like(0)
      .operand("v", AcceptScalar, SignalValue, new_doc)
      .like(0)
      .effect(Access::Update, "t")
      .region("idx")
      .result(old_doc)
      .rule(update_element);
}

void define_cells(std::vector<Op>& ops) {
  Define(
      ops, "pld", "system.fetch_add",
      "Adds to a cell of any rank in one step and returns what it was. The step acquires and releases, and "
      "takes effect at once.")
      .operand("target", AcceptWindow, Data, window_doc)
      .operand("peer", AcceptInt, Address, peer_doc)
      .list("offsets", AcceptInt, Address, cell_doc)
      .operand("value", AcceptInt, SignalValue, "What is added; any integer, taken as INT32.")
      .literal(DType::Int32)
      .group()
      .effect(Access::Update, "target")
      .region("offsets")
      .peer("peer")
      .result(old_doc)
      .rule(update_cell);
  Define(ops, "pld", "system.compare_exchange",
         "Replaces a cell of any rank if it has an expected value, in one step, and returns what it was: "
         "`expected` when it was replaced. The step takes effect at once; it acquires, and releases if it "
         "replaces.")
      .operand("target", AcceptWindow, Data, window_doc)
      .operand("peer", AcceptInt, Address, peer_doc)
      .list("offsets", AcceptInt, Address, cell_doc)
      .operand("expected", AcceptInt, SignalValue, expected_doc)
      .literal(DType::Int32)
      .operand("value", AcceptInt, SignalValue, new_doc)
      .literal(DType::Int32)
      .group()
      .effect(Access::Update, "target")
      .region("offsets")
      .peer("peer")
      .result(old_doc)
      .rule(update_cell);
}

}  // namespace

void define_atomics(std::vector<Op>& ops) {
  define_elements(ops);
  define_cells(ops);
}

}  // namespace tilewire::ops
