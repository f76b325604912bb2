// Executables: programs compiled for a target, called with Python's arrays.
#include "driver/execute/executable.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "driver/bundle/bundle.h"
#include "driver/execute/array_names.h"
#include "driver/execute/targets.h"
#include "driver/world/local_rows.h"
#include "python/arrays.h"
#include "python/bind_module.h"
#include "python/convert.h"
#include "python/errors.h"
#include "python/html.h"
#include "python/interrupt.h"
#include "python/known_call.h"
#include "support/diagnostics/driver.h"

namespace tilewire::python {
namespace {

// The value of a keyword; TypeError explains what it must be.
template <class T>
T option(const std::string& name, nb::handle value, const char* kind) {
  T result;
  if (nb::try_cast(value, result)) return result;
  PyErr_Format(PyExc_TypeError, "%s must be %s, got %R", name.c_str(), kind, value.ptr());
  throw nb::python_error();
}

// A path as text: a str, or something with __fspath__.
std::string path_option(const std::string& name, nb::handle value) {
  nb::object path = nb::steal(PyOS_FSPath(value.ptr()));
  if (!path.is_valid()) PyErr_Clear();
  std::string text;
  if (path.is_valid() && nb::try_cast(path, text)) return text;
  PyErr_Format(PyExc_TypeError, "%s must be a path, got %R", name.c_str(), value.ptr());
  throw nb::python_error();
}

// "all", "none", or the number of a process.
std::string gather_option(nb::handle value) {
  int64_t process;
  std::string text;
  if (nb::try_cast(value, text)) return text;
  if (!nb::isinstance<nb::bool_>(value) && nb::try_cast(value, process)) return std::to_string(process);
  PyErr_Format(PyExc_TypeError, "gather must be a str or an int, got %R", value.ptr());
  throw nb::python_error();
}

// Keywords of a call; `target`, `split` and `debug_bounds` are among them although they belong to compile.
const std::vector<std::string> call_keywords = {"ranks", "target",  "split",        "schedule", "replay",
                                                "trace", "threads", "debug_bounds", "gather"};

// Keywords of a call that are not parameters of the program; None leaves them as they are.
bool take_option(const std::string& name, nb::handle value, driver::CallOptions& options) {
  const bool given = !value.is_none();
  if (name == "ranks") {
    if (given) options.ranks = option<int64_t>(name, value, "an int");
  } else if (name == "threads") {
    if (given) options.threads = option<int>(name, value, "an int");
    if (given && options.threads < 1) {
      Diagnostics diags;
      diags.report(diag::threads_invalid, {}, {std::to_string(options.threads)})
          .with_help("leave it out for one thread per core");
      raise_run_error(diags);
    }
  } else if (name == "trace") {
    if (given) options.trace = path_option(name, value);
  } else if (name == "schedule") {
    if (given) options.schedule = option<std::string>(name, value, "a str");
  } else if (name == "replay") {
    if (given) options.schedule = "replay:" + path_option(name, value);
  } else if (name == "gather") {
    if (given) options.gather = gather_option(value);
  } else {
    return false;
  }
  return true;
}

// An executable and the settings of calls that were given when it was compiled.
struct Callable {
  std::shared_ptr<driver::Executable> executable;
  driver::CallOptions options;

  // Only arguments decide what a call does.
  bool plain() const {
    return !options.ranks && options.trace.empty() && options.schedule.empty() && options.gather == "all";
  }
};

bool is_parameter(const driver::Executable& executable, const std::string& name) {
  for (const auto& param : executable.signature().params()) {
    if (param.node->name == name) return true;
  }
  return false;
}

// Raises for a keyword that is neither a parameter nor a setting.
[[noreturn]] void refuse_keyword(const driver::Executable& executable, const std::string& name) {
  Diagnostics all, unknown;  // that arguments are missing does not matter here
  executable.signature().arrange(0, {name}, all, call_keywords);
  const Diagnostic& first = all.all().front();
  Diagnostic& told = unknown.report(first.id, first.span) = first;
  if (name == "target" || name == "split" || name == "debug_bounds") {
    told.helps = {"it is fixed when the program is compiled: " + executable.signature().name() + ".compile(" +
                  name + "=...)"};
  }
  raise_run_error(unknown);
}

// `with exe.open(ranks=4) as s`: calls that find the windows as the last one left them.
struct OpenSession {
  Callable callable;
  std::shared_ptr<driver::Session> session;  // null once closed
};

// One call: what was given, by parameter, and what keeps it alive.
class PythonCall {
 public:
  // Whole arrays, or the rows of the ranks that live in this process.
  enum class Given : uint8_t { Whole, Local };
  explicit PythonCall(const Callable& callable, std::shared_ptr<driver::Session> session = nullptr,
                      Given given = Given::Whole)
      : executable_(*callable.executable), session_(std::move(session)), options_(callable.options) {
    if (given == Given::Local) take_rows();
  }

