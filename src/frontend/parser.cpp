#include "frontend/parser.h"

#include "frontend/parser_impl.h"
#include "support/diagnostics/syntax.h"

namespace tilewire::frontend {

Parser::Parser(SyntaxTree& tree, ParseMode mode, Bodies bodies, Diagnostics& diags)
    : tree_(tree), mode_(mode), bodies_(bodies), diags_(diags), lexer_(tree), nodes_(tree.arena) {
  modules_.emplace(tree.intern("pl"), "tilewire.language");
  modules_.emplace(tree.intern("pld"), "tilewire.language.distributed");
  unreadable_ = report_unreadable_text();
}

void Parser::file() {
  Stmts out(stmts_);
  advance();
  while (!at(Tok::End)) {
    if (mode_ == ParseMode::Strict) {
      statement(out);
    } else {
      module_statement(out);
    }
  }
  tree_.body.assign(out.items().begin(), out.items().end());
}

const Expr* Parser::only_expression() {
  advance();
  line_ = tok_.range.begin;
  const Expr* root = expr_list();
  if (!root) return nullptr;
  if (at(Tok::Newline)) advance();
  if (!at(Tok::End)) return expected("the end of the expression");
  return refused_ || unreadable_ ? nullptr : root;
}

Tok Parser::peek() {
  Lexer::Mark mark = lexer_.mark();
  Token next;
  lexer_.next(next);
  lexer_.rewind(mark);
  return next.kind;
}

// Here, where a parser is a complete type.
SyntaxTree::SyntaxTree(Ref<const SourceFile> file) : file(std::move(file)) {
  names_.push_back({});
}
SyntaxTree::~SyntaxTree() = default;

FunctionBody::FunctionBody(SyntaxTree& tree, const FunctionDef& def)
    : tree_(tree), before_(tree.arena.mark()) {
  stmts_ = def.place ? tree.parser->skipped_body(def) : def.body;
}

FunctionBody::~FunctionBody() {
  tree_.arena.rewind(before_);
}

void read_skipped_bodies(SyntaxTree& tree) {
  if (!tree.parser) return;
  for (const FunctionDef* def : tree.parser->skipped()) {
    if (!def->place->read) FunctionBody(tree, *def);
  }
}

namespace {

// Positions are 32 bits wide.
bool fits(const SourceFile& file) {
  return file.text().size() < 0xFFFFFF00;
}

}  // namespace

std::unique_ptr<SyntaxTree> parse(Ref<const SourceFile> file, ParseMode mode, Diagnostics& diags,
                                  Bodies bodies) {
  auto tree = std::make_unique<SyntaxTree>(std::move(file));
  if (fits(*tree->file)) {
    auto parser = std::make_unique<Parser>(*tree, mode, bodies, diags);
    parser->file();
    if (bodies == Bodies::Skipped) tree->parser = std::move(parser);
  } else {
    diags.report(diag::source_too_large, {tree->file, 0, 0, 0, 0});
  }
  return tree;
}

std::unique_ptr<SyntaxTree> parse_expression(Ref<const SourceFile> file, Diagnostics& diags,
                                             const Expr** root) {
  auto tree = std::make_unique<SyntaxTree>(std::move(file));
  *root = nullptr;
  if (fits(*tree->file)) {
    *root = Parser(*tree, ParseMode::Strict, Bodies::Read, diags).only_expression();
  } else {
    diags.report(diag::source_too_large, {tree->file, 0, 0, 0, 0});
  }
  return tree;
}

}  // namespace tilewire::frontend
