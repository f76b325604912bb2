// The origins of values that decide what a program does, and of those that end up in its results: the
// schedule, although there is no race (what a wait or test saw, sums of floats in no fixed order), or from
// elements of the entry's arguments.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "interp/code.h"
#include "interp/forms.h"

namespace tilewire::check {

struct Origin {
  enum class Kind : uint8_t {
    Argument,  // elements of parameter `parameter` of the entry
    Look,      // the value a wait, a test or a read of a cell saw, at `where`
    Sum,       // floats that the atomic update at `where` adds to
  };
  Kind kind = Kind::Argument;
  size_t parameter = 0;
  const ir::Node* where = nullptr;
};

struct Flow {
  // A value that decides something by the role it has there.
  struct Decision {
    const char* what = nullptr;  // "a branch", "a loop", "an address", ...
    const ir::Node* where = nullptr;
    Origin origin;
  };
  // All that depend on the schedule, then the first one per tensor parameter of the entry.
  std::vector<Decision> schedule, data;
  // Scalar parameters of the entry that decide something.
  std::vector<size_t> scalars;
  // Stores of what depends on the schedule into results: arguments of the entry, windows that are copied into
  // them at the end, what is returned.
  struct Stored {
    std::string result;  // "`y`", "what is returned"
    const ir::Node* where = nullptr;
    const interp::Code* code = nullptr;  // it is an instruction of
    Origin origin;
  };
  std::vector<Stored> results;

  bool decides(Origin::Kind kind) const;
};

// The waits, looks and atomic updates of floats that see, or leave, something else in another schedule.
using Unsettled = std::set<const ir::Node*>;

// What an operand of an op, or a form, carries, left out: for tests that show that it matters.
struct Ignored {
  const ir::Op* op = nullptr;
  size_t param = 0;
  std::optional<interp::Form> form;
};

// Follows values through registers, calls and memory, by the roles and effects that ops and forms declare;
// memory is distinguished by arguments, windows and created tensors. May find more than there is.
// `unsettled`: null: all there are.
Flow flow_of(const interp::Code& entry, const Unsettled* unsettled = nullptr, const Ignored& ignored = {});

}  // namespace tilewire::check
