#include "target/pto/host_function.h"

#include <algorithm>
#include <set>

#include "ir/function_kinds.h"
#include "ir/op.h"
#include "ir/printer_names.h"
#include "ir/visitor.h"
#include "ops/handles.h"
#include "ops/shape.h"
#include "passes/task_call.h"
#include "support/diagnostics/pto_host.h"
#include "target/pto/call_facts.h"
#include "target/pto/host_text.h"

namespace tilewire::target::pto {

using namespace ir;

const Kernel& HostProgram::kernel(std::string_view name) const {
  auto found = std::find_if(kernels.begin(), kernels.end(),
                            [&](const Kernel& kernel) { return kernel.function->name == name; });
  TW_CHECK(found != kernels.end(), "no kernel of that name");
  return *found;
}

bool is_entry(const Program& program, const Function& function) {
  if (!is_host(function.type) && !is_orchestration(function.type)) return false;
  return std::none_of(program.functions.begin(), program.functions.end(), [&](const FunctionRef& caller) {
    const auto calls = calls_in(*caller->body);
    return std::any_of(calls.begin(), calls.end(),
                       [&](const FunctionCall* call) { return call->callee == function.name; });
  });
}

namespace {

std::string direction_name(Direction direction) {
  return "Parameter::Direction::" + std::string(direction == Direction::In    ? "In"
                                                : direction == Direction::Out ? "Out"
                                                                              : "InOut");
}

std::string parameter_type(const TypeRef& type) {
  const std::string name = type_name(type);
  return isa<ScalarType>(type) || isa<TaskIdType>(type) ? name : "const " + name + "&";
}

// What a function gives its caller: nothing, its one value, or a tuple.
std::string result_type(const Function& function) {
  if (function.return_types.empty()) return "void";
  if (function.return_types.size() == 1) return type_name(function.return_types[0]);
  std::vector<std::string> parts;
  for (const TypeRef& type : function.return_types) parts.push_back(type_name(type));
  return "std::tuple<" + joined(parts) + ">";
}

struct Symbols : Visitor<Symbols> {
  static constexpr bool into_types = true;
  std::vector<const DimSymbol*> found;
  void visit(const DimSymbol& symbol) {
    auto same = [&](const DimSymbol* other) { return other->name == symbol.name; };
    if (std::none_of(found.begin(), found.end(), same)) found.push_back(&symbol);
  }
};

// The dimensions that an expression names.
std::vector<const DimSymbol*> symbols_in(const ExprRef& expr) {
  Symbols symbols;
  symbols.walk(expr);
  return symbols.found;
}

struct Uses : Visitor<Uses> {
  std::set<const Var*> found;
  void visit(const Var& var) { found.insert(&var); }
};

bool calls_no_dep(const Function& function) {
  struct NoDeps : Visitor<NoDeps> {
    bool found = false;
    void visit(const Call& call) {
      walk_children(call);
      found = found || call.op == ops::pl::no_dep;
    }
  } calls;
  calls.walk(*function.body);
  return calls.found;
}

bool mentions(const ExprRef& expr, const Var& var) {
  Uses uses;
  uses.walk(expr);
  return uses.found.contains(&var);
}

class Writer {
 public:
  Writer(const HostProgram& program, const Function& function, Diagnostics& diags)
      : program_(program),
        function_(function),
        diags_(diags),
        entry_(is_entry(program.program, function)),
        has_no_dep_(calls_no_dep(function)),
        names_(host_names()),
        expressions_(diags) {
    for (const auto& [name, text] : program.names) names_.take(text);
    for (const auto& [name, text] : program.kernel_names) names_.take(text);
  }

  std::string signature() {
    std::vector<std::string> params{entry_ ? "Runtime& runtime" : "[[maybe_unused]] Rank& rank"};
    for (const auto& param : function_.params) {
      const std::string name = names_.take(passes::identifier(param->name));
      expressions_.define(*param, {name});
      params.push_back((entry_ ? "" : "[[maybe_unused]] ") + parameter_type(param->type) + " " + name);
    }
    return (entry_ ? result_type(function_) : "void") + " " + program_.name(function_) + "(" +
           joined(params) + ")";
  }

