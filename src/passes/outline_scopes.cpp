#include "passes/outline_scopes.h"

#include <algorithm>
#include <set>

#include "ir/function_kinds.h"
#include "ir/op.h"
#include "ir/visitor.h"
#include "ops/handles.h"
#include "passes/captures.h"
#include "passes/infer_directions.h"
#include "passes/inline_functions.h"
#include "passes/names.h"
#include "passes/roots.h"
#include "passes/task_call.h"
#include "passes/tensor_type.h"
#include "support/diagnostics/passes.h"

namespace tilewire::passes {

using namespace ir;

namespace {

// A type as a parameter has it: dimensions and strides that the caller computes become dynamic ones.
TypeRef parameter_type(const TypeRef& type, const std::string& name) {
  const auto* tensor = as<TensorType>(type);
  if (!tensor) return type;
  auto portable = [](const ExprRef& dim) { return isa<ConstInt>(dim) || isa<DimSymbol>(dim); };
  bool same = std::all_of(tensor->shape.begin(), tensor->shape.end(), portable);
  TensorViewRef view = tensor->view;
  if (view && !std::all_of(view->stride.begin(), view->stride.end(), portable)) view = nullptr;
  if (same && view == tensor->view) return type;
  ExprList shape;
  for (size_t i = 0; i < tensor->shape.size(); ++i) {
    const ExprRef& dim = tensor->shape[i];
    shape.push_back(portable(dim) ? dim : make<DimSymbol>(dim->span, name + "_d" + std::to_string(i)));
  }
  if (isa<DistributedTensorType>(type)) {
    return make<DistributedTensorType>(type->span, std::move(shape), tensor->dtype, view);
  }
  return make<TensorType>(type->span, std::move(shape), tensor->dtype, view);
}

// Whether a statement may move in front of the scope it stands in: it computes a view or a scalar that an
// orchestration function can compute too.
bool is_movable(const StmtRef& stmt) {
  const auto* assign = as<Assign>(stmt);
  const auto* call = assign ? as<Call>(assign->value) : nullptr;
  if (!call) return assign && isa<TupleGet>(assign->value);
  bool kind = isa<ScalarType>(call->type) || call->op->result_alias >= 0;
  return kind && call->op->effects.empty() && (call->op->levels & OnOrchestration) && !call->op->synchronizes;
}

bool names(const Stmt& stmt, const PointerMap<uint8_t>& vars) {
  struct Search : Visitor<Search> {
    const PointerMap<uint8_t>* vars = nullptr;
    bool found = false;
    void visit(const Var& var) { found = found || vars->find(&var); }
  };
  Search search;
  search.vars = &vars;
  search.walk(stmt);
  return search.found;
}

// The number of leading statements that may move before the scope.
size_t movable_prefix(const Block& body, const VarRef& block_var) {
  PointerMap<uint8_t> inside;
  if (block_var) inside.insert(block_var.get(), 1);
  size_t count = 0;
  while (count < body.stmts.size() && is_movable(body.stmts[count]) && !names(*body.stmts[count], inside)) {
    ++count;
  }
  return count;
}

// The new kernel: the body of a scope with parameters for its captures.
class KernelBody : public Rebuilder {
 public:
  KernelBody(const Program& program, Diagnostics& diags) : Rebuilder(diags), program_(program) {}

  BlockRef write(const Block& body, const VarRef& block_var, const std::vector<size_t>& returned) {
    returned_ = &returned;
    return collect(body.span, [&] {
      if (block_var) {
        const Op& block_index = ops::pl::tile::get_block_idx;
        bind(*block_var,
             assign_new(block_var->name_hint, call_op(block_index, {}, {}, body.span), block_var->span));
      }
      depth_ = 0;
      statements(body);
    });
  }

 protected:
  void branch(const If& branch) override {
    nested([&] { Rebuilder::branch(branch); });
  }
  void loop(const For& loop) override {
    nested([&] { Rebuilder::loop(loop); });
  }
  void loop(const While& loop) override {
    nested([&] { Rebuilder::loop(loop); });
  }

