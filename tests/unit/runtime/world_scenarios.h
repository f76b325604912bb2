// Programs of four ranks that have the same results, errors and lists of waits wherever the ranks live. The
// tests of every world run them.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ranks.h"
#include "runtime/world.h"

namespace tilewire::runtime {

inline constexpr int32_t ranks = 4;

// One call in a part of a world. Each rank writes its own number in `results`, which the parts share.
struct Setting {
  World& world;
  size_t part;
  int threads;
  std::span<int64_t> results;

  Request request() const {
    Request request;
    request.world = &world;
    request.ranks = ranks;
    return request;
  }
  std::unique_ptr<Windows> windows() const { return Windows::make(ranks, {data_and_signal(ranks)}, world); }
};
using Scenario = std::function<Outcome(const Setting&)>;

// Runs a scenario in the local world and in others, and compares the results, and the text of the error with
// `expected`.
struct ExpectSame {
  std::function<void(const Scenario&, const std::string& expected)> run;
  void operator()(const Scenario& scenario, const std::string& expected = "") const {
    run(scenario, expected);
  }
};

struct WorldScenario {
  const char* name;
  void (*check)(const ExpectSame&);
};
std::vector<WorldScenario> world_scenarios();

}  // namespace tilewire::runtime
