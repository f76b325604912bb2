// Reads of an output that the call has not written.
#include <map>
#include <set>

#include "check/findings.h"
#include "support/diagnostics/check.h"

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

}  // namespace

std::vector<Finding> unwritten_reads(const Run& run) {
  std::map<StorageId, Bytes> outputs;
  const auto& params = run.world.entry().function->params;
  for (size_t i = 0; i < run.world.arguments().size(); ++i) {
    const interp::Tensor* tensor = run.world.arguments()[i].tensor();
    if (tensor && params[i]->direction == ir::Direction::Out) outputs[tensor->storage];
  }
  std::vector<Finding> found;
  if (outputs.empty()) return found;
  const Names names(run.world);
  std::set<std::pair<uint32_t, uint32_t>> told;
  for (const Action& action : run.watch.trace()) {
    const auto output = action.kind == Action::Kind::Access ? outputs.find(action.storage) : outputs.end();
    if (output == outputs.end() || names.call(action.task) > 0) continue;
    Bytes& written = output->second;
    if (action.use != Use::Read) {
      each_run(action.box, [&](int64_t begin, int64_t end) {
        written.add(begin, end);
        return true;
      });
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
