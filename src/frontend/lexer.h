// Python tokens, one at a time, straight from the bytes of the file.
//
// The lexer reports nothing: a byte sequence that is no token becomes an `Error` token that says why, and the
// parser decides whether the user needs to hear of it. Memory does not grow with the text: there is no token
// list, and brackets nested beyond any legal depth are counted, not kept.
//
// The first line that holds code sets the indentation of the outermost block, so text cut out of a class or a
// function lexes as it stands.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "frontend/syntax.h"

namespace tilewire::frontend {

enum class Tok : uint8_t {
  End,
  Newline,
  Indent,
  Dedent,
  Error,
  Name,
  Int,
  Float,
  String,
  Bytes,
  FString,
  LeftParen,
  RightParen,
  LeftBracket,
  RightBracket,
  LeftBrace,
  RightBrace,
  Comma,
  Colon,
  Semicolon,
  Dot,
  Ellipsis,
  Arrow,
  Assign,
  ColonAssign,
  Plus,
  Minus,
  Star,
  Slash,
  DoubleSlash,
  Percent,
  DoubleStar,
  At,
  Ampersand,
  Bar,
  Caret,
  ShiftLeft,
  ShiftRight,
  Tilde,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  PlusAssign,
  MinusAssign,
  StarAssign,
  SlashAssign,
  DoubleSlashAssign,
  PercentAssign,
  DoubleStarAssign,
  AtAssign,
  AmpersandAssign,
  BarAssign,
  CaretAssign,
  ShiftLeftAssign,
  ShiftRightAssign,
  // Keywords: the first symbols of every tree that a lexer was made for, in this order.
  False,
  None,
  True,
  And,
  As,
  Assert,
  Async,
  Await,
  Break,
  Class,
  Continue,
  Def,
  Del,
  Elif,
  Else,
  Except,
  Finally,
  For,
  From,
  Global,
  If,
  Import,
  In,
  Is,
  Lambda,
  Nonlocal,
  Not,
  Or,
  Pass,
  Raise,
  Return,
  Try,
  While,
  With,
  Yield,
};
inline constexpr Tok first_keyword = Tok::False;
inline constexpr Tok last_keyword = Tok::Yield;
inline constexpr bool is_keyword(Tok tok) {
  return tok >= first_keyword;
}
inline constexpr bool is_closer(Tok tok) {
  return tok == Tok::RightParen || tok == Tok::RightBracket || tok == Tok::RightBrace;
}
// As written; empty for tokens without a fixed text.
std::string_view spelling(Tok tok);

// The symbols right behind the keywords: names that mean something to the parser in certain places.
namespace soft {
inline constexpr Symbol first = static_cast<Symbol>(last_keyword) - static_cast<Symbol>(first_keyword) + 2;
inline constexpr Symbol match = first, type = first + 1, print = first + 2, exec = first + 3,
                        underscore = first + 4;
}  // namespace soft

enum class LexError : uint8_t {
  None,
  NotText,  // a NUL byte or broken UTF-8
  StrayCharacter,
  UnterminatedString,
  UnterminatedTripleString,  // reaches to the end of the file
  InconsistentTabs,          // indentation that depends on the width of a tab; the line's tokens follow
  InconsistentDedent,        // back to a column no block has; the line's tokens follow
  BadNumber,
  LeadingZeros,
  ComplexNumber,
  BadContinuation,  // a backslash that is not the last character of its line
};

struct Token {
  Tok kind = Tok::End;
  LexError error = LexError::None;
  bool first_on_line = false;   // inside brackets, where no Newline tells it
  Symbol symbol = 0;            // of Name and keywords
  uint32_t begin = 0, end = 0;  // byte offsets
  Range range;
};

struct Bracket {
  Tok kind;
  Range range;
};

class Lexer {
 public:
  // Interns the keywords; the tree must be new.
  explicit Lexer(SyntaxTree& tree);

  void next(Token& token);

  // Open brackets after the last token, and the innermost of those that are kept; null when there is none.
  size_t depth() const { return depth_; }
  const Bracket* innermost() const { return depth_ != 0 ? &brackets_[std::min(depth_, kept) - 1] : nullptr; }
  // Forgets the open brackets when nothing else follows on the line.
  void leave_brackets_at_line_end();

  // Inside brackets that are not going to be closed: reads the line of `token` again, as a logical line of
  // its own.
  void restart_line(const Token& token);
  // Nothing but `End` from here on.
  void stop();

  // A place to come back to within one logical line, inside one bracket at most.
  struct Mark {
    const char* at;
    const char* line_start;
    uint32_t line;
    uint8_t phase;
    size_t depth;
    Bracket outermost;
  };
  Mark mark() const;
  void rewind(const Mark& mark);

  // The columns of the blocks around, outermost first.
  struct Indentation {
    uint32_t column, tab_is_one;
    bool operator==(const Indentation&) const = default;
  };
  std::span<const Indentation> indentations() const { return indents_; }
  // After the `:` that opens a block: goes to the line behind the block without reading it. False, and
  // nowhere else, when the text is not plain enough to tell: tabs in front of code, f-strings, brackets that
  // do not match. What it skips is not checked.
  bool skim_block();
  // Back to a mark in any line before, outside brackets, with the blocks that were around it.
  void rewind(const Mark& mark, std::span<const Indentation> blocks);

  std::string_view text(const Token& token) const { return {text_ + token.begin, token.end - token.begin}; }
  Position position(uint32_t offset, const Token& inside) const;

 private:
  static constexpr size_t kept = 256;
  enum class Phase : uint8_t { LineStart, Blocks, Inline, Closing, Ended };

  bool begin_line(Token& token);
  Indentation measure_indentation();
  void skip_line_break();
  LexError change_block(Indentation indentation);
  void emit(Token& token, Tok kind, const char* end) {
    token.kind = kind;
    token.begin = static_cast<uint32_t>(at_ - text_);
    token.end = static_cast<uint32_t>(end - text_);
    token.range = {here(at_), here(end)};
    at_ = end;
  }
  void emit_error(Token& token, LexError error, const char* end) {
    token.error = error;
    emit(token, Tok::Error, end);
  }
  void emit_mark(Token& token, Tok kind);
  void lex_backslash(Token& token, bool& is_token);
  void lex_name(Token& token);
  void lex_number(Token& token);
  void lex_string(Token& token, const char* quotes, Tok kind);
  void lex_operator(Token& token);
  void lex_stray(Token& token);
  void open_bracket(Token& token, Tok kind);
  void close_bracket(Token& token, Tok kind);
  Position here(const char* at) const { return {line_, static_cast<uint32_t>(at - line_start_) + 1}; }

  SyntaxTree& tree_;
  const char* text_;
  const char* end_;
  const char* at_;
  const char* line_start_;
  uint32_t line_;
  Phase phase_ = Phase::LineStart;
  bool crossed_line_ = false;
  bool long_fields_ = true;  // replacement fields of f-strings may span lines
  size_t depth_ = 0;
  size_t pending_dedents_ = 0;
  bool pending_indent_ = false;
  std::vector<Bracket> brackets_;
  std::vector<Indentation> indents_;
};

}  // namespace tilewire::frontend
