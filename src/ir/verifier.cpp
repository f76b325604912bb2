// Scopes come from the roles of fields, so a new node class is scoped right without a word here; the
// overloads of `check` add what single classes promise beyond that.
#include "ir/verifier.h"

#include <set>

#include "ir/dump.h"
#include "ir/fields.h"
#include "ir/op.h"
#include "ir/param_effects.h"
#include "ir/pointer_map.h"
#include "ir/structural.h"
#include "ir/verify_calls.h"
#include "ir/verify_scopes.h"
#include "support/diagnostics/verifier.h"

namespace tilewire::ir {
namespace {

// A type may be this deep by itself, and so may the size of a window buffer in it; statements and expressions
// get the rest of max_depth.
constexpr int max_type_depth = 100;
constexpr int max_statement_depth = max_depth - 2 * max_type_depth - 5;

class Verifier {
 public:
  Verifier(const Program& program, Diagnostics& diags, const VerifyOptions& options)
      : program_(program), diags_(diags), calls_(program, diags, options.type_rules) {}

  void run() {
    for (const FunctionRef& function : program_.functions) {
      if (diags_.full()) return;
      node(*function);
    }
    check_buffers();
    check_groups();
    const std::vector<const Function*> callees_first = calls_.check_recursion();
    if (frees_storage_ && !diags_.has_errors()) check_scoped_storage(callees_first, diags_);
  }

 private:
  // What the statements of a block must do at its end.
  struct BlockRole {
    const VarList* yields = nullptr;  // null or empty: no yield
    const Function* returns = nullptr;
    bool scope_stays_open = false;
  };

  // --- walking

  template <class T>
  void node(const T& node) {
    if (++depth_ > max_statement_depth) {
      report_depth(node.span);
    } else if (!diags_.full()) {
      if constexpr (requires { check(node); }) check(node);
      size_t scope = scope_.size();
      for_each_field(node, [&](const auto& field, const auto& value) {
        if (field.role != FieldRole::Def) this->field(node, field, value);
      });
      if constexpr (!std::is_same_v<T, WithScope>) leave(scope);
      for_each_field(node, [&](const auto& field, const auto& value) {
        if (field.role == FieldRole::Def) this->field(node, field, value);
      });
    }
    --depth_;
  }

  template <class T, class C, class V>
  void field(const T& parent, const Field<C, V>& field, const V& value) {
    if constexpr (is_node_list<V>) {
      for (const auto& element : value) {
        if (element) child(parent, field.role, *element);
      }
    } else if constexpr (is_node_ref<V>) {
      if (value) child(parent, field.role, *value);
    }
  }

  template <class T, class C>
  void child(const T& parent, FieldRole role, const C& node) {
    if constexpr (std::is_base_of_v<Type, C>) {
      type(node);
    } else if constexpr (std::is_same_v<C, Block>) {
      block(node, block_role(parent, node));
    } else if constexpr (std::is_base_of_v<Var, C>) {
      variable(node, role);
    } else if constexpr (std::is_base_of_v<Expr, C>) {
      expression(node, std::is_same_v<T, Assign> || std::is_same_v<T, Eval>);
    } else {
      dispatch(node, [&](const auto& typed) { this->node(typed); });
    }
  }

  void variable(const Var& var, FieldRole role) {
    if (role == FieldRole::Def || role == FieldRole::Bind) {
      define(var);
    } else {
      use(var);
    }
  }

  void expression(const Expr& expr, bool statement) {
    switch (expr.kind()) {
      case kind_of<Var>:
      case kind_of<Parameter>:
      case kind_of<WindowBuffer>:
        return use(static_cast<const Var&>(expr));
      case kind_of<ConstInt>:
      case kind_of<ConstFloat>:
      case kind_of<ConstBool>:
      case kind_of<DimSymbol>:
        return;
      case kind_of<Call>:
        calls_.check(static_cast<const Call&>(expr), place_, statement);
        break;
      case kind_of<FunctionCall>:
        calls_.check(static_cast<const FunctionCall&>(expr), place_, statement);
        break;
      default:
        break;
    }
    dispatch(expr, [&](const auto& typed) { node(typed); });
  }

