// Reports as pictures and data: who is linked with whom, what the page is made of, and that text of a program
// stays text.
#include "check/report.h"

#include <gtest/gtest.h>

#include "check/check.h"
#include "check/report_page.h"
#include "check/timeline_svg.h"
#include "frontend/frontend.h"
#include "protocols.h"
#include "support/escape.h"
#include "support/json_reader.h"

namespace tilewire::check::test {
namespace {

const char* const hand_over =
    "if me == 0:\n    w = pl.store(t, [0], w)\n    pld.system.notify(s, 1, [0, 0], 1)\n"
    "else:\n    pld.system.wait(s, [0, 0], 1)\n    u = pld.tile.remote_load(w, 0, [0], [4])";
const char* const no_order =
    "if me == 0:\n    w = pl.store(t, [0], w)\n    pld.system.notify(s, 1, [0, 0], 0)\n"
    "else:\n    pld.system.wait(s, [0, 0], 0)\n    u = pld.tile.remote_load(w, 0, [0], [4])";
const char* const overtaken =
    "if me == 0:\n    pld.system.notify(s, 1, [0, 0], 1)\n    pld.system.notify(s, 1, [0, 0], 1)\n"
    "else:\n    pld.system.wait(s, [0, 0], 1, cmp=\"eq\")";

Report run(const std::string& body, int ranks = 2) {
  ir::ProgramRef program = read(ranked(body));
  return program ? check(program, "main", {}, {.ranks = ranks}) : Report{};
}

size_t count(std::string_view text, std::string_view part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// "rank 0: s[0, 0]@1 += 1 (1)" of every step, those of functions that start left out.
std::string steps(const Timeline& timeline) {
  std::string text;
  for (const Beat& beat : timeline.beats) {
    if (beat.kind == Beat::Kind::Start || beat.kind == Beat::Kind::Submit) continue;
    text += (text.empty() ? "" : "; ") + std::to_string(timeline.lanes[beat.lane].rank) + ": " +
            (beat.wrong ? "!" : "") + beat.brief;
  }
  return text;
}

std::string links(const Timeline& timeline) {
  std::string text;
  for (const Link& link : timeline.links) {
    if (link.kind == Link::Kind::Task) continue;
    text += (text.empty() ? "" : "; ") + std::string(name(link.kind)) + " " +
            timeline.beats[link.from].brief + " -> " + timeline.beats[link.to].brief;
  }
  return text;
}

TEST(Timeline, OfARunThatGoesWell) {
  Report report = run(hand_over);
  ASSERT_EQ(report.verdict, Verdict::Proved);
  EXPECT_EQ(steps(report.timeline),
            "0: writes w@0; 0: s[0, 0]@1 += 1 (1); 1: wait s[0, 0] >= 1 (1); 1: reads w@0");
  EXPECT_EQ(links(report.timeline), "signal s[0, 0]@1 += 1 (1) -> wait s[0, 0] >= 1 (1)");
  ASSERT_EQ(report.timeline.lanes.size(), 3u);
  EXPECT_EQ(title(report.timeline.lanes[0]), "the host");
  EXPECT_EQ(title(report.timeline.lanes[2]), "rank 1 `k`");
}

TEST(Timeline, OfARace) {
  Report report = run(no_order);
  ASSERT_EQ(report.verdict, Verdict::Refuted);
  const Timeline& timeline = report.findings.at(0).timeline;
  const std::string missing = links(timeline);
  EXPECT_TRUE(missing == "missing writes w@0 -> reads w@0" || missing == "missing reads w@0 -> writes w@0")
      << missing;
  EXPECT_EQ(count(steps(timeline), "!"), 2u);
}

TEST(Timeline, OfAWaitThatNeverEnds) {
  Report report = run(overtaken);
  ASSERT_EQ(report.verdict, Verdict::Refuted);
  const Timeline& timeline = report.findings.at(0).timeline;
  EXPECT_EQ(steps(timeline), "0: s[0, 0]@1 += 1 (1); 0: s[0, 0]@1 += 1 (2); 1: !wait s[0, 0] == 1 (2)");
  EXPECT_EQ(timeline.beats.back().kind, Beat::Kind::Blocked);
  EXPECT_EQ(timeline.beats.back().text, "waits for `s[0, 0]` on rank 1 == 1, it is 2 and stays so");
  EXPECT_EQ(timeline.beats.back().value, 2);
}

TEST(Timeline, SumsHaveParts) {
  Report report =
      run("if me != 0:\n    pld.system.notify(s, 0, [0, 0], 1)\nelse:\n    pld.system.wait(s, [0, 0], 2)", 3);
  ASSERT_EQ(report.verdict, Verdict::Proved);
  EXPECT_EQ(
      links(report.timeline),
      "signal s[0, 0]@0 += 1 (2) -> wait s[0, 0] >= 2 (2); part s[0, 0]@0 += 1 (1) -> wait s[0, 0] >= 2 (2)");
}

TEST(Timeline, WhatWasSeenBeforeIsNoNews) {
  Report report =
      run("if me == 0:\n    pld.system.notify(s, 1, [0, 0], 1)\n"
          "else:\n    pld.system.wait(s, [0, 0], 1)\n    pld.system.wait(s, [0, 0], 1)");
  EXPECT_EQ(count(links(report.timeline), "signal"), 1u);
}

TEST(Timeline, CutAtTheRightEnd) {
  const std::string body = "for i in pl.range(40):\n    pld.system.notify(s, me, [0, 0], 1)";
  Report report = run(body, 1);
  ASSERT_EQ(report.verdict, Verdict::Proved);
  EXPECT_EQ(report.timeline.before + report.timeline.after, 0u);
  const Picture all = draw(report.timeline, "x", [](const Span&) { return std::string(); });
  EXPECT_EQ(all.note, "");
  Timeline cut = report.timeline;
  cut.before = 7;
  EXPECT_EQ(draw(cut, "x", [](const Span&) { return std::string(); }).note, "Not drawn: 7 earlier steps.");
}

TEST(Page, LargeRunsAreCut) {
  Report report = run("for i in pl.range(700):\n    pld.system.notify(s, me, [0, 0], 1)", 1);
  const std::string page = html_of({report});
  EXPECT_EQ(count(page, "<a class=\"step add"), 500u - 3u);  // host, dispatch and start come first
  EXPECT_NE(page.find("Not drawn: 203 later steps."), std::string::npos);
}

TEST(Page, HasWhatTheReportHas) {
  const std::string page = html_of({run(no_order), run(overtaken), run(hand_over)});
  EXPECT_EQ(count(page, "<section class=\"report "), 3u);
  EXPECT_EQ(count(page, "<section class=\"report refuted\""), 2u);
  EXPECT_EQ(count(page, "<section class=\"report proved\""), 1u);
  EXPECT_EQ(count(page, "<rect class=\"lane\""), 9u);  // host and two ranks, three times
  EXPECT_EQ(count(page, "<g class=\"link missing\""), 1u);
  EXPECT_EQ(count(page, "<g class=\"link signal\""), 1u);
  EXPECT_EQ(count(page, "step blocked wrong"), 1u);
  EXPECT_EQ(count(page, "step write wrong") + count(page, "step read wrong"), 2u);
  EXPECT_NE(page.find("How it happens"), std::string::npos);
  EXPECT_NE(page.find("<td class=\"mono\">s[0, 0]</td><td class=\"general\">general</td>"),
            std::string::npos);
  EXPECT_NE(page.find("waits for `s[0, 0]` on rank 1 == 1, it is 2 and stays so"), std::string::npos);
}

TEST(Page, SaysWhyThereIsNothingToCheck) {
  ir::ProgramRef program = read(ranked("pass") + R"(
        for r in pl.range(pld.world_size() - 1):
            self.k(w, s, device=r)
)");
  ASSERT_TRUE(program);
  const Report report = check(program, "main", {}, {.ranks = 2});
  ASSERT_EQ(report.verdict, Verdict::Invalid);
  const std::string page = html_of({report});
  EXPECT_NE(page.find("leaves out rank 1, which shares"), std::string::npos);
  EXPECT_EQ(count(page, "<svg"), 0u);
  EXPECT_EQ(count(page, "class=\"l bad\""), 1u);
  EXPECT_EQ(count(json_of({report}), "\"invalid\": {\"code\": 2508, "), 1u);
}

// The entry of a program without a host function is a lane like others.
TEST(Timeline, OfOneRank) {
  ir::ProgramRef program = read(R"(
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def fill(self, y: pl.Out[pl.Tensor[[1, 4], pl.FP32]]):
        y = pl.store(pl.full([1, 4], dtype=pl.FP32, value=1.0), [0, 0], y)
    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, y: pl.Out[pl.Tensor[[1, 4], pl.FP32]]):
        with pl.spmd(2):
            self.fill(y)
)");
  ASSERT_TRUE(program);
  float y[4] = {};
  const interp::Argument argument =
      interp::Array{reinterpret_cast<std::byte*>(y), ir::DType::FP32, {1, 4}, {4, 1}};
  Report report = check(program, "main", {&argument, 1}, {.ranks = 1});
  ASSERT_EQ(report.verdict, Verdict::Refuted);
  const Timeline& timeline = report.findings.at(0).timeline;
  ASSERT_EQ(timeline.lanes.size(), 3u);
  EXPECT_EQ(title(timeline.lanes[0]), "rank 0 `main`");
  EXPECT_EQ(title(timeline.lanes[2]), "rank 0 `" + timeline.lanes[1].function + "`, block 1 of 2");
  EXPECT_EQ(steps(timeline), "0: !writes y; 0: !writes y");
}

TEST(Page, NeedsNothingElse) {
  const std::string page = html_of({run(no_order)});
  for (const char* other :
       {"http:", "https:", "url(", "@import", " src=", "<link ", "<img", "<iframe", " style="}) {
    EXPECT_EQ(count(page, other), 0u) << other;
  }
  EXPECT_NE(page.find("default-src 'none'; style-src '" + std::string(page_style_hash) + "'; script-src '" +
                      std::string(page_script_hash) + "'"),
            std::string::npos);
  EXPECT_EQ(count(page, "<script"), 1u);
}

// A file whose name and text are HTML.
Report hostile() {
  const std::string evil = "</script></style></title><img src=x onerror=alert(1)>\"'&";
  Diagnostics diags;
  auto file = frontend::make_source(
      evil + "\xff\x01.py",
      "import tilewire.language as pl\nimport tilewire.language.distributed as pld\n# " + evil + "\n" +
          ranked(no_order));
  ir::ProgramRef program = frontend::read_program(file, {}, diags);
  EXPECT_TRUE(program) << diags.text();
  return program ? check(program, "main", {}, {.ranks = 2}) : Report{};
}

TEST(Page, TextOfTheProgramStaysText) {
  const std::string page = html_of({hostile()});
  EXPECT_EQ(count(page, "<img"), 0u);
  EXPECT_EQ(count(page, "</script>"), 1u);
  EXPECT_EQ(count(page, "</style>"), 1u);
  EXPECT_EQ(count(page, "</title>"), 1u + count(page, "<a class=\"step"));
  EXPECT_GE(count(page, "&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;"), 4u);
  EXPECT_EQ(page.find('\xff'), std::string::npos);
}

TEST(Json, IsWellFormedAndComplete) {
  for (const Report& report : {run(no_order), run(overtaken), run(hand_over), hostile()}) {
    const std::string text = json_of({report});
    Diagnostics diags;
    JsonReader reader("report", text, diags);
    EXPECT_FALSE(diags.has_errors()) << diags.text() << text;
    EXPECT_EQ(count(text, "\"steps\": ["), 1u);
    EXPECT_EQ(text.find('\xff'), std::string::npos);
  }
  EXPECT_NE(json_of({run(overtaken)}).find("\"kind\": \"blocked\""), std::string::npos);
  EXPECT_NE(json_of({run(hand_over)}).find("{\"kind\": \"signal\", \"from\": "), std::string::npos);
}

TEST(Stopping, MakesACheckBounded) {
  const std::string spin = "c = 0\nwhile c < 100000000:\n    c = c + 1";
  ir::ProgramRef program = read(ranked(spin));
  Options options{.ranks = 2};
  int calls = 0;
  options.progress = [&](const Progress& progress) {
    EXPECT_EQ(progress.ranks, 2);
    return ++calls < 3;
  };
  Report report = check(program, "main", {}, options);
  EXPECT_EQ(report.verdict, Verdict::Bounded);
  EXPECT_EQ(report.method, "not proved: stopped after 1 schedules");
  EXPECT_EQ(calls, 3);
}

TEST(Escaping, Html) {
  EXPECT_EQ(html_escaped("a<b>&\"'\t\n"), "a&lt;b&gt;&amp;&quot;&#39;\t\n");
  EXPECT_EQ(html_escaped(std::string_view("\0\x7f\x1b", 3)), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(html_escaped("ä€😀"), "ä€😀");
  // cut short, overlong, a surrogate, beyond the last
  EXPECT_EQ(html_escaped("\xe2\x82"), "\uFFFD\uFFFD");
  EXPECT_EQ(html_escaped("\xc0\xbc"), "\uFFFD\uFFFD");
  EXPECT_EQ(html_escaped("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(html_escaped("\xf5\x80\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");
}

TEST(Escaping, Json) {
  EXPECT_EQ(json_quoted("a\"\\\n\x01 ä\xff"), "\"a\\\"\\\\\\u000a\\u0001 ä\uFFFD\"");
}

}  // namespace
}  // namespace tilewire::check::test
