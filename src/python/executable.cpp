// Executables: programs compiled for a target, called with Python's arrays.
#include "driver/executable.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "python/arrays.h"
#include "python/bind_module.h"
#include "python/convert.h"
#include "python/errors.h"
#include "python/interrupt.h"

namespace tilewire::python {
namespace {

// Keywords of a call that are not parameters of the program.
bool take_option(const std::string& name, nb::handle value, driver::CallOptions& options) {
  if (name == "threads") {
    options.threads = nb::cast<int>(value);
    if (options.threads < 0) throw nb::value_error("threads must not be negative");
  } else if (name == "trace") {
    options.trace = value.is_none() ? "" : nb::cast<std::string>(nb::str(value));
  } else {
    return false;
  }
  return true;
}

nb::object number_to_python(const driver::Number& number) {
  return std::visit([](auto value) { return nb::cast(value); }, number);
}

// One call: what was given, by parameter, and what keeps it alive.
class PythonCall {
 public:
  explicit PythonCall(driver::Executable& executable) : executable_(executable) {}

  nb::object run(const nb::args& in_order, const nb::kwargs& named) {
    collect(in_order, named);
    Diagnostics diags;
    auto places = executable_.signature().arrange(in_order.size(), names_, diags);
    if (!places) raise_run_error(diags);
    std::vector<driver::Argument> arranged;
    objects_.resize(places->size());
    for (size_t i = 0; i < places->size(); ++i) {
      int place = (*places)[i];
      if (place >= 0) objects_[i] = nb::borrow(given_[place]);
      arranged.push_back(place < 0 ? driver::Argument() : borrowed_[place].value);
    }
    auto make = [&](size_t parameter, const std::vector<int64_t>& shape) {
      nb::object object = new_array(executable_.signature().params()[parameter].dtype, shape);
      made_.push_back(parameter);
      objects_[parameter] = object;
      return std::get<driver::Array>(borrowed_.emplace_back(object).value);
    };
    auto bound = executable_.signature().bind(std::move(arranged), make, diags);
    if (!bound) raise_run_error(diags);
    driver::Call call;
    {
      InterruptGuard interrupt;
      nb::gil_scoped_release release;
      call = executable_.call(*bound, options_, diags);
    }
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!call) raise_run_error(diags, call.deadlock ? "DeadlockError" : "RunError");
    return results(call);
  }

 private:
  void collect(const nb::args& in_order, const nb::kwargs& named) {
    borrowed_.reserve(in_order.size() + named.size() + executable_.signature().params().size());
    for (nb::handle object : in_order) {
      given_.push_back(object);
      borrowed_.emplace_back(object);
    }
    for (auto [key, object] : named) {
      std::string name = nb::cast<std::string>(key);
      if (!is_parameter(name) && take_option(name, object, options_)) continue;
      names_.push_back(std::move(name));
      given_.push_back(object);
      borrowed_.emplace_back(object);
    }
  }

  bool is_parameter(const std::string& name) const {
    for (const auto& param : executable_.signature().params()) {
      if (param.node->name == name) return true;
    }
    return false;
  }

  nb::object returned(const driver::Returned& value) {
    if (const auto* number = std::get_if<driver::Number>(&value)) return number_to_python(*number);
    const auto& array = std::get<driver::ReturnedArray>(value);
    if (array.parameter >= 0) return objects_[array.parameter];
    auto* owner = new std::shared_ptr<void>(array.owner);
    nb::capsule keeper(owner, [](void* p) noexcept { delete static_cast<std::shared_ptr<void>*>(p); });
    nb::list keep;  // a view of an argument keeps the argument
    keep.append(keeper);
    for (const nb::object& object : objects_) keep.append(object);
    return array_over(array.array, keep);
  }

  nb::object results(const driver::Call& call) {
    nb::list values;
    for (const driver::Returned& value : call.results) values.append(returned(value));
    if (call.results.empty()) {
      for (size_t parameter : made_) values.append(objects_[parameter]);
    }
    if (values.size() == 0) return nb::none();
    if (values.size() == 1) return values[0];
    return nb::tuple(values);
  }

  driver::Executable& executable_;
  driver::CallOptions options_;
  std::vector<nb::handle> given_;
  std::vector<std::string> names_;
  std::vector<BorrowedArgument> borrowed_;
  std::vector<nb::object> objects_;  // one a parameter
  std::vector<size_t> made_;         // outputs that were left out
};

std::shared_ptr<driver::Executable> compile(const ir::Program& program, const std::string& entry,
                                            const std::string& target, bool debug_bounds) {
  driver::CompileOptions options{entry, target, debug_bounds};
  Diagnostics diags;
  std::shared_ptr<driver::Executable> executable;
  {
    nb::gil_scoped_release release;
    executable = driver::Executable::compile(ir::ref(&program), options, diags);
  }
  if (!executable) raise_program_error(diags);
  return executable;
}

}  // namespace

void bind_executable(nb::module_& module) {
  nb::class_<driver::Executable>(module, "Executable",
                                 "A program compiled for a target; call it with arrays.")
      .def("__call__", [](driver::Executable& self, const nb::args& args,
                          const nb::kwargs& named) { return PythonCall(self).run(args, named); })
      .def_prop_ro("program", [](const driver::Executable& self) { return to_python(self.program()); })
      .def_prop_ro("entry",
                   [](const driver::Executable& self) { return to_python(self.signature().entry().name); })
      .def_prop_ro("target", [](const driver::Executable& self) { return to_python(self.target()); })
      .def(
          "text", [](const driver::Executable& self, const std::string& form) { return self.text(form); },
          nb::arg("form") = "ir", "What was made of the program: \"ir\", or the name of its target.")
      .def("__repr__", [](const driver::Executable& self) {
        return "<Executable " + self.signature().entry().name + " for " + self.target() + ">";
      });
  module.def("compile", compile, nb::arg("program"), nb::arg("entry"), nb::arg("target"),
             nb::arg("debug_bounds"));
}

}  // namespace tilewire::python
