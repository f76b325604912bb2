// The frame of a function: parameters, dimensions, what is checked, what is returned.
#include <algorithm>
#include <set>

#include "ir/function_kinds.h"
#include "ir/op.h"
#include "ir/printer_names.h"
#include "ir/visitor.h"
#include "ops/handles.h"
#include "ops/shape.h"
#include "support/diagnostics/pto_host.h"
#include "target/pto/call_facts.h"
#include "target/pto/host_writer.h"

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

std::string parameter_type(const TypeRef& type) {
  const std::string name = type_name(type);
  return isa<ScalarType>(type) || isa<TaskIdType>(type) ? name : "const " + name + "&";
}

// The result type of a function: nothing, its one value, or a tuple.
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

}  // namespace

namespace {

// Types of local tensors may name dimensions that nothing computes with.
bool needs_value(const Function& function, const DimSymbol& symbol) {
  struct Used : Visitor<Used> {
    std::string name;
    bool found = false;
    void visit(const DimSymbol& other) { found = found || other.name == name; }
  } used;
  used.name = symbol.name;
  used.walk(*function.body);
  return used.found;
}

}  // namespace

std::vector<const DimSymbol*> untold_dimensions(const Function& function) {
  std::set<std::string> told;
  Symbols all;
  for (const bool alone : {true, false}) {
    for (const auto& param : function.params) {
      const auto* tensor = as<TensorType>(param->type);
      if (!tensor) continue;
      all.walk(param->type);
      for (const ExprRef& extent : tensor->shape) {
        std::vector<const DimSymbol*> unknown;
        for (const DimSymbol* symbol : symbols_in(extent)) {
          if (!told.contains(symbol->name)) unknown.push_back(symbol);
        }
        if (unknown.size() == 1 && (!alone || isa<DimSymbol>(extent))) told.insert(unknown[0]->name);
      }
    }
  }
  std::erase_if(all.found, [&](const DimSymbol* symbol) {
    return told.contains(symbol->name) || !needs_value(function, *symbol);
  });
  return all.found;
}

std::string direction_name(Direction direction) {
  return "Parameter::Direction::" + std::string(direction == Direction::In    ? "In"
                                                : direction == Direction::Out ? "Out"
                                                                              : "InOut");
}

std::vector<const DimSymbol*> symbols_in(const ExprRef& expr) {
  Symbols symbols;
  symbols.walk(expr);
  return symbols.found;
}

HostWriter::HostWriter(const HostProgram& program, const Function& function, Diagnostics& diags)
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

std::string HostWriter::signature() {
  std::vector<std::string> params{entry_ ? "Runtime& runtime" : "Rank& rank"};
  for (const auto& param : function_.params) {
    const std::string name = names_.take(passes::identifier(param->name));
    expressions_.define(*param, {name});
    params.push_back(parameter_type(param->type) + " " + name);
  }
  if (entry_) {
    for (const DimSymbol* symbol : untold_dimensions(function_)) {
      const std::string name = names_.take(passes::identifier(symbol->name));
      expressions_.define(symbol->name, name);
      params.push_back("int64_t " + name);
    }
  }
  return (entry_ ? result_type(function_) : "void") + " " + program_.name(function_) + "(" + joined(params) +
         ")";
}

std::string HostWriter::definition() {
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

void HostWriter::assign(const Var& var, const std::string& value) {
  const std::string name = fresh(var);
  const bool context = isa<CommCtxType>(var.type) && is_host(function_.type);
  line("const " + (context ? "Tensor" : type_name(var.type)) + " " + name + " = " + value + ";");
  expressions_.define(var, {name});
}

void HostWriter::arguments_here() {
  for (const auto& param : function_.params) {
    if (!isa<TensorType>(param->type)) continue;
    const std::string given = text(param), name = names_.take(given + "_here");
    line("const Tensor " + name + " = runtime.argument(0, " + given + ", " +
         direction_name(param->direction) + ");");
    expressions_.define(*param, {name});
  }
}

void HostWriter::dimension(const std::string& symbol, const std::string& value) {
  const std::string name = names_.take(passes::identifier(symbol));
  line("const int64_t " + name + " = " + value + ";");
  expressions_.define(symbol, name);
}

void HostWriter::dimensions() {
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
    dimension(symbol, "solve([&](int64_t value) { return " + expressions_.text(extent, {{symbol, "value"}}) +
                          "; }, " + value + ", " + quoted(symbol) + ")");
  });
  Symbols used;
  for (const auto& param : function_.params) used.walk(param->type);
  used.walk(*function_.body);
  for (const DimSymbol* symbol : used.found) {
    if (expressions_.knows(symbol->name) || !needs_value(function_, *symbol)) continue;
    report_dimension(function_, symbol->name, symbol->span ? symbol->span : function_.span);
    expressions_.define(symbol->name, "0");
  }
}

void HostWriter::expectations() {
  for (const auto& param : function_.params) {
    const auto* type = as<TensorType>(param->type);
    if (!type || !entry_) continue;
    const auto symbols = symbols_of(*type);
    const bool known = std::all_of(symbols.begin(), symbols.end(),
                                   [&](const DimSymbol* symbol) { return expressions_.knows(symbol->name); });
    if (!known) continue;
    line("expect(" + quoted(function_.name) + ", " + quoted(param->name) + ", " + text(param) + ", " +
         element_name(type->dtype) + ", " + expressions_.list(type->shape) + ", " +
         expressions_.list(ops::strides_of(*type)) + ");");
  }
}

std::vector<const DimSymbol*> HostWriter::symbols_of(const TensorType& type) {
  Symbols symbols;
  for (const ExprRef& extent : type.shape) symbols.walk(extent);
  return symbols.found;
}

void HostWriter::groups() {
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

void HostWriter::finish(const ExprList& values) {
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

std::string HostWriter::returned_text(const ExprList& values, bool keep) {
  std::vector<std::string> parts;
  for (const ExprRef& value : values) {
    const bool tensor = isa<TensorType>(value->type);
    parts.push_back(tensor && keep ? "rank.keep(" + text(value) + ")" : text(value));
  }
  const std::string all = joined(parts);
  return parts.size() == 1 || keep ? all : "{" + all + "}";
}

void HostWriter::report_dimension(const Function& function, const std::string& symbol, const Span& span) {
  if (!reported_.insert(function.name + "." + symbol).second) return;
  diags_.report(diag::pto_host_dimension, span, {function.name, symbol})
      .with_help("give `" + function.name + "` a tensor that has `" + symbol + "` as a dimension");
}

std::string host_signature(const HostProgram& program, const Function& function) {
  Diagnostics unused;
  return HostWriter(program, function, unused).signature();
}

std::string host_definition(const HostProgram& program, const Function& function, Diagnostics& diags) {
  return HostWriter(program, function, diags).definition();
}

}  // namespace tilewire::target::pto
