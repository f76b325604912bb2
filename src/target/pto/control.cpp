// Statements: loops, branches, and what they hand on.
//
// Scalars are handed on as results of scf ops. Tiles and arrays are memory: a yield copies into the buffer of
// what it gives, unless it lies there already. Tensors stay where they are.
#include <algorithm>

#include "ir/param_effects.h"
#include "ir/visitor.h"
#include "target/pto/emitter.h"
#include "target/pto/rules.h"

namespace tilewire::target::pto {

using namespace ir;

void FunctionEmitter::block(const Block& body) {
  for (const StmtRef& stmt : body.stmts) statement(stmt);
}

void FunctionEmitter::statement(const StmtRef& stmt) {
  const int before = now_;
  now_ = storage_.position(*stmt);
  if (const auto* assign_stmt = as<Assign>(stmt)) {
    assign(*assign_stmt);
  } else if (const auto* eval = as<Eval>(stmt)) {
    if (const auto* made = as<Call>(eval->value)) call(*made, nullptr);
  } else if (const auto* branch = as<If>(stmt)) {
    statement(*branch);
  } else if (const auto* counted = as<For>(stmt)) {
    statement(*counted);
  } else if (const auto* repeated = as<While>(stmt)) {
    statement(*repeated);
  } else if (const auto* end = as<Return>(stmt)) {
    results(*end);
  }
  for (Allocated& allocated : allocated_) allocated.busy = false;
  now_ = before;
}

void FunctionEmitter::assign(const Assign& assign) {
  const Var& var = *assign.var;
  if (const auto* made = as<Call>(assign.value)) {
    if (is_scalar_op(*made->op)) return name_scalar(var, scalar(assign.value));
    return call(*made, &var);
  }
  if (const auto* get = as<TupleGet>(assign.value)) {
    const auto* elements = tuples_.contains(get->tuple.get()) ? &tuples_[get->tuple.get()] : nullptr;
    if (elements) return name_as(var, (*elements)[static_cast<size_t>(get->index)]);
    parts_[&var] = {get->tuple.get(), static_cast<size_t>(get->index)};
    return;
  }
  if (const auto* tuple = as<MakeTuple>(assign.value)) {
    tuples_[&var] = tuple->elements;
    return;
  }
  name_as(var, assign.value);
}

// Another name for a value.
void FunctionEmitter::name_as(const Var& var, const ExprRef& value) {
  if (isa<ScalarType>(value->type) || isa<CommCtxType>(value->type)) return name_scalar(var, scalar(value));
  if (isa<TensorType>(value->type)) return name_tensor(var, tensor(value));
  if (isa<TileType>(value->type) || isa<ArrayType>(value->type)) return name_tile(var, tile(value));
}

void FunctionEmitter::call(const Call& call, const Var* result) {
  const Rule* rule = rules().find(*call.op);
  if (!rule) {
    static const Rule none{nullptr, {}, "there is no rule for it", {}, nullptr};
    rule = &none;
  }
  const auto dtype = dtype_of(call);
  const bool expressible =
      rule->emit && (!dtype || rule->dtypes.holds(*dtype) || rule->dtypes.text().empty());
  if (expressible) return rule->emit(*this, call, result);
  std::string what = "`" + call.op->qualified() + "`";
  if (dtype) what += " of " + std::string(info(*dtype).name);
  refuse(call.span, what, rule->emit ? "it is written for " + rule->dtypes.text() : rule->becomes);
  if (!result) return;
  // A placeholder to continue with: there may be more to report.
  if (const auto* tuple = as<TupleType>(result->type)) {
    for (size_t i = 0; i < tuple->types.size(); ++i)
      name_tile(*result, in_buffer(storage_.buffers(*result)[i]), i);
  }
  if (isa<TileType>(result->type) || isa<ArrayType>(result->type))
    name_tile(*result, in_buffer(storage_.buffer(*result)));
  if (auto type = scalar_dtype(result->type)) name_scalar(*result, number(0, scalar_text(*type)));
  if (isa<CommCtxType>(result->type)) name_scalar(*result, number(0, "i64"));
  if (isa<TensorType>(result->type)) {
    for (const ExprRef& arg : call.args) {
      if (arg && isa<TensorType>(arg->type)) return name_tensor(*result, tensor(arg));
    }
  }
}

void FunctionEmitter::results(const Return& stmt) {
  size_t next = 0;
  for (const ExprRef& value : stmt.values) {
    if (!isa<ScalarType>(value->type)) continue;
    for (const KernelParameter& parameter : kernel.parameters) {
      if (parameter.kind != ParameterKind::Result || parameter.index != next) continue;
      Scalar result = scalar(value);
      if (result.type == "i1") result = named(pure("arith.extui " + text.name(result) + " : i1 to i8"), "i8");
      text.line("pto.store_scalar " + text.name(result) + ", %" + parameter.name + "[" +
                text.integer(0, "index") + "] : !pto.ptr<" + result.type + ">, " + result.type);
      write_back();
    }
    ++next;
  }
}

void FunctionEmitter::before_scalar_read(const Tensor& from, bool window) {
  const auto effects = param_effects(kernel.function->effects);
  const bool known = effects && from.parameter >= 0 && static_cast<size_t>(from.parameter) < effects->size();
  const bool written = !known || ((*effects)[static_cast<size_t>(from.parameter)] & EffectWrites) != 0;
  if (written) text.line("pto.fence.barrier_all #pto.fence_scope<gm>");
  if (written || window) text.line("pto.cmo.cacheinvalid all #pto.address_space<gm>");
}

void FunctionEmitter::write_back() {
  text.line("pto.cmo.cacheinvalid all #pto.address_space<gm>");
  text.line("pto.fence.barrier_all #pto.fence_scope<gm>");
}

// --- what is handed on

const ExprList& FunctionEmitter::yielded(const Block& body) const {
  const auto* yield = body.stmts.empty() ? nullptr : as<Yield>(body.stmts.back());
  return yield ? yield->values : nothing_;
}

std::vector<FunctionEmitter::Handed> FunctionEmitter::handed(const VarList& vars, const ExprList* init) {
  std::vector<Handed> found;
  for (size_t i = 0; i < vars.size(); ++i) {
    const Var& var = *vars[i];
    if (auto dtype = scalar_dtype(var.type)) found.push_back({&var, -1, scalar_text(*dtype)});
    if (!isa<TileType>(var.type)) continue;
    const passes::ValidShape& shape = valid.of(var);
    const passes::ValidShape* start = init ? &valid.of(*(*init)[i]) : nullptr;
    const passes::ExtentId ids[] = {shape.rows, shape.cols};
    for (int dimension : {0, 1}) {
      const passes::ExtentId id = ids[dimension];
      if (id == passes::full_extent) continue;
      if (start && id == (dimension == 0 ? start->rows : start->cols)) continue;
      const ExprRef expr = valid.expression(id);
      if (expr && (constant_value(expr) || !init)) {
        if (constant_value(expr) || known_here(expr)) continue;
      }
      found.push_back({&var, dimension, "index"});
    }
  }
  return found;
}

bool FunctionEmitter::known_here(const ExprRef& expr) const {
  struct Unknown : Visitor<Unknown> {
    const std::map<const Expr*, Scalar>& scalars;
    bool found = false;
    explicit Unknown(const std::map<const Expr*, Scalar>& known) : scalars(known) {}
    void visit(const Var& var) { found = found || !scalars.contains(&var); }
  };
  Unknown unknown(scalars_);
  unknown.walk(expr);
  return !unknown.found;
}

std::vector<Scalar> FunctionEmitter::handed_values(const std::vector<Handed>& handed, const VarList& vars,
                                                   const ExprList& values) {
  std::vector<Scalar> found;
  for (const Handed& one : handed) {
    const auto at =
        std::find_if(vars.begin(), vars.end(), [&](const VarRef& var) { return var.get() == one.var; });
    const ExprRef& value = values[static_cast<size_t>(at - vars.begin())];
    if (one.dimension < 0) {
      found.push_back(scalar(value));
    } else {
      found.push_back(one.dimension == 0 ? tile(value).rows : tile(value).cols);
    }
  }
  return found;
}

void FunctionEmitter::bind_handed(const std::vector<Handed>& handed, const VarList& vars,
                                  const std::vector<std::string>& names, const ExprList* init,
                                  const VarList* as) {
  for (size_t i = 0; i < vars.size(); ++i) {
    const Var& var = *vars[i];
    const Var* key = as ? (*as)[i].get() : &var;
    for (size_t k = 0; k < handed.size(); ++k) {
      if (handed[k].var == key && handed[k].dimension < 0) name_scalar(var, named(names[k], handed[k].type));
    }
    if (isa<ArrayType>(var.type)) name_tile(var, in_buffer(storage_.buffer(var)));
    if (!isa<TileType>(var.type)) continue;
    Tile in_memory = in_buffer(storage_.buffer(var));
    const passes::ValidShape& shape = valid.of(*key);
    auto extent = [&](int dimension, passes::ExtentId id, int64_t full) {
      for (size_t k = 0; k < handed.size(); ++k) {
        if (handed[k].var == key && handed[k].dimension == dimension) return named(names[k], "index");
      }
      if (id == passes::full_extent) return number(full);
      const ExprRef expr = valid.expression(id);
      if (expr && constant_value(expr)) return number(*constant_value(expr));
      if (!init) return index(expr);
      const Tile& start = tile((*init)[i]);
      return dimension == 0 ? start.rows : start.cols;
    };
    const auto& type = static_cast<const TileType&>(*var.type);
    if (in_memory.dynamic) {
      in_memory.rows = extent(0, shape.rows, type.rows());
      in_memory.cols = extent(1, shape.cols, type.cols());
    }
    name_tile(var, in_memory);
    // It has the extent that is handed on; the text says so where the tile is taken up.
    const bool changed = std::any_of(handed.begin(), handed.end(),
                                     [&](const Handed& one) { return one.var == key && one.dimension >= 0; });
    if (changed && in_memory.dynamic)
      text.line("pto.set_validshape " + in_memory.name + ", " + text.name(in_memory.rows) + ", " +
                text.name(in_memory.cols) + " : " + in_memory.type());
  }
}

void FunctionEmitter::copy_tiles(const VarList& to, const ExprList& values, const Span& at) {
  struct Copy {
    Tile from;
    int source, target;
    const Var* var;
  };
  std::vector<Copy> left;
  for (size_t i = 0; i < to.size(); ++i) {
    if (!isa<TileType>(to[i]->type) && !isa<ArrayType>(to[i]->type)) continue;
    Tile from = tile(values[i]);
    const int target = storage_.buffer(*to[i]);
    const bool here = from.name == in_buffer(target).name;
    if (from.mask) from = as_bytes(from);
    if (here && !from.dynamic && from.name == in_buffer(target).name) continue;
    if (from.started && from.started->integer == 0) continue;  // nothing to copy
    left.push_back({from, here ? target : source_buffer(values[i]), target, to[i].get()});
  }
  while (!left.empty()) {
    auto next = std::find_if(left.begin(), left.end(), [&](const Copy& copy) {
      return std::none_of(left.begin(), left.end(),
                          [&](const Copy& other) { return &other != &copy && other.source == copy.target; });
    });
    if (next == left.end()) {  // in a circle: one goes aside
      const Tile aside = temporary_like(left[0].from);
      copy(left[0].from, aside, at);
      left[0].from = aside;
      left[0].source = -1;
      continue;
    }
    const Copy one = *next;
    left.erase(next);
    if (one.from.form.space == MemorySpace::DDR) {
      copy_array(one.from, in_buffer(one.target));
    } else if (one.from.name == in_buffer(one.target).name) {
      if (one.from.dynamic) destination(*one.var, one.from.rows, one.from.cols);
    } else {
      copy(one.from, destination(*one.var, one.from.rows, one.from.cols), at);
    }
  }
}

int FunctionEmitter::source_buffer(const ExprRef& value) const {
  auto part = parts_.find(value.get());
  if (part != parts_.end()) return storage_.buffers(*part->second.first)[part->second.second];
  return storage_.buffer(*value);
}

void FunctionEmitter::copy_array(const Tile& from, const Tile& to) {
  if (from.name == to.name) return;
  const std::string type = array_type(from);
  for (int64_t i = 0; i < from.form.cols; ++i) {
    const std::string at = text.integer(i, "index"), value = text.fresh("element");
    text.line(value + " = pto.local_array_get " + from.name + "[" + at + "] : " + type + " -> " +
              from.form.element);
    text.line("pto.local_array_set " + to.name + "[" + at + "], " + value + " : " + type + ", " +
              from.form.element);
  }
}

std::string FunctionEmitter::array_type(const Tile& array) const {
  return "!pto.local_array<" + std::to_string(array.form.cols) + "x" + array.form.element + ">";
}

// Carries are copied one after the other: what is read after it has been written is kept apart first.
std::vector<Scalar> FunctionEmitter::in_order(std::vector<Scalar> values,
                                              const std::vector<std::string>& carries) {
  for (size_t j = 0; j < values.size(); ++j) {
    for (size_t i = 0; i < j; ++i) {
      if (values[j].name == carries[i] && !values[j].constant()) {
        values[j] = kept_apart(values[j]);
        break;
      }
    }
  }
  return values;
}

std::string FunctionEmitter::typed_list(const std::vector<Scalar>& values) {
  std::string names, types;
  for (const Scalar& value : values) {
    names += (names.empty() ? "" : ", ") + text.name(value);
    types += (types.empty() ? "" : ", ") + value.type;
  }
  return names + " : " + types;
}

void FunctionEmitter::yield(const std::vector<Scalar>& values) {
  if (!values.empty()) text.line("scf.yield " + typed_list(values));
}

void FunctionEmitter::bind_tensors(const VarList& vars, const ExprList& values) {
  for (size_t i = 0; i < vars.size(); ++i) {
    if (isa<TensorType>(vars[i]->type)) name_tensor(*vars[i], tensor(values[i]));
    if (isa<CommCtxType>(vars[i]->type)) name_scalar(*vars[i], scalar(values[i]));
  }
}

void FunctionEmitter::same_tensors(const VarList& vars, const ExprList& values, const Span& at) {
  for (size_t i = 0; i < vars.size(); ++i) {
    if (isa<TupleType>(vars[i]->type))
      refuse(at, "a tuple that a loop or branch hands on", "hand on its elements");
    if (!isa<TensorType>(vars[i]->type)) continue;
    const Tensor& before = tensor(vars[i]);
    const Tensor& after = tensor(values[i]);
    auto equal = [](const std::vector<Scalar>& a, const std::vector<Scalar>& b) {
      return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Scalar& x, const Scalar& y) {
        return x.name == y.name && x.integer == y.integer;
      });
    };
    if (before.pointer != after.pointer || !equal(before.extents, after.extents) ||
        !equal(before.strides, after.strides)) {
      refuse(at, "`" + vars[i]->name_hint + "`, a tensor that is another one afterwards,",
             "loops and branches hand on no pointers")
          .with_help("write to one tensor at an offset");
    }
  }
}

