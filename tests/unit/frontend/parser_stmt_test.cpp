#include <gtest/gtest.h>

#include "syntax_dump.h"

namespace tilewire::frontend {
namespace {

// The dump of a text that has no errors.
std::string good(std::string text) {
  Parsed p = parsed(std::move(text));
  EXPECT_EQ(p.diags.text(), "");
  return p.text();
}

TEST(Statement, assignments) {
  EXPECT_EQ(good("x = 1\n"), "assign x = 1\n");
  EXPECT_EQ(good("x = y = 1, 2\n"), "assign x, y = (tuple 1, 2)\n");
  EXPECT_EQ(good("a, (b, c) = f()\n"), "assign (tuple a, (tuple b, c)) = f()\n");
  EXPECT_EQ(good("x[1:2, ...] = t\n"), "assign x[1:2:-, ...] = t\n");
  EXPECT_EQ(good("x.y = t\n"), "assign x.y = t\n");
  EXPECT_EQ(good("x: pl.Scalar[pl.FP32] = 1\n"), "annotate x: pl.Scalar[pl.FP32] = 1\n");
  EXPECT_EQ(good("x: int\n"), "annotate x: int = -\n");
  EXPECT_EQ(good("x += 1\nx //= 2\nx **= 3\nx <<= 1\n"),
            "augment x + 1\naugment x // 2\naugment x ** 3\naugment x << 1\n");
  EXPECT_EQ(good("x -= 1; x *= 2; x /= 3; x %= 4; x &= 5; x |= 6; x ^= 7; x >>= 8\n"),
            "augment x - 1\naugment x * 2\naugment x / 3\naugment x % 4\naugment x & 5\naugment x | 6\n"
            "augment x ^ 7\naugment x >> 8\n");
}

TEST(Statement, simple) {
  EXPECT_EQ(good("pass; break; continue;\nreturn\nreturn a, b\n"),
            "pass\nbreak\ncontinue\nreturn -\nreturn (tuple a, b)\n");
  EXPECT_EQ(good("assert a == b\nassert a, 'why'\n"), "assert (a == b), -\nassert a, 'why'\n");
  EXPECT_EQ(good("\"\"\"doc\"\"\"\nprint(x)\n...\n"), "'doc'\nprint(x)\n...\n");
}

TEST(Statement, branches) {
  EXPECT_EQ(good("if a:\n  b\nelif c:\n  d\nelif e:\n  f\nelse:\n  g\nh\n"),
            "if a\n  b\nelse\n  if c\n    d\n  else\n    if e\n      f\n    else\n      g\nh\n");
  EXPECT_EQ(good("if a: b; c\nelse: d\n"), "if a\n  b\n  c\nelse\n  d\n");
}

TEST(Statement, loops) {
  EXPECT_EQ(good("for i in pl.range(4):\n  pass\n"), "for i in pl.range(4)\n  pass\n");
  EXPECT_EQ(good("for i, (a, b) in pl.range(n, init_values=(x, y)):\n  a2, b2 = pl.yield_(a, b)\n"),
            "for (tuple i, (tuple a, b)) in pl.range(n, init_values=(tuple x, y))\n"
            "  assign (tuple a2, b2) = pl.yield_(a, b)\n");
  EXPECT_EQ(good("for (a,) in pl.while_(init_values=(x,)):\n  pl.cond(c)\n"),
            "for (tuple a) in pl.while_(init_values=(tuple x))\n  pl.cond(c)\n");
  EXPECT_EQ(good("while a < b:\n  if c:\n    break\n  continue\n"),
            "while (a < b)\n  if c\n    break\n  continue\n");
}

TEST(Statement, with) {
  EXPECT_EQ(good("with pl.spmd(4) as tid:\n  pass\n"), "with pl.spmd(4) as tid\n  pass\n");
  EXPECT_EQ(good("with a, b as c:\n  pass\n"), "with a, b as -, c\n  pass\n");
  EXPECT_EQ(good("with (a as b, c,):\n  pass\n"), "with a, c as b, -\n  pass\n");
  EXPECT_EQ(good("with (\n a\n as b):\n  pass\n"), "with a as b\n  pass\n");
  EXPECT_EQ(good("with (a).b(c) as d:\n  pass\n"), "with a.b(c) as d\n  pass\n");
  EXPECT_EQ(good("with (a)[0]:\n  pass\n"), "with a[0] as -\n  pass\n");
}

TEST(Statement, definitions) {
  EXPECT_EQ(good("def f():\n  pass\n"), "def f()\n  pass\n");
  EXPECT_EQ(good("@pl.function(type=T)\n@other\ndef f(self, x: pl.Out[T], y=1, z: int = 2,) -> pl.Tuple[a, "
                 "b]:\n  return x\n"),
            "@pl.function(type=T) @other def f(self, x: pl.Out[T], y = 1, z: int = 2) -> pl.Tuple[a, b]\n  "
            "return x\n");
  EXPECT_EQ(good("@pl.program\nclass P:\n  'doc'\n  pld.comm_group(devices=[])\n  n = 1\n  @pl.function\n  "
                 "def f(self): ...\n"),
            "@pl.program class P\n  'doc'\n  pld.comm_group(devices=[])\n  assign n = 1\n  @pl.function def "
            "f(self)\n    ...\n");
  EXPECT_EQ(good("class P():\n  pass\n"), "class P\n  pass\n");
}

TEST(Statement, imports) {
  EXPECT_EQ(good("import a, b.c, d.e as f\n"), "import a as a b as b d.e as f\n");
  EXPECT_EQ(good("from a.b import c, d as e\n"), "import a.b.c as c a.b.d as e\n");
  EXPECT_EQ(good("from a import (b,\n  c,)\n"), "import a.b as b a.c as c\n");
  EXPECT_EQ(good("from . import a\nfrom ..b import c\nfrom ...d import e\n"),
            "import .a as a\nimport ..b.c as c\nimport ...d.e as e\n");
}

TEST(Statement, soft_keywords_are_names) {
  EXPECT_EQ(
      good("match = 1\nmatch(x)\nmatch[1] = 2\ntype = match.type\ntype(x)\nmatch - 1\ncase = 1\n_ = 2\n"),
      "assign match = 1\nmatch(x)\nassign match[1] = 2\nassign type = match.type\ntype(x)\n(match - 1)\n"
      "assign case = 1\nassign _ = 2\n");
}

TEST(Statement, ranges) {
  Parsed p = parsed("@pl.program\nclass Prog:\n  def run(self, a: int):\n    for i in x:\n      y\n",
                    ParseMode::Strict, 10);
  const Stmt* program = p.tree->body[0];
  EXPECT_EQ(p.tree->text(program->range), "class Prog");
  EXPECT_EQ(p.tree->text(program->name_range), "Prog");
  EXPECT_EQ(program->range.begin.line, 11u);
  const Stmt* method = program->body[0];
  EXPECT_EQ(p.tree->text(method->range), "def run(self, a: int)");
  EXPECT_EQ(p.tree->text(method->function->name_range), "run");
  EXPECT_EQ(p.tree->text(method->function->params[1].range), "a");
  EXPECT_EQ(p.tree->text(method->function->body[0]->range), "for i in x");
}

TEST(Statement, text_cut_out_of_a_class) {
  Parsed p = parsed("    @pl.function\n    def f(self):\n        return 1\n", ParseMode::Strict, 7);
  EXPECT_EQ(p.diags.text(), "");
  EXPECT_EQ(p.text(), "@pl.function def f(self)\n  return 1\n");
  EXPECT_EQ(p.tree->body[0]->range.begin.line, 8u);
}

TEST(Statement, crlf_and_bom) {
  EXPECT_EQ(good("\xEF\xBB\xBFif a:\r\n  b = 'x'\r\n\r\nc\r\n"), "if a\n  assign b = 'x'\nc\n");
}

TEST(Statement, empty_texts) {
  for (const char* text : {"", "\n", "# only\n", "   \n\t\n", "\\\n"}) EXPECT_EQ(good(text), "") << text;
}

}  // namespace
}  // namespace tilewire::frontend
