// Loops that poll cells (abi::Api::poll): the looks of their iterations, and whether they repeat themselves.
//
// An iteration has no effect except its carried values, so if they equal those of an earlier one, everything
// since then repeats until one of the cells looked at changes. Which earlier one: the last whose number,
// counted from the beginning or the last change, is a power of two (Brent), so one state is kept for each
// loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "abi/abi.h"

namespace tilewire::runtime {

// A look of a polling loop: continuing makes sense when `cell cmp value` holds.
struct Look {
  const int32_t* cell = nullptr;
  uint32_t* word = nullptr;  // of the cell's region: non-zero while a fiber is parked there
  int32_t value = 0;
  uint32_t cmp = 0;
  uint32_t site = 0;
  abi::LookKind kind = abi::LookKind::Read;
};

class Polls {
 public:
  void look(const Look& look) { looks_.push_back(look); }
  // A loop at this depth begins to announce its looks.
  void begin(std::span<const abi::Word> carried, uint32_t depth);
  // Ends an iteration: returns the looks that repeat, empty if it does not repeat itself. Valid until the
  // next call.
  std::span<Look> end_round(std::span<const abi::Word> carried, uint32_t depth);
  // One of these has changed.
  void changed(uint32_t depth);

 private:
  struct Loop {
    std::vector<abi::Word> carried;
    size_t first_look = 0;
    uint64_t rounds = 0, power = 1;
    bool begun = false;
  };
  // Drops duplicates; the first comes first.
  void drop_repeated(size_t first);

  std::vector<Loop> loops_;  // by depth
  std::vector<Look> looks_;
};

}  // namespace tilewire::runtime
