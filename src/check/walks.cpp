#include "check/walks.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>

#include "check/written_places.h"
#include "ir/op.h"
#include "ir/visitor.h"
#include "ops/affine.h"
#include "ops/handles.h"

namespace tilewire::check {
namespace {

using namespace ir;
using Inputs = Walks::Inputs;

class Follower : public Visitor<Follower> {
 public:
  Follower(const Program& program, const Program& written, const Function& entry)
      : program_(program), written_(written_places(written)) {
    Facts& facts = functions_[&entry];
    input({Walks::Input::Kind::Ranks, ""});
    for (const auto& param : entry.params) {
      if (scalar_dtype(param->type)) values_[param.get()] = input({Walks::Input::Kind::Scalar, param->name});
      const auto* tensor = as<TensorType>(param->type);
      if (!tensor) continue;
      for (const ExprRef& extent : tensor->shape) note_symbols(*extent, facts);
    }
    order_.push_back(&entry);
  }

  Walks follow() {
    do {
      changed_ = false;
      for (size_t i = 0; i < order_.size(); ++i) {  // grows as calls are found
        function_ = &functions_[order_[i]];
        walk(*order_[i]->body);
      }
    } while (changed_);
    return std::move(walks_);
  }

  void visit(const Assign& stmt) {
    walk(stmt.value);
    join(values_[stmt.var.get()], of(*stmt.value));
    definitions_[stmt.var.get()] = stmt.value.get();
  }

  void visit(const For& loop) {
    walk(loop.start);
    walk(loop.stop);
    walk(loop.step);
    Inputs bounds = of(*loop.start) | of(*loop.stop) | of(*loop.step);
    join(values_[loop.loop_var.get()], bounds);
    // A rest of a part, however large the whole is, is no more than a part.
    const auto* step = as<ConstInt>(loop.step);
    const auto most = most_of(*ops::affine_sum(loop.stop, 1, loop.start, -1));
    if (!step || !most || *most > std::abs(step->value)) {
      decide(loop, bounds);
      if (written_.has(loop)) add_part(loop.step, bounds);
    }
    carry(loop.init_values, loop.iter_args, loop.results, *loop.body);
  }

  void visit(const While& loop) {
    for (size_t i = 0; i < loop.results.size(); ++i) {
      join(values_[loop.results[i].get()], value(*loop.iter_args[i]));
    }
    walk(loop.before);
    walk(loop.condition);
    carry(loop.init_values, loop.iter_args, loop.results, *loop.body);
  }

  void visit(const If& stmt) {
    walk(stmt.condition);
    const auto outer = std::exchange(yields_, {&stmt.results, nullptr});
    walk(stmt.then_body);
    walk(stmt.else_body);
    yields_ = outer;
  }

  void visit(const SpmdScope& scope) {
    walk(scope.block_count);
    const Inputs count = of(*scope.block_count);
    decide(scope, count);
    if (scope.block_var) join(values_[scope.block_var.get()], count);
    const Inputs outer = std::exchange(launched_, count);
    const auto yields = std::exchange(yields_, {&scope.results, nullptr});
    walk(scope.body);
    yields_ = yields;
    launched_ = outer;
  }

  void visit(const AtScope& scope) {
    const auto yields = std::exchange(yields_, {&scope.results, nullptr});
    walk(scope.body);
    yields_ = yields;
  }

  void visit(const Yield& stmt) {
    for (size_t i = 0; i < stmt.values.size(); ++i) {
      walk(stmt.values[i]);
      for (const VarList* to : {yields_.first, yields_.second}) {
        if (to && i < to->size()) join(values_[(*to)[i].get()], of(*stmt.values[i]));
      }
    }
  }

  void visit(const Return& stmt) {
    for (const ExprRef& value : stmt.values) {
      walk(value);
      join(function_->result, of(*value));
    }
  }

  void visit(const FunctionCall& call) {
    walk_children(call);
    const FunctionRef callee = program_.find(call.callee);
    if (!callee) return;
    auto [found, fresh] = functions_.try_emplace(callee.get());
    if (fresh) {
      order_.push_back(callee.get());
      changed_ = true;
    }
    Facts& facts = found->second;
    const Facts& caller = *function_;
    Inputs blocks = launched_;
    if (call.blocks) blocks |= of(*call.blocks);
    join(facts.blocks, blocks);
    decide(call, blocks);
    std::set<std::string, std::less<>> bound;
    for (size_t i = 0; i < call.args.size() && i < callee->params.size(); ++i) {
      const Parameter& param = *callee->params[i];
      if (!call.args[i]) continue;
      join(values_[&param], of(*call.args[i]));
      const auto* taken = as<TensorType>(param.type);
      const auto* given = as<TensorType>(call.args[i]->type);
      for (size_t d = 0; taken && given && d < taken->shape.size() && d < given->shape.size(); ++d) {
        bind_symbols(*taken->shape[d], of(*given->shape[d]), facts, bound);
      }
    }
    // Equal names are the same dimension where no argument says it.
    for (const auto& [name, inputs] : caller.symbols) {
      if (!bound.count(name)) join(facts.symbols[name], inputs);
    }
  }

