// Choices of a run with `schedule="random:SEED"`: what runs next, where a block pauses, when a write lands.
//
// Every worker draws its own numbers, so a run on one thread is the same for the same seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tilewire::runtime {

// The seed of "random:SEED"; empty for any other text.
std::optional<uint64_t> seed_of(std::string_view schedule);

class Choices {
 public:
  void start(uint64_t seed, int32_t worker);

  bool one_in(uint32_t n) { return next() % n == 0; }

  // Chooses one of `count` ready items; rank_of(i) is the rank of the i-th. Half of the seeds choose any
  // of them, the other half let some ranks run far ahead of others.
  template <class RankOf>
  size_t choose(size_t count, RankOf rank_of) {
    if (count == 1) return 0;
    if (!favours_) return next() % count;
    if (one_in(32)) ++favour_;
    size_t best = next() % count;
    for (size_t i = 0; i < count; ++i) {
      if (rating(rank_of(i)) > rating(rank_of(best))) best = i;
    }
    return best;
  }

 private:
  uint64_t next();
  uint64_t rating(int32_t rank) const;

  uint64_t state_ = 0;
  uint64_t favour_ = 0;
  bool favours_ = false;
};

}  // namespace tilewire::runtime
