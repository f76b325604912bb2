// Inputs made to break a parser: each must end with at most a few errors, without deep recursion, in time
// that grows with the length of the text.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "syntax_dump.h"

namespace tilewire::frontend {
namespace {

using Errors = std::vector<std::string>;

double cpu_seconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// A text of pieces repeated and closed again.
struct Shape {
  const char* before;
  const char* piece;
  const char* middle;
  const char* closing;
  const char* after;

  std::string text(size_t count) const {
    return before + repeated(piece, count) + middle + repeated(closing, count) + after;
  }
};

constexpr Shape nested[] = {
    {"x = ", "(", "1", ")", "\n"},
    {"x = ", "[", "1", "]", "\n"},
    {"x = ", "{1:", "1", "}", "\n"},
    {"x = ", "f(", "1", ")", "\n"},
    {"x = ", "a[", "1", "]", "\n"},
    {"x = ", "f(k=", "1", ")", "\n"},
    {"x = ", "-", "1", "", "\n"},
    {"x = ", "~", "1", "", "\n"},
    {"x = ", "not ", "1", "", "\n"},
    {"x = ", "1 ** ", "1", "", "\n"},
    {"x = ", "1 if c else ", "1", "", "\n"},
    {"x = ", "a + ", "1", "", "\n"},
    {"x = ", "a and ", "1", "", "\n"},
    {"x = ", "a or ", "1", "", "\n"},
    {"x = ", "a < ", "1", "", "\n"},
    {"x = a", ".b", "", "", "\n"},
    {"x = a", "()", "", "", "\n"},
    {"x = a", "[0]", "", "", "\n"},
    {"x = a", "(b)", "", "", "\n"},
    {"(", "(", "a", ",)", ") = 1\n"},
    {"if a: pass\n", "elif a: pass\n", "", "", ""},
};

TEST(Hostile, two_hundred_levels_are_fine_and_more_are_one_error) {
  for (const Shape& shape : nested) {
    Parsed fine = parsed(shape.text(98));
    EXPECT_EQ(fine.diags.text(), "") << shape.piece;
    for (size_t count : {205, 10000}) {
      Parsed p = parsed(shape.text(count) + "y = 1 +\n");
      ASSERT_EQ(p.errors().size(), 2u) << shape.piece << p.diags.text();
      EXPECT_NE(p.errors()[0].find("nested_too_deep"), std::string::npos) << shape.piece;
      EXPECT_NE(p.errors()[1].find("expected_syntax"), std::string::npos) << shape.piece;
    }
  }
}

TEST(Hostile, the_limit_is_exact) {
  auto parens = [](size_t n) { return "x = " + std::string(n, '(') + "1" + std::string(n, ')') + "\n"; };
  EXPECT_EQ(parsed(parens(max_nesting)).diags.text(), "");
  EXPECT_EQ(parsed(parens(max_nesting + 1)).errors(), Errors{"1:205 nested_too_deep"});
  EXPECT_EQ(parsed("x = 1" + repeated(" + 1", max_nesting) + "\n").diags.text(), "");
  EXPECT_EQ(parsed("x = 1" + repeated(" + 1", max_nesting + 1) + "\n").errors(),
            Errors{"1:5 nested_too_deep"});
}

TEST(Hostile, chains_inside_brackets_add_up) {
  // Each level leans left by 150: the tree would be 1500 deep though no bracket is.
  std::string text = "x = " + std::string(10, '(') + "1";
  for (int i = 0; i < 10; ++i) text += repeated(" + 1", 150) + ")";
  EXPECT_EQ(parsed(text + "\n").errors().size(), 1u);
}

TEST(Hostile, nested_blocks) {
  auto blocks = [](size_t n) {
    std::string text;
    for (size_t i = 0; i < n; ++i) text += std::string(i, ' ') + "if a:\n";
    return text + std::string(n, ' ') + "b = 1\n";
  };
  EXPECT_EQ(parsed(blocks(max_nesting)).diags.text(), "");
  EXPECT_EQ(parsed(blocks(max_nesting + 1) + "c = 1 +\n").errors().size(), 2u);
  EXPECT_EQ(parsed(blocks(3000)).errors().size(), 1u);
  EXPECT_EQ(parsed(blocks(1000), ParseMode::Module).diags.text(), "");
}

TEST(Hostile, blocks_and_expressions_share_the_limit) {
  std::string text;
  for (int i = 0; i < 150; ++i) text += std::string(i, ' ') + "if a:\n";
  std::string indent(150, ' ');
  EXPECT_EQ(parsed(text + indent + "x = 1" + repeated(" + 1", 50) + "\n").diags.text(), "");
  EXPECT_EQ(parsed(text + indent + "x = 1" + repeated(" + 1", 51) + "\n").errors().size(), 1u);
}

TEST(Hostile, chained_comparisons_inside_each_other) {
  std::string text = "a < b < c";
  for (int i = 0; i < 3; ++i) text = "a < (" + text + ") < c";
  EXPECT_EQ(parsed("x = " + text + "\n").diags.text(), "");
  text = "a < (" + text + ") < c";
  EXPECT_EQ(parsed("x = " + text + "\n").errors(), Errors{"1:10 nested_too_deep"});
  EXPECT_EQ(parsed("x = " + repeated("(a < b < c) < ", 60) + "d\n").diags.text(), "");
}

constexpr Shape endless[] = {
    {"", "(", "", "", ""},
    {"", "[", "", "", ""},
    {"", "{", "", "", ""},
    {"", "x = (\n", "", "", ""},
    {"", "with (\n", "", "", ""},
    {"", "match (\n", "", "", ""},
    {"", "f'{\n", "", "", ""},
    {"", "f'{x'\n", "", "", ""},
    {"", "f'{f'{", "", "", ""},
    {"", "lambda: ", "", "", ""},
    {"", "@", "", "", ""},
    {"", "$", "", "", ""},
    {"", "'''", "", "", ""},
    {"", "'\n", "", "", ""},
    {"", "\\\n", "", "", ""},
    {"", "x = '", "", "", ""},
    {"", ")", "", "", ""},
    {"", "(]", "", "", ""},
    {"", "if a:\n", "", "", ""},
    {"", "x\n y\n", "", "", ""},
    {"", "a,", "", "", ""},
    {"", "a=", "1", "", "\n"},
    {"", "a;", "", "", ""},
    {"", "import a,", "", "", ""},
    {"", "else:\n", "", "", ""},
    {"", "yield ", "", "", ""},
    {"", "await ", "", "", ""},
    {"", "*", "", "", ""},
    {"", "a:", "", "", ""},
    {"f(", "a=1,", "", "", ")"},
    {"", "1_", "", "", ""},
    {"x = ", "'a' ", "", "", "\n"},
    {"", "try:\n x\n", "", "", ""},
    {"", "\xFF", "", "", ""},
    {"", "from a import (", "", "", ""},
    {"def f(", "a,", "", "", "): pass\n"},
    {"", "@pl.f\n", "", "", ""},
    {"", "class A:\n", "", "", ""},
    {"", "\t", "x", "", "\n"},
    {"", "x:=", "", "", ""},
    {"x = a", "<(a", "", ")<a", "\n"},
    {"", "import tilewire.a as b\n", "", "", ""},
    {"", "a if b else (", "", "", ""},
};

// Ten times the text must not take a hundred times as long. Small times are noise, so they are not compared.
TEST(Hostile, time_grows_with_the_text) {
  for (ParseMode mode : {ParseMode::Strict, ParseMode::Module}) {
    for (const Shape& shape : endless) {
      double start = cpu_seconds();
      parsed(shape.text(20000), mode);
      double small = cpu_seconds() - start;
      start = cpu_seconds();
      parsed(shape.text(200000), mode);
      double large = cpu_seconds() - start;
      EXPECT_LT(large, 40 * std::max(small, 0.02)) << shape.before << shape.piece;
    }
  }
}

TEST(Hostile, a_line_of_fifty_megabytes) {
  constexpr size_t size = 50 << 20;
  EXPECT_EQ(parsed("x = '" + std::string(size, 'a') + "'\ny = 1 +\n").errors(),
            Errors{"2:8 expected_syntax"});
  EXPECT_EQ(parsed(std::string(size, 'a') + " = 1\ny = 1 +\n").errors(), Errors{"2:8 expected_syntax"});
  EXPECT_EQ(parsed("x = " + std::string(size, '(') + "\n").errors().size(), 1u);
  EXPECT_EQ(parsed("x = " + repeated("1+", size / 2) + "1\ny = 1 +\n").errors().size(), 2u);
  EXPECT_EQ(parsed("#" + std::string(size, ' ') + "\ny = 1 +\n").errors(), Errors{"2:8 expected_syntax"});
  Parsed digits = parsed("x = " + std::string(size, '7') + "\n");
  EXPECT_TRUE(digits.tree->body[0]->value->big);
}

TEST(Hostile, random_bytes_and_tokens) {
  constexpr const char* pieces[] = {
      "(",        ")",   "[",  "]",    "{",       "}",     ":",   ",",      "=",       "\n",     "\n  ",
      "\n    ",   "if ", "x ", "def ", "f'{",     "'''",   "\"",  "for ",   "in ",     "1 ",     "@",
      "pl.jit\n", ";",   "*",  "else", "\\\n",    "#",     "\t",  "class ", "lambda ", "\xFF",   ".",
      "with ",    "as ", "<",  "not ", "import ", "from ", "...", "->",     "try:",    "match ", "async "};
  uint64_t state = 20240607;
  auto random = [&](uint64_t limit) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % limit;
  };
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (uint64_t n = random(60); n > 0; --n) text += pieces[random(std::size(pieces))];
    for (ParseMode mode : {ParseMode::Strict, ParseMode::Module}) {
      Parsed p = parsed(text, mode);
      p.text();
      p.diags.text();
    }
  }
}

}  // namespace
}  // namespace tilewire::frontend
