// Statements and blocks.
#include "frontend/parser_impl.h"
#include "support/diagnostics/syntax.h"

namespace tilewire::frontend {
namespace {

bool augmented_operator(Tok tok, Operator& op) {
  switch (tok) {
    case Tok::PlusAssign:
      op = Operator::Add;
      return true;
    case Tok::MinusAssign:
      op = Operator::Sub;
      return true;
    case Tok::StarAssign:
      op = Operator::Mul;
      return true;
    case Tok::SlashAssign:
      op = Operator::Div;
      return true;
    case Tok::DoubleSlashAssign:
      op = Operator::FloorDiv;
      return true;
    case Tok::PercentAssign:
      op = Operator::Mod;
      return true;
    case Tok::DoubleStarAssign:
      op = Operator::Pow;
      return true;
    case Tok::AtAssign:
      op = Operator::MatMul;
      return true;
    case Tok::AmpersandAssign:
      op = Operator::BitAnd;
      return true;
    case Tok::BarAssign:
      op = Operator::BitOr;
      return true;
    case Tok::CaretAssign:
      op = Operator::BitXor;
      return true;
    case Tok::ShiftLeftAssign:
      op = Operator::Shl;
      return true;
    case Tok::ShiftRightAssign:
      op = Operator::Shr;
      return true;
    default:
      return false;
  }
}

// Keywords whose statements have their own error, other than that they are not names.
bool starts_compound(Tok tok) {
  return tok == Tok::Class || tok == Tok::Def || tok == Tok::If || tok == Tok::While || tok == Tok::For ||
         tok == Tok::With || tok == Tok::Try || tok == Tok::Elif || tok == Tok::Else || tok == Tok::Except ||
         tok == Tok::Finally || tok == Tok::Async;
}

std::string_view kind_of_expression(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::Int:
    case ExprKind::Float:
      return "a number";
    case ExprKind::String:
      return "a string";
    case ExprKind::True:
    case ExprKind::False:
    case ExprKind::None:
    case ExprKind::Ellipsis:
      return "a constant";
    case ExprKind::Dict:
      return "a dict";
    case ExprKind::Call:
      return "a call";
    case ExprKind::Compare:
      return "a comparison";
    case ExprKind::Conditional:
      return "a conditional expression";
    case ExprKind::Tuple:
      return "a tuple";
    case ExprKind::List:
      return "a list";
    default:
      return "an operation";
  }
}

}  // namespace

Stmt* Parser::stmt(StmtKind kind, Position begin) {
  Stmt* result = nodes_.make<Stmt>();
  result->kind = kind;
  result->range = since(begin);
  return result;
}

void Parser::statement(Stmts& out) {
  line_ = tok_.range.begin;
  chains_ = 0;
  const Stmt* result = nullptr;
  if (starts_compound(tok_.kind) && peek() == Tok::Assign) {
    Symbol symbol;
    Range range;
    name(symbol, range);
    return recover();
  }
  switch (tok_.kind) {
    case Tok::Dedent:
    case Tok::Newline:
      return advance();
    case Tok::Indent:
      return unexpected_indent(out);
    case Tok::Error:
      if (tok_.error == LexError::InconsistentTabs || tok_.error == LexError::InconsistentDedent) {
        lexical_error();
        misplaced_line_ = tok_.range.begin.line;
        return advance();
      }
      return simple_line(out);
    case Tok::At:
      return decorated(out);
    case Tok::Def:
    case Tok::Class:
      result = definition({});
      break;
    case Tok::If:
      result = if_statement();
      break;
    case Tok::While:
      result = while_statement();
      break;
    case Tok::For:
      result = for_statement();
      break;
    case Tok::With:
      result = with_statement();
      break;
    case Tok::Elif:
    case Tok::Else:
    case Tok::Except:
    case Tok::Finally:
      return stray_clause();
    default:
      if (!refuse_compound(out)) simple_line(out);
      return;
  }
  if (result) out.push(result);
}

void Parser::unexpected_indent(Stmts& out) {
  if (Diagnostic* d = say(diag::unexpected_indent, tok_.range)) {
    d->with_label("indented more than the line before")
        .with_help("start the line in the column of its block");
  }
  Nesting nesting(*this);
  if (!nesting) return skip_block();
  advance();
  while (!at(Tok::Dedent) && !at(Tok::End)) statement(out);
  accept(Tok::Dedent);
}

