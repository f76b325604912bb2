// Numbering of leaves: the first step of planning, and the entry to the others.
#include "target/cpu/plan.h"

#include "ir/aliases.h"
#include "ir/op.h"
#include "support/diagnostics/cpu.h"
#include "target/cpu/planner.h"

namespace tilewire::target::cpu {

using namespace ir;

std::span<const Leaf> Plan::leaves(const Expr* var) const {
  const auto* range = leaf_range.find(var);
  TW_CHECK(range != nullptr, "a variable without leaves");
  return std::span(leaf_pool).subspan(range->first, range->second);
}

const std::vector<Action>& Plan::actions(const Block* block) const {
  const int* index = block_of.find(block);
  TW_CHECK(index != nullptr, "a block without a plan");
  return blocks[*index];
}

void append_leaf_kinds(const TypeRef& type, std::vector<LeafKind>& kinds) {
  if (const auto* tuple = as<TupleType>(type)) {
    for (const TypeRef& element : tuple->types) append_leaf_kinds(element, kinds);
  } else if (isa<TensorType>(type)) {
    kinds.push_back(LeafKind::Tensor);
  } else if (isa<TileType>(type) || isa<ArrayType>(type)) {
    kinds.push_back(LeafKind::Tile);
  } else {
    kinds.push_back(LeafKind::Scalar);
  }
}

namespace {

void append_scalars(const TypeRef& type, std::vector<TypeRef>& out) {
  if (const auto* tuple = as<TupleType>(type)) {
    for (const TypeRef& element : tuple->types) append_scalars(element, out);
  } else if (!isa<TensorType>(type) && !isa<TileType>(type) && !isa<ArrayType>(type)) {
    out.push_back(type);
  }
}

size_t leaf_count(const TypeRef& type) {
  std::vector<LeafKind> kinds;
  append_leaf_kinds(type, kinds);
  return kinds.size();
}

}  // namespace

std::vector<TypeRef> scalar_results(const Function& function) {
  std::vector<TypeRef> result;
  for (const TypeRef& type : function.return_types) append_scalars(type, result);
  return result;
}

DType stored_dtype(const TypeRef& scalar) {
  return scalar_dtype(scalar).value_or(DType::UInt64);
}

std::vector<int> tile_operands(const Plan& plan, const Call& call, const Lowering& lowering) {
  std::vector<int> result(call.args.size(), -1);
  for (size_t i = 0; i < call.args.size(); ++i) {
    if (!call.args[i] || static_cast<int>(i) == lowering.ignored) continue;
    const TypeRef& type = call.args[i]->type;
    if (!isa<TileType>(type) && !isa<ArrayType>(type)) continue;
    result[i] = plan.leaves(call.args[i].get())[0].id;
  }
  return result;
}

bool LeafNumbering::run(const Function& function) {
  orchestration_ = function.type == FunctionType::Orchestration;
  host_ = function.type == FunctionType::Host;
  for (const auto& param : function.params) fresh(param);
  block(*function.body);
  return !diags_.has_errors();
}

void LeafNumbering::block(const Block& block) {
  for (const StmtRef& stmt : block.stmts) statement(*stmt);
}

void LeafNumbering::statement(const Stmt& stmt) {
  if (const auto* s = as<Assign>(&stmt)) return assign(s->var, *s->value, stmt);
  if (const auto* s = as<Eval>(&stmt)) {
    if (const auto* c = as<Call>(s->value); c && !find_lowering(c->op)) {
      diags_.report(diag::cpu_op, c->span, {c->op->qualified()});
    }
    return;
  }
  if (const auto* s = as<For>(&stmt)) {
    fresh(s->loop_var);
    return loop(stmt, s->init_values, s->iter_args, nullptr, *s->body, s->results);
  }
  if (const auto* s = as<While>(&stmt)) {
    return loop(stmt, s->init_values, s->iter_args, s->before.get(), *s->body, s->results);
  }
  if (const auto* s = as<If>(&stmt)) return branch(*s);
  if (const auto* s = as<AtScope>(&stmt)) return scope(*s->body, s->results, s->task_id);
  if (const auto* s = as<SpmdScope>(&stmt)) {
    if (s->block_var) fresh(s->block_var);
    return scope(*s->body, s->results, s->task_id);
  }
  if (const auto* s = as<WithScope>(&stmt)) return block(*s->body);
}

void LeafNumbering::assign(const VarRef& var, const Expr& value, const Stmt&) {
  if (const auto* get = as<TupleGet>(&value)) {
    std::vector<Leaf> all = leaves(get->tuple);
    const auto& types = static_cast<const TupleType&>(*get->tuple->type).types;
    size_t first = 0;
    for (int64_t i = 0; i < get->index; ++i) first += leaf_count(types[i]);
    return set(var.get(), {all.begin() + first, all.begin() + first + leaf_count(types[get->index])});
  }
  if (isa<MakeTuple>(value) || isa<Var>(value)) return set(var.get(), leaves(ref(&value)));
  if (const auto* c = as<Call>(&value)) return call(var, *c);
  if (const auto* c = as<FunctionCall>(&value)) {
    std::vector<LeafKind> kinds;
    append_leaf_kinds(c->type, kinds);
    const ReturnedParams& returned = callees_.returned(*c);
    std::vector<Leaf> result;
    for (size_t i = 0; i < kinds.size(); ++i) {
      if (i < returned.size() && returned[i] >= 0) {
        Leaf leaf = leaves(c->args[returned[i]])[0];
        auto tracked = tracked_.find(leaf.id);
        if (leaf.kind == LeafKind::Tensor && tracked != tracked_.end()) leaf.id = tracked->second;
        result.push_back(leaf);
      } else if (kinds[i] == LeafKind::Scalar && orchestration_) {
        result.push_back({LeafKind::Scalar, plan_.scalar_count++});
      } else {
        // The host is done before anything it dispatches has started.
        diags_.report(diag::cpu_call_result, c->span, {c->callee, c->device ? "dispatched" : "called"});
        return fresh(var);
      }
    }
    return set(var.get(), std::move(result));
  }
  fresh(var);  // a constant or a dimension
}

void LeafNumbering::call(const VarRef& var, const Call& call) {
  const Lowering* lowering = find_lowering(call.op);
  if (!lowering) {
    diags_.report(diag::cpu_op, call.span, {call.op->qualified()});
    return fresh(var);
  }
  bool untracked = lowering->untracked;
  if (lowering->op_class == OpClass::Alias || (untracked && !orchestration_)) {
    return set(var.get(), leaves(call.args[0]));
  }
  if (int slot = alias_slot(*call.op); slot >= 0 && lowering->op_class != OpClass::TensorView) {
    return set(var.get(), leaves(call.args[slot]));
  }
  fresh(var, &call, lowering);
  const Leaf& leaf = plan_.leaves(var.get())[0];
  if (lowering->op_class == OpClass::TensorView) {
    int source = leaves(call.args[0])[0].id;
    tensor_roots[leaf.id] = tensor_roots[source];
    if (untracked) tracked_.emplace(leaf.id, source);
  } else if (lowering->op_class == OpClass::TensorCreate) {
    tensor_roots[leaf.id] = leaf.id;
    if (host_ && !isa<DistributedTensorType>(var->type)) {
      diags_.report(diag::cpu_host_tensor, call.span, {call.op->qualified()})
          .with_help("create it in the function that is dispatched, or pass an array");
    }
  }
}

Leaf LeafNumbering::fresh_leaf(const TypeRef& type, const Call* call, const Lowering* lowering) {
  if (isa<TensorType>(type)) {
    tensor_roots.push_back(-1);
    return {LeafKind::Tensor, plan_.tensor_count++};
  }
  PlanValue value;
  if (const auto* tile = as<TileType>(type)) {
    value.dtype = tile->dtype;
    value.rows = tile->rows();
    value.cols = tile->cols();
  } else if (const auto* array = as<ArrayType>(type)) {
    value.dtype = array->dtype;
    value.cols = array->extent;
    value.is_array = true;
  } else {
    return {LeafKind::Scalar, plan_.scalar_count++};
  }
  value.call = call;
  value.lowering = lowering;
  plan_.values.push_back(value);
  return {LeafKind::Tile, static_cast<int>(plan_.values.size()) - 1};
}

void LeafNumbering::fresh_leaves(const TypeRef& type, const Call* call, const Lowering* lowering,
                                 std::vector<Leaf>& out) {
  if (const auto* tuple = as<TupleType>(type)) {
    for (const TypeRef& element : tuple->types) fresh_leaves(element, call, lowering, out);
  } else {
    out.push_back(fresh_leaf(type, call, lowering));
  }
}

void LeafNumbering::fresh(const VarRef& var, const Call* call, const Lowering* lowering) {
  std::vector<Leaf> result;
  fresh_leaves(var->type, call, lowering, result);
  set(var.get(), std::move(result));
}

void LeafNumbering::set(const Expr* var, std::vector<Leaf> leaves) {
  std::span<const passes::ValidShape> tiles = valid_.tiles(*var);
  size_t next = 0;
  for (const Leaf& leaf : leaves) {
    if (leaf.kind != LeafKind::Tile || plan_.values[leaf.id].is_array) continue;
    TW_CHECK(next < tiles.size(), "a tile without a valid shape");
    plan_.values[leaf.id].valid_rows = tiles[next].rows;
    plan_.values[leaf.id].valid_cols = tiles[next++].cols;
  }
  int first = static_cast<int>(plan_.leaf_pool.size());
  plan_.leaf_pool.insert(plan_.leaf_pool.end(), leaves.begin(), leaves.end());
  plan_.leaf_range.insert(var, {first, static_cast<int>(leaves.size())});
}

std::vector<Leaf> LeafNumbering::leaves(const ExprRef& expr) {
  if (const auto* tuple = as<MakeTuple>(expr)) {
    std::vector<Leaf> all;
    for (const ExprRef& element : tuple->elements) {
      std::vector<Leaf> part = leaves(element);
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }
  if (isa<Var>(expr)) {
    auto span = plan_.leaves(expr.get());
    return {span.begin(), span.end()};
  }
  return {{LeafKind::Scalar, -1}};
}

// A tensor that reaches a place through a choice: it may be any that does.
void LeafNumbering::escape(const Leaf& leaf) {
  if (leaf.kind != LeafKind::Tensor || tensor_roots[leaf.id] < 0) return;
  int root = tensor_roots[leaf.id];
  for (int& other : tensor_roots) {
    if (other == root) other = -1;
  }
}

const Yield* LeafNumbering::yield_of(const Block& block) {
  return block.stmts.empty() ? nullptr : as<Yield>(block.stmts.back());
}

void LeafNumbering::loop(const Stmt& stmt, const ExprList& inits, const VarList& args, const Block* before,
                         const Block& body, const VarList& results) {
  for (size_t i = 0; i < args.size(); ++i) {
    fresh(args[i]);
    // A guess that `escape` takes back when the tensor turns out to change.
    std::vector<Leaf> init = leaves(inits[i]);
    std::vector<Leaf> arg = leaves(args[i]);
    for (size_t k = 0; k < arg.size(); ++k) {
      if (arg[k].kind == LeafKind::Tensor) tensor_roots[arg[k].id] = tensor_roots[init[k].id];
    }
  }
  if (before) block(*before);
  block(body);
  LoopPlan loop_plan;
  const Yield* yield = yield_of(body);
  for (size_t i = 0; i < args.size(); ++i) {
    std::vector<Leaf> init = leaves(inits[i]);
    std::vector<Leaf> arg = leaves(args[i]);
    std::vector<Leaf> next = leaves(yield->values[i]);
    std::vector<Leaf> result;
    for (size_t k = 0; k < arg.size(); ++k) {
      bool tensor = arg[k].kind == LeafKind::Tensor;
      bool invariant = tensor && (next[k].id == arg[k].id || next[k].id == init[k].id);
      loop_plan.invariant.push_back(invariant);
      if (invariant) {
        result.push_back(init[k]);
        continue;
      }
      if (tensor) {
        escape(init[k]);
        escape(next[k]);
        tensor_roots.push_back(-1);
        result.push_back({LeafKind::Tensor, plan_.tensor_count++});
        continue;
      }
      if (arg[k].kind == LeafKind::Tile) {
        PlanValue value = plan_.values[arg[k].id];
        plan_.values.push_back(value);
        result.push_back({LeafKind::Tile, static_cast<int>(plan_.values.size()) - 1});
      } else {
        result.push_back({LeafKind::Scalar, plan_.scalar_count++});
      }
    }
    if (i < results.size()) set(results[i].get(), std::move(result));
  }
  plan_.loop_of.insert(&stmt, static_cast<int>(plan_.loops.size()));
  plan_.loops.push_back(std::move(loop_plan));
}

void LeafNumbering::branch(const If& stmt) {
  block(*stmt.then_body);
  if (stmt.else_body) block(*stmt.else_body);
  BranchPlan branch_plan;
  const Yield* a = yield_of(*stmt.then_body);
  const Yield* b = stmt.else_body ? yield_of(*stmt.else_body) : nullptr;
  for (size_t i = 0; i < stmt.results.size(); ++i) {
    std::vector<Leaf> x = leaves(a->values[i]);
    std::vector<Leaf> y = leaves(b->values[i]);
    std::vector<Leaf> result;
    for (size_t k = 0; k < x.size(); ++k) {
      bool same = x[k].kind == LeafKind::Tensor && x[k].id == y[k].id;
      branch_plan.same.push_back(same);
      if (same) {
        result.push_back(x[k]);
      } else if (x[k].kind == LeafKind::Tensor) {
        escape(x[k]);
        escape(y[k]);
        tensor_roots.push_back(-1);
        result.push_back({LeafKind::Tensor, plan_.tensor_count++});
      } else if (x[k].kind == LeafKind::Tile) {
        PlanValue value = plan_.values[x[k].id];
        value.call = nullptr;
        value.lowering = nullptr;
        plan_.values.push_back(value);
        result.push_back({LeafKind::Tile, static_cast<int>(plan_.values.size()) - 1});
      } else {
        result.push_back({LeafKind::Scalar, plan_.scalar_count++});
      }
    }
    set(stmt.results[i].get(), std::move(result));
  }
  plan_.branch_of.insert(&stmt, static_cast<int>(plan_.branches.size()));
  plan_.branches.push_back(std::move(branch_plan));
}

void LeafNumbering::scope(const Block& body, const VarList& results, const VarRef& task) {
  block(body);
  if (const Yield* yield = yield_of(body)) {
    for (size_t i = 0; i < results.size(); ++i) set(results[i].get(), leaves(yield->values[i]));
  }
  if (task) fresh(task);
}

ReturnedParams returned_params(const Function& function, const passes::ReturnRoots& returns) {
  ReturnedParams result;
  const std::vector<passes::Returned>& returned = returns.find(function.name)->second;
  for (size_t i = 0; i < returned.size(); ++i) {
    const TypeRef& type = function.return_types[i];
    if (isa<TensorType>(type)) {
      result.push_back(returned[i].same);
    } else {
      result.resize(result.size() + leaf_count(type), -1);
    }
  }
  return result;
}

std::unique_ptr<Plan> make_plan(const Function& function, const Callees& callees, const Machine& machine,
                                bool hooks, Diagnostics& diags) {
  auto plan = std::make_unique<Plan>();
  const passes::ValidShapes valid(function);
  LeafNumbering leaves(*plan, valid, callees, diags);
  if (!leaves.run(function)) return nullptr;
  plan->tensor_roots = leaves.tensor_roots;
  Ordering ordering(*plan, leaves.tensor_roots, machine, hooks);
  ordering.run(function);
  plan_levels(*plan);
  plan_storage(*plan, function, ordering.positions());
  return plan;
}

}  // namespace tilewire::target::cpu
