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
#include "ir/nodes.h"

namespace tilewire::python {

struct ParamText {
  std::string name;
  std::string annotation;
  std::string default_text;  // a Python expression; empty: the argument must be given
};

struct ClassText {
  std::string name;
  std::string base;
  std::vector<ParamText> params;      // of the constructor, without the keyword `span`
  std::vector<ParamText> properties;  // annotation is what reading one gives
};

namespace detail {

// `tilewire::ir::ConstInt` -> `ConstInt`, from the compiler's own spelling of this function.
template <class T>
constexpr std::string_view spelled() {
  std::string_view text = __PRETTY_FUNCTION__;
  size_t begin = text.find("T = ") + 4;
  text = text.substr(begin, text.find_first_of(";]", begin) - begin);
  return text.substr(text.rfind(':') + 1);
}

template <class T>
inline constexpr bool is_ref = false;
template <class T>
inline constexpr bool is_ref<Ref<T>> = true;
template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class E>
std::string enum_name() {
  return std::string(ir::info(ir::EnumIdOf<E>::id).name);
}

}  // namespace detail

template <class T>
std::string class_name() {
  return std::string(detail::spelled<T>());
}

// What reading a field of type M gives.
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
  } else if constexpr (std::is_same_v<M, ir::DType>) {
    return "DType";
  } else if constexpr (std::is_enum_v<M>) {
    return detail::enum_name<M>();
  } else if constexpr (std::is_same_v<M, ir::AttrList>) {
    return "dict[str, Any]";
  } else if constexpr (std::is_same_v<M, const ir::Op*>) {
    return "Op";
  } else if constexpr (detail::is_optional<M>) {
    return value_annotation<typename M::value_type>() + " | None";
  } else if constexpr (detail::is_vector<M>) {
    return "tuple[" + value_annotation<typename M::value_type>() + ", ...]";
  } else {
    static_assert(detail::is_ref<M>, "a field of this type needs a Python form");
    return class_name<std::remove_const_t<typename M::element_type>>();
  }
}

// What a constructor takes for it.
template <class M>
std::string argument_annotation() {
  if constexpr (std::is_same_v<M, ir::ExprRef>) {
    return "Expr | int | float";
  } else if constexpr (std::is_same_v<M, ir::AttrList>) {
    return "Mapping[str, Any]";
  } else if constexpr (std::is_same_v<M, const ir::Op*>) {
    return "Op | str";
  } else if constexpr (detail::is_optional<M>) {
    return argument_annotation<typename M::value_type>() + " | None";
  } else if constexpr (detail::is_vector<M>) {
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
    return ir::float_text(value);
  } else if constexpr (std::is_same_v<M, std::string>) {
    // As repr() has it for the plain texts that defaults are.
    return "'" + value + "'";
  } else if constexpr (std::is_same_v<M, ir::DType>) {
    return "pl." + std::string(ir::info(value).name);
  } else if constexpr (std::is_same_v<M, ir::AttrList>) {
    return "{}";
  } else if constexpr (std::is_enum_v<M>) {
    return to_string(ir::enum_value(value));
  } else if constexpr (detail::is_optional<M>) {
    return value ? default_text(*value) : "None";
  } else if constexpr (detail::is_vector<M>) {
    return "()";
  } else {
    return "None";
  }
}

template <class T>
using FamilyOf = std::conditional_t<std::is_base_of_v<ir::Type, T>, ir::Type,
                                    std::conditional_t<std::is_base_of_v<ir::Expr, T>, ir::Expr, ir::Node>>;

namespace detail {

template <class T, class Best, class List>
struct Nearest;
template <class T, class Best>
struct Nearest<T, Best, ir::TypeList<>> {
  using type = Best;
};
template <class T, class Best, class First, class... Rest>
struct Nearest<T, Best, ir::TypeList<First, Rest...>>
    : Nearest<T, std::conditional_t<std::is_base_of_v<First, T> && !std::is_same_v<First, T>, First, Best>,
              ir::TypeList<Rest...>> {};

}  // namespace detail

// The nearest class above T that Python knows too: another node class, or Type, Expr, Stmt, Node.
template <class T>
using NearestBase =
    typename detail::Nearest<T, std::conditional_t<std::is_base_of_v<ir::Stmt, T>, ir::Stmt, FamilyOf<T>>,
                             ir::AllNodes>::type;

template <class T>
ClassText class_text() {
  ClassText text{class_name<T>(), class_name<NearestBase<T>>(), {}, {}};
  auto sample = ir::make_empty<T>();
  size_t index = 0;
  auto add = [&](const auto& field) {
    using M = std::remove_cvref_t<decltype(sample.get()->*field.member)>;
    bool required = index++ < ir::required_fields<T>();
    bool nullable = detail::is_ref<M> && !required;
    std::string argument = argument_annotation<M>(), value = value_annotation<M>();
    if constexpr (std::is_same_v<T, ir::Call> && std::is_same_v<M, ir::ExprList>) {
      argument = "Sequence[Any]";  // literals and nested lists are bound as they are in text
      value = "tuple[Expr | None, ...]";
    }
    // A type that is derived when left out is there when read.
    bool value_nullable = nullable && !std::is_same_v<M, ir::TypeRef>;
    text.params.push_back({field.name, argument + (nullable ? " | None" : ""),
                           required ? "" : default_text(sample.get()->*field.member)});
    text.properties.push_back({field.name, value + (value_nullable ? " | None" : ""), ""});
  };
  std::apply([&](const auto&... field) { (add(field), ...); }, T::fields());
  return text;
}

}  // namespace tilewire::python
