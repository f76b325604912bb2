#include "syntax_dump.h"

#include <cstdio>

namespace tilewire::frontend {
namespace {

class Dumper {
 public:
  explicit Dumper(SyntaxTree& tree) : tree_(tree) {}

  std::string text(const Expr* e) {
    if (!e) return "-";
    switch (e->kind) {
      case ExprKind::Name:
        return name(e->name);
      case ExprKind::Int:
        return e->big ? "big " + std::string(e->text) : std::to_string(e->int_value);
      case ExprKind::Float:
        return number(e->float_value);
      case ExprKind::String:
        return "'" + std::string(e->text) + "'";
      case ExprKind::True:
        return "True";
      case ExprKind::False:
        return "False";
      case ExprKind::None:
        return "None";
      case ExprKind::Ellipsis:
        return "...";
      case ExprKind::List:
        return "[" + list(e->items) + "]";
      case ExprKind::Tuple:
        return "(tuple " + list(e->items) + ")";
      case ExprKind::Dict:
        return "{" + list(e->items) + "}";
      case ExprKind::Attribute:
        return text(e->left) + "." + name(e->name);
      case ExprKind::Subscript:
        return text(e->left) + "[" + list(e->items) + "]";
      case ExprKind::Slice:
        return text(e->items[0]) + ":" + text(e->items[1]) + ":" + text(e->items[2]);
      case ExprKind::Call:
        return call(e);
      case ExprKind::Unary:
        return "(" + op(e) + " " + text(e->left) + ")";
      case ExprKind::Binary:
      case ExprKind::Compare:
        return "(" + text(e->left) + " " + op(e) + " " + text(e->right) + ")";
      case ExprKind::And:
        return "(" + text(e->left) + (e->chained ? " chained " : " and ") + text(e->right) + ")";
      case ExprKind::Or:
        return "(" + text(e->left) + " or " + text(e->right) + ")";
      case ExprKind::Conditional:
        return "(if " + list(e->items) + ")";
      case ExprKind::Unsupported:
        return "<" + std::string(e->text) + ">";
    }
    return "?";
  }

  std::string block(std::span<const Stmt* const> body, int level) {
    std::string out;
    for (const Stmt* s : body) out += std::string(level * 2, ' ') + statement(*s, level);
    return out;
  }

 private:
  std::string statement(const Stmt& s, int level) {
    auto body = [&](std::span<const Stmt* const> b) { return block(b, level + 1); };
    switch (s.kind) {
      case StmtKind::Expr:
        return text(s.value) + "\n";
      case StmtKind::Assign:
        return "assign " + list(s.targets) + " = " + text(s.value) + "\n";
      case StmtKind::AnnAssign:
        return "annotate " + text(s.targets[0]) + ": " + text(s.annotation) + " = " + text(s.value) + "\n";
      case StmtKind::AugAssign:
        return "augment " + text(s.targets[0]) + " " + std::string(spelling(s.op)) + " " + text(s.value) +
               "\n";
      case StmtKind::For:
        return "for " + text(s.targets[0]) + " in " + text(s.value) + "\n" + body(s.body);
      case StmtKind::While:
        return "while " + text(s.value) + "\n" + body(s.body);
      case StmtKind::If: {
        std::string out = "if " + text(s.value) + "\n" + body(s.body);
        if (!s.orelse.empty()) out += std::string(level * 2, ' ') + "else\n" + body(s.orelse);
        return out;
      }
      case StmtKind::With:
        return "with " + list(s.items) + " as " + list(s.names) + "\n" + body(s.body);
      case StmtKind::Return:
        return "return " + text(s.value) + "\n";
      case StmtKind::Assert:
        return "assert " + text(s.value) + ", " + text(s.message) + "\n";
      case StmtKind::Pass:
        return "pass\n";
      case StmtKind::Break:
        return "break\n";
      case StmtKind::Continue:
        return "continue\n";
      case StmtKind::FunctionDef:
        return function(*s.function) + body(FunctionBody(tree_, *s.function).stmts());
      case StmtKind::ClassDef:
        return decorators(s.decorators) + "class " + name(s.name) + "\n" + body(s.body);
      case StmtKind::Import:
        return imports(s);
      case StmtKind::Unsupported:
        return "<unsupported>\n";
    }
    return "?\n";
  }

  std::string function(const FunctionDef& f) {
    std::string out = decorators(f.decorators) + "def " + name(f.name) + "(";
    for (size_t i = 0; i < f.params.size(); ++i) {
      const Param& p = f.params[i];
      out += (i ? ", " : "") + name(p.name);
      if (p.annotation) out += ": " + text(p.annotation);
      if (p.default_value) out += " = " + text(p.default_value);
    }
    return out + ")" + (f.returns ? " -> " + text(f.returns) : "") + "\n";
  }

  std::string decorators(std::span<const Expr* const> items) {
    std::string out;
    for (const Expr* e : items) out += "@" + text(e) + " ";
    return out;
  }

  std::string imports(const Stmt& s) {
    std::string out = "import";
    for (const ImportName& i : s.imports) out += " " + std::string(i.module) + " as " + name(i.name);
    return out + "\n";
  }

  std::string call(const Expr* e) {
    std::string out = text(e->left) + "(" + list(e->items);
    for (size_t i = 0; i < e->keywords.size(); ++i) {
      if (i || !e->items.empty()) out += ", ";
      out += name(e->keywords[i].name) + "=" + text(e->keywords[i].value);
    }
    return out + ")";
  }

  std::string list(std::span<const Expr* const> items) {
    std::string out;
    for (size_t i = 0; i < items.size(); ++i) out += (i ? ", " : "") + text(items[i]);
    return out;
  }

  std::string number(double value) {
    char text[40];
    snprintf(text, sizeof text, "%.17gf", value);
    return text;
  }

  std::string name(Symbol symbol) { return std::string(tree_.name(symbol)); }
  std::string op(const Expr* e) { return std::string(spelling(e->op)); }

  SyntaxTree& tree_;
};

}  // namespace

std::string dump(SyntaxTree& tree) {
  return Dumper(tree).block(tree.body, 0);
}
std::string dump(SyntaxTree& tree, const Expr* expr) {
  return Dumper(tree).text(expr);
}

std::vector<std::string> Parsed::errors() const {
  std::vector<std::string> result;
  for (const Diagnostic& d : diags.all()) {
    result.push_back(std::to_string(d.span.line) + ":" + std::to_string(d.span.column) + " " +
                     std::string(diag_info(d.id).name));
  }
  return result;
}

Parsed parsed(std::string text, ParseMode mode, uint32_t first_line) {
  Parsed result;
  Ref<const SourceFile> file(new SourceFile("test.py", std::move(text), first_line));
  result.tree = parse(file, mode, result.diags);
  return result;
}

std::string expression(std::string text) {
  Diagnostics diags;
  const Expr* root = nullptr;
  Ref<const SourceFile> file(new SourceFile("test.py", std::move(text)));
  auto tree = parse_expression(file, diags, &root);
  return root && !diags.has_errors() ? dump(*tree, root) : diags.text();
}

std::string repeated(std::string_view piece, size_t count) {
  std::string result;
  result.reserve(piece.size() * count);
  for (size_t i = 0; i < count; ++i) result += piece;
  return result;
}

}  // namespace tilewire::frontend
