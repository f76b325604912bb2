#include "passes/rebuild.h"

#include "ir/mutator.h"
#include "ir/op.h"
#include "ir/structural.h"

namespace tilewire::passes {

using namespace ir;

namespace {

// Types name variables only as dimensions, and few do: those are rewritten through the rebuilder.
struct TypeSubstitution : Mutator<TypeSubstitution> {
  Rebuilder& rebuilder;
  explicit TypeSubstitution(Rebuilder& r) : rebuilder(r) {}
  NodeRef rewrite(const Var& var) { return rebuilder.use(ExprRef(&var)); }
  NodeRef rewrite(const WindowBuffer& buffer) { return ref(&buffer); }
  NodeRef rewrite(const DimSymbol& symbol) { return rebuilder.use(ExprRef(&symbol)); }
  NodeRef rewrite(const Call& call) { return rebuilder.use(ExprRef(&call)); }
};

bool is_fixed(const ExprList& list) {
  for (const ExprRef& dim : list) {
    if (!isa<ConstInt>(dim)) return false;
  }
  return true;
}

bool is_fixed(const TypeRef& type) {
  if (const auto* tensor = as<TensorType>(type)) {
    return is_fixed(tensor->shape) && (!tensor->view || is_fixed(tensor->view->stride));
  }
  return !isa<TupleType>(type);
}

}  // namespace

const ExprList& yielded(const Block& block) {
  static const ExprList none;
  const auto* yield = block.stmts.empty() ? nullptr : as<Yield>(block.stmts.back());
  return yield ? yield->values : none;
}

FunctionRef with_body(const Function& function, BlockRef body) {
  Ref<Function> changed = copy(function);
  changed->body = std::move(body);
  return finish_node(std::move(changed));
}

void Rebuilder::bind(const Var& var, ExprRef value) {
  auto [place, added] = places_.insert(&var, static_cast<uint32_t>(bound_.size()));
  if (added) {
    bound_.emplace_back(VarRef(&var), std::move(value));
  } else {
    bound_[*place].second = std::move(value);
  }
}

void Rebuilder::bind_arguments(const Function& callee, const ExprList& args) {
  for (size_t i = 0; i < args.size() && i < callee.params.size(); ++i) {
    bind(*callee.params[i], args[i]);
    const auto* declared = as<TensorType>(callee.params[i]->type);
    const auto* given = as<TensorType>(args[i]->type);
    for (size_t k = 0; declared && given && k < declared->shape.size() && k < given->shape.size(); ++k) {
      if (const auto* symbol = as<DimSymbol>(declared->shape[k])) bind_dim(symbol->name, given->shape[k]);
    }
  }
}

ExprRef Rebuilder::use(const ExprRef& expr) {
  if (!expr) return expr;
  if (const auto* symbol = as<DimSymbol>(expr)) {
    auto found = dims_.find(symbol->name);
    return found == dims_.end() ? expr : found->second;
  }
  if (isa<Var>(expr)) {
    const uint32_t* place = places_.find(expr.get());
    return place ? bound_[*place].second : expr;
  }
  if (isa<Call>(expr)) {
    ExprRef call = rebuild_call(expr);
    return isa<Call>(call) ? fold(call) : call;
  }
  if (isa<FunctionCall>(expr)) return rebuild_function_call(expr);
  if (const auto* tuple = as<MakeTuple>(expr)) {
    ExprList elements = use(tuple->elements);
    if (elements == tuple->elements) return expr;
    return make<MakeTuple>(expr->span, std::move(elements));
  }
  if (const auto* get = as<TupleGet>(expr)) {
    ExprRef tuple = use(get->tuple);
    if (const auto* made = as<MakeTuple>(tuple)) return made->elements[get->index];
    if (tuple == get->tuple) return expr;
    return make<TupleGet>(expr->span, tuple, get->index);
  }
  return expr;
}

ExprList Rebuilder::use(const ExprList& list) {
  ExprList result;
  result.reserve(list.size());
  for (const ExprRef& expr : list) result.push_back(use(expr));
  return result;
}

TypeRef Rebuilder::use_type(const TypeRef& type) {
  if (is_fixed(type)) return type;
  return TypeSubstitution(*this).mutate(type);
}

ExprRef Rebuilder::rebuild_call(const ExprRef& expr) {
  const auto& call = static_cast<const Call&>(*expr);
  ExprList args = use(call.args);
  bool retyped = false, changed = false;
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i] == call.args[i]) continue;
    changed = true;
    // A rule may also look at the value of a constant.
    retyped = retyped || args[i]->type != call.args[i]->type || !isa<Var>(args[i]);
  }
  if (!changed) return expr;
  if (!retyped && is_fixed(call.type)) {
    Ref<Call> result = copy(call);
    result->args = std::move(args);
    return finish_node(std::move(result));
  }
  TypeRef annotated = call.op->needs_annotation ? use_type(call.type) : nullptr;
  Diagnostics problems;
  Ref<const Call> made = create_call(*call.op, args, call.attrs, call.span, problems, annotated);
  if (made) return made;
  ExprRef other = rejected(call, std::move(args));
  return other ? other : expr;
}

