// Where the values come from that decide what a program does: from the schedule, although there is no race
// (what a wait saw), or from elements of the entry's arguments.
#pragma once

#include <set>
#include <vector>

#include "interp/code.h"

namespace tilewire::check {

struct Decider {
  const char* what = nullptr;  // "a branch", "a loop", "an address", "a signal", "a launch"
  const ir::Node* where = nullptr;
};

struct Flow {
  // The first place where a value that depends on the schedule decides something; where is null: nowhere.
  Decider schedule;
  // Parameters of the entry whose elements decide something, with the first place for each.
  struct Data {
    size_t parameter;
    Decider decider;
  };
  std::vector<Data> data;
};

// Follows values through registers, calls and memory; memory is told apart by arguments, windows and tensors
// that are created. May find more than there is. `unsettled`: the waits whose value depends on the schedule;
// null: all of them.
Flow flow_of(const interp::Code& entry, const std::set<const ir::Node*>* unsettled = nullptr);

}  // namespace tilewire::check
