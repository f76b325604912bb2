// Writes one function of the host side. Its parts: the frame (host_function.cpp), statements and what loops
// carry (host_control.cpp), tasks and dispatches (host_calls.cpp).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ir/nodes.h"
#include "passes/names.h"
#include "support/diagnostics.h"
#include "target/pto/host_function.h"
#include "target/pto/host_text.h"

namespace tilewire::target::pto {

// "Parameter::Direction::InOut".
std::string direction_name(ir::Direction direction);
// The dimensions that an expression names, each once.
std::vector<const ir::DimSymbol*> symbols_in(const ir::ExprRef& expr);

class HostWriter {
 public:
  HostWriter(const HostProgram& program, const ir::Function& function, Diagnostics& diags);

  std::string signature();

  std::string definition();

 private:
  // --- text

  void line(const std::string& text) { text_ += std::string(2 * depth_, ' ') + text + "\n"; }
  std::string fresh(const ir::Var& var) { return names_.take(passes::identifier(var.name_hint)); }
  std::string text(const ir::ExprRef& expr) const { return expressions_.text(expr); }

  void assign(const ir::Var& var, const std::string& value);

  // --- entry

  // An orchestration function that a user calls: its arguments are wherever the runtime has them.
  void arguments_here();

  void dimension(const std::string& symbol, const std::string& value);

  template <class F>
  void each_extent(F f) {
    for (const auto& param : function_.params) {
      const auto* type = ir::as<ir::TensorType>(param->type);
      for (size_t axis = 0; type && axis < type->shape.size(); ++axis) {
        f(type->shape[axis], "dim(" + text(param) + ", " + std::to_string(axis) + ")");
      }
    }
  }

  // What the dynamic dimensions are: the extent of some parameter, or what follows from one.
  void dimensions();

  // The arguments of an entry are checked; inside the program types have been checked before.
  void expectations();
  static std::vector<const ir::DimSymbol*> symbols_of(const ir::TensorType& type);

  // --- statements

  void block(const ir::Block& body);

  void statement(const ir::Stmt& stmt);

  void step(const std::string& what) { line("rank.step(abi::ParallelStep::" + what + ");"); }

  void definition_of(const ir::Var& var, const ir::ExprRef& value);

  void effect(const ir::ExprRef& value);

  // The ops that stop a run; false for any other.
  bool check(const ir::Call& call);

  // --- what loops and branches carry

  // Variables that are assigned again: by `iter_args` in the loop, by `results` after it.
  std::vector<std::string> carried(const ir::VarList& vars, const ir::ExprList& values);
  void define(const ir::VarList& vars, const std::vector<std::string>& names);
  // At once: no value is one of the variables as it is afterwards.
  void assign_all(const ir::VarList& vars, const std::vector<std::string>& names, const ir::ExprList& values);
  static ir::ExprList yielded(const ir::Block& body);

  void range(const ir::For& loop);

  void repeat(const ir::While& loop);

  void choose(const ir::If& branch);
  void arm(const ir::Block& body, const std::vector<std::string>& names);

  // --- tasks

  struct TaskScope {
    ir::ExprList deps;
    std::string blocks;
    bool ordered = true;
    bool sync_start = false;
    ir::VarRef task_id;
  };

  void task_scope(const ir::Block& body, const ir::VarList& results, const Span& span);

  void deferred(const ir::Block& body, const Span& span);

  std::string deps_text(const ir::ExprList& deps) const;

  void function_call(const ir::FunctionCall& call, const ir::Var* var);

  // What follows the launch for one parameter. `results`: the elements made for scalars that are returned.
  std::string argument(const ir::FunctionCall& call, const Kernel& kernel, const KernelParameter& parameter,
                       std::vector<std::string>& results);
  // The value of a dimension of the kernel: an extent of an argument, or what follows from one when the
  // others are known. `around`: the dimensions that are being solved for.
  std::string dimension_text(const ir::FunctionCall& call, const Kernel& kernel,
                             const KernelParameter& parameter, std::set<std::string> around = {});

  void report_dimension(const ir::Function& function, const std::string& symbol, const Span& span);

  // The results of a call: returned parameters, and scalars.
  void take_results(const ir::Var& var, const ir::FunctionCall& call, const ir::Function& callee,
                    const std::vector<std::string>& scalars);

  HostValue result(const ir::TypeRef& type, int same, const ir::FunctionCall& call,
                   const std::vector<std::string>& scalars, size_t& next);

  // --- host functions

  void window_buffer(const ir::Var& var, const ir::Call& call);

  void dispatch(const ir::FunctionCall& call, const ir::Var* var);

  // The host keeps its own arrays and windows; what only a task knows is nothing a host function may use.
  void take_dispatched(const ir::Var& var, const ir::FunctionCall& call, const ir::Function& callee);

  void groups();
  void finish(const ir::ExprList& values);

  std::string returned_text(const ir::ExprList& values, bool keep);

  const HostProgram& program_;
  const ir::Function& function_;
  Diagnostics& diags_;
  const bool entry_;
  const bool has_no_dep_;
  passes::Names names_;
  HostExpressions expressions_;
  std::string text_;
  size_t depth_ = 0;
  bool returned_ = false;
  TaskScope scope_;
  std::set<std::string> reported_;  // dimensions, with their function
  int storage_scopes_ = 0;          // `pl.scope`s around
};

}  // namespace tilewire::target::pto
