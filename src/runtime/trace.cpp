// Format: https://chromium.googlesource.com/catapult trace events, one a line. Waits overlap with whatever
// the worker does meanwhile, so they are asynchronous events, on tracks of their own; the arrow to a wait
// ends in the slice in which its block went on.
#include "runtime/trace.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>
#include <unordered_map>
#include <utility>

#include "abi/numbers.h"
#include "support/escape.h"

namespace tilewire::runtime {
namespace {

std::string microseconds(uint64_t ns) {
  char text[32];
  snprintf(text, sizeof text, "%llu.%03llu", static_cast<unsigned long long>(ns / 1000),
           static_cast<unsigned long long>(ns % 1000));
  return text;
}

std::string where(const TraceEvent& event) {
  if (!event.site || !event.site->file || event.site->line == 0) return "";
  std::string place = std::string(event.site->file) + ":" + std::to_string(event.site->line);
  return "\"source\":" + json_quoted(place);
}

std::string track(int32_t rank, size_t worker) {
  return ",\"pid\":" + std::to_string(rank) + ",\"tid\":" + std::to_string(worker);
}

// Where and when a notify was, for the arrows from it.
struct Origin {
  int32_t rank;
  size_t worker;
  uint64_t ns;
};

class Writer {
 public:
  Writer(FILE* file, uint64_t origin_ns, const std::function<std::string(const int32_t*)>& name_of)
      : file_(file), origin_ns_(origin_ns), name_of_(name_of) {}

  void names(const std::vector<const TraceBuffer*>& workers) {
    std::set<std::pair<int32_t, size_t>> tracks;
    for (size_t worker = 0; worker < workers.size(); ++worker) {
      for (const TraceEvent& event : *workers[worker]) tracks.insert({event.rank, worker});
    }
    int32_t named = -1;
    for (auto [rank, worker] : tracks) {
      if (rank != named) name("process_name", rank, worker, "rank " + std::to_string(rank));
      named = rank;
      name("thread_name", rank, worker, "worker " + std::to_string(worker));
    }
  }

  void event(const TraceEvent& event, size_t worker) {
    std::string on = track(event.rank, worker);
    switch (event.kind) {
      case TraceEvent::Kind::Orchestration:
      case TraceEvent::Kind::Blocks:
      case TraceEvent::Kind::Transfer:
        return slice(event, on);
      case TraceEvent::Kind::Notify:
        return instant(event, "notify", on);
      case TraceEvent::Kind::Update:
        return instant(event, "update", on);
      case TraceEvent::Kind::Wait:
        return wait(event, worker, on);
    }
  }

  std::unordered_map<uint64_t, Origin> notifies;

 private:
  void line(const std::string& text) {
    fputs(separator_, file_);
    fputs(text.c_str(), file_);
    separator_ = ",\n";
  }
  std::string at(uint64_t ns) const { return ",\"ts\":" + microseconds(ns - std::min(ns, origin_ns_)); }

  void name(const char* what, int32_t rank, size_t worker, const std::string& text) {
    line("{\"ph\":\"M\",\"name\":\"" + std::string(what) + "\"" + track(rank, worker) +
         ",\"args\":{\"name\":\"" + text + "\"}}");
  }

  void slice(const TraceEvent& event, const std::string& on) {
    bool transfer = event.kind == TraceEvent::Kind::Transfer;
    const char* category = transfer                                 ? "transfer"
                           : event.kind == TraceEvent::Kind::Blocks ? "blocks"
                                                                    : "orchestration";
    const char* what = transfer ? event.site->what : event.name;
    line("{\"ph\":\"X\",\"name\":" + json_quoted(what ? what : "") + ",\"cat\":\"" + category + "\"" + on +
         at(event.start_ns) + ",\"dur\":" + microseconds(event.end_ns - event.start_ns) + arguments(event) +
         "}");
  }

