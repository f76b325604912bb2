#include "runtime/polls.h"

#include <algorithm>

namespace tilewire::runtime {

void Polls::begin(std::span<const abi::Word> carried, uint32_t depth) {
  if (depth == 0) looks_.clear();
  loops_.resize(depth + 1);
  loops_[depth] = {.carried = {carried.begin(), carried.end()}, .first_look = looks_.size(), .begun = true};
}

std::span<Look> Polls::end_round(std::span<const abi::Word> carried, uint32_t depth) {
  loops_.resize(depth + 1);  // those inside have ended
  Loop& loop = loops_[depth];
  if (!loop.begun) {
    begin(carried, depth);
    return {};
  }
  if (std::equal(carried.begin(), carried.end(), loop.carried.begin(), loop.carried.end())) {
    drop_repeated(loop.first_look);
    return std::span(looks_).subspan(loop.first_look);
  }
  if (++loop.rounds < loop.power) return {};
  loop.power *= 2;
  loop.rounds = 0;
  loop.carried.assign(carried.begin(), carried.end());
  if (depth == 0) looks_.clear();
  loop.first_look = looks_.size();
  return {};
}

void Polls::changed(uint32_t depth) {
  Loop& loop = loops_[depth];
  looks_.resize(loop.first_look);
  loop.rounds = 0;
  loop.power = 1;
}

void Polls::drop_repeated(size_t first) {
  auto begin = looks_.begin() + static_cast<ptrdiff_t>(first), end = begin;
  for (auto it = begin; it != looks_.end(); ++it) {
    const bool known = std::any_of(begin, end, [&](const Look& look) {
      return look.cell == it->cell && look.cmp == it->cmp && look.value == it->value;
    });
    if (!known) *end++ = *it;
  }
  looks_.erase(end, looks_.end());
}

}  // namespace tilewire::runtime
