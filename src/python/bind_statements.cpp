#include "python/bind_node.h"

namespace tilewire::python {

void bind_statements(nb::module_& module) {
  bind_family<ir::Node>(module, ir::AllNodes{});
}

}  // namespace tilewire::python
