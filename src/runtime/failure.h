// Why a run stopped, and its text. These are values without addresses, so that a failure can be reported
// in another process that runs the same module.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "abi/abi.h"
#include "support/diagnostics.h"

namespace tilewire::runtime {

enum class Cause : uint8_t {
  Fault,     // generated code reported it
  Memory,    // numbers[0]: bytes that could not be had
  Fibers,    // numbers[0]: how many blocks are blocked
  Deadlock,  // `blocked`
  Interrupted,
  Trace,     // `text`: why the file could not be written
  Row,       // `row` with `words`
  Internal,  // `text`
  World,     // `row` with `words`: the processes of the world cannot continue together
};
inline constexpr Cause last_cause = Cause::World;

// One blocked fiber of a deadlock.
struct Blocked {
  int32_t rank = 0;
  int64_t block = 0;
  int64_t blocks = 1;
  std::string kernel{};  // empty: an orchestration function
  uint32_t site = 0;
  std::string cell{};  // which, in words
  int64_t seen = 0;
  uint32_t cmp = 0;
  int32_t expected = 0;
  enum class Does : uint8_t { Wait, Test, Read, Update } does = Does::Wait;  // all but the first in a loop
  int64_t for_cores = 0;  // it has not started, for want of this many cores; 0: it has
  int64_t cores = 0;      // there are
};

struct Failure {
  Cause cause = Cause::Internal;
  abi::Fault fault{};
  uint32_t site = 0;
  int64_t numbers[4] = {};
  int32_t rank = -1;
  int32_t ranks = 1;
  int64_t block = -1;
  int64_t blocks = 1;
  std::string kernel{};  // empty: an orchestration function
  std::string text;
  Diag row{};
  std::vector<std::string> words;
  std::vector<Blocked> blocked;
};

// Of everything that waits, here and elsewhere.
Failure deadlock_of(std::vector<Blocked> blocked);

Diagnostic describe(const Failure& failure, const abi::Module& module);

}  // namespace tilewire::runtime
