// A program made ready to run: compiled for a target, called any number of times, from any thread.
//
//     Diagnostics diags;
//     auto exe = driver::Executable::compile(program, {}, diags);
//     driver::Call call = exe->call(arguments, {}, diags);      // false after reporting what went wrong
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "driver/arguments.h"
#include "ir/nodes.h"
#include "support/diagnostics.h"

namespace tilewire::driver {

struct CompileOptions {
  std::string entry;           // empty: the only one there is
  std::string target = "cpu";  // or "interp"
  bool bounds = false;         // check every access
};

struct CallOptions {
  int threads = 0;    // 0: one a core
  std::string trace;  // write a trace there; empty: none
  bool stats = false;
};

// One value the entry returned.
struct ReturnedArray {
  Array array;
  int parameter = -1;           // >= 0: the argument itself
  std::shared_ptr<void> owner;  // of storage the program made
};
using Returned = std::variant<Number, ReturnedArray>;

struct Call {
  bool ok = false;
  std::vector<Returned> results;
  bool deadlock = false;  // why it is not ok
  std::string stats;      // a table for people, when asked for

  explicit operator bool() const { return ok; }
};

class Executable {
 public:
  virtual ~Executable() = default;

  // Null after errors.
  static std::shared_ptr<Executable> compile(const ir::ProgramRef& program, const CompileOptions& options,
                                             Diagnostics& diags);

  const Signature& signature() const { return signature_; }
  const ir::ProgramRef& program() const { return program_; }
  const std::string& target() const { return target_; }
  // What was made of the program: "ir", or the target's own form.
  virtual std::string text(const std::string& form) const = 0;

  // `arguments` as Signature::bind gave them.
  virtual Call call(const BoundArguments& arguments, const CallOptions& options, Diagnostics& diags) = 0;

 protected:
  Executable(ir::ProgramRef program, ir::FunctionRef entry, std::string target)
      : program_(std::move(program)), signature_(std::move(entry)), target_(std::move(target)) {}

 private:
  ir::ProgramRef program_;
  Signature signature_;
  std::string target_;
};

}  // namespace tilewire::driver
