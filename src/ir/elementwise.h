// What an op computes per element, and how it iterates over elements. Interpreter, folding and targets share
// these: an op whose record has both needs no entry in any of them.
#pragma once

#include <cstdint>

namespace tilewire::ir {

// The arithmetic of one element, or of a scalar. For a reduction: how two elements are combined.
enum class Elementwise : uint8_t {
  None,
  // two operands
  Add,
  Sub,
  Mul,
  Div,
  Rem,
  Max,
  Min,
  And,
  Or,
  Xor,
  Shl,
  Shr,
  // two scalars
  FloorDiv,
  Mod,
  Pow,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  // one operand
  Neg,
  Abs,
  Not,
  Relu,
  Recip,
  Sqrt,
  Exp,
  Log,
  Rsqrt,
  Sin,
  Cos,
  Tanh,
  Sigmoid,
};

constexpr bool is_binary(Elementwise op) {
  return op >= Elementwise::Add && op <= Elementwise::Ge;
}
constexpr bool is_unary(Elementwise op) {
  return op >= Elementwise::Neg;
}
constexpr bool is_comparison(Elementwise op) {
  return op >= Elementwise::Eq && op <= Elementwise::Ge;
}

// How an op on tiles or whole tensors iterates over their elements. Ops without a form are scalars, views,
// element access and communication, or have their own way to work on tiles.
enum class OpForm : uint8_t {
  None,
  Map,        // element by element, all operands of the result's shape
  MapRow,     // the second operand is a column [.., r, 1], repeated over the columns of the result
  MapCol,     // the second operand is a row [.., 1, c], repeated over its rows
  ExpandRow,  // the only operand is such a column
  ExpandCol,  // the only operand is such a row
  ReduceRow,  // [.., r, c] to [.., r, 1]
  ReduceCol,  // [.., r, c] to [.., 1, c]
  ArgRow,     // the same as ReduceRow, returning a position
  Fill,       // new, every element the same
  Count,      // new, counting along an axis
  Create,     // new, undefined
  Concat,
  Gather,
  Scatter,   // writes its first operand
  Assemble,  // writes its first operand
  Matmul,
  MatmulBias,
  MatmulAcc,  // writes its first operand
  BatchMatmul,
  Load,   // a region of a tensor as a tile
  Store,  // a tile into a region of a tensor
  Same,   // the operand itself under another type
};

// The role of an op on tiles in a loop over rows that several ops share.
enum class Fusion : uint8_t {
  None,         // reads its tiles from memory and writes its results there
  Elementwise,  // an element of the result from an element of each operand
  Generator,    // elements from their position
  RowReduce,    // a row to one element
  ColReduce,    // all rows to one
  Load,
  Store,
  Same,
};

constexpr Fusion fusion_of(OpForm form) {
  switch (form) {
    case OpForm::Map:
    case OpForm::MapRow:
    case OpForm::MapCol:
    case OpForm::ExpandRow:
    case OpForm::ExpandCol:
      return Fusion::Elementwise;
    case OpForm::ReduceRow:
    case OpForm::ArgRow:
      return Fusion::RowReduce;
    case OpForm::ReduceCol:
      return Fusion::ColReduce;
    case OpForm::Fill:
    case OpForm::Count:
      return Fusion::Generator;
    case OpForm::Load:
      return Fusion::Load;
    case OpForm::Store:
      return Fusion::Store;
    case OpForm::Same:
      return Fusion::Same;
    default:
      return Fusion::None;
  }
}

}  // namespace tilewire::ir
