// When two pieces of IR mean the same.
//
// Names of variables, spans and ignored fields do not count; everything else does, names of parameters,
// functions, window buffers and dimensions included. Variables correspond one to one: the n-th one met on
// the left must take every place of the n-th one on the right, and both must have equal types; that covers
// definitions as well as variables the two trees use without defining them. Operands are compared in order
// (no op is taken to be commutative), floats by their bits. Views of different window buffers differ.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/nodes.h"

namespace tilewire::ir {

bool structurally_equal(const NodeRef& left, const NodeRef& right);
// The same, but a variable corresponds only to itself where neither tree defines it first.
bool identical_but_for_definitions(const NodeRef& left, const NodeRef& right);

// Equal for structurally equal nodes, in every process and on every machine.
uint64_t structural_hash(const NodeRef& node);

// Where the two first differ and how, for messages of tests: `functions[0].body.stmts[3].value.args[1]: ...`;
// empty when they are equal.
std::string first_difference(const NodeRef& left, const NodeRef& right);

// The values of a callee's dynamic dimensions in one call.
class DimBindings {
 public:
  // Binds `symbol` to `dim`; returns false only if it is already bound to another constant.
  bool unify(const DimSymbol& symbol, const ExprRef& dim);
  // Null when the symbol is not bound.
  const ExprRef* find(std::string_view name) const;

 private:
  std::vector<std::pair<Ref<const DimSymbol>, ExprRef>> bindings_;
};

// Whether a value of type `actual` can be passed where `annotation` is asked for. A window passes for a
// tensor; a window buffer or a tile's memory space left out on either side fits any; a dynamic dimension of
// the annotation matches any dimension, the same one throughout; a dimension computed from dynamic ones
// is left to the check at run time; strides left out fit any.
bool compatible(const TypeRef& annotation, const TypeRef& actual);
bool compatible(const TypeRef& annotation, const TypeRef& actual, DimBindings& bindings);

// Whether a value of type `actual` may become one of type `declared` by assignment, yield or return: as
// above, but a dynamic dimension is only equal to itself.
bool assignable(const TypeRef& declared, const TypeRef& actual);

}  // namespace tilewire::ir
