#include "passes/inject_gm_pipe_buffer.h"

#include <algorithm>
#include <map>

#include "ops/check_pipes.h"
#include "ops/pipe.h"
#include "ops/shape.h"
#include "passes/structured_builder.h"
#include "passes/task_call.h"

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

// Each launch gets a workspace of its own, given back when its blocks have ended.
class Launches final : public StructuredBuilder {
 public:
  Launches(const Changed& groups, Diagnostics& diags) : StructuredBuilder(diags), groups_(groups) {}

 protected:
  void scope(const AtScope& scope) override {
    launch(single_call(*scope.body), nullptr, [&] { Rebuilder::scope(scope); });
  }
  void scope(const SpmdScope& scope) override {
    launch(single_call(*scope.body), scope.block_count, [&] { Rebuilder::scope(scope); });
  }
  void assign(const Assign& assign) override {
    launch(workspace_ ? nullptr : as<FunctionCall>(assign.value), nullptr,
           [&] { Rebuilder::assign(assign); });
  }
  void eval(const Eval& eval) override {
    launch(workspace_ ? nullptr : as<FunctionCall>(eval.value), nullptr, [&] { Rebuilder::eval(eval); });
  }

  ExprRef value(const ExprRef& expr) override {
    const auto* call = as<FunctionCall>(expr);
    if (!call || !groups_.contains(call->callee)) return use(expr);
    Ref<FunctionCall> now = copy(static_cast<const FunctionCall&>(*use(expr)));
    now->args.push_back(workspace_);
    return finish_node(std::move(now));
  }

 private:
  void launch(const FunctionCall* call, const ExprRef& blocks, const std::function<void()>& start) {
    auto found = call ? groups_.find(call->callee) : groups_.end();
    if (found == groups_.end()) return start();
    at(call->span);
    BlockRef body = collect(call->span, [&] {
      ExprRef bytes = number(found->second);
      if (blocks) bytes = let("bytes", mul(ops::scalar_cast(use(blocks), DType::Index), bytes));
      workspace_ = let("workspace",
                       op(ops::pl::tensor::create, {list({bytes})}, {{"dtype", AttrValue{DType::UInt8}}}));
      start();
      workspace_ = nullptr;
    });
    emit(make<WithScope>(call->span, ScopeKind::Storage, body));
  }

  const Changed& groups_;
  ExprRef workspace_;  // of the launch being written
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
