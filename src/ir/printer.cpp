// Statements, functions and programs as text. A block is printed with the names its Yield gives values to:
// the results of the statement it belongs to.
#include "ir/printer.h"

#include "ir/op.h"
#include "ir/printer_names.h"

namespace tilewire::ir {
namespace {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

// Every type a compile-time field may have (node.h); lists of nodes and the like are not among them.
template <class T>
concept AttrField = std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, std::string> ||
    std::is_same_v<T, std::vector<int64_t>> || is_optional<T>;

template <AttrField T>
AttrValue attr_value(const T& value) {
  if constexpr (is_optional<T>) {
    return attr_value(*value);
  } else if constexpr (std::is_same_v<T, std::vector<int64_t>>) {
    AttrValueList list;
    for (int64_t element : value) list.push_back({element});
    return {std::move(list)};
  } else if constexpr (std::is_enum_v<T> && !std::is_same_v<T, DType>) {
    return {enum_value(value)};
  } else {
    return {value};
  }
}

// Calls f(name, value) for each compile-time field of `node` that differs from its default, so that a new
// field prints without a word here.
template <class T, class F>
void for_each_attr(const T& node, F&& f) {
  static const T defaults{};
  auto visit = [&](const auto& field) {
    const auto& value = node.*field.member;
    if constexpr (AttrField<std::remove_cvref_t<decltype(value)>>) {
      bool given = field.role == FieldRole::Attr && !(value == defaults.*field.member);
      if (given) f(std::string_view(field.name), attr_value(value));
    }
  };
  std::apply([&](const auto&... field) { (visit(field), ...); }, T::fields());
}

class Printer {
 public:
  std::string take() { return std::move(out_); }
  void node(const NodeRef& node);

 private:
  void program(const Program& program);
  void header(bool uses_distributed);
  void comm_group(const CommGroup& group);
  std::string slot_name(const WindowBuffer& slot) const;
  void function(const Function& function);
  void function_once(const Function& function);
  void signature(const Function& function);

  // `results`: the names that a Yield at the end of the block assigns.
  void block(const BlockRef& body, const VarList& results);
  void lines(const Block& body, const VarList& results);
  void stmt(const StmtRef& stmt, const VarList& results);
  void assign(const Assign& assign);
  void yield(const Yield& yield, const VarList& results);
  void return_values(const Return& statement);
  void branch(const If& branch);
  void for_loop(const For& loop);
  void range_arguments(const For& loop);
  void while_loop(const While& loop);
  void at_scope(const AtScope& scope);
  void with_scope(const WithScope& scope);
  void spmd_scope(const SpmdScope& scope);
  void with_tail(const VarRef& task_id, const BlockRef& body, const VarList& results);

  void indent() { out_.append(4 * depth_, ' '); }
  void comma_separated(const VarList& vars);
  void tuple(const VarList& vars);
  void deps(const ExprList& deps);
  template <class T>
  void keywords(const T& node);

