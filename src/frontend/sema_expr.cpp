// Expressions: what each means, and how known values become run-time ones.
#include "frontend/sema_expr.h"

#include <algorithm>

#include "frontend/fold.h"
#include "frontend/sema_call.h"
#include "frontend/sema_form.h"
#include "frontend/sema_function.h"
#include "frontend/sema_host.h"
#include "frontend/sema_index.h"
#include "frontend/sema_name.h"
#include "frontend/sema_operator.h"
#include "frontend/sema_stmt.h"
#include "ir/printer.h"
#include "ops/checks.h"
#include "ops/handles.h"
#include "ops/registry.h"
#include "support/diagnostics/sema.h"
#include "support/near.h"

namespace tilewire::frontend {
namespace {

// Scalar arithmetic nests in the IR; everything else becomes a variable of its own, so that effects happen in
// statement order.
bool nests(const ir::Expr& expr) {
  const auto* call = ir::as<ir::Call>(&expr);
  if (!call) return !ir::isa<ir::FunctionCall>(expr) && !ir::isa<ir::TupleGet>(expr);
  return call->op->effects.empty() && !call->op->synchronizes && ir::isa<ir::ScalarType>(call->type);
}

// Whether all of the tile that a call makes is valid: it states no extent of its own, and neither did the
// calls that its tiles come from.
bool makes_whole_tile(const Sema& sema, const ir::Call& call) {
  if (call.op->needs_annotation || !ir::isa<ir::TileType>(call.type)) return false;  // or what was pushed
  const int stated = call.op->param_index("valid_shape");
  if (stated >= 0 && call.args[call.op->operand_slots[stated]]) return false;
  return std::all_of(call.args.begin(), call.args.end(), [&](const ir::ExprRef& arg) {
    return !arg || !ir::isa<ir::TileType>(arg->type) || sema.fn->whole_tiles.contains(arg.get());
  });
}

// An operand whose error has been reported.
bool is_missing(const ir::OpArgument& argument) {
  const auto* expr = std::get_if<ir::ExprRef>(&argument.value);
  if (expr) return !*expr;
  const auto* list = std::get_if<std::vector<ir::OpArgument>>(&argument.value);
  return list && std::any_of(list->begin(), list->end(), is_missing);
}

}  // namespace

Value eval_list(Sema& sema, const Expr& e);
Value eval_dict(Sema& sema, const Expr& e);
Value call(Sema& sema, const Expr& e);
Value call_builtin(Sema& sema, const BuiltinValue& builtin, const Expr& e);

Value eval(Sema& sema, const Expr& e) {
  switch (e.kind) {
    case ExprKind::Name:
      return lookup(sema, e);
    case ExprKind::Int:
      if (e.big) {
        sema.report(diag::integer_too_large, e.range);
        return {};
      }
      return e.int_value;
    case ExprKind::Float:
      return e.float_value;
    case ExprKind::String:
      return std::string(e.text);
    case ExprKind::True:
      return true;
    case ExprKind::False:
      return false;
    case ExprKind::None:
      return NoneValue{};
    case ExprKind::List:
    case ExprKind::Tuple:
      return eval_list(sema, e);
    case ExprKind::Dict:
      return eval_dict(sema, e);
    case ExprKind::Attribute:
      return attribute(sema, e);
    case ExprKind::Subscript:
      return subscript(sema, e);
    case ExprKind::Call:
      return call(sema, e);
    case ExprKind::Unary:
    case ExprKind::Binary:
    case ExprKind::Compare:
      return eval_operator(sema, e);
    case ExprKind::And:
    case ExprKind::Or:
      return logical(sema, e);
    case ExprKind::Conditional:
      return conditional(sema, e);
    case ExprKind::Ellipsis:
      sema.report(diag::misplaced_ellipsis, e.range).with_help("write it as a subscript: `y[...] = tile`");
      return {};
    case ExprKind::Slice:
    case ExprKind::Unsupported:
      return {};
  }
  return {};
}

Value eval_list(Sema& sema, const Expr& e) {
  std::vector<Value> items;
  items.reserve(e.items.size());
  bool failed = false;
  for (const Expr* item : e.items) {
    items.push_back(eval(sema, *item));
    failed = failed || items.back().is_error();
    // A list element is evaluated where the list is written, once.
    if (const auto* expr = items.back().get<ir::ExprRef>(); expr && sema.fn) {
      items.back() = Value(operand(sema, items.back(), sema.span(*item)));
    }
  }
  if (failed) return {};
  return make_list(std::move(items), e.kind == ExprKind::Tuple);
}

Value eval_dict(Sema& sema, const Expr& e) {
  std::vector<std::pair<Value, Value>> items;
  for (size_t i = 0; i + 1 < e.items.size(); i += 2) {
    items.emplace_back(eval(sema, *e.items[i]), eval(sema, *e.items[i + 1]));
    if (items.back().first.is_error() || items.back().second.is_error()) return {};
  }
  return DictValue{std::make_shared<const std::vector<std::pair<Value, Value>>>(std::move(items))};
}

ir::ExprRef to_expr(Sema& sema, const Value& value, const Span& at) {
  if (const auto* e = value.get<ir::ExprRef>()) return *e;
  if (const auto* i = value.get<int64_t>()) return ir::make<ir::ConstInt>(at, *i);
  if (const auto* d = value.get<double>()) return ir::make<ir::ConstFloat>(at, *d);
  if (const auto* b = value.get<bool>()) return ir::make<ir::ConstBool>(at, *b);
  if (const auto* list = value.get<ListValue>()) {
    ir::ExprList items;
    for (const Value& item : *list->items) {
      ir::ExprRef expr = operand(sema, item, at);
      if (!expr) return nullptr;
      items.push_back(std::move(expr));
    }
    return ir::make<ir::MakeTuple>(at, std::move(items));
  }
  if (value.is_error()) return nullptr;
  Diagnostic& d =
      sema.report(diag::not_a_runtime_value, at, {describe(value)}).with_label("this is " + describe(value));
  if (value.is<HostObjectValue>()) d.with_help("pass it to the program as an argument");
  return nullptr;
}

ir::ExprRef operand(Sema& sema, const Value& value, const Span& at, std::string_view hint) {
  ir::ExprRef expr = to_expr(sema, value, at);
  if (!expr || nests(*expr) || !sema.fn) return expr;
  if (const auto* call = ir::as<ir::Call>(expr); call && call->op->plain_assignment_only) {
    report_not_plain(sema, *call->op, at);
    return nullptr;
  }
  if (has_no_value(*expr)) {
    report_no_value(sema, at);
    return nullptr;
  }
  return emit_assign(sema, expr, hint, at);
}

ir::VarRef emit_assign(Sema& sema, const ir::ExprRef& value, std::string_view hint, const Span& at) {
  ir::VarRef var = ir::make<ir::Var>(at, std::string(hint), value->type);
  if (const auto* call = ir::as<ir::Call>(value)) {
    note_effects(sema, *call);
    if (makes_whole_tile(sema, *call)) sema.fn->whole_tiles.insert(var.get());
    if (sema.fn->level == ir::OnHost && follows_rank_loop(sema, value))
      sema.fn->rank_scalars.insert(var.get());
    if (int root = root_of(sema, call); root >= 0) sema.fn->roots[var.get()] = root;
  } else if (const auto* called = ir::as<ir::FunctionCall>(value)) {
    if (int root = call_root(sema, *called, 0); root >= 0) sema.fn->roots[var.get()] = root;
  } else if (const auto* get = ir::as<ir::TupleGet>(value)) {
    auto found = sema.fn->tuple_roots.find(get->tuple.get());
    if (found != sema.fn->tuple_roots.end() && static_cast<size_t>(get->index) < found->second.size()) {
      if (int root = found->second[get->index]; root >= 0) sema.fn->roots[var.get()] = root;
    }
  }
  if (const auto* called = ir::as<ir::FunctionCall>(value); called && ir::isa<ir::TupleType>(value->type)) {
    auto& roots = sema.fn->tuple_roots[var.get()];
    for (size_t i = 0; i < ir::as<ir::TupleType>(value->type)->types.size(); ++i) {
      roots.push_back(call_root(sema, *called, i));
    }
  }
  sema.emit(ir::make<ir::Assign>(at, value, var));
  return var;
}

ir::OpArgument argument(Sema& sema, const Value& value, const Span& at) {
  ir::OpArgument result;
  result.span = at;
  if (const auto* e = value.get<ir::ExprRef>()) {
    result.value = operand(sema, value, (*e)->span ? (*e)->span : at);
  } else if (const auto* i = value.get<int64_t>()) {
    result.value = ir::AttrValue{*i};
  } else if (const auto* d = value.get<double>()) {
    result.value = ir::AttrValue{*d};
  } else if (const auto* b = value.get<bool>()) {
    result.value = ir::AttrValue{*b};
  } else if (const auto* s = value.get<std::string>()) {
    result.value = ir::AttrValue{*s};
  } else if (const auto* t = value.get<ir::DType>()) {
    result.value = ir::AttrValue{*t};
  } else if (const auto* m = value.get<ir::EnumValue>()) {
    result.value = ir::AttrValue{*m};
  } else if (const auto* list = value.get<ListValue>()) {
    std::vector<ir::OpArgument> items;
    items.reserve(list->items->size());
    for (const Value& item : *list->items) items.push_back(argument(sema, item, at));
    result.value = std::move(items);
  } else if (const auto* f = value.get<FunctionValue>()) {
    result.value = ir::AttrValue{f->function->name};  // peer_func=self.f
    f->function->called = true;
  }
  return result;
}

ir::OpArgument argument(Sema& sema, const Expr& e, bool& failed) {
  if (e.kind == ExprKind::List || e.kind == ExprKind::Tuple) {
    std::vector<ir::OpArgument> items;
    items.reserve(e.items.size());
    for (const Expr* item : e.items) items.push_back(argument(sema, *item, failed));
    return {std::move(items), sema.span(e)};
  }
  Value value = eval(sema, e);
  if (value.is_error()) {
    failed = true;
    return {};
  }
  bool convertible = value.expr() || value.is_number() || value.is<std::string>() || value.is<ir::DType>() ||
                     value.is<ir::EnumValue>() || value.is<ListValue>() || value.is<NoneValue>() ||
                     value.is<FunctionValue>();
  if (const auto* form = value.get<FormValue>(); form && form->form == Form::Auto) {
    return {ir::AttrValue{ops::automatic}, sema.span(e)};
  }
  if (!convertible) {
    sema.report(diag::not_a_runtime_value, e.range, {describe(value)})
        .with_label("this is " + describe(value));
    failed = true;
    return {};
  }
  return argument(sema, value, sema.span(e));
}

Value call(Sema& sema, const Expr& e) {
  Value callee = eval(sema, *e.left);
  if (const auto* op = callee.get<OpValue>()) return call_op(sema, *op, e);
  if (const auto* function = callee.get<FunctionValue>()) return call_function(sema, *function->function, e);
  if (const auto* form = callee.get<FormValue>()) return call_form(sema, *form, e);
  if (const auto* builtin = callee.get<BuiltinValue>()) return call_builtin(sema, *builtin, e);
  if (callee.is<HostObjectValue>()) {
    if (e.left->kind == ExprKind::Name && sema.name_of(e.left->name) == "print") {
      sema.report(diag::python_print, e.range).with_help("write `pl.print(value, \"label\")`");
    }
    const bool refused = std::any_of(e.items.begin(), e.items.end(), [](const Expr* item) {
      return item->kind == ExprKind::Unsupported;  // reported when it was parsed
    });
    return refused ? Value() : ask_host(sema, e);
  }
  if (callee.is_error()) {
    // The arguments may have further errors.
    for (const Expr* item : e.items) eval(sema, *item);
    for (const Keyword& keyword : e.keywords) eval(sema, *keyword.value);
    return {};
  }
  sema.report(diag::not_callable, e.left->range, {describe(callee)});
  return {};
}

bool require_function(Sema& sema, const Expr& e) {
  if (sema.fn) return true;
  sema.report(diag::outside_function, e.range)
      .with_help("move it into a decorated function: only constants can be defined outside");
  return false;
}

bool check_level(Sema& sema, const ir::Op& op, const Span& at) {
  // Outside functions only arithmetic on dimensions gets here.
  if (!sema.fn) return true;
  if (op.functions != 0 && !(op.functions & ir::function_bit(sema.fn->info->type))) {
    bool cube = op.functions & ir::function_bit(ir::FunctionType::AIC);
    bool vector = op.functions & ir::function_bit(ir::FunctionType::AIV);
    sema.report(diag::wrong_half, at,
                {op.qualified(), cube && vector ? "an AIC or AIV"
                                 : cube         ? "an AIC"
                                                : "an AIV"})
        .with_label("inside `" + sema.fn->info->name + "` of type " +
                    std::string(member_name(ir::enum_value(sema.fn->info->type))))
        .with_help(
            sema.fn->info->type == ir::FunctionType::AIC || sema.fn->info->type == ir::FunctionType::AIV
                ? "move it into the other half"
                : "split the kernel into an AIC and an AIV function, and call both from a Group function");
    return false;
  }
  if (op.levels & sema.fn->level) return true;
  Diagnostic& d =
      sema.report(diag::wrong_level, at,
                  {op.qualified(), ir::describe_levels(op.levels), ir::describe_levels(sema.fn->level)});
  d.with_label((sema.fn->scope_depth > 0 ? "in a task scope of `" : "in the function `") +
               sema.fn->info->name + "`");
  if (op == ops::pld::world_size) {
    d.with_help("write pld.nranks(ctx), with ctx = pld.get_comm_ctx(window)");
  } else if (sema.fn->level == ir::OnOrchestration && (op.levels & ir::OnKernel)) {
    d.with_help("move it into a kernel, or into `with pl.at(level=pl.Level.CORE_GROUP):`");
  } else if (sema.fn->level == ir::OnHost && (op.levels & ir::OnKernel)) {
    d.with_help("move it into a kernel, and dispatch the kernel: `" +
                std::string(sema.fn->info->is_method ? "self." : "") + "kernel(..., device=r)`");
  } else {
    d.with_help("call it in " + ir::describe_levels(op.levels) + " and pass the result as an argument");
  }
  return false;
}

namespace {

using ArgumentList = std::vector<ir::OpArgument>;

// Whether the class of an argument is one that the parameter accepts.
bool may_take(ir::OpParam::Kind kind, uint16_t accepts, const ir::OpArgument& arg) {
  const bool list = kind == ir::OpParam::ListOperand;
  if (const auto* items = std::get_if<ArgumentList>(&arg.value); items && list) {
    return std::all_of(items->begin(), items->end(), [&](const ir::OpArgument& item) {
      return may_take(ir::OpParam::Operand, accepts, item);
    });
  }
  const auto* expr = std::get_if<ir::ExprRef>(&arg.value);
  if (!expr || !*expr) {
    // A number is an operand of scalar ops and of the second operand of tile ops.
    return kind != ir::OpParam::Operand || std::holds_alternative<std::monostate>(arg.value) ||
           (accepts & (ir::AcceptScalar | ir::AcceptInt)) != 0;
  }
  if (!list) return kind == ir::OpParam::Attribute || ir::accepts(accepts, (*expr)->type);
  const auto* tuple = ir::as<ir::TupleType>((*expr)->type);
  return tuple && std::all_of(tuple->types.begin(), tuple->types.end(),
                              [&](const ir::TypeRef& type) { return ir::accepts(accepts, type); });
}

// The expression that determines which op is meant: the argument, or the first of a list.
const ir::Expr* first_operand(const ir::OpArgument& arg) {
  if (const auto* expr = std::get_if<ir::ExprRef>(&arg.value)) return expr->get();
  const auto* items = std::get_if<ArgumentList>(&arg.value);
  return items && !items->empty() ? first_operand(items->front()) : nullptr;
}

}  // namespace

const ir::Op* choose(const Sema& sema, const OpValue& op, const std::vector<ir::OpArgument>& args,
                     const std::vector<ir::OpKeyword>& keywords) {
  if (op.candidates.size() == 1) return op.candidates[0];
  // The first operand whose class only some candidates accept decides.
  auto accepts_all = [&](const ir::Op& candidate) {
    size_t given = 0, operands = 0;
    for (size_t i = 0; i < args.size() && i < candidate.params.size(); ++i) {
      ++given;
      operands += may_take(candidate.params[i].kind, candidate.params[i].accepts, args[i]);
    }
    for (const ir::OpKeyword& keyword : keywords) {
      int index = candidate.param_index(keyword.name);
      if (index < 0) continue;
      ++given;
      operands += may_take(candidate.params[index].kind, candidate.params[index].accepts, keyword.argument);
    }
    return given == operands;
  };
  // Without operands (`pl.full(shape, ...)`), tiles are what kernels make and tensors what the rest makes.
  bool in_kernel = sema.fn && sema.fn->level == ir::OnKernel;
  const ir::Op* first = nullptr;
  for (const ir::Op* candidate : op.candidates) {
    if (!accepts_all(*candidate)) continue;
    bool level_fits = !sema.fn || (candidate->levels & sema.fn->level);
    if (in_kernel || level_fits) return candidate;
    if (!first) first = candidate;
  }
  if (first) return first;
  // Nothing fits: judge by the first operand, so that the message is about the op the user means.
  for (const ir::OpArgument& arg : args) {
    const ir::Expr* operand = first_operand(arg);
    if (!operand) continue;
    for (const ir::Op* candidate : op.candidates) {
      if (!candidate->params.empty() && ir::accepts(candidate->params[0].accepts, operand->type))
        return candidate;
    }
  }
  return op.candidates[0];
}

Value call_op(Sema& sema, const OpValue& op, const Expr& e, ir::TypeRef annotated) {
  if (!require_function(sema, e)) return {};
  bool failed = false;
  std::vector<ir::OpArgument> args;
  args.reserve(e.items.size());
  for (const Expr* item : e.items) args.push_back(argument(sema, *item, failed));
  std::vector<ir::OpKeyword> keywords;
  for (const Keyword& keyword : e.keywords) {
    keywords.push_back({sema.current_scope->tree->name(keyword.name), argument(sema, *keyword.value, failed),
                        sema.span(keyword.name_range)});
  }
  if (failed) return {};
  const ir::Op* chosen = choose(sema, op, args, keywords);
  if (const ir::Op* expanded = expanded_form(sema, *chosen, args)) chosen = expanded;
  ir::ExprRef result =
      make_call(sema, *chosen, std::move(args), std::move(keywords), sema.span(e), std::move(annotated));
  return result ? Value(std::move(result)) : Value();
}

ir::ExprRef make_call(Sema& sema, const ir::Op& op, std::vector<ir::OpArgument> args,
                      std::vector<ir::OpKeyword> keywords, const Span& at, ir::TypeRef annotated) {
  if (std::any_of(args.begin(), args.end(), is_missing)) return nullptr;
  for (const ir::OpKeyword& keyword : keywords) {
    if (is_missing(keyword.argument)) return nullptr;
  }
  bool level_ok = check_level(sema, op, at);
  Ref<const ir::Call> result =
      ir::create_call(op, std::move(args), std::move(keywords), at, sema.diags, std::move(annotated));
  if (!result || !level_ok) return nullptr;
  const auto is_whole = [&](const ir::Expr& tile) { return sema.fn && sema.fn->whole_tiles.contains(&tile); };
  if (!ops::check_whole_tiles(*result, is_whole, sema.diags)) return nullptr;
  if (const ir::OpParam* missing = sema.fn ? ir::missing_at(*result, sema.fn->level) : nullptr) {
    sema.report(diag::required_at_level, at,
                {op.qualified(), missing->name, ir::describe_levels(sema.fn->level)})
        .with_help("pass `" + missing->name + "=`; only on the host may it be left out");
    return nullptr;
  }
  return result;
}

ir::ExprRef op_call(Sema& sema, std::string_view qualified, std::vector<ir::ExprRef> args, const Span& at,
                    std::vector<ir::OpKeyword> keywords) {
  const ir::Op* op = sema.ops.find(qualified);
  TW_CHECK(op != nullptr, "no op " + std::string(qualified));
  std::vector<ir::OpArgument> arguments;
  for (ir::ExprRef& arg : args) {
    if (!arg) return nullptr;
    // The span of a variable is where it was defined, not where it is used.
    Span where = ir::isa<ir::Var>(arg) || ir::isa<ir::DimSymbol>(arg) ? Span{} : arg->span;
    arguments.push_back({std::move(arg), where});
  }
  return make_call(sema, *op, std::move(arguments), std::move(keywords), at);
}

Value call_builtin(Sema& sema, const BuiltinValue& builtin, const Expr& e) {
  if (builtin.builtin == Builtin::GetByte) return static_cast<int64_t>(ir::bytes(builtin.dtype));
  if (builtin.builtin == Builtin::GetBit) return static_cast<int64_t>(ir::bits(builtin.dtype));
  std::string name(sema.current_scope->tree->text(e.left->range));
  if (builtin.builtin == Builtin::Range) {
    sema.report(diag::python_range, e.range).with_help("write `pl.range(...)`");
    return {};
  }
  std::vector<Value> args;
  for (const Expr* item : e.items) {
    args.push_back(eval(sema, *item));
    if (args.back().is_error()) return {};
  }
  if (!e.keywords.empty()) {
    sema.report(diag::builtin_arguments, e.range, {name});
    return {};
  }
  // min, max and abs also work on run-time scalars.
  bool runtime = false;
  for (const Value& arg : args) runtime = runtime || arg.expr();
  if (runtime && (builtin.builtin == Builtin::Min || builtin.builtin == Builtin::Max) && args.size() >= 2) {
    const char* op = builtin.builtin == Builtin::Min ? "pl.scalar.min" : "pl.scalar.max";
    ir::ExprRef result = operand(sema, args[0], sema.span(*e.items[0]));
    for (size_t i = 1; i < args.size() && result; ++i) {
      result = op_call(sema, op, {result, operand(sema, args[i], sema.span(*e.items[i]))}, sema.span(e));
    }
    return result ? Value(result) : Value();
  }
  if (runtime && builtin.builtin == Builtin::Abs && args.size() == 1) {
    ir::ExprRef result = op_call(sema, "pl.scalar.abs", {operand(sema, args[0], sema.span(e))}, sema.span(e));
    return result ? Value(result) : Value();
  }
  Folded folded = fold_builtin(builtin.builtin, args);
  if (folded) {
    if (auto* value = std::get_if<Value>(&*folded)) return *value;
    sema.report(diag::cannot_fold, e.range, {std::get<std::string>(*folded)});
    return {};
  }
  bool all_host = false;
  for (const Value& arg : args) all_host = all_host || arg.is<HostObjectValue>();
  if (all_host && sema.current_scope->host) return ask_host(sema, e);
  Diagnostic& d = sema.report(diag::builtin_arguments, e.range, {name});
  if (!args.empty()) d.with_label("the argument is " + describe(args[0]));
  if (builtin.builtin == Builtin::Len && runtime) d.with_help("write `x.shape[0]` for the number of rows");
  if (runtime && (builtin.builtin == Builtin::Int || builtin.builtin == Builtin::Float)) {
    d.with_help("convert a run-time scalar with `pl.cast(x, dtype)`");
  }
  return {};
}

std::optional<int64_t> known_int(Sema& sema, const Expr& e, const char* what) {
  Value value = eval(sema, e);
  if (const auto* i = value.get<int64_t>()) return *i;
  if (value.is_error()) return std::nullopt;
  sema.report(diag::needs_known_int, e.range, {what, describe(value)})
      .with_label("this is " + describe(value))
      .with_help("write a constant; for an index that is computed at run time, use a tensor or a pl.array");
  return std::nullopt;
}

}  // namespace tilewire::frontend
