// Any bytes are either refused with a diagnostic or a verified program, which then survives everything that
// is done with programs: comparing, hashing, printing, dumping, and being written and read again.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ir/dump.h"
#include "ir/printer.h"
#include "ir/serialize.h"
#include "ir/structural.h"
#include "ops/registry.h"

using namespace tilewire;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Diagnostics diags;
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  ir::ProgramRef program = ir::program_from_bytes(bytes, ops::registry(), diags);
  if ((program == nullptr) != diags.has_errors()) abort();
  if (!program) {
    if (diags.text().empty()) abort();
    return 0;
  }
  Diagnostics again_diags;
  ir::ProgramRef again = ir::program_from_bytes(ir::to_bytes(program), ops::registry(), again_diags);
  if (!again || !ir::structurally_equal(program, again)) abort();
  if (ir::structural_hash(program) != ir::structural_hash(again)) abort();
  if (ir::as_python(program) != ir::as_python(again)) abort();
  if (ir::dump(program).empty()) abort();
  return 0;
}
