#include "passes/valid_shapes.h"

#include <algorithm>

#include "ir/op.h"
#include "ir/structural.h"
#include "ir/visitor.h"
#include "ops/handles.h"
#include "passes/tensor_forms.h"

namespace tilewire::passes {

using namespace ir;

namespace {

using Kind = ValidExtent::Kind;

const ValidExtent full{};
const ValidExtent unknown{Kind::Unknown, nullptr};

bool same(const ValidExtent& a, const ValidExtent& b) {
  if (a.kind != b.kind) return false;
  return a.kind != Kind::Known || a.extent == b.extent || identical_but_for_definitions(a.extent, b.extent);
}

// Of a result that is valid where both are.
ValidExtent meet(const ValidExtent& a, const ValidExtent& b) {
  if (a.kind == Kind::Full || same(a, b)) return b;
  if (b.kind == Kind::Full) return a;
  auto x = constant_value(a.extent), y = constant_value(b.extent);
  if (x && y) return *x < *y ? a : b;
  return unknown;
}
ValidShape meet(const ValidShape& a, const ValidShape& b) {
  return {meet(a.rows, b.rows), meet(a.cols, b.cols)};
}

ValidExtent extent_of(const ExprRef& valid, const ExprRef& size) {
  auto x = constant_value(valid), y = constant_value(size);
  if (valid == size || (x && y && *x == *y)) return full;
  return {Kind::Known, valid};
}

bool flag(const Call& call, const char* name) {
  const AttrValue* value = find_attr(call.attrs, name);
  return value && *value->get<bool>();
}

}  // namespace

// Loops start with what they are given and are walked again when a round hands on something else, which can
// happen once a value: then nothing is known of it.
class ValidWalk {
 public:
  explicit ValidWalk(ValidShapes& shapes) : shapes_(shapes) {}

  void block(const Block& block) {
    for (const StmtRef& stmt : block.stmts) dispatch(*stmt, [&](const auto& typed) { statement(typed); });
  }

 private:
  void statement(const Node&) {}

  void statement(const Assign& assign) {
    const auto* call = as<Call>(assign.value);
    if (!isa<TileType>(assign.var->type)) return;
    set(*assign.var, call ? result(*call) : ValidShape{unknown, unknown});
  }

  void statement(const If& branch) {
    block(*branch.then_body);
    if (!branch.else_body) return;
    block(*branch.else_body);
    const auto* a = as<Yield>(branch.then_body->stmts.empty() ? nullptr : branch.then_body->stmts.back());
    const auto* b = as<Yield>(branch.else_body->stmts.empty() ? nullptr : branch.else_body->stmts.back());
    for (size_t i = 0; a && b && i < branch.results.size(); ++i) {
      if (!isa<TileType>(branch.results[i]->type)) continue;
      set(*branch.results[i], join(shapes_.of(*a->values[i]), shapes_.of(*b->values[i])));
    }
  }

  void statement(const For& loop) { carried(loop); }
  void statement(const While& loop) { carried(loop); }

  template <class T>
  void carried(const T& loop) {
    for (size_t i = 0; i < loop.iter_args.size(); ++i) {
      if (isa<TileType>(loop.iter_args[i]->type)) {
        set(*loop.iter_args[i], shapes_.of(*loop.init_values[i]));
      }
    }
    bool changed = true;
    while (changed) {
      if constexpr (requires { loop.before; }) block(*loop.before);
      block(*loop.body);
      changed = false;
      const auto* yield = as<Yield>(loop.body->stmts.empty() ? nullptr : loop.body->stmts.back());
      for (size_t i = 0; yield && i < loop.iter_args.size(); ++i) {
        if (!isa<TileType>(loop.iter_args[i]->type)) continue;
        const ValidShape before = shapes_.of(*loop.iter_args[i]);
        ValidShape after = join(before, shapes_.of(*yield->values[i]));
        if (same(before.rows, after.rows) && same(before.cols, after.cols)) continue;
        set(*loop.iter_args[i], after);
        changed = true;
      }
    }
    for (size_t i = 0; i < loop.results.size(); ++i) {
      if (isa<TileType>(loop.results[i]->type)) set(*loop.results[i], shapes_.of(*loop.iter_args[i]));
    }
  }