  std::string definition() {
    const std::string head = signature();
    depth_ = 1;
    if (is_host(function_.type)) {
      line("Call call(runtime);");
    } else if (entry_) {
      line("Rank rank(runtime);");
      arguments_here();
    }
    dimensions();
    expectations();
    block(*function_.body);
    if (!returned_) finish({});
    return head + " {\n" + text_ + "}\n";
  }

 private:
  // --- text

  void line(const std::string& text) { text_ += std::string(2 * depth_, ' ') + text + "\n"; }
  std::string fresh(const Var& var) { return names_.take(passes::identifier(var.name_hint)); }
  std::string text(const ExprRef& expr) const { return expressions_.text(expr); }

  void assign(const Var& var, const std::string& value) {
    const std::string name = fresh(var);
    const bool context = isa<CommCtxType>(var.type) && is_host(function_.type);
    line("[[maybe_unused]] const " + (context ? "Tensor" : type_name(var.type)) + " " + name + " = " + value +
         ";");
    expressions_.define(var, {name});
  }

  // --- entry

  // An orchestration function that a user calls: its arguments are wherever the runtime has them.
  void arguments_here() {
    for (const auto& param : function_.params) {
      if (!isa<TensorType>(param->type)) continue;
      const std::string given = text(param), name = names_.take(given + "_here");
      line("const Tensor " + name + " = runtime.argument(0, " + given + ", " +
           direction_name(param->direction) + ");");
      expressions_.define(*param, {name});
    }
  }

  void dimension(const std::string& symbol, const std::string& value) {
    const std::string name = names_.take(passes::identifier(symbol));
    line("[[maybe_unused]] const int64_t " + name + " = " + value + ";");
    expressions_.define(symbol, name);
  }

  template <class F>
  void each_extent(F f) {
    for (const auto& param : function_.params) {
      const auto* type = as<TensorType>(param->type);
      for (size_t axis = 0; type && axis < type->shape.size(); ++axis) {
        f(type->shape[axis], "dim(" + text(param) + ", " + std::to_string(axis) + ")");
      }
    }
  }

  // What the dynamic dimensions are: the extent of some parameter, or what follows from one.
  void dimensions() {
    each_extent([&](const ExprRef& extent, const std::string& value) {
      const auto* symbol = as<DimSymbol>(extent);
      if (symbol && !expressions_.knows(symbol->name)) dimension(symbol->name, value);
    });
    each_extent([&](const ExprRef& extent, const std::string& value) {
      std::vector<const DimSymbol*> unknown;
      for (const DimSymbol* symbol : symbols_in(extent)) {
        if (!expressions_.knows(symbol->name)) unknown.push_back(symbol);
      }
      if (unknown.size() != 1) return;
      const std::string& symbol = unknown[0]->name;
      dimension(symbol, "solve([&](int64_t value) { return " +
                            expressions_.text(extent, {{symbol, "value"}}) + "; }, " + value + ", " +
                            quoted(symbol) + ")");
    });
    Symbols used;
    for (const auto& param : function_.params) used.walk(param->type);
    used.walk(*function_.body);
    for (const DimSymbol* symbol : used.found) {
      if (expressions_.knows(symbol->name) || !needs_value(*symbol)) continue;
      report_dimension(function_, symbol->name, symbol->span ? symbol->span : function_.span);
      expressions_.define(symbol->name, "0");
    }
  }

  // Types of local tensors may name dimensions that nothing computes with.
  bool needs_value(const DimSymbol& symbol) const {
    struct Used : Visitor<Used> {
      std::string name;
      bool found = false;
      void visit(const DimSymbol& other) { found = found || other.name == name; }
    } used;
    used.name = symbol.name;
    used.walk(*function_.body);
    return used.found;
  }

  // The arguments of an entry are checked; inside the program types have been checked before.
  void expectations() {
    for (const auto& param : function_.params) {
      const auto* type = as<TensorType>(param->type);
      if (!type || !entry_) continue;
      const auto symbols = symbols_of(*type);
      const bool known = std::all_of(symbols.begin(), symbols.end(), [&](const DimSymbol* symbol) {
        return expressions_.knows(symbol->name);
      });
      if (!known) continue;
      line("expect(" + quoted(function_.name) + ", " + quoted(param->name) + ", " + text(param) + ", " +
           element_name(type->dtype) + ", " + expressions_.list(type->shape) + ", " +
           expressions_.list(ops::strides_of(*type)) + ");");
    }
  }
  static std::vector<const DimSymbol*> symbols_of(const TensorType& type) {
    Symbols symbols;
    for (const ExprRef& extent : type.shape) symbols.walk(extent);
    return symbols.found;
  }

