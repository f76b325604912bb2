// A program as the interpreter runs it: one linear list of instructions per function and task scope.
//
// An agent is a position in such a list and an array of registers, so its state can be copied and compared;
// nothing of the host's stack belongs to it. Instructions point at the IR for everything that does not change
// while they run: op, attributes, place in the source.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "interp/liveness.h"
#include "interp/value.h"
#include "ir/nodes.h"
#include "ir/param_effects.h"
#include "support/diagnostics.h"

namespace tilewire::interp {

struct OpEntry;
struct Code;
using Slot = uint32_t;
inline constexpr Slot no_slot = ~Slot{0};

enum class Opcode : uint8_t {
  Op,         // dst = op(operands)
  Move,       // dst = a
  Jump,       // to `target`
  JumpIfNot,  // to `target` unless a holds
  Round,      // a `while` loop starts another iteration
  ForTest,    // to `target` when a, counting by c, has reached b
  ForNext,    // a += c, then to `target`; past the end of 64 bits it is as if the loop were done
  Tuple,      // dst = (list)
  Get,        // dst = a[index]
  Call,       // `site`
  Parallel,   // the abi::ParallelStep `index` of a `pl.parallel` loop or a scope of an orchestration function
  Return,     // of the values in `list`
};

// The operand of one parameter of an op: slots [first, first + count) of Code::slots.
struct Operand {
  uint32_t first = 0;
  uint32_t count = 0;
  bool given = false;
};

// Calls of functions and task scopes.
struct Site {
  enum class Kind : uint8_t { Plain, Task, Dispatch };
  Kind kind = Kind::Plain;
  const Code* callee = nullptr;
  std::vector<Slot> args;  // per parameter of the callee
  Slot device = no_slot;
  Slot blocks = no_slot;
  std::vector<Slot> deps;
  std::vector<Slot> results;  // of a scope; a call has its value in Instr::dst
  Slot task_id = no_slot;
  bool scope = false;  // its body is the task; a scope of one kernel call is that call
  bool ordered = true;
  bool sync_start = false;
};

struct Instr {
  Opcode code = Opcode::Op;
  Slot dst = no_slot;
  Slot a = 0, b = 0, c = 0;
  uint32_t target = 0;
  uint32_t first = 0, count = 0;  // into Code::operands (Op) or Code::slots (Tuple, Return)
  int64_t index = 0;
  const OpEntry* entry = nullptr;
  const Site* site = nullptr;
  const ir::Node* node = nullptr;  // the Call of an Op; else what the instruction was made from
};

enum class CodeLevel : uint8_t { Host, Orchestration, Kernel };

struct Code {
  std::string name;    // for people
  uint32_t first = 0;  // the number of its first instruction among those of the image
  CodeLevel level = CodeLevel::Kernel;
  const ir::Function* function = nullptr;  // null: a task scope
  std::vector<Instr> instrs;
  std::vector<Operand> operands;
  std::vector<Slot> slots;
  std::vector<Value> initial;  // the registers at entry: constants in place, everything else empty
  // Parameters, or what a scope captures, in order.
  std::vector<Slot> params;
  ir::ParamEffects effects;                          // of a kernel or task scope, per parameter
  std::map<std::string, Slot, std::less<>> symbols;  // dynamic dimensions it looks at
  size_t result_count = 0;
  std::vector<int> result_param;  // per result: the parameter it is, always; -1: another value
  bool defers = false;            // a scope with only pld.system.defer_wait, or a task_join
  const ir::Node* node = nullptr;
  std::vector<std::unique_ptr<Site>> sites;
  std::vector<ir::ExprRef> keeps;  // made here, not found in the program
  // Loops, outer ones first: instructions [begin, end) are the body.
  struct Loop {
    const ir::Node* node;
    uint32_t begin, end;
  };
  std::vector<Loop> loops;
  // Branches, outer ones first: instructions [begin, end) run if the condition holds, or does not.
  struct Branch {
    const ir::If* node;
    uint32_t begin, end;
    bool holds;
  };
  std::vector<Branch> branches;

  // Blocks that work as one (ir::Function::lanes).
  int64_t lanes() const { return function ? function->lanes : 1; }

  // Worked out when it is first asked for: only agents that poll need it.
  const Liveness& liveness() const {
    std::call_once(liveness_once_, [this] { liveness_ = Liveness(*this); });
    return liveness_;
  }

 private:
  mutable std::once_flag liveness_once_;
  mutable Liveness liveness_;
};

// Names of functions in messages, where they are others.
using ShownNames = std::map<std::string, std::string, std::less<>>;

// All functions that an entry reaches. Keeps the program alive; shared by all worlds that run it.
class Image {
 public:
  // The entry must exist. Null after reporting ops that have no meaning here.
  static std::shared_ptr<const Image> make(const ir::ProgramRef& program, std::string_view entry,
                                           Diagnostics& diags, const ShownNames& names = {});
  const Code& entry() const { return *entry_; }
  // Of all functions and scopes together.
  size_t instr_count() const { return instr_count_; }
  const ir::Program& program() const { return *program_; }
  const std::vector<std::unique_ptr<Code>>& codes() const { return codes_; }

 private:
  friend class Flattener;
  friend class CodeBuilder;
  ir::ProgramRef program_;
  std::vector<std::unique_ptr<Code>> codes_;
  const Code* entry_ = nullptr;
  size_t instr_count_ = 0;
};

}  // namespace tilewire::interp
