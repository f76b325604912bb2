#include "frontend/carry.h"

#include <algorithm>

namespace tilewire::frontend {
namespace {

void collect_targets(const Expr* target, std::vector<Symbol>& out) {
  if (!target) return;
  switch (target->kind) {
    case ExprKind::Name:
      out.push_back(target->name);
      break;
    case ExprKind::Tuple:
    case ExprKind::List:
      for (const Expr* item : target->items) collect_targets(item, out);
      break;
    case ExprKind::Subscript:
      collect_targets(target->left, out);
      break;  // `x[...] = v` rebinds x
    default:
      break;
  }
}

void collect_assigned(std::span<const Stmt* const> body, std::vector<Symbol>& out) {
  for (const Stmt* stmt : body) {
    for (const Expr* target : stmt->targets) collect_targets(target, out);
    for (const Expr* name : stmt->names) collect_targets(name, out);
    collect_assigned(stmt->body, out);
    collect_assigned(stmt->orelse, out);
  }
}

void keep_first(std::vector<Symbol>& names) {
  std::vector<Symbol> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::vector<bool> seen(sorted.size());
  std::erase_if(names, [&](Symbol name) {
    size_t index = std::lower_bound(sorted.begin(), sorted.end(), name) - sorted.begin();
    bool duplicate = seen[index];
    seen[index] = true;
    return duplicate;
  });
}

}  // namespace

std::vector<Symbol> assigned_names(std::span<const Stmt* const> body) {
  std::vector<Symbol> names;
  collect_assigned(body, names);
  keep_first(names);
  return names;
}

namespace {

void add_local(const Expr* target, bool of_loop, std::unordered_map<Symbol, FirstAssignment>& out) {
  if (!target) return;
  if (target->kind == ExprKind::Name) out.try_emplace(target->name, FirstAssignment{target->range, of_loop});
  if (target->kind != ExprKind::Tuple && target->kind != ExprKind::List) return;
  for (const Expr* item : target->items) add_local(item, of_loop, out);
}

void add_locals(std::span<const Stmt* const> body, std::unordered_map<Symbol, FirstAssignment>& out) {
  for (const Stmt* stmt : body) {
    for (const Expr* target : stmt->targets) add_local(target, stmt->kind == StmtKind::For, out);
    for (const Expr* name : stmt->names) add_local(name, false, out);
    add_locals(stmt->body, out);
    add_locals(stmt->orelse, out);
  }
}

}  // namespace

std::unordered_map<Symbol, FirstAssignment> local_names(std::span<const Stmt* const> body) {
  std::unordered_map<Symbol, FirstAssignment> names;
  add_locals(body, names);
  return names;
}

bool leaves_loop(const Stmt& stmt) {
  switch (stmt.kind) {
    case StmtKind::Break:
    case StmtKind::Continue:
      return true;
    case StmtKind::For:
    case StmtKind::While:
      return false;
    default:
      return leaves_loop(stmt.body) || leaves_loop(stmt.orelse);
  }
}

bool leaves_loop(std::span<const Stmt* const> body) {
  return std::any_of(body.begin(), body.end(), [](const Stmt* stmt) { return leaves_loop(*stmt); });
}

// Walks statements backward with the set of live names. Branches share the set through a trail of changes,
// so the cost is the number of changes, not of names. A loop body is walked twice: once to find what a round
// reads from before it, once to decide the statements inside with that known; the first walk is remembered,
// so nesting does not multiply.
class LivenessWalk {
 public:
  LivenessWalk(Carries& carries, CarryAnalysis& analysis) : carries_(carries), analysis_(analysis) {
    live_ = take_table();
  }
  ~LivenessWalk() { give_back(std::move(live_), trail_); }

  void run(std::span<const Stmt* const> body) { block(body, true); }

 private:
  using Change = std::pair<Symbol, bool>;  // a name and its former state
  Carries& carries_;
  CarryAnalysis& analysis_;
  std::vector<bool> live_;
  std::vector<Change> trail_;
  std::unordered_map<const Stmt*, std::vector<Symbol>>
      exposed_;                                    // of loops: names an iteration reads from before it
  std::vector<const std::vector<Symbol>*> loops_;  // carried names of the loops around

  std::vector<bool> take_table() {
    std::vector<bool> table;
    if (!analysis_.tables_.empty()) {
      table = std::move(analysis_.tables_.back());
      analysis_.tables_.pop_back();
    }
    if (table.size() < analysis_.symbol_count_) table.resize(analysis_.symbol_count_);
    return table;
  }
  void give_back(std::vector<bool> table, const std::vector<Change>& changes) {
    for (const auto& [name, state] : changes) table[name] = false;
    analysis_.tables_.push_back(std::move(table));
  }

