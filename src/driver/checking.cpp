#include "driver/checking.h"

#include "driver/entry.h"
#include "driver/npy.h"
#include "driver/random_arrays.h"
#include "driver/ranks.h"
#include "ops/evaluate.h"
#include "passes/lower_composite_ops.h"
#include "passes/pipeline.h"
#include "support/diagnostics/command.h"

namespace tilewire::driver {
namespace {

// Arguments for one number of ranks.
class MadeUp {
 public:
  MadeUp(const Signature& signature, int64_t dimension, const CheckOptions& options)
      : signature_(signature), dimension_(dimension), options_(options) {}

  bool make(Diagnostics& diags) {
    owned_.reserve(signature_.params().size());
    for (size_t i = 0; i < signature_.params().size(); ++i) {
      const ParameterInfo& param = signature_.params()[i];
      if (!param.tensor) {
        bound_.values.push_back(number(param));
        continue;
      }
      auto shape = shape_of(param, diags);
      if (!shape) return false;
      OwnedArray& array = owned_.emplace_back(param.dtype, std::move(*shape));
      if (ir::is_float(param.dtype)) fill_random(array.array(), options_.seed, i);
      bound_.values.push_back(array.array());
    }
    return true;
  }

  std::vector<interp::Argument> arguments() const {
    std::vector<interp::Argument> all;
    for (size_t i = 0; i < bound_.values.size(); ++i) {
      if (const auto* array = std::get_if<Array>(&bound_.values[i])) {
        all.emplace_back(interp::Array{array->data, array->dtype, array->shape, array->strides});
      } else {
        const ir::DType dtype = signature_.params()[i].dtype;
        const int64_t value = std::get<int64_t>(std::get<Number>(bound_.values[i]));
        all.emplace_back(ir::is_float(dtype) ? interp::Number::of(dtype, static_cast<double>(value))
                                             : interp::Number::of(dtype, value));
      }
    }
    return all;
  }

  const BoundArguments& bound() const { return bound_; }

 private:
  Argument number(const ParameterInfo& param) const {
    auto given = options_.scalars.find(param.node->name);
    return Number(given == options_.scalars.end() ? int64_t{0} : given->second);
  }

  std::optional<std::vector<int64_t>> shape_of(const ParameterInfo& param, Diagnostics& diags) {
    std::vector<int64_t> shape;
    auto symbol = [this](std::string_view name) -> std::optional<int64_t> {
      bound_.dimensions.emplace(name, dimension_);
      return dimension_;
    };
    for (size_t d = 0; d < param.dims.size(); ++d) {
      auto extent = param.dim_exprs[d] ? ops::evaluate_integer(*param.dim_exprs[d], symbol)
                                       : std::optional(param.dims[d]);
      constexpr int64_t most = int64_t{1} << 32;
      if (!extent || *extent < 0 || *extent > most) {
        diags.report(diag::extent_unknown, param.node->span, {std::to_string(d), param.node->name});
        return std::nullopt;
      }
      shape.push_back(*extent);
    }
    return shape;
  }

  const Signature& signature_;
  const int64_t dimension_;
  const CheckOptions& options_;
  std::vector<OwnedArray> owned_;
  BoundArguments bound_;
};

// What the program says itself, if it says the same whatever its dimensions are.
std::vector<int64_t> ranks_to_check(const Signature& signature, const CheckOptions& options) {
  if (!options.ranks.empty()) return options.ranks;
  std::optional<int> said[2];
  for (int i = 0; i < 2; ++i) {
    Diagnostics ignored;
    MadeUp made(signature, 2 + i, options);
    if (made.make(ignored)) said[i] = rank_count(signature, std::nullopt, made.bound(), ignored);
  }
  if (said[0] && said[0] == said[1]) return {*said[0]};
  return {2, 3};
}

}  // namespace

std::vector<check::Report> check_program(const ir::ProgramRef& program, const CheckOptions& options,
                                         Diagnostics& diags) {
  Entry entry = find_entry(program, options.entry, diags);
  if (!entry.function) return {};
  // Collectives are checked as what they are made of.
  ir::ProgramRef checked =
      passes::has_composite_ops(*entry.program) ? passes::lower(entry.program, diags) : entry.program;
  if (!checked) return {};
  const Signature signature(entry.function);
  const bool host = entry.function->type == ir::FunctionType::Host;
  std::vector<check::Report> reports;
  for (int64_t asked : ranks_to_check(signature, options)) {
    MadeUp made(signature, host ? asked : 4, options);
    if (!made.make(diags)) return {};
    auto ranks = rank_count(signature, asked, made.bound(), diags);
    if (!ranks) return {};
    check::Options settings;
    settings.ranks = *ranks;
    settings.cores = options.cores;
    settings.general = options.general;
    settings.limits.seed = options.seed;
    if (options.schedules) settings.limits.schedules = options.schedules;
    reports.push_back(check::check(checked, entry.function->name, made.arguments(), settings));
  }
  return reports;
}

}  // namespace tilewire::driver
