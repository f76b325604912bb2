// Ops that work element by element, on tiles and on tensors: binary, unary, compare, select, cast.
#include "ir/printer.h"
#include "ir/written.h"
#include "ops/broadcast.h"
#include "ops/checks.h"
#include "ops/define.h"
#include "ops/families.h"
#include "ops/levels.h"
#include "ops/registry.h"
#include "support/diagnostics/ops.h"

namespace tilewire::ops {

using namespace ir;

namespace {

DType dtype_of(const ExprRef& operand) {
  if (auto value = shaped(operand)) return value->dtype;
  return static_cast<const ScalarType&>(*operand->type).dtype;
}

void shape_error(OpCheck& c, const Shaped& a, const Shaped& b) {
  Diagnostic& d =
      c.error(diag::shape_mismatch, "b", {c.op.qualified(), shape_text(*a.shape), shape_text(*b.shape)});
  const auto* x = as<TileType>(c.args[0]->type);
  const auto* y = as<TileType>(c.args[1]->type);
  if (!x || !y) {
    // Tiles of these shapes would be expanded.
    auto has_one = [](const ExprList& shape) {
      return shape.size() == 2 && (constant_value(shape[0]) == 1 || constant_value(shape[1]) == 1);
    };
    if (c.op.on_tensors && has_one(*b.shape) != has_one(*a.shape)) {
      const ExprRef& large = has_one(*b.shape) ? c.args[0] : c.args[1];
      const std::string text = written(isa<Var>(large) ? nullptr : &large->span, large);
      d.with_help("load the tensor first, pl.load(" + text + "): only tiles are broadcast");
    }
    return;
  }
  if (const Op* form = expanded_form(c.op, *x, *y)) {
    d.with_help("write `" + form->qualified() + "(a, b)`, or use the operator");
  }
}

// Both operands agree in dtype, and in shape where both have one. Gives the type of the computed value.
TypeRef agree(OpCheck& c) {
  auto a = shaped(c.args[0]);
  auto b = shaped(c.args[1]);
  if (!a && !b) {
    bool tile = c.op.params[0].accepts & AcceptTile;
    c.error(diag::no_shaped_operand, {c.op.qualified(), tile ? "tile" : "tensor"});
    return nullptr;
  }
  DType x = dtype_of(c.args[0]);
  DType y = dtype_of(c.args[1]);
  if (x != y) {
    // The scalar is the one to convert, else the second operand.
    bool first = !a;
    const char* operand = first ? "a" : "b";
    Diagnostic& d = c.error(diag::dtype_mismatch, operand, {c.op.qualified(), name_of(x), name_of(y)});
    d.with_help("convert one of them: pl.cast(" + written_at(d, c, operand) + ", " + name_of(first ? y : x) +
                ")");
  }
  if (a && b && !may_equal(*a->shape, *b->shape)) shape_error(c, *a, *b);
  if (c.failed()) return nullptr;
  return computed_type((a ? c.args[0] : c.args[1])->type);
}

TypeRef with_dtype(const TypeRef& type, DType dtype) {
  if (const auto* tile = as<TileType>(type)) return value_type(true, tile->shape, dtype);
  return tensor_type(static_cast<const TensorType&>(*type).shape, dtype);
}

constexpr int quick = 1;

struct BinaryOp {
  const char* name;
  Elementwise kind;
  int cost;
  const char* infix;
  const DTypeSet* allowed;
  const char* doc;
  const char* alias = nullptr;
};

const BinaryOp binaries[] = {
    {"add", Elementwise::Add, quick, "+", &numbers, "The sum, element by element."},
    {"sub", Elementwise::Sub, quick, "-", &numbers, "The difference, element by element."},
    {"mul", Elementwise::Mul, quick, "*", &numbers, "The product, element by element."},
    {"div", Elementwise::Div, slow, "/", &numbers,
     "The quotient, element by element. Integers are divided towards zero, and a zero divisor yields 0."},
    {"rem", Elementwise::Rem, slow, "%", &numbers,
     "The remainder of `div`, element by element; it has the sign of `a`. A zero integer divisor yields 0.",
     "fmod"},
    {"maximum", Elementwise::Max, quick, "", &numbers, "The larger element of each pair."},
    {"minimum", Elementwise::Min, quick, "", &numbers, "The smaller element of each pair."},
    {"and_", Elementwise::And, quick, "&", &integers_or_bool,
     "The bits set in both elements; on BOOL, whether both hold."},
    {"or_", Elementwise::Or, quick, "|", &integers_or_bool,
     "The bits set in either element; on BOOL, whether one holds."},
    {"xor", Elementwise::Xor, quick, "^", &integers_or_bool,
     "The bits set in exactly one element; on BOOL, whether exactly one holds."},
    {"shl", Elementwise::Shl, quick, "<<", &integers,
     "Every element of `a` shifted left by the element of `b`."},
    {"shr", Elementwise::Shr, quick, ">>", &integers,
     "Every element of `a` shifted right by the element of `b`; the sign is kept."},
};

struct UnaryOp {
  const char* name;
  Elementwise kind;
  int cost;
  const char* infix;
  const DTypeSet* allowed;
  const char* doc;
};

const UnaryOp unaries[] = {
    {"neg", Elementwise::Neg, quick, "-x", &numbers, "The negative of every element."},
    {"abs", Elementwise::Abs, quick, "", &numbers, "The absolute value of every element."},
    {"recip", Elementwise::Recip, slow, "", &floats, "One divided by every element."},
    {"exp", Elementwise::Exp, slow, "", &floats, "e to the power of every element."},
    {"log", Elementwise::Log, slow, "", &floats, "The natural logarithm of every element."},
    {"sqrt", Elementwise::Sqrt, slow, "", &floats, "The square root of every element."},
    {"rsqrt", Elementwise::Rsqrt, slow, "", &floats, "One divided by the square root of every element."},
    {"sin", Elementwise::Sin, slow, "", &floats, "The sine of every element, in radians."},
    {"cos", Elementwise::Cos, slow, "", &floats, "The cosine of every element, in radians."},
    {"relu", Elementwise::Relu, quick, "", &numbers, "Every element, or 0 where it is negative."},
    {"tanh", Elementwise::Tanh, slow, "", &floats, "The hyperbolic tangent of every element."},
    {"sigmoid", Elementwise::Sigmoid, slow, "", &floats, "1 / (1 + exp(-x)) of every element."},
    {"not_", Elementwise::Not, quick, "~x", &integers_or_bool,
     "All bits of every element turned over; on BOOL, the opposite."},
};

TypeRef unary_rule(OpCheck& c, const DTypeSet& allowed) {
  if (!check_dtype(c, "x", shaped(c.args[0])->dtype, allowed)) return nullptr;
  return computed_type(c.args[0]->type);
}

TypeRef binary_rule(OpCheck& c, const DTypeSet& allowed) {
  TypeRef type = agree(c);
  if (!type) return nullptr;
  return check_dtype(c, shaped(c.args[0]) ? "a" : "b", dtype_of(c.args[0]), allowed) ? type : nullptr;
}

TypeRef cmp_rule(OpCheck& c) {
  TypeRef type = agree(c);
  if (!type) return nullptr;
  CmpOp op = c.enum_attr<CmpOp>("op");
  bool equality = op == CmpOp::Eq || op == CmpOp::Ne;
  DType dtype = dtype_of(c.args[0]);
  if (!(equality && dtype == DType::Bool) && !check_dtype(c, shaped(c.args[0]) ? "a" : "b", dtype, numbers)) {
    return nullptr;
  }
  return with_dtype(type, DType::Bool);
}

TypeRef sel_rule(OpCheck& c) {
  auto mask = shaped(c.args[0]);
  if (mask->dtype != DType::Bool) {
    c.error(diag::mask_not_bool, "mask", {c.op.qualified(), name_of(mask->dtype)})
        .with_help("make one with a comparison: pl.cmp(x, 0, \"ne\")");
  }
  DType a = dtype_of(c.args[1]);
  DType b = dtype_of(c.args[2]);
  if (a != b) check_same_dtype(c, "a", "b");
  for (const char* name : {"a", "b"}) {
    if (shaped(c.arg(name))) check_same_shape(c, "mask", name);
  }
  if (a == DType::TaskId) check_dtype(c, "a", a, numbers);
  if (c.failed()) return nullptr;
  return with_dtype(c.args[0]->type, a);
}

TypeRef cast_rule(OpCheck& c) {
  DType from = shaped(c.args[0])->dtype;
  DType to = *c.attr("target_type")->get<DType>();
  RoundMode mode = c.enum_attr<RoundMode>("mode");
  if (to == DType::TaskId) {
    c.error(diag::cast_target, "x", {to_string(c.args[0]->type), name_of(to)});
    return nullptr;
  }
  bool narrower_float = is_float(from) && is_float(to) && bits(to) < bits(from);
  if (mode == RoundMode::Odd && !narrower_float) {
    c.error(diag::round_odd, "x", {name_of(from), name_of(to)})
        .with_help("leave `mode` out, or choose \"rint\", \"round\", \"floor\", \"ceil\" or \"trunc\"");
    return nullptr;
  }
  if (mode != RoundMode::Rint && !is_float(from) && !is_float(to)) {
    c.error(diag::round_mode_unused, "x", {name_of(from), name_of(to)}).with_help("leave `mode` out");
    return nullptr;
  }
  return with_dtype(c.args[0]->type, to);
}

void define_binary(std::vector<Op>& ops, const Level& level, const BinaryOp& op) {
  const DTypeSet* allowed = op.allowed;
  Define def(ops, "pl", level.family + std::string(op.name), op.doc);
  if (op.alias) def.alias(level.family + std::string(op.alias));
  def.operand("a", level.accepts | AcceptScalar, Data, "The left operand. A number takes the dtype of `b`.")
      .like(1)
      .operand("b", level.accepts | AcceptScalar, Data,
               "The right operand, of the same shape and dtype. A number takes the dtype of `a`.")
      .like(0)
      .infix(op.infix)
      .form(OpForm::Map)
      .computes(op.kind, op.cost)
      .result(std::string("A ") + level.noun + " of the same shape and dtype.")
      .rule([allowed](OpCheck& c) { return binary_rule(c, *allowed); });
  if (level.accepts == AcceptTensor) def.effect(Access::Read, "a").effect(Access::Read, "b");
}

void define_unary(std::vector<Op>& ops, const Level& level, const UnaryOp& op) {
  const DTypeSet* allowed = op.allowed;
  Define def(ops, "pl", level.family + std::string(op.name), op.doc);
  def.operand("x", level.accepts, Data, std::string("The ") + level.noun + " it is taken of.")
      .infix(op.infix)
      .form(OpForm::Map)
      .computes(op.kind, op.cost)
      .result(std::string("A ") + level.noun + " of the same shape and dtype.")
      .rule([allowed](OpCheck& c) { return unary_rule(c, *allowed); });
  if (level.accepts == AcceptTensor) def.effect(Access::Read, "x");
}

void define_compare(std::vector<Op>& ops, const Level& level) {
  bool tensor = level.accepts == AcceptTensor;
  const std::string noun = level.noun;
  Define cmp(
      ops, "pl", level.family + std::string("cmp"),
      "Compares element by element. The operators ==, !=, <, <=, >, >= on a " + noun + " are this op.");
  cmp.operand("a", level.accepts | AcceptScalar, Data, "The left operand. A number takes the dtype of `b`.")
      .like(1)
      .operand("b", level.accepts | AcceptScalar, Data,
               "The right operand, of the same shape and dtype. A number takes the dtype of `a`.")
      .like(0)
      .choice<CmpOp>("op", "The comparison.")
      .form(OpForm::Map)
      .result("A BOOL " + noun + " of the same shape, for `sel`.")
      .rule(cmp_rule);
  if (tensor) cmp.effect(Access::Read, "a").effect(Access::Read, "b");

  Define sel(ops, "pl", level.family + std::string("sel"),
             "Chooses element by element: from `a` where the mask holds, from `b` where it does not.");
  sel.operand("mask", level.accepts, Data, "A BOOL " + noun + ".")
      .operand("a", level.accepts | AcceptScalar, Data, "What is taken where the mask holds.")
      .like(2)
      .operand("b", level.accepts | AcceptScalar, Data, "What is taken elsewhere, of the same dtype.")
      .like(1)
      .form(OpForm::Map)
      .alias(level.family + std::string("where"))
      .result("A " + noun + " of the shape of `mask` and the dtype of `a` and `b`.")
      .rule(sel_rule);
  if (tensor) sel.effect(Access::Read, "mask").effect(Access::Read, "a").effect(Access::Read, "b");

  Define cast(
      ops, "pl", level.family + std::string("cast"),
      "Converts every element to another dtype. Floats become integers by rounding as `mode` says and "
      "saturating, NaN becomes 0; integers that do not fit wrap around.");
  cast.operand("x", level.accepts, Data, "The " + noun + " to convert.")
      .attr("target_type", AttrKind::DType, "The dtype of the result.")
      .choice<RoundMode>("mode", "How a value between two representable ones is rounded.")
      .by_default(RoundMode::Rint)
      .form(OpForm::Map)
      .result("A " + noun + " of the same shape and dtype `target_type`.")
      .rule(cast_rule);
  if (tensor) cast.effect(Access::Read, "x");
}

}  // namespace

void define_elementwise(std::vector<Op>& ops) {
  for (const Level& level : levels) {
    for (const BinaryOp& op : binaries) define_binary(ops, level, op);
    for (const UnaryOp& op : unaries) define_unary(ops, level, op);
    define_compare(ops, level);
  }
}

}  // namespace tilewire::ops
