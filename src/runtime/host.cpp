#include "runtime/host.h"

#include <algorithm>
#include <string>

#include "runtime/run_state.h"
#include "runtime/transfer.h"
#include "support/diagnostics/runtime.h"

namespace tilewire::runtime {

extern const abi::Api runtime_api;

namespace {

size_t words_in(const abi::Param* params, uint32_t count) {
  size_t words = 0;
  for (uint32_t i = 0; i < count; ++i) words += abi::word_count(params[i]);
  return words;
}

// "rank 3", "ranks 0, 2 and 3".
std::string names_of(const std::vector<int32_t>& ranks) {
  constexpr size_t shown = 16;
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  size_t count = std::min(ranks.size(), shown);
  for (size_t i = 0; i < count; ++i) {
    bool last = i + 1 == count && count == ranks.size();
    if (i > 0) text += last ? " and " : ", ";
    text += std::to_string(ranks[i]);
  }
  if (count < ranks.size()) text += " and " + std::to_string(ranks.size() - count) + " more";
  return text;
}

}  // namespace

bool Host::call(const Request& request, Worker& worker) {
  const abi::Module& module = *request.module;
  function_ = request.host;
  args_ = request.host_args.data();
  rows_ = request.host_rows;
  buffers_.resize(module.window_count);
  for (uint32_t i = 0; i < module.window_count; ++i) {
    Buffer& buffer = buffers_[i];
    buffer.place = request.windows ? request.windows->find(module.windows[i].name) : std::nullopt;
    buffer.handed.assign(static_cast<size_t>(request.ranks), false);
    buffer.used = buffer.allocated = false;
  }
  calls_.clear();
  words_.clear();
  dispatches_.clear();
  parts_.clear();

  BlockContext context;
  context.api = &runtime_api;
  context.abort = run_.abort_word();
  context.block_index = 0;
  context.block_count = 1;
  context.rank = -1;
  context.rank_count = request.ranks;
  context.unlanded = run_.far.unlanded();
  context.run = &run_;
  context.worker = &worker;
  context.function = function_;
  if (!arena_.reserve(function_->arena_bytes)) {
    run_.fail_memory(context, function_->arena_bytes, function_->site);
    return false;
  }
  context.arena = arena_.data();
  abi::Status status = function_->code(&context, args_, request.host_results.data());
  if (status != abi::ok) run_.ended_badly(context, status);
  return status == abi::ok && complete(context);
}

abi::Status Host::fail(BlockContext& context, Diag row, std::vector<std::string> words, uint32_t site) {
  Failure failure;
  failure.cause = Cause::Row;
  failure.row = row;
  failure.words = std::move(words);
  failure.site = site;
  run_.fail(failure, context.worker);
  return abi::failed;
}

abi::Status Host::window(BlockContext& context, uint32_t number, int64_t bytes, uint32_t site) {
  TW_CHECK(number < buffers_.size(),
           "a host function allocates a window buffer that its module does not list");
  if (bytes <= 0) return run_.fail(context, abi::Fault::WindowSize, site, bytes, 0, 0, 0);
  Buffer& buffer = buffers_[number];
  const abi::HostWindow& info = run_.module->windows[number];
  uint64_t room = buffer.place ? run_.windows->slot(buffer.place->group, buffer.place->slot).bytes : 0;
  if (static_cast<uint64_t>(bytes) > room) {
    Failure failure;
    failure.cause = Cause::Internal;
    failure.text = "the window buffer `" + std::string(info.name) + "` was laid out with " +
                   std::to_string(room) + " bytes, and the host function asks for " + std::to_string(bytes);
    failure.site = site;
    run_.fail(failure, context.worker);
    return abi::failed;
  }
  buffer.allocated = true;
  bool staged = check_staged(context, info.load_from, number, bytes, site) &&
                check_staged(context, info.store_to, number, bytes, site);
  return staged ? abi::ok : abi::failed;
}

bool Host::check_staged(BlockContext& context, int32_t param, uint32_t number, int64_t bytes, uint32_t site) {
  if (param < 0) return true;
  const abi::Param& kind = function_->params[param];
  auto* extents = reinterpret_cast<const int64_t*>(words_of(param) + 1);
  int32_t ranks = run_.rank_count;
  if (extents[0] < ranks) {
    run_.fail(context, abi::Fault::RegionOutOfRange, site, 0, ranks, 0, extents[0]);
    return false;
  }
  int64_t row = element_count(extents + 1, kind.rank - 1u) * kind.element_bytes;
  if (row <= bytes) return true;
  run_.fail(context, abi::Fault::WindowView, site, row, bytes, number, 0);
  return false;
}

const abi::Word* Host::words_of(int32_t param) const {
  return args_ + words_in(function_->params, static_cast<uint32_t>(param));
}

abi::Status Host::dispatch(BlockContext& context, const abi::DeviceCall& call) {
  if (run_.aborted()) return abi::aborted;
  const abi::Function& entry = *call.entry;
  if (call.device < 0 || call.device >= run_.rank_count) {
    // As the source names it: `entry` may have been made to call a kernel.
    return fail(
        context, diag::run_device,
        {run_.module->sites[call.site].what, std::to_string(call.device), std::to_string(run_.rank_count)},
        call.site);
  }
  Call& kept = calls_.emplace_back();
  kept.entry = &entry;
  kept.rank = static_cast<int32_t>(call.device);
  kept.args = words_.size();
  kept.arg_count = words_in(entry.params, entry.param_count);
  words_.insert(words_.end(), call.args, call.args + kept.arg_count);
  kept.results = words_.size();
  kept.result_count = words_in(entry.results, entry.result_count);
  words_.resize(words_.size() + kept.result_count);
  abi::Word* word = words_.data() + kept.args;
  for (uint32_t i = 0; i < entry.param_count; ++i) {
    const abi::Param& param = entry.params[i];
    abi::Word* window = word + abi::word_count(param) - 1;
    bool good = true;
    if (param.kind == abi::ParamKind::Window) {
      good = resolve(context, call, static_cast<uint32_t>(*window), word, window);
    } else if (param.kind == abi::ParamKind::Tensor && abi::is_host_window(*word)) {
      const uint32_t number = abi::host_window_number(*word);
      *word = abi::host_window_bytes(*word);
      good = resolve(context, call, number, word, nullptr);
    } else if (param.kind == abi::ParamKind::Tensor && run_.shared()) {
      parts_.add(kept.rank, param, word, call.site, (param.access & abi::Writes) != 0);
      good = place_rows(context, call, param, word);
    }
    if (!good) return abi::failed;
    word += abi::word_count(param);
  }
  return abi::ok;
}

const HostRows* Host::rows_at(abi::Word address) const {
  for (const HostRows& rows : rows_) {
    if (rows.has(address)) return &rows;
  }
  return nullptr;
}

bool Host::place_rows(BlockContext& context, const abi::DeviceCall& call, const abi::Param& param,
                      abi::Word* tensor) {
  const HostRows* rows = rows_at(*tensor);
  if (!rows || !run_.part.has(static_cast<int32_t>(call.device))) return true;
  const Hull hull = hull_of({tensor, param.rank, param.element_bytes});
  if (!hull.empty() && (hull.lo < rows->hull.lo || hull.hi > rows->hull.hi)) {
    fail(context, diag::run_outside_rows,
         {param.name, std::to_string(call.device), std::to_string(rows->first),
          std::to_string(rows->first + rows->count - 1), function_->params[rows->parameter].name},
         call.site);
    return false;
  }
  *tensor = rows->own(*tensor);
  return true;
}

// The words of a window as the dispatched rank sees it.
bool Host::resolve(BlockContext& context, const abi::DeviceCall& call, uint32_t number, abi::Word* address,
                   abi::Word* window) {
  TW_CHECK(number < buffers_.size() && buffers_[number].allocated,
           "a dispatch hands on a window buffer that was not allocated");
  Buffer& buffer = buffers_[number];
  auto rank = static_cast<int32_t>(call.device);
  if (!run_.windows->in_group(buffer.place->group, rank)) {
    fail(context, diag::run_outside_group,
         {run_.module->windows[number].name, std::to_string(rank),
          names_of(run_.windows->devices(buffer.place->group))},
         call.site);
    return false;
  }
  *address += reinterpret_cast<abi::Word>(run_.windows->data(buffer.place->group, buffer.place->slot, rank));
  if (window) {
    *window =
        reinterpret_cast<abi::Word>(run_.windows->window(buffer.place->group, buffer.place->slot, rank));
  }
  if (!buffer.used) buffer.site = call.site;
  buffer.used = true;
  buffer.handed[static_cast<size_t>(rank)] = true;
  return true;
}

// A rank of a group that does not take part would leave its peers waiting.
bool Host::complete(BlockContext& context) {
  for (size_t number = 0; number < buffers_.size(); ++number) {
    const Buffer& buffer = buffers_[number];
    if (!buffer.used) continue;
    std::vector<int32_t> missed;
    for (int32_t rank : run_.windows->devices(buffer.place->group)) {
      if (!buffer.handed[static_cast<size_t>(rank)]) missed.push_back(rank);
    }
    if (missed.empty()) continue;
    fail(context, diag::run_rank_missed, {run_.module->windows[number].name, names_of(missed)}, buffer.site);
    return false;
  }
  if (run_.shared() && !shares_nothing_written(context)) return false;
  for (const Call& call : calls_) {
    if (!run_.part.has(call.rank)) continue;
    dispatches_.push_back({.rank = call.rank,
                           .entry = call.entry,
                           .args = {words_.data() + call.args, call.arg_count},
                           .results = {words_.data() + call.results, call.result_count}});
  }
  return true;
}

void Host::add_staged(int32_t param, const Buffer& buffer, bool written) {
  if (param < 0 || !buffer.allocated) return;
  abi::Param row = function_->params[param];
  const abi::Word* words = words_of(param);
  const uint8_t rank = row.rank;
  for (int32_t device : run_.windows->devices(buffer.place->group)) {
    std::vector<abi::Word> of_row(words, words + 1 + 2 * size_t{rank});
    of_row[0] += static_cast<abi::Word>(device) * words[1 + rank] * row.element_bytes;
    of_row[1] = 1;
    parts_.add(device, row, of_row.data(), buffer.site, written);
  }
}

bool Host::shares_nothing_written(BlockContext& context) {
  for (size_t i = 0; i < buffers_.size(); ++i) {
    add_staged(run_.module->windows[i].load_from, buffers_[i], false);
    add_staged(run_.module->windows[i].store_to, buffers_[i], true);
  }
  const auto conflict = parts_.conflict(run_.part);
  if (!conflict) return true;
  const auto& [written, used] = *conflict;
  fail(context, diag::run_written_elsewhere,
       {written.name, std::to_string(written.rank), std::to_string(used.rank)}, used.site);
  return false;
}

void Host::stage_in() {
  for (size_t i = 0; i < buffers_.size(); ++i) stage(run_.module->windows[i].load_from, buffers_[i], true);
}

void Host::stage_out() {
  for (size_t i = 0; i < buffers_.size(); ++i) stage(run_.module->windows[i].store_to, buffers_[i], false);
}

void Host::stage(int32_t param, const Buffer& buffer, bool in) {
  if (param < 0 || !buffer.allocated) return;
  const abi::Param& kind = function_->params[param];
  const abi::Word* words = words_of(param);
  auto* extents = reinterpret_cast<const int64_t*>(words + 1);
  const int64_t* strides = extents + kind.rank;
  uint32_t rank = kind.rank - 1u;
  std::vector<int64_t> dense(rank);
  for (int64_t stride = 1, i = rank; i-- > 0; stride *= extents[i + 1]) dense[i] = stride;
  for (int32_t device : run_.windows->devices(buffer.place->group)) {
    if (!run_.part.has(device)) continue;
    abi::Word at = words[0] + static_cast<uint64_t>(device * strides[0] * kind.element_bytes);
    if (const HostRows* rows = rows_at(at)) at = rows->own(at);
    auto* row = reinterpret_cast<std::byte*>(at);
    std::byte* share = run_.windows->data(buffer.place->group, buffer.place->slot, device);
    copy({.target = in ? share : row,
          .source = in ? row : share,
          .extents = extents + 1,
          .target_strides = in ? dense.data() : strides + 1,
          .source_strides = in ? strides + 1 : dense.data(),
          .rank = rank,
          .element_bytes = kind.element_bytes});
  }
}

}  // namespace tilewire::runtime
