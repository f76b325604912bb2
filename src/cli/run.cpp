// `tilewire run`: compile a program, give its entry arrays, say what came out.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <map>

#include "cli/commands.h"
#include "cli/input.h"
#include "driver/bundle.h"
#include "driver/executable.h"
#include "driver/npy.h"
#include "driver/random_arrays.h"
#include "driver/ranks.h"
#include "ir/op.h"
#include "numeric/numeric.h"
#include "ops/evaluate.h"
#include "support/diagnostics/bundle.h"
#include "support/diagnostics/command.h"

namespace tilewire::cli {
namespace {

using driver::Array;
using driver::OwnedArray;

int refuse(const Diagnostics& diags, int code) {
  std::fputs(diags.text().c_str(), stderr);
  return code;
}

// The arguments of one run: files, given values, or made up from the seed.
class Arguments {
 public:
  Arguments(const RunOptions& options, const driver::Signature& signature)
      : options_(options), signature_(signature) {}

  bool collect(Diagnostics& diags) {
    read_settings(diags);
    if (diags.has_errors()) return false;
    const auto& params = signature_.params();
    owned_.reserve(params.size());
    values_.resize(params.size());
    for (size_t i = 0; i < params.size(); ++i) {
      if (!params[i].tensor) values_[i] = number_for(params[i], diags);
      if (params[i].tensor) read_array(i, diags);
    }
    note_dimensions();
    for (size_t i = 0; i < params.size() && !diags.has_errors(); ++i) {
      if (params[i].tensor && params[i].needed && values_[i].index() == 0) make_array(i, diags);
    }
    return !diags.has_errors();
  }

  std::vector<driver::Argument>& values() { return values_; }
  std::vector<OwnedArray>& owned() { return owned_; }

 private:
  void read_settings(Diagnostics& diags) {
    for (const std::string& text : options_.inputs) {
      size_t equals = text.find('=');
      std::string name = text.substr(0, equals);
      bool known = false;
      for (const auto& param : signature_.params()) known = known || param.node->name == name;
      if (equals == std::string::npos || equals + 1 == text.size()) {
        diags.report(diag::bad_input_setting, {}, {text})
            .with_help("write --in x=x.npy, or --in n=4 for a scalar");
      } else if (!known) {
        diags.report(diag::input_without_parameter, signature_.entry().span, {signature_.entry().name, name});
      } else {
        inputs_[name] = text.substr(equals + 1);
      }
    }
    for (const std::string& text : options_.input.shapes) {
      auto setting = parse_shape_setting(text);
      if (setting) shapes_[setting->first] = setting->second;
    }
  }

  void read_array(size_t index, Diagnostics& diags) {
    const driver::ParameterInfo& param = signature_.params()[index];
    auto file = inputs_.find(param.node->name);
    if (file == inputs_.end()) return;
    auto array = driver::read_npy(file->second, param.dtype, diags);
    if (!array) return;
    owned_.push_back(std::move(*array));
    values_[index] = owned_.back().array();
  }

  // The extent that `--in` or `--shape` gives; -1: neither does.
  int64_t given_extent(size_t index, size_t d) const {
    const driver::ParameterInfo& param = signature_.params()[index];
    if (const auto* array = std::get_if<Array>(&values_[index])) {
      return d < array->shape.size() ? array->shape[d] : -1;
    }
    auto given = shapes_.find(param.node->name);
    const auto* tensor = given == shapes_.end() ? nullptr : ir::as<ir::TensorType>(given->second);
    return tensor && d < tensor->shape.size() ? ir::as<ir::ConstInt>(tensor->shape[d])->value : -1;
  }

  // A dimension that one parameter fixes holds for all; that of the ranks is the number asked for, and so is
  // the first one of a host function's tensors, whose rows go to ranks, when nothing else fixes it.
  void note_dimensions() {
    for (size_t i = 0; i < signature_.params().size(); ++i) {
      const driver::ParameterInfo& param = signature_.params()[i];
      for (size_t d = 0; d < param.dim_exprs.size(); ++d) {
        const auto* symbol = param.dim_exprs[d] ? ir::as<ir::DimSymbol>(param.dim_exprs[d]) : nullptr;
        int64_t extent = symbol ? given_extent(i, d) : -1;
        if (extent >= 0) dimensions_.emplace(symbol->name, extent);
      }
    }
    if (!options_.ranks) return;
    for (const std::string& name : driver::rank_dimensions(signature_.entry())) {
      dimensions_.emplace(name, *options_.ranks);
    }
    if (signature_.entry().type != ir::FunctionType::Host) return;
    for (const driver::ParameterInfo& param : signature_.params()) {
      const auto* first = param.dim_exprs.empty() ? nullptr : ir::as<ir::DimSymbol>(param.dim_exprs[0]);
      if (first) dimensions_.emplace(first->name, *options_.ranks);
    }
  }

