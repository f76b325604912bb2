#include "target/pto/host_text.h"

#include <cmath>
#include <cstdio>

#include "ir/op.h"
#include "ops/handles.h"
#include "support/diagnostics/pto_host.h"

namespace tilewire::target::pto {

using namespace ir;

std::string element_name(DType dtype) {
  switch (dtype) {
    case DType::Int4:
      return "Type::Int4";
    case DType::TaskId:
      return "Type::TaskId";
    case DType::Index:
      return "Type::Index";
    case DType::Bool:
      return "Type::Bool";
    case DType::Int8:
      return "Type::Int8";
    case DType::Int16:
      return "Type::Int16";
    case DType::Int32:
      return "Type::Int32";
    case DType::Int64:
      return "Type::Int64";
    case DType::UInt8:
      return "Type::UInt8";
    case DType::UInt16:
      return "Type::UInt16";
    case DType::UInt32:
      return "Type::UInt32";
    case DType::UInt64:
      return "Type::UInt64";
    default:
      return "Type::" + std::string(info(dtype).name);
  }
}

std::string scalar_type_name(DType dtype) {
  if (dtype == DType::Bool) return "bool";
  if (is_float(dtype)) return "float";
  if (dtype == DType::TaskId) return "TaskId";
  const int width = dtype == DType::Int4 ? 8 : bits(dtype);
  return std::string(info(dtype).is_signed ? "int" : "uint") + std::to_string(width) + "_t";
}

std::string type_name(const TypeRef& type) {
  if (const auto* scalar = as<ScalarType>(type)) return scalar_type_name(scalar->dtype);
  if (isa<TensorType>(type)) return "Tensor";
  if (isa<TaskIdType>(type)) return "TaskId";
  if (isa<CommCtxType>(type)) return "Context";
  if (isa<PtrType>(type)) return "int";
  if (const auto* array = as<ArrayType>(type)) {
    return "std::array<" + scalar_type_name(array->dtype) + ", " + std::to_string(array->extent) + ">";
  }
  if (const auto* tuple = as<TupleType>(type)) {
    std::vector<std::string> parts;
    for (const TypeRef& part : tuple->types) parts.push_back(type_name(part));
    return "std::tuple<" + joined(parts) + ">";
  }
  internal_error(__FILE__, __LINE__, "a type that host functions do not have");
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n') {
      result += "\\n";
    } else if (static_cast<unsigned char>(c) < 32 || c == '?') {  // no trigraphs
      char octal[8];
      std::snprintf(octal, sizeof octal, "\\%03o", static_cast<unsigned>(static_cast<unsigned char>(c)));
      result += octal;
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string place(const Span& span) {
  std::string text = span ? to_string(span) : "";
  const size_t column = text.rfind(':');
  if (column != std::string::npos) text.resize(column);
  const size_t folder = text.rfind('/');
  return quoted(folder == std::string::npos ? text : text.substr(folder + 1));
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

passes::Names host_names() {
  passes::Names names;
  for (const char* word :
       {"alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case",
        "catch", "char", "char16_t", "char32_t", "class", "compl", "const", "constexpr", "const_cast",
        "continue", "decltype", "default", "delete", "do", "double", "dynamic_cast", "else", "enum",
        "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if", "inline", "int",
        "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or",
        "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "return", "short",
        "signed", "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "template", "this",
        "thread_local", "throw", "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using",
        "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq", "concept", "requires", "co_await",
        "co_return", "co_yield", "char8_t", "consteval", "constinit",
        // of the interface and of what the source is written with
        "std", "tilewire", "pto", "abi", "detail", "runtime", "call", "rank", "there", "tensors", "value",
        "result", "Type", "Address", "TaskId", "no_task", "Tensor", "Parameter", "Kernel", "Argument", "Task",
        "Condition", "Share", "Runtime", "Error", "Range", "Dims", "Launch", "Rank", "Call", "Context",
        "Later", "dense_tensor", "bytes_of", "slice", "reshape", "transpose", "no_dep", "tracked", "dim",
        "expect", "solve", "check", "get", "set", "task_list", "divides", "fills", "add", "sub", "mul", "neg",
        "abs_of", "min_of", "max_of", "bit_and", "bit_or", "bit_xor", "bit_not", "quotient", "rest", "power",
        "shift_left", "shift_right", "rounded", "narrow", "integer", "real", "int8_t", "int16_t", "int32_t",
        "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "NULL", "INT64_MIN", "assert", "errno",
        "signbit", "isnan", "EOF", "stdin", "stdout", "stderr", "linux", "unix", "NAN", "INFINITY"}) {
    names.take(word);
  }
  return names;
}

void HostExpressions::define(const Var& var, HostValue value) {
  auto [place, added] = values_.insert(&var, value);
  if (!added) *place = std::move(value);
}

const HostValue& HostExpressions::value(const Var& var) const {
  const auto* buffer = as<WindowBuffer>(&var);
  const HostValue* found = values_.find(buffer ? static_cast<const Var*>(buffer->base.get()) : &var);
  TW_CHECK(found, "a variable is used before it is defined: " + var.name_hint);
  return *found;
}

namespace {

bool is_constant(const ExprRef& expr) {
  return isa<ConstInt>(expr) || isa<ConstFloat>(expr);
}

std::string integer_text(const ConstInt& constant) {
  if (constant.dtype == DType::Bool) return constant.value ? "true" : "false";
  if (constant.dtype == DType::UInt64) return std::to_string(static_cast<uint64_t>(constant.value)) + "u";
  if (constant.value == INT64_MIN) return "INT64_MIN";
  return std::to_string(constant.value);
}

std::string float_text(double value) {
  if (std::isnan(value)) return "std::numeric_limits<float>::quiet_NaN()";
  if (std::isinf(value)) {
    return std::string(value < 0 ? "-" : "") + "std::numeric_limits<float>::infinity()";
  }
  char text[64];
  std::snprintf(text, sizeof text, "%.9g", value);
  const std::string shown = text;
  return shown + (shown.find_first_of(".e") == std::string::npos ? ".0f" : "f");
}

// Between 16-bit floats each result is rounded to the type.
std::string as_dtype(DType dtype, std::string text) {
  if (!is_float(dtype) || dtype == DType::FP32) return text;
  return "rounded(" + element_name(dtype) + ", " + text + ")";
}

}  // namespace

std::string HostExpressions::text(const ExprRef& expr) const {
  if (const auto* var = as<Var>(expr)) {
    const HostValue& known = value(*var);
    return known.later ? known.text + ".get()" : known.text;
  }
  if (const auto* c = as<ConstInt>(expr)) return integer_text(*c);
  if (const auto* c = as<ConstFloat>(expr)) return float_text(c->value);
  if (const auto* c = as<ConstBool>(expr)) return c->value ? "true" : "false";
  if (const auto* symbol = as<DimSymbol>(expr)) {
    auto found = symbols_.find(symbol->name);
    TW_CHECK(found != symbols_.end(), "a dimension without a value: " + symbol->name);
    return found->second;
  }
  if (const auto* part = as<TupleGet>(expr)) {
    const HostValue& known = value(static_cast<const Var&>(*part->tuple));
    const HostValue& one = known.parts.at(static_cast<size_t>(part->index));
    return one.later ? one.text + ".get()" : one.text;
  }
  if (const auto* made = as<Call>(expr)) return call(*made);
  internal_error(__FILE__, __LINE__, "an expression that host functions do not have");
}

std::string HostExpressions::text(const ExprRef& expr, const std::map<std::string, std::string>& symbols) {
  auto outer = symbols_;
  for (const auto& [name, replacement] : symbols) symbols_[name] = replacement;
  std::string result = text(expr);
  symbols_ = std::move(outer);
  return result;
}

std::string HostExpressions::list(const ExprList& elements) const {
  std::vector<std::string> parts;
  for (const ExprRef& element : elements) parts.push_back(text(element));
  return "{" + joined(parts) + "}";
}

std::string HostExpressions::list(const ExprRef& tuple) const {
  return tuple ? list(static_cast<const MakeTuple&>(*tuple).elements) : "{}";
}

std::string HostExpressions::cast(const Call& call) const {
  const DType from = *scalar_dtype(call.args[0]->type), to = *scalar_dtype(call.type);
  const std::string operand = text(call.args[0]), type = scalar_type_name(to);
  if (to == from) return operand;
  if (is_float(to)) {
    return is_float(from) ? as_dtype(to, operand) : "real(" + element_name(to) + ", " + operand + ")";
  }
  if (to == DType::Bool) return "(" + operand + " != 0)";
  if (is_float(from)) return "integer<" + type + ">(" + operand + ")";
  if (from == DType::Bool) return "static_cast<" + type + ">(" + operand + ")";
  if (scalar_type_name(from) == type) return operand;
  const bool fits = bits(from) < bits(to) && (!info(from).is_signed || info(to).is_signed);
  if (fits) return "static_cast<" + type + ">(" + operand + ")";
  return "narrow<" + type + ">(" + operand + ", " + place(call.span) + ")";
}

std::string HostExpressions::arithmetic(const Call& call) const {
  const DType dtype = *scalar_dtype(call.args[0]->type);
  const Elementwise kind = call.op->kind;
  const std::string a = text(call.args[0]);
  const std::string b = call.args.size() > 1 ? text(call.args[1]) : "";
  auto infix = [&](const char* op) { return "(" + a + " " + op + " " + b + ")"; };
  auto function = [&](const char* name, bool can_fail) {
    bool constant = is_constant(call.args[0]);
    std::string made = name;
    if (constant) made += "<" + scalar_type_name(dtype) + ">";
    made += "(" + a + (b.empty() ? "" : ", " + b) + (can_fail ? ", " + place(call.span) : "") + ")";
    return as_dtype(*scalar_dtype(call.type), made);
  };
  const bool truth = dtype == DType::Bool;
  switch (kind) {
    case Elementwise::Add:
      return function("add", false);
    case Elementwise::Sub:
      return function("sub", false);
    case Elementwise::Mul:
      return function("mul", false);
    case Elementwise::Div:
      return as_dtype(dtype, infix("/"));
    case Elementwise::Max:
      return function("max_of", false);
    case Elementwise::Min:
      return function("min_of", false);
    case Elementwise::And:
      return truth ? infix("&&") : function("bit_and", false);
    case Elementwise::Or:
      return truth ? infix("||") : function("bit_or", false);
    case Elementwise::Xor:
      return truth ? infix("!=") : function("bit_xor", false);
    case Elementwise::Shl:
      return function("shift_left", true);
    case Elementwise::Shr:
      return function("shift_right", true);
    case Elementwise::FloorDiv:
      return function("quotient", true);
    case Elementwise::Mod:
      return function("rest", true);
    case Elementwise::Pow:
      return function("power", true);
    case Elementwise::Eq:
      return infix("==");
    case Elementwise::Ne:
      return infix("!=");
    case Elementwise::Lt:
      return infix("<");
    case Elementwise::Le:
      return infix("<=");
    case Elementwise::Gt:
      return infix(">");
    case Elementwise::Ge:
      return infix(">=");
    case Elementwise::Neg:
      return function("neg", false);
    case Elementwise::Abs:
      return function("abs_of", false);
    case Elementwise::Not:
      return truth ? "!" + a : function("bit_not", false);
    default:
      internal_error(__FILE__, __LINE__, "not a scalar op: " + call.op->qualified());
  }
}

std::string HostExpressions::call(const Call& call) const {
  const Op* op = call.op;
  auto arg = [&](size_t i) { return text(call.args[i]); };
  if (op == ops::pl::scalar::cast) return cast(call);
  if (op->form == OpForm::None && op->kind != Elementwise::None) return arithmetic(call);
  if (op == ops::pl::tensor::dim) {
    return "dim(" + arg(0) + ", " + std::to_string(*find_attr(call.attrs, "i")->get<int64_t>()) + ")";
  }
  if (op == ops::pl::no_task) return "no_task";
  if (op == ops::pl::no_dep) return "no_dep(" + arg(0) + ")";
  if (op == ops::pl::array::get) return "get(" + arg(0) + ", " + arg(1) + ", " + place(call.span) + ")";
  if (op == ops::pl::array::set) {
    return "set(" + arg(0) + ", " + arg(1) + ", " + arg(2) + ", " + place(call.span) + ")";
  }
  if (op == ops::pl::array::create) return type_name(call.type) + "{}";
  if (op == ops::pl::tensor::slice) {
    return "slice(" + arg(0) + ", " + list(call.args[1]) + ", " + list(call.args[2]) + ", " +
           list(call.args[3]) + ", " + place(call.span) + ")";
  }
  if (op == ops::pl::tensor::reshape) {
    return "reshape(" + arg(0) + ", " + list(call.args[1]) + ", " + place(call.span) + ")";
  }
  if (op == ops::pl::tensor::transpose) {
    const auto rank = static_cast<int64_t>(static_cast<const TensorType&>(*call.type).shape.size());
    auto axis = [&](const char* name, int64_t otherwise) {
      const AttrValue* attr = find_attr(call.attrs, name);
      const int64_t given = attr ? *attr->get<int64_t>() : otherwise;
      return std::to_string(given < 0 ? given + rank : given);
    };
    return "transpose(" + arg(0) + ", " + axis("axis1", -2) + ", " + axis("axis2", -1) + ")";
  }
  if (op == ops::pl::tensor::create) {
    return "rank.create(" + element_name(*find_attr(call.attrs, "dtype")->get<DType>()) + ", " +
           list(call.args[0]) + ", " + place(call.span) + ")";
  }
  if (op == ops::pl::tensor::read) {
    return "rank.read<" + type_name(call.type) + ">(" + arg(0) + ", " + list(call.args[1]) + ", " +
           place(call.span) + ")";
  }
  if (op == ops::pl::tensor::write) {
    return "rank.write<" + type_name(call.args[2]->type) + ">(" + arg(0) + ", " + list(call.args[1]) + ", " +
           arg(2) + ", " + place(call.span) + ")";
  }
  if (op == ops::pl::task_join) {
    std::vector<std::string> deps;
    for (const ExprRef& dep : static_cast<const MakeTuple&>(*call.args[0]).elements)
      deps.push_back(text(dep));
    return "rank.defer({}, task_list(" + joined(deps) + "))";
  }
  if (op == ops::pld::get_comm_ctx) return "rank.context(" + arg(0) + ", " + place(call.span) + ")";
  if (op == ops::pld::rank) return arg(0) + ".rank";
  if (op == ops::pld::nranks) return arg(0) + ".ranks";
  if (op == ops::pld::nhosts) return "1";
  if (op == ops::pld::world_size) return "call.world_size()";
  if (op == ops::pld::window) {
    return "call.view(" + arg(0) + ", " + element_name(static_cast<const TensorType&>(*call.type).dtype) +
           ", " + list(call.args[1]) + ", " + place(call.span) + ")";
  }
  diags_.report(diag::pto_host_op, call.span, {call.op->qualified()})
      .with_help("write the kernel with pl.aic_initialize_pipe and pl.aiv_initialize_pipe");
  return "0";
}

}  // namespace tilewire::target::pto
