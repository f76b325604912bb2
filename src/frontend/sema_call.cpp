// Calls of functions: inlined text, tasks and dispatches; one version per set of argument types.
#include "frontend/sema_call.h"

#include "frontend/sema_expr.h"
#include "frontend/sema_form.h"
#include "frontend/sema_function.h"
#include "frontend/sema_index.h"
#include "frontend/sema_name.h"
#include "frontend/sema_stmt.h"
#include "frontend/sema_task.h"
#include "ir/function_kinds.h"
#include "ir/printer.h"
#include "ir/structural.h"
#include "ir/verifier.h"
#include "ops/affine.h"
#include "support/diagnostics/sema.h"

namespace tilewire::frontend {
namespace {

// The arguments of a function call, sorted: per parameter (null: its default), and those of the call itself.
struct BoundCall {
  std::vector<const Expr*> args;
  const Expr* device = nullptr;
  const Expr* blocks = nullptr;
  const Expr* deps = nullptr;
};

constexpr int max_inline_depth = 64;
constexpr int max_inline_calls =
    100'000;  // of a program: functions that call others twice double at each level

ir::TypeRef parameter_type(const ir::TypeRef& type, std::string_view name);

}  // namespace

Value inline_call(Sema& sema, FunctionInfo& info, const Expr& e, std::vector<Value> args);
Value task_call(Sema& sema, FunctionInfo& info, const Expr& e, const BoundCall& bound,
                const std::vector<Value>& values);
Value default_argument(Sema& sema, const FunctionInfo& info, const Param& param);
ir::ExprRef device_of(Sema& sema, const Expr& e);
ir::ExprRef convert_argument(Sema& sema, const Value& value, const Param& param,
                             const std::optional<TypeValue>& declared, const FunctionInfo& callee,
                             const Expr& at, ir::DimBindings& dims);
ir::TypeRef call_type(Sema& sema, const FunctionInfo::Version& version, const ir::ExprList& args,
                      const ir::DimBindings& dims, const Span& at);
void note_call(Sema& sema, const ir::FunctionCall& call, const FunctionInfo::Version& version);

std::string make_inline(const FunctionInfo& callee) {
  return "decorate `" + callee.name + "` with " + decorator(ir::FunctionType::Inline, callee) +
         " to use it in other functions of this level";
}

// Which function may call which, and with what.
bool check_call_level(Sema& sema, const FunctionInfo& callee, const Expr& e, const Expr* device) {
  ir::FunctionType from = sema.fn->info->type, to = callee.type;
  bool task = is_task(to);
  bool in_at_scope = sema.fn->scope_depth > sema.fn->spmd_depth;
  bool allowed = false;
  switch (from) {
    case ir::FunctionType::Host:
      allowed = task || is_orchestration(to);
      break;
    case ir::FunctionType::Orchestration:
    case ir::FunctionType::Opaque:
      allowed = task;
      if (task && in_at_scope) {
        sema.fn->scope_call = sema.span(e);
        sema.fn->scope_callee = &callee;
      }
      break;
    case ir::FunctionType::Group:
      allowed = is_half(to);
      break;
    default:
      break;
  }
  if (!allowed) {
    std::string caller = in_at_scope ? "a `pl.at` scope" : ir::describe(from);
    Diagnostic& d = sema.report(diag::call_level, e.range, {caller, ir::describe(to), callee.name});
    if (from == ir::FunctionType::Group) {
      d.with_help("call one AIC and one AIV function, and nothing else");
    } else if (is_half(to)) {
      d.with_help("call a Group function that calls `" + callee.name + "` and its other half");
    } else if (((is_kernel(from) || in_at_scope) && is_kernel(to)) ||
               (is_orchestration(from) && is_orchestration(to))) {
      d.with_help(make_inline(callee));
    } else {
      d.with_help(
          "call functions of a lower level only: host functions call orchestration functions, these "
          "call kernels");
    }
    return false;
  }
  if (from == ir::FunctionType::Host && !device) {
    sema.report(diag::missing_device, e.range, {callee.name})
        .with_help("write `" + callee.name + "(..., device=r)`");
    return false;
  }
  if (from != ir::FunctionType::Host && device) {
    sema.report(diag::device_outside_host, device->range, {ir::describe(from)})
        .with_help("remove `device=`: the function runs on the rank it was dispatched to");
    return false;
  }
  return true;
}

bool check_scope_call(Sema& sema, const ir::AtScope& scope) {
  if (!sema.fn->scope_call || ir::single_call(*scope.body)) return true;
  const FunctionInfo& callee = *sema.fn->scope_callee;
  Diagnostic& d = sema.report(diag::call_level, sema.fn->scope_call,
                              {"a `pl.at` scope", ir::describe(callee.type), callee.name});
  if (is_kernel(callee.type)) {
    d.with_help(make_inline(callee));
  } else {
    d.with_help("call `" + callee.name + "` outside the scope, or in a scope of its own");
  }
  return false;
}

// Sorts the arguments of a call by parameter. `device=`, `blocks=` and `deps=` belong to the call itself.
bool bind_parameters(Sema& sema, FunctionInfo& info, const Expr& e, BoundCall& bound) {
  auto params = info.params();
  bound.args.assign(params.size(), nullptr);
  bool ok = true;
  for (size_t i = 0; i < e.items.size(); ++i) {
    if (i < params.size()) bound.args[i] = e.items[i];
  }
  if (e.items.size() > params.size()) {
    sema.report(diag::argument_count, e.items[params.size()]->range,
                {info.name, std::to_string(params.size()), std::to_string(e.items.size())})
        .with_note("`" + info.name + "` is defined here", info.scope->tree->span(info.def->name_range));
    ok = false;
  }
  for (const Keyword& keyword : e.keywords) {
    std::string_view name = sema.current_scope->tree->name(keyword.name);
    size_t index = 0;
    while (index < params.size() && info.scope->tree->name(params[index].name) != name) ++index;
    if (index < params.size()) {
      if (bound.args[index]) {
        sema.report(diag::argument_twice, keyword.name_range, {info.name, std::string(name)})
            .with_help("leave one of them out");
        ok = false;
      }
      bound.args[index] = keyword.value;
    } else if (name == "device" || name == "blocks" || name == "deps") {
      (name == "device" ? bound.device : name == "blocks" ? bound.blocks : bound.deps) = keyword.value;
    } else {
      std::string all;
      for (const Param& param : params) {
        all += (all.empty() ? "`" : ", `") + std::string(info.scope->tree->name(param.name)) + "`";
      }
      sema.report(diag::unknown_keyword, keyword.name_range, {info.name, std::string(name)})
          .with_help(all.empty() ? "it takes no arguments" : "its parameters are " + all);
      ok = false;
    }
  }
  for (size_t i = 0; i < params.size(); ++i) {
    if (bound.args[i] || params[i].default_value) continue;
    sema.report(diag::missing_argument, e.range,
                {info.name, std::string(info.scope->tree->name(params[i].name))})
        .with_note("the parameter is declared here", info.scope->tree->span(params[i].range));
    ok = false;
  }
  return ok;
}

Value call_function(Sema& sema, FunctionInfo& info, const Expr& e) {
  if (!require_function(sema, e)) return {};
  info.called = true;
  BoundCall bound;
  bool ok = bind_parameters(sema, info, e, bound);
  auto params = info.params();
  std::vector<Value> values;
  for (size_t i = 0; i < params.size(); ++i) {
    Value value = bound.args[i] ? eval(sema, *bound.args[i]) : default_argument(sema, info, params[i]);
    bool missing = !bound.args[i] && !params[i].default_value;
    if (value.expr())
      value = Value(operand(sema, value, bound.args[i] ? sema.span(*bound.args[i]) : sema.span(e), "arg"));
    ok = ok && (missing || !value.is_error());
    values.push_back(std::move(value));
  }
  if (info.type == ir::FunctionType::Inline) {
    // Evaluated once, however often the callee uses it.
    for (Value& value : values) {
      if (ok && value.expr() && ir::isa<ir::Call>(*value.expr()))
        value = emit_assign(sema, *value.get<ir::ExprRef>(), "arg", sema.span(e));
    }
    for (const Expr* extra : {bound.device, bound.blocks, bound.deps}) {
      if (!extra) continue;
      sema.report(diag::inline_keyword, extra->range, {info.name}).with_help("remove the keyword");
      ok = false;
    }
    return ok ? inline_call(sema, info, e, std::move(values)) : Value();
  }
  ok = check_call_level(sema, info, e, bound.device) && ok;
  if (!ok) return {};
  return task_call(sema, info, e, bound, values);
}

Value default_argument(Sema& sema, const FunctionInfo& info, const Param& param) {
  if (!param.default_value) return {};
  Scope* outer = std::exchange(sema.current_scope, info.scope);
  Frame* outer_frame = std::exchange(sema.frame, nullptr);
  Value value = eval(sema, *param.default_value);
  sema.frame = outer_frame;
  sema.current_scope = outer;
  return value;
}

Value task_call(Sema& sema, FunctionInfo& info, const Expr& e, const BoundCall& bound,
                const std::vector<Value>& values) {
  auto params = info.params();
  std::vector<ir::TypeRef> types;
  std::vector<Value> known;
  ir::ExprList args;
  ir::DimBindings dims;
  bool ok = true;
  for (size_t i = 0; i < params.size(); ++i) {
    const Expr& at = bound.args[i] ? *bound.args[i] : e;
    auto declared = param_annotation(sema, info, params[i]);
    if (params[i].annotation && !declared) return {};
    bool constant = (!declared || !declared->type) && is_known(values[i]) && !values[i].is<int64_t>() &&
                    !values[i].is<double>();
    if (constant) {
      types.push_back(nullptr);
      known.push_back(values[i]);
      continue;
    }
    ir::ExprRef arg = convert_argument(sema, values[i], params[i], declared, info, at, dims);
    ok = ok && arg;
    if (!arg) continue;
    known.emplace_back(unbound());
    types.push_back(declared && declared->type
                        ? declared->type
                        : parameter_type(arg->type, info.scope->tree->name(params[i].name)));
    args.push_back(std::move(arg));
  }
  Ref<ir::FunctionCall> call = ir::make_empty<ir::FunctionCall>();
  call->span = sema.span(e);
  if (bound.device) ok = (call->device = device_of(sema, *bound.device)) && ok;
  if (bound.blocks)
    ok = (call->blocks = index_expr(sema, eval(sema, *bound.blocks), sema.span(*bound.blocks),
                                    "the number of blocks")) &&
         ok;
  if (bound.deps) ok = task_ids(sema, *bound.deps, call->deps) && ok;
  if (bound.blocks && ok && !is_task(info.type)) {
    sema.report(diag::blocks_keyword, bound.blocks->range, {info.name})
        .with_help("remove `blocks=`: only kernels run as blocks");
    ok = false;
  }
  if (auto count = call->blocks ? ir::constant_value(call->blocks) : std::nullopt; count && *count <= 0) {
    sema.report(diag::block_count, bound.blocks->range, {std::to_string(*count)})
        .with_help("write `blocks=1` or more");
    ok = false;
  }
  if (!ok) return {};
  FunctionInfo::Version* v = version(sema, info, std::move(types), std::move(known), sema.span(e));
  if (!v || !v->function) return {};
  call->callee = v->name;
  call->args = std::move(args);
  call->type = call_type(sema, *v, call->args, dims, sema.span(e));
  ir::ExprRef result = ir::finish_node(std::move(call));
  note_call(sema, *ir::as<ir::FunctionCall>(result), *v);
  return result;
}

bool follows_rank_loop(const Sema& sema, const ir::ExprRef& expr) {
  if (const auto* var = ir::as<ir::Var>(expr)) {
    const auto& loops = sema.fn->rank_variables;
    return std::find(loops.begin(), loops.end(), var) != loops.end() || sema.fn->rank_scalars.contains(var);
  }
  const auto* call = ir::as<ir::Call>(expr);
  return call && ir::isa<ir::ScalarType>(call->type) &&
         std::any_of(call->args.begin(), call->args.end(),
                     [&](const ir::ExprRef& arg) { return arg && follows_rank_loop(sema, arg); });
}

ir::ExprRef device_of(Sema& sema, const Expr& e) {
  ir::ExprRef device = index_expr(sema, eval(sema, e), sema.span(e), "a device");
  if (!device) return nullptr;
  if (auto value = ir::constant_value(device)) {
    if (*value >= 0) return device;
    sema.report(diag::device_value, e.range, {std::to_string(*value)})
        .with_help("write a rank from 0 on, such as `device=0`");
    return nullptr;
  }
  if (follows_rank_loop(sema, device)) return device;
  sema.report(diag::device_kind, e.range)
      .with_help("write `device=r` with `for r in pl.range(pld.world_size()):` around it");
  return nullptr;
}

namespace {

// The type of a parameter without annotation: the argument's, without what belongs to the caller (the buffer
// a window views, dimensions computed there).
ir::TypeRef parameter_type(const ir::TypeRef& type, std::string_view name) {
  const auto* tensor = ir::as<ir::TensorType>(type);
  if (!tensor) return type;
  ir::ExprList shape;
  for (size_t i = 0; i < tensor->shape.size(); ++i) {
    bool portable = ir::constant_value(tensor->shape[i]) || ir::isa<ir::DimSymbol>(tensor->shape[i]);
    shape.push_back(portable ? tensor->shape[i]
                             : ir::ExprRef(ir::make<ir::DimSymbol>(
                                   tensor->shape[i]->span, std::string(name) + "_d" + std::to_string(i))));
  }
  if (ir::isa<ir::DistributedTensorType>(type)) {
    return ir::make<ir::DistributedTensorType>(type->span, std::move(shape), tensor->dtype, tensor->view);
  }
  return ir::make<ir::TensorType>(type->span, std::move(shape), tensor->dtype, tensor->view);
}

}  // namespace

namespace {

// How a part of the argument would fit: `x[r]` drops a dimension that is wanted, `x` is all of it.
std::optional<std::string> part_for(Sema& sema, const ir::Type& want, const ir::Type& have, const Expr& at) {
  const auto* wanted = ir::as<ir::TensorType>(&want);
  const auto* given = ir::as<ir::TensorType>(&have);
  if (!wanted || !given || wanted->dtype != given->dtype || wanted->shape.empty()) return std::nullopt;
  const SyntaxTree& tree = *sema.current_scope->tree;
  const size_t rank = wanted->shape.size();
  const bool one_row = ir::constant_value(wanted->shape[0]) == 1;
  std::string rest;
  for (size_t i = 1; i < rank; ++i) rest += ", :";
  const bool dropped = given->shape.size() + 1 == rank && at.kind == ExprKind::Subscript &&
                       at.items.size() == 1 && at.items[0]->kind != ExprKind::Slice;
  if (dropped && one_row) {
    const std::string index(tree.text(at.items[0]->range));
    return "write `" + std::string(tree.text(at.left->range)) + "[" + index + " : " + index + " + 1" + rest +
           "]`, which keeps the dimension";
  }
  if (given->shape.size() == rank && one_row && at.kind == ExprKind::Name) {
    return "pass one row of it: `" + std::string(tree.text(at.range)) + "[r : r + 1" + rest + "]`";
  }
  if (given->shape.size() == rank + 1 && at.kind == ExprKind::Subscript && at.left->kind == ExprKind::Name &&
      at.items[0]->kind == ExprKind::Slice && at.items[0]->items[0]) {
    return "write `" + std::string(tree.text(at.left->range)) + "[" +
           std::string(tree.text(at.items[0]->items[0]->range)) + "]`, which drops the dimension";
  }
  if (given->shape.size() == rank + 1 && at.kind == ExprKind::Name) {
    return "pass a part of it: `" + std::string(tree.text(at.range)) + "[r]`";
  }
  return std::nullopt;
}

}  // namespace

// Where a plain tensor is given for a window. Only the host function makes windows.
std::string window_help(const Sema& sema, const ir::DistributedTensorType& want, const ir::Expr& given) {
  if (sema.fn->info->type == ir::FunctionType::Host) {
    std::string shape;
    for (const ir::ExprRef& extent : want.shape) shape += (shape.empty() ? "" : ", ") + ir::to_string(extent);
    return "pass a window: `w = pld.alloc_window([" + shape + "], dtype=pl." +
           std::string(ir::info(want.dtype).name) + ")`";
  }
  const auto* param = ir::as<ir::Parameter>(&given);
  return param ? "declare `" + param->name +
                     "` as a pld.DistributedTensor here, too, and pass a window from the host function"
               : std::string("take the window from the host function as a parameter, and pass that");
}

ir::ExprRef convert_argument(Sema& sema, const Value& value, const Param& param,
                             const std::optional<TypeValue>& declared, const FunctionInfo& callee,
                             const Expr& at, ir::DimBindings& dims) {
  std::string name(callee.scope->tree->name(param.name));
  ir::TypeRef want = declared ? declared->type : nullptr;
  auto dtype = want ? ir::scalar_dtype(want) : std::nullopt;
  if (dtype && value.is_number()) {
    Value typed = typed_constant(sema, value, *dtype, sema.span(at));
    return typed.expr() ? *typed.get<ir::ExprRef>() : nullptr;
  }
  ir::ExprRef arg = to_expr(sema, value, sema.span(at));
  if (!arg) return nullptr;
  if (const auto* buffer = ir::as<ir::WindowBuffer>(arg)) {
    if (want && ir::isa<ir::PtrType>(want)) return buffer->base;
    sema.report(diag::buffer_argument, at.range, {buffer->name})
        .with_help("make a view first: `w = pld.window(" + buffer->name + ", [shape], dtype=...)`");
    return nullptr;
  }
  auto have = ir::scalar_dtype(arg->type);
  if (dtype && have && *dtype != *have && ir::is_integer(*dtype) && ir::is_integer(*have)) {
    std::vector<ir::OpArgument> cast{{arg, sema.span(at)}, {ir::AttrValue{*dtype}, sema.span(at)}};
    return make_call(sema, *sema.ops.find("pl.scalar.cast"), std::move(cast), {}, sema.span(at));
  }
  if (want && !ir::compatible(want, arg->type, dims)) {
    Diagnostic& d = sema.report(diag::argument_type, at.range,
                                {name, callee.name, ir::to_string(want), ir::to_string(arg->type)});
    d.with_note("the parameter is declared here", callee.scope->tree->span(param.range));
    const auto* window = ir::as<ir::DistributedTensorType>(want);
    if (window && ir::isa<ir::TensorType>(arg->type) && !ir::isa<ir::DistributedTensorType>(arg->type)) {
      d.with_help(window_help(sema, *window, *arg));
    } else if (auto part = part_for(sema, *want, *arg->type, at)) {
      d.with_help(*part);
    }
    return nullptr;
  }
  bool output = declared && declared->has_direction;
  if (output && !ir::isa<ir::Var>(arg) && !ir::isa<ir::Call>(arg)) {
    sema.report(diag::output_argument, at.range, {name, callee.name})
        .with_note("the parameter is declared here", callee.scope->tree->span(param.range));
    return nullptr;
  }
  return arg;
}

ir::ExprRef substitute(Sema& sema, const ir::ExprRef& dim, const ir::DimBindings& dims) {
  if (const auto* symbol = ir::as<ir::DimSymbol>(dim)) {
    const ir::ExprRef* bound = dims.find(symbol->name);
    return bound ? *bound : dim;
  }
  const auto* call = ir::as<ir::Call>(dim);
  if (!call) return dim;
  ir::ExprList args;
  bool changed = false;
  for (const ir::ExprRef& arg : call->args) {
    args.push_back(arg ? substitute(sema, arg, dims) : nullptr);
    changed = changed || !(args.back() == arg);
  }
  if (!changed) return dim;
  Ref<const ir::Call> made = ir::create_call(*call->op, args, call->attrs, dim->span, sema.diags);
  if (!made) return dim;
  // A reader of the result's type sees `NR * 16` with NR = 4 as 64.
  return ops::affine_sum(made, 1, ir::const_index(0), 1);
}

// The callee's result as the caller sees it: its own dimensions, its own windows.
ir::TypeRef call_type(Sema& sema, const FunctionInfo::Version& v, const ir::ExprList& args,
                      const ir::DimBindings& dims, const Span& at) {
  std::vector<ir::TypeRef> results;
  for (size_t i = 0; i < v.function->return_types.size(); ++i) {
    const ir::TypeRef& type = v.function->return_types[i];
    int root = v.return_roots[i];
    const auto* tensor = ir::as<ir::TensorType>(type);
    if (root >= 0) {
      results.push_back(args[root]->type);
    } else if (tensor) {
      Ref<ir::TensorType> copy = ir::make_empty<ir::TensorType>();
      copy->span = at;
      for (const ir::ExprRef& dim : tensor->shape) copy->shape.push_back(substitute(sema, dim, dims));
      copy->dtype = tensor->dtype;
      copy->view = tensor->view;
      results.push_back(
          ir::isa<ir::DistributedTensorType>(type) ? type : ir::TypeRef(ir::finish_node(std::move(copy))));
    } else {
      results.push_back(type);
    }
  }
  if (results.empty()) return ir::unit_type();
  if (results.size() == 1) return results[0];
  return ir::make<ir::TupleType>(at, std::move(results));
}

void note_call(Sema& sema, const ir::FunctionCall& call, const FunctionInfo::Version& v) {
  sema.versions_by_name[call.callee] = &v;
  for (size_t i = 0; i < call.args.size(); ++i) {
    ir::Direction direction = v.function->params[i]->direction;
    note_access(sema, call.args[i], direction != ir::Direction::Out, direction != ir::Direction::In,
                call.span);
  }
}

int call_root(const Sema& sema, const ir::FunctionCall& call, size_t result) {
  auto found = sema.versions_by_name.find(call.callee);
  if (found == sema.versions_by_name.end() || result >= found->second->return_roots.size()) return -1;
  int param = found->second->return_roots[result];
  return param < 0 ? -1 : root_of(sema, call.args[param].get());
}

// The callee's text, read here with its parameters bound to the arguments.
Value inline_call(Sema& sema, FunctionInfo& info, const Expr& e, std::vector<Value> args) {
  if (sema.inline_calls > max_inline_calls) return {};
  if (++sema.inline_calls > max_inline_calls) {
    Diagnostic& d = sema.report(diag::inline_limit, e.range, {std::to_string(max_inline_calls), info.name});
    if (d.notes.size() > 2) d.notes.erase(d.notes.begin() + 1, d.notes.end() - 1);
    d.with_help(
        "write a loop, or make one of the functions a kernel: each call of an inline function copies its "
        "body");
    return {};
  }
  if (++sema.inline_depth > max_inline_depth) {
    Diagnostic& d = sema.report(diag::inline_recursion, e.range, {info.name});
    if (d.notes.size() > 2)
      d.notes.erase(d.notes.begin() + 1, d.notes.end() - 1);  // the first and the last call tell
    d.with_help("write a loop: each call of an inline function copies its body");
    --sema.inline_depth;
    return {};
  }
  auto params = info.params();
  for (size_t i = 0; i < params.size(); ++i) {
    auto declared = param_annotation(sema, info, params[i]);
    if (params[i].annotation && !declared) {
      --sema.inline_depth;
      return {};
    }
    if (!declared || !declared->type) continue;
    ir::DimBindings dims;
    ir::ExprRef arg = convert_argument(sema, args[i], params[i], declared, info, e, dims);
    if (!arg) {
      --sema.inline_depth;
      return {};
    }
    if (args[i].expr()) args[i] = Value(arg);
  }
  sema.diags.push_context("in the inline call of `" + info.name + "` here", sema.span(e));
  Frame frame;
  Frame* outer_frame = sema.frame;
  Scope* outer_scope = sema.current_scope;
  FunctionBody body(*info.scope->tree, *info.def);
  open_frame(sema, frame, *info.scope);
  frame.info = &info;
  frame.is_inline = true;
  frame.scope_depth_at_entry = sema.fn->scope_depth;
  frame.carries = info.scope->carries.analyse(body.stmts(), info.scope->tree->symbol_count());
  frame.assigned = local_names(body.stmts());
  if (info.is_method) bind(sema, info.def->params[0].name, SelfValue{});
  for (size_t i = 0; i < params.size(); ++i) bind(sema, params[i].name, std::move(args[i]));
  block(sema, body.stmts());
  close_frame(sema, frame);
  sema.frame = outer_frame;
  sema.current_scope = outer_scope;
  sema.diags.pop_context();
  --sema.inline_depth;
  if (!frame.returned || (frame.return_values.empty() && !frame.returns_tuple)) return NoneValue{};
  if (frame.returns_tuple) return make_list(std::move(frame.return_values), true);
  return std::move(frame.return_values[0]);
}

}  // namespace tilewire::frontend
