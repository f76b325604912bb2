// The words for what goes wrong at run time. Texts are rows 21xx of the diagnostics, shared with the
// interpreter; what is known of the place goes into the label (the op) and a note (rank, block, kernel).
#include <algorithm>
#include <cstring>
#include <tuple>

#include "runtime/failure.h"
#include "runtime/trace.h"
#include "support/block_text.h"
#include "support/diagnostics/runtime.h"
#include "support/element_range.h"

namespace tilewire::runtime {
namespace {

const abi::Site& site_of(const abi::Module& module, uint32_t site) {
  static constexpr abi::Site nowhere{"", "", 0, 0};
  return site < module.site_count ? module.sites[site] : nowhere;
}

// Generated code carries names of files, not their text.
Span span_of(const abi::Site& site) {
  if (!site.file || site.line == 0) return {};
  Ref<const SourceFile> file(new SourceFile(site.file, ""));
  return {file, site.line, std::max(site.column, 1u), site.line, std::max(site.column, 1u) + 1};
}

std::string last_of(int64_t first, int64_t count) {
  int64_t last;
  return __builtin_add_overflow(first, count - 1, &last) ? "?" : std::to_string(last);
}

// As the interpreter says it: "rank 1, in `k`, block 3 of 8", as far as there is something to tell apart.
int64_t lanes_of(const abi::Module& module, const std::string& kernel) {
  for (uint32_t i = 0; i < module.kernel_count; ++i) {
    if (kernel == module.kernels[i].name) return abi::lanes_of(module.kernels[i].bits);
  }
  return 1;
}

std::string place(const abi::Module& module, const std::string& kernel, int64_t block, int64_t blocks,
                  int32_t rank, int32_t ranks) {
  std::string text = ranks > 1 && rank >= 0 ? "rank " + std::to_string(rank) : "";
  if (kernel.empty()) return text;
  text += (text.empty() ? "in `" : ", in `") + kernel + "`";
  const std::string where = block_text(block, blocks, lanes_of(module, kernel));
  if (!where.empty()) text += ", " + where;
  return text;
}

struct Words {
  Diag row;
  std::vector<std::string> arguments;
};

std::string window_name(const abi::Module& module, int64_t number, const std::string& otherwise) {
  bool known = number >= 0 && number < module.window_count;
  return known ? module.windows[number].name : otherwise;
}

Words words_of(const Failure& failure, const abi::Module& module, const abi::Site& site) {
  auto number = [&](int i) { return std::to_string(failure.numbers[i]); };
  const int64_t* n = failure.numbers;
  std::string what = site.what ? site.what : "";
  switch (failure.fault) {
    case abi::Fault::IndexOutOfRange:
      return {diag::run_index, {number(0), number(2), number(1)}};
    case abi::Fault::RegionOutOfRange:
      if (n[1] < 0) return {diag::run_negative_extent, {number(2), number(1)}};
      return {diag::run_region, {element_range(number(0), last_of(n[0], n[1])), number(2), number(3)}};
    case abi::Fault::ZeroDivisor:
      return {diag::run_zero_divisor, {what}};
    case abi::Fault::Narrowing:
      return {diag::run_narrowing, {number(0), "pl.INT" + number(2)}};
    case abi::Fault::BlockCount:
      return {diag::run_block_count, {number(0)}};
    case abi::Fault::ValidShape:
      return {diag::run_valid_shape, {number(0), number(2), number(1)}};
    case abi::Fault::ExtentMismatch:
      return {diag::run_extents_differ, {what, number(2), number(0), number(1)}};
    case abi::Fault::NegativeShift:
      return {diag::run_negative_shift, {what, number(0)}};
    case abi::Fault::PeerOutOfRange:
      return {diag::run_peer, {number(0), number(1)}};
    case abi::Fault::AccessOutside:
      return {diag::run_outside, {number(0), number(1)}};
    case abi::Fault::StepZero:
      return {diag::run_step_zero, {}};
    case abi::Fault::NegativeExtent:
      return {diag::run_negative_extent, {number(2), number(0)}};
    case abi::Fault::RaggedExtent:
      return {diag::run_ragged,
              {what, "whole rows or parts, got the valid extent " + number(0) + " x " + number(1)}};
    case abi::Fault::ReshapeCount:
      return {diag::run_reshape_count,
              {what, n[0] < 0 ? "a strided tensor" : number(0) + " elements", number(1)}};
    case abi::Fault::NegativePower:
      return {diag::run_negative_power, {number(0)}};
    case abi::Fault::CountAboveCapacity:
      return {diag::run_count_capacity, {number(0), number(1)}};
    case abi::Fault::DeviceOutOfRange:
      return {diag::run_device, {what, number(0), number(1)}};
    case abi::Fault::WindowSize:
      return {diag::run_window_size, {number(0)}};
    case abi::Fault::WindowView:
      return {diag::run_window_view, {number(0), window_name(module, n[2], what), number(1)}};
    case abi::Fault::SubgroupDivision:
      return {diag::run_subgroup, {number(0), number(1), number(2)}};
    case abi::Fault::MeshSize:
      return {diag::run_mesh, {number(0), number(1)}};
    case abi::Fault::MemberOutOfRange:
      return {diag::run_member, {number(0), number(1)}};
    case abi::Fault::OtherGroup:
      return {diag::run_other_group, {}};
    case abi::Fault::PipeWorkspace:
      return {diag::run_pipe_workspace,
              {number(0), number(1) + (n[1] == 1 ? " block" : " blocks"), number(2)}};
  }
  return {diag::run_internal,
          {"fault " + std::to_string(static_cast<uint32_t>(failure.fault)) + " has no text"}};
}

Diagnostic make(Diag row, const Span& span, const std::vector<std::string>& arguments) {
  Diagnostics one;
  return one.report(row, span, arguments);
}

// Every blocked fiber is a note at its place; equal ones of one kernel, which differ in the block alone, are
// told together when there are many.
Diagnostic describe_deadlock(const Failure& failure, const abi::Module& module) {
  constexpr size_t shown = 50;
  std::vector<Blocked> blocked = failure.blocked;
  auto order = [&](const Blocked& one) {
    const abi::Site& site = site_of(module, one.site);
    return std::tuple(one.rank, site.line, site.column, one.block, one.kernel, one.cell);
  };
  std::sort(blocked.begin(), blocked.end(),
            [&](const Blocked& a, const Blocked& b) { return order(a) < order(b); });
  Span first = blocked.empty() ? Span{} : span_of(site_of(module, blocked.front().site));
  Diagnostic result = make(diag::run_deadlock, first, {diag::blocked_text(blocked.size())});
  for (size_t i = 0; i < blocked.size() && i < shown; ++i) {
    const Blocked& one = blocked[i];
    std::string text = place(module, one.kernel, one.block, one.blocks, one.rank, failure.ranks);
    if (!text.empty()) text += ": ";
    if (one.for_cores != 0) {
      text += one.for_cores == 1 ? "waits for a core"
                                 : "waits for " + std::to_string(one.for_cores) +
                                       " cores at once, there are " + std::to_string(one.cores);
      result.with_note(text, span_of(site_of(module, one.site)));
      continue;
    }
    const bool waits = one.does == Blocked::Does::Wait;
    static constexpr const char* verbs[] = {"waits for ", "tests ", "reads ", "updates "};
    text += verbs[static_cast<size_t>(one.does)];
    // A wait emitted by the compiler has no name in the program, but a text for what it waits for.
    const char* what = site_of(module, one.site).what;
    if (waits && what && std::strchr(what, ' ')) {
      result.with_note(text + what, span_of(site_of(module, one.site)));
      continue;
    }
    text += one.cell.empty() ? "a cell" : one.cell;
    if (waits)
      text += std::string(" ") + abi::sign(static_cast<abi::Compare>(one.cmp)) + " " +
              std::to_string(one.expected);
    text += ", which is " + std::to_string(one.seen);
    result.with_note(text, span_of(site_of(module, one.site)));
  }
  if (blocked.size() > shown) result.with_note("and " + std::to_string(blocked.size() - shown) + " more");
  return result;
}

}  // namespace

Failure deadlock_of(std::vector<Blocked> blocked) {
  Failure failure;
  failure.cause = Cause::Deadlock;
  failure.blocked = std::move(blocked);
  return failure;
}

Diagnostic describe(const Failure& failure, const abi::Module& module) {
  if (failure.cause == Cause::Deadlock) return describe_deadlock(failure, module);
  const abi::Site& site = site_of(module, failure.site);
  Words words{};
  switch (failure.cause) {
    case Cause::Fault:
      words = words_of(failure, module, site);
      break;
    case Cause::Memory:
      words = {diag::run_out_of_memory, {std::to_string(static_cast<uint64_t>(failure.numbers[0]))}};
      break;
    case Cause::Fibers:
      words = {diag::run_too_many_blocked, {std::to_string(failure.numbers[0])}};
      break;
    case Cause::Interrupted:
      words = {diag::run_interrupted, {}};
      break;
    case Cause::Trace:
      words = {diag::run_trace_unwritable, {failure.text}};
      break;
    case Cause::Row:
    case Cause::World:
      words = {failure.row, failure.words};
      break;
    case Cause::Deadlock:
    case Cause::Internal:
      words = {diag::run_internal, {failure.text}};
      break;
  }
  Diagnostic result = make(words.row, span_of(site), words.arguments);
  bool of_program = failure.cause == Cause::Fault || failure.cause == Cause::Row;
  if (of_program && site.what && *site.what) result.with_label(site.what);
  std::string where =
      place(module, failure.kernel, failure.block, failure.blocks, failure.rank, failure.ranks);
  if (!where.empty() && failure.cause != Cause::Internal) result.with_note(where);
  return result;
}

}  // namespace tilewire::runtime
