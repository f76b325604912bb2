// The arguments of a run or check that are not passed in memory: files, numbers as text, and made-up values
// from a seed for the rest.
//
//     driver::Inputs inputs(signature, {.texts = {"x=x.npy", "n=4"}, .ranks = 4});
//     auto bound = inputs.bind(diags);   // empty after reporting mismatches
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "driver/execute/arguments.h"
#include "driver/inputs/npy.h"

namespace tilewire::driver {

struct InputSettings {
  std::vector<std::string> texts = {};                          // "x=x.npy", "n=4", "flag=True"
  std::map<std::string, ir::TypeRef, std::less<>> shapes = {};  // of arrays to make, by parameter
  std::map<std::string, Argument, std::less<>> given = {};      // in memory, by parameter
  std::optional<int64_t> ranks = std::nullopt;
  std::span<const std::string> rank_dimensions = {};  // equal to that number (HostAnalysis)
  uint64_t seed = 0;
  // For a check: the value of dynamic dimensions that nothing else fixes; numbers that are not given are
  // `number`, and made-up integers 0. Without it an unknown dimension and a missing number are errors, and
  // made-up integers are small random numbers.
  std::optional<int64_t> dimension = std::nullopt;
  int64_t number = 0;
  // Likewise, but for these.
  std::map<std::string, int64_t, std::less<>> dimensions = {};
  std::map<size_t, int64_t> numbers = {};  // by parameter
};

class Inputs {
 public:
  // Both must outlive it.
  Inputs(const Signature& signature, const InputSettings& settings)
      : signature_(signature), settings_(settings) {}

  // Outputs that are not given are allocated too. Arrays that were read or made belong to this object.
  std::optional<BoundArguments> bind(Diagnostics& diags);

  // What was made up for a check, after `bind`.
  const std::vector<size_t>& numbers_made() const { return numbers_made_; }  // parameters
  const std::vector<size_t>& arrays_made() const { return arrays_made_; }    // parameters, outputs left out
  const std::set<std::string>& free_dimensions() const { return free_dimensions_; }
  // Those that are the number of ranks because nothing else fixes them.
  const std::set<std::string>& guessed_dimensions() const { return guessed_dimensions_; }

 private:
  bool collect(Diagnostics& diags);
  void read_settings(Diagnostics& diags);
  void check_shapes(Diagnostics& diags) const;
  void read_array(size_t index, Diagnostics& diags);
  Argument number_for(size_t index, Diagnostics& diags);
  int64_t given_extent(size_t index, size_t d) const;
  void note_dimensions();
  void make_array(size_t index, Diagnostics& diags);
  // Zeros that belong to this object; empty after reporting that there is too little memory.
  Array make_storage(const ParameterInfo& param, const std::vector<int64_t>& shape, Diagnostics& diags);
  int64_t extent_of(size_t index, size_t d, Diagnostics& diags);

  const Signature& signature_;
  const InputSettings& settings_;
  std::map<std::string, std::string> texts_;
  std::map<std::string, int64_t, std::less<>> dimensions_;
  std::vector<Argument> values_;
  std::vector<OwnedArray> owned_;
  std::vector<size_t> numbers_made_, arrays_made_;
  std::set<std::string> free_dimensions_, guessed_dimensions_;
};

}  // namespace tilewire::driver
