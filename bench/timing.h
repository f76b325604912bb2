// How benchmarks measure: loops timed in turns, and how times and sizes are written.
//
// Times of loops inside one dispatch are differences between many rounds and few, so that starting costs
// nothing. Medians of repetitions, or with --best the least times, for a machine that others use too.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace bench {

inline bool quick = false, best = false;

inline double seconds(const std::function<void()>& work) {
  auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

// Of times; the least of ratios would be no better than the others.
inline double typical(const std::vector<double>& times) {
  return best && !times.empty() ? *std::min_element(times.begin(), times.end()) : median(times);
}

// A loop whose length is an argument. A repetition times few rounds and many; what more rounds take longer is
// the time of a round.
struct Loop {
  std::function<void(int)> run = {};
  int rounds = 0;
  std::vector<double> few = {}, many = {};

  void repeat() {
    run(1);  // windows are mapped and touched before anything is timed, whatever ran before
    few.push_back(seconds([&] { run(1); }));
    many.push_back(seconds([&] { run(1 + rounds); }));
  }
  double last_round() const { return (many.back() - few.back()) / rounds; }
  double round() const { return std::max(typical(many) - typical(few), 0.0) / rounds; }
};

// For a measurement of about 20 ms, or as long as is asked for.
inline int rounds_for(double round, double least = 3, double length = 0.02) {
  return static_cast<int>(std::clamp(length / std::max(round, 1e-9), least, 20000.0));
}

// A loop with as many rounds as take 20 ms; with large windows more, because mapping those takes longer than
// a round, and not always equally long. For the same reason a round is only known when many of them take
// clearly longer than few: taken for nothing, they would be repeated for minutes.
inline Loop timed_loop(std::function<void(int)> run) {
  Loop probe{run, 10};
  for (;; probe.rounds *= 4) {
    probe.repeat();
    if (probe.many.back() > 2 * probe.few.back() || probe.many.back() > 0.1) break;
  }
  double round = std::max(probe.last_round(), 0.1 * probe.many.back() / probe.rounds);
  double length = std::clamp(20 * probe.few.back(), 0.02, 0.1);
  return Loop{std::move(run), rounds_for(round, 10, length)};
}

// Takes the loops in turns, so that a busy moment hits all of them.
inline std::vector<double> measure(std::vector<Loop> loops, int repetitions) {
  for (Loop& loop : loops) loop.run(2);
  for (int i = 0; i < repetitions; ++i) {
    for (Loop& loop : loops) loop.repeat();
  }
  std::vector<double> result;
  for (const Loop& loop : loops) result.push_back(loop.round());
  return result;
}

// Memory of its own pages, touched; with `huge`, of huge ones where the system has them.
class Pages {
 public:
  explicit Pages(size_t bytes, bool huge = false) {
    size_t unit = huge ? 2 << 20 : 1;
    bytes = (std::max<size_t>(bytes, 1) + unit - 1) / unit * unit;
    mapped_ = bytes + unit - 1;
    memory_ = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) abort();
    first_ = reinterpret_cast<float*>((reinterpret_cast<uintptr_t>(memory_) + unit - 1) / unit * unit);
    if (huge) madvise(first_, bytes, MADV_HUGEPAGE);
    memset(first_, 1, bytes);
  }
  ~Pages() { munmap(memory_, mapped_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  float* floats() const { return first_; }

 private:
  void* memory_;
  size_t mapped_;
  float* first_;
};

// What a result is read for; as pl.row_sum does it, in registers.
inline float average(const float* values, int64_t count) {
#ifdef __AVX512F__
  constexpr int width = 16;
#else
  constexpr int width = 8;
#endif
  typedef float Floats __attribute__((vector_size(width * 4), aligned(4), may_alias));
  Floats sums[4] = {};
  int64_t i = 0;
  for (; i + 4 * width <= count; i += 4 * width) {
    for (int k = 0; k < 4; ++k) sums[k] += *reinterpret_cast<const Floats*>(values + i + k * width);
  }
  float sum = 0;
  for (; i < count; ++i) sum += values[i];
  Floats all = sums[0] + sums[1] + (sums[2] + sums[3]);
  for (int lane = 0; lane < width; ++lane) sum += all[lane];
  return sum / static_cast<float>(count);
}

inline std::string show_time(double s) {
  char text[32];
  if (s < 1e-6) {
    snprintf(text, sizeof text, "%.1f ns", s * 1e9);
  } else if (s < 1e-3) {
    snprintf(text, sizeof text, "%.2f us", s * 1e6);
  } else {
    snprintf(text, sizeof text, "%.2f ms", s * 1e3);
  }
  return text;
}

inline std::string show_size(int64_t bytes) {
  if (bytes >= 1 << 20) return std::to_string(bytes >> 20) + " MB";
  if (bytes >= 1 << 10) return std::to_string(bytes >> 10) + " KB";
  return std::to_string(bytes) + " B";
}

}  // namespace bench
