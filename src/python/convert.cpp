#include "python/convert.h"

#include <nanobind/stl/string.h>

#include <array>

#include "ops/registry.h"

namespace tilewire::python {
namespace {

// Borrowed: the module owns them, so that nothing outlives the interpreter.
std::array<PyObject*, 64> node_classes{};
std::vector<PyObject*> enum_classes;
std::vector<std::vector<PyObject*>> enum_members;
PyObject* dtype_class = nullptr;
std::vector<PyObject*> dtype_members;
PyObject* enumeration_base = nullptr;

nb::object new_enumeration(nb::handle base, std::string_view name,
                           const std::vector<std::string_view>& members, const char* module) {
  nb::list pairs;
  for (size_t i = 0; i < members.size(); ++i) pairs.append(nb::make_tuple(to_python(members[i]), i));
  using namespace nb::literals;
  return base(to_python(name), pairs, "module"_a = module, "qualname"_a = to_python(name));
}

std::vector<PyObject*> members_of(nb::handle python_class) {
  std::vector<PyObject*> members;
  for (nb::handle member : nb::borrow<nb::object>(python_class)) members.push_back(member.ptr());
  return members;
}

int index_in(const std::vector<PyObject*>& list, nb::handle object) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i] == object.ptr()) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

void set_node_class(ir::NodeKind kind, nb::handle python_class) {
  node_classes[kind] = python_class.ptr();
}

void make_enumerations(nb::module_& module) {
  nb::module_ bases = nb::module_::import_("tilewire._enums");
  nb::object base = bases.attr("Enumeration");
  enumeration_base = base.ptr();
  nb::dict enumerations;
  enum_classes.clear();
  enum_members.clear();
  for (const ir::EnumInfo& info : ir::all_enums()) {
    std::vector<std::string_view> names;
    for (const ir::EnumMember& member : info.members) names.push_back(member.name);
    const char* home = info.module == "pl"    ? "tilewire.language"
                       : info.module == "pld" ? "tilewire.language.distributed"
                                              : "tilewire.ir";
    nb::object made = new_enumeration(base, info.name, names, home);
    enum_classes.push_back(made.ptr());
    enum_members.push_back(members_of(made));
    for (size_t i = 0; i < names.size(); ++i) {
      ir::EnumValue value{info.id, static_cast<uint8_t>(i)};
      nb::setattr(enum_members.back()[i], "text", to_python(to_string(value)));
    }
    enumerations[to_python(info.name)] = made;
  }
  std::vector<std::string_view> names;
  for (const ir::DTypeInfo& info : ir::all_dtypes()) names.push_back(info.name);
  nb::object dtypes = new_enumeration(bases.attr("DTypeBase"), "DType", names, "tilewire.language");
  nb::setattr(dtypes, "__doc__", to_python("An element type, such as pl.FP32."));
  dtype_class = dtypes.ptr();
  dtype_members = members_of(dtypes);
  for (size_t i = 0; i < names.size(); ++i) {
    nb::setattr(dtype_members[i], "bits", nb::int_(ir::all_dtypes()[i].bits));
  }
  module.attr("enumerations") = enumerations;
  module.attr("Enumeration") = base;
  module.attr("DType") = dtypes;
}

nb::handle enumeration(ir::EnumId id) {
  return enum_classes[static_cast<size_t>(id)];
}

nb::object to_python(std::string_view text) {
  // Names come from program text, which may hold any bytes.
  return nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

nb::object to_python(const ir::NodeRef& node) {
  if (!node) return nb::none();
  if (nb::object known = nb::find(*node)) return known;
  auto* raw = const_cast<ir::Node*>(node.get());
  raw->retain();
  nb::capsule owner(raw, [](void* p) noexcept { static_cast<const ir::Node*>(p)->release(); });
  return nb::inst_reference(node_classes[node->kind()], raw, owner);
}

nb::object to_python(ir::EnumValue value) {
  return nb::borrow(enum_members[static_cast<size_t>(value.id)][value.value]);
}

nb::object to_python(ir::DType dtype) {
  return nb::borrow(dtype_members[static_cast<size_t>(dtype)]);
}

nb::object to_python(const ir::AttrValue& value) {
  struct Maker {
    nb::object operator()(bool b) const { return nb::bool_(b); }
    nb::object operator()(int64_t i) const { return nb::int_(i); }
    nb::object operator()(double d) const { return nb::float_(d); }
    nb::object operator()(const std::string& s) const { return to_python(std::string_view(s)); }
    nb::object operator()(ir::DType d) const { return to_python(d); }
    nb::object operator()(ir::EnumValue e) const { return to_python(e); }
    nb::object operator()(const ir::AttrValueList& list) const {
      nb::list result;
      for (const ir::AttrValue& element : list) result.append(to_python(element));
      return result;
    }
  };
  return std::visit(Maker{}, value.value);
}

ir::NodeRef node_from(nb::handle object) {
  if (!nb::isinstance<ir::Node>(object)) return nullptr;
  return ir::NodeRef(nb::cast<const ir::Node*>(object));
}

std::optional<ir::EnumValue> enum_from(nb::handle object) {
  for (size_t id = 0; id < enum_classes.size(); ++id) {
    if (reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())) != enum_classes[id]) continue;
    int index = index_in(enum_members[id], object);
    if (index >= 0) return ir::EnumValue{static_cast<ir::EnumId>(id), static_cast<uint8_t>(index)};
  }
  return std::nullopt;
}

std::optional<ir::DType> dtype_from(nb::handle object) {
  int index = index_in(dtype_members, object);
  if (index < 0) return std::nullopt;
  return static_cast<ir::DType>(index);
}