void Parser::stray_clause() {
  std::string keyword(spelling(tok_.kind));
  std::string help = at(Tok::Except) || at(Tok::Finally)
                         ? "delete it; there is no `try` in the language"
                         : "put it in the column of its `if`, right after that block";
  // Its wrong column has been reported already.
  Quiet quiet(*this, tok_.range.begin.line == misplaced_line_);
  if (Diagnostic* d = say(diag::stray_clause, tok_.range, {keyword})) d->with_help(std::move(help));
  skip_compound();
}

void Parser::simple_line(Stmts& out) {
  for (;;) {
    const Stmt* result = simple_statement();
    if (!result) return recover();
    out.push(result);
    if (at(Tok::Semicolon)) {
      advance();
      if (!at(Tok::Newline)) continue;
    }
    if (accept(Tok::Newline) || at(Tok::End)) return;
    std::string help;
    const Expr* value = result->kind == StmtKind::Expr ? result->value : nullptr;
    if (value && value->kind == ExprKind::Name && (value->name == soft::print || value->name == soft::exec)) {
      help = "write `" + std::string(tree_.name(value->name)) + "(...)`";
    } else if (is_closer(tok_.kind)) {
      std::string closer(spelling(tok_.kind));
      if (Diagnostic* d = say(diag::unopened_bracket, tok_.range, {closer})) d->with_help("delete it");
      return recover();
    }
    expected("the end of the line", std::move(help));
    return recover();
  }
}

const Stmt* Parser::simple_statement() {
  Position begin = tok_.range.begin;
  auto word = [&](StmtKind kind) {
    advance();
    return stmt(kind, begin);
  };
  switch (tok_.kind) {
    case Tok::Pass:
      return word(StmtKind::Pass);
    case Tok::Break:
      return word(StmtKind::Break);
    case Tok::Continue:
      return word(StmtKind::Continue);
    case Tok::Return:
      return return_statement();
    case Tok::Assert:
      return assert_statement();
    case Tok::Import:
      return place_ == Place::Module ? import_statement() : refuse_simple();
    case Tok::From:
      return place_ == Place::Module ? from_import_statement() : refuse_simple();
    case Tok::Raise:
    case Tok::Global:
    case Tok::Nonlocal:
    case Tok::Del:
      return refuse_simple();
    case Tok::If:
    case Tok::While:
    case Tok::For:
    case Tok::With:
    case Tok::Def:
    case Tok::Class:
    case Tok::Try:
      return expected("a statement without a block",
                      "put `" + std::string(spelling(tok_.kind)) + "` on a line of its own");
    case Tok::RightParen:
    case Tok::RightBracket:
    case Tok::RightBrace:
      if (Diagnostic* d = say(diag::unopened_bracket, tok_.range, {std::string(spelling(tok_.kind))})) {
        d->with_help("delete it");
      }
      return nullptr;
    case Tok::Name:
      if (const Stmt* refused = refuse_simple()) return refused;
      return expression_statement();
    default:
      return expression_statement();
  }
}

const Stmt* Parser::expression_statement() {
  Position begin = tok_.range.begin;
  const Expr* value = expr_list();
  if (!value) return nullptr;
  if (at(Tok::Assign)) return assignment(value, begin);
  if (at(Tok::Colon)) return annotated(value, begin);
  Operator op;
  if (augmented_operator(tok_.kind, op)) return augmented(value, begin);
  Stmt* result = stmt(StmtKind::Expr, begin);
  result->value = value;
  return result;
}

const Stmt* Parser::assignment(const Expr* first, Position begin) {
  Exprs targets(exprs_);
  const Expr* value = first;
  while (at(Tok::Assign)) {
    if (!check_target(value)) return nullptr;
    targets.push(value);
    advance();
    value = expr_list();
    if (!value) return nullptr;
  }
  Stmt* result = stmt(StmtKind::Assign, begin);
  result->targets = stored(targets);
  result->value = value;
  return result;
}

