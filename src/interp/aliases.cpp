#include "interp/aliases.h"

#include "ir/aliases.h"
#include "ir/op.h"
#include "ir/pointer_map.h"
#include "ir/visitor.h"
#include "ops/handles.h"

namespace tilewire::interp {
namespace {

using namespace ir;

// A variable as a node of the alias graph.
struct Name {
  // What it always is: unseen, a root, or anything.
  static constexpr int unseen = -1, anything = -2;
  int identity = unseen;
  std::vector<std::pair<uint32_t, bool>> flows;  // to a name, and whether unchanged
};

class Graph : public Visitor<Graph> {
 public:
  Graph(const std::vector<const Var*>& roots, const std::function<const Code&(const std::string&)>& callee)
      : callee_(callee) {
    for (const Var* root : roots) name(*root);
  }

  std::vector<int> solve(size_t root_count) {
    std::vector<int> result_param;
    for (size_t root = 0; root < root_count; ++root) names_[root].identity = static_cast<int>(root);
    spread_identity();
    for (const ExprRef& value : results_) {
      const Var* var = as<Var>(value);
      const uint32_t* found = var ? index_.find(var) : nullptr;
      int identity = found ? names_[*found].identity : Name::anything;
      result_param.push_back(identity >= 0 ? identity : -1);
    }
    return result_param;
  }

  // --- statements

  void visit(const Assign& node) {
    uint32_t to = name(*node.var);
    if (const auto* call = as<Call>(node.value)) return result_of(*call, to);
    if (const auto* call = as<FunctionCall>(node.value)) return results_of(*call, *node.var, to);
    if (const auto* get = as<TupleGet>(node.value)) return element_of(*get, to);
    if (const auto* tuple = as<MakeTuple>(node.value)) {
      for (const ExprRef& element : tuple->elements) flow(element, to, false);
      return;
    }
    flow(node.value, to, true);
    if (!as<Var>(node.value)) names_[to].identity = Name::anything;
  }
  void visit(const Return& node) { results_ = node.values; }

  void visit(const If& node) {
    branch(*node.then_body, node.results);
    if (node.else_body) branch(*node.else_body, node.results);
  }
  void visit(const For& node) {
    carry(node.init_values, node.iter_args, node.results);
    branch(*node.body, node.iter_args);
  }
  void visit(const While& node) {
    carry(node.init_values, node.iter_args, node.results);
    walk(*node.before);
    branch(*node.body, node.iter_args);
  }
  void visit(const AtScope& node) { branch(*node.body, node.results); }
  void visit(const SpmdScope& node) { branch(*node.body, node.results); }

  // A block whose yield gives `to`; the outermost one gives the results.
  void branch(const Block& body, const VarList& to) {
    for (const StmtRef& stmt : body.stmts) {
      const auto* yield = as<Yield>(stmt);
      if (!yield) {
        walk(stmt);
        continue;
      }
      for (size_t i = 0; i < to.size() && i < yield->values.size(); ++i) {
        flow(yield->values[i], name(*to[i]), true);
      }
    }
  }
  void outermost(const Block& body) {
    for (const StmtRef& stmt : body.stmts) {
      if (const auto* yield = as<Yield>(stmt)) {
        results_ = yield->values;
      } else {
        walk(stmt);
      }
    }
  }

 private:
  uint32_t name(const Var& var) {
    auto [index, added] = index_.insert(&var, static_cast<uint32_t>(names_.size()));
    if (added) names_.emplace_back();
    return *index;
  }

  static const Var* variable(const Expr* expr) {
    while (const auto* get = as<TupleGet>(expr)) expr = get->tuple.get();
    return as<Var>(expr);
  }

  void flow(const ExprRef& from, uint32_t to, bool unchanged) {
    const Var* var = variable(from.get());
    if (!var) return;
    uint32_t source = name(*var);
    names_[source].flows.emplace_back(to, unchanged && as<Var>(from));
  }

  void carry(const ExprList& init, const VarList& iter_args, const VarList& results) {
    for (size_t i = 0; i < iter_args.size(); ++i) {
      if (i < init.size()) flow(init[i], name(*iter_args[i]), true);
      if (i < results.size()) flow(iter_args[i], name(*results[i]), true);
    }
  }

  void result_of(const Call& call, uint32_t to) {
    const int slot = alias_slot(*call.op);
    if (slot < 0) {
      names_[to].identity = Name::anything;
      return;
    }
    // A view is another tensor of the same storage; what hands its operand back has the operand's type.
    const ExprRef& operand = call.args[static_cast<size_t>(slot)];
    bool writes = false;
    for (const Effect& effect : call.op->effects) {
      writes |= effect.param == call.op->result_alias && effect.access != Access::Read;
    }
    bool hides = call.op == ops::pl::no_dep;
    flow(operand, to, writes || hides);
    if (call.op->result_peer >= 0) names_[to].identity = Name::anything;
  }

  void results_of(const FunctionCall& call, const Var& var, uint32_t to) {
    const Code& code = callee_(call.callee);
    calls_.insert(&var, &call);
    bool single = code.result_count == 1;
    if (single && code.result_param[0] >= 0) {
      flow(call.args[code.result_param[0]], to, true);
      return;
    }
    names_[to].identity = Name::anything;
    for (const ExprRef& arg : call.args) flow(arg, to, false);
  }

  void element_of(const TupleGet& get, uint32_t to) {
    const Var* tuple = as<Var>(get.tuple);
    const FunctionCall* const* call = tuple ? calls_.find(tuple) : nullptr;
    if (call) {
      const Code& code = callee_((*call)->callee);
      auto index = static_cast<size_t>(get.index);
      if (index < code.result_param.size() && code.result_param[index] >= 0) {
        flow((*call)->args[code.result_param[index]], to, true);
        return;
      }
    }
    flow(get.tuple, to, false);
  }

  void spread_identity() {
    std::vector<uint32_t> work;
    for (uint32_t i = 0; i < names_.size(); ++i) {
      if (names_[i].identity != Name::unseen) work.push_back(i);
    }
    while (!work.empty()) {
      uint32_t from = work.back();
      work.pop_back();
      for (auto [to, unchanged] : names_[from].flows) {
        int arriving = unchanged ? names_[from].identity : Name::anything;
        int& current = names_[to].identity;
        int joined = current == Name::unseen || current == arriving ? arriving : Name::anything;
        if (joined == current) continue;
        current = joined;
        work.push_back(to);
      }
    }
  }

  const std::function<const Code&(const std::string&)>& callee_;
  PointerMap<uint32_t> index_;
  PointerMap<const FunctionCall*> calls_;
  std::vector<Name> names_;
  ExprList results_;
};

}  // namespace

std::vector<int> returned_params(const Block& body, const std::vector<const Var*>& roots,
                                 const std::function<const Code&(const std::string&)>& callee) {
  Graph graph(roots, callee);
  graph.outermost(body);
  return graph.solve(roots.size());
}

}  // namespace tilewire::interp
