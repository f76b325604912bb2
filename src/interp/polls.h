// Detects an agent that looks at signal cells in a loop and repeats itself: it is back at the same point with
// the same live values and has written nothing since. Continuing would lead it there again, until one of
// the cells it looked at changes; until then it is blocked.
//
// A state can repeat only at the start of an iteration of a `while` loop, so states are kept at the first
// look of each iteration since the agent's last write. A program without such a loop pays nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "interp/value.h"

namespace tilewire::interp {

struct Agent;
struct Code;

// Where an agent is, and the values that still matter there.
struct AgentState {
  struct Point {
    const Code* code;
    uint32_t pc;
    bool operator==(const Point&) const = default;
  };
  std::vector<Point> points;
  std::vector<Value> live;
  uint64_t hash = 0;

  bool operator==(const AgentState& other) const;
};
AgentState state_of(const Agent& agent);

struct Polls {
  struct Look {
    StorageId storage;
    int64_t offset;  // bytes
    ir::DType dtype;
    int64_t value;  // that it saw
  };
  struct Round {
    AgentState state;
    size_t first_look;
  };
  bool round_begins = false;  // and has not looked at a cell yet
  int32_t repeated = -1;      // the iteration with this state; -1: none
  std::vector<Round> rounds;  // since its last write
  std::vector<Look> looks;    // since the first of them

  // The agent is about to look.
  void arrive(const Agent& agent);
  // It continues from there. An iteration that repeats an earlier one replaces it.
  void leave();
  // It writes.
  void forget();
};

}  // namespace tilewire::interp
