#include "driver/checking.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "check/combine.h"
#include "check/rounds.h"
#include "check/unreached.h"
#include "driver/execute/entry.h"
#include "driver/execute/targets.h"
#include "driver/host/call_values.h"
#include "driver/host/host_analysis.h"
#include "driver/inputs/inputs.h"
#include "driver/inputs/trial_values.h"
#include "driver/schedule/schedule_digest.h"
#include "passes/collect_comm_groups.h"
#include "passes/pipeline.h"
#include "support/diagnostics/check.h"
#include "support/diagnostics/driver.h"

namespace tilewire::driver {
namespace {

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

class Checking {
 public:
  Checking(const Entry& entry, ir::ProgramRef lowered, const CheckOptions& options)
      : entry_(entry),
        lowered_(std::move(lowered)),
        options_(options),
        signature_(signature_of(entry)),
        host_(signature_, *lowered_),
        walks_(check::walks_of(*lowered_, *entry.program, entry.function->name)),
        digest_(schedule_digest(*entry.program, *entry.function)) {}

  // Empty after reporting why there is nothing to check.
  std::vector<check::Report> go(Diagnostics& diags) {
    std::vector<check::Report> reports;
    for (int64_t asked : ranks_to_check()) {
      auto report = check_ranks(asked, diags);
      if (!report) return {};
      reports.push_back(std::move(*report));
    }
    add_unreached(reports);
    return reports;
  }

 private:
  // Of a run, and of a search, of sizes that smaller ones can stand for.
  struct Limits {
    int64_t work;
    size_t schedules;
  };
  static constexpr int64_t most_work = 100'000'000;
  static constexpr size_t most_schedules = 2000;

  // What the program says itself, if it says the same whatever its dimensions are.
  std::optional<int> said_ranks() const {
    std::optional<int> said[2];
    for (int i = 0; i < 2; ++i) {
      Diagnostics ignored;
      const InputSettings settings = settings_for(2 + i);
      Inputs inputs(signature_, settings);
      if (auto bound = inputs.bind(ignored)) said[i] = host_.ranks(std::nullopt, *bound, ignored);
    }
    return said[0] == said[1] ? said[0] : std::nullopt;
  }

  std::vector<int64_t> ranks_to_check() const {
    if (!options_.ranks.empty()) return options_.ranks;
    if (auto said = said_ranks()) return {*said};
    if (options_.hosts > 1) return {options_.hosts, 2 * options_.hosts};
    return {2, 3};
  }

  InputSettings settings_for(int64_t ranks) const {
    const bool host = host_.function() != nullptr;
    return {.texts = options_.inputs,
            .shapes = options_.shapes,
            .given = options_.given,
            .ranks = host ? std::optional(ranks) : std::nullopt,
            .rank_dimensions = host_.row_dimensions(),
            .seed = options_.seed,
            .dimension = host ? ranks : 4};
  }

