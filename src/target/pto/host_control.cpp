// Statements, and what loops and branches carry.
#include <algorithm>

#include "ir/function_kinds.h"
#include "ir/op.h"
#include "ir/visitor.h"
#include "ops/handles.h"
#include "target/pto/host_writer.h"

namespace tilewire::target::pto {

using namespace ir;

namespace {

struct Uses : Visitor<Uses> {
  std::set<const Var*> found;
  void visit(const Var& var) { found.insert(&var); }
};

bool mentions(const ExprRef& expr, const Var& var) {
  Uses uses;
  uses.walk(expr);
  return uses.found.contains(&var);
}

}  // namespace

void HostWriter::block(const Block& body) {
  for (const StmtRef& stmt : body.stmts) statement(*stmt);
}

void HostWriter::statement(const Stmt& stmt) {
  if (const auto* assign = as<Assign>(&stmt)) {
    definition_of(*assign->var, assign->value);
  } else if (const auto* eval = as<Eval>(&stmt)) {
    effect(eval->value);
  } else if (const auto* loop = as<For>(&stmt)) {
    range(*loop);
  } else if (const auto* poll = as<While>(&stmt)) {
    repeat(*poll);
  } else if (const auto* branch = as<If>(&stmt)) {
    choose(*branch);
  } else if (const auto* at = as<AtScope>(&stmt)) {
    scope_ = {at->deps, "", at->ordered, false, at->task_id};
    task_scope(*at->body, at->results, stmt.span);
  } else if (const auto* spmd = as<SpmdScope>(&stmt)) {
    scope_ = {spmd->deps, text(spmd->block_count), spmd->ordered, spmd->sync_start, spmd->task_id};
    task_scope(*spmd->body, spmd->results, stmt.span);
  } else if (const auto* with = as<WithScope>(&stmt)) {
    const bool manual = with->scope_kind == ScopeKind::Manual;
    step(manual ? "EnterManual" : "EnterStorage");
    storage_scopes_ += !manual;
    block(*with->body);
    storage_scopes_ -= !manual;
    step(manual ? "LeaveManual" : "LeaveStorage");
  } else if (const auto* result = as<Return>(&stmt)) {
    finish(result->values);
  }
}

void HostWriter::definition_of(const Var& var, const ExprRef& value) {
  if (const auto* call = as<FunctionCall>(value)) return function_call(*call, &var);
  if (const auto* part = as<TupleGet>(value)) {
    const HostValue& tuple = expressions_.value(static_cast<const Var&>(*part->tuple));
    return expressions_.define(var, tuple.parts.at(static_cast<size_t>(part->index)));
  }
  const auto* call = as<Call>(value);
  if (call && call->op == ops::pld::alloc_window_buffer) return window_buffer(var, *call);
  if (call && call->op == ops::pld::get_comm_ctx && is_host(function_.type)) {
    return assign(var, text(call->args[0]));  // a rank asks for the context of this window
  }
  assign(var, text(value));
}

void HostWriter::effect(const ExprRef& value) {
  if (const auto* call = as<FunctionCall>(value)) return function_call(*call, nullptr);
  const auto* call = as<Call>(value);
  if (call && check(*call)) return;
  line("static_cast<void>(" + text(value) + ");");
}

bool HostWriter::check(const Call& call) {
  auto arg = [&](size_t i) { return text(call.args[i]); };
  std::string holds, otherwise;
  if (call.op == ops::pld::system::check_extent) {
    holds = arg(0) + " == " + arg(1);
    otherwise = "two extents that must be equal differ";
  } else if (call.op == ops::pld::system::check_count) {
    holds = arg(0) + " >= 0 && " + arg(0) + " <= " + arg(1);
    otherwise = "a count is above the capacity";
  } else if (call.op == ops::pld::system::check_subgroup) {
    holds = "divides(" + arg(0) + ", " + arg(1) + ", " + arg(2) + ")";
    otherwise = "the group cannot be divided into sub-groups of that size and stride";
  } else if (call.op == ops::pld::system::check_mesh) {
    holds = "fills(" + arg(0) + ", " + expressions_.list(call.args[1]) + ")";
    otherwise = "the mesh has more or fewer ranks than its group";
  } else if (call.op == ops::pld::system::check_member) {
    holds = arg(0) + " >= 0 && " + arg(0) + " < " + arg(1);
    otherwise = "the rank is not in the sub-group";
  } else if (call.op == ops::pld::system::check_group) {
    holds = "rank.context(" + arg(0) + ", " + place(call.span) + ").address == " + arg(1) + ".address";
    otherwise = "the sub-group is not part of the window's group";
  } else {
    return false;
  }
  line("check(" + holds + ", " + place(call.span) + ", " + quoted(otherwise) + ");");
  return true;
}

std::vector<std::string> HostWriter::carried(const VarList& vars, const ExprList& values) {
  std::vector<std::string> names;
  for (size_t i = 0; i < vars.size(); ++i) {
    names.push_back(fresh(*vars[i]));
    const std::string start = values.empty() ? "{}" : " = " + text(values[i]);
    line("" + type_name(vars[i]->type) + " " + names[i] + start + ";");
  }
  return names;
}

void HostWriter::define(const VarList& vars, const std::vector<std::string>& names) {
  for (size_t i = 0; i < vars.size(); ++i) expressions_.define(*vars[i], {names[i]});
}

void HostWriter::assign_all(const VarList& vars, const std::vector<std::string>& names,
                            const ExprList& values) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < values.size(); ++i) {
    texts.push_back(text(values[i]));
    bool overwritten = false;
    for (size_t j = 0; j < i; ++j) overwritten = overwritten || mentions(values[i], *vars[j]);
    if (!overwritten) continue;
    const std::string next = names_.take("next_" + names[i]);
    line("const " + type_name(vars[i]->type) + " " + next + " = " + texts[i] + ";");
    texts[i] = next;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (texts[i] != names[i]) line(names[i] + " = " + texts[i] + ";");
  }
}

