#include "passes/valid_shapes.h"

#include <algorithm>
#include <iterator>

#include "ir/aliases.h"
#include "ir/op.h"
#include "ir/structural.h"
#include "ir/visitor.h"
#include "ops/handles.h"

namespace tilewire::passes {

using namespace ir;

namespace {

// Sets of more atoms than this become one that is equal only to itself.
constexpr size_t most_atoms = 12;

uint32_t tile_count(const TypeRef& type) {
  const auto* tuple = as<TupleType>(type);
  if (!tuple) return isa<TileType>(type) ? 1 : 0;
  uint32_t count = 0;
  for (const TypeRef& element : tuple->types) count += tile_count(element);
  return count;
}

const Yield* yield_of(const BlockRef& block) {
  return block && !block->stmts.empty() ? as<Yield>(block->stmts.back()) : nullptr;
}

bool flag(const Call& call, std::string_view name) {
  const AttrValue* value = find_attr(call.attrs, name);
  return value && *value->get<bool>();
}

bool turns(const Call& transpose) {
  auto axis = [&](std::string_view name, int64_t fallback) {
    const AttrValue* value = find_attr(transpose.attrs, name);
    const int64_t number = value ? *value->get<int64_t>() : fallback;
    return number < 0 ? number + 2 : number;
  };
  return axis("axis1", -2) != axis("axis2", -1);
}

const MakeTuple* list_operand(const Call& call, std::string_view name) {
  const int param = call.op->param_index(name);
  return param < 0 ? nullptr : as<MakeTuple>(call.args[call.op->operand_slots[param]]);
}

}  // namespace

// --- numbers of extents

int64_t Extents::number_of(const ExprRef& expr) {
  const uint64_t hash = isa<Var>(expr) ? reinterpret_cast<uintptr_t>(expr.get()) : structural_hash(expr);
  auto [first, last] = expressions_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    const ExprRef& known = it->second;
    if (known == expr || identical_but_for_definitions(known, expr)) {
      return reinterpret_cast<intptr_t>(known.get());
    }
  }
  expressions_.emplace(hash, expr);
  return reinterpret_cast<intptr_t>(expr.get());
}

int Extents::atom(Kind kind, int64_t a, int64_t b, const ExprRef& expr) {
  auto [found, is_new] = atom_numbers_.try_emplace({kind, a, b}, static_cast<int>(atoms_.size()));
  if (is_new) atoms_.push_back({kind, a, b, expr});
  return found->second;
}

ExtentId Extents::intern(Set set) {
  auto [found, is_new] = set_numbers_.try_emplace(set, static_cast<ExtentId>(sets_.size()));
  if (is_new) sets_.push_back(std::move(set));
  return found->second;
}

ExtentId Extents::stated(const ExprRef& expr, int64_t physical) {
  const auto value = constant_value(expr);
  if (!value) return intern({atom(Kind::Expression, number_of(expr), 0, expr)});
  return *value == physical ? full_extent : intern({atom(Kind::Constant, *value, 0, expr)});
}

ExtentId Extents::unknown(uint32_t value, int dimension) {
  return intern({atom(Kind::Unknown, value, dimension)});
}

void Extents::keep_smallest_constant(Set& set) const {
  int smallest = -1;
  auto value = [&](int atom) { return *constant_value(atoms_[atom].expr); };
  for (int atom : set) {
    const bool is_constant = atoms_[atom].kind == Kind::Constant;
    if (is_constant && (smallest < 0 || value(atom) < value(smallest))) smallest = atom;
  }
  std::erase_if(set, [&](int atom) { return atoms_[atom].kind == Kind::Constant && atom != smallest; });
}

ExtentId Extents::meet(ExtentId a, ExtentId b) {
  if (a == b || b == full_extent) return a;
  if (a == full_extent) return b;
  Set both;
  std::set_union(sets_[a].begin(), sets_[a].end(), sets_[b].begin(), sets_[b].end(),
                 std::back_inserter(both));
  keep_smallest_constant(both);
  return intern(both.size() > most_atoms ? Set{atom(Kind::Combined, a, b)} : std::move(both));
}

ExprRef Extents::expression(ExtentId extent) const {
  if (extent == full_extent || sets_[extent].size() != 1) return nullptr;
  return atoms_[sets_[extent][0]].expr;
}