  void give(const Yield& yield) override {
    if (depth_ > 0) return Rebuilder::give(yield);
    ExprList values;
    for (size_t i : *returned_) values.push_back(use(yield.values[i]));
    if (!values.empty()) emit(make<Return>(yield.span, std::move(values)));
  }

  ExprRef value(const ExprRef& expr) override {
    ExprRef now = use(expr);
    const auto* call = as<FunctionCall>(now);
    FunctionRef callee = call ? program_.find(call->callee) : nullptr;
    if (!callee) return now;
    if (callee->type != FunctionType::InCore) {
      diags_.report(diag::group_in_scope, call->span, {call->callee})
          .with_help("give `" + call->callee +
                     "` a scope of its own, with arguments that are the same for "
                     "all blocks");
      return now;
    }
    Spliced body = splice(*callee, call->args, diags_);
    for (StmtRef& stmt : body.stmts) emit(std::move(stmt));
    return body.value(expr->span);
  }

 private:
  template <class F>
  void nested(F&& run) {
    ++depth_;
    run();
    --depth_;
  }

  const Program& program_;
  const std::vector<size_t>* returned_ = nullptr;
  int depth_ = 0;
};

// Rewrites one orchestration function; kernels it needs are added to `made`.
class Outliner : public Rebuilder {
 public:
  Outliner(const Program& program, const Function& function, const ReturnRoots& returns, Names& taken,
           std::vector<FunctionRef>& made, Diagnostics& diags)
      : Rebuilder(diags),
        program_(program),
        function_(function),
        returns_(returns),
        taken_(taken),
        made_(made) {}

 protected:
  void scope(const AtScope& scope) override { outline(scope, nullptr); }
  void scope(const SpmdScope& scope) override { outline(scope, scope.block_var); }

  // A new tensor with a known content is a task that writes it.
  void assign(const Assign& assign) override {
    const Op& create = ops::pl::tensor::create;
    const Op& assemble = ops::pl::tensor::assemble;
    const auto* launch = as<FunctionCall>(assign.value);
    if (launch && launch->blocks) return this->launch(*launch, assign.var);
    const auto* call = as<Call>(assign.value);
    if (!call || (call->op != ops::pl::tensor::full && call->op != ops::pl::tensor::arange))
      return Rebuilder::assign(assign);
    const Span& span = assign.span;
    const TensorType& type = tensor_type_of(*call);
    ExprRef shape = use(call->args[0]);
    VarRef target = assign_new(assign.var->name_hint,
                               call_op(create, {shape}, {{"dtype", AttrValue{type.dtype}}}, span), span);
    ExprList zeros(type.shape.size(), const_index(0));
    VarRef value = make<Var>(span, assign.var->name_hint, call->type);
    VarRef written = make<Var>(span, assign.var->name_hint, target->type);
    ExprRef store = call_op(assemble, {target, value, make<MakeTuple>(span, zeros)}, {}, span);
    BlockRef body = make<Block>(
        span, std::vector<StmtRef>{make<Assign>(span, assign.value, value),
                                   make<Assign>(span, store, written), make<Yield>(span, ExprList{written})});
    Ref<AtScope> task = make_empty<AtScope>();
    task->span = span;
    task->body = body;
    task->results = {assign.var};
    task->name_hint = call->op == ops::pl::tensor::full ? "fill" : "count";
    outline(*finish_node(std::move(task)), nullptr);
  }

  void eval(const Eval& eval) override {
    const auto* call = as<FunctionCall>(eval.value);
    if (!call || !call->blocks) return Rebuilder::eval(eval);
    launch(*call, nullptr);
  }

