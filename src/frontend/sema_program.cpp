// What is in a text: programs, functions, constants; which of them are read, and in what order.
#include "frontend/sema_program.h"

#include "frontend/attributes.h"
#include "frontend/parser.h"
#include "frontend/sema_expr.h"
#include "frontend/sema_function.h"
#include "frontend/sema_host.h"
#include "frontend/sema_name.h"
#include "frontend/sema_stmt.h"
#include "frontend/sema_task.h"
#include "frontend/sema_untyped.h"
#include "ir/verifier.h"
#include "ops/check_pipes.h"
#include "ops/check_slots.h"
#include "support/diagnostics/sema.h"
#include "support/near.h"

namespace tilewire::frontend {
namespace {

// What a Python module path means here: "tilewire.language" is "pl"; other modules mean nothing.
std::string language_path(std::string_view module) {
  constexpr std::pair<std::string_view, std::string_view> roots[] = {{"tilewire.language.distributed", "pld"},
                                                                     {"tilewire.language", "pl"},
                                                                     {"math", "math"},
                                                                     {"tilewire", "tilewire"}};
  for (const auto& [prefix, path] : roots) {
    if (module == prefix) return std::string(path);
    if (module.starts_with(prefix) && module[prefix.size()] == '.') {
      return std::string(path) + std::string(module.substr(prefix.size()));
    }
  }
  return "";
}

void add_constant(Scope& scope, std::unordered_map<Symbol, Scope::Constant>& constants, const Expr& target,
                  const Expr& value, int element = -1);

}  // namespace

bool choose_program(Sema& sema, const std::vector<const Stmt*>& classes, const Ref<const SourceFile>& file,
                    const Stmt** program);
std::string program_name(const Sema& sema);
void collect_module(Sema& sema, Scope& scope, std::vector<const Stmt*>& classes);
void collect_class(Sema& sema, Scope& scope, const Stmt& cls, std::vector<const Expr*>& groups);
FunctionInfo* add_function(Sema& sema, Scope& scope, const FunctionDef& def, bool is_method);
bool read_decorators(Sema& sema, FunctionInfo& info);
bool read_function_decorator(Sema& sema, FunctionInfo& info, const Expr& call);
void type_all(Sema& sema);
void check_entry(Sema& sema);
std::vector<Ref<const ir::CommGroup>> read_groups(Sema& sema, const std::vector<const Expr*>& groups);

Scope* add_scope(Sema& sema, std::unique_ptr<SyntaxTree> tree, std::shared_ptr<HostEvaluator> host) {
  sema.scopes.push_back(std::make_unique<Scope>(std::move(tree)));
  sema.scopes.back()->host = std::move(host);
  return sema.scopes.back().get();
}

ir::ProgramRef read_program(Sema& sema, const Ref<const SourceFile>& file, Bodies bodies) {
  sema.bodies = bodies;
  auto tree = parse(file, sema.options.snippet ? ParseMode::Strict : ParseMode::Module, sema.diags, bodies);
  Scope* scope = add_scope(sema, std::move(tree), sema.options.host);
  scope->command_constants = &sema.options.constants;
  sema.broken_text = sema.diags.has_errors();
  sema.current_scope = scope;
  std::vector<const Stmt*> classes;
  collect_module(sema, *scope, classes);
  const Stmt* program = nullptr;
  if (!choose_program(sema, classes, file, &program)) return nullptr;
  std::vector<const Expr*> groups;
  std::string name;
  if (program) {
    name = sema.name_of(program->name);
    sema.order.clear();
    scope->functions.clear();
    collect_class(sema, *scope, *program, groups);
  }
  for (FunctionInfo* info : sema.order) sema.function_names.insert(info->name);
  type_all(sema);
  // What nothing calls is not typed, and what other programs of the text hold is not looked at, but all of it
  // must be in the language.
  for (const auto& read : sema.scopes) {
    read_skipped_bodies(*read->tree);
    if (read->tree->misread) return nullptr;
  }
  auto comm_groups = read_groups(sema, groups);
  if (sema.diags.has_errors()) return nullptr;
  Ref<ir::Program> result = ir::make_empty<ir::Program>();
  for (size_t i = 0; i < sema.order.size(); ++i) {  // by index: imported functions join while others are read
    for (const auto& v : sema.order[i]->versions) result->functions.push_back(v->function);
  }
  if (!program && result->functions.empty()) {
    sema.diags.report(diag::no_program, Span{file, 0, 0, 0, 0})
        .with_help(
            "decorate a class with `@pl.program`, or functions with `@pl.jit`, `@pl.jit.host`, "
            "`@pl.jit.incore`");
    return nullptr;
  }
  result->name_hint = program ? name : program_name(sema);
  result->comm_groups = std::move(comm_groups);
  ir::ProgramRef made = ir::finish_node(std::move(result));
  ir::VerifyOptions verify_options;
  verify_options.type_rules = false;  // every call has just been made by its rule
  if (!ir::verify(*made, sema.diags, verify_options)) return nullptr;
  ops::check_pipes(*made, sema.diags);
  ops::check_slots(*made, sema.diags);
  return sema.diags.has_errors() ? nullptr : made;
}

bool choose_program(Sema& sema, const std::vector<const Stmt*>& classes, const Ref<const SourceFile>& file,
                    const Stmt** program) {
  for (const Stmt* cls : classes) {
    if (sema.name_of(cls->name) == sema.options.entry) *program = cls;
  }
  if (*program || classes.empty()) return true;
  bool entry_is_function = false;
  for (FunctionInfo* info : sema.order)
    entry_is_function = entry_is_function || info->name == sema.options.entry;
  if (entry_is_function) return true;
  if (classes.size() == 1) {
    *program = classes[0];
    return true;
  }
  std::string names;
  for (const Stmt* cls : classes) names += (names.empty() ? "" : ", ") + sema.name_of(cls->name);
  sema.diags.report(diag::several_programs, Span{file, 0, 0, 0, 0}, {names})
      .with_help("choose one with `--entry NAME`");
  return false;
}

std::string program_name(const Sema& sema) {
  for (ir::FunctionType type : {ir::FunctionType::Host, ir::FunctionType::Orchestration}) {
    for (const FunctionInfo* info : sema.order) {
      if (info->type == type && !info->versions.empty()) return info->name;
    }
  }
  return sema.order.empty() ? "program" : sema.order[0]->name;
}

void collect_module(Sema& sema, Scope& scope, std::vector<const Stmt*>& classes) {
  const SyntaxTree& tree = *scope.tree;
  for (const Stmt* stmt : tree.body) {
    switch (stmt->kind) {
      case StmtKind::Import:
        for (const ImportName& import : stmt->imports) {
          // `import tilewire.language` binds `tilewire`.
          bool bare = tree.name(import.name) == "tilewire" && import.module.starts_with("tilewire.");
          std::string path = bare ? "tilewire" : language_path(import.module);
          scope.modules[import.name] = path;  // empty: a module with plain Python only
        }
        break;
      case StmtKind::Assign:
      case StmtKind::AnnAssign:
        for (const Expr* target : stmt->targets) {
          if (stmt->value) add_constant(scope, scope.constants, *target, *stmt->value);
        }
        break;
      case StmtKind::ClassDef:
        classes.push_back(stmt);
        break;
      case StmtKind::FunctionDef:
        if (FunctionInfo* info = add_function(sema, scope, *stmt->function, false))
          sema.order.push_back(info);
        break;
      default:
        break;
    }
  }
}

namespace {

// `A = 1`, `M, N = 1, 2`, `M, N = SHAPE`; the last assignment counts.
void add_constant(Scope& scope, std::unordered_map<Symbol, Scope::Constant>& constants, const Expr& target,
                  const Expr& value, int element) {
  if (target.kind == ExprKind::Name) {
    scope.python_values.erase(target.name);
    if (value.kind == ExprKind::Unsupported) {
      constants.erase(target.name);
      scope.python_values.emplace(target.name, Scope::PythonValue{target.range, value.text});
    } else {
      constants[target.name] = {&value, element, false, false, {}};
    }
    return;
  }
  bool several = target.kind == ExprKind::Tuple || target.kind == ExprKind::List;
  bool written_out = (value.kind == ExprKind::Tuple || value.kind == ExprKind::List) && element < 0 &&
                     value.items.size() == target.items.size();
  for (size_t i = 0; several && i < target.items.size(); ++i) {
    if (written_out) {
      add_constant(scope, constants, *target.items[i], *value.items[i]);
    } else if (target.items[i]->kind == ExprKind::Name && element < 0) {
      add_constant(scope, constants, *target.items[i], value, static_cast<int>(i));
    }
  }
}

}  // namespace

void collect_class(Sema& sema, Scope& scope, const Stmt& cls, std::vector<const Expr*>& groups) {
  auto is_group = [&sema](const Expr& e) {
    return e.kind == ExprKind::Call && form_of(sema, *e.left) == Form::CommGroup;
  };
  for (const Stmt* stmt : cls.body) {
    if (stmt->kind == StmtKind::FunctionDef) {
      if (FunctionInfo* info = add_function(sema, scope, *stmt->function, true)) sema.order.push_back(info);
    } else if ((stmt->kind == StmtKind::Assign || stmt->kind == StmtKind::AnnAssign) && stmt->value) {
      if (is_group(*stmt->value)) {
        eval(sema, *stmt->value);  // explains where it is allowed
        continue;
      }
      for (const Expr* target : stmt->targets)
        add_constant(scope, scope.class_constants, *target, *stmt->value);
    } else if (stmt->kind == StmtKind::Expr && is_group(*stmt->value)) {
      groups.push_back(stmt->value);
    } else if (stmt->kind == StmtKind::Expr && stmt->value->kind != ExprKind::String &&
               stmt->value->kind != ExprKind::Ellipsis) {
      sema.report(diag::class_statement, stmt->range)
          .with_help("delete it: a program consists of functions, constants and pld.comm_group(...)");
    }
  }
}

FunctionInfo* add_function(Sema& sema, Scope& scope, const FunctionDef& def, bool is_method) {
  sema.functions.push_back(std::make_unique<FunctionInfo>());
  FunctionInfo& info = *sema.functions.back();
  info.name = std::string(scope.tree->name(def.name));
  info.scope = &scope;
  info.def = &def;
  info.is_method = is_method;
  if (!read_decorators(sema, info)) {
    scope.resolved.emplace(def.name, Value());  // its calls would repeat the error
    return nullptr;
  }
  if (is_method &&
      (def.params.empty() || scope.tree->name(def.params[0].name) != "self" || def.params[0].annotation)) {
    sema.report(diag::missing_self, def.name_range, {info.name})
        .with_help("write `def " + info.name + "(self, ...):`");
    return nullptr;
  }
  for (size_t i = 0; i < def.params.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      if (def.params[i].name != def.params[k].name) continue;
      return nullptr;  // reported when it was parsed
    }
  }
  auto [it, fresh] = scope.functions.emplace(def.name, &info);
  if (!fresh) {
    sema.report(diag::duplicate_function, def.name_range, {info.name})
        .with_note("first defined here", sema.span(it->second->def->name_range))
        .with_help("give one of them another name");
    return nullptr;
  }
  return &info;
}

