#include "runtime/schedule.h"

#include <charconv>

namespace tilewire::runtime {
namespace {

// SplitMix64: every state yields well mixed bits.
uint64_t mixed(uint64_t x) {
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
  x = (x ^ x >> 27) * 0x94D049BB133111EB;
  return x ^ x >> 31;
}
constexpr uint64_t golden = 0x9E3779B97F4A7C15;

}  // namespace

std::optional<uint64_t> seed_of(std::string_view schedule) {
  constexpr std::string_view prefix = "random:";
  if (!schedule.starts_with(prefix)) return std::nullopt;
  const char* end = schedule.data() + schedule.size();
  uint64_t seed = 0;
  auto [at, error] = std::from_chars(schedule.data() + prefix.size(), end, seed);
  return at == end && error == std::errc() ? std::optional(seed) : std::nullopt;
}

void Choices::start(uint64_t seed, int32_t worker) {
  favours_ = mixed(seed + golden) & 1;
  favour_ = mixed(seed ^ golden);
  state_ = mixed(seed) + static_cast<uint64_t>(worker) * mixed(golden);
}

uint64_t Choices::next() {
  return mixed(state_ += golden);
}

uint64_t Choices::rating(int32_t rank) const {
  return mixed(favour_ * golden + static_cast<uint64_t>(rank));
}

}  // namespace tilewire::runtime