 private:
  // `k(..., blocks=n)` is a separate scope.
  void launch(const FunctionCall& call, const VarRef& var) {
    const Span& span = call.span;
    Ref<FunctionCall> plain = copy(call);
    plain->blocks = nullptr;
    plain->deps = {};
    ExprRef task = use(ExprRef(finish_node(std::move(plain))));
    Ref<SpmdScope> scope = make_empty<SpmdScope>();
    scope->span = span;
    scope->block_count = use(call.blocks);
    scope->deps = use(call.deps);
    std::string hint = var ? var->name_hint : "r";
    scope->body = collect(span, [&] {
      ExprList values = call_parts(task, hint, span);
      for (const ExprRef& value : values) scope->results.push_back(make<Var>(span, hint, value->type));
      if (!values.empty()) emit(make<Yield>(span, std::move(values)));
    });
    ExprList results(scope->results.begin(), scope->results.end());
    emit(finish_node(std::move(scope)));
    if (var) bind(*var, results.size() == 1 ? results[0] : ExprRef(make<MakeTuple>(span, results)));
  }

  // Emits a call and returns its results one by one.
  ExprList call_parts(const ExprRef& call, const std::string& hint, const Span& span) {
    const auto* tuple = as<TupleType>(call->type);
    if (tuple && tuple->types.empty()) {
      emit(make<Eval>(span, call));
      return {};
    }
    VarRef whole = assign_new(hint, call, span);
    if (!tuple) return {whole};
    ExprList parts;
    for (size_t i = 0; i < tuple->types.size(); ++i) {
      parts.push_back(assign_new(hint, make<TupleGet>(span, whole, static_cast<int64_t>(i)), span));
    }
    return parts;
  }

  template <class T>
  void outline(const T& old, const VarRef& block_var) {
    if (only_defers(*old.body)) return Rebuilder::scope(old);
    size_t prefix = movable_prefix(*old.body, block_var);
    std::vector<StmtRef> rest(old.body->stmts.begin() + prefix, old.body->stmts.end());
    BlockRef body = make<Block>(old.body->span, rest);
    const FunctionCall* call = single_call(*body);
    if (call && block_var) {
      PointerMap<uint8_t> inside;
      inside.insert(block_var.get(), 1);
      for (const StmtRef& stmt : rest) {
        if (names(*stmt, inside)) call = nullptr;
      }
    }
    if (call) {
      for (size_t i = 0; i < prefix; ++i) statement(*old.body->stmts[i]);
      return keep(old, *body);
    }
    move_out(old, block_var);
  }

  // The scope of a kernel call: nothing is left in it but the call.
  template <class T>
  void keep(const T& old, const Block& body) {
    Ref<T> now = copy(old);
    now->body = ref(&body);
    if constexpr (requires { now->block_var; }) now->block_var = nullptr;
    Rebuilder::scope(*finish_node(std::move(now)));
  }

  struct Argument {
    ExprRef value;  // in the caller
    Ref<const Parameter> param;
  };

  template <class T>
  void move_out(const T& old, const VarRef& block_var) {
    KernelBody kernel(program_, diags_);
    std::vector<Argument> arguments = capture(*old.body, block_var, kernel);
    // What the scope hands on without change needs no return.
    const ExprList& values = yielded(*old.body);
    std::vector<size_t> returned;
    for (size_t i = 0; i < values.size(); ++i) {
      if (!is_captured(use(values[i]), arguments)) returned.push_back(i);
    }
    Ref<Function> made = make_empty<Function>();
    made->span = old.span;
    made->name = taken_.take(identifier(old.name_hint.empty() ? function_.name + "_kernel" : old.name_hint));
    made->type = FunctionType::InCore;
    made->split = old.split;
    for (const Argument& argument : arguments) made->params.push_back(argument.param);
    made->body = kernel.write(*old.body, block_var, returned);
    share_returns(*made, returned);
    const auto* ret = made->body->stmts.empty() ? nullptr : as<Return>(made->body->stmts.back());
    for (size_t i = 0; ret && i < ret->values.size(); ++i) {
      made->return_types.push_back(parameter_type(ret->values[i]->type, "result"));
    }
    FunctionRef function = finish_node(std::move(made));
    made_.push_back(function);
    emit_scope(old, *function, arguments, values);
  }

