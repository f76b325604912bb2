// Python tokens, one at a time, straight from the bytes of the file.
//
// The lexer reports nothing: bytes that form no token become an `Error` token with the reason, and the
// parser decides whether to report it. Memory does not grow with the text: there is no token
// list, and brackets nested beyond any legal depth are counted, not kept.
//
// The first line that holds code sets the indentation of the outermost block, so text cut out of a class or a
// function is lexed as it is.
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

// The symbols after the keywords: names that mean something to the parser in certain places.
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
  InconsistentTabs,          // the indentation depends on the width of a tab; the tokens of the line follow
  InconsistentDedent,        // dedent to a column of no open block; the tokens of the line follow
  BadNumber,
  LeadingZeros,
  ComplexNumber,
  BadContinuation,  // a backslash that is not the last character of its line
};

struct Token {
  Tok kind = Tok::End;
  LexError error = LexError::None;
  bool first_on_line = false;   // inside brackets, where there is no Newline token
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

  // Open brackets after the last token, and the innermost one that is recorded; null if there is none.
  size_t depth() const { return depth_; }
  const Bracket* innermost() const { return depth_ != 0 ? &brackets_[std::min(depth_, kept) - 1] : nullptr; }
  // Forgets the open brackets if nothing else follows on the line.
  void leave_brackets_at_line_end();

  // Inside brackets that will not be closed: reads the line of `token` again, as a logical line of
  // its own.
  void restart_line(const Token& token);
  // From now on every token is `End`.
  void stop();

  // A position to rewind to, within one logical line and inside at most one bracket.
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

  // The columns of the enclosing blocks, outermost first.
  struct Indentation {
    uint32_t column, tab_is_one;
    bool operator==(const Indentation&) const = default;
  };
  std::span<const Indentation> indentations() const { return indents_; }
  // After the `:` that opens a block: moves to the line after the block without reading it. Returns false and
  // does not move if the text is not simple enough: tabs before code, f-strings, unmatched brackets.
  // Skipped text is not checked.
  bool skim_block();
  // Rewinds to a mark in an earlier line, outside brackets, with the blocks that enclosed it.
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