  // Nothing after reporting why not.
  std::optional<check::Report> check_ranks(int64_t asked, Diagnostics& diags) {
    InputSettings settings = settings_for(asked);
    TrialValues values(signature_, settings, lowered_, walks_, said_ranks().has_value());
    if (!values.numbers().empty()) named_ = signature_.params()[values.numbers().front()].node->name;
    std::vector<check::Trial> trials;
    Diagnostics first;  // what is wrong with the first input
    size_t schedules = 1;
    while (auto next = values.next()) {
      values.apply(*next, settings);
      std::optional<Limits> limits;
      if (values.has_smaller()) limits = {most_work / static_cast<int64_t>(schedules), most_schedules};
      Diagnostics refused;
      check::Trial trial{values.text(*next), {}};
      trial.report = check_one(asked, settings, values, *next, limits, trial.setting, refused);
      if (trials.empty()) first = refused;
      const bool is_refuted = trial.is_valid() && trial.report.verdict == check::Verdict::Refuted;
      schedules = std::max(schedules, trial.report.schedules);
      if (!values.numbers().empty()) drop_unwritten_rows(trial.report);
      const auto outcome = outcome_of(trial, values.has_smaller());
      const auto larger =
          outcome == TrialValues::Outcome::Valid ? growth(trial.report, values) : SizeValues();
      if (!values.note(outcome, larger)) continue;
      trials.push_back(std::move(trial));
      if (is_refuted) break;
    }
    if (first.has_errors() && std::none_of(trials.begin(), trials.end(), is_valid)) {
      diags.append(first);
      return std::nullopt;
    }
    refute_sizes(trials, values);
    forget_like(trials, values);
    for (const Size& size : values.sizes()) made_ |= walks_.bit_of(input_of(size));
    for (size_t number : values.numbers()) {
      made_ |= walks_.bit_of({check::Walks::Input::Kind::Scalar, signature_.params()[number].node->name});
    }
    const std::string last = trials.back().setting;
    check::Report report = check::combine(std::move(trials));
    report.assumed = assumed(report, values);
    if (report.stopped) add_what_to_give(report, last);
    return report;
  }

  // A dynamic dimension says that the parameter takes arrays of any size. Where the program leaves a tensor
  // with a size that is larger than one that works, be it a multiple of the tiles or not, and nothing else
  // was made up that decides, it is the program that is wrong.
  static void refute_sizes(std::vector<check::Trial>& trials, const TrialValues& values) {
    if (trials.size() < 3 || !values.numbers().empty() || !trials[0].is_valid()) return;
    auto is_outside = [](const check::Trial& trial) {
      const check::Report& report = trial.report;
      return report.stopped && report.data.empty() && !report.findings.empty() &&
             report.findings.front().kind == check::Kind::Bounds && !report.names_peer;
    };
    if (!std::all_of(trials.begin() + 1, trials.end(), is_outside)) return;
    trials[1].report.stopped = false;
    Diagnostic& said = trials[1].report.findings.front().diagnostic;
    said.with_note("the parameters take any size, and it works with " + trials[0].text);
    if (!trials[0].setting.empty()) {
      said.with_help("if larger sizes are not valid, give those that are: " + trials[0].setting);
    }
  }

  // Two sizes that stop on the same error say as much as more of them.
  static void forget_like(std::vector<check::Trial>& trials, TrialValues& values) {
    std::map<std::tuple<Diag, uint32_t, uint32_t>, int> stopped;
    for (size_t i = 0; i < trials.size();) {
      const check::Report& report = trials[i].report;
      const Diagnostic* error = report.invalid ? &*report.invalid : report.error ? &*report.error : nullptr;
      const bool like = error && !trials[i].is_valid() && values.is_sizing(i) &&
                        ++stopped[{error->id, error->span.line, error->span.column}] > 2;
      if (!like) {
        ++i;
        continue;
      }
      trials.erase(trials.begin() + static_cast<ptrdiff_t>(i));
      values.forget(i);
    }
  }

  // No input that was made up is valid.
  static void add_what_to_give(check::Report& report, const std::string& setting) {
    std::string give = setting;
    for (const check::DataDecision& data : report.data) {
      give += (give.empty() ? "--in " : " --in ") + data.parameter + "=FILE.npy";
    }
    if (give.empty() || report.findings.empty()) return;
    report.findings.front().diagnostic.with_help(
        "if inputs that were made up are not valid, give some that are: " + give);
  }

  static bool is_valid(const check::Trial& trial) { return trial.is_valid(); }

  static TrialValues::Outcome outcome_of(const check::Trial& trial, bool has_smaller) {
    using Outcome = TrialValues::Outcome;
    if (trial.report.too_long) return Outcome::TooLong;
    if (!trial.is_valid()) return Outcome::Invalid;
    return has_smaller && trial.report.verdict == check::Verdict::Bounded ? Outcome::TooLong : Outcome::Valid;
  }