  // --- statements

  void block(const Block& body) {
    for (const StmtRef& stmt : body.stmts) statement(*stmt);
  }

  void statement(const Stmt& stmt) {
    if (const auto* assign = as<Assign>(&stmt)) {
      definition_of(*assign->var, assign->value);
    } else if (const auto* eval = as<Eval>(&stmt)) {
      effect(eval->value);
    } else if (const auto* loop = as<For>(&stmt)) {
      range(*loop);
    } else if (const auto* poll = as<While>(&stmt)) {
      repeat(*poll);
    } else if (const auto* branch = as<If>(&stmt)) {
      choose(*branch);
    } else if (const auto* at = as<AtScope>(&stmt)) {
      scope_ = {at->deps, "", at->ordered, false, at->task_id};
      task_scope(*at->body, at->results, stmt.span);
    } else if (const auto* spmd = as<SpmdScope>(&stmt)) {
      scope_ = {spmd->deps, text(spmd->block_count), spmd->ordered, spmd->sync_start, spmd->task_id};
      task_scope(*spmd->body, spmd->results, stmt.span);
    } else if (const auto* with = as<WithScope>(&stmt)) {
      const bool manual = with->scope_kind == ScopeKind::Manual;
      step(manual ? "EnterManual" : "EnterStorage");
      storage_scopes_ += !manual;
      block(*with->body);
      storage_scopes_ -= !manual;
      step(manual ? "LeaveManual" : "LeaveStorage");
    } else if (const auto* result = as<Return>(&stmt)) {
      finish(result->values);
    }
  }

  void step(const std::string& what) { line("rank.step(abi::ParallelStep::" + what + ");"); }

  void definition_of(const Var& var, const ExprRef& value) {
    if (const auto* call = as<FunctionCall>(value)) return function_call(*call, &var);
    if (const auto* part = as<TupleGet>(value)) {
      const HostValue& tuple = expressions_.value(static_cast<const Var&>(*part->tuple));
      return expressions_.define(var, tuple.parts.at(static_cast<size_t>(part->index)));
    }
    const auto* call = as<Call>(value);
    if (call && call->op == ops::pld::alloc_window_buffer) return window_buffer(var, *call);
    if (call && call->op == ops::pld::get_comm_ctx && is_host(function_.type)) {
      return assign(var, text(call->args[0]));  // a rank asks for the context of this window
    }
    assign(var, text(value));
  }

  void effect(const ExprRef& value) {
    if (const auto* call = as<FunctionCall>(value)) return function_call(*call, nullptr);
    const auto* call = as<Call>(value);
    if (call && check(*call)) return;
    line("static_cast<void>(" + text(value) + ");");
  }

  // The ops that stop a run; false for any other.
  bool check(const Call& call) {
    auto arg = [&](size_t i) { return text(call.args[i]); };
    std::string holds, otherwise;
    if (call.op == ops::pld::system::check_extent) {
      holds = arg(0) + " == " + arg(1);
      otherwise = "two extents that must be equal differ";
    } else if (call.op == ops::pld::system::check_count) {
      holds = arg(0) + " >= 0 && " + arg(0) + " <= " + arg(1);
      otherwise = "a count is above the capacity";
    } else if (call.op == ops::pld::system::check_subgroup) {
      holds = "divides(" + arg(0) + ", " + arg(1) + ", " + arg(2) + ")";
      otherwise = "the group cannot be divided into sub-groups of that size and stride";
    } else if (call.op == ops::pld::system::check_mesh) {
      holds = "fills(" + arg(0) + ", " + expressions_.list(call.args[1]) + ")";
      otherwise = "the mesh has more or fewer ranks than its group";
    } else if (call.op == ops::pld::system::check_member) {
      holds = arg(0) + " >= 0 && " + arg(0) + " < " + arg(1);
      otherwise = "the rank is not in the sub-group";
    } else if (call.op == ops::pld::system::check_group) {
      holds = "rank.context(" + arg(0) + ", " + place(call.span) + ").address == " + arg(1) + ".address";
      otherwise = "the sub-group is not part of the window's group";
    } else {
      return false;
    }
    line("check(" + holds + ", " + place(call.span) + ", " + quoted(otherwise) + ");");
    return true;
  }