  template <class T>
  BlockRole block_role(const T& parent, const Block& block) const {
    if constexpr (std::is_same_v<T, Function>) return {.returns = &parent};
    if constexpr (std::is_same_v<T, WithScope>) return {.scope_stays_open = true};
    if constexpr (std::is_same_v<T, While>) {
      if (&block == parent.before.get()) return {.scope_stays_open = true};
    }
    if constexpr (requires { parent.iter_args; }) {
      return {.yields = &parent.iter_args};
    } else if constexpr (requires { parent.results; }) {
      return {.yields = &parent.results};
    }
    return {};
  }

  template <class T>
  static constexpr bool is_task_scope = std::is_same_v<T, AtScope> || std::is_same_v<T, SpmdScope>;

  void block(const Block& block, const BlockRole& role) {
    size_t scope = scope_.size();
    ++depth_;
    bool must_yield = role.yields && !role.yields->empty();
    for (size_t i = 0; i < block.stmts.size() && !diags_.full(); ++i) {
      const Stmt& stmt = *block.stmts[i];
      bool last = i + 1 == block.stmts.size();
      if (const auto* yield = as<Yield>(&stmt)) {
        check_yield(*yield, must_yield && last ? role.yields : nullptr);
      } else if (const auto* ret = as<Return>(&stmt)) {
        check_return(*ret, last ? role.returns : nullptr);
      }
      statement(stmt);
    }
    if (must_yield && (block.stmts.empty() || !isa<Yield>(block.stmts.back()))) {
      diags_.report(diag::yield_missing, block.span, {count_of(role.yields->size(), "value")});
    }
    if (role.returns) check_has_return(*role.returns);
    if (!role.scope_stays_open) leave(scope);
    --depth_;
  }

  void statement(const Stmt& stmt) {
    const Span* outer = std::exchange(here_, stmt.span ? &stmt.span : here_);
    dispatch(stmt, [&](const auto& typed) {
      using T = std::remove_cvref_t<decltype(typed)>;
      if constexpr (is_task_scope<T>) {
        task_scope(typed);
      } else {
        node(typed);
      }
    });
    here_ = outer;
  }

  // Everything inside runs in a kernel; what is evaluated before is scalar and may be used anywhere.
  template <class T>
  void task_scope(const T& scope) {
    FunctionType type = place_.function->type;
    bool orchestration = place_.level == OnOrchestration || type == FunctionType::Inline;
    if (!orchestration || in_scope_) {
      const char* what = std::is_same_v<T, AtScope> ? "`pl.at`" : "`pl.spmd`";
      diags_.report(diag::scope_misplaced, scope.span, {what});
    }
    CallPlace outer = place_;
    bool was_in_scope = std::exchange(in_scope_, true);
    place_.level = OnKernel;
    place_.in_spmd = std::is_same_v<T, SpmdScope> || single_call(*scope.body);
    node(scope);
    place_ = outer;
    in_scope_ = was_in_scope;
  }

  // --- variables

  void define(const Var& var) {
    type(*var.type);
    if (!vars_.insert(&var, static_cast<uint32_t>(scope_.size())).second) {
      diags_.report(diag::var_redefined, var.span, {name_of(var)});
      return;
    }
    scope_.push_back(&var);
  }

  void leave(size_t scope) { scope_.resize(scope); }

  void use(const Var& var) {
    if (const auto* buffer = as<WindowBuffer>(&var)) {
      note_buffer(*buffer);
      return use(*buffer->base);
    }
    const uint32_t* place = vars_.find(&var);
    if (place && *place < scope_.size() && scope_[*place] == &var) return;
    diags_.report(place ? diag::var_out_of_scope : diag::var_undefined, here(), {name_of(var)})
        .with_note("the variable is this one", var.span);
  }

  // A variable is one node wherever it is used, so the place of a use is that of its statement.
  Span here() const { return here_ ? *here_ : Span{}; }

  static std::string name_of(const Var& var) { return var.name_hint.empty() ? "?" : var.name_hint; }

  // --- types

  // Types are shared by thousands of nodes: what one depends on is looked at once, unless it depends on
  // variables, which may be in scope here and not there.
  void type(const Type& type) {
    if (checked_types_.find(&type)) return;
    bool outer = std::exchange(type_uses_variables_, false);
    type_part(type, 1);
    if (!type_uses_variables_) checked_types_.insert(&type, 1);
    type_uses_variables_ = outer;
  }

