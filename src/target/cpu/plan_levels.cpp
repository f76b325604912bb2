// What each level of a cluster's rows computes, and what must be kept between levels.
#include <algorithm>
#include <functional>

#include "ir/aliases.h"
#include "target/cpu/planner.h"

namespace tilewire::target::cpu {

namespace {

// Recomputing this many cheap steps costs less than a store and a load.
constexpr int again_limit = 3;
// Rows from this many bytes on get a buffer in which they can begin at any line of a page: see
// ClusterEmitter::buffer_start.
constexpr int64_t long_row = 1024;
constexpr int64_t row_slack = 4096;

class Levels {
 public:
  Levels(Plan& plan, int index) : plan_(plan), cluster_(plan.clusters[index]), index_(index) {}

  void run() {
    find_cheap();
    std::vector<std::vector<int>> sinks(cluster_.levels);
    int last = cluster_.levels - 1;
    for (const Member& member : cluster_.members) {
      std::vector<int> operands = tile_operands(plan_, *member.call, *member.lowering);
      switch (member.lowering->op_class) {
        case OpClass::RowReduce:
          sinks[member.level - 1].push_back(operands[0]);
          break;
        case OpClass::ColReduce:
          sinks[member.level].push_back(operands[0]);
          add_scratch(member);
          break;
        case OpClass::Store:
          sinks[last].push_back(operands[0]);
          break;
        default:
          if (plan_.values[member.result].memory) sinks[member.level].push_back(member.result);
          break;
      }
    }
    for (int level = last; level >= 0; --level) {
      visited_.assign(cluster_.members.size(), -1);
      // `demand` may add values to keep to the sinks of lower levels only.
      for (size_t i = 0; i < sinks[level].size(); ++i) demand(sinks[level][i], level, sinks[level][i], sinks);
    }
    if (cluster_.stores) add_guards();
  }

 private:
  bool inside(int value) const { return plan_.values[value].cluster == index_; }

  void find_cheap() {
    std::vector<int> cost(cluster_.members.size(), 0);
    for (size_t m = 0; m < cluster_.members.size(); ++m) {
      const Member& member = cluster_.members[m];
      if (member.result < 0) continue;
      position_.emplace(member.result, static_cast<int>(m));
      if (member.lowering->op_class != OpClass::Lanes) continue;
      int total = member.lowering->cheap ? 1 : again_limit + 1;
      for (int operand : tile_operands(plan_, *member.call, *member.lowering)) {
        if (operand < 0 || !inside(operand) || plan_.values[operand].cols == 1) continue;
        if (!plan_.values[operand].memory) total += cost[position_.at(operand)];
      }
      cost[m] = std::min(total, again_limit + 1);
      plan_.values[member.result].again = cost[m] <= again_limit;
    }
  }

  // Sums of narrow floats are taken in FP32.
  void add_scratch(const Member& member) {
    PlanValue& result = plan_.values[member.result];
    if (!ir::is_float(result.dtype) || result.dtype == ir::DType::FP32) return;
    PlanValue scratch;
    scratch.dtype = ir::DType::FP32;
    scratch.cols = result.cols;
    scratch.memory = true;
    scratch.start = scratch.end = cluster_.order;
    result.scratch = static_cast<int>(plan_.values.size());
    plan_.values.push_back(scratch);
  }

  // Room for copies of what the stores of this cluster may overlap: loads read in place, and other stores.
  // And for what is stored to peers.
  void add_guards() {
    std::vector<int> stored;  // roots
    for (Member& member : cluster_.members) {
      if (member.lowering->op_class != OpClass::Store) continue;
      int root = store_root(member);
      bool alone = std::find(stored.begin(), stored.end(), root) == stored.end();
      member.may_overlap = !alone;
      if (!alone || peer_operand(*member.call)) {
        member.guard = like(tile_operands(plan_, *member.call, *member.lowering)[0]);
      }
      stored.push_back(root);
    }
    for (ClusterRead& read : cluster_.reads) {
      if (!plan_.values[read.value].deferred || plan_.values[read.value].lowering->op_class != OpClass::Load)
        continue;
      int root = plan_.tensor_roots[plan_.leaves(plan_.values[read.value].call->args[0].get())[0].id];
      if (std::find(stored.begin(), stored.end(), root) == stored.end()) continue;
      read.guard = like(read.value);
    }
  }

  int store_root(const Member& member) const {
    return plan_.tensor_roots[plan_.leaves(ir::aliased_operand(*member.call))[0].id];
  }

  int like(int value) {
    PlanValue copy;
    copy.dtype = plan_.values[value].dtype;
    copy.rows = plan_.values[value].rows;
    copy.cols = plan_.values[value].cols;
    copy.memory = true;
    copy.start = copy.end = cluster_.order;
    plan_.values.push_back(copy);
    return static_cast<int>(plan_.values.size()) - 1;
  }

  void keep_row(int value, std::vector<std::vector<int>>& sinks) {
    if (plan_.values[value].row_buffer >= 0) return;
    PlanValue buffer;
    buffer.dtype = plan_.values[value].dtype;
    buffer.cols = plan_.values[value].cols;
    int64_t size = ir::bytes(buffer.dtype);
    if (buffer.cols * size >= long_row) buffer.cols += row_slack / size;
    buffer.memory = true;
    buffer.start = buffer.end = cluster_.order;
    plan_.values[value].row_buffer = static_cast<int>(plan_.values.size());
    plan_.values.push_back(buffer);
    sinks[plan_.values[value].level].push_back(value);
  }

  void record_read(int value, int level, int sink) {
    const PlanValue& loop = plan_.values[sink];
    const PlanValue& v = plan_.values[value];
    bool aligned = v.rows == cluster_.rows && v.cols == loop.cols;
    for (ClusterRead& read : cluster_.reads) {
      if (read.value != value) continue;
      bool same_loop = read.cols == loop.cols && read.valid_cols == loop.valid_cols;
      if (level < read.level) {
        read.aligned = read.aligned && (aligned || v.cols == 1);
        return;
      }
      read.aligned = read.aligned && aligned && (same_loop || level > read.level);
      read.level = level;
      read.cols = loop.cols;
      read.valid_cols = loop.valid_cols;
      return;
    }
    cluster_.reads.push_back({value, level, loop.cols, loop.valid_cols, aligned});
  }

  void demand(int value, int level, int sink, std::vector<std::vector<int>>& sinks) {
    if (!inside(value)) return record_read(value, level, sink);
    const PlanValue& v = plan_.values[value];
    if (v.cols == 1 && v.lowering->op_class != OpClass::Lanes)
      return;  // a reduction: there when its level is done
    int at = position_.at(value);
    if (visited_[at] == level) return;
    if (v.level < level && v.cols > 1) {
      if (v.memory) return;
      if (!v.again) return keep_row(value, sinks);
    }
    visited_[at] = level;
    const Member& member = cluster_.members[at];
    for (int operand : tile_operands(plan_, *member.call, *member.lowering)) {
      if (operand >= 0) demand(operand, level, sink, sinks);
    }
  }

  Plan& plan_;
  Cluster& cluster_;
  int index_;
  std::map<int, int> position_;  // of a result among the members
  std::vector<int> visited_;
};

}  // namespace

void plan_levels(Plan& plan) {
  for (size_t i = 0; i < plan.clusters.size(); ++i) Levels(plan, static_cast<int>(i)).run();
}

}  // namespace tilewire::target::cpu
