#include "frontend/lexer.h"

#include <gtest/gtest.h>

#include "frontend/literals.h"

namespace tilewire::frontend {
namespace {

constexpr const char* error_names[] = {"None",   "NotText", "Stray", "String",  "Triple",      "Tabs",
                                       "Dedent", "Number",  "Zeros", "Complex", "Continuation"};

// The tokens of a text: names and operators as written, others by kind.
std::string tokens(std::string text) {
  Ref<const SourceFile> file(new SourceFile("t.py", std::move(text)));
  SyntaxTree tree(file);
  Lexer lexer(tree);
  std::string out;
  for (Token token;;) {
    lexer.next(token);
    if (!out.empty()) out += ' ';
    std::string written(lexer.text(token));
    switch (token.kind) {
      case Tok::End:
        return out + "END";
      case Tok::Newline:
        out += "NL";
        break;
      case Tok::Indent:
        out += "IN";
        break;
      case Tok::Dedent:
        out += "OUT";
        break;
      case Tok::Error:
        out += std::string("!") + error_names[static_cast<int>(token.error)];
        break;
      case Tok::Int:
        out += "int:" + written;
        break;
      case Tok::Float:
        out += "float:" + written;
        break;
      case Tok::String:
        out += "str:" + written;
        break;
      case Tok::Bytes:
        out += "bytes:" + written;
        break;
      case Tok::FString:
        out += "fstr:" + written;
        break;
      case Tok::Name:
        out += written;
        break;
      default:
        EXPECT_EQ(spelling(token.kind), written);
        out += written;
    }
  }
}

std::vector<Token> all_tokens(Lexer& lexer) {
  std::vector<Token> result;
  do {
    lexer.next(result.emplace_back());
  } while (result.back().kind != Tok::End);
  return result;
}

TEST(Lexer, names_and_keywords) {
  EXPECT_EQ(tokens("if iff _x1 lambda_ match"), "if iff _x1 lambda_ match NL END");
  SyntaxTree tree(Ref<const SourceFile>(new SourceFile("t.py", "yield False x x")));
  Lexer lexer(tree);
  auto found = all_tokens(lexer);
  EXPECT_EQ(found[0].kind, Tok::Yield);
  EXPECT_EQ(found[1].kind, Tok::False);
  EXPECT_EQ(found[2].symbol, found[3].symbol);
  EXPECT_EQ(tree.name(found[2].symbol), "x");
}

TEST(Lexer, names_beyond_ascii) {
  EXPECT_EQ(tokens("größe = λ + 数"), "größe = λ + 数 NL END");
  EXPECT_EQ(tokens("a × b"), "a !Stray b NL END");
  EXPECT_EQ(tokens("a“b”"), "a !Stray b !Stray NL END");
  EXPECT_EQ(tokens("a\xC2\xA0= 1"), "a !Stray = int:1 NL END");
  EXPECT_EQ(tokens("x\xFFy"), "x !NotText y NL END");
  EXPECT_EQ(tokens(std::string("x\0y", 3)), "x !NotText y NL END");
}

TEST(Lexer, operators) {
  EXPECT_EQ(tokens("+ - * ** / // % @ & | ^ ~ << >> < <= > >= == != -> = := . ... , : ;"),
            "+ - * ** / // % @ & | ^ ~ << >> < <= > >= == != -> = := . ... , : ; NL END");
  EXPECT_EQ(tokens("+= -= *= **= /= //= %= @= &= |= ^= <<= >>="),
            "+= -= *= **= /= //= %= @= &= |= ^= <<= >>= NL END");
  EXPECT_EQ(tokens("a.b..5"), "a . b . float:.5 NL END");
  EXPECT_EQ(tokens("a $ ? ! b"), "a !Stray !Stray !Stray b NL END");
}

TEST(Lexer, numbers) {
  EXPECT_EQ(tokens("0 00 0_0 7 1_000 0xFf 0X_f 0o17 0b1_01"),
            "int:0 int:00 int:0_0 int:7 int:1_000 int:0xFf int:0X_f int:0o17 int:0b1_01 NL END");
  EXPECT_EQ(tokens("1. .5 1.5e3 1e-3 1E+3 1_0.0_1 00.5 09e1"),
            "float:1. float:.5 float:1.5e3 float:1e-3 float:1E+3 float:1_0.0_1 float:00.5 float:09e1 NL END");
  EXPECT_EQ(tokens("1if 2else 3or 0or"), "int:1 if int:2 else int:3 or !Number NL END");
  EXPECT_EQ(tokens("1j 2.5J 1e3j"), "!Complex !Complex !Complex NL END");
  EXPECT_EQ(tokens("012 1__0 1_ 0x 0b2 1abc 1.2.3"),
            "!Zeros !Number !Number !Number !Number !Number float:1.2 float:.3 NL END");
  EXPECT_EQ(tokens("1e 1e+ 0xg 1._5"), "!Number !Number + !Number !Number NL END");
}

TEST(Lexer, number_values) {
  int64_t value = 0;
  EXPECT_EQ(int_value("1_000", value), IntFit::Signed);
  EXPECT_EQ(value, 1000);
  EXPECT_EQ(int_value("0xff", value), IntFit::Signed);
  EXPECT_EQ(value, 255);
  EXPECT_EQ(int_value("9223372036854775807", value), IntFit::Signed);
  EXPECT_EQ(int_value("9223372036854775808", value), IntFit::Unsigned);
  EXPECT_EQ(int_value("0xffff_ffff_ffff_ffff", value), IntFit::Unsigned);
  EXPECT_EQ(value, -1);
  EXPECT_EQ(int_value("18446744073709551616", value), IntFit::Neither);
  EXPECT_EQ(int_value("27670116110564327424", value), IntFit::Neither);  // 2**64 + 2**63
  EXPECT_EQ(float_value("1_0.5"), 10.5);
  EXPECT_EQ(float_value("1e999"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(float_value("1e-999"), 0.0);
  EXPECT_EQ(float_value("0." + std::string(400, '0') + "1"), 0.0);
  EXPECT_EQ(float_value(std::string(400, '9') + ".0e-1"), std::numeric_limits<double>::infinity());
}

TEST(Lexer, strings) {
  EXPECT_EQ(tokens(R"('a' "b" r'\' u"x" R"\n")"), R"(str:'a' str:"b" !String NL END)");
  EXPECT_EQ(tokens(R"(r'\n' u"x" b'x' Rb"x" bR'' '\'')"),
            R"(str:r'\n' str:u"x" bytes:b'x' bytes:Rb"x" bytes:bR'' str:'\'' NL END)");
  EXPECT_EQ(tokens("'''a\n'b''' ''"), "str:'''a\n'b''' str:'' NL END");
  EXPECT_EQ(tokens("'a\\\nb'"), "str:'a\\\nb' NL END");
  EXPECT_EQ(tokens("'open\nx"), "!String NL x NL END");
  EXPECT_EQ(tokens("x '''open\nx\n"), "x !Triple NL END");
  EXPECT_EQ(tokens("bu'x' x'y'"), "bu str:'x' x str:'y' NL END");
}

TEST(Lexer, formatted_strings) {
  EXPECT_EQ(tokens(R"(f'{a}' F"{{" rf"\{x}" t'x')"),
            R"(fstr:f'{a}' fstr:F"{{" fstr:rf"\{x}" fstr:t'x' NL END)");
  EXPECT_EQ(tokens(R"(f"{d["a"]}" x)"), R"(fstr:f"{d["a"]}" x NL END)");
  EXPECT_EQ(tokens(R"(f"{x!r:'>{w}}" x)"), R"(fstr:f"{x!r:'>{w}}" x NL END)");
  EXPECT_EQ(tokens(R"(f"{f"{f'{1}'}"}" x)"), R"(fstr:f"{f"{f'{1}'}"}" x NL END)");
  EXPECT_EQ(tokens("f'{\nx\n}' y"), "fstr:f'{\nx\n}' y NL END");
  EXPECT_EQ(tokens("f'{x' y\nz"), "!String NL z NL END");
  EXPECT_EQ(tokens("f'{'}'}' z"), "fstr:f'{'}'}' z NL END");
}

TEST(Lexer, string_values) {
  auto value = [](std::string_view literal) {
    std::string out;
    EscapeError error;
    if (!append_string(out, literal, error)) {
      return "bad " + std::string(literal.substr(error.offset, error.length));
    }
    return out;
  };
  EXPECT_EQ(value(R"("a\n\t\\\"\'\x41\101\u00e9\U0001F600")"), "a\n\t\\\"'AA\u00e9\U0001F600");
  EXPECT_EQ(value(R"(r"a\n")"), "a\\n");
  EXPECT_EQ(value(R"("\d")"), "\\d");
  EXPECT_EQ(value("'a\\\nb'"), "ab");
  EXPECT_EQ(value("'''a\r\nb\rc'''"), "a\nb\nc");
  EXPECT_EQ(value("\"a\\\r\nb\""), "ab");
  EXPECT_EQ(value(R"("\xg1")"), R"(bad \x)");
  EXPECT_EQ(value(R"("\ud800")"), R"(bad \ud800)");
  EXPECT_EQ(value(R"("\N{DIGIT ONE}")"), R"(bad \N{DIGIT ONE})");
  EXPECT_EQ(value(R"('\0')"), std::string(1, '\0'));
}

TEST(Lexer, blocks) {
  EXPECT_EQ(tokens("if a:\n  b\n\n  # note\n  c\nd\n"), "if a : NL IN b NL c NL OUT d NL END");
  EXPECT_EQ(tokens("if a:\n  if b:\n    c"), "if a : NL IN if b : NL IN c NL OUT OUT END");
  EXPECT_EQ(tokens("a\n   # deep note\nb"), "a NL b NL END");
  EXPECT_EQ(tokens("\n\n# nothing\n"), "END");
  EXPECT_EQ(tokens(""), "END");
}

TEST(Lexer, first_line_sets_the_base) {
  EXPECT_EQ(tokens("    a:\n      b\n    c\n"), "a : NL IN b NL OUT c NL END");
  EXPECT_EQ(tokens("    a\n  b\n"), "a NL !Dedent b NL END");
}

TEST(Lexer, inconsistent_indentation) {
  EXPECT_EQ(tokens("a:\n        b\n    c\nd"), "a : NL IN b NL !Dedent c NL OUT d NL END");
  EXPECT_EQ(tokens("a:\n\tb\n        c\nd"), "a : NL IN b NL !Tabs c NL OUT d NL END");
  EXPECT_EQ(tokens("a:\n\tb\n\tc\nd"), "a : NL IN b NL c NL OUT d NL END");
  EXPECT_EQ(tokens("a:\n  b\n\f  c\n"), "a : NL IN b NL c NL OUT END");
}

TEST(Lexer, brackets_join_lines) {
  EXPECT_EQ(tokens("f(a,\nb, [1,\n 2])\nc"), "f ( a , b , [ int:1 , int:2 ] ) NL c NL END");
  EXPECT_EQ(tokens("f(a\n"), "f ( a END");
  EXPECT_EQ(tokens(")\na"), ") NL a NL END");
  EXPECT_EQ(tokens("([)\na"), "( [ ) NL a NL END");
}

TEST(Lexer, line_ends) {
  EXPECT_EQ(tokens("a\r\nif b:\r\n  c\r\n"), "a NL if b : NL IN c NL OUT END");
  EXPECT_EQ(tokens("a\rb\r"), "a NL b NL END");
  EXPECT_EQ(tokens("a + \\\n  b\nc"), "a + b NL c NL END");
  EXPECT_EQ(tokens("a \\ b"), "a !Continuation b NL END");
  EXPECT_EQ(tokens("a \\"), "a !Continuation NL END");
  EXPECT_EQ(tokens("\xEF\xBB\xBFx = 1"), "x = int:1 NL END");
}

TEST(Lexer, positions) {
  SyntaxTree tree(Ref<const SourceFile>(new SourceFile("t.py", "a = 'ä'\n  bb + '''x\ny''' + c\n", 41)));
  Lexer lexer(tree);
  auto found = all_tokens(lexer);
  auto place = [&](size_t i) {
    const Range& r = found[i].range;
    return std::to_string(r.begin.line) + ":" + std::to_string(r.begin.column) + "-" +
           std::to_string(r.end.line) + ":" + std::to_string(r.end.column);
  };
  EXPECT_EQ(place(0), "41:1-41:2");
  EXPECT_EQ(place(2), "41:5-41:9");  // bytes
  EXPECT_EQ(place(3), "41:9-41:10");
  EXPECT_EQ(place(4), "42:3-42:3");  // Indent
  EXPECT_EQ(place(5), "42:3-42:5");
  EXPECT_EQ(place(7), "42:8-43:5");
  EXPECT_EQ(place(9), "43:8-43:9");
  EXPECT_EQ(tree.text(found[7].range), "'''x\ny'''");
  EXPECT_EQ(tree.text({found[5].range.begin, found[9].range.end}), "bb + '''x\ny''' + c");
}

TEST(Lexer, deep_brackets_are_counted) {
  std::string text = std::string(100000, '(') + std::string(100000, ')') + "\nx";
  SyntaxTree tree(Ref<const SourceFile>(new SourceFile("t.py", text)));
  Lexer lexer(tree);
  Token token;
  size_t most = 0;
  do {
    lexer.next(token);
    most = std::max(most, lexer.depth());
  } while (token.kind != Tok::Newline);
  EXPECT_EQ(most, 100000u);
  EXPECT_EQ(lexer.depth(), 0u);
  lexer.next(token);
  EXPECT_EQ(token.kind, Tok::Name);
}

TEST(Names, intern_copies_what_is_not_source) {
  SyntaxTree tree(Ref<const SourceFile>(new SourceFile("t.py", "alpha")));
  Symbol first;
  {
    std::string temporary = "beta";
    first = tree.intern(temporary);
    temporary = "xxxx";
  }
  EXPECT_EQ(tree.name(first), "beta");
  EXPECT_EQ(tree.intern("beta"), first);
  EXPECT_EQ(tree.intern(""), 0u);
  for (int i = 0; i < 5000; ++i) tree.intern("name" + std::to_string(i));
  EXPECT_EQ(tree.intern("beta"), first);
  EXPECT_EQ(tree.symbol_count(), 5002u);
  for (int i = 0; i < 5000; ++i) {
    std::string name = "name" + std::to_string(i);
    EXPECT_EQ(tree.name(tree.intern(name)), name);
  }
}

}  // namespace
}  // namespace tilewire::frontend