const Stmt* Parser::annotated(const Expr* target, Position begin) {
  if (peek() == Tok::Newline)
    return expected("the end of the line", "only a statement with a block ends in `:`");
  if (!check_single_target(target)) return nullptr;
  advance();
  const Expr* annotation = expr();
  if (!annotation) return nullptr;
  const Expr* value = nullptr;
  if (accept(Tok::Assign)) {
    value = expr_list();
    if (!value) return nullptr;
  }
  Stmt* result = stmt(StmtKind::AnnAssign, begin);
  result->targets = stored_one(target);
  result->annotation = annotation;
  result->value = value;
  return result;
}

const Stmt* Parser::augmented(const Expr* target, Position begin) {
  if (!check_single_target(target)) return nullptr;
  Operator op{};
  augmented_operator(tok_.kind, op);
  Range sign = tok_.range;
  advance();
  const Expr* value = expr_list();
  if (!value) return nullptr;
  if (op == Operator::MatMul) {
    return refuse_statement(diag::python_matmul, sign, "a matrix product", "write `c = pl.matmul(a, b)`");
  }
  Stmt* result = stmt(StmtKind::AugAssign, begin);
  result->op = op;
  result->targets = stored_one(target);
  result->value = value;
  return result;
}

bool Parser::check_target(const Expr* target) {
  if (target->kind == ExprKind::Tuple || target->kind == ExprKind::List) {
    return std::all_of(target->items.begin(), target->items.end(),
                       [this](const Expr* item) { return check_target(item); });
  }
  return check_single_target(target);
}

bool Parser::check_single_target(const Expr* target) {
  switch (target->kind) {
    case ExprKind::Name:
    case ExprKind::Attribute:
    case ExprKind::Subscript:
    case ExprKind::Unsupported:
      return true;
    default:
      break;
  }
  if (Diagnostic* d = say(diag::bad_target, target->range, {std::string(kind_of_expression(*target))})) {
    d->with_help("assign to a name, to `x[...]` or to several of these; to compare, write `==`");
  }
  return false;
}

const Stmt* Parser::return_statement() {
  Position begin = tok_.range.begin;
  advance();
  const Expr* value = nullptr;
  if (!at(Tok::Newline) && !at(Tok::Semicolon) && !at(Tok::End)) {
    value = expr_list();
    if (!value) return nullptr;
  }
  Stmt* result = stmt(StmtKind::Return, begin);
  result->value = value;
  return result;
}

const Stmt* Parser::assert_statement() {
  Position begin = tok_.range.begin;
  advance();
  const Expr* value = condition();
  if (!value) return nullptr;
  const Expr* message = nullptr;
  if (accept(Tok::Comma)) {
    message = expr();
    if (!message) return nullptr;
  }
  Stmt* result = stmt(StmtKind::Assert, begin);
  result->value = value;
  result->message = message;
  return result;
}

// An expression that is tested, where `=` for `==` is the usual slip.
const Expr* Parser::condition() {
  const Expr* value = expr();
  if (!value || !at(Tok::Assign)) return value;
  if (Diagnostic* d = say(diag::assignment_in_condition, tok_.range)) {
    d->with_label("an assignment").with_help("write `==` to compare");
  }
  refused_ = true;
  advance();
  if (!expr()) return nullptr;
  Expr* whole = node(ExprKind::Unsupported, value->range.begin);
  whole->text = "an assignment";
  return whole;
}

// The block of a statement whose header could not be read; read for its own errors, then forgotten.
List<const Stmt*> Parser::broken_header() {
  if (!at(Tok::Indent)) recover_header();
  if (at(Tok::Indent)) indented();
  return {};
}

// From the colon on. `header` is the statement's first token.
List<const Stmt*> Parser::block(const Token& header) {
  in_header_ = false;
  if (!at(Tok::Colon)) {
    std::string help;
    if (header.kind == Tok::Else && at(Tok::If)) help = "write `elif`";
    expected("`:`", std::move(help));
    if (!at(Tok::Newline)) return broken_header();
  } else {
    advance();
  }
  if (!at(Tok::Newline)) {
    Stmts body(stmts_);
    simple_line(body);
    return stored(body);
  }
  advance();
  if (at(Tok::Error) &&
      (tok_.error == LexError::InconsistentTabs || tok_.error == LexError::InconsistentDedent)) {
    lexical_error();
    advance();
  }
  if (!at(Tok::Indent)) {
    std::string keyword(spelling(header.kind)), line = std::to_string(header.range.begin.line);
    if (Diagnostic* d =
            say(diag::expected_block, at(Tok::End) ? header.range : tok_.range, {keyword, line})) {
      d->with_help("indent the lines that belong to it, or write `pass`")
          .with_note("`" + keyword + "` is here", tree_.span(header.range));
    }
    return {};
  }
  return indented();
}

