#include "ir/verify_calls.h"

#include "ir/aliases.h"
#include "ir/printer.h"
#include "ir/structural.h"
#include "support/diagnostics/sema.h"
#include "support/diagnostics/verifier.h"

namespace tilewire::ir {
namespace {

std::string text_of(FunctionType caller, const CallPlace& place) {
  return is_orchestration(caller) && place.level == OnKernel ? "a kernel scope" : describe(caller);
}

// The variable whose storage an argument names, through ops that return what they are given.
const Var* storage_of(const ExprRef& expr) {
  const Expr* at = expr.get();
  while (const auto* call = as<Call>(at)) at = aliased_operand(*call);
  return as<Var>(at);
}

bool same_arguments(const Call& a, const Call& b) {
  if (a.args.size() != b.args.size()) return false;
  for (size_t i = 0; i < a.args.size(); ++i) {
    if (a.args[i] != b.args[i] && !identical_but_for_definitions(a.args[i], b.args[i])) return false;
  }
  return true;
}

// Passes may fill in the memory space of a tile, which rules leave open; nothing else may differ.
bool same_type(const TypeRef& given, const TypeRef& stated) {
  if (given == stated) return true;
  if (isa<TileType>(given) && isa<TileType>(stated)) return assignable(given, stated);
  return identical_but_for_definitions(given, stated);
}

// The result of a call of the function: nothing, its one value, or a tuple.
TypeRef result_type(const Function& function) {
  if (function.return_types.empty()) return unit_type();
  if (function.return_types.size() == 1) return function.return_types[0];
  return make<TupleType>(Span{}, function.return_types);
}

}  // namespace

std::string count_of(size_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

CallVerifier::CallVerifier(const Program& program, Diagnostics& diags, bool type_rules)
    : program_(program), diags_(diags), type_rules_(type_rules) {
  for (const FunctionRef& function : program.functions) {
    if (functions_.emplace(function->name, function.get()).second) continue;
    diags_.report(diag::function_name_twice, function->span, {function->name});
  }
}

const Function* CallVerifier::find(std::string_view name) const {
  auto entry = functions_.find(name);
  return entry == functions_.end() ? nullptr : entry->second;
}

void CallVerifier::check(const Call& call, const CallPlace& place, bool statement) {
  const Op& op = *call.op;
  if (place.level != 0 && !(op.levels & place.level)) {
    diags_.report(
        diag::op_at_wrong_level, call.span,
        {op.qualified(), "in " + describe_levels(op.levels), "in " + text_of(place.function->type, place)});
  }
  if (op.functions != 0 && place.function && !(op.functions & function_bit(place.function->type))) {
    diags_.report(diag::wrong_half, call.span, {op.qualified(), "another type of"});
  }
  const OpParam* missing = place.level != 0 ? missing_at(call, place.level) : nullptr;
  if (missing) {
    diags_.report(diag::required_at_level, call.span,
                  {op.qualified(), missing->name, describe_levels(place.level)});
  }
  if (!statement) {
    bool arithmetic = isa<ScalarType>(call.type) && op.effects.empty();
    if (!arithmetic || op.plain_assignment_only) {
      diags_.report(diag::call_nested, call.span, {op.qualified()})
          .with_help("assign it to a variable and use the variable");
    }
  }
  if (call.args.size() != op.operand_count) {
    diags_.report(diag::call_operand_count, call.span,
                  {op.qualified(), count_of(op.operand_count, "operand"), std::to_string(call.args.size())});
  } else if (type_rules_) {
    check_rule(call);
  }
}

void CallVerifier::check_rule(const Call& call) {
  const Op& op = *call.op;
  Diagnostics scratch;
  Ref<const Call> made;
  std::string reason;
  try {
    made = create_call(op, call.args, call.attrs, call.span, scratch,
                       op.needs_annotation ? call.type : TypeRef(nullptr));
    if (!made && !scratch.all().empty()) reason = scratch.all().front().message;
  } catch (const InvalidNode& invalid) {
    reason = invalid.what();
  }
  if (!made) {
    diags_.report(diag::call_breaks_rule, call.span, {op.qualified()}).with_note(reason);
  } else if (!same_type(made->type, call.type)) {
    diags_.report(diag::call_result_type, call.span,
                  {op.qualified(), to_string(made->type), to_string(call.type)});
  } else if (made->attrs.size() != call.attrs.size() || !same_arguments(*made, call)) {
    diags_.report(diag::call_not_normal, call.span, {op.qualified()});
  }
}

void CallVerifier::check(const FunctionCall& call, const CallPlace& place, bool statement) {
  if (!statement) {
    diags_.report(diag::call_nested, call.span, {call.callee})
        .with_help("assign it to a variable and use the variable");
  }
  if (call.device) check_integer(call.device, "device");
  if (call.blocks) check_integer(call.blocks, "number of blocks");
  if (auto device = constant_value(call.device); device && *device < 0) {
    diags_.report(diag::device_negative, call.span, {std::to_string(*device)});
  }
  check_dependencies(call.deps);
  const Function* callee = find(call.callee);
  if (!callee) {
    diags_.report(diag::callee_unknown, call.span, {call.callee});
    return;
  }
  calls_[place.function].push_back(&call);
  check_levels(call, *callee, place);
  check_arguments(call, *callee);
}

// Which functions may call which (language reference, "Functions and levels").
void CallVerifier::check_levels(const FunctionCall& call, const Function& callee, const CallPlace& place) {
  FunctionType caller = place.function->type, target = callee.type;
  auto misplaced = [&](const char* keyword) {
    diags_.report(diag::keyword_at_wrong_level, call.span,
                  {keyword, describe(target), text_of(caller, place)});
  };
  bool from_host = caller == FunctionType::Host, from_inline = caller == FunctionType::Inline;
  bool in_task_list = is_orchestration(caller) && (place.level == OnOrchestration || place.in_spmd);
  bool allowed = target == FunctionType::Inline || from_inline;
  if (from_host) allowed = allowed || is_orchestration(target) || is_task(target);
  if (in_task_list) allowed = allowed || is_task(target);
  if (caller == FunctionType::Group) {
    allowed = is_half(target);
  }
  if (!allowed) {
    diags_.report(diag::callee_at_wrong_level, call.span, {text_of(caller, place), describe(target)})
        .with_note("`" + callee.name + "` is " + describe(target), callee.span);
    return;
  }
  bool dispatch = from_host && target != FunctionType::Inline;
  if (dispatch && !call.device) {
    diags_.report(diag::dispatch_without_device, call.span, {callee.name})
        .with_help("write " + callee.name + "(..., device=r), r a rank");
  }
  if (from_inline) return;
  if (call.device && !dispatch) misplaced("device");
  if (call.blocks && !(is_task(target) && (from_host || in_task_list))) misplaced("blocks");
  if (!call.deps.empty() && !(is_task(target) && in_task_list)) misplaced("deps");
}

void CallVerifier::check_arguments(const FunctionCall& call, const Function& callee) {
  if (call.args.size() != callee.params.size()) {
    diags_.report(
        diag::function_argument_count, call.span,
        {callee.name, count_of(callee.params.size(), "parameter"), std::to_string(call.args.size())});
    return;
  }
  DimBindings dims;
  for (size_t i = 0; i < call.args.size(); ++i) {
    const Parameter& param = *callee.params[i];
    const ExprRef& arg = call.args[i];
    const Span& at = arg->span && !isa<Var>(arg) ? arg->span : call.span;
    if (!compatible(param.type, arg->type, dims)) {
      diags_
          .report(diag::function_argument_type, at,
                  {param.name, callee.name, to_string(param.type), to_string(arg->type)})
          .with_label("`" + to_string(arg) + "` is " + to_string(arg->type));
    }
    if (param.direction != Direction::In && !storage_of(arg)) {
      diags_.report(diag::function_argument_direction, at, {param.name, callee.name})
          .with_label("`" + to_string(arg) + "` is not a variable");
    }
  }
  TypeRef expected = result_type(callee);
  if (!compatible(expected, call.type, dims)) {
    diags_.report(diag::function_result_type, call.span,
                  {callee.name, to_string(expected), to_string(call.type)});
  }
}

// One call of each half; what else there may be only takes results apart and hands them on.
void CallVerifier::check_group(const Function& group) {
  int cube = 0, vector = 0, other = 0;
  for (const StmtRef& stmt : group.body->stmts) {
    ExprRef value;
    if (const auto* assign = as<Assign>(stmt)) value = assign->value;
    if (const auto* eval = as<Eval>(stmt)) value = eval->value;
    if (const auto* call = as<FunctionCall>(value)) {
      const Function* callee = find(call->callee);
      cube += callee && callee->type == FunctionType::AIC;
      vector += callee && callee->type == FunctionType::AIV;
    } else if (!isa<Return>(stmt) && !(isa<Assign>(stmt) && isa<TupleGet>(value))) {
      ++other;
    }
  }
  if (cube == 1 && vector == 1 && other == 0) return;
  diags_.report(diag::group_body, group.span, {group.name});
}

void CallVerifier::check_dependencies(const ExprList& deps) {
  for (const ExprRef& dep : deps) {
    const auto* array = as<ArrayType>(dep->type);
    if (isa<TaskIdType>(dep->type) || scalar_dtype(dep->type) == DType::TaskId) continue;
    if (array && array->dtype == DType::TaskId) continue;
    diags_.report(diag::dependency_type, dep->span, {to_string(dep->type)});
  }
}

void CallVerifier::check_integer(const ExprRef& expr, const char* what) {
  auto dtype = scalar_dtype(expr->type);
  if (dtype && is_integer(*dtype)) return;
  diags_.report(diag::integer_needed, expr->span, {what, to_string(expr->type)});
}

std::vector<const Function*> CallVerifier::check_recursion() {
  // Depth first with an explicit stack: a chain of calls may be as long as the program.
  enum : char { Open = 1, Done = 2 };
  std::unordered_map<const Function*, char> state;
  std::vector<std::pair<const Function*, size_t>> stack;
  std::vector<const Function*> callees_first;
  for (const FunctionRef& root : program_.functions) {
    if (state[root.get()] == 0) stack.emplace_back(root.get(), 0);
    while (!stack.empty()) {
      auto& [function, next] = stack.back();
      state[function] = Open;
      auto list = calls_.find(function);
      if (list == calls_.end() || next == list->second.size()) {
        state[function] = Done;
        callees_first.push_back(function);
        stack.pop_back();
        continue;
      }
      const FunctionCall& call = *list->second[next++];
      const Function* callee = find(call.callee);
      if (!callee || state[callee] == Done) continue;
      if (state[callee] == Open) {
        diags_.report(diag::recursive_function, call.span, {callee->name});
      } else {
        stack.emplace_back(callee, 0);
      }
    }
  }
  return callees_first;
}

}  // namespace tilewire::ir
