// Format: https://chromium.googlesource.com/catapult trace events, one a line. Waits overlap with whatever
// the worker does meanwhile, so they are asynchronous events, on tracks of their own; the arrow to a wait
// ends in the slice in which its block went on.
//
// The blocks of a kernel made of two halves are on tracks of their own instead of a worker's: one for each
// half, and as many of them as there are pairs at the same time.
#include "runtime/trace.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "abi/numbers.h"
#include "support/block_text.h"
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

std::string on_track(int32_t rank, size_t track) {
  return ",\"pid\":" + std::to_string(rank) + ",\"tid\":" + std::to_string(track);
}

using Workers = std::vector<const TraceBuffer*>;

// The tracks of a rank: its workers, then the halves of kernels that are made of two.
class Tracks {
 public:
  explicit Tracks(const Workers& workers) : workers_(workers.size()) {
    for (size_t worker = 0; worker < workers.size(); ++worker) {
      for (const TraceEvent& event : *workers[worker]) meet(event);
    }
    place_pairs();
    for (size_t worker = 0; worker < workers.size(); ++worker) {
      for (const TraceEvent& event : *workers[worker]) {
        names_.try_emplace({event.rank, of(event, worker)}, name(event, worker));
      }
    }
  }

  size_t of(const TraceEvent& event, size_t worker) const {
    if (!is_half(event)) return worker;
    return workers_ + pairs_.at(pair_of(event)).place * kinds_of_half + kind_of_half(event);
  }
  // By rank and number.
  const std::map<std::pair<int32_t, size_t>, std::string>& names() const { return names_; }

 private:
  // Cube half, vector half, and one or the other vector lane.
  static constexpr size_t kinds_of_half = 4;
  static size_t kind_of_half(const TraceEvent& event) {
    const auto role = static_cast<size_t>(event.block % event.lanes);
    return role == 0 || event.lanes == 2 ? role : role + 1;
  }
  static bool is_half(const TraceEvent& event) { return event.lanes > 1 && event.launch; }

  // The halves that work as one, from the first to the last thing they do.
  struct Pair {
    uint64_t start_ns, end_ns;
    size_t place = 0;
  };
  using Key = std::tuple<int32_t, const void*, int64_t>;
  static Key pair_of(const TraceEvent& event) {
    return {event.rank, event.launch, event.block / event.lanes};
  }

  void meet(const TraceEvent& event) {
    if (!is_half(event)) return;
    Pair& pair = pairs_.try_emplace(pair_of(event), Pair{event.start_ns, event.end_ns}).first->second;
    pair.start_ns = std::min(pair.start_ns, event.start_ns);
    pair.end_ns = std::max(pair.end_ns, event.end_ns);
  }

  // Each to the first place that is free from its start on.
  void place_pairs() {
    std::vector<std::pair<const Key, Pair>*> order;
    for (auto& entry : pairs_) order.push_back(&entry);
    std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
      return std::pair(a->second.start_ns, a->first) < std::pair(b->second.start_ns, b->first);
    });
    std::map<int32_t, std::vector<uint64_t>> busy_until;  // by rank, of each place
    for (auto* entry : order) {
      auto& [key, pair] = *entry;
      std::vector<uint64_t>& places = busy_until[std::get<0>(key)];
      auto free = std::find_if(places.begin(), places.end(),
                               [start = pair.start_ns](uint64_t end_ns) { return end_ns <= start; });
      pair.place = static_cast<size_t>(free - places.begin());
      if (free == places.end()) places.push_back(0);
      places[pair.place] = pair.end_ns;
    }
  }

  std::string name(const TraceEvent& event, size_t worker) const {
    if (!is_half(event)) return "worker " + std::to_string(worker);
    const size_t place = pairs_.at(pair_of(event)).place;
    return half_text(event.block, event.lanes) + (place == 0 ? "" : " " + std::to_string(place + 1));
  }

  const size_t workers_;
  std::map<Key, Pair> pairs_;
  std::map<std::pair<int32_t, size_t>, std::string> names_;
};

// Where and when a notify was, for the arrows from it.
struct Origin {
  int32_t rank;
  size_t track;
  uint64_t ns;
  std::string name;
};

class Writer {
 public:
  Writer(FILE* file, const Workers& workers, uint64_t origin_ns,
         const std::function<std::string(const int32_t*)>& name_of)
      : tracks_(workers), file_(file), origin_ns_(origin_ns), name_of_(name_of) {
    int32_t named = -1;
    for (const auto& [track, text] : tracks_.names()) {
      if (track.first != named) name("process_name", track, "rank " + std::to_string(track.first));
      named = track.first;
      name("thread_name", track, text);
    }
  }

