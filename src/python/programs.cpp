// What only programs can do, and the functions of tilewire.ir.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "ir/printer.h"
#include "ir/serialize.h"
#include "ir/structural.h"
#include "ir/verifier.h"
#include "ops/registry.h"
#include "python/bind_module.h"
#include "python/convert.h"
#include "python/errors.h"
#include "python/html.h"

namespace tilewire::python {
namespace {

template <class F>
void add_method(nb::handle python_class, const char* name, F method, const char* doc = "") {
  nb::setattr(python_class, name, nb::cpp_function(method, nb::name(name), nb::is_method(), doc));
}

std::string function_names(const ir::Program& program) {
  std::string names;
  for (const ir::FunctionRef& function : program.functions)
    names += (names.empty() ? "" : ", ") + function->name;
  return names.empty() ? "it has none" : "it has " + names;
}

void add_program_methods(nb::handle program_class) {
  add_method(program_class, "__getitem__", [](const ir::Program& program, const std::string& name) {
    ir::FunctionRef function = program.find(name);
    if (!function) {
      throw nb::key_error(("the program has no function `" + name + "`; " + function_names(program)).c_str());
    }
    return to_python(function);
  });
  add_method(program_class, "__getattr__", [](const ir::Program& program, const std::string& name) {
    ir::FunctionRef function = program.find(name);
    if (!function) {
      throw nb::attribute_error(
          ("the program has no function or attribute `" + name + "`; " + function_names(program)).c_str());
    }
    return nb::module_::import_("tilewire._running").attr("Entry")(nb::find(program), to_python(name));
  });
  add_method(program_class, "__dir__", [](nb::handle self) {
    nb::list names(nb::module_::import_("builtins").attr("object").attr("__dir__")(self));
    const auto& program = nb::cast<const ir::Program&>(self);
    for (const ir::FunctionRef& function : program.functions) names.append(to_python(function->name));
    return names;
  });
  add_method(program_class, "_repr_html_",
             [](const ir::Program& program) { return to_python(html_of(ir::as_python(ir::ref(&program)))); });
}

nb::object deserialize(const nb::bytes& bytes) {
  std::string_view view(bytes.c_str(), bytes.size());
  Diagnostics diags;
  ir::NodeRef node;
  {
    nb::gil_scoped_release release;
    node = ir::from_bytes(view, ops::registry(), diags);
    if (auto program = ir::ref(ir::as<ir::Program>(node)); program && !ir::verify(*program, diags))
      node = nullptr;
  }
  if (!node) raise_program_error(diags);
  return to_python(node);
}

ir::NodeRef required_node(nb::handle object) {
  ir::NodeRef node = node_from(object);
  if (!node) throw nb::type_error(("a node is needed, not " + given_type(object)).c_str());
  return node;
}

nb::object find_op(const std::string& name) {
  const ir::Op* op = ops::registry().find(name);
  if (!op) throw nb::value_error(("unknown op `" + name + "`").c_str());
  return nb::cast(op, nb::rv_policy::reference);
}

}  // namespace

void bind_programs(nb::module_& module) {
  add_program_methods(module.attr("Program"));
  module.def("source_html", [](const nb::bytes& text) {
    return to_python(html_of(std::string_view(text.c_str(), text.size())));
  });
  module.def("deserialize", deserialize, nb::arg("data"));
  module.def("structural_equal", [](nb::handle a, nb::handle b) {
    return ir::structurally_equal(required_node(a), required_node(b));
  });
  module.def("structural_hash", [](nb::handle node) { return ir::structural_hash(required_node(node)); });
  module.def("first_difference", [](nb::handle a, nb::handle b) {
    return ir::first_difference(required_node(a), required_node(b));
  });
  module.def("op", find_op, nb::arg("name"));
  module.def("ops", [] {
    nb::list all;
    for (const ir::Op& op : ops::registry().all()) all.append(nb::cast(&op, nb::rv_policy::reference));
    return all;
  });
}

}  // namespace tilewire::python
