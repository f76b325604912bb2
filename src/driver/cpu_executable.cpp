#include "driver/cpu_executable.h"

#include <cstdio>
#include <mutex>

#include "driver/cpu_library.h"
#include "driver/disk_cache.h"
#include "driver/sources.h"
#include "driver/words.h"
#include "ir/printer.h"
#include "ir/serialize.h"
#include "passes/pipeline.h"
#include "runtime/run.h"

namespace tilewire::driver {
namespace {

using target::cpu::CompiledModule;

std::string stats_table(const runtime::Stats& stats) {
  std::string text;
  char line[160];
  for (size_t rank = 0; rank < stats.ranks.size(); ++rank) {
    const runtime::RankStats& of = stats.ranks[rank];
    std::snprintf(line, sizeof line,
                  "rank %zu: %llu tasks, %llu blocks, %llu edges, compute %.3f ms, wait %.3f ms\n", rank,
                  static_cast<unsigned long long>(of.tasks), static_cast<unsigned long long>(of.blocks),
                  static_cast<unsigned long long>(of.edges), static_cast<double>(of.compute_ns) * 1e-6,
                  static_cast<double>(of.wait_ns) * 1e-6);
    text += line;
  }
  std::snprintf(line, sizeof line, "%.3f ms on %d thread%s\n", static_cast<double>(stats.wall_ns) * 1e-6,
                stats.threads, stats.threads == 1 ? "" : "s");
  return text + line;
}

class CpuExecutable final : public Executable {
 public:
  CpuExecutable(const Entry& entry, ir::ProgramRef lowered, bool bounds)
      : Executable(entry.program, entry.function, "cpu"),
        lowered_(std::move(lowered)),
        bounds_(bounds),
        sources_(*entry.program) {}

  // Compiled on first use: most programs never see an array whose last dimension is not contiguous.
  const CompiledModule* code(bool strided, Diagnostics& diags) {
    std::lock_guard lock(mutex_);
    std::unique_ptr<CompiledModule>& place = strided ? strided_ : plain_;
    if (place) return place.get();
    const target::cpu::Library* library = cpu_library(diags);
    if (!library) return nullptr;
    target::cpu::Options options;
    options.bounds = bounds_;
    options.strided = strided;
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

  Call call(const BoundArguments& arguments, const CallOptions& options, Diagnostics& diags) override {
    Call result;
    const CompiledModule* compiled = code(arguments.strided, diags);
    if (!compiled) return result;
    const abi::Module* module = compiled->module();
    const abi::Function* entry = find(*module);
    std::vector<abi::Word> words = argument_words(signature(), arguments);
    std::vector<abi::Word> results(result_word_count(*entry));
    runtime::Dispatch dispatch{.rank = 0, .entry = entry, .args = words, .results = results};
    runtime::Stats stats;
    runtime::Request request;
    request.module = module;
    request.dispatches = {&dispatch, 1};
    request.threads = options.threads;
    request.trace = options.trace;
    request.stats = options.stats ? &stats : nullptr;
    runtime::Outcome outcome = runtime::run(request);
    if (!outcome.ok()) {
      result.deadlock = outcome.ending == runtime::Ending::Deadlock;
      if (outcome.error) sources_.report(*outcome.error, diags);
      return result;
    }
    std::shared_ptr<void> owner;
    if (outcome.kept.count()) owner = std::make_shared<runtime::Kept>(std::move(outcome.kept));
    result.results = results_from_words(*entry, results, arguments, owner);
    if (options.stats) result.stats = stats_table(stats);
    result.ok = true;
    return result;
  }

 private:
  std::unique_ptr<CompiledModule> from_disk_or_compiled(const target::cpu::Library& library,
                                                        const target::cpu::Options& options,
                                                        Diagnostics& diags) {
    std::string program = ir::to_bytes(ir::NodeRef(lowered_));
    std::string settings = std::string(options.bounds ? "b" : "-") + (options.strided ? "s" : "-");
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

  const abi::Function* find(const abi::Module& module) const {
    for (uint32_t i = 0; i < module.entry_count; ++i) {
      if (signature().entry().name == module.entries[i].name) return &module.entries[i];
    }
    internal_error(__FILE__, __LINE__, "the compiled module lacks its entry");
  }

  ir::ProgramRef lowered_;
  bool bounds_;
  Sources sources_;
  std::mutex mutex_;
  std::unique_ptr<CompiledModule> plain_, strided_;
};

}  // namespace

std::shared_ptr<Executable> compile_for_cpu(const Entry& entry, const CompileOptions& options,
                                            Diagnostics& diags) {
  ir::ProgramRef lowered = passes::lower(entry.program, diags);
  if (!lowered) return nullptr;
  auto executable = std::make_shared<CpuExecutable>(entry, std::move(lowered), options.bounds);
  return executable->code(false, diags) ? executable : nullptr;
}

}  // namespace tilewire::driver
