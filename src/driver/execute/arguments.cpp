#include "driver/execute/arguments.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "driver/execute/array_names.h"
#include "ir/op.h"
#include "ops/evaluate.h"
#include "runtime/box.h"
#include "support/diagnostics/driver.h"
#include "support/near.h"

namespace tilewire::driver {
namespace {

std::string list_text(const std::vector<int64_t>& values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i) text += (i ? ", " : "") + std::to_string(values[i]);
  return text + "]";
}

// "FP32 (float32)"
std::string dtype_text(ir::DType dtype) {
  return std::string(ir::info(dtype).name) + " (" + std::string(array_name(dtype)) + ")";
}

std::string dtype_text(const Array& array) {
  return array.foreign.empty() ? dtype_text(array.dtype) : array.foreign;
}

std::string type_text(const Array& array) {
  const std::string dtype = array.foreign.empty() ? std::string(ir::info(array.dtype).name) : array.foreign;
  return "an array " + list_text(array.shape) + " of " + dtype;
}

std::string text_of(const Number& number) {
  if (const auto* flag = std::get_if<bool>(&number)) return *flag ? "True" : "False";
  if (const auto* value = std::get_if<int64_t>(&number)) return std::to_string(*value);
  if (const auto* value = std::get_if<uint64_t>(&number)) return std::to_string(*value);
  std::string text = std::to_string(std::get<double>(number));
  while (text.ends_with('0') && !text.ends_with(".0")) text.pop_back();
  return text;
}

std::string text_of(const Argument& argument) {
  if (const auto* array = std::get_if<Array>(&argument)) return type_text(*array);
  if (const auto* number = std::get_if<Number>(&argument)) return "the number " + text_of(*number);
  return "nothing";
}

std::string plural(size_t count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

bool same_elements(const Array& a, const Array& b) {
  if (a.data != b.data || a.dtype != b.dtype || a.shape != b.shape) return false;
  for (size_t i = 0; i < a.shape.size(); ++i) {
    if (a.shape[i] > 1 && a.strides[i] != b.strides[i]) return false;
  }
  return true;
}

// Whether two indices of one array can be the same element: sorted by stride, each must reach past the
// elements below it.
bool overlaps_itself(const Array& array) {
  std::vector<std::pair<int64_t, int64_t>> dims;  // |stride|, extent
  for (size_t i = 0; i < array.shape.size(); ++i) {
    if (array.shape[i] == 0) return false;
    if (array.shape[i] > 1) dims.emplace_back(std::abs(array.strides[i]), array.shape[i]);
  }
  std::sort(dims.begin(), dims.end());
  int64_t reach = 0;
  for (auto [stride, extent] : dims) {
    if (stride <= reach) return true;
    reach += stride * (extent - 1);
  }
  return false;
}

bool shares_elements(const Array& a, const Array& b) {
  std::vector<abi::Word> of_a, of_b;
  append_words(a, of_a);
  append_words(b, of_b);
  auto box = [](const Array& array, const std::vector<abi::Word>& all) {
    return runtime::Box{all.data(), static_cast<uint8_t>(array.shape.size()),
                        static_cast<uint8_t>(ir::bytes(array.dtype))};
  };
  return runtime::overlap(box(a, of_a), box(b, of_b));
}

// The value of each dynamic dimension in this call.
auto dimensions_of(const BoundArguments& bound) {
  return [&bound](std::string_view name) -> std::optional<int64_t> {
    auto found = bound.dimensions.find(name);
    return found == bound.dimensions.end() ? std::nullopt : std::optional(found->second);
  };
}

int64_t element_count(const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (int64_t extent : shape) {
    if (__builtin_mul_overflow(count, extent, &count)) return INT64_MAX;
  }
  return count;
}

}  // namespace

bool takes_number(ir::DType dtype, const Number& number) {
  if (dtype == ir::DType::Bool) return std::holds_alternative<bool>(number);
  if (!ir::is_integer(dtype)) return !std::holds_alternative<bool>(number);
  if (const auto* value = std::get_if<int64_t>(&number)) return ir::fits(*value, dtype);
  return std::holds_alternative<uint64_t>(number) && dtype == ir::DType::UInt64;
}

void append_words(const Array& array, std::vector<abi::Word>& words) {
  words.push_back(reinterpret_cast<abi::Word>(array.data));
  words.insert(words.end(), array.shape.begin(), array.shape.end());
  words.insert(words.end(), array.strides.begin(), array.strides.end());
}

std::vector<int64_t> dense_strides(const std::vector<int64_t>& shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= std::max<int64_t>(shape[i], 1);
  }
  return strides;
}