  // Either of two values: known where they agree. What is equal on both ways is in scope around them, since
  // neither way sees what the other defines.
  static ValidShape join(const ValidShape& a, const ValidShape& b) {
    auto either = [](const ValidExtent& x, const ValidExtent& y) { return same(x, y) ? x : unknown; };
    return {either(a.rows, b.rows), either(a.cols, b.cols)};
  }

  // By value: it may be the shape of another variable, which moves when there is one more.
  void set(const Var& var, ValidShape shape) {
    auto [place, added] = shapes_.places_.insert(&var, static_cast<uint32_t>(shapes_.shapes_.size()));
    if (added) shapes_.shapes_.emplace_back();
    shapes_.shapes_[*place] = std::move(shape);
  }

  // --- one op

  ValidShape result(const Call& call) {
    int said = call.op->param_index("valid_shape");
    const auto* list = said < 0 ? nullptr : as<MakeTuple>(call.args[call.op->operand_slots[said]]);
    if (list) return stated(list->elements, static_cast<const TileType&>(*call.type));
    if (call.op == ops::pl::tile::fillpad) return {};
    if (call.op == ops::pl::tile::transpose) {
      ValidShape x = shapes_.of(*call.args[0]);
      return {x.cols, x.rows};
    }
    if (call.op->needs_annotation) return {unknown, unknown};  // what the other half pushed
    return by_form(call);
  }

  static ValidShape stated(const ExprList& extents, const TileType& type) {
    size_t rank = extents.size();
    ValidExtent rows = rank < 2 ? full : extent_of(extents[rank - 2], type.shape[0]);
    return {rows, extent_of(extents[rank - 1], type.shape[1])};
  }

  ValidShape by_form(const Call& call) {
    switch (call.op->form) {
      case OpForm::Fill:
      case OpForm::Count:
      case OpForm::Create:
        return {};
      case OpForm::Same:
        return shapes_.of(*call.args[0]);
      case OpForm::Map:
        return all_of(call);
      case OpForm::MapRow:
        return meet(shapes_.of(*call.args[0]), {shapes_.of(*call.args[1]).rows, full});
      case OpForm::MapCol:
        return meet(shapes_.of(*call.args[0]), {full, shapes_.of(*call.args[1]).cols});
      case OpForm::ReduceRow:
      case OpForm::ArgRow:
      case OpForm::ExpandRow:
        return {shapes_.of(*call.args[0]).rows, full};
      case OpForm::ReduceCol:
      case OpForm::ExpandCol:
        return {full, shapes_.of(*call.args[0]).cols};
      case OpForm::Matmul:
      case OpForm::MatmulBias:
        return product(call, 0);
      case OpForm::MatmulAcc:
        return meet(shapes_.of(*call.args[0]), product(call, 1));
      default:
        return all_of(call).is_full() ? ValidShape{} : ValidShape{unknown, unknown};
    }
  }

  ValidShape product(const Call& call, size_t first) {
    const ValidShape a = shapes_.of(*call.args[first]), b = shapes_.of(*call.args[first + 1]);
    return {flag(call, "a_trans") ? a.cols : a.rows, flag(call, "b_trans") ? b.rows : b.cols};
  }

  ValidShape all_of(const Call& call) {
    ValidShape shape;
    auto operand = [&](const ExprRef& arg) {
      if (arg && isa<TileType>(arg->type)) shape = meet(shape, shapes_.of(*arg));
    };
    for (const ExprRef& arg : call.args) {
      operand(arg);
      const auto* list = as<MakeTuple>(arg);
      if (!list) continue;
      for (const ExprRef& element : list->elements) operand(element);
    }
    return shape;
  }

  ValidShapes& shapes_;
};

ValidShapes::ValidShapes(const Function& kernel) {
  ValidWalk(*this).block(*kernel.body);
}

const ValidShape& ValidShapes::of(const Expr& tile) const {
  static const ValidShape none{unknown, unknown};
  const uint32_t* place = places_.find(&tile);
  return place ? shapes_[*place] : none;
}

}  // namespace tilewire::passes
