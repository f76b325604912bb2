// How much of each tile is in use, where that is known when a kernel is compiled.
//
// The valid extent belongs to a value, not to its type: loads of ragged ends say it, ops derive it from their
// operands, stores obey it. Where it is known, a target need not carry it along at run time.
//
//     ValidShapes valid(kernel);
//     if (valid.of(*tile).is_full()) ...      // rows and columns are those of the type
#pragma once

#include "ir/nodes.h"
#include "ir/pointer_map.h"

namespace tilewire::passes {

// One dimension of a tile.
struct ValidExtent {
  enum class Kind : uint8_t {
    Full,     // all of it
    Known,    // `extent`, an expression over variables that are in scope where the tile is defined
    Unknown,  // only the value itself knows
  };
  Kind kind = Kind::Full;
  ir::ExprRef extent;
};

struct ValidShape {
  ValidExtent rows, cols;
  bool is_full() const {
    return rows.kind == ValidExtent::Kind::Full && cols.kind == ValidExtent::Kind::Full;
  }
};

class ValidShapes {
 public:
  explicit ValidShapes(const ir::Function& kernel);
  // Of a variable of tile type.
  const ValidShape& of(const ir::Expr& tile) const;

 private:
  friend class ValidWalk;
  ir::PointerMap<uint32_t> places_;
  std::vector<ValidShape> shapes_;
};

}  // namespace tilewire::passes
