// The extension module `tilewire._core`. The package re-exports it under its public names.
#include "python/bind_module.h"
#include "python/convert.h"

NB_MODULE(_core, module) {
  using namespace tilewire::python;
  module.attr("__version__") = TILEWIRE_VERSION;
  make_enumerations(module);
  bind_entry_point(module);
  bind_bases(module);
  bind_types(module);
  bind_expressions(module);
  bind_statements(module);
  bind_programs(module);
  bind_language(module);
  bind_reader(module);
  bind_executable(module);
  bind_world(module);
  bind_checking(module);
  bind_manifest(module);
}
