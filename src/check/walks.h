// In what parts a program takes the sizes that its caller chooses: tiles of a dimension, steps of a loop up
// to a scalar argument. Sizes that make every loop over parts go round more than once follow from that.
//
//     Walks walks = walks_of(*lowered, "main");
//     walks.parts[i]              // {64, 128}: loops and accesses take 64 or 128 elements of inputs[i] at a
//     time walks.deciding.find(&loop)  // which inputs decide how often it goes round
#pragma once

#include <bitset>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/nodes.h"

namespace tilewire::check {

struct Walks {
  struct Input {
    enum class Kind : uint8_t { Dimension, Scalar, Ranks };
    Kind kind;
    std::string name;  // of a dimension or a parameter of the entry
    bool operator==(const Input&) const = default;
  };
  // Positions in `inputs`; those past the last bit share it.
  using Inputs = std::bitset<64>;

  std::vector<Input> inputs;
  std::vector<std::set<int64_t>> parts;  // per input, larger than 1: steps, divisors, extents of accesses
  // Of `for` loops and launches, those whose number of rounds or blocks is not the same for all inputs.
  std::unordered_map<const ir::Node*, Inputs> deciding;

  // Empty for an input that there is not.
  std::set<int64_t> parts_of(const Input& input) const;
  Inputs bit_of(const Input& input) const;
};

// Of `lowered`, which was made of `written`. Follows scalars through variables, calls and types, not through
// memory. Parts are those that the source takes.
Walks walks_of(const ir::Program& lowered, const ir::Program& written, std::string_view entry);

}  // namespace tilewire::check