  void type_part(const Node& part, int depth) {
    if (depth > max_type_depth) return report_depth(part.span);
    if (const auto* nested = as<Type>(&part); nested && checked_types_.find(nested)) return;
    check_call_in_type(part);
    for_each_child(part, [&](const auto& child, FieldRole) {
      if (!child) return;
      if (const auto* buffer = as<WindowBuffer>(child)) {
        note_buffer(*buffer);
      } else if (const auto* var = as<Var>(child)) {
        type_uses_variables_ = true;
        use(*var);
      } else {
        type_part(*child, depth + 1);
      }
    });
  }

  // Dimensions are scalars without effects, which may be computed anywhere.
  void check_call_in_type(const Node& part) {
    if (const auto* call = as<Call>(&part)) calls_.check(*call, {}, false);
    if (const auto* call = as<FunctionCall>(&part)) diags_.report(diag::call_nested, here(), {call->callee});
  }

  void report_depth(const Span& span) {
    if (!std::exchange(too_deep_, true)) diags_.report(diag::ir_too_deep, span);
  }

  // --- statements and functions

  void check(const Function& function) {
    place_ = {&function, level_of(function.type), false};
    in_scope_ = false;
    for (size_t i = 0; i < function.params.size(); ++i) {
      const Parameter& param = *function.params[i];
      for (size_t k = 0; k < i; ++k) {
        if (function.params[k]->name != param.name) continue;
        diags_.report(diag::parameter_name_twice, param.span, {function.name, param.name});
        break;
      }
      if (param.direction != Direction::In && !isa<TensorType>(param.type)) {
        diags_.report(diag::parameter_direction, param.span,
                      {param.name, function.name, to_string(param.type),
                       std::string(member_name(enum_value(param.direction)))});
      }
    }
    const auto effects = param_effects(function.effects);
    if (!function.effects.empty() && (!effects || effects->size() != function.params.size())) {
      diags_
          .report(diag::effects_text, function.span,
                  {function.name, function.effects, std::to_string(function.params.size())})
          .with_help("leave `effects` out: the compiler records it");
    }
    if (function.type == FunctionType::Group) calls_.check_group(function);
  }

  void check(const Assign& assign) {
    const auto* call = as<Call>(assign.value);
    if (call && call->op->plain_assignment_only) allocated_.insert(assign.var.get(), place_.function);
    // Text has no form for a second variable of the same value: the reader takes it for another name.
    if (isa<Var>(assign.value) || isa<DimSymbol>(assign.value) || isa<MakeTuple>(assign.value)) {
      diags_.report(diag::assigned_name, assign.span, {assign.var->name_hint})
          .with_help("use the value itself where the variable is used");
    }
    if (assignable(assign.var->type, assign.value->type)) return;
    diags_.report(diag::assigned_type, assign.span,
                  {name_of(*assign.var), to_string(assign.var->type), to_string(assign.value->type)});
  }

  void check(const Eval& eval) {
    const auto* call = as<Call>(eval.value);
    if (!call || !call->op->plain_assignment_only) return;
    diags_.report(diag::plain_assignment, eval.span, {call->op->qualified()});
  }

  void check(const If& branch) {
    check_condition(branch.condition);
    if (!branch.results.empty() && !branch.else_body) {
      diags_.report(diag::branch_without_else, branch.span, {count_of(branch.results.size(), "value")});
    }
  }

  void check(const For& loop) {
    calls_.check_integer(loop.start, "start of a loop");
    calls_.check_integer(loop.stop, "end of a loop");
    calls_.check_integer(loop.step, "step of a loop");
    calls_.check_integer(loop.loop_var, "variable of a loop");
    if (constant_value(loop.step) == 0) {
      diags_.report(diag::loop_step, loop.step->span ? loop.step->span : loop.span);
    }
    check_carried(loop);
  }

  void check(const While& loop) {
    check_condition(loop.condition);
    check_carried(loop);
  }

  void check(const AtScope& scope) {
    calls_.check_dependencies(scope.deps);
    check_scope_results(scope);
  }

