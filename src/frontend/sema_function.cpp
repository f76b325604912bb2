// One function: parameters, body, results, and what the body does to each parameter.
#include "frontend/sema_function.h"

#include "frontend/sema_expr.h"
#include "frontend/sema_name.h"
#include "frontend/sema_program.h"
#include "frontend/sema_stmt.h"
#include "frontend/sema_type.h"
#include "ir/aliases.h"
#include "ir/function_kinds.h"
#include "ir/printer.h"
#include "ir/structural.h"
#include "support/diagnostics/sema.h"

namespace tilewire::frontend {
namespace {

bool same_known(const Value& a, const Value& b) {
  if (a.is<UnboundValue>() || b.is<UnboundValue>()) return a.is<UnboundValue>() && b.is<UnboundValue>();
  return a.v.index() == b.v.index() && known_equal(a, b);
}

}  // namespace

void type_version(Sema& sema, FunctionInfo& info, FunctionInfo::Version& version);
void bind_params(Sema& sema, FunctionInfo& info, FunctionInfo::Version& version);
std::vector<ir::TypeRef> emit_returns(Sema& sema, FunctionInfo& info, FunctionInfo::Version& version);
void check_return_annotation(Sema& sema, const FunctionInfo& info, const std::vector<ir::TypeRef>& types);
void compare_returns(Sema& sema, const Expr* returns, const std::vector<ir::TypeRef>& types);
void settle_directions(Sema& sema, FunctionInfo& info);

bool same_type(const ir::TypeRef& a, const ir::TypeRef& b) {
  return a == b || ir::assignable(a, b);
}

std::string decorator(ir::FunctionType type, const FunctionInfo& beside) {
  if (beside.is_method) {
    return "`@pl.function(type=pl.FunctionType." + std::string(member_name(ir::enum_value(type))) + ")`";
  }
  switch (type) {
    case ir::FunctionType::Host:
      return "`@pl.jit.host`";
    case ir::FunctionType::InCore:
      return "`@pl.jit.incore`";
    case ir::FunctionType::Inline:
      return "`@pl.jit.inline`";
    default:
      return "`@pl.jit`";
  }
}

std::optional<TypeValue> param_annotation(Sema& sema, const FunctionInfo& info, const Param& param) {
  if (!param.annotation) return std::nullopt;
  // Read outside functions, equal texts mean the same, and there are few texts.
  std::string_view text = info.scope->tree->text(param.annotation->range);
  auto known = info.scope->annotations.find(text);
  if (known != info.scope->annotations.end()) return known->second;
  if (sema.bad_annotations.contains(param.annotation)) return std::nullopt;
  Scope* outer = std::exchange(sema.current_scope, info.scope);
  Frame* outer_frame = std::exchange(sema.frame, nullptr);
  FunctionContext* outer_fn = std::exchange(sema.fn, nullptr);
  auto type = annotation(sema, *param.annotation);
  sema.fn = outer_fn;
  sema.frame = outer_frame;
  sema.current_scope = outer;
  if (type) {
    info.scope->annotations.emplace(text, *type);
  } else {
    sema.bad_annotations.insert(param.annotation);
  }
  return type;
}

FunctionInfo::Version* version(Sema& sema, FunctionInfo& info, std::vector<ir::TypeRef> types,
                               std::vector<Value> known, const Span& at) {
  if (known.empty()) known.assign(types.size(), unbound());
  for (const auto& v : info.versions) {
    bool same = true;
    for (size_t i = 0; i < types.size() && same; ++i) {
      same = (types[i] == v->param_types[i] ||
              (types[i] && v->param_types[i] && ir::structurally_equal(types[i], v->param_types[i]))) &&
             same_known(known[i], v->known[i]);
    }
    if (!same) continue;
    if (!v->done) {
      sema.report(diag::recursion, at, {info.name}).with_help("write a loop");
      return nullptr;
    }
    return v.get();
  }
  info.versions.push_back(std::make_unique<FunctionInfo::Version>());
  FunctionInfo::Version& v = *info.versions.back();
  v.param_types = std::move(types);
  v.known = std::move(known);
  v.name = info.name;
  if (info.versions.size() > 1 ||
      info.identity) {  // the first version of a function of the text keeps its name
    for (int n = 1; !sema.function_names.insert(v.name).second; ++n)
      v.name = info.name + "_" + std::to_string(n);
  }
  type_version(sema, info, v);
  return &v;
}

void type_version(Sema& sema, FunctionInfo& info, FunctionInfo::Version& v) {
  FunctionContext ctx;
  Frame frame;
  FunctionContext* outer_fn = std::exchange(sema.fn, &ctx);
  Frame* outer_frame = sema.frame;
  Scope* outer_scope = sema.current_scope;
  auto outer_once = std::exchange(sema.once, {});
  size_t errors_before = sema.diags.error_count();
  FunctionBody body(*info.scope->tree, *info.def);
  open_frame(sema, frame, *info.scope);
  frame.info = ctx.info = &info;
  ctx.level = ir::level_of(info.type);
  std::vector<ir::StmtRef> stmts;
  ctx.out = &stmts;
  bind_params(sema, info, v);
  frame.carries = info.scope->carries.analyse(body.stmts(), info.scope->tree->symbol_count());
  frame.assigned = local_names(body.stmts());
  block(sema, body.stmts());
  std::vector<ir::TypeRef> return_types = emit_returns(sema, info, v);
  settle_directions(sema, info);
  if (sema.diags.error_count() == errors_before) {
    Ref<ir::Function> function = ir::make_empty<ir::Function>();
    function->span = sema.span(info.def->name_range);
    function->name = v.name;
    function->type = info.type;
    function->params.assign(ctx.params.begin(), ctx.params.end());
    function->return_types = std::move(return_types);
    function->body = ir::make<ir::Block>(sema.span(info.def->name_range), std::move(stmts));
    if (set_function_attributes(sema, info, *function)) v.function = ir::finish_node(std::move(function));
  }
  close_frame(sema, frame);
  v.done = true;
  sema.once = std::move(outer_once);
  sema.current_scope = outer_scope;
  sema.frame = outer_frame;
  sema.fn = outer_fn;
}

void bind_params(Sema& sema, FunctionInfo& info, FunctionInfo::Version& v) {
  if (info.is_method) bind(sema, info.def->params[0].name, SelfValue{});
  auto params = info.params();
  for (size_t i = 0; i < params.size(); ++i) {
    if (!v.param_types[i]) {
      bind(sema, params[i].name, v.known[i]);
      continue;
    }
    auto declared = param_annotation(sema, info, params[i]);
    Ref<ir::Parameter> param = ir::make_empty<ir::Parameter>();
    param->span = sema.span(params[i].range);
    param->name = sema.name_of(params[i].name);
    param->type = v.param_types[i];
    if (declared) param->direction = declared->direction;
    param->finish();
    sema.fn->roots[param.get()] = static_cast<int>(sema.fn->params.size());
    sema.fn->params.push_back(param);
    sema.fn->direction_given.push_back(declared && (declared->has_direction || declared->type));
    bind(sema, params[i].name, ir::ExprRef(param));
  }
  sema.fn->read.assign(sema.fn->params.size(), false);
  sema.fn->written.assign(sema.fn->params.size(), false);
}

std::vector<ir::TypeRef> emit_returns(Sema& sema, FunctionInfo& info, FunctionInfo::Version& v) {
  std::vector<ir::TypeRef> types;
  ir::ExprList values;
  for (const Value& value : sema.frame->return_values) {
    ir::ExprRef expr = to_expr(sema, value, sema.frame->return_span);
    if (!expr) return {};
    types.push_back(expr->type);
    int root = root_of(sema, expr.get());
    bool whole = root >= 0 && ir::structurally_equal(expr->type, sema.fn->params[root]->type);
    v.return_roots.push_back(whole ? root : -1);
    values.push_back(std::move(expr));
  }
  check_return_annotation(sema, info, types);
  if (sema.frame->returned) sema.emit(ir::make<ir::Return>(sema.frame->return_span, std::move(values)));
  return types;
}

void report_return_annotation(Sema& sema, const Expr& annotation, std::string declared,
                              std::string returned) {
  sema.report(diag::return_annotation, annotation.range, {std::move(declared), std::move(returned)})
      .with_help("correct the annotation, or remove it");
}

void check_return_annotation(Sema& sema, const FunctionInfo& info, const std::vector<ir::TypeRef>& types) {
  // Like Python, read the annotation outside the function: a parameter may have the name of a dimension.
  Frame* frame = std::exchange(sema.frame, nullptr);
  FunctionContext* fn = std::exchange(sema.fn, nullptr);
  compare_returns(sema, info.def->returns, types);
  sema.fn = fn;
  sema.frame = frame;
}

void compare_returns(Sema& sema, const Expr* returns, const std::vector<ir::TypeRef>& types) {
  if (!returns || returns->kind == ExprKind::None) {
    if (returns && !types.empty()) report_return_annotation(sema, *returns, "None", "a value");
    return;
  }
  std::vector<ir::TypeRef> want;
  if (returns->kind == ExprKind::Tuple) {
    for (const Expr* item : returns->items) {
      auto type = annotation(sema, *item);
      if (!type) return;
      want.push_back(type->type);
    }
  } else {
    auto type = annotation(sema, *returns);
    if (!type) return;
    const auto* tuple = ir::as<ir::TupleType>(type->type);
    want = tuple ? tuple->types : std::vector<ir::TypeRef>{type->type};
  }
  auto text = [](const std::vector<ir::TypeRef>& list) {
    std::string out;
    for (const auto& type : list) out += (out.empty() ? "" : ", ") + (type ? ir::to_string(type) : "?");
    return list.empty() ? std::string("nothing") : out;
  };
  bool same = want.size() == types.size();
  for (size_t i = 0; i < types.size() && same; ++i) same = want[i] && ir::assignable(want[i], types[i]);
  if (!same) report_return_annotation(sema, *returns, text(want), text(types));
}

int root_of(const Sema& sema, const ir::Expr* value) {
  if (const auto* call = ir::as<ir::Call>(value)) {
    const ir::Expr* aliased = ir::aliased_operand(*call);
    return aliased ? root_of(sema, aliased) : -1;
  }
  auto found = sema.fn->roots.find(value);
  return found == sema.fn->roots.end() ? -1 : found->second;
}

void note_effects(Sema& sema, const ir::Call& call) {
  const ir::Op& op = *call.op;
  for (const ir::Effect& effect : op.effects) {
    if (effect.peer_param >= 0 || effect.all_peers) continue;  // this rank's copy is what counts
    if (!ir::happens(effect, call)) continue;
    bool reads = effect.access != ir::Access::Write && effect.access != ir::Access::Signal;
    bool writes = effect.access != ir::Access::Read && effect.access != ir::Access::Wait;
    note_access(sema, call.args[op.operand_slots[effect.param]], reads, writes, call.span);
  }
}

void note_access(Sema& sema, const ir::ExprRef& value, bool reads, bool writes, const Span& at) {
  int root = root_of(sema, value.get());
  if (root < 0) return;
  const ir::Parameter& param = *sema.fn->params[root];
  if (writes && sema.fn->direction_given[root] && param.direction == ir::Direction::In &&
      !sema.fn->written[root] && !ir::isa<ir::DistributedTensorType>(param.type)) {
    // Peers write windows whatever the declared direction of a parameter, so directions do not protect them.
    sema.report(diag::writes_input, at, {param.name})
        .with_note("the parameter is declared here", param.span)
        .with_help("declare it `" + param.name + ": pl.Out[" + ir::to_string(param.type) +
                   "]`, or pl.InOut if it is read too");
  }
  if (reads) sema.fn->read[root] = true;
  if (writes) sema.fn->written[root] = true;
}

void settle_directions(Sema& sema, FunctionInfo&) {
  for (size_t i = 0; i < sema.fn->params.size(); ++i) {
    if (sema.fn->direction_given[i] || !sema.fn->written[i]) continue;
    sema.fn->params[i]->direction = sema.fn->read[i] ? ir::Direction::InOut : ir::Direction::Out;
  }
}

}  // namespace tilewire::frontend
