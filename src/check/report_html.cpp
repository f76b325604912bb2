// The report as one page that needs nothing else: pictures and words are written here, the script only
// selects and lights things up.
#include <algorithm>
#include <map>
#include <set>

#include "check/report.h"
#include "check/report_page.h"
#include "check/timeline_svg.h"
#include "support/escape.h"

namespace tilewire::check {
namespace {

constexpr size_t most_pictures = 24;   // of one page
constexpr size_t most_lines = 1500;    // of a file that are shown without checking whether they are needed
constexpr uint32_t lines_around = 25;  // those that are needed, in a longer file

std::string element(const char* tag, const char* kind, const std::string& inside) {
  const std::string name = tag;
  return "<" + name + (*kind ? " class=\"" + std::string(kind) + "\"" : "") + ">" + inside + "</" + name +
         ">";
}

std::string counted(size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// Words between back-ticks as code.
std::string prose(std::string_view text) {
  std::string out;
  bool code = false;
  size_t begin = 0;
  while (true) {
    const size_t end = text.find('`', begin);
    out += html_escaped(text.substr(begin, end == std::string_view::npos ? end : end - begin));
    if (end == std::string_view::npos) break;
    out += code ? "</code>" : "<code>";
    code = !code;
    begin = end + 1;
  }
  return out + (code ? "</code>" : "");
}

// The text of the program, with an id for every line that is shown.
class Sources {
 public:
  void need(const Span& span, const char* mark = "used") {
    if (!span.file || !span) return;
    auto [file, fresh] = numbers_.try_emplace(span.file->name(), files_.size());
    if (fresh) files_.push_back({span.file, {}});
    std::string& marks = files_[file->second].lines[span.line];
    if (marks.empty() || std::string(mark) == "bad" || (marks == "used" && std::string(mark) == "odd"))
      marks = mark;
  }
  std::string line_id(const Span& span) const {
    if (!span.file || !span) return "";
    auto found = numbers_.find(span.file->name());
    if (found == numbers_.end()) return "";
    return "f" + std::to_string(found->second) + "-" + std::to_string(span.line);
  }
  std::string link(const Span& span) const {
    const std::string id = line_id(span);
    const std::string text = "line " + std::to_string(span.line);
    return id.empty() ? "" : "<a class=\"at\" href=\"#" + id + "\">" + text + "</a>";
  }
  std::string first_name() const { return files_.empty() ? "a program" : files_.front().file->name(); }

  std::string html() const {
    std::string out = "<aside aria-label=\"source\">";
    for (size_t i = 0; i < files_.size(); ++i) {
      out += "<h2>" + html_escaped(files_[i].file->name()) + "</h2><pre>" + lines_of(i) + "</pre>";
    }
    return out + "</aside>\n";
  }

 private:
  struct File {
    Ref<const SourceFile> file;
    std::map<uint32_t, std::string> lines;  // needed, with their marks
  };

  std::string lines_of(size_t number) const {
    const File& file = files_[number];
    const std::string& text = file.file->text();
    const auto count =
        static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) + (text.ends_with('\n') ? 0 : 1);
    const uint32_t first = file.file->first_line(), end = first + static_cast<uint32_t>(count);
    std::string out;
    bool cut = false;
    for (uint32_t line = first; line < end; ++line) {
      auto next = file.lines.lower_bound(line > lines_around ? line - lines_around : 0);
      const bool near = next != file.lines.end() && next->first <= line + lines_around;
      if (count > most_lines && !near) {
        if (!cut) out += "<span class=\"cut\">…</span>";
        cut = true;
        continue;
      }
      cut = false;
      auto mark = file.lines.find(line);
      out += "<span class=\"l" + (mark == file.lines.end() ? "" : " " + mark->second) + "\" id=\"f" +
             std::to_string(number) + "-" + std::to_string(line) + "\"><span class=\"n\">" +
             std::to_string(line) + "</span>" + html_escaped(file.file->line(line)) + "\n</span>";
    }
    return out;
  }

  std::vector<File> files_;
  std::map<std::string, size_t, std::less<>> numbers_;  // by name
};

class Page {
 public:
  explicit Page(const std::vector<Report>& reports) : reports_(reports) {}

  std::string write() {
    for (const Report& report : reports_) collect(report);
    std::string sections;
    for (size_t i = 0; i < reports_.size(); ++i) sections += section(reports_[i], "r" + std::to_string(i));
    return head() + "<body>\n" + top() + (wide_ ? "<main class=\"wide\">" : "<main>") + "\n<div>\n" +
           sections + "</div>\n" + sources_.html() + "</main>\n<script>" + std::string(page_script) +
           "</script>\n</body>\n</html>\n";
  }

