// The reference interpreter: what a program means, run as it is written or after any pass.
//
//     interp::RunResult r = interp::run(program, "main", {{x, y}}, {});
//     if (r.error) std::cerr << r.error->text();
//
// It is the oracle that compiled code is compared with, and slow. Nothing a program does can harm the
// process: every access is checked, steps and memory have limits. For control over the schedule, or to look
// at what happens, see World and Scheduler.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "interp/error.h"
#include "interp/scheduler.h"
#include "interp/world.h"
#include "ir/nodes.h"
#include "support/schedule.h"

namespace tilewire::interp {

// Elements in the caller's memory, used in place. INT4 and BOOL have a byte each.
struct Array {
  void* data = nullptr;
  ir::DType dtype = ir::DType::FP32;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;  // in elements, any sign; empty: dense
};

// One element of a dtype.
struct Number {
  ir::DType dtype = ir::DType::Index;
  std::array<std::byte, 8> bytes{};

  static Number of(ir::DType dtype, int64_t value);  // integers and BOOL, wrapped
  static Number of(ir::DType dtype, double value);   // floats, rounded
  int64_t integer() const;
  double real() const;
};

using Argument = std::variant<Array, Number>;

struct RunOptions : Options {
  Scheduler* scheduler = nullptr;    // null: in order
  const Schedule* replay = nullptr;  // to be followed, in place of a scheduler (follow.h)
  EventSink* sink = nullptr;
};

struct Result {
  std::variant<Array, Number> value;
  int argument = -1;                       // the argument this array is, whole
  std::shared_ptr<const void> owner = {};  // keeps an array alive that is not part of an argument
};

struct RunResult {
  std::optional<RunError> error;
  std::vector<Result> results;  // what the entry returned; empty after an error
  int64_t steps = 0;
  size_t tasks = 0;
};

// Gives a world that has been made its arguments; what is wrong with them, if anything.
std::optional<RunError> start(World& world, const ir::Function& entry, std::span<const Argument> args);

// `entry` names a function of the program, of any kind; `args` are in the order of its parameters. Dynamic
// dimensions follow from the shapes. Outputs hold what was written up to an error.
RunResult run(const ir::ProgramRef& program, std::string_view entry, std::span<const Argument> args,
              const RunOptions& options);

}  // namespace tilewire::interp
