// Rules that many ops share. Each reports violations at the offending operand and returns whether it held.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "ops/shape.h"

namespace tilewire::ops {

std::string name_of(ir::DType dtype);  // `pl.FP32`

// An operand as the program has it, for the help of an error that was reported there.
std::string written_at(const Diagnostic& d, const ir::OpCheck& c, std::string_view operand);

// A set of dtypes an op works on, with the words for it.
struct DTypeSet {
  bool (*holds)(ir::DType);
  const char* text;  // "integers and floats"
};
extern const DTypeSet numbers;           // integers and floats
extern const DTypeSet floats;            // floats
extern const DTypeSet integers;          // integers
extern const DTypeSet integers_or_bool;  // integers and BOOL
bool check_dtype(ir::OpCheck& c, std::string_view operand, ir::DType dtype, const DTypeSet& allowed);

// Reports that two operands have different dtypes, at the second.
bool check_same_dtype(ir::OpCheck& c, std::string_view a, std::string_view b);
// Reports shapes known to differ, at the second operand.
bool check_same_shape(ir::OpCheck& c, std::string_view a, std::string_view b);
// What a tile or tensor may hold: everything but task ids.
bool check_storage_dtype(ir::OpCheck& c, const char* what, ir::DType dtype);

// The list operand has `count` entries.
bool check_length(ir::OpCheck& c, std::string_view list, size_t count);
// A rank in range for every rank count: not a negative constant.
bool check_peer(ir::OpCheck& c, std::string_view peer);
// `members`, where it is given, has a first rank, a distance and a number of ranks.
bool check_members(ir::OpCheck& c);
// [offsets, offsets + extents) lies inside `shape` as far as constants tell. `offsets` names the list
// operand; the three lists have equal length.
bool check_region(ir::OpCheck& c, std::string_view offsets, const ir::ExprList& extents,
                  const ir::ExprList& shape);
// The regions that a call writes from tiles whose valid extent is their shape, as `is_whole` says, lie inside
// the tensors as far as constants tell. Rules cannot know the valid extent of a tile.
bool check_whole_tiles(const ir::Call& call, const std::function<bool(const ir::Expr&)>& is_whole,
                       Diagnostics& diags);
// The same where the extents are not known: the valid extent of a stored tile may be anything up to its
// shape.
bool check_starts(ir::OpCheck& c, std::string_view offsets, const ir::ExprList& shape);
// One cell or element at `offsets`: rank and bounds.
bool check_element(ir::OpCheck& c, std::string_view offsets, const ir::ExprList& shape);
// A scalar operand of exactly this dtype: the value of an element.
bool check_element_value(ir::OpCheck& c, std::string_view value, ir::DType dtype);

// The constant axis an int attribute names, negative ones counting from the end.
std::optional<size_t> checked_axis(ir::OpCheck& c, std::string_view attr, size_t rank);

// Positive constant extents of a tile from a list of any rank >= 1: all but the last two are 1 and dropped,
// a single one makes a row.
struct TileShape {
  int64_t rows, cols;
  ir::ExprRef rows_expr, cols_expr;
};
std::optional<TileShape> checked_tile_shape(ir::OpCheck& c, std::string_view list);
// A shape of a new tile: two positive constants.
std::optional<TileShape> checked_new_tile_shape(ir::OpCheck& c, std::string_view list);
// Extents of a new tensor: positive where constant.
bool check_tensor_shape(ir::OpCheck& c, std::string_view list);
// The valid extents, when given: as many as `shape` has, none known to be above it.
bool check_valid_shape(ir::OpCheck& c, std::string_view list, const ir::ExprList& shape);

// The region that a tile covers in a tensor of rank `rank`: its extents with leading ones, or only
// the columns for rank 1. Reports at `tile`.
std::optional<ir::ExprList> region_of_tile(ir::OpCheck& c, std::string_view tile, size_t rank);

// An integer operand normalised to INT32; constants that do not fit are reported, other values converted.
bool normalise_int32(ir::OpCheck& c, std::string_view operand);
// An INT32 window.
bool check_signal(ir::OpCheck& c, std::string_view signal);
// `atomic=Add` only on dtypes that have it.
bool check_atomic(ir::OpCheck& c, std::string_view operand);

// A list operand of `count` zeros.
ir::ExprRef zeros(size_t count, const Span& span);

}  // namespace tilewire::ops
