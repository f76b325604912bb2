#include "support/source.h"

#include <gtest/gtest.h>

namespace tilewire {
namespace {

Ref<const SourceFile> source(std::string text, uint32_t first_line = 1) {
  return Ref<const SourceFile>(new SourceFile("a.py", std::move(text), first_line));
}

TEST(SourceFile, GivesLinesWithoutTheirBreaks) {
  auto file = source("one\ntwo\r\n\nfour");
  EXPECT_EQ(file->line(1), "one");
  EXPECT_EQ(file->line(2), "two");
  EXPECT_EQ(file->line(3), "");
  EXPECT_EQ(file->line(4), "four");
  EXPECT_EQ(file->line(5), "");
  EXPECT_EQ(file->line(0), "");
}

TEST(SourceFile, EmptyTextHasOneEmptyLine) {
  EXPECT_EQ(source("")->line(1), "");
  EXPECT_EQ(source("\n")->line(2), "");
}

TEST(SourceFile, CountsFromTheLineTheTextWasCutAt) {
  auto file = source("one\ntwo\n", 40);
  EXPECT_EQ(file->line(40), "one");
  EXPECT_EQ(file->line(41), "two");
  EXPECT_EQ(file->line(1), "");
  EXPECT_EQ(file->line(39), "");
  EXPECT_EQ(file->line(4000000000u), "");
}

TEST(Span, TextCountsColumnsInCharacters) {
  auto file = source("größe = 1\n");
  Span span{file, 1, 10, 1, 11};  // the `=`: two characters of two bytes stand before it
  EXPECT_EQ(to_string(span), "a.py:1:8");
}

TEST(Span, TextOfNoPlace) {
  EXPECT_EQ(to_string(Span{}), "<unknown>");
  EXPECT_EQ(to_string(Span{source("x"), 0, 0, 0, 0}), "a.py");
  EXPECT_EQ(to_string(Span{nullptr, 3, 2, 3, 3}), "<unknown>:3:2");
}

TEST(Span, ColumnBeyondTheLineIsKept) {
  EXPECT_EQ(to_string(Span{source("ab"), 1, 9, 1, 10}), "a.py:1:9");
}

TEST(Span, JoinReachesFromTheFirstToTheEndOfTheLast) {
  auto file = source("a + b\n");
  Span both = join(Span{file, 1, 1, 1, 2}, Span{file, 1, 5, 1, 6});
  EXPECT_EQ(both.column, 1u);
  EXPECT_EQ(both.end_column, 6u);
  Span inside = join(Span{file, 1, 1, 2, 3}, Span{file, 1, 5, 1, 6});
  EXPECT_EQ(inside.end_line, 2u);
  EXPECT_EQ(inside.end_column, 3u);
}

TEST(Span, JoinWithNoPlaceOrAnotherFileKeepsOne) {
  Span here{source("a"), 1, 1, 1, 2}, there{source("b"), 4, 1, 4, 2};
  EXPECT_EQ(join(Span{}, here).line, 1u);
  EXPECT_EQ(join(here, Span{}).line, 1u);
  EXPECT_EQ(join(here, there).end_line, 1u);
}

}  // namespace
}  // namespace tilewire
