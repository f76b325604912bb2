// Any text through the whole frontend, as pl.parse does. What is accepted must print to text that reads back
// structurally equal, and survive serialisation.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "frontend/frontend.h"
#include "ir/printer.h"
#include "ir/serialize.h"
#include "ir/structural.h"
#include "ops/registry.h"

using namespace tilewire;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  Diagnostics diags;
  ir::ProgramRef program = frontend::read_program(frontend::make_source("fuzz.py", text), {}, diags);
  if (!program) {
    if (!diags.has_errors()) abort();  // a refusal without a reason
    diags.text();
    return 0;
  }
  Diagnostics again;
  ir::ProgramRef read =
      frontend::read_program(frontend::make_source("print.py", ir::as_python(program)), {}, again);
  if (!read || !ir::structurally_equal(program, read)) abort();
  if (ir::structural_hash(program) != ir::structural_hash(read)) abort();
  Diagnostics bytes;
  ir::ProgramRef stored = ir::program_from_bytes(ir::to_bytes(ir::NodeRef(program)), ops::registry(), bytes);
  if (!stored || !ir::structurally_equal(program, stored)) abort();
  return 0;
}
