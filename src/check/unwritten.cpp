// Outputs that the run has not written, or not before it reads them.
#include <map>
#include <set>

#include "check/findings.h"
#include "interp/windows.h"
#include "support/diagnostics/check.h"
#include "support/ranges_text.h"

namespace tilewire::check {
namespace {

// Bytes of one storage.
class Bytes {
 public:
  void add(int64_t begin, int64_t end) {
    auto at = ranges_.upper_bound(begin);
    if (at != ranges_.begin() && std::prev(at)->second >= begin) --at;
    while (at != ranges_.end() && at->first <= end) {
      begin = std::min(begin, at->first);
      end = std::max(end, at->second);
      at = ranges_.erase(at);
    }
    ranges_.emplace(begin, end);
  }
  bool overlaps(int64_t begin, int64_t end) const {
    auto at = ranges_.lower_bound(end);
    return at != ranges_.begin() && std::prev(at)->second > begin;
  }
  bool contains(int64_t begin, int64_t end) const {
    auto at = ranges_.upper_bound(begin);
    return at != ranges_.begin() && std::prev(at)->second >= end;
  }

 private:
  std::map<int64_t, int64_t> ranges_;  // end by begin; they do not touch
};

// Calls f(begin, end) with the runs of a box, as long as it returns true.
template <class F>
bool each_run(const interp::Box& box, F f) {
  if (box.empty()) return true;
  std::vector<int64_t> index(box.dims.size(), 0);
  int64_t at = box.offset;
  while (true) {
    if (!f(at, at + box.run)) return false;
    size_t d = box.dims.size();
    while (d > 0) {
      --d;
      at += box.dims[d].stride;
      if (++index[d] < box.dims[d].extent) break;
      at -= box.dims[d].stride * box.dims[d].extent;
      index[d] = 0;
      if (d == 0) return true;
    }
    if (box.dims.empty()) return true;
  }
}

void add_all(Bytes& bytes, const interp::Box& box) {
  each_run(box, [&](int64_t begin, int64_t end) {
    bytes.add(begin, end);
    return true;
  });
}
void add_all(Bytes& bytes, const interp::Tensor& tensor) {
  add_all(bytes, interp::box_of(tensor));
}

using Output = std::pair<const ir::Parameter*, const interp::Tensor*>;

std::vector<Output> outputs_of(const interp::World& world) {
  std::vector<Output> outputs;
  const auto& params = world.entry().function->params;
  for (size_t i = 0; i < world.arguments().size(); ++i) {
    const interp::Tensor* tensor = world.arguments()[i].tensor();
    if (tensor && params[i]->direction == ir::Direction::Out) outputs.emplace_back(params[i].get(), tensor);
  }
  return outputs;
}

bool changes(const Action& action) {
  if (action.kind == Action::Kind::Access) return action.use != Use::Read && action.use != Use::CellLook;
  return action.kind == Action::Kind::Signal || action.kind == Action::Kind::Update;
}

// What windows are copied into when all is done: the rows of the ranks that have one.
void add_stored_windows(const interp::World& world, std::map<StorageId, Bytes>& written) {
  for (const interp::Window& window : world.windows()) {
    if (!window.store_to) continue;
    for (int rank : window.dispatched) {
      add_all(written[window.store_to->storage], interp::row_of(*window.store_to, rank));
    }
  }
}

// Of its first dimension.
std::set<int64_t> unwritten_rows_of(const interp::Tensor& tensor, const Bytes& written) {
  std::set<int64_t> rows;
  auto is_written = [&](int64_t begin, int64_t end) { return written.contains(begin, end); };
  if (each_run(interp::box_of(tensor), is_written)) return rows;
  for (int64_t row = 0; row < tensor.shape[0]; ++row) {
    const interp::Box box = interp::box_of(interp::row_of(tensor, row));
    const bool untouched =
        each_run(box, [&](int64_t begin, int64_t end) { return !written.overlaps(begin, end); });
    if (untouched && !box.empty()) rows.insert(row);
  }
  return rows;
}

}  // namespace

std::vector<Finding> unwritten_rows(const Run& run) {
  std::vector<Finding> found;
  const std::vector<Output> outputs = outputs_of(run.world);
  if (outputs.empty()) return found;
  std::map<StorageId, Bytes> written;
  for (const auto& [param, tensor] : outputs) written[tensor->storage];
  for (const Action& action : run.watch.trace()) {
    const auto output = changes(action) ? written.find(action.storage) : written.end();
    if (output != written.end()) add_all(output->second, action.box);
  }
  add_stored_windows(run.world, written);
  for (const auto& [param, tensor] : outputs) {
    if (tensor->shape.empty()) continue;
    const std::set<int64_t> rows = unwritten_rows_of(*tensor, written[tensor->storage]);
    if (rows.empty() || static_cast<int64_t>(rows.size()) == tensor->shape[0]) continue;
    const std::string text = (rows.size() == 1 ? "row " : "rows ") + ranges_text(rows);
    Diagnostics diags;
    Diagnostic& said = diags.report(diag::check_unwritten_rows, param->span, {text, param->name});
    said.with_label("it has " + std::to_string(tensor->shape[0]) + " rows");
    said.with_help("if they are to keep what the caller has put there, declare it as `pl.InOut`");
    found.push_back({.kind = Kind::Unwritten, .diagnostic = said, .places = {}, .story = {}, .schedule = {}});
  }
  return found;
}

std::vector<Finding> unwritten_reads(const Run& run) {
  std::map<StorageId, Bytes> outputs;
  for (const auto& [param, tensor] : outputs_of(run.world)) outputs[tensor->storage];
  std::vector<Finding> found;
  if (outputs.empty()) return found;
  const Names names(run.world);
  std::set<std::pair<uint32_t, uint32_t>> told;
  for (const Action& action : run.watch.trace()) {
    const auto output = action.kind == Action::Kind::Access ? outputs.find(action.storage) : outputs.end();
    if (output == outputs.end() || names.call(action.task) > 0) continue;
    Bytes& written = output->second;
    if (action.use != Use::Read) {
      add_all(written, action.box);
      continue;
    }
    if (each_run(action.box, [&](int64_t begin, int64_t end) { return written.contains(begin, end); }))
      continue;
    const Span span = action.where ? action.where->span : Span{};
    if (!told.emplace(span.line, span.column).second) continue;
    Diagnostics diags;
    Finding finding{.kind = Kind::Unwritten,
                    .diagnostic = diags.report(diag::check_unwritten, span,
                                               {names.bytes(action, action.box.offset, action.box.end())}),
                    .places = {{action.rank, names.function(action.task), action.block, 0, span, "",
                                names.lanes(action.task)}},
                    .story = {},
                    .schedule = {}};
    finding.diagnostic.with_label(names.who(action.agent, action.rank, action.task));
    finding.diagnostic.with_help("write them first, or declare the parameter as `pl.InOut`");
    found.push_back(std::move(finding));
  }
  return found;
}

}  // namespace tilewire::check
