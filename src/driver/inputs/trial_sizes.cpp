#include "driver/inputs/trial_sizes.h"

#include <algorithm>
#include <numeric>

namespace tilewire::driver {
namespace {

constexpr int64_t largest_tile_alike = 256;
constexpr int64_t largest_alike = 1024;
constexpr int64_t largest = int64_t{1} << 40;
constexpr int most_grown = 2;

int64_t largest_of(const std::set<int64_t>& extents) {
  return extents.empty() ? 1 : *extents.rbegin();
}

// The next number that is a multiple of none.
int64_t no_multiple(int64_t value, const std::set<int64_t>& extents) {
  auto divides = [&](int64_t extent) { return value % extent == 0; };
  while (std::any_of(extents.begin(), extents.end(), divides)) ++value;
  return value;
}

// A multiple of `value` and of all extents, or of as many as a number up to `most` can be.
int64_t multiple(int64_t value, const std::set<int64_t>& extents, int64_t most) {
  for (auto extent = extents.rbegin(); extent != extents.rend(); ++extent) {
    const int64_t both = std::lcm(value, *extent);
    if (both <= most) value = both;
  }
  return value;
}

}  // namespace

TrialSizes::TrialSizes(std::vector<Size> sizes, const std::set<int64_t>& tiles)
    : sizes_(std::move(sizes)),
      tiles_(tiles.begin(), tiles.upper_bound(largest_tile_alike)),
      last_valid_(first()) {
  if (has_dimensions()) add_all(Stage::Ragged);
}

std::optional<SizeValues> TrialSizes::next() {
  while (true) {
    if (candidates_.empty() && !tried_scalars_) add_scalars(Stage::Scalars);
    if (candidates_.empty()) return std::nullopt;
    now_ = std::move(candidates_.front());
    candidates_.pop_front();
    if (tried_.insert(now_.values).second) return now_.values;
    if (now_.stage == Stage::AlikeRagged) add_alike(Stage::AlikeWhole);
  }
}

void TrialSizes::note(Outcome outcome, const std::vector<int64_t>& growth) {
  const bool valid = outcome == Outcome::Valid, invalid = outcome == Outcome::Invalid;
  if (valid) last_valid_ = now_.values;
  any_valid_ = any_valid_ || valid;
  switch (now_.stage) {
    case Stage::Ragged:
      if (valid) grow(growth);
      if (invalid) add_all(Stage::Whole);
      break;
    case Stage::Whole:
      if (invalid) add_alike(Stage::AlikeRagged);
      for (size_t i = 0; valid && sizes_.size() > 1 && i < sizes_.size(); ++i) {
        SizeValues values = now_.values;
        values[i] = ragged(sizes_[i]);
        if (!sizes_[i].parameter) add(Stage::Probe, std::move(values));
      }
      if (valid) grow(growth);
      break;
    case Stage::Grown:
      if (valid) grow(growth);
      break;
    case Stage::Scalars:
      if (invalid) add_scalars(Stage::ScalarsWhole);
      break;
    case Stage::Apart:
      if (invalid) add_apart(now_.size, Stage::ApartWhole);
      break;
    case Stage::AlikeRagged:
      if (!valid) add_alike(Stage::AlikeWhole);
      break;
    case Stage::Probe:
    case Stage::ScalarsWhole:
    case Stage::ApartWhole:
    case Stage::AlikeWhole:
      break;
  }
  const bool all = now_.stage == Stage::Ragged || now_.stage == Stage::Whole;
  for (size_t i = 0; all && outcome == Outcome::TooLong && i < sizes_.size(); ++i) add_apart(i, Stage::Apart);
  if (candidates_.empty() && !any_valid_ && has_smaller() && has_dimensions()) add_alike(Stage::AlikeRagged);
}

int64_t TrialSizes::ragged(const Size& size) const {
  const int64_t parts = 2 * largest_of(size.parts) * size.shares;
  return no_multiple(std::max(parts, 2 * size.first) + 1, size.parts);
}

int64_t TrialSizes::whole(const Size& size) const {
  const int64_t least = std::max(2 * largest_of(size.parts) * size.shares, 2 * size.first);
  const int64_t first = size.shares > 1 ? 1 : std::max<int64_t>(size.first, 1);
  const int64_t value = size.shares * multiple(first, size.parts, std::max(largest_alike, 4 * least));
  return value * ((least + value - 1) / value);
}

bool TrialSizes::has_dimensions() const {
  return std::any_of(sizes_.begin(), sizes_.end(), [](const Size& size) { return !size.parameter; });
}

SizeValues TrialSizes::first() const {
  SizeValues values;
  for (const Size& size : sizes_) values.push_back(size.first);
  return values;
}

void TrialSizes::add(Stage stage, SizeValues values, size_t size, bool whole) {
  candidates_.push_back({stage, std::move(values), size, whole});
}

void TrialSizes::add_all(Stage stage) {
  SizeValues values = first();
  for (size_t i = 0; i < values.size(); ++i) {
    if (!sizes_[i].parameter) values[i] = stage == Stage::Whole ? whole(sizes_[i]) : ragged(sizes_[i]);
  }
  add(stage, std::move(values), 0, stage == Stage::Whole);
}

void TrialSizes::add_apart(size_t size, Stage stage) {
  if (sizes_.size() == 1 || sizes_[size].parameter) return;
  SizeValues values = first();
  values[size] = stage == Stage::ApartWhole ? whole(sizes_[size]) : ragged(sizes_[size]);
  add(stage, std::move(values), size);
}

void TrialSizes::add_alike(Stage stage) {
  const int64_t first_of_all = std::max<int64_t>(sizes_.front().first, 1);
  int64_t value = 2 * first_of_all + 1;
  for (int64_t tile : tiles_) value = std::max(value, tile + 1);
  value = stage == Stage::AlikeRagged ? no_multiple(value, tiles_)
                                      : multiple(first_of_all, tiles_, largest_alike);
  SizeValues values = first();
  for (size_t i = 0; i < values.size(); ++i) {
    if (!sizes_[i].parameter) values[i] = value;
  }
  add(stage, std::move(values));
}

void TrialSizes::add_scalars(Stage stage) {
  tried_scalars_ = true;
  SizeValues values = last_valid_;
  tried_.insert(values);
  for (size_t i = 0; i < values.size(); ++i) {
    if (!sizes_[i].parameter) continue;
    values[i] = stage == Stage::Scalars ? ragged(sizes_[i]) : 2 * largest_of(sizes_[i].parts);
  }
  add(stage, std::move(values));
}

void TrialSizes::grow(const std::vector<int64_t>& growth) {
  if (grown_ == most_grown || growth.size() != sizes_.size()) return;
  SizeValues values = now_.values;
  for (size_t i = 0; i < values.size(); ++i) {
    int64_t value;
    if (__builtin_mul_overflow(values[i], growth[i], &value) || value > largest) return;
    if (growth[i] > 1 && !sizes_[i].parameter) {
      values[i] = now_.whole ? value : no_multiple(value + 1, sizes_[i].parts);
    }
  }
  ++grown_;
  add(Stage::Grown, std::move(values), 0, now_.whole);
}

}  // namespace tilewire::driver