  void check(const SpmdScope& scope) {
    calls_.check_integer(scope.block_count, "number of blocks");
    if (scope.block_var) calls_.check_integer(scope.block_var, "block index");
    calls_.check_dependencies(scope.deps);
    check_scope_results(scope);
  }

  void check(const WithScope& scope) {
    frees_storage_ = frees_storage_ || scope.scope_kind == ScopeKind::Storage;
    const bool inlined = place_.function->type == FunctionType::Inline;
    if ((place_.level == OnOrchestration || inlined) && !in_scope_) return;
    const char* what = scope.scope_kind == ScopeKind::Manual ? "`pl.manual_scope`" : "`pl.scope`";
    diags_.report(diag::scope_misplaced, scope.span, {what});
  }

  template <class T>
  void check_scope_results(const T& scope) {
    if (scope.task_id && !isa<TaskIdType>(scope.task_id->type)) {
      diags_.report(diag::dependency_type, scope.span, {to_string(scope.task_id->type)});
    }
    for (const VarRef& result : scope.results) {
      if (isa<TensorType>(result->type)) continue;
      diags_.report(diag::scope_result, result->span, {name_of(*result), to_string(result->type)});
    }
  }

  template <class T>
  void check_carried(const T& loop) {
    if (loop.init_values.size() != loop.iter_args.size() || loop.results.size() != loop.iter_args.size()) {
      diags_.report(
          diag::carried_count, loop.span,
          {count_of(loop.init_values.size(), "initial value"),
           count_of(loop.iter_args.size(), "carried variable"), count_of(loop.results.size(), "result")});
      return;
    }
    for (size_t i = 0; i < loop.iter_args.size(); ++i) {
      const VarRef& arg = loop.iter_args[i];
      expect_carried("the carried variable", *arg, loop.init_values[i]->type, loop.span);
      expect_carried("the result", *loop.results[i], arg->type, loop.span);
    }
  }

  void check_condition(const ExprRef& condition) {
    if (scalar_dtype(condition->type) == DType::Bool) return;
    diags_.report(diag::condition_type, condition->span, {to_string(condition->type)});
  }

  void check_yield(const Yield& yield, const VarList* targets) {
    if (!targets) {
      diags_.report(diag::yield_misplaced, yield.span);
    } else if (targets->size() != yield.values.size()) {
      diags_.report(diag::yield_count, yield.span,
                    {count_of(yield.values.size(), "value"), std::to_string(targets->size())});
    } else {
      for (size_t i = 0; i < targets->size(); ++i) {
        expect_carried("the result", *(*targets)[i], yield.values[i]->type, yield.span);
      }
    }
  }

  void check_return(const Return& ret, const Function* function) {
    if (!function) {
      diags_.report(diag::return_misplaced, ret.span);
      return;
    }
    const auto& types = function->return_types;
    if (types.size() != ret.values.size()) {
      diags_.report(diag::return_count, ret.span,
                    {function->name, count_of(ret.values.size(), "value"), std::to_string(types.size())});
      return;
    }
    for (size_t i = 0; i < types.size(); ++i) {
      if (assignable(types[i], ret.values[i]->type)) continue;
      diags_.report(diag::return_type_differs, ret.span,
                    {function->name, to_string(ret.values[i]->type), to_string(types[i])});
    }
  }

  void check_has_return(const Function& function) {
    const auto& stmts = function.body->stmts;
    if (function.return_types.empty() || (!stmts.empty() && isa<Return>(stmts.back()))) return;
    diags_.report(diag::return_count, function.span,
                  {function.name, count_of(0, "value"), std::to_string(function.return_types.size())});
  }

  void expect_carried(const char* what, const Var& target, const TypeRef& actual, const Span& at) {
    if (assignable(target.type, actual)) return;
    diags_.report(diag::carried_type, at, {what, name_of(target), to_string(target.type), to_string(actual)});
  }

  // --- window buffers and groups

  void note_buffer(const WindowBuffer& buffer) {
    if (known_buffers_.insert(&buffer, 1).second) buffers_.push_back(&buffer);
  }

