// Programs as native code on the runtime of this process, for any compiling target: entry, manifest, rank
// count, versions of the code, cache and bundles.
#pragma once

#include <mutex>
#include <set>

#include "driver/execute/sources.h"
#include "driver/execute/targets.h"
#include "driver/host/host_analysis.h"
#include "driver/schedule/call_schedule.h"
#include "driver/world/world_place.h"
#include "runtime/manifest.h"
#include "runtime/windows.h"

namespace tilewire::driver {

class CompiledExecutable final : public Executable {
 public:
  // Null after reporting errors.
  static std::shared_ptr<CompiledExecutable> make(const Entry& entry, const CompiledTarget& target,
                                                  const CompileOptions& options, Diagnostics& diags);
  CompiledExecutable(const Entry& entry, const CompiledTarget& target, const CompileOptions& options,
                     ir::ProgramRef lowered);

  std::vector<std::string> forms() const override;
  std::optional<std::string> text(const std::string& form, Diagnostics& diags) const override;
  std::string manifest_text() const override;
  Call call(const BoundArguments& arguments, const CallOptions& options, Diagnostics& diags) override;
  std::unique_ptr<Session> open(std::optional<int64_t> ranks, Diagnostics& diags) override;
  bool save(const std::string& folder, std::optional<int64_t> ranks, Diagnostics& diags) override;

  std::span<const std::string> rank_dimensions() const override { return host_.rank_dimensions(); }
  std::span<const std::string> row_dimensions() const override { return host_.row_dimensions(); }

  // For sessions.
  const HostAnalysis& host() const { return host_; }
  // `own` holds it if it is only for this call. Null after reporting errors.
  const runtime::Manifest* manifest_for(int ranks, const BoundArguments& arguments,
                                        std::optional<runtime::Manifest>& own, Diagnostics& diags);
  Call run(const BoundArguments& arguments, const CallOptions& options, const CallSchedule& schedule,
           int ranks, const runtime::Manifest& manifest, const WorldCall& world, runtime::Windows* windows,
           Diagnostics& diags);
  // See WorldCall::enter.
  std::optional<WorldCall> enter(const BoundArguments& arguments, const CallOptions& options, int ranks,
                                 bool& refused, Diagnostics& diags);

 private:
  // The version of the code that a call needs. Most programs never see an array whose last dimension is not
  // contiguous, or one for two parameters, and never run under a schedule or a trace of transfers.
  struct Version {
    bool strided = false;
    bool hooks = false;
    bool shared = false;
  };

  // The manifest, unless only a call determines who shares which windows. False after reporting errors.
  bool prepare(Diagnostics& diags);
  // Compiled on first use.
  const target::Code* code(Version version, Diagnostics& diags);
  // For calls that pass one array for two parameters. Null after reporting errors.
  ir::ProgramRef lowered_shared(Diagnostics& diags) const;
  std::unique_ptr<target::Code> from_disk_or_compiled(const ir::ProgramRef& lowered,
                                                      const target::CodeOptions& options,
                                                      Diagnostics& diags) const;
  std::optional<runtime::Manifest> manifest_to_save(std::optional<int64_t> ranks, Diagnostics& diags) const;
  // Checks the program for a number of ranks: signals with too few cells, views too large.
  bool fits(int ranks, Diagnostics& diags);
  void report(const Diagnostic& error, Diagnostics& diags) const override {
    report_with_source(*program(), error, diags);
  }

  const CompiledTarget& target_;
  ir::ProgramRef lowered_;
  HostAnalysis host_;
  const bool bounds_;
  const passes::KernelSplit split_;
  std::optional<runtime::Manifest> manifest_;
  std::mutex mutex_;
  std::string digest_;                           // of the program, computed when it is needed
  std::set<int> fitting_;                        // numbers of ranks it was run on
  std::unique_ptr<target::Code> code_[2][2][2];  // strided, hooks, shared
};

}  // namespace tilewire::driver
