// Files generated from the compiler's own tables. Each function returns the whole content of one checked-in
// file; generate.cpp lists which.
#pragma once

#include <string>

namespace tilewire::tools {

std::string op_handles();             // src/ops/handles.h
std::string ops_reference();          // docs/ops.md
std::string pto_reference();          // docs/pto-ops.md
std::string diagnostics_reference();  // docs/diagnostics.md

std::string language_stub();     // python/tilewire/language/__init__.pyi
std::string distributed_stub();  // python/tilewire/language/distributed.pyi
std::string ir_stub();           // python/tilewire/ir.pyi

}  // namespace tilewire::tools