const Array& BoundArguments::memory_of(size_t parameter) const {
  for (const OwnRows& own : rows) {
    if (own.parameter == parameter) return own.array;
  }
  return std::get<Array>(values[parameter]);
}

void poison_outputs(const BoundArguments& arguments) {
  for (size_t made : arguments.made) {
    const Array& array = arguments.memory_of(made);
    // All bits set are NaN in every float type; elements of BOOL and INT4 have a byte and few values.
    bool narrow = array.dtype == ir::DType::Bool || array.dtype == ir::DType::Int4;
    int pattern = ir::is_float(array.dtype) ? 0xFF : narrow ? 1 : 0xA5;
    std::memset(array.data, pattern, element_count(array.shape) * ir::bytes(array.dtype));
  }
}

void zero_outputs(const BoundArguments& arguments) {
  for (size_t made : arguments.made) {
    const Array& array = arguments.memory_of(made);
    std::memset(array.data, 0, element_count(array.shape) * ir::bytes(array.dtype));
  }
}

Signature::Signature(ir::FunctionRef entry, std::string name)
    : entry_(std::move(entry)), name_(name.empty() ? entry_->name : std::move(name)) {
  for (const auto& node : entry_->params) {
    ParameterInfo& param = params_.emplace_back();
    param.node = node.get();
    param.tensor = ir::as<ir::TensorType>(node->type);
    param.written = node->direction != ir::Direction::In;
    param.needed = node->direction != ir::Direction::Out;
    if (!param.tensor) {
      param.dtype = ir::scalar_dtype(node->type).value_or(ir::DType::Index);
      continue;
    }
    param.dtype = param.tensor->dtype;
    for (const ir::ExprRef& dim : param.tensor->shape) {
      const auto* constant = ir::as<ir::ConstInt>(dim);
      param.dims.push_back(constant ? constant->value : -1);
      param.dim_exprs.push_back(constant ? nullptr : dim.get());
    }
  }
}

const ParameterInfo* Signature::find(const std::string& name, Diagnostics& diags,
                                     const std::vector<std::string>& keywords) const {
  std::string names;
  std::vector<std::string> known = keywords;
  for (const ParameterInfo& param : params_) {
    if (param.node->name == name) return &param;
    names += (names.empty() ? "`" : ", `") + param.node->name + "`";
    known.push_back(param.node->name);
  }
  // One letter is near any other.
  auto meant = name.size() > 1 ? nearest(name, known) : std::nullopt;
  diags.report(diag::argument_unknown, entry_->span, {name_, name})
      .with_help(meant           ? "did you mean `" + *meant + "`?"
                 : names.empty() ? "it has no parameters"
                                 : "it has " + names);
  return nullptr;
}

std::optional<std::vector<int>> Signature::arrange(size_t in_order, const std::vector<std::string>& by_name,
                                                   Diagnostics& diags,
                                                   const std::vector<std::string>& keywords) const {
  std::vector<int> places(params_.size(), -1);
  auto takes = [&] {
    size_t needed = std::count_if(params_.begin(), params_.end(), [](const auto& p) { return p.needed; });
    std::string text = plural(params_.size(), "argument");
    if (needed != params_.size()) text += ", or " + std::to_string(needed) + " without its outputs";
    return text;
  };
  for (size_t i = 0; i < by_name.size(); ++i) {
    const ParameterInfo* found = find(by_name[i], diags, keywords);
    if (found) places[static_cast<size_t>(found - params_.data())] = static_cast<int>(in_order + i);
  }
  // Fewer than all: they are the inputs, and the outputs are to be made.
  bool inputs_only = in_order < static_cast<size_t>(std::count(places.begin(), places.end(), -1));
  size_t next = 0;
  for (size_t i = 0; i < params_.size() && next < in_order; ++i) {
    if (places[i] < 0 && !(inputs_only && !params_[i].needed)) places[i] = static_cast<int>(next++);
  }
  if (next < in_order) {
    diags.report(diag::argument_count, entry_->span,
                 {name_, takes(), std::to_string(in_order + by_name.size())});
  }
  for (size_t i = 0; i < params_.size() && next == in_order; ++i) {
    if (places[i] >= 0 || !params_[i].needed) continue;
    diags.report(diag::argument_missing, params_[i].node->span, {name_, params_[i].node->name})
        .with_help("`" + name_ + "` takes " + takes());
  }
  if (diags.has_errors()) return std::nullopt;
  return places;
}

