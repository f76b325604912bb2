#include <gtest/gtest.h>

#include <set>

#include "syntax_dump.h"

namespace tilewire::frontend {
namespace {

using Errors = std::vector<std::string>;

Errors errors(std::string text) {
  return parsed(std::move(text)).errors();
}
// Of the body of a function.
Errors inside(const std::string& line) {
  return errors("def f():\n  " + line + "\n");
}

struct Case {
  const char* text;
  const char* error;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"x = '\xFF'\n", "1:6 invalid_utf8"},
      {"x = a ? b\n", "1:7 stray_character"},
      {"x = “a”\n", "1:5 stray_character"},
      {"x = 'abc\n", "1:5 unterminated_string"},
      {"x = 1\n'''abc\n\n", "2:1 unterminated_string"},
      {"x = 'ab\\xg'\n", "1:8 bad_escape"},
      {"x = '''\nab\\N{X}'''\n", "2:3 bad_escape"},
      {"x = 12ab\n", "1:5 malformed_number"},
      {"x = 012\n", "1:5 leading_zeros"},
      {"if a:\n        b\n\tc\n", "3:2 inconsistent_tabs"},
      {"if a:\n    b\n  c\n", "3:3 inconsistent_dedent"},
      {"x = 1\n    y = 2\n", "2:5 unexpected_indent"},
      {"x = 1 + \\ 2\n", "1:9 bad_continuation"},
      {"x = 1 +\n", "1:8 expected_syntax"},
      {"x y\n", "1:3 expected_syntax"},
      {"if a\n  b\n", "1:5 expected_syntax"},
      {"def f:\n  b\n", "1:6 expected_syntax"},
      {"for x:\n  b\n", "1:6 expected_syntax"},
      {"x = a if b\n", "1:11 expected_syntax"},
      {"x = a not b\n", "1:11 expected_syntax"},
      {"x = f(a b)\n", "1:9 expected_syntax"},
      {"x = {a: 1, b}\n", "1:13 expected_syntax"},
      {"@pl.function\nx = 1\n", "2:1 expected_syntax"},
      {"if a:\nb\n", "2:1 expected_block"},
      {"def f():\n", "1:1 expected_block"},
      {"x = f(a, b\ny = 1\n", "1:6 unclosed_bracket"},
      {"x = f(a, b\n", "1:6 unclosed_bracket"},
      {"if f(a:\n  b\n", "1:5 unclosed_bracket"},
      {"x = a)\n", "1:6 unopened_bracket"},
      {"x = f(a, [0, 0), 1)\n", "1:15 mismatched_bracket"},
      {"else:\n  x\n", "1:1 stray_clause"},
      {"except E:\n  x\n", "1:1 stray_clause"},
      {"if x = 1:\n  y\n", "1:6 assignment_in_condition"},
      {"while x = 1:\n  y\n", "1:9 assignment_in_condition"},
      {"f(x) = 1\n", "1:1 bad_target"},
      {"a, 1 = 1\n", "1:4 bad_target"},
      {"(a, b) += 1\n", "1:1 bad_target"},
      {"for f(x) in y:\n  z\n", "1:5 bad_target"},
      {"def lambda(x):\n  y\n", "1:5 keyword_as_name"},
      {"class = n\n", "1:1 keyword_as_name"},
      {"def f():\n  with = n\n  x = 1\n", "2:3 keyword_as_name"},
      {"x = a.in\n", "1:7 keyword_as_name"},
      {"f(a=1, b)\n", "1:8 positional_after_keyword"},
      {"f(a.b=1)\n", "1:3 keyword_not_a_name"},
      {"f((a)=1)\n", "1:3 keyword_not_a_name"},
      {"f(a=1, b=2, a=3)\n", "1:13 repeated_keyword"},
      {"f(a=1,b=1,c=1,d=1,e=1,f=1,g=1,h=1,i=1,c=2)\n", "1:39 repeated_keyword"},
      {"def f(a, b, a):\n  x\n", "1:13 repeated_parameter"},
      {"def f(a=1, b):\n  x\n", "1:12 default_before_required"},
      {"x = lambda a: a\n", "1:5 python_lambda"},
      {"x = [i for i in y]\n", "1:8 python_comprehension"},
      {"x = {i: i for i in y}\n", "1:11 python_comprehension"},
      {"x = {i for i in y}\n", "1:8 python_comprehension"},
      {"x = f(i for i in y)\n", "1:9 python_comprehension"},
      {"x = (i async for i in y)\n", "1:8 python_comprehension"},
      {"try:\n  x\nexcept E as e:\n  y\nelse:\n  z\nfinally:\n  w\n", "1:1 python_try"},
      {"raise E(x) from y\n", "1:1 python_raise"},
      {"def f():\n  class C:\n    x = 1\n", "2:3 python_nested_class"},
      {"class A:\n  class C:\n    x = 1\n", "2:3 python_nested_class"},
      {"def f():\n  def g(x):\n    return x\n", "2:3 python_nested_function"},
      {"def f():\n  @pl.function\n  def g(x):\n    return x\n", "2:3 python_local_decorator"},
      {"global x, y\n", "1:1 python_global"},
      {"nonlocal x\n", "1:1 python_global"},
      {"f(*a)\n", "1:3 python_star_argument"},
      {"f(**a)\n", "1:3 python_star_argument"},
      {"def f(*a):\n  x\n", "1:7 python_star_parameter"},
      {"def f(**a):\n  x\n", "1:7 python_star_parameter"},
      {"def f(a, *, b):\n  x\n", "1:10 python_parameter_marker"},
      {"def f(a, /, b):\n  x\n", "1:10 python_parameter_marker"},
      {"a, *b = c\n", "1:4 python_star_expression"},
      {"x = [*a]\n", "1:6 python_star_expression"},
      {"x = {**a, 'b': 1}\n", "1:6 python_dict_unpacking"},
      {"x = f'{a}'\n", "1:5 python_f_string"},
      {"x = 'a' f'{b}' 'c'\n", "1:5 python_f_string"},
      {"x = b'a'\n", "1:5 python_bytes"},
      {"x = 2j\n", "1:5 python_complex"},
      {"if (x := 1):\n  y\n", "1:7 python_walrus"},
      {"async def f():\n  await x\n", "1:1 python_async"},
      {"async for x in y:\n  z\nelse:\n  w\n", "1:1 python_async"},
      {"x = await f(y)\n", "1:5 python_await"},
      {"yield x\n", "1:1 python_yield"},
      {"x = yield\n", "1:5 python_yield"},
      {"x = (yield from y)\n", "1:6 python_yield"},
      {"del x, y\n", "1:1 python_del"},
      {"for i in x:\n  y\nelse:\n  z\n", "3:1 python_loop_else"},
      {"while x:\n  y\nelse:\n  z\n", "3:1 python_loop_else"},
      {"def f():\n  import math\n", "2:3 python_local_import"},
      {"def f():\n  from a import b\n", "2:3 python_local_import"},
      {"from tilewire.language import *\n", "1:31 python_star_import"},
      {"x = a @ b\n", "1:7 python_matmul"},
      {"x @= b\n", "1:3 python_matmul"},
      {"x = {1, 2}\n", "1:5 python_set"},
      {"match x:\n  case [1, 2]:\n    y\n", "1:1 python_match"},
      {"match (x):\n  case _:\n    y\n", "1:1 python_match"},
      {"type T = int\n", "1:1 python_type_statement"},
      {"def f[T](x: T):\n  y\n", "1:6 python_type_parameters"},
      {"class P(Base, metaclass=M):\n  x\n", "1:8 python_base_class"},
  };
  return all;
}

