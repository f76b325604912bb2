#include "mutate.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "ir/function_kinds.h"
#include "ir/mutator.h"
#include "ir/op.h"
#include "ir/printer.h"
#include "ir/visitor.h"
#include "ops/registry.h"
#include "ops/shape.h"
#include "passes/lower_composite_ops.h"
#include "passes/tensor_type.h"

namespace tilewire::mutation {

using namespace ir;

namespace {

using Statements = std::vector<StmtRef>;

// What running a statement does, all of its parts together.
struct Does : Visitor<Does> {
  bool signals = false, waits = false, moves = false;

  void visit(const Call& call) {
    for (const Effect& effect : call.op->effects) {
      if (!happens(effect, call)) continue;
      (effect.access == Access::Signal ? signals : effect.access == Access::Wait ? waits : moves) = true;
    }
    walk_children(call);
  }
  bool synchronizes() const { return signals || waits; }
  bool anything() const { return synchronizes() || moves; }
};

Does what(const Node& node) {
  Does does;
  does.walk(node);
  return does;
}

// Variables that stand anywhere in a statement.
struct Variables : Visitor<Variables> {
  std::set<const Var*> found;
  void visit(const Var& var) { found.insert(&var); }
};

std::set<const Var*> variables(const Node& node) {
  Variables variables;
  variables.walk(node);
  return variables.found;
}

// Puts one node, a statement or a block, in the place of another.
struct Replace : Mutator<Replace> {
  const Node* before;
  NodeRef after;

  Replace(const Node& before, NodeRef after) : before(&before), after(std::move(after)) {}
  NodeRef rewrite(const Stmt& stmt) { return &stmt == before ? after : NodeRef(rewrite_children(stmt)); }
  NodeRef rewrite(const Block& block) { return &block == before ? after : NodeRef(rewrite_children(block)); }
};

const Op& op_of(const char* name) {
  return *ops::registry().find(name);
}

ExprRef call_of(const Op& op, ExprList args, AttrList attrs, const Span& span) {
  Diagnostics diags;
  ExprRef call = create_call(op, std::move(args), std::move(attrs), span, diags);
  TW_CHECK(call, diags.text());
  return call;
}

std::string first_line(const Stmt& stmt) {
  std::string text = as_python(ref(&stmt));
  return text.substr(0, text.find('\n'));
}

class Mutation : public Visitor<Mutation> {
 public:
  Mutation(const ProgramRef& program, const std::vector<Span>& calls) : program_(program), calls_(calls) {}

  std::vector<Mutant> all() {
    for (const FunctionRef& function : program_->functions) {
      if (ir::is_kernel(function->type)) walk(*function->body);
    }
    return std::move(mutants_);
  }

  void visit(const Block& block) {
    for (const StmtRef& stmt : block.stmts) {
      if (const auto* assign = as<Assign>(stmt)) values_[assign->var.get()] = assign->value;
      if (belongs(*stmt) && what(*stmt).anything() && !is_note(*stmt)) statement(*stmt);
      walk(stmt);
    }
    order(block);
    rounds(block);
  }

 private:
  // What it says of the own copy matters to the tasks around the collective, of which these programs have
  // none.
  static bool is_note(const Stmt& stmt) {
    const auto* call = isa<Eval>(stmt) ? as<Call>(static_cast<const Eval&>(stmt).value) : nullptr;
    return call && call->op->note;
  }
  bool belongs(const Node& node) const {
    return std::any_of(calls_.begin(), calls_.end(), [&](const Span& call) {
      return call.line == node.span.line && call.column == node.span.column &&
             call.end_line == node.span.end_line && call.end_column == node.span.end_column;
    });
  }

  void add(const char* change, std::string where, bool signals, const Node& before, NodeRef after) {
    ProgramRef changed = Replace(before, std::move(after)).mutate(program_);
    mutants_.push_back({change, std::move(where), signals, std::move(changed)});
  }
  void add(const char* change, const Stmt& stmt, NodeRef after) {
    add(change, first_line(stmt), !what(stmt).moves, stmt, std::move(after));
  }

