// Programs as native code on this machine's cores.
#pragma once

#include "driver/execute/targets.h"

namespace tilewire::driver {

const CompiledTarget& cpu_target();

}  // namespace tilewire::driver
