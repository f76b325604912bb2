// Functions, classes and imports, and the choice of what of a module is read at all.
#include "frontend/parser_impl.h"
#include "support/diagnostics/syntax.h"

namespace tilewire::frontend {
namespace {

bool only_names(const List<const Expr*>& targets) {
  return std::all_of(targets.begin(), targets.end(), [](const Expr* target) {
    bool several = target->kind == ExprKind::Tuple || target->kind == ExprKind::List;
    return several ? only_names(target->items) : target->kind == ExprKind::Name;
  });
}

// Whether a decorator makes a function or class one of ours: anything of the language module, and the three
// that users expect in the package as well.
bool is_language_path(std::string_view path) {
  return path.starts_with("tilewire.language.") || path == "tilewire.program" ||
         path == "tilewire.function" || path == "tilewire.jit" || path.starts_with("tilewire.jit.");
}

}  // namespace

// One statement of a module: read if it is of use to a program, skipped silently if not.
void Parser::module_statement(Stmts& out) {
  line_ = tok_.range.begin;
  switch (tok_.kind) {
    case Tok::Dedent:
    case Tok::Newline:
      return advance();
    case Tok::Indent:
      return skip_block();
    case Tok::Error:
      if (tok_.error != LexError::InconsistentTabs && tok_.error != LexError::InconsistentDedent) break;
      return advance();
    case Tok::At:
      return decorated(out);
    case Tok::Def:
    case Tok::Class:
      return python_definition(out);
    case Tok::Import:
    case Tok::From: {
      Quiet quiet(*this);
      if (const Stmt* result = simple_statement()) out.push(result);
      if (!accept(Tok::Semicolon)) skip_compound();
      return;
    }
    case Tok::Name: {
      Tok next = peek();
      bool augmented = next >= Tok::PlusAssign && next <= Tok::ShiftRightAssign;
      if (next == Tok::Assign || next == Tok::Colon || next == Tok::Comma || augmented) {
        return module_constant(out);
      }
      break;
    }
    default:
      break;
  }
  skip_compound();
}

void Parser::module_constant(Stmts& out) {
  refused_ = false;
  {
    Quiet quiet(*this);
    Token first = tok_;
    const Stmt* result = simple_statement();
    bool complete = result && (at(Tok::Newline) || at(Tok::Semicolon));
    bool assigns = complete && (result->kind == StmtKind::Assign || result->kind == StmtKind::AnnAssign);
    if (assigns && !refused_ && result->value && only_names(result->targets)) {
      out.push(result);
    } else if (!complete || result->value) {
      forgotten(result, first, out);
    }
    if (complete && accept(Tok::Semicolon)) return;
  }
  skip_compound();
}

// An assignment whose value only Python knows: what its names stood for before, they do no more.
void Parser::forgotten(const Stmt* stmt, const Token& first, Stmts& out) {
  if (stmt && stmt->kind == StmtKind::Expr) return;
  known_to_python("an expression", stmt, first, out);
}

// A function or class without a decorator of ours.
void Parser::python_definition(Stmts& out) {
  const std::string_view what = at(Tok::Def) ? "a function" : "a class";
  advance();
  if (at(Tok::Name)) known_to_python(what, nullptr, tok_, out);
  skip_compound();
}

void Parser::known_to_python(std::string_view what, const Stmt* stmt, const Token& first, Stmts& out) {
  Expr* unread = nodes_.make<Expr>();
  unread->kind = ExprKind::Unsupported;
  unread->range = first.range;
  unread->text = what;
  Stmt* result = nodes_.make<Stmt>();
  result->kind = StmtKind::Assign;
  result->range = first.range;
  result->value = unread;
  if (stmt && !stmt->targets.empty()) {
    result->targets = stmt->targets;
  } else {
    Expr* name = nodes_.make<Expr>();
    name->kind = ExprKind::Name;
    name->name = first.symbol;
    name->range = first.range;
    result->targets = stored_one(name);
  }
  if (only_names(result->targets)) out.push(result);
}

// The dotted name after the `@`, resolved through the imports.
bool Parser::decorator_is_ours() {
  if (mode_ == ParseMode::Strict || place_ != Place::Module) return true;
  if (!at(Tok::Name)) return false;
  auto module = modules_.find(tok_.symbol);
  if (module == modules_.end()) return false;
  std::string path = module->second;
  Lexer::Mark mark = lexer_.mark();
  Token token;
  for (lexer_.next(token); token.kind == Tok::Dot; lexer_.next(token)) {
    lexer_.next(token);
    if (token.kind != Tok::Name || path.size() > 100) break;
    path += '.';
    path += tree_.name(token.symbol);
  }
  lexer_.rewind(mark);
  return is_language_path(path);
}

const Expr* Parser::decorator(bool ours) {
  Quiet quiet(*this, !ours);
  const Expr* result = expr();
  if (result && !at(Tok::Newline)) {
    expected("the end of the line");
    result = nullptr;
  }
  if (result) {
    advance();
    return result;
  }
  Expr* unread = nodes_.make<Expr>();
  unread->kind = ExprKind::Unsupported;
  unread->range = since(line_);
  unread->text = "a decorator";
  recover();
  return unread;
}

void Parser::decorated(Stmts& out) {
  bool any_ours = false;
  Exprs decorators(exprs_);
  Range first = tok_.range;
  while (at(Tok::At)) {
    line_ = tok_.range.begin;
    advance();
    bool ours = decorator_is_ours();
    any_ours = any_ours || ours;
    decorators.push(decorator(ours));
  }
  line_ = tok_.range.begin;
  if (!any_ours) return at(Tok::Def) || at(Tok::Class) ? python_definition(out) : skip_compound();
  bool inside = place_ == Place::Function;
  if (inside) {
    skip_compound();
    out.push(refuse_statement(diag::python_local_decorator, first, "a decorator inside a function",
                              "move the decorated function to the outermost level of the file"));
    return;
  }
  if (at(Tok::Async)) {
    refuse_compound(out);
    return;
  }
  if (!at(Tok::Def) && !at(Tok::Class)) {
    expected("`def` or `class` after the decorator");
    return recover();
  }
  if (const Stmt* result = definition(stored(decorators))) out.push(result);
}

const Stmt* Parser::definition(List<const Expr*> decorators) {
  bool misplaced = at(Tok::Class) ? place_ != Place::Module : place_ == Place::Function;
  if (misplaced) return refuse_definition();
  return at(Tok::Class) ? class_definition(decorators) : function_definition(decorators);
}

const Stmt* Parser::function_definition(List<const Expr*> decorators) {
  Token header = tok_;
  in_header_ = true;
  advance();
  FunctionDef* function = nodes_.make<FunctionDef>();
  bool ok = function_header(*function);
  Stmt* result = stmt(StmtKind::FunctionDef, header.range.begin);
  Place outer = std::exchange(place_, Place::Function);
  function->decorators = decorators;
  if (ok) {
    function_body(*function, header);
  } else {
    broken_header();
  }
  in_header_ = false;
  place_ = outer;
  result->function = function;
  result->name = function->name;
  result->name_range = function->name_range;
  result->decorators = decorators;
  return ok ? result : nullptr;
}

void Parser::function_body(FunctionDef& function, const Token& header) {
  if (bodies_ == Bodies::Read || !at(Tok::Colon)) {
    function.body = block(header);
    return;
  }
  BodyPlace* place = nodes_.make<BodyPlace>();
  *place = {header, tok_,   line_head_, previous_,     previous_end_,
            line_,  depth_, blocks_,    lexer_.mark(), nodes_.copy(lexer_.indentations())};
  if (!lexer_.skim_block()) {
    function.body = block(header);
    return;
  }
  advance();
  place->next = tok_.begin;
  function.place = place;
  skipped_.push_back(&function);
}

List<const Stmt*> Parser::skipped_body(const FunctionDef& function) {
  BodyPlace& place = *function.place;
  place.read = true;
  lexer_.rewind(place.lexer, place.indents);
  tok_ = place.token;
  line_head_ = place.line_head;
  previous_ = place.previous;
  previous_end_ = place.previous_end;
  line_ = place.line;
  depth_ = place.depth;
  blocks_ = place.blocks;
  place_ = Place::Function;
  List<const Stmt*> body = block(place.header);
  // Where skimming and reading disagree, the text is stranger than skimming knows.
  if (tok_.begin != place.next) tree_.misread = true;
  return body;
}

bool Parser::function_header(FunctionDef& function) {
  if (!name(function.name, function.name_range)) return false;
  if (at(Tok::LeftBracket)) refuse_type_parameters();
  if (!at(Tok::LeftParen)) {
    expected("`(` and the parameters");
    return false;
  }
  if (!parameters(function)) return false;
  if (!accept(Tok::Arrow)) return true;
  function.returns = expr();
  return function.returns != nullptr;
}

bool Parser::parameters(FunctionDef& function) {
  Gathered<Param> params(params_);
  Open open = open_bracket();
  while (!at(Tok::RightParen)) {
    if (!parameter(params, open)) return false;
    if (!accept(Tok::Comma)) break;
  }
  if (!close_bracket(open)) return false;
  function.params = stored(params);
  check_parameters(function.params);
  return true;
}

bool Parser::parameter(Gathered<Param>& params, const Open& open) {
  Range sign = tok_.range;
  if (at(Tok::Slash)) {
    advance();
    refuse(diag::python_parameter_marker, sign, "a marker for positional parameters",
           "leave it out; every parameter can be passed by position or by name");
    return true;
  }
  bool starred = at(Tok::Star) || at(Tok::DoubleStar);
  if (starred) {
    bool marker = accept(Tok::Star) && at(Tok::Comma);
    if (!marker) accept(Tok::DoubleStar);
    if (marker) {
      refuse(diag::python_parameter_marker, sign, "a marker for keyword parameters",
             "leave it out; every parameter can be passed by position or by name");
      return true;
    }
    refuse(diag::python_star_parameter, sign, "any number of arguments", "name every parameter");
  }
  Param param{};
  if (!name(param.name, param.range)) return false;
  if (accept(Tok::Colon)) {
    if (tok_.first_on_line) {
      // `def f(a, b:` and a body: the colon was meant to end the header.
      never_closed(open);
      lexer_.restart_line(tok_);
      advance();
      return false;
    }
    param.annotation = element();
    if (!param.annotation) return false;
  }
  if (accept(Tok::Assign)) {
    param.default_value = expr();
    if (!param.default_value) return false;
  }
  if (!starred) params.push(param);
  return true;
}

void Parser::check_parameters(const List<Param>& params) {
  size_t second = find_repeated(params);
  if (second != std::string_view::npos) {
    say(diag::repeated_parameter, params[second].range, {std::string(tree_.name(params[second].name))});
  }
  for (size_t i = 1; i < params.size(); ++i) {
    if (params[i].default_value || !params[i - 1].default_value) continue;
    if (Diagnostic* d =
            say(diag::default_before_required, params[i].range, {std::string(tree_.name(params[i].name))})) {
      d->with_label("has no default").with_help("move it before the parameters with defaults");
    }
    return;
  }
}

const Stmt* Parser::class_definition(List<const Expr*> decorators) {
  Token header = tok_;
  in_header_ = true;
  advance();
  Stmt* result = nodes_.make<Stmt>();
  result->kind = StmtKind::ClassDef;
  bool ok = class_header(*result);
  result->range = since(header.range.begin);
  result->decorators = decorators;
  Place outer = std::exchange(place_, Place::Class);
  result->body = ok ? block(header) : broken_header();
  in_header_ = false;
  place_ = outer;
  return ok ? result : nullptr;
}

bool Parser::class_header(Stmt& result) {
  if (!name(result.name, result.name_range)) return false;
  if (at(Tok::LeftBracket)) refuse_type_parameters();
  if (!at(Tok::LeftParen)) return true;
  Open open = open_bracket();
  bool bases = !at(Tok::RightParen);
  skip_into(open);
  if (bases) {
    refuse(diag::python_base_class, open.range, "a base class",
           "write `class " + std::string(tree_.name(result.name)) +
               ":` and put all functions of the program into it");
  }
  return close_bracket(open);
}

bool Parser::name(Symbol& symbol, Range& range) {
  symbol = tok_.symbol;
  range = tok_.range;
  if (accept(Tok::Name)) return true;
  if (!is_keyword(tok_.kind)) {
    expected("a name");
    return false;
  }
  std::string keyword(spelling(tok_.kind));
  if (Diagnostic* d = say(diag::keyword_as_name, tok_.range, {keyword})) {
    d->with_label("expected a name").with_help("write `" + keyword + "_`");
  }
  return false;
}

bool Parser::dotted_name(std::string& out) {
  do {
    Symbol symbol;
    Range range;
    if (previous_ == Tok::Dot && !out.empty() && out.back() != '.') out += '.';
    if (!name(symbol, range)) return false;
    out += tree_.name(symbol);
  } while (accept(Tok::Dot));
  return true;
}

const Stmt* Parser::import_statement() {
  Position begin = tok_.range.begin;
  Gathered<ImportName> names(imports_);
  do {
    advance();
    ImportName entry{};
    Position start = tok_.range.begin;
    Symbol first = tok_.symbol;
    std::string path;
    if (!dotted_name(path)) return nullptr;
    if (accept(Tok::As)) {
      Range range;
      if (!name(entry.name, range)) return nullptr;
    } else {
      entry.name = first;
      path = tree_.name(first);
    }
    entry.module = nodes_.copy(path);
    entry.range = since(start);
    names.push(entry);
  } while (at(Tok::Comma));
  Stmt* result = stmt(StmtKind::Import, begin);
  result->imports = stored(names);
  bind_imports(result->imports);
  return result;
}

const Stmt* Parser::from_import_statement() {
  Position begin = tok_.range.begin;
  advance();
  std::string module;
  for (; at(Tok::Dot) || at(Tok::Ellipsis); advance()) module += spelling(tok_.kind);
  bool relative = !module.empty();
  if (!(relative && at(Tok::Import)) && !dotted_name(module)) return nullptr;
  if (!accept(Tok::Import)) return expected("`import`");
  Gathered<ImportName> names(imports_);
  if (at(Tok::Star)) {
    Range star = tok_.range;
    advance();
    // Also in a module that is otherwise read silently: its programs would not be found.
    int quiet = std::exchange(quiet_, module.starts_with("tilewire") ? 0 : quiet_);
    const Stmt* result = refuse_statement(diag::python_star_import, star, "all names of a module",
                                          "write `import tilewire.language as pl`");
    quiet_ = quiet;
    return result;
  }
  bool in_parens = at(Tok::LeftParen);
  Open open{};
  if (in_parens) open = open_bracket();
  do {
    if (in_parens && !names.empty() && at(Tok::RightParen)) break;
    if (!import_name(names, module)) return nullptr;
  } while (accept(Tok::Comma));
  if (in_parens && !close_bracket(open)) return nullptr;
  Stmt* result = stmt(StmtKind::Import, begin);
  result->imports = stored(names);
  bind_imports(result->imports);
  return result;
}

bool Parser::import_name(Gathered<ImportName>& names, std::string_view module) {
  ImportName entry{};
  Position start = tok_.range.begin;
  Range range;
  if (!name(entry.name, range)) return false;
  std::string path(module);
  if (!path.ends_with('.')) path += '.';
  path += tree_.name(entry.name);
  if (accept(Tok::As) && !name(entry.name, range)) return false;
  entry.module = nodes_.copy(path);
  entry.range = since(start);
  names.push(entry);
  return true;
}

void Parser::bind_imports(const List<ImportName>& imports) {
  for (const ImportName& import : imports) {
    modules_[import.name] = import.module;
  }
}

}  // namespace tilewire::frontend
