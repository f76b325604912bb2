#include <gtest/gtest.h>

#include "syntax_dump.h"

namespace tilewire::frontend {
namespace {

struct Case {
  const char* text;
  const char* tree;
};

class Expression : public testing::TestWithParam<Case> {};

TEST_P(Expression, parses) {
  EXPECT_EQ(expression(GetParam().text), GetParam().tree) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(atoms, Expression,
                         testing::Values(Case{"x", "x"}, Case{"42", "42"}, Case{"0x10", "16"},
                                         Case{"1.5", "1.5f"}, Case{"'a' \"b\" r'\\n'", "'ab\\n'"},
                                         Case{"'a\\x41'", "'aA'"}, Case{"''", "''"}, Case{"True", "True"},
                                         Case{"False", "False"}, Case{"None", "None"}, Case{"...", "..."},
                                         Case{"9223372036854775807", "9223372036854775807"},
                                         Case{"9223372036854775808", "big 9223372036854775808"},
                                         Case{"-9223372036854775808", "-9223372036854775808"},
                                         Case{"-9223372036854775809", "(- big 9223372036854775809)"},
                                         Case{"- - 9223372036854775808", "(- -9223372036854775808)"}));

INSTANTIATE_TEST_SUITE_P(
    displays, Expression,
    testing::Values(Case{"[]", "[]"}, Case{"[1, x,]", "[1, x]"}, Case{"()", "(tuple )"}, Case{"(1)", "1"},
                    Case{"(1,)", "(tuple 1)"}, Case{"(1, 2)", "(tuple 1, 2)"}, Case{"1, 2", "(tuple 1, 2)"},
                    Case{"1,", "(tuple 1)"}, Case{"{}", "{}"}, Case{"{'a': 1, b: 2,}", "{'a', 1, b, 2}"},
                    Case{"[[1], (2, [])]", "[[1], (tuple 2, [])]"}, Case{"(\n 1\n +\n 2)", "(1 + 2)"}));

INSTANTIATE_TEST_SUITE_P(primaries, Expression,
                         testing::Values(Case{"a.b.c", "a.b.c"}, Case{"f()", "f()"},
                                         Case{"f(1, x, k=2, l=y,)", "f(1, x, k=2, l=y)"},
                                         Case{"f(a)(b)", "f(a)(b)"}, Case{"f((a))", "f(a)"},
                                         Case{"x[1]", "x[1]"}, Case{"x[1, 2]", "x[1, 2]"},
                                         Case{"x[(1, 2)]", "x[1, 2]"}, Case{"x[1,]", "x[1]"},
                                         Case{"x[(1, 2),]", "x[(tuple 1, 2)]"}, Case{"x[()]", "x[]"},
                                         Case{"x[:]", "x[-:-:-]"}, Case{"x[1:]", "x[1:-:-]"},
                                         Case{"x[:2]", "x[-:2:-]"}, Case{"x[::3]", "x[-:-:3]"},
                                         Case{"x[a:b:c, ...]", "x[a:b:c, ...]"}, Case{"x[::]", "x[-:-:-]"},
                                         Case{"pl.Tensor[[N, 4], pl.FP32]", "pl.Tensor[[N, 4], pl.FP32]"},
                                         Case{"'a'.b", "'a'.b"}, Case{"[1][0]", "[1][0]"}));

// Each operator against the next tighter one, from both sides.
INSTANTIATE_TEST_SUITE_P(
    precedence, Expression,
    testing::Values(Case{"a if b else c if d else e", "(if b, a, (if d, c, e))"},
                    Case{"a or b if c else d", "(if c, (a or b), d)"},
                    Case{"a or b and c", "(a or (b and c))"}, Case{"a and b or c", "((a and b) or c)"},
                    Case{"not a and b", "((not a) and b)"}, Case{"not a == b", "(not (a == b))"},
                    Case{"not not a", "(not (not a))"}, Case{"a == b | c", "(a == (b | c))"},
                    Case{"a | b == c", "((a | b) == c)"}, Case{"a | b ^ c", "(a | (b ^ c))"},
                    Case{"a ^ b | c", "((a ^ b) | c)"}, Case{"a ^ b & c", "(a ^ (b & c))"},
                    Case{"a & b << c", "(a & (b << c))"}, Case{"a << b + c", "(a << (b + c))"},
                    Case{"a + b << c", "((a + b) << c)"}, Case{"a + b * c", "(a + (b * c))"},
                    Case{"a * b + c", "((a * b) + c)"}, Case{"-a * b", "((- a) * b)"},
                    Case{"a * -b", "(a * (- b))"}, Case{"-a ** b", "(- (a ** b))"},
                    Case{"a ** -b", "(a ** (- b))"}, Case{"a ** b ** c", "(a ** (b ** c))"},
                    Case{"a - b - c", "((a - b) - c)"}, Case{"a / b // c % d", "(((a / b) // c) % d)"},
                    Case{"a >> b << c", "((a >> b) << c)"}, Case{"~a.b[0]", "(~ a.b[0])"},
                    Case{"+a", "(+ a)"}, Case{"(a + b) * c", "((a + b) * c)"},
                    Case{"a ** b.c(d)", "(a ** b.c(d))"}));

INSTANTIATE_TEST_SUITE_P(
    comparisons, Expression,
    testing::Values(Case{"a < b", "(a < b)"}, Case{"a <= b", "(a <= b)"}, Case{"a > b", "(a > b)"},
                    Case{"a >= b", "(a >= b)"}, Case{"a != b", "(a != b)"}, Case{"a is b", "(a is b)"},
                    Case{"a is not b", "(a is not b)"}, Case{"a in b", "(a in b)"},
                    Case{"a not in b", "(a not in b)"}, Case{"not a in b", "(not (a in b))"},
                    Case{"a < b < c", "((a < b) chained (b < c))"},
                    Case{"a < b == c > d", "(((a < b) chained (b == c)) chained (c > d))"},
                    Case{"a < b and b < c", "((a < b) and (b < c))"}));

TEST(ExpressionTree, chain_shares_its_middle) {
  Parsed p = parsed("x = a < f(b) < c\n");
  const Expr* both = p.tree->body[0]->value;
  ASSERT_EQ(both->kind, ExprKind::And);
  EXPECT_TRUE(both->chained);
  EXPECT_EQ(both->left->right, both->right->left);
}

TEST(ExpressionTree, ranges_cover_the_text) {
  Parsed p = parsed("value = (a + b) * f(x)[1:2].y\n");
  const Expr* e = p.tree->body[0]->value;
  EXPECT_EQ(p.tree->text(e->range), "(a + b) * f(x)[1:2].y");
  EXPECT_EQ(p.tree->text(e->left->range), "a + b");
  EXPECT_EQ(p.tree->text(e->right->range), "f(x)[1:2].y");
  EXPECT_EQ(p.tree->text(e->right->left->range), "f(x)[1:2]");
  EXPECT_EQ(p.tree->text(e->right->left->items[0]->range), "1:2");
  EXPECT_EQ(p.tree->text(p.tree->body[0]->range), "value = (a + b) * f(x)[1:2].y");
}

TEST(ExpressionTree, keyword_ranges) {
  Parsed p = parsed("f(key = a + 1)\n");
  const Keyword& keyword = p.tree->body[0]->value->keywords[0];
  EXPECT_EQ(p.tree->text(keyword.name_range), "key");
  EXPECT_EQ(p.tree->text(keyword.value->range), "a + 1");
}

TEST(ExpressionTree, strings_without_escapes_are_not_copied) {
  Parsed p = parsed("x = 'abc'\n");
  std::string_view text = p.tree->body[0]->value->text;
  EXPECT_EQ(text, "abc");
  EXPECT_EQ(text.data(), p.tree->file->text().data() + 5);
}

TEST(ExpressionAlone, reports_what_is_wrong) {
  const Expr* root = nullptr;
  for (const char* text :
       {"", "1 +", "1 2", "x = 1", "lambda: 1", "f(", "1; 2", "[i for i in x]", "'open", "1 # \xFF"}) {
    Diagnostics diags;
    parse_expression(Ref<const SourceFile>(new SourceFile("-D", text)), diags, &root);
    EXPECT_EQ(root, nullptr) << text;
    EXPECT_EQ(diags.error_count(), 1u) << text << diags.text();
  }
}

}  // namespace
}  // namespace tilewire::frontend