  void origin(const TraceEvent& event, size_t worker) {
    if (event.notify == 0 || event.kind == TraceEvent::Kind::Wait) return;
    notifies_[event.notify] = {event.rank, tracks_.of(event, worker), event.start_ns,
                               is_of_pipe(event) ? event.site->what : "signal"};
  }

  void event(const TraceEvent& event, size_t worker) {
    const size_t track = tracks_.of(event, worker);
    const std::string on = on_track(event.rank, track);
    switch (event.kind) {
      case TraceEvent::Kind::Orchestration:
      case TraceEvent::Kind::Blocks:
      case TraceEvent::Kind::Transfer:
        return slice(event, on);
      case TraceEvent::Kind::Notify:
        return instant(event, is_of_pipe(event) ? event.site->what : "notify", "notify", on);
      case TraceEvent::Kind::Update:
        return instant(event, "update", "update", on);
      case TraceEvent::Kind::Wait:
        return wait(event, track, on);
    }
  }

 private:
  // What is done with a cell of a pipe, which has no name of its own, is said by the site.
  bool is_of_pipe(const TraceEvent& event) const {
    return event.lanes > 1 && event.cell && event.site->what && name_of_(event.cell).empty();
  }

  void line(const std::string& text) {
    fputs(separator_, file_);
    fputs(text.c_str(), file_);
    separator_ = ",\n";
  }
  std::string at(uint64_t ns) const { return ",\"ts\":" + microseconds(ns - std::min(ns, origin_ns_)); }

  void name(const char* what, const std::pair<int32_t, size_t>& track, const std::string& text) {
    line("{\"ph\":\"M\",\"name\":\"" + std::string(what) + "\"" + on_track(track.first, track.second) +
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

  void instant(const TraceEvent& event, const char* what, const char* category, const std::string& on) {
    line("{\"ph\":\"i\",\"s\":\"t\",\"name\":" + json_quoted(what) + ",\"cat\":\"" + category + "\"" + on +
         at(event.start_ns) + arguments(event) + "}");
  }

  void wait(const TraceEvent& event, size_t track, const std::string& on) {
    const std::string what = is_of_pipe(event) ? std::string("wait for ") + event.site->what
                                               : std::string("wait in ") + event.name;
    std::string head =
        "\"name\":" + json_quoted(what) + ",\"cat\":\"wait\",\"id\":" + std::to_string(++waits_) + on;
    line("{\"ph\":\"b\"," + head + at(event.start_ns) + arguments(event) + "}");
    line("{\"ph\":\"e\"," + head + at(event.end_ns) + "}");
    auto origin = notifies_.find(event.notify);
    if (event.notify == 0 || origin == notifies_.end()) return;
    const Origin& from = origin->second;
    std::string arrow =
        "\"name\":" + json_quoted(from.name) + ",\"cat\":\"signal\",\"id\":" + std::to_string(waits_);
    line("{\"ph\":\"s\"," + arrow + on_track(from.rank, from.track) + at(from.ns) + "}");
    line("{\"ph\":\"f\",\"bp\":\"e\"," + arrow + on_track(event.rank, track) +
         at(std::max(event.end_ns, from.ns)) + "}");
  }

  std::string arguments(const TraceEvent& event) const {
    std::string text = where(event);
    auto add = [&text](const char* key, const std::string& value) {
      text += (text.empty() ? "\"" : ",\"") + std::string(key) + "\":" + value;
    };
    auto cell = [&] {
      if (!is_of_pipe(event)) add("cell", json_quoted(name_of_(event.cell)));
    };
    switch (event.kind) {
      case TraceEvent::Kind::Orchestration:
        break;
      case TraceEvent::Kind::Blocks:
        add("first block", std::to_string(event.block / event.lanes));
        add("blocks", std::to_string(event.blocks));
        break;
      case TraceEvent::Kind::Wait:
        add("block", std::to_string(event.block / event.lanes));
        cell();
        add("condition", json_quoted(abi::sign(static_cast<abi::Compare>(event.cmp)) +
                                     (" " + std::to_string(event.value))));
        break;
      case TraceEvent::Kind::Notify:
      case TraceEvent::Kind::Update:
        cell();
        add("value", std::to_string(event.value));
        break;
      case TraceEvent::Kind::Transfer:
        add("bytes", std::to_string(event.bytes));
        add("peer", std::to_string(event.peer));
        break;
    }
    return ",\"args\":{" + text + "}";
  }

  const Tracks tracks_;
  std::unordered_map<uint64_t, Origin> notifies_;
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
  Writer writer(file, workers, origin_ns, name_of);
  for (size_t worker = 0; worker < workers.size(); ++worker) {
    for (const TraceEvent& event : *workers[worker]) writer.origin(event, worker);
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
