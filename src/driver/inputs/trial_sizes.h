// Which sizes a check tries for dimensions, and for scalars that loops count up to in steps, where nobody
// gives them. Small ones do not show what goes wrong between tiles, so each dimension gets a value of its
// own:
//
// 1. more than two of the largest parts that the program takes of it, and a multiple of none;
// 2. if that is not valid, a multiple of all of its parts; then each dimension once more as in 1, alone;
// 3. if that is not valid either, the same value for all of them, first no multiple of a tile, then one;
// 4. if all sizes at once take too long, one at a time, with the others as small as they were at first.
//
// Where the sizes are valid and loops went round too little all the same, larger ones follow. Scalars come
// last: what a program takes as a scalar is often not a size.
//
//     TrialSizes sizes(...);
//     while (auto values = sizes.next()) sizes.note(outcome_with(*values), growth);
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tilewire::driver {

struct Size {
  std::string name;
  std::optional<size_t> parameter;  // of a scalar; nothing: a dimension
  std::set<int64_t> parts;          // that the program takes of it
  int64_t first = 0;                // what it was before any of these is tried
  int64_t shares = 1;               // what is divided into parts is one of so many shares
};

// A value for each of the sizes.
using SizeValues = std::vector<int64_t>;

class TrialSizes {
 public:
  enum class Outcome : uint8_t { Valid, Invalid, TooLong };

  TrialSizes() = default;  // there are none
  // `tiles`: extents of all tiles that the program has.
  TrialSizes(std::vector<Size> sizes, const std::set<int64_t>& tiles);

  const std::vector<Size>& sizes() const { return sizes_; }
  // Nothing: that was all.
  std::optional<SizeValues> next();
  // Of the last ones: whether others follow if they take too long; whether it is no news that they are not
  // valid.
  bool has_smaller() const { return now_.stage < Stage::AlikeRagged; }
  bool is_probe() const { return now_.stage >= Stage::Probe && has_smaller(); }
  // `growth`: of valid ones, how many times as large each size would have to be for all loops to go round
  // often enough; empty: they do.
  void note(Outcome outcome, const std::vector<int64_t>& growth = {});

 private:
  enum class Stage : uint8_t {
    Ragged,
    Whole,
    Grown,
    Probe,
    Scalars,
    ScalarsWhole,
    Apart,
    ApartWhole,
    AlikeRagged,
    AlikeWhole
  };
  struct Candidate {
    Stage stage = Stage::Ragged;
    SizeValues values;
    size_t size = 0;     // of Apart: the one it is about
    bool whole = false;  // values are multiples of the parts
  };

  int64_t ragged(const Size& size) const;
  int64_t whole(const Size& size) const;
  bool has_dimensions() const;
  SizeValues first() const;
  void add(Stage stage, SizeValues values, size_t size = 0, bool whole = false);
  void add_all(Stage stage);
  void add_apart(size_t size, Stage stage);
  void add_alike(Stage stage);
  void add_scalars(Stage stage);
  void grow(const std::vector<int64_t>& growth);

  std::vector<Size> sizes_;
  std::set<int64_t> tiles_;  // small enough for all sizes at once
  std::deque<Candidate> candidates_;
  std::set<SizeValues> tried_;
  Candidate now_;
  SizeValues last_valid_;
  int grown_ = 0;
  bool any_valid_ = false, tried_scalars_ = false;
};

}  // namespace tilewire::driver
