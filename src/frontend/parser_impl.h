// The recursive-descent parser of parser.h, one function per construct.
//
// A function returns null if the text is not the construct that it reads; the error has then been reported,
// once, and the statement is abandoned. Python without a form in the language is reported and skipped:
// it becomes an `Unsupported` node, so that the rest of the statement is still checked.
//
// Lists are gathered on stacks that are reused and copied into the arena when complete.
//
// Where bodies are skipped, the parser state before each is saved (BodyPlace), and `skipped_body`
// reads it from there.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontend/lexer.h"
#include "frontend/parser.h"

namespace tilewire::frontend {

// A list being collected: the top of a stack that nested lists use too.
template <class T>
class Gathered {
 public:
  explicit Gathered(std::vector<T>& stack) : stack_(stack), start_(stack.size()) {}
  Gathered(const Gathered&) = delete;
  ~Gathered() { stack_.resize(start_); }

  void push(const T& item) { stack_.push_back(item); }
  size_t size() const { return stack_.size() - start_; }
  bool empty() const { return size() == 0; }
  // Good until the next push on the stack.
  std::span<const T> items() const { return std::span<const T>(stack_).subspan(start_); }

 private:
  std::vector<T>& stack_;
  size_t start_;
};
using Exprs = Gathered<const Expr*>;
using Stmts = Gathered<const Stmt*>;

// Chained comparisons inside operands of chained comparisons.
inline constexpr int max_chains = 4;

// The parser state before the `:` of a function.
struct BodyPlace {
  Token header, token, line_head;
  Tok previous;
  Position previous_end, line;
  int depth, blocks;
  Lexer::Mark lexer;
  List<Lexer::Indentation> indents;
  uint32_t next = 0;  // position of the first token after the body
  bool read = false;
};

class Parser {
 public:
  Parser(SyntaxTree& tree, ParseMode mode, Bodies bodies, Diagnostics& diags);

  void file();
  const Expr* only_expression();
  List<const Stmt*> skipped_body(const FunctionDef& function);
  const std::vector<const FunctionDef*>& skipped() const { return skipped_; }

 private:
  enum class Place : uint8_t { Module, Class, Function };

  // Counts levels of nesting, the recursion of this parser among them; false, and reported, beyond the limit.
  class Nesting {
   public:
    explicit Nesting(Parser& parser) : parser_(parser) {
      ok_ = ++parser.depth_ <= max_nesting;
      if (!ok_) parser.too_deep(parser.tok_.range);
    }
    Nesting(const Nesting&) = delete;
    ~Nesting() { --parser_.depth_; }
    explicit operator bool() const { return ok_; }

   private:
    Parser& parser_;
    bool ok_;
  };

  // What is found in a stretch of text that is only read over is not reported.
  class Quiet {
   public:
    explicit Quiet(Parser& parser, bool on = true) : parser_(parser), on_(on) { parser.quiet_ += on; }
    Quiet(const Quiet&) = delete;
    ~Quiet() { parser_.quiet_ -= on_; }

   private:
    Parser& parser_;
    bool on_;
  };

  struct Open {
    Tok kind;
    Range range;
    size_t depth;  // of the lexer inside the bracket
  };

  // Tokens
  bool at(Tok kind) const { return tok_.kind == kind; }
  void advance() {
    previous_ = tok_.kind;
    previous_end_ = tok_.range.end;
    lexer_.next(tok_);
    if (tok_.first_on_line) [[unlikely]]
      line_head_ = tok_;
  }
  bool accept(Tok kind) {
    if (!at(kind)) return false;
    advance();
    return true;
  }
  Tok peek();
  bool header_ends_with_colon();
  bool parenthesised_with_items();
  Range since(Position begin) const { return {begin, previous_end_}; }
  Open open_bracket();
  bool close_bracket(const Open& open);

