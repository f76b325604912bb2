// Runs compiled programs: the ranks of a world that live in this process (world.h), by default all of them.
//
// The calling thread works too; further threads are started when there is something for them to do, and kept
// for the next run. Calls from several threads are independent runs. A run that fails leaves everything as
// usable as before it: nothing throws across generated code, no thread or fiber stays behind.
//
//     abi::Word args[] = {...}, results[] = {...};
//     runtime::Dispatch dispatch{.entry = &module->entries[0], .args = args, .results = results};
//     runtime::Outcome outcome = runtime::run({.module = module, .dispatches = {&dispatch, 1}});
//     if (!outcome.ok()) show(render(*outcome.error));
//
// A program of several ranks is started by its host function: Request::host with its arguments, and the
// windows, laid out before. The host function runs first, on the calling thread; what it dispatches is
// checked as a whole before anything runs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "abi/abi.h"
#include "runtime/array_parts.h"
#include "runtime/host_rows.h"
#include "runtime/trace_records.h"
#include "runtime/world.h"
#include "support/diagnostics.h"
#include "support/schedule.h"

namespace tilewire::runtime {

struct Storage;
class Windows;

// One call of an orchestration function on one rank. Those of one rank run one after the other, in order;
// those of different ranks are concurrent.
struct Dispatch {
  int32_t rank = 0;
  const abi::Function* entry = nullptr;
  std::span<const abi::Word> args{};
  std::span<abi::Word> results{};
};

struct RankStats {
  int32_t rank = 0;
  uint64_t tasks = 0;       // kernel calls
  uint64_t blocks = 0;      // of kernels
  uint64_t edges = 0;       // a task had to wait for another
  uint64_t parks = 0;       // a fiber gave up its worker to wait
  uint64_t records = 0;     // of tasks that were in the graph at the same time, rounded up
  uint64_t compute_ns = 0;  // in kernels, less what they waited and transferred
  uint64_t wait_ns = 0;
  uint64_t transfer_ns = 0;  // in put, get and, with hooks, remote_store
  uint64_t bytes = 0;        // they moved
};
struct Stats {
  std::vector<RankStats> ranks;  // that live here
  uint64_t wall_ns = 0;
  int32_t threads = 0;  // that took part
};

struct Request {
  const abi::Module* module = nullptr;
  // All processes of the world make the same request, except for addresses.
  World* world = &local_world();
  std::span<const Term> terms{};           // what is the same, for them to compare
  std::span<const Dispatch> dispatches{};  // in place of a host function
  const abi::Function* host = nullptr;
  std::span<const abi::Word> host_args{};
  std::span<abi::Word> host_results{};
  std::span<const HostRows> host_rows{};  // of host_args that are whole arrays, which are nowhere
  int32_t ranks = 1;
  // Of the communication groups, in the same world; not needed without any. Buffers of Module::windows are
  // found by their names.
  Windows* windows = nullptr;
  bool keep = false;             // the windows have the content that the last run left, in place of zeros
  int32_t threads = 0;           // workers, the caller included; 0: one per core
  bool more_than_cores = false;  // take `threads` as it is
  // "random:SEED" reorders tasks, delays them and the writes of modules with hooks; the same run for the same
  // seed when `threads` is 1. Empty: as fast as possible.
  std::string schedule{};
  // To be followed, on one thread, by a module with hooks (replay.h); null: none. Not together with
  // `schedule`, and only where all ranks live.
  const Schedule* replay = nullptr;
  std::string trace{};                          // write a Chrome trace here; arrows and transfers need hooks
  std::vector<TraceRecord>* records = nullptr;  // the same events, in place of the file
  Stats* stats = nullptr;
};

enum class Ending : uint8_t { Ok, Error, Deadlock, Interrupted, World };

// Created tensors that were returned live as long as this.
class Kept {
 public:
  Kept() = default;
  Kept(Kept&& other) noexcept : pieces_(std::move(other.pieces_)) { other.pieces_.clear(); }
  Kept& operator=(Kept&& other) noexcept {
    std::swap(pieces_, other.pieces_);
    return *this;
  }
  ~Kept();
  void add(Storage* storage) { pieces_.push_back(storage); }
  size_t count() const { return pieces_.size(); }

 private:
  std::vector<Storage*> pieces_;
};

struct Outcome {
  Ending ending = Ending::Ok;
  std::optional<Diagnostic> error;  // its span has the name of the file, not the text
  abi::Site site{};                 // where, when known: line 0 otherwise
  int32_t rank = -1;                // -1: not of one rank
  int64_t block = -1;
  Kept kept;
  // By ranks, in arrays of the caller of a host function; only where ranks live elsewhere, too.
  std::vector<ArrayPart> written;

  bool ok() const { return ending == Ending::Ok; }
};

Outcome run(const Request& request);

// Stops all runs of this process; they end with Ending::Interrupted. May be called from a signal handler.
void request_abort();
// How often that was called: what runs elsewhere, such as an interpreter, compares two counts.
uint64_t abort_requests();

// Ends the threads kept for later runs. The next run starts them again. Called at exit.
void shutdown();

// Cores this process may use.
int32_t core_count();

}  // namespace tilewire::runtime
