// One function: parameters, body, results, and what the body does to each parameter.
#include "frontend/sema.h"
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

bool Sema::same_type(const ir::TypeRef& a, const ir::TypeRef& b) {
  return a == b || ir::assignable(a, b);
}

std::optional<TypeValue> Sema::param_annotation(const FunctionInfo& info, const Param& param) {
  if (!param.annotation) return std::nullopt;
  // Read outside functions, equal texts mean the same, and there are few texts.
  std::string_view text = info.scope->tree->text(param.annotation->range);
  auto known = info.scope->annotations.find(text);
  if (known != info.scope->annotations.end()) return known->second;
  if (bad_annotations_.contains(param.annotation)) return std::nullopt;
  Scope* outer = std::exchange(current_scope_, info.scope);
  Frame* outer_frame = std::exchange(frame_, nullptr);
  FunctionContext* outer_fn = std::exchange(fn_, nullptr);
  auto type = annotation(*param.annotation);
  fn_ = outer_fn;
  frame_ = outer_frame;
  current_scope_ = outer;
  if (type) {
    info.scope->annotations.emplace(text, *type);
  } else {
    bad_annotations_.insert(param.annotation);
  }
  return type;
}

FunctionInfo::Version* Sema::version(FunctionInfo& info, std::vector<ir::TypeRef> types,
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
      report(diag::recursion, at, {info.name}).with_help("write a loop");
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
    for (int n = 1; !function_names_.insert(v.name).second; ++n) v.name = info.name + "_" + std::to_string(n);
  }
  type_version(info, v);
  return &v;
}

void Sema::type_version(FunctionInfo& info, FunctionInfo::Version& v) {
  FunctionContext ctx;
  Frame frame;
  FunctionContext* outer_fn = std::exchange(fn_, &ctx);
  Frame* outer_frame = frame_;
  Scope* outer_scope = current_scope_;
  auto outer_once = std::exchange(once_, {});
  size_t errors_before = diags_.error_count();
  FunctionBody body(*info.scope->tree, *info.def);
  open_frame(frame, *info.scope);
  frame.info = ctx.info = &info;
  ctx.level = ir::level_of(info.type);
  std::vector<ir::StmtRef> stmts;
  ctx.out = &stmts;
  bind_params(info, v);
  frame.carries = info.scope->carries.analyse(body.stmts(), info.scope->tree->symbol_count());
  block(body.stmts());
  std::vector<ir::TypeRef> return_types = emit_returns(info, v);
  settle_directions(info);
  if (diags_.error_count() == errors_before) {
    Ref<ir::Function> function = ir::make_empty<ir::Function>();
    function->span = span(info.def->name_range);
    function->name = v.name;
    function->type = info.type;
    function->params.assign(ctx.params.begin(), ctx.params.end());
    function->return_types = std::move(return_types);
    function->body = ir::make<ir::Block>(span(info.def->name_range), std::move(stmts));
    if (set_function_attributes(info, *function)) v.function = ir::finish_node(std::move(function));
  }
  close_frame(frame);
  v.done = true;
  once_ = std::move(outer_once);
  current_scope_ = outer_scope;
  frame_ = outer_frame;
  fn_ = outer_fn;
}

void Sema::bind_params(FunctionInfo& info, FunctionInfo::Version& v) {
  if (info.is_method) bind(info.def->params[0].name, SelfValue{});
  auto params = info.params();
  for (size_t i = 0; i < params.size(); ++i) {
    if (!v.param_types[i]) {
      bind(params[i].name, v.known[i]);
      continue;
    }
    auto declared = param_annotation(info, params[i]);
    Ref<ir::Parameter> param = ir::make_empty<ir::Parameter>();
    param->span = span(params[i].range);
    param->name = name_of(params[i].name);
    param->type = v.param_types[i];
    if (declared) param->direction = declared->direction;
    param->finish();
    fn_->roots[param.get()] = static_cast<int>(fn_->params.size());
    fn_->params.push_back(param);
    fn_->direction_given.push_back(declared && (declared->has_direction || declared->type));
    bind(params[i].name, ir::ExprRef(param));
  }
  fn_->read.assign(fn_->params.size(), false);
  fn_->written.assign(fn_->params.size(), false);
}