  nb::object run(const nb::args& in_order, const nb::kwargs& named) {
    collect(in_order, named);
    Diagnostics diags;
    auto places = executable_.signature().arrange(in_order.size(), names_, diags, call_keywords);
    if (!places) raise_run_error(diags);
    std::vector<driver::Argument> arranged;
    objects_.resize(places->size());
    for (size_t i = 0; i < places->size(); ++i) {
      int place = (*places)[i];
      if (place >= 0) objects_[i] = nb::borrow(given_[place]);
      arranged.push_back(place < 0 ? driver::Argument() : borrowed_[place].value);
      auto* array = std::get_if<driver::Array>(&arranged.back());
      if (rows_ && array) *array = rows_->whole(i, *array);
      if (place >= 0) borrowed_[place].check_kind(executable_.signature().params()[i], given_[place], diags);
    }
    if (diags.has_errors()) raise_run_error(diags);
    auto make = [&](size_t parameter, const std::vector<int64_t>& shape) {
      nb::object object = new_array(executable_.signature().params()[parameter].dtype,
                                    rows_ ? rows_->own_shape(parameter, shape) : shape);
      made_.push_back(parameter);
      objects_[parameter] = object;
      const auto array = std::get<driver::Array>(borrowed_.emplace_back(object).value);
      return rows_ ? rows_->whole(parameter, array) : array;
    };
    auto bound = executable_.signature().bind(std::move(arranged), make, diags);
    if (!bound || (rows_ && !rows_->add_to(*bound, diags))) raise_run_error(diags);
    driver::Call call;
    {
      InterruptGuard interrupt;
      nb::gil_scoped_release release;
      call = session_ ? session_->call(*bound, options_, diags) : executable_.call(*bound, options_, diags);
    }
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!call) raise_failed_call(call, diags);
    if (!call.replayed.empty()) warn_of_replay(call.replayed);
    return results(call);
  }

 private:
  void take_rows() {
    Diagnostics diags;
    driver::WorldPlace place;
    if (!driver::find_place(place, diags)) raise_run_error(diags);
    rows_.emplace(executable_, place);
    options_.gather = "none";
  }

  void collect(const nb::args& in_order, const nb::kwargs& named) {
    borrowed_.reserve(in_order.size() + named.size() + executable_.signature().params().size());
    for (nb::handle object : in_order) {
      given_.push_back(object);
      borrowed_.emplace_back(object);
    }
    for (auto [key, object] : named) {
      std::string name = nb::cast<std::string>(key);
      bool known = is_parameter(executable_, name);
      if (rows_ && !known && name == "gather") {
        throw nb::type_error("local calls are not gathered: each process has the rows of its ranks");
      }
      if (!known && take_option(name, object, options_)) continue;
      if (!known) refuse_keyword(executable_, name);
      names_.push_back(std::move(name));
      given_.push_back(object);
      borrowed_.emplace_back(object);
    }
  }

  nb::object results(const driver::Call& call) {
    nb::list values;
    for (const driver::Returned& value : call.results) values.append(returned_object(value, objects_));
    if (call.results.empty()) {
      for (size_t parameter : made_) values.append(objects_[parameter]);
    }
    if (values.size() == 0) return nb::none();
    if (values.size() == 1) return values[0];
    return nb::tuple(values);
  }

