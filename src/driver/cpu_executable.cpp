#include "driver/cpu_executable.h"

#include <algorithm>
#include <mutex>
#include <set>

#include "driver/bundle.h"
#include "driver/call_schedule.h"
#include "driver/cpu_library.h"
#include "driver/disk_cache.h"
#include "driver/local_run.h"
#include "driver/manifest_of.h"
#include "driver/ranks.h"
#include "driver/sources.h"
#include "ir/printer.h"
#include "ir/serialize.h"
#include "passes/collect_comm_groups.h"
#include "passes/pipeline.h"
#include "support/diagnostics/bundle.h"
#include "support/diagnostics/driver.h"
#include "target/cpu/traits.h"

namespace tilewire::driver {
namespace {

using target::cpu::CompiledModule;

// Which code a call needs. Most programs never see an array whose last dimension is not contiguous, and never
// run under a schedule or a trace of transfers.
struct Version {
  bool strided = false;
  bool hooks = false;
};

class CpuExecutable final : public Executable {
 public:
  CpuExecutable(const Entry& entry, ir::ProgramRef lowered, bool bounds)
      : Executable(entry.program, signature_of(entry), "cpu"),
        lowered_(std::move(lowered)),
        bounds_(bounds),
        sources_(*entry.program) {
    ir::FunctionRef function = lowered_->find(entry.function->name);
    if (function->type == ir::FunctionType::Host) host_ = function;
  }

  // The manifest, unless only a call can tell who shares which windows. False after reporting errors.
  bool prepare(Diagnostics& diags) {
    if (!host_ || passes::lacks_comm_groups(*lowered_, *host_)) return true;
    manifest_ = manifest_of(*lowered_, *host_, std::nullopt, diags);
    return manifest_.has_value();
  }

  // Compiled on first use.
  const CompiledModule* code(Version version, Diagnostics& diags) {
    std::lock_guard lock(mutex_);
    std::unique_ptr<CompiledModule>& place = code_[version.strided][version.hooks];
    if (place) return place.get();
    const target::cpu::Library* library = cpu_library(diags);
    if (!library) return nullptr;
    target::cpu::Options options;
    options.bounds = bounds_;
    options.strided = version.strided;
    options.hooks = version.hooks;
    place = from_disk_or_compiled(*library, options, diags);
    return place.get();
  }

  std::string text(const std::string& form) const override {
    if (form != "cpu") return ir::as_python(form == "lowered" ? lowered_ : program());
    Diagnostics diags;
    const target::cpu::Library* library = cpu_library(diags);
    target::cpu::Options options;
    options.bounds = bounds_;
    options.keep_text = true;
    options.in_memory = false;
    auto made = library ? library->compile(ir::to_bytes(ir::NodeRef(lowered_)), options, diags) : nullptr;
    return made ? made->ir_text() : diags.text();
  }

  std::string manifest_text() const override {
    return manifest_ && !manifest_->groups.empty() ? manifest_->write() : "";
  }

  Call call(const BoundArguments& arguments, const CallOptions& options, Diagnostics& diags) override {
    CallSchedule schedule;
    if (!schedule.read(options, diags)) return {};
    auto ranks = ranks_.count(schedule.ranks(options), arguments, diags);
    std::optional<runtime::Manifest> own;
    const runtime::Manifest* manifest = ranks ? manifest_for(*ranks, arguments, own, diags) : nullptr;
    return manifest ? run(arguments, options, schedule, *ranks, *manifest, nullptr, diags) : Call{};
  }

  std::unique_ptr<Session> open(std::optional<int64_t> ranks, Diagnostics& diags) override;

  bool save(const std::string& folder, std::optional<int64_t> ranks, Diagnostics& diags) override {
    if (ranks && !ranks_.asked_for(*ranks, diags)) return false;
    const target::cpu::Library* library = cpu_library(diags);
    auto manifest = library ? manifest_to_save(ranks, diags) : std::nullopt;
    if (!manifest) return false;
    BundleContent content{program(), &signature().entry(), signature().name(), std::move(*manifest), ranks,
                          {}};
    content.object = [&](bool strided, Diagnostics& to) -> std::optional<std::string> {
      target::cpu::Options options;
      options.bounds = bounds_;
      options.strided = strided;
      options.in_memory = false;
      auto made = from_disk_or_compiled(*library, options, to);
      if (!made) return std::nullopt;
      std::span<const std::byte> object = made->object();
      return std::string(reinterpret_cast<const char*>(object.data()), object.size());
    };
    return write_bundle(content, folder, diags);
  }

