// The protocol checker: over every schedule, can this program race, deadlock, lose a signal, use a stale one
// or read outside a window?
//
//     check::Report report = check::check(program, "host", arguments, {.ranks = 3});
//     std::cout << check::text_of(report);
//
// Arguments are copied, never written.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "check/progress.h"
#include "check/report.h"
#include "check/search.h"
#include "interp/interp.h"

namespace tilewire::check {

struct Options {
  int ranks = 1;
  int hosts = 1;                     // that the ranks live on; a divisor of their number
  int calls = 1;                     // of a host function, over windows that keep their content
  int cores = 0;                     // blocks of a rank that run at a time; 0: any number
  bool general = false;              // use the general tier for every program
  int64_t step_limit = 400'000'000;  // of one run: instructions, and elements of large ops
  SearchLimits limits = {};
  // The program that the lowered one was made of, whose names are those of messages; null: the same.
  ir::ProgramRef written = {};
  OnProgress progress = {};  // a check that it stops is bounded
};

Report check(const ir::ProgramRef& program, std::string_view entry, std::span<const interp::Argument> args,
             const Options& options);
// Parameters of the entry, scalars, that may make a difference to what is reported.
std::vector<size_t> scalars_that_decide(const ir::ProgramRef& program, std::string_view entry);

// Of a program that cannot run.
Report invalid(int ranks, const Diagnostic& why);

}  // namespace tilewire::check
