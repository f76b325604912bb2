#include "support/diagnostics.h"

#include <algorithm>
#include <array>
#include <functional>
#include <stdexcept>

#include "support/explanations.h"
#include "support/unicode.h"

namespace tilewire {
namespace {

constexpr DiagInfo table[] = {
#define TW_DIAG(code, name, severity, text, example) {code, #name, Severity::severity, text, example},
#include "support/diagnostics/all.def"
#undef TW_DIAG
};
static_assert(std::ranges::adjacent_find(table, std::greater_equal(), &DiagInfo::code) == std::end(table),
              "the codes of messages ascend, within a section and from one to the next");

// What to write instead, where that is the same in every program.
constexpr std::pair<int, std::string_view> helps[] = {
#define TW_HELP(code, text) {code, text},
#include "support/diagnostics/helps.def"
#undef TW_HELP
};

struct Explanation {
  int code;
  std::string_view text;
};
constexpr Explanation explanations[] = {
#define TW_EXPLAIN(code, text) {code, text},
#include "support/diagnostics/explanations.def"
#undef TW_EXPLAIN
};
static_assert(std::ranges::adjacent_find(explanations, std::greater_equal(), &Explanation::code) ==
                  std::end(explanations),
              "the codes of explanations ascend");
static_assert(std::ranges::all_of(explanations,
                                  [](const Explanation& e) {
                                    return std::ranges::find(table, e.code, &DiagInfo::code) !=
                                           std::end(table);
                                  }),
              "there is a message of each code that is explained");

// Longest piece of a source line that is shown; a line of megabytes must not fill the terminal.
constexpr size_t shown_width = 160;

// The start of the character that `at` is in. A character has at most four bytes, so a line of nothing but
// continuation bytes is not searched to its beginning.
size_t character_start(std::string_view line, size_t at) {
  size_t start = at;
  while (start > 0 && at - start < 3 && continues_character(line[start])) --start;
  return continues_character(line[start]) ? at : start;
}

// Control bytes and broken UTF-8 would corrupt the terminal; tabs keep the caret aligned as one space.
std::string printable(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    char32_t character;
    size_t length = decode_utf8(text.substr(i), character);
    if (length == 1 && character == '\t') {
      out += ' ';
    } else if (length != 0 && character >= 0x20 && character != 0x7F) {
      out.append(text, i, length);
    } else {
      out += '?';
    }
    i += std::max<size_t>(length, 1);
  }
  return out;
}

void render_place(std::string& out, const Span& span, const std::string& label) {
  std::string number = std::to_string(span.line);
  std::string margin(number.size(), ' ');
  out += margin + "--> " + to_string(span) + "\n";
  std::string_view line = span.file ? span.file->line(span.line) : std::string_view();
  if (line.empty()) {
    if (!label.empty()) out += margin + " = " + label + "\n";
    return;
  }
  size_t begin = std::min<size_t>(span.column - 1, line.size());
  size_t end = span.end_line == span.line ? std::min<size_t>(span.end_column - 1, line.size()) : line.size();
  end = std::max(end, begin);
  size_t from = 0;
  std::string lead;
  if (line.size() > shown_width) {
    from = begin > shown_width / 2 ? begin - shown_width / 2 : 0;
    from = character_start(line, from);
    if (from > 0) lead = "...";
  }
  size_t to = std::min(line.size(), from + shown_width);
  if (to < line.size()) to = character_start(line, to);
  std::string shown = lead + printable(line.substr(from, to - from)) + (to < line.size() ? "..." : "");
  size_t offset = lead.size() + count_characters(printable(line.substr(from, begin - from)));
  size_t width =
      std::max<size_t>(1, count_characters(printable(line.substr(begin, std::min(end, to) - begin))));
  out += margin + " |\n" + number + " | " + shown + "\n" + margin + " | " + std::string(offset, ' ') +
         std::string(width, '^') + (label.empty() ? "" : " " + label) + "\n";
}

}  // namespace

const DiagInfo& diag_info(Diag diag) {
  const DiagInfo* found = std::ranges::lower_bound(table, static_cast<int>(diag), {}, &DiagInfo::code);
  TW_CHECK(found != std::end(table) && found->code == static_cast<int>(diag), "a code without a message");
  return *found;
}

std::string_view explanation(Diag diag) {
  const Explanation* found = std::ranges::find(explanations, static_cast<int>(diag), &Explanation::code);
  return found == std::end(explanations) ? std::string_view() : found->text;
}

std::string code_text(Diag diag) {
  char code[16];
  snprintf(code, sizeof code, "TW%04d", diag_info(diag).code);
  return code;
}