 private:
  friend class CpuSession;

  // `own` holds it when it is for this call alone. Null after reporting errors.
  const runtime::Manifest* manifest_for(int ranks, const BoundArguments& arguments,
                                        std::optional<runtime::Manifest>& own, Diagnostics& diags) {
    static const runtime::Manifest none;
    if (!host_) return &none;
    if (manifest_) return fits(ranks, diags) ? &*manifest_ : nullptr;
    // As it was written, for messages with the names of the source.
    auto known = known_values(arguments, signature(), ranks);
    if (!passes::collect_comm_groups(program(), known, diags)) return nullptr;
    ir::ProgramRef grouped = passes::collect_comm_groups(lowered_, known, diags);
    if (!grouped) return nullptr;
    own = manifest_of(*grouped, *host_, std::nullopt, diags);
    return own ? &*own : nullptr;
  }

  std::optional<runtime::Manifest> manifest_to_save(std::optional<int64_t> ranks, Diagnostics& diags) const {
    if (!host_) return runtime::Manifest();
    ir::ProgramRef grouped = lowered_;
    if (ranks && !manifest_) {
      grouped = passes::collect_comm_groups(lowered_, known_ranks(*ranks), diags);
      if (!grouped) return std::nullopt;
    }
    if (passes::lacks_comm_groups(*grouped, *host_)) {
      diags.report(diag::bundle_groups_open, host_->span, {host_->name})
          .with_help("give the number of ranks: --ranks N, or save(..., ranks=N)");
      return std::nullopt;
    }
    return manifest_of(*grouped, *host_, ranks, diags);
  }

  // What can be told of the program for a number of ranks: signals with too few cells, views too large.
  bool fits(int ranks, Diagnostics& diags) {
    std::lock_guard lock(mutex_);
    if (fitting_.contains(ranks)) return true;
    bool good = passes::collect_comm_groups(program(), known_ranks(ranks), diags) != nullptr;
    if (good) fitting_.insert(ranks);
    return good;
  }

  Call run(const BoundArguments& arguments, const CallOptions& options, const CallSchedule& schedule,
           int ranks, const runtime::Manifest& manifest, runtime::Windows* windows, Diagnostics& diags) {
    if (!schedule.begin(*this, ranks, arguments, diags)) return {};
    bool watched = schedule.watched() || (host_ && (options.stats || !options.trace.empty()));
    const CompiledModule* compiled = code({arguments.strided, watched}, diags);
    if (!compiled) return {};
    LocalRun local;
    local.module = compiled->module();
    local.entry = find_function(*local.module, signature().entry().name, host_ != nullptr);
    TW_CHECK(local.entry, "the compiled module lacks its entry");
    local.host = host_ != nullptr;
    local.manifest = &manifest;
    local.ranks = ranks;
    local.windows = windows;
    local.replay = schedule.replay ? &*schedule.replay : nullptr;
    local.report = [this](const Diagnostic& error, Diagnostics& to) { sources_.report(error, to); };
    return local.call(signature(), arguments, options, diags);
  }

  std::unique_ptr<CompiledModule> from_disk_or_compiled(const target::cpu::Library& library,
                                                        const target::cpu::Options& options,
                                                        Diagnostics& diags) {
    std::string program = ir::to_bytes(ir::NodeRef(lowered_));
    std::string settings =
        std::string(options.bounds ? "b" : "-") + (options.strided ? "s" : "-") + (options.hooks ? "h" : "-");
    std::string_view parts[] = {cpu_identity(), settings, program};
    std::string digest = digest_of(parts);
    DiskCache cache;
    if (auto object = cache.load(digest)) {
      std::string problem;
      auto loaded = library.load_object(std::as_bytes(std::span(*object)), problem);
      if (loaded) return loaded;
    }
    auto made = library.compile(program, options, diags);
    if (made) {
      std::span<const std::byte> object = made->object();
      cache.store(digest, {reinterpret_cast<const char*>(object.data()), object.size()});
    }
    return made;
  }

