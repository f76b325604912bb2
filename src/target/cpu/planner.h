// The steps of planning, in order: leaves, order, levels, storage. Internal to plan*.cpp.
#pragma once

#include <map>
#include <set>
#include <tuple>

#include "target/cpu/plan.h"

namespace tilewire::target::cpu {

// Tile operands of a call that its lowering looks at, as values; scalars and absent operands are -1.
std::vector<int> tile_operands(const Plan& plan, const ir::Call& call, const Lowering& lowering);

// Numbers all leaves; finds which tensors stay the same around loops and branches. `valid`: of the function.
class LeafNumbering {
 public:
  LeafNumbering(Plan& plan, const passes::ValidShapes& valid, const Callees& callees, Diagnostics& diags)
      : plan_(plan), valid_(valid), callees_(callees), diags_(diags) {}
  bool run(const ir::Function& function);
  // Of each tensor: -1 when it may share memory with any tensor of that kind, else the number of the
  // creation.
  std::vector<int> tensor_roots;

 private:
  void block(const ir::Block& block);
  void statement(const ir::Stmt& stmt);
  void assign(const ir::VarRef& var, const ir::Expr& value, const ir::Stmt& stmt);
  void loop(const ir::Stmt& stmt, const ir::ExprList& inits, const ir::VarList& args, const ir::Block* before,
            const ir::Block& body, const ir::VarList& results);
  void branch(const ir::If& stmt);
  void scope(const ir::Block& body, const ir::VarList& results, const ir::VarRef& task);
  void call(const ir::VarRef& var, const ir::Call& call);
  void fresh(const ir::VarRef& var, const ir::Call* call = nullptr, const Lowering* lowering = nullptr);
  Leaf fresh_leaf(const ir::TypeRef& type, const ir::Call* call, const Lowering* lowering);
  void fresh_leaves(const ir::TypeRef& type, const ir::Call* call, const Lowering* lowering,
                    std::vector<Leaf>& out);
  void set(const ir::Expr* var, std::vector<Leaf> leaves);
  std::vector<Leaf> leaves(const ir::ExprRef& expr);
  void escape(const Leaf& leaf);
  const ir::Yield* yield_of(const ir::Block& block);

  Plan& plan_;
  const passes::ValidShapes& valid_;
  const Callees& callees_;
  Diagnostics& diags_;
  bool orchestration_ = false;  // elsewhere pl.no_dep means nothing
  bool host_ = false;
  std::map<int, int> tracked_;  // of views made by pl.no_dep: the tensor itself
};

// Clusters, the order of actions, the life of values.
class Ordering {
 public:
  Ordering(Plan& plan, const std::vector<int>& tensor_roots, const Machine& machine, bool hooks)
      : plan_(plan), roots_(tensor_roots), machine_(machine), hooks_(hooks) {}
  void run(const ir::Function& function);
  int positions() const { return counter_; }

 private:
  struct Use {
    int value, order, loop;
    bool element;  // one element, at a place only run time knows
  };
  void block(const ir::Block& block);
  void statement(const ir::Stmt& stmt);
  void call(const ir::Stmt& stmt, const ir::Call& call, const ir::Var* var);
  void join_cluster(const ir::Stmt& stmt, const ir::Call& call, const Lowering& lowering, int result);
  int cluster_for(int64_t rows, ExtentId valid_rows, int level);
  void loop(const ir::Stmt& stmt, const ir::ExprList& inits, const ir::VarList& args,
            const ir::VarList& results);
  void close(int cluster);
  void close_all();
  void close_defining(int value);
  void close_if(bool stores, bool loads, int except = -1);
  int act(const ir::Stmt& stmt);
  void use(int value, int order, int consumer = -1, bool element = false);
  void use_expr(const ir::ExprRef& expr, int order, bool element = false);
  void close_expr(const ir::ExprRef& expr);
  void define(const ir::VarRef& var, int order);
  void use_list(const ir::ExprList& list, int order);
  void wrote(int root) { writes_[root].push_back(counter_); }
  bool written_between(int root, int after, int before) const;
  void settle_deferred();
  void add_staging();
  int level_of(const Cluster& cluster, const ir::Call& call, const Lowering& lowering) const;

  Plan& plan_;
  const std::vector<int>& roots_;
  const Machine& machine_;
  const bool hooks_;
  std::vector<Action>* actions_ = nullptr;
  std::vector<int> open_;
  std::vector<int> loop_stack_;
  std::vector<int> loop_depth_;
  std::vector<std::vector<int>> extended_;  // per loop: values from outside that are used in it
  std::map<int, std::vector<int>> writes_;  // per root: positions
  std::vector<Use> deferred_uses_;
  std::vector<int> load_root_;  // of loads, by value
  int counter_ = 0;
};

// Row buffers and reads of every cluster, once it is known which values have storage.
void plan_levels(Plan& plan);

// Shares storage where lives allow, lists the copies that remain, places everything in the arena.
void plan_storage(Plan& plan, const ir::Function& function, int positions);

}  // namespace tilewire::target::cpu
