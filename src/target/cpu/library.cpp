// The one symbol of libtilewire-cpu.so.
#include "ir/serialize.h"
#include "ops/registry.h"
#include "target/cpu/compile.h"

namespace tilewire::target::cpu {
namespace {

std::unique_ptr<Code> compile_bytes(std::string_view bytes, const Options& options, Diagnostics& diags) {
  ir::ProgramRef program = ir::program_from_bytes(bytes, ops::registry(), diags);
  return program ? compile(program, options, diags) : nullptr;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const Library* tilewire_cpu_library() {
  static constexpr Library library = {library_version, compile_bytes, load_object, machine_key};
  return &library;
}

}  // namespace tilewire::target::cpu