 private:
  void collect(const Report& report) {
    if (report.invalid) need(*report.invalid, "bad");
    for (const Finding& finding : report.findings) {
      const char* mark = is_error(finding.kind) ? "bad" : "odd";
      need(finding.diagnostic, mark);
      for (const Place& place : finding.places) sources_.need(place.span, mark);
      for (const Beat& beat : finding.timeline.beats) sources_.need(beat.span);
    }
    for (const Beat& beat : report.timeline.beats) sources_.need(beat.span);
    for (const DataDecision& data : report.data) sources_.need(data.span);
  }
  void need(const Diagnostic& diagnostic, const char* mark) {
    sources_.need(diagnostic.span, mark);
    for (const auto& note : diagnostic.notes) sources_.need(note.span);
  }

  std::string head() const {
    const std::string policy = "default-src 'none'; style-src '" + std::string(page_style_hash) +
                               "'; script-src '" + std::string(page_script_hash) +
                               "'; base-uri 'none'; form-action 'none'";
    return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"" +
           policy +
           "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
           "<meta name=\"generator\" content=\"tilewire check\">\n<title>" +
           html_escaped(sources_.first_name()) + " · tilewire check</title>\n<style>" +
           std::string(page_style) + "</style>\n</head>\n";
  }

  std::string top() const {
    std::string chips;
    for (size_t i = 0; i < reports_.size(); ++i) {
      const std::string verdict(name(reports_[i].verdict));
      chips += "<a class=\"chip " + verdict + "\" href=\"#r" + std::to_string(i) + "\">" +
               ranks_of(reports_[i]) + " <b>" + verdict + "</b></a>";
    }
    return "<header>\n" + element("h1", "", html_escaped(sources_.first_name())) +
           element("p", "lede",
                   "Over every schedule: can it race, deadlock, lose a signal or leave its memory? The "
                   "answer holds "
                   "for the numbers of ranks and the shapes it was given.") +
           "\n<nav aria-label=\"numbers of ranks\">" + chips + "</nav>\n</header>\n";
  }

  std::string section(const Report& report, const std::string& id) {
    const std::string verdict(name(report.verdict));
    std::string out =
        "<section class=\"report " + verdict + "\" id=\"" + id + "\">\n<h2>" + ranks_of(report) +
        ": <span class=\"verdict " + verdict + "\">" + verdict + "</span></h2>\n" +
        element("p", "method", meaning(report.verdict) + " (" + html_escaped(report.method) + ")") + "\n";
    if (!report.assumed.empty()) {
      out += element("p", "method", "Checked: " + html_escaped(report.assumed) + ".") + "\n";
    }
    for (const DataDecision& data : report.data) {
      out += element("p", "method",
                     prose("Elements of `" + data.parameter + "` decide " + data.what) + " on " +
                         sources_.link(data.span) + "; the verdict holds for those given.") +
             "\n";
    }
    if (report.invalid) {
      out += "<article class=\"error\">" + words(*report.invalid, "invalid") + "</article>\n";
    } else {
      out += findings(report, id);
    }
    if (!report.timeline.empty()) {
      out += "<article>" + element("h3", "", "One run of it") + picture(report.timeline, id + "run") +
             "</article>\n";
    }
    return out + cells(report) + "</section>\n";
  }

  static std::string meaning(Verdict verdict) {
    switch (verdict) {
      case Verdict::Proved:
        return "No schedule goes wrong.";
      case Verdict::Refuted:
        return "There is a schedule that goes wrong. The search stops at the first one; check again after "
               "the "
               "fix.";
      case Verdict::Bounded:
        return "Nothing was found, and not every schedule was seen.";
      case Verdict::Invalid:
        return "There is no program to check.";
    }
    return "";
  }

  std::string findings(const Report& report, const std::string& id) {
    if (report.findings.empty()) return "";
    std::string chips, articles;
    for (size_t i = 0; i < report.findings.size(); ++i) {
      const Finding& finding = report.findings[i];
      const std::string own = id + "f" + std::to_string(i);
      const std::string level = is_error(finding.kind) ? "error" : "warning";
      chips += "<a class=\"chip " + level + "\" href=\"#" + own + "\"><b>" + std::string(name(finding.kind)) +
               "</b>" +
               (finding.diagnostic.span ? " line " + std::to_string(finding.diagnostic.span.line) : "") +
               "</a>";
      articles += "<article class=\"finding " + level + "\" id=\"" + own + "\">\n" +
                  words(finding.diagnostic, std::string(name(finding.kind))) + places(finding) +
                  picture(finding.timeline, own) + story(finding) + "</article>\n";
    }
    return "<nav aria-label=\"findings\">" + chips + "</nav>\n" + articles;
  }

