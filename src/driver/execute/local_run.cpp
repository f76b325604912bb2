#include "driver/execute/local_run.h"

#include <algorithm>
#include <cstdio>

#include "driver/execute/words.h"
#include "driver/host/call_values.h"
#include "driver/schedule/call_schedule.h"
#include "runtime/windows.h"
#include "support/diagnostics/bundle.h"
#include "support/diagnostics/driver.h"
#include "support/diagnostics/runtime.h"

namespace tilewire::driver {
namespace {

std::string counted(uint64_t count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string stats_table(const runtime::Stats& stats, bool counts_transfers) {
  std::string text;
  char line[160];
  for (const runtime::RankStats& of : stats.ranks) {
    text += "rank " + std::to_string(of.rank) + ": " + counted(of.tasks, "task") + ", " +
            counted(of.blocks, "block") + ", " + counted(of.edges, "edge");
    std::snprintf(line, sizeof line, ", compute %.3f ms, wait %.3f ms",
                  static_cast<double>(of.compute_ns) * 1e-6, static_cast<double>(of.wait_ns) * 1e-6);
    text += line;
    if (counts_transfers && (stats.ranks.size() > 1 || of.bytes)) {
      std::snprintf(line, sizeof line, ", transfer %.3f ms, ", static_cast<double>(of.transfer_ns) * 1e-6);
      text += line + counted(of.bytes, "byte");
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

std::vector<runtime::HostRows> host_rows(const BoundArguments& arguments) {
  std::vector<runtime::HostRows> all;
  for (const OwnRows& own : arguments.rows) {
    const auto& whole = std::get<Array>(arguments.values[own.parameter]);
    runtime::HostRows rows;
    rows.parameter = static_cast<uint32_t>(own.parameter);
    rows.whole = reinterpret_cast<abi::Word>(whole.data);
    rows.first = own.first;
    rows.count = own.array.shape[0];
    rows.row_bytes = own.array.strides[0] * ir::bytes(own.array.dtype);
    rows.here = reinterpret_cast<abi::Word>(own.array.data);
    Array part = own.array;
    part.data = reinterpret_cast<void*>(rows.whole + static_cast<abi::Word>(rows.first * rows.row_bytes));
    std::vector<abi::Word> words;
    append_words(part, words);
    rows.hull = runtime::hull_of(
        {words.data(), static_cast<uint8_t>(part.shape.size()), static_cast<uint8_t>(ir::bytes(part.dtype))});
    all.push_back(rows);
  }
  return all;
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

// A process whose world is lost keeps its own notes.
bool LocalRun::collect(std::vector<runtime::TraceRecord>* records, runtime::Stats* stats,
                       const std::string& path, const runtime::Outcome& outcome, Diagnostics& diags) const {
  const bool good = world->collect(stats, records);
  if (!records || (good && !world->is_first())) return true;
  uint64_t origin_ns = UINT64_MAX;
  for (const runtime::TraceRecord& record : *records) origin_ns = std::min(origin_ns, record.event.start_ns);
  std::string problem;
  const runtime::JoinedTrace trace(std::move(*records), *module);
  if (trace.write(good ? path : world->own_file(path), origin_ns, problem) || !outcome.ok()) return true;
  diags.report(diag::run_trace_unwritable, {}, {problem});
  return false;
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
  const std::vector<runtime::HostRows> rows = host_rows(arguments);
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
    request.host_rows = rows;
    request.windows = windows ? windows : made.get();
    request.keep = windows != nullptr;
  } else {
    request.dispatches = {&dispatch, 1};
  }
  request.ranks = ranks;
  request.threads = options.threads;
  const bool shared = host && world && world->shared();
  std::vector<runtime::TraceRecord> records;
  const bool joins_trace = shared && !options.trace.empty();
  request.trace = options.trace;
  request.records = joins_trace ? &records : nullptr;
  request.replay = replay;
  if (!replay) request.schedule = options.schedule;
  request.stats = options.stats ? &stats : nullptr;
  runtime::Outcome outcome = runtime::run(request);
  const bool received = !outcome.ok() || !world || world->receive(outcome, ranks);
  const bool collected =
      !shared || collect(joins_trace ? &records : nullptr, request.stats, options.trace, outcome, diags);
  if (!outcome.ok()) {
    result.world = outcome.ending == runtime::Ending::World;
    result.deadlock = outcome.ending == runtime::Ending::Deadlock;
    if (outcome.error && replay && !replay->told.empty() && !was_not_followed(*outcome.error))
      outcome.error->with_note("replayed: " + replay->told);
    if (outcome.error) report(*outcome.error, diags);
    return result;
  }
  if (!received) {
    result.world = report_refusal(where, diags);
    if (!result.world) diags.report(diag::world_no_memory, {}, {std::to_string(ranks)});
    return result;
  }
  if (!collected) return result;
  std::shared_ptr<void> owner;
  if (outcome.kept.count()) owner = std::make_shared<runtime::Kept>(std::move(outcome.kept));
  result.results = results_from_words(*entry, results, words, owner);
  if (options.stats) result.stats = stats_table(stats, counts_transfers);
  if (replay) result.replayed = replay->told;
  result.ok = true;
  return result;
}

}  // namespace tilewire::driver
