// Told now and then that programs still run, and may end that by throwing; the world that was running is then
// of no use any more.
#pragma once

#include <cstdint>

namespace tilewire::interp {

class Pulse {
 public:
  virtual ~Pulse() = default;
  // At least once in some thousand instructions.
  virtual void beat() = 0;

  uint64_t runs = 0, steps = 0;  // counted by whoever drives the worlds
};

}  // namespace tilewire::interp
