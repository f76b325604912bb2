#include "driver/execute/local_run.h"

#include <cstdio>

#include "driver/execute/words.h"
#include "driver/host/call_values.h"
#include "driver/schedule/call_schedule.h"
#include "runtime/windows.h"
#include "support/diagnostics/bundle.h"
#include "support/diagnostics/driver.h"

namespace tilewire::driver {
namespace {

std::string stats_table(const runtime::Stats& stats) {
  std::string text;
  char line[160];
  for (const runtime::RankStats& of : stats.ranks) {
    std::snprintf(line, sizeof line,
                  "rank %d: %llu tasks, %llu blocks, %llu edges, compute %.3f ms, wait %.3f ms", of.rank,
                  static_cast<unsigned long long>(of.tasks), static_cast<unsigned long long>(of.blocks),
                  static_cast<unsigned long long>(of.edges), static_cast<double>(of.compute_ns) * 1e-6,
                  static_cast<double>(of.wait_ns) * 1e-6);
    text += line;
    if (stats.ranks.size() > 1 || of.bytes) {
      std::snprintf(line, sizeof line, ", transfer %.3f ms, %llu bytes",
                    static_cast<double>(of.transfer_ns) * 1e-6, static_cast<unsigned long long>(of.bytes));
      text += line;
    }
    text += "\n";
  }
  std::snprintf(line, sizeof line, "%.3f ms on %d thread%s\n", static_cast<double>(stats.wall_ns) * 1e-6,
                stats.threads, stats.threads == 1 ? "" : "s");
  return text + line;
}

// False when the world did not refuse anything.
bool report_refusal(runtime::World& world, Diagnostics& diags) {
  const auto failure = world.refusal();
  if (!failure) return false;
  const Diagnostic error = describe(*failure, abi::Module{});
  diags.report(error.id, error.span) = error;
  return true;
}

}  // namespace

const abi::Function* find_function(const abi::Module& module, std::string_view name, bool host) {
  const abi::Function* table = host ? module.hosts : module.entries;
  const uint32_t count = host ? module.host_count : module.entry_count;
  for (uint32_t i = 0; i < count; ++i) {
    if (name == table[i].name) return &table[i];
  }
  return nullptr;
}

std::unique_ptr<runtime::Windows> make_windows(const runtime::Manifest& manifest, int32_t ranks,
                                               const Signature& signature, const BoundArguments& arguments,
                                               runtime::World& world, bool& refused, Diagnostics& diags) {
  auto layouts = manifest.resolve(ranks, size_names(signature, arguments), diags);
  if (!layouts) return nullptr;
  uint64_t bytes = 0;
  for (const runtime::GroupLayout& layout : *layouts) bytes += layout.bytes;
  auto windows = runtime::Windows::make(ranks, std::move(*layouts), world);
  if (windows) return windows;
  refused = report_refusal(world, diags);
  if (!refused) {
    diags.report(diag::windows_no_memory, {}, {std::to_string(ranks), std::to_string(bytes)});
  }
  return nullptr;
}

// The calls before the last leave in the windows what the last one starts from.
Call LocalRun::replay_calls(const Signature& signature, const BoundArguments& arguments,
                            const CallOptions& options, Diagnostics& diags) const {
  bool refused = false;
  auto kept = make_windows(*manifest, ranks, signature, arguments, runtime::local_world(), refused, diags);
  if (!kept) return {};
  Call result;
  for (int32_t call = 0; call < replay->calls; ++call) {
    const Schedule part = part_of_call(*replay, call);
    LocalRun one = *this;
    one.windows = kept.get();
    one.replay = &part;
    result = one.call(signature, arguments, options, diags);
    if (!result) break;
  }
  return result;
}

Call LocalRun::call(const Signature& signature, const BoundArguments& arguments, const CallOptions& options,
                    Diagnostics& diags) const {
  if (replay && replay->calls > 1 && host && manifest) {
    return replay_calls(signature, arguments, options, diags);
  }
  Call result;
  runtime::World& where = world ? world->world() : runtime::local_world();
  std::unique_ptr<runtime::Windows> made;
  if (host && !windows && manifest && !manifest->groups.empty()) {
    made = make_windows(*manifest, ranks, signature, arguments, where, result.world, diags);
    if (!made) return result;
  }
  std::vector<abi::Word> words = argument_words(signature, arguments);
  std::vector<abi::Word> results(result_word_count(*entry));
  runtime::Dispatch dispatch{.rank = 0, .entry = entry, .args = words, .results = results};
  runtime::Stats stats;
  runtime::Request request;
  request.module = module;
  request.world = &where;
  if (host) {
    request.host = entry;
    request.host_args = words;
    request.host_results = results;
    request.windows = windows ? windows : made.get();
    request.keep = windows != nullptr;
  } else {
    request.dispatches = {&dispatch, 1};
  }
  request.ranks = ranks;
  request.threads = options.threads;
  request.trace = world ? world->own_file(options.trace) : options.trace;
  request.replay = replay;
  if (!replay) request.schedule = options.schedule;
  request.stats = options.stats ? &stats : nullptr;
  runtime::Outcome outcome = runtime::run(request);
  if (!outcome.ok()) {
    result.world = outcome.ending == runtime::Ending::World;
    result.deadlock = outcome.ending == runtime::Ending::Deadlock;
    if (outcome.error && replay && !replay->told.empty() && !was_not_followed(*outcome.error))
      outcome.error->with_note("replayed: " + replay->told);
    if (outcome.error) report(*outcome.error, diags);
    return result;
  }
  if (world && !world->receive(outcome, ranks)) {
    result.world = report_refusal(where, diags);
    if (!result.world) diags.report(diag::world_no_memory, {}, {std::to_string(ranks)});
    return result;
  }
  std::shared_ptr<void> owner;
  if (outcome.kept.count()) owner = std::make_shared<runtime::Kept>(std::move(outcome.kept));
  result.results = results_from_words(*entry, results, words, owner);
  if (options.stats) result.stats = stats_table(stats);
  if (replay) result.replayed = replay->told;
  result.ok = true;
  return result;
}

}  // namespace tilewire::driver