  void make_array(size_t index, Diagnostics& diags) {
    const driver::ParameterInfo& param = signature_.params()[index];
    std::vector<int64_t> shape;
    for (size_t d = 0; d < param.dims.size(); ++d) shape.push_back(extent_of(index, d, diags));
    if (diags.has_errors()) return;
    OwnedArray& made = owned_.emplace_back(param.dtype, std::move(shape));
    driver::fill_random(made.array(), options_.seed, index);
    values_[index] = made.array();
  }

  int64_t extent_of(size_t index, size_t d, Diagnostics& diags) {
    const driver::ParameterInfo& param = signature_.params()[index];
    if (param.dims[d] >= 0) return param.dims[d];
    if (int64_t given = given_extent(index, d); given >= 0) return given;
    auto dimension = [&](std::string_view name) -> std::optional<int64_t> {
      auto found = dimensions_.find(name);
      return found == dimensions_.end() ? std::nullopt : std::optional(found->second);
    };
    auto follows = ops::evaluate_integer(*param.dim_exprs[d], dimension);
    if (follows && *follows >= 0) return *follows;
    diags.report(diag::extent_unknown, param.node->span, {std::to_string(d), param.node->name})
        .with_help("give its shape, --shape " + param.node->name + "=4x16:FP32, or an array, --in " +
                   param.node->name + "=FILE.npy");
    return 0;
  }

  driver::Argument number_for(const driver::ParameterInfo& param, Diagnostics& diags) {
    auto given = inputs_.find(param.node->name);
    if (given == inputs_.end()) {
      diags.report(diag::scalar_not_given, param.node->span, {param.node->name})
          .with_help("give it, --in " + param.node->name + "=4");
      return {};
    }
    const std::string& text = given->second;
    if (text == "True" || text == "False") return driver::Number(text == "True");
    char* end = nullptr;
    long long integer = std::strtoll(text.c_str(), &end, 0);
    if (*end == '\0') {
      if (ir::is_float(param.dtype)) return driver::Number(static_cast<double>(integer));
      return driver::Number(static_cast<int64_t>(integer));
    }
    double number = std::strtod(text.c_str(), &end);
    if (*end == '\0') return driver::Number(number);
    diags.report(diag::bad_number, param.node->span, {param.node->name, text});
    return {};
  }

