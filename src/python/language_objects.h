// The Python objects for the names of `pl` and `pld`.
#pragma once

#include <string>
#include <vector>

#include "python/convert.h"

namespace tilewire::python {

// `pl.tile.add`, or `pl.add`, which means one of several ops.
struct OpFunction {
  std::string path;  // "pl.tile.add"
  std::vector<const ir::Op*> candidates;
};

// `pl.range`: a name that has a meaning only in program text.
struct LanguageForm {
  std::string path;
  std::string signature;  // as after `def name`; empty: not a function
  bool in_class_body = false;
};

// `pl.Tensor`: a subscript of it is an ir.Type (or, for pl.Out and pl.InOut, a DirectedType).
struct TypeForm {
  enum Kind { Tensor, DistributedTensor, Tile, Scalar, Array, Tuple, Out, InOut } kind;
  std::string path;
  std::string usage;  // "pl.Tile[[rows, cols], dtype]"
};

// `pl.Out[T]`.
struct DirectedType {
  ir::Direction direction;
  ir::TypeRef type;
};

nb::object subscript(const TypeForm& form, nb::handle index);
// "pl.tile" for a module made by language_names, "" for any other.
std::string language_path(nb::handle object);

}  // namespace tilewire::python
