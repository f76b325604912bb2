// Checks programs. A report stays a C++ object; the package reads it as JSON.
#include "driver/checking.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "check/report.h"
#include "check/unreached.h"
#include "driver/execute/entry.h"
#include "driver/schedule/schedule_file.h"
#include "python/arrays.h"
#include "python/bind_module.h"
#include "python/convert.h"
#include "python/errors.h"

namespace tilewire::python {
namespace {

namespace nb = nanobind;

struct CheckReport {
  check::Report report;
};

const std::vector<std::string> check_keywords = {"ranks", "make",  "hosts",   "calls", "cores",
                                                 "seed",  "limit", "general", "split"};

// The first of the things that arranging arguments finds wrong; that some are missing does not matter here.
[[noreturn]] void refuse(const driver::Signature& signature, size_t in_order,
                         std::vector<std::string> by_name) {
  Diagnostics all, first;
  signature.arrange(in_order, std::move(by_name), all, check_keywords);
  first.report(all.all().front().id, {}) = all.all().front();
  raise_run_error(first);
}

// The objects given, by the names of their parameters.
std::vector<std::pair<std::string, nb::handle>> by_name(const driver::Signature& signature,
                                                        const nb::tuple& in_order, const nb::dict& named) {
  const auto& params = signature.params();
  if (in_order.size() > params.size()) refuse(signature, in_order.size(), {});
  std::vector<std::pair<std::string, nb::handle>> all;
  for (size_t i = 0; i < in_order.size(); ++i) all.emplace_back(params[i].node->name, in_order[i]);
  for (auto [key, object] : named) {
    std::string name = nb::cast<std::string>(key);
    const auto is_this = [&](const driver::ParameterInfo& param) { return param.node->name == name; };
    const auto found = std::find_if(params.begin(), params.end(), is_this);
    if (found == params.end()) refuse(signature, 0, {name});
    if (static_cast<size_t>(found - params.begin()) < in_order.size())
      refuse(signature, in_order.size(), {name});
    all.emplace_back(std::move(name), object);
  }
  return all;
}

[[noreturn]] void raise(const Diagnostics& diags) {
  const int code = diag_info(diags.all().front().id).code;
  const bool of_the_call = code / 100 == 21 || code / 100 == 22 || code / 100 == 6;
  if (of_the_call) raise_run_error(diags);
  raise_program_error(diags);
}

nb::list check(const ir::Program& program, const std::string& entry, const nb::tuple& in_order,
               const nb::dict& named, const std::vector<int64_t>& ranks, int hosts, int calls, int cores,
               uint64_t seed, size_t limit, bool general, nb::handle split) {
  Diagnostics diags;
  const driver::Entry found = driver::find_entry(ir::ref(&program), entry, diags);
  if (!found.function) raise_program_error(diags);
  driver::CheckOptions options;
  options.entry = found.name;
  options.ranks = ranks;
  options.hosts = hosts;
  options.calls = calls;
  options.cores = cores;
  options.general = general;
  options.split = split_option(split);
  options.seed = seed;
  options.schedules = limit;
  const driver::Signature signature = driver::signature_of(found);
  const auto objects = by_name(signature, in_order, named);
  std::vector<BorrowedArgument> borrowed;
  borrowed.reserve(objects.size());
  for (const auto& [name, object] : objects) {
    options.given.emplace(name, borrowed.emplace_back(object).value);
    for (const driver::ParameterInfo& param : signature.params()) {
      if (param.node->name == name) borrowed.back().check_kind(param, object, diags);
    }
  }
  if (diags.has_errors()) raise_run_error(diags);
  bool stopped = false;  // by Ctrl-C, which is reported once: the remaining checks stop as well
  options.progress = [&stopped](const check::Progress&) {
    if (stopped) return false;
    nb::gil_scoped_acquire gil;
    stopped = PyErr_CheckSignals() != 0;
    return !stopped;
  };
  std::vector<check::Report> reports;
  {
    nb::gil_scoped_release release;
    reports = driver::check_program(ir::ref(&program), options, diags);
  }
  if (PyErr_Occurred()) throw nb::python_error();
  if (reports.empty()) raise(diags);
  nb::list all;
  for (check::Report& report : reports) all.append(nb::cast(CheckReport{std::move(report)}));
  return all;
}

std::vector<check::Report> plain(const nb::list& reports) {
  std::vector<check::Report> all;
  for (nb::handle report : reports) all.push_back(nb::cast<const CheckReport&>(report).report);
  return all;
}

}  // namespace

void bind_checking(nb::module_& module) {
  nb::class_<CheckReport>(module, "CheckReport").def("text", [](const CheckReport& self) {
    return to_python(check::text_of(self.report));
  });
  module.def("check", check, nb::arg("program"), nb::arg("entry"), nb::arg("in_order"), nb::arg("named"),
             nb::arg("ranks"), nb::arg("hosts"), nb::arg("calls"), nb::arg("cores"), nb::arg("seed"),
             nb::arg("limit"), nb::arg("general"), nb::arg("split"));
  module.def("drop_reached_elsewhere", [](const nb::list& reports) {
    std::vector<check::Report*> all;
    for (nb::handle report : reports) all.push_back(&nb::cast<CheckReport&>(report).report);
    check::drop_reached_elsewhere(all);
  });
  module.def("reports_json",
             [](const nb::list& reports) { return to_python(check::json_of(plain(reports))); });
  module.def("reports_schedule", [](const nb::list& reports) {
    const std::vector<check::Report> all = plain(reports);
    const Schedule* found = driver::first_schedule(all);
    return to_python(found ? driver::write_schedule(*found) : "");
  });
  module.def("reports_html",
             [](const nb::list& reports) { return to_python(check::html_of(plain(reports))); });
}

}  // namespace tilewire::python
