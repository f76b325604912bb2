// Python that the language has no form for: each with its own message and what to write instead.
#include "frontend/parser_impl.h"
#include "support/diagnostics/syntax.h"

namespace tilewire::frontend {

const Expr* Parser::refuse(Diag id, const Range& range, std::string_view what, std::string help) {
  refused_ = true;
  if (Diagnostic* d = say(id, range)) d->with_label(std::string(what)).with_help(std::move(help));
  Expr* result = nodes_.make<Expr>();
  result->kind = ExprKind::Unsupported;
  result->range = range;
  result->text = what;
  return result;
}

const Stmt* Parser::refuse_statement(Diag id, const Range& range, std::string label, std::string help) {
  refused_ = true;
  if (Diagnostic* d = say(id, range)) d->with_label(std::move(label)).with_help(std::move(help));
  Stmt* result = nodes_.make<Stmt>();
  result->kind = StmtKind::Unsupported;
  result->range = range;
  return result;
}

const Expr* Parser::lambda() {
  Nesting nesting(*this);
  if (!nesting) return nullptr;
  Position begin = tok_.range.begin;
  bool whole = false;
  {
    Quiet quiet(*this);
    size_t depth = lexer_.depth();
    advance();
    while (!at(Tok::End) && !at(Tok::Newline) && lexer_.depth() >= depth &&
           !(at(Tok::Colon) && lexer_.depth() == depth)) {
      advance();
    }
    whole = accept(Tok::Colon) && expr();
  }
  const Expr* result = refuse(diag::python_lambda, since(begin), "a lambda",
                              "write the expression where it is used, or a function decorated with "
                              "`@pl.jit.inline`");
  return whole ? result : nullptr;
}

const Expr* Parser::walrus(const Expr* target, Position begin) {
  Nesting nesting(*this);
  if (!nesting) return nullptr;
  Range sign = tok_.range;
  advance();
  if (!expr()) return nullptr;
  std::string name = target->kind == ExprKind::Name ? std::string(tree_.name(target->name)) : "name";
  const Expr* result = refuse(diag::python_walrus, sign, "an assignment inside an expression",
                              "assign on a line before: `" + name + " = ...`");
  Expr* whole = node(ExprKind::Unsupported, begin);
  whole->text = result->text;
  return whole;
}

const Expr* Parser::await() {
  Nesting nesting(*this);
  if (!nesting) return nullptr;
  Range keyword = tok_.range;
  advance();
  if (!postfix()) return nullptr;
  return refuse(diag::python_await, keyword, "an await",
                "call the function directly; tasks are ordered by their data and by `deps=`");
}

const Expr* Parser::yield() {
  Nesting nesting(*this);
  if (!nesting) return nullptr;
  Range keyword = tok_.range;
  advance();
  accept(Tok::From);
  bool whole = true;
  {
    Quiet quiet(*this);
    bool bare =
        at(Tok::Newline) || at(Tok::Semicolon) || at(Tok::Assign) || is_closer(tok_.kind) || at(Tok::End);
    if (!bare) whole = expr_list() != nullptr;
  }
  const Expr* result =
      refuse(diag::python_yield, keyword, "a yield",
             "return the values, or write `pl.yield_(...)` for the values of a loop or branch");
  return whole ? result : nullptr;
}

// At the `for` after the first element, up to the closing bracket.
const Expr* Parser::comprehension(const Open& open, std::string_view what) {
  Range keyword = tok_.range;
  skip_into(open);
  return refuse(diag::python_comprehension, keyword, what,
                "write the items one by one, or a `for` statement over `pl.range(...)` or `pl.unroll(...)`");
}

const Expr* Parser::starred() {
  Nesting nesting(*this);
  if (!nesting) return nullptr;
  Range star = tok_.range;
  advance();
  if (!binary(1)) return nullptr;
  return refuse(diag::python_star_expression, star, "a starred item", "name every item");
}

const Expr* Parser::matmul(Position begin) {
  Range sign = tok_.range;
  advance();
  if (!unary()) return nullptr;
  refuse(diag::python_matmul, sign, "a matrix product", "write `pl.matmul(a, b)`");
  Expr* whole = node(ExprKind::Unsupported, begin);
  whole->text = "a matrix product";
  return whole;
}

const Expr* Parser::other_strings(Tok kind, const Range& range) {
  if (kind == Tok::Bytes) {
    return refuse(diag::python_bytes, range, "a bytes literal", "write a string without the `b`");
  }
  return refuse(diag::python_f_string, range, "an f-string",
                "write the text out; names and messages are fixed when the program is read");
}

void Parser::refuse_type_parameters() {
  Range bracket = tok_.range;
  Open open = open_bracket();
  skip_into(open);
  accept(Tok::RightBracket);
  refuse(diag::python_type_parameters, bracket, "type parameters",
         "leave a parameter without annotation: it takes its type from the call");
}

void Parser::refuse_loop_else() {
  Token header = tok_;
  refuse_statement(diag::python_loop_else, tok_.range, "belongs to a loop",
                   "set a flag in the loop and test it in an `if` after it");
  advance();
  block(header);
}

// `match` is a name as well; only the form of the line distinguishes the two.
bool Parser::is_match_statement() {
  if (!at(Tok::Name) || tok_.symbol != soft::match) return false;
  switch (peek()) {
    case Tok::Name:
    case Tok::Int:
    case Tok::Float:
    case Tok::String:
    case Tok::True:
    case Tok::False:
    case Tok::None:
    case Tok::LeftParen:
    case Tok::LeftBracket:
    case Tok::LeftBrace:
    case Tok::Minus:
    case Tok::Tilde:
    case Tok::Star:
    case Tok::Not:
    case Tok::Await:
      return header_ends_with_colon();
    default:
      return false;
  }
}

// Whether the last token of the logical line is a colon.
bool Parser::header_ends_with_colon() {
  Lexer::Mark mark = lexer_.mark();
  Token token = tok_;
  Tok last = Tok::Newline;
  while (token.kind != Tok::Newline && token.kind != Tok::End) {
    last = token.kind;
    lexer_.next(token);
  }
  lexer_.rewind(mark);
  return last == Tok::Colon;
}

// At the first token of a statement with a block; false when it is none of those refused.
bool Parser::refuse_compound(Stmts& out) {
  Range keyword = tok_.range;
  auto skipped = [&](Diag id, std::string label, std::string help) {
    skip_compound();
    out.push(refuse_statement(id, keyword, std::move(label), std::move(help)));
    return true;
  };
  switch (tok_.kind) {
    case Tok::Try:
      skipped(diag::python_try, "a try statement",
              "remove it: errors of a program are reported when it is read, or stop the run");
      while (at(Tok::Except) || at(Tok::Finally) || at(Tok::Else)) skip_compound();
      return true;
    case Tok::Async:
      skipped(diag::python_async, "an async statement",
              "leave out `async`; tasks are ordered by their data and by `deps=`");
      while (at(Tok::Else)) skip_compound();
      return true;
    case Tok::Name:
      if (!is_match_statement()) return false;
      return skipped(diag::python_match, "a match statement", "write `if`, `elif` and `else`");
    default:
      return false;
  }
}

// A definition inside a function, or a class inside a class, with the decorators already read over.
const Stmt* Parser::refuse_definition() {
  Range keyword = tok_.range;
  bool is_class = at(Tok::Class);
  skip_compound();
  if (is_class) {
    return refuse_statement(diag::python_nested_class, keyword, "a class inside",
                            "move the class to the outermost level of the file");
  }
  return refuse_statement(diag::python_nested_function, keyword, "a function inside a function",
                          "move it out of the function, decorate it with `@pl.jit.inline`, and pass it what "
                          "it uses");
}

// At the first token of a one-line statement; null when it is none of those refused.
const Stmt* Parser::refuse_simple() {
  Range keyword = tok_.range;
  auto skipped = [&](Diag id, std::string label, std::string help) {
    while (!at(Tok::Newline) && !at(Tok::End) && !(at(Tok::Semicolon) && lexer_.depth() == 0)) advance();
    return refuse_statement(id, keyword, std::move(label), std::move(help));
  };
  switch (tok_.kind) {
    case Tok::Raise:
      return skipped(diag::python_raise, "a raise statement",
                     "write `assert` or `pl.static_assert` for facts known when the program is read");
    case Tok::Global:
    case Tok::Nonlocal:
      return skipped(diag::python_global, "an outer name made writable",
                     "pass the value as a parameter and return the new one");
    case Tok::Del:
      return skipped(diag::python_del, "a del statement", "leave it out; storage is freed by the compiler");
    case Tok::Import:
    case Tok::From:
      return skipped(diag::python_local_import, "an import inside a definition",
                     "move the import to the top of the file");
    case Tok::Name:
      if (tok_.symbol != soft::type || peek() != Tok::Name) return nullptr;
      return skipped(diag::python_type_statement, "a type statement",
                     "write the type where it is used, or `Name = pl.Tensor[...]`");
    default:
      return nullptr;
  }
}

}  // namespace tilewire::frontend
