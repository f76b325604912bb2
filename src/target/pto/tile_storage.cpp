#include "target/pto/tile_storage.h"

#include <algorithm>
#include <functional>

#include "ir/op.h"
#include "ir/visitor.h"

namespace tilewire::target::pto {

using namespace ir;

namespace {

int64_t up(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

void tile_types(const TypeRef& type, std::vector<TypeRef>& found) {
  if (isa<TileType>(type) || isa<ArrayType>(type)) found.push_back(type);
  if (const auto* tuple = as<TupleType>(type)) {
    for (const TypeRef& element : tuple->types) tile_types(element, found);
  }
}

size_t tile_count(const TypeRef& type) {
  std::vector<TypeRef> found;
  tile_types(type, found);
  return found.size();
}

}  // namespace

namespace {

// Rows and columns of tiles of the cube core are multiples of it: of 16, and of 32 bytes.
int64_t box_of(const std::string& element) {
  return std::max<int64_t>(16, 32 / element_bytes(element));
}
// Sums of INT32 are of products of bytes.
int64_t box_of_sum(const std::string& element) {
  return element == "i32" ? box_of("i8") : box_of(element);
}
// The elements of sums; they are rounded when they are stored.
std::string sum_of(DType dtype) {
  return is_float(dtype) ? "f32" : "i32";
}

}  // namespace

TileForm slot_form(const TileType& type, bool from_cube) {
  TileForm form;
  form.element = from_cube ? sum_of(type.dtype) : element_text(type.dtype);
  if (form.element.empty()) form.element = "i8";  // refused where it is used
  const int64_t box = from_cube ? box_of_sum(form.element) : box_of(form.element);
  form.rows = up(type.rows(), box);
  form.cols = up(type.cols(), box);
  return form;
}

TileForm token_form() {
  TileForm form;
  form.element = "i32";
  form.rows = form.cols = box_of(form.element);
  return form;
}

TileForm form_of(const TileType& type, MemorySpace space, int64_t unit, bool bias) {
  TileForm form;
  form.space = space;
  form.rows = type.rows();
  form.cols = type.cols();
  form.element = element_text(type.dtype);
  if (form.element.empty()) form.element = "i8";  // refused where it is used
  int64_t box = box_of(form.element);
  switch (space) {
    case MemorySpace::Mat:
      if (bias) {
        form.cols = up(form.cols, box_of_sum(form.element));
        return form;
      }
      form.col_major = true;
      form.boxes = Boxes::Rows;
      break;
    case MemorySpace::Left:
      form.boxes = Boxes::Rows;
      break;
    case MemorySpace::Right:
      form.boxes = Boxes::Columns;
      break;
    case MemorySpace::Acc:
      form.col_major = true;
      form.boxes = Boxes::Rows;
      form.fractal = 1024;
      form.element = sum_of(type.dtype);
      box = box_of_sum(form.element);
      break;
    case MemorySpace::Bias:
      form.cols = up(form.cols, box_of_sum(form.element));
      return form;
    default:
      if (form.cols == 1) {
        form.col_major = true;
        form.rows = up(form.rows, unit);
      } else {
        form.cols = up(form.cols, unit);
      }
      return form;
  }
  form.rows = up(form.rows, box);
  form.cols = up(form.cols, box);
  return form;
}

TileForm form_of(const ArrayType& type) {
  TileForm form;
  form.space = MemorySpace::DDR;
  form.rows = 1;
  form.cols = type.extent;
  form.element = scalar_text(type.dtype);
  return form;
}

// One walk forward numbers values and statements, walks backward find what is in use where.
class LiveWalk {
 public:
  LiveWalk(TileStorage& storage, const TileSpaces& memory, const passes::ValidShapes& valid, int64_t unit,
           TileStorage::RuleOf rule)
      : s_(storage), memory_(memory), valid_(valid), unit_(unit), rule_(rule) {}