  RankCounter ranks_{signature()};
  ir::ProgramRef lowered_;
  ir::FunctionRef host_;  // the entry as lowered; null when it is no host function
  bool bounds_;
  Sources sources_;
  std::optional<runtime::Manifest> manifest_;
  std::mutex mutex_;
  std::set<int> fitting_;                       // numbers of ranks it was run on
  std::unique_ptr<CompiledModule> code_[2][2];  // strided, hooks
};

bool same(const std::vector<runtime::GroupLayout>& a, const std::vector<runtime::GroupLayout>& b) {
  auto same_slot = [](const runtime::WindowSlot& x, const runtime::WindowSlot& y) {
    return x.offset == y.offset && x.bytes == y.bytes;
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const auto& x, const auto& y) {
    return x.devices == y.devices && x.bytes == y.bytes &&
           std::equal(x.slots.begin(), x.slots.end(), y.slots.begin(), y.slots.end(), same_slot);
  });
}

// Windows are made by the first call; later ones must need the same.
class CpuSession final : public Session {
 public:
  CpuSession(CpuExecutable& executable, std::optional<int64_t> ranks)
      : executable_(executable), ranks_(ranks) {}

  Call call(const BoundArguments& arguments, const CallOptions& options, Diagnostics& diags) override {
    std::lock_guard lock(mutex_);
    CallSchedule schedule;
    if (!schedule.read(options, diags)) return {};
    if (schedule.replay) {
      diags.report(diag::replay_in_session, {}).with_help("call the program itself");
      return {};
    }
    if (ranks_ && options.ranks && *options.ranks != *ranks_) return refuse(diags);
    auto ranks = executable_.ranks_.count(ranks_ ? ranks_ : options.ranks, arguments, diags);
    std::optional<runtime::Manifest> own;
    const runtime::Manifest* manifest =
        ranks ? executable_.manifest_for(*ranks, arguments, own, diags) : nullptr;
    if (!manifest || !prepare(*manifest, *ranks, arguments, diags)) return {};
    return executable_.run(arguments, options, schedule, *ranks, *manifest, windows_.get(), diags);
  }

  void reset() override {
    std::lock_guard lock(mutex_);
    if (windows_) windows_->zero();
  }

 private:
  Call refuse(Diagnostics& diags) const {
    const Signature& signature = executable_.signature();
    diags.report(diag::session_windows, signature.entry().span, {signature.name()})
        .with_help("open another session for arguments of other sizes, or other ranks");
    return {};
  }

  bool prepare(const runtime::Manifest& manifest, int ranks, const BoundArguments& arguments,
               Diagnostics& diags) {
    const Signature& signature = executable_.signature();
    auto layouts = manifest.resolve(ranks, size_names(signature, arguments), diags);
    if (!layouts) return false;
    if (windows_) {
      if (same(*layouts, layouts_)) return true;
      refuse(diags);
      return false;
    }
    windows_ = make_windows(manifest, ranks, signature, arguments, diags);
    if (!windows_) return false;
    layouts_ = std::move(*layouts);
    ranks_ = ranks;
    return true;
  }

  CpuExecutable& executable_;
  std::mutex mutex_;
  std::optional<int64_t> ranks_;  // asked for, or of the first call
  std::vector<runtime::GroupLayout> layouts_;
  std::unique_ptr<runtime::Windows> windows_;
};

std::unique_ptr<Session> CpuExecutable::open(std::optional<int64_t> ranks, Diagnostics& diags) {
  if (ranks && !ranks_.asked_for(*ranks, diags)) return nullptr;
  return std::make_unique<CpuSession>(*this, ranks);
}

}  // namespace

std::shared_ptr<Executable> compile_for_cpu(const Entry& entry, const CompileOptions& options,
                                            Diagnostics& diags) {
  ir::ProgramRef lowered = passes::lower(entry.program, target::cpu::traits, diags);
  if (!lowered) return nullptr;
  auto executable = std::make_shared<CpuExecutable>(entry, std::move(lowered), options.bounds);
  return executable->prepare(diags) && executable->code({}, diags) ? executable : nullptr;
}

}  // namespace tilewire::driver
