#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "support/diagnostics/command.h"
#include "support/diagnostics/syntax.h"

namespace tilewire {
namespace {

Ref<const SourceFile> source(std::string text, uint32_t first_line = 1) {
  return Ref<const SourceFile>(new SourceFile("a.py", std::move(text), first_line));
}

Diagnostic example(Span span, std::string label = "") {
  return {diag::invalid_utf8, Severity::Error, std::move(span), "bad `x`", std::move(label), {}, {}};
}

// The source line and the caret line of a rendered diagnostic, without the margin.
struct Shown {
  std::string line, caret;
};
Shown shown(const Diagnostic& d) {
  std::string text = render(d);
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  auto body = [](const std::string& line) { return line.substr(line.find('|') + 2); };
  return {body(lines.at(3)), body(lines.at(4))};
}

TEST(Render, ShowsPlaceLineCaretLabelNotesAndHelp) {
  auto file = source("def f():\n    y = g(x, 1)\n", 40);
  Diagnostic d = example({file, 41, 11, 41, 12}, "`x` is a tile");
  d.with_note("`g` is defined here", Span{file, 40, 5, 40, 6});
  d.with_help("write h(x)");
  EXPECT_EQ(render(d),
            "error[TW0101]: bad `x`\n"
            "  --> a.py:41:11\n"
            "   |\n"
            "41 |     y = g(x, 1)\n"
            "   |           ^ `x` is a tile\n"
            "   = note: `g` is defined here\n"
            "  --> a.py:40:5\n"
            "   |\n"
            "40 | def f():\n"
            "   |     ^\n"
            "   = help: write h(x)\n");
}

TEST(Render, NotesAboutOnePlaceShareItsLines) {
  auto file = source("wait(a)\nwait(b)\n");
  const Span a{file, 1, 1, 1, 8}, b{file, 2, 1, 2, 8};
  Diagnostic d = example(a);
  d.with_note("rank 0", a)
      .with_note("rank 1", a)
      .with_note("rank 2", b)
      .with_note("rank 3", b)
      .with_note("rank 4", a);
  EXPECT_EQ(render(d).substr(render(d).find(" = note")),
            " = note: rank 0\n"
            "  = note: rank 1\n"
            "  = note: rank 2\n"
            "  = note: rank 3\n"
            " --> a.py:2:1\n"
            "  |\n"
            "2 | wait(b)\n"
            "  | ^^^^^^^\n"
            "  = note: rank 4\n"
            " --> a.py:1:1\n");
}

TEST(Render, WarningsSaySo) {
  Diagnostic d = example({});
  d.severity = Severity::Warning;
  EXPECT_EQ(render(d), "warning[TW0101]: bad `x`\n");
}

TEST(Render, WithoutAPlaceShowsTheFileIfKnown) {
  EXPECT_EQ(render(example({source("x"), 0, 0, 0, 0}, "label")),
            "error[TW0101]: bad `x`\n --> a.py\n  = label\n");
}

TEST(Render, CaretCountsCharactersNotBytes) {
  Shown s = shown(example({source("größe = øre"), 1, 11, 1, 15}));
  EXPECT_EQ(s.line, "größe = øre");
  EXPECT_EQ(s.caret, "        ^^^");
}

TEST(Render, TabsAreOneColumn) {
  Shown s = shown(example({source("\t\tx = y"), 1, 7, 1, 8}));
  EXPECT_EQ(s.line, "  x = y");
  EXPECT_EQ(s.caret, "      ^");
}

TEST(Render, ControlAndBrokenBytesDoNotReachTheTerminal) {
  Shown s = shown(example({source(std::string("a\x1b[31m\xff\xc3 b\0c", 12)), 1, 9, 1, 10}));
  EXPECT_EQ(s.line, "a?[31m?? b?c");
  EXPECT_EQ(s.caret, "        ^");
}

TEST(Render, SpanOverSeveralLinesUnderlinesToTheEndOfTheFirst) {
  Shown s = shown(example({source("x = g(\n  1)"), 1, 5, 2, 5}));
  EXPECT_EQ(s.caret, "    ^^");
}

TEST(Render, EmptySpanAtTheEndOfALineStillHasACaret) {
  Shown s = shown(example({source("x = "), 1, 5, 1, 5}));
  EXPECT_EQ(s.caret, "    ^");
}

TEST(Render, SpanBeyondTheLineIsPulledToItsEnd) {
  Shown s = shown(example({source("ab"), 1, 90, 1, 95}));
  EXPECT_EQ(s.caret, "  ^");
}

TEST(Render, LongLinesAreCutAroundTheCaret) {
  std::string line(5000, 'a');
  line[2500] = 'X';
  Shown s = shown(example({source(line), 1, 2501, 1, 2502}));
  EXPECT_LT(s.line.size(), 200u);
  EXPECT_TRUE(s.line.starts_with("...a"));
  EXPECT_TRUE(s.line.ends_with("a..."));
  EXPECT_EQ(s.line.at(s.caret.find('^')), 'X');
}

TEST(Render, LongLinesAreCutBetweenCharacters) {
  for (size_t shift = 0; shift < 4; ++shift) {
    std::string line(shift, 'a');
    for (int i = 0; i < 400; ++i) line += "\xe2\x82\xac";
    Shown s = shown(example({source(line), 1, static_cast<uint32_t>(shift + 1 + 3 * 200), 1, 650}));
    EXPECT_EQ(s.line.find('?'), std::string::npos) << s.line;
  }
}

TEST(Render, ALongLineOfContinuationBytesIsCutToo) {
  std::string line(1 << 20, '\x80');
  for (uint32_t column : {1u, 500u, 700000u, 1u << 20}) {
    EXPECT_LT(render(example({source(line), 1, column, 1, column + 1})).size(), 2000u) << column;
  }
}

TEST(Render, ALongSpanIsUnderlinedOnlyWhereShown) {
  EXPECT_LT(render(example({source(std::string(100000, 'a')), 1, 1, 1, 100001})).size(), 1000u);
}

TEST(Expand, ReplacesNumberedArguments) {
  EXPECT_EQ(expand("{1} and {0}, {1}", {"a", "b"}), "b and a, b");
  EXPECT_EQ(expand("{3} {x} {", {"a"}), "? {x} {");
}

TEST(Diagnostics, KeepsOrderAndCountsErrors) {
  Diagnostics diags;
  EXPECT_FALSE(diags.has_errors());
  diags.report(diag::input_empty, {}, {"a.py"});
  diags.report(diag::input_is_folder, {}, {"b"});
  EXPECT_EQ(diags.error_count(), 2u);
  EXPECT_EQ(diags.all().at(0).message, "`a.py` is empty");
  EXPECT_EQ(diags.text(),
            "error[TW0603]: `a.py` is empty\n\nerror[TW0602]: `b` is a folder, not a program\n\n2 errors\n");
}

TEST(Diagnostics, AnEqualMessageAtAnEqualPlaceIsKeptOnce) {
  Diagnostics diags;
  auto file = source("x");
  for (int i = 0; i < 3; ++i) diags.report(diag::invalid_utf8, {file, 1, 1, 1, 2}).with_help("again");
  diags.report(diag::invalid_utf8, {file, 1, 2, 1, 3});
  EXPECT_EQ(diags.error_count(), 2u);
  EXPECT_EQ(diags.all().at(0).helps.size(), 1u);
}

TEST(Diagnostics, StopsKeepingErrorsAtTheLimit) {
  Diagnostics diags;
  auto file = source("x");
  for (uint32_t line = 1; line <= 3 * Diagnostics::limit; ++line) {
    diags.report(diag::invalid_utf8, {file, line, 1, line, 2}).with_label("l");
  }
  EXPECT_TRUE(diags.full());
  EXPECT_EQ(diags.all().size(), Diagnostics::limit);
  EXPECT_NE(diags.text().find("50 errors (further ones not shown)"), std::string::npos);
}

TEST(Diagnostics, AppendTakesOverLabelsAndNotes) {
  Diagnostics from, to;
  from.report(diag::input_empty, {}, {"a"}).with_help("h");
  to.append(from);
  to.append(from);
  ASSERT_EQ(to.all().size(), 1u);
  EXPECT_EQ(to.all()[0].message, "`a` is empty");
  EXPECT_EQ(to.all()[0].helps.at(0), "h");
  EXPECT_EQ(to.error_count(), 1u);
}

TEST(DiagnosticsTable, CodesAreUniqueAndTextsFollowTheStyle) {
  std::set<int> codes;
  for (Diag diag : all_diags()) {
    const DiagInfo& info = diag_info(diag);
    std::string what = std::to_string(info.code) + " " + std::string(info.text);
    EXPECT_TRUE(codes.insert(info.code).second) << "used twice: " << what;
    EXPECT_GE(info.code, 100) << what;
    EXPECT_LT(info.code, 10000) << what;
    EXPECT_FALSE(info.text.empty()) << what;
    EXPECT_FALSE(info.text.ends_with('.')) << what;
    EXPECT_FALSE(info.text[0] >= 'A' && info.text[0] <= 'Z') << what;
    EXPECT_EQ(std::count(info.text.begin(), info.text.end(), '`') % 2, 0) << what;
    EXPECT_FALSE(info.example.empty()) << what;
  }
}

TEST(InternalError, SaysWhereAndWhat) {
  try {
    TW_CHECK(1 + 1 == 3, "arithmetic");
    FAIL();
  } catch (const std::logic_error& e) {
    std::string text = e.what();
    EXPECT_NE(text.find("internal error in Tilewire at "), std::string::npos);
    EXPECT_NE(text.find("diagnostics_test.cpp:"), std::string::npos);
    EXPECT_NE(text.find("arithmetic"), std::string::npos);
  }
}

}  // namespace
}  // namespace tilewire
