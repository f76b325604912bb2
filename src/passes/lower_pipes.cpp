#include "passes/lower_pipes.h"

#include <algorithm>
#include <map>

#include "ir/function_kinds.h"
#include "ir/op.h"
#include "ir/printer.h"
#include "ir/visitor.h"
#include "ops/pipe.h"
#include "ops/shape.h"
#include "passes/inline_functions.h"
#include "passes/pipe_half.h"
#include "passes/return_order.h"
#include "passes/roots.h"
#include "passes/structured_builder.h"
#include "passes/task_call.h"
#include "support/diagnostics/verifier.h"

namespace tilewire::passes {
namespace {

using namespace ir;
using ops::Pipe;

// Shards start where every element of a tile is aligned.
constexpr int64_t shard_alignment = 32;

// Vector lanes that run for each block.
int64_t vector_lanes(const Function& vector) {
  struct Find : Visitor<Find> {
    bool split = false;
    void visit(const Call& call) {
      auto use = ops::pipe_use(call);
      split = split || (use && use->split != SplitMode::NONE);
    }
  } find;
  find.walk(*vector.body);
  return find.split ? 2 : 1;
}

struct Halves {
  const FunctionCall *cube = nullptr, *vector = nullptr;
};

Halves halves_of(const Function& group, const Program& program) {
  Halves halves;
  for (const StmtRef& stmt : group.body->stmts) {
    ExprRef value;
    if (const auto* assign = as<Assign>(stmt)) value = assign->value;
    if (const auto* eval = as<Eval>(stmt)) value = eval->value;
    const auto* call = as<FunctionCall>(value);
    if (!call) continue;
    (program.find(call->callee)->type == FunctionType::AIC ? halves.cube : halves.vector) = call;
  }
  return halves;
}

// What a launch of a joined kernel needs.
struct Joined {
  FunctionRef kernel;
  int64_t cells = 0;  // of a block
  std::string rings;  // what they are, for reports
};
using JoinedKernels = std::map<std::string, Joined, std::less<>>;

class Joiner final : public StructuredBuilder {
 public:
  Joiner(const Program& program, const ReturnRoots& returns, bool early, Diagnostics& diags)
      : StructuredBuilder(diags), program_(program), returns_(returns), early_(early) {}

  Joined join(const Function& group) {
    at(group.span);
    const Halves halves = halves_of(group, program_);
    const FunctionRef cube = program_.find(halves.cube->callee),
                      vector = program_.find(halves.vector->callee);
    for (const FunctionRef& half : {cube, vector}) return_order(*half, returns_.at(half->name), diags_);
    pipes_ = ops::pipes_of(*cube);
    const int64_t vectors = vector_lanes(*vector), lanes = 1 + vectors;
    Ref<Function> now = copy(group);
    now->type = FunctionType::InCore;
    now->lanes = lanes;
    VarRef cells;
    if (!pipes_.empty()) {
      ExprRef count = make<DimSymbol>(group.span, "pipe_cells");
      TypeRef type = make<TensorType>(group.span, ExprList{count, number(ops::cell_line)}, DType::Int32);
      now->params.push_back(make<Parameter>(group.span, "__pipe_cells", type, Direction::InOut));
      cells = now->params.back();
    }
    now->body = collect(group.span, [&] {
      ExprRef index = let("index", op(ops::pl::tile::get_block_idx, {}));
      ExprRef block = let("block", div(index, number(lanes)));
      ExprRef role = let("role", mod(index, number(lanes)));
      ExprRef blocks = let("blocks", div(let("all", op(ops::pl::tile::get_block_num, {})), number(lanes)));
      auto half = [&](const FunctionCall& call, const Function& function, const ExprRef& lane) {
        ExprList args = call.args;
        if (!pipes_.empty()) {
          args.push_back(cells);
          args.push_back(shard(call, function, block, blocks));
        }
        for (const ExprRef& arg : {block, blocks, lane}) args.push_back(arg);
        for (StmtRef& stmt :
             splice(*lower_half(function, pipes_, vectors, early_, diags_), args, diags_).stmts) {
          emit(std::move(stmt));
        }
      };
      choose(
          equal(role, number(0)),
          [&]() -> ExprList {
            half(*halves.cube, *cube, number(0));
            return {};
          },
          [&]() -> ExprList {
            half(*halves.vector, *vector, vectors == 1 ? number(0) : let("lane", sub(role, number(1))));
            return {};
          });
      give_results(group, *now);
    });
    return {finish_node(std::move(now)), ops::cell_count(pipes_), ops::rings_text(pipes_)};
  }