  // --- single statements

  void statement(const Stmt& stmt) {
    if (const auto* branch = as<If>(&stmt)) return guard(*branch);
    if (const auto* loop = as<For>(&stmt)) return bounds(*loop);
    const auto* assign = as<Assign>(&stmt);
    const auto* eval = as<Eval>(&stmt);
    const Call* call = as<Call>(assign ? assign->value : eval ? eval->value : nullptr);
    if (!call) return;
    Does does = what(*call);
    if (does.signals) signal(stmt, *call);
    if (does.waits) wait(stmt, *call);
    if (does.moves) transfer(stmt, *call);
  }

  void guard(const If& branch) {
    for (bool taken : {true, false}) {
      Ref<If> changed = copy(branch);
      changed->condition = make<ConstBool>(branch.span, taken);
      add(taken ? "always" : "never", branch, finish_node(std::move(changed)));
    }
  }

  void bounds(const For& loop) {
    Ref<For> later = copy(loop), shorter = copy(loop);
    later->start = ops::sum(loop.start, loop.step);
    shorter->stop = ops::sum(loop.stop, call_of(op_of("pl.scalar.neg"), {loop.step}, {}, loop.span));
    add("skip first", loop, finish_node(std::move(later)));
    add("skip last", loop, finish_node(std::move(shorter)));
  }

  void signal(const Stmt& stmt, const Call& call) {
    if (operand(call, "signal") && what(call).moves) {
      add("silent", stmt, statement_with(stmt, without(call, {"signal", "at", "value"})));
    } else {
      drop(stmt);
    }
    if (const ExprRef* value = operand(call, "value")) {
      ExprRef none = make<ConstInt>(call.span, 0, DType::Int32);
      ExprRef twice = call_of(op_of("pl.scalar.add"), {*value, *value}, {}, call.span);
      add("zero", stmt, statement_with(stmt, with(call, "value", none)));
      add("twice", stmt, statement_with(stmt, with(call, "value", twice)));
    }
    if (call.op->param_index("op") >= 0) {
      add("set", stmt, statement_with(stmt, with_attr(call, "op", AttrValue{enum_value(NotifyOp::Set)})));
    }
    to_self(stmt, call);
    next_cell(stmt, call);
  }

  void wait(const Stmt& stmt, const Call& call) {
    const ExprRef* expected = operand(call, "expected");
    if (isa<Assign>(stmt)) {
      add("drop", stmt, statement_with(stmt, plus(*expected, 0, call.span)));
    } else {
      drop(stmt);
    }
    add("weaken", stmt, statement_with(stmt, with(call, "expected", plus(*expected, -1, call.span))));
    if (call.op->param_index("cmp") >= 0) {
      add("more", stmt, statement_with(stmt, with_attr(call, "cmp", AttrValue{enum_value(WaitCmp::Gt)})));
      add("exactly", stmt, statement_with(stmt, with_attr(call, "cmp", AttrValue{enum_value(WaitCmp::Eq)})));
    }
    next_cell(stmt, call);
  }

  void transfer(const Stmt& stmt, const Call& call) {
    if (isa<Eval>(stmt)) drop(stmt);
    if (!what(call).signals) to_self(stmt, call);
  }

  void drop(const Stmt& stmt) { add("drop", stmt, make<Block>(stmt.span, Statements{})); }

  void to_self(const Stmt& stmt, const Call& call) {
    const ExprRef* peer = operand(call, "peer");
    if (!peer || is_rank(*peer)) return;
    const ExprRef& window = operand_that(call, [](const Effect& effect) { return effect.peer_param >= 0; });
    auto define = [&](const char* name, const ExprRef& value) {
      return make<Assign>(call.span, value, make<Var>(call.span, name, value->type));
    };
    auto context = define("ctx", call_of(op_of("pld.get_comm_ctx"), {window}, {}, call.span));
    auto rank = define("self", call_of(op_of("pld.rank"), {context->var}, {}, call.span));
    add("to self", stmt,
        make<Block>(stmt.span,
                    Statements{context, rank, statement_with(stmt, with(call, "peer", rank->var))}));
  }

