// The body of an orchestration or host function as C++, for PROGRAM_host.cpp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/nodes.h"
#include "passes/roots.h"
#include "support/diagnostics.h"
#include "target/pto/kernel_parameters.h"

namespace tilewire::target::pto {

// What a program's functions are called in C++, and what the writer of one needs to know of the others.
struct HostProgram {
  const ir::Program& program;
  passes::ReturnRoots returns;
  std::vector<Kernel> kernels;
  std::map<std::string, std::string, std::less<>> names;         // of orchestration and host functions
  std::map<std::string, std::string, std::less<>> kernel_names;  // of the constants that describe kernels

  const Kernel& kernel(std::string_view name) const;
  const std::string& name(const ir::Function& function) const { return names.find(function.name)->second; }
};

// Whether a user calls the function: no function of the program does.
bool is_entry(const ir::Program& program, const ir::Function& function);

// The dimensions that a function computes with and that none of its arguments determines; callers of an entry
// pass them after the arguments.
std::vector<const ir::DimSymbol*> untold_dimensions(const ir::Function& function);

// "Tensor main(Runtime& runtime, const Tensor& x)", without what follows.
std::string host_signature(const HostProgram& program, const ir::Function& function);
// The whole definition. Reports dimensions that no parameter determines.
std::string host_definition(const HostProgram& program, const ir::Function& function, Diagnostics& diags);

}  // namespace tilewire::target::pto
