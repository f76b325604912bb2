#include "ir/printer_expr.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "ir/op.h"

namespace tilewire::ir {
namespace {

bool is_constant(const ExprRef& expr) {
  return isa<ConstInt>(expr) || isa<ConstFloat>(expr) || isa<ConstBool>(expr);
}

std::optional<DType> constant_dtype(const ExprRef& expr) {
  return is_constant(expr) ? scalar_dtype(expr->type) : std::nullopt;
}

std::optional<DType> element_dtype(const TypeRef& type) {
  if (const auto* scalar = as<ScalarType>(type)) return scalar->dtype;
  if (const auto* tensor = as<TensorType>(type)) return tensor->dtype;
  if (const auto* tile = as<TileType>(type)) return tile->dtype;
  if (const auto* array = as<ArrayType>(type)) return array->dtype;
  return std::nullopt;
}

// Operators work on tiles too, but there the operator does not say which op it is (`+` may be a broadcast).
bool prints_infix(const Call& call) {
  if (call.op->infix.empty() || call.args.empty() || call.args.size() > 2) return false;
  for (const ExprRef& arg : call.args) {
    if (!arg || !isa<ScalarType>(arg->type)) return false;
  }
  return true;
}

// The shortest text that rounds to the same constant: FP32 0.1 is stored as 0.10000000149011612.
std::string short_float_text(const ConstFloat& constant) {
  if (std::isfinite(constant.value)) {
    char buffer[64];
    char* const last = buffer + sizeof buffer;
    auto value = static_cast<float>(constant.value);
    // Fewer digits than FP32 needs are enough for narrower types; whole numbers stay what they are.
    bool narrow = constant.dtype != DType::FP32 && std::trunc(value) != value;
    for (int digits = narrow ? 1 : 9; digits <= 9; ++digits) {
      char* end = narrow ? std::to_chars(buffer, last, value, std::chars_format::general, digits).ptr
                         : std::to_chars(buffer, last, value).ptr;
      double read = 0;
      std::from_chars(buffer, end, read);
      if (round_to(read, constant.dtype) != constant.value) continue;
      std::string text(buffer, end);
      if (text.find_first_of(".e") == std::string::npos) text += ".0";
      return text;
    }
  }
  return float_text(constant.value);
}

}  // namespace

struct ExprWriter::Infix {
  std::string_view spelling;
  Precedence own, left, right;
};

ExprWriter::Infix ExprWriter::infix_form(std::string_view spelling) {
  using enum Precedence;
  // A right operand of the same precedence is parenthesised (operators group to the left), except for `**`;
  // comparisons never chain.
  static constexpr Infix table[] = {
      {"or", Or, Or, And},
      {"and", And, And, Not},
      {"==", Compare, BitOr, BitOr},
      {"!=", Compare, BitOr, BitOr},
      {"<", Compare, BitOr, BitOr},
      {"<=", Compare, BitOr, BitOr},
      {">", Compare, BitOr, BitOr},
      {">=", Compare, BitOr, BitOr},
      {"|", BitOr, BitOr, BitXor},
      {"^", BitXor, BitXor, BitAnd},
      {"&", BitAnd, BitAnd, Shift},
      {"<<", Shift, Shift, Sum},
      {">>", Shift, Shift, Sum},
      {"+", Sum, Sum, Product},
      {"-", Sum, Sum, Product},
      {"*", Product, Product, Unary},
      {"/", Product, Product, Unary},
      {"//", Product, Product, Unary},
      {"%", Product, Product, Unary},
      {"**", Power, Atom, Unary},
      {"not x", Not, Not, Not},
      {"-x", Unary, Unary, Unary},
      {"~x", Unary, Unary, Unary},
      {"+x", Unary, Unary, Unary},
  };
  for (const Infix& entry : table) {
    if (entry.spelling == spelling) return entry;
  }
  internal_error(__FILE__, __LINE__, "no precedence for operator " + std::string(spelling));
}

void ExprWriter::comma_separated(const ExprList& elements) {
  for (size_t i = 0; i < elements.size(); ++i) {
    if (i) out_ += ", ";
    expr(elements[i]);
  }
}

void ExprWriter::list(const ExprList& elements) {
  out_ += '[';
  comma_separated(elements);
  out_ += ']';
}

void ExprWriter::tuple(const ExprList& elements) {
  out_ += '(';
  comma_separated(elements);
  if (elements.size() == 1) out_ += ',';
  out_ += ')';
}

void ExprWriter::integer(int64_t value) {
  char buffer[24];
  out_.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

void ExprWriter::attr(const AttrValue& value) {
  if (const auto* e = value.get<EnumValue>()) uses_distributed_ |= info(e->id).module == "pld";
  out_ += to_string(value);
}

void ExprWriter::write(const ExprRef& expr, Precedence at_least, Literal literal) {
  if (!expr) {
    out_ += '?';
    return;
  }
  switch (expr->kind()) {
    case kind_of<Var>:
    case kind_of<Parameter>:
    case kind_of<WindowBuffer>:
      out_ += names_.name(*as<Var>(expr));
      break;
    case kind_of<DimSymbol>:
      out_ += names_.name(*as<DimSymbol>(expr));
      break;
    case kind_of<ConstInt>:
      const_int(*as<ConstInt>(expr), at_least, literal);
      break;
    case kind_of<ConstFloat>:
      const_float(*as<ConstFloat>(expr), at_least, literal);
      break;
    case kind_of<ConstBool>:
      const_bool(as<ConstBool>(expr)->value, literal);
      break;
    case kind_of<Call>:
      call(*as<Call>(expr), at_least);
      break;
    case kind_of<FunctionCall>:
      function_call(*as<FunctionCall>(expr));
      break;
    case kind_of<MakeTuple>:
      tuple(as<MakeTuple>(expr)->elements);
      break;
    case kind_of<TupleGet>:
      write(as<TupleGet>(expr)->tuple, Precedence::Atom, Literal::Default);
      out_ += '[';
      integer(as<TupleGet>(expr)->index);
      out_ += ']';
      break;
    default:
      internal_error(__FILE__, __LINE__, "the printer does not know this kind of expression");
  }
}

void ExprWriter::literal_text(std::string_view text, DType dtype, Precedence at_least, bool bare) {
  if (!bare) {
    out_ += "pl.const(";
    out_ += text;
    out_ += ", pl.";
    out_ += info(dtype).name;
    out_ += ')';
  } else if (text.front() == '-' && at_least > Precedence::Unary) {
    out_ += '(';
    out_ += text;
    out_ += ')';
  } else {
    out_ += text;
  }
}

void ExprWriter::const_int(const ConstInt& constant, Precedence at_least, Literal literal) {
  bool bare = constants_ == Constants::Plain || literal == Literal::Bare ||
              (literal == Literal::Default && constant.dtype == DType::Index);
  // The sign is not part of a literal, so the lowest number has none.
  if (constant.value == std::numeric_limits<int64_t>::min() && constants_ == Constants::Exact) {
    return literal_text("-9223372036854775807 - 1", constant.dtype, at_least, false);
  }
  char buffer[24];
  const char* end = std::to_chars(buffer, buffer + sizeof buffer, constant.value).ptr;
  literal_text({buffer, end}, constant.dtype, at_least, bare);
}

void ExprWriter::const_float(const ConstFloat& constant, Precedence at_least, Literal literal) {
  bool bare = constants_ == Constants::Plain || literal == Literal::Bare ||
              (literal == Literal::Default && constant.dtype == DType::FP32);
  literal_text(short_float_text(constant), constant.dtype, at_least, bare);
}

void ExprWriter::const_bool(bool value, Literal literal) {
  bool bare = constants_ == Constants::Plain || literal != Literal::Typed;
  literal_text(value ? "True" : "False", DType::Bool, Precedence::Lowest, bare);
}

void ExprWriter::call(const Call& call, Precedence at_least) {
  if (call.args.size() != call.op->operand_count) {
    // Read from damaged bytes and about to be refused: messages may still want to show it.
    out_ += call.op->qualified() + "(...)";
  } else if (prints_infix(call)) {
    infix_call(call, at_least);
  } else {
    named_call(call);
  }
}

void ExprWriter::infix_call(const Call& call, Precedence at_least) {
  Infix form = infix_form(call.op->infix);
  bool parentheses = form.own < at_least;
  if (parentheses) out_ += '(';
  // The reader folds operators whose operands are all literals; it never folds pl.const.
  bool all_constant = true;
  for (const ExprRef& arg : call.args) all_constant = all_constant && is_constant(arg);
  auto literal_at = [&](size_t i) {
    if (all_constant || isa<ConstBool>(call.args[i])) return Literal::Typed;
    return literal_for(call, i, call.args[i]);
  };
  if (call.args.size() == 1) {
    out_ += form.spelling.substr(0, form.spelling.size() - 1);
    write(call.args[0], form.right, literal_at(0));
  } else {
    write(call.args[0], form.left, literal_at(0));
    out_ += ' ';
    out_ += form.spelling;
    out_ += ' ';
    write(call.args[1], form.right, literal_at(1));
  }
  if (parentheses) out_ += ')';
}

void ExprWriter::named_call(const Call& call) {
  const Op& op = *call.op;
  uses_distributed_ |= op.module == "pld";
  out_ += op.module;
  out_ += '.';
  out_ += op.name;
  out_ += '(';
  bool first = true;
  bool positional = true;  // as long as every parameter so far was given by position
  for (size_t i = 0; i < op.params.size(); ++i) {
    const OpParam& param = op.params[i];
    const AttrValue* attribute = nullptr;
    const ExprRef* arg = nullptr;
    if (param.kind == OpParam::Attribute) {
      attribute = find_attr(call.attrs, param.name);
      positional = false;
      if (!attribute) continue;
    } else {
      arg = &call.args[op.operand_slots[i]];
      positional = positional && *arg && !param.keyword_only;
      if (!*arg) continue;
    }
    if (!first) out_ += ", ";
    first = false;
    if (!positional) {
      out_ += param.name;
      out_ += '=';
    }
    if (attribute) {
      attr(*attribute);
    } else {
      operand(call, i, *arg);
    }
  }
  out_ += ')';
}

ExprWriter::Literal ExprWriter::literal_for(const Call& call, size_t index, const ExprRef& value) {
  const OpParam& param = call.op->params[index];
  auto dtype = constant_dtype(value);
  if (!dtype || *dtype == DType::Bool) return Literal::Default;
  if (param.literal) return *param.literal == *dtype ? Literal::Bare : Literal::Typed;
  if (param.like < 0) return Literal::Default;
  const OpParam& model = call.op->params[param.like];
  if (model.kind == OpParam::Attribute) {
    const AttrValue* given = find_attr(call.attrs, model.name);
    if (!given && model.default_value) given = &*model.default_value;
    const DType* asked = given ? given->get<DType>() : nullptr;
    return asked && *asked == *dtype ? Literal::Bare : Literal::Typed;
  }
  const ExprRef& other = call.args[call.op->operand_slots[param.like]];
  if (!other) return Literal::Default;
  return !is_constant(other) && element_dtype(other->type) == dtype ? Literal::Bare : Literal::Typed;
}

void ExprWriter::operand(const Call& call, size_t index, const ExprRef& arg) {
  const OpParam& param = call.op->params[index];
  const auto* elements = as<MakeTuple>(arg);
  if (param.kind != OpParam::ListOperand || !elements) {
    return write(arg, Precedence::Lowest, literal_for(call, index, arg));
  }
  out_ += '[';
  bool first = true;
  for (const ExprRef& element : elements->elements) {
    if (!first) out_ += ", ";
    first = false;
    write(element, Precedence::Lowest, literal_for(call, index, element));
  }
  out_ += ']';
}

void ExprWriter::function_call(const FunctionCall& call) {
  out_ += "self.";
  out_ += call.callee;
  out_ += '(';
  bool first = true;
  auto separate = [&](std::string_view keyword) {
    if (!first) out_ += ", ";
    first = false;
    out_ += keyword;
  };
  for (const ExprRef& arg : call.args) {
    separate("");
    expr(arg);
  }
  if (call.device) {
    separate("device=");
    expr(call.device);
  }
  if (call.blocks) {
    separate("blocks=");
    expr(call.blocks);
  }
  if (!call.deps.empty()) {
    separate("deps=");
    list(call.deps);
  }
  out_ += ')';
}

void ExprWriter::type(const TypeRef& type) {
  if (!type) {
    out_ += '?';
    return;
  }
  switch (type->kind()) {
    case kind_of<ScalarType>:
      out_ += "pl.Scalar[pl.";
      out_ += info(as<ScalarType>(type)->dtype).name;
      out_ += ']';
      break;
    case kind_of<TensorType>:
      out_ += "pl.Tensor[";
      tensor_type(*as<TensorType>(type));
      out_ += ']';
      break;
    case kind_of<DistributedTensorType>:
      uses_distributed_ = true;
      out_ += "pld.DistributedTensor[";
      tensor_type(*as<TensorType>(type));
      out_ += ']';
      break;
    case kind_of<TileType>: {
      const auto& tile = *as<TileType>(type);
      out_ += "pl.Tile[";
      list(tile.shape);
      out_ += ", pl.";
      out_ += info(tile.dtype).name;
      if (tile.memory) out_ += ", " + to_string(enum_value(*tile.memory));
      out_ += ']';
      break;
    }
    case kind_of<ArrayType>:
      out_ += "pl.Array[";
      integer(as<ArrayType>(type)->extent);
      out_ += ", pl.";
      out_ += info(as<ArrayType>(type)->dtype).name;
      out_ += ']';
      break;
    case kind_of<TupleType>: {
      const auto& types = as<TupleType>(type)->types;
      out_ += types.empty() ? "pl.Tuple[()" : "pl.Tuple[";
      for (size_t i = 0; i < types.size(); ++i) {
        if (i) out_ += ", ";
        this->type(types[i]);
      }
      out_ += ']';
      break;
    }
    case kind_of<TaskIdType>:
      out_ += "pl.TaskId";
      break;
    case kind_of<CommCtxType>:
      uses_distributed_ = true;
      out_ += "pld.CommCtx";
      break;
    // In text a window buffer is the name its Ptr was assigned to.
    case kind_of<PtrType>:
    case kind_of<WindowBufferType>:
      out_ += "pl.Ptr";
      break;
    default:
      internal_error(__FILE__, __LINE__, "the printer does not know this kind of type");
  }
}

void ExprWriter::tensor_type(const TensorType& type) {
  list(type.shape);
  out_ += ", pl.";
  out_ += info(type.dtype).name;
  if (type.view) {
    out_ += ", ";
    tensor_view(*type.view);
  }
}

void ExprWriter::tensor_view(const TensorView& view) {
  if (view.stride.empty()) {
    // `pl.ND` by itself is no view at all.
    out_ += view.layout == Layout::ND ? "pl.TensorView()" : to_string(enum_value(view.layout));
    return;
  }
  out_ += "pl.TensorView(stride=";
  list(view.stride);
  if (view.layout != Layout::ND) out_ += ", layout=" + to_string(enum_value(view.layout));
  out_ += ')';
}

}  // namespace tilewire::ir