  static bool is_captured(const ExprRef& value, const std::vector<Argument>& arguments) {
    return std::any_of(arguments.begin(), arguments.end(),
                       [&](const Argument& argument) { return argument.value == value; });
  }

  // Two results in the same storage are returned as one value; `slots_` maps results to returns.
  void share_returns(Function& kernel, const std::vector<size_t>& returned) {
    Roots roots(kernel, returns_);
    slots_.assign(returned.empty() ? 0 : returned.back() + 1, -1);
    if (returned.empty()) return;
    const auto& ret = static_cast<const Return&>(*kernel.body->stmts.back());
    ExprList values;
    roots_.clear();
    for (size_t i = 0; i < ret.values.size(); ++i) {
      int root = roots.only(ret.values[i]);
      auto same = std::find(roots_.begin(), roots_.end(), root);
      if (root >= 0 && same != roots_.end()) {
        slots_[returned[i]] = static_cast<int>(same - roots_.begin());
        continue;
      }
      slots_[returned[i]] = static_cast<int>(values.size());
      values.push_back(ret.values[i]);
      roots_.push_back(root);
    }
    if (values.size() == ret.values.size()) return;
    std::vector<StmtRef> stmts = kernel.body->stmts;
    stmts.back() = make<Return>(ret.span, std::move(values));
    kernel.body = make<Block>(kernel.body->span, std::move(stmts));
  }

  template <class T>
  void emit_scope(const T& old, const Function& kernel, const std::vector<Argument>& arguments,
                  const ExprList& values) {
    Ref<T> now = copy(old);
    now->deps = use(old.deps);
    if constexpr (requires { now->block_var; }) {
      now->block_count = use(old.block_count);
      now->block_var = nullptr;
    }
    ExprList args;
    for (const Argument& argument : arguments) args.push_back(argument.value);
    ExprList given;
    now->body = collect(old.body->span, [&] {
      Ref<FunctionCall> call = make_empty<FunctionCall>();
      call->span = old.span;
      call->callee = kernel.name;
      call->type = call_type(kernel.return_types, roots_, args);
      call->args = std::move(args);
      ExprRef made = finish_node(std::move(call));
      ExprList results = take_apart(made, kernel.return_types.size(), old);
      for (size_t i = 0; i < values.size(); ++i) {
        int slot = i < slots_.size() ? slots_[i] : -1;
        given.push_back(slot >= 0 ? results[slot] : use(values[i]));
      }
      if (!given.empty()) emit(make<Yield>(old.span, given));
    });
    for (size_t i = 0; i < old.results.size(); ++i) {
      now->results[i] = define(old.results[i], given[i]->type);
    }
    if (old.task_id) now->task_id = define(old.task_id, old.task_id->type);
    emit(finish_node(std::move(now)));
  }

  // Emits the call and returns its results one by one.
  template <class T>
  ExprList take_apart(const ExprRef& call, size_t count, const T& old) {
    ExprList results;
    if (count == 0) {
      emit(make<Eval>(old.span, call));
      return results;
    }
    std::vector<std::string> hints(count, "r");
    for (size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i] >= 0) hints[slots_[i]] = old.results[i]->name_hint;
    }
    VarRef whole = assign_new(count == 1 ? hints[0] : "r", call, old.span);
    if (count == 1) return {whole};
    for (size_t i = 0; i < count; ++i) {
      results.push_back(
          assign_new(hints[i], make<TupleGet>(old.span, whole, static_cast<int64_t>(i)), old.span));
    }
    return results;
  }

  // --- captured values

  std::vector<Argument> capture(const Block& body, const VarRef& block_var, KernelBody& kernel) {
    std::vector<Argument> arguments;
    Names names;
    Captures captures = captures_of(body);
    for (const VarRef& var : captures.vars) {
      if (var == block_var) continue;
      kernel.bind(*var, pass(use(var), var->name_hint, names, arguments));
    }
    for (const std::string& dim : captures.dims) {
      if (is_bound(dim, arguments)) continue;
      ExprRef symbol = make<DimSymbol>(body.span, dim);
      kernel.bind_dim(dim, pass(symbol, dim, names, arguments));
    }
    return arguments;
  }

