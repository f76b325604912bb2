// How each op of the language is written in the dialect: one row per op, found by the op's record.
//
// A row has the element types the op is written for, how its result is laid out in memory, and its
// translation, in words for docs/pto-ops.md. Families fill the table, each in its own file (rules_*.cpp).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/op.h"
#include "target/pto/tile_storage.h"

namespace tilewire::target::pto {

class FunctionEmitter;

// Element types as a set.
class DtypeSet {
 public:
  constexpr DtypeSet() = default;
  constexpr DtypeSet(std::initializer_list<ir::DType> dtypes) {
    for (ir::DType dtype : dtypes) bits_ |= bit(dtype);
  }
  constexpr bool holds(ir::DType dtype) const { return (bits_ & bit(dtype)) != 0; }
  constexpr DtypeSet operator|(DtypeSet other) const {
    DtypeSet both;
    both.bits_ = bits_ | other.bits_;
    return both;
  }
  std::string text() const;  // "INT8 INT16"; "any" for all that tiles may have

 private:
  static constexpr uint32_t bit(ir::DType dtype) { return uint32_t{1} << static_cast<int>(dtype); }
  uint32_t bits_ = 0;
};
inline constexpr DtypeSet floats{ir::DType::FP16, ir::DType::BF16, ir::DType::FP32};
inline constexpr DtypeSet small_integers{ir::DType::Int8,  ir::DType::Int16,  ir::DType::Int32,
                                         ir::DType::UInt8, ir::DType::UInt16, ir::DType::UInt32};
inline constexpr DtypeSet wide_integers{ir::DType::Int64, ir::DType::UInt64};
inline constexpr DtypeSet booleans{ir::DType::Bool};
// Those that can be in memory at all.
inline constexpr DtypeSet stored = floats | small_integers | wide_integers | booleans;

// Null `result`: nothing takes the result.
using Emit = void (*)(FunctionEmitter& e, const ir::Call& call, const ir::Var* result);

struct Rule {
  Emit emit = nullptr;  // null: the op cannot be written; `becomes` has the reason
  DtypeSet dtypes;      // of the tile or tensor it is about; empty: of no matter
  std::string becomes;
  ResultRule result;
  // Whether it makes bytes or packed masks for tiles of that element type; null: never.
  bool (*masks)(ir::DType) = nullptr;
};

class RuleTable {
 public:
  RuleTable();
  void add(const ir::Op& op, Rule rule);
  // Null when there is none.
  const Rule* find(const ir::Op& op) const {
    return rules_[op.index].emit || !rules_[op.index].becomes.empty() ? &rules_[op.index] : nullptr;
  }

 private:
  std::vector<Rule> rules_;
};

const RuleTable& rules();
// The element type a rule goes by: of the first tile among the operands, of the result, of the first tensor.
std::optional<ir::DType> dtype_of(const ir::Call& call);
// How the result of a call lies in memory.
ResultRule result_rule(const ir::Call& call, const TileSpaces& memory);

// An operand by the name of its parameter; null where it was left out.
ir::ExprRef operand(const ir::Call& call, std::string_view name);
// The value of an attribute, or its default; null where it has none.
const ir::AttrValue* attribute(const ir::Call& call, std::string_view name);
template <class E>
E enum_attribute(const ir::Call& call, std::string_view name) {
  return static_cast<E>(attribute(call, name)->get<ir::EnumValue>()->value);
}

void add_move_rules(RuleTable& table);
void add_elementwise_rules(RuleTable& table);
void add_reduce_rules(RuleTable& table);
void add_shape_rules(RuleTable& table);
void add_matrix_rules(RuleTable& table);
void add_sort_rules(RuleTable& table);
void add_signal_rules(RuleTable& table);
void add_remote_rules(RuleTable& table);
void add_pipe_rules(RuleTable& table);

}  // namespace tilewire::target::pto
