// The parts of every IR class: a kind, a source span and one list of fields.
//
// The field list is the only description of a class. The visitor, mutator, structural equality and hash,
// serialisation, dump, verifier scopes and the Python class are all derived from it (see fields.h for the
// loop over it), so a new field is one line here and nothing elsewhere:
//
//     struct Yield final : Stmt {
//       std::vector<ExprRef> values;
//       static constexpr auto fields() { return std::tuple{use("values", &Yield::values)}; }
//     };
//
// A field is one of: bool, int64_t, double, std::string, std::optional of those, DType, an enum of enums.h,
// AttrList, const Op*, a Ref to a node (null where absent), a vector of int64_t, a vector of Refs (elements
// of Call::args may be null). Construct with make<T>(span, values of the first fields in list order...); the
// rest keep the defaults of their initialisers. A class may have `void finish()`: it completes derived
// members and throws InvalidNode for a value no program may hold. `static constexpr size_t required` is the
// number of leading fields that every maker must pass (default 1, see required_fields); the others have
// defaults a maker may rely on, so a field appended later breaks no caller.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "support/ref.h"
#include "support/source.h"

namespace tilewire::ir {

enum class FieldRole : uint8_t {
  Use,      // a child, a list of children or a value; counts for equality
  Def,      // variables defined here, visible to what follows this node
  Bind,     // variables defined here, visible only inside this node
  Attr,     // a compile-time value; counts; printed and read as a keyword where the node's text is a call
  Ignored,  // spans and name hints: does not count
};

template <class C, class T>
struct Field {
  const char* name;
  T C::*member;
  FieldRole role;
};

template <class C, class T>
constexpr Field<C, T> use(const char* name, T C::*member) {
  return {name, member, FieldRole::Use};
}
template <class C, class T>
constexpr Field<C, T> def(const char* name, T C::*member) {
  return {name, member, FieldRole::Def};
}
template <class C, class T>
constexpr Field<C, T> bind(const char* name, T C::*member) {
  return {name, member, FieldRole::Bind};
}
template <class C, class T>
constexpr Field<C, T> attr(const char* name, T C::*member) {
  return {name, member, FieldRole::Attr};
}
template <class C, class T>
constexpr Field<C, T> ignored(const char* name, T C::*member) {
  return {name, member, FieldRole::Ignored};
}

template <class T>
constexpr size_t required_fields() {
  constexpr size_t count = std::tuple_size_v<decltype(T::fields())>;
  if constexpr (requires { T::required; }) {
    static_assert(T::required <= count);
    return T::required;
  } else {
    return count < 1 ? count : 1;
  }
}

// Thrown for a value that no node of the class may hold: an empty name, a non-positive count, a null base.
struct InvalidNode : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

using NodeKind = uint8_t;  // index into AllNodes (nodes.h)

class Node : public RefCounted {
 public:
  NodeKind kind() const { return kind_; }
  Span span;

 private:
  template <class T, class... Values>
  friend Ref<const T> make(Span span, Values&&... values);
  template <class T>
  friend Ref<T> copy(const T& node);
  template <class T>
  friend Ref<T> make_empty();
  NodeKind kind_ = 0;
};

using NodeRef = Ref<const Node>;

}  // namespace tilewire::ir
