// Called regularly while programs run; may end the run by throwing, after which the world that was running is
// unusable.
#pragma once

#include <cstdint>

namespace tilewire::interp {

class Pulse {
 public:
  virtual ~Pulse() = default;
  // At least once in some thousand instructions.
  virtual void beat() = 0;

  uint64_t runs = 0, steps = 0;  // counted by the caller of the worlds
};

}  // namespace tilewire::interp
