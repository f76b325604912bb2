#include "runtime/run.h"

#include <sched.h>

#include "runtime/process.h"
#include "runtime/run_state.h"

namespace tilewire::runtime {

Outcome run(const Request& request) {
  TW_CHECK(request.module && request.module->abi_version == abi::version, "a module of another ABI version");
  for (const Dispatch& dispatch : request.dispatches) {
    TW_CHECK(dispatch.entry && dispatch.rank >= 0 && dispatch.rank < request.ranks, "a dispatch to no rank");
  }
  Process& process = Process::get();
  Run* state = process.take_run();
  Outcome outcome = state->execute(request);
  process.give_run(state);
  return outcome;
}

void request_abort() {
  Process* process = Process::existing();
  for (Run* run = process ? process->all_runs.load() : nullptr; run; run = run->next_of_process)
    run->interrupt();
}

int32_t core_count() {
  // Asked every time: a program may move itself to other cores.
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return CPU_COUNT(&set);
}

Kept::~Kept() {
  for (Storage* storage : pieces_) Process::get().storage.give(storage);
}

}  // namespace tilewire::runtime
