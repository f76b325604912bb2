// The processes that a launcher has started, as Python sees them.
#include <nanobind/stl/string.h>

#include "driver/world/world_place.h"
#include "python/bind_module.h"
#include "python/convert.h"
#include "python/errors.h"
#include "python/interrupt.h"

namespace tilewire::python {
namespace {

nb::tuple place() {
  Diagnostics diags;
  driver::WorldPlace found;
  if (!driver::find_place(found, diags)) raise_run_error(diags, "WorldError");
  return nb::make_tuple(found.process, found.processes);
}

void choose(const std::string& name) {
  Diagnostics diags;
  bool chosen;
  {
    InterruptGuard interrupt;
    nb::gil_scoped_release release;
    chosen = driver::choose_world(name, diags);
  }
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  if (!chosen) raise_run_error(diags, "WorldError");
}

void leave() {
  nb::gil_scoped_release release;
  driver::leave_world();
}

}  // namespace

void bind_world(nb::module_& module) {
  module.def("_world_place", place, "The number of this process, and how many there are.");
  module.def("_choose_world", choose, nb::arg("name"));
  module.def("_leave_world", leave);
}

}  // namespace tilewire::python
