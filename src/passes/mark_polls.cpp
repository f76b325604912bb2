#include "passes/mark_polls.h"

#include <algorithm>
#include <map>

#include "ir/check_ops.h"
#include "ir/function_kinds.h"
#include "ir/visitor.h"
#include "passes/rebuild.h"

namespace tilewire::passes {
namespace {

using namespace ir;

// An element read of what may be a signal cell. A plain tensor may be a window of the caller.
bool reads_cell(const Call& call, const Effect& effect) {
  const ExprRef& operand = call.args[static_cast<size_t>(call.op->operand_slots[effect.param])];
  const auto* tensor = operand ? as<TensorType>(operand->type) : nullptr;
  const bool element = effect.offsets_param >= 0 && effect.extent_param < 0 && isa<ScalarType>(call.type);
  return effect.access == Access::Read && effect.peer_param < 0 && element && tensor &&
         tensor->dtype == DType::Int32;
}

// An atomic update of what may be a cell that changes it only when it finds what it looks for, or never.
bool tries(const Call& call, const Effect& effect) {
  if (effect.access != Access::Update) return false;
  const Op& op = *call.op;
  const auto* tensor = as<TensorType>(call.args[static_cast<size_t>(op.operand_slots[effect.param])]->type);
  if (!tensor || tensor->dtype != DType::Int32) return false;
  if (op.param_index("expected") >= 0) return true;
  const int added = std::max(op.param_index("v"), op.param_index("value"));
  return constant_value(call.args[static_cast<size_t>(op.operand_slots[static_cast<size_t>(added)])]) == 0;
}

// What a call does to memory, as far as polls are concerned.
enum class Touch { Nothing, Look, Other };

Touch touch_of(const Call& call) {
  if (call.op->note) return Touch::Nothing;
  Touch touch = call.op->synchronizes && !only_checks(*call.op) ? Touch::Other : Touch::Nothing;
  for (const Effect& effect : call.op->effects) {
    if (!happens(effect, call)) continue;
    const bool look = effect.access == Access::Wait || reads_cell(call, effect) || tries(call, effect);
    if (!look || effect.all_peers) return Touch::Other;
    if (touch == Touch::Nothing) touch = Touch::Look;
  }
  return touch;
}

// Whether an iteration looks at cells, or tries to update them, and does nothing else to memory.
struct Round : Visitor<Round> {
  bool looks = false, other = false;
  void visit(const Call& call) {
    walk_children(call);
    const Touch touch = touch_of(call);
    looks |= touch == Touch::Look;
    other |= touch == Touch::Other;
  }
  void visit(const FunctionCall&) { other = true; }
  void visit(const AtScope&) { other = true; }
  void visit(const SpmdScope&) { other = true; }
  void visit(const WithScope&) { other = true; }
  void visit(const Return&) { other = true; }
};

// The inputs of the values of an iteration.
class Origins {
 public:
  // Whether each value that the loop hands on comes from cells and constants, or is the one it was given.
  static bool all_known(const While& loop) {
    Origins origins;
    for (size_t i = 0; i < loop.iter_args.size(); ++i) {
      origins.of_[loop.iter_args[i].get()] = static_cast<int>(i);
    }
    // Inner loops hand values on as well: until nothing new comes out.
    do {
      origins.news_ = false;
      origins.block(*loop.before);
      origins.block(*loop.body);
    } while (origins.news_);
    const ExprList& next = yielded(*loop.body);
    for (size_t i = 0; i < next.size(); ++i) {
      const int from = origins.value(next[i]);
      if (from != known && from != static_cast<int>(i)) return false;
    }
    return true;
  }

 private:
  // Else: the value that this carried variable was given, or a known one.
  static constexpr int known = -1;
  static constexpr int changed = -2;  // made of something that was handed on

  static int join(int a, int b) { return a == b || b == known ? a : a == known ? b : changed; }

