// The Python class of every IR class, made from its field list.
//
// bind_node<T> makes what needs T: the class, and one getter and one setter per field. Everything else
// (constructor, signature, errors) is ordinary code over that table, so a class costs little to compile.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "ir/class_text.h"
#include "python/bind_module.h"
#include "python/convert.h"

namespace tilewire::python {

struct FieldAccess {
  nb::object (*get)(const ir::Node& node);
  bool (*set)(ir::Node& node, nb::handle value);  // false: wrong type
};

struct NodeClass {
  ir::ClassText text;
  std::vector<FieldAccess> fields;
  size_t required = 0;
  ir::NodeKind kind = 0;
  uint64_t kinds = 0;  // of T and its subclasses
  Ref<ir::Node> (*make_empty)() = nullptr;
  ir::NodeRef (*finish)(Ref<ir::Node> node) = nullptr;
};

// A new node from the arguments of a constructor call. Raises TypeError and ValueError.
nb::object construct(const NodeClass& node_class, const nb::args& args, const nb::kwargs& kwargs);
// Properties, signature and documentation of the class.
void complete_class(nb::handle python_class, const NodeClass& node_class);

template <class T>
NodeClass describe_node() {
  NodeClass result{
      ir::class_text<T>(), {}, ir::required_fields<T>(), ir::kind_of<T>, ir::kinds_of<T>, {}, {}};
  result.make_empty = [] { return Ref<ir::Node>(ir::make_empty<T>()); };
  result.finish = [](Ref<ir::Node> node) {
    return ir::NodeRef(ir::finish_node<T>(Ref<T>(static_cast<T*>(node.get()))));
  };
  constexpr size_t count = std::tuple_size_v<decltype(T::fields())>;
  [&]<size_t... I>(std::index_sequence<I...>) {
    (result.fields.push_back({[](const ir::Node& node) {
                                const auto& value =
                                    static_cast<const T&>(node).*std::get<I>(T::fields()).member;
                                return FieldValue<std::remove_cvref_t<decltype(value)>>::get(value);
                              },
                              [](ir::Node& node, nb::handle object) {
                                auto& value = static_cast<T&>(node).*std::get<I>(T::fields()).member;
                                return FieldValue<std::remove_cvref_t<decltype(value)>>::set(object, value);
                              }}),
     ...);
  }
  (std::make_index_sequence<count>{});
  return result;
}

template <class T>
void bind_node(nb::module_& module) {
  static const NodeClass node_class = describe_node<T>();
  nb::class_<T, ir::NearestBase<T>> python_class(module, node_class.text.name.c_str());
  python_class.def(
      nb::new_([](nb::args args, nb::kwargs kwargs) { return construct(node_class, args, kwargs); }));
  complete_class(python_class, node_class);
}

// Every class of the list whose family (Type, Expr, or Node for all others) is Family.
template <class Family, class... N>
void bind_family(nb::module_& module, ir::TypeList<N...>) {
  auto bind_one = [&]<class T>() {
    if constexpr (std::is_same_v<ir::FamilyOf<T>, Family>) bind_node<T>(module);
  };
  (bind_one.template operator()<N>(), ...);
}

}  // namespace tilewire::python