  void run(const Function& kernel) {
    number(*kernel.body);
    s_.in_use_.assign(static_cast<size_t>(positions_), Bits(values_.size()));
    meets_.assign(values_.size(), Bits(values_.size()));
    block(*kernel.body, Bits(values_.size()));
    join();
    settle();
  }

 private:
  struct Value {
    TileForm form;
    std::optional<std::pair<int64_t, int64_t>> valid;
    std::string hint;
  };

  // --- numbering

  int new_value(const Expr& var, const TypeRef& type, size_t part) {
    Value value;
    if (const auto* array = as<ArrayType>(type)) {
      value.form = form_of(*array);
    } else {
      const auto& tile = static_cast<const TileType&>(*type);
      const bool tuple = isa<TupleType>(var.type);
      value.form = form_of(tile, tuple ? MemorySpace::Vec : memory_.of(var), unit_, memory_.is_bias(var));
      value.valid = known_extent(valid_.tiles(memory_.states_extent(var))[part], tile);
    }
    const auto* named = as<Var>(&var);
    value.hint = named && !named->name_hint.empty() ? named->name_hint : "t";
    values_.push_back(std::move(value));
    return static_cast<int>(values_.size()) - 1;
  }

  std::optional<std::pair<int64_t, int64_t>> known_extent(const passes::ValidShape& shape,
                                                          const TileType& type) {
    auto extent = [&](passes::ExtentId id, int64_t full) -> std::optional<int64_t> {
      if (id == passes::full_extent) return full;
      ExprRef expr = valid_.expression(id);
      return expr ? constant_value(expr) : std::nullopt;
    };
    auto rows = extent(shape.rows, type.rows()), cols = extent(shape.cols, type.cols());
    return rows && cols ? std::optional(std::pair(*rows, *cols)) : std::nullopt;
  }

  void place(const Expr& var, const std::vector<int>& values) {
    s_.places_.insert(&var, {static_cast<int>(s_.pool_.size()), static_cast<int>(values.size())});
    s_.pool_.insert(s_.pool_.end(), values.begin(), values.end());
  }

  std::vector<int> define(const Expr& var) {
    std::vector<TypeRef> types;
    tile_types(var.type, types);
    std::vector<int> made;
    const std::vector<Side> sides = memory_.sides(var);
    for (const Side& side : sides) {
      made.push_back(new_value(var, types[0], 0));
      Value& value = values_.back();
      const auto& type = static_cast<const TileType&>(*types[0]);
      const auto turned = make<TileType>(type.span, ExprList{type.shape[1], type.shape[0]}, type.dtype);
      value.form =
          form_of(side.turned ? *turned : type, side.left ? MemorySpace::Left : MemorySpace::Right, unit_);
      if (side.turned && value.valid) std::swap(value.valid->first, value.valid->second);
    }
    for (size_t i = 0; sides.empty() && i < types.size(); ++i) made.push_back(new_value(var, types[i], i));
    place(var, made);
    return made;
  }

  void number(const Block& body) {
    for (const StmtRef& stmt : body.stmts) {
      const int position = positions_++;
      s_.position_.insert(stmt.get(), position);
      if (const auto* assign = as<Assign>(stmt)) number(*assign);
      if (const auto* loop = as<For>(stmt)) carried(*loop);
      if (const auto* loop = as<While>(stmt)) {
        number_vars(loop->iter_args);
        number(*loop->before);
        number(*loop->body);
        results(loop->results, loop->iter_args);
      }
      if (const auto* branch = as<If>(stmt)) {
        number(*branch->then_body);
        if (branch->else_body) number(*branch->else_body);
        number_vars(branch->results);
      }
      if (isa<For>(stmt) || isa<While>(stmt)) s_.loops_.emplace_back(position, positions_ - 1);
    }
  }

