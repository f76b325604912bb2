// Errors about text that is not Python, and where parsing continues after them.
#include <cstdio>

#include "frontend/literals.h"
#include "frontend/parser_impl.h"
#include "support/diagnostics/syntax.h"
#include "support/unicode.h"

namespace tilewire::frontend {
namespace {

constexpr size_t shown_length = 40;

struct Lookalike {
  char32_t character;
  std::string_view help;
};

constexpr Lookalike lookalikes[] = {
    {'!', "write `not`, or `!=` to compare"},
    {'?', "write `a if condition else b`"},
    {0xA0, "replace the no-break space by a plain one"},
    {0xD7, "write `*`"},
    {0xF7, "write `/` or `//`"},
    {0x200B, "delete the invisible character"},
    {0x2013, "write `-`"},
    {0x2014, "write `-`"},
    {0x2018, "write `'`"},
    {0x2019, "write `'`"},
    {0x201C, "write `\"`"},
    {0x201D, "write `\"`"},
    {0x2192, "write `->`"},
    {0x2212, "write `-`"},
    {0x2260, "write `!=`"},
    {0x2264, "write `<=`"},
    {0x2265, "write `>=`"},
    {0x3000, "replace the wide space by a plain one"},
    {0xFEFF, "delete the invisible character"},
    {0xFF08, "write `(`"},
    {0xFF09, "write `)`"},
    {0xFF0C, "write `,`"},
    {0xFF1A, "write `:`"},
};

Tok closer_of(Tok opener) {
  return static_cast<Tok>(static_cast<int>(opener) + 1);
}

Range place_of(const SourceFile& file, size_t offset) {
  std::string_view before(file.text().data(), offset);
  uint32_t line = file.first_line() + static_cast<uint32_t>(std::count(before.begin(), before.end(), '\n'));
  size_t start = before.rfind('\n');
  uint32_t column = static_cast<uint32_t>(offset - (start == std::string_view::npos ? 0 : start + 1)) + 1;
  return {{line, column}, {line, column + 1}};
}

std::string hex_byte(char c) {
  char text[8];
  snprintf(text, sizeof text, "0x%02x", static_cast<unsigned char>(c));
  return text;
}

}  // namespace

Diagnostic* Parser::say(Diag id, const Range& range, std::vector<std::string> arguments) {
  if (quiet_ != 0) return nullptr;
  Diagnostic& result = diags_.report(id, tree_.span(range), std::move(arguments));
  if (diags_.full()) lexer_.stop();
  return &result;
}

// Bytes that are not text are looked for once, so that the rest of the frontend can take the text as UTF-8 in
// strings and comments too.
bool Parser::report_unreadable_text() {
  const SourceFile& file = *tree_.file;
  size_t bad = find_invalid_utf8(file.text());
  if (bad != std::string_view::npos) {
    if (Diagnostic* d = say(diag::invalid_utf8, place_of(file, bad))) {
      d->with_label("byte " + hex_byte(file.text()[bad])).with_help("save the file as UTF-8");
    }
  }
  size_t nul = file.text().find('\0');
  if (nul != std::string_view::npos) {
    if (Diagnostic* d = say(diag::nul_byte, place_of(file, nul))) {
      d->with_label("byte 0x00").with_help("delete it: Python source must not contain NUL bytes");
    }
  }
  return bad != std::string_view::npos || nul != std::string_view::npos;
}

std::string Parser::quoted(std::string_view text) const {
  std::string out = "`";
  std::string_view shown = first_bytes(text.substr(0, text.find('\n')), shown_length);
  out += shown;
  return out + (shown.size() < text.size() ? "...`" : "`");
}

std::string Parser::describe(const Token& token) const {
  switch (token.kind) {
    case Tok::End:
      return "the end of the file";
    case Tok::Newline:
      return "the end of the line";
    case Tok::Indent:
      return "an indented line";
    case Tok::Dedent:
      return "the end of the block";
    case Tok::String:
    case Tok::Bytes:
    case Tok::FString:
      return "the string " + quoted(lexer_.text(token));
    case Tok::Int:
    case Tok::Float:
      return "the number " + quoted(lexer_.text(token));
    default:
      break;
  }
  return (is_keyword(token.kind) ? "the keyword " : "") + quoted(lexer_.text(token));
}

std::nullptr_t Parser::expected(std::string what, std::string help) {
  if (at(Tok::Error)) {
    lexical_error();
    return nullptr;
  }
  if (Diagnostic* d = say(diag::expected_syntax, tok_.range, {what, describe(tok_)})) {
    d->with_label("expected " + what);
    if (!help.empty()) d->with_help(std::move(help));
  }
  return nullptr;
}

void Parser::too_deep(const Range& range) {
  // The header of a statement and its block are both too deep.
  if (std::exchange(deep_line_, line_.line) == line_.line) return;
  if (Diagnostic* d = say(diag::nested_too_deep, range, {std::to_string(max_nesting)})) {
    d->with_label("level " + std::to_string(max_nesting + 1))
        .with_help(blocks_ > max_nesting / 2
                       ? "move the inner statements into a function of their own: `@pl.jit.inline`"
                       : "give an inner part a name on a line of its own: `part = ...`");
  }
}

void Parser::too_many_chains(const Range& range) {
  if (Diagnostic* d = say(diag::nested_too_deep, range, {std::to_string(max_chains)})) {
    d->with_label("a chained comparison inside others")
        .with_help("give the inner comparison a name on a line of its own: `part = ...`");
  }
}

void Parser::stray_character() {
  std::string_view text = lexer_.text(tok_);
  char32_t character = 0;
  decode_utf8(text, character);
  char code[16];
  snprintf(code, sizeof code, "U+%04X", static_cast<unsigned>(character));
  bool visible = character > 0x20 && character != 0x7F;
  std::string shown = (visible ? "`" + std::string(text) + "` (" : "(") + code + ")";
  Diagnostic* d = say(diag::stray_character, tok_.range, {shown});
  if (!d) return;
  for (const Lookalike& lookalike : lookalikes) {
    if (lookalike.character == character) d->with_help(std::string(lookalike.help));
  }
}

void Parser::lexical_error() {
  std::string text = quoted(lexer_.text(tok_));
  Diagnostic* d = nullptr;
  switch (tok_.error) {
    case LexError::None:
    case LexError::NotText:
      return;  // reported for the whole file
    case LexError::StrayCharacter:
      return stray_character();
    case LexError::UnterminatedString:
      d = say(diag::unterminated_string, tok_.range);
      if (d) d->with_label("starts here").with_help("close it on the same line, or use triple quotes");
      return;
    case LexError::UnterminatedTripleString: {
      Position begin = tok_.range.begin;
      d = say(diag::unterminated_string, {begin, {begin.line, begin.column + 3}});
      if (d)
        d->with_label("starts here, and reaches to the end of the file")
            .with_help("close it with the same three quotes");
      return;
    }
    case LexError::InconsistentTabs:
      d = say(diag::inconsistent_tabs, tok_.range);
      if (d) d->with_label("indented with another mix").with_help("indent with spaces only");
      return;
    case LexError::InconsistentDedent:
      d = say(diag::inconsistent_dedent, tok_.range);
      if (d)
        d->with_label("starts here").with_help("start the line in the column of the block it belongs to");
      return;
    case LexError::BadNumber:
      d = say(diag::malformed_number, tok_.range, {text});
      if (d) d->with_help("write numbers as 42, 1_000, 0xff, 1.5 or 1e-3; a name cannot start with a digit");
      return;
    case LexError::LeadingZeros:
      d = say(diag::leading_zeros, tok_.range, {text});
      if (d) d->with_help("delete the leading zeros; an octal number starts with `0o`");
      return;
    case LexError::ComplexNumber:
      d = say(diag::python_complex, tok_.range, {text});
      if (d) d->with_help("keep the real and the imaginary part in two numbers");
      return;
    case LexError::BadContinuation:
      d = say(diag::bad_continuation, tok_.range);
      if (d) d->with_help("end the line right after `\\`, or put the expression in parentheses");
      return;
  }
}

// In brackets that started on an earlier line, at a line that is not indented more than the statement: the
// line is most likely a statement of its own, and the brackets were never closed.
bool Parser::on_line_of_its_own() const {
  return lexer_.depth() != 0 && line_head_.range.begin.line == tok_.range.begin.line &&
         line_head_.range.begin.line > line_.line && line_head_.range.begin.column <= line_.column &&
         !is_closer(line_head_.kind);
}

void Parser::never_closed(const Open& open) {
  std::string closer(spelling(closer_of(open.kind)));
  Diagnostic* d = say(diag::unclosed_bracket, open.range, {std::string(spelling(open.kind))});
  if (!d) return;
  d->with_label("opened here").with_help("add `" + closer + "`");
  if (!at(Tok::End)) d->with_note("noticed at " + describe(tok_), tree_.span(tok_.range));
}

void Parser::not_closed_by(const Open& open) {
  if (at(Tok::Error)) return lexical_error();
  if (at(Tok::End) || on_line_of_its_own() || (in_header_ && at(Tok::Colon))) return never_closed(open);
  std::string closer(spelling(closer_of(open.kind))), opener(spelling(open.kind));
  Diagnostic* d = nullptr;
  if (is_closer(tok_.kind)) {
    d = say(diag::mismatched_bracket, tok_.range, {std::string(spelling(tok_.kind)), opener});
    if (d) d->with_label("expected `" + closer + "`");
  } else {
    std::string what = "`,` or `" + closer + "`";
    d = say(diag::expected_syntax, tok_.range, {what, describe(tok_)});
    if (d) d->with_label("expected " + what);
  }
  if (d) d->with_note("`" + opener + "` opened here", tree_.span(open.range));
}

Parser::Open Parser::open_bracket() {
  Open open{tok_.kind, tok_.range, lexer_.depth()};
  advance();
  return open;
}

bool Parser::close_bracket(const Open& open) {
  if (at(closer_of(open.kind))) {
    advance();
    return true;
  }
  not_closed_by(open);
  return false;
}

// To the bracket that closes `open`, or to where it should have been.
void Parser::skip_into(const Open& open) {
  while (!at(Tok::End) && !at(Tok::Newline) && !on_line_of_its_own() &&
         !(is_closer(tok_.kind) && lexer_.depth() < open.depth)) {
    advance();
  }
}

// Text that was skipped may hold an open string or bracket that took the rest of the file with it; silence
// would then hide programs.
void Parser::note_swallowed_file() {
  int quiet = std::exchange(quiet_, 0);
  if (at(Tok::Error) && tok_.error == LexError::UnterminatedTripleString) lexical_error();
  if (at(Tok::End) && lexer_.innermost()) {
    never_closed({lexer_.innermost()->kind, lexer_.innermost()->range, lexer_.depth()});
  }
  quiet_ = quiet;
}

void Parser::skip_to_line_end() {
  while (!at(Tok::Newline) && !at(Tok::End)) {
    if (at(Tok::Error)) note_swallowed_file();
    advance();
  }
}

// After an error in a statement: to the next one.
void Parser::recover() {
  while (!at(Tok::Newline) && !at(Tok::End)) {
    if (on_line_of_its_own()) {
      lexer_.restart_line(line_head_);
      break;
    }
    if (at(Tok::Error)) note_swallowed_file();
    advance();
  }
  if (!at(Tok::End)) advance();
}

// After an error in the line that heads a block: to the end of that line, so that the block can be read.
void Parser::recover_header() {
  while (!at(Tok::Newline) && !at(Tok::End) && !on_line_of_its_own()) {
    if (at(Tok::Error)) note_swallowed_file();
    if (at(Tok::Colon)) lexer_.leave_brackets_at_line_end();
    advance();
  }
  recover();
}

// Over a statement with its block, if it has one.
void Parser::skip_compound() {
  skip_to_line_end();
  if (at(Tok::End)) {
    note_swallowed_file();
    return;
  }
  advance();
  if (at(Tok::Error) &&
      (tok_.error == LexError::InconsistentTabs || tok_.error == LexError::InconsistentDedent)) {
    advance();
  }
  if (at(Tok::Indent)) skip_block();
}

void Parser::skip_block() {
  size_t level = 0;
  do {
    if (at(Tok::Indent)) ++level;
    if (at(Tok::Dedent)) --level;
    if (at(Tok::Error)) note_swallowed_file();
    advance();
  } while (level != 0 && !at(Tok::End));
  if (level != 0) note_swallowed_file();
}

}  // namespace tilewire::frontend
