// The host side of a program: its orchestration and host functions as C++17 over the interface in interface/,
// and what there is to know of its kernels as JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/nodes.h"
#include "support/diagnostics.h"
#include "target/pto/host_function.h"

namespace tilewire::target::pto {

struct HostFile {
  std::string name;  // with its folder, as PROGRAM_host.cpp includes it
  std::string content;
};

// Of a program lowered for PTO, which outlives the result.
HostProgram host_program(const ir::Program& lowered);

// PROGRAM_host.cpp and PROGRAM_host.h, for every host and orchestration function. `name`: of the program, an
// identifier. Not to be used when errors were reported.
std::vector<HostFile> host_source(const HostProgram& program, const std::string& name, Diagnostics& diags);

// kernel_table.json.
std::string kernel_table(const HostProgram& program);

// The interface that the source is written against, as files to be compiled with it.
std::vector<HostFile> host_interface();

// What a kernel is called in files and in the kernel table.
std::string kernel_file(const Kernel& kernel);
// The function that runs on the cube core, or on the vector cores; null: none.
const ir::Function* cube_body(const Kernel& kernel);
const ir::Function* vector_body(const Kernel& kernel);
// How many vector cores run the vector half beside one cube core.
int vector_lanes(const Kernel& kernel);

}  // namespace tilewire::target::pto
