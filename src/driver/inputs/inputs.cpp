#include "driver/inputs/inputs.h"

#include <cstdlib>

#include "driver/host/ranks.h"
#include "driver/inputs/random_arrays.h"
#include "ir/op.h"
#include "ops/evaluate.h"
#include "support/diagnostics/command.h"
#include "support/diagnostics/driver.h"

namespace tilewire::driver {
namespace {

Argument number_of(ir::DType dtype, int64_t value) {
  if (dtype == ir::DType::Bool) return Number(value != 0);
  return ir::is_float(dtype) ? Number(static_cast<double>(value)) : Number(value);
}

// "x=4x64:FP32": the type of the parameter, with a number in place of each dimension that is open.
std::string shape_example(const ParameterInfo& param) {
  std::string text = param.node->name + "=";
  for (size_t d = 0; d < param.dims.size(); ++d) {
    text += (d ? "x" : "") + std::to_string(param.dims[d] >= 0 ? param.dims[d] : 4);
  }
  return text + ":" + std::string(ir::info(param.dtype).name);
}

}  // namespace

std::optional<BoundArguments> Inputs::bind(Diagnostics& diags) {
  if (!collect(diags)) return std::nullopt;
  auto make = [&](size_t parameter, const std::vector<int64_t>& shape) {
    return make_storage(signature_.params()[parameter], shape, diags);
  };
  return signature_.bind(values_, make, diags);
}

bool Inputs::collect(Diagnostics& diags) {
  // Before dimensions follow from it.
  if (settings_.ranks && !valid_ranks(signature_, *settings_.ranks, diags)) return false;
  read_settings(diags);
  check_shapes(diags);
  if (diags.has_errors()) return false;
  const auto& params = signature_.params();
  owned_.reserve(params.size());
  values_.resize(params.size());
  for (size_t i = 0; i < params.size(); ++i) {
    if (!params[i].tensor) values_[i] = number_for(i, diags);
    if (params[i].tensor) read_array(i, diags);
  }
  note_dimensions();
  for (size_t i = 0; i < params.size() && !diags.has_errors(); ++i) {
    const bool make = params[i].needed || settings_.dimension;
    if (params[i].tensor && make && values_[i].index() == 0) make_array(i, diags);
  }
  return !diags.has_errors();
}

void Inputs::read_settings(Diagnostics& diags) {
  auto is_known = [&](const std::string& name) {
    for (const ParameterInfo& param : signature_.params()) {
      if (param.node->name == name) return true;
    }
    Diagnostic& d =
        diags.report(diag::input_without_parameter, signature_.entry().span, {signature_.name(), name});
    for (const ParameterInfo& param : signature_.params()) {
      for (const auto& dim : param.dim_exprs) {
        const auto* symbol = dim ? ir::as<ir::DimSymbol>(dim) : nullptr;
        if (!symbol || symbol->name != name) continue;
        d.with_help("`" + name + "` is a dimension: give the shape of a parameter, --shape " +
                    shape_example(param));
        return false;
      }
    }
    return false;
  };
  for (const std::string& text : settings_.texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals + 1 == text.size()) {
      diags.report(diag::bad_input_setting, {}, {text})
          .with_help("write --in x=x.npy, or --in n=4 for a scalar");
    } else if (is_known(text.substr(0, equals))) {
      texts_[text.substr(0, equals)] = text.substr(equals + 1);
    }
  }
  for (const auto& [name, value] : settings_.given) is_known(name);
}

// As arrays of these shapes would be.
void Inputs::check_shapes(Diagnostics& diags) const {
  for (const auto& [name, type] : settings_.shapes) {
    const ParameterInfo* param = signature_.find(name, diags);
    if (!param) continue;
    if (const auto* tensor = ir::as<ir::TensorType>(type)) {
      Array array;
      array.dtype = tensor->dtype;
      for (const ir::ExprRef& extent : tensor->shape) {
        array.shape.push_back(ir::as<ir::ConstInt>(extent)->value);
      }
      array.strides = dense_strides(array.shape);
      signature_.check_array(*param, array, diags);
    } else if (param->tensor || ir::scalar_dtype(type) != param->dtype) {
      diags.report(diag::argument_kind, param->node->span,
                   {name, ir::to_string(param->node->type), ir::to_string(type)});
    }
  }
}

void Inputs::read_array(size_t index, Diagnostics& diags) {
  const ParameterInfo& param = signature_.params()[index];
  if (auto given = settings_.given.find(param.node->name); given != settings_.given.end()) {
    values_[index] = given->second;
    return;
  }
  auto file = texts_.find(param.node->name);
  if (file == texts_.end()) return;
  auto array = read_npy(file->second, param.dtype, diags);
  if (!array) return;
  owned_.push_back(std::move(*array));
  values_[index] = owned_.back().array();
}

// The extent set by `--in` or `--shape`; -1: neither sets it.
int64_t Inputs::given_extent(size_t index, size_t d) const {
  const ParameterInfo& param = signature_.params()[index];
  if (const auto* array = std::get_if<Array>(&values_[index])) {
    return d < array->shape.size() ? array->shape[d] : -1;
  }
  auto given = settings_.shapes.find(param.node->name);
  const auto* tensor = given == settings_.shapes.end() ? nullptr : ir::as<ir::TensorType>(given->second);
  return tensor && d < tensor->shape.size() ? ir::as<ir::ConstInt>(tensor->shape[d])->value : -1;
}

