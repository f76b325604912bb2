#include "driver/inputs/trial_values.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "check/check.h"
#include "ir/visitor.h"

namespace tilewire::driver {
namespace {

constexpr int64_t numbers_to_try = 4, flags_to_try = 2;

std::string value_text(const ParameterInfo& param, int64_t number) {
  if (param.dtype != ir::DType::Bool) return std::to_string(number);
  return number != 0 ? "True" : "False";
}

// Extents of tiles that are known.
struct Tiles : ir::Visitor<Tiles> {
  static constexpr bool into_types = true;
  std::set<int64_t> extents;

  void visit(const ir::TileType& type) {
    for (const ir::ExprRef& extent : type.shape) {
      const auto* constant = ir::as<ir::ConstInt>(extent);
      if (constant && constant->value > 1) extents.insert(constant->value);
    }
  }
};

// Those of a size that does not take long: larger ones show nothing new.
std::set<int64_t> tile_extents(const ir::Program& program) {
  constexpr int64_t largest = 256;
  Tiles tiles;
  tiles.walk(program);
  tiles.extents.erase(tiles.extents.upper_bound(largest), tiles.extents.end());
  return tiles.extents;
}

}  // namespace

TrialValues::TrialValues(const Signature& signature, const InputSettings& settings,
                         const ir::ProgramRef& lowered)
    : signature_(signature), lowered_(lowered), first_dimension_(*settings.dimension) {
  Inputs inputs(signature, settings);
  Diagnostics ignored;  // what is wrong with a call is told when it is checked
  inputs.bind(ignored);
  left_out_ = inputs.numbers_made();
  arrays_ = inputs.arrays_made();
  dimensions_.assign(inputs.free_dimensions().begin(), inputs.free_dimensions().end());
  if (left_out_.empty()) return;
  const std::vector<size_t> all = check::scalars_that_decide(lowered, signature.entry().name);
  std::set_intersection(left_out_.begin(), left_out_.end(), all.begin(), all.end(),
                        std::back_inserter(deciding_));
}

std::optional<TrialValues::Values> TrialValues::next() {
  const auto count = static_cast<int64_t>(done_.size());
  const bool flags = std::all_of(deciding_.begin(), deciding_.end(), [this](size_t i) {
    return signature_.params()[i].dtype == ir::DType::Bool;
  });
  const int64_t numbers = deciding_.empty() ? 1 : flags ? flags_to_try : numbers_to_try;
  Values values{count, first_dimension_};
  if (count == numbers && !dimensions_.empty()) {
    values = {last_valid_, ragged_dimension()};
  } else if (count == numbers + 1 && !is_valid_ && !dimensions_.empty()) {
    values = {last_valid_, whole_dimension()};
    if (values.dimension == first_dimension_) return std::nullopt;
  } else if (count >= numbers) {
    return std::nullopt;
  }
  done_.push_back(values);
  return values;
}

void TrialValues::note(bool valid) {
  is_valid_ = valid;
  if (valid) last_valid_ = done_.back().number;
}

// More than one of any tile, and not a multiple of any.
int64_t TrialValues::ragged_dimension() const {
  const std::set<int64_t> extents = tile_extents(*lowered_);
  int64_t value = 2 * first_dimension_ + 1;
  for (int64_t extent : extents) value = std::max(value, extent + 1);
  auto is_multiple = [&](int64_t extent) { return value % extent == 0; };
  while (std::any_of(extents.begin(), extents.end(), is_multiple)) ++value;
  return value;
}

// A multiple of every tile and of the number of ranks, or as near to that as a small number comes.
int64_t TrialValues::whole_dimension() const {
  constexpr int64_t largest = 1024;
  int64_t value = first_dimension_;
  for (int64_t extent : tile_extents(*lowered_)) {
    const int64_t multiple = std::lcm(value, extent);
    if (multiple <= largest) value = multiple;
  }
  return value;
}

std::string TrialValues::text(const Values& values) const {
  std::string text;
  auto add = [&](const std::string& name, const std::string& value) {
    text += (text.empty() ? "" : ", ") + name + " = " + value;
  };
  for (size_t number : deciding_) {
    const ParameterInfo& param = signature_.params()[number];
    add(param.node->name, value_text(param, values.number));
  }
  for (const std::string& name : dimensions_) add(name, std::to_string(values.dimension));
  return text;
}

std::vector<std::string> TrialValues::tried(const check::Report& report) const {
  std::vector<Values> all;
  for (size_t i = 0; i < report.inputs.size(); ++i) {
    const check::InputTried& input = report.inputs[i];
    // Where none is valid, the report is about the first one.
    const bool told = report.stopped                              ? i == 0
                      : report.verdict == check::Verdict::Refuted ? input.verdict == report.verdict
                                                                  : true;
    if (told && (report.stopped || !input.refused)) all.push_back(done_[i]);
  }
  std::vector<std::string> parts;
  auto list = [&](const std::string& name, const auto& text_of) {
    std::vector<std::string> texts;
    std::string joined;
    for (const Values& values : all) {
      const std::string text = text_of(values);
      if (std::find(texts.begin(), texts.end(), text) != texts.end()) continue;
      texts.push_back(text);
      joined += (joined.empty() ? "" : ", ") + text;
    }
    parts.push_back(name + " = " + joined);
  };
  for (size_t number : deciding_) {
    const ParameterInfo& param = signature_.params()[number];
    list(param.node->name, [&](const Values& values) { return value_text(param, values.number); });
  }
  for (const std::string& name : dimensions_) {
    list(name, [](const Values& values) { return std::to_string(values.dimension); });
  }
  return parts;
}

std::vector<std::string> TrialValues::settings_of(int64_t number) const {
  std::vector<std::string> settings;
  for (size_t i : deciding_) {
    const ParameterInfo& param = signature_.params()[i];
    settings.push_back(param.node->name + "=" + value_text(param, number));
  }
  return settings;
}

void TrialValues::add_numbers(int64_t number, std::vector<std::string>& inputs) const {
  for (size_t i : left_out_) {
    const ParameterInfo& param = signature_.params()[i];
    inputs.push_back(param.node->name + "=" + value_text(param, number));
  }
}

}  // namespace tilewire::driver
