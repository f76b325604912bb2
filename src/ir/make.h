// Making nodes and asking what they are. Included by nodes.h.
#pragma once

#include "ir/nodes.h"

namespace tilewire::ir {
namespace detail {

template <class T, class List>
struct KindOf;
template <class T, class... N>
struct KindOf<T, TypeList<N...>> {
  static constexpr NodeKind index() {
    NodeKind i = 0;
    bool found = ((std::is_same_v<T, N> ? true : (++i, false)) || ...);
    return found ? i : NodeKind{255};
  }
  // One bit per kind whose class is T or derives from it.
  static constexpr uint64_t mask() {
    uint64_t bits = 0;
    int i = 0;
    ((bits |= std::is_base_of_v<T, N> ? uint64_t{1} << i : 0, ++i), ...);
    static_assert(sizeof...(N) <= 64);
    return bits;
  }
};

}  // namespace detail

template <class T>
inline constexpr NodeKind kind_of = detail::KindOf<T, AllNodes>::index();
template <class T>
inline constexpr uint64_t kinds_of = detail::KindOf<T, AllNodes>::mask();

template <class T>
bool isa(const Node& node) {
  return (kinds_of<T> >> node.kind()) & 1;
}
template <class T, class U>
bool isa(const Ref<U>& node) {
  return node && isa<T>(*node);
}

// The node as a T, or null: also when `node` is null.
template <class T>
const T* as(const Node* node) {
  return node && isa<T>(*node) ? static_cast<const T*>(node) : nullptr;
}
template <class T, class U>
const T* as(const Ref<U>& node) {
  return as<T>(static_cast<const Node*>(node.get()));
}

// A new reference to a node reached by pointer.
template <class T>
Ref<const T> ref(const T* node) {
  return Ref<const T>(node);
}

// A node with default fields, still writable; seal it with `finish_node`.
template <class T>
Ref<T> make_empty() {
  static_assert(kind_of<T> != 255, "add the class to AllNodes");
  Ref<T> node(new T);
  node->kind_ = kind_of<T>;
  return node;
}

// Completes a node whose fields are set. Throws InvalidNode.
template <class T>
Ref<const T> finish_node(Ref<T> node) {
  if constexpr (requires(T & t) { t.finish(); }) node->finish();
  return node;
}

// A writable copy of one node (children shared), for mutators.
template <class T>
Ref<T> copy(const T& node) {
  Ref<T> result(new T(node));
  result->kind_ = kind_of<T>;
  return result;
}

template <class T, class... Values>
Ref<const T> make(Span span, Values&&... values) {
  Ref<T> node = make_empty<T>();
  node->span = std::move(span);
  constexpr auto list = T::fields();
  static_assert(sizeof...(Values) <= std::tuple_size_v<decltype(list)>, "more values than fields");
  auto set = [&]<size_t... I>(std::index_sequence<I...>, auto&& tuple) {
    ((node.get()->*std::get<I>(list).member = std::get<I>(std::move(tuple))), ...);
  };
  set(std::index_sequence_for<Values...>{}, std::forward_as_tuple(std::forward<Values>(values)...));
  return finish_node(std::move(node));
}

// Shorthands for what is made most often.
Ref<const ConstInt> const_index(int64_t value, Span span = {});
// The value of an INDEX or other integer constant.
std::optional<int64_t> constant_value(const ExprRef& expr);
inline std::optional<DType> scalar_dtype(const TypeRef& type) {
  const auto* scalar = as<ScalarType>(type);
  return scalar ? std::optional(scalar->dtype) : std::nullopt;
}

}  // namespace tilewire::ir
