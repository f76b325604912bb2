// Expressions, by precedence climbing. Every node knows its height, so that no later stage recurses deeper
// than the parser allows, however the tree leans.
#include <array>
#include <limits>

#include "frontend/literals.h"
#include "frontend/parser_impl.h"
#include "support/diagnostics/syntax.h"

namespace tilewire::frontend {
namespace {

// From loosest to tightest.
enum Precedence : uint8_t {
  None,
  OrLevel,
  AndLevel,
  NotLevel,
  CompareLevel,
  BitOrLevel,
  BitXorLevel,
  BitAndLevel,
  ShiftLevel,
  SumLevel,
  ProductLevel
};

struct Infix {
  Precedence precedence = None;
  Operator op{};
};

constexpr size_t index(Tok tok) {
  return static_cast<size_t>(tok);
}

constexpr auto infixes = [] {
  std::array<Infix, index(last_keyword) + 1> table{};
  table[index(Tok::Or)] = {OrLevel, {}};
  table[index(Tok::And)] = {AndLevel, {}};
  table[index(Tok::Equal)] = {CompareLevel, Operator::Eq};
  table[index(Tok::NotEqual)] = {CompareLevel, Operator::Ne};
  table[index(Tok::Less)] = {CompareLevel, Operator::Lt};
  table[index(Tok::LessEqual)] = {CompareLevel, Operator::Le};
  table[index(Tok::Greater)] = {CompareLevel, Operator::Gt};
  table[index(Tok::GreaterEqual)] = {CompareLevel, Operator::Ge};
  table[index(Tok::Is)] = {CompareLevel, Operator::Is};
  table[index(Tok::In)] = {CompareLevel, Operator::In};
  table[index(Tok::Not)] = {CompareLevel, Operator::NotIn};
  table[index(Tok::Bar)] = {BitOrLevel, Operator::BitOr};
  table[index(Tok::Caret)] = {BitXorLevel, Operator::BitXor};
  table[index(Tok::Ampersand)] = {BitAndLevel, Operator::BitAnd};
  table[index(Tok::ShiftLeft)] = {ShiftLevel, Operator::Shl};
  table[index(Tok::ShiftRight)] = {ShiftLevel, Operator::Shr};
  table[index(Tok::Plus)] = {SumLevel, Operator::Add};
  table[index(Tok::Minus)] = {SumLevel, Operator::Sub};
  table[index(Tok::Star)] = {ProductLevel, Operator::Mul};
  table[index(Tok::Slash)] = {ProductLevel, Operator::Div};
  table[index(Tok::DoubleSlash)] = {ProductLevel, Operator::FloorDiv};
  table[index(Tok::Percent)] = {ProductLevel, Operator::Mod};
  table[index(Tok::At)] = {ProductLevel, Operator::MatMul};
  return table;
}();

bool starts_expression(Tok tok) {
  switch (tok) {
    case Tok::Name:
    case Tok::Int:
    case Tok::Float:
    case Tok::String:
    case Tok::Bytes:
    case Tok::FString:
    case Tok::LeftParen:
    case Tok::LeftBracket:
    case Tok::LeftBrace:
    case Tok::Ellipsis:
    case Tok::Plus:
    case Tok::Minus:
    case Tok::Tilde:
    case Tok::Star:
    case Tok::DoubleStar:
    case Tok::False:
    case Tok::None:
    case Tok::True:
    case Tok::Await:
    case Tok::Lambda:
    case Tok::Not:
    case Tok::Error:
      return true;
    default:
      return false;
  }
}

// What was probably meant when an operand is missing between two tokens.
std::string_view misspelled_operator(Tok previous, Tok current) {
  if (previous == Tok::Ampersand && current == Tok::Ampersand) return "write `and`";
  if (previous == Tok::Bar && current == Tok::Bar) return "write `or`";
  if (previous == Tok::Less && current == Tok::Greater) return "write `!=`";
  if (previous == Tok::Equal && current == Tok::Assign) return "write `==`";
  if (previous == Tok::Assign && current == Tok::Greater) return "write `>=`";
  if (previous == Tok::Assign && current == Tok::Less) return "write `<=`";
  if (current == Tok::Not) return "put the `not ...` in parentheses";
  return {};
}

}  // namespace

Expr* Parser::node(ExprKind kind, Position begin) {
  Expr* result = nodes_.make<Expr>();
  result->kind = kind;
  result->range = since(begin);
  return result;
}

const Expr* Parser::of_height(Expr* expr, int height) {
  if (blocks_ + height > max_nesting) {
    too_deep(expr->range);
    return nullptr;
  }
  expr->height = static_cast<uint8_t>(height);
  return expr;
}

const Expr* Parser::expr() {
  Position begin = tok_.range.begin;
  const Expr* value = binary(OrLevel);
  if (value && at(Tok::If)) value = conditional(value, begin);
  if (value && at(Tok::ColonAssign)) value = walrus(value, begin);
  return value;
}

const Expr* Parser::conditional(const Expr* value, Position begin) {
  Nesting nesting(*this);
  if (!nesting) return nullptr;
  advance();
  const Expr* condition = binary(OrLevel);
  if (!condition) return nullptr;
  if (!accept(Tok::Else)) {
    return expected("`else`", "a conditional expression has two values: `a if condition else b`");
  }
  const Expr* otherwise = expr();
  if (!otherwise) return nullptr;
  Expr* result = node(ExprKind::Conditional, begin);
  std::array<const Expr*, 3> items{condition, value, otherwise};
  result->items = nodes_.copy(std::span<const Expr* const>(items));
  return of_height(result, 1 + tallest(items));
}

const Expr* Parser::binary(int minimum) {
  Position begin = tok_.range.begin;
  const Expr* left = at(Tok::Not) && minimum <= NotLevel ? negation() : unary();
  while (left) {
    Precedence precedence = infixes[index(tok_.kind)].precedence;
    if (precedence < minimum) break;
    if (at(Tok::At) && on_line_of_its_own()) break;  // a decorator: a bracket above was never closed
    left = precedence == CompareLevel ? comparison(left, begin) : infix(left, begin);
  }
  return left;
}

const Expr* Parser::negation() {
  Nesting nesting(*this);
  if (!nesting) return nullptr;
  Position begin = tok_.range.begin;
  advance();
  const Expr* operand = binary(NotLevel);
  if (!operand) return nullptr;
  Expr* result = node(ExprKind::Unary, begin);
  result->op = Operator::Not;
  result->left = operand;
  return of_height(result, 1 + operand->height);
}

const Expr* Parser::infix(const Expr* left, Position begin) {
  Tok tok = tok_.kind;
  if (tok == Tok::At) return matmul(begin);
  Infix how = infixes[index(tok)];
  advance();
  const Expr* right = binary(how.precedence + 1);
  if (!right) return nullptr;
  ExprKind kind = tok == Tok::Or ? ExprKind::Or : tok == Tok::And ? ExprKind::And : ExprKind::Binary;
  Expr* result = node(kind, begin);
  result->op = how.op;
  result->left = left;
  result->right = right;
  return of_height(result, 1 + std::max(left->height, right->height));
}

bool Parser::comparison_operator(Operator& op) {
  op = infixes[index(tok_.kind)].op;
  bool negated = at(Tok::Not);
  advance();
  if (op == Operator::Is && accept(Tok::Not)) op = Operator::IsNot;
  if (!negated || accept(Tok::In)) return true;
  expected("`in` after `not`");
  return false;
}

// `a < b < c` is (a < b) and (b < c), both with the same node for b. Whoever walks the tree without care
// visits b twice, and what is chained inside b four times: hence a limit of its own.
const Expr* Parser::comparison(const Expr* first, Position begin) {
  const Expr* result = nullptr;
  const Expr* left = first;
  int chains = chains_;
  while (infixes[index(tok_.kind)].precedence == CompareLevel) {
    Operator op;
    if (!comparison_operator(op)) return nullptr;
    // In the second round, chains_ is about the operand that is now in the middle.
    if (result && ++chains_ > max_chains) {
      too_many_chains(left->range);
      return nullptr;
    }
    chains = std::max(chains, std::exchange(chains_, 0));
    const Expr* right = binary(BitOrLevel);
    if (!right) return nullptr;
    Expr* step = node(ExprKind::Compare, result ? left->range.begin : begin);
    step->op = op;
    step->left = left;
    step->right = right;
    const Expr* pair = of_height(step, 1 + std::max(left->height, right->height));
    if (pair && result) {
      Expr* both = node(ExprKind::And, begin);
      both->chained = true;
      both->left = result;
      both->right = pair;
      pair = of_height(both, 1 + std::max(result->height, pair->height));
    }
    if (!pair) return nullptr;
    result = pair;
    left = right;
  }
  chains_ = std::max(chains, chains_);
  return result;
}

const Expr* Parser::unary() {
  switch (tok_.kind) {
    case Tok::Minus:
      return sign(Operator::Neg);
    case Tok::Plus:
      return sign(Operator::Pos);
    case Tok::Tilde:
      return sign(Operator::Invert);
    default:
      return power();
  }
}

const Expr* Parser::sign(Operator op) {
  Nesting nesting(*this);
  if (!nesting) return nullptr;
  Position begin = tok_.range.begin;
  advance();
  const Expr* operand = unary();
  if (!operand) return nullptr;
  int64_t value;
  // The one literal that fits only with its sign.
  if (op == Operator::Neg && operand->kind == ExprKind::Int && operand->big &&
      int_value(operand->text, value) == IntFit::Unsigned && value == std::numeric_limits<int64_t>::min()) {
    Expr* result = node(ExprKind::Int, begin);
    result->int_value = value;
    return result;
  }
  Expr* result = node(ExprKind::Unary, begin);
  result->op = op;
  result->left = operand;
  return of_height(result, 1 + operand->height);
}

const Expr* Parser::power() {
  Position begin = tok_.range.begin;
  const Expr* base = at(Tok::Await) ? await() : postfix();
  return base && at(Tok::DoubleStar) ? power_of(base, begin) : base;
}

const Expr* Parser::power_of(const Expr* base, Position begin) {
  Nesting nesting(*this);
  if (!nesting) return nullptr;
  advance();
  const Expr* exponent = unary();
  if (!exponent) return nullptr;
  Expr* result = node(ExprKind::Binary, begin);
  result->op = Operator::Pow;
  result->left = base;
  result->right = exponent;
  return of_height(result, 1 + std::max(base->height, exponent->height));
}

const Expr* Parser::postfix() {
  Position begin = tok_.range.begin;
  const Expr* value = atom();
  while (value) {
    if (at(Tok::Dot)) {
      value = attribute(value, begin);
    } else if (at(Tok::LeftParen)) {
      value = call(value, begin);
    } else if (at(Tok::LeftBracket)) {
      value = subscript(value, begin);
    } else {
      break;
    }
  }
  return value;
}

const Expr* Parser::leaf(ExprKind kind) {
  Expr* result = nodes_.make<Expr>();
  result->kind = kind;
  result->range = tok_.range;
  result->name = kind == ExprKind::Name ? tok_.symbol : 0;
  advance();
  return result;
}

const Expr* Parser::number(ExprKind kind) {
  std::string_view text = lexer_.text(tok_);
  Expr* result = nodes_.make<Expr>();
  result->kind = kind;
  result->range = tok_.range;
  if (kind == ExprKind::Float) {
    result->float_value = float_value(text);
  } else {
    int64_t value;
    result->big = int_value(text, value) != IntFit::Signed;
    if (result->big) {
      result->text = text;
    } else {
      result->int_value = value;
    }
  }
  advance();
  return result;
}

const Expr* Parser::atom() {
  switch (tok_.kind) {
    case Tok::Name:
      return leaf(ExprKind::Name);
    case Tok::Int:
      return number(ExprKind::Int);
    case Tok::Float:
      return number(ExprKind::Float);
    case Tok::String:
    case Tok::Bytes:
    case Tok::FString:
      return strings();
    case Tok::True:
      return leaf(ExprKind::True);
    case Tok::False:
      return leaf(ExprKind::False);
    case Tok::None:
      return leaf(ExprKind::None);
    case Tok::Ellipsis:
      return leaf(ExprKind::Ellipsis);
    case Tok::LeftParen:
      return parenthesised();
    case Tok::LeftBracket:
      return list_display();
    case Tok::LeftBrace:
      return brace_display();
    case Tok::Lambda:
      return lambda();
    case Tok::Yield:
      return yield();
    default:
      return expected("an expression", std::string(misspelled_operator(previous_, tok_.kind)));
  }
}

// Adjacent literals are one string.
const Expr* Parser::strings() {
  Position begin = tok_.range.begin;
  Tok other = Tok::String;
  std::string joined;
  std::string_view single;
  size_t count = 0;
  for (; at(Tok::String) || at(Tok::Bytes) || at(Tok::FString); advance(), ++count) {
    if (!at(Tok::String)) {
      other = tok_.kind;
      continue;
    }
    std::string_view literal = lexer_.text(tok_);
    if (count == 1) joined.insert(0, single);
    if (count == 0 && plain_string(literal, single)) continue;
    EscapeError error;
    if (append_string(joined, literal, error)) continue;
    Position at = lexer_.position(tok_.begin + static_cast<uint32_t>(error.offset), tok_);
    std::string escape = quoted(literal.substr(error.offset, error.length));
    Range range{at, {at.line, at.column + static_cast<uint32_t>(error.length)}};
    if (Diagnostic* d = say(diag::bad_escape, range, {escape})) {
      d->with_help("write the character itself, `\\xhh`, `\\uhhhh`, or `\\\\` for a backslash");
    }
    refused_ = true;
  }
  if (other != Tok::String) return other_strings(other, since(begin));
  Expr* result = node(ExprKind::String, begin);
  result->text = joined.empty() && count == 1 ? single : nodes_.copy(joined);
  return result;
}

const Expr* Parser::attribute(const Expr* object, Position begin) {
  advance();
  Symbol symbol;
  Range range;
  if (!name(symbol, range)) return nullptr;
  Expr* result = node(ExprKind::Attribute, begin);
  result->left = object;
  result->name = symbol;
  return of_height(result, 1 + object->height);
}

const Expr* Parser::call(const Expr* callee, Position begin) {
  Nesting nesting(*this);
  if (!nesting) return nullptr;
  Exprs items(exprs_);
  Gathered<Keyword> keywords(keywords_);
  Open open = open_bracket();
  bool fits = true;
  while (!at(Tok::RightParen)) {
    if (!argument(items, keywords, open, fits)) return nullptr;
    if (!accept(Tok::Comma)) break;
  }
  if (!close_bracket(open)) return nullptr;
  Expr* result = node(ExprKind::Call, begin);
  result->left = callee;
  result->items = stored(items);
  int height = std::max<int>(callee->height, tallest(result->items));
  if (!keywords.empty()) {
    result->keywords = stored(keywords);
    for (const Keyword& keyword : result->keywords) height = std::max<int>(height, keyword.value->height);
    fits = check_keywords(result->keywords) && fits;
  }
  if (!fits) {
    // What it would bind to is anyone's guess.
    result->kind = ExprKind::Unsupported;
    result->text = "a call";
  }
  return of_height(result, 1 + height);
}

// `fits`: false when the argument is refused.
bool Parser::argument(Exprs& items, Gathered<Keyword>& keywords, const Open& open, bool& fits) {
  Position begin = tok_.range.begin;
  bool starts_with_name = at(Tok::Name);
  const Expr* value = nullptr;
  if (at(Tok::Star) || at(Tok::DoubleStar)) {
    Range star = tok_.range;
    advance();
    if (!expr()) return false;
    value = refuse(diag::python_star_argument, star, "a starred argument", "pass the arguments one by one");
  } else {
    value = expr();
  }
  if (!value) return false;
  if (at(Tok::For) || at(Tok::Async)) value = comprehension(open, "a generator");
  if (!at(Tok::Assign)) {
    if (!keywords.empty() && value->kind != ExprKind::Unsupported) {
      if (Diagnostic* d = say(diag::positional_after_keyword, value->range)) {
        d->with_help("move it before the keyword arguments, or pass it by name");
      }
      refused_ = true;
      fits = false;
    }
    items.push(value);
    return true;
  }
  if (!starts_with_name || value->kind != ExprKind::Name) {
    if (Diagnostic* d = say(diag::keyword_not_a_name, since(begin))) {
      d->with_label("left of `=`")
          .with_help("write `name=value` to pass a keyword argument; to compare, write `==`");
    }
    return false;
  }
  advance();
  const Expr* argument_value = expr();
  if (!argument_value) return false;
  keywords.push({value->name, value->range, argument_value});
  return true;
}

bool Parser::check_keywords(const List<Keyword>& keywords) {
  size_t second = find_repeated(keywords);
  if (second == std::string_view::npos) return true;
  const Keyword& keyword = keywords[second];
  say(diag::repeated_keyword, keyword.name_range, {std::string(tree_.name(keyword.name))});
  refused_ = true;
  return false;
}

const Expr* Parser::subscript(const Expr* object, Position begin) {
  Nesting nesting(*this);
  if (!nesting) return nullptr;
  Exprs items(exprs_);
  Open open = open_bracket();
  if (at(Tok::RightBracket)) return expected("an index");
  bool comma = false;
  do {
    if (comma && at(Tok::RightBracket)) break;
    const Expr* item = subscript_item();
    if (!item) return nullptr;
    items.push(item);
    comma = true;
  } while (accept(Tok::Comma));
  bool one = items.size() == 1 && previous_ != Tok::Comma;
  if (!close_bracket(open)) return nullptr;
  Expr* result = node(ExprKind::Subscript, begin);
  result->left = object;
  const Expr* first = items.items()[0];
  result->items = one && first->kind == ExprKind::Tuple ? first->items : stored(items);
  return of_height(result, 1 + std::max<int>(object->height, tallest(items.items())));
}

const Expr* Parser::subscript_item() {
  Position begin = tok_.range.begin;
  std::array<const Expr*, 3> parts{};
  if (!at(Tok::Colon)) {
    parts[0] = element();
    if (!parts[0] || !at(Tok::Colon)) return parts[0];
  }
  for (size_t i = 1; i < 3 && accept(Tok::Colon); ++i) {
    if (!starts_expression(tok_.kind)) continue;
    parts[i] = expr();
    if (!parts[i]) return nullptr;
  }
  Expr* result = node(ExprKind::Slice, begin);
  result->items = nodes_.copy(std::span<const Expr* const>(parts));
  return of_height(result, 1 + tallest(parts));
}

const Expr* Parser::element() {
  return at(Tok::Star) ? starred() : expr();
}

const Expr* Parser::finish_tuple(const Exprs& items, Position begin) {
  Expr* result = node(ExprKind::Tuple, begin);
  result->items = stored(items);
  return of_height(result, 1 + tallest(result->items));
}

// Items separated by commas without brackets: a tuple when there is a comma.
const Expr* Parser::expr_list() {
  Position begin = tok_.range.begin;
  const Expr* first = element();
  if (!first || !at(Tok::Comma)) return first;
  Exprs items(exprs_);
  items.push(first);
  while (accept(Tok::Comma) && starts_expression(tok_.kind)) {
    const Expr* item = element();
    if (!item) return nullptr;
    items.push(item);
  }
  return finish_tuple(items, begin);
}

// The targets of a `for`, up to `in`.
const Expr* Parser::target_list() {
  Position begin = tok_.range.begin;
  const Expr* first = at(Tok::Star) ? starred() : binary(BitOrLevel);
  if (!first || !at(Tok::Comma)) return first;
  Exprs items(exprs_);
  items.push(first);
  while (accept(Tok::Comma) && starts_expression(tok_.kind)) {
    const Expr* item = at(Tok::Star) ? starred() : binary(BitOrLevel);
    if (!item) return nullptr;
    items.push(item);
  }
  return finish_tuple(items, begin);
}

}  // namespace tilewire::frontend