std::vector<ir::TypeRef> Sema::emit_returns(FunctionInfo& info, FunctionInfo::Version& v) {
  std::vector<ir::TypeRef> types;
  ir::ExprList values;
  for (const Value& value : frame_->return_values) {
    ir::ExprRef expr = to_expr(value, frame_->return_span);
    if (!expr) return {};
    types.push_back(expr->type);
    int root = root_of(expr.get());
    bool whole = root >= 0 && ir::structurally_equal(expr->type, fn_->params[root]->type);
    v.return_roots.push_back(whole ? root : -1);
    values.push_back(std::move(expr));
  }
  check_return_annotation(info, types);
  if (frame_->returned) emit(ir::make<ir::Return>(frame_->return_span, std::move(values)));
  return types;
}

void Sema::check_return_annotation(const FunctionInfo& info, const std::vector<ir::TypeRef>& types) {
  // Like Python, read the annotation outside the function: a parameter may have the name of a dimension.
  Frame* frame = std::exchange(frame_, nullptr);
  FunctionContext* fn = std::exchange(fn_, nullptr);
  compare_returns(info.def->returns, types);
  fn_ = fn;
  frame_ = frame;
}

void Sema::compare_returns(const Expr* returns, const std::vector<ir::TypeRef>& types) {
  if (!returns || returns->kind == ExprKind::None) {
    if (returns && !types.empty()) report(diag::return_annotation, returns->range, {"None", "a value"});
    return;
  }
  std::vector<ir::TypeRef> want;
  if (returns->kind == ExprKind::Tuple) {
    for (const Expr* item : returns->items) {
      auto type = annotation(*item);
      if (!type) return;
      want.push_back(type->type);
    }
  } else {
    auto type = annotation(*returns);
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
  if (!same) report(diag::return_annotation, returns->range, {text(want), text(types)});
}

int Sema::root_of(const ir::Expr* value) const {
  if (const auto* call = ir::as<ir::Call>(value)) {
    const ir::Expr* aliased = ir::aliased_operand(*call);
    return aliased ? root_of(aliased) : -1;
  }
  auto found = fn_->roots.find(value);
  return found == fn_->roots.end() ? -1 : found->second;
}

void Sema::note_effects(const ir::Call& call) {
  const ir::Op& op = *call.op;
  for (const ir::Effect& effect : op.effects) {
    if (effect.peer_param >= 0 || effect.all_peers) continue;  // the own copy is what counts
    if (!ir::happens(effect, call)) continue;
    bool reads = effect.access != ir::Access::Write && effect.access != ir::Access::Signal;
    bool writes = effect.access != ir::Access::Read && effect.access != ir::Access::Wait;
    note_access(call.args[op.operand_slots[effect.param]], reads, writes, call.span);
  }
}

void Sema::note_access(const ir::ExprRef& value, bool reads, bool writes, const Span& at) {
  int root = root_of(value.get());
  if (root < 0) return;
  const ir::Parameter& param = *fn_->params[root];
  if (writes && fn_->direction_given[root] && param.direction == ir::Direction::In && !fn_->written[root] &&
      !ir::isa<ir::DistributedTensorType>(param.type)) {
    // Peers write windows whatever a parameter says, so directions do not protect them.
    report(diag::writes_input, at, {param.name})
        .with_note("the parameter is declared here", param.span)
        .with_help("declare it `" + param.name + ": pl.Out[" + ir::to_string(param.type) +
                   "]`, or pl.InOut if it is read too");
  }
  if (reads) fn_->read[root] = true;
  if (writes) fn_->written[root] = true;
}

void Sema::settle_directions(FunctionInfo&) {
  for (size_t i = 0; i < fn_->params.size(); ++i) {
    if (fn_->direction_given[i] || !fn_->written[i]) continue;
    fn_->params[i]->direction = fn_->read[i] ? ir::Direction::InOut : ir::Direction::Out;
  }
}

}  // namespace tilewire::frontend
