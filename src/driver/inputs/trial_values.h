// Which inputs a check tries where some are left out: numbers are 0, 1, 2 and 3, all of them the same, and
// dynamic dimensions that nothing fixes first the number of ranks, then one that is not a multiple of a tile,
// and, if the program stops with that, one that is a multiple of all tiles.
//
//     TrialValues values(signature, settings, lowered);
//     while (auto next = values.next()) values.note(is_valid(*next));
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/report.h"
#include "driver/execute/arguments.h"
#include "driver/inputs/inputs.h"

namespace tilewire::driver {

class TrialValues {
 public:
  struct Values {
    int64_t number = 0;
    int64_t dimension = 0;
  };

  // The signature and the program must outlive it; `settings` as for the first input.
  TrialValues(const Signature& signature, const InputSettings& settings, const ir::ProgramRef& lowered);

  // Nothing: that was all.
  std::optional<Values> next();
  // Whether the last one is an input of the program.
  void note(bool valid);
  // Dimensions that take values; nothing else is made up if numbers() is empty.
  const std::vector<std::string>& dimensions() const { return dimensions_; }

  // "n = 2, M = 5"; empty where nothing is left out that makes a difference.
  std::string text(const Values& values) const;
  // "n = 0, 1, 2, 3": of the inputs of a report that are valid, or of the one that is refuted.
  std::vector<std::string> tried(const check::Report& report) const;
  // Of the numbers that are tried: "n=2".
  std::vector<std::string> settings_of(int64_t number) const;
  // As settings for a run: "n=2".
  void add_numbers(int64_t number, std::vector<std::string>& inputs) const;
  // Parameters, of numbers that are tried.
  const std::vector<size_t>& numbers() const { return deciding_; }
  // Parameters that are filled by the check.
  const std::vector<size_t>& arrays() const { return arrays_; }

 private:
  int64_t ragged_dimension() const;
  int64_t whole_dimension() const;

  const Signature& signature_;
  const ir::ProgramRef& lowered_;
  std::vector<size_t> left_out_;  // scalars
  std::vector<size_t> deciding_;  // of them, those that make a difference
  std::vector<std::string> dimensions_;
  std::vector<size_t> arrays_;
  std::vector<Values> done_;
  int64_t first_dimension_ = 0;
  int64_t last_valid_ = 0;  // number
  bool is_valid_ = false;   // the last one
};

}  // namespace tilewire::driver
