// What the values of a program are in the text: scalars, extents, tiles, tensors. All have a name there, %x,
// or are constants that get one when they are used.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/nodes.h"

namespace tilewire::target::pto {

// "f32"; empty where the dialect has no such elements. BOOL elements are bytes.
std::string element_text(ir::DType dtype);
// The type of a scalar: as that of elements, but BOOL is i1 and integers have no sign.
std::string scalar_text(ir::DType dtype);

// An integer, a float, an index or an i1.
struct Scalar {
  std::string name;                // empty for constants
  std::string type;                // "index", "i32", "f32"
  std::optional<int64_t> integer;  // the constant
  std::optional<double> real;

  bool constant() const { return integer || real; }
  bool operator==(const Scalar&) const = default;
};

// Of one dimension of a tile: an index.
using Extent = Scalar;

enum class Boxes : uint8_t { None, Rows, Columns };  // slayout

// A tile in memory, described by its type.
struct TileForm {
  ir::MemorySpace space = ir::MemorySpace::Vec;
  int64_t rows = 0, cols = 0;
  std::string element;
  bool col_major = false;
  Boxes boxes = Boxes::None;
  int fractal = 512;
  int pad = 0;

  bool operator==(const TileForm&) const = default;
  int64_t bytes() const;
};
int64_t element_bytes(const std::string& element);

struct Tile {
  std::string name;
  std::string memory;  // the name of its alloc_tile: views of one tile share it
  TileForm form;
  Extent rows, cols;  // the valid extent
  // The rows and columns of its type, where it is a tile of the program: no extent of such a tile is larger.
  int64_t most_rows = 0, most_cols = 0;
  // Whether the type leaves the valid extent to run time, `valid=?x?`.
  bool dynamic = false;
  bool mask = false;  // of BOOL: packed bits instead of bytes
  // Of a sum in Acc that started as zeros: whether anything was added, an i1. Nothing: it holds what it
  // should.
  std::optional<Scalar> started;

  std::string type() const;
  bool column() const { return form.col_major && form.boxes == Boxes::None; }
};
// The defaults of a tile of that form.
std::string tile_type(const TileForm& form, const Extent& rows, const Extent& cols, bool dynamic);

// A tensor in global memory.
struct Tensor {
  std::string pointer;
  ir::DType dtype = ir::DType::FP32;
  std::vector<Scalar> extents, strides;  // index values; strides in elements
  ir::Layout layout = ir::Layout::ND;
  int parameter = -1;  // of the kernel that it is (a part of); -1: its own
  std::string view;    // the name of its `make_tensor_view`; empty: none so far
};

}  // namespace tilewire::target::pto
