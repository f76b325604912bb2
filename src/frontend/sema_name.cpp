// Names: what a program text may refer to and where each name comes from.
#include "frontend/sema_name.h"

#include <algorithm>
#include <cmath>

#include "frontend/fold.h"
#include "frontend/frontend.h"
#include "frontend/parser.h"
#include "frontend/sema_expr.h"
#include "frontend/sema_host.h"
#include "frontend/sema_program.h"
#include "ops/other_names.h"
#include "ops/registry.h"
#include "support/diagnostics/sema.h"
#include "support/near.h"

namespace tilewire::frontend {
namespace {

struct NamedBuiltin {
  std::string_view module, name;
  Builtin builtin;
};
constexpr NamedBuiltin builtins[] = {
    {"", "min", Builtin::Min},         {"", "max", Builtin::Max},       {"", "len", Builtin::Len},
    {"", "int", Builtin::Int},         {"", "float", Builtin::Float},   {"", "bool", Builtin::Bool},
    {"", "abs", Builtin::Abs},         {"", "range", Builtin::Range},   {"", "sum", Builtin::Sum},
    {"", "round", Builtin::Round},     {"math", "sqrt", Builtin::Sqrt}, {"math", "ceil", Builtin::Ceil},
    {"math", "floor", Builtin::Floor}, {"math", "log", Builtin::Log},   {"math", "log2", Builtin::Log2},
    {"math", "exp", Builtin::Exp},
};

// Python's functions that programs are most often tried with, for a better message than "define it".
struct PythonFunction {
  std::string_view name;
  std::string_view instead = {};  // what to write; empty: nothing does the same
};
constexpr PythonFunction python_functions[] = {
    {"all"},
    {"any"},
    {"dict"},
    {"divmod", "write `a // b` and `a % b`"},
    {"enumerate", "loop over `pl.range(n)` and use its index"},
    {"filter"},
    {"getattr"},
    {"hasattr"},
    {"input"},
    {"isinstance"},
    {"list", "write `[a, b]`"},
    {"map"},
    {"next"},
    {"open"},
    {"pow", "write `a ** b`"},
    {"print"},
    {"repr"},
    {"reversed", "write `pl.range(n - 1, -1, -1)`"},
    {"set"},
    {"slice", "write `x[start:stop]`"},
    {"sorted"},
    {"str"},
    {"super"},
    {"tuple", "write `(a, b)`"},
    {"type"},
    {"zip", "loop over `pl.range(n)` and use its index"},
};

constexpr std::string_view modules[] = {"pl",        "pld",        "math",      "tilewire", "pl.tile",
                                        "pl.tensor", "pl.scalar",  "pl.array",  "pl.pipe",  "pl.system",
                                        "pld.tile",  "pld.tensor", "pld.system"};

std::optional<Value> language_name(std::string_view module, std::string_view name) {
  for (const ops::FormRecord& f : ops::all_forms) {
    if (f.module == module && f.name == name) return FormValue{f.form};
  }
  for (const ir::EnumInfo& e : ir::all_enums()) {
    if (e.module != module) continue;
    if (e.id == ir::EnumId::Layout) {
      if (auto layout = ir::enum_from_text(e.id, name)) return *layout;
    }
    if (e.name == name || (e.id == ir::EnumId::MemorySpace && name == "MemorySpace")) {
      return FormValue{Form::Enum, e.id};
    }
  }
  if (module == "pl") {
    if (auto dtype = ir::dtype_from_name(name)) return *dtype;
  }
  return std::nullopt;
}

std::optional<Value> shape_attribute(const ir::Expr& expr, std::string_view name);

}  // namespace

bool report_unassigned(Sema& sema, const Expr& e);
Value lookup_global(Sema& sema, Symbol name, const Range& range);
Value constant(Sema& sema, Scope::Constant& constant, const Range& range);
Value command_constant(Sema& sema, Symbol name);
Value module_attribute(Sema& sema, std::string_view path, std::string_view name, const Expr& e);
std::vector<std::string> visible_names(const Sema& sema);

void open_frame(Sema& sema, Frame& frame, Scope& scope) {
  frame.scope = &scope;
  if (!scope.free_environments.empty()) {
    frame.env = std::move(scope.free_environments.back());
    scope.free_environments.pop_back();
  }
  if (frame.env.size() < scope.tree->symbol_count()) frame.env.resize(scope.tree->symbol_count(), unbound());
  sema.frame = &frame;
  sema.current_scope = &scope;
}

void close_frame(Sema& sema, Frame& frame) {
  undo_to(sema, 0);
  frame.scope->free_environments.push_back(std::move(frame.env));
}

void bind(Sema& sema, Symbol name, Value value) {
  if (name >= sema.frame->env.size()) sema.frame->env.resize(name + 1, unbound());
  Value& slot = sema.frame->env[name];
  sema.frame->trail.emplace_back(name, std::move(slot));
  slot = std::move(value);
}

void undo_to(Sema& sema, size_t mark) {
  auto& trail = sema.frame->trail;
  while (trail.size() > mark) {
    sema.frame->env[trail.back().first] = std::move(trail.back().second);
    trail.pop_back();
  }
}

Symbol flag_name(Sema& sema) {
  return sema.frame->scope->tree->intern("\x01" + std::to_string(sema.frame->flags++));
}

bool is_flag(const Sema& sema, Symbol name) {
  return sema.current_scope->tree->name(name).starts_with('\x01');
}

Value lookup(Sema& sema, const Expr& e) {
  if (sema.is_bound(e.name)) {
    const Value& value = sema.frame->env[e.name];
    if (const auto* unusable = value.get<UnusableValue>()) {
      Diagnostic& d = sema.report(diag::unusable_name, e.range, {sema.name_of(e.name), unusable->why});
      if (unusable->where) d.with_note("it is assigned in the block that starts here", unusable->where);
      if (!unusable->help.empty()) d.with_help(unusable->help);
      return {};
    }
    return value;
  }
  if (sema.frame && report_unassigned(sema, e)) return {};
  auto& resolved = sema.current_scope->resolved;
  auto found = resolved.find(e.name);
  if (found != resolved.end()) return found->second;
  Value value = lookup_global(sema, e.name, e.range);
  // Errors too: an undefined name is reported once, not at each of its uses.
  resolved.emplace(e.name, value);
  return value;
}

// A name that the function assigns is local in all of it, as in Python: where it has no value, the value of a
// global of that name is not what is meant.
bool report_unassigned(Sema& sema, const Expr& e) {
  auto found = sema.frame->assigned.find(e.name);
  if (found == sema.frame->assigned.end()) return false;
  const auto [place, is_loop_variable] = found->second;
  const Position use = e.range.begin, first = place.begin;
  const bool later = std::pair(first.line, first.column) > std::pair(use.line, use.column);
  const std::string name = sema.name_of(e.name);
  Diagnostic& d = sema.report(diag::unusable_name, e.range,
                              {name, later              ? "is used before it is assigned"
                                     : is_loop_variable ? "has no value outside its loop"
                                                        : "has no value here"});
  d.with_note("it is assigned here", sema.span(place));
  if (later) {
    d.with_help("assign `" + name +
                "` before this line: a name that a function assigns is local to all of it");
  } else if (is_loop_variable) {
    d.with_help("assign it to another name inside the loop");
  } else {
    d.with_help("give `" + name + "` a value on every path to this line");
  }
  return true;
}

// A visible name that differs in case only, or by a slip. One letter is near any other.
std::optional<std::string> nearest_visible(const Sema& sema, std::string_view text) {
  const std::vector<std::string> names = visible_names(sema);
  auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  for (const std::string& name : names) {
    if (std::equal(name.begin(), name.end(), text.begin(), text.end(), same)) return name;
  }
  return text.size() > 1 ? nearest(text, names) : std::nullopt;
}

Value lookup_global(Sema& sema, Symbol name, const Range& range) {
  Scope& scope = *sema.current_scope;
  std::string_view text = scope.tree->name(name);
  if (auto it = scope.class_constants.find(name); it != scope.class_constants.end()) {
    return constant(sema, it->second, range);
  }
  if (scope.command_constants && scope.command_constants->contains(std::string(text))) {
    return command_constant(sema, name);
  }
  if (auto it = scope.functions.find(name); it != scope.functions.end()) return FunctionValue{it->second};
  if (auto it = scope.constants.find(name); it != scope.constants.end()) {
    Value value = constant(sema, it->second, range);
    if (!value.is_error() || !scope.host) return value;
  }
  if (auto it = scope.modules.find(name); it != scope.modules.end()) {
    if (auto value = named_path(sema, it->second)) return *value;
  }
  if (text == "pl" || text == "pld") return ModuleValue{text == "pl" ? "pl" : "pld"};
  for (const NamedBuiltin& b : builtins) {
    if (b.module.empty() && b.name == text) return BuiltinValue{b.builtin};
  }
  if (scope.host) {
    auto answer = scope.host->evaluate(text);
    if (const auto* value = std::get_if<HostValue>(&answer)) return from_host(sema, *value, range);
  }
  if (sema.broken_text) return {};
  Diagnostic& d = sema.report(diag::undefined_name, range, {std::string(text)});
  auto near = nearest_visible(sema, text);
  const auto* python = std::find_if(std::begin(python_functions), std::end(python_functions),
                                    [&](const PythonFunction& f) { return f.name == text; });
  if (python != std::end(python_functions)) {
    const bool op = module_member(sema.ops, "pl", text).has_value();
    const std::string instead = op ? "write `pl." + std::string(text) + "`" : std::string(python->instead);
    d.with_help("`" + std::string(text) + "` is a Python function and cannot be called here" +
                (instead.empty() ? "" : ": " + instead));
  } else if (scope.modules.contains(name)) {
    d.with_help("`" + std::string(text) +
                "` is imported from Python, which does not run here: define the value at the "
                "top of the file, or give it on the command line: -D NAME=VALUE");
  } else if (auto assigned = scope.python_values.find(name); assigned != scope.python_values.end()) {
    const auto& [place, what] = assigned->second;
    if (what == "an expression") {
      d.with_note("assigned here, from an expression that only Python can compute", sema.span(place))
          .with_help("assign a value that needs no Python, such as `" + std::string(text) +
                     " = pl.dynamic(\"" + std::string(text) + "\")`, give one on the command line: -D " +
                     std::string(text) + "=VALUE, or let Python read the file: --python FILE:NAME");
    } else {
      d.with_note("defined here, as " + std::string(what) + " of Python", sema.span(place))
          .with_help(std::string(what == "a function" ? "decorate it with `@pl.jit.inline`, or " : "") +
                     "let Python read the file: --python FILE:NAME");
    }
  } else if (near) {
    d.with_help("did you mean `" + *near + "`?");
  } else if (!scope.host) {
    d.with_help("define it at the top of the file, or give it on the command line: -D " + std::string(text) +
                "=VALUE");
  }
  return {};
}

Value command_constant(Sema& sema, Symbol name) {
  Scope& scope = *sema.current_scope;
  const std::string text(scope.tree->name(name));
  auto file = make_source("-D " + text, scope.command_constants->at(text));
  const Expr* root = nullptr;
  auto tree = parse_expression(file, sema.diags, &root);
  if (!root) return {};
  // The value is read in a separate scope: `-D N=M` must not find the program's M.
  Scope* own = add_scope(sema, std::move(tree), nullptr);
  Scope* outer = std::exchange(sema.current_scope, own);
  Frame* outer_frame = std::exchange(sema.frame, nullptr);
  Value value = eval(sema, *root);
  sema.frame = outer_frame;
  sema.current_scope = outer;
  if (!value.is_error() && !is_known(value)) return {};
  return value;
}

Value constant(Sema& sema, Scope::Constant& c, const Range& range) {
  if (c.known) return c.value;
  if (c.evaluating) {
    sema.report(diag::constant_cycle, range, {std::string(sema.current_scope->tree->text(range))});
    return {};
  }
  c.evaluating = true;
  Frame* outer_frame = std::exchange(sema.frame, nullptr);  // module level: no local names
  FunctionContext* outer_fn = std::exchange(sema.fn, nullptr);
  c.value = eval(sema, *c.expr);
  if (c.element >= 0 && !c.value.is_error()) {
    const auto* list = c.value.get<ListValue>();
    if (list && static_cast<size_t>(c.element) < list->items->size()) {
      c.value = Value((*list->items)[static_cast<size_t>(c.element)]);
    } else {
      sema.report(diag::cannot_unpack, c.expr->range, {describe(c.value), std::to_string(c.element + 1)})
          .with_help("write a tuple or list with one item per name");
      c.value = Value();
    }
  }
  sema.fn = outer_fn;
  sema.frame = outer_frame;
  c.evaluating = false;
  c.known = true;
  return c.value;
}

Value attribute(Sema& sema, const Expr& e) {
  Value base = eval(sema, *e.left);
  if (base.is_error()) return {};
  std::string_view name = sema.current_scope->tree->name(e.name);
  if (const auto* module = base.get<ModuleValue>()) return module_attribute(sema, module->path, name, e);
  if (base.is<SelfValue>()) {
    if (auto it = sema.current_scope->functions.find(e.name); it != sema.current_scope->functions.end()) {
      return FunctionValue{it->second};
    }
    if (auto it = sema.current_scope->class_constants.find(e.name);
        it != sema.current_scope->class_constants.end()) {
      return constant(sema, it->second, e.range);
    }
    std::vector<std::string> names;
    for (const auto& [symbol, info] : sema.current_scope->functions) names.push_back(sema.name_of(symbol));
    Diagnostic& d = sema.report(diag::no_such_method, e.range, {std::string(name)});
    if (auto near = nearest(name, names)) {
      d.with_help("did you mean `self." + *near + "`?");
    } else {
      d.with_help("define it in the class: `def " + std::string(name) + "(self, ...):`");
    }
    return {};
  }
  if (const auto* form = base.get<FormValue>()) {
    if (form->form == Form::Enum) {
      const ir::EnumInfo& info = ir::info(form->enum_id);
      for (size_t i = 0; i < info.members.size(); ++i) {
        if (info.members[i].name == name) return ir::EnumValue{form->enum_id, static_cast<uint8_t>(i)};
      }
      std::string members;
      for (const auto& m : info.members) members += (members.empty() ? "" : ", ") + std::string(m.name);
      const std::string qualified = std::string(info.module) + "." + std::string(info.name);
      Diagnostic& d = sema.report(diag::no_such_member, e.range, {qualified, std::string(name)});
      std::vector<std::string> names;
      for (const auto& m : info.members) names.emplace_back(m.name);
      if (auto near = nearest(name, names)) {
        d.with_help("did you mean `" + qualified + "." + *near + "`?");
      } else {
        d.with_help("write one of: " + members);
      }
      return {};
    }
    if (form->form == Form::Jit) {
      if (auto decorator = language_name("pl.jit", name)) return *decorator;
      sema.report(diag::no_such_attribute, e.range, {"`pl.jit`", std::string(name)})
          .with_help(help_for_missing("pl.jit", name));
      return {};
    }
  }
  if (const auto* dtype = base.get<ir::DType>()) {
    if (name == "get_byte") return BuiltinValue{Builtin::GetByte, *dtype};
    if (name == "get_bit") return BuiltinValue{Builtin::GetBit, *dtype};
  }
  if (base.is<HostObjectValue>()) return ask_host(sema, e);
  if (const ir::Expr* expr = base.expr()) {
    if (auto value = shape_attribute(*expr, name)) return *value;
  }
  Diagnostic& d = sema.report(diag::no_such_attribute, e.range, {describe(base), std::string(name)});
  std::optional<Value> member;
  if (base.expr()) member = module_member(sema.ops, "pl", name);
  if (member && member->is<OpValue>()) {
    d.with_help("ops are functions: write `pl." + std::string(name) + "(...)`");
  } else if (base.expr()) {
    d.with_help("use `shape` or `dtype`; everything else is an op, such as `pl.load(x, offsets, shape)`");
  } else if (base.is<ir::DType>()) {
    d.with_help("use `get_byte()` or `get_bit()`");
  } else if (base.is<ListValue>() || base.is<DictValue>()) {
    d.with_help("build a new one with `+`: lists, tuples and dicts cannot change");
  } else {
    d.with_help("check the spelling of `" + std::string(name) + "`");
  }
  return {};
}

namespace {

std::optional<Value> shape_attribute(const ir::Expr& expr, std::string_view name) {
  const auto* tensor = ir::as<ir::TensorType>(expr.type);
  const auto* tile = ir::as<ir::TileType>(expr.type);
  if (!tensor && !tile) return std::nullopt;
  if (name == "dtype") return Value(tensor ? tensor->dtype : tile->dtype);
  if (name != "shape") return std::nullopt;
  std::vector<Value> dims;
  for (const ir::ExprRef& dim : tensor ? tensor->shape : tile->shape) {
    auto known = ir::constant_value(dim);
    dims.push_back(known ? Value(*known) : Value(dim));
  }
  return make_list(std::move(dims), true);
}

}  // namespace

std::optional<Value> named_path(Sema& sema, std::string_view path) {
  for (std::string_view module : modules) {
    if (module == path) return ModuleValue{module};
  }
  size_t dot = path.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  return module_member(sema.ops, path.substr(0, dot), path.substr(dot + 1));
}

std::optional<Value> module_member(const ir::OpTable& ops, std::string_view path, std::string_view name) {
  if (path == "math") {
    if (name == "pi") return Value(M_PI);
    if (name == "e") return Value(M_E);
    if (name == "inf") return Value(HUGE_VAL);
    if (name == "nan") return Value(std::nan(""));
    for (const NamedBuiltin& b : builtins) {
      if (b.module == "math" && b.name == name) return BuiltinValue{b.builtin};
    }
    return std::nullopt;
  }
  if (path == "tilewire") {
    if (name == "language") return ModuleValue{"pl"};
    return std::nullopt;
  }
  if (path == "pl" && name == "distributed") return ModuleValue{"pld"};
  if (auto value = language_name(path, name)) return value;
  for (std::string_view family : modules) {
    size_t dot = family.find('.');
    bool inside = dot != std::string_view::npos && family.substr(0, dot) == path;
    if (inside && family.substr(dot + 1) == name) return ModuleValue{family};
  }
  size_t dot = path.find('.');
  std::string full = dot == std::string_view::npos ? "" : std::string(path.substr(dot + 1)) + ".";
  full += name;
  auto candidates = ops.candidates(path.substr(0, dot), full);
  if (candidates.empty()) return std::nullopt;
  return OpValue{candidates};
}

// The module that has the member, first among those of the same root: `pld.notify` is `pld.system.notify`.
// Not pl.pipe, whose ops are for lowered programs.
std::optional<std::string_view> module_with(const ir::OpTable& ops, std::string_view path,
                                            std::string_view name) {
  const std::string_view root = path.substr(0, path.find('.'));
  for (const bool same_root : {true, false}) {
    for (std::string_view module : modules) {
      const bool ours = module.starts_with("pl") && module != path && module != "pl.pipe";
      if (!ours || (module.substr(0, module.find('.')) == root) != same_root) continue;
      if (module_member(ops, module, name)) return module;
    }
  }
  return std::nullopt;
}

std::string help_for_missing(std::string_view path, std::string_view name) {
  if (path == "pl.jit") {
    std::string others;
    for (const ops::FormRecord& f : ops::all_forms) {
      if (f.module == path && f.form != Form::JitIncore) others += ", @pl.jit." + std::string(f.name);
    }
    return "write @pl.jit.incore for a kernel, or one of @pl.jit" + others;
  }
  const ir::OpTable& table = ops::registry();
  if (auto module = module_with(table, path, name)) {
    return "write `" + std::string(*module) + "." + std::string(name) + "`";
  }
  if (auto help = ops::known_elsewhere(name); help && path != "math") return *help;
  std::vector<std::string> names;
  const std::string prefix = std::string(path) + ".";
  for (const ir::Op& op : table.all()) {
    std::string full = op.qualified();
    if (full.starts_with(prefix)) names.push_back(full.substr(prefix.size()));
    size_t dot = full.rfind('.');
    if (op.module == path) names.push_back(full.substr(dot + 1));
  }
  for (const ops::FormRecord& f : ops::all_forms) {
    if (f.module == path) names.emplace_back(f.name);
  }
  if (path == "pl") {
    for (const ir::DTypeInfo& dtype : ir::all_dtypes()) names.emplace_back(dtype.name);
  }
  if (auto near = nearest(name, names)) return "did you mean `" + prefix + *near + "`?";
  if (path == "math") return "use one of sqrt, ceil, floor, log, log2, exp, pi, e, inf and nan";
  return "run `tilewire ops` for a list of all ops; dtypes are written like pl.FP32 and pl.INT32";
}

Value module_attribute(Sema& sema, std::string_view path, std::string_view name, const Expr& e) {
  // `pl.add` is met on nearly every line: remember what each attribute of each module means.
  uint64_t key = (std::hash<std::string_view>{}(path) << 32) ^ e.name;
  auto found = sema.current_scope->members.find(key);
  if (found != sema.current_scope->members.end()) return found->second;
  Value result;
  if (auto value = module_member(sema.ops, path, name)) {
    result = *value;
  } else if (path == "math" && sema.current_scope->host) {
    result = ask_host(sema, e);
  } else {
    sema.report(diag::unknown_op, e.range, {std::string(path), std::string(name)})
        .with_help(help_for_missing(path, name));
    return {};
  }
  sema.current_scope->members.emplace(key, result);
  return result;
}

std::vector<std::string> visible_names(const Sema& sema) {
  std::vector<std::string> names;
  const SyntaxTree& tree = *sema.current_scope->tree;
  if (sema.frame) {
    for (Symbol s = 1; s < tree.symbol_count() && s < sema.frame->env.size(); ++s) {
      if (sema.is_bound(s)) names.emplace_back(tree.name(s));
    }
  }
  for (const auto& [symbol, c] : sema.current_scope->constants) names.emplace_back(tree.name(symbol));
  for (const auto& [symbol, f] : sema.current_scope->functions) names.emplace_back(tree.name(symbol));
  return names;
}

}  // namespace tilewire::frontend
