// A program made ready to run: compiled for a target, called any number of times, from any thread.
//
//     Diagnostics diags;
//     auto exe = driver::Executable::compile(program, {}, diags);
//     driver::Call call = exe->call(arguments, {}, diags);      // false after reporting what went wrong
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "driver/execute/arguments.h"
#include "driver/execute/known_calls.h"
#include "ir/nodes.h"
#include "passes/traits.h"
#include "support/diagnostics.h"

namespace tilewire::driver {

struct CompileOptions {
  std::string entry;           // empty: the only one there is
  std::string target = "cpu";  // the name of one that runs (targets.h)
  bool bounds = false;         // check every access
  passes::KernelSplit split = passes::KernelSplit::Auto;
  std::string level = {};  // of text for the PTO assembler: "level2" or "level3"; empty: level2
};

struct CallOptions {
  std::optional<int64_t> ranks;  // empty: as the program and its arguments determine (HostAnalysis)
  int threads = 0;               // 0: one per core
  std::string trace;             // write a trace there; empty: none
  bool stats = false;
  // "random:SEED": delays and reorders on purpose; "replay:FILE": follows what the checker found
  // (call_schedule.h); empty: as fast as it goes.
  std::string schedule;
  // Under a launcher: in which processes results are complete, "all", "none" or a number.
  std::string gather = "all";
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
  bool world = false;     // the reason for not ok: the processes of the world cannot continue together
  std::string stats;      // a table for people, when asked for
  std::string replayed;   // what a schedule that was followed shows, in words; empty: nothing, or the error

  explicit operator bool() const { return ok; }
};

// Calls that keep the windows of their program: what one leaves in them, the next one finds. One call at a
// time; it must not outlive its executable.
class Session {
 public:
  virtual ~Session() = default;
  virtual Call call(const BoundArguments& arguments, const CallOptions& options, Diagnostics& diags) = 0;
  virtual void reset() = 0;  // zeroes them
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
  // Texts that can be had of it: "ir", as it was read, and what was made of it.
  virtual std::vector<std::string> forms() const { return {"ir"}; }
  // Nothing after reporting an error.
  virtual std::optional<std::string> text(const std::string& form, Diagnostics& diags) const = 0;
  // Writes it as a bundle (bundle.h), with `ranks` only for that number of ranks. False after an error.
  virtual bool save(const std::string& folder, std::optional<int64_t> ranks, Diagnostics& diags);

  // The only number of ranks that it was built for.
  virtual std::optional<int64_t> only_ranks() const { return std::nullopt; }
  // Dimensions that are the number of ranks, as far as the program is known.
  virtual std::span<const std::string> rank_dimensions() const { return {}; }
  // Those whose rows are dispatched to the ranks one by one, too (HostAnalysis).
  virtual std::span<const std::string> row_dimensions() const { return rank_dimensions(); }

  // The communication manifest as JSON; empty without windows, and if only a call determines who shares them.
  virtual std::string manifest_text() const { return {}; }
  // For calls on so many ranks, or on what the first one needs. Null after reporting that the target keeps no
  // windows.
  virtual std::unique_ptr<Session> open(std::optional<int64_t> ranks, Diagnostics& diags);

  // `arguments` as returned by Signature::bind.
  virtual Call call(const BoundArguments& arguments, const CallOptions& options, Diagnostics& diags) = 0;

  const KnownCalls& known_calls() const { return known_calls_; }
  // A call that is known, on `threads` threads. `results`: room for those of the entry, and what keeps them.
  // The results of the Call are left empty.
  Call repeat(const KnownCall& call, std::span<const abi::Word> arguments, std::span<abi::Word> results,
              std::shared_ptr<void>& owner, int threads, Diagnostics& diags) const;

 protected:
  Executable(ir::ProgramRef program, Signature signature, std::string target)
      : program_(std::move(program)),
        signature_(std::move(signature)),
        target_(std::move(target)),
        known_calls_(signature_) {}
  // Reports an error of a run, whose span has only the name of its file.
  virtual void report(const Diagnostic& error, Diagnostics& diags) const;
  // After a call with these options has succeeded, for `repeat`.
  void remember(const BoundArguments& arguments, const CallOptions& options, const KnownCall& call);
  // The names of targets that write text and run nothing.
  static std::vector<std::string> written_forms();
  // What one of those writes of the program. Nothing after reporting an error.
  std::optional<std::string> written(const std::string& form, Diagnostics& diags) const;
  // Whether it is one of forms(); reports if not.
  bool knows(const std::string& form, Diagnostics& diags) const;

 private:
  ir::ProgramRef program_;
  Signature signature_;
  std::string target_;
  KnownCalls known_calls_;
};

}  // namespace tilewire::driver