namespace {

std::string result_types(const std::vector<std::string>& types) {
  std::string text;
  for (const std::string& type : types) text += (text.empty() ? "" : ", ") + type;
  return "(" + text + ")";
}

// "%r" or "%r:2", and the names of the values.
std::string results_of(const std::string& name, size_t count, std::vector<std::string>& names) {
  if (count == 1) names.push_back(name);
  for (size_t i = 0; count > 1 && i < count; ++i) names.push_back(name + "#" + std::to_string(i));
  return count > 1 ? name + ":" + std::to_string(count) : name;
}

}  // namespace

// The side that is known to be taken, in the place of the branch.
void FunctionEmitter::take_side(const If& branch, bool holds) {
  const BlockRef& body = holds ? branch.then_body : branch.else_body;
  if (!body) return;
  block(*body);
  const ExprList& values = yielded(*body);
  const int before = now_;
  if (!values.empty()) now_ = storage_.position(*body->stmts.back());
  copy_tiles(branch.results, values, branch.span);
  now_ = before;
  bind_tensors(branch.results, values);
  for (size_t i = 0; i < branch.results.size(); ++i) {
    const Var& result = *branch.results[i];
    if (isa<ScalarType>(result.type)) name_scalar(result, scalar(values[i]));
    if (isa<ArrayType>(result.type)) name_tile(result, in_buffer(storage_.buffer(result)));
    if (!isa<TileType>(result.type)) continue;
    Tile in_memory = in_buffer(storage_.buffer(result));
    const Tile& value = tile(values[i]);
    if (in_memory.dynamic) {
      in_memory.rows = value.rows;
      in_memory.cols = value.cols;
    }
    in_memory.started = value.started;
    name_tile(result, in_memory);
  }
}