  void visit(const Call& call) {
    walk_children(call);
    if (!written_.has(call)) return;
    if (call.op == ops::pl::scalar::floordiv) add_part(call.args[1], of(*call.args[0]));
    if (call.op == ops::pl::scalar::mod || call.op == ops::pl::scalar::min) {
      add_part(call.args[1], of(*call.args[0]) & dimensions_);
      add_part(call.args[0], of(*call.args[1]) & dimensions_);
    }
    if (call.op == ops::pl::tensor::slice) add_parts(call.args[0], call.args[1]);
    for (const Effect& effect : call.op->effects) {
      if (effect.extent_param < 0 || !happens(effect, call)) continue;
      const int tensor = call.op->operand_slots[static_cast<size_t>(effect.param)];
      const int extents = call.op->operand_slots[static_cast<size_t>(effect.extent_param)];
      if (tensor >= 0 && extents >= 0) {
        add_parts(call.args[static_cast<size_t>(tensor)], call.args[static_cast<size_t>(extents)]);
      }
    }
  }

 private:
  struct Facts {
    std::map<std::string, Inputs, std::less<>> symbols;  // dimensions
    Inputs blocks, result;
  };

  Inputs input(const Walks::Input& input) {
    auto known = std::find(walks_.inputs.begin(), walks_.inputs.end(), input);
    const auto index = static_cast<size_t>(known - walks_.inputs.begin());
    if (known == walks_.inputs.end()) {
      walks_.inputs.push_back(input);
      walks_.parts.emplace_back();
    }
    return Inputs().set(std::min(index, Inputs().size() - 1));
  }

  struct Symbols : Visitor<Symbols> {
    std::set<std::string, std::less<>> names;
    void visit(const DimSymbol& symbol) { names.insert(symbol.name); }
  };
  static std::set<std::string, std::less<>> symbols_of(const Expr& extent) {
    Symbols symbols;
    symbols.walk(extent);
    return std::move(symbols.names);
  }
  void note_symbols(const Expr& extent, Facts& facts) {
    for (const std::string& name : symbols_of(extent)) {
      facts.symbols[name] = input({Walks::Input::Kind::Dimension, name});
      dimensions_ |= facts.symbols[name];
    }
  }
  void bind_symbols(const Expr& extent, const Inputs& given, Facts& facts,
                    std::set<std::string, std::less<>>& bound) {
    for (const std::string& name : symbols_of(extent)) {
      bound.insert(name);
      join(facts.symbols[name], given);
    }
  }

  void join(Inputs& to, const Inputs& more) {
    const Inputs both = to | more;
    changed_ = changed_ || both != to;
    to = both;
  }
  Inputs value(const Expr& var) const {
    auto known = values_.find(&var);
    return known == values_.end() ? Inputs() : known->second;
  }

  // What an integer is at most, if that is known.
  std::optional<int64_t> most_of(const Expr& expr) const {
    if (const auto* constant = as<ConstInt>(&expr)) return constant->value;
    const auto definition = definitions_.find(&expr);
    if (definition != definitions_.end()) return most_of(*definition->second);
    const auto* call = as<Call>(&expr);
    if (!call || call->op != ops::pl::scalar::min) return std::nullopt;
    const auto a = most_of(*call->args[0]), b = most_of(*call->args[1]);
    return a && b ? std::min(*a, *b) : a ? a : b;
  }

  // What an expression of a scalar depends on, and the number of an extent.
  Inputs of(const Expr& expr) {
    if (const auto* symbol = as<DimSymbol>(&expr)) {
      auto known = function_->symbols.find(symbol->name);
      return known == function_->symbols.end() ? Inputs() : known->second;
    }
    if (as<Var>(&expr)) return value(expr);
    if (const auto* call = as<Call>(&expr)) return of_call(*call);
    if (const auto* call = as<FunctionCall>(&expr)) {
      const FunctionRef callee = program_.find(call->callee);
      return callee ? functions_[callee.get()].result : Inputs();
    }
    Inputs all;
    if (const auto* tuple = as<MakeTuple>(&expr)) {
      for (const ExprRef& element : tuple->elements) all |= of(*element);
    } else if (const auto* get = as<TupleGet>(&expr)) {
      all = of(*get->tuple);
    }
    return all;
  }

