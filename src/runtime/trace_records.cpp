#include "runtime/trace_records.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tilewire::runtime {

std::vector<TraceRecord> records_of(const std::vector<const TraceBuffer*>& workers, const abi::Module& module,
                                    const std::function<std::string(const int32_t*)>& name_of) {
  std::vector<TraceRecord> records;
  for (size_t worker = 0; worker < workers.size(); ++worker) {
    for (const TraceEvent& event : *workers[worker]) {
      TraceRecord& record = records.emplace_back();
      record.worker = static_cast<uint32_t>(worker);
      record.event = event;
      record.name = event.name ? event.name : "";
      record.site = event.site ? static_cast<uint32_t>(event.site - module.sites) : module.site_count;
      record.cell = reinterpret_cast<uint64_t>(event.cell);
      if (event.cell) record.cell_name = name_of(event.cell);
      record.launch = reinterpret_cast<uint64_t>(event.launch);
    }
  }
  return records;
}

JoinedTrace::JoinedTrace(std::vector<TraceRecord> records, const abi::Module& module)
    : records_(std::move(records)) {
  for (TraceRecord& record : records_) {
    TraceEvent& event = record.event;
    event.name = record.name.c_str();
    event.site = record.site < module.site_count ? &module.sites[record.site] : nullptr;
    event.launch = reinterpret_cast<const void*>(record.launch);
    event.cell = nullptr;
    if (record.cell != 0) {
      const bool named = !record.cell_name.empty();
      const auto key = std::tuple(record.cell_name, named ? 0 : event.rank, named ? 0 : record.cell);
      event.cell = reinterpret_cast<const int32_t*>(&cells_.try_emplace(key, record.cell_name).first->second);
    }
  }
  number_notifies();
  for (const TraceRecord& record : records_) {
    if (record.worker >= workers_.size()) workers_.resize(record.worker + 1);
    workers_[record.worker].push_back(record.event);
  }
}

void JoinedTrace::number_notifies() {
  std::map<const int32_t*, std::vector<TraceEvent*>> written;  // by cell
  uint64_t number = 0;
  for (TraceRecord& record : records_) {
    TraceEvent& event = record.event;
    if (event.kind == TraceEvent::Kind::Wait || event.notify == 0 || !event.cell) continue;
    event.notify = ++number;
    written[event.cell].push_back(&event);
  }
  for (auto& [cell, events] : written) {
    std::sort(events.begin(), events.end(),
              [](const TraceEvent* a, const TraceEvent* b) { return a->start_ns < b->start_ns; });
  }
  for (TraceRecord& record : records_) {
    TraceEvent& event = record.event;
    if (event.kind != TraceEvent::Kind::Wait) continue;
    event.notify = 0;
    const auto found = written.find(event.cell);
    if (found == written.end()) continue;
    const auto after = std::upper_bound(found->second.begin(), found->second.end(), event.end_ns,
                                        [](uint64_t ns, const TraceEvent* e) { return ns < e->start_ns; });
    if (after != found->second.begin()) event.notify = (*(after - 1))->notify;
  }
}

bool JoinedTrace::write(const std::string& path, uint64_t origin_ns, std::string& error) const {
  std::vector<const TraceBuffer*> workers;
  for (const TraceBuffer& buffer : workers_) workers.push_back(&buffer);
  auto name_of = [](const int32_t* cell) {
    return cell ? *reinterpret_cast<const std::string*>(cell) : std::string();
  };
  return write_trace(path, workers, origin_ns, name_of, error);
}

}  // namespace tilewire::runtime
