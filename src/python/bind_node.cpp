// What every bound class has in common: construction from Python arguments, properties, signature.
#include "python/bind_node.h"

#include <nanobind/stl/string.h>

#include "python/errors.h"
#include "python/op_call.h"
#include "python/signature.h"

namespace tilewire::python {
namespace {

[[noreturn]] void raise_type_error(const NodeClass& node_class, const std::string& what) {
  throw nb::type_error((node_class.text.name + ": " + what).c_str());
}

void set_field(const NodeClass& node_class, ir::Node& node, size_t index, nb::handle value) {
  const ir::ParamText& param = node_class.text.params[index];
  bool right = false;
  try {
    right = node_class.fields[index].set(node, value);
  } catch (const nb::builtin_exception& error) {
    throw nb::value_error(
        (node_class.text.name + ": argument `" + param.name + "`: " + error.what()).c_str());
  }
  if (!right) {
    raise_type_error(node_class, "argument `" + param.name + "` must be " + param.annotation + ", not " +
                                     given_type(value));
  }
}

Span span_from(const NodeClass& node_class, nb::handle value) {
  if (value.is_none()) return {};
  if (!nb::isinstance<Span>(value)) {
    raise_type_error(node_class, "argument `span` must be Span | None, not " + given_type(value));
  }
  return nb::cast<Span>(value);
}

// The arguments in the order of the fields; invalid where not given.
std::vector<nb::object> bind_arguments(const NodeClass& node_class, const nb::args& args,
                                       const nb::kwargs& kwargs, Span& span) {
  const auto& params = node_class.text.params;
  if (args.size() > params.size()) {
    raise_type_error(node_class, "takes at most " + std::to_string(params.size()) +
                                     " positional arguments, " + std::to_string(args.size()) + " were given");
  }
  std::vector<nb::object> bound(params.size());
  for (size_t i = 0; i < args.size(); ++i) bound[i] = nb::borrow(args[i]);
  for (auto [key, value] : kwargs) {
    std::string name = nb::cast<std::string>(key);
    if (name == "span") {
      span = span_from(node_class, value);
      continue;
    }
    size_t index = 0;
    while (index < params.size() && params[index].name != name) ++index;
    if (index == params.size()) raise_type_error(node_class, "has no argument `" + name + "`");
    if (bound[index].is_valid()) raise_type_error(node_class, "argument `" + name + "` is given twice");
    bound[index] = nb::borrow(value);
  }
  for (size_t i = 0; i < node_class.required; ++i) {
    if (!bound[i].is_valid()) raise_type_error(node_class, "missing argument `" + params[i].name + "`");
  }
  return bound;
}

nb::object signature_of(const NodeClass& node_class) {
  SignatureBuilder builder;
  Ref<ir::Node> sample = node_class.make_empty();
  for (size_t i = 0; i < node_class.fields.size(); ++i) {
    const ir::ParamText& param = node_class.text.params[i];
    nb::object default_value;
    if (i >= node_class.required) default_value = node_class.fields[i].get(*sample);
    builder.add(param.name, default_value, param.annotation);
  }
  builder.add("span", nb::none(), "Span | None", true);
  return builder.build("");
}

}  // namespace

nb::object construct(const NodeClass& node_class, const nb::args& args, const nb::kwargs& kwargs) {
  Span span;
  std::vector<nb::object> bound = bind_arguments(node_class, args, kwargs, span);
  if (node_class.kind == ir::kind_of<ir::Call>) return construct_call(bound, span);
  Ref<ir::Node> node = node_class.make_empty();
  node->span = std::move(span);
  for (size_t i = 0; i < bound.size(); ++i) {
    if (bound[i].is_valid()) set_field(node_class, *node, i, bound[i]);
  }
  try {
    return to_python(node_class.finish(std::move(node)));
  } catch (const ir::InvalidNode& error) {
    throw nb::value_error((node_class.text.name + ": " + error.what()).c_str());
  }
}

void complete_class(nb::handle python_class, const NodeClass& node_class) {
  set_node_class(node_class.kind, python_class);
  nb::object property = nb::module_::import_("builtins").attr("property");
  for (size_t i = 0; i < node_class.fields.size(); ++i) {
    const std::string& name = node_class.text.properties[i].name;
    auto read = [&node_class, i](const ir::Node& node) {
      if (!((node_class.kinds >> node.kind()) & 1)) {
        raise_type_error(node_class, "the object is of another class");
      }
      return node_class.fields[i].get(node);
    };
    nb::object getter = nb::cpp_function(read, nb::name(name.c_str()), nb::is_method());
    std::string doc = name + ": " + node_class.text.properties[i].annotation;
    nb::setattr(python_class, name.c_str(), property(getter, nb::none(), nb::none(), to_python(doc)));
  }
  nb::object signature = signature_of(node_class);
  nb::setattr(python_class, "__signature__", signature);
  nb::setattr(python_class, "__doc__",
              to_python(node_class.text.name + nb::cast<std::string>(nb::str(signature))));
}

}  // namespace tilewire::python