void Signature::check_array(const ParameterInfo& param, const Array& array, Diagnostics& diags) const {
  const std::string& name = param.node->name;
  const Span& at = param.node->span;
  if (!param.tensor) {
    diags.report(diag::argument_kind, at, {name, ir::to_string(param.node->type), type_text(array)});
    return;
  }
  if (array.dtype != param.dtype || !array.foreign.empty()) {
    diags.report(diag::argument_dtype, at, {name, dtype_text(param.dtype), dtype_text(array)})
        .with_help("convert it, in NumPy: " + name + ".astype(" + array_type(param.dtype) + ")");
  }
  if (array.shape.size() != param.dims.size()) {
    diags
        .report(diag::argument_rank, at,
                {name, plural(param.dims.size(), "dimension"), std::to_string(array.shape.size())})
        .with_note("the array has shape " + list_text(array.shape));
    return;
  }
  for (size_t i = 0; i < param.dims.size(); ++i) {
    if (param.dims[i] < 0 || param.dims[i] == array.shape[i]) continue;
    diags.report(diag::argument_extent, at,
                 {std::to_string(i), name, std::to_string(param.dims[i]), std::to_string(array.shape[i])});
  }
  if (param.written && !array.writable) diags.report(diag::argument_read_only, at, {name});
  if (param.written && overlaps_itself(array)) {
    diags.report(diag::argument_overlaps_itself, at, {name, list_text(array.strides)});
  }
}

void Signature::check_number(const ParameterInfo& param, const Number& number, Diagnostics& diags) const {
  const std::string& name = param.node->name;
  const Span& at = param.node->span;
  if (param.tensor) {
    diags.report(diag::argument_kind, at,
                 {name, ir::to_string(param.node->type), "the number " + text_of(number)});
    return;
  }
  if (!takes_number(param.dtype, number)) {
    diags.report(diag::argument_number, at, {name, text_of(number), std::string(ir::info(param.dtype).name)});
  }
}

void Signature::bind_dimensions(BoundArguments& bound, Diagnostics& diags) const {
  std::map<std::string_view, size_t> given_by;
  for (size_t p = 0; p < params_.size(); ++p) {
    const auto* array = std::get_if<Array>(&bound.values[p]);
    if (!array || !params_[p].tensor || array->shape.size() != params_[p].dims.size()) continue;
    for (size_t i = 0; i < array->shape.size(); ++i) {
      const ir::Expr* expr = params_[p].dim_exprs[i];
      const auto* symbol = expr ? ir::as<ir::DimSymbol>(expr) : nullptr;
      if (!symbol) continue;
      auto [entry, fresh] = bound.dimensions.emplace(symbol->name, array->shape[i]);
      if (fresh) given_by[symbol->name] = p;
      if (fresh || entry->second == array->shape[i]) continue;
      diags.report(diag::argument_dimension, params_[p].node->span,
                   {symbol->name, std::to_string(entry->second), params_[given_by[symbol->name]].node->name,
                    std::to_string(array->shape[i]), params_[p].node->name});
    }
  }
}

