// Signals: notify, wait and test on cells of this rank and of others, and what a rank knows of its group.
#include "ops/handles.h"
#include "target/pto/emitter.h"
#include "target/pto/peers.h"
#include "target/pto/rules.h"

namespace tilewire::target::pto {

using namespace ir;

namespace {

constexpr const char* compare_names[] = {"eq", "ge", "ne", "gt", "lt", "le"};  // of ir::WaitCmp

void write_notify(FunctionEmitter& e, const Operand& cell, const Scalar& value, NotifyOp op) {
  e.text.line("pto.comm.tnotify(" + cell.name + ", " + e.text.name(value) + " : " + cell.type +
              ", i32) {notifyOp = #pto<notify_op " + (op == NotifyOp::Set ? "set" : "atomic_add") + ">}");
}

void write_wait(FunctionEmitter& e, const Operand& cell, const Scalar& value, WaitCmp cmp) {
  e.text.line("pto.comm.twait(" + cell.name + ", " + e.text.name(value) + " : " + cell.type +
              ", i32) {cmp = #pto<wait_cmp " + compare_names[static_cast<size_t>(cmp)] + ">}");
}

// --- one cell

void notify(FunctionEmitter& e, const Call& call, const Var*) {
  if (e.fences.needed(call)) fence(e);
  const Tensor& signal = e.tensor(operand(call, "target"));
  const Tensor there = at_peer(e, signal, e.index(operand(call, "peer")), call.span);
  const Operand target = cell(e, there, e.indices(operand(call, "offsets")));
  write_notify(e, target, e.scalar(operand(call, "value")), enum_attribute<NotifyOp>(call, "op"));
}

// A slot has its place in it, wherever it is.
void notify_slot(FunctionEmitter& e, const Call& call, const Var*) {
  if (e.fences.needed(call)) fence(e);
  const Tensor& slot = e.tensor(operand(call, "signal"));
  const Operand target = cell(e, slot, std::vector<Scalar>(slot.extents.size(), e.number(0)));
  write_notify(e, target, e.scalar(operand(call, "value")), enum_attribute<NotifyOp>(call, "op"));
}

struct Waited {
  Tensor& signal;
  std::vector<Scalar> place;
  Scalar expected;
  WaitCmp cmp;
};

Waited waited(FunctionEmitter& e, const Call& call) {
  Tensor& signal = e.tensor(operand(call, "signal"));
  const bool slot = call.op->param_index("offsets") < 0;
  std::vector<Scalar> place(signal.extents.size(), e.number(0));
  if (!slot) place = e.indices(operand(call, "offsets"));
  return {signal, std::move(place), e.scalar(operand(call, slot ? "cmp_value" : "expected")),
          enum_attribute<WaitCmp>(call, "cmp")};
}

// What the wait saw, or a later value: only this task can move the cell back.
void wait(FunctionEmitter& e, const Call& call, const Var* result) {
  const Waited what = waited(e, call);
  write_wait(e, cell(e, what.signal, what.place), what.expected, what.cmp);
  drop_cache(e);
  if (!result) return;
  const Scalar at = e.element_number(what.signal, what.place);
  const std::string seen = e.text.fresh("seen");
  e.text.line(seen + " = pto.load_scalar " + what.signal.pointer + "[" + e.text.name(at) +
              "] : !pto.ptr<i32> -> i32");
  e.name_scalar(*result, e.named(seen, "i32"));
}

void test(FunctionEmitter& e, const Call& call, const Var* result) {
  const Waited what = waited(e, call);
  const Operand asked = cell(e, what.signal, what.place);
  const std::string holds = e.text.fresh("holds");
  e.text.line(holds + " = pto.comm.ttest(" + asked.name + ", " + e.text.name(what.expected) + " : " +
              asked.type + ", i32) {cmp = #pto<wait_cmp " + compare_names[static_cast<size_t>(what.cmp)] +
              ">} -> i1");
  e.text.open("scf.if " + holds + " {");
  drop_cache(e);
  e.text.close();
  if (result) e.name_scalar(*result, e.named(holds, "i1"));
}

// --- a cell per rank

// Calls visit(rank) for every other rank that takes part, ranks of the window's group.
template <class Visit>
void each_other(FunctionEmitter& e, const Call& call, const Tensor& signal, const Visit& visit) {
  const Scalar context = group_context(e, signal, call.span);
  const Scalar own = e.as_index(own_rank(e, context));
  Scalar first = e.number(0), stride = e.number(1), count = e.as_index(rank_count(e, context));
  if (const ExprRef members = operand(call, "members")) {
    const std::vector<Scalar> stated = e.indices(members);
    first = stated[0];
    stride = stated[1];
    count = stated[2];
  }
  const std::string number = e.text.fresh("member");
  const std::string from = e.text.integer(0, "index"), by = e.text.integer(1, "index");
  e.text.open("scf.for " + number + " = " + from + " to " + e.text.name(count) + " step " + by + " {");
  e.enter();
  const Scalar rank = e.add(first, e.mul(e.named(number, "index"), stride));
  e.text.open("scf.if " + e.compare("ne", rank, own).name + " {");
  e.enter();
  visit(rank, own);
  e.leave();
  e.text.close();
  e.leave();
  e.text.close();
}

void notify_all(FunctionEmitter& e, const Call& call, const Var*) {
  if (e.fences.needed(call)) fence(e);
  const Tensor& signal = e.tensor(operand(call, "signal"));
  const Scalar value = e.scalar(operand(call, "value"));
  each_other(e, call, signal, [&](const Scalar& rank, const Scalar& own) {
    write_notify(e, cell_of_rank(e, at_peer(e, signal, rank, call.span), own), value, NotifyOp::AtomicAdd);
  });
}

void wait_all(FunctionEmitter& e, const Call& call, const Var*) {
  const Tensor& signal = e.tensor(operand(call, "signal"));
  const Scalar expected = e.scalar(operand(call, "expected"));
  each_other(e, call, signal, [&](const Scalar& rank, const Scalar&) {
    write_wait(e, cell_of_rank(e, signal, rank), expected, WaitCmp::Ge);
  });
  drop_cache(e);
}

void peer_slot(FunctionEmitter& e, const Call& call, const Var* result) {
  if (!result) return;
  const Tensor& window = e.tensor(operand(call, "dt"));
  Tensor slot = at_peer(e, window, e.index(operand(call, "peer")), call.span);
  const Scalar at = e.element_number(slot, e.indices(operand(call, "offsets")));
  if (at.integer != 0) {
    slot.pointer = e.pure(
        "pto.addptr " + slot.pointer + ", " + e.text.name(at) + " : !pto.ptr<i32> -> !pto.ptr<i32>", "slot");
  }
  slot.extents = slot.strides = {e.number(1)};
  e.name_tensor(*result, std::move(slot));
}

// --- groups

void get_comm_ctx(FunctionEmitter& e, const Call& call, const Var* result) {
  if (result) e.name_scalar(*result, group_context(e, e.tensor(operand(call, "dt")), call.span));
}

void rank(FunctionEmitter& e, const Call& call, const Var* result) {
  if (result) e.name_scalar(*result, own_rank(e, e.scalar(call.args[0])));
}

void nranks(FunctionEmitter& e, const Call& call, const Var* result) {
  if (result) e.name_scalar(*result, rank_count(e, e.scalar(call.args[0])));
}

// The devices of a run belong to one host.
void nhosts(FunctionEmitter& e, const Call&, const Var* result) {
  if (result) e.name_scalar(*result, e.named(e.text.integer(1, "i32"), "i32"));
}

// --- checks: what only run time knows stops the kernel

void check_extent(FunctionEmitter& e, const Call& call, const Var*) {
  e.trap_if(e.compare("ne", e.index(call.args[0]), e.index(call.args[1])));
}

// An index less than another one, both ends included.
void trap_outside(FunctionEmitter& e, const Scalar& value, const Scalar& last) {
  e.trap_if(e.arith("ori", e.compare("slt", value, e.number(0)), e.compare("sgt", value, last)));
}

void check_count(FunctionEmitter& e, const Call& call, const Var*) {
  trap_outside(e, e.index(call.args[0]), e.index(call.args[1]));
}

void check_member(FunctionEmitter& e, const Call& call, const Var*) {
  trap_outside(e, e.index(call.args[0]), e.sub(e.index(call.args[1]), e.number(1)));
}

void check_subgroup(FunctionEmitter& e, const Call& call, const Var*) {
  const Scalar ranks = e.index(call.args[0]), size = e.index(call.args[1]), stride = e.index(call.args[2]);
  trap_outside(e, e.sub(size, e.number(1)), e.sub(ranks, e.number(1)));
  trap_outside(e, e.sub(stride, e.number(1)), e.sub(ranks, e.number(1)));
  e.trap_if(e.compare("ne", e.arith("remsi", ranks, e.mul(size, stride)), e.number(0)));
}

void check_mesh(FunctionEmitter& e, const Call& call, const Var*) {
  Scalar cells = e.number(1);
  for (const Scalar& extent : e.indices(call.args[1])) {
    e.trap_if(e.compare("sle", extent, e.number(0)));
    cells = e.mul(cells, extent);
  }
  e.trap_if(e.compare("ne", e.index(call.args[0]), cells));
}

void check_group(FunctionEmitter& e, const Call& call, const Var*) {
  auto address = [&](const Scalar& context) {
    return e.named(e.pure("pto.castptr " + context.name + " : !pto.ptr<i64> -> i64", "address"), "i64");
  };
  const Scalar own = group_context(e, e.tensor(call.args[0]), call.span), given = e.scalar(call.args[1]);
  if (own.name == given.name) return;
  e.trap_if(e.compare("ne", address(own), address(given)));
}

void nothing(FunctionEmitter&, const Call&, const Var*) {}

constexpr const char* no_old_value = "no atomic op on a3 returns the old value";

}  // namespace

void add_signal_rules(RuleTable& table) {
  namespace system = ops::pld::system;
  table.add(system::notify, {notify, {}, "comm.tnotify, behind a fence where memory was accessed", {}});
  table.add(system::wait, {wait, {}, "comm.twait, cmo.cacheinvalid; load_scalar for the value seen", {}});
  table.add(system::test, {test, {}, "comm.ttest, cmo.cacheinvalid where it holds", {}});
  table.add(system::notify_all, {notify_all, {}, "a fence, comm.tnotify in a loop over ranks", {}});
  table.add(system::wait_all, {wait_all, {}, "comm.twait in a loop over ranks, cmo.cacheinvalid", {}});
  table.add(system::enter_collective, {nothing, {}, "nothing: a note for the checker", {}});
  table.add(system::collective_effects, {nothing, {}, "nothing: a note for the order of tasks", {}});
  table.add(system::check_extent, {check_extent, {}, "scf.if, trap", {}});
  table.add(system::check_count, {check_count, {}, "scf.if, trap", {}});
  table.add(system::check_member, {check_member, {}, "scf.if, trap", {}});
  table.add(system::check_subgroup, {check_subgroup, {}, "scf.if, trap", {}});
  table.add(system::check_mesh, {check_mesh, {}, "scf.if, trap", {}});
  table.add(system::check_group, {check_group, {}, "castptr of both contexts, scf.if, trap", {}});
  table.add(system::fetch_add, {nullptr, {}, no_old_value, {}});
  table.add(system::compare_exchange, {nullptr, {}, no_old_value, {}});
  table.add(ops::pl::tensor::atomic_add, {nullptr, {}, no_old_value, {}});
  table.add(ops::pl::tensor::atomic_cas, {nullptr, {}, no_old_value, {}});
  table.add(ops::pl::tile::comm_notify, {notify_slot, {}, "comm.tnotify, as pld.system.notify", {}});
  table.add(ops::pl::tile::comm_wait, {wait, {}, "comm.twait, as pld.system.wait", {}});
  table.add(ops::pl::tile::comm_test, {test, {}, "comm.ttest, as pld.system.test", {}});
  table.add(ops::pld::peer_slot, {peer_slot, {}, "addptr by the distance of the bases", {}});
  table.add(ops::pld::get_comm_ctx, {get_comm_ctx, {}, "a parameter, `!pto.ptr<i64>`", {}});
  table.add(ops::pld::rank, {rank, {}, "load_scalar of element 2 of the context, trunci", {}});
  table.add(ops::pld::nhosts, {nhosts, {}, "nothing: 1, the devices of a run belong to one host", {}});
  table.add(ops::pld::nranks, {nranks, {}, "load_scalar of element 2 of the context, shrui, trunci", {}});
}

}  // namespace tilewire::target::pto
