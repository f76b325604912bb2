// One call of native code on the local runtime: what programs compiled in this process and bundles share.
#pragma once

#include <functional>

#include "driver/execute/arguments.h"
#include "driver/execute/executable.h"
#include "driver/world/world_place.h"
#include "runtime/manifest.h"
#include "runtime/run.h"

namespace tilewire::driver {

// The function of a module that a run starts from: of its host functions or of its orchestration functions.
const abi::Function* find_function(const abi::Module& module, std::string_view name, bool host);

struct LocalRun {
  const abi::Module* module;
  const abi::Function* entry;
  bool host;                          // `entry` is a host function
  const runtime::Manifest* manifest;  // of the host function; may be null without one
  int32_t ranks = 1;
  // Windows made for this manifest, rank count and call, to be used in place of new ones.
  runtime::Windows* windows = nullptr;
  const WorldCall* world = nullptr;  // this one is part of; null: of none, in this process
  bool counts_transfers = false;     // the module announces its transfers to the runtime
  const Schedule* replay = nullptr;  // to be followed, in place of CallOptions::schedule
  // Shows an error of the run; its span has the name of a file, not the text.
  std::function<void(const Diagnostic&, Diagnostics&)> report;

  Call call(const Signature& signature, const BoundArguments& arguments, const CallOptions& options,
            Diagnostics& diags) const;

 private:
  Call replay_calls(const Signature& signature, const BoundArguments& arguments, const CallOptions& options,
                    Diagnostics& diags) const;
  // Joins the trace and the numbers of all processes in the first one. False after reporting an error.
  bool collect(std::vector<runtime::TraceRecord>* records, runtime::Stats* stats, const std::string& path,
               const runtime::Outcome& outcome, Diagnostics& diags) const;
};

// Windows for one call, zeroed. Null after reporting why there are none; `refused` is set when it is the
// world that cannot continue.
std::unique_ptr<runtime::Windows> make_windows(const runtime::Manifest& manifest, int32_t ranks,
                                               const Signature& signature, const BoundArguments& arguments,
                                               runtime::World& world, bool& refused, Diagnostics& diags);

}  // namespace tilewire::driver