  void instant(const TraceEvent& event, const char* what, const std::string& on) {
    line("{\"ph\":\"i\",\"s\":\"t\",\"name\":\"" + std::string(what) + "\",\"cat\":\"" + what + "\"" + on +
         at(event.start_ns) + arguments(event) + "}");
  }

  void wait(const TraceEvent& event, size_t worker, const std::string& on) {
    std::string head = "\"name\":" + json_quoted(std::string("wait in ") + event.name) +
                       ",\"cat\":\"wait\",\"id\":" + std::to_string(++waits_) + on;
    line("{\"ph\":\"b\"," + head + at(event.start_ns) + arguments(event) + "}");
    line("{\"ph\":\"e\"," + head + at(event.end_ns) + "}");
    auto origin = notifies.find(event.notify);
    if (event.notify == 0 || origin == notifies.end()) return;
    std::string arrow = "\"name\":\"signal\",\"cat\":\"signal\",\"id\":" + std::to_string(waits_);
    const Origin& from = origin->second;
    line("{\"ph\":\"s\"," + arrow + track(from.rank, from.worker) + at(from.ns) + "}");
    line("{\"ph\":\"f\",\"bp\":\"e\"," + arrow + track(event.rank, worker) +
         at(std::max(event.end_ns, from.ns)) + "}");
  }

  std::string arguments(const TraceEvent& event) const {
    std::string text = where(event);
    auto add = [&text](const char* key, const std::string& value) {
      text += (text.empty() ? "\"" : ",\"") + std::string(key) + "\":" + value;
    };
    switch (event.kind) {
      case TraceEvent::Kind::Orchestration:
        break;
      case TraceEvent::Kind::Blocks:
        add("first block", std::to_string(event.block));
        add("blocks", std::to_string(event.blocks));
        break;
      case TraceEvent::Kind::Wait:
        add("block", std::to_string(event.block));
        add("cell", json_quoted(name_of_(event.cell)));
        add("condition", json_quoted(abi::sign(static_cast<abi::Compare>(event.cmp)) +
                                     (" " + std::to_string(event.value))));
        break;
      case TraceEvent::Kind::Notify:
      case TraceEvent::Kind::Update:
        add("cell", json_quoted(name_of_(event.cell)));
        add("value", std::to_string(event.value));
        break;
      case TraceEvent::Kind::Transfer:
        add("bytes", std::to_string(event.bytes));
        add("peer", std::to_string(event.peer));
        break;
    }
    return ",\"args\":{" + text + "}";
  }

  FILE* file_;
  uint64_t origin_ns_;
  const std::function<std::string(const int32_t*)>& name_of_;
  const char* separator_ = "";
  size_t waits_ = 0;
};

}  // namespace

bool write_trace(const std::string& path, const std::vector<const TraceBuffer*>& workers, uint64_t origin_ns,
                 const std::function<std::string(const int32_t*)>& name_of, std::string& error) {
  FILE* file = fopen(path.c_str(), "w");
  if (!file) {
    error = "`" + path + "`: " + strerror(errno);
    return false;
  }
  fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", file);
  Writer writer(file, origin_ns, name_of);
  writer.names(workers);
  for (size_t worker = 0; worker < workers.size(); ++worker) {
    for (const TraceEvent& event : *workers[worker]) {
      if (event.notify == 0 || event.kind == TraceEvent::Kind::Wait) continue;
      writer.notifies[event.notify] = {event.rank, worker, event.start_ns};
    }
  }
  for (size_t worker = 0; worker < workers.size(); ++worker) {
    for (const TraceEvent& event : *workers[worker]) writer.event(event, worker);
  }
  fputs("\n]}\n", file);
  bool good = ferror(file) == 0;
  int code = errno;
  if (fclose(file) != 0 || !good) {
    error = "`" + path + "`: " + strerror(good ? errno : code);
    return false;
  }
  return true;
}

}  // namespace tilewire::runtime
