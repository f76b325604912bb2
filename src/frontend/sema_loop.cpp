// Loops: names whose values live across iterations become carried values.
#include "frontend/sema_loop.h"

#include <algorithm>
#include <type_traits>

#include "frontend/attributes.h"
#include "frontend/sema_branch.h"
#include "frontend/sema_expr.h"
#include "frontend/sema_form.h"
#include "frontend/sema_function.h"
#include "frontend/sema_index.h"
#include "frontend/sema_name.h"
#include "frontend/sema_operator.h"
#include "frontend/sema_stmt.h"
#include "frontend/sema_task.h"
#include "ir/printer.h"
#include "ir/structural.h"
#include "support/diagnostics/sema.h"

namespace tilewire::frontend {
namespace {

// A name carried by a loop.
struct Carried {
  Symbol name = 0;
  ir::ExprRef init;
  ir::VarRef iter_arg;
};

// A loop whose body is about to be read.
struct OpenLoop {
  size_t start = 0;  // mark of the names before it
  std::vector<Carried> carried = {};
  size_t explicit_count = 0;  // how many of them come from `init_values`, the first ones
  Explicit yield = {};
  bool has_rank_variable = false;
};

std::optional<ir::LoopKind> loop_kind(Form form) {
  switch (form) {
    case Form::Range:
      return ir::LoopKind::Range;
    case Form::Parallel:
      return ir::LoopKind::Parallel;
    case Form::Unroll:
      return ir::LoopKind::Unroll;
    case Form::Pipeline:
      return ir::LoopKind::Pipeline;
    default:
      return std::nullopt;
  }
}

// Whether no value is missing after an error.
bool complete(const ir::ExprList& values) {
  return std::all_of(values.begin(), values.end(), [](const ir::ExprRef& value) { return value != nullptr; });
}

}  // namespace

void range_loop(Sema& sema, const Stmt& s, const Expr& call, ir::LoopKind kind);
void while_form(Sema& sema, const Stmt& s, const Expr& call);
void guarded_loop(Sema& sema, const Stmt& s, const LoopHeader* header, const Expr& target);
void check_step(Sema& sema, const LoopHeader& header, const Span& at);
ir::ExprRef range_condition(Sema& sema, const LoopHeader& header, const ir::VarRef& index,
                            const ir::ExprRef& running, const Stmt& s);
ir::ExprRef guarded_condition(Sema& sema, const Expr& e, const ir::ExprRef& running, const Stmt& s);
ir::ExprRef as_index(Sema& sema, const ir::ExprRef& value);
bool loop_keyword(Sema& sema, const Keyword& keyword, const std::string& form, LoopHeader& header);
const Expr* loop_targets(Sema& sema, const Expr& target, std::vector<const Expr*>& carried);
void enter_loop(Sema& sema, const ir::Var* rank_variable);
std::vector<Carried> open_explicit(Sema& sema, const std::vector<const Expr*>& names,
                                   const ir::ExprList& init_values);
void open_carries(Sema& sema, const std::vector<Symbol>& names, const std::vector<Symbol>& explicit_results,
                  std::vector<Carried>& carried);
void carry(Sema& sema, Symbol name, ir::ExprRef init, std::vector<Carried>& carried);
ir::ExprRef end_of_round(Sema& sema, const Carried& carried, const std::string& text, const Stmt& s);
std::string carry_help(const std::string& name, const ir::TypeRef& before, const ir::TypeRef& after);
template <class Loop, class Body>
void read_body(Sema& sema, Ref<Loop> loop, OpenLoop& open, const Stmt& s, const Body& body);
bool is_cond(Sema& sema, const Stmt& s);
ir::ExprRef cond_value(Sema& sema, const Expr& call);

void for_loop(Sema& sema, const Stmt& s) {
  const Expr& iterable = *s.value;
  auto form = iterable.kind == ExprKind::Call ? form_of(sema, *iterable.left) : std::nullopt;
  if (form == Form::Spmd) return spmd_scope(sema, s, iterable, s.targets[0]);
  if (form == Form::While) return while_form(sema, s, iterable);
  if (auto kind = form ? loop_kind(*form) : std::nullopt) return range_loop(sema, s, iterable, *kind);
  size_t before = sema.diags.error_count();
  Value value = eval(sema, iterable);
  if (sema.diags.error_count() == before && !value.is_error()) {
    sema.report(diag::loop_iterable, iterable.range, {describe(value)})
        .with_help(
            "write `for i in pl.range(n):`, or loop over pl.parallel, pl.unroll, pl.pipeline or pl.spmd");
  }
  skip_loop(sema, s);
}

bool loop_bounds(Sema& sema, const Expr& call, LoopHeader& header) {
  std::string form(sema.current_scope->tree->text(call.left->range));
  if (call.items.empty() || call.items.size() > 3) {
    sema.report(diag::range_arguments, call.range, {form, std::to_string(call.items.size())})
        .with_help("write `" + form + "(stop)`, `" + form + "(start, stop)` or `" + form +
                   "(start, stop, step)`");
    return false;
  }
  ir::ExprList bounds;
  bool ok = true;
  for (const Expr* item : call.items) {
    bounds.push_back(index_expr(sema, eval(sema, *item), sema.span(*item), "a bound of a loop"));
    ok = ok && bounds.back();
  }
  for (const Keyword& keyword : call.keywords) ok = loop_keyword(sema, keyword, form, header) && ok;
  if (!ok) return false;
  Span at = sema.span(call);
  header.start = bounds.size() > 1 ? bounds[0] : ir::ExprRef(ir::const_index(0, at));
  header.stop = bounds.size() > 1 ? bounds[1] : bounds[0];
  header.step = bounds.size() > 2 ? bounds[2] : ir::ExprRef(ir::const_index(1, at));
  if (ir::constant_value(header.step) != 0) return true;
  sema.report(diag::range_step, call.items[2]->range).with_help("write a positive or a negative step");
  return false;
}

bool loop_keyword(Sema& sema, const Keyword& keyword, const std::string& form, LoopHeader& header) {
  std::string_view name = sema.current_scope->tree->name(keyword.name);
  Value value = eval(sema, *keyword.value);
  if (value.is_error()) return false;
  if (name == "init_values") {
    const auto* list = value.get<ListValue>();
    if (!list) {
      sema.report(diag::init_values, keyword.value->range, {describe(value)})
          .with_help("write `init_values=(x, y)`");
      return false;
    }
    for (const Value& item : *list->items) {
      header.init_values.push_back(operand(sema, item, sema.span(*keyword.value)));
      if (!header.init_values.back()) return false;
    }
    return true;
  }
  size_t before = sema.diags.error_count();
  if (set_attribute(sema, header, name, value, keyword, form)) return sema.diags.error_count() == before;
  sema.report(diag::unknown_keyword, keyword.name_range, {form, std::string(name)})
      .with_help(form == "pl.pipeline" ? keywords_help<ir::For>({"init_values"})
                                       : "write `init_values=(x, y)`, its only keyword");
  return false;
}

void range_loop(Sema& sema, const Stmt& s, const Expr& call, ir::LoopKind kind) {
  Ref<ir::For> loop = ir::make_empty<ir::For>();
  LoopHeader header;
  header.counted = loop.get();
  std::vector<const Expr*> carried_names;
  const Expr* index_name = loop_targets(sema, *s.targets[0], carried_names);
  bool bounds_ok = loop_bounds(sema, call, header);
  if (!index_name || !bounds_ok) return skip_loop(sema, s);
  if (loop->stage != 0 && kind != ir::LoopKind::Pipeline) {
    sema.report(diag::stage_without_pipeline, call.range).with_help("write `pl.pipeline(..., stage=n)`");
  }
  if (loop->stage < 0 || (kind == ir::LoopKind::Pipeline && loop->stage == 0)) {
    sema.report(diag::pipeline_stage, call.range).with_help("write `pl.pipeline(n, stage=2)`");
    return skip_loop(sema, s);
  }
  if (carried_names.size() != header.init_values.size()) {
    sema.report(diag::loop_carries, s.targets[0]->range,
                {std::to_string(carried_names.size()), std::to_string(header.init_values.size())})
        .with_help("write `for i, (a, b) in pl.range(n, init_values=(x, y)):`");
    return skip_loop(sema, s);
  }
  if (leaves_loop(s.body)) {
    if (kind != ir::LoopKind::Range || !carried_names.empty()) {
      sema.report(diag::break_not_allowed, s.range,
                  {std::string(sema.current_scope->tree->text(call.left->range))})
          .with_help("loop over `pl.range` to use `break` and `continue`");
      return skip_loop(sema, s);
    }
    return guarded_loop(sema, s, &header, *index_name);
  }
  size_t start = sema.mark();
  loop->loop_kind = kind;
  loop->start = header.start;
  loop->stop = header.stop;
  loop->step = header.step;
  loop->loop_var = ir::make<ir::Var>(sema.span(*index_name), sema.name_of(index_name->name),
                                     ir::scalar_type(ir::DType::Index));
  loop->span = sema.span(s.range);
  OpenLoop open{start};
  std::span<const Stmt* const> body = s.body;
  open.yield = take_explicit_yield(sema, body);
  open.carried = open_explicit(sema, carried_names, header.init_values);
  open.explicit_count = open.carried.size();
  open_carries(sema, sema.frame->carries.of(s), open.yield.names, open.carried);
  bind(sema, index_name->name, ir::ExprRef(loop->loop_var));
  open.has_rank_variable = kind == ir::LoopKind::Range;
  enter_loop(sema, open.has_rank_variable ? loop->loop_var.get() : nullptr);
  read_body(sema, std::move(loop), open, s, [&] { block(sema, body); });
}

// `i` or `i, (a, b)`; null after an error.
const Expr* loop_targets(Sema& sema, const Expr& target, std::vector<const Expr*>& carried) {
  if (target.kind == ExprKind::Name) return &target;
  bool shape = target.kind == ExprKind::Tuple && target.items.size() == 2 &&
               target.items[0]->kind == ExprKind::Name &&
               (target.items[1]->kind == ExprKind::Tuple || target.items[1]->kind == ExprKind::List);
  if (shape) {
    for (const Expr* item : target.items[1]->items) {
      shape = shape && item->kind == ExprKind::Name;
      carried.push_back(item);
    }
  }
  if (shape) return target.items[0];
  sema.report(diag::loop_target, target.range)
      .with_help("write `for i in pl.range(n):` or `for i, (a, b) in pl.range(n, init_values=(x, y)):`");
  return nullptr;
}

void skip_loop(Sema& sema, const Stmt& s) {
  for (const Expr* target : s.targets) bind_error(sema, *target);
  for (Symbol name : assigned_names(s.body)) bind(sema, name, Value());
}

void enter_loop(Sema& sema, const ir::Var* rank_variable) {
  ++sema.fn->loop_depth;
  ++sema.frame->loop_depth;
  if (rank_variable) sema.fn->rank_variables.push_back(rank_variable);
  sema.loop_flags.push_back({sema.frame->active_flag, sema.frame->running_flag});
  sema.frame->active_flag = sema.frame->running_flag = 0;
}

void exit_loop(Sema& sema, bool pushed_rank_variable) {
  --sema.fn->loop_depth;
  --sema.frame->loop_depth;
  if (pushed_rank_variable) sema.fn->rank_variables.pop_back();
  std::tie(sema.frame->active_flag, sema.frame->running_flag) = sema.loop_flags.back();
  sema.loop_flags.pop_back();
}

std::vector<Carried> open_explicit(Sema& sema, const std::vector<const Expr*>& names,
                                   const ir::ExprList& init_values) {
  std::vector<Carried> carried;
  for (size_t i = 0; i < names.size(); ++i) {
    Carried c{names[i]->name, init_values[i], nullptr};
    c.iter_arg = ir::make<ir::Var>(sema.span(*names[i]), sema.name_of(c.name), c.init->type);
    if (int root = root_of(sema, c.init.get()); root >= 0) sema.fn->roots[c.iter_arg.get()] = root;
    bind(sema, c.name, ir::ExprRef(c.iter_arg));
    carried.push_back(std::move(c));
  }
  return carried;
}

void open_carries(Sema& sema, const std::vector<Symbol>& names, const std::vector<Symbol>& explicit_results,
                  std::vector<Carried>& carried) {
  for (Symbol name : names) {
    if (!sema.is_bound(name)) continue;  // first assigned inside: not visible after the loop
    if (std::find(explicit_results.begin(), explicit_results.end(), name) != explicit_results.end()) continue;
    const Value& value = sema.frame->env[name];
    if (!value.expr() && !value.is_number()) continue;  // known things stay what they are; see close_carries
    carry(sema, name, to_expr(sema, value, Span{}), carried);
  }
}

void carry(Sema& sema, Symbol name, ir::ExprRef init, std::vector<Carried>& carried) {
  bool flag = is_flag(sema, name);
  Carried c{name, std::move(init), nullptr};
  c.iter_arg =
      ir::make<ir::Var>(c.init->span, flag ? std::string("running") : sema.name_of(name), c.init->type);
  if (int root = root_of(sema, c.init.get()); root >= 0) sema.fn->roots[c.iter_arg.get()] = root;
  bind(sema, name, ir::ExprRef(c.iter_arg));
  carried.push_back(std::move(c));
}

// The values at the end of an iteration, one per carried name; null where an error was reported.
ir::ExprList close_carries(Sema& sema, const std::vector<Carried>& carried, size_t explicit_count,
                           const Explicit& yield, const Stmt& s) {
  ir::ExprList values;
  if (explicit_count != yield.values.size() && !yield.failed) {
    sema.report(diag::yield_values, yield.stmt ? yield.stmt->range : s.range,
                {std::to_string(explicit_count), std::to_string(yield.values.size())})
        .with_help("end the body with a `pl.yield_` of one value per carried name");
  }
  for (size_t i = 0; i < carried.size(); ++i) {
    const Carried& c = carried[i];
    bool flag = is_flag(sema, c.name);
    std::string text = flag ? "running" : sema.name_of(c.name);
    ir::ExprRef value;
    if (i < explicit_count) {
      value = i < yield.values.size() ? yield.values[i] : nullptr;
    } else {
      value = end_of_round(sema, c, text, s);
    }
    if (value && !same_type(c.init->type, value->type)) {
      sema.report(diag::carry_changes_type, s.range,
                  {text, ir::to_string(c.init->type), ir::to_string(value->type)})
          .with_note("its value at the end of an iteration is made here", value->span)
          .with_help(carry_help(text, c.init->type, value->type));
      value = nullptr;
    }
    values.push_back(std::move(value));
  }
  return values;
}

// What to write for a name whose type changes in a loop. A sum of tiles cannot start from a number.
std::string carry_help(const std::string& name, const ir::TypeRef& before, const ir::TypeRef& after) {
  const auto* tile = ir::as<ir::TileType>(after);
  if (!tile || !ir::isa<ir::ScalarType>(before)) {
    return "make both the same type with `pl.cast` or `pl.const(value, dtype)`, or use another name in the "
           "loop";
  }
  std::string shape;
  for (const ir::ExprRef& extent : tile->shape) shape += (shape.empty() ? "" : ", ") + ir::to_string(extent);
  return "start from a tile: `" + name + " = pl.full([" + shape + "], dtype=pl." +
         std::string(ir::info(tile->dtype).name) + ", value=0)`";
}

ir::ExprRef end_of_round(Sema& sema, const Carried& c, const std::string& text, const Stmt& s) {
  Value now = sema.frame->env[c.name];
  if (now.is_error()) return nullptr;
  if (const auto* unusable = now.get<UnusableValue>()) {
    sema.report(diag::unusable_name, s.range, {text, unusable->why}).with_help(unusable->help);
    return nullptr;
  }
  auto dtype = ir::scalar_dtype(c.init->type);
  if (dtype && now.is_number()) {
    bool takes = now.is<int64_t>()  ? ir::is_integer(*dtype) || ir::is_float(*dtype)
                 : now.is<double>() ? ir::is_float(*dtype)
                                    : *dtype == ir::DType::Bool;
    if (takes) {
      Value typed = typed_constant(sema, now, *dtype, sema.span(s.range));
      return typed.expr() ? *typed.get<ir::ExprRef>() : nullptr;
    }
  }
  if (!now.expr() && !now.is_number()) {
    sema.report(diag::carried_known, s.range, {text, describe(now)})
        .with_help(
            "assign it to another name: only run-time values, such as numbers and tiles, can change in a "
            "loop");
    return nullptr;
  }
  return to_expr(sema, now, sema.span(s.range));
}

// Result variables, and what the names mean after the loop.
template <class Loop>
void finish_loop(Sema& sema, Loop& loop, const OpenLoop& open, const Stmt& s) {
  for (size_t i = 0; i < open.carried.size(); ++i) {
    const Carried& c = open.carried[i];
    loop.init_values.push_back(c.init);
    loop.iter_args.push_back(c.iter_arg);
    bool flag = is_flag(sema, c.name);
    bool is_explicit = i < open.explicit_count;
    Symbol result_name = is_explicit ? (i < open.yield.names.size() ? open.yield.names[i] : 0)
                         : flag      ? 0
                                     : c.name;
    std::string hint = result_name ? sema.name_of(result_name) : c.iter_arg->name_hint;
    ir::VarRef result = ir::make<ir::Var>(sema.span(s.range), hint, c.iter_arg->type);
    if (int root = root_of(sema, c.iter_arg.get()); root >= 0) sema.fn->roots[result.get()] = root;
    loop.results.push_back(result);
    if (result_name) bind(sema, result_name, ir::ExprRef(result));
  }
  for (Symbol name : sema.frame->carries.of(s)) {
    if (sema.is_bound(name)) continue;
    std::string text = sema.name_of(name);
    bind(sema, name,
         UnusableValue{"may be undefined here: it is assigned only inside the loop",
                       "give `" + text + "` a value before the loop", sema.span(s.range)});
  }
}

// The rest of a loop that has been entered: its body, the carried values, and the loop itself.
template <class Loop, class Body>
void read_body(Sema& sema, Ref<Loop> loop, OpenLoop& open, const Stmt& s, const Body& body) {
  ir::ExprList values;
  {
    BlockGuard guard(sema);
    body();
    eval_explicit_yield(sema, open.yield);
    values = close_carries(sema, open.carried, open.explicit_count, open.yield, s);
    if (!open.carried.empty() && complete(values)) {
      sema.emit(ir::make<ir::Yield>(open.yield.stmt ? open.yield.span : sema.span(s.range), values));
    }
    loop->body = guard.take(sema.span(s.range));
  }
  exit_loop(sema, open.has_rank_variable);
  undo_to(sema, open.start);
  finish_loop(sema, *loop, open, s);
  bool ok = complete(values);
  if constexpr (std::is_same_v<Loop, ir::While>) ok = ok && loop->condition;
  if (ok) sema.emit(ir::finish_node(std::move(loop)));
}

// A loop with `break` or `continue`: a while over flags. `running` falls with break, `active` with both.
void guarded_loop(Sema& sema, const Stmt& s, const LoopHeader* header, const Expr& target) {
  OpenLoop open{sema.mark()};
  std::vector<Carried>& carried = open.carried;
  Ref<ir::While> loop = ir::make_empty<ir::While>();
  loop->span = sema.span(s.range);
  Symbol index = 0, running = flag_name(sema);
  if (header) {
    index = flag_name(sema);
    ir::ExprRef first = as_index(sema, header->start);
    Carried c{
        index, first,
        ir::make<ir::Var>(sema.span(target), sema.name_of(target.name), ir::scalar_type(ir::DType::Index))};
    carried.push_back(c);
    check_step(sema, *header, sema.span(s.range));
  }
  Symbol active = flag_name(sema);
  carry(sema, running, ir::make<ir::ConstBool>(sema.span(s.range), true), carried);
  open_carries(sema, sema.frame->carries.of(s), {}, carried);
  ir::ExprRef running_now = *sema.frame->env[running].get<ir::ExprRef>();
  {
    BlockGuard guard(sema);
    loop->condition = header ? range_condition(sema, *header, carried[0].iter_arg, running_now, s)
                             : guarded_condition(sema, *s.value, running_now, s);
    loop->before = guard.take(sema.span(s.range));
  }
  enter_loop(sema, nullptr);
  read_body(sema, std::move(loop), open, s, [&] {
    sema.frame->active_flag = active;
    sema.frame->running_flag = running;
    bind(sema, active, true);
    if (header) bind(sema, target.name, ir::ExprRef(carried[0].iter_arg));
    block(sema, s.body);
    if (!header) return;
    bind(sema, index,
         ir::ExprRef(op_call(sema, "pl.scalar.add", {carried[0].iter_arg, as_index(sema, header->step)},
                             sema.span(s.range))));
  });
}

ir::ExprRef as_index(Sema& sema, const ir::ExprRef& value) {
  if (ir::scalar_dtype(value->type) == ir::DType::Index) return value;
  const ir::Op* cast = sema.ops.find("pl.scalar.cast");
  std::vector<ir::OpArgument> args;
  args.push_back({value, value->span});
  args.push_back({ir::AttrValue{ir::DType::Index}, value->span});
  return make_call(sema, *cast, std::move(args), {}, value->span);
}

// A `while` takes any step, so a range without rounds is asked whether it takes this one.
void check_step(Sema& sema, const LoopHeader& header, const Span& at) {
  if (ir::constant_value(header.step)) return;
  Ref<ir::For> loop = ir::make_empty<ir::For>();
  loop->span = at;
  loop->loop_kind = ir::LoopKind::Range;
  loop->start = loop->stop = ir::const_index(0, at);
  loop->step = header.step;
  loop->loop_var = ir::make<ir::Var>(at, "_", ir::scalar_type(ir::DType::Index));
  loop->body = ir::make<ir::Block>(at, std::vector<ir::StmtRef>());
  sema.emit(ir::finish_node(std::move(loop)));
}

ir::ExprRef range_condition(Sema& sema, const LoopHeader& header, const ir::VarRef& index,
                            const ir::ExprRef& running, const Stmt& s) {
  const Span at = sema.span(s.range);
  ir::ExprRef stop = as_index(sema, header.stop), step = as_index(sema, header.step),
              zero = ir::const_index(0, at);
  ir::ExprRef below = op_call(sema, "pl.scalar.lt", {index, stop}, at);
  ir::ExprRef above = op_call(sema, "pl.scalar.gt", {index, stop}, at);
  auto known = ir::constant_value(header.step);
  ir::ExprRef inside = known ? (*known > 0 ? below : above) : nullptr;
  if (!inside) {
    ir::ExprRef up =
        op_call(sema, "pl.scalar.and", {op_call(sema, "pl.scalar.gt", {step, zero}, at), below}, at);
    ir::ExprRef down =
        op_call(sema, "pl.scalar.and", {op_call(sema, "pl.scalar.lt", {step, zero}, at), above}, at);
    inside = op_call(sema, "pl.scalar.or", {up, down}, at);
  }
  return op_call(sema, "pl.scalar.and", {running, inside}, at);
}

// `running and condition`, the condition evaluated only while running.
ir::ExprRef guarded_condition(Sema& sema, const Expr& e, const ir::ExprRef& running, const Stmt& s) {
  Value value;
  ir::ExprRef test;
  std::vector<ir::StmtRef> stmts;
  {
    BlockGuard guard(sema);
    value = eval(sema, e);
    test = condition_of(sema, value, e);
    stmts = std::move(guard.stmts());
  }
  if (!test) return nullptr;
  if (known_condition(value) == true) return running;
  if (stmts.empty() && !may_stop(*test)) return op_call(sema, "pl.scalar.and", {running, test}, sema.span(e));
  stmts.push_back(ir::make<ir::Yield>(sema.span(e), ir::ExprList{test}));
  ir::ExprRef no = ir::make<ir::ConstBool>(sema.span(e), false);
  ir::BlockRef stop = ir::make<ir::Block>(
      sema.span(e), std::vector<ir::StmtRef>{ir::make<ir::Yield>(sema.span(e), ir::ExprList{no})});
  ir::VarRef go = ir::make<ir::Var>(sema.span(e), "go", ir::scalar_type(ir::DType::Bool));
  sema.emit(ir::make<ir::If>(sema.span(s.range), running, ir::make<ir::Block>(sema.span(e), std::move(stmts)),
                             stop, ir::VarList{go}));
  return go;
}

void while_loop(Sema& sema, const Stmt& s) {
  if (leaves_loop(s.body)) return guarded_loop(sema, s, nullptr, *s.value);
  OpenLoop open{sema.mark()};
  Ref<ir::While> loop = ir::make_empty<ir::While>();
  loop->span = sema.span(s.range);
  open_carries(sema, sema.frame->carries.of(s), {}, open.carried);
  {
    BlockGuard guard(sema);
    loop->condition = condition_of(sema, eval(sema, *s.value), *s.value);
    loop->before = guard.take(sema.span(s.range));
  }
  enter_loop(sema, nullptr);
  read_body(sema, std::move(loop), open, s, [&] { block(sema, s.body); });
}

// `for (a, b) in pl.while_(init_values=(x, y)):` with `pl.cond(c)` in its body.
void while_form(Sema& sema, const Stmt& s, const Expr& call) {
  LoopHeader header;
  Ref<ir::While> loop = ir::make_empty<ir::While>();
  header.conditional = loop.get();
  bool ok = call.items.empty();
  if (!ok) {
    sema.report(diag::form_arguments, call.range, {"pl.while_", "init_values= only"})
        .with_help("write `pl.while_(init_values=(x,))`, and the condition as `pl.cond(c)` in the body");
  }
  for (const Keyword& keyword : call.keywords) ok = loop_keyword(sema, keyword, "pl.while_", header) && ok;
  std::vector<const Expr*> names;
  const Expr& target = *s.targets[0];
  if (target.kind == ExprKind::Tuple || target.kind == ExprKind::List)
    names.assign(target.items.begin(), target.items.end());
  bool plain = target.kind == ExprKind::Name && header.init_values.empty();  // `for _ in pl.while_():`
  for (const Expr* name : names) plain = plain || name->kind == ExprKind::Name;
  if (ok && ((!plain && !names.empty()) || names.size() != header.init_values.size())) {
    sema.report(diag::loop_carries, target.range,
                {std::to_string(names.size()), std::to_string(header.init_values.size())})
        .with_help("write `for (a, b) in pl.while_(init_values=(x, y)):`");
    ok = false;
  }
  size_t cond_at = 0;
  while (cond_at < s.body.size() && !is_cond(sema, *s.body[cond_at])) ++cond_at;
  if (cond_at == s.body.size()) {
    sema.report(diag::missing_cond, s.range)
        .with_help("write `pl.cond(c)` in the body, before what the condition guards");
    ok = false;
  }
  if (ok && leaves_loop(s.body)) {
    sema.report(diag::break_not_allowed, s.range, {"pl.while_"})
        .with_help("write a `while` loop to use `break` and `continue`");
    ok = false;
  }
  if (!ok) return skip_loop(sema, s);
  OpenLoop open{sema.mark()};
  loop->span = sema.span(s.range);
  std::span<const Stmt* const> body = s.body.subspan(cond_at + 1);
  open.yield = take_explicit_yield(sema, body);
  open.carried = open_explicit(sema, names, header.init_values);
  open.explicit_count = open.carried.size();
  open_carries(sema, sema.frame->carries.of(s), open.yield.names, open.carried);
  const Expr& cond = *s.body[cond_at]->value;
  enter_loop(sema, nullptr);
  {
    BlockGuard guard(sema);
    block(sema, s.body.first(cond_at));
    loop->condition = cond_value(sema, cond);
    loop->before = guard.take(sema.span(s.range));
  }
  read_body(sema, std::move(loop), open, s, [&] { block(sema, body); });
}

bool is_cond(Sema& sema, const Stmt& s) {
  return s.kind == StmtKind::Expr && s.value->kind == ExprKind::Call &&
         form_of(sema, *s.value->left) == Form::Cond;
}

ir::ExprRef cond_value(Sema& sema, const Expr& call) {
  if (call.items.size() != 1 || !call.keywords.empty()) {
    sema.report(diag::form_arguments, call.range, {"pl.cond", "one condition"})
        .with_help("write `pl.cond(i < n)`");
    return nullptr;
  }
  return condition_of(sema, eval(sema, *call.items[0]), *call.items[0]);
}

void leave_loop(Sema& sema, const Stmt& s) {
  bool is_break = s.kind == StmtKind::Break;
  if (sema.frame->active_flag == 0) {
    sema.report(diag::break_outside_loop, s.range, {is_break ? "break" : "continue"})
        .with_help("put it in a `for` over pl.range or in a `while`, or remove it");
    return;
  }
  bind(sema, sema.frame->active_flag, false);
  if (is_break) bind(sema, sema.frame->running_flag, false);
}

}  // namespace tilewire::frontend