  driver::Executable& executable_;
  std::shared_ptr<driver::Session> session_;  // stays alive during this call, even if it is closed
  driver::CallOptions options_;
  std::optional<driver::LocalRows> rows_;
  std::vector<nb::handle> given_;
  std::vector<std::string> names_;
  std::vector<BorrowedArgument> borrowed_;
  std::vector<nb::object> objects_;  // one per parameter
  std::vector<size_t> made_;         // outputs that were left out
};

Callable compile(const ir::Program& program, const std::string& entry, nb::handle target,
                 nb::handle debug_bounds, nb::handle split) {
  driver::CompileOptions options{entry, option<std::string>("target", target, "a str"),
                                 option<bool>("debug_bounds", debug_bounds, "a bool"), split_option(split)};
  Diagnostics diags;
  std::shared_ptr<driver::Executable> executable;
  {
    nb::gil_scoped_release release;
    executable = driver::Executable::compile(ir::ref(&program), options, diags);
  }
  if (!executable) raise_program_error(diags);
  return {std::move(executable), {}};
}

// The same code with settings for every call, picked from keywords that may also name parameters.
Callable with_settings(const Callable& self, const nb::dict& named) {
  Callable result = self;
  for (auto [key, value] : named) {
    std::string name = nb::cast<std::string>(key);
    if (is_parameter(*self.executable, name) || take_option(name, value, result.options)) continue;
    refuse_keyword(*self.executable, name);
  }
  return result;
}

OpenSession open(const Callable& self, nb::handle ranks, const nb::kwargs& settings) {
  OpenSession made{with_settings(self, settings), nullptr};
  take_option("ranks", ranks, made.callable.options);
  Diagnostics diags;
  made.session = made.callable.executable->open(made.callable.options.ranks, diags);
  if (!made.session) raise_run_error(diags);
  return made;
}

std::shared_ptr<driver::Session> checked(const OpenSession& self) {
  if (!self.session) {
    Diagnostics diags;
    diags.report(diag::session_closed, {}).with_help("open another one: with exe.open() as session:");
    raise_run_error(diags);
  }
  return self.session;
}

void reset(const OpenSession& self) {
  auto session = checked(self);
  nb::gil_scoped_release release;  // a call may be under way in another thread
  session->reset();
}

void bind_session(nb::module_& module) {
  auto close = [](OpenSession& self, const nb::args&) { self.session.reset(); };
  nb::class_<OpenSession>(module, "Session", "Calls of an executable that keep its windows.")
      .def("__call__",
           [](const OpenSession& self, const nb::args& args, const nb::kwargs& named) {
             return PythonCall(self.callable, checked(self)).run(args, named);
           })
      .def(
          "local",
          [](const OpenSession& self, const nb::args& args, const nb::kwargs& named) {
            return PythonCall(self.callable, checked(self), PythonCall::Given::Local).run(args, named);
          },
          "A call with the rows of the ranks that live in this process.")
      .def("reset", reset, "Zeroes the windows.")
      .def("close", close, "Gives the windows back.")
      .def("__enter__", [](nb::object self) { return self; })
      .def("__exit__", close);
}

// The communication manifest as Python's json reads it; None without one.
nb::object manifest(const Callable& self) {
  std::string text = self.executable->manifest_text();
  if (text.empty()) return nb::none();
  return nb::module_::import_("json").attr("loads")(to_python(text));
}

void save(const Callable& self, nb::handle folder, std::optional<int64_t> ranks) {
  std::string path = path_option("folder", folder);
  Diagnostics diags;
  bool saved;
  {
    nb::gil_scoped_release release;
    saved = self.executable->save(path, ranks, diags);
  }
  if (!saved) raise_run_error(diags, "BundleError");
}

std::string text(const Callable& self, const std::string& form) {
  Diagnostics diags;
  auto made = self.executable->text(form, diags);
  if (!made) raise_run_error(diags, "RunError");
  return std::move(*made);
}

// What a program becomes for a target: the files by name.
nb::dict emit(const ir::Program& program, nb::handle target, const std::string& entry, nb::handle level,
              nb::handle split) {
  driver::CompileOptions options{.entry = entry, .target = option<std::string>("target", target, "a str")};
  options.split = split_option(split);
  options.level = option<std::string>("level", level, "a str");
  Diagnostics diags;
  std::optional<std::vector<driver::EmittedFile>> files;
  {
    nb::gil_scoped_release release;
    const driver::Target* found = driver::target_to_emit(options.target, diags);
    if (found) files = found->emit(ir::ref(&program), options, diags);
  }
  if (!files) raise_program_error(diags);
  nb::dict named;
  for (const driver::EmittedFile& file : *files) {
    const nb::object name = to_python(file.name);
    named[name] = file.bytes ? nb::object(nb::bytes(file.content.data(), file.content.size()))
                             : to_python(file.content);
  }
  return named;
}

// Those that programs can be compiled for and called on, here.
nb::list targets() {
  nb::list names;
  for (const driver::Target* target : driver::targets()) {
    if (target->runs && target->problem().empty()) names.append(to_python(std::string(target->name)));
  }
  return names;
}

Callable load_bundle(nb::handle folder, const std::string& entry) {
  std::string path = path_option("folder", folder);
  Diagnostics diags;
  std::shared_ptr<driver::Executable> executable;
  {
    nb::gil_scoped_release release;
    executable = driver::load_bundle(path, entry, diags);
  }
  if (!executable) raise_run_error(diags, "BundleError");
  return {std::move(executable), {}};
}

// `exe(x, y)`: calls like an earlier one are made at once, all others by `_call`.
PyObject* call_executable(PyObject* self, PyObject* arguments, PyObject* named) {
  const Callable& callable = *nb::inst_ptr<Callable>(self);
  if ((!named || PyDict_GET_SIZE(named) == 0) && callable.plain()) {
    PyObject* result = repeat_call(*callable.executable, callable.options.threads, arguments);
    if (result || PyErr_Occurred()) return result;
  }
  static PyObject* const name = PyUnicode_InternFromString("_call");
  PyObject* method = PyObject_GetAttr(self, name);
  if (!method) return nullptr;
  PyObject* result = PyObject_Call(method, arguments, named);
  Py_DECREF(method);
  return result;
}

PyType_Slot executable_slots[] = {{Py_tp_call, reinterpret_cast<void*>(call_executable)}, {0, nullptr}};

}  // namespace