List<const Stmt*> Parser::indented() {
  Nesting nesting(*this);
  if (!nesting) {
    skip_block();
    return {};
  }
  ++blocks_;
  Stmts body(stmts_);
  advance();
  while (!at(Tok::Dedent) && !at(Tok::End)) statement(body);
  accept(Tok::Dedent);
  --blocks_;
  return stored(body);
}

const Stmt* Parser::if_statement() {
  Token header = tok_;
  in_header_ = true;
  advance();
  const Expr* value = condition();
  Stmt* result = stmt(StmtKind::If, header.range.begin);
  result->value = value;
  result->body = value ? block(header) : broken_header();
  in_header_ = false;
  line_ = tok_.range.begin;
  if (at(Tok::Elif)) {
    if (const Stmt* rest = elif_clause())
      result->orelse = nodes_.copy(std::span<const Stmt* const>(&rest, 1));
  } else if (at(Tok::Else)) {
    Token clause = tok_;
    advance();
    result->orelse = block(clause);
  }
  return value ? result : nullptr;
}

// An `if` in the `else` of the one before, and a level of nesting like it.
const Stmt* Parser::elif_clause() {
  Nesting nesting(*this);
  if (!nesting) {
    while (at(Tok::Elif) || at(Tok::Else)) skip_compound();
    return nullptr;
  }
  ++blocks_;
  const Stmt* result = if_statement();
  --blocks_;
  return result;
}

const Stmt* Parser::while_statement() {
  Token header = tok_;
  in_header_ = true;
  advance();
  const Expr* value = condition();
  Stmt* result = stmt(StmtKind::While, header.range.begin);
  result->value = value;
  result->body = value ? block(header) : broken_header();
  in_header_ = false;
  if (at(Tok::Else)) refuse_loop_else();
  return value ? result : nullptr;
}

const Stmt* Parser::for_statement() {
  Token header = tok_;
  in_header_ = true;
  advance();
  const Expr* target = target_list();
  const Expr* value = nullptr;
  if (target && check_target(target)) {
    if (accept(Tok::In)) {
      value = expr_list();
    } else {
      expected("`in`", "write `for i in pl.range(n):`");
    }
  }
  Stmt* result = stmt(StmtKind::For, header.range.begin);
  result->value = value;
  if (value) result->targets = stored_one(target);
  result->body = value ? block(header) : broken_header();
  in_header_ = false;
  if (at(Tok::Else)) refuse_loop_else();
  return value ? result : nullptr;
}

// Whether the parenthesis at hand holds all items of a `with`, and not just the start of one.
bool Parser::parenthesised_with_items() {
  if (!at(Tok::LeftParen)) return false;
  Lexer::Mark mark = lexer_.mark();
  Token token = tok_;
  while (token.kind != Tok::End && lexer_.depth() != 0) lexer_.next(token);
  lexer_.next(token);
  lexer_.rewind(mark);
  return token.kind == Tok::Colon;
}

bool Parser::with_items(Exprs& items, Exprs& names, bool in_parens) {
  do {
    if (in_parens && at(Tok::RightParen)) break;
    const Expr* item = expr();
    if (!item) return false;
    const Expr* bound = nullptr;
    if (accept(Tok::As)) {
      bound = binary(1);
      if (!bound || !check_target(bound)) return false;
    }
    items.push(item);
    names.push(bound);
  } while (accept(Tok::Comma));
  return true;
}

const Stmt* Parser::with_statement() {
  Token header = tok_;
  in_header_ = true;
  advance();
  Exprs items(exprs_);
  Exprs names(names_);
  bool ok;
  if (parenthesised_with_items()) {
    Open open = open_bracket();
    ok = with_items(items, names, true) && close_bracket(open);
  } else {
    ok = with_items(items, names, false);
  }
  Stmt* result = stmt(StmtKind::With, header.range.begin);
  result->items = stored(items);
  result->names = stored(names);
  result->body = ok ? block(header) : broken_header();
  in_header_ = false;
  return ok ? result : nullptr;
}

}  // namespace tilewire::frontend
