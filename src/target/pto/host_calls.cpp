// Tasks of orchestration functions; window buffers and dispatches of host functions.
#include <algorithm>

#include "ir/function_kinds.h"
#include "ir/op.h"
#include "ir/structural.h"
#include "ops/handles.h"
#include "passes/task_call.h"
#include "support/diagnostics/pto_host.h"
#include "target/pto/host_writer.h"

namespace tilewire::target::pto {

using namespace ir;

void HostWriter::task_scope(const Block& body, const VarList& results, const Span& span) {
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

void HostWriter::deferred(const Block& body, const Span& span) {
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

std::string HostWriter::deps_text(const ExprList& deps) const {
  std::vector<std::string> parts;
  for (const ExprRef& dep : deps) parts.push_back(text(dep));
  return joined(parts);
}

void HostWriter::function_call(const FunctionCall& call, const Var* var) {
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

std::string HostWriter::argument(const FunctionCall& call, const Kernel& kernel,
                                 const KernelParameter& parameter, std::vector<std::string>& results) {
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

namespace {

// Whether `given` is `pattern` with other values for its dimensions, and those values.
bool matches(const ExprRef& pattern, const ExprRef& given, std::map<std::string, ExprRef>& values) {
  if (const auto* dimension = as<DimSymbol>(pattern)) {
    const auto [value, is_new] = values.try_emplace(dimension->name, given);
    return is_new || identical_but_for_definitions(value->second, given);
  }
  if (const auto number = constant_value(pattern)) return constant_value(given) == number;
  const auto *a = as<Call>(pattern), *b = as<Call>(given);
  if (!a || !b || a->op != b->op || a->args.size() != b->args.size()) return false;
  for (size_t i = 0; i < a->args.size(); ++i) {
    if (!matches(a->args[i], b->args[i], values)) return false;
  }
  return true;
}

}  // namespace

std::string HostWriter::dimension_text(const FunctionCall& call, const Kernel& kernel,
                                       const KernelParameter& parameter, std::set<std::string> around) {
  auto extent_of = [&](const KernelParameter& p) {
    return "dim(" + text(call.args[p.index]) + ", " + std::to_string(p.axis) + ")";
  };
  const auto& type = static_cast<const TensorType&>(*kernel.function->params[parameter.index]->type);
  const ExprRef& extent = type.shape[parameter.axis];
  if (isa<DimSymbol>(extent)) return extent_of(parameter);
  // Where an extent is made of several, what the argument's is made of says more than its value.
  std::map<std::string, ExprRef> same;
  const auto* given = as<TensorType>(call.args[parameter.index]->type);
  if (symbols_in(extent).size() > 1 && given && matches(extent, given->shape[parameter.axis], same)) {
    const ExprRef& value = same.at(parameter.symbol);
    const auto needed = symbols_in(value);
    const bool known = std::all_of(needed.begin(), needed.end(),
                                   [&](const DimSymbol* symbol) { return expressions_.knows(symbol->name); });
    if (known) return expressions_.text(value);
  }
  if (!around.insert(parameter.symbol).second) {  // two dimensions that follow from each other
    report_dimension(*kernel.function, parameter.symbol, call.span);
    return "0";
  }
  std::map<std::string, std::string> values{{parameter.symbol, "value"}};
  for (const DimSymbol* symbol : symbols_in(extent)) {
    if (symbol->name == parameter.symbol) continue;
    for (const KernelParameter& other : kernel.parameters) {
      if (other.kind == ParameterKind::Dimension && other.symbol == symbol->name) {
        values[symbol->name] = dimension_text(call, kernel, other, around);
      }
    }
  }
  return "solve([&](int64_t value) { return " + expressions_.text(extent, values) + "; }, " +
         extent_of(parameter) + ", " + quoted(parameter.symbol) + ")";
}

void HostWriter::take_results(const Var& var, const FunctionCall& call, const Function& callee,
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

HostValue HostWriter::result(const TypeRef& type, int same, const FunctionCall& call,
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
    line("const Tensor " + name + " = tracked(" + text(arg) + ");");
    return {name};
  }
  if (isa<ScalarType>(type) && next < scalars.size()) {
    const std::string element = scalars[next++], name = names_.take("later");
    line("const Later<" + type_name(type) + "> " + name + "(rank, " + element + ", " + place(call.span) +
         ");");
    return {name, true};
  }
  diags_.report(diag::pto_host_result, call.span, {call.callee})
      .with_help("return the parameter itself, or write to one");
  return {"Tensor{}"};
}

void HostWriter::window_buffer(const Var& var, const Call& call) {
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
  line("const int " + name + " = call.window(" + quoted(var.name_hint) + ", " + bytes + ", " + staged +
       place(call.span) + ");");
  expressions_.define(var, {name});
}

void HostWriter::dispatch(const FunctionCall& call, const Var* var) {
  FunctionRef callee = program_.program.find(call.callee);
  std::vector<std::string> passed, arguments{"there"};
  for (size_t i = 0; i < call.args.size(); ++i) {
    const TypeRef& type = callee->params[i]->type;
    if (isa<TensorType>(type) || isa<CommCtxType>(type)) {
      std::string tensor = "tensors[" + std::to_string(passed.size()) + "]";
      passed.push_back("{" + text(call.args[i]) + ", " + direction_name(callee->params[i]->direction) + "}");
      if (isa<CommCtxType>(type)) tensor = "there.context(" + tensor + ", " + place(call.span) + ")";
      arguments.push_back(tensor);
    } else {
      arguments.push_back(text(call.args[i]));
    }
  }
  line("call.dispatch(" + text(call.device) + ", {" + joined(passed) + "},");
  line("              [=](Rank& there, const std::vector<Tensor>& tensors) {");
  line("                " + program_.name(*callee) + "(" + joined(arguments) + ");");
  line("              },");
  line("              " + place(call.span) + ");");
  if (var) take_dispatched(*var, call, *callee);
}

void HostWriter::take_dispatched(const Var& var, const FunctionCall& call, const Function& callee) {
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

}  // namespace tilewire::target::pto