bool read_decorators(Sema& sema, FunctionInfo& info) {
  bool found = false;
  for (const Expr* decorator : info.def->decorators) {
    const Expr& callee = decorator->kind == ExprKind::Call ? *decorator->left : *decorator;
    Value value = eval(sema, callee);
    if (value.is_error()) return false;
    const auto* form = value.get<FormValue>();
    Form kind = form ? form->form : Form::Enum;
    if (kind == Form::Function) {
      info.type = ir::FunctionType::Opaque;
      found = decorator->kind != ExprKind::Call || read_function_decorator(sema, info, *decorator);
      if (!found) return false;
    } else if (kind == Form::Jit || kind == Form::JitHost || kind == Form::JitIncore ||
               kind == Form::JitInline) {
      info.type = kind == Form::JitHost     ? ir::FunctionType::Host
                  : kind == Form::JitIncore ? ir::FunctionType::InCore
                  : kind == Form::JitInline ? ir::FunctionType::Inline
                                            : ir::FunctionType::Orchestration;
      found = decorator->kind != ExprKind::Call || read_function_decorator(sema, info, *decorator);
      if (!found) return false;
    } else {
      sema.report(diag::unknown_decorator, decorator->range)
          .with_help("use @pl.function(...), @pl.jit, @pl.jit.host, @pl.jit.incore or @pl.jit.inline");
      return false;
    }
  }
  if (!found) {
    sema.report(diag::missing_decorator, info.def->name_range, {info.name})
        .with_help("write `@pl.function(type=pl.FunctionType.InCore)` above it");
  }
  return found;
}