  // Errors (parser_errors.cpp)
  Diagnostic* say(Diag id, const Range& range, std::vector<std::string> arguments = {});
  std::nullptr_t expected(std::string what, std::string help = {});
  void too_deep(const Range& range);
  void too_many_chains(const Range& range);
  void lexical_error();
  void stray_character();
  void never_closed(const Open& open);
  void not_closed_by(const Open& open);
  bool on_line_of_its_own() const;
  std::string describe(const Token& token) const;
  std::string quoted(std::string_view text) const;
  bool report_unreadable_text();
  void note_swallowed_file();
  void recover();
  void recover_header();
  void skip_to_line_end();
  void skip_compound();
  void skip_block();
  void skip_into(const Open& open);

  // Expressions (parser_expr.cpp)
  const Expr* expr();
  const Expr* binary(int minimum);
  const Expr* negation();
  const Expr* infix(const Expr* left, Position begin);
  const Expr* comparison(const Expr* first, Position begin);
  bool comparison_operator(Operator& op);
  const Expr* unary();
  const Expr* sign(Operator op);
  const Expr* power();
  const Expr* power_of(const Expr* base, Position begin);
  const Expr* postfix();
  const Expr* atom();
  const Expr* leaf(ExprKind kind);
  const Expr* number(ExprKind kind);
  const Expr* strings();
  const Expr* attribute(const Expr* object, Position begin);
  const Expr* call(const Expr* callee, Position begin);
  bool argument(Exprs& items, Gathered<Keyword>& keywords, const Open& open, bool& fits);
  bool check_keywords(const List<Keyword>& keywords);
  const Expr* subscript(const Expr* object, Position begin);
  const Expr* subscript_item();
  const Expr* parenthesised();
  const Expr* list_display();
  const Expr* brace_display();
  const Expr* dict_display(const Open& open, const Expr* first);
  const Expr* set_display(const Open& open);
  const Expr* element();
  const Expr* expr_list();
  const Expr* target_list();
  const Expr* finish_tuple(const Exprs& items, Position begin);
  const Expr* conditional(const Expr* value, Position begin);
  Expr* node(ExprKind kind, Position begin);
  const Expr* of_height(Expr* expr, int height);
  template <class List>
  int tallest(const List& items) {
    int height = 0;
    for (const Expr* item : items) height = std::max<int>(height, item ? item->height : 0);
    return height;
  }

  // Python that is not of the language (parser_refuse.cpp)
  const Expr* refuse(Diag id, const Range& range, std::string_view what, std::string help);
  const Stmt* refuse_statement(Diag id, const Range& range, std::string label, std::string help);
  const Expr* lambda();
  const Expr* walrus(const Expr* target, Position begin);
  const Expr* await();
  const Expr* yield();
  const Expr* comprehension(const Open& open, std::string_view what);
  const Expr* starred();
  const Expr* matmul(Position begin);
  const Expr* other_strings(Tok kind, const Range& range);
  bool refuse_compound(Stmts& out);
  const Stmt* refuse_simple();
  const Stmt* refuse_definition();
  void refuse_loop_else();
  void refuse_type_parameters();
  bool is_match_statement();

  // Statements (parser_stmt.cpp)
  void statement(Stmts& out);
  void unexpected_indent(Stmts& out);
  void simple_line(Stmts& out);
  const Stmt* simple_statement();
  const Stmt* expression_statement();
  const Stmt* assignment(const Expr* first, Position begin);
  const Stmt* annotated(const Expr* target, Position begin);
  const Stmt* augmented(const Expr* target, Position begin);
  bool check_target(const Expr* target);
  bool check_single_target(const Expr* target);
  const Stmt* return_statement();
  const Stmt* assert_statement();
  const Stmt* if_statement();
  const Stmt* elif_clause();
  const Stmt* while_statement();
  const Stmt* for_statement();
  const Stmt* with_statement();
  bool with_items(Exprs& items, Exprs& names, bool in_parens);
  const Expr* condition();
  void stray_clause();
  List<const Stmt*> block(const Token& header);
  List<const Stmt*> broken_header();
  List<const Stmt*> indented();
  Stmt* stmt(StmtKind kind, Position begin);
  template <class T>
  List<T> stored(const Gathered<T>& list) {
    return nodes_.copy(list.items());
  }
  List<const Expr*> stored_one(const Expr* expr) {
    return nodes_.copy(std::span<const Expr* const>(&expr, 1));
  }

