// `tilewire run`: compiles a program, passes arrays to its entry, prints the results.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>

#include "cli/commands.h"
#include "cli/input.h"
#include "driver/bundle/bundle.h"
#include "driver/execute/executable.h"
#include "driver/execute/targets.h"
#include "driver/inputs/inputs.h"
#include "driver/schedule/call_schedule.h"
#include "driver/schedule/schedule_file.h"
#include "driver/world/world_place.h"
#include "ir/op.h"
#include "numeric/numeric.h"
#include "support/diagnostics/bundle.h"

namespace tilewire::cli {
namespace {

using driver::Array;

int refuse(const Diagnostics& diags, int code) {
  std::fputs(diags.text().c_str(), stderr);
  return code;
}

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
    const char* wrong = options.target != driver::default_target().name ? "--target"
                        : options.debug_bounds                          ? "--debug-bounds"
                        : !options.input.split.empty()                  ? "--split"
                        : !options.input.constants.empty()              ? "-D"
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
        input.program,
        {options.input.entry, options.target, options.debug_bounds, options.input.kernel_split()}, diags);
  }
  if (!executable) {
    exit_code = exit_code_for(diags, exit_code);
    refuse(diags, exit_code);
  }
  return executable;
}

// What the command line leaves out is as it was when the schedule was found.
void take_settings(const Schedule& replay, RunOptions& options) {
  auto otherwise = [](auto& setting, const auto& value) {
    if (setting.empty()) setting = value;
  };
  otherwise(options.input.constants, replay.constants);
  otherwise(options.input.shapes, replay.shapes);
  otherwise(options.input.entry, replay.entry);
  otherwise(options.input.split, replay.split);
  otherwise(options.inputs, replay.inputs);
  if (!options.ranks) options.ranks = replay.ranks;
  if (options.seed == 0) options.seed = replay.seed;
  options.schedule = "replay:" + options.replay;
}

}  // namespace

int run(const RunOptions& given) {
  RunOptions options = given;
  Diagnostics diags;
  std::optional<Schedule> replay;
  if (!options.replay.empty()) {
    replay = driver::read_schedule_file(options.replay, diags);
    if (!replay) return refuse(diags, WrongUsage);
    take_settings(*replay, options);
  }
  int exit_code = Fine;
  auto executable = executable_for(options, exit_code);
  if (!executable) return exit_code;
  if (replay && !driver::is_about(*replay, options.replay, *executable, diags)) {
    return refuse(diags, WrongUsage);
  }
  const driver::Signature& signature = executable->signature();
  const driver::InputSettings settings{
      .texts = options.inputs,
      .shapes = given_shapes(options.input),
      .ranks = options.ranks ? options.ranks : executable->only_ranks(),
      .rank_dimensions = executable->rank_dimensions(),
      .seed = options.seed,
      .dimension = replay ? std::optional(replay->dimension) : std::nullopt,
      .dimensions = replay ? replay->dimensions : decltype(replay->dimensions)()};
  driver::Inputs inputs(signature, settings);
  auto bound = inputs.bind(diags);
  if (!bound) return refuse(diags, WrongUsage);
  driver::CallOptions call_options{options.ranks, options.threads, options.trace, options.stats,
                                   options.schedule};
  driver::Call call = executable->call(*bound, call_options, diags);
  if (!call.replayed.empty()) std::printf("replayed: %s\n", call.replayed.c_str());
  if (!call) return refuse(diags, exit_code_for(diags, Failed));
  // Under a launcher all have the same results, and process 0 prints them.
  driver::WorldPlace place;
  if (!driver::find_place(place, diags)) return refuse(diags, Failed);
  const bool tells = place.process == 0;
  if (!tells) return Fine;
  if (!report_results(options, signature, *bound, call, diags)) return refuse(diags, Failed);
  std::fputs(call.stats.c_str(), stdout);
  if (tells && !options.trace.empty()) {
    std::fprintf(stderr,
                 "trace written to %s; open it at https://ui.perfetto.dev (the file stays on your machine)\n",
                 options.trace.c_str());
  }
  return Fine;
}

}  // namespace tilewire::cli
