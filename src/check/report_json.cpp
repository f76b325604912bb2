#include <cstdio>

#include "check/report.h"

namespace tilewire::check {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", c);
      out += code;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

template <class T, class F>
std::string list(const std::vector<T>& all, F f) {
  std::string out = "[";
  for (const T& element : all) out += (out.size() > 1 ? ", " : "") + f(element);
  return out + "]";
}

std::string number(int64_t value) {
  return std::to_string(value);
}

std::string place(const Place& p) {
  std::string file = p.span.file ? p.span.file->name() : "";
  return "{\"rank\": " + number(p.rank) + ", \"function\": " + quoted(p.function) +
         ", \"block\": " + number(p.block) + ", \"file\": " + quoted(file) +
         ", \"line\": " + number(p.span.line) + ", \"column\": " + number(p.span.column) +
         ", \"text\": " + quoted(p.text) + "}";
}

std::string step(const Step& s) {
  return "{\"rank\": " + number(s.rank) + ", \"who\": " + quoted(s.who) + ", \"line\": " + number(s.line) +
         ", \"text\": " + quoted(s.text) + "}";
}

std::string finding(const Finding& f) {
  return "{\"kind\": " + quoted(name(f.kind)) + ", \"error\": " + (is_error(f.kind) ? "true" : "false") +
         ", \"code\": " + number(diag_info(f.diagnostic.id).code) +
         ", \"message\": " + quoted(f.diagnostic.message) + ", \"line\": " + number(f.diagnostic.span.line) +
         ", \"places\": " + list(f.places, place) + ", \"story\": " + list(f.story, step) + "}";
}

std::string cell(const CellGroup& c) {
  return "{\"name\": " + quoted(c.name) + ", \"class\": " + quoted(name(c.kind)) +
         ", \"use\": " + quoted(c.why) + "}";
}

std::string report(const Report& r) {
  std::string text = "{\"ranks\": " + number(r.ranks) + ", \"verdict\": " + quoted(name(r.verdict)) +
                     ", \"method\": " + quoted(r.method) +
                     ", \"events\": " + number(static_cast<int64_t>(r.events)) +
                     ", \"schedules\": " + number(static_cast<int64_t>(r.schedules)) +
                     ", \"random\": " + number(static_cast<int64_t>(r.random)) +
                     ", \"cells\": " + list(r.cells, cell) + ", \"findings\": " + list(r.findings, finding);
  if (r.invalid) text += ", \"invalid\": " + quoted(r.invalid->message);
  return text + "}";
}

}  // namespace

std::string schedule_of(const std::vector<Report>& reports) {
  for (const Report& r : reports) {
    for (const Finding& f : r.findings) {
      if (!is_error(f.kind)) continue;
      auto actor = [](const Actor& a) {
        return "{\"rank\": " + number(a.rank) + ", \"function\": " + quoted(a.function) +
               ", \"task\": " + number(a.task) + ", \"block\": " + number(a.block) + "}";
      };
      return "{\"version\": 1, \"ranks\": " + number(r.ranks) + ", \"kind\": " + quoted(name(f.kind)) +
             ",\n \"agents\": " + list(r.actors, actor) +
             ",\n \"steps\": " + list(f.schedule, [](AgentId id) { return number(id); }) + "}\n";
    }
  }
  return "{\"version\": 1, \"agents\": [], \"steps\": []}\n";
}

std::string json_of(const std::vector<Report>& reports) {
  std::string out = "[";
  for (const Report& r : reports) out += (out.size() > 1 ? ",\n " : "") + report(r);
  return out + "]\n";
}

}  // namespace tilewire::check