  // A number that is made up may well say how many rows there are to write.
  static void drop_unwritten_rows(check::Report& report) {
    std::erase_if(report.findings, [](const check::Finding& finding) {
      return finding.diagnostic.id == diag::check_unwritten_rows;
    });
  }

  // How many times as large each size would have to be for the loops that it decides to go round often
  // enough.
  std::vector<int64_t> growth(const check::Report& report, const TrialValues& values) const {
    std::vector<int64_t> growth(values.sizes().size(), 1);
    for (const check::Walk& walk : walks_taken(report.rounds)) {
      if (walk.is_enough()) continue;
      const int64_t length = std::max<int64_t>(std::abs(walk.most.length), 1);
      const int64_t wanted = std::max<int64_t>(2 * std::abs(walk.step), 2);
      for (size_t i = 0; i < growth.size(); ++i) {
        if (!(walk.inputs & walks_.bit_of(input_of(values.sizes()[i]))).any()) continue;
        growth[i] = std::max(growth[i], (wanted + length - 1) / length);
      }
    }
    return growth;
  }

  static check::Walks::Input input_of(const Size& size) {
    using Kind = check::Walks::Input::Kind;
    return {size.parameter ? Kind::Scalar : Kind::Dimension, size.name};
  }

  std::vector<check::Walk> walks_taken(const std::vector<interp::Rounds>& rounds) const {
    return check::walks_taken(lowered_, *entry_.program, entry_.function->name, walks_, rounds);
  }

  // `refused`: why the call itself is wrong.
  // `setting`: receives the options for this input.
  check::Report check_one(int64_t asked, const InputSettings& settings, const TrialValues& values,
                          const TrialValues::Values& now, const std::optional<Limits>& limits,
                          std::string& setting, Diagnostics& refused) {
    Inputs inputs(signature_, settings);
    auto bound = inputs.bind(refused);
    auto ranks = bound ? host_.ranks(asked, *bound, refused) : std::nullopt;
    if (!ranks) return check::invalid(static_cast<int>(asked), refused.all().front());
    if (*ranks % options_.hosts != 0) {
      refused.report(diag::hosts_uneven, {}, {std::to_string(*ranks), std::to_string(options_.hosts)})
          .with_help("each host has equally many: give a multiple of " + std::to_string(options_.hosts) +
                     ", such as " + std::to_string(2 * options_.hosts));
      return check::invalid(*ranks, refused.all().front());
    }
    setting = setting_for(values, now, *bound);
    Diagnostics ungrouped;
    ir::ProgramRef checked = passes::collect_comm_groups(entry_.program, lowered_,
                                                         known_values(*bound, signature_, *ranks), ungrouped);
    if (!checked) return check::invalid(*ranks, ungrouped.all().front());
    std::vector<interp::Argument> arguments;
    for (size_t i = 0; i < bound->values.size(); ++i) {
      arguments.push_back(argument_of(bound->values[i], signature_.params()[i].dtype));
    }
    check::Report report =
        check::check(checked, entry_.function->name, arguments, options_for(*ranks, limits));
    for (check::Finding& finding : report.findings) {
      Schedule& replay = finding.replay;
      replay.entry = options_.entry;
      replay.program = digest_;
      replay.inputs = options_.inputs;
      values.add_numbers(now, replay.inputs);
      replay.seed = options_.seed;
      replay.dimension = *settings.dimension;
      replay.dimensions = settings.dimensions;
    }
    return report;
  }

