// The targets, one object each. The command, Python and `doctor` list the table.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "driver/execute/entry.h"
#include "driver/execute/executable.h"
#include "passes/traits.h"
#include "target/code.h"

namespace tilewire::driver {

// One of the files that a program becomes.
struct EmittedFile {
  std::string name;
  std::string content;
  bool bytes = false;   // not text
  bool beside = false;  // goes into a folder with the others, and is not printed
};

class Target {
 public:
  virtual ~Target() = default;

  const char* const name;
  const char* const does;  // what a program becomes, in words
  const passes::Traits traits;
  const bool runs;      // `compile` makes something callable
  const char* emitted;  // what `emit` writes, in words; null: nothing

  // Why it cannot be used on this machine; empty: it can.
  virtual std::string problem() const { return {}; }
  // Null after reporting errors.
  virtual std::shared_ptr<Executable> compile(const Entry& entry, const CompileOptions& options,
                                              Diagnostics& diags) const;
  // The files of a program, or of one entry of it. Empty after reporting errors.
  virtual std::optional<std::vector<EmittedFile>> emit(const ir::ProgramRef& program,
                                                       const CompileOptions& options,
                                                       Diagnostics& diags) const;

 protected:
  Target(const char* target_name, const char* does_what, const passes::Traits& known, bool can_run,
         const char* emits)
      : name(target_name), does(does_what), traits(known), runs(can_run), emitted(emits) {}
};

// One that makes native code for the runtime.
class CompiledTarget : public Target {
 public:
  using Target::Target;

  std::shared_ptr<Executable> compile(const Entry& entry, const CompileOptions& options,
                                      Diagnostics& diags) const final;

  // `lowered` by the traits, and verified. Null after reporting errors.
  virtual std::unique_ptr<target::Code> code(const ir::ProgramRef& lowered,
                                             const target::CodeOptions& options,
                                             Diagnostics& diags) const = 0;
  // Code from an object() of before. Null when the bytes are not one.
  virtual std::unique_ptr<target::Code> load(std::span<const std::byte> object) const = 0;
  // What code depends on besides the program and the options, for caches; empty if it cannot be used.
  virtual std::string identity() const = 0;
};

// In the order in which they are listed; the first is the default.
std::span<const Target* const> targets();
// Null after reporting that there is none of that name that runs, or that emits.
const Target* target_to_run(std::string_view name, Diagnostics& diags);
const Target* target_to_emit(std::string_view name, Diagnostics& diags);
// The target whose traits are used for programs that are checked, or printed after a pass.
const Target& default_target();

}  // namespace tilewire::driver
