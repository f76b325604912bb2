// What Python is asked: the text of an expression, with the names bound in the program replaced by their
// values.
#include "frontend/sema_host.h"

#include <algorithm>

#include "frontend/sema_expr.h"
#include "frontend/sema_name.h"
#include "frontend/sema_program.h"
#include "support/diagnostics/sema.h"

namespace tilewire::frontend {
namespace {

// A value as Python text that needs no names but built-in ones; nothing where it has none.
std::optional<std::string> python_text(const Value& value) {
  const auto member_of = [](std::string_view module, const std::string& path) {
    const std::string name = module == "pld" ? "tilewire.language.distributed" : "tilewire.language";
    return "__import__('" + name + "', fromlist=['language'])." + path;
  };
  if (value.is<NoneValue>() || value.is_number() || value.is<std::string>())
    return "(" + to_text(value) + ")";
  if (const auto* dtype = value.get<ir::DType>()) return member_of("pl", std::string(info(*dtype).name));
  if (const auto* e = value.get<ir::EnumValue>()) {
    const std::string path = to_string(*e);
    const size_t dot = path.find('.');
    return member_of(path.substr(0, dot), path.substr(dot + 1));
  }
  const auto* list = value.get<ListValue>();
  if (!list) return std::nullopt;
  std::string items;
  for (const Value& item : *list->items) {
    auto text = python_text(item);
    if (!text) return std::nullopt;
    items += *text + ", ";
  }
  return list->is_tuple ? "(" + items + ")" : "[" + items + "]";
}

// The parts of an expression that name something bound in the program.
class LocalParts {
 public:
  explicit LocalParts(Sema& sema) : sema_(sema) {}

  void collect(const Expr* e) {
    if (!e) return;
    if (e->kind == ExprKind::Name) {
      // `lookup` also reports names that have no value here.
      if (sema_.is_bound(e->name) || (sema_.frame && sema_.frame->assigned.contains(e->name))) add(*e);
      return;
    }
    if (e->kind == ExprKind::Attribute && is_part(*e)) {
      add(*e);
      return;
    }
    collect(e->left);
    collect(e->right);
    for (const Expr* item : e->items) collect(item);
    for (const Keyword& keyword : e->keywords) collect(keyword.value);
  }

  // By position, each once: `a if c else b` has its condition first, and `a < b < c` has `b` twice.
  void sort() {
    const auto place = [](const Part& part) {
      return std::pair(part.expr->range.begin.line, part.expr->range.begin.column);
    };
    std::sort(parts.begin(), parts.end(), [&](const Part& a, const Part& b) { return place(a) < place(b); });
    auto same = [](const Part& a, const Part& b) { return a.expr == b.expr; };
    parts.erase(std::unique(parts.begin(), parts.end(), same), parts.end());
  }

  struct Part {
    const Expr* expr;
    Value value;
  };
  std::vector<Part> parts;
  bool failed = false;

 private:
  // `self.N` is a constant of the class, and the shape of a tile may be known where the tile is not.
  bool is_part(const Expr& e) const {
    if (e.left->kind != ExprKind::Name || !sema_.is_bound(e.left->name)) return false;
    const Value& base = sema_.frame->env[e.left->name];
    const std::string_view name = sema_.current_scope->tree->name(e.name);
    return base.is<SelfValue>() || (base.expr() && (name == "shape" || name == "dtype"));
  }

  void add(const Expr& e) {
    Value value = eval(sema_, e);
    failed = failed || value.is_error();
    parts.push_back({&e, std::move(value)});
  }