  // --- what loops and branches carry

  // Variables that are assigned again: by `iter_args` in the loop, by `results` after it.
  std::vector<std::string> carried(const VarList& vars, const ExprList& values) {
    std::vector<std::string> names;
    for (size_t i = 0; i < vars.size(); ++i) {
      names.push_back(fresh(*vars[i]));
      const std::string start = values.empty() ? "{}" : " = " + text(values[i]);
      line("[[maybe_unused]] " + type_name(vars[i]->type) + " " + names[i] + start + ";");
    }
    return names;
  }
  void define(const VarList& vars, const std::vector<std::string>& names) {
    for (size_t i = 0; i < vars.size(); ++i) expressions_.define(*vars[i], {names[i]});
  }
  // At once: no value is one of the variables as it is afterwards.
  void assign_all(const VarList& vars, const std::vector<std::string>& names, const ExprList& values) {
    std::vector<std::string> texts;
    for (size_t i = 0; i < values.size(); ++i) {
      texts.push_back(text(values[i]));
      bool overwritten = false;
      for (size_t j = 0; j < i; ++j) overwritten = overwritten || mentions(values[i], *vars[j]);
      if (!overwritten) continue;
      const std::string next = names_.take("next_" + names[i]);
      line("const " + type_name(vars[i]->type) + " " + next + " = " + texts[i] + ";");
      texts[i] = next;
    }
    for (size_t i = 0; i < values.size(); ++i) {
      if (texts[i] != names[i]) line(names[i] + " = " + texts[i] + ";");
    }
  }
  static ExprList yielded(const Block& body) {
    const auto* yield = body.stmts.empty() ? nullptr : as<Yield>(body.stmts.back());
    return yield ? yield->values : ExprList();
  }

  void range(const For& loop) {
    const bool parallel = loop.loop_kind == LoopKind::Parallel && !is_host(function_.type);
    const std::string bounds = "Range(" + text(loop.start) + ", " + text(loop.stop) + ", " + text(loop.step) +
                               ", " + place(loop.span) + ")";
    const auto names = carried(loop.iter_args, loop.init_values);
    define(loop.iter_args, names);
    const std::string counter = fresh(*loop.loop_var);
    const std::string type = type_name(loop.loop_var->type);
    if (parallel) step("Enter");
    const bool wide = type == "int64_t";
    const std::string name = wide ? counter : names_.take(counter + "_wide");
    line("for ([[maybe_unused]] const int64_t " + name + " : " + bounds + ") {");
    ++depth_;
    if (!wide) line("[[maybe_unused]] const auto " + counter + " = static_cast<" + type + ">(" + name + ");");
    expressions_.define(*loop.loop_var, {counter});
    if (parallel) step("Round");
    block(*loop.body);
    assign_all(loop.iter_args, names, yielded(*loop.body));
    --depth_;
    line("}");
    if (parallel) step("Leave");
    define(loop.results, names);
  }

  void repeat(const While& loop) {
    const auto names = carried(loop.iter_args, loop.init_values);
    define(loop.iter_args, names);
    line("while (true) {");
    ++depth_;
    block(*loop.before);
    line("if (!(" + text(loop.condition) + ")) break;");
    block(*loop.body);
    assign_all(loop.iter_args, names, yielded(*loop.body));
    --depth_;
    line("}");
    define(loop.results, names);
  }

  void choose(const If& branch) {
    const auto names = carried(branch.results, {});
    line("if (" + text(branch.condition) + ") {");
    arm(*branch.then_body, names);
    if (branch.else_body) {
      line("} else {");
      arm(*branch.else_body, names);
    }
    line("}");
    define(branch.results, names);
  }
  void arm(const Block& body, const std::vector<std::string>& names) {
    ++depth_;
    block(body);
    const ExprList values = yielded(body);
    for (size_t i = 0; i < values.size(); ++i) line(names[i] + " = " + text(values[i]) + ";");
    --depth_;
  }

  // --- tasks

  struct TaskScope {
    ExprList deps;
    std::string blocks;
    bool ordered = true;
    bool sync_start = false;
    VarRef task_id;
  };