std::string text_with_dots(const DiagInfo& info) {
  return expand(info.text, std::vector<std::string>(10, "..."));
}

std::vector<Diag> all_diags() {
  std::vector<Diag> result;
  for (const DiagInfo& info : table) result.push_back(static_cast<Diag>(info.code));
  return result;
}

Diagnostic& Diagnostic::with_label(std::string text) & {
  label = std::move(text);
  return *this;
}

Diagnostic& Diagnostic::with_note(std::string text, Span at) & {
  notes.push_back({std::move(at), std::move(text)});
  return *this;
}

Diagnostic& Diagnostic::with_help(std::string text) & {
  helps.push_back(std::move(text));
  return *this;
}

std::string expand(std::string_view text, const std::vector<std::string>& arguments) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{' && i + 2 < text.size() && text[i + 2] == '}' && text[i + 1] >= '0' &&
        text[i + 1] <= '9') {
      size_t index = text[i + 1] - '0';
      out += index < arguments.size() ? arguments[index] : "?";
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

namespace {

bool same_place(const Span& a, const Span& b) {
  const bool file = a.file == b.file || (a.file && b.file && a.file->name() == b.file->name());
  return file && a.line == b.line && a.column == b.column && a.end_line == b.end_line &&
         a.end_column == b.end_column;
}

}  // namespace

std::string render(const Diagnostic& d) {
  std::string out = d.severity == Severity::Error ? "error[" : "warning[";
  out += code_text(d.id) + "]: " + d.message + "\n";
  std::string margin(d.span ? std::to_string(d.span.line).size() : 1, ' ');
  if (d.span) {
    render_place(out, d.span, d.label);
  } else {
    if (d.span.file) out += " --> " + d.span.file->name() + "\n";
    if (!d.label.empty()) out += margin + " = " + d.label + "\n";
  }
  // Notes about one place, one after the other, share its lines, which are shown once.
  std::vector<const Span*> shown = {&d.span};
  for (size_t i = 0; i < d.notes.size(); ++i) {
    const Span& at = d.notes[i].span;
    out += margin + " = note: " + d.notes[i].text + "\n";
    const bool goes_on = i + 1 < d.notes.size() && same_place(d.notes[i + 1].span, at);
    if (!at || goes_on || same_place(at, *shown.back())) continue;
    const bool again =
        std::any_of(shown.begin(), shown.end(), [&](const Span* other) { return same_place(*other, at); });
    if (again) {
      out += std::string(std::to_string(at.line).size(), ' ') + "--> " + to_string(at) + "\n";
    } else {
      render_place(out, at, "");
    }
    shown.push_back(&at);
  }
  for (const auto& help : d.helps) out += margin + " = help: " + help + "\n";
  return out;
}

Diagnostic& Diagnostics::report(Diag id, const Span& span, std::vector<std::string> arguments) {
  const DiagInfo& info = diag_info(id);
  std::vector<Diagnostic::Note> notes(contexts_.rbegin(), contexts_.rend());
  std::vector<std::string> texts;
  for (const auto& [code, text] : helps) {
    if (code == info.code) texts.emplace_back(text);
  }
  return add({id, info.severity, span, expand(info.text, arguments), {}, std::move(notes), std::move(texts)});
}

Diagnostic& Diagnostics::add(Diagnostic d) {
  auto same = [&](const Diagnostic& other) {
    return other.id == d.id && other.span.line == d.span.line && other.span.column == d.span.column &&
           other.span.file == d.span.file && other.message == d.message;
  };
  bool error = d.severity == Severity::Error;
  size_t& count = error ? error_count_ : warning_count_;
  if (count >= limit || std::any_of(all_.begin(), all_.end(), same)) {
    dropped_.assign(1, std::move(d));
    return dropped_.front();
  }
  ++count;
  all_.push_back(std::move(d));
  return all_.back();
}

void Diagnostics::append(const Diagnostics& other) {
  for (const Diagnostic& d : other.all_) add(d);
}

std::string Diagnostics::text() const {
  std::string out;
  for (const Diagnostic& d : all_) {
    if (!out.empty()) out += "\n";
    out += render(d);
  }
  if (error_count_ > 1) {
    out +=
        "\n" + std::to_string(error_count_) + " errors" + (full() ? " (further ones not shown)" : "") + "\n";
  }
  return out;
}

void internal_error(const char* file, int line, const std::string& what) {
  throw std::logic_error("internal error in Tilewire at " + std::string(file) + ":" + std::to_string(line) +
                         ": " + what);
}

}  // namespace tilewire