  std::string setting_for(const TrialValues& values, const TrialValues::Values& now,
                          const BoundArguments& bound) const {
    std::string text;
    auto add = [&](const std::string& option) { text += (text.empty() ? "" : " ") + option; };
    for (const std::string& number : values.settings_of(now)) add("--in " + number);
    std::set<std::string> fixed;
    for (size_t i = 0; i < signature_.params().size(); ++i) {
      const ParameterInfo& param = signature_.params()[i];
      bool fixes = false;
      for (const ir::Expr* extent : param.dim_exprs) {
        const auto* symbol = extent ? ir::as<ir::DimSymbol>(extent) : nullptr;
        const bool free = symbol && values.is_made(symbol->name);
        fixes |= free && fixed.insert(symbol->name).second;
      }
      if (!fixes) continue;
      std::string shape;
      for (int64_t extent : std::get<Array>(bound.values[i]).shape) {
        shape += (shape.empty() ? "" : "x") + std::to_string(extent);
      }
      add("--shape " + param.node->name + "=" + shape + ":" + std::string(ir::info(param.dtype).name));
    }
    return text;
  }

  check::Options options_for(int ranks, const std::optional<Limits>& limits) const {
    check::Options settings;
    settings.ranks = ranks;
    settings.hosts = options_.hosts;
    // Nothing is kept from call to call but windows, and only a host function has these.
    settings.calls = host_.function() ? options_.calls : 1;
    settings.cores = options_.cores;
    settings.general = options_.general;
    settings.limits.seed = options_.seed;
    settings.progress = options_.progress;
    settings.limits.reduce = options_.reduce;
    if (options_.schedules) settings.limits.schedules = options_.schedules;
    if (limits) {
      settings.step_limit = limits->work;
      settings.limits.schedules = std::min(settings.limits.schedules, limits->schedules);
      settings.limits.random = 0;
    }
    settings.written = entry_.program;
    return settings;
  }

  // The made-up inputs that the verdict depends on.
  std::string assumed(const check::Report& report, const TrialValues& values) const {
    if (report.verdict == check::Verdict::Invalid) return "";
    std::vector<std::string> parts = values.tried(report);
    for (const check::DataDecision& data : report.data) {
      for (size_t array : values.arrays()) {
        const ParameterInfo& param = signature_.params()[array];
        if (param.node->name != data.parameter) continue;
        parts.push_back(data.parameter + (ir::is_float(param.dtype)
                                              ? " from seed " + std::to_string(options_.seed)
                                              : std::string(" = 0")));
      }
    }
    if (report.windows) {
      parts.push_back(std::to_string(report.calls) + (report.calls == 1 ? " call" : " calls") +
                      " from zeroed windows");
    }
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
    return text;
  }

  // Only where every number of ranks is proved: a run that stops early has not come to everything.
  void add_unreached(std::vector<check::Report>& reports) const {
    std::vector<uint8_t> reached;
    std::vector<interp::Rounds> rounds;
    check::Tried tried;
    tried.help = named_.empty()
                     ? "check other numbers of ranks: --ranks 4, or check(ranks=4)"
                     : "pass a value with which it runs: --in " + named_ + "=4, or check(" + named_ + "=4)";
    for (const check::Report& report : reports) {
      if (report.verdict != check::Verdict::Proved) return;
      reached.resize(std::max(reached.size(), report.reached.size()));
      for (size_t i = 0; i < report.reached.size(); ++i) reached[i] |= report.reached[i];
      rounds.resize(std::max(rounds.size(), report.rounds.size()));
      for (size_t i = 0; i < report.rounds.size(); ++i) rounds[i].take(report.rounds[i]);
      tried.text += (tried.text.empty() ? "" : "; ") + check::ranks_of(report) +
                    (report.assumed.empty() ? "" : " with " + report.assumed);
    }
    std::vector<check::Finding> found =
        check::unreached(lowered_, *entry_.program, entry_.function->name, reached, tried);
    for (const check::Walk& walk : walks_taken(rounds)) {
      if (walk.most.count != 1) continue;
      const check::Walks::Input* input = larger_for(walk);
      if (input) found.push_back(check::one_round(walk, {tried.text, to_get_larger(*input, walk)}));
    }
    for (check::Report& report : reports) {
      report.findings.insert(report.findings.end(), found.begin(), found.end());
    }
  }

