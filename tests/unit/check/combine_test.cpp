// Reports of several inputs as one.
#include "check/combine.h"

#include <gtest/gtest.h>

#include "support/diagnostics/check.h"

namespace tilewire::check {
namespace {

Trial proved(const std::string& text, size_t events) {
  Trial trial{text, {}};
  trial.report.verdict = Verdict::Proved;
  trial.report.tier = Tier::Exact;
  trial.report.events = events;
  trial.report.method = "exact, from one run of " + std::to_string(events) + " events";
  return trial;
}

Trial searched(const std::string& text, size_t schedules) {
  Trial trial{text, {}};
  trial.report.verdict = Verdict::Proved;
  trial.report.tier = Tier::Search;
  trial.report.schedules = schedules;
  return trial;
}

Trial refuted(const std::string& text, Kind kind) {
  Trial trial{text, {}};
  trial.report.verdict = Verdict::Refuted;
  Diagnostics diags;
  Finding finding{.kind = kind,
                  .diagnostic = diags.report(diag::check_bounds, {}, {"it is wrong with " + text}),
                  .places = {},
                  .story = {},
                  .schedule = {}};
  trial.report.findings.push_back(std::move(finding));
  trial.report.method = "schedule 2";
  return trial;
}

Trial stopped(const std::string& text) {
  Trial trial = refuted(text, Kind::Bounds);
  trial.report.stopped = true;
  trial.report.error = trial.report.findings.front().diagnostic;
  trial.setting = "--in n=0";
  return trial;
}

TEST(Combine, OneInputIsItsOwnReport) {
  const Report report = combine({proved("", 30)});
  EXPECT_EQ(report.method, "exact, from one run of 30 events");
  EXPECT_EQ(report.inputs.size(), 1u);
}

TEST(Combine, ProofsAddUp) {
  EXPECT_EQ(combine({proved("n = 0", 30), proved("n = 1", 12)}).method, "exact, from 2 runs of 42 events");
  EXPECT_EQ(combine({searched("n = 0", 3), searched("n = 1", 4)}).method, "all 7 schedules that differ");
  Trial pairs = proved("n = 1", 12);
  pairs.report.pairs = 5;
  const Report all = combine({proved("n = 0", 30), pairs, searched("n = 2", 4)});
  EXPECT_EQ(all.method,
            "exact, from 2 runs of 42 events and 5 pairs of uses tried; all 4 schedules that differ");
  EXPECT_EQ(all.events, 42u);
}

TEST(Combine, TheWorstCounts) {
  Trial bounded{"n = 1", {}};
  bounded.report.method = "not proved: 5 schedules";
  EXPECT_EQ(combine({proved("n = 0", 30), bounded}).verdict, Verdict::Bounded);
  const Report report = combine({proved("n = 0", 30), bounded, refuted("n = 2", Kind::Race)});
  EXPECT_EQ(report.verdict, Verdict::Refuted);
  EXPECT_EQ(report.method, "schedule 2");
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].diagnostic.notes.back().text, "with n = 2");
}

TEST(Combine, InputsThatAreNotValid) {
  const Report some = combine({stopped("n = 0"), proved("n = 1", 12)});
  EXPECT_EQ(some.verdict, Verdict::Proved);
  EXPECT_EQ(some.method, "exact, from one run of 12 events");
  ASSERT_TRUE(some.inputs[0].refused);
  EXPECT_EQ(text_of(some),
            "1 rank: proved (exact, from one run of 12 events); n = 0 fails\n\n"
            "warning[TW2527]: not a valid input: n = 0: out of bounds: it is wrong with n = 0\n"
            "  = help: if n = 0 is valid, the program is wrong: --in n=0 checks it alone\n");
  const Report all = combine({stopped("n = 0"), stopped("n = 1")});
  EXPECT_EQ(all.verdict, Verdict::Refuted);
  EXPECT_EQ(all.findings.at(0).diagnostic.message, "out of bounds: it is wrong with n = 0");
  EXPECT_EQ(text_of(all).find("not a valid input"), std::string::npos);
}

TEST(Combine, ThePageSaysWhatWasTried) {
  Report report = combine({stopped("n = 0"), proved("n = 1", 12)});
  report.assumed = "n = 1; 1 call from zeroed windows";
  const std::string page = html_of({report});
  EXPECT_NE(page.find("Checked: n = 1; 1 call from zeroed windows."), std::string::npos);
  EXPECT_NE(page.find("not a valid input: n = 0: out of bounds: it is wrong with n = 0"), std::string::npos);
  EXPECT_EQ(
      text_of(report).substr(0, text_of(report).find('\n')),
      "1 rank: proved (exact, from one run of 12 events) for n = 1; 1 call from zeroed windows; n = 0 fails");
}

TEST(Combine, WarningsOfAllInputsAreToldOnce) {
  auto warned = [](Trial trial, uint32_t line) {
    Diagnostics diags;
    Finding finding{.kind = Kind::Unawaited,
                    .diagnostic = diags.report(diag::check_unawaited, Span{{}, line, 1}, {"`s[0]`"}),
                    .places = {},
                    .story = {},
                    .schedule = {}};
    trial.report.findings.push_back(std::move(finding));
    return trial;
  };
  const Report report =
      combine({warned(proved("n = 0", 1), 3), warned(proved("n = 1", 1), 3), warned(proved("n = 2", 1), 4)});
  ASSERT_EQ(report.findings.size(), 2u);
  EXPECT_EQ(report.findings[0].diagnostic.notes.back().text, "with n = 0");
  EXPECT_EQ(report.findings[1].diagnostic.notes.back().text, "with n = 2");
  EXPECT_TRUE(combine({warned(proved("n = 0", 1), 3), warned(proved("n = 1", 1), 3)})
                  .findings[0]
                  .diagnostic.notes.empty());
  // Another input waits for what this one does not.
  Trial waits = proved("n = 1", 1);
  waits.report.cell_uses.emplace(3, 1);
  EXPECT_TRUE(combine({warned(proved("n = 0", 1), 3), waits}).findings.empty());
}

TEST(Combine, InputsThatStopAtOnePlaceAreOneWarning) {
  const Report report = combine({stopped("n = 0"), stopped("n = 1"), proved("n = 2", 12)});
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].kind, Kind::Input);
  EXPECT_EQ(report.findings[0].diagnostic.notes.back().text, "the same with n = 1");
  EXPECT_EQ(text_of(report).substr(0, text_of(report).find('\n')),
            "1 rank: proved (exact, from one run of 12 events); n = 0 and n = 1 fail");
}

}  // namespace
}  // namespace tilewire::check