  struct Parts : Visitor<Parts> {
    const Origins& origins;
    bool all_known = true;
    explicit Parts(const Origins& o) : origins(o) {}
    void visit(const Var& var) { all_known &= origins.of(&var) == known; }
    void visit(const Call& call) {
      if (touch_of(call) != Touch::Look) walk_children(call);
    }
  };

  int of(const Var* var) const {
    auto found = of_.find(var);
    return found == of_.end() ? known : found->second;
  }

  int value(const ExprRef& expr) const {
    if (const auto* var = as<Var>(expr)) return of(var);
    Parts parts(*this);
    parts.walk(expr);
    return parts.all_known ? known : changed;
  }

  void give(const Var* var, int from) {
    auto [found, fresh] = of_.emplace(var, from);
    const int now = fresh ? from : join(found->second, from);
    news_ |= fresh || now != found->second;
    found->second = now;
  }

  void block(const Block& body) {
    for (const StmtRef& stmt : body.stmts) statement(*stmt);
  }

  template <class Loop>
  void loop(const Loop& inner) {
    for (size_t i = 0; i < inner.iter_args.size(); ++i) {
      give(inner.iter_args[i].get(), value(inner.init_values[i]));
    }
    if constexpr (std::is_same_v<Loop, While>) block(*inner.before);
    block(*inner.body);
    const ExprList& next = yielded(*inner.body);
    for (size_t i = 0; i < next.size(); ++i) give(inner.iter_args[i].get(), value(next[i]));
    for (size_t i = 0; i < inner.results.size(); ++i) {
      give(inner.results[i].get(), value(inner.iter_args[i]));
    }
  }

  void statement(const Stmt& stmt) {
    if (const auto* s = as<Assign>(&stmt)) return give(s->var.get(), value(s->value));
    if (const auto* s = as<For>(&stmt)) return loop(*s);
    if (const auto* s = as<While>(&stmt)) return loop(*s);
    if (const auto* s = as<If>(&stmt)) {
      for (const BlockRef& side : {s->then_body, s->else_body}) {
        if (!side) continue;
        block(*side);
        const ExprList& values = yielded(*side);
        for (size_t i = 0; i < s->results.size(); ++i) give(s->results[i].get(), value(values[i]));
      }
    }
  }

  std::map<const Var*, int> of_;
  bool news_ = false;
};

bool is_poll(const While& loop) {
  Round round;
  round.walk(loop.before);
  round.walk(loop.condition);
  round.walk(loop.body);
  return round.looks && !round.other && Origins::all_known(loop);
}

class Marker final : public Rebuilder {
 public:
  using Rebuilder::Rebuilder;

  void loop(const For& loop) override { Rebuilder::loop(loop); }
  void loop(const While& loop) override {
    if (loop.poll == is_poll(loop)) return Rebuilder::loop(loop);
    Ref<While> marked = copy(loop);
    marked->poll = !loop.poll;
    Rebuilder::loop(*finish_node(std::move(marked)));
  }
};

struct HasWhile : Visitor<HasWhile> {
  bool found = false;
  void visit(const While&) { found = true; }
};

}  // namespace

bool uses_cells(const Call& call) {
  const auto& effects = call.op->effects;
  return touch_of(call) == Touch::Look ||
         std::any_of(effects.begin(), effects.end(),
                     [](const Effect& effect) { return effect.access == Access::Update; });
}

bool may_acquire(const Call& call) {
  return uses_cells(call) || (call.op->synchronizes && !only_checks(*call.op)) ||
         std::any_of(call.op->effects.begin(), call.op->effects.end(),
                     [](const Effect& effect) { return effect.access == Access::Wait; });
}

ProgramRef mark_polls(const ProgramRef& program, Diagnostics& diags) {
  Ref<Program> result = copy(*program);
  for (FunctionRef& function : result->functions) {
    HasWhile loops;
    loops.walk(function->body);
    if (!loops.found || function->type == FunctionType::Host) continue;
    Marker marker(diags);
    function = with_body(*function, marker.block(*function->body));
  }
  return finish_node(std::move(result));
}

}  // namespace tilewire::passes
