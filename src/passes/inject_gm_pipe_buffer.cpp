#include "passes/inject_gm_pipe_buffer.h"

#include <algorithm>
#include <map>

#include "ops/check_pipes.h"
#include "ops/pipe.h"
#include "ops/shape.h"
#include "passes/launch_tensors.h"

namespace tilewire::passes {
namespace {

using namespace ir;

// Bytes that a block of each changed function needs, by name.
using Changed = std::map<std::string, int64_t, std::less<>>;

bool has_workspace(const Function& function) {
  return std::any_of(function.params.begin(), function.params.end(),
                     [](const auto& param) { return param->name == ops::workspace_name; });
}

FunctionRef with_workspace(const Function& function) {
  Ref<Function> now = copy(function);
  TypeRef type = make<TensorType>(function.span, ExprList{make<DimSymbol>(function.span, "gm_pipe_bytes")},
                                  DType::UInt8);
  now->params.push_back(make<Parameter>(function.span, ops::workspace_name, type, Direction::InOut));
  return finish_node(std::move(now));
}

// A Group hands its own workspace on.
class GroupCalls final : public Rebuilder {
 public:
  GroupCalls(const Changed& halves, VarRef workspace, Diagnostics& diags)
      : Rebuilder(diags), halves_(halves), workspace_(std::move(workspace)) {}

 protected:
  ExprRef value(const ExprRef& expr) override {
    const auto* call = as<FunctionCall>(expr);
    if (!call || !halves_.contains(call->callee)) return use(expr);
    Ref<FunctionCall> now = copy(*call);
    now->args.push_back(workspace_);
    return finish_node(std::move(now));
  }

 private:
  const Changed& halves_;
  const VarRef workspace_;
};

// The bytes that a block needs of the halves that take a workspace they were not written with.
int64_t needed_by(const Function& group, const Changed& halves) {
  int64_t bytes = 0;
  for (const StmtRef& stmt : group.body->stmts) {
    ExprRef value;
    if (const auto* assign = as<Assign>(stmt)) value = assign->value;
    if (const auto* eval = as<Eval>(stmt)) value = eval->value;
    const auto* call = as<FunctionCall>(value);
    auto found = call ? halves.find(call->callee) : halves.end();
    if (found != halves.end()) bytes = std::max(bytes, found->second);
  }
  return bytes;
}

// Each launch gets a workspace of its own.
class Launches final : public LaunchTensors {
 public:
  Launches(const Changed& groups, Diagnostics& diags) : LaunchTensors(diags), groups_(groups) {}

 protected:
  bool is_changed(const std::string& callee) const override { return groups_.contains(callee); }
  ExprList make_tensors(const FunctionCall& call, const ExprRef& blocks) override {
    ExprRef bytes = number(groups_.find(call.callee)->second);
    if (blocks) bytes = let("bytes", mul(ops::scalar_cast(use(blocks), DType::Index), bytes));
    return {
        let("workspace", op(ops::pl::tensor::create, {list({bytes})}, {{"dtype", AttrValue{DType::UInt8}}}))};
  }

 private:
  const Changed& groups_;
};

}  // namespace

ProgramRef inject_gm_pipe_buffer(const ProgramRef& program, Diagnostics& diags) {
  ops::check_pipes(*program, diags);
  if (diags.has_errors()) return program;
  Changed halves, groups;
  Ref<Program> result = copy(*program);
  for (FunctionRef& function : result->functions) {
    const auto pipes = ops::pipes_of(*function);
    if (pipes.empty() || has_workspace(*function)) continue;
    halves[function->name] = ops::workspace_bytes(pipes);
    function = with_workspace(*function);
  }
  if (halves.empty()) return program;
  for (FunctionRef& function : result->functions) {
    const int64_t bytes = function->type == FunctionType::Group ? needed_by(*function, halves) : 0;
    if (bytes == 0) continue;
    if (!has_workspace(*function)) {
      groups[function->name] = bytes;
      function = with_workspace(*function);
    }
    auto workspace = std::find_if(function->params.begin(), function->params.end(),
                                  [](const auto& param) { return param->name == ops::workspace_name; });
    GroupCalls calls(halves, *workspace, diags);
    function = with_body(*function, calls.block(*function->body));
  }
  for (FunctionRef& function : result->functions) {
    if (function->type != FunctionType::Orchestration) continue;
    Launches launches(groups, diags);
    function = with_body(*function, launches.block(*function->body));
  }
  return finish_node(std::move(result));
}

}  // namespace tilewire::passes