  Sema& sema_;
};

std::string_view kind_of(const Value& value) {
  if (!value.expr()) return value.is<HostObjectValue>() ? "object" : "name";
  if (ir::isa<ir::TileType>(value.expr()->type)) return "tile";
  if (ir::isa<ir::TensorType>(value.expr()->type)) return "tensor";
  return "run-time value";
}

// The op of the same name, if there is one that may be meant.
std::optional<std::string> help_of_op(Sema& sema, const std::string& name, const ir::Expr& given) {
  const auto member = module_member(sema.ops, "pl", name);
  const auto* op = member ? member->get<OpValue>() : nullptr;
  if (!op) return std::nullopt;
  const bool takes = std::any_of(op->candidates.begin(), op->candidates.end(), [&](const ir::Op* candidate) {
    return !candidate->params.empty() && ir::accepts(candidate->params[0].accepts, given.type);
  });
  return takes ? "write `pl." + name + "(...)`" : "`pl." + name + "` works on tiles";
}

// What to write where Python would have to know `value`, which the program has only when it runs.
void add_help(Diagnostic& d, Sema& sema, const Expr& e, const Value& value) {
  if (!value.expr()) {
    d.with_help("write the name that the object has in Python: names of the program do not exist there");
    return;
  }
  const std::string called = e.kind == ExprKind::Call && e.left
                                 ? std::string(sema.current_scope->tree->text(e.left->range))
                                 : std::string();
  const Value callee = called.empty() ? Value() : eval(sema, *e.left);
  const size_t dot = called.rfind('.');
  const std::string name = dot == std::string::npos ? called : called.substr(dot + 1);
  if (called.empty()) {
    d.with_help("use values that are known when the program is read: Python evaluates this only then");
  } else if (auto help = help_of_op(sema, name, *value.expr())) {
    d.with_help(*help);
  } else if (const auto* object = callee.get<HostObjectValue>(); object && object->type_name == "function") {
    d.with_help("decorate `" + called +
                "` with `@pl.jit.inline`, or pass it only values that are known when the program is read");
  } else {
    d.with_help("write it with the ops of `pl`; run `tilewire ops` for a list");
  }
}

}  // namespace

Value from_host(Sema& sema, const HostValue& host, const Range& range) {
  return std::visit(
      [&](const auto& v) -> Value {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, HostNone>) {
          return NoneValue{};
        } else if constexpr (std::is_same_v<T, HostFunction>) {
          FunctionInfo* info = import_function(sema, v);
          return info ? Value(FunctionValue{info}) : Value();
        } else if constexpr (std::is_same_v<T, HostModule>) {
          auto value = named_path(sema, v.name);
          return value ? *value : Value(HostObjectValue{v.name});
        } else if constexpr (std::is_same_v<T, HostOpaque>) {
          return HostObjectValue{v.type_name};
        } else if constexpr (std::is_same_v<T, ir::TypeRef>) {
          return TypeValue{v, false, ir::Direction::In, nullptr};
        } else if constexpr (std::is_same_v<T, std::vector<HostValue>>) {
          std::vector<Value> values;
          for (const HostValue& item : v) values.push_back(from_host(sema, item, range));
          return make_list(std::move(values), host.is_tuple);
        } else {
          return v;
        }
      },
      host.value);
}

Value ask_host(Sema& sema, const Expr& e) {
  const std::string_view written = sema.current_scope->tree->text(e.range);
  LocalParts local(sema);
  local.collect(&e);
  if (local.failed) return {};
  local.sort();
  std::string text;
  size_t taken = 0;
  for (const auto& [part, value] : local.parts) {
    auto known = python_text(value);
    if (!known) {
      const std::string name(sema.current_scope->tree->text(part->range));
      const bool call = e.kind == ExprKind::Call;
      const std::string python(sema.current_scope->tree->text(call ? e.left->range : e.range));
      Diagnostic& d =
          sema.report(diag::host_needs_value, part->range,
                      {python, call ? "function" : "expression", std::string(kind_of(value)), name});
      add_help(d, sema, e, value);
      return {};
    }
    const size_t begin = sema.current_scope->tree->text(part->range).data() - written.data();
    text.append(written, taken, begin - taken);
    text += *known;
    taken = begin + sema.current_scope->tree->text(part->range).size();
  }
  text.append(written, taken);
  auto answer = sema.current_scope->host->evaluate(text);
  if (const auto* value = std::get_if<HostValue>(&answer)) return from_host(sema, *value, e.range);
  sema.report(diag::host_failed, e.range, {std::string(written), std::get<std::string>(answer)});
  return {};
}

}  // namespace tilewire::frontend
