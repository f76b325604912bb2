// Signals: INT32 cells of a window that ranks notify and wait on.
#include "ops/checks.h"
#include "ops/define.h"
#include "ops/families.h"
#include "support/diagnostics/ops.h"

namespace tilewire::ops {

using namespace ir;

namespace {

// The parts of a cell's address and value, checked together so that all violations are reported.
bool check_cell(OpCheck& c, const char* signal, const char* value) {
  bool good = check_signal(c, signal);
  good = check_element(c, "offsets", c.tensor(signal)->shape) && good;
  return normalise_int32(c, value) && good;
}

TypeRef notify_rule(OpCheck& c) {
  bool good = check_cell(c, "target", "value");
  return check_peer(c, "peer") && good ? unit_type() : nullptr;
}

bool check_slot(OpCheck& c, const char* value) {
  const TensorType& slot = *c.tensor("signal");
  bool good = check_signal(c, "signal");
  if (element_count(slot.shape) != 1) {
    c.error(diag::slot_size, "signal", {c.op.qualified(), shape_text(slot.shape)})
        .with_help("take one element, sig[i:i + 1], or a peer's with pld.peer_slot(sig, peer, offsets)");
    good = false;
  }
  return normalise_int32(c, value) && good;
}

TypeRef peer_slot_rule(OpCheck& c) {
  const DistributedTensorType& dt = *c.window("dt");
  bool good = check_signal(c, "dt");
  good = check_element(c, "offsets", dt.shape) && good;
  good = check_peer(c, "peer") && good;
  return good ? view_type(dt, {const_index(1)}, nullptr) : nullptr;
}

TypeRef notify_all_rule(OpCheck& c) {
  if (!c.has("value")) c.set("value", make<ConstInt>(c.span, int64_t{1}, DType::Int32));
  bool good = check_signal(c, "signal") && check_members(c);
  return normalise_int32(c, "value") && good ? unit_type() : nullptr;
}

TypeRef wait_all_rule(OpCheck& c) {
  bool good = check_signal(c, "signal") && check_members(c);
  return normalise_int32(c, "expected") && good ? unit_type() : nullptr;
}

const char* const value_doc = "The value; any integer, taken as INT32. It may be negative with an add.";
const char* const expected_doc = "The value the cell is compared with; any integer, taken as INT32.";
const char* const cmp_doc = "How the cell is compared with the value.";
const char* const cell_doc = "The cell, one entry per dimension.";

void define_cells(std::vector<Op>& ops) {
  Define(ops, "pld", "system.notify",
         "Adds to or sets a cell of another rank. Everything that happens before it is visible to whoever "
         "waits for "
         "that value.")
      .operand("target", AcceptWindow, Data, "An INT32 window.")
      .operand("peer", AcceptInt, Address, "The rank whose cell is notified; it may be this rank.")
      .list("offsets", AcceptInt, Address, cell_doc)
      .operand("value", AcceptInt, SignalValue, value_doc)
      .literal(DType::Int32)
      .choice<NotifyOp>("op", "Whether the value is added or stored.")
      .by_default(NotifyOp::AtomicAdd)
      .keyword_only()
      .group()
      .effect(Access::Signal, "target")
      .region("offsets")
      .peer("peer")
      .result("Nothing.")
      .rule(notify_rule);
  struct Form {
    const char* name;
    const char* doc;
    const char* result;
    TypeRef type;
  };
  const Form forms[] = {
      {"system.wait", "Blocks until a cell of this rank meets a condition.", "The INT32 value that was seen.",
       scalar_type(DType::Int32)},
      {"system.test", "Whether a cell of this rank meets a condition now. It never blocks.", "A BOOL scalar.",
       scalar_type(DType::Bool)},
      {"system.defer_wait",
       "In a `pl.at(...) as tid` scope of its own: the task completes when the condition holds, without "
       "occupying a "
       "core. Tasks that depend on it see what a wait there would have seen.",
       "Nothing.", unit_type()},
  };
  for (const Form& form : forms) {
    TypeRef type = form.type;
    Define(ops, "pld", form.name, form.doc)
        .operand("signal", AcceptWindow, Data, "An INT32 window.")
        .list("offsets", AcceptInt, Address, cell_doc)
        .operand("expected", AcceptInt, SignalValue, expected_doc)
        .literal(DType::Int32)
        .choice<WaitCmp>("cmp", cmp_doc)
        .by_default(WaitCmp::Ge)
        .keyword_only()
        .effect(Access::Wait, "signal")
        .region("offsets")
        .result(form.result)
        .rule([type](OpCheck& c) { return check_cell(c, "signal", "expected") ? type : nullptr; });
  }
}

void define_groups(std::vector<Op>& ops) {
  const char* const signal_doc =
      "An INT32 window with a cell per rank; cells are numbered by the ranks of the window's group.";
  Define(ops, "pld", "system.notify_all", "Adds to cell [my rank] of every other rank of the group.")
      .operand("signal", AcceptWindow, Data, signal_doc)
      .operand("value", AcceptInt, SignalValue, "What is added, 1 if left out; any integer, taken as INT32.")
      .literal(DType::Int32)
      .optional()
      .group()
      .members()
      .effect(Access::Signal, "signal")
      .all_peers()
      .result("Nothing.")
      .rule(notify_all_rule);
  Define(ops, "pld", "system.wait_all",
         "Blocks until cell [s] of this rank is at least `expected`, for every other rank s of the group.")
      .operand("signal", AcceptWindow, Data, signal_doc)
      .operand("expected", AcceptInt, SignalValue, expected_doc)
      .literal(DType::Int32)
      .group()
      .members()
      .effect(Access::Wait, "signal")
      .result("Nothing.")
      .rule(wait_all_rule);
}

void define_slots(std::vector<Op>& ops) {
  const char* const slot_doc =
      "A slot: an INT32 window of one element, a part of a window or `pld.peer_slot(...)`.";
  Define slot(ops, "pld", "peer_slot", "One cell of another rank as a slot, for `pl.tile.comm_notify`.");
  slot.operand("dt", AcceptWindow, Data, "An INT32 window.")
      .operand("peer", AcceptInt, Address, "The rank whose cell it is; it may be this rank.")
      .list("offsets", AcceptInt, Address, cell_doc)
      .group()
      .rebinds("dt")
      .keeps()
      .result("An INT32 window of shape [1].")
      .rule(peer_slot_rule);
  slot.op().result_peer = 1;
  Define(ops, "pl", "tile.comm_notify",
         "Adds to or sets the cell of a slot; as `pld.system.notify` otherwise.")
      .operand("signal", AcceptWindow, Data, slot_doc)
      .operand("value", AcceptInt, SignalValue, value_doc)
      .literal(DType::Int32)
      .choice<NotifyOp>("op", "Whether the value is added or stored.")
      .by_default(NotifyOp::AtomicAdd)
      .keyword_only()
      .effect(Access::Signal, "signal")
      .result("Nothing.")
      .rule([](OpCheck& c) { return check_slot(c, "value") ? unit_type() : nullptr; });
  Define(ops, "pl", "tile.comm_wait",
         "Blocks until the cell of a slot meets a condition; as `pld.system.wait` otherwise.")
      .operand("signal", AcceptWindow, Data, slot_doc)
      .operand("cmp_value", AcceptInt, SignalValue, expected_doc)
      .literal(DType::Int32)
      .choice<WaitCmp>("cmp", cmp_doc)
      .by_default(WaitCmp::Ge)
      .keyword_only()
      .effect(Access::Wait, "signal")
      .result("The INT32 value that was seen.")
      .rule([](OpCheck& c) { return check_slot(c, "cmp_value") ? scalar_type(DType::Int32) : nullptr; });
  Define(ops, "pl", "tile.comm_test", "Whether the cell of a slot meets a condition now. It never blocks.")
      .operand("signal", AcceptWindow, Data, slot_doc)
      .operand("cmp_value", AcceptInt, SignalValue, expected_doc)
      .literal(DType::Int32)
      .choice<WaitCmp>("cmp", cmp_doc)
      .by_default(WaitCmp::Ge)
      .keyword_only()
      .effect(Access::Wait, "signal")
      .result("A BOOL scalar.")
      .rule([](OpCheck& c) { return check_slot(c, "cmp_value") ? scalar_type(DType::Bool) : nullptr; });
}

}  // namespace

void define_signals(std::vector<Op>& ops) {
  define_cells(ops);
  define_groups(ops);
  define_slots(ops);
}

}  // namespace tilewire::ops