TEST(SyntaxError, each_case_is_one_error_at_its_place) {
  for (const Case& c : cases()) {
    Parsed p = parsed(c.text);
    EXPECT_EQ(p.errors(), Errors{c.error}) << c.text << p.diags.text();
  }
}

TEST(SyntaxError, reading_goes_on_after_each_case) {
  for (const Case& c : cases()) {
    std::string text = c.text;
    if (text.find("'''abc") != std::string::npos) continue;  // takes the rest of the file with it
    Parsed p = parsed(text + "final = 1 +\n");
    Errors found = p.errors();
    ASSERT_GE(found.size(), 2u) << text << p.diags.text();
    EXPECT_NE(found.back().find("expected_syntax"), std::string::npos) << text << p.diags.text();
  }
}

TEST(SyntaxError, every_row_of_the_table_has_a_case) {
  std::set<std::string> covered{"nul_byte", "source_too_large", "nested_too_deep"};
  for (const Case& c : cases())
    covered.insert(std::string(c.error).substr(std::string(c.error).find(' ') + 1));
  for (Diag d : all_diags()) {
    const DiagInfo& info = diag_info(d);
    if (info.code >= 100 && info.code < 200) {
      EXPECT_TRUE(covered.count(std::string(info.name))) << info.name;
    }
  }
}

TEST(SyntaxError, python_beyond_the_language_says_what_to_write) {
  for (const Case& c : cases()) {
    Parsed p = parsed(c.text);
    for (const Diagnostic& d : p.diags.all()) {
      if (diag_info(d.id).name.starts_with("python_")) {
        EXPECT_FALSE(d.helps.empty()) << c.text;
      }
    }
  }
}

