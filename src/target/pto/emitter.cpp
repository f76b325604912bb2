// The frame of a function: parameters, the tiles it has, and what joins them.
#include "target/pto/emitter.h"

#include <algorithm>
#include <map>

#include "ir/function_kinds.h"
#include "ops/pipe.h"
#include "ops/shape.h"
#include "support/diagnostics/pto.h"
#include "target/pto/call_facts.h"
#include "target/pto/kernel_kind.h"
#include "target/pto/rules.h"

namespace tilewire::target::pto {

using namespace ir;

FunctionEmitter::FunctionEmitter(const Program& program, const Kernel& kernel, const Function& function,
                                 const passes::ReturnRoots& returns, Level level, Economy economy,
                                 Diagnostics& diags)
    : kernel(kernel),
      function(function),
      level(level),
      slots(economy.slots),
      own_temporaries(economy.own_temporaries),
      diags(diags),
      memory(function),
      valid(function, passes::Popped::Whole),
      fences(function),
      scalars_sent(kernel),
      unit_(column_unit(function)),
      storage_(function, memory, valid, unit_, result_rule) {
  for (const KernelParameter& parameter : kernel.parameters) text.parameter(parameter.name);
  enter();
  bind_parameters(program, returns);
}

Diagnostic& FunctionEmitter::refuse(const Span& at, const std::string& what, const std::string& why) {
  return diags.report(diag::pto_inexpressible, at ? at : function.span, {what, why});
}

std::string FunctionEmitter::run() {
  block(*function.body);
  declare_tiles();
  std::string out = signature() + " {\n" + text.finish(2);
  return out + "    return\n  }\n";
}

std::string FunctionEmitter::signature() {
  std::string list;
  for (const KernelParameter& parameter : kernel.parameters) {
    const bool pointer = parameter.kind == ParameterKind::Tensor || parameter.kind == ParameterKind::Result ||
                         parameter.kind == ParameterKind::Context || parameter.kind == ParameterKind::Group;
    const std::string type =
        pointer ? "!pto.ptr<" + element_text(parameter.dtype) + ">" : scalar_text(parameter.dtype);
    list += (list.empty() ? "" : ", ") + ("%" + parameter.name) + ": " + type;
  }
  const char* kind = kind_of_core(function) == Core::Cube ? "cube" : "vector";
  return "  func.func @" + function.name + "(" + list +
         ") attributes {pto.entry, pto.kernel_kind = #pto.kernel_kind<" + kind + ">}";
}

void FunctionEmitter::bind_parameters(const Program& program, const passes::ReturnRoots& returns) {
  for (const KernelParameter& parameter : kernel.parameters) {
    if (parameter.kind == ParameterKind::Dimension)
      symbols_[parameter.symbol] = named("%" + parameter.name, "index");
  }
  if (kernel.function == &function) {
    for (size_t i = 0; i < function.params.size(); ++i) bind(*function.params[i], i);
    return;
  }
  // A half takes the parameters of its Group, as the call in the Group passes them.
  const passes::Roots roots(*kernel.function, returns);
  for (const FunctionCall* call : calls_in(*kernel.function->body)) {
    if (program.find(call->callee).get() != &function) continue;
    for (size_t i = 0; i < call->args.size(); ++i) {
      const int outer = roots.same(call->args[i]);
      if (outer >= 0) {
        bind(*function.params[i], static_cast<size_t>(outer));
      } else if (isa<ScalarType>(call->args[i]->type)) {
        name_scalar(*function.params[i], scalar(call->args[i]));
      } else {
        refuse(call->args[i]->span, "a part of a tensor as an argument in a Group",
               "halves take the parameters of the Group");
        bind(*function.params[i], 0);
      }
    }
    return;
  }
}

// `outer`: the parameter of the kernel that `param` is.
void FunctionEmitter::bind(const Parameter& param, size_t outer) {
  const KernelParameter* declared = nullptr;
  for (const KernelParameter& candidate : kernel.parameters) {
    const bool own = candidate.kind == ParameterKind::Tensor || candidate.kind == ParameterKind::Scalar ||
                     candidate.kind == ParameterKind::Context;
    if (own && candidate.index == outer) declared = &candidate;
  }
  if (!declared) return;  // task ids
  const std::string name = "%" + declared->name;
  const auto* type = as<TensorType>(param.type);
  if (!type) {
    const bool context = declared->kind == ParameterKind::Context;
    if (!context && scalar_text(declared->dtype).empty()) {
      refuse(param.span, "a scalar of " + std::string(info(declared->dtype).name),
             "the dialect has no such type");
    }
    return name_scalar(param, named(name, context ? "!pto.ptr<i64>" : scalar_text(declared->dtype)));
  }
  if (element_text(type->dtype).empty()) {
    refuse(param.span, "`" + param.name + "`, a tensor of " + std::string(info(type->dtype).name),
           "the dialect has no such elements on a3");
    return;
  }
  if (param.name == ops::workspace_name) return;  // an address, for the pipes only
  const auto& outer_type = static_cast<const TensorType&>(*kernel.function->params[outer]->type);
  Tensor tensor;
  if (param.name == ops::workspace_name) {  // of slots, which are never loaded from
    tensor.pointer = name;
    tensor.dtype = type->dtype;
    tensor.parameter = static_cast<int>(outer);
    tensor.extents = {number(0)};
    tensor.strides = {number(1)};
    return name_tensor(param, std::move(tensor));
  }
  tensor.pointer = name;
  tensor.dtype = type->dtype;
  tensor.parameter = static_cast<int>(outer);
  if (type->view) tensor.layout = type->view->layout;
  for (size_t i = 0; i < type->shape.size(); ++i) {
    const auto* symbol = as<DimSymbol>(type->shape[i]);
    if (symbol && !symbols_.contains(symbol->name)) symbols_[symbol->name] = scalar(outer_type.shape[i]);
    tensor.extents.push_back(index(type->shape[i]));
  }
  const ExprList typed = ops::strides_of(*type);
  for (size_t i = 0; i < typed.size(); ++i) {
    const StrideSource& source = kernel.strides[outer][i];
    if (source.kind == StrideSource::Constant) {
      tensor.strides.push_back(number(source.value));
    } else if (source.kind == StrideSource::Parameter) {
      tensor.strides.push_back(
          named("%" + kernel.parameters[static_cast<size_t>(source.value)].name, "index"));
    } else {
      tensor.strides.push_back(index(typed[i]));
    }
  }
  name_tensor(param, std::move(tensor));
}

void FunctionEmitter::op(std::string_view name, std::span<const Operand> ins, const Operand& out,
                         const std::string& attributes) {
  std::string names, types;
  for (const Operand& operand : ins) {
    names += (names.empty() ? "" : ", ") + operand.name;
    types += (types.empty() ? "" : ", ") + operand.type;
  }
  if (!attributes.empty()) names += " " + attributes;
  text.line("pto." + std::string(name) + " ins(" + names + " : " + types + ") outs(" + out.name + " : " +
            out.type + ")");
}

void FunctionEmitter::op(std::string_view name, std::initializer_list<Operand> ins, const Operand& out,
                         const std::string& attributes) {
  op(name, std::span<const Operand>(ins.begin(), ins.size()), out, attributes);
}

std::string FunctionEmitter::reserve_slots(const std::string& name, int64_t bytes, MemorySpace space) {
  Allocated made;
  made.slots = name;
  made.tile.name = text.fresh("slots");
  made.area = {name, space, bytes, 256, {}, -1};
  made.area.in_use.assign(static_cast<size_t>(storage_.positions()), true);
  allocated_.push_back(std::move(made));
  return allocated_.back().tile.name;
}

int64_t FunctionEmitter::planned_excess(const std::vector<Area*>& areas, bool through_loops) const {
  std::map<MemorySpace, std::vector<int64_t>> needed;
  for (const Area* area : areas) {
    auto first =
        static_cast<int>(std::find(area->in_use.begin(), area->in_use.end(), true) - area->in_use.begin());
    int last = static_cast<int>(area->in_use.size()) - 1;
    while (last > first && !area->in_use[static_cast<size_t>(last)]) --last;
    for (const auto& [start, end] : storage_.loops()) {
      const auto from = area->in_use.begin() + start, to = area->in_use.begin() + end + 1;
      if (!*from && !(through_loops && std::find(from, to, true) != to)) continue;
      first = std::min(first, start);
      last = std::max(last, end);
    }
    auto& bytes = needed[area->space];
    bytes.resize(area->in_use.size());
    for (int i = first; i <= last && i < static_cast<int>(bytes.size()); ++i)
      bytes[static_cast<size_t>(i)] += area->bytes;
  }
  int64_t excess = 0;
  for (const auto& [space, bytes] : needed) {
    for (int64_t at_once : bytes) excess = std::max(excess, at_once - capacity(space));
  }
  return excess;
}

// At level3 the text says where each tile lies. At level2 the assembler does, and has to find room too.
void FunctionEmitter::declare_tiles() {
  std::vector<Area*> areas;
  for (Allocated& allocated : allocated_) {
    if (allocated.tile.form.space != MemorySpace::DDR && allocated.same_as < 0)
      areas.push_back(&allocated.area);
  }
  const auto over = place(areas);
  for (const auto& [space, needed] : over) excess_ = std::max(excess_, needed - capacity(space));
  likely_excess_ = excess_;
  if (level == Level::Two) {
    excess_ = std::max(excess_, planned_excess(areas, true));
    likely_excess_ = std::max(likely_excess_, planned_excess(areas, false));
  }
  for (const auto& [space, needed] : over) {
    Diagnostic& error = diags.report(
        diag::pto_memory, function.span,
        {function.name, std::to_string(needed), name_of(space), std::to_string(capacity(space))});
    std::vector<const Area*> largest;
    for (const Area* area : areas) {
      if (area->space == space) largest.push_back(area);
    }
    std::stable_sort(largest.begin(), largest.end(),
                     [](const Area* a, const Area* b) { return a->bytes > b->bytes; });
    std::string list;
    for (size_t i = 0; i < largest.size() && i < 8; ++i) {
      list += (i == 0 ? "" : ", ") + ("`" + largest[i]->name + "` " + std::to_string(largest[i]->bytes));
    }
    error.with_note("the largest tiles, in bytes: " + list).with_help("work on smaller tiles");
  }
  for (const Allocated& allocated : allocated_) {
    const Tile& tile = allocated.tile;
    if (tile.form.space == MemorySpace::DDR) {
      text.allocate(tile.name, "pto.declare_local_array -> " + array_type(tile));
      continue;
    }
    const int same_as = allocated.same_as;
    const int64_t address =
        same_as < 0 ? allocated.area.address : allocated_[static_cast<size_t>(same_as)].area.address;
    if (!allocated.slots.empty()) {
      const std::string base = std::to_string(allocated.area.address);
      text.reserve(tile.name + " = pto.reserve_buffer {name = \"" + allocated.slots +
                   "\", size = " + std::to_string(allocated.area.bytes) + ", location = #pto.address_space<" +
                   (allocated.area.space == MemorySpace::Mat ? "mat" : "vec") +
                   ">, auto = " + (level == Level::Three ? "false, base = " + base : "true") + "} -> i32");
      continue;
    }
    std::string line = "pto.alloc_tile";
    if (level == Level::Three) line += " addr = " + text.integer(address, "i64");
    if (tile.dynamic) {
      line += " valid_row = " + text.integer(tile.form.rows, "index") +
              " valid_col = " + text.integer(tile.form.cols, "index");
    }
    text.allocate(tile.name, line + " : " + tile.type());
  }
}

}  // namespace tilewire::target::pto
