#include "target/pto/host_source.h"

#include "ir/function_kinds.h"
#include "ir/op.h"
#include "ir/visitor.h"
#include "support/diagnostics/pto_host.h"
#include "target/pto/host_text.h"
#include "target/pto/parameter_types.h"

namespace tilewire::target::pto {

using namespace ir;

namespace {

bool submits(const Function& function) {
  return is_host(function.type) || is_orchestration(function.type);
}

const char* kind_constant(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::Tensor:
      return "Tensor";
    case ParameterKind::Result:
      return "Result";
    case ParameterKind::Scalar:
      return "Scalar";
    case ParameterKind::Context:
      return "Context";
    case ParameterKind::Dimension:
      return "Dimension";
    case ParameterKind::Stride:
      return "Stride";
    case ParameterKind::Group:
      return "Group";
  }
  return "";
}

std::string parameter_text(const Kernel& kernel, const KernelParameter& parameter) {
  std::string text = "{" + quoted(parameter.name) + ", Parameter::Kind::" + kind_constant(parameter.kind) +
                     ", " + quoted(parameter_type(parameter));
  if (parameter.kind == ParameterKind::Tensor || parameter.kind == ParameterKind::Result) {
    const Direction direction = parameter_direction(kernel, parameter);
    text += std::string(", Parameter::Direction::") +
            (direction == Direction::In    ? "In"
             : direction == Direction::Out ? "Out"
                                           : "InOut") +
            ", " + std::to_string(parameter_access(kernel, parameter));
  } else {
    text += ", Parameter::Direction::In, 0";
  }
  return text + "}";
}

std::string kernel_text(const HostProgram& program, const Kernel& kernel) {
  const Function *cube = cube_body(kernel), *vector = vector_body(kernel);
  std::string text = "const Kernel " + program.kernel_names.find(kernel.function->name)->second +
                     " = {\n    " + quoted(kernel.function->name) + ", " + quoted(kernel_file(kernel)) +
                     ", " + (cube ? quoted(cube->name) : "nullptr") + ", " +
                     (vector ? quoted(vector->name) : "nullptr") + ", " +
                     std::to_string(vector_lanes(kernel)) + ",\n    {";
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    text += (i ? ",\n     " : "") + parameter_text(kernel, kernel.parameters[i]);
  }
  return text + "}};\n";
}

// Scalars that the interface has no values for.
struct Scalars : Visitor<Scalars> {
  const Function* function = nullptr;
  Diagnostics* diags = nullptr;
  bool reported = false;

  void check(const TypeRef& type, const Span& span) {
    const auto* scalar = as<ScalarType>(type);
    if (!scalar || reported) return;
    const DType dtype = scalar->dtype;
    if (dtype != DType::FP8E4M3FN && dtype != DType::FP8E5M2 && dtype != DType::Int4) return;
    reported = true;
    diags
        ->report(diag::pto_host_dtype, span ? span : function->span,
                 {function->name, std::string(info(dtype).name)})
        .with_help("read the element in a kernel, or convert the tensor to pl.FP32 first");
  }
  void visit(const Var& var) { check(var.type, var.span); }
  void visit(const Call& call) {
    check(call.type, call.span);
    walk_children(call);
  }
};

}  // namespace

HostProgram host_program(const Program& lowered) {
  HostProgram program{lowered, passes::return_roots(lowered), kernels_of(lowered), {}, {}};
  passes::Names names = host_names();
  for (const FunctionRef& function : lowered.functions) {
    if (submits(*function)) program.names[function->name] = names.take(passes::identifier(function->name));
  }
  for (const Kernel& kernel : program.kernels) {
    const std::string& name = kernel.function->name;
    program.kernel_names[name] = names.take(passes::identifier(name) + "_kernel");
  }
  return program;
}

std::vector<HostFile> host_source(const HostProgram& program, const std::string& name, Diagnostics& diags) {
  std::string kernels, declarations, definitions, entries, signatures;
  for (const Kernel& kernel : program.kernels) kernels += kernel_text(program, kernel) + "\n";
  for (const FunctionRef& function : program.program.functions) {
    if (!submits(*function)) continue;
    Scalars scalars;
    scalars.function = function.get();
    scalars.diags = &diags;
    scalars.walk(*function);
    const std::string text = host_definition(program, *function, diags) + "\n";
    if (is_entry(program.program, *function)) {
      entries += text;
      signatures += host_signature(program, *function) + ";\n";
    } else {
      declarations += host_signature(program, *function) + ";\n";
      definitions += text;
    }
  }
  const std::string about = "// The host side of `" + name + "`: ";
  const std::string header =
      about +
      "what a program that runs it calls. Made by `tilewire emit --target pto`.\n#pragma once\n\n"
      "#include <tuple>\n\n#include \"tilewire_pto_host.h\"\n\nnamespace " +
      name + " {\n\nusing namespace tilewire::pto;\n\n" + signatures + "\n}  // namespace " + name + "\n";
  // Programs may well compute what they never use.
  const std::string quiet =
      "#pragma GCC diagnostic ignored \"-Wunused-variable\"\n"
      "#pragma GCC diagnostic ignored \"-Wunused-but-set-variable\"\n"
      "#pragma GCC diagnostic ignored \"-Wunused-parameter\"\n"
      "#pragma GCC diagnostic ignored \"-Wunused-function\"\n";
  std::string source = about + "it submits the kernels. Made by `tilewire emit --target pto`.\n#include \"" +
                       name + "_host.h\"\n\n" + quiet + "\nnamespace " + name +
                       " {\nnamespace {\n\nnamespace abi = tilewire::abi;\n\n" + kernels + declarations +
                       (declarations.empty() ? "" : "\n") + definitions + "}  // namespace\n\n" + entries +
                       "}  // namespace " + name + "\n";
  return {{name + "_host.cpp", std::move(source)}, {name + "_host.h", header}};
}

}  // namespace tilewire::target::pto
