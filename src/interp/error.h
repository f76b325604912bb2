// How a failed run ends.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/diagnostics.h"

namespace tilewire::interp {

struct RunError {
  enum class Kind : uint8_t {
    Argument,  // the caller's arrays do not fit the parameters; nothing has run
    Program,   // an error of the program
    Deadlock,  // every task is blocked
    Limit,     // too many steps or too much memory
  };
  Kind kind = Kind::Program;
  Diagnostic diagnostic;  // with the place in the source
  std::string op;         // `pl.tile.load`; empty where it was no op
  int rank = -1;          // -1: before any rank ran
  int64_t block = -1;     // -1: not in a kernel
  std::string task;       // function or scope; empty likewise

  std::string text() const { return render(diagnostic); }
};

// Thrown where the error is detected and caught where the step began, which knows place and agent.
struct Failure {
  Diag id;
  std::vector<std::string> arguments;
  RunError::Kind kind = RunError::Kind::Program;
};

[[noreturn]] inline void fail(Diag id, std::vector<std::string> arguments) {
  throw Failure{id, std::move(arguments)};
}

}  // namespace tilewire::interp