// An inlined body may get arguments it cannot work with, such as a strided part that it reshapes.
ExprRef Rebuilder::rejected(const Call& call, ExprList args) {
  TypeRef annotated = call.op->needs_annotation ? use_type(call.type) : nullptr;
  return create_call(*call.op, std::move(args), call.attrs, call.span, diags_, annotated);
}

ExprRef Rebuilder::rebuild_function_call(const ExprRef& expr) {
  const auto& call = static_cast<const FunctionCall&>(*expr);
  Ref<FunctionCall> result = copy(call);
  result->args = use(call.args);
  result->device = use(call.device);
  result->blocks = use(call.blocks);
  result->deps = use(call.deps);
  result->type = use_type(call.type);
  if (result->args == call.args && result->device == call.device && result->blocks == call.blocks &&
      result->deps == call.deps && result->type == call.type) {
    return expr;
  }
  return finish_node(std::move(result));
}

BlockRef Rebuilder::block(const Block& body) {
  return collect(body.span, [&] { statements(body); });
}

void Rebuilder::statements(const Block& body) {
  for (const StmtRef& stmt : body.stmts) statement(*stmt);
}

void Rebuilder::statement(const Stmt& stmt) {
  switch (stmt.kind()) {
    case kind_of<Assign>:
      return assign(static_cast<const Assign&>(stmt));
    case kind_of<Eval>:
      return eval(static_cast<const Eval&>(stmt));
    case kind_of<Yield>:
      return give(static_cast<const Yield&>(stmt));
    case kind_of<Return>:
      return give(static_cast<const Return&>(stmt));
    case kind_of<If>:
      return branch(static_cast<const If&>(stmt));
    case kind_of<For>:
      return loop(static_cast<const For&>(stmt));
    case kind_of<While>:
      return loop(static_cast<const While&>(stmt));
    case kind_of<AtScope>:
      return scope(static_cast<const AtScope&>(stmt));
    case kind_of<SpmdScope>:
      return scope(static_cast<const SpmdScope&>(stmt));
    case kind_of<WithScope>:
      return scope(static_cast<const WithScope&>(stmt));
    default:
      internal_error(__FILE__, __LINE__, "passes do not know this kind of statement");
  }
}

VarRef Rebuilder::define(const VarRef& old, const TypeRef& type) {
  if (!fresh_ && type == old->type) return old;
  VarRef now = make<Var>(old->span, old->name_hint, type);
  bind(*old, now);
  return now;
}

VarRef Rebuilder::assign_new(const std::string& name, ExprRef value, const Span& span) {
  VarRef var = make<Var>(span, name, value->type);
  emit(make<Assign>(span, std::move(value), var));
  return var;
}

ExprRef Rebuilder::call_op(const Op& op, ExprList args, AttrList attrs, const Span& span) {
  Diagnostics problems;
  Ref<const Call> made = create_call(op, std::move(args), std::move(attrs), span, problems);
  TW_CHECK(made, "a pass made a wrong call of " + op.qualified() + "\n" + problems.text());
  return made;
}

void Rebuilder::assign(const Assign& assign) {
  ExprRef now = value(assign.value);
  // A variable never is a second name of something that has one.
  if (isa<Var>(now) || isa<DimSymbol>(now) || isa<MakeTuple>(now)) return bind(*assign.var, now);
  TypeRef type = now->type == assign.value->type ? assign.var->type : now->type;
  VarRef var = define(assign.var, type);
  if (now == assign.value && var == assign.var) return emit(ref(static_cast<const Stmt*>(&assign)));
  emit(make<Assign>(assign.span, std::move(now), std::move(var)));
}