std::vector<ExtentPart> Extents::parts(ExtentId extent, std::span<const Var* const> vars) const {
  std::vector<ExtentPart> found;
  if (extent == full_extent) return found;
  for (int number : sets_[extent]) {
    const Atom& atom = atoms_[number];
    if (atom.kind == Kind::Combined) {
      for (int64_t each : {atom.a, atom.b}) {
        const auto more = parts(static_cast<ExtentId>(each), vars);
        found.insert(found.end(), more.begin(), more.end());
      }
    } else if (atom.kind == Kind::Unknown) {
      found.push_back({nullptr, vars[static_cast<size_t>(atom.a)], static_cast<int>(atom.b)});
    } else {
      found.push_back({atom.expr, nullptr, 0});
    }
  }
  return found;
}

// --- the walk

// Loops are taken at their word first: an argument has the extents of its initial value until a yield says
// otherwise. Each round walks the kernel once; what still changes after a few is taken as unknown.
class ValidWalk {
 public:
  ValidWalk(ValidShapes& shapes, Popped popped)
      : shapes_(shapes), extents_(shapes.extents_), popped_(popped) {}

  void run(const Function& kernel) {
    for (const auto& param : kernel.params) define(*param, {});
    for (int round = 1; changed_; ++round) {
      changed_ = false;
      gives_up_ = round == most_rounds;
      block(*kernel.body);
    }
  }

 private:
  static constexpr int most_rounds = 5;
  using Shapes = std::vector<ValidShape>;
  using Places = ValidShapes::Places;

  void block(const Block& block) {
    for (const StmtRef& stmt : block.stmts) dispatch(*stmt, [&](const auto& typed) { statement(typed); });
  }

  void statement(const Node&) {}

  void statement(const Assign& assign) {
    if (tile_count(assign.var->type) == 0) return;
    if (const auto* call = as<Call>(assign.value)) {
      const Places places = places_of(*assign.var);
      if (places.count == 1) return define(*assign.var, {result(*call, places.first)});
      return define(*assign.var, is_whole(*call) ? Shapes(places.count) : Shapes());
    }
    define(*assign.var, of_value(*assign.value));
  }

  void statement(const If& branch) {
    block(*branch.then_body);
    if (branch.else_body) block(*branch.else_body);
    const Yield *a = yield_of(branch.then_body), *b = yield_of(branch.else_body);
    for (size_t i = 0; a && b && i < branch.results.size(); ++i) {
      const Var& result = *branch.results[i];
      if (tile_count(result.type) == 0) continue;
      const Places places = places_of(result);
      const Shapes x = handed_on(*a->values[i], places), y = handed_on(*b->values[i], places);
      Shapes joined;
      for (uint32_t k = 0; k < places.count; ++k) joined.push_back(either(x[k], y[k], places.first + k));
      define(result, std::move(joined));
    }
  }

  void statement(const For& loop) { carried(loop); }
  void statement(const While& loop) { carried(loop); }

  template <class T>
  void carried(const T& loop) {
    for (size_t i = 0; i < loop.iter_args.size(); ++i) enter(*loop.iter_args[i], *loop.init_values[i]);
    if constexpr (requires { loop.before; }) block(*loop.before);
    block(*loop.body);
    const Yield* yield = yield_of(loop.body);
    for (size_t i = 0; yield && i < loop.iter_args.size(); ++i) {
      compare(*loop.iter_args[i], *yield->values[i]);
      if (i < loop.results.size()) define(*loop.results[i], of_value(*loop.iter_args[i]));
    }
  }

  void statement(const AtScope& scope) { task(scope); }
  void statement(const SpmdScope& scope) { task(scope); }
  void statement(const WithScope& scope) { block(*scope.body); }

  template <class T>
  void task(const T& scope) {
    block(*scope.body);
    const Yield* yield = yield_of(scope.body);
    for (size_t i = 0; yield && i < scope.results.size(); ++i) {
      define(*scope.results[i], of_value(*yield->values[i]));
    }
  }

  // --- variables

