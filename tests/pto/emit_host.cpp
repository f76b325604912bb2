// Writes the host side of a program for PTO, whatever becomes of its kernels:
//
//     pto_emit_host FILE FOLDER
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "driver/execute/pto_host.h"
#include "frontend/frontend.h"
#include "passes/pipeline.h"
#include "target/pto/pto.h"

int main(int argc, char** argv) {
  using namespace tilewire;
  if (argc != 3) {
    std::fprintf(stderr, "usage: pto_emit_host FILE FOLDER\n");
    return 2;
  }
  std::ifstream in(argv[1]);
  std::stringstream text;
  text << in.rdbuf();
  Diagnostics diags;
  ir::ProgramRef program = frontend::read_program(frontend::make_source(argv[1], text.str()), {}, diags);
  if (program) program = passes::lower(driver::with_pass_throughs(program), target::pto::traits, diags);
  auto files = program ? driver::pto_host_files(program, diags) : std::nullopt;
  std::fprintf(stderr, "%s", diags.text().c_str());
  if (!files) return 1;
  for (const driver::EmittedFile& file : *files) {
    const auto path = std::filesystem::path(argv[2]) / file.name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << file.content;
  }
  return 0;
}