bool read_function_decorator(Sema& sema, FunctionInfo& info, const Expr& call) {
  std::optional<ir::FunctionType> type;
  std::optional<ir::Level> level;
  std::optional<ir::Role> role;
  bool ok = call.items.empty();
  if (!ok) {
    sema.report(diag::form_arguments, call.range, {"pl.function", "keywords only"})
        .with_help("write `@pl.function(type=pl.FunctionType.InCore)`");
  }
  for (const Keyword& keyword : call.keywords) {
    std::string_view name = sema.current_scope->tree->name(keyword.name);
    Value value = eval(sema, *keyword.value);
    if (value.is_error()) return false;
    const auto* member = value.get<ir::EnumValue>();
    if (name == "type" && member && member->id == ir::EnumId::FunctionType) {
      type = static_cast<ir::FunctionType>(member->value);
    } else if (name == "level" && member && member->id == ir::EnumId::Level) {
      level = static_cast<ir::Level>(member->value);
    } else if (name == "role" && member && member->id == ir::EnumId::Role) {
      role = static_cast<ir::Role>(member->value);
    } else if (name == "attrs" && value.is<DictValue>()) {
      info.attributes = value;
      info.attributes_range = keyword.value->range;
    } else if (name == "optimizations") {
      ir::SplitMode split;
      if (!split_of(sema, value, *keyword.value, split)) return false;
      info.split = split;
    } else {
      bool known = name == "type" || name == "level" || name == "role" || name == "attrs";
      sema.report(known ? diag::keyword_type : diag::unknown_keyword,
                  known ? keyword.value->range : keyword.name_range,
                  {"pl.function", std::string(name), describe(value)})
          .with_help(name == "type"    ? "write `type=pl.FunctionType.InCore`"
                     : name == "level" ? "write `level=pl.Level.HOST`"
                     : name == "role"  ? "write `role=pl.Role.Orchestrator`"
                     : name == "attrs"
                         ? "write a dict: `attrs={\"split\": pl.SplitMode.UP_DOWN}`"
                         : "it takes `type=`, `level=`, `role=`, `attrs=` and `optimizations=`");
      ok = false;
    }
  }
  if (type) info.type = *type;
  if (level == ir::Level::HOST) {
    if (type && *type != ir::FunctionType::Host && *type != ir::FunctionType::Opaque) {
      sema.report(diag::host_type, call.range, {std::string(member_name(ir::enum_value(*type)))})
          .with_help("remove `type=` for a host function, `level=` for any other");
      return false;
    }
    info.type = ir::FunctionType::Host;
    if (role == ir::Role::Worker) {
      sema.report(diag::host_role, call.range).with_help("write `role=pl.Role.Orchestrator`");
      return false;
    }
  }
  return ok;
}

