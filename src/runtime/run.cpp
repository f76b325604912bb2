#include "runtime/run.h"

#include <algorithm>
#include <atomic>

#include "runtime/process.h"
#include "runtime/run_state.h"
#include "support/diagnostics/runtime.h"

namespace tilewire::runtime {

Outcome run(const Request& request) {
  TW_CHECK(request.module && request.module->abi_version == abi::version, "a module of another ABI version");
  for (const Dispatch& dispatch : request.dispatches) {
    TW_CHECK(dispatch.entry && dispatch.rank >= 0 && dispatch.rank < request.ranks, "a dispatch to no rank");
  }
  TW_CHECK(!request.windows || &request.windows->world() == request.world, "windows of another world");
  if (!request.schedule.empty() && !seed_of(request.schedule)) {
    Failure failure;
    failure.cause = Cause::Row;
    failure.row = diag::run_schedule;
    failure.words = {request.schedule};
    Outcome outcome;
    outcome.ending = Ending::Error;
    outcome.error = describe(failure, *request.module);
    outcome.error->with_help("write `random:SEED`, with a number for SEED");
    return outcome;
  }
  Process& process = Process::get();
  Run* state = process.take_run();
  Outcome outcome = state->execute(request);
  process.give_run(state);
  return outcome;
}

namespace {
std::atomic<uint64_t> abort_count = 0;  // lock-free: written by signal handlers
}  // namespace

uint64_t abort_requests() {
  return abort_count.load(std::memory_order_relaxed);
}

void request_abort() {
  abort_count.fetch_add(1, std::memory_order_relaxed);
  Process* process = Process::existing();
  for (Run* run = process ? process->all_runs.load() : nullptr; run; run = run->next_of_process)
    run->interrupt();
}

int32_t core_count() {
  cpu_set_t cpus = allowed_cpus();
  return std::max(CPU_COUNT(&cpus), 1);
}

Kept::~Kept() {
  for (Storage* storage : pieces_) Process::get().storage.give(storage);
}

}  // namespace tilewire::runtime
