// Events of a trace without addresses, so that another process can write them into one file with its own.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "runtime/trace.h"

namespace tilewire::runtime {

struct TraceRecord {
  uint32_t worker = 0;
  TraceEvent event{};  // without its pointers
  std::string name{};  // of the function
  uint32_t site = 0;   // in the module, or its site_count
  uint64_t launch = 0;
  uint64_t cell = 0;        // 0: none
  std::string cell_name{};  // empty: it has none, and belongs to the rank
};

std::vector<TraceRecord> records_of(const std::vector<const TraceBuffer*>& workers, const abi::Module& module,
                                    const std::function<std::string(const int32_t*)>& name_of);

// The events of several processes whose clock is the same; they live as long as this. The number of the
// notify that a wait saw is not known across processes: it is taken to be the last one to the cell that began
// before the wait ended.
class JoinedTrace {
 public:
  JoinedTrace(std::vector<TraceRecord> records, const abi::Module& module);
  JoinedTrace(const JoinedTrace&) = delete;

  // As write_trace does it.
  bool write(const std::string& path, uint64_t origin_ns, std::string& error) const;

 private:
  void number_notifies();

  std::vector<TraceRecord> records_;
  // Of cells that have a name, by it; of others, by rank and number. TraceEvent::cell points to the
  // name.
  std::map<std::tuple<std::string, int32_t, uint64_t>, std::string> cells_;
  std::vector<TraceBuffer> workers_;
};

}  // namespace tilewire::runtime
