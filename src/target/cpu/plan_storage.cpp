// Storage: values that follow each other in one place, the copies that remain, offsets in the arena.
#include <algorithm>

#include "target/cpu/planner.h"

namespace tilewire::target::cpu {

using namespace ir;

namespace {

constexpr int64_t alignment = 64;
// Pairs of lives compared for one merge; beyond it a copy is cheaper than finding out.
constexpr size_t compare_limit = 4096;

class Storage {
 public:
  Storage(Plan& plan, int positions) : plan_(plan), positions_(positions) {}

  void run(const Function& function) {
    size_t count = plan_.values.size();
    webs_.resize(count);
    for (size_t i = 0; i < count; ++i) {
      if (!plan_.values[i].memory) continue;
      plan_.values[i].web = static_cast<int>(i);
      webs_[i].push_back(static_cast<int>(i));
    }
    index_cluster_orders();
    walk(*function.body, true);
    for (size_t i = 0; i < count; ++i) share_update(static_cast<int>(i));
    walk(*function.body, false);
    place();
  }

 private:
  bool same_form(const PlanValue& a, const PlanValue& b) const {
    return a.memory && b.memory && a.dtype == b.dtype && a.rows * a.cols == b.rows * b.cols;
  }

  void index_cluster_orders() {
    cluster_at_.assign(positions_ + 2, -1);
    for (size_t i = 0; i < plan_.clusters.size(); ++i)
      cluster_at_[plan_.clusters[i].order] = static_cast<int>(i);
  }

  // Whether the action that ends the life of `x` may write `y` over it.
  bool may_follow(int x, int y) const {
    const PlanValue& to = plan_.values[y];
    int cluster = cluster_at_[to.start];
    if (cluster < 0) {
      if (!to.call || !to.lowering || to.lowering->updates < 0 || plan_.values[y].start != to.start)
        return false;
      std::vector<int> operands = tile_operands(plan_, *to.call, *to.lowering);
      for (size_t i = 0; i < operands.size(); ++i) {
        if (operands[i] == x && static_cast<int>(i) != to.lowering->updates) return false;
      }
      return operands[to.lowering->updates] == x;
    }
    const Cluster& c = plan_.clusters[cluster];
    if (to.cluster != cluster || to.rows != c.rows || to.rows != plan_.values[x].rows ||
        to.lowering->op_class == OpClass::ColReduce)
      return false;
    for (const ClusterRead& read : c.reads) {
      if (read.value != x) continue;
      if (to.cols == 1 && plan_.values[x].cols == 1) return true;  // both once a row, read before written
      return read.aligned && (read.level < to.level || (read.level == to.level && read.cols == to.cols &&
                                                        read.valid_cols == to.valid_cols));
    }
    return plan_.values[x].cols == 1 && to.cols == 1;
  }

  bool compatible(int x, int y) const {
    const PlanValue* a = &plan_.values[x];
    const PlanValue* b = &plan_.values[y];
    if (a->start > b->start) {
      std::swap(a, b);
      std::swap(x, y);
    }
    if (a->end < b->start) return true;
    return a->end == b->start && a->start < b->start && may_follow(x, y);
  }

  // Puts both into one web if no two lives in it would meet.
  void try_merge(int x, int y) {
    if (!same_form(plan_.values[x], plan_.values[y])) return;
    int p = plan_.values[x].web, q = plan_.values[y].web;
    if (p == q) return;
    if (webs_[p].size() * webs_[q].size() > compare_limit) return;
    for (int a : webs_[p]) {
      for (int b : webs_[q]) {
        if (!compatible(a, b)) return;
      }
    }
    merge(p, q);
  }

  void merge(int p, int q) {
    if (p == q) return;
    if (webs_[p].size() < webs_[q].size()) std::swap(p, q);
    for (int value : webs_[q]) plan_.values[value].web = p;
    webs_[p].insert(webs_[p].end(), webs_[q].begin(), webs_[q].end());
    webs_[q].clear();
  }

  void share_update(int id) {
    const PlanValue& v = plan_.values[id];
    if (!v.memory || !v.lowering) return;
    if (v.lowering->op_class != OpClass::Opaque || v.lowering->updates < 0) return;
    int from = tile_operands(plan_, *v.call, *v.lowering)[v.lowering->updates];
    if (from >= 0) try_merge(from, id);
  }

  struct Pair {
    int from, to;
  };
  // Tile leaves of two lists of equal types.
  template <class From, class To>
  std::vector<Pair> pairs(const std::vector<From>& from, const std::vector<To>& to) const {
    std::vector<Pair> result;
    for (size_t i = 0; i < to.size(); ++i) {
      if (!isa<Var>(from[i])) continue;
      auto x = plan_.leaves(from[i].get());
      auto y = plan_.leaves(to[i].get());
      for (size_t k = 0; k < y.size(); ++k) {
        if (y[k].kind == LeafKind::Tile) result.push_back({x[k].id, y[k].id});
      }
    }
    return result;
  }

  static const Yield* yield_of(const Block& block) {
    return block.stmts.empty() ? nullptr : as<Yield>(block.stmts.back());
  }

  std::vector<Transfer> copies(const std::vector<Pair>& moves, int order) {
    std::vector<Transfer> result;
    auto in_place = [&](const Pair& move) {
      return move.from == move.to ||
             (plan_.values[move.from].memory && plan_.values[move.from].web == plan_.values[move.to].web);
    };
    for (const Pair& move : moves) {
      if (in_place(move)) continue;
      Transfer transfer{move.from, move.to, -1};
      for (const Pair& other : moves) {
        bool overwritten = !in_place(other) && other.to != move.to && plan_.values[move.from].memory &&
                           plan_.values[move.from].web == plan_.values[other.to].web;
        if (overwritten && transfer.through < 0) transfer.through = temporary(move.from, order);
      }
      result.push_back(transfer);
    }
    return result;
  }