void FunctionEmitter::statement(const If& branch) {
  const Scalar condition = scalar(branch.condition);
  if (condition.integer) return take_side(branch, *condition.integer != 0);
  const auto passed = handed(branch.results, nullptr);
  std::vector<std::string> types, names;
  for (const Handed& one : passed) types.push_back(one.type);
  std::string head = "scf.if " + text.name(condition);
  if (!passed.empty()) {
    const std::string name = text.fresh(passed[0].var->name_hint);
    head = results_of(name, passed.size(), names) + " = " + head + " -> " + result_types(types);
  }
  text.open(head + " {");
  const std::vector<std::string> flags = flags_for_sums(branch.results, nullptr);
  bool starts = false;
  const ExprList* tensors = nullptr;
  for (const BlockRef& body : {branch.then_body, branch.else_body}) {
    if (!body) continue;
    if (tensors || body == branch.else_body) text.middle("} else {");
    enter();
    block(*body);
    const ExprList& values = yielded(*body);
    set_flags(flags, values);
    for (const ExprRef& value : values)
      starts = starts || (isa<TileType>(value->type) && tile(value).started);
    const int before = now_;
    if (!values.empty()) now_ = storage_.position(*body->stmts.back());
    copy_tiles(branch.results, values, branch.span);
    yield(handed_values(passed, branch.results, values));
    now_ = before;
    if (!tensors) bind_tensors(branch.results, values);
    if (tensors) same_tensors(branch.results, values, branch.span);
    tensors = &values;
    leave();
  }
  text.close();
  bind_handed(passed, branch.results, names, nullptr);
  if (starts) read_flags(flags, branch.results);
}

