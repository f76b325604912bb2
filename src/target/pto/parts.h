// Parts of tiles, bit by bit, and elements one at a time where nothing faster is sure to work.
#pragma once

#include <functional>

#include "target/pto/emitter.h"

namespace tilewire::target::pto {

// Tiles whose elements move as integers of the same width, so that no bit changes.
Tile as_bits(FunctionEmitter& e, const Tile& tile);
// Copies `part` to a place in `whole`, or the other way; of `part` what is valid.
void put_part(FunctionEmitter& e, const Tile& part, const Tile& whole, const Scalar& row, const Scalar& col);
void take_part(FunctionEmitter& e, const Tile& whole, const Tile& part, const Scalar& row, const Scalar& col);

// One row of a tile, in place.
Tile row_of(FunctionEmitter& e, const Tile& whole, const Scalar& row);

// A tile in Mat of [r, c] seen as [c, r].
Tile turned(FunctionEmitter& e, const Tile& tile);
// A column into the first column of a wider tile, which is all that is valid of it, and back.
void widen_column(FunctionEmitter& e, const Tile& column, const Tile& wide);
void narrow_column(FunctionEmitter& e, const Tile& wide, const Tile& column);

// The elements of a tile by row and column, as the language counts them.
Scalar get_element(FunctionEmitter& e, const Tile& tile, const Scalar& row, const Scalar& col);
void set_element(FunctionEmitter& e, const Tile& tile, const Scalar& row, const Scalar& col,
                 const Scalar& value);
// A loop: `body` is called once, with the counter.
void each(FunctionEmitter& e, const Scalar& count, const char* hint,
          const std::function<void(const Scalar&)>& body);
void each_element(FunctionEmitter& e, const Extent& rows, const Extent& cols,
                  const std::function<void(const Scalar& row, const Scalar& col)>& body);

}  // namespace tilewire::target::pto