  void number(const Assign& assign) {
    if (tile_count(assign.var->type) == 0) return;
    if (const auto* tuple = as<MakeTuple>(assign.value)) {
      std::vector<int> parts;
      for (const ExprRef& element : tuple->elements) {
        for (int value : s_.values(*element)) parts.push_back(value);
      }
      return place(*assign.var, parts);
    }
    if (const auto* get = as<TupleGet>(assign.value)) {
      const auto& types = as<TupleType>(get->tuple->type)->types;
      size_t first = 0;
      for (int64_t i = 0; i < get->index; ++i) first += tile_count(types[static_cast<size_t>(i)]);
      const std::vector<int> all = s_.values(*get->tuple);
      const auto from = all.begin() + static_cast<std::ptrdiff_t>(first);
      return place(*assign.var, {from, from + static_cast<std::ptrdiff_t>(tile_count(assign.var->type))});
    }
    if (const auto* call = as<Call>(assign.value)) {
      const ResultRule rule = rule_(*call, memory_);
      if (rule.memory == ResultMemory::Views) return place(*assign.var, s_.values(*call->args[rule.operand]));
    }
    define(*assign.var);
  }

  void number_vars(const VarList& vars) {
    for (const VarRef& var : vars) define(*var);
  }
  // Results of loops are what the loop carries.
  void results(const VarList& results, const VarList& iter_args) {
    for (size_t i = 0; i < results.size(); ++i) place(*results[i], s_.values(*iter_args[i]));
  }
  void carried(const For& loop) {
    number_vars(loop.iter_args);
    number(*loop.body);
    results(loop.results, loop.iter_args);
  }

  // --- what is in use

  void use(const ExprRef& expr, Bits& live) {
    if (!expr) return;
    struct Uses : Visitor<Uses> {
      const TileStorage& storage;
      Bits& live;
      Uses(const TileStorage& s, Bits& l) : storage(s), live(l) {}
      void visit(const Var& var) {
        for (int value : storage.values(var)) live.add(value);
      }
    };
    Uses(s_, live).walk(expr);
  }

  Bits& at(const Node& stmt) { return s_.in_use_[static_cast<size_t>(*s_.position_.find(&stmt))]; }

  // `value` is written while `live` is in use.
  void written(int value, const Bits& live) {
    live.each([&](int other) {
      if (other == value) return;
      meets_[static_cast<size_t>(value)].add(other);
      meets_[static_cast<size_t>(other)].add(value);
    });
  }

  // What is in use before the block, given what is after it. At its end `handed_on` is written.
  Bits block(const Block& body, Bits live, const Bits* handed_on = nullptr) {
    if (handed_on && !body.stmts.empty()) at(*body.stmts.back()).join(*handed_on);
    for (size_t i = body.stmts.size(); i-- > 0;) {
      const Node& stmt = *body.stmts[i];
      at(stmt).join(live);
      dispatch(stmt, [&](const auto& typed) { statement(typed, live); });
      at(stmt).join(live);
    }
    return live;
  }

  void statement(const Node&, Bits&) {}
  void statement(const Eval& eval, Bits& live) { use(eval.value, live); }
  void statement(const Yield& yield, Bits& live) {
    for (const ExprRef& value : yield.values) use(value, live);
  }

  void statement(const Assign& assign, Bits& live) {
    const auto* call = as<Call>(assign.value);
    if (!call || tile_count(assign.var->type) == 0) return use(assign.value, live);
    const ResultRule rule = rule_(*call, memory_);
    const std::vector<int> made = s_.values(*assign.var);
    if (rule.memory == ResultMemory::Views) return use(assign.value, live);
    for (int value : made) at(assign).add(value);
    Bits others = live;
    // What the op reads while it writes.
    for (size_t i = 0; i < call->args.size(); ++i) {
      const bool updates = rule.memory == ResultMemory::Updates, own = static_cast<int>(i) == rule.operand;
      // Numbers, and places made of them, are worked out before anything is updated.
      const bool before = updates && call->args[i] && tile_count(call->args[i]->type) == 0;
      if (rule.memory != ResultMemory::InPlace && !(updates && own) && !before) use(call->args[i], others);
    }
    for (int value : made) others.add(value);
    for (int value : made) written(value, others);
    for (int value : made) live.drop(value);
    use(assign.value, live);
  }

