// Calls of compiled programs that keep their windows. The first call creates the windows; later ones must
// need the same.
#pragma once

#include "driver/execute/compiled_executable.h"

namespace tilewire::driver {

class CompiledSession final : public Session {
 public:
  CompiledSession(CompiledExecutable& executable, std::optional<int64_t> ranks)
      : executable_(executable), ranks_(ranks) {}

  Call call(const BoundArguments& arguments, const CallOptions& options, Diagnostics& diags) override;
  void reset() override;

 private:
  Call refuse(Diagnostics& diags) const;
  bool prepare(const runtime::Manifest& manifest, int ranks, const BoundArguments& arguments,
               const WorldCall& world, bool& refused, Diagnostics& diags);

  CompiledExecutable& executable_;
  std::mutex mutex_;
  std::optional<int64_t> ranks_;  // asked for, or of the first call
  std::vector<runtime::GroupLayout> layouts_;
  std::unique_ptr<runtime::Windows> windows_;
};

}  // namespace tilewire::driver