void Rebuilder::eval(const Eval& eval) {
  ExprRef now = value(eval.value);
  if (now == eval.value) return emit(ref(static_cast<const Stmt*>(&eval)));
  if (isa<Call>(now) || isa<FunctionCall>(now)) emit(make<Eval>(eval.span, std::move(now)));
}

void Rebuilder::give(const Yield& yield) {
  emit(make<Yield>(yield.span, use(yield.values)));
}

void Rebuilder::give(const Return& ret) {
  emit(make<Return>(ret.span, use(ret.values)));
}

void Rebuilder::branch(const If& branch) {
  Ref<If> now = copy(branch);
  now->condition = use(branch.condition);
  now->then_body = block(*branch.then_body);
  if (branch.else_body) now->else_body = block(*branch.else_body);
  const ExprList& before = yielded(*branch.then_body);
  const ExprList& after = yielded(*now->then_body);
  for (size_t i = 0; i < branch.results.size(); ++i) {
    // A pass may hand on more than there was.
    bool same = i >= before.size() || after[i]->type == before[i]->type;
    now->results[i] = define(branch.results[i], same ? use_type(branch.results[i]->type) : after[i]->type);
  }
  emit(finish_node(std::move(now)));
}

// Carried values have the types of the values they start with, unless those did not change.
template <class T>
void Rebuilder::carried(const T& old, T& now) {
  now.init_values = use(old.init_values);
  for (size_t i = 0; i < old.iter_args.size(); ++i) {
    bool same = now.init_values[i]->type == old.init_values[i]->type;
    TypeRef type = same ? use_type(old.iter_args[i]->type) : now.init_values[i]->type;
    now.iter_args[i] = define(old.iter_args[i], type);
  }
}

void Rebuilder::loop(const For& loop) {
  Ref<For> now = copy(loop);
  now->start = use(loop.start);
  now->stop = use(loop.stop);
  now->step = use(loop.step);
  // Text has no form for a constant step of 0; at run time it is a separate error.
  if (constant_value(now->step) == 0) now->step = assign_new("k", now->step, loop.span);
  carried(loop, *now);
  now->loop_var = define(loop.loop_var, loop.loop_var->type);
  now->body = block(*loop.body);
  for (size_t i = 0; i < loop.results.size(); ++i) {
    now->results[i] = define(loop.results[i], now->iter_args[i]->type);
  }
  emit(finish_node(std::move(now)));
}

void Rebuilder::loop(const While& loop) {
  Ref<While> now = copy(loop);
  carried(loop, *now);
  // Code that a pass emits for the new condition belongs to the iteration.
  now->before = collect(loop.before->span, [&] {
    statements(*loop.before);
    now->condition = use(loop.condition);
  });
  now->body = block(*loop.body);
  for (size_t i = 0; i < loop.results.size(); ++i) {
    now->results[i] = define(loop.results[i], now->iter_args[i]->type);
  }
  emit(finish_node(std::move(now)));
}

template <class T>
void Rebuilder::task_scope(const T& old) {
  Ref<T> now = copy(old);
  now->deps = use(old.deps);
  if constexpr (requires { old.block_count; }) {
    now->block_count = use(old.block_count);
    if (old.block_var) now->block_var = define(old.block_var, old.block_var->type);
  }
  now->body = block(*old.body);
  const ExprList& values = yielded(*now->body);
  for (size_t i = 0; i < old.results.size(); ++i) {
    now->results[i] = define(old.results[i], values[i]->type);
  }
  if (old.task_id) now->task_id = define(old.task_id, old.task_id->type);
  emit(finish_node(std::move(now)));
}

void Rebuilder::scope(const AtScope& scope) {
  task_scope(scope);
}

void Rebuilder::scope(const SpmdScope& scope) {
  task_scope(scope);
}

void Rebuilder::scope(const WithScope& scope) {
  emit(make<WithScope>(scope.span, scope.scope_kind, block(*scope.body)));
}

}  // namespace tilewire::passes