  Places places_of(const Var& var) {
    auto [places, is_new] = shapes_.places_.insert(&var, {});
    if (is_new) {
      *places = {static_cast<uint32_t>(shapes_.shapes_.size()), tile_count(var.type)};
      shapes_.shapes_.resize(shapes_.shapes_.size() + places->count);
      shapes_.vars_.resize(shapes_.shapes_.size(), &var);
      varying_.resize(shapes_.shapes_.size());
    }
    return *places;
  }

  ValidShape unknown(uint32_t place) { return {extents_.unknown(place, 0), extents_.unknown(place, 1)}; }

  // Without shapes, they are unknown.
  void define(const Var& var, Shapes shapes) {
    const Places places = places_of(var);
    for (uint32_t k = 0; k < places.count; ++k) {
      shapes_.shapes_[places.first + k] = k < shapes.size() ? shapes[k] : unknown(places.first + k);
    }
  }

  // An argument of a loop gets its initial value.
  void enter(const Var& arg, const Expr& init) {
    if (tile_count(arg.type) == 0) return;
    const Places places = places_of(arg);
    Shapes shapes = handed_on(init, places);
    for (uint32_t k = 0; k < places.count; ++k) {
      const Varies varies = varying_[places.first + k];
      const ValidShape other = unknown(places.first + k);
      if (varies.rows || gives_up_) shapes[k].rows = other.rows;
      if (varies.cols || gives_up_) shapes[k].cols = other.cols;
    }
    define(arg, std::move(shapes));
  }

  // The yielded extent must be the one assumed for the argument.
  void compare(const Var& arg, const Expr& next) {
    if (tile_count(arg.type) == 0) return;
    const Places places = places_of(arg);
    const Shapes shapes = handed_on(next, places);
    auto note = [&](bool& varies, ExtentId taken_for, ExtentId handed_on) {
      if (varies || gives_up_ || taken_for == handed_on) return;
      varies = changed_ = true;
    };
    for (uint32_t k = 0; k < places.count; ++k) {
      const ValidShape taken_for = shapes_.shapes_[places.first + k];
      note(varying_[places.first + k].rows, taken_for.rows, shapes[k].rows);
      note(varying_[places.first + k].cols, taken_for.cols, shapes[k].cols);
    }
  }

  ValidShape either(const ValidShape& a, const ValidShape& b, uint32_t place) {
    const ValidShape neither = unknown(place);
    return {a.rows == b.rows ? a.rows : neither.rows, a.cols == b.cols ? a.cols : neither.cols};
  }

  Shapes handed_on(const Expr& value, const Places& places) {
    Shapes shapes = of_value(value);
    TW_CHECK(shapes.size() == places.count, "a tile is handed on that has no name");
    return shapes;
  }

  // One shape per tile in a variable or a tuple.
  Shapes of_value(const Expr& value) {
    if (const auto* var = as<Var>(&value)) {
      const auto tiles = shapes_.tiles(*var);
      return {tiles.begin(), tiles.end()};
    }
    if (const auto* tuple = as<MakeTuple>(&value)) {
      Shapes all;
      for (const ExprRef& element : tuple->elements) {
        const Shapes part = of_value(*element);
        all.insert(all.end(), part.begin(), part.end());
      }
      return all;
    }
    if (const auto* get = as<TupleGet>(&value)) {
      const Shapes all = of_value(*get->tuple);
      const auto& types = static_cast<const TupleType&>(*get->tuple->type).types;
      uint32_t first = 0;
      for (int64_t i = 0; i < get->index; ++i) first += tile_count(types[i]);
      return {all.begin() + first, all.begin() + first + tile_count(value.type)};
    }
    return {};
  }

  // --- one op

  const ValidShape& of(const ExprRef& tile) const { return shapes_.of(*tile); }