  // Adds a parameter for a value and returns the replacement in the kernel.
  ExprRef pass(const ExprRef& value, const std::string& hint, Names& names,
               std::vector<Argument>& arguments) {
    if (const auto* tuple = as<TupleType>(value->type)) {
      ExprList parts;
      for (size_t i = 0; i < tuple->types.size(); ++i) {
        ExprRef part =
            assign_new(hint, make<TupleGet>(value->span, value, static_cast<int64_t>(i)), value->span);
        parts.push_back(pass(part, hint, names, arguments));
      }
      return make<MakeTuple>(value->span, std::move(parts));
    }
    std::string name = names.take(identifier(hint));
    auto param = make<Parameter>(value->span, name, parameter_type(value->type, name));
    arguments.push_back({value, param});
    return param;
  }

  // Whether a parameter's shape determines a dynamic dimension.
  static bool is_bound(const std::string& dim, const std::vector<Argument>& arguments) {
    for (const Argument& argument : arguments) {
      const auto* tensor = as<TensorType>(argument.param->type);
      if (!tensor) continue;
      for (const ExprRef& extent : tensor->shape) {
        const auto* symbol = as<DimSymbol>(extent);
        if (symbol && symbol->name == dim) return true;
      }
    }
    return false;
  }

  const Program& program_;
  const Function& function_;
  const ReturnRoots& returns_;
  Names& taken_;
  std::vector<FunctionRef>& made_;
  std::vector<int> slots_;  // of the scope at hand: result -> return, -1 for what was captured
  std::vector<int> roots_;  // of the kernel at hand: return -> parameter
};

// Gives kernels that the host dispatches their orchestration functions.
class Dispatcher : public Rebuilder {
 public:
  Dispatcher(const Program& program, const ReturnRoots& returns, bool everywhere, Names& taken,
             std::vector<FunctionRef>& made, Diagnostics& diags)
      : Rebuilder(diags),
        program_(program),
        returns_(returns),
        everywhere_(everywhere),
        taken_(taken),
        made_(made) {}

 protected:
  ExprRef value(const ExprRef& expr) override {
    ExprRef now = use(expr);
    const auto* call = as<FunctionCall>(now);
    FunctionRef callee = call ? program_.find(call->callee) : nullptr;
    if (!callee || !is_kernel_or_group(callee->type)) return now;
    // The workspace of a Group's pipes must be created by a caller.
    const bool group = callee->type == FunctionType::Group;
    if (!everywhere_ && !group && returns_parameters(*callee)) return now;
    Ref<FunctionCall> changed = copy(*call);
    TypeRef blocks = call->blocks ? call->blocks->type : nullptr;
    changed->callee = pass_through(*callee, blocks);
    changed->blocks = nullptr;
    if (call->blocks) changed->args.push_back(call->blocks);
    return finish_node(std::move(changed));
  }

 private:
  // Other tensors must be created by a caller.
  bool returns_parameters(const Function& kernel) const {
    const auto& roots = returns_.at(kernel.name);
    return std::all_of(roots.begin(), roots.end(), [](const Returned& value) {
      return value.roots.size() == 1 && value.roots[0] != fresh;
    });
  }

  const std::string& pass_through(const Function& kernel, const TypeRef& blocks) {
    DType dtype = blocks ? static_cast<const ScalarType&>(*blocks).dtype : DType::Bool;
    auto key = std::pair(kernel.name, dtype);
    auto found = names_.find(key);
    if (found != names_.end()) return found->second;
    std::string name = taken_.take(kernel.name + (blocks ? "_blocks" : "_task"));
    made_.push_back(write(kernel, name, blocks));
    return names_[key] = name;
  }

