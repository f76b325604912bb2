// Values between Python and C++: nodes, enums, dtypes, attributes, op arguments.
//
// One node has one Python object while that object lives; the object holds one reference to the node. The
// `..._from` functions return false or null for an object of the wrong type and raise only for a value that
// can never be right, such as an integer beyond 64 bits.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "ir/attr.h"
#include "ir/class_text.h"
#include "ir/op.h"
#include "passes/traits.h"

namespace tilewire::python {

namespace nb = nanobind;

// The Python class of a kind of node; set once, when the module is made, which also keeps it alive.
void set_node_class(ir::NodeKind kind, nb::handle python_class);
// Makes the Python enumerations and dtypes from the tables and puts them into the module.
void make_enumerations(nb::module_& module);
nb::handle enumeration(ir::EnumId id);

nb::object to_python(const ir::NodeRef& node);  // None for null
nb::object to_python(ir::EnumValue value);
nb::object to_python(ir::DType dtype);
nb::object to_python(const ir::AttrValue& value);
nb::object to_python(std::string_view text);

ir::NodeRef node_from(nb::handle object);
std::optional<ir::EnumValue> enum_from(nb::handle object);
std::optional<ir::DType> dtype_from(nb::handle object);
// Any object with __index__ except bools and enum members.
bool int_from(nb::handle object, int64_t& value);
bool float_from(nb::handle object, double& value);
bool string_from(nb::handle object, std::string& value);
// An expression, or a number as the constant it is in text.
ir::ExprRef expr_from(nb::handle object);
std::optional<ir::AttrValue> attr_from(nb::handle object);
bool attrs_from(nb::handle object, ir::AttrList& attrs);  // a dict
// An op, or its name; raises for a name no op has.
bool op_from(nb::handle object, const ir::Op*& op);
// An argument of an op; false for an object no program could hold.
bool op_argument_from(nb::handle object, ir::OpArgument& argument);

// `int`, `numpy.ndarray`: how messages name what was given.
std::string given_type(nb::handle object);

// A field of type M: the object for its value, and the reverse conversion.
template <class M>
struct FieldValue {
  static nb::object get(const M& value) {
    if constexpr (std::is_same_v<M, bool>) {
      return nb::bool_(value);
    } else if constexpr (std::is_same_v<M, int64_t>) {
      return nb::int_(value);
    } else if constexpr (std::is_same_v<M, double>) {
      return nb::float_(value);
    } else if constexpr (std::is_same_v<M, ir::AttrList>) {
      nb::dict result;
      for (const auto& [name, entry] : value) result[to_python(name)] = to_python(entry);
      return result;
    } else if constexpr (std::is_same_v<M, const ir::Op*>) {
      return value ? nb::cast(value, nb::rv_policy::reference) : nb::none();
    } else if constexpr (ir::is_optional<M>) {
      return value ? FieldValue<typename M::value_type>::get(*value) : nb::none();
    } else if constexpr (ir::is_list<M>) {
      nb::list list;
      for (const auto& element : value) list.append(FieldValue<typename M::value_type>::get(element));
      return nb::tuple(list);
    } else if constexpr (std::is_enum_v<M> && !std::is_same_v<M, ir::DType>) {
      return to_python(ir::enum_value(value));
    } else {
      return to_python(value);
    }
  }

  static bool set(nb::handle object, M& value) {
    if constexpr (std::is_same_v<M, bool>) {
      value = object.ptr() == Py_True;
      return PyBool_Check(object.ptr());
    } else if constexpr (std::is_same_v<M, int64_t>) {
      return int_from(object, value);
    } else if constexpr (std::is_same_v<M, double>) {
      return float_from(object, value);
    } else if constexpr (std::is_same_v<M, std::string>) {
      return string_from(object, value);
    } else if constexpr (std::is_same_v<M, ir::DType>) {
      auto dtype = dtype_from(object);
      if (dtype) value = *dtype;
      return dtype.has_value();
    } else if constexpr (std::is_enum_v<M>) {
      auto member = enum_from(object);
      if (!member || member->id != ir::EnumIdOf<M>::id) return false;
      value = static_cast<M>(member->value);
      return true;
    } else if constexpr (std::is_same_v<M, ir::AttrList>) {
      return attrs_from(object, value);
    } else if constexpr (std::is_same_v<M, const ir::Op*>) {
      return op_from(object, value);
    } else if constexpr (ir::is_optional<M>) {
      if (object.is_none()) return true;
      return FieldValue<typename M::value_type>::set(object, value.emplace());
    } else if constexpr (ir::is_list<M>) {
      return set_list(object, value);
    } else if constexpr (std::is_same_v<M, ir::ExprRef>) {
      value = expr_from(object);
      return value != nullptr || object.is_none();
    } else {
      static_assert(ir::is_node_ref<M>);
      using T = std::remove_const_t<typename M::element_type>;
      ir::NodeRef node = node_from(object);
      if (!node) return object.is_none();
      value = ir::ref(ir::as<T>(node));
      return value != nullptr;
    }
  }

 private:
  // A list or tuple; None is not an element.
  static bool set_list(nb::handle object, M& value) {
    if (!PyList_Check(object.ptr()) && !PyTuple_Check(object.ptr())) return false;
    for (nb::handle item : nb::borrow<nb::object>(object)) {
      if (item.is_none() || !FieldValue<typename M::value_type>::set(item, value.emplace_back()))
        return false;
    }
    return true;
  }
};

// The keyword `split` of compile and check: "auto", "fused" or "split".
passes::KernelSplit split_option(nanobind::handle value);

}  // namespace tilewire::python