ExprList HostWriter::yielded(const Block& body) {
  const auto* yield = body.stmts.empty() ? nullptr : as<Yield>(body.stmts.back());
  return yield ? yield->values : ExprList();
}

void HostWriter::range(const For& loop) {
  const bool parallel = loop.loop_kind == LoopKind::Parallel && !is_host(function_.type);
  const std::string bounds = "Range(" + text(loop.start) + ", " + text(loop.stop) + ", " + text(loop.step) +
                             ", " + place(loop.span) + ")";
  const auto names = carried(loop.iter_args, loop.init_values);
  define(loop.iter_args, names);
  const std::string counter = fresh(*loop.loop_var);
  const std::string type = type_name(loop.loop_var->type);
  if (parallel) step("Enter");
  const bool wide = type == "int64_t";
  const std::string name = wide ? counter : names_.take(counter + "_wide");
  line("for (const int64_t " + name + " : " + bounds + ") {");
  ++depth_;
  if (!wide) line("const auto " + counter + " = static_cast<" + type + ">(" + name + ");");
  expressions_.define(*loop.loop_var, {counter});
  if (parallel) step("Round");
  block(*loop.body);
  assign_all(loop.iter_args, names, yielded(*loop.body));
  --depth_;
  line("}");
  if (parallel) step("Leave");
  define(loop.results, names);
}

void HostWriter::repeat(const While& loop) {
  const auto names = carried(loop.iter_args, loop.init_values);
  define(loop.iter_args, names);
  line("while (true) {");
  ++depth_;
  block(*loop.before);
  line("if (!(" + text(loop.condition) + ")) break;");
  block(*loop.body);
  assign_all(loop.iter_args, names, yielded(*loop.body));
  --depth_;
  line("}");
  define(loop.results, names);
}

void HostWriter::choose(const If& branch) {
  const auto names = carried(branch.results, {});
  line("if (" + text(branch.condition) + ") {");
  arm(*branch.then_body, names);
  if (branch.else_body) {
    line("} else {");
    arm(*branch.else_body, names);
  }
  line("}");
  define(branch.results, names);
}

void HostWriter::arm(const Block& body, const std::vector<std::string>& names) {
  ++depth_;
  block(body);
  const ExprList values = yielded(body);
  for (size_t i = 0; i < values.size(); ++i) line(names[i] + " = " + text(values[i]) + ";");
  --depth_;
}

}  // namespace tilewire::target::pto
