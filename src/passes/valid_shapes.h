// The valid extents of each tile, as far as the kernel determines them.
//
// The valid extent belongs to a value, not to its type: loads of ragged ends state it, ops derive it from
// operands, stores obey it. Where it is known, a target need not carry it at run time; where two
// are equal, one loop does for both.
//
//     ValidShapes valid(kernel);
//     if (valid.of(*tile).is_full()) ...                    // rows and columns are those of the type
//     if (valid.of(*a).rows == valid.of(*b).rows) ...       // equal in every run
//     if (ExprRef n = valid.expression(valid.of(*a).rows))  // the one expression that it is
//     for (const ExtentPart& part : valid.parts(valid.of(*a).rows)) ...  // all that it is the smallest of
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "ir/nodes.h"
#include "ir/pointer_map.h"

namespace tilewire::passes {

// The valid extent of one dimension: `full_extent`, or a number that two extents share only if they are equal
// in every run.
using ExtentId = int;
inline constexpr ExtentId full_extent = -1;

struct ValidShape {
  ExtentId rows = full_extent, cols = full_extent;
  bool is_full() const { return *this == ValidShape{}; }
  bool operator==(const ValidShape&) const = default;
};

// One of those that an extent is the minimum of: a constant or an expression; where that is null, the extent
// of a dimension of a variable, which loops and branches change.
struct ExtentPart {
  ir::ExprRef expr;
  const ir::Var* var = nullptr;
  int dimension = 0;
};

// Numbers for extents. An extent is the minimum of a set of atoms: constants, expressions, and values that
// are known only at run time.
class Extents {
 public:
  // The extent that an op states for a dimension of a tile with `physical` elements in it.
  ExtentId stated(const ir::ExprRef& expr, int64_t physical);
  // Of the dimension of a value, both numbered by the caller: equal only to itself.
  ExtentId unknown(uint32_t value, int dimension);
  // Of what is valid in both.
  ExtentId meet(ExtentId a, ExtentId b);
  // Null if it is the minimum of several, if it is known only at run time, and for `full_extent`.
  ir::ExprRef expression(ExtentId extent) const;
  // The operands of the minimum; empty for `full_extent`. `vars`: by the numbers passed to unknown().
  std::vector<ExtentPart> parts(ExtentId extent, std::span<const ir::Var* const> vars) const;

 private:
  enum class Kind : uint8_t { Constant, Expression, Unknown, Combined };
  struct Atom {
    Kind kind;
    int64_t a, b;  // Unknown: value and dimension; Combined: two extents
    ir::ExprRef expr;
  };
  using Set = std::vector<int>;  // of atoms, ascending

  int atom(Kind kind, int64_t a, int64_t b, const ir::ExprRef& expr = nullptr);
  int64_t number_of(const ir::ExprRef& expr);
  ExtentId intern(Set set);
  void keep_smallest_constant(Set& set) const;

  std::vector<Atom> atoms_;
  std::map<std::tuple<Kind, int64_t, int64_t>, int> atom_numbers_;
  std::vector<Set> sets_;
  std::map<Set, ExtentId> set_numbers_;
  std::unordered_multimap<uint64_t, ir::ExprRef> expressions_;  // one of those that are identical, by hash
};

// What is known of tiles that come through a pipe: nothing, or that they are valid everywhere unless the
// kernel states otherwise after the pop.
enum class Popped : uint8_t { Unknown, Whole };

class ValidShapes {
 public:
  explicit ValidShapes(const ir::Function& kernel, Popped popped = Popped::Unknown);
  // Of a variable of tile type.
  const ValidShape& of(const ir::Expr& tile) const;
  // Of the tiles in a variable of any type: itself, or those of a tuple in their order.
  std::span<const ValidShape> tiles(const ir::Expr& var) const;
  ir::ExprRef expression(ExtentId extent) const { return extents_.expression(extent); }
  std::vector<ExtentPart> parts(ExtentId extent) const { return extents_.parts(extent, vars_); }

 private:
  friend class ValidWalk;
  struct Places {
    uint32_t first = 0, count = 0;
  };
  Extents extents_;
  ir::PointerMap<Places> places_;  // of variables
  std::vector<ValidShape> shapes_;
  std::vector<const ir::Var*> vars_;  // whose each of them is
};

}  // namespace tilewire::passes