void FunctionEmitter::statement(const For& loop) {
  const Scalar start = index(loop.start), stop = index(loop.stop), step = index(loop.step);
  copy_tiles(loop.iter_args, loop.init_values, loop.span);
  const auto passed = handed(loop.iter_args, &loop.init_values);
  const std::vector<Scalar> init = handed_values(passed, loop.iter_args, loop.init_values);
  const bool counts_up = step.integer && *step.integer > 0;
  Scalar first = start, last = stop, by = step;
  if (!counts_up) {
    trap_if(compare("eq", step, number(0)));
    const Scalar upwards = compare("sgt", step, number(0));
    Scalar up, down;
    if (upwards.integer != 0) up = arith("ceildivsi", sub(stop, start), step);
    if (upwards.integer != 1) down = arith("ceildivsi", sub(start, stop), sub(number(0), step));
    last = upwards.integer ? (*upwards.integer ? up : down) : select(upwards, up, down);
    first = number(0);
    by = number(1);
  }
  const std::string counter = text.fresh(loop.loop_var->name_hint);
  std::string head =
      "scf.for " + counter + " = " + text.name(first) + " to " + text.name(last) + " step " + text.name(by);
  std::vector<std::string> names, carries, types;
  if (!passed.empty()) {
    const std::string result = text.fresh(passed[0].var->name_hint);
    head = results_of(result, passed.size(), names) + " = " + head + " iter_args(";
    for (size_t i = 0; i < passed.size(); ++i) {
      carries.push_back(text.fresh(passed[i].var->name_hint));
      types.push_back(passed[i].type);
      head += (i == 0 ? "" : ", ") + carries[i] + " = " + text.name(init[i]);
    }
    head += ") -> " + result_types(types);
  }
  std::vector<std::string> flags = flags_for_sums(loop.iter_args, &loop.init_values);
  for (size_t i = 0; i < flags.size(); ++i) {
    if (adds_in_each_round(loop, i)) flags[i].clear();
  }
  set_flags(flags, loop.init_values);
  text.open(head + " {");
  enter();
  bind_handed(passed, loop.iter_args, carries, &loop.init_values);
  bind_tensors(loop.iter_args, loop.init_values);
  Scalar at = named(counter, "index");
  if (!counts_up) at = add(start, mul(at, step));
  name_scalar(*loop.loop_var, as_integer(at, scalar_text(*scalar_dtype(loop.loop_var->type))));
  started_in_rounds(loop, loop.iter_args, [&] { return compare("ne", named(counter, "index"), first); });
  read_flags(flags, loop.iter_args);
  block(*loop.body);
  const ExprList& values = yielded(*loop.body);
  set_flags(flags, values);
  const int before = now_;
  if (!values.empty()) now_ = storage_.position(*loop.body->stmts.back());
  copy_tiles(loop.iter_args, values, loop.span);
  yield(in_order(handed_values(passed, loop.iter_args, values), carries));
  now_ = before;
  same_tensors(loop.iter_args, values, loop.span);
  leave();
  text.close();
  bind_handed(passed, loop.results, names, &loop.init_values, &loop.iter_args);
  bind_tensors(loop.results, loop.init_values);
  started_in_rounds(loop, loop.results, [&] { return compare("slt", first, last); });
  read_flags(flags, loop.results);
}

