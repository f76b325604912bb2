// What there is to know of the kernels of a program without reading their text.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "ir/function_kinds.h"
#include "ir/op.h"
#include "ir/param_effects.h"
#include "ir/printer.h"
#include "ir/visitor.h"
#include "ops/pipe.h"
#include "target/pto/host_source.h"
#include "target/pto/kernel_kind.h"
#include "target/pto/parameter_types.h"

namespace tilewire::target::pto {

using namespace ir;
using nlohmann::ordered_json;

namespace {

bool on_cube(const Function& body) {
  return kind_of_core(body) == Core::Cube;
}

struct Lanes : Visitor<Lanes> {
  int count = 1;
  void visit(const Call& call) {
    walk_children(call);
    const auto use = ops::pipe_use(call);
    if (use && use->split != SplitMode::NONE) count = 2;
  }
};

const char* kind_name(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::Tensor:
      return "tensor";
    case ParameterKind::Result:
      return "result";
    case ParameterKind::Scalar:
      return "scalar";
    case ParameterKind::Context:
    case ParameterKind::Group:
      return "context";
    case ParameterKind::Dimension:
      return "dimension";
    case ParameterKind::Stride:
      return "stride";
  }
  return "";
}

ordered_json access_names(uint8_t bits) {
  ordered_json names = ordered_json::array();
  if (bits & EffectReads) names.push_back("read");
  if (bits & EffectWrites) names.push_back("write");
  if (bits & EffectAtomic) names.push_back("atomic");
  if (bits & EffectCommunicates) names.push_back("communicate");
  return names;
}

ordered_json parameter_json(const Kernel& kernel, const KernelParameter& parameter) {
  const auto& params = kernel.function->params;
  ordered_json made = {
      {"name", parameter.name}, {"kind", kind_name(parameter.kind)}, {"type", parameter_type(parameter)}};
  switch (parameter.kind) {
    case ParameterKind::Tensor:
      made["direction"] = direction_text(parameter_direction(kernel, parameter));
      made["access"] = access_names(parameter_access(kernel, parameter));
      break;
    case ParameterKind::Result:
      made["direction"] = "out";
      made["access"] = access_names(EffectWrites);
      break;
    case ParameterKind::Dimension:
    case ParameterKind::Stride:
      made["tensor"] = params[parameter.index]->name;
      made["axis"] = parameter.axis;
      if (parameter.kind == ParameterKind::Dimension) made["symbol"] = parameter.symbol;
      break;
    case ParameterKind::Group: {
      ordered_json windows = ordered_json::array();
      const auto number = &parameter - kernel.parameters.data();
      for (size_t i = 0; i < params.size(); ++i) {
        if (kernel.contexts[i] == number) windows.push_back(params[i]->name);
      }
      made["windows"] = std::move(windows);
      break;
    }
    default:
      break;
  }
  return made;
}

// Bytes of global memory that the pipes of one block need; 0 without pipes.
int64_t workspace_of(const Kernel& kernel) {
  int64_t bytes = 0;
  for (const Function* body : kernel.bodies)
    bytes = std::max(bytes, ops::workspace_bytes(ops::pipes_of(*body)));
  return bytes;
}

ordered_json pipes_json(const Kernel& kernel) {
  ordered_json pipes = ordered_json::array();
  for (const ops::Pipe& pipe : ops::pipes_of(*kernel.bodies.front())) {
    pipes.push_back(
        {{"id", pipe.id},
         {"rings", (pipe.has(ops::Ring::CubeToVector) ? 1 : 0) + (pipe.has(ops::Ring::VectorToCube) ? 1 : 0)},
         {"slots", pipe.slots},
         {"slot_bytes", pipe.slot_size}});
  }
  return pipes;
}

// What a caller of an entry passes.
ordered_json entry_parameters(const Function& function) {
  ordered_json parameters = ordered_json::array();
  for (const auto& param : function.params) {
    ordered_json made = {{"name", param->name}};
    if (const auto* tensor = as<TensorType>(param->type)) {
      ordered_json shape = ordered_json::array();
      for (const ExprRef& extent : tensor->shape) shape.push_back(to_string(extent));
      made["kind"] = "tensor";
      made["dtype"] = std::string(info(tensor->dtype).name);
      made["shape"] = std::move(shape);
      made["direction"] = direction_text(param->direction);
    } else {
      made["kind"] = "scalar";
      made["dtype"] = std::string(info(scalar_dtype(param->type).value_or(DType::TaskId)).name);
    }
    parameters.push_back(std::move(made));
  }
  for (const DimSymbol* symbol : untold_dimensions(function))
    parameters.push_back({{"name", symbol->name}, {"kind", "dimension"}});
  return parameters;
}

ordered_json kernel_json(const Kernel& kernel) {
  const Function *cube = cube_body(kernel), *vector = vector_body(kernel);
  ordered_json made = {{"name", kernel.function->name}, {"file", kernel_file(kernel)}};
  made["kind"] = cube && vector ? "mixed" : cube ? "cube" : "vector";
  made["cube"] = cube ? ordered_json(cube->name) : ordered_json();
  made["vector"] = vector ? ordered_json(vector->name) : ordered_json();
  if (cube && vector) made["vector_lanes"] = vector_lanes(kernel);
  ordered_json parameters = ordered_json::array();
  for (const KernelParameter& parameter : kernel.parameters) {
    parameters.push_back(parameter_json(kernel, parameter));
  }
  made["parameters"] = std::move(parameters);
  if (const int64_t bytes = workspace_of(kernel)) {
    made["workspace"] = {{"parameter", workspace_parameter(kernel)},
                         {"bytes_per_block", bytes},
                         {"bytes", std::to_string(bytes) + " * blocks"},
                         {"pipes", pipes_json(kernel)}};
  }
  return made;
}

}  // namespace

std::string kernel_file(const Kernel& kernel) {
  return kernel.function->name + ".pto";
}

const Function* cube_body(const Kernel& kernel) {
  for (const Function* body : kernel.bodies) {
    if (on_cube(*body)) return body;
  }
  return nullptr;
}

const Function* vector_body(const Kernel& kernel) {
  for (const Function* body : kernel.bodies) {
    if (!on_cube(*body)) return body;
  }
  return nullptr;
}

int vector_lanes(const Kernel& kernel) {
  Lanes lanes;
  if (kernel.bodies.size() > 1 && vector_body(kernel)) lanes.walk(*vector_body(kernel)->body);
  return lanes.count;
}

std::string kernel_table(const HostProgram& program) {
  ordered_json kernels = ordered_json::array();
  for (const Kernel& kernel : program.kernels) kernels.push_back(kernel_json(kernel));
  ordered_json entries = ordered_json::array();
  for (const FunctionRef& function : program.program.functions) {
    if (!is_entry(program.program, *function)) continue;
    entries.push_back({{"name", function->name},
                       {"function", program.name(*function)},
                       {"kind", is_host(function->type) ? "host" : "orchestration"},
                       {"parameters", entry_parameters(*function)}});
  }
  ordered_json document = {{"version", 1}, {"arch", "a3"}, {"kernels", kernels}, {"entries", entries}};
  return document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace tilewire::target::pto
