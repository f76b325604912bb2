#include "driver/execute/entry.h"

#include <algorithm>
#include <set>

#include "driver/inputs/npy.h"
#include "ir/function_kinds.h"
#include "ir/op.h"
#include "ir/printer_names.h"
#include "ir/visitor.h"
#include "support/diagnostics/driver.h"

namespace tilewire::driver {
namespace {

using ir::FunctionType;

// A kernel started directly: the orchestration function that does nothing but call it.
Entry pass_through(const ir::ProgramRef& program, const ir::FunctionRef& kernel) {
  const Span& at = kernel->span;
  std::vector<Ref<const ir::Parameter>> params;
  ir::ExprList args;
  for (const auto& param : kernel->params) {
    params.push_back(ir::make<ir::Parameter>(param->span, param->name, param->type, param->direction));
    args.push_back(params.back());
  }
  const std::vector<ir::TypeRef>& types = kernel->return_types;
  ir::TypeRef type = types.empty()       ? ir::unit_type()
                     : types.size() == 1 ? types[0]
                                         : ir::TypeRef(ir::make<ir::TupleType>(at, types));
  ir::ExprRef call = ir::make<ir::FunctionCall>(at, kernel->name, std::move(args), ir::ExprRef(),
                                                ir::ExprRef(), ir::ExprList(), type);
  std::vector<ir::StmtRef> stmts;
  ir::ExprList results;
  if (types.empty()) {
    stmts.push_back(ir::make<ir::Eval>(at, call));
  } else {
    ir::VarRef all = ir::make<ir::Var>(at, std::string("result"), type);
    stmts.push_back(ir::make<ir::Assign>(at, call, all));
    if (types.size() == 1) results.push_back(all);
    for (size_t i = 0; types.size() > 1 && i < types.size(); ++i) {
      ir::VarRef one = ir::make<ir::Var>(at, "result_" + std::to_string(i), types[i]);
      stmts.push_back(ir::make<ir::Assign>(
          at, ir::ExprRef(ir::make<ir::TupleGet>(at, ir::ExprRef(all), static_cast<int64_t>(i))), one));
      results.push_back(one);
    }
  }
  stmts.push_back(ir::make<ir::Return>(at, std::move(results)));
  std::string name = "run_" + kernel->name;
  while (program->find(name)) name += "_";
  ir::FunctionRef made =
      ir::make<ir::Function>(at, std::move(name), FunctionType::Orchestration, std::move(params), types,
                             ir::make<ir::Block>(at, std::move(stmts)));
  std::vector<ir::FunctionRef> functions = program->functions;
  functions.push_back(made);
  return {
      ir::make<ir::Program>(program->span, program->name_hint, std::move(functions), program->comm_groups),
      made, kernel->name};
}

std::string names_of(const std::vector<ir::FunctionRef>& functions) {
  std::string names;
  for (const auto& function : functions) names += (names.empty() ? "`" : ", `") + function->name + "`";
  return names;
}

// Bytes of a tensor whose extents are all constant; INT64_MAX when that is too small for them, 0 when it is
// not known.
int64_t constant_bytes(const ir::TensorType& type) {
  int64_t bytes = ir::bytes(type.dtype);
  for (const ir::ExprRef& extent : type.shape) {
    auto constant = ir::constant_value(extent);
    if (!constant || *constant == 0) return 0;
    if (__builtin_mul_overflow(bytes, *constant, &bytes)) bytes = INT64_MAX / 2;
  }
  return bytes;
}

// Only a host function allocates windows, so a function that takes one cannot be an entry.
bool can_start(const ir::Program& program, const ir::Function& function, Diagnostics& diags) {
  for (const auto& param : function.params) {
    const auto* tensor = ir::as<ir::TensorType>(param->type);
    if (tensor && constant_bytes(*tensor) > largest_array) {
      diags.report(diag::entry_tensor_too_large, param->span, {param->name, ir::to_string(param->type)})
          .with_help("make the tensor smaller, or use pl.dynamic() for the dimensions that a call decides");
      return false;
    }
    if (!ir::isa<ir::DistributedTensorType>(param->type)) continue;
    Diagnostic& said = diags.report(diag::entry_takes_window, param->span, {function.name, param->name});
    std::vector<ir::FunctionRef> hosts;
    for (const auto& other : program.functions) {
      if (is_host(other->type)) hosts.push_back(other);
    }
    if (hosts.empty()) {
      said.with_help("write a host function, @pl.jit.host, that allocates it and calls `" + function.name +
                     "` with device=");
    } else {
      said.with_help("start from " + names_of(hosts));
    }
    return false;
  }
  return true;
}

// Without the host functions that are not started: which ranks they dispatch to, and the windows they have,
// do not matter to this run.
ir::ProgramRef without_other_hosts(const ir::ProgramRef& program, const ir::Function& entry) {
  std::set<const ir::Var*> dropped;
  std::vector<ir::FunctionRef> kept;
  for (const ir::FunctionRef& function : program->functions) {
    if (!is_host(function->type) || function.get() == &entry) {
      kept.push_back(function);
    } else {
      for (const ir::Var* base : ir::window_bases(*function)) dropped.insert(base);
    }
  }
  if (kept.size() == program->functions.size()) return program;
  std::vector<Ref<const ir::CommGroup>> groups;
  for (const auto& group : program->comm_groups) {
    std::vector<ir::WindowBufferRef> slots = group->slots;
    std::erase_if(slots, [&](const auto& slot) { return dropped.contains(slot->base.get()); });
    if (slots.size() == group->slots.size()) {
      groups.push_back(group);
    } else if (!slots.empty()) {
      groups.push_back(ir::make<ir::CommGroup>(group->span, group->devices, std::move(slots)));
    }
  }
  return ir::make<ir::Program>(program->span, program->name_hint, std::move(kept), std::move(groups));
}

Entry started(const ir::ProgramRef& all, const ir::FunctionRef& function, Diagnostics& diags) {
  if (!can_start(*all, *function, diags)) return {};
  const ir::ProgramRef program = without_other_hosts(all, *function);
  return is_task(function->type) ? pass_through(program, function) : Entry{program, function, function->name};
}

std::string described(FunctionType type) {
  return type == FunctionType::Inline ? "an inline function" : "half of a kernel";
}

}  // namespace

Entry find_entry(const ir::ProgramRef& program, std::string_view name, Diagnostics& diags) {
  if (!name.empty()) {
    ir::FunctionRef found = program->find(name);
    if (!found) {
      Diagnostic& said = diags.report(diag::unknown_entry, {}, {std::string(name)});
      if (!program->functions.empty()) said.with_help("it has " + names_of(program->functions));
      return {};
    }
    if (is_host(found->type) || is_orchestration(found->type) || is_task(found->type)) {
      return started(program, found, diags);
    }
    diags.report(diag::entry_is_called, found->span, {found->name, described(found->type)})
        .with_help("start from a host function, an orchestration function or a kernel");
    return {};
  }
  for (bool (*wanted)(FunctionType) : {ir::is_host, ir::is_orchestration, ir::is_task}) {
    std::vector<ir::FunctionRef> found;
    for (const auto& function : program->functions) {
      if (wanted(function->type)) found.push_back(function);
    }
    if (found.size() == 1) return started(program, found[0], diags);
    if (found.empty()) continue;
    diags.report(diag::several_entries, {}, {names_of(found)})
        .with_help("choose one: entry=\"NAME\" in Python, --entry NAME in the command");
    return {};
  }
  diags.report(diag::no_entry, program->span)
      .with_help("decorate a function with @pl.jit, or give one type=pl.FunctionType.Orchestration");
  return {};
}

ir::ProgramRef with_pass_throughs(const ir::ProgramRef& program) {
  struct Callees : ir::Visitor<Callees> {
    std::set<std::string> names;
    void visit(const ir::FunctionCall& call) {
      walk_children(call);
      names.insert(call.callee);
    }
  } callees;
  callees.walk(program);
  ir::ProgramRef all = program;
  for (const ir::FunctionRef& function : program->functions) {
    const bool takes_window =
        std::any_of(function->params.begin(), function->params.end(),
                    [](const auto& param) { return ir::isa<ir::DistributedTensorType>(param->type); });
    if (!is_task(function->type) || callees.names.contains(function->name) || takes_window) continue;
    all = pass_through(all, function).program;
  }
  return all;
}

Signature signature_of(const Entry& entry) {
  return Signature(entry.function, entry.name);
}

}  // namespace tilewire::driver
