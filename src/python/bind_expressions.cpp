#include "python/bind_node.h"

namespace tilewire::python {

void bind_expressions(nb::module_& module) {
  bind_family<ir::Expr>(module, ir::AllNodes{});
}

}  // namespace tilewire::python