bool int_from(nb::handle object, int64_t& value) {
  PyObject* p = object.ptr();
  if (PyBool_Check(p) || !PyIndex_Check(p) || PyObject_IsInstance(p, enumeration_base) == 1) return false;
  nb::object number = nb::steal(PyNumber_Index(p));
  // Arrays have __index__ too; those with more than one element refuse.
  if (!number.is_valid()) {
    PyErr_Clear();
    return false;
  }
  int overflow = 0;
  value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow) throw nb::value_error("an integer does not fit 64 bits");
  return true;
}

bool float_from(nb::handle object, double& value) {
  PyObject* p = object.ptr();
  int64_t integer = 0;
  if (int_from(object, integer)) {
    value = static_cast<double>(integer);
    return true;
  }
  bool number = PyFloat_Check(p);
  if (!number) {
    // The scalar floats of NumPy are not Python floats, except float64.
    PyNumberMethods* methods = Py_TYPE(p)->tp_as_number;
    number = methods && methods->nb_float && !methods->nb_index && !PyObject_HasAttrString(p, "__len__") &&
             !PyComplex_Check(p) && !PyBool_Check(p);
  }
  if (!number) return false;
  value = PyFloat_AsDouble(p);
  if (PyErr_Occurred()) {
    PyErr_Clear();
    return false;
  }
  return true;
}

bool string_from(nb::handle object, std::string& value) {
  if (!PyUnicode_Check(object.ptr())) return false;
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(object.ptr(), &size);
  if (!text) {
    PyErr_Clear();
    throw nb::value_error("a string holds a lone surrogate");
  }
  value.assign(text, static_cast<size_t>(size));
  return true;
}

ir::ExprRef expr_from(nb::handle object) {
  if (ir::NodeRef node = node_from(object)) return ir::ref(ir::as<ir::Expr>(node));
  if (PyBool_Check(object.ptr())) return ir::make<ir::ConstBool>(Span{}, object.ptr() == Py_True);
  int64_t integer = 0;
  if (int_from(object, integer)) return ir::const_index(integer);
  double number = 0;
  if (float_from(object, number)) return ir::make<ir::ConstFloat>(Span{}, number);
  return nullptr;
}

std::optional<ir::AttrValue> attr_from(nb::handle object) {
  if (PyBool_Check(object.ptr())) return ir::AttrValue{object.ptr() == Py_True};
  if (auto member = enum_from(object)) return ir::AttrValue{*member};
  if (auto dtype = dtype_from(object)) return ir::AttrValue{*dtype};
  int64_t integer = 0;
  if (int_from(object, integer)) return ir::AttrValue{integer};
  double number = 0;
  if (float_from(object, number)) return ir::AttrValue{number};
  std::string text;
  if (string_from(object, text)) return ir::AttrValue{std::move(text)};
  if (!PyList_Check(object.ptr()) && !PyTuple_Check(object.ptr())) return std::nullopt;
  ir::AttrValueList list;
  for (nb::handle item : nb::borrow<nb::object>(object)) {
    auto element = attr_from(item);
    if (!element) return std::nullopt;
    list.push_back(std::move(*element));
  }
  return ir::AttrValue{std::move(list)};
}

bool attrs_from(nb::handle object, ir::AttrList& attrs) {
  if (!PyDict_Check(object.ptr())) return false;
  for (auto [key, item] : nb::borrow<nb::dict>(object)) {
    auto& [name, value] = attrs.emplace_back();
    auto converted = attr_from(item);
    if (!converted || !string_from(key, name)) return false;
    value = std::move(*converted);
  }
  return true;
}

bool op_from(nb::handle object, const ir::Op*& op) {
  std::string name;
  if (nb::isinstance<ir::Op>(object)) {
    op = nb::cast<const ir::Op*>(object);
    return true;
  }
  if (!string_from(object, name)) return false;
  op = ops::registry().find(name);
  if (!op) throw nb::value_error(("unknown op `" + name + "`").c_str());
  return true;
}

bool op_argument_from(nb::handle object, ir::OpArgument& argument) {
  if (object.is_none()) return true;
  if (ir::NodeRef node = node_from(object)) {
    ir::ExprRef expr = ir::ref(ir::as<ir::Expr>(node));
    if (!expr) return false;
    argument.span = expr->span;
    argument.value = std::move(expr);
    return true;
  }
  if (PyList_Check(object.ptr()) || PyTuple_Check(object.ptr())) {
    std::vector<ir::OpArgument> list;
    for (nb::handle item : nb::borrow<nb::object>(object)) {
      if (!op_argument_from(item, list.emplace_back())) return false;
    }
    argument.value = std::move(list);
    return true;
  }
  auto value = attr_from(object);
  if (value) argument.value = std::move(*value);
  return value.has_value();
}

std::string given_type(nb::handle object) {
  nb::object type = nb::borrow(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())));
  std::string name = nb::cast<std::string>(type.attr("__qualname__"));
  std::string module = nb::cast<std::string>(nb::str(nb::getattr(type, "__module__", nb::str(""))));
  return module.empty() || module == "builtins" ? name : module + "." + name;
}

passes::KernelSplit split_option(nb::handle value) {
  std::string text;
  if (!nb::try_cast(value, text)) {
    PyErr_Format(PyExc_TypeError, "split must be a str, got %R", value.ptr());
    throw nb::python_error();
  }
  if (auto split = passes::kernel_split(text)) return *split;
  throw nb::value_error(("split must be \"auto\", \"fused\" or \"split\", got \"" + text + "\"").c_str());
}

}  // namespace tilewire::python