TEST(SyntaxError, nul_byte) {
  Parsed p = parsed(std::string("x = 1\ny\0 = 2\n", 13));
  EXPECT_EQ(p.errors(), Errors{"2:2 nul_byte"});
  EXPECT_EQ(parsed(std::string("x = 1 # a\0b\ny = 2\n", 18)).text(), "assign x = 1\nassign y = 2\n");
}

TEST(SyntaxError, message_shows_found_expected_and_fix) {
  EXPECT_EQ(parsed("def f(x):\n    if x = 1:\n        pass\n").diags.text(),
            "error[TW0119]: `=` in a condition\n"
            " --> test.py:2:10\n"
            "  |\n"
            "2 |     if x = 1:\n"
            "  |          ^ an assignment\n"
            "  = help: write `==` to compare\n");
  EXPECT_EQ(parsed("y = f(1, 2]\n").diags.text(),
            "error[TW0117]: closing `]` does not match opening `(`\n"
            " --> test.py:1:11\n"
            "  |\n"
            "1 | y = f(1, 2]\n"
            "  |           ^ expected `)`\n"
            "  = note: `(` opened here\n"
            " --> test.py:1:6\n"
            "  |\n"
            "1 | y = f(1, 2]\n"
            "  |      ^\n");
}

std::string help_of(const std::string& text) {
  Parsed p = parsed(text);
  return p.diags.all().size() == 1 && !p.diags.all()[0].helps.empty() ? p.diags.all()[0].helps[0]
                                                                      : p.diags.text();
}

TEST(SyntaxError, guesses) {
  EXPECT_EQ(help_of("x = a && b\n"), "write `and`");
  EXPECT_EQ(help_of("x = a || b\n"), "write `or`");
  EXPECT_EQ(help_of("x = a <> b\n"), "write `!=`");
  EXPECT_EQ(help_of("x = !a\n"), "write `not`, or `!=` to compare");
  EXPECT_EQ(help_of("print 'x'\n"), "write `print(...)`");
  EXPECT_EQ(help_of("if a:\n  b\nelse if c:\n  d\n"), "write `elif`");
  EXPECT_EQ(help_of("x = a ≤ b\n"), "write `<=`");
}

TEST(SyntaxError, several_errors_in_one_go) {
  EXPECT_EQ(errors("def f(x):\n"
                   "    a = 1\n"
                   "    b = pl.add(a, 1\n"
                   "    c = 3\n"
                   "    if c = 3:\n"
                   "        d = c $ 2 $ 3\n"
                   "    if c\n"
                   "        e = 4\n"
                   "    global q\n"
                   "    return a\n"),
            (Errors{"3:15 unclosed_bracket", "5:10 assignment_in_condition", "6:15 stray_character",
                    "7:9 expected_syntax", "9:5 python_global"}));
}

TEST(SyntaxError, what_is_right_is_kept) {
  Parsed p = parsed("a = 1\nb = (2 +\nc = 3\nif d\n  e = 4\nf = 5\n");
  EXPECT_EQ(p.errors(), (Errors{"2:5 unclosed_bracket", "4:5 expected_syntax"}));
  EXPECT_EQ(p.text(), "assign a = 1\nassign c = 3\nif d\n  assign e = 4\nassign f = 5\n");
}

TEST(SyntaxError, errors_in_the_block_of_a_broken_header_are_found) {
  EXPECT_EQ(errors("def f(a, b:\n  x = 1 +\n  y = 2\nz = 3\n"),
            (Errors{"1:6 unclosed_bracket", "2:10 expected_syntax"}));
  EXPECT_EQ(errors("for i pl.range(4):\n  x = )\n"), (Errors{"1:7 expected_syntax", "2:7 expected_syntax"}));
}

TEST(SyntaxError, unsupported_python_does_not_hide_the_rest_of_its_line) {
  EXPECT_EQ(inside("x = f(lambda: 1, [i for i in y], *z) @ w"),
            (Errors{"2:9 python_lambda", "2:23 python_comprehension", "2:36 python_star_argument",
                    "2:40 python_matmul"}));
}

TEST(SyntaxError, misplaced_else_is_one_error) {
  EXPECT_EQ(errors("if a:\n    b\n  else:\n    c\nd\n"), Errors{"3:3 inconsistent_dedent"});
}

TEST(SyntaxError, at_most_fifty) {
  Parsed p = parsed(repeated("x = (\n", 1000));
  EXPECT_EQ(p.diags.error_count(), Diagnostics::limit);
}

}  // namespace
}  // namespace tilewire::frontend
