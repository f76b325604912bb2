// Conversions of tiles: the pairs of element types that the vector unit has, and chains of them for all
// others.
#pragma once

#include "ir/dtype.h"
#include "ir/enums.h"
#include "target/pto/emitter.h"

namespace tilewire::target::pto {

// What ops on elements of a type are computed with.
struct Domain {
  ir::DType dtype;      // of the values there
  std::string element;  // of the tiles
};
// Arithmetic: bf16 in f32, bytes in i16, everything else as it is.
Domain domain_of(ir::DType dtype);
// The same, but FP16 in f32: what adds up many elements.
Domain wide_domain_of(ir::DType dtype);

// Tiles as rows. `to` is written, and `from` is not read after `to` was first written.
void convert(FunctionEmitter& e, const Tile& from, ir::DType from_dtype, const Tile& to, ir::DType to_dtype,
             ir::RoundMode mode, const Span& at);
// A tile in its domain; the tile itself if it is in it already.
Tile widened(FunctionEmitter& e, const Tile& tile, ir::DType dtype, const Domain& domain, const Span& at);
// A result of the domain as elements of its type.
void narrowed(FunctionEmitter& e, const Tile& from, const Domain& domain, const Tile& to, ir::DType dtype,
              const Span& at);
// A scalar of that type in its domain.
Scalar widened(FunctionEmitter& e, const Scalar& scalar, ir::DType dtype, const Domain& domain);

// Integers without their sign, for ops that do not look at it: the same tile.
Tile signless(FunctionEmitter& e, const Tile& tile);
// Every element of the tile is the scalar, which has the tile's type.
void fill(FunctionEmitter& e, const Tile& to, const Scalar& value);
// The same with bits: any elements but those of 8 bytes that are not 0 or -1.
void fill_everywhere(FunctionEmitter& e, const Tile& to, int64_t bits);
// An op of a tile and a number of its type.
void with_number(FunctionEmitter& e, const std::string& op, const Tile& from, int64_t value, const Tile& to);
void with_real(FunctionEmitter& e, const std::string& op, const Tile& from, double value, const Tile& to);

}  // namespace tilewire::target::pto
