// Any bytes as a program, in both modes and as one expression. Beside memory errors this finds trees that
// break what the rest of the frontend relies on: places outside the file, nesting beyond the limit, and
// Python that was refused without a word.
#include <cstdlib>

#include "frontend/parser.h"

using namespace tilewire;
using namespace tilewire::frontend;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

class Inspector {
 public:
  Inspector(const SyntaxTree& tree, bool strict, bool errors)
      : tree_(tree), strict_(strict), errors_(errors) {}

  void block(std::span<const Stmt* const> body, int depth) {
    require(depth <= max_nesting + 1);
    for (const Stmt* s : body) statement(*s, depth);
  }

  void expr(const Expr* e, int depth) {
    if (!e) return;
    place(e->range);
    require(depth + e->height <= max_nesting);
    if (strict_ && e->kind == ExprKind::Unsupported) require(errors_);
    if (e->kind == ExprKind::Name || e->kind == ExprKind::Attribute) require(e->name != 0);
    child(e, e->left, depth);
    if (e->kind == ExprKind::And && e->chained) {
      require(e->right->left == (e->left->kind == ExprKind::And ? e->left->right->right : e->left->right));
    }
    child(e, e->right, depth);
    for (const Expr* item : e->items) child(e, item, depth);
    for (const Keyword& keyword : e->keywords) {
      place(keyword.name_range);
      require(keyword.value != nullptr);
      child(e, keyword.value, depth);
    }
  }

 private:
  void child(const Expr* parent, const Expr* e, int depth) {
    if (!e) return;
    require(e->height < parent->height || parent->kind == ExprKind::Subscript);
    expr(e, depth);
  }

  void statement(const Stmt& s, int depth) {
    place(s.range);
    if (strict_ && s.kind == StmtKind::Unsupported) require(errors_);
    for (const Expr* e : {s.value, s.annotation, s.message}) expr(e, depth);
    for (auto list : {s.targets, s.items, s.names, s.decorators}) {
      for (const Expr* e : list) expr(e, depth);
    }
    require(s.items.size() == s.names.size());
    block(s.body, depth + 1);
    block(s.orelse, depth + 1);
    for (const ImportName& import : s.imports) require(import.name != 0 && !import.module.empty());
    if (!s.function) return;
    for (const Param& param : s.function->params) {
      require(param.name != 0);
      expr(param.annotation, depth);
      expr(param.default_value, depth);
    }
    expr(s.function->returns, depth);
    block(s.function->body, depth + 1);
  }

  void place(const Range& range) {
    require(range.begin.line >= tree_.file->first_line() && range.begin.column >= 1);
    require(std::pair(range.begin.line, range.begin.column) <= std::pair(range.end.line, range.end.column));
    std::string_view text = tree_.text(range), all = tree_.file->text();
    require(text.empty() ||
            (text.data() >= all.data() && text.data() + text.size() <= all.data() + all.size()));
  }

  const SyntaxTree& tree_;
  bool strict_, errors_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Ref<const SourceFile> file(
      new SourceFile("fuzz.py", std::string(reinterpret_cast<const char*>(data), size), 3));
  for (ParseMode mode : {ParseMode::Strict, ParseMode::Module}) {
    Diagnostics diags;
    auto tree = parse(file, mode, diags);
    Inspector(*tree, mode == ParseMode::Strict, diags.has_errors()).block(tree->body, 0);
    diags.text();
    // Bodies that are skipped and read later have the errors they have when all is read at once.
    Diagnostics found;
    auto skipped = parse(file, mode, found, Bodies::Skipped);
    read_skipped_bodies(*skipped);
    require(skipped->misread || found.has_errors() == diags.has_errors());
  }
  Diagnostics diags;
  const Expr* root = nullptr;
  auto tree = parse_expression(file, diags, &root);
  require(diags.has_errors() == (root == nullptr));
  Inspector(*tree, true, diags.has_errors()).expr(root, 0);
  return 0;
}