// --- sums that start as zeros in Acc

Scalar FunctionEmitter::holds_sum(const ExprRef& value) {
  return tile(value).started.value_or(number(1, "i1"));
}

bool FunctionEmitter::adds_in_each_round(const For& loop, size_t i) const {
  const ExprList& values = yielded(*loop.body);
  return std::any_of(loop.body->stmts.begin(), loop.body->stmts.end(), [&](const StmtRef& stmt) {
    const auto* assign = as<Assign>(stmt);
    const auto* call = assign && assign->var == values[i] ? as<Call>(assign->value) : nullptr;
    return call && (call->op->form == OpForm::Matmul || call->op->form == OpForm::MatmulAcc ||
                    call->op->form == OpForm::MatmulBias);
  });
}

void FunctionEmitter::started_in_rounds(const For& loop, const VarList& vars,
                                        const std::function<Scalar()>& condition) {
  for (size_t i = 0; i < vars.size(); ++i) {
    if (!isa<TileType>(vars[i]->type) || !tile(loop.init_values[i]).started) continue;
    if (!adds_in_each_round(loop, i)) continue;
    const Scalar started = arith("ori", condition(), *tile(loop.init_values[i]).started);
    Tile sum = tile(vars[i]);
    sum.started = started;
    if (started.integer == 1) sum.started.reset();
    name_tile(*vars[i], sum);
  }
}

