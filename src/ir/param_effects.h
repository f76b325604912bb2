// What a kernel does to each of its parameters, as Function::effects records it: "read, read+write, -".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewire::ir {

// The numbers are those of abi::AccessBits.
enum EffectBits : uint8_t {
  EffectReads = 1,         // this rank's copy
  EffectWrites = 2,        // this rank's copy
  EffectAtomic = 4,        // all of its writes are atomic updates
  EffectCommunicates = 8,  // signals, waits on or updates a cell of it, or touches a peer's copy
};

// One entry per parameter.
using ParamEffects = std::vector<uint8_t>;

std::string to_text(const ParamEffects& effects);
// Empty if the text has no such record.
std::optional<ParamEffects> param_effects(std::string_view text);

}  // namespace tilewire::ir
