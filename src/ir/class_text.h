// What the Python class of an IR node looks like, as text: its name, base, constructor and properties, all
// from T::fields(). The bindings turn it into real signatures and the stub writer prints it, so the two
// cannot differ. Knows nothing of Python's C interface.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "ir/attr.h"
#include "ir/enums.h"
#include "ir/fields.h"

namespace tilewire::ir {

struct ParamText {
  std::string name;
  std::string annotation;
  std::string default_text;  // a Python expression; empty: the argument must be given
};

struct ClassText {
  std::string name;
  std::string base;
  std::vector<ParamText> params;      // of the constructor, without the keyword `span`
  std::vector<ParamText> properties;  // annotation is the type of the value read
};

// A field of several values.
template <class V>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;

// The type of the value read from a field of type M.
template <class M>
std::string value_annotation() {
  if constexpr (std::is_same_v<M, bool>) {
    return "bool";
  } else if constexpr (std::is_same_v<M, int64_t>) {
    return "int";
  } else if constexpr (std::is_same_v<M, double>) {
    return "float";
  } else if constexpr (std::is_same_v<M, std::string>) {
    return "str";
  } else if constexpr (std::is_same_v<M, DType>) {
    return "DType";
  } else if constexpr (std::is_enum_v<M>) {
    return std::string(info(EnumIdOf<M>::id).name);
  } else if constexpr (std::is_same_v<M, AttrList>) {
    return "dict[str, Any]";
  } else if constexpr (std::is_same_v<M, const Op*>) {
    return "Op";
  } else if constexpr (is_optional<M>) {
    return value_annotation<typename M::value_type>() + " | None";
  } else if constexpr (is_list<M>) {
    return "tuple[" + value_annotation<typename M::value_type>() + ", ...]";
  } else {
    static_assert(is_node_ref<M>, "a field of this type needs a Python form");
    return std::string(class_name<NodeClassOf<M>>);
  }
}

// What a constructor takes for it.
template <class M>
std::string argument_annotation() {
  if constexpr (std::is_same_v<M, ExprRef>) {
    return "Expr | int | float";
  } else if constexpr (std::is_same_v<M, AttrList>) {
    return "Mapping[str, Any]";
  } else if constexpr (std::is_same_v<M, const Op*>) {
    return "Op | str";
  } else if constexpr (is_optional<M>) {
    return argument_annotation<typename M::value_type>() + " | None";
  } else if constexpr (is_list<M>) {
    return "Sequence[" + argument_annotation<typename M::value_type>() + "]";
  } else {
    return value_annotation<M>();
  }
}

// The default of a field as Python writes it.
template <class M>
std::string default_text(const M& value) {
  if constexpr (std::is_same_v<M, bool>) {
    return value ? "True" : "False";
  } else if constexpr (std::is_same_v<M, int64_t>) {
    return std::to_string(value);
  } else if constexpr (std::is_same_v<M, double>) {
    return float_text(value);
  } else if constexpr (std::is_same_v<M, std::string>) {
    // As repr() has it for the plain texts that defaults are.
    return "'" + value + "'";
  } else if constexpr (std::is_same_v<M, DType>) {
    return "pl." + std::string(info(value).name);
  } else if constexpr (std::is_same_v<M, AttrList>) {
    return "{}";
  } else if constexpr (std::is_enum_v<M>) {
    return to_string(enum_value(value));
  } else if constexpr (is_optional<M>) {
    return value ? default_text(*value) : "None";
  } else if constexpr (is_list<M>) {
    return "()";
  } else {
    return "None";
  }
}

template <class T>
using FamilyOf = std::conditional_t<std::is_base_of_v<Type, T>, Type,
                                    std::conditional_t<std::is_base_of_v<Expr, T>, Expr, Node>>;

namespace detail {

template <class T, class Best, class List>
struct Nearest;
template <class T, class Best>
struct Nearest<T, Best, TypeList<>> {
  using type = Best;
};
template <class T, class Best, class First, class... Rest>
struct Nearest<T, Best, TypeList<First, Rest...>>
    : Nearest<T, std::conditional_t<std::is_base_of_v<First, T> && !std::is_same_v<First, T>, First, Best>,
              TypeList<Rest...>> {};

}  // namespace detail

// The nearest class above T that Python knows too: another node class, or Type, Expr, Stmt, Node.
template <class T>
using NearestBase =
    typename detail::Nearest<T, std::conditional_t<std::is_base_of_v<Stmt, T>, Stmt, FamilyOf<T>>,
                             AllNodes>::type;

template <class T>
ClassText class_text() {
  ClassText text{std::string(class_name<T>), std::string(class_name<NearestBase<T>>), {}, {}};
  auto sample = make_empty<T>();
  size_t index = 0;
  auto add = [&](const auto& field) {
    using M = std::remove_cvref_t<decltype(sample.get()->*field.member)>;
    bool required = index++ < required_fields<T>();
    bool nullable = is_node_ref<M> && !required;
    std::string argument = argument_annotation<M>(), value = value_annotation<M>();
    if constexpr (std::is_same_v<T, Call> && std::is_same_v<M, ExprList>) {
      argument = "Sequence[Any]";  // literals and nested lists are bound as they are in text
      value = "tuple[Expr | None, ...]";
    }
    // A type that is derived when left out is there when read.
    bool value_nullable = nullable && !std::is_same_v<M, TypeRef>;
    text.params.push_back({field.name, argument + (nullable ? " | None" : ""),
                           required ? "" : default_text(sample.get()->*field.member)});
    text.properties.push_back({field.name, value + (value_nullable ? " | None" : ""), ""});
  };
  std::apply([&](const auto&... field) { (add(field), ...); }, T::fields());
  return text;
}

}  // namespace tilewire::ir