// `init`: of a loop, what it starts with; null in branches, where either side may be such a sum.
std::vector<std::string> FunctionEmitter::flags_for_sums(const VarList& vars, const ExprList* init) {
  std::vector<std::string> flags(vars.size());
  for (size_t i = 0; i < vars.size(); ++i) {
    if (!isa<TileType>(vars[i]->type) || memory.of(*vars[i]) != MemorySpace::Acc) continue;
    if (init && !tile((*init)[i]).started) continue;
    flags[i] = text.fresh("started");
    text.declare(flags[i], "pto.declare_local_array -> !pto.local_array<1xi32>");
  }
  return flags;
}

void FunctionEmitter::set_flags(const std::vector<std::string>& flags, const ExprList& values) {
  for (size_t i = 0; i < flags.size(); ++i) {
    if (flags[i].empty()) continue;
    const Scalar holds = holds_sum(values[i]);
    const Scalar bits = holds.integer
                            ? number(*holds.integer, "i32")
                            : named(pure("arith.extui " + text.name(holds) + " : i1 to i32"), "i32");
    text.line_for(flags[i], "pto.local_array_set " + flags[i] + "[" + text.integer(0, "index") + "], " +
                                text.name(bits) + " : !pto.local_array<1xi32>, i32");
  }
}

