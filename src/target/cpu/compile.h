// Lowered programs to native code for this machine. No LLVM in this header.
//
//     Diagnostics diags;
//     auto compiled = target::cpu::compile(lowered, {}, diags);
//     if (compiled) run(*compiled->module());
#pragma once

#include <memory>
#include <span>
#include <string>

#include "ir/nodes.h"
#include "ir/op.h"
#include "support/diagnostics.h"
#include "target/code.h"

namespace tilewire::target::cpu {

#ifdef __SANITIZE_THREAD__
inline constexpr bool built_with_tsan = true;
#else
inline constexpr bool built_with_tsan = false;
#endif

struct Options : CodeOptions {
  Options() = default;
  Options(const CodeOptions& options) : CodeOptions(options) {}

  int opt = 2;                  // effort of LLVM's code generator, 0 to 3
  bool tsan = built_with_tsan;  // tell the thread sanitizer, which the process must have, of every access
  bool trusting = false;  // for tests: regions and indices are not checked, so that `bounds` finds something
};

// `program` is lowered (passes::lower) and verified. Null after reporting errors.
std::unique_ptr<Code> compile(const ir::ProgramRef& program, const Options& options, Diagnostics& diags);

// Native code from an object() of before, without compiling. Null when the bytes are not one.
std::unique_ptr<Code> load_object(std::span<const std::byte> object, std::string& error);

// What code depends on beside the program: processor, its features, version of the code generator.
std::string machine_key();

// The exports of libtilewire-cpu.so, which is loaded at run time: the functions above, under one C symbol
// (`tilewire_cpu_library`) that returns a table. `version` is that of this header. Addresses tell ops apart,
// and the library has a copy of the code that makes them, so `share_ops` comes first.
struct Library {
  uint32_t version;
  void (*share_ops)(const ir::OpTable&);
  std::unique_ptr<Code> (*compile)(const ir::ProgramRef& program, const Options&, Diagnostics&);
  std::unique_ptr<Code> (*load_object)(std::span<const std::byte>, std::string&);
  std::string (*machine_key)();
};
inline constexpr uint32_t library_version = 4;
inline constexpr const char* library_symbol = "tilewire_cpu_library";

}  // namespace tilewire::target::cpu