  void task_scope(const Block& body, const VarList& results, const Span& span) {
    if (passes::only_defers(body)) {
      deferred(body, span);
    } else {
      block(body);
    }
    const ExprList values = yielded(body);
    for (size_t i = 0; i < results.size(); ++i) {
      expressions_.define(*results[i], expressions_.value(static_cast<const Var&>(*values[i])));
    }
    scope_ = {};
  }

  void deferred(const Block& body, const Span& span) {
    static const char* const compare[] = {"Eq", "Ge", "Ne", "Gt", "Lt", "Le"};  // of ir::WaitCmp
    std::vector<std::string> conditions;
    for (const StmtRef& stmt : body.stmts) {
      const auto* eval = as<Eval>(stmt);
      const auto* call = as<Call>(eval ? eval->value : static_cast<const Assign&>(*stmt).value);
      const AttrValue* cmp = find_attr(call->attrs, "cmp");
      const auto which = cmp ? static_cast<size_t>(cmp->get<EnumValue>()->value) : 1;
      conditions.push_back("rank.condition(" + text(call->args[0]) + ", " + expressions_.list(call->args[1]) +
                           ", abi::Compare::" + compare[which] + ", " + text(call->args[2]) + ", " +
                           place(call->span ? call->span : span) + ")");
    }
    const std::string made =
        "rank.defer({" + joined(conditions) + "}, task_list(" + deps_text(scope_.deps) + "))";
    if (scope_.task_id) return assign(*scope_.task_id, made);
    line(made + ";");
  }

  std::string deps_text(const ExprList& deps) const {
    std::vector<std::string> parts;
    for (const ExprRef& dep : deps) parts.push_back(text(dep));
    return joined(parts);
  }

  void function_call(const FunctionCall& call, const Var* var) {
    if (is_host(function_.type)) return dispatch(call, var);
    const Kernel& kernel = program_.kernel(call.callee);
    std::vector<std::string> results;
    std::string made =
        "Launch(" + program_.kernel_names.find(call.callee)->second + ", " + place(call.span) + ")";
    for (const KernelParameter& parameter : kernel.parameters)
      made += argument(call, kernel, parameter, results);
    if (!scope_.blocks.empty()) made += ".blocks(" + scope_.blocks + ")";
    for (const ExprList* deps : std::initializer_list<const ExprList*>{&call.deps, &scope_.deps}) {
      for (const ExprRef& dep : *deps) made += ".after(" + text(dep) + ")";
    }
    if (scope_.sync_start) made += ".sync_start()";
    if (!scope_.ordered) made += ".unordered()";
    made = "rank.submit(" + made + ")";
    if (scope_.task_id) {
      assign(*scope_.task_id, made);
    } else {
      line(made + ";");
    }
    if (var) take_results(*var, call, *kernel.function, results);
  }

  // What follows the launch for one parameter. `results`: the elements made for scalars that are returned.
  std::string argument(const FunctionCall& call, const Kernel& kernel, const KernelParameter& parameter,
                       std::vector<std::string>& results) {
    const size_t i = parameter.index;
    auto given = [&] { return text(call.args[i]); };
    switch (parameter.kind) {
      case ParameterKind::Tensor:
        return ".tensor(" + given() + ")";
      case ParameterKind::Result: {
        const std::string name = names_.take("result");
        line("const Tensor " + name + " = rank.create(" + element_name(parameter.dtype) + ", {1}, " +
             place(call.span) + ");");
        if (storage_scopes_ > 0) line("rank.outlive(" + name + ");");  // it may be read after the scope
        results.push_back(name);
        return ".tensor(" + name + ")";
      }
      case ParameterKind::Scalar:
        return ".scalar(" + element_name(parameter.dtype) + ", " + given() + ")";
      case ParameterKind::Context:
        return ".context(" + given() + ")";
      case ParameterKind::Dimension:
        return ".index(" + dimension_text(call, kernel, parameter) + ")";
      case ParameterKind::Stride:
        return ".index(" + given() + ".strides[" + std::to_string(parameter.axis) + "])";
      case ParameterKind::Group:
        return ".context(rank.context(" + given() + ", " + place(call.span) + "))";
    }
    return "";
  }
  // The value of a dimension of the kernel: an extent of an argument, or what follows from one when the
  // others are known.
  std::string dimension_text(const FunctionCall& call, const Kernel& kernel, const KernelParameter& parameter,
                             int depth = 0) {
    auto extent_of = [&](const KernelParameter& p) {
      return "dim(" + text(call.args[p.index]) + ", " + std::to_string(p.axis) + ")";
    };
    const auto& type = static_cast<const TensorType&>(*kernel.function->params[parameter.index]->type);
    const ExprRef& extent = type.shape[parameter.axis];
    if (isa<DimSymbol>(extent)) return extent_of(parameter);
    if (depth > 8) {  // two dimensions that follow from each other
      report_dimension(*kernel.function, parameter.symbol, call.span);
      return "0";
    }
    std::map<std::string, std::string> values{{parameter.symbol, "value"}};
    for (const DimSymbol* symbol : symbols_in(extent)) {
      if (symbol->name == parameter.symbol) continue;
      for (const KernelParameter& other : kernel.parameters) {
        if (other.kind == ParameterKind::Dimension && other.symbol == symbol->name) {
          values[symbol->name] = dimension_text(call, kernel, other, depth + 1);
        }
      }
    }
    return "solve([&](int64_t value) { return " + expressions_.text(extent, values) + "; }, " +
           extent_of(parameter) + ", " + quoted(parameter.symbol) + ")";
  }