  std::string out_;
  size_t depth_ = 0;
  std::vector<std::pair<std::string, const Var*>> window_bases_;  // of the program, with their functions
  PrintNames names_;
  ExprWriter writer_{out_, names_};
};

void Printer::node(const NodeRef& node) {
  if (const auto* p = as<Program>(node)) {
    program(*p);
  } else if (const auto* f = as<Function>(node)) {
    names_.fix_names_of(*f);
    function(*f);
  } else if (const auto* group = as<CommGroup>(node)) {
    comm_group(*group);
  } else if (const auto* body = as<Block>(node)) {
    lines(*body, {});
  } else if (const auto* s = as<Stmt>(node)) {
    stmt(ref(s), {});
  } else if (const auto* e = as<Expr>(node)) {
    writer_.expr(ref(e));
  } else if (const auto* t = as<Type>(node)) {
    writer_.type(ref(t));
  } else if (const auto* view = as<TensorView>(node)) {
    writer_.tensor_view(*view);
  } else {
    internal_error(__FILE__, __LINE__, "the printer does not know this kind of node");
  }
}

void Printer::program(const Program& program) {
  std::string class_name = identifier(program.name_hint.empty() ? "Program" : program.name_hint);
  names_.fix(class_name);
  for (const FunctionRef& f : program.functions) names_.fix_names_of(*f);
  out_ += "@pl.program\nclass " + class_name + ":\n";
  depth_ = 1;
  for (const FunctionRef& f : program.functions) {
    for (const Var* base : window_bases(*f)) window_bases_.emplace_back(f->name, base);
  }
  for (const auto& group : program.comm_groups) comm_group(*group);
  bool first = program.comm_groups.empty();
  for (const FunctionRef& f : program.functions) {
    if (!first) out_ += '\n';
    first = false;
    function(*f);
  }
  if (first) out_ += "    pass\n";
  header(writer_.uses_distributed());
}

// Last, because only then it is known what it must declare.
void Printer::header(bool uses_distributed) {
  std::string text = "import tilewire.language as pl\n";
  if (uses_distributed) text += "import tilewire.language.distributed as pld\n";
  if (!names_.dimensions().empty()) text += '\n';
  for (const PrintNames::Dimension& dimension : names_.dimensions()) {
    text += dimension.name + " = pl.dynamic(" + quote(dimension.symbol) + ")\n";
  }
  out_.insert(0, text + "\n\n");
}

// With the host function where several of them have a buffer of that name.
std::string Printer::slot_name(const WindowBuffer& slot) const {
  size_t count = 0;
  std::string host;
  for (const auto& [name, base] : window_bases_) {
    if (base->name_hint != slot.name) continue;
    ++count;
    if (base == slot.base.get()) host = name;
  }
  return count > 1 && !host.empty() ? host + "." + slot.name : slot.name;
}

void Printer::comm_group(const CommGroup& group) {
  writer_.set_uses_distributed();
  indent();
  out_ += "pld.comm_group(devices=[";
  for (size_t i = 0; i < group.devices.size(); ++i) {
    if (i) out_ += ", ";
    writer_.integer(group.devices[i]);
  }
  out_ += "], slots=[";
  for (size_t i = 0; i < group.slots.size(); ++i) {
    if (i) out_ += ", ";
    out_ += quote(slot_name(*group.slots[i]));
  }
  out_ += "])\n";
}

void Printer::function(const Function& function) {
  size_t start = out_.size();
  do {
    out_.resize(start);
    names_.begin_function(function);
    function_once(function);
  } while (names_.clashed());
}

void Printer::function_once(const Function& function) {
  indent();
  if (function.type == FunctionType::Host) {
    out_ += "@pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator";
  } else {
    out_ += "@pl.function(type=" + to_string(enum_value(function.type));
  }
  bool first = true;
  for_each_attr(function, [&](std::string_view name, const AttrValue& value) {
    out_ += first ? ", attrs={" : ", ";
    first = false;
    out_ += quote(name) + ": ";
    writer_.attr(value);
  });
  out_ += first ? ")\n" : "})\n";
  indent();
  signature(function);
  block(function.body, {});
}

void Printer::signature(const Function& function) {
  out_ += "def " + function.name + "(self";
  for (const auto& param : function.params) {
    out_ += ", ";
    writer_.name(*param);
    out_ += ": ";
    if (param->direction == Direction::Out) out_ += "pl.Out[";
    if (param->direction == Direction::InOut) out_ += "pl.InOut[";
    writer_.type(param->type);
    if (param->direction != Direction::In) out_ += ']';
  }
  out_ += ')';
  // A function with one result of tuple type is told from one with several results by an outer tuple.
  const auto& types = function.return_types;
  bool single = types.size() == 1 && !isa<TupleType>(types[0]);
  if (!types.empty()) {
    out_ += " -> ";
    writer_.type(single ? types[0] : TypeRef(make<TupleType>(Span{}, types)));
  }
  out_ += ":\n";
}

void Printer::block(const BlockRef& body, const VarList& results) {
  ++depth_;
  if (!body || body->stmts.empty()) {
    indent();
    out_ += "pass\n";
  } else {
    lines(*body, results);
  }
  --depth_;
}

void Printer::lines(const Block& body, const VarList& results) {
  for (const StmtRef& s : body.stmts) stmt(s, results);
}

void Printer::stmt(const StmtRef& stmt, const VarList& results) {
  indent();
  switch (stmt->kind()) {
    case kind_of<Assign>:
      assign(*as<Assign>(stmt));
      break;
    case kind_of<Eval>:
      writer_.expr(as<Eval>(stmt)->value);
      out_ += '\n';
      break;
    case kind_of<Return>:
      return_values(*as<Return>(stmt));
      break;
    case kind_of<Yield>:
      yield(*as<Yield>(stmt), results);
      break;
    case kind_of<If>:
      branch(*as<If>(stmt));
      break;
    case kind_of<For>:
      for_loop(*as<For>(stmt));
      break;
    case kind_of<While>:
      while_loop(*as<While>(stmt));
      break;
    case kind_of<AtScope>:
      at_scope(*as<AtScope>(stmt));
      break;
    case kind_of<SpmdScope>:
      spmd_scope(*as<SpmdScope>(stmt));
      break;
    case kind_of<WithScope>:
      with_scope(*as<WithScope>(stmt));
      break;
    default:
      internal_error(__FILE__, __LINE__, "the printer does not know this kind of statement");
  }
}

void Printer::assign(const Assign& assign) {
  const auto* call = as<Call>(assign.value);
  writer_.name(*assign.var);
  if (call && call->op->needs_annotation) {
    out_ += ": ";
    writer_.type(assign.var->type);
  }
  out_ += " = ";
  writer_.runtime_expr(assign.value);
  out_ += '\n';
}

void Printer::yield(const Yield& yield, const VarList& results) {
  if (!results.empty()) {
    comma_separated(results);
    out_ += " = ";
  }
  out_ += "pl.yield_(";
  writer_.comma_separated(yield.values);
  out_ += ")\n";
}

void Printer::return_values(const Return& statement) {
  out_ += "return";
  if (!statement.values.empty()) out_ += ' ';
  bool one_tuple = statement.values.size() == 1 && isa<MakeTuple>(statement.values[0]);
  if (one_tuple) {
    writer_.tuple(statement.values);
  } else {
    writer_.comma_separated(statement.values);
  }
  out_ += '\n';
}

void Printer::branch(const If& branch) {
  out_ += "if ";
  writer_.runtime_expr(branch.condition);
  out_ += ":\n";
  block(branch.then_body, branch.results);
  if (!branch.else_body) return;
  indent();
  out_ += "else:\n";
  block(branch.else_body, branch.results);
}

void Printer::for_loop(const For& loop) {
  static constexpr std::string_view functions[] = {"range", "parallel", "unroll", "pipeline"};
  out_ += "for ";
  writer_.name(*loop.loop_var);
  if (!loop.iter_args.empty()) {
    out_ += ", ";
    tuple(loop.iter_args);
  }
  out_ += " in pl.";
  out_ += functions[static_cast<size_t>(loop.loop_kind)];
  out_ += '(';
  range_arguments(loop);
  if (!loop.init_values.empty()) {
    out_ += ", init_values=";
    writer_.tuple(loop.init_values);
  }
  keywords(loop);
  out_ += "):\n";
  block(loop.body, loop.results);
}

void Printer::range_arguments(const For& loop) {
  auto is_index = [](const ExprRef& expr, int64_t value) {
    const auto* constant = as<ConstInt>(expr);
    return constant && constant->dtype == DType::Index && constant->value == value;
  };
  bool unit_step = is_index(loop.step, 1);
  if (!unit_step || !is_index(loop.start, 0)) {
    writer_.expr(loop.start);
    out_ += ", ";
  }
  writer_.expr(loop.stop);
  if (!unit_step) {
    out_ += ", ";
    writer_.expr(loop.step);
  }
}

void Printer::while_loop(const While& loop) {
  out_ += "for ";
  if (loop.iter_args.empty()) {
    out_ += "_ in pl.while_(";
  } else {
    tuple(loop.iter_args);
    out_ += " in pl.while_(init_values=";
    writer_.tuple(loop.init_values);
  }
  if (loop.poll) out_ += loop.iter_args.empty() ? "poll=True" : ", poll=True";
  out_ += "):\n";
  ++depth_;
  lines(*loop.before, {});
  indent();
  out_ += "pl.cond(";
  writer_.runtime_expr(loop.condition);
  out_ += ")\n";
  lines(*loop.body, loop.results);
  --depth_;
}

void Printer::at_scope(const AtScope& scope) {
  out_ += "with pl.at(level=";
  writer_.attr(attr_value(scope.level));
  keywords(scope);
  deps(scope.deps);
  out_ += ')';
  with_tail(scope.task_id, scope.body, scope.results);
}

void Printer::spmd_scope(const SpmdScope& scope) {
  if (scope.block_var) {
    out_ += "for ";
    writer_.name(*scope.block_var);
    out_ += " in pl.spmd(";
  } else {
    out_ += "with pl.spmd(";
  }
  writer_.expr(scope.block_count);
  keywords(scope);
  deps(scope.deps);
  out_ += ')';
  with_tail(scope.task_id, scope.body, scope.results);
}

void Printer::with_scope(const WithScope& scope) {
  out_ += scope.scope_kind == ScopeKind::Manual ? "with pl.manual_scope():\n" : "with pl.scope():\n";
  block(scope.body, {});
}

void Printer::with_tail(const VarRef& task_id, const BlockRef& body, const VarList& results) {
  if (task_id) {
    out_ += " as ";
    writer_.name(*task_id);
  }
  out_ += ":\n";
  block(body, results);
}

void Printer::comma_separated(const VarList& vars) {
  for (size_t i = 0; i < vars.size(); ++i) {
    if (i) out_ += ", ";
    writer_.name(*vars[i]);
  }
}

void Printer::tuple(const VarList& vars) {
  out_ += '(';
  comma_separated(vars);
  out_ += vars.size() == 1 ? ",)" : ")";
}

void Printer::deps(const ExprList& deps) {
  if (deps.empty()) return;
  out_ += ", deps=";
  writer_.list(deps);
}

template <class T>
void Printer::keywords(const T& node) {
  for_each_attr(node, [&](std::string_view name, const AttrValue& value) {
    if (std::is_same_v<T, AtScope> && name == "level") return;  // always present, first
    out_ += ", ";
    out_ += name;
    out_ += '=';
    writer_.attr(value);
  });
}

}  // namespace

std::string as_python(const NodeRef& node) {
  Printer printer;
  printer.node(node);
  return printer.take();
}

}  // namespace tilewire::ir
