// What is fetched from far peers ahead of time: when, how much, and that nothing old is served.
#include "runtime/read_ahead.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace tilewire::runtime {
namespace {

// A task that reads a peer's memory of `size` bytes.
struct Reader {
  explicit Reader(size_t size) : far(size) {}

  // What a load of `bytes` bytes from `offset` on sees.
  std::vector<std::byte> load(size_t offset, size_t bytes) {
    std::vector<std::byte> target(bytes);
    const auto count = static_cast<int64_t>(bytes);
    const Copy region{target.data(), far.data() + offset, &count, &one, &one, 1, 1};
    if (ahead.serve(region, bytes, acquires)) return target;
    ++messages;
    const ReadAhead::Fetch fetch = ahead.plan(region.source, bytes, far.size() - offset);
    longest = std::max(longest, fetch.bytes);
    if (!fetch.memory) {
      copy(region);
      return target;
    }
    EXPECT_LE(offset + fetch.bytes, far.size());
    std::memcpy(fetch.memory, region.source, fetch.bytes);
    ahead.arrived();
    EXPECT_TRUE(ahead.serve(region, bytes, acquires));
    return target;
  }

  // It writes there itself.
  void write(size_t offset, size_t bytes, std::byte value) {
    std::memset(far.data() + offset, static_cast<int>(value), bytes);
    ahead.forget({far.data() + offset, bytes});
  }

  // It waits; until then others have written.
  void acquire() { ++acquires; }

  std::vector<std::byte> far;
  ReadAhead ahead;
  uint32_t acquires = 0;
  int messages = 0;
  uint64_t longest = 0;
  static constexpr int64_t one = 1;
};

TEST(ReadAhead, LoadsInOrderNeedFewMessages) {
  Reader reader(4 << 20);
  for (size_t at = 0; at < reader.far.size(); at += 8 << 10) reader.load(at, 8 << 10);
  // 8, 16, ... 256 KB, then 256 KB each; one load per 8 KB would be 512.
  EXPECT_LE(reader.messages, 22);
  EXPECT_EQ(reader.longest, ReadAhead::most_bytes);
}

TEST(ReadAhead, OneLoadFetchesWhatItAsksFor) {
  Reader reader(4 << 20);
  for (size_t at : {0u, 1u << 20, 4096u, 3u << 20}) reader.load(at, 64);
  EXPECT_EQ(reader.messages, 4);
  EXPECT_EQ(reader.longest, 64u);
}

// As a sum does that adds the rows of several peers, piece by piece.
TEST(ReadAhead, SeveralStreamsTakeTurns) {
  Reader reader(4 << 20);
  for (size_t at = 0; at < 512 << 10; at += 8 << 10) {
    for (size_t peer = 0; peer < 7; ++peer) reader.load(peer * (512 << 10) + at, 8 << 10);
  }
  EXPECT_LE(reader.messages, 7 * 8);
}

TEST(ReadAhead, NothingOldIsServedAfterAnAcquire) {
  Reader reader(64 << 10);
  for (size_t at = 0; at < 3 << 10; at += 1 << 10) reader.load(at, 1 << 10);
  const int before = reader.messages;
  std::memset(reader.far.data(), 7, reader.far.size());
  reader.acquire();
  EXPECT_EQ(reader.load(3 << 10, 1 << 10), std::vector<std::byte>(1 << 10, std::byte{7}));
  EXPECT_EQ(reader.messages, before + 1);
}

// Loads, writes and acquires at random. Others write only where an acquire comes next, as a program without
// races does.
TEST(ReadAhead, SeesWhatIsThere) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    auto below = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
    Reader reader(1 + below(16 << 10));
    size_t next = 0;
    for (int step = 0; step < 300; ++step) {
      const size_t bytes = 1 + below(std::min<size_t>(reader.far.size(), 512));
      const size_t offset = below(reader.far.size() - bytes + 1);
      const auto value = static_cast<std::byte>(below(256));
      switch (below(12)) {
        case 0:
          reader.write(offset, bytes, value);
          break;
        case 1:
          std::memset(reader.far.data() + offset, static_cast<int>(value), bytes);
          reader.acquire();
          break;
        case 2:
          next = offset;
          [[fallthrough]];
        default: {
          const size_t count = std::min(bytes, reader.far.size() - next);
          const std::vector<std::byte> seen = reader.load(next, count);
          ASSERT_TRUE(std::equal(seen.begin(), seen.end(), reader.far.begin() + static_cast<ptrdiff_t>(next)))
              << "seed " << seed << ", step " << step;
          next = next + count == reader.far.size() ? 0 : next + count;
        }
      }
    }
  }
}

TEST(ReadAhead, RegionsWithGapsHaveNoDenseBytes) {
  std::byte there[4096];
  const int64_t extents[] = {4, 8}, dense[] = {8, 1}, gaps[] = {16, 1}, back[] = {-16, 1};
  EXPECT_EQ(dense_bytes_of_source({there, there, extents, gaps, dense, 2, 4}), 128u);
  EXPECT_EQ(dense_bytes_of_source({there, there, extents, dense, gaps, 2, 4}), 0u);
  std::byte* middle = there + 2048;
  auto hull = hull_of_target({middle, there, extents, gaps, dense, 2, 4});
  EXPECT_EQ(hull.data(), middle);
  EXPECT_EQ(hull.size(), (3u * 16 + 8) * 4);
  hull = hull_of_target({middle, there, extents, back, dense, 2, 4});
  EXPECT_EQ(hull.data(), middle - 3 * 16 * 4);
  EXPECT_EQ(hull.size(), (3u * 16 + 8) * 4);
}

}  // namespace
}  // namespace tilewire::runtime
