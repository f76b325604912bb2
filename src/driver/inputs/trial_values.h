// Which inputs a check tries where some are left out: numbers are 0, 1, 2 and 3, all of them the same, with
// dynamic dimensions that nothing fixes as large as the number of ranks; then larger sizes
// (driver/inputs/trial_sizes.h) with the last number that is valid.
//
//     TrialValues values(signature, settings, walks, tiles);
//     while (auto next = values.next()) {
//       values.apply(*next, settings);
//       values.note(outcome_with(settings));
//     }
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "check/report.h"
#include "check/walks.h"
#include "driver/execute/arguments.h"
#include "driver/inputs/inputs.h"
#include "driver/inputs/trial_sizes.h"

namespace tilewire::driver {

class TrialValues {
 public:
  struct Values {
    int64_t number = 0;
    SizeValues sizes = {};  // empty: all as they are at first
  };
  using Outcome = TrialSizes::Outcome;

  // The signature and the program must outlive it; `settings` as for the first input. `fixed_ranks`: the
  // program says how many there are, whatever its arrays are.
  TrialValues(const Signature& signature, const InputSettings& settings, const ir::ProgramRef& lowered,
              const check::Walks& walks, bool fixed_ranks);

  // Nothing: that was all.
  std::optional<Values> next();
  void apply(const Values& values, InputSettings& settings) const;
  // What came of the last one; `growth` as for TrialSizes. False if it is not worth telling.
  bool note(Outcome outcome, const std::vector<int64_t>& growth = {});
  // Whether that one of those worth telling has sizes of its own.
  bool is_sizing(size_t index) const { return !done_[index].sizes.empty(); }
  // The one of that number among those worth telling is not, after all.
  void forget(size_t index) { done_.erase(done_.begin() + static_cast<ptrdiff_t>(index)); }
  // Of the last one: it does no harm if it takes too long.
  bool has_smaller() const { return sizing_ && sizes_.has_smaller(); }
  const std::vector<Size>& sizes() const { return all_sizes_; }

  // "n = 2, M = 5"; empty where nothing is left out that makes a difference.
  std::string text(const Values& values) const;
  // "n = 0, 1, 2, 3": of the inputs of a report that are valid, or of the one that is refuted.
  std::vector<std::string> tried(const check::Report& report) const;
  // Of the numbers that are tried: "n=2".
  std::vector<std::string> settings_of(const Values& values) const;
  // As settings for a run: "n=2".
  void add_numbers(const Values& values, std::vector<std::string>& inputs) const;
  // Dimensions that take values.
  bool is_made(const std::string& dimension) const;
  // Parameters, of numbers that are tried.
  const std::vector<size_t>& numbers() const { return deciding_; }
  // Parameters that are filled by the check.
  const std::vector<size_t>& arrays() const { return arrays_; }

 private:
  int64_t number_of(const Values& values, size_t parameter) const;
  int64_t extent_of(const Values& values, const std::string& dimension) const;
  size_t tries_of_numbers() const;

  const Signature& signature_;
  const ir::ProgramRef& lowered_;
  std::vector<size_t> left_out_;  // scalars
  std::vector<size_t> deciding_;  // of them, those that make a difference
  std::vector<size_t> arrays_;
  std::vector<Size> all_sizes_;  // dimensions first
  TrialSizes sizes_;
  std::vector<Values> done_;  // those worth telling
  size_t numbers_done_ = 0;
  bool sizing_ = false;
  Values now_;
  int64_t first_dimension_ = 0;
  int64_t last_valid_ = 0;  // number
};

}  // namespace tilewire::driver