void Signature::check_dimensions(const BoundArguments& bound, Diagnostics& diags) const {
  auto symbol = dimensions_of(bound);
  for (size_t p = 0; p < params_.size(); ++p) {
    const auto* array = std::get_if<Array>(&bound.values[p]);
    if (!array || !params_[p].tensor || array->shape.size() != params_[p].dims.size()) continue;
    for (size_t i = 0; i < array->shape.size(); ++i) {
      const ir::Expr* expr = params_[p].dim_exprs[i];
      if (!expr || ir::isa<ir::DimSymbol>(*expr)) continue;
      auto value = ops::evaluate_integer(*expr, symbol);
      if (!value || *value == array->shape[i]) continue;
      diags.report(diag::argument_extent, params_[p].node->span,
                   {std::to_string(i), params_[p].node->name, std::to_string(*value),
                    std::to_string(array->shape[i])});
    }
  }
}

void Signature::make_outputs(BoundArguments& bound, const MakeOutput& make, Diagnostics& diags) const {
  auto symbol = dimensions_of(bound);
  for (size_t p = 0; p < params_.size(); ++p) {
    const ParameterInfo& param = params_[p];
    if (!std::holds_alternative<std::monostate>(bound.values[p]) || param.needed) continue;
    std::vector<int64_t> shape;
    for (size_t i = 0; i < param.dims.size(); ++i) {
      auto value = param.dim_exprs[i] ? ops::evaluate_integer(*param.dim_exprs[i], symbol)
                                      : std::optional(param.dims[i]);
      if (!value) {
        std::string missing(ops::missing_symbol(*param.dim_exprs[i], symbol));
        diags.report(diag::output_size_unknown, param.node->span, {param.node->name, missing})
            .with_help("give an array for `" + param.node->name + "`");
        break;
      }
      if (*value < 0) {
        diags.report(diag::output_size_negative, param.node->span,
                     {param.node->name, std::to_string(*value)});
        break;
      }
      shape.push_back(*value);
    }
    if (shape.size() != param.dims.size()) continue;
    if (element_count(shape) > (int64_t{1} << 46)) {
      diags.report(diag::output_too_large, param.node->span, {param.node->name, list_text(shape)});
      continue;
    }
    bound.values[p] = make(p, shape);
    bound.made.push_back(p);
  }
}

bool Signature::check_memory(BoundArguments& bound, Diagnostics& diags) const {
  bool good = true;
  for (size_t p = 0; p < params_.size(); ++p) {
    const auto* array = std::get_if<Array>(&bound.values[p]);
    if (!array) continue;
    if (!array->shape.empty() && array->shape.back() > 1 && array->strides.back() != 1) bound.strided = true;
    for (size_t q = 0; q < p; ++q) {
      const auto* other = std::get_if<Array>(&bound.values[q]);
      if (!other || !(params_[p].written || params_[q].written)) continue;
      if (!shares_elements(*array, *other)) continue;
      if (same_elements(*array, *other)) {
        bound.shared = true;
        continue;
      }
      size_t written = params_[p].written ? p : q;
      diags
          .report(diag::arguments_overlap, params_[p].node->span,
                  {params_[q].node->name, params_[p].node->name, params_[written].node->name})
          .with_help("pass the same array for both, or arrays that share no memory");
      good = false;
    }
  }
  return good;
}

std::optional<BoundArguments> Signature::bind(std::vector<Argument> arranged, const MakeOutput& make,
                                              Diagnostics& diags) const {
  BoundArguments bound;
  bound.values = std::move(arranged);
  for (size_t p = 0; p < params_.size(); ++p) {
    if (const auto* array = std::get_if<Array>(&bound.values[p])) check_array(params_[p], *array, diags);
    if (const auto* number = std::get_if<Number>(&bound.values[p])) check_number(params_[p], *number, diags);
    if (std::holds_alternative<std::monostate>(bound.values[p]) && params_[p].needed) {
      diags.report(diag::argument_kind, params_[p].node->span,
                   {params_[p].node->name, ir::to_string(params_[p].node->type), text_of(bound.values[p])});
    }
  }
  bind_dimensions(bound, diags);
  if (!diags.has_errors()) check_dimensions(bound, diags);
  if (!diags.has_errors()) make_outputs(bound, make, diags);
  if (!diags.has_errors()) check_memory(bound, diags);
  if (diags.has_errors()) return std::nullopt;
  return bound;
}

}  // namespace tilewire::driver
