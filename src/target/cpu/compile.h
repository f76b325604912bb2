// Lowered programs to native code for this machine. No LLVM in this header.
//
//     Diagnostics diags;
//     auto compiled = target::cpu::compile(lowered, {}, diags);
//     if (compiled) run(*compiled->module());
//
// A compiled module is immutable; it may be run by many threads and must outlive what runs it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "abi/abi.h"
#include "ir/nodes.h"
#include "support/diagnostics.h"

namespace tilewire::target::cpu {

#ifdef __SANITIZE_THREAD__
inline constexpr bool built_with_tsan = true;
#else
inline constexpr bool built_with_tsan = false;
#endif

struct Options {
  bool hooks = false;           // report accesses and task borders through Api::hook
  bool bounds = false;          // check every access, not only every region
  bool strided = false;         // arrays may have any stride in their last dimension
  int opt = 2;                  // effort of LLVM's code generator, 0 to 3
  bool in_memory = true;        // code that can run now; without it, only the object file is made
  bool keep_text = false;       // keep LLVM's text for ir_text()
  bool tsan = built_with_tsan;  // tell the thread sanitizer, which the process must have, of every access
  bool trusting = false;  // for tests: regions and indices are not checked, so that `bounds` finds something
};

class CompiledModule {
 public:
  virtual ~CompiledModule() = default;
  virtual const abi::Module* module() const = 0;  // null when not in memory
  virtual std::string ir_text() const = 0;        // empty unless Options::keep_text
  // An ELF object with the symbol abi::module_symbol.
  virtual std::span<const std::byte> object() const = 0;
};

// `program` is lowered (passes::lower) and verified. Null after reporting errors.
std::unique_ptr<CompiledModule> compile(const ir::ProgramRef& program, const Options& options,
                                        Diagnostics& diags);

// Native code from an object() of before, without compiling. Null when the bytes are not one.
std::unique_ptr<CompiledModule> load_object(std::span<const std::byte> object, std::string& error);

// What code depends on beside the program: processor, its features, version of the code generator.
std::string machine_key();

// What libtilewire-cpu.so offers to whoever loads it at run time: the functions above, under one C symbol
// (`tilewire_cpu_library`) that gives a table. `version` is that of this header. Programs cross as bytes
// (ir::to_bytes, spans included): the library has its own copy of the op registry, whose addresses tell ops
// apart.
struct Library {
  uint32_t version;
  std::unique_ptr<CompiledModule> (*compile)(std::string_view program, const Options&, Diagnostics&);
  std::unique_ptr<CompiledModule> (*load_object)(std::span<const std::byte>, std::string&);
  std::string (*machine_key)();
};
inline constexpr uint32_t library_version = 2;
inline constexpr const char* library_symbol = "tilewire_cpu_library";

}  // namespace tilewire::target::cpu
