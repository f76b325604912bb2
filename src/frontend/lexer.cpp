// Lines, blocks, names, brackets and operators; numbers and strings are in literals.cpp.
#include "frontend/lexer.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "frontend/literals.h"
#include "support/diagnostics.h"
#include "support/unicode.h"

namespace tilewire::frontend {
namespace {

constexpr std::string_view spellings[] = {
    "",      "",     "",       "",         "",        "",      "",      "",       "",         "",
    "",      "(",    ")",      "[",        "]",       "{",     "}",     ",",      ":",        ";",
    ".",     "...",  "->",     "=",        ":=",      "+",     "-",     "*",      "/",        "//",
    "%",     "**",   "@",      "&",        "|",       "^",     "<<",    ">>",     "~",        "==",
    "!=",    "<",    "<=",     ">",        ">=",      "+=",    "-=",    "*=",     "/=",       "//=",
    "%=",    "**=",  "@=",     "&=",       "|=",      "^=",    "<<=",   ">>=",    "False",    "None",
    "True",  "and",  "as",     "assert",   "async",   "await", "break", "class",  "continue", "def",
    "del",   "elif", "else",   "except",   "finally", "for",   "from",  "global", "if",       "import",
    "in",    "is",   "lambda", "nonlocal", "not",     "or",    "pass",  "raise",  "return",   "try",
    "while", "with", "yield",
};
static_assert(std::size(spellings) == static_cast<size_t>(last_keyword) + 1);

constexpr std::string_view soft_names[] = {"match", "type", "print", "exec", "_"};

enum class Char : uint8_t {
  Stray,
  Space,
  LineBreak,
  Letter,
  Digit,
  Quote,
  Dot,
  Hash,
  Backslash,
  Nul,
  Operator
};

constexpr std::array<Char, 256> make_classes() {
  std::array<Char, 256> classes{};
  for (int c = 'a'; c <= 'z'; ++c) classes[c] = classes[c - 'a' + 'A'] = Char::Letter;
  for (int c = 0x80; c < 256; ++c) classes[c] = Char::Letter;
  classes['_'] = Char::Letter;
  for (int c = '0'; c <= '9'; ++c) classes[c] = Char::Digit;
  for (unsigned char c : {' ', '\t', '\f'}) classes[c] = Char::Space;
  for (unsigned char c : {'\n', '\r'}) classes[c] = Char::LineBreak;
  for (unsigned char c : {'"', '\''}) classes[c] = Char::Quote;
  for (unsigned char c : std::string_view("()[]{},:;=+-*/%@&|^~<>!")) classes[c] = Char::Operator;
  classes['.'] = Char::Dot;
  classes['#'] = Char::Hash;
  classes['\\'] = Char::Backslash;
  classes[0] = Char::Nul;
  return classes;
}
constexpr std::array<Char, 256> classes = make_classes();

Char class_of(char c) {
  return classes[static_cast<unsigned char>(c)];
}

// The ASCII characters that can continue a name.
constexpr std::array<bool, 256> make_name_parts() {
  std::array<bool, 256> parts{};
  for (int c = 0; c < 0x80; ++c) parts[c] = classes[c] == Char::Letter || classes[c] == Char::Digit;
  return parts;
}
constexpr std::array<bool, 256> name_parts = make_name_parts();

// The position after the characters at `at` that continue a name.
const char* wide_name_end(const char* at, const char* end) {
  while (at < end) {
    char32_t character;
    size_t length = decode_utf8({at, static_cast<size_t>(std::min<ptrdiff_t>(4, end - at))}, character);
    if (length == 0 || !may_be_in_name(character)) break;
    at += length;
  }
  return at;
}

const char* line_end(const char* at, const char* end) {
  while (at < end && *at != '\n' && *at != '\r') ++at;
  return at;
}

Tok opener_of(Tok closer) {
  return static_cast<Tok>(static_cast<int>(closer) - 1);
}

}  // namespace

std::string_view spelling(Tok tok) {
  return spellings[static_cast<size_t>(tok)];
}

Lexer::Lexer(SyntaxTree& tree)
    : tree_(tree),
      text_(tree.file->text().data()),
      end_(text_ + tree.file->text().size()),
      at_(text_),
      line_start_(text_),
      line_(tree.file->first_line()) {
  for (size_t i = static_cast<size_t>(first_keyword); i <= static_cast<size_t>(last_keyword); ++i) {
    Symbol symbol = tree.intern(spellings[i]);
    TW_CHECK(symbol == i - static_cast<size_t>(first_keyword) + 1, "a lexer needs a new tree");
  }
  for (std::string_view name : soft_names) tree.intern(name);
  if (tree.file->text().starts_with("\xEF\xBB\xBF")) at_ += 3;
}

// A token without text, before the character that comes next.
void Lexer::emit_mark(Token& token, Tok kind) {
  emit(token, kind, at_);
}

void Lexer::skip_line_break() {
  // A lone carriage return ends a logical line but is no line of the file, as SourceFile counts them.
  bool alone = *at_ == '\r' && at_[1] != '\n';
  at_ += *at_ == '\r' && !alone ? 2 : 1;
  if (alone) return;
  ++line_;
  line_start_ = at_;
}

Lexer::Indentation Lexer::measure_indentation() {
  Indentation result{0, 0};
  for (;; ++at_) {
    if (*at_ == ' ') {
      ++result.column;
      ++result.tab_is_one;
    } else if (*at_ == '\t') {
      result.column = (result.column / 8 + 1) * 8;
      ++result.tab_is_one;
    } else if (*at_ == '\f') {
      result = {0, 0};
    } else {
      return result;
    }
  }
}

// Opens or closes blocks for a line that starts at `now`. As in Python, a line that compares differently when
// tabs are one column wide and when they are eight is an error.
LexError Lexer::change_block(Indentation now) {
  if (indents_.empty()) indents_.push_back(now);
  Indentation top = indents_.back();
  if (now.column > top.column) {
    indents_.push_back(now);
    pending_indent_ = true;
    return now.tab_is_one > top.tab_is_one ? LexError::None : LexError::InconsistentTabs;
  }
  while (indents_.size() > 1 && now.column < indents_.back().column) {
    indents_.pop_back();
    ++pending_dedents_;
  }
  top = indents_.back();
  if (now.column == top.column) {
    return now.tab_is_one == top.tab_is_one ? LexError::None : LexError::InconsistentTabs;
  }
  // The line belongs to the innermost block it is not left of, moved to the line's column.
  if (now.column < top.column) {
    indents_.back() = now;
  } else {
    indents_.push_back(now);
    --pending_dedents_;
  }
  return LexError::InconsistentDedent;
}

// Before the first token of a logical line; false when nothing was emitted and the line's text follows.
bool Lexer::begin_line(Token& token) {
  if (phase_ == Phase::LineStart) {
    Indentation indentation;
    for (;;) {
      indentation = measure_indentation();
      if (*at_ == '#') at_ = line_end(at_, end_);
      if (class_of(*at_) != Char::LineBreak) break;
      skip_line_break();
    }
    if (at_ == end_) {
      phase_ = Phase::Closing;
    } else {
      phase_ = Phase::Blocks;
      LexError error = change_block(indentation);
      if (error != LexError::None) {
        token.error = error;
        emit_mark(token, Tok::Error);
        return true;
      }
    }
  }
  if (phase_ == Phase::Blocks) {
    if (pending_dedents_ != 0) {
      --pending_dedents_;
      emit_mark(token, Tok::Dedent);
      return true;
    }
    phase_ = Phase::Inline;
    if (!std::exchange(pending_indent_, false)) return false;
    emit_mark(token, Tok::Indent);
    return true;
  }
  if (phase_ == Phase::Closing && indents_.size() > 1) {
    indents_.pop_back();
    emit_mark(token, Tok::Dedent);
  } else {
    emit_mark(token, Tok::End);
  }
  return true;
}

void Lexer::next(Token& token) {
  token.error = LexError::None;
  token.symbol = 0;
  if (phase_ != Phase::Inline) {
    token.first_on_line = false;
    if (begin_line(token)) return;
  }
  bool is_token = false;
  while (!is_token) {
    switch (class_of(*at_)) {
      case Char::Space:
        ++at_;
        continue;
      case Char::Hash:
        at_ = line_end(at_, end_);
        continue;
      case Char::LineBreak:
        if (depth_ != 0) {
          skip_line_break();
          crossed_line_ = true;
          continue;
        }
        emit(token, Tok::Newline, at_ + 1);
        --at_;
        skip_line_break();
        phase_ = Phase::LineStart;
        return;
      case Char::Backslash:
        lex_backslash(token, is_token);
        continue;
      case Char::Nul:
        if (at_ == end_) {
          emit_mark(token, depth_ != 0 ? Tok::End : Tok::Newline);
          phase_ = depth_ != 0 ? Phase::Ended : Phase::Closing;
          return;
        }
        emit_error(token, LexError::NotText, at_ + 1);
        break;
      case Char::Letter:
        lex_name(token);
        break;
      case Char::Digit:
        lex_number(token);
        break;
      case Char::Quote:
        lex_string(token, at_, Tok::String);
        break;
      case Char::Dot:
        if (class_of(at_[1]) == Char::Digit) {
          lex_number(token);
        } else if (at_[1] == '.' && at_[2] == '.') {
          emit(token, Tok::Ellipsis, at_ + 3);
        } else {
          emit(token, Tok::Dot, at_ + 1);
        }
        break;
      case Char::Operator:
        lex_operator(token);
        break;
      case Char::Stray:
        emit_error(token, LexError::StrayCharacter, at_ + 1);
        break;
    }
    is_token = true;
  }
  token.first_on_line = crossed_line_;
  crossed_line_ = false;
}

void Lexer::lex_backslash(Token& token, bool& is_token) {
  if (class_of(at_[1]) == Char::LineBreak) {
    ++at_;
    skip_line_break();
  } else {
    emit_error(token, LexError::BadContinuation, at_ + 1);
    is_token = true;
  }
}

void Lexer::lex_name(Token& token) {
  const char* end = at_;
  while (name_parts[static_cast<unsigned char>(*end)]) ++end;
  if (static_cast<unsigned char>(*end) >= 0x80) {
    end = wide_name_end(end, end_);
    if (end == at_) return lex_stray(token);
  }
  std::string_view name(at_, end - at_);
  if (class_of(*end) == Char::Quote && name.size() <= 2) {
    Tok kind = string_kind(name);
    if (kind != Tok::Error) return lex_string(token, end, kind);
  }
  Symbol symbol = tree_.intern(name);
  token.symbol = symbol;
  emit(token,
       symbol < soft::first ? static_cast<Tok>(static_cast<Symbol>(first_keyword) + symbol - 1) : Tok::Name,
       end);
}

void Lexer::lex_stray(Token& token) {
  char32_t character;
  size_t length = decode_utf8({at_, static_cast<size_t>(std::min<ptrdiff_t>(4, end_ - at_))}, character);
  if (length != 0) return emit_error(token, LexError::StrayCharacter, at_ + length);
  emit_error(token, LexError::NotText, at_ + 1);
}

void Lexer::lex_number(Token& token) {
  // Most numbers are a few plain digits.
  const char* plain = at_;
  while (class_of(*plain) == Char::Digit) ++plain;
  unsigned char after = static_cast<unsigned char>(*plain);
  bool ends = !name_parts[after] && after < 0x80 && after != '.';
  if (ends && plain != at_ && (*at_ != '0' || plain == at_ + 1)) return emit(token, Tok::Int, plain);
  Number number = scan_number({at_, static_cast<size_t>(end_ - at_)});
  if (number.error != LexError::None) return emit_error(token, number.error, at_ + number.length);
  emit(token, number.is_float ? Tok::Float : Tok::Int, at_ + number.length);
}

void Lexer::lex_string(Token& token, const char* quotes, Tok kind) {
  StringScan scan = scan_string(quotes, end_, kind == Tok::FString, long_fields_);
  Position begin = here(at_);
  const char* first = at_;
  if (scan.line_breaks) {
    for (const char* p = quotes; (p = static_cast<const char*>(memchr(p, '\n', scan.end - p)));) {
      ++line_;
      line_start_ = ++p;
    }
  }
  token.error = scan.error;
  emit(token, scan.error == LexError::None ? kind : Tok::Error, scan.end);
  token.begin = static_cast<uint32_t>(first - text_);
  token.range.begin = begin;
}

void Lexer::open_bracket(Token& token, Tok kind) {
  emit(token, kind, at_ + 1);
  if (++depth_ > kept) return;
  brackets_.resize(depth_ - 1);
  brackets_.push_back({kind, token.range});
}

void Lexer::close_bracket(Token& token, Tok kind) {
  emit(token, kind, at_ + 1);
  if (depth_ == 0) return;
  if (depth_ > kept) {
    --depth_;
    return;
  }
  // The closer of an outer bracket closes the forgotten inner ones; one that matches nothing was meant for
  // the innermost.
  size_t level = depth_;
  while (level != 0 && brackets_[level - 1].kind != opener_of(kind)) --level;
  depth_ = (level != 0 ? level : depth_) - 1;
}

void Lexer::lex_operator(Token& token) {
  char first = at_[0], second = at_[1];
  auto one = [&](Tok kind) { emit(token, kind, at_ + 1); };
  auto two = [&](Tok kind) { emit(token, kind, at_ + 2); };
  auto with_assign = [&](Tok plain, Tok assign) { second == '=' ? two(assign) : one(plain); };
  // x, x=, xx, xx= for the operators that can be doubled.
  auto doubled = [&](Tok plain, Tok assign, Tok twice, Tok twice_assign) {
    if (second != first) return with_assign(plain, assign);
    at_[2] == '=' ? emit(token, twice_assign, at_ + 3) : two(twice);
  };
  switch (first) {
    case '(':
      return open_bracket(token, Tok::LeftParen);
    case '[':
      return open_bracket(token, Tok::LeftBracket);
    case '{':
      return open_bracket(token, Tok::LeftBrace);
    case ')':
      return close_bracket(token, Tok::RightParen);
    case ']':
      return close_bracket(token, Tok::RightBracket);
    case '}':
      return close_bracket(token, Tok::RightBrace);
    case ',':
      return one(Tok::Comma);
    case ';':
      return one(Tok::Semicolon);
    case '~':
      return one(Tok::Tilde);
    case ':':
      return with_assign(Tok::Colon, Tok::ColonAssign);
    case '=':
      return with_assign(Tok::Assign, Tok::Equal);
    case '+':
      return with_assign(Tok::Plus, Tok::PlusAssign);
    case '%':
      return with_assign(Tok::Percent, Tok::PercentAssign);
    case '@':
      return with_assign(Tok::At, Tok::AtAssign);
    case '&':
      return with_assign(Tok::Ampersand, Tok::AmpersandAssign);
    case '|':
      return with_assign(Tok::Bar, Tok::BarAssign);
    case '^':
      return with_assign(Tok::Caret, Tok::CaretAssign);
    case '*':
      return doubled(Tok::Star, Tok::StarAssign, Tok::DoubleStar, Tok::DoubleStarAssign);
    case '/':
      return doubled(Tok::Slash, Tok::SlashAssign, Tok::DoubleSlash, Tok::DoubleSlashAssign);
    case '<':
      return doubled(Tok::Less, Tok::LessEqual, Tok::ShiftLeft, Tok::ShiftLeftAssign);
    case '>':
      return doubled(Tok::Greater, Tok::GreaterEqual, Tok::ShiftRight, Tok::ShiftRightAssign);
    case '-':
      return second == '>' ? two(Tok::Arrow) : with_assign(Tok::Minus, Tok::MinusAssign);
    default:
      return second == '=' ? two(Tok::NotEqual) : emit_error(token, LexError::StrayCharacter, at_ + 1);
  }
}

void Lexer::leave_brackets_at_line_end() {
  const char* at = at_;
  while (class_of(*at) == Char::Space) ++at;
  if (at == end_ || *at == '#' || class_of(*at) == Char::LineBreak) depth_ = 0;
}

void Lexer::restart_line(const Token& token) {
  at_ = line_start_ = text_ + token.begin - (token.range.begin.column - 1);
  line_ = token.range.begin.line;
  depth_ = 0;
  crossed_line_ = false;
  phase_ = Phase::LineStart;
}

void Lexer::stop() {
  at_ = end_;
  depth_ = 0;
  phase_ = Phase::Ended;
}

Lexer::Mark Lexer::mark() const {
  return {
      at_, line_start_, line_, static_cast<uint8_t>(phase_), depth_, depth_ != 0 ? brackets_[0] : Bracket{}};
}

void Lexer::rewind(const Mark& mark) {
  at_ = mark.at;
  line_start_ = mark.line_start;
  line_ = mark.line;
  phase_ = static_cast<Phase>(mark.phase);
  depth_ = mark.depth;
  if (depth_ != 0) brackets_[0] = mark.outermost;
  crossed_line_ = false;
}

void Lexer::rewind(const Mark& mark, std::span<const Indentation> blocks) {
  rewind(mark);
  indents_.assign(blocks.begin(), blocks.end());
  pending_dedents_ = 0;
  pending_indent_ = false;
}

Position Lexer::position(uint32_t offset, const Token& inside) const {
  Position result = inside.range.begin;
  for (uint32_t i = inside.begin; i < offset; ++i) {
    ++result.column;
    if (text_[i] == '\n') result = {result.line + 1, 1};
  }
  return result;
}

}  // namespace tilewire::frontend