  ValidShape result(const Call& call, uint32_t place) {
    const auto& type = static_cast<const TileType&>(*call.type);
    if (const MakeTuple* stated = list_operand(call, "valid_shape")) {
      const ExprList& extents = stated->elements;
      const size_t rank = extents.size();
      return {rank < 2 ? full_extent : extents_.stated(extents[rank - 2], type.rows()),
              extents_.stated(extents[rank - 1], type.cols())};
    }
    if (const int slot = alias_slot(*call.op); slot >= 0) return of(call.args[slot]);
    if (call.op == ops::pl::tile::fillpad) return {};
    if (call.op == ops::pl::tile::transpose) {
      const ValidShape x = of(call.args[0]);
      return turns(call) ? ValidShape{x.cols, x.rows} : x;
    }
    if (call.op->needs_annotation)  // what the other half pushed
      return popped_ == Popped::Whole ? ValidShape{} : unknown(place);
    switch (fusion_of(call.op->form)) {
      case Fusion::Elementwise:
        return lanes(call, type, place);
      case Fusion::Same:
        return of(call.args[0]);
      case Fusion::RowReduce:
        return {of(call.args[0]).rows, full_extent};
      case Fusion::ColReduce:
        return {full_extent, of(call.args[0]).cols};
      case Fusion::Generator:
      case Fusion::Load:
        return {};
      case Fusion::Store:
      case Fusion::None:
        break;
    }
    return by_form(call, place);
  }

  ValidShape by_form(const Call& call, uint32_t place) {
    switch (call.op->form) {
      case OpForm::Create:
        return {};
      case OpForm::Assemble:
        return of(call.args[0]);
      case OpForm::Matmul:
        return product(call, 0);
      case OpForm::MatmulAcc: {
        const ValidShape acc = of(call.args[0]), sum = product(call, 1);
        return {extents_.meet(acc.rows, sum.rows), extents_.meet(acc.cols, sum.cols)};
      }
      case OpForm::MatmulBias: {
        const ValidShape bias = of(call.args[2]), sum = product(call, 0);
        // A bias without a row leaves no rows.
        return {bias.rows == full_extent ? sum.rows : unknown(place).rows,
                extents_.meet(sum.cols, bias.cols)};
      }
      default:
        return is_whole(call) ? ValidShape{} : unknown(place);
    }
  }

  // Element by element, with one row or column spread over the others where a type has only one.
  ValidShape lanes(const Call& call, const TileType& type, uint32_t place) {
    ValidShape shape;
    for (size_t i = 0; i < call.args.size(); ++i) {
      const auto* operand = call.args[i] ? as<TileType>(call.args[i]->type) : nullptr;
      if (!operand || is_scratch(call, i)) continue;
      const ValidShape x = of(call.args[i]);
      if (operand->rows() == type.rows()) shape.rows = extents_.meet(shape.rows, x.rows);
      if (operand->cols() == type.cols()) shape.cols = extents_.meet(shape.cols, x.cols);
      // A column or row that is empty spreads to nothing.
      if (operand->rows() != type.rows() && x.rows != full_extent) shape.rows = unknown(place).rows;
      if (operand->cols() != type.cols() && x.cols != full_extent) shape.cols = unknown(place).cols;
    }
    return shape;
  }

  ValidShape product(const Call& call, size_t first) {
    const ValidShape a = of(call.args[first]), b = of(call.args[first + 1]);
    return {flag(call, "a_trans") ? a.cols : a.rows, flag(call, "b_trans") ? b.rows : b.cols};
  }

  static bool is_scratch(const Call& call, size_t slot) {
    const int scratch = call.op->scratch;
    return scratch >= 0 && call.op->operand_slots[scratch] == static_cast<int>(slot);
  }

  // Whether all tiles it is given are; then its results are too.
  bool is_whole(const Call& call) {
    for (size_t i = 0; i < call.args.size(); ++i) {
      if (!call.args[i] || is_scratch(call, i)) continue;
      for (const ValidShape& shape : of_value(*call.args[i])) {
        if (!shape.is_full()) return false;
      }
    }
    return true;
  }

  ValidShapes& shapes_;
  Extents& extents_;
  const Popped popped_;
  // By place: which extents a loop carries and changes.
  struct Varies {
    bool rows = false, cols = false;
  };
  std::vector<Varies> varying_;
  bool changed_ = true;
  bool gives_up_ = false;
};

ValidShapes::ValidShapes(const Function& kernel, Popped popped) {
  ValidWalk(*this, popped).run(kernel);
}

std::span<const ValidShape> ValidShapes::tiles(const Expr& var) const {
  const Places* places = places_.find(&var);
  return places ? std::span(shapes_).subspan(places->first, places->count) : std::span<const ValidShape>();
}

const ValidShape& ValidShapes::of(const Expr& tile) const {
  const auto found = tiles(tile);
  TW_CHECK(found.size() == 1, "not a tile of this kernel");
  return found[0];
}

}  // namespace tilewire::passes
