// Format: https://chromium.googlesource.com/catapult trace events, one a line. Waits overlap with whatever
// the worker does meanwhile, so they are asynchronous events, on tracks of their own.
#include "runtime/trace.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>
#include <utility>

namespace tilewire::runtime {
namespace {

std::string quoted(const char* text) {
  std::string out = "\"";
  for (const char* c = text ? text : ""; *c; ++c) {
    auto byte = static_cast<unsigned char>(*c);
    if (byte == '"' || byte == '\\') {
      out += '\\';
      out += *c;
    } else if (byte < 0x20 || byte == 0x7F) {
      char code[8];
      snprintf(code, sizeof code, "\\u%04x", byte);
      out += code;
    } else {
      out += *c;
    }
  }
  return out + "\"";
}

std::string microseconds(uint64_t ns) {
  char text[32];
  snprintf(text, sizeof text, "%llu.%03llu", static_cast<unsigned long long>(ns / 1000),
           static_cast<unsigned long long>(ns % 1000));
  return text;
}

std::string where(const TraceEvent& event) {
  if (!event.site || !event.site->file || event.site->line == 0) return "";
  std::string place = std::string(event.site->file) + ":" + std::to_string(event.site->line);
  return "\"source\":" + quoted(place.c_str());
}

std::string arguments(const TraceEvent& event) {
  std::string text = where(event);
  if (event.kind != TraceEvent::Kind::Orchestration) {
    if (!text.empty()) text += ",";
    text += "\"first block\":" + std::to_string(event.block) + ",\"blocks\":" + std::to_string(event.blocks);
  }
  return ",\"args\":{" + text + "}";
}

std::string track(int32_t rank, size_t worker) {
  return ",\"pid\":" + std::to_string(rank) + ",\"tid\":" + std::to_string(worker);
}

std::string events_of(const TraceEvent& event, size_t worker, uint64_t origin, size_t id) {
  auto at = [&](uint64_t ns) { return ",\"ts\":" + microseconds(ns - std::min(ns, origin)); };
  if (event.kind != TraceEvent::Kind::Wait) {
    const char* category = event.kind == TraceEvent::Kind::Blocks ? "blocks" : "orchestration";
    return "{\"ph\":\"X\",\"name\":" + quoted(event.name) + ",\"cat\":\"" + category + "\"" +
           track(event.rank, worker) + at(event.start_ns) +
           ",\"dur\":" + microseconds(event.end_ns - event.start_ns) + arguments(event) + "}";
  }
  std::string name = "\"name\":" + quoted((std::string("wait in ") + event.name).c_str()) +
                     ",\"cat\":\"wait\",\"id\":" + std::to_string(id) + track(event.rank, worker);
  return "{\"ph\":\"b\"," + name + at(event.start_ns) + arguments(event) + "},\n{\"ph\":\"e\"," + name +
         at(event.end_ns) + "}";
}

}  // namespace

bool write_trace(const std::string& path, const std::vector<const TraceBuffer*>& workers, uint64_t origin_ns,
                 std::string& error) {
  FILE* file = fopen(path.c_str(), "w");
  if (!file) {
    error = "`" + path + "`: " + strerror(errno);
    return false;
  }
  std::set<std::pair<int32_t, size_t>> tracks;
  for (size_t worker = 0; worker < workers.size(); ++worker) {
    for (const TraceEvent& event : *workers[worker]) tracks.insert({event.rank, worker});
  }
  fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", file);
  const char* separator = "";
  auto write = [&](const std::string& line) {
    fputs(separator, file);
    fputs(line.c_str(), file);
    separator = ",\n";
  };
  int32_t named = -1;
  for (auto [rank, worker] : tracks) {
    if (rank != named) {
      write("{\"ph\":\"M\",\"name\":\"process_name\"" + track(rank, worker) + ",\"args\":{\"name\":\"rank " +
            std::to_string(rank) + "\"}}");
    }
    named = rank;
    write("{\"ph\":\"M\",\"name\":\"thread_name\"" + track(rank, worker) + ",\"args\":{\"name\":\"worker " +
          std::to_string(worker) + "\"}}");
  }
  size_t id = 0;
  for (size_t worker = 0; worker < workers.size(); ++worker) {
    for (const TraceEvent& event : *workers[worker]) write(events_of(event, worker, origin_ns, ++id));
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
