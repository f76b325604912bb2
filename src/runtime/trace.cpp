// Format: https://chromium.googlesource.com/catapult trace events, one a line. Waits overlap with whatever
// the worker does meanwhile, so they are asynchronous events, on tracks of their own; the arrow to a wait
// ends in the slice in which its block went on.
//
// The blocks of a kernel made of two halves are on tracks of their own instead of a worker's: one for each
// half, and as many of them as there are pairs at the same time. So are conditions of `defer_wait`, which no
// worker waits for.
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
    place_deferred();
    for (size_t worker = 0; worker < workers.size(); ++worker) {
      for (const TraceEvent& event : *workers[worker]) {
        names_.try_emplace({event.rank, of(event, worker)}, name(event, worker));
      }
    }
  }

  size_t of(const TraceEvent& event, size_t worker) const {
    if (event.kind == TraceEvent::Kind::Deferred) return deferred_.at(&event);
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
    if (event.kind == TraceEvent::Kind::Deferred) deferred_.emplace(&event, 0);
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
    BusyPlaces busy;
    for (auto* entry : order) {
      auto& [key, pair] = *entry;
      pair.place = take_place(busy[std::get<0>(key)], pair.start_ns, pair.end_ns);
      places_ = std::max(places_, pair.place + 1);
    }
  }

  void place_deferred() {
    std::vector<const TraceEvent*> order;
    for (const auto& entry : deferred_) order.push_back(entry.first);
    std::sort(order.begin(), order.end(), [](const TraceEvent* a, const TraceEvent* b) {
      return std::pair(a->start_ns, a->end_ns) < std::pair(b->start_ns, b->end_ns);
    });
    BusyPlaces busy;
    for (const TraceEvent* event : order) {
      deferred_[event] = first_deferred() + take_place(busy[event->rank], event->start_ns, event->end_ns);
    }
  }
  size_t first_deferred() const { return workers_ + places_ * kinds_of_half; }

  using BusyPlaces = std::map<int32_t, std::vector<uint64_t>>;  // by rank, until when each place is
  static size_t take_place(std::vector<uint64_t>& places, uint64_t start_ns, uint64_t end_ns) {
    auto free = std::find_if(places.begin(), places.end(),
                             [start_ns](uint64_t busy_until) { return busy_until <= start_ns; });
    const auto place = static_cast<size_t>(free - places.begin());
    if (free == places.end()) places.push_back(0);
    places[place] = end_ns;
    return place;
  }

  static std::string numbered(const std::string& name, size_t place) {
    return place == 0 ? name : name + " " + std::to_string(place + 1);
  }

  std::string name(const TraceEvent& event, size_t worker) const {
    if (event.kind == TraceEvent::Kind::Deferred)
      return numbered("defer_wait", of(event, worker) - first_deferred());
    if (!is_half(event)) return "worker " + std::to_string(worker);
    const size_t place = pairs_.at(pair_of(event)).place;
    return numbered(half_text(event.block, event.lanes), place);
  }

  const size_t workers_;
  std::map<Key, Pair> pairs_;
  size_t places_ = 0;                             // of pairs
  std::map<const TraceEvent*, size_t> deferred_;  // tracks
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
    if (event.kind == TraceEvent::Kind::Deferred) {
      if (event.deferred != 0)
        deferred_[event.deferred] = {event.rank, tracks_.of(event, worker), last_ns(event), "defer_wait"};
      return;
    }
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
        slice(event, on);
        return arrow(deferred_, event.deferred, event.rank, track, event.start_ns);
      case TraceEvent::Kind::Deferred:
        slice(event, on);
        return arrow(notifies_, event.notify, event.rank, track, last_ns(event));
      case TraceEvent::Kind::Notify:
        return instant(event, is_of_pipe(event) ? event.site->what : "notify", "notify", on);
      case TraceEvent::Kind::Update:
        return instant(event, "update", "update", on);
      case TraceEvent::Kind::Wait:
        return wait(event, track, on);
    }
  }

 private:
  // Still inside of the slice: an arrow belongs to the slice around its end.
  static uint64_t last_ns(const TraceEvent& event) { return std::max(event.start_ns, event.end_ns - 1); }

  // The site describes the use of a pipe's cell, which has no name.
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
    const char* category = transfer                                   ? "transfer"
                           : event.kind == TraceEvent::Kind::Blocks   ? "blocks"
                           : event.kind == TraceEvent::Kind::Deferred ? "wait"
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
    arrow(notifies_, event.notify, event.rank, track, event.end_ns);
  }

  // From what has that number, if anything has, to a track at a time.
  using Origins = std::unordered_map<uint64_t, Origin>;
  void arrow(const Origins& origins, uint64_t number, int32_t rank, size_t track, uint64_t ns) {
    auto origin = origins.find(number);
    if (number == 0 || origin == origins.end()) return;
    const Origin& from = origin->second;
    std::string head =
        "\"name\":" + json_quoted(from.name) + ",\"cat\":\"signal\",\"id\":" + std::to_string(++arrows_);
    line("{\"ph\":\"s\"," + head + on_track(from.rank, from.track) + at(from.ns) + "}");
    line("{\"ph\":\"f\",\"bp\":\"e\"," + head + on_track(rank, track) + at(std::max(ns, from.ns)) + "}");
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
      case TraceEvent::Kind::Deferred:
        if (event.kind == TraceEvent::Kind::Wait) add("block", std::to_string(event.block / event.lanes));
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
  std::unordered_map<uint64_t, Origin> notifies_, deferred_;
  FILE* file_;
  uint64_t origin_ns_;
  const std::function<std::string(const int32_t*)>& name_of_;
  const char* separator_ = "";
  size_t waits_ = 0, arrows_ = 0;
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