  void next_cell(const Stmt& stmt, const Call& call) {
    const char* name = operand(call, "at") ? "at" : "offsets";
    const ExprRef* offsets = operand(call, name);
    if (!offsets) return;
    const ExprRef& cells = operand_that(call, [](const Effect& effect) {
      return effect.access == Access::Signal || effect.access == Access::Wait;
    });
    const ExprList& shape = passes::tensor_type_of(cells).shape;
    auto wide = std::find_if(shape.begin(), shape.end(),
                             [](const ExprRef& extent) { return constant_value(extent) != 1; });
    if (wide == shape.end()) return;
    ExprList at = static_cast<const MakeTuple&>(**offsets).elements;
    ExprRef& index = at[static_cast<size_t>(wide - shape.begin())];
    ExprRef next = ops::sum(ops::scalar_cast(index, DType::Index), const_index(1));
    index = call_of(op_of("pl.scalar.mod"), {next, *wide}, {}, call.span);
    add("next cell", stmt, statement_with(stmt, with(call, name, make<MakeTuple>(call.span, at))));
  }

  // --- several statements of one block

  // Each step that does anything, before the one in front of it, with the values it needs.
  void order(const Block& block) {
    std::optional<size_t> before;
    for (size_t i = 0; i < block.stmts.size(); ++i) {
      const Stmt& stmt = *block.stmts[i];
      if (!what(stmt).anything()) continue;
      if (before && belongs(stmt) && belongs(*block.stmts[*before])) {
        const bool matters = what(stmt).synchronizes() || what(*block.stmts[*before]).synchronizes();
        if (matters) early(block, *before, i);
      }
      before = i;
    }
  }

  void early(const Block& block, size_t before, size_t i) {
    std::set<const Var*> needed = variables(*block.stmts[i]);
    Statements moved{block.stmts[i]}, stay;
    for (size_t k = i; k-- > before;) {
      const auto* assign = as<Assign>(block.stmts[k]);
      const bool gives = std::any_of(needed.begin(), needed.end(), [&](const Var* var) {
        return assign ? assign->var.get() == var : defines(*block.stmts[k], *var);
      });
      if (gives && (!assign || k == before)) return;  // it needs what the other one gives
      (gives ? moved : stay).push_back(block.stmts[k]);
      if (gives) needed.merge(variables(*assign));
    }
    Statements all(block.stmts.begin(), block.stmts.begin() + static_cast<ptrdiff_t>(before));
    all.insert(all.end(), moved.rbegin(), moved.rend());
    all.insert(all.end(), stay.rbegin(), stay.rend());
    all.insert(all.end(), block.stmts.begin() + static_cast<ptrdiff_t>(i) + 1, block.stmts.end());
    add("early", first_line(*block.stmts[i]) + " before " + first_line(*block.stmts[before]), true, block,
        make<Block>(block.span, std::move(all)));
  }

  static bool defines(const Stmt& stmt, const Var& var) {
    const VarList* results = nullptr;
    if (const auto* loop = as<For>(&stmt)) results = &loop->results;
    if (const auto* branch = as<If>(&stmt)) results = &branch->results;
    if (const auto* loop = as<While>(&stmt)) results = &loop->results;
    return results && std::any_of(results->begin(), results->end(),
                                  [&](const VarRef& result) { return result.get() == &var; });
  }

  void rounds(const Block& block) {
    constexpr size_t longest = 4;
    for (size_t i = 0; i < block.stmts.size(); ++i) {
      if (!only_synchronizes(*block.stmts[i])) continue;
      size_t length = 1;
      for (size_t k = i + 1; k < block.stmts.size() && length < longest; ++k) {
        Does does = what(*block.stmts[k]);
        if (!does.anything()) continue;
        if (!only_synchronizes(*block.stmts[k])) break;
        ++length;
        drop_round(block, i, k);
      }
    }
  }

  bool only_synchronizes(const Stmt& stmt) const {
    Does does = what(stmt);
    return belongs(stmt) && does.synchronizes() && !does.moves && !isa<Assign>(stmt);
  }

