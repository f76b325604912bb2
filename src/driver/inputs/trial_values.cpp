#include "driver/inputs/trial_values.h"

#include <algorithm>
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

}  // namespace

TrialValues::TrialValues(const Signature& signature, const InputSettings& settings,
                         const ir::ProgramRef& lowered, const check::Walks& walks, bool fixed_ranks)
    : signature_(signature), lowered_(lowered), first_dimension_(*settings.dimension) {
  Inputs inputs(signature, settings);
  Diagnostics ignored;  // what is wrong with a call is told when it is checked
  inputs.bind(ignored);
  left_out_ = inputs.numbers_made();
  arrays_ = inputs.arrays_made();
  if (!left_out_.empty()) {
    const std::vector<size_t> all = check::scalars_that_decide(lowered, signature.entry().name);
    std::set_intersection(left_out_.begin(), left_out_.end(), all.begin(), all.end(),
                          std::back_inserter(deciding_));
  }
  using Kind = check::Walks::Input::Kind;
  for (const std::string& name : inputs.free_dimensions()) {
    all_sizes_.push_back({name, std::nullopt, walks.parts_of({Kind::Dimension, name}), first_dimension_});
  }
  // Rows that are not one per rank are shared out in another way.
  for (const std::string& name : inputs.guessed_dimensions()) {
    std::set<int64_t> parts = walks.parts_of({Kind::Dimension, name});
    if (parts.empty() && !fixed_ranks) continue;
    const int64_t shares = parts.empty() ? 1 : settings.ranks.value_or(1);
    all_sizes_.push_back({name, std::nullopt, std::move(parts), first_dimension_, shares});
  }
  for (size_t number : deciding_) {
    const ParameterInfo& param = signature.params()[number];
    std::set<int64_t> parts = walks.parts_of({Kind::Scalar, param.node->name});
    if (!ir::is_integer(param.dtype) || parts.empty()) continue;
    all_sizes_.push_back({param.node->name, number, std::move(parts), 0});
  }
}

size_t TrialValues::tries_of_numbers() const {
  const bool flags = std::all_of(deciding_.begin(), deciding_.end(), [this](size_t i) {
    return signature_.params()[i].dtype == ir::DType::Bool;
  });
  return deciding_.empty() ? 1 : flags ? flags_to_try : numbers_to_try;
}

std::optional<TrialValues::Values> TrialValues::next() {
  if (numbers_done_ < tries_of_numbers()) {
    now_ = {static_cast<int64_t>(numbers_done_++)};
    return now_;
  }
  if (!sizing_ && !all_sizes_.empty()) {
    for (Size& size : all_sizes_) size.first = size.parameter ? last_valid_ : first_dimension_;
    Tiles tiles;
    tiles.walk(*lowered_);
    sizes_ = TrialSizes(all_sizes_, tiles.extents);
    sizing_ = true;
  }
  auto sizes = sizing_ ? sizes_.next() : std::nullopt;
  if (!sizes) return std::nullopt;
  now_ = {last_valid_, std::move(*sizes)};
  return now_;
}

void TrialValues::apply(const Values& values, InputSettings& settings) const {
  settings.number = values.number;
  settings.numbers.clear();
  settings.dimensions.clear();
  for (size_t i = 0; i < values.sizes.size(); ++i) {
    const Size& size = all_sizes_[i];
    if (size.parameter) {
      settings.numbers[*size.parameter] = values.sizes[i];
    } else {
      settings.dimensions[size.name] = values.sizes[i];
    }
  }
}

bool TrialValues::note(Outcome outcome, const std::vector<int64_t>& growth) {
  if (!sizing_) {
    if (outcome != Outcome::Invalid) last_valid_ = now_.number;
  } else {
    const bool silent = (outcome == Outcome::TooLong && sizes_.has_smaller()) ||
                        (outcome == Outcome::Invalid && sizes_.is_probe());
    sizes_.note(outcome, growth);
    if (silent) return false;
  }
  done_.push_back(now_);
  return true;
}

bool TrialValues::is_made(const std::string& dimension) const {
  return std::any_of(all_sizes_.begin(), all_sizes_.end(),
                     [&](const Size& size) { return !size.parameter && size.name == dimension; });
}

int64_t TrialValues::number_of(const Values& values, size_t parameter) const {
  for (size_t i = 0; i < values.sizes.size(); ++i) {
    if (all_sizes_[i].parameter == parameter) return values.sizes[i];
  }
  return values.number;
}

int64_t TrialValues::extent_of(const Values& values, const std::string& dimension) const {
  for (size_t i = 0; i < values.sizes.size(); ++i) {
    if (!all_sizes_[i].parameter && all_sizes_[i].name == dimension) return values.sizes[i];
  }
  return first_dimension_;
}

std::string TrialValues::text(const Values& values) const {
  std::string text;
  auto add = [&](const std::string& name, const std::string& value) {
    text += (text.empty() ? "" : ", ") + name + " = " + value;
  };
  for (size_t number : deciding_) {
    const ParameterInfo& param = signature_.params()[number];
    add(param.node->name, value_text(param, number_of(values, number)));
  }
  for (const Size& size : all_sizes_) {
    if (!size.parameter) add(size.name, std::to_string(extent_of(values, size.name)));
  }
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
    list(param.node->name,
         [&](const Values& values) { return value_text(param, number_of(values, number)); });
  }
  for (const Size& size : all_sizes_) {
    if (size.parameter) continue;
    list(size.name, [&](const Values& values) { return std::to_string(extent_of(values, size.name)); });
  }
  return parts;
}

std::vector<std::string> TrialValues::settings_of(const Values& values) const {
  std::vector<std::string> settings;
  for (size_t i : deciding_) {
    const ParameterInfo& param = signature_.params()[i];
    settings.push_back(param.node->name + "=" + value_text(param, number_of(values, i)));
  }
  return settings;
}

void TrialValues::add_numbers(const Values& values, std::vector<std::string>& inputs) const {
  for (size_t i : left_out_) {
    const ParameterInfo& param = signature_.params()[i];
    inputs.push_back(param.node->name + "=" + value_text(param, number_of(values, i)));
  }
}

}  // namespace tilewire::driver