  // Which input that nobody gave would have to be larger for the loop to go round more than once; null if
  // none.
  const check::Walks::Input* larger_for(const check::Walk& walk) const {
    using Kind = check::Walks::Input::Kind;
    const std::vector<std::string>& of_ranks = host_.row_dimensions();
    for (const check::Walks::Input& input : walks_.inputs) {
      const check::Walks::Inputs bit = walks_.bit_of(input);
      if (!(walk.inputs & bit).any()) continue;
      const bool ranks = input.kind == Kind::Ranks ||
                         (input.kind == Kind::Dimension &&
                          std::find(of_ranks.begin(), of_ranks.end(), input.name) != of_ranks.end());
      // Loops over all ranks go round once where there is one rank.
      if (ranks ? std::abs(walk.step) > 1 && options_.ranks.empty() : (made_ & bit).any()) return &input;
    }
    return nullptr;
  }

  // "check a larger `N`: --shape x=2x129:FP32"
  std::string to_get_larger(const check::Walks::Input& input, const check::Walk& walk) const {
    using Kind = check::Walks::Input::Kind;
    int64_t value = 2 * std::abs(walk.step);
    const std::set<int64_t> parts = walks_.parts_of(input);
    if (!parts.empty()) value = std::max(value, 2 * *parts.rbegin());
    const std::string number = std::to_string(input.kind == Kind::Scalar ? value : value + 1);
    if (input.kind == Kind::Scalar) {
      return "check a larger `" + input.name + "`: --in " + input.name + "=" + number + ", or check(" +
             input.name + "=" + number + ")";
    }
    const bool dimension = input.kind == Kind::Dimension && (made_ & walks_.bit_of(input)).any();
    if (!dimension) return "check more ranks: --ranks " + number + ", or check(ranks=" + number + ")";
    for (const ParameterInfo& param : signature_.params()) {
      std::string shape;
      bool has = false;
      for (size_t d = 0; d < param.dims.size(); ++d) {
        const ir::Expr* extent = param.dim_exprs[d];
        const auto* symbol = extent ? ir::as<ir::DimSymbol>(extent) : nullptr;
        const bool own = symbol && symbol->name == input.name;
        has = has || own;
        shape += (d ? "x" : "") + (own ? number : extent ? std::string("4") : std::to_string(param.dims[d]));
      }
      if (!has) continue;
      return "check a larger `" + input.name + "`: --shape " + param.node->name + "=" + shape + ":" +
             std::string(ir::info(param.dtype).name) + ", or pass larger arrays to check()";
    }
    return "check a larger `" + input.name + "`";
  }

  const Entry& entry_;
  const ir::ProgramRef lowered_;
  const CheckOptions& options_;
  const Signature signature_;
  const HostAnalysis host_;
  const check::Walks walks_;
  const std::string digest_;
  std::string named_;          // a number that is left out
  check::Walks::Inputs made_;  // what takes several values
};

bool gives_one_array_twice(const std::map<std::string, Argument, std::less<>>& given) {
  std::set<const void*> data;
  for (const auto& [name, argument] : given) {
    const auto* array = std::get_if<Array>(&argument);
    if (array && !data.insert(array->data).second) return true;
  }
  return false;
}

}  // namespace

std::vector<check::Report> check_program(const ir::ProgramRef& program, const CheckOptions& options,
                                         Diagnostics& diags) {
  const Entry entry = find_entry(program, options.entry, diags);
  if (!entry.function) return {};
  // What targets run: collectives are checked as what they are made of, and what is not used does not race.
  passes::Traits traits = passes::with_split(default_target().traits, options.split);
  traits.arguments_apart = !gives_one_array_twice(options.given);
  ir::ProgramRef lowered = passes::lower(entry.program, passes::for_checking(traits), diags);
  if (!lowered) return {};
  return Checking(entry, std::move(lowered), options).go(diags);
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