  void drop_round(const Block& block, size_t first, size_t last) {
    Statements rest;
    for (size_t k = 0; k < block.stmts.size(); ++k) {
      if (k < first || k > last || !what(*block.stmts[k]).anything()) rest.push_back(block.stmts[k]);
    }
    add("drop round", first_line(*block.stmts[first]) + " to " + first_line(*block.stmts[last]), true, block,
        make<Block>(block.span, std::move(rest)));
  }

  // --- calls

  static const ExprRef* operand(const Call& call, const char* name) {
    int param = call.op->param_index(name);
    int slot = param < 0 ? -1 : call.op->operand_slots[static_cast<size_t>(param)];
    return slot < 0 || !call.args[static_cast<size_t>(slot)] ? nullptr
                                                             : &call.args[static_cast<size_t>(slot)];
  }

  // The operand of the first effect of the call that is as asked for.
  template <class Asked>
  static const ExprRef& operand_that(const Call& call, Asked asked) {
    auto found = std::find_if(call.op->effects.begin(), call.op->effects.end(),
                              [&](const Effect& effect) { return happens(effect, call) && asked(effect); });
    return call.args[static_cast<size_t>(call.op->operand_slots[static_cast<size_t>(found->param)])];
  }

  static ExprRef with(const Call& call, const char* name, ExprRef value) {
    ExprList args = call.args;
    args[static_cast<size_t>(operand(call, name) - call.args.data())] = std::move(value);
    return call_of(*call.op, std::move(args), call.attrs, call.span);
  }
  static ExprRef without(const Call& call, std::initializer_list<const char*> names) {
    ExprList args = call.args;
    for (const char* name : names) {
      if (const ExprRef* given = operand(call, name))
        args[static_cast<size_t>(given - call.args.data())] = {};
    }
    return call_of(*call.op, std::move(args), call.attrs, call.span);
  }
  static ExprRef with_attr(const Call& call, const char* name, AttrValue value) {
    AttrList attrs = call.attrs;
    std::erase_if(attrs, [&](const auto& attr) { return attr.first == name; });
    attrs.emplace_back(name, std::move(value));
    return call_of(*call.op, call.args, std::move(attrs), call.span);
  }

  static ExprRef plus(const ExprRef& value, int64_t more, const Span& span) {
    const DType dtype = static_cast<const ScalarType&>(*value->type).dtype;
    return call_of(op_of("pl.scalar.add"), {value, make<ConstInt>(span, more, dtype)}, {}, span);
  }

  // The statement with another call, whose value is what it was.
  static StmtRef statement_with(const Stmt& stmt, ExprRef value) {
    if (const auto* assign = as<Assign>(&stmt)) return make<Assign>(stmt.span, std::move(value), assign->var);
    return make<Eval>(stmt.span, std::move(value));
  }

  // Whether an expression is the own rank.
  bool is_rank(const ExprRef& expr) const {
    const ExprRef* now = &expr;
    for (;;) {
      if (const auto* var = as<Var>(*now)) {
        auto found = values_.find(var);
        if (found == values_.end()) return false;
        now = &found->second;
        continue;
      }
      const auto* call = as<Call>(*now);
      if (!call) return false;
      if (call->op == &op_of("pld.rank")) return true;
      if (call->op != &op_of("pl.scalar.cast")) return false;
      now = &call->args[0];
    }
  }

  const ProgramRef& program_;
  const std::vector<Span>& calls_;
  std::map<const Var*, ExprRef> values_;
  std::vector<Mutant> mutants_;
};

}  // namespace

std::vector<Span> collective_calls(const Program& program) {
  struct Find : Visitor<Find> {
    std::vector<Span> spans;
    void visit(const Call& call) {
      if (passes::is_composite(*call.op)) spans.push_back(call.span);
      walk_children(call);
    }
  } find;
  find.walk(program);
  return find.spans;
}

std::vector<Mutant> mutants_of(const ProgramRef& lowered, const std::vector<Span>& calls) {
  return Mutation(lowered, calls).all();
}

}  // namespace tilewire::mutation