  void set(Symbol name, bool live) {
    if (name >= live_.size() || live_[name] == live) return;
    trail_.emplace_back(name, live_[name]);
    live_[name] = live;
  }
  void undo_to(size_t mark) {
    while (trail_.size() > mark) {
      live_[trail_.back().first] = trail_.back().second;
      trail_.pop_back();
    }
  }
  // The names changed since `mark` that are now in `state`, sorted.
  std::vector<Symbol> changed_to(bool state, size_t mark) const {
    std::vector<Symbol> names;
    for (size_t i = mark; i < trail_.size(); ++i) {
      if (live_[trail_[i].first] == state) names.push_back(trail_[i].first);
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  void read(const Expr* e) {
    if (!e) return;
    if (e->kind == ExprKind::Name) set(e->name, true);
    read(e->left);
    read(e->right);
    for (const Expr* item : e->items) read(item);
    for (const Keyword& keyword : e->keywords) read(keyword.value);
  }
  void kill_target(const Expr* target) {
    if (!target) return;
    if (target->kind == ExprKind::Name) {
      set(target->name, false);
    } else if (target->kind == ExprKind::Tuple || target->kind == ExprKind::List) {
      for (const Expr* item : target->items) kill_target(item);
    }
  }
  void read_target(const Expr* target) {
    if (target->kind == ExprKind::Subscript) {
      read(target);
    } else if (target->kind == ExprKind::Tuple || target->kind == ExprKind::List) {
      for (const Expr* item : target->items) read_target(item);
    }
  }

  // `decide`: record carries; else only compute liveness.
  void block(std::span<const Stmt* const> body, bool decide) {
    for (size_t i = body.size(); i-- > 0;) statement(*body[i], decide);
  }

  void statement(const Stmt& s, bool decide) {
    switch (s.kind) {
      case StmtKind::If:
        branch(s, decide);
        return;
      case StmtKind::For:
      case StmtKind::While:
        loop(s, decide);
        return;
      case StmtKind::With:
        scope(s, decide);
        return;
      case StmtKind::Break:
      case StmtKind::Continue:
        if (!loops_.empty()) {
          for (Symbol name : *loops_.back()) set(name, true);
        }
        return;
      default:
        break;
    }
    for (const Expr* target : s.targets) kill_target(target);
    for (const Expr* target : s.targets) read_target(target);
    if (s.kind == StmtKind::AugAssign) read(s.targets[0]);
    read(s.value);
    read(s.annotation);
    read(s.message);
  }

  const std::vector<Symbol>& record(const Stmt& s, std::vector<Symbol> names) {
    std::erase_if(names, [&](Symbol name) { return name >= live_.size() || !live_[name]; });
    return carries_.carried_[&s] = std::move(names);
  }

  void branch(const Stmt& s, bool decide) {
    if (decide) {
      std::vector<Symbol> names = assigned_names(s.body);
      for (Symbol name : assigned_names(s.orelse)) names.push_back(name);
      keep_first(names);
      record(s, std::move(names));
    }
    size_t mark = trail_.size();
    block(s.body, decide);
    std::vector<Symbol> born_in_body = changed_to(true, mark);
    std::vector<Symbol> killed_in_body = changed_to(false, mark);
    undo_to(mark);
    block(s.orelse, decide);
    std::vector<Symbol> killed_in_else = changed_to(false, mark);
    // Live before the statement: live at the start of either branch.
    for (Symbol name : born_in_body) set(name, true);
    for (Symbol name : killed_in_else) {
      if (!std::binary_search(killed_in_body.begin(), killed_in_body.end(), name)) set(name, true);
    }
    read(s.value);
  }

  // Names an iteration may read from before it: what is live at its start with nothing live at its end.
  const std::vector<Symbol>& exposed(const Stmt& s) {
    auto found = exposed_.find(&s);
    if (found != exposed_.end()) return found->second;
    std::vector<bool> outer_live = take_table();
    outer_live.swap(live_);
    std::vector<Change> outer_trail;
    outer_trail.swap(trail_);
    std::vector<const std::vector<Symbol>*> outer_loops;
    outer_loops.swap(loops_);
    block(s.body, false);
    if (s.kind == StmtKind::While) read(s.value);
    for (const Expr* target : s.targets) kill_target(target);
    std::vector<Symbol> names = changed_to(true, 0);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    outer_loops.swap(loops_);
    outer_live.swap(live_);
    outer_trail.swap(trail_);
    give_back(std::move(outer_live), outer_trail);
    return exposed_[&s] = std::move(names);
  }

  void loop(const Stmt& s, bool decide) {
    for (Symbol name : exposed(s)) set(name, true);
    if (decide) {
      // By now live_ holds all that is live at the end of an iteration: read after the loop, or by the next.
      const std::vector<Symbol> names = record(s, assigned_names(s.body));
      loops_.push_back(&names);
      size_t mark = trail_.size();
      block(s.body, true);
      undo_to(mark);
      loops_.pop_back();
    }
    read(s.value);
  }

  void scope(const Stmt& s, bool decide) {
    if (decide) record(s, assigned_names(s.body));
    for (const Expr* name : s.names) kill_target(name);
    block(s.body, decide);
    for (const Expr* item : s.items) read(item);
  }
};

Carries CarryAnalysis::analyse(std::span<const Stmt* const> body, size_t symbol_count) {
  symbol_count_ = symbol_count;
  Carries carries;
  LivenessWalk(carries, *this).run(body);
  return carries;
}

const std::vector<Symbol>& Carries::of(const Stmt& stmt) const {
  static const std::vector<Symbol> none;
  auto found = carried_.find(&stmt);
  return found == carried_.end() ? none : found->second;
}

}  // namespace tilewire::frontend
