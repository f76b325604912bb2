// UTF-8 is decoded strictly everywhere: in source text, messages, printed names and escaped text.
#include "support/unicode.h"

#include <gtest/gtest.h>

#include "support/diagnostics.h"
#include "support/diagnostics/syntax.h"
#include "support/escape.h"

namespace tilewire {
namespace {

constexpr std::string_view surrogate = "\xED\xA0\x80", overlong = "\xE0\x80\x80", cut = "\xE2\x82";

TEST(Unicode, DecodingIsStrict) {
  EXPECT_EQ(find_invalid_utf8("plain, then \u00e4 \u20ac \U0001F600 and more"), std::string_view::npos);
  EXPECT_EQ(find_invalid_utf8("12345678\xC0\x80"), 8u);
  EXPECT_EQ(find_invalid_utf8(surrogate), 0u);
  EXPECT_EQ(find_invalid_utf8(overlong), 0u);
  EXPECT_EQ(find_invalid_utf8("a" + std::string(cut)), 1u);
  EXPECT_EQ(find_invalid_utf8("\xF4\x90\x80\x80"), 0u);  // above U+10FFFF
}

TEST(Unicode, NamesAreLettersAndDigits) {
  EXPECT_TRUE(may_be_in_name(U'é'));
  EXPECT_FALSE(may_be_in_name(U'→'));
  EXPECT_FALSE(may_be_in_name(0x1F600));
  for (std::string_view name : {"x", "_1", "größe", "N2"}) EXPECT_TRUE(is_name(name)) << name;
  for (std::string_view name : {"", "1x", "a-b", "a→b", "a\xED\xA0\x80", "a b"})
    EXPECT_FALSE(is_name(name)) << name;
}

TEST(Unicode, TextIsCutBetweenCharacters) {
  EXPECT_EQ(first_bytes("a€b", 5), "a€b");
  EXPECT_EQ(first_bytes("a€b", 4), "a€");
  EXPECT_EQ(first_bytes("a€b", 3), "a");
  EXPECT_EQ(first_bytes("a€b", 0), "");
  EXPECT_EQ(count_characters("a€b\U0001F600"), 4u);
}

// The lexer refuses these bytes, so no other part may take them for characters.
TEST(Unicode, MessagesAndEscapedTextReplaceWhatIsNotUtf8) {
  for (std::string_view bad : {surrogate, overlong, cut}) {
    std::string text = "a" + std::string(bad) + "b";
    Ref<const SourceFile> file(new SourceFile("a.py", text));
    Diagnostic d{diag::invalid_utf8, Severity::Error, Span{file, 1, 1, 1, 2}, "bad", "", {}, {}};
    EXPECT_NE(render(d).find("1 | a" + std::string(bad.size(), '?') + "b\n"), std::string::npos) << render(d);
    EXPECT_EQ(find_invalid_utf8(html_escaped(text)), std::string_view::npos);
  }
}

}  // namespace
}  // namespace tilewire
