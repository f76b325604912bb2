// The target `pto`: text for the PTO assembler. It runs nothing.
#pragma once

#include "driver/execute/targets.h"

namespace tilewire::driver {

const Target& pto_target();

}  // namespace tilewire::driver
