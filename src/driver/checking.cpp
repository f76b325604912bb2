#include "driver/checking.h"

#include "driver/entry.h"
#include "driver/inputs.h"
#include "driver/ranks.h"
#include "driver/schedule_digest.h"
#include "passes/collect_comm_groups.h"
#include "passes/pipeline.h"

namespace tilewire::driver {
namespace {

InputSettings settings_for(const Signature& signature, int64_t ranks, const CheckOptions& options) {
  const bool host = signature.entry().type == ir::FunctionType::Host;
  return {.texts = options.inputs,
          .shapes = options.shapes,
          .given = options.given,
          .ranks = host ? std::optional(ranks) : std::nullopt,
          .seed = options.seed,
          .dimension = host ? ranks : 4};
}

interp::Argument argument_of(const Argument& argument, ir::DType dtype) {
  if (const auto* array = std::get_if<Array>(&argument)) {
    return interp::Array{array->data, array->dtype, array->shape, array->strides};
  }
  return std::visit(
      [dtype](auto value) {
        return ir::is_float(dtype) ? interp::Number::of(dtype, static_cast<double>(value))
                                   : interp::Number::of(dtype, static_cast<int64_t>(value));
      },
      std::get<Number>(argument));
}

// What the program says itself, if it says the same whatever its dimensions are.
std::vector<int64_t> ranks_to_check(const Signature& signature, const CheckOptions& options) {
  if (!options.ranks.empty()) return options.ranks;
  std::optional<int> said[2];
  for (int i = 0; i < 2; ++i) {
    Diagnostics ignored;
    const InputSettings settings = settings_for(signature, 2 + i, options);
    Inputs inputs(signature, settings);
    if (auto bound = inputs.bind(ignored)) said[i] = rank_count(signature, std::nullopt, *bound, ignored);
  }
  if (said[0] && said[0] == said[1]) return {*said[0]};
  return {2, 3};
}

}  // namespace

std::vector<check::Report> check_program(const ir::ProgramRef& program, const CheckOptions& options,
                                         Diagnostics& diags) {
  Entry entry = find_entry(program, options.entry, diags);
  if (!entry.function) return {};
  // What is checked is what targets run.
  ir::ProgramRef checked = passes::lower_for_checking(entry.program, diags);
  if (!checked) return {};
  const Signature signature = signature_of(entry);
  const std::string digest = schedule_digest(*entry.program, *entry.function);
  std::vector<check::Report> reports;
  for (int64_t asked : ranks_to_check(signature, options)) {
    const InputSettings input_settings = settings_for(signature, asked, options);
    Inputs inputs(signature, input_settings);
    auto bound = inputs.bind(diags);
    auto ranks = bound ? rank_count(signature, asked, *bound, diags) : std::nullopt;
    if (!ranks) return {};
    // What `run` refuses for this number of ranks is not checked either.
    const auto known = known_values(*bound, signature, *ranks);
    if (!passes::collect_comm_groups(entry.program, known, diags)) return {};
    std::vector<interp::Argument> arguments;
    for (size_t i = 0; i < bound->values.size(); ++i) {
      arguments.push_back(argument_of(bound->values[i], signature.params()[i].dtype));
    }
    check::Options settings;
    settings.ranks = *ranks;
    settings.cores = options.cores;
    settings.general = options.general;
    settings.limits.seed = options.seed;
    settings.progress = options.progress;
    settings.limits.reduce = options.reduce;
    if (options.schedules) settings.limits.schedules = options.schedules;
    reports.push_back(check::check(checked, entry.function->name, arguments, settings));
    for (check::Finding& finding : reports.back().findings) {
      Schedule& replay = finding.replay;
      replay.entry = options.entry;
      replay.program = digest;
      replay.inputs = options.inputs;
      replay.seed = options.seed;
      replay.dimension = *input_settings.dimension;
    }
  }
  return reports;
}

const Schedule* first_schedule(const std::vector<check::Report>& reports) {
  for (const check::Report& report : reports) {
    for (const check::Finding& finding : report.findings) {
      if (check::is_error(finding.kind)) return &finding.replay;
    }
  }
  return nullptr;
}

}  // namespace tilewire::driver