  // A buffer may be met in the type of a kernel's parameter, far from the function that allocates it: what it
  // depends on is checked when all definitions are known.
  void check_buffers() {
    for (const auto& group : program_.comm_groups) {
      for (const WindowBufferRef& slot : group->slots) note_buffer(*slot);
    }
    // A run has the buffers of one host function.
    std::set<std::pair<const Function*, std::string_view>> names;
    for (size_t i = 0; i < buffers_.size(); ++i) {
      const WindowBuffer& buffer = *buffers_[i];
      const Span& at = buffer.span ? buffer.span : buffer.base->span;
      const Function* const* by = allocated_.find(buffer.base.get());
      if (!names.emplace(by ? *by : nullptr, buffer.name).second) {
        diags_.report(diag::window_buffer_name, at, {buffer.name});
      }
      if (!by) diags_.report(diag::window_buffer_base, at, {buffer.name});
      here_ = &at;
      buffer_part(*buffer.size, 1);
      if (buffer.load_from_host) buffer_part(*buffer.load_from_host, 1);
      if (buffer.store_to_host) buffer_part(*buffer.store_to_host, 1);
    }
  }

  void buffer_part(const Expr& part, int depth) {
    if (depth > max_type_depth) return report_depth(part.span);
    if (const auto* buffer = as<WindowBuffer>(&part)) return note_buffer(*buffer);
    if (const auto* var = as<Var>(&part)) {
      if (!vars_.find(var)) diags_.report(diag::var_undefined, here(), {name_of(*var)});
      return;
    }
    check_call_in_type(part);
    for_each_child(part, [&](const auto& child, FieldRole) {
      using C = NodeClassOf<std::remove_cvref_t<decltype(child)>>;
      if constexpr (std::is_base_of_v<Expr, C>) {
        if (child) buffer_part(*child, depth + 1);
      }
    });
  }

  void check_groups() {
    PointerMap<uint8_t> placed;
    for (const auto& group : program_.comm_groups) {
      for (const WindowBufferRef& slot : group->slots) {
        if (placed.insert(slot.get(), 1).second) continue;
        diags_.report(diag::buffer_in_two_groups, group->span, {slot->name});
      }
    }
  }

  const Program& program_;
  Diagnostics& diags_;
  CallVerifier calls_;
  CallPlace place_;
  bool in_scope_ = false;       // in the body of pl.at or pl.spmd
  bool frees_storage_ = false;  // there is a `pl.scope`
  const Span* here_ = nullptr;
  int depth_ = 1;  // the program itself
  bool too_deep_ = false;
  PointerMap<uint32_t> vars_;      // all defined so far; where in scope_, if it still is
  std::vector<const Var*> scope_;  // those in scope, outermost first
  PointerMap<uint8_t> checked_types_;
  bool type_uses_variables_ = false;
  PointerMap<const Function*> allocated_;  // bases of window buffers, and the functions that allocate them
  PointerMap<uint8_t> known_buffers_;
  std::vector<const WindowBuffer*> buffers_;
};

}  // namespace

const FunctionCall* single_call(const Block& body) {
  const FunctionCall* call = nullptr;
  for (const StmtRef& stmt : body.stmts) {
    const auto* assign = as<Assign>(stmt);
    const auto* eval = as<Eval>(stmt);
    const Node* value = assign ? assign->value.get() : eval ? eval->value.get() : nullptr;
    const auto* op_call = as<Call>(value);
    if (isa<Yield>(stmt)) continue;
    if (const auto* found = as<FunctionCall>(value)) {
      if (call) return nullptr;
      call = found;
    } else if (op_call) {
      if (call || !assign || !op_call->op->effects.empty() || op_call->op->synchronizes) return nullptr;
    } else if (!as<TupleGet>(value)) {
      return nullptr;
    }
  }
  return call;
}

bool verify(const Program& program, Diagnostics& diags, const VerifyOptions& options) {
  Diagnostics found;
  Verifier(program, found, options).run();
  diags.append(found);
  return !found.has_errors();
}

void verify_or_die(const Program& program, const char* after_what) {
  Diagnostics diags;
  if (verify(program, diags)) return;
  internal_error(
      __FILE__, __LINE__,
      "invalid IR after " + std::string(after_what) + "\n" + diags.text() + "\n" + dump(ref(&program)));
}

}  // namespace tilewire::ir