 private:
  // Where the block's part of the workspace starts; checked to be large enough.
  ExprRef shard(const FunctionCall& call, const Function& half, const ExprRef& block, const ExprRef& blocks) {
    auto at_param = std::find_if(half.params.begin(), half.params.end(),
                                 [](const auto& param) { return param->name == ops::workspace_name; });
    const ExprRef& workspace = call.args[static_cast<size_t>(at_param - half.params.begin())];
    ExprRef total = let("bytes", op(ops::pl::tensor::dim, {workspace}, {{"i", AttrValue{int64_t{0}}}}));
    at(pipes_.front().call->span);
    run(ops::pl::pipe::check_workspace, {total, blocks, number(ops::workspace_bytes(pipes_))});
    ExprRef units = let("units", div(div(total, blocks), number(shard_alignment)));
    return let("shard", mul(block, mul(units, number(shard_alignment))));
  }

  // Tensors that a half returns are parameters of the Group.
  void give_results(const Function& group, const Function& now) {
    const auto* ret = group.body->stmts.empty() ? nullptr : as<Return>(group.body->stmts.back());
    if (!ret || ret->values.empty()) return;
    ExprList values;
    for (size_t i = 0; i < ret->values.size(); ++i) {
      const int same = returns_.at(group.name)[i].same;
      if (same < 0) {
        diags_.report(diag::group_scalar, ret->span, {group.name, to_string(group.return_types[i])})
            .with_help("store the value in a tensor: a parameter pl.Out[...] that the half writes");
        return;
      }
      values.push_back(now.params[static_cast<size_t>(same)]);
    }
    emit(make<Return>(ret->span, std::move(values)));
  }

  const Program& program_;
  const ReturnRoots& returns_;
  const bool early_;
  std::vector<Pipe> pipes_;
};

// Launches of joined kernels: lanes times as many blocks, and cells that are zero.
class Launches final : public StructuredBuilder {
 public:
  Launches(const JoinedKernels& joined, Diagnostics& diags) : StructuredBuilder(diags), joined_(joined) {}

 protected:
  void scope(const SpmdScope& scope) override {
    const auto* call = single_call(*scope.body);
    const Joined* joined = find(call);
    if (!joined) return Rebuilder::scope(scope);
    at(call->span);
    ExprRef blocks = let("blocks", ops::scalar_cast(use(scope.block_count), DType::Index));
    prepare(*joined, blocks);
    Ref<SpmdScope> now = copy(scope);
    now->block_count = let("blocks", mul(blocks, number(joined->kernel->lanes)));
    in_scope_ = true;
    Rebuilder::scope(*finish_node(std::move(now)));
    in_scope_ = false;
  }
  void scope(const AtScope& scope) override {
    if (!find(single_call(*scope.body))) return Rebuilder::scope(scope);
    Ref<SpmdScope> now = make_empty<SpmdScope>();
    now->span = scope.span;
    now->block_count = number(1);
    now->deps = scope.deps;
    now->body = scope.body;
    now->results = scope.results;
    now->task_id = scope.task_id;
    now->name_hint = scope.name_hint;
    now->ordered = scope.ordered;
    this->scope(*finish_node(std::move(now)));
  }

