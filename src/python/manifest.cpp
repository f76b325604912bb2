// tilewire.Manifest: communication manifests, as bundles have them.
#include "runtime/manifest.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "driver/bundle/bundle_files.h"
#include "python/bind_module.h"
#include "python/convert.h"
#include "python/errors.h"

namespace tilewire::python {
namespace {

using runtime::Manifest;

Manifest from_json(const std::string& text, const std::string& name) {
  Diagnostics diags;
  auto manifest = Manifest::read(text, name, diags);
  if (!manifest) raise_run_error(diags, "BundleError");
  return *manifest;
}

Manifest read(nb::handle path) {
  std::string name = nb::cast<std::string>(nb::str(path));
  Diagnostics diags;
  auto text = driver::read_file(name, driver::largest_json, diags);
  if (!text) raise_run_error(diags, "BundleError");
  return from_json(*text, name);
}

// With numbers in place of all expressions.
Manifest resolve(const Manifest& self, int ranks, const nb::kwargs& named) {
  runtime::SizeNames names;
  for (auto [key, value] : named) names[nb::cast<std::string>(key)] = nb::cast<int64_t>(value);
  Diagnostics diags;
  auto made = self.resolved(ranks, names, diags);
  if (!made) raise_run_error(diags);
  return *made;
}

nb::object number_or_text(const runtime::SizeExpression& size) {
  auto number = size.constant();
  return number ? nb::cast(*number) : to_python(size.text());
}

nb::object or_none(const std::optional<uint64_t>& value) {
  return value ? nb::cast(*value) : nb::none();
}

}  // namespace

void bind_manifest(nb::module_& module) {
  nb::class_<Manifest::Slot>(module, "ManifestSlot", "One window buffer.")
      .def_prop_ro("name", [](const Manifest::Slot& self) { return to_python(self.name); })
      .def_prop_ro(
          "nbytes", [](const Manifest::Slot& self) { return number_or_text(self.size); },
          "Of each rank: a number, or an expression that gives it when the program is called.")
      .def_prop_ro(
          "offset", [](const Manifest::Slot& self) { return or_none(self.offset); },
          "In the region of a rank; None where it follows from sizes known later.")
      .def_prop_ro("load_from_host", [](const Manifest::Slot& self) { return self.load_from_host; })
      .def_prop_ro("store_to_host", [](const Manifest::Slot& self) { return self.store_to_host; })
      .def_prop_ro(
          "shape",
          [](const Manifest::Slot& self) {
            nb::list shape;
            for (const runtime::SizeExpression& dimension : self.shape)
              shape.append(number_or_text(dimension));
            return shape;
          },
          "Of the views that the program makes of it; empty if they differ, or are known only when it runs.")
      .def_prop_ro("element_bytes", [](const Manifest::Slot& self) { return self.element_bytes; })
      .def("__repr__", [](const Manifest::Slot& self) {
        return "<ManifestSlot " + self.name + ": " + self.size.text() + " bytes>";
      });
  nb::class_<Manifest::Group>(module, "ManifestGroup", "Ranks and the window buffers they share.")
      .def_prop_ro(
          "devices", [](const Manifest::Group& self) { return self.devices; }, "Empty: all ranks.")
      .def_prop_ro("window_bytes", [](const Manifest::Group& self) { return or_none(self.bytes); })
      .def_prop_ro("slots", [](const Manifest::Group& self) { return self.slots; });
  nb::class_<Manifest>(module, "Manifest", "The window buffers of a program: comm_manifest.json.")
      .def_static("read", read, nb::arg("path"), "Of a file, version 2 or 3.")
      .def_static("from_json", from_json, nb::arg("text"), nb::arg("name") = "<string>")
      .def(
          "to_json", [](const Manifest& self) { return to_python(self.write()); }, "Version 3.")
      .def_prop_ro("groups", [](const Manifest& self) { return self.groups; })
      .def("resolve", resolve, nb::arg("ranks"), nb::arg("names"),
           "The same with numbers for all sizes and offsets; names of dimensions and scalars by keyword.")
      .def("__eq__", [](const Manifest& self, const Manifest& other) { return self == other; })
      .def("__repr__", [](const Manifest& self) {
        return "<Manifest of " + std::to_string(self.groups.size()) +
               (self.groups.size() == 1 ? " group>" : " groups>");
      });
}

}  // namespace tilewire::python