  void statement(const For& loop, Bits& live) {
    rounds(loop, live);
    for (const ExprRef* bound : {&loop.start, &loop.stop, &loop.step}) use(*bound, live);
  }
  void statement(const While& loop, Bits& live) { rounds(loop, live); }

  Bits round(const For& loop, const Bits& after, const Bits& carried) {
    return block(*loop.body, after, &carried);
  }
  Bits round(const While& loop, const Bits& after, const Bits& carried) {
    Bits before_body = block(*loop.body, after, &carried);
    // The loop may be left after `before`, with its carried values.
    before_body.join(after);
    for (const VarRef& arg : loop.iter_args) use(arg, before_body);
    use(loop.condition, before_body);
    return block(*loop.before, before_body);
  }

  template <class Loop>
  void rounds(const Loop& loop, Bits& live) {
    Bits carried(values_.size());
    for (const VarRef& arg : loop.iter_args) use(arg, carried);
    Bits outside = live;  // in use all through the loop
    carried.each([&](int value) { outside.drop(value); });
    for (int times = 0; times < 2; ++times) {
      Bits start = round(loop, outside, carried);
      carried.each([&](int value) { start.drop(value); });
      outside.join(start);
    }
    Bits inside = outside;
    inside.join(carried);
    carried.each([&](int value) { written(value, inside); });
    at(loop).join(inside);
    live = outside;
    for (const ExprRef& init : loop.init_values) use(init, live);
  }

  void statement(const If& branch, Bits& live) {
    Bits results(values_.size());
    for (const VarRef& result : branch.results) use(result, results);
    live.join(results);
    results.each([&](int value) { written(value, live); });
    results.each([&](int value) { live.drop(value); });
    Bits before = live;
    for (const BlockRef& body : {branch.then_body, branch.else_body}) {
      if (body) before.join(block(*body, live, &results));
    }
    live = before;
    use(branch.condition, live);
  }

  // --- sharing

  int find(int value) {
    while (parent_[static_cast<size_t>(value)] != value) value = parent_[static_cast<size_t>(value)];
    return value;
  }

  void unite(int a, int b) {
    a = find(a), b = find(b);
    if (a == b) return;
    auto& of_a = members_[static_cast<size_t>(a)];
    auto& of_b = members_[static_cast<size_t>(b)];
    if (values_[static_cast<size_t>(a)].form != values_[static_cast<size_t>(b)].form) return;
    for (int x : of_a) {
      for (int y : of_b) {
        if (meets_[static_cast<size_t>(x)].has(y)) return;
      }
    }
    of_a.insert(of_a.end(), of_b.begin(), of_b.end());
    parent_[static_cast<size_t>(b)] = a;
  }

  void unite(const Expr& a, const Expr& b) {
    const std::vector<int> x = s_.values(a), y = s_.values(b);
    for (size_t i = 0; i < x.size() && i < y.size(); ++i) unite(x[i], y[i]);
  }

  // What ops update first, since copies of accumulators cannot be written; then loops and branches.
  void join() {
    for (size_t i = 0; i < values_.size(); ++i) {
      parent_.push_back(static_cast<int>(i));
      members_.push_back({static_cast<int>(i)});
    }
    for (const auto& [result, operand] : updates_) unite(*operand, *result);
    for (const auto& [to, from] : copies_) unite(*to, *from);
  }

