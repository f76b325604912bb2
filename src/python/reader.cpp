// Program text to IR, with Python as the host that free names are asked of.
#include <nanobind/stl/string.h>

#include "frontend/frontend.h"
#include "python/array_types.h"
#include "python/bind_module.h"
#include "python/errors.h"
#include "python/language_objects.h"

namespace tilewire::python {
namespace {

// One reading. What is not an `Exception` (an interrupt, an exit) stops it and is raised from it.
struct Reading {
  std::optional<nb::python_error> error;
  nb::list taken;  // (reader, expression, value) of everything that was asked of Python
};

frontend::HostValue host_value(nb::handle object, Reading& reading);

// Names are evaluated by a Python callable: scope(text) -> value. The callable is also used and dropped by
// threads without the interpreter lock.
class PythonScope final : public frontend::HostEvaluator {
 public:
  PythonScope(nb::object reader, Reading& reading) : reader_(std::move(reader)), reading_(reading) {}
  ~PythonScope() override {
    nb::gil_scoped_acquire acquire;
    reader_.reset();
  }

  std::variant<frontend::HostValue, std::string> evaluate(std::string_view expression) override {
    nb::gil_scoped_acquire acquire;
    if (reading_.error) return std::string("interrupted");
    try {
      const nb::object text = to_python(expression);
      const nb::object value = reader_.attr("evaluate")(text);
      reading_.taken.append(nb::make_tuple(reader_, text, value));
      return host_value(value, reading_);
    } catch (nb::python_error& error) {
      return reason(error);
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
  }

 private:
  std::string reason(nb::python_error& error) {
    if (!error.matches(PyExc_Exception)) {
      reading_.error.emplace(std::move(error));
      return "interrupted";
    }
    std::string message = nb::cast<std::string>(nb::str(error.value()));
    if (error.matches(PyExc_NameError)) return message;
    return nb::cast<std::string>(error.type().attr("__name__")) + ": " + message;
  }

  nb::object reader_;
  Reading& reading_;
};

Ref<const SourceFile> source_from(nb::handle source) {
  nb::tuple parts = nb::cast<nb::tuple>(source);
  nb::bytes text = nb::cast<nb::bytes>(parts[1]);
  return frontend::make_source(nb::cast<std::string>(parts[0]), std::string(text.c_str(), text.size()),
                               nb::cast<uint32_t>(parts[2]));
}

frontend::HostValue host_list(nb::handle object, Reading& reading) {
  std::vector<frontend::HostValue> items;
  for (nb::handle item : nb::borrow<nb::object>(object)) items.push_back(host_value(item, reading));
  return {std::move(items), static_cast<bool>(PyTuple_Check(object.ptr()))};
}

// Numbers, strings, enums, dtypes: what attributes are made of.
frontend::HostValue host_constant(ir::AttrValue&& constant) {
  frontend::HostValue result;
  std::visit(
      [&](auto&& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (!std::is_same_v<T, ir::AttrValueList>) result.value = std::move(value);
      },
      std::move(constant.value));
  return result;
}

frontend::HostValue host_value(nb::handle object, Reading& reading) {
  if (object.is_none()) return {};
  if (PyList_Check(object.ptr()) || PyTuple_Check(object.ptr())) return host_list(object, reading);
  if (auto constant = attr_from(object)) return host_constant(std::move(*constant));
  if (ir::NodeRef node = node_from(object)) {
    if (const auto* expr = ir::as<ir::Expr>(node)) return {ir::ref(expr)};
    if (const auto* type = ir::as<ir::Type>(node)) return {ir::ref(type)};
  }
  if (std::string path = language_path(object); !path.empty()) return {frontend::HostModule{path}};
  nb::object reader = nb::getattr(object, "__tilewire_reader__", nb::none());
  if (reader.is_none()) return {frontend::HostOpaque{given_type(object)}};
  auto scope = std::make_shared<PythonScope>(reader, reading);
  return {frontend::HostFunction{source_from(reader.attr("source")()), std::move(scope), reader.ptr()}};
}

frontend::Options options_from(nb::handle reader, const nb::dict& constants, const std::string& entry,
                               const nb::dict& parameter_types, Reading& reading) {
  frontend::Options options;
  for (auto [name, text] : constants) {
    options.constants[nb::cast<std::string>(name)] = nb::cast<std::string>(text);
  }
  for (auto [name, object] : parameter_types) {
    const auto* type = ir::as<ir::Type>(node_from(object));
    if (type) {
      options.parameter_types[nb::cast<std::string>(name)] = ir::ref(type);
    } else {
      options.parameter_values[nb::cast<std::string>(name)] = host_value(object, reading);
    }
  }
  options.entry = entry;
  if (!reader.is_none()) {
    options.snippet = true;
    options.host = std::make_shared<PythonScope>(nb::borrow(reader), reading);
  }
  return options;
}

nb::object read(nb::handle source, nb::handle reader, const nb::dict& constants, const std::string& entry,
                const nb::dict& parameter_types) {
  Reading reading;
  Diagnostics diags;
  ir::ProgramRef program;
  {
    Ref<const SourceFile> file = source_from(source);
    frontend::Options options = options_from(reader, constants, entry, parameter_types, reading);
    nb::gil_scoped_release release;
    program = frontend::read_program(file, options, diags);
  }
  if (reading.error) throw std::move(*reading.error);
  if (!program) raise_program_error(diags);
  emit_warnings(diags);
  return nb::make_tuple(to_python(program), reading.taken);
}

}  // namespace

void bind_reader(nb::module_& module) {
  module.def("read", read, nb::arg("source"), nb::arg("reader").none(), nb::arg("constants"),
             nb::arg("entry"), nb::arg("parameter_types"));
  module.def("help_for_missing", frontend::help_for_missing, nb::arg("module"), nb::arg("name"));
  module.def(
      "raise_missing",
      [](const std::string& module, const std::string& name) {
        const bool special = name.starts_with("__");  // asked for by Python itself
        const std::string help = special ? "" : ": " + frontend::help_for_missing(module, name);
        throw nb::attribute_error(("`" + module + "` has no `" + name + "`" + help).c_str());
      },
      nb::arg("module"), nb::arg("name"));
  module.def(
      "type_of_argument",
      // A str, bool, enum or dtype stays itself: it is known when the program is read.
      [](const std::string& name, nb::handle argument) -> nb::object {
        auto constant = attr_from(argument);
        if (constant && (constant->get<bool>() || constant->get<std::string>() ||
                         constant->get<ir::DType>() || constant->get<ir::EnumValue>())) {
          return nb::borrow(argument);
        }
        return to_python(type_of_argument(name, argument));
      },
      nb::arg("name"), nb::arg("argument").none());
}

}  // namespace tilewire::python