void FunctionEmitter::read_flags(const std::vector<std::string>& flags, const VarList& vars) {
  for (size_t i = 0; i < flags.size(); ++i) {
    if (flags[i].empty()) continue;
    const Scalar bits = named(text.fresh("holds"), "i32");
    text.line(bits.name + " = pto.local_array_get " + flags[i] + "[" + text.integer(0, "index") +
              "] : !pto.local_array<1xi32> -> i32");
    Tile sum = tile(vars[i]);
    sum.started = compare("ne", bits, number(0, "i32"));
    name_tile(*vars[i], sum);
  }
}

// A round is written in front of the condition, inside a branch: what `before` defines is known there.
void FunctionEmitter::statement(const While& loop) {
  copy_tiles(loop.iter_args, loop.init_values, loop.span);
  auto passed = handed(loop.iter_args, &loop.init_values);
  std::vector<Scalar> init = handed_values(passed, loop.iter_args, loop.init_values);
  std::vector<std::string> names, carries, onward, types;
  std::string list, arguments;
  const bool empty = passed.empty();  // a loop of the dialect carries something
  const size_t count = empty ? 1 : passed.size();
  if (empty) init.push_back(number(0, "i32"));
  for (size_t i = 0; i < count; ++i) {
    const std::string hint = empty ? "round" : passed[i].var->name_hint;
    carries.push_back(text.fresh(hint));
    onward.push_back(text.fresh(hint));
    types.push_back(empty ? "i32" : passed[i].type);
    list += (i == 0 ? "" : ", ") + carries[i] + " = " + text.name(init[i]);
    arguments += (i == 0 ? "" : ", ") + onward[i] + ": " + types[i];
  }
  const std::string name = text.fresh(empty ? "rounds" : passed[0].var->name_hint);
  const std::string to = count == 1 ? types[0] : result_types(types);
  const std::vector<std::string> flags = flags_for_sums(loop.iter_args, &loop.init_values);
  set_flags(flags, loop.init_values);
  text.open(results_of(name, count, names) + " = scf.while (" + list + ") : " + result_types(types) + " -> " +
            to + " {");
  enter();
  bind_handed(passed, loop.iter_args, carries, &loop.init_values);
  bind_tensors(loop.iter_args, loop.init_values);
  read_flags(flags, loop.iter_args);
  block(*loop.before);
  const Scalar condition = scalar(loop.condition);
  std::vector<Scalar> current, next;
  for (size_t i = 0; i < count; ++i) current.push_back(named(carries[i], types[i]));
  const ExprList& values = yielded(*loop.body);
  const bool nothing = loop.body->stmts.empty() || (loop.body->stmts.size() == 1 && !values.empty() && empty);
  std::vector<Scalar> handed_over = current;
  if (!nothing) {
    std::vector<std::string> updated;
    std::string head = "scf.if " + text.name(condition);
    if (!empty)
      head = results_of(text.fresh(passed[0].var->name_hint), count, updated) + " = " + head + " -> " +
             result_types(types);
    text.open(head + " {");
    enter();
    block(*loop.body);
    const int before = now_;
    if (!values.empty()) now_ = storage_.position(*loop.body->stmts.back());
    set_flags(flags, values);
    copy_tiles(loop.iter_args, values, loop.span);
    if (!empty) yield(handed_values(passed, loop.iter_args, values));
    now_ = before;
    same_tensors(loop.iter_args, values, loop.span);
    leave();
    if (!empty) {
      text.middle("} else {");
      yield(current);
      handed_over.clear();
      for (size_t i = 0; i < count; ++i) handed_over.push_back(named(updated[i], types[i]));
    }
    text.close();
  }
  text.line("scf.condition(" + text.name(condition) + ") " + typed_list(handed_over));
  leave();
  text.middle("} do {");
  text.middle("^bb0(" + arguments + "):");
  std::vector<Scalar> back;
  for (size_t i = 0; i < count; ++i) back.push_back(named(onward[i], types[i]));
  yield(back);
  text.close();
  if (empty) names.clear();
  bind_handed(passed, loop.results, names, &loop.init_values, &loop.iter_args);
  bind_tensors(loop.results, loop.init_values);
  read_flags(flags, loop.results);
}

}  // namespace tilewire::target::pto