  void settle() {
    s_.buffer_of_.assign(values_.size(), -1);
    for (size_t i = 0; i < values_.size(); ++i) {
      const auto root = static_cast<size_t>(find(static_cast<int>(i)));
      if (s_.buffer_of_[root] < 0) {
        s_.buffer_of_[root] = static_cast<int>(s_.buffers_.size());
        s_.buffers_.push_back({values_[root].form, values_[root].valid, values_[i].hint});
      }
      TileBuffer& buffer = s_.buffers_[static_cast<size_t>(s_.buffer_of_[root])];
      if (buffer.valid != values_[i].valid) buffer.valid.reset();
      s_.buffer_of_[i] = s_.buffer_of_[root];
    }
    for (Bits& bits : s_.in_use_) {
      Bits buffers(s_.buffers_.size());
      bits.each([&](int value) { buffers.add(s_.buffer_of_[static_cast<size_t>(value)]); });
      bits = std::move(buffers);
    }
  }

 public:
  // The pairs that should be one buffer, found in a separate walk.
  struct Pairs : Visitor<Pairs> {
    LiveWalk& walk_;
    explicit Pairs(LiveWalk& walk) : walk_(walk) {}
    void yields(const Block& body, const VarList& to) {
      const auto* yield = body.stmts.empty() ? nullptr : as<Yield>(body.stmts.back());
      for (size_t i = 0; yield && i < to.size(); ++i) copy(to[i], yield->values[i]);
    }
    void copy(const VarRef& to, const ExprRef& from) {
      if (tile_count(to->type) > 0) walk_.copies_.push_back({to.get(), from.get()});
    }
    void visit(const Assign& assign) {
      const auto* call = as<Call>(assign.value);
      if (!call || tile_count(assign.var->type) == 0) return;
      const ResultRule rule = walk_.rule_(*call, walk_.memory_);
      if (rule.memory == ResultMemory::Updates) {
        walk_.updates_.push_back({assign.var.get(), call->args[static_cast<size_t>(rule.operand)].get()});
      }
    }
    template <class Loop>
    void loop(const Loop& loop) {
      walk_children(loop);
      yields(*loop.body, loop.iter_args);
      for (size_t i = 0; i < loop.iter_args.size(); ++i) copy(loop.iter_args[i], loop.init_values[i]);
    }
    void visit(const For& node) { loop(node); }
    void visit(const While& node) { loop(node); }
    void visit(const If& branch) {
      walk_children(branch);
      yields(*branch.then_body, branch.results);
      if (branch.else_body) yields(*branch.else_body, branch.results);
    }
  };

 private:
  TileStorage& s_;
  const TileSpaces& memory_;
  const passes::ValidShapes& valid_;
  const int64_t unit_;
  const TileStorage::RuleOf rule_;
  std::vector<Value> values_;
  std::vector<Bits> meets_;
  std::vector<int> parent_;
  std::vector<std::vector<int>> members_;
  std::vector<std::pair<const Expr*, const Expr*>> updates_, copies_;
  int positions_ = 0;
};

TileStorage::TileStorage(const Function& kernel, const TileSpaces& memory, const passes::ValidShapes& valid,
                         int64_t unit, RuleOf rule) {
  LiveWalk walk(*this, memory, valid, unit, rule);
  LiveWalk::Pairs(walk).walk(*kernel.body);
  walk.run(kernel);
}

std::vector<int> TileStorage::values(const Expr& var) const {
  const auto* place = places_.find(&var);
  if (!place) return {};
  const auto first = pool_.begin() + place->first;
  return {first, first + place->second};
}

std::vector<int> TileStorage::buffers(const Expr& var) const {
  std::vector<int> found = values(var);
  TW_CHECK(!found.empty(), "a variable without tiles");
  for (int& value : found) value = buffer_of_[static_cast<size_t>(value)];
  return found;
}

int TileStorage::position(const Node& stmt) const {
  const int* position = position_.find(&stmt);
  TW_CHECK(position, "a statement without a place");
  return *position;
}

}  // namespace tilewire::target::pto
