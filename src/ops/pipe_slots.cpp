// What pipes are made of where a target has none of its own: slots in memory of the rank, and cells that say
// which of them are ready and which are free (passes/lower_pipes).
#include "ir/printer.h"
#include "ops/checks.h"
#include "ops/define.h"
#include "ops/families.h"
#include "ops/shape.h"
#include "support/diagnostics/verifier.h"

namespace tilewire::ops {

using namespace ir;

namespace {

const char* const cell_doc = "The cell, one entry per dimension.";

const DTypeSet bytes_only{[](DType dtype) { return dtype == DType::UInt8; }, "UINT8"};

TypeRef slot_rule(OpCheck& c) {
  const TensorType& buffer = *c.tensor("buffer");
  bool good = check_dtype(c, "buffer", buffer.dtype, bytes_only);
  if (buffer.shape.size() != 1 || buffer.view) {
    c.error(diag::slot_buffer, "buffer", {c.op.qualified(), to_string(c.arg("buffer")->type)});
    good = false;
  }
  const DType dtype = *c.attr("dtype")->get<DType>();
  good = check_storage_dtype(c, "tensor", dtype) && good;
  return check_tensor_shape(c, "shape") && good ? tensor_type(c.list("shape"), dtype) : nullptr;
}

bool check_cell(OpCheck& c, const char* value) {
  bool good = check_signal(c, "cells");
  good = check_element(c, "offsets", c.tensor("cells")->shape) && good;
  return normalise_int32(c, value) && good;
}

}  // namespace

void define_pipe_slots(std::vector<Op>& ops) {
  Define(ops, "pl", "pipe.slot", "A part of a buffer of bytes as a dense tensor: a slot of a pipe.")
      .operand("buffer", AcceptTensor, Data, "The buffer, of UINT8.")
      .operand("offset", AcceptInt, Address, "Where the slot starts, in bytes.")
      .list("shape", AcceptInt, Extent, "The extents of the slot, constants.")
      .attr("dtype", AttrKind::DType, "The dtype of its elements.")
      .rebinds("buffer")
      .result("A tensor of shape `shape` and dtype `dtype`.")
      .rule(slot_rule);
  Define(ops, "pl", "pipe.cells", "New cells for the pipes of a launch, all 0.")
      .list("shape", AcceptInt, Extent, "The extents: cells, and elements from one to the next.")
      .attr("rings", AttrKind::String, "Which rings they belong to, for reports.")
      .form(OpForm::Create)
      .result("A tensor of INT32.")
      .levels(OnOrchestration)
      .rule([](OpCheck& c) {
        return check_tensor_shape(c, "shape") ? tensor_type(c.list("shape"), DType::Int32) : nullptr;
      });
  Define(ops, "pl", "pipe.notify",
         "Adds to a cell of this rank, as `pld.system.notify` does. Everything that happens before it is "
         "visible to a task that waits for that value.")
      .operand("cells", AcceptTensor, Data, "A tensor of INT32.")
      .list("offsets", AcceptInt, Address, cell_doc)
      .operand("value", AcceptInt, SignalValue, "What is added; any integer, taken as INT32.")
      .literal(DType::Int32)
      .choice<NotifyOp>("op", "Whether the value is added or stored.")
      .by_default(NotifyOp::AtomicAdd)
      .keyword_only()
      .attr("what", AttrKind::String, "What it tells, in the words of a trace.")
      .keyword_only()
      .effect(Access::Signal, "cells")
      .region("offsets")
      .result("Nothing.")
      .rule([](OpCheck& c) { return check_cell(c, "value") ? unit_type() : nullptr; });
  Define(ops, "pl", "pipe.wait", "Blocks until a cell of this rank meets a condition.")
      .operand("cells", AcceptTensor, Data, "A tensor of INT32.")
      .list("offsets", AcceptInt, Address, cell_doc)
      .operand("expected", AcceptInt, SignalValue,
               "The value the cell is compared with; any integer, taken as INT32.")
      .literal(DType::Int32)
      .choice<WaitCmp>("cmp", "How the cell is compared with the value.")
      .by_default(WaitCmp::Ge)
      .keyword_only()
      .attr("what", AttrKind::String, "What it waits for, in the words of a report.")
      .keyword_only()
      .effect(Access::Wait, "cells")
      .region("offsets")
      .result("The INT32 value that was seen.")
      .rule([](OpCheck& c) { return check_cell(c, "expected") ? scalar_type(DType::Int32) : nullptr; });
  Define workspace(
      ops, "pl", "pipe.check_workspace",
      "Stops the run when the blocks of a launch have no workspace of their own for their pipes.");
  workspace.operand("bytes", AcceptInt, Control, "What the workspace has.")
      .operand("blocks", AcceptInt, Control, "How many blocks share it.")
      .operand("needed", AcceptInt, Control, "What one block needs.")
      .result("Nothing.")
      .rule([](OpCheck&) { return unit_type(); });
  workspace.op().synchronizes = true;
}

}  // namespace tilewire::ops