void bind_executable(nb::module_& module) {
  bind_session(module);
  nb::class_<Callable>(module, "Executable", nb::type_slots(executable_slots),
                       "A program compiled for a target; call it with arrays.")
      .def("_call", [](const Callable& self, const nb::args& args,
                       const nb::kwargs& named) { return PythonCall(self).run(args, named); })
      .def(
          "local",
          [](const Callable& self, const nb::args& args, const nb::kwargs& named) {
            return PythonCall(self, nullptr, PythonCall::Given::Local).run(args, named);
          },
          "A call with the rows of the ranks that live in this process.")
      .def("_with_settings", with_settings)
      .def("open", open, nb::arg("ranks") = nb::none(), nb::arg("settings"),
           "Calls in this session find the windows as the last one left them. Without `ranks` the first call "
           "decides the number. `threads`, `schedule` and `trace` hold for every call.")
      .def_prop_ro("manifest", manifest)
      .def_prop_ro("program", [](const Callable& self) { return to_python(self.executable->program()); })
      .def_prop_ro("entry",
                   [](const Callable& self) { return to_python(self.executable->signature().name()); })
      .def_prop_ro("target", [](const Callable& self) { return to_python(self.executable->target()); })
      .def("text", text, nb::arg("form") = "ir",
           "What was made of the program: \"ir\" as it was read, \"lowered\" by the passes, or the name of "
           "its target, or of one that only writes text, such as \"pto\".")
      .def("save", save, nb::arg("folder"), nb::arg("ranks") = nb::none(),
           "Writes a bundle: a folder that runs without source and compiler.")
      .def("_repr_html_", [](const Callable& self) { return to_python(html_of(*self.executable)); })
      .def("__repr__", [](const Callable& self) {
        return "<Executable " + self.executable->signature().name() + " for " + self.executable->target() +
               ">";
      });
  module.def("targets", targets, "The targets that programs can be compiled for and called on, here.");
  module.def("load_bundle", load_bundle, nb::arg("folder"), nb::arg("entry") = "",
             "The program of a bundle, ready to be called.");
  module.def("emit", emit, nb::arg("program"), nb::arg("target"), nb::arg("entry"), nb::arg("level"),
             nb::arg("split"));
  module.def("compile", compile, nb::arg("program"), nb::arg("entry"), nb::arg("target"),
             nb::arg("debug_bounds"), nb::arg("split"));
}

}  // namespace tilewire::python
