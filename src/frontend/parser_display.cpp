// Bracketed expressions: tuples, lists, dicts, and the sets and comprehensions that are refused.
#include "frontend/parser_impl.h"
#include "support/diagnostics/syntax.h"

namespace tilewire::frontend {

const Expr* Parser::parenthesised() {
  Nesting nesting(*this);
  if (!nesting) return nullptr;
  Position begin = tok_.range.begin;
  Exprs items(exprs_);
  Open open = open_bracket();
  bool comma = at(Tok::RightParen);
  while (!at(Tok::RightParen)) {
    const Expr* item = element();
    if (!item) return nullptr;
    if (items.empty() && (at(Tok::For) || at(Tok::Async))) {
      item = comprehension(open, "a generator");
      return close_bracket(open) ? item : nullptr;
    }
    items.push(item);
    if (!accept(Tok::Comma)) break;
    comma = true;
  }
  if (!close_bracket(open)) return nullptr;
  return comma ? finish_tuple(items, begin) : items.items()[0];
}

const Expr* Parser::list_display() {
  Nesting nesting(*this);
  if (!nesting) return nullptr;
  Position begin = tok_.range.begin;
  Exprs items(exprs_);
  Open open = open_bracket();
  while (!at(Tok::RightBracket)) {
    const Expr* item = element();
    if (!item) return nullptr;
    if (items.empty() && (at(Tok::For) || at(Tok::Async))) {
      item = comprehension(open, "a list comprehension");
      return close_bracket(open) ? item : nullptr;
    }
    items.push(item);
    if (!accept(Tok::Comma)) break;
  }
  if (!close_bracket(open)) return nullptr;
  Expr* result = node(ExprKind::List, begin);
  result->items = stored(items);
  return of_height(result, 1 + tallest(result->items));
}

const Expr* Parser::brace_display() {
  Nesting nesting(*this);
  if (!nesting) return nullptr;
  Open open = open_bracket();
  if (at(Tok::RightBrace) || at(Tok::DoubleStar)) return dict_display(open, nullptr);
  const Expr* first = element();
  if (!first) return nullptr;
  return at(Tok::Colon) ? dict_display(open, first) : set_display(open);
}

// `first`: the first key, when it has been read.
const Expr* Parser::dict_display(const Open& open, const Expr* first) {
  Exprs items(exprs_);
  while (first || !at(Tok::RightBrace)) {
    if (!first && at(Tok::DoubleStar)) {
      Range star = tok_.range;
      advance();
      if (!expr()) return nullptr;
      refuse(diag::python_dict_unpacking, star, "a dict unpacking", "list the keys and values");
    } else {
      const Expr* key = first ? std::exchange(first, nullptr) : expr();
      if (!key) return nullptr;
      if (!accept(Tok::Colon)) return expected("`:` and a value after the key");
      const Expr* value = expr();
      if (!value) return nullptr;
      if (items.empty() && (at(Tok::For) || at(Tok::Async))) {
        value = comprehension(open, "a dict comprehension");
        return close_bracket(open) ? value : nullptr;
      }
      items.push(key);
      items.push(value);
    }
    if (!accept(Tok::Comma)) break;
  }
  if (!close_bracket(open)) return nullptr;
  Expr* result = node(ExprKind::Dict, open.range.begin);
  result->items = stored(items);
  return of_height(result, 1 + tallest(result->items));
}

const Expr* Parser::set_display(const Open& open) {
  if (at(Tok::For) || at(Tok::Async)) {
    const Expr* result = comprehension(open, "a set comprehension");
    return close_bracket(open) ? result : nullptr;
  }
  while (accept(Tok::Comma) && !at(Tok::RightBrace)) {
    if (!element()) return nullptr;
  }
  if (!close_bracket(open)) return nullptr;
  return refuse(diag::python_set, since(open.range.begin), "a set", "write a list: `[a, b]`");
}

}  // namespace tilewire::frontend