bool set_function_attributes(Sema& sema, const FunctionInfo& info, ir::Function& function) {
  function.split = info.split;
  const auto* attributes = info.attributes.get<DictValue>();
  if (!attributes) return true;
  for (const auto& [key, value] : *attributes->items) {
    const auto* name = key.get<std::string>();
    AttributeResult result =
        name ? set_attribute_field(function, *name, value) : AttributeResult::NoSuchField;
    if (result == AttributeResult::Set) continue;
    sema.report(result == AttributeResult::WrongType ? diag::keyword_type : diag::unknown_attribute,
                info.attributes_range, {"attrs", name ? *name : to_text(key), describe(value)})
        .with_help("write `attrs={\"split\": pl.SplitMode.UP_DOWN}`");
    return false;
  }
  return true;
}

FunctionInfo* import_function(Sema& sema, const HostFunction& function) {
  for (const auto& info : sema.functions) {
    if (function.identity && info->identity == function.identity) return info.get();
  }
  auto tree = parse(function.source, ParseMode::Strict, sema.diags, sema.bodies);
  const Stmt* def = nullptr;
  for (const Stmt* stmt : tree->body) {
    if (stmt->kind == StmtKind::FunctionDef) def = stmt;
  }
  if (!def) return nullptr;
  Scope* scope = add_scope(sema, std::move(tree), function.scope);
  Scope* outer = std::exchange(sema.current_scope, scope);
  Frame* outer_frame = std::exchange(sema.frame, nullptr);
  FunctionInfo* info = add_function(sema, *scope, *def->function, false);
  if (info) {
    info->identity = function.identity;
    sema.order.push_back(info);
  }
  sema.frame = outer_frame;
  sema.current_scope = outer;
  return info;
}

