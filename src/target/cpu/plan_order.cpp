// Clusters and the order of actions.
//
// A block is read once, front to back. Row-wise ops collect in open clusters, one per row count; a cluster is
// closed, and takes its place in the order, as soon as something needs its values or its effects. Nothing
// moves across an effect it could tell from: a store closes what reads tensors, a read what stores.
#include <algorithm>

#include "ir/aliases.h"
#include "ir/op.h"
#include "ir/visitor.h"
#include "target/cpu/planner.h"

namespace tilewire::target::cpu {

using namespace ir;

namespace {

// Beyond these a cluster is closed: emission keeps all of it in mind at once.
constexpr size_t member_limit = 48;
constexpr int level_limit = 6;

bool touches_memory(const Call& call, bool writes) {
  if (call.op->note) return false;
  for (const Effect& effect : call.op->effects) {
    if (!happens(effect, call)) continue;
    if ((effect.access != Access::Read) == writes) return true;
  }
  return writes && call.op->synchronizes;
}

// Variables below a scalar expression that are tiles, arrays.
struct TileUses : Visitor<TileUses> {
  std::vector<const Var*> found;
  void visit(const Var& var) {
    if (isa<TileType>(var.type) || isa<ArrayType>(var.type) || isa<TupleType>(var.type))
      found.push_back(&var);
  }
};

}  // namespace

void Ordering::run(const Function& function) {
  load_root_.assign(plan_.values.size(), -1);
  block(*function.body);
  settle_deferred();
  add_staging();
}

void Ordering::block(const Block& body) {
  int index = static_cast<int>(plan_.blocks.size());
  plan_.blocks.emplace_back();
  plan_.block_of.insert(&body, index);
  std::vector<Action> actions;
  std::vector<Action>* outer = actions_;
  std::vector<int> outer_open = std::move(open_);
  open_.clear();
  actions_ = &actions;
  for (const StmtRef& stmt : body.stmts) statement(*stmt);
  close_all();
  actions_ = outer;
  open_ = std::move(outer_open);
  plan_.blocks[index] = std::move(actions);
}

int Ordering::act(const Stmt& stmt) {
  actions_->push_back({&stmt, -1, ++counter_});
  plan_.order_of.insert(&stmt, counter_);
  return counter_;
}

void Ordering::use(int value, int order, int consumer, bool element) {
  PlanValue& v = plan_.values[value];
  int loop = loop_stack_.empty() ? -1 : loop_stack_.back();
  if (v.deferred) deferred_uses_.push_back({value, order, loop, element});
  if (v.cluster >= 0 && v.cluster != consumer) v.memory = true;
  v.end = std::max(v.end, order);
  size_t depth = v.loop < 0 ? 0 : loop_depth_[v.loop] + 1;
  if (depth < loop_stack_.size()) extended_[loop_stack_[depth]].push_back(value);
}

void Ordering::close_defining(int value) {
  int cluster = plan_.values[value].cluster;
  if (cluster >= 0 && plan_.clusters[cluster].order < 0) close(cluster);
}

void Ordering::close_expr(const ExprRef& expr) {
  if (!expr || isa<ConstInt>(expr)) return;
  TileUses uses;
  uses.walk(expr);
  for (const Var* var : uses.found) {
    for (const Leaf& leaf : plan_.leaves(var)) {
      if (leaf.kind == LeafKind::Tile) close_defining(leaf.id);
    }
  }
}

void Ordering::use_expr(const ExprRef& expr, int order, bool element) {
  if (!expr || isa<ConstInt>(expr)) return;
  TileUses uses;
  uses.walk(expr);
  for (const Var* var : uses.found) {
    for (const Leaf& leaf : plan_.leaves(var)) {
      if (leaf.kind == LeafKind::Tile) use(leaf.id, order, -1, element || !isa<Var>(expr));
    }
  }
}

void Ordering::use_list(const ExprList& list, int order) {
  for (const ExprRef& expr : list) use_expr(expr, order);
}

void Ordering::define(const VarRef& var, int order) {
  for (const Leaf& leaf : plan_.leaves(var.get())) {
    if (leaf.kind != LeafKind::Tile) continue;
    PlanValue& v = plan_.values[leaf.id];
    if (v.start >= 0) continue;  // an alias
    v.start = v.end = order;
    v.loop = loop_stack_.empty() ? -1 : loop_stack_.back();
  }
}

void Ordering::close(int index) {
  Cluster& cluster = plan_.clusters[index];
  cluster.order = ++counter_;
  open_.erase(std::find(open_.begin(), open_.end(), index));
  actions_->push_back({nullptr, index, cluster.order});
  for (const Member& member : cluster.members) {
    if (member.result >= 0) {
      PlanValue& v = plan_.values[member.result];
      v.start = v.end = cluster.order;
      v.loop = loop_stack_.empty() ? -1 : loop_stack_.back();
    }
    for (int operand : tile_operands(plan_, *member.call, *member.lowering)) {
      if (operand >= 0 && plan_.values[operand].cluster != index) use(operand, cluster.order, index);
    }
    for (const ExprRef& arg : member.call->args) {
      if (arg && !isa<Var>(arg)) use_expr(arg, cluster.order, true);
    }
    if (member.lowering->op_class == OpClass::Store) {
      wrote(roots_[plan_.leaves(aliased_operand(*member.call))[0].id]);
    }
    if (member.lowering->op_class == OpClass::ColReduce) plan_.values[member.result].memory = true;
  }
}

void Ordering::close_all() {
  while (!open_.empty()) close(open_.front());
}

void Ordering::close_if(bool stores, bool loads, int except) {
  std::vector<int> copy = open_;
  for (int index : copy) {
    const Cluster& cluster = plan_.clusters[index];
    if (index != except && ((stores && cluster.stores) || (loads && cluster.loads))) close(index);
  }
}

int Ordering::level_of(const Cluster& cluster, const Call& call, const Lowering& lowering) const {
  int level = 0;
  for (int operand : tile_operands(plan_, call, lowering)) {
    if (operand < 0) continue;
    const PlanValue& v = plan_.values[operand];
    if (v.cluster >= 0 && &plan_.clusters[v.cluster] == &cluster) level = std::max(level, v.level);
  }
  return level + (lowering.op_class == OpClass::RowReduce ? 1 : 0);
}

int Ordering::cluster_for(int64_t rows, ExtentId valid_rows, int) {
  for (int index : open_) {
    const Cluster& cluster = plan_.clusters[index];
    if (cluster.rows == rows && cluster.valid_rows == valid_rows) return index;
  }
  int index = static_cast<int>(plan_.clusters.size());
  plan_.clusters.emplace_back();
  plan_.clusters.back().rows = rows;
  plan_.clusters.back().valid_rows = valid_rows;
  open_.push_back(index);
  return index;
}

void Ordering::join_cluster(const Stmt&, const Call& call, const Lowering& lowering, int result) {
  std::vector<int> operands = tile_operands(plan_, call, lowering);
  bool store = lowering.op_class == OpClass::Store;
  bool reduces = lowering.op_class == OpClass::RowReduce || lowering.op_class == OpClass::ColReduce;
  const PlanValue& shape = plan_.values[store || reduces ? operands[0] : result];
  int64_t rows = shape.rows;
  ExtentId valid_rows = shape.valid_rows;
  // Scalar operands may read elements of tiles.
  for (const ExprRef& arg : call.args) {
    if (arg && !isa<Var>(arg)) close_expr(arg);
  }
  int index = cluster_for(rows, valid_rows, 0);
  // What another cluster computes, or this one only when all its rows are done, must be there first.
  auto settle = [&] {
    for (int operand : operands) {
      if (operand < 0) continue;
      const PlanValue& v = plan_.values[operand];
      if (v.cluster < 0 || plan_.clusters[v.cluster].order >= 0) continue;
      bool after_all_rows = v.lowering->op_class == OpClass::ColReduce || (v.rows != rows);
      if (v.cluster != index || after_all_rows) close(v.cluster);
    }
  };
  settle();
  if (store) close_if(true, true, index);
  Cluster* cluster = &plan_.clusters[index];
  if (cluster->order >= 0 || cluster->members.size() >= member_limit ||
      level_of(*cluster, call, lowering) >= level_limit) {
    if (cluster->order < 0) close(index);
    index = cluster_for(rows, valid_rows, 0);
    settle();
    cluster = &plan_.clusters[index];
  }
  int level = level_of(*cluster, call, lowering);
  cluster->levels = std::max(cluster->levels, level + 1);
  for (int operand : operands) {
    if (operand >= 0 && plan_.values[operand].deferred) cluster->loads = true;
  }
  if (store) cluster->stores = true;
  if (result >= 0) {
    plan_.values[result].cluster = index;
    plan_.values[result].level = level;
  }
  cluster->members.push_back({&call, &lowering, result, level});
}

void Ordering::call(const Stmt& stmt, const Call& call, const Var* var) {
  const Lowering& lowering = *find_lowering(call.op);
  switch (lowering.op_class) {
    case OpClass::Alias:
    case OpClass::TensorView:
      act(stmt);
      return;
    case OpClass::Lanes:
    case OpClass::RowReduce:
    case OpClass::ColReduce:
      return join_cluster(stmt, call, lowering, plan_.leaves(var)[0].id);
    case OpClass::Store:
      if (call.attrs.empty() && !(hooks_ && peer_operand(call))) {
        return join_cluster(stmt, call, lowering, -1);
      }
      break;  // atomic, or left to the runtime
    case OpClass::Load:
    case OpClass::Generator: {
      if (lowering.op_class == OpClass::Load) close_if(true, false);
      for (const ExprRef& arg : call.args) close_expr(arg);
      int order = act(stmt);
      int id = plan_.leaves(var)[0].id;
      PlanValue& v = plan_.values[id];
      v.deferred = true;
      v.start = v.end = order;
      v.loop = loop_stack_.empty() ? -1 : loop_stack_.back();
      if (lowering.op_class == OpClass::Load) load_root_[id] = roots_[plan_.leaves(call.args[0].get())[0].id];
      for (const ExprRef& arg : call.args) use_expr(arg, order);
      return;
    }
    default:
      break;
  }
  bool writes = touches_memory(call, true);
  bool reads = touches_memory(call, false);
  close_if(writes || reads, writes);
  for (const ExprRef& arg : call.args) close_expr(arg);
  int order = act(stmt);
  for (size_t i = 0; i < call.args.size(); ++i) {
    if (static_cast<int>(i) == lowering.ignored) continue;
    use_expr(call.args[i], order, lowering.op_class == OpClass::Scalar || (i == 0 && lowering.elements));
  }
  if (writes) {
    int root = -1;
    const Expr* tensor = aliased_operand(call);
    if (tensor && isa<TensorType>(tensor->type)) root = roots_[plan_.leaves(tensor)[0].id];
    wrote(root);
  }
  if (!var) return;
  for (const Leaf& leaf : plan_.leaves(var)) {
    if (leaf.kind != LeafKind::Tile || plan_.values[leaf.id].call != &call) continue;
    PlanValue& v = plan_.values[leaf.id];
    v.memory = true;
    v.start = v.end = order;
    v.loop = loop_stack_.empty() ? -1 : loop_stack_.back();
  }
  if (!lowering.scratch || plan_.leaves(var).empty()) return;
  int64_t bytes = lowering.scratch(call, machine_);
  if (bytes <= 0) return;
  PlanValue scratch;
  scratch.dtype = DType::UInt8;
  scratch.cols = bytes;
  scratch.memory = true;
  scratch.start = scratch.end = order;
  plan_.values.push_back(scratch);
  load_root_.push_back(-1);
  plan_.values[plan_.leaves(var)[0].id].scratch = static_cast<int>(plan_.values.size()) - 1;
}

void Ordering::statement(const Stmt& stmt) {
  if (const auto* s = as<Assign>(&stmt)) {
    if (const auto* c = as<Call>(s->value)) return call(stmt, *c, s->var.get());
    close_expr(s->value);
    int order = act(stmt);
    if (!isa<TupleGet>(s->value) && !isa<MakeTuple>(s->value)) use_expr(s->value, order);
    if (const auto* c = as<FunctionCall>(s->value)) use_list(c->deps, order);
    return;
  }
  if (const auto* s = as<Eval>(&stmt)) {
    if (const auto* c = as<Call>(s->value)) return call(stmt, *c, nullptr);
    close_expr(s->value);
    use_expr(s->value, act(stmt));
    return;
  }
  close_all();
  if (const auto* s = as<For>(&stmt)) {
    loop(stmt, s->init_values, s->iter_args, s->results);
  } else if (const auto* s = as<While>(&stmt)) {
    loop(stmt, s->init_values, s->iter_args, s->results);
  } else if (const auto* s = as<If>(&stmt)) {
    use_expr(s->condition, act(stmt));
    block(*s->then_body);
    if (s->else_body) block(*s->else_body);
    ++counter_;
    for (const VarRef& result : s->results) {
      define(result, counter_);
      for (const Leaf& leaf : plan_.leaves(result.get())) {
        if (leaf.kind == LeafKind::Tile) plan_.values[leaf.id].memory = true;
      }
    }
  } else if (const auto* s = as<Yield>(&stmt)) {
    use_list(s->values, act(stmt));
  } else if (const auto* s = as<Return>(&stmt)) {
    use_list(s->values, act(stmt));
  } else if (const auto* s = as<AtScope>(&stmt)) {
    int order = act(stmt);
    use_list(s->deps, order);
    block(*s->body);
  } else if (const auto* s = as<SpmdScope>(&stmt)) {
    int order = act(stmt);
    use_list(s->deps, order);
    use_expr(s->block_count, order);
    block(*s->body);
  } else if (const auto* s = as<WithScope>(&stmt)) {
    act(stmt);
    block(*s->body);
  }
}

void Ordering::loop(const Stmt& stmt, const ExprList& inits, const VarList& args, const VarList& results) {
  int order = act(stmt);
  use_list(inits, order);
  const auto* counted = as<For>(&stmt);
  if (counted) {
    for (const ExprRef* bound : {&counted->start, &counted->stop, &counted->step}) use_expr(*bound, order);
  }
  int index = static_cast<int>(loop_depth_.size());
  loop_depth_.push_back(static_cast<int>(loop_stack_.size()));
  extended_.emplace_back();
  loop_stack_.push_back(index);
  ++counter_;
  auto carried = [&](const VarList& vars) {
    for (const VarRef& var : vars) {
      define(var, counter_);
      for (const Leaf& leaf : plan_.leaves(var.get())) {
        if (leaf.kind == LeafKind::Tile) plan_.values[leaf.id].memory = true;
      }
    }
  };
  carried(args);
  if (counted) {
    block(*counted->body);
  } else {
    const auto& s = static_cast<const While&>(stmt);
    block(*s.before);
    use_expr(s.condition, ++counter_);
    for (const VarRef& arg : args) use_expr(arg, counter_);  // the results, if this iteration leaves
    block(*s.body);
  }
  loop_stack_.pop_back();
  ++counter_;
  for (int value : extended_[index]) plan_.values[value].end = std::max(plan_.values[value].end, counter_);
  ++counter_;
  carried(results);
}

bool Ordering::written_between(int root, int after, int before) const {
  auto found = writes_.find(root);
  if (found == writes_.end()) return false;
  auto first = std::upper_bound(found->second.begin(), found->second.end(), after);
  return first != found->second.end() && *first < before;
}

// A load is read in place only from the loop it stands in, and only while its tensor is not written: one copy
// serves all rounds of an inner loop, and what a cluster stores itself it checks for overlap.
void Ordering::settle_deferred() {
  for (const Use& use : deferred_uses_) {
    PlanValue& v = plan_.values[use.value];
    if (!v.deferred) continue;
    bool load = v.lowering->op_class == OpClass::Load;
    bool ragged = v.valid_rows != full || v.valid_cols != full;
    if (load && (use.loop != v.loop || (use.element && ragged) ||
                 written_between(load_root_[use.value], v.start, use.order))) {
      v.deferred = false;
      v.memory = true;
    }
  }
  // A generator read by anything but a cluster needs storage too.
  std::vector<bool> cluster_order(counter_ + 1);
  for (const Cluster& cluster : plan_.clusters) cluster_order[cluster.order] = true;
  for (const Use& use : deferred_uses_) {
    PlanValue& v = plan_.values[use.value];
    if (!v.deferred || v.lowering->op_class == OpClass::Load) continue;
    if (cluster_order[use.order] && !use.element) continue;
    v.deferred = false;
    v.memory = true;
  }
}

// What is loaded from a peer is read in place only while the peer is near.
void Ordering::add_staging() {
  for (size_t i = 0, count = plan_.values.size(); i < count; ++i) {
    const PlanValue& load = plan_.values[i];
    const bool used = load.end > load.start;
    if (!load.deferred || !used || load.lowering->op_class != OpClass::Load || !peer_operand(*load.call)) {
      continue;
    }
    PlanValue staging;
    staging.dtype = load.dtype;
    staging.rows = load.rows;
    staging.cols = load.cols;
    staging.memory = true;
    staging.start = load.start;
    staging.end = load.end;
    plan_.values[i].staging = static_cast<int>(plan_.values.size());
    plan_.values.push_back(staging);
  }
}

}  // namespace tilewire::target::cpu
