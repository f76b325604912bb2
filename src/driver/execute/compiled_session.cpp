#include "driver/execute/compiled_session.h"

#include <algorithm>

#include "driver/execute/local_run.h"
#include "driver/host/call_values.h"
#include "support/diagnostics/driver.h"

namespace tilewire::driver {
namespace {

bool same(const std::vector<runtime::GroupLayout>& a, const std::vector<runtime::GroupLayout>& b) {
  auto same_slot = [](const runtime::WindowSlot& x, const runtime::WindowSlot& y) {
    return x.offset == y.offset && x.bytes == y.bytes;
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const auto& x, const auto& y) {
    return x.devices == y.devices && x.bytes == y.bytes &&
           std::equal(x.slots.begin(), x.slots.end(), y.slots.begin(), y.slots.end(), same_slot);
  });
}

}  // namespace

Call CompiledSession::call(const BoundArguments& arguments, const CallOptions& options, Diagnostics& diags) {
  std::lock_guard lock(mutex_);
  CallSchedule schedule;
  if (!schedule.read(options, diags)) return {};
  if (schedule.replay) {
    diags.report(diag::replay_in_session, {}).with_help("call the function itself, outside the session");
    return {};
  }
  if (ranks_ && options.ranks && *options.ranks != *ranks_) return refuse(diags);
  Diagnostics unfit;
  auto ranks = executable_.host().ranks(ranks_ ? ranks_ : options.ranks, arguments, unfit);
  for (Diagnostic each : unfit.all()) {
    if (ranks_) {
      each.helps = {"this session has " + std::to_string(*ranks_) +
                    " ranks; open another one for these arguments"};
    }
    diags.report(each.id, each.span) = std::move(each);
  }
  std::optional<runtime::Manifest> own;
  const runtime::Manifest* manifest =
      ranks ? executable_.manifest_for(*ranks, arguments, own, diags) : nullptr;
  Call refused;
  auto world = manifest ? executable_.enter(arguments, options, *ranks, refused.world, diags) : std::nullopt;
  if (!world || !prepare(*manifest, *ranks, arguments, *world, refused.world, diags)) return refused;
  return executable_.run(arguments, options, schedule, *ranks, *manifest, *world, windows_.get(), diags);
}

void CompiledSession::reset() {
  std::lock_guard lock(mutex_);
  if (windows_) windows_->zero();
}

Call CompiledSession::refuse(Diagnostics& diags) const {
  const Signature& signature = executable_.signature();
  diags.report(diag::session_windows, signature.entry().span, {signature.name()})
      .with_help("open another session for arguments of other sizes, or other ranks");
  return {};
}

bool CompiledSession::prepare(const runtime::Manifest& manifest, int ranks, const BoundArguments& arguments,
                              const WorldCall& world, bool& refused, Diagnostics& diags) {
  const Signature& signature = executable_.signature();
  auto layouts = manifest.resolve(ranks, size_names(signature, arguments), diags);
  if (!layouts) return false;
  if (windows_) {
    if (same(*layouts, layouts_)) return true;
    refuse(diags);
    return false;
  }
  windows_ = make_windows(manifest, ranks, signature, arguments, world.world(), refused, diags);
  if (!windows_) return false;
  layouts_ = std::move(*layouts);
  ranks_ = ranks;
  return true;
}

}  // namespace tilewire::driver