  void eval(const Eval& eval) override {
    const auto* call = as<FunctionCall>(eval.value);
    if (in_scope_ || !find(call)) return Rebuilder::eval(eval);
    launch(*call, nullptr);
  }
  void assign(const Assign& assign) override {
    const auto* call = as<FunctionCall>(assign.value);
    if (in_scope_ || !find(call)) return Rebuilder::assign(assign);
    launch(*call, assign.var);
  }

  ExprRef value(const ExprRef& expr) override {
    const auto* call = as<FunctionCall>(expr);
    const Joined* joined = find(call);
    if (!joined || joined->cells == 0) return use(expr);
    Ref<FunctionCall> now = copy(static_cast<const FunctionCall&>(*use(expr)));
    now->args.push_back(cells_);
    return finish_node(std::move(now));
  }

 private:
  const Joined* find(const FunctionCall* call) const {
    auto found = call ? joined_.find(call->callee) : joined_.end();
    return found == joined_.end() ? nullptr : &found->second;
  }

  void prepare(const Joined& joined, const ExprRef& blocks) {
    if (joined.cells == 0) return;
    ExprRef shape = list({let("cells", mul(blocks, number(joined.cells))), number(ops::cell_line)});
    cells_ = let("cells", op(ops::pl::pipe::cells, {shape}, {{"rings", AttrValue{joined.rings}}}));
  }

  // A call outside a scope, as a scope of one block.
  void launch(const FunctionCall& call, const VarRef& result) {
    Ref<SpmdScope> scope = make_empty<SpmdScope>();
    scope->span = call.span;
    scope->block_count = number(1);
    scope->deps = call.deps;
    Ref<FunctionCall> task = copy(call);
    task->deps.clear();
    ExprRef value = finish_node(std::move(task));
    ExprList values;
    scope->body = collect(call.span, [&] {
      if (!result) return emit(make<Eval>(call.span, value));
      VarRef whole = assign_new("r", value, call.span);
      if (const auto* tuple = as<TupleType>(value->type)) {
        for (size_t i = 0; i < tuple->types.size(); ++i) {
          values.push_back(
              assign_new("r", make<TupleGet>(call.span, whole, static_cast<int64_t>(i)), call.span));
        }
      } else {
        values.push_back(whole);
      }
      emit(make<Yield>(call.span, values));
    });
    ExprList results;
    for (const ExprRef& each : values) {
      scope->results.push_back(make<Var>(call.span, result->name_hint, each->type));
      results.push_back(scope->results.back());
    }
    this->scope(*finish_node(std::move(scope)));
    if (result) bind(*result, results.size() == 1 ? results[0] : list(results));
  }

  const JoinedKernels& joined_;
  ExprRef cells_;
  bool in_scope_ = false;
};

}  // namespace

ProgramRef lower_pipes(const ProgramRef& program, const Traits& traits, Diagnostics& diags) {
  auto groups = [](const FunctionRef& function) { return function->type == FunctionType::Group; };
  auto halves = [](const FunctionRef& function) { return is_half(function->type); };
  if (std::none_of(program->functions.begin(), program->functions.end(), groups) &&
      std::none_of(program->functions.begin(), program->functions.end(), halves)) {
    return program;
  }
  const ReturnRoots returns = return_roots(*program);
  JoinedKernels joined;
  for (const FunctionRef& function : program->functions) {
    if (groups(function))
      joined[function->name] = Joiner(*program, returns, traits.pushes_wait_early, diags).join(*function);
  }
  if (diags.has_errors()) return program;
  Ref<Program> result = copy(*program);
  result->functions.clear();
  for (const FunctionRef& function : program->functions) {
    if (is_half(function->type)) continue;
    if (groups(function)) {
      result->functions.push_back(joined.at(function->name).kernel);
    } else if (function->type == FunctionType::Orchestration) {
      Launches launches(joined, diags);
      result->functions.push_back(with_body(*function, launches.block(*function->body)));
    } else {
      result->functions.push_back(function);
    }
  }
  return finish_node(std::move(result));
}

}  // namespace tilewire::passes