  FunctionRef write(const Function& kernel, const std::string& name, const TypeRef& blocks) {
    Ref<Function> made = make_empty<Function>();
    made->span = kernel.span;
    made->name = name;
    made->type = FunctionType::Orchestration;
    Ref<FunctionCall> call = make_empty<FunctionCall>();
    call->span = kernel.span;
    call->callee = kernel.name;
    Names names;
    for (const auto& param : kernel.params) {
      names.take(param->name);
      made->params.push_back(make<Parameter>(param->span, param->name, param->type, param->direction));
      call->args.push_back(made->params.back());
    }
    ExprRef count;
    if (blocks) {
      made->params.push_back(make<Parameter>(kernel.span, names.take("blocks"), blocks));
      count = made->params.back();
    }
    std::vector<int> roots;
    for (const auto& [set, same] : returns_.at(kernel.name)) roots.push_back(set.size() == 1 ? set[0] : -1);
    call->type = call_type(kernel.return_types, roots, call->args);
    made->return_types = kernel.return_types;
    ExprRef task = finish_node(std::move(call));
    made->body = collect(kernel.span, [&] {
      ExprList results = launch(task, kernel, count);
      if (!results.empty()) emit(make<Return>(kernel.span, std::move(results)));
    });
    return finish_node(std::move(made));
  }

  ExprList launch(const ExprRef& task, const Function& kernel, const ExprRef& count) {
    if (!count) return results_of(task, kernel);
    Ref<SpmdScope> scope = make_empty<SpmdScope>();
    scope->span = kernel.span;
    scope->block_count = count;
    ExprList results;
    scope->body = collect(kernel.span, [&] {
      ExprList values = results_of(task, kernel);
      for (const ExprRef& value : values) {
        scope->results.push_back(make<Var>(kernel.span, as<Var>(value)->name_hint, value->type));
      }
      if (!values.empty()) emit(make<Yield>(kernel.span, std::move(values)));
    });
    results.assign(scope->results.begin(), scope->results.end());
    emit(finish_node(std::move(scope)));
    return results;
  }

  ExprList results_of(const ExprRef& task, const Function& kernel) {
    size_t count = kernel.return_types.size();
    if (count == 0) {
      emit(make<Eval>(kernel.span, task));
      return {};
    }
    VarRef whole = assign_new("r", task, kernel.span);
    if (count == 1) return {whole};
    ExprList results;
    for (size_t i = 0; i < count; ++i) {
      results.push_back(
          assign_new("r", make<TupleGet>(kernel.span, whole, static_cast<int64_t>(i)), kernel.span));
    }
    return results;
  }

  const Program& program_;
  const ReturnRoots& returns_;
  const bool everywhere_;  // also where the interpreter could do without
  Names& taken_;
  std::vector<FunctionRef>& made_;
  std::map<std::pair<std::string, DType>, std::string> names_;
};

}  // namespace

ProgramRef outline_scopes(const ProgramRef& program, const Traits& traits, Diagnostics& diags) {
  Names taken;
  for (const FunctionRef& function : program->functions) taken.take(function->name);
  ReturnRoots returns = return_roots(*program);
  Ref<Program> result = copy(*program);
  result->functions.clear();
  for (const FunctionRef& function : program->functions) {
    std::vector<FunctionRef> made;
    FunctionRef now = function;
    if (is_orchestration(function->type)) {
      Outliner outliner(*program, *function, returns, taken, made, diags);
      Ref<Function> changed = copy(*function);
      changed->body = outliner.block(*function->body);
      changed->type = FunctionType::Orchestration;
      now = finish_node(std::move(changed));
    } else if (function->type == FunctionType::Host) {
      Dispatcher dispatcher(*program, returns, !traits.dispatches_kernels, taken, made, diags);
      now = with_body(*function, dispatcher.block(*function->body));
    }
    for (FunctionRef& kernel : made) result->functions.push_back(std::move(kernel));
    result->functions.push_back(std::move(now));
  }
  // The new kernels' parameters are all In so far.
  return infer_directions(finish_node(std::move(result)), diags);
}

}  // namespace tilewire::passes
