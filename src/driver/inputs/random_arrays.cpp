#include "driver/inputs/random_arrays.h"

#include "numeric/numeric.h"

namespace tilewire::driver {
namespace {

// SplitMix64 (Steele, Lea, Flood 2014).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

 private:
  uint64_t state_;
};

}  // namespace

void fill_random(const Array& dense, uint64_t seed, uint64_t stream) {
  Random random(seed * 0x2545F4914F6CDD1D + stream);
  size_t count = 1, size = static_cast<size_t>(ir::bytes(dense.dtype));
  for (int64_t extent : dense.shape) count *= static_cast<size_t>(extent);
  auto* element = static_cast<char*>(dense.data);
  const ir::DTypeInfo& type = ir::info(dense.dtype);
  for (size_t i = 0; i < count; ++i, element += size) {
    uint64_t bits = random.next();
    if (type.is_float) {
      numeric::store_float(dense.dtype, element, static_cast<double>(bits >> 11) * 0x1p-52 - 1.0);
    } else if (dense.dtype == ir::DType::Bool) {
      numeric::store_integer(dense.dtype, element, static_cast<int64_t>(bits >> 63));
    } else {
      bool centred = type.is_signed && dense.dtype != ir::DType::Index;
      numeric::store_integer(dense.dtype, element, static_cast<int64_t>(bits >> 61) - (centred ? 4 : 0));
    }
  }
}

}  // namespace tilewire::driver
