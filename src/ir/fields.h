// Loops over the fields of nodes and over the classes of the IR.
//
// Everything that treats all nodes alike is written with these and the field lists of nodes.h:
//
//     dispatch(node, [&](const auto& typed) {                       // typed: const If&, const Call&, ...
//       for_each_field(typed, [&](const auto& field, const auto& value) {
//         if (field.role != FieldRole::Ignored) ...                 // field: name, role; value: the member
//       });
//     });
//
// `value` has one of the types named in node.h; tell them apart with `if constexpr` and the traits below.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "ir/nodes.h"

namespace tilewire::ir {

// The maximum depth of nodes from a program to a leaf. Walks recurse, so the reader of serialised IR and
// the verifier reject anything deeper; parsed programs are far less deep.
inline constexpr int max_depth = 1000;

// --- traits of field values -------------------------------------------------------------------------------

namespace detail {

template <class V>
struct NodeRefTraits : std::false_type {};
template <class T>
requires std::is_base_of_v<Node, T>
struct NodeRefTraits<Ref<const T>> : std::true_type {
  using Class = T;
};
template <class V>
struct NodeListTraits : std::false_type {};
template <class T>
struct NodeListTraits<std::vector<Ref<const T>>> : NodeRefTraits<Ref<const T>> {};

template <class V>
struct OptionalTraits : std::false_type {};
template <class T>
struct OptionalTraits<std::optional<T>> : std::true_type {
  using Value = T;
};

}  // namespace detail

// A Ref to a node, and the class it points to.
template <class V>
inline constexpr bool is_node_ref = detail::NodeRefTraits<V>::value;
// A vector of Refs to nodes.
template <class V>
inline constexpr bool is_node_list = detail::NodeListTraits<V>::value;
template <class V>
inline constexpr bool is_optional = detail::OptionalTraits<V>::value;
// The T of a Ref<const T> or of a vector of them.
template <class V>
using NodeClassOf =
    typename std::conditional_t<is_node_ref<V>, detail::NodeRefTraits<V>, detail::NodeListTraits<V>>::Class;
// An enumeration of enums.h.
template <class V>
concept LanguageEnum = std::is_enum_v<V> && requires {
  EnumIdOf<V>::id;
};

// --- classes ----------------------------------------------------------------------------------------------

namespace detail {

template <class List>
struct ListSize;
template <class... T>
struct ListSize<TypeList<T...>> {
  static constexpr size_t value = sizeof...(T);
};

// Extracted from the compiler's own text for a template argument, so there is no separate list of names.
template <class T>
constexpr std::string_view class_name() {
  std::string_view text = __PRETTY_FUNCTION__;
  size_t begin = text.find("T = ") + 4;
  size_t end = text.find_first_of(";]", begin);
  std::string_view name = text.substr(begin, end - begin);
  size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

template <class... T>
constexpr auto class_names(TypeList<T...>) {
  return std::array<std::string_view, sizeof...(T)>{class_name<T>()...};
}

template <class F, class... T>
decltype(auto) dispatch(const Node& node, F& f, TypeList<T...>) {
  using First = std::tuple_element_t<0, std::tuple<T...>>;
  using Result = decltype(f(std::declval<const First&>()));
  using Entry = Result (*)(const Node&, F&);
  static constexpr Entry table[] = {
      [](const Node& n, F& g) -> Result { return g(static_cast<const T&>(n)); }...};
  return table[node.kind()](node, f);
}

template <class F, class... T>
decltype(auto) dispatch_kind(NodeKind kind, F& f, TypeList<T...>) {
  using First = std::tuple_element_t<0, std::tuple<T...>>;
  using Result = decltype(f(std::type_identity<First>{}));
  using Entry = Result (*)(F&);
  static constexpr Entry table[] = {[](F& g) -> Result { return g(std::type_identity<T>{}); }...};
  return table[kind](f);
}

}  // namespace detail

inline constexpr size_t kind_count = detail::ListSize<AllNodes>::value;

// The name of a class: "ConstInt".
template <class T>
inline constexpr std::string_view class_name = detail::class_name<T>();
inline std::string_view kind_name(NodeKind kind) {
  static constexpr auto names = detail::class_names(AllNodes{});
  return kind < kind_count ? names[kind] : std::string_view("?");
}
inline std::string_view kind_name(const Node& node) {
  return kind_name(node.kind());
}

// Calls f with the node as its concrete class. All calls must return the same type.
template <class F>
decltype(auto) dispatch(const Node& node, F&& f) {
  return detail::dispatch(node, f, AllNodes{});
}

// Calls f(std::type_identity<T>) with the class of a kind, which must be below kind_count.
template <class F>
decltype(auto) dispatch_kind(NodeKind kind, F&& f) {
  return detail::dispatch_kind(kind, f, AllNodes{});
}

// --- fields -----------------------------------------------------------------------------------------------

template <class T>
inline constexpr size_t field_count = std::tuple_size_v<decltype(T::fields())>;

// f(field, value) for each field in list order. T must be the exact class of the node, as from `dispatch`:
// Var and TensorType have fields and also subclasses with more of them.
template <class T, class F>
void for_each_field(T& node, F&& f) {
  constexpr auto list = std::remove_const_t<T>::fields();
  std::apply([&](const auto&... field) { (f(field, node.*field.member), ...); }, list);
}
// The same until f returns false; returns whether all calls returned true.
template <class T, class F>
bool all_fields(const T& node, F&& f) {
  constexpr auto list = T::fields();
  return std::apply([&](const auto&... field) { return (f(field, node.*field.member) && ...); }, list);
}

// f(child, role) for each Ref among the fields and their lists, null ones included, in field order. The
// child is a Ref to the class the field is declared with. T may be a base class.
template <class T, class F>
void for_each_child(const T& node, F&& f) {
  auto children = [&](const auto& exact) {
    for_each_field(exact, [&](const auto& field, const auto& value) {
      using V = std::remove_cvref_t<decltype(value)>;
      if constexpr (is_node_ref<V>) {
        f(value, field.role);
      } else if constexpr (is_node_list<V>) {
        for (const auto& element : value) f(element, field.role);
      }
    });
  };
  if constexpr (std::is_final_v<T>) {
    children(node);
  } else {
    dispatch(node, children);
  }
}

}  // namespace tilewire::ir