  // Definitions, imports and the choice of what to read in a module (parser_module.cpp)
  void module_statement(Stmts& out);
  void module_constant(Stmts& out);
  void forgotten(const Stmt* stmt, const Token& first, Stmts& out);
  void python_definition(Stmts& out);
  void known_to_python(std::string_view what, const Stmt* stmt, const Token& first, Stmts& out);
  void decorated(Stmts& out);
  bool decorator_is_ours();
  const Expr* decorator(bool ours);
  const Stmt* definition(List<const Expr*> decorators);
  const Stmt* function_definition(List<const Expr*> decorators);
  void function_body(FunctionDef& function, const Token& header);
  bool function_header(FunctionDef& function);
  bool parameters(FunctionDef& function);
  bool parameter(Gathered<Param>& params, const Open& open);
  void check_parameters(const List<Param>& params);
  const Stmt* class_definition(List<const Expr*> decorators);
  bool class_header(Stmt& result);
  const Stmt* import_statement();
  const Stmt* from_import_statement();
  bool import_name(Gathered<ImportName>& names, std::string_view module);
  bool dotted_name(std::string& out);
  bool name(Symbol& symbol, Range& range);
  void bind_imports(const List<ImportName>& imports);

  // The index of the second of two equal symbols, or npos; linear, and cheap for short lists.
  template <class Item>
  size_t find_repeated(const List<Item>& items);

  SyntaxTree& tree_;
  const ParseMode mode_;
  const Bodies bodies_;
  Diagnostics& diags_;
  Lexer lexer_;
  NodeArena& nodes_;

  Token tok_;
  Tok previous_ = Tok::Newline;
  Position previous_end_;
  Token line_head_;  // inside brackets: the first token of the line
  Position line_;    // where the logical line starts

  int depth_ = 0;   // blocks, brackets and operators around the current token
  int blocks_ = 0;  // the blocks among them
  int chains_ = 0;  // chained comparisons inside each other, the most seen in the current operand
  int quiet_ = 0;
  bool in_header_ = false;
  bool refused_ = false;     // something was refused since this was last cleared
  bool unreadable_ = false;  // the file holds bytes that are not text
  Place place_ = Place::Module;

  uint32_t misplaced_line_ = 0;  // reported to start in a wrong column
  uint32_t deep_line_ = 0;       // of the statement last reported to be nested too deeply

  std::vector<const Expr*> exprs_;
  std::vector<const Expr*> names_;
  std::vector<const Stmt*> stmts_;
  std::vector<Keyword> keywords_;
  std::vector<Param> params_;
  std::vector<ImportName> imports_;
  std::vector<const FunctionDef*> skipped_;          // those whose bodies were
  std::unordered_map<Symbol, std::string> modules_;  // what imports bound names to
  std::vector<uint32_t> seen_;                       // by symbol: the last list it was in
  uint32_t seen_list_ = 0;
};

template <class Item>
size_t Parser::find_repeated(const List<Item>& items) {
  if (items.size() < 2) return std::string_view::npos;
  if (items.size() <= 8) {
    for (size_t i = 1; i < items.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (items[i].name == items[j].name) return i;
      }
    }
    return std::string_view::npos;
  }
  seen_.resize(tree_.symbol_count(), 0);
  ++seen_list_;
  for (size_t i = 0; i < items.size(); ++i) {
    if (std::exchange(seen_[items[i].name], seen_list_) == seen_list_) return i;
  }
  return std::string_view::npos;
}

}  // namespace tilewire::frontend