  std::string words(const Diagnostic& said, const std::string& kind) const {
    std::string out = "<h3><span class=\"kind\">" + kind + "</span>" + prose(said.message) +
                      (said.label.empty() ? " " + sources_.link(said.span) : "") + "</h3>\n";
    std::string notes;
    if (!said.label.empty()) notes += "<li>" + prose(said.label) + " " + sources_.link(said.span) + "</li>";
    for (const auto& note : said.notes)
      notes += "<li>" + prose(note.text) + " " + sources_.link(note.span) + "</li>";
    for (const std::string& help : said.helps) notes += "<li>" + prose(help) + "</li>";
    return notes.empty() ? out : out + "<ul class=\"notes\">" + notes + "</ul>\n";
  }

  // What each of them did, if the message does not contain it.
  std::string places(const Finding& finding) const {
    if (!finding.diagnostic.label.empty() || !finding.diagnostic.notes.empty()) return "";
    std::string out;
    for (const Place& place : finding.places) {
      if (place.text.empty() || place.text == finding.diagnostic.message) continue;
      const Lane lane{place.rank, place.function, -1, place.block, 1, place.lanes};
      out += "<li>" + prose(title(lane) + " " + place.text) + " " + sources_.link(place.span) + "</li>";
    }
    return out.empty() ? "" : "<ul class=\"notes\">" + out + "</ul>\n";
  }

  std::string picture(const Timeline& timeline, const std::string& id) {
    if (timeline.empty()) return "";
    if (++pictures_ > most_pictures) {
      return element("p", "said",
                     "Not drawn: the page has " + counted(most_pictures, "picture") + " already.");
    }
    Picture made = draw(timeline, id, [this](const Span& span) { return sources_.line_id(span); });
    wide_ = wide_ || made.wide;
    static const std::string legend =
        "<ul class=\"legend\"><li><i class=\"add\"></i>notify</li><li><i class=\"wait\"></i>wait, test</li>"
        "<li><i class=\"read\"></i>read</li><li><i class=\"write\"></i>write</li><li><i "
        "class=\"bad\"></i>what goes "
        "wrong</li><li>at a step: its position in the schedule, and its line</li></ul>\n";
    return made.html + legend + (made.note.empty() ? "" : element("p", "said", made.note) + "\n");
  }

  std::string story(const Finding& finding) const {
    if (finding.story.empty()) return "";
    std::string items;
    for (const Step& step : finding.story) {
      if (step.who.empty()) {
        items += "<li class=\"gap\">" + prose(step.text) + "</li>";
        continue;
      }
      items += std::string("<li") + (step.last ? " class=\"wrong\"" : "") + ">" + prose(step.who) +
               ", line " + std::to_string(step.line) + ": " + prose(step.text) + "</li>";
    }
    return "<details open><summary>How it happens</summary><ol class=\"story\">" + items +
           "</ol></details>\n";
  }

  std::string cells(const Report& report) const {
    if (report.cells.empty()) return "";
    constexpr size_t most = 200;
    std::string rows;
    for (size_t i = 0; i < std::min(report.cells.size(), most); ++i) {
      const CellGroup& cell = report.cells[i];
      const bool general = cell.kind == CellClass::General;
      rows += "<tr><td class=\"mono\">" + html_escaped(cell.name) + "</td><td" +
              (general ? " class=\"general\"" : "") + ">" + name(cell.kind) + "</td><td>" +
              html_escaped(cell.why) + "</td></tr>";
    }
    std::string out = "<details" + std::string(report.cells.size() <= 16 ? " open" : "") +
                      "><summary>Signal cells" +
                      "</summary><table class=\"cells\"><tr><th>cell</th><th>class</th><th>use</th></tr>" +
                      rows + "</table>";
    if (report.cells.size() > most) {
      out += element("p", "said", "Not listed: " + counted(report.cells.size() - most, "cell") + ".");
    }
    return out + "</details>\n";
  }

  const std::vector<Report>& reports_;
  Sources sources_;
  size_t pictures_ = 0;
  bool wide_ = false;  // a picture is too wide to be placed beside the source
};

}  // namespace

std::string html_of(const std::vector<Report>& reports) {
  return Page(reports).write();
}

}  // namespace tilewire::check
