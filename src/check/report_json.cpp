// The schema is in docs/checking.md.
#include "check/report.h"
#include "support/block_text.h"
#include "support/character_column.h"
#include "support/escape.h"

namespace tilewire::check {
namespace {

template <class T, class F>
std::string list(const std::vector<T>& all, F f) {
  std::string out = "[";
  for (const T& element : all) out += (out.size() > 1 ? ", " : "") + f(element);
  return out + "]";
}

// An object, field by field.
class Object {
 public:
  Object& raw(const char* key, const std::string& value) {
    text_ += (text_.empty() ? "\"" : ", \"") + std::string(key) + "\": " + value;
    return *this;
  }
  Object& text(const char* key, std::string_view value) { return raw(key, json_quoted(value)); }
  template <class T>
  Object& number(const char* key, T value) {
    return raw(key, std::to_string(value));
  }
  Object& flag(const char* key, bool value) { return raw(key, value ? "true" : "false"); }
  // Columns count characters; line 0: no place.
  Object& place(const Span& span) {
    text("file", span.file ? span.file->name() : "").number("line", span.line);
    return number("column", character_column(span, span.line, span.column));
  }
  std::string done() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

void add_message(Object& object, const Diagnostic& said) {
  object.number("code", diag_info(said.id).code).text("message", said.message).place(said.span);
  object.text("label", said.label);
  object.raw("notes", list(said.notes, [](const Diagnostic::Note& note) {
               return Object().text("text", note.text).place(note.span).done();
             }));
  object.raw("helps", list(said.helps, json_quoted));
}

std::string place(const Place& p) {
  return Object()
      .number("rank", p.rank)
      .text("function", p.function)
      .text("half", half_text(p.block, p.lanes))
      .number("block", p.block / p.lanes)
      .number("call", p.call + 1)
      .place(p.span)
      .text("text", p.text)
      .done();
}

std::string step(const Step& s) {
  return Object()
      .number("rank", s.rank)
      .text("who", s.who)
      .number("line", s.line)
      .text("text", s.text)
      .text("brief", s.brief)
      .flag("wrong", s.last)
      .done();
}

std::string lane(const Lane& l) {
  return Object()
      .number("rank", l.rank)
      .text("function", l.function)
      .number("task", l.task)
      .text("half", half_text(l.block, l.lanes))
      .number("block", l.block / l.lanes)
      .number("blocks", l.blocks / l.lanes)
      .done();
}

std::string beat(const Beat& b) {
  Object object;
  object.text("kind", name(b.kind)).number("lane", b.lane).place(b.span);
  object.text("text", b.text).text("brief", b.brief).number("times", b.times).flag("wrong", b.wrong);
  if (!b.cell.empty()) object.text("cell", b.cell);
  if (!b.cell.empty() && b.kind != Beat::Kind::Look) object.number("value", b.value);
  return object.done();
}

std::string link(const Link& l) {
  return Object().text("kind", name(l.kind)).number("from", l.from).number("to", l.to).done();
}

std::string timeline(const Timeline& t) {
  return Object()
      .raw("lanes", list(t.lanes, lane))
      .raw("steps", list(t.beats, beat))
      .raw("links", list(t.links, link))
      .number("before", t.before)
      .number("after", t.after)
      .done();
}

std::string finding(const Finding& f) {
  Object object;
  object.text("kind", name(f.kind)).flag("error", is_error(f.kind));
  add_message(object, f.diagnostic);
  object.raw("places", list(f.places, place)).raw("story", list(f.story, step));
  if (!f.timeline.empty()) object.raw("timeline", timeline(f.timeline));
  return object.done();
}

std::string cell(const CellGroup& c) {
  return Object().text("name", c.name).text("class", name(c.kind)).text("use", c.why).done();
}

std::string data(const DataDecision& d) {
  return Object().text("parameter", d.parameter).text("decides", d.what).place(d.span).done();
}

std::string input(const InputTried& i) {
  Object object;
  object.text("values", i.text).flag("valid", !i.refused);
  if (i.refused) {
    Object error;
    add_message(error, *i.refused);
    object.raw("error", error.done());
  } else {
    object.text("verdict", name(i.verdict));
  }
  return object.done();
}

std::string report(const Report& r) {
  Object object;
  object.number("ranks", r.ranks)
      .number("hosts", r.hosts)
      .number("calls", r.calls)
      .text("verdict", name(r.verdict))
      .text("method", r.method);
  object.text("assumed", r.assumed).raw("inputs", list(r.inputs, input));
  object.number("events", r.events).number("schedules", r.schedules).number("random", r.random);
  object.number("states", r.states).raw("data", list(r.data, data)).raw("cells", list(r.cells, cell));
  object.raw("findings", list(r.findings, finding));
  if (!r.timeline.empty()) object.raw("timeline", timeline(r.timeline));
  if (r.invalid) {
    Object invalid;
    add_message(invalid, *r.invalid);
    object.raw("invalid", invalid.done());
  }
  return object.done();
}

}  // namespace

std::string json_of(const std::vector<Report>& reports) {
  std::string out = "[";
  for (const Report& r : reports) out += (out.size() > 1 ? ",\n " : "") + report(r);
  return out + "]\n";
}

std::string json_of(const Diagnostic& message) {
  Object object;
  object.text("severity", message.severity == Severity::Error ? "error" : "warning");
  add_message(object, message);
  return object.done();
}

std::string json_without_report(const std::string& invalid, const std::vector<std::string>& messages) {
  Object object;
  object.text("verdict", name(Verdict::Invalid)).text("method", "there is no program to check");
  if (!invalid.empty()) object.raw("invalid", invalid);
  object.raw("findings", "[]");
  object.raw("messages", list(messages, [](const std::string& message) { return message; }));
  return "[" + object.done() + "]\n";
}

}  // namespace tilewire::check