  int temporary(int like, int order) {
    PlanValue value = plan_.values[like];
    value.call = nullptr;
    value.lowering = nullptr;
    value.cluster = -1;
    value.memory = true;
    value.deferred = false;
    value.start = value.end = order;
    int id = static_cast<int>(plan_.values.size());
    value.web = id;
    plan_.values.push_back(value);
    webs_.push_back({id});
    return id;
  }

  void loop(const Stmt& stmt, const ExprList& inits, const VarList& args, const Block& body,
            const VarList& results, bool merging) {
    if (args.empty()) return;
    const Yield& yield = *yield_of(body);
    auto enter = pairs(inits, args);
    auto round = pairs(yield.values, args);
    auto leave = pairs(args, results);
    if (merging) {
      for (const Pair& move : leave) merge(plan_.values[move.from].web, plan_.values[move.to].web);
      for (const Pair& move : round) try_merge(move.from, move.to);
      for (const Pair& move : enter) try_merge(move.from, move.to);
      return;
    }
    LoopPlan& plan = plan_.loops[*plan_.loop_of.find(&stmt)];
    plan.enter = copies(enter, plan_.actions_order(&stmt));
    plan.round = copies(round, plan_.actions_order(&yield));
  }

  void walk(const Block& block, bool merging) {
    for (const StmtRef& stmt : block.stmts) {
      if (const auto* s = as<For>(stmt)) {
        walk(*s->body, merging);
        loop(*s, s->init_values, s->iter_args, *s->body, s->results, merging);
      } else if (const auto* s = as<While>(stmt)) {
        walk(*s->before, merging);
        walk(*s->body, merging);
        loop(*s, s->init_values, s->iter_args, *s->body, s->results, merging);
      } else if (const auto* s = as<If>(stmt)) {
        walk(*s->then_body, merging);
        if (s->else_body) walk(*s->else_body, merging);
        if (!s->results.empty()) branch(*s, merging);
      } else if (const auto* s = as<WithScope>(stmt)) {
        walk(*s->body, merging);
      }
    }
  }

  void branch(const If& stmt, bool merging) {
    const Yield& a = *yield_of(*stmt.then_body);
    const Yield& b = *yield_of(*stmt.else_body);
    auto x = pairs(a.values, stmt.results);
    auto y = pairs(b.values, stmt.results);
    if (merging) {
      for (const Pair& move : x) try_merge(move.from, move.to);
      for (const Pair& move : y) try_merge(move.from, move.to);
      return;
    }
    BranchPlan& plan = plan_.branches[*plan_.branch_of.find(&stmt)];
    plan.then_copies = copies(x, plan_.actions_order(&a));
    plan.else_copies = copies(y, plan_.actions_order(&b));
  }

  static int64_t bytes_of(const PlanValue& v) {
    // A vector may be read past the last element, never written.
    return (v.rows * v.cols * bytes(v.dtype) + alignment - 1) / alignment * alignment + alignment;
  }

  void place() {
    struct Piece {
      int start, end, web;
      int64_t size;
    };
    std::vector<Piece> pieces;
    for (size_t w = 0; w < webs_.size(); ++w) {
      if (webs_[w].empty()) continue;
      Piece piece{positions_ + 1, -1, static_cast<int>(w), 0};
      for (int value : webs_[w]) {
        piece.start = std::min(piece.start, plan_.values[value].start);
        piece.end = std::max(piece.end, plan_.values[value].end);
        piece.size = std::max(piece.size, bytes_of(plan_.values[value]));
      }
      pieces.push_back(piece);
    }
    std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.start < b.start; });
    std::multimap<int, std::pair<int64_t, int64_t>> active;  // by end: offset, size
    std::map<int64_t, int64_t> free;                         // offset to size
    for (const Piece& piece : pieces) {
      while (!active.empty() && active.begin()->first < piece.start) {
        release(free, active.begin()->second);
        active.erase(active.begin());
      }
      int64_t offset = take(free, piece.size);
      active.emplace(piece.end, std::pair(offset, piece.size));
      for (int value : webs_[piece.web]) plan_.values[value].offset = offset;
    }
  }

  static void release(std::map<int64_t, int64_t>& free, std::pair<int64_t, int64_t> block) {
    auto next = free.lower_bound(block.first);
    if (next != free.end() && block.first + block.second == next->first) {
      block.second += next->second;
      next = free.erase(next);
    }
    if (next != free.begin()) {
      auto previous = std::prev(next);
      if (previous->first + previous->second == block.first) {
        previous->second += block.second;
        return;
      }
    }
    free.emplace(block);
  }

  int64_t take(std::map<int64_t, int64_t>& free, int64_t size) {
    for (auto it = free.begin(); it != free.end(); ++it) {
      if (it->second < size) continue;
      auto [offset, room] = *it;
      free.erase(it);
      if (room > size) free.emplace(offset + size, room - size);
      return offset;
    }
    int64_t offset = plan_.arena_bytes;
    plan_.arena_bytes += size;
    return offset;
  }

  Plan& plan_;
  int positions_;
  std::vector<std::vector<int>> webs_;  // by representative
  std::vector<int> cluster_at_;
};

}  // namespace

void plan_storage(Plan& plan, const Function& function, int positions) {
  Storage(plan, positions).run(function);
}

}  // namespace tilewire::target::cpu