  void report_dimension(const Function& function, const std::string& symbol, const Span& span) {
    if (!reported_.insert(function.name + "." + symbol).second) return;
    diags_.report(diag::pto_host_dimension, span, {function.name, symbol})
        .with_help("give `" + function.name + "` a tensor that has `" + symbol + "` as a dimension");
  }

  // What a call gives: parameters that come back, and scalars.
  void take_results(const Var& var, const FunctionCall& call, const Function& callee,
                    const std::vector<std::string>& scalars) {
    const std::vector<passes::Returned>& returned = program_.returns.find(callee.name)->second;
    size_t next = 0;
    std::vector<HostValue> values;
    for (size_t i = 0; i < callee.return_types.size(); ++i) {
      const int same = i < returned.size() ? returned[i].same : -1;
      values.push_back(result(callee.return_types[i], same, call, scalars, next));
    }
    if (values.size() == 1 && !isa<TupleType>(var.type)) return expressions_.define(var, values[0]);
    HostValue all;
    all.parts = isa<TupleType>(var.type) && values.size() == 1 ? values[0].parts : std::move(values);
    expressions_.define(var, std::move(all));
  }

  HostValue result(const TypeRef& type, int same, const FunctionCall& call,
                   const std::vector<std::string>& scalars, size_t& next) {
    HostValue value;
    if (const auto* tuple = as<TupleType>(type)) {
      for (const TypeRef& part : tuple->types) value.parts.push_back(result(part, -1, call, scalars, next));
      return value;
    }
    if (same >= 0) {
      const ExprRef& arg = call.args[static_cast<size_t>(same)];
      if (!isa<TensorType>(arg->type)) return {text(arg)};
      if (!has_no_dep_) return {text(arg)};
      const std::string name = names_.take(text(arg));
      line("[[maybe_unused]] const Tensor " + name + " = tracked(" + text(arg) + ");");
      return {name};
    }
    if (isa<ScalarType>(type) && next < scalars.size()) {
      const std::string element = scalars[next++], name = names_.take("later");
      line("[[maybe_unused]] const Later<" + type_name(type) + "> " + name + "(rank, " + element + ", " +
           place(call.span) + ");");
      return {name, true};
    }
    diags_.report(diag::pto_host_result, call.span, {call.callee})
        .with_help("return the parameter itself, or write to one");
    return {"Tensor{}"};
  }

  // --- host functions

  void window_buffer(const Var& var, const Call& call) {
    std::string bytes;
    if (call.args[1]) {
      const DType dtype = *find_attr(call.attrs, "dtype")->get<DType>();
      bytes = "bytes_of(" + element_name(dtype) + ", " + expressions_.list(call.args[1]) + ", " +
              place(call.span) + ")";
    } else {
      bytes = text(call.args[0]);
    }
    std::string staged;
    if (call.args[2] || call.args[3]) {
      for (size_t i : {2, 3}) staged += call.args[i] ? "&" + text(call.args[i]) + ", " : "nullptr, ";
    }
    const std::string name = fresh(var);
    line("[[maybe_unused]] const int " + name + " = call.window(" + quoted(var.name_hint) + ", " + bytes +
         ", " + staged + place(call.span) + ");");
    expressions_.define(var, {name});
  }