// A dimension that one parameter fixes holds for all; that of the ranks is the number asked for, and so is
// the first one of a host function's tensors, whose rows go to ranks, when nothing else fixes it.
void Inputs::note_dimensions() {
  for (size_t i = 0; i < signature_.params().size(); ++i) {
    const ParameterInfo& param = signature_.params()[i];
    for (size_t d = 0; d < param.dim_exprs.size(); ++d) {
      const auto* symbol = param.dim_exprs[d] ? ir::as<ir::DimSymbol>(param.dim_exprs[d]) : nullptr;
      int64_t extent = symbol ? given_extent(i, d) : -1;
      if (extent >= 0) dimensions_.emplace(symbol->name, extent);
    }
  }
  if (!settings_.ranks) return;
  for (const std::string& name : settings_.rank_dimensions) {
    dimensions_.emplace(name, *settings_.ranks);
  }
  if (signature_.entry().type != ir::FunctionType::Host) return;
  for (const auto& [name, extent] : settings_.dimensions) dimensions_.emplace(name, extent);
  for (const ParameterInfo& param : signature_.params()) {
    const auto* first = param.dim_exprs.empty() ? nullptr : ir::as<ir::DimSymbol>(param.dim_exprs[0]);
    if (first && dimensions_.emplace(first->name, *settings_.ranks).second) {
      guessed_dimensions_.insert(first->name);
    }
  }
}

void Inputs::make_array(size_t index, Diagnostics& diags) {
  const ParameterInfo& param = signature_.params()[index];
  std::vector<int64_t> shape;
  for (size_t d = 0; d < param.dims.size(); ++d) shape.push_back(extent_of(index, d, diags));
  if (diags.has_errors()) return;
  const Array made = make_storage(param, shape, diags);
  if (diags.has_errors()) return;
  if (ir::is_float(param.dtype) || !settings_.dimension) fill_random(made, settings_.seed, index);
  values_[index] = made;
  if (param.needed) arrays_made_.push_back(index);
}

Array Inputs::make_storage(const ParameterInfo& param, const std::vector<int64_t>& shape,
                           Diagnostics& diags) {
  try {
    return owned_.emplace_back(param.dtype, shape).array();
  } catch (const std::bad_alloc&) {
    std::string extents;
    for (int64_t extent : shape) extents += (extents.empty() ? "" : "x") + std::to_string(extent);
    diags.report(diag::input_no_memory, param.node->span,
                 {param.node->name, extents, std::string(ir::info(param.dtype).name)});
    return {};
  }
}

int64_t Inputs::extent_of(size_t index, size_t d, Diagnostics& diags) {
  const ParameterInfo& param = signature_.params()[index];
  if (param.dims[d] >= 0) return param.dims[d];
  if (int64_t given = given_extent(index, d); given >= 0) return given;
  auto dimension = [&](std::string_view name) -> std::optional<int64_t> {
    auto found = dimensions_.find(name);
    if (found != dimensions_.end()) return found->second;
    if (settings_.dimension) free_dimensions_.emplace(name);
    const auto own = settings_.dimensions.find(name);
    return own == settings_.dimensions.end() ? settings_.dimension : own->second;
  };
  auto follows = ops::evaluate_integer(*param.dim_exprs[d], dimension);
  if (follows && *follows >= 0) return *follows;
  diags.report(diag::extent_unknown, param.node->span, {std::to_string(d), param.node->name})
      .with_help("give its shape, --shape " + shape_example(param) + ", or an array, --in " +
                 param.node->name + "=FILE.npy" +
                 (d == 0 && signature_.entry().type == ir::FunctionType::Host
                      ? ", or the number of ranks, --ranks 4"
                      : ""));
  return 0;
}

Argument Inputs::number_for(size_t index, Diagnostics& diags) {
  const ParameterInfo& param = signature_.params()[index];
  if (auto direct = settings_.given.find(param.node->name); direct != settings_.given.end()) {
    return direct->second;
  }
  auto given = texts_.find(param.node->name);
  if (given == texts_.end() && settings_.dimension) {
    numbers_made_.push_back(index);
    const auto own = settings_.numbers.find(index);
    return number_of(param.dtype, own == settings_.numbers.end() ? settings_.number : own->second);
  }
  if (given == texts_.end()) {
    diags.report(diag::scalar_not_given, param.node->span, {param.node->name})
        .with_help("give it, --in " + param.node->name + "=4");
    return {};
  }
  const std::string& text = given->second;
  if (text == "True" || text == "False") return Number(text == "True");
  char* end = nullptr;
  long long integer = std::strtoll(text.c_str(), &end, 0);
  if (*end == '\0') {
    if (ir::is_float(param.dtype)) return Number(static_cast<double>(integer));
    return Number(static_cast<int64_t>(integer));
  }
  double number = std::strtod(text.c_str(), &end);
  if (*end == '\0') return Number(number);
  diags.report(diag::bad_number, param.node->span, {param.node->name, text});
  return {};
}

}  // namespace tilewire::driver
