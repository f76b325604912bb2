// Enumerations that programs, generated code and the runtime share by their numbers, and what they mean.
//
// The IR has its own classes for them, with names for text and Python; ir/abi_numbers.h checks that the
// numbers agree.
#pragma once

#include <cstdint>

namespace tilewire::abi {

// The most ranks a run may have: they are numbered from 0.
inline constexpr int32_t most_ranks = 1 << 16;

// The type of an element in memory.
enum class ElementType : uint8_t {
  Bool,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  FP16,
  BF16,
  FP32,
  FP8E4M3FN,
  FP8E5M2,
  Int4,
  Index,
  TaskId,
};

// How `pl.print` writes an element, and the size of the corner of a tile that it shows.
enum class PrintFormat : uint8_t { Float, Signed, Unsigned, Bool };
inline constexpr int64_t print_rows = 4, print_cols = 8;

// What a notify does to its cell.
enum class NotifyKind : uint32_t { Add, Set };

// How a wait or a test compares its cell with the expected value.
enum class Compare : uint32_t { Eq, Ge, Ne, Gt, Lt, Le };

constexpr bool holds(Compare compare, int64_t value, int64_t expected) {
  switch (compare) {
    case Compare::Eq:
      return value == expected;
    case Compare::Ge:
      return value >= expected;
    case Compare::Ne:
      return value != expected;
    case Compare::Gt:
      return value > expected;
    case Compare::Lt:
      return value < expected;
    case Compare::Le:
      return value <= expected;
  }
  return false;
}

// Holds exactly where the other does not.
constexpr Compare opposite(Compare compare) {
  constexpr Compare opposites[] = {Compare::Ne, Compare::Lt, Compare::Eq,
                                   Compare::Le, Compare::Ge, Compare::Gt};
  return opposites[static_cast<uint32_t>(compare)];
}

// ">=", as it is written.
constexpr const char* sign(Compare compare) {
  constexpr const char* signs[] = {"==", ">=", "!=", ">", "<", "<="};
  return static_cast<uint32_t>(compare) < 6 ? signs[static_cast<uint32_t>(compare)] : "?";
}

}  // namespace tilewire::abi
