#include "passes/tile_plan.h"

#include <algorithm>

#include "ir/op.h"
#include "ir/visitor.h"
#include "ops/shape.h"
#include "passes/tensor_forms.h"

namespace tilewire::passes {

using namespace ir;

namespace {

// Union-find over the tensor variables of a kernel.
class Planner : public Visitor<Planner> {
 public:
  Planner(const Function& kernel, const TilePlan& plan) : plan_(plan) {
    for (const auto& param : kernel.params) {
      if (isa<TensorType>(param->type)) keep(param);
    }
    walk(*kernel.body);
  }

  void settle(PointerMap<uint8_t>& tiles) {
    for (size_t i = 0; i < vars_.size(); ++i) {
      if (handed_on_[i] && uses_[i] > 1) shared_[find(i)] = true;
    }
    for (size_t i = 0; i < vars_.size(); ++i) {
      size_t root = find(i);
      bool memory = memory_[root] || (written_[root] && shared_[root]);
      if (!memory) tiles.insert(vars_[i], 1);
    }
  }

  void visit(const Assign& assign) {
    const auto* call = as<Call>(assign.value);
    if (!isa<TensorType>(assign.value->type) || !call) {
      if (isa<TensorType>(assign.var->type)) keep(assign.var);
      return walk(assign.value);
    }
    value(*call, assign.var);
  }

  void visit(const Eval& eval) {
    const auto* call = as<Call>(eval.value);
    if (!call) return walk(eval.value);
    value(*call, nullptr);
  }

  // Any other place where a tensor is used needs it in memory.
  void visit(const Var& var) {
    if (isa<TensorType>(var.type)) keep(VarRef(&var));
  }

  void visit(const Yield&) {}  // by its statement

  void visit(const If& branch) {
    walk(branch.condition);
    for (const BlockRef& body : {branch.then_body, branch.else_body}) {
      if (!body) continue;
      walk(*body);
      hand_on(*body, branch.results);
    }
  }
  void visit(const For& loop) {
    walk(loop.start);
    walk(loop.stop);
    carried(loop);
  }
  void visit(const While& loop) {
    walk(*loop.before);
    walk(loop.condition);
    carried(loop);
  }

 private:
  template <class T>
  void carried(const T& loop) {
    for (size_t i = 0; i < loop.iter_args.size(); ++i) {
      join(loop.init_values[i], loop.iter_args[i]);
      join(loop.results[i], loop.iter_args[i], false);
    }
    walk(*loop.body);
    hand_on(*loop.body, loop.iter_args);
  }

  void hand_on(const Block& body, const VarList& to) {
    const auto* yield = body.stmts.empty() ? nullptr : as<Yield>(body.stmts.back());
    for (size_t i = 0; yield && i < to.size(); ++i) join(yield->values[i], to[i]);
  }

  // The value `from` becomes `to`, which is one more use of it.
  void join(const ExprRef& from, const VarRef& to, bool is_use = true) {
    if (!isa<TensorType>(to->type)) return;
    size_t a = number(*from), b = number(*to);
    if (is_use) {
      ++uses_[a];
      handed_on_[a] = true;
    }
    if (!plan_.fits(to->type) || !plan_.fits(from->type) || !same_shape(from->type, to->type)) {
      memory_[find(a)] = memory_[find(b)] = true;
    }
    unite(a, b);
  }

  static bool same_shape(const TypeRef& a, const TypeRef& b) {
    const auto& x = static_cast<const TensorType&>(*a);
    const auto& y = static_cast<const TensorType&>(*b);
    return ops::may_equal(x.shape, y.shape);
  }

  void value(const Call& call, const VarRef& result) {
    if (!is_whole_tensor_op(*call.op)) {
      if (result) keep(result);
      return walk_children(call);
    }
    operands(call);
    bool whole = !result || plan_.fits(result->type);
    for (const ExprRef& arg : call.args) whole = whole && plan_.fits_whole(arg);
    if (call.op->form == OpForm::BatchMatmul) whole = false;
    if (writes_operand(call.op->form)) {
      written_[find(number(*call.args[0]))] = true;
      handed_on_[number(*call.args[0])] = true;
      if (!whole) keep(call.args[0]);
      if (result) unite(number(*call.args[0]), number(*result));
    } else if (result) {
      size_t i = number(*result);
      if (!whole) memory_[find(i)] = true;
    }
  }

  // Reads of operands are possible in either kind.
  void operands(const Call& call) {
    for (const ExprRef& arg : call.args) {
      if (!arg) continue;
      if (isa<Var>(arg) && isa<TensorType>(arg->type)) {
        ++uses_[number(*arg)];
      } else if (const auto* list = as<MakeTuple>(arg)) {
        for (const ExprRef& element : list->elements) {
          if (isa<TensorType>(element->type)) ++uses_[number(*element)];
        }
      }
    }
  }

  void keep(const ExprRef& var) { memory_[find(number(*var))] = true; }

  size_t number(const Expr& var) {
    auto [place, added] = places_.insert(&var, static_cast<uint32_t>(vars_.size()));
    if (added) {
      parent_.push_back(vars_.size());
      vars_.push_back(&var);
      memory_.push_back(!plan_.fits(var.type) || !isa<Var>(var));
      written_.push_back(false);
      shared_.push_back(false);
      handed_on_.push_back(false);
      uses_.push_back(0);
    }
    return *place;
  }

  size_t find(size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }

  void unite(size_t a, size_t b) {
    a = find(a);
    b = find(b);
    if (a == b) return;
    parent_[b] = a;
    memory_[a] = memory_[a] || memory_[b];
    written_[a] = written_[a] || written_[b];
    shared_[a] = shared_[a] || shared_[b];
  }

  const TilePlan& plan_;
  PointerMap<uint32_t> places_;
  std::vector<const Expr*> vars_;
  std::vector<size_t> parent_;
  std::vector<bool> memory_, written_, shared_;  // of the class, at its root
  std::vector<bool> handed_on_;                  // of the variable: written in place, carried or yielded
  std::vector<int> uses_;
};

}  // namespace

bool TilePlan::fits(const TypeRef& type) const {
  const auto* tensor = as<TensorType>(type);
  if (!tensor || tensor->shape.empty()) return false;
  for (size_t i = 0; i < tensor->shape.size(); ++i) {
    auto extent = constant_value(tensor->shape[i]);
    if (!extent || *extent < 1) return false;
    if (i + 2 < tensor->shape.size() && *extent != 1) return false;
  }
  auto count = ops::element_count(tensor->shape);
  auto bytes = count ? ops::byte_count(*count, tensor->dtype) : std::nullopt;
  return bytes && *bytes <= whole_tile_bytes_;
}

bool TilePlan::fits_whole(const ExprRef& operand) const {
  if (!operand) return true;
  if (isa<TensorType>(operand->type)) return fits(operand->type);
  const auto* list = as<MakeTuple>(operand);
  return !list || std::all_of(list->elements.begin(), list->elements.end(),
                              [this](const ExprRef& element) { return fits_whole(element); });
}

TilePlan::TilePlan(const Function& kernel, const Traits& traits)
    : whole_tile_bytes_(traits.whole_tile_bytes), block_bytes_(traits.block_bytes) {
  Planner(kernel, *this).settle(tiles_);
}

}  // namespace tilewire::passes
