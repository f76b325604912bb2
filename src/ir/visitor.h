// Walking over IR.
//
//     struct CountCalls : Visitor<CountCalls> {
//       int calls = 0;
//       void visit(const Call& call) {
//         ++calls;
//       walk_children(call);        // without this line, the children of the call are not visited
//       }
//     };
//     CountCalls counter;
//     counter.walk(program);
//
// `visit` is a public overload set of Derived for the classes it cares about; an overload for a base class
// (`const Expr&`, `const Var&`) handles classes without a closer one. All other nodes have their children
// walked in field order. A definition and every use of a Var are visited alike, a shared node once per
// place. Types are walked only if Derived has `static constexpr bool into_types = true`.
#pragma once

#include "ir/fields.h"

namespace tilewire::ir {

template <class Derived>
class Visitor {
 public:
  static constexpr bool into_types = false;

  // A null reference is skipped.
  template <class T>
  void walk(const Ref<const T>& node) {
    if (node) walk(static_cast<const Node&>(*node));
  }
  void walk(const Node& node) {
    dispatch(node, [&](const auto& typed) { visit_or_descend(typed); });
  }

  template <class T>
  void walk_children(const T& node) {
    for_each_child(node, [&](const auto& child, FieldRole) {
      using C = NodeClassOf<std::remove_cvref_t<decltype(child)>>;
      if constexpr (Derived::into_types || !std::is_base_of_v<Type, C>) walk(child);
    });
  }

 private:
  template <class T>
  void visit_or_descend(const T& node) {
    if constexpr (requires(Derived & derived) { derived.visit(node); }) {
      static_cast<Derived*>(this)->visit(node);
    } else {
      walk_children(node);
    }
  }
};

}  // namespace tilewire::ir