  Inputs of_call(const Call& call) {
    if (call.op == ops::pld::world_size || call.op == ops::pld::nranks) {
      return input({Walks::Input::Kind::Ranks, ""});
    }
    if (call.op == ops::pl::tile::get_block_num || call.op == ops::pl::tile::get_block_idx) {
      return function_->blocks;
    }
    Inputs all;
    if (call.op == ops::pl::tensor::dim) {
      const auto* tensor = as<TensorType>(call.args[0]->type);
      for (size_t d = 0; tensor && d < tensor->shape.size(); ++d) all |= of(*tensor->shape[d]);
      return all;
    }
    for (const ExprRef& arg : call.args) {
      if (!arg) continue;
      if (!scalar_dtype(arg->type) && !isa<MakeTuple>(arg)) return {};  // an element, a cell
      all |= of(*arg);
    }
    return all;
  }

  void decide(const Node& node, const Inputs& inputs) {
    if (inputs.any()) walks_.deciding[&node] |= inputs;
  }

  void add_part(int64_t extent, const Inputs& whole) {
    if (extent < 2) return;
    for (size_t i = 0; i < walks_.parts.size(); ++i) {
      if (whole[std::min(i, whole.size() - 1)]) walks_.parts[i].insert(extent);
    }
  }
  void add_part(const ExprRef& extent, const Inputs& whole) {
    if (const auto* constant = as<ConstInt>(extent)) add_part(constant->value, whole);
  }
  // A part of a tensor: of its last dimensions if it has fewer.
  void add_parts(const ExprRef& of_tensor, const ExprRef& part) {
    const auto* tensor = of_tensor ? as<TensorType>(of_tensor->type) : nullptr;
    if (!tensor || !part) return;
    const auto* list = as<MakeTuple>(part);
    const auto* tile = as<TileType>(part->type);
    const auto* other = as<TensorType>(part->type);
    const ExprList* extents = list ? &list->elements : tile ? &tile->shape : other ? &other->shape : nullptr;
    if (!extents) return;
    const size_t count = std::min(extents->size(), tensor->shape.size());
    for (size_t d = 0; d < count; ++d) {
      const ExprRef& whole = tensor->shape[tensor->shape.size() - count + d];
      if (isa<ConstInt>(whole)) continue;
      add_part((*extents)[extents->size() - count + d], of(*whole) & dimensions_);
    }
  }

  void carry(const ExprList& init, const VarList& args, const VarList& results, const Block& body) {
    for (size_t i = 0; i < init.size(); ++i) {
      walk(init[i]);
      join(values_[args[i].get()], of(*init[i]));
      join(values_[results[i].get()], of(*init[i]));
    }
    const auto outer = std::exchange(yields_, {&args, &results});
    walk(body);
    yields_ = outer;
  }

  const Program& program_;
  const WrittenPlaces written_;
  Walks walks_;
  Inputs dimensions_;  // a remainder of a scalar, or a part as long as one, need not be a part of a size
  std::map<const Function*, Facts> functions_;
  std::vector<const Function*> order_;
  Facts* function_ = nullptr;
  std::unordered_map<const Expr*, Inputs> values_;
  std::unordered_map<const Expr*, const Expr*> definitions_;  // of variables
  Inputs launched_;                                           // what decides the blocks of the scope around
  std::pair<const VarList*, const VarList*> yields_{nullptr, nullptr};  // what the block yields to
  bool changed_ = false;
};

}  // namespace

std::set<int64_t> Walks::parts_of(const Input& input) const {
  const auto known = std::find(inputs.begin(), inputs.end(), input);
  return known == inputs.end() ? std::set<int64_t>() : parts[static_cast<size_t>(known - inputs.begin())];
}

Walks::Inputs Walks::bit_of(const Input& input) const {
  const auto known = std::find(inputs.begin(), inputs.end(), input);
  Inputs bit;
  if (known != inputs.end()) bit.set(std::min(static_cast<size_t>(known - inputs.begin()), bit.size() - 1));
  return bit;
}

Walks walks_of(const ir::Program& lowered, const ir::Program& written, std::string_view entry) {
  const FunctionRef function = lowered.find(entry);
  return function ? Follower(lowered, written, *function).follow() : Walks();
}

}  // namespace tilewire::check
