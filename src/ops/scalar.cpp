// Scalar arithmetic. It nests in expressions and is printed with Python's operators.
//
// Dtypes: a literal takes the dtype of the other operand. Two integers widen to the wider; INDEX has 64 bits
// and gives way to INT64; a signed and an unsigned one widen to the signed one only if it is wider, so that
// every value survives, and are an error otherwise. Two floats widen to the wider; formats of equal width are
// an error. Integers and floats do not mix.
#include "ir/printer.h"
#include "ops/checks.h"
#include "ops/define.h"
#include "ops/families.h"
#include "support/diagnostics/ops.h"

namespace tilewire::ops {

using namespace ir;

namespace {

DType dtype_of(const ExprRef& scalar) {
  return static_cast<const ScalarType&>(*scalar->type).dtype;
}

std::string cast_help(const ExprRef& x, DType dtype) {
  return "convert one of them: pl.cast(" + to_string(x) + ", " + name_of(dtype) + ")";
}

// `//` rather than `pl.scalar.floordiv`.
std::string spelled(const Op& op) {
  return op.infix.empty() ? op.qualified() : op.infix;
}

std::optional<DType> wider_integer(DType a, DType b) {
  if (bits(a) == bits(b)) {
    bool same_sign = info(a).is_signed == info(b).is_signed;
    if (!same_sign) return std::nullopt;
    return a == DType::Index ? b : a;
  }
  DType wide = bits(a) > bits(b) ? a : b;
  DType narrow = bits(a) > bits(b) ? b : a;
  if (info(narrow).is_signed && !info(wide).is_signed) return std::nullopt;
  return wide;
}

// Brings both operands to one dtype; none after an error.
std::optional<DType> unify(OpCheck& c) {
  DType a = dtype_of(c.args[0]);
  DType b = dtype_of(c.args[1]);
  if (a == b) return a;
  std::optional<DType> common;
  if (is_integer(a) && is_integer(b)) {
    common = wider_integer(a, b);
    if (!common) {
      c.error(diag::scalar_signs, "b", {spelled(c.op), name_of(a), name_of(b)})
          .with_help(cast_help(c.args[1], a));
      return std::nullopt;
    }
  } else if (is_float(a) && is_float(b) && bits(a) != bits(b)) {
    common = bits(a) > bits(b) ? a : b;
  } else if (is_integer(a) && is_float(b)) {
    c.error(diag::scalar_int_and_float, "a", {spelled(c.op), name_of(a), name_of(b)})
        .with_help(cast_help(c.args[0], b));
    return std::nullopt;
  } else if (is_float(a) && is_integer(b)) {
    c.error(diag::scalar_int_and_float, "b", {spelled(c.op), name_of(b), name_of(a)})
        .with_help(cast_help(c.args[1], a));
    return std::nullopt;
  } else {
    c.error(diag::dtype_mismatch, "b", {spelled(c.op), name_of(a), name_of(b)})
        .with_help(cast_help(c.args[1], a));
    return std::nullopt;
  }
  c.args[0] = scalar_cast(c.args[0], *common);
  c.args[1] = scalar_cast(c.args[1], *common);
  return common;
}

bool require_numbers(OpCheck& c, DType dtype) {
  if (is_integer(dtype) || is_float(dtype)) return true;
  c.error(diag::dtype_not_allowed, "a", {spelled(c.op), name_of(dtype)})
      .with_help("convert it first: pl.cast(x, pl.INT32)");
  return false;
}

TypeRef arithmetic(OpCheck& c) {
  auto dtype = unify(c);
  if (!dtype || !require_numbers(c, *dtype)) return nullptr;
  return scalar_type(*dtype);
}

TypeRef floor_division(OpCheck& c) {
  auto dtype = unify(c);
  if (!dtype || !require_numbers(c, *dtype)) return nullptr;
  if (is_integer(*dtype) && constant_value(c.args[1]) == 0) {
    c.error(diag::division_by_zero, "b", {spelled(c.op)});
    return nullptr;
  }
  return scalar_type(*dtype);
}

TypeRef true_division(OpCheck& c) {
  DType a = dtype_of(c.args[0]);
  if (is_integer(a) && is_integer(dtype_of(c.args[1]))) {
    const ExprRef& operand = constant_value(c.args[0]) ? c.args[1] : c.args[0];
    c.error(diag::integer_true_division, {name_of(a)})
        .with_help("write `//` to divide and round down, or convert first: pl.cast(" + to_string(operand) +
                   ", pl.FP32)");
    return nullptr;
  }
  return arithmetic(c);
}

TypeRef power(OpCheck& c) {
  auto dtype = unify(c);
  if (!dtype || !require_numbers(c, *dtype)) return nullptr;
  auto exponent = constant_value(c.args[1]);
  if (exponent && *exponent < 0) {
    c.error(diag::negative_power, "b", {std::to_string(*exponent)})
        .with_help("convert the base first: pl.cast(" + to_string(c.args[0]) + ", pl.FP32)");
    return nullptr;
  }
  return scalar_type(*dtype);
}

TypeRef comparison(OpCheck& c) {
  auto dtype = unify(c);
  if (!dtype || !require_numbers(c, *dtype)) return nullptr;
  return scalar_type(DType::Bool);
}

TypeRef equality(OpCheck& c) {
  return unify(c) ? scalar_type(DType::Bool) : nullptr;
}

TypeRef logical(OpCheck& c) {
  static constexpr const char* names[] = {"a", "b"};
  for (size_t i = 0; i < c.args.size(); ++i) {
    DType dtype = dtype_of(c.args[i]);
    if (dtype == DType::Bool) continue;
    Diagnostic& d = c.error(diag::logic_needs_bool, names[i], {spelled(c.op), name_of(dtype)});
    d.with_help("compare it: " + written_at(d, c, names[i]) + " != 0");
  }
  return c.failed() ? nullptr : scalar_type(DType::Bool);
}

bool require_integers(OpCheck& c, bool or_bool) {
  static constexpr const char* names[] = {"a", "b"};
  for (size_t i = 0; i < c.args.size(); ++i) {
    DType dtype = dtype_of(c.args[i]);
    if (is_integer(dtype) || (or_bool && dtype == DType::Bool)) continue;
    Diagnostic& d = c.error(diag::not_integers, names[i], {spelled(c.op), name_of(dtype)});
    d.with_help("convert it: pl.cast(" + written_at(d, c, names[i]) + ", pl.INT32)");
    break;  // a literal beside it has taken its dtype
  }
  return !c.failed();
}

TypeRef bitwise(OpCheck& c) {
  if (!require_integers(c, true)) return nullptr;
  auto dtype = unify(c);
  return dtype ? scalar_type(*dtype) : nullptr;
}

// The result has the dtype of what is shifted, however wide the count is.
TypeRef shift(OpCheck& c) {
  if (!require_integers(c, false)) return nullptr;
  auto count = constant_value(c.args[1]);
  if (count && *count < 0) {
    c.error(diag::negative_shift, "b", {spelled(c.op), std::to_string(*count)})
        .with_help(std::string("write `") + (c.op.infix == "<<" ? ">>" : "<<") + "` with a positive count");
    return nullptr;
  }
  c.args[1] = scalar_cast(c.args[1], dtype_of(c.args[0]));
  return c.args[0]->type;
}

TypeRef unary_number(OpCheck& c) {
  DType dtype = dtype_of(c.args[0]);
  return require_numbers(c, dtype) ? scalar_type(dtype) : nullptr;
}

TypeRef bit_not(OpCheck& c) {
  return require_integers(c, true) ? c.args[0]->type : nullptr;
}

TypeRef cast(OpCheck& c) {
  DType from = dtype_of(c.args[0]);
  DType to = *c.attr("target_type")->get<DType>();
  if (to == DType::TaskId || from == DType::TaskId) {
    c.error(diag::cast_target, "a", {"scalar of " + name_of(from), name_of(to)});
    return nullptr;
  }
  auto value = constant_value(c.args[0]);
  if (value && is_integer(to) && !fits(*value, to)) {
    c.error(diag::constant_out_of_range, "a", {std::to_string(*value), name_of(to)});
    return nullptr;
  }
  return scalar_type(to);
}

struct Binary {
  const char* name;
  Elementwise kind;
  const char* infix;
  const char* doc;
  const char* result;
  TypeRef (*rule)(OpCheck&);
  OperandRole right = Data;  // Control: integers that stop the run
};

const char* const common = "A scalar of the common dtype.";
const char* const boolean = "A BOOL scalar.";

const Binary binaries[] = {
    {"add", Elementwise::Add, "+",
     "The sum of two scalars. As in all scalar arithmetic, a literal takes the dtype of the other operand, "
     "and two "
     "integers widen to the wider: INDEX has 64 bits and gives way to INT64, and a signed and an unsigned "
     "one widen "
     "to the signed one only if it is wider. Two floats widen to the wider. Integers and floats do not mix.",
     common, arithmetic},
    {"sub", Elementwise::Sub, "-", "The difference of two scalars.", common, arithmetic},
    {"mul", Elementwise::Mul, "*", "The product of two scalars.", common, arithmetic},
    {"floordiv", Elementwise::FloorDiv, "//",
     "The quotient of two scalars, rounded down as in Python. Dividing integers by zero stops the run with "
     "an "
     "error.",
     common, floor_division, Control},
    {"mod", Elementwise::Mod, "%",
     "The remainder of `//`; it has the sign of `b`, as in Python. Dividing integers by zero stops the run "
     "with "
     "an error.",
     common, floor_division, Control},
    {"truediv", Elementwise::Div, "/", "The quotient of two float scalars.", common, true_division},
    {"pow", Elementwise::Pow, "**", "`a` to the power `b`. An integer is never raised to a negative power.",
     common, power, Control},
    {"eq", Elementwise::Eq, "==", "Whether two scalars are equal.", boolean, equality},
    {"ne", Elementwise::Ne, "!=", "Whether two scalars differ.", boolean, equality},
    {"lt", Elementwise::Lt, "<", "Whether `a` is below `b`.", boolean, comparison},
    {"le", Elementwise::Le, "<=", "Whether `a` is at most `b`.", boolean, comparison},
    {"gt", Elementwise::Gt, ">", "Whether `a` is above `b`.", boolean, comparison},
    {"ge", Elementwise::Ge, ">=", "Whether `a` is at least `b`.", boolean, comparison},
    {"and", Elementwise::And, "and", "Whether both conditions hold. Both are evaluated.", boolean, logical},
    {"or", Elementwise::Or, "or", "Whether one of two conditions holds. Both are evaluated.", boolean,
     logical},
    {"bitand", Elementwise::And, "&", "The bits set in both integers; on BOOL scalars, `and`.", common,
     bitwise},
    {"bitor", Elementwise::Or, "|", "The bits set in either integer; on BOOL scalars, `or`.", common,
     bitwise},
    {"bitxor", Elementwise::Xor, "^",
     "The bits set in exactly one of two integers; on BOOL scalars, whether they differ.", common, bitwise},
    {"shl", Elementwise::Shl, "<<", "`a` shifted left by `b` bits.", "A scalar of the dtype of `a`.", shift,
     Control},
    {"shr", Elementwise::Shr, ">>", "`a` shifted right by `b` bits; the sign is kept.",
     "A scalar of the dtype of `a`.", shift, Control},
    {"min", Elementwise::Min, "", "The smaller of two scalars; Python's `min` on scalars is this op.", common,
     arithmetic},
    {"max", Elementwise::Max, "", "The larger of two scalars; Python's `max` on scalars is this op.", common,
     arithmetic},
};

const Binary unaries[] = {
    {"neg", Elementwise::Neg, "-x", "The negative of a scalar.", "A scalar of the same dtype.", unary_number},
    {"abs", Elementwise::Abs, "", "The absolute value of a scalar; Python's `abs` on scalars is this op.",
     "A scalar of the same dtype.", unary_number},
    {"not", Elementwise::Not, "not x", "Whether a condition does not hold.", boolean, logical},
    {"bitnot", Elementwise::Not, "~x", "All bits of an integer turned over; on BOOL scalars, `not`.",
     "A scalar of the same dtype.", bit_not},
};

}  // namespace

void define_scalar(std::vector<Op>& ops) {
  for (const Binary& op : binaries) {
    Define(ops, "pl", std::string("scalar.") + op.name, op.doc)
        .operand("a", AcceptScalar, Data, "The left operand. A literal takes the dtype of `b`.")
        .like(1)
        .operand("b", AcceptScalar, op.right, "The right operand. A literal takes the dtype of `a`.")
        .like(0)
        .infix(op.infix)
        .computes(op.kind)
        .result(op.result)
        .levels(Anywhere)
        .rule(op.rule);
  }
  for (const Binary& op : unaries) {
    Define(ops, "pl", std::string("scalar.") + op.name, op.doc)
        .operand("a", AcceptScalar, Data, "The operand.")
        .infix(op.infix)
        .computes(op.kind)
        .result(op.result)
        .levels(Anywhere)
        .rule(op.rule);
  }
  Define(
      ops, "pl", "scalar.cast",
      "A scalar converted to another dtype. Integers that do not fit the new integer dtype stop the run with "
      "an "
      "error; floats become integers by rounding to nearest even and saturating, NaN becomes 0; anything "
      "but 0 "
      "becomes True as BOOL.")
      .operand("a", AcceptScalar, Control, "The scalar to convert.")
      .attr("target_type", AttrKind::DType, "The dtype of the result.")
      .result("A scalar of dtype `target_type`.")
      .levels(Anywhere)
      .rule(cast);
}

}  // namespace tilewire::ops