void type_all(Sema& sema) {
  std::vector<FunctionInfo*> roots = sema.order;
  for (FunctionInfo* info : roots) {
    if (info->type == ir::FunctionType::Inline || sema.diags.full()) continue;
    bool is_entry = info->name == sema.options.entry;
    sema.current_scope = info->scope;
    std::vector<ir::TypeRef> types;
    std::vector<Value> known;
    bool complete = true;
    for (const Param& param : info->params()) {
      auto declared = param_annotation(sema, *info, param);
      auto given = sema.options.parameter_types.find(std::string(info->scope->tree->name(param.name)));
      bool use_given =
          given != sema.options.parameter_types.end() && (is_entry || sema.options.entry.empty());
      ir::TypeRef type = declared && declared->type ? declared->type : use_given ? given->second : nullptr;
      auto value = sema.options.parameter_values.find(std::string(info->scope->tree->name(param.name)));
      bool constant = !type && value != sema.options.parameter_values.end() && is_entry;
      complete = complete && (type || constant) && (!param.annotation || declared);
      types.push_back(type);
      known.push_back(constant ? from_host(sema, value->second, param.range) : unbound());
    }
    if (complete && info->versions.empty()) {
      version(sema, *info, std::move(types), std::move(known), sema.span(info->def->name_range));
    }
  }
  if (!sema.options.entry.empty() && !sema.diags.has_errors()) check_entry(sema);
  if (!sema.diags.has_errors()) report_never_called(sema, roots);
}

void check_entry(Sema& sema) {
  std::vector<std::string> names;
  for (const FunctionInfo* info : sema.order) {
    if (info->name == sema.options.entry) return;
    names.push_back(info->name);
  }
  for (const auto& scope : sema.scopes) {
    for (const Stmt* stmt : scope->tree->body) {
      if (stmt->kind == StmtKind::ClassDef && scope->tree->name(stmt->name) == sema.options.entry) return;
    }
  }
  Diagnostic& d = sema.diags.report(diag::no_such_entry, Span{sema.scopes[0]->tree->file, 0, 0, 0, 0},
                                    {sema.options.entry});
  if (auto near = nearest(sema.options.entry, names)) d.with_help("did you mean `" + *near + "`?");
}

// `w`, or `main.w` where several host functions have a `w`. Null after an error.
ir::WindowBufferRef find_slot(Sema& sema, const std::string& text, const Range& range) {
  const size_t dot = text.find('.');
  const std::string host = dot == std::string::npos ? "" : text.substr(0, dot);
  const std::string name = dot == std::string::npos ? text : text.substr(dot + 1);
  std::vector<std::string> hosts;
  ir::WindowBufferRef found;
  for (const auto& [key, window] : sema.windows) {
    if (key.second != name || (!host.empty() && key.first != host)) continue;
    hosts.push_back(key.first);
    found = window;
  }
  if (hosts.size() == 1) return found;
  if (hosts.size() > 1) {
    sema.report(diag::ambiguous_slot, range, {name, hosts[0], hosts[1]})
        .with_help("name the host function too: slots=[\"" + hosts[0] + "." + name + "\"]");
  } else if (!sema.diags.has_errors()) {
    sema.report(diag::unknown_slot, range, {text})
        .with_help("write the name that `pld.alloc_window_buffer(...)` is assigned to in the host function");
  }
  return nullptr;
}

std::vector<Ref<const ir::CommGroup>> read_groups(Sema& sema, const std::vector<const Expr*>& groups) {
  std::vector<Ref<const ir::CommGroup>> result;
  sema.current_scope = sema.scopes[0].get();
  for (const Expr* e : groups) {
    Ref<ir::CommGroup> group = ir::make_empty<ir::CommGroup>();
    group->span = sema.span(*e);
    bool ok = e->items.empty();
    for (const Keyword& keyword : e->keywords) {
      std::string_view name = sema.current_scope->tree->name(keyword.name);
      Value value = eval(sema, *keyword.value);
      const auto* list = value.get<ListValue>();
      if (!list || (name != "devices" && name != "slots")) {
        ok = value.is_error();
        continue;
      }
      for (const Value& item : *list->items) {
        if (name == "devices" && item.get<int64_t>()) {
          group->devices.push_back(*item.get<int64_t>());
        } else if (name == "slots" && item.get<std::string>()) {
          ir::WindowBufferRef slot = find_slot(sema, *item.get<std::string>(), keyword.value->range);
          if (slot) group->slots.push_back(slot);
        } else {
          ok = false;
        }
      }
    }
    if (!ok) {
      sema.report(diag::form_arguments, e->range, {"pld.comm_group", "devices= and slots="})
          .with_help("write `pld.comm_group(devices=[0, 1], slots=[\"data_buf\"])`");
      continue;
    }
    try {
      result.push_back(ir::finish_node(std::move(group)));
    } catch (const ir::InvalidNode& error) {
      sema.report(diag::bad_group, e->range, {error.what()})
          .with_help("list ranks from 0, each once: `devices=[0, 1]`");
    }
  }
  return result;
}

}  // namespace tilewire::frontend