  void dispatch(const FunctionCall& call, const Var* var) {
    FunctionRef callee = program_.program.find(call.callee);
    std::vector<std::string> passed, arguments{"there"};
    for (size_t i = 0; i < call.args.size(); ++i) {
      const TypeRef& type = callee->params[i]->type;
      if (isa<TensorType>(type) || isa<CommCtxType>(type)) {
        std::string tensor = "tensors[" + std::to_string(passed.size()) + "]";
        passed.push_back("{" + text(call.args[i]) + ", " + direction_name(callee->params[i]->direction) +
                         "}");
        if (isa<CommCtxType>(type)) tensor = "there.context(" + tensor + ", " + place(call.span) + ")";
        arguments.push_back(tensor);
      } else {
        arguments.push_back(text(call.args[i]));
      }
    }
    line("call.dispatch(" + text(call.device) + ", {" + joined(passed) + "},");
    line("              [=](Rank& there, [[maybe_unused]] const std::vector<Tensor>& tensors) {");
    line("                " + program_.name(*callee) + "(" + joined(arguments) + ");");
    line("              },");
    line("              " + place(call.span) + ");");
    if (var) take_dispatched(*var, call, *callee);
  }

  // The host keeps its own arrays and windows; what only a task knows is nothing a host function may use.
  void take_dispatched(const Var& var, const FunctionCall& call, const Function& callee) {
    const std::vector<passes::Returned>& returned = program_.returns.find(callee.name)->second;
    std::vector<HostValue> values;
    for (size_t i = 0; i < returned.size(); ++i) {
      const int same = returned[i].same;
      values.push_back(same >= 0 ? HostValue{text(call.args[static_cast<size_t>(same)])} : HostValue{});
    }
    if (values.size() == 1) return expressions_.define(var, values[0]);
    HostValue all;
    all.parts = std::move(values);
    expressions_.define(var, std::move(all));
  }

  void groups() {
    const auto bases = window_bases(function_);
    auto made_here = [&](const Var* base) {
      return std::find(bases.begin(), bases.end(), base) != bases.end();
    };
    for (const auto& group : program_.program.comm_groups) {
      std::vector<std::string> slots, devices;
      for (const WindowBufferRef& slot : group->slots) {
        if (made_here(slot->base.get())) slots.push_back(quoted(slot->name));
      }
      for (int64_t device : group->devices) devices.push_back(std::to_string(device));
      if (!slots.empty()) line("call.group({" + joined(slots) + "}, {" + joined(devices) + "});");
    }
  }
  void finish(const ExprList& values) {
    returned_ = true;
    if (is_host(function_.type)) {
      groups();
      line("call.run();");
      if (entry_ && !values.empty()) line("return " + returned_text(values, false) + ";");
      return;
    }
    if (!entry_) return;
    if (values.empty()) return line("rank.finish();");
    line("const " + result_type(function_) + " result" + "{" + returned_text(values, true) + "};");
    line("rank.finish();");
    line("return result;");
  }

  std::string returned_text(const ExprList& values, bool keep) {
    std::vector<std::string> parts;
    for (const ExprRef& value : values) {
      const bool tensor = isa<TensorType>(value->type);
      parts.push_back(tensor && keep ? "rank.keep(" + text(value) + ")" : text(value));
    }
    const std::string all = joined(parts);
    return parts.size() == 1 || keep ? all : "{" + all + "}";
  }

  const HostProgram& program_;
  const Function& function_;
  Diagnostics& diags_;
  const bool entry_;
  const bool has_no_dep_;
  passes::Names names_;
  HostExpressions expressions_;
  std::string text_;
  size_t depth_ = 0;
  bool returned_ = false;
  TaskScope scope_;
  std::set<std::string> reported_;  // dimensions, with their function
  int storage_scopes_ = 0;          // `pl.scope`s around
};

}  // namespace

std::string host_signature(const HostProgram& program, const Function& function) {
  Diagnostics unused;
  return Writer(program, function, unused).signature();
}

std::string host_definition(const HostProgram& program, const Function& function, Diagnostics& diags) {
  return Writer(program, function, diags).definition();
}

}  // namespace tilewire::target::pto