  const RunOptions& options_;
  const driver::Signature& signature_;
  std::map<std::string, std::string> inputs_;
  std::map<std::string, ir::TypeRef> shapes_;
  std::map<std::string, int64_t, std::less<>> dimensions_;
  std::vector<driver::Argument> values_;
  std::vector<OwnedArray> owned_;
};

double element(const Array& array, int64_t offset) {
  const char* at = static_cast<const char*>(array.data) + offset * ir::bytes(array.dtype);
  return ir::is_float(array.dtype) ? numeric::load_float(array.dtype, at)
                                   : static_cast<double>(numeric::load_integer(array.dtype, at));
}

// `y: [16, 64] FP32, -1.98 to 1.99, mean 0.01: 0.5, -0.25, ...`
void describe(const std::string& name, const Array& array) {
  std::string shape;
  int64_t count = 1;
  for (int64_t extent : array.shape) {
    shape += (shape.empty() ? "" : ", ") + std::to_string(extent);
    count *= extent;
  }
  std::printf("%s: [%s] %s", name.c_str(), shape.c_str(), std::string(ir::info(array.dtype).name).c_str());
  if (count == 0) {
    std::printf(", no elements\n");
    return;
  }
  double least = std::numeric_limits<double>::infinity(), most = -least, sum = 0;
  int64_t strange = 0;
  std::vector<int64_t> index(array.shape.size(), 0);
  std::string first;
  for (int64_t i = 0; i < count; ++i) {
    int64_t offset = 0;
    for (size_t d = 0; d < index.size(); ++d) offset += index[d] * array.strides[d];
    double value = element(array, offset);
    if (i < 4) {
      char text[32];
      std::snprintf(text, sizeof text, "%s%.7g", i ? ", " : "", value);
      first += text;
    }
    if (std::isfinite(value)) {
      least = std::min(least, value);
      most = std::max(most, value);
      sum += value;
    } else {
      ++strange;
    }
    for (size_t d = index.size(); d-- > 0 && ++index[d] == array.shape[d];) index[d] = 0;
  }
  if (strange < count) {
    std::printf(", %.7g to %.7g, mean %.7g", least, most, sum / static_cast<double>(count - strange));
  }
  if (strange) std::printf(", %lld not finite", static_cast<long long>(strange));
  std::printf(": %s%s\n", first.c_str(), count > 4 ? ", ..." : "");
}

bool report_results(const RunOptions& options, const driver::Signature& signature,
                    const driver::BoundArguments& bound, const driver::Call& call, Diagnostics& diags) {
  if (!options.out.empty()) {
    std::error_code error;
    std::filesystem::create_directories(options.out, error);
  }
  auto save = [&](const std::string& name, const Array& array) {
    describe(name, array);
    if (!options.out.empty()) driver::write_npy(options.out + "/" + name + ".npy", array, diags);
  };
  for (size_t i = 0; i < signature.params().size(); ++i) {
    const auto* array = std::get_if<Array>(&bound.values[i]);
    if (array && signature.params()[i].written) save(signature.params()[i].node->name, *array);
  }
  for (size_t i = 0; i < call.results.size(); ++i) {
    std::string name = "result_" + std::to_string(i);
    if (const auto* array = std::get_if<driver::ReturnedArray>(&call.results[i])) {
      if (array->parameter < 0) save(name, array->array);
    } else {
      std::visit([&](auto value) { std::printf("%s: %.9g\n", name.c_str(), static_cast<double>(value)); },
                 std::get<driver::Number>(call.results[i]));
    }
  }
  return !diags.has_errors();
}

// A bundle when the file is a folder. Null after saying what is wrong, with the exit code to give.
std::shared_ptr<driver::Executable> executable_for(const RunOptions& options, int& exit_code) {
  Diagnostics diags;
  std::shared_ptr<driver::Executable> executable;
  exit_code = InvalidProgram;
  std::error_code ignored;
  if (std::filesystem::is_directory(options.input.file, ignored)) {
    const char* wrong = options.target != "cpu"            ? "--target"
                        : options.debug_bounds             ? "--debug-bounds"
                        : !options.input.constants.empty() ? "-D"
                                                           : nullptr;
    if (wrong) {
      exit_code = WrongUsage;
      diags.report(diag::bundle_option, {}, {wrong});
    } else {
      executable = driver::load_bundle(options.input.file, options.input.entry, diags);
    }
  } else {
    Input input = read_input(options.input);
    if (!input.program) {
      exit_code = input.exit_code;
      return nullptr;
    }
    executable = driver::Executable::compile(
        input.program, {options.input.entry, options.target, options.debug_bounds}, diags);
  }
  if (!executable) refuse(diags, exit_code);
  return executable;
}

}  // namespace

int run(const RunOptions& options) {
  int exit_code = Fine;
  auto executable = executable_for(options, exit_code);
  if (!executable) return exit_code;
  Diagnostics diags;
  const driver::Signature& signature = executable->signature();
  Arguments arguments(options, signature);
  std::vector<OwnedArray> outputs;
  outputs.reserve(signature.params().size());
  if (!arguments.collect(diags)) return refuse(diags, WrongUsage);
  auto make = [&](size_t parameter, const std::vector<int64_t>& shape) {
    return outputs.emplace_back(signature.params()[parameter].dtype, shape).array();
  };
  auto bound = signature.bind(std::move(arguments.values()), make, diags);
  if (!bound) return refuse(diags, WrongUsage);
  driver::CallOptions call_options{options.ranks, options.threads, options.trace, options.stats,
                                   options.schedule};
  driver::Call call = executable->call(*bound, call_options, diags);
  if (!call) return refuse(diags, Failed);
  if (!report_results(options, signature, *bound, call, diags)) return refuse(diags, Failed);
  std::fputs(call.stats.c_str(), stdout);
  return Fine;
}

}  // namespace tilewire::cli
