#include "python/bind_node.h"

namespace tilewire::python {

void bind_types(nb::module_& module) {
  bind_family<ir::Type>(module, ir::AllNodes{});
}

}  // namespace tilewire::python
