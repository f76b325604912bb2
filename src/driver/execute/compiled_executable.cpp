#include "driver/execute/compiled_executable.h"

#include <algorithm>

#include "driver/bundle/bundle.h"
#include "driver/execute/compiled_session.h"
#include "driver/execute/disk_cache.h"
#include "driver/execute/local_run.h"
#include "driver/host/call_values.h"
#include "ir/printer.h"
#include "ir/serialize.h"
#include "passes/collect_comm_groups.h"
#include "passes/pipeline.h"
#include "support/diagnostics/bundle.h"

namespace tilewire::driver {
namespace {

bool has_halves(const ir::Program& program) {
  return std::any_of(program.functions.begin(), program.functions.end(),
                     [](const auto& function) { return function->lanes > 1; });
}

}  // namespace

std::shared_ptr<CompiledExecutable> CompiledExecutable::make(const Entry& entry, const CompiledTarget& target,
                                                             const CompileOptions& options,
                                                             Diagnostics& diags) {
  ir::ProgramRef lowered =
      passes::lower(entry.program, passes::with_split(target.traits, options.split), diags);
  if (!lowered) return nullptr;
  auto made = std::make_shared<CompiledExecutable>(entry, target, options, std::move(lowered));
  return made->prepare(diags) && made->code({}, diags) ? made : nullptr;
}

CompiledExecutable::CompiledExecutable(const Entry& entry, const CompiledTarget& target,
                                       const CompileOptions& options, ir::ProgramRef lowered)
    : Executable(entry.program, signature_of(entry), target.name),
      target_(target),
      lowered_(std::move(lowered)),
      host_(signature(), *lowered_),
      bounds_(options.bounds),
      split_(options.split) {}

bool CompiledExecutable::prepare(Diagnostics& diags) {
  if (!host_.function() || passes::lacks_comm_groups(*lowered_, *host_.function())) return true;
  manifest_ = host_.manifest(*lowered_, std::nullopt, diags);
  return manifest_.has_value();
}

std::vector<std::string> CompiledExecutable::forms() const {
  std::vector<std::string> forms = {"ir", "lowered", target_.name};
  for (std::string& form : written_forms()) forms.push_back(std::move(form));
  return forms;
}

std::optional<std::string> CompiledExecutable::text(const std::string& form, Diagnostics& diags) const {
  if (!knows(form, diags)) return std::nullopt;
  if (form == "ir" || form == "lowered") return ir::as_python(form == "lowered" ? lowered_ : program());
  if (form != target_.name) return written(form, diags);
  target::CodeOptions options;
  options.bounds = bounds_;
  options.keep_text = true;
  options.in_memory = false;
  auto made = target_.code(lowered_, options, diags);
  return made ? std::optional(made->text()) : std::nullopt;
}

std::string CompiledExecutable::manifest_text() const {
  return manifest_ && !manifest_->groups.empty() ? manifest_->write() : "";
}

Call CompiledExecutable::call(const BoundArguments& arguments, const CallOptions& options,
                              Diagnostics& diags) {
  CallSchedule schedule;
  if (!schedule.read(options, diags)) return {};
  auto ranks = host_.ranks(schedule.ranks(options), arguments, diags);
  std::optional<runtime::Manifest> own;
  const runtime::Manifest* manifest = ranks ? manifest_for(*ranks, arguments, own, diags) : nullptr;
  Call refused;
  auto world = manifest ? enter(arguments, options, *ranks, refused.world, diags) : std::nullopt;
  return world ? run(arguments, options, schedule, *ranks, *manifest, *world, nullptr, diags) : refused;
}

std::unique_ptr<Session> CompiledExecutable::open(std::optional<int64_t> ranks, Diagnostics& diags) {
  if (ranks && !valid_ranks(signature(), *ranks, diags)) return nullptr;
  return std::make_unique<CompiledSession>(*this, ranks);
}

bool CompiledExecutable::save(const std::string& folder, std::optional<int64_t> ranks, Diagnostics& diags) {
  if (ranks && !valid_ranks(signature(), *ranks, diags)) return false;
  auto manifest = manifest_to_save(ranks, diags);
  if (!manifest) return false;
  RankRule rule = host_.rank_rule();
  rule.only = ranks;
  BundleContent content{
      program(), &signature().entry(), signature().name(), std::move(*manifest), std::move(rule), {}};
  content.object = [&](bool strided, Diagnostics& to) -> std::optional<std::string> {
    target::CodeOptions options;
    options.bounds = bounds_;
    options.strided = strided;
    options.in_memory = false;
    // That of any arrays is also for one that is given twice.
    ir::ProgramRef lowered = strided ? lowered_shared(to) : lowered_;
    auto made = lowered ? from_disk_or_compiled(lowered, options, to) : nullptr;
    if (!made) return std::nullopt;
    std::span<const std::byte> object = made->object();
    return std::string(reinterpret_cast<const char*>(object.data()), object.size());
  };
  return write_bundle(content, folder, diags);
}

const runtime::Manifest* CompiledExecutable::manifest_for(int ranks, const BoundArguments& arguments,
                                                          std::optional<runtime::Manifest>& own,
                                                          Diagnostics& diags) {
  static const runtime::Manifest none;
  if (!host_.function()) return &none;
  if (manifest_) return fits(ranks, diags) ? &*manifest_ : nullptr;
  auto known = known_values(arguments, signature(), ranks);
  ir::ProgramRef grouped = passes::collect_comm_groups(program(), lowered_, known, diags);
  if (!grouped) return nullptr;
  own = host_.manifest(*grouped, std::nullopt, diags);
  return own ? &*own : nullptr;
}

std::optional<runtime::Manifest> CompiledExecutable::manifest_to_save(std::optional<int64_t> ranks,
                                                                      Diagnostics& diags) const {
  const ir::Function* host = host_.function();
  if (!host) return runtime::Manifest();
  ir::ProgramRef grouped = lowered_;
  if (ranks && !manifest_) {
    grouped = passes::collect_comm_groups(lowered_, known_ranks(*ranks), diags);
    if (!grouped) return std::nullopt;
  }
  if (passes::lacks_comm_groups(*grouped, *host)) {
    diags.report(diag::bundle_groups_open, host->span, {host->name})
        .with_help("give the number of ranks: --ranks N, or save(..., ranks=N)");
    return std::nullopt;
  }
  return host_.manifest(*grouped, ranks, diags);
}

bool CompiledExecutable::fits(int ranks, Diagnostics& diags) {
  std::lock_guard lock(mutex_);
  if (fitting_.contains(ranks)) return true;
  bool good = passes::collect_comm_groups(program(), known_ranks(ranks), diags) != nullptr;
  if (good) fitting_.insert(ranks);
  return good;
}

const target::Code* CompiledExecutable::code(Version version, Diagnostics& diags) {
  std::lock_guard lock(mutex_);
  std::unique_ptr<target::Code>& place = code_[version.strided][version.hooks][version.shared];
  if (place) return place.get();
  ir::ProgramRef lowered = version.shared ? lowered_shared(diags) : lowered_;
  if (!lowered) return nullptr;
  target::CodeOptions options;
  options.bounds = bounds_;
  options.strided = version.strided;
  options.hooks = version.hooks;
  place = from_disk_or_compiled(lowered, options, diags);
  return place.get();
}

Call CompiledExecutable::run(const BoundArguments& arguments, const CallOptions& options,
                             const CallSchedule& schedule, int ranks, const runtime::Manifest& manifest,
                             const WorldCall& world, runtime::Windows* windows, Diagnostics& diags) {
  if (!schedule.begin(*this, ranks, arguments, diags)) return {};
  // Signals are inline in plain code, where nothing sees them.
  const bool signals = host_.function() || has_halves(*lowered_);
  const bool watched = schedule.watched() || (signals && (options.stats || !options.trace.empty()));
  const target::Code* compiled = code({arguments.strided, watched, arguments.shared}, diags);
  if (!compiled) return {};
  LocalRun local;
  local.module = compiled->module();
  local.host = host_.function() != nullptr;
  local.entry = find_function(*local.module, signature().entry().name, local.host);
  TW_CHECK(local.entry, "the compiled module lacks its entry");
  local.manifest = &manifest;
  local.ranks = ranks;
  local.windows = windows;
  local.counts_transfers = watched;
  local.world = &world;
  local.replay = schedule.replay ? &*schedule.replay : nullptr;
  local.report = [this](const Diagnostic& error, Diagnostics& to) { report(error, to); };
  Call made = local.call(signature(), arguments, options, diags);
  if (made && !local.host) remember(arguments, options, {local.module, local.entry});
  return made;
}

std::optional<WorldCall> CompiledExecutable::enter(const BoundArguments& arguments,
                                                   const CallOptions& options, int ranks, bool& refused,
                                                   Diagnostics& diags) {
  auto digest = [this] {
    std::lock_guard lock(mutex_);
    if (digest_.empty()) {
      const std::string bytes = ir::to_bytes(ir::NodeRef(lowered_));
      std::string_view parts[] = {bytes};
      digest_ = digest_of(parts);
    }
    return digest_;
  };
  return WorldCall::enter(signature(), arguments, options, ranks, digest, refused, diags);
}

ir::ProgramRef CompiledExecutable::lowered_shared(Diagnostics& diags) const {
  passes::Traits traits = passes::with_split(target_.traits, split_);
  traits.arguments_apart = false;
  return passes::lower(program(), traits, diags);
}

std::unique_ptr<target::Code> CompiledExecutable::from_disk_or_compiled(const ir::ProgramRef& lowered,
                                                                        const target::CodeOptions& options,
                                                                        Diagnostics& diags) const {
  std::string program = ir::to_bytes(ir::NodeRef(lowered));
  std::string identity = target_.identity();
  std::string settings =
      std::string(options.bounds ? "b" : "-") + (options.strided ? "s" : "-") + (options.hooks ? "h" : "-");
  std::string_view parts[] = {target_.name, identity, settings, program};
  std::string digest = digest_of(parts);
  DiskCache cache;
  auto kept = [&]() -> std::unique_ptr<target::Code> {
    auto object = cache.load(digest);
    return object ? target_.load(std::as_bytes(std::span(*object))) : nullptr;
  };
  if (auto loaded = kept()) return loaded;
  const DiskCache::Making making = cache.make(digest);
  if (auto loaded = kept()) return loaded;  // made by another process meanwhile
  auto made = target_.code(lowered, options, diags);
  if (made) {
    std::span<const std::byte> object = made->object();
    cache.store(digest, {reinterpret_cast<const char*>(object.data()), object.size()});
  }
  return made;
}

}  // namespace tilewire::driver
