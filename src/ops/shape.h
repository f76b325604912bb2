// Extents, shapes and the types made of them: the vocabulary of type rules.
#pragma once

#include <optional>
#include <string>

#include "ir/op.h"

namespace tilewire::ops {

// Whether two integer expressions are known to be equal, known to differ, or only known at run time.
enum class Known : uint8_t { Equal, Different, Unknown };
Known compare(const ir::ExprRef& a, const ir::ExprRef& b);
inline bool may_equal(const ir::ExprRef& a, const ir::ExprRef& b) {
  return compare(a, b) != Known::Different;
}
// Equal rank and no dimension known to differ.
bool may_equal(const ir::ExprList& a, const ir::ExprList& b);

// `[16, NR]`.
std::string shape_text(const ir::ExprList& shape);

// Product of the extents when all are constant and it fits.
std::optional<int64_t> element_count(const ir::ExprList& shape);
// Bytes of that many elements, rounded up for dtypes below one byte; empty if it overflows.
std::optional<int64_t> byte_count(int64_t elements, ir::DType dtype);

// `a * b` of integer expressions, folded when both are constants, without a multiplication by one.
ir::ExprRef product(const ir::ExprRef& a, const ir::ExprRef& b);
// `a + b`, folded likewise.
ir::ExprRef sum(const ir::ExprRef& a, const ir::ExprRef& b);
// `x` converted by pl.scalar.cast; `x` itself when it has that dtype already.
ir::ExprRef scalar_cast(const ir::ExprRef& x, ir::DType dtype);

// What a tile and a tensor have in common.
struct Shaped {
  const ir::ExprList* shape;
  ir::DType dtype;
  bool is_tile;
};
std::optional<Shaped> shaped(const ir::ExprRef& expr);

ir::TypeRef tile_type(int64_t rows, int64_t cols, ir::DType dtype,
                      std::optional<ir::MemorySpace> memory = std::nullopt);
ir::TypeRef tensor_type(ir::ExprList shape, ir::DType dtype);
// A new value of `shape` and `dtype`, a tile or a tensor like `model`.
ir::TypeRef value_type(bool is_tile, ir::ExprList shape, ir::DType dtype);
// The type of a value computed element by element from operands like `type`: the same without the memory,
// strides or window of the operand. Shares `type` where it can.
ir::TypeRef computed_type(const ir::TypeRef& type);
// The type of a view of `source` with another shape and view, still of the same window if it is of one.
ir::TypeRef view_type(const ir::TensorType& source, ir::ExprList shape, ir::TensorViewRef view);

// Strides of a tensor in elements, those of a dense one computed from its shape.
ir::ExprList strides_of(const ir::TensorType& type);

}  // namespace tilewire::ops
