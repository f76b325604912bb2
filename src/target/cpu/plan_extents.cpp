// Valid extents: which are known to be whole, and which are known to be equal.
//
// Loops are taken at their word first: an argument has the extents of its initial value until a yield says
// otherwise. Each round walks the function once; after a few, whatever still changes is taken as unknown.
#include <algorithm>
#include <iterator>

#include "ir/op.h"
#include "target/cpu/planner.h"

namespace tilewire::target::cpu {

using namespace ir;

namespace {

enum Key { Constant, Expression };  // 2: unknown

// Minima of more than this are not told apart from unknown ones by their parts.
constexpr size_t atom_limit = 12;

const ExprList* list_operand(const Call& call, const char* name) {
  int param = call.op->param_index(name);
  if (param < 0) return nullptr;
  const ExprRef& operand = call.args[call.op->operand_slots[param]];
  const auto* tuple = as<MakeTuple>(operand);
  return tuple ? &tuple->elements : nullptr;
}

}  // namespace

ExtentId ExtentAnalysis::intern(std::vector<int> atoms) {
  auto [found, fresh] = ids_.try_emplace(atoms, static_cast<ExtentId>(sets_.size()));
  if (fresh) sets_.push_back(std::move(atoms));
  return found->second;
}

ExtentId ExtentAnalysis::atom(int kind, int64_t a, int64_t b) {
  return intern({atoms_.try_emplace({kind, a, b}, static_cast<int>(atoms_.size())).first->second});
}

ExtentId ExtentAnalysis::meet(ExtentId a, ExtentId b) {
  if (a == b || b == full) return a;
  if (a == full) return b;
  std::vector<int> all;
  std::set_union(sets_[a].begin(), sets_[a].end(), sets_[b].begin(), sets_[b].end(), std::back_inserter(all));
  if (all.size() > atom_limit) return atom(3, a, b);
  return intern(std::move(all));
}

// The extents of a matrix product follow from those of its factors.
bool ExtentAnalysis::product(const Call& call, const std::vector<int>& operands, Extents& out) {
  auto operand = [&](const char* name) {
    int param = call.op->param_index(name);
    return param < 0 ? -1 : operands[call.op->operand_slots[param]];
  };
  auto flag = [&](const char* name) {
    const AttrValue* value = find_attr(call.attrs, name);
    return value && *value->get<bool>();
  };
  if (call.op->param_index("a_trans") < 0 || operand("a") < 0 || operand("b") < 0) return false;
  Extents a = get(operand("a")), b = get(operand("b"));
  out.rows = flag("a_trans") ? a.cols : a.rows;
  out.cols = flag("b_trans") ? b.rows : b.cols;
  if (int acc = operand("acc"); acc >= 0)
    out = {meet(out.rows, get(acc).rows), meet(out.cols, get(acc).cols)};
  if (int bias = operand("bias"); bias >= 0) {
    if (get(bias).rows != full) return false;
    out.cols = meet(out.cols, get(bias).cols);
  }
  return true;
}

ExtentId ExtentAnalysis::of_expr(const ExprRef& expr, int64_t physical) {
  if (auto value = constant_value(expr)) return *value == physical ? full : atom(Constant, *value, 0);
  return atom(Expression, reinterpret_cast<intptr_t>(expr.get()), 0);
}

void ExtentAnalysis::put(int value, Extents extents) {
  plan_.values[value].valid_rows = extents.rows;
  plan_.values[value].valid_cols = extents.cols;
}

void ExtentAnalysis::run(const Function& function) {
  varying_.assign(plan_.values.size(), false);
  for (int round = 0; round < 6; ++round) {
    changed_ = false;
    give_up_ = round == 4;
    block(*function.body);
    if (!changed_) return;
  }
  TW_CHECK(!changed_, "valid extents do not settle");
}

// Initial values into arguments (first), or yields checked against them.
void ExtentAnalysis::carry(const ExprList& from, const VarList& to, bool first) {
  for (size_t i = 0; i < to.size(); ++i) {
    auto target = plan_.leaves(to[i].get());
    if (!isa<Var>(from[i])) continue;
    auto source = plan_.leaves(from[i].get());
    for (size_t k = 0; k < target.size(); ++k) {
      if (target[k].kind != LeafKind::Tile) continue;
      int id = target[k].id;
      if (first) {
        bool unknown_extents = varying_[id] || give_up_;
        put(id, unknown_extents ? Extents{unknown(id, 0), unknown(id, 1)} : get(source[k].id));
      } else if (!varying_[id] && !give_up_ && get(source[k].id) != get(id)) {
        varying_[id] = true;
        changed_ = true;
      }
    }
  }
}

void ExtentAnalysis::join(const If& stmt) {
  const auto* a = as<Yield>(stmt.then_body->stmts.empty() ? nullptr : stmt.then_body->stmts.back().get());
  const auto* b =
      stmt.else_body && !stmt.else_body->stmts.empty() ? as<Yield>(stmt.else_body->stmts.back()) : nullptr;
  for (size_t i = 0; a && b && i < stmt.results.size(); ++i) {
    auto result = plan_.leaves(stmt.results[i].get());
    if (!isa<Var>(a->values[i]) || !isa<Var>(b->values[i])) continue;
    auto x = plan_.leaves(a->values[i].get());
    auto y = plan_.leaves(b->values[i].get());
    for (size_t k = 0; k < result.size(); ++k) {
      if (result[k].kind != LeafKind::Tile) continue;
      Extents p = get(x[k].id), q = get(y[k].id);
      int id = result[k].id;
      put(id, {p.rows == q.rows ? p.rows : unknown(id, 0), p.cols == q.cols ? p.cols : unknown(id, 1)});
    }
  }
}

void ExtentAnalysis::block(const Block& body) {
  for (const StmtRef& stmt : body.stmts) {
    if (const auto* s = as<Assign>(stmt)) {
      if (const auto* c = as<Call>(s->value)) call(*c, s->var.get());
    } else if (const auto* s = as<For>(stmt)) {
      carry(s->init_values, s->iter_args, true);
      block(*s->body);
      if (s->iter_args.empty()) continue;
      const auto* yield = as<Yield>(s->body->stmts.back());
      carry(yield->values, s->iter_args, false);
      for (size_t i = 0; i < s->results.size(); ++i) carry({s->iter_args[i]}, {s->results[i]}, true);
    } else if (const auto* s = as<While>(stmt)) {
      carry(s->init_values, s->iter_args, true);
      block(*s->before);
      block(*s->body);
      if (s->iter_args.empty()) continue;
      const auto* yield = as<Yield>(s->body->stmts.back());
      carry(yield->values, s->iter_args, false);
      for (size_t i = 0; i < s->results.size(); ++i) carry({s->iter_args[i]}, {s->results[i]}, true);
    } else if (const auto* s = as<If>(stmt)) {
      block(*s->then_body);
      if (s->else_body) block(*s->else_body);
      join(*s);
    }
  }
}

void ExtentAnalysis::call(const Call& call, const Var* var) {
  const Lowering& lowering = *find_lowering(call.op);
  auto results = plan_.leaves(var);
  if (results.empty() || results[0].kind != LeafKind::Tile) return;
  int id = results[0].id;
  if (plan_.values[id].call != &call || plan_.values[id].is_array) return;  // an alias
  std::vector<int> operands = tile_operands(plan_, call, lowering);
  const PlanValue& value = plan_.values[id];
  Extents out;
  switch (lowering.op_class) {
    case OpClass::Lanes:
      for (size_t i = 0; i < operands.size(); ++i) {
        if (operands[i] < 0) continue;
        Extents x = get(operands[i]);
        const PlanValue& operand = plan_.values[operands[i]];
        if (operand.rows == value.rows) out.rows = meet(out.rows, x.rows);
        if (operand.cols == value.cols) out.cols = meet(out.cols, x.cols);
        // A column or row that is empty spreads to nothing.
        if (operand.rows != value.rows && x.rows != full) out.rows = unknown(id, 0);
        if (operand.cols != value.cols && x.cols != full) out.cols = unknown(id, 1);
      }
      break;
    case OpClass::RowReduce:
      out.rows = get(operands[0]).rows;
      break;
    case OpClass::ColReduce:
      out.cols = get(operands[0]).cols;
      break;
    case OpClass::Load: {
      const ExprList* valid = list_operand(call, "valid_shape");
      if (!valid) break;
      size_t rank = valid->size();
      if (rank >= 2) out.rows = of_expr((*valid)[rank - 2], value.rows);
      out.cols = of_expr((*valid)[rank - 1], value.cols);
      break;
    }
    case OpClass::Generator:
      break;
    default:
      if (product(call, operands, out)) break;
      // The emitter says what the extents are; nothing is known of them here unless all operands are whole.
      bool whole = lowering.whole || list_operand(call, "valid_shape") == nullptr;
      for (int operand : operands) {
        if (operand >= 0 && get(operand) != Extents{}) whole = lowering.whole;
      }
      for (const Leaf& leaf : results) {
        put(leaf.id, whole ? Extents{} : Extents{unknown(leaf.id, 0), unknown(leaf.id, 1)});
      }
      return;
  }
  put(id, out);
}

}  // namespace tilewire::target::cpu
