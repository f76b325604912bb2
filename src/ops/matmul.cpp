// Matrix products. FP16, BF16 and FP32 accumulate in FP32, INT8 in INT32.
#include "ir/expansion.h"
#include "ir/printer.h"
#include "ops/checks.h"
#include "ops/define.h"
#include "ops/families.h"
#include "ops/handles.h"
#include "support/diagnostics/ops.h"

namespace tilewire::ops {

using namespace ir;

namespace {

std::optional<DType> accumulator_of(DType input) {
  switch (input) {
    case DType::FP16:
    case DType::BF16:
    case DType::FP32:
      return DType::FP32;
    case DType::Int8:
      return DType::Int32;
    default:
      return std::nullopt;
  }
}

struct Product {
  ExprList batch;
  ExprRef rows, cols;
  DType accumulator;
  bool is_tile;

  ExprList shape() const {
    ExprList all = batch;
    all.push_back(rows);
    all.push_back(cols);
    return all;
  }
};

bool check_rank(OpCheck& c, const char* name, const Shaped& x, bool batched) {
  size_t rank = x.shape->size();
  if (batched ? rank >= 3 : rank == 2) return true;
  if (batched) {
    c.error(diag::rank_too_small, name, {c.op.qualified(), "3", std::to_string(rank)})
        .with_help("use pl.matmul for two matrices");
  } else {
    c.error(diag::rank_not_equal, name, {c.op.qualified(), "2", std::to_string(rank)})
        .with_help("use pl.batch_matmul for tensors of a higher rank");
  }
  return false;
}

bool check_inputs(OpCheck& c, const Shaped& a, const Shaped& b) {
  if (a.dtype != b.dtype) return check_same_dtype(c, "a", "b");
  if (accumulator_of(a.dtype)) return true;
  Diagnostic& d = c.error(diag::matmul_dtypes, "a", {c.op.qualified(), name_of(a.dtype)});
  d.with_help("convert both operands: pl.cast(" + written_at(d, c, "a") + ", pl.FP32)");
  return false;
}

// Shape and accumulator of `a @ b`; none after an error.
std::optional<Product> multiply(OpCheck& c, bool batched) {
  auto a = *shaped(c.arg("a"));
  auto b = *shaped(c.arg("b"));
  bool good = check_rank(c, "a", a, batched);
  good = check_rank(c, "b", b, batched) && good;
  good = check_inputs(c, a, b) && good;
  if (!good) return std::nullopt;
  Product p;
  size_t n = a.shape->size() - 2;
  p.batch.assign(a.shape->begin(), a.shape->begin() + n);
  if (batched) {
    ExprList other(b.shape->begin(), b.shape->end() - 2);
    if (!may_equal(p.batch, other)) {
      c.error(diag::batch_mismatch, "b", {c.op.qualified(), shape_text(p.batch), shape_text(other)});
      return std::nullopt;
    }
  }
  size_t m = b.shape->size() - 2;
  bool a_trans = c.flag("a_trans"), b_trans = c.flag("b_trans");
  p.rows = (*a.shape)[n + a_trans];
  p.cols = (*b.shape)[m + !b_trans];
  const ExprRef& inner_a = (*a.shape)[n + !a_trans];
  const ExprRef& inner_b = (*b.shape)[m + b_trans];
  if (!may_equal(inner_a, inner_b)) {
    Diagnostic& d = c.error(
        diag::matmul_inner, "b",
        {c.op.qualified(), shape_text(*a.shape) + (a_trans ? " transposed" : ""),
         shape_text(*b.shape) + (b_trans ? " transposed" : ""), to_string(inner_a), to_string(inner_b)});
    const ExprRef& turned = (*b.shape)[m + !b_trans];
    if (may_equal(inner_a, turned))
      d.with_help(b_trans ? "leave `b_trans` out" : "did you mean `b_trans=True`?");
    return std::nullopt;
  }
  p.accumulator = *accumulator_of(a.dtype);
  p.is_tile = a.is_tile;
  return p;
}

TypeRef matmul_rule(OpCheck& c, bool batched) {
  auto p = multiply(c, batched);
  if (!p) return nullptr;
  DType out = p->accumulator;
  if (const AttrValue* asked = c.attr("out_dtype")) {
    out = *asked->get<DType>();
    bool narrowed = p->accumulator == DType::FP32 && (out == DType::FP16 || out == DType::BF16);
    if (out != p->accumulator && !narrowed) {
      c.error(diag::matmul_result,
              {c.op.qualified(), name_of(*c.dtype("a")),
               p->accumulator == DType::FP32 ? "pl.FP32, pl.FP16 or pl.BF16" : "pl.INT32", name_of(out)});
      return nullptr;
    }
  }
  return value_type(p->is_tile, p->shape(), out);
}

TypeRef gemv_rule(OpCheck& c) {
  TypeRef type = matmul_rule(c, false);
  if (!type) return nullptr;
  auto b = *shaped(c.arg("b"));
  const bool b_trans = c.flag("b_trans");
  if (may_equal((*b.shape)[b_trans ? 0 : 1], const_index(1))) return type;
  auto a = *shaped(c.arg("a"));
  c.error(diag::expand_vector, "b",
          {c.op.qualified(), b_trans ? "a row" : "a column", b_trans ? "[1, K]" : "[K, 1]",
           shape_text(*a.shape), shape_text(*b.shape)})
      .with_help("use pl.matmul for two matrices");
  return nullptr;
}

// An operand of the accumulator's dtype and the given shape.
bool check_accumulator(OpCheck& c, const char* name, const Product& p, const ExprList& shape) {
  auto x = *shaped(c.arg(name));
  if (x.dtype == p.accumulator && may_equal(*x.shape, shape)) return true;
  c.error(diag::matmul_accumulator, name,
          {c.op.qualified(), name_of(*c.dtype("a")), name_of(p.accumulator) + " of " + shape_text(shape),
           name_of(x.dtype), shape_text(*x.shape)});
  return false;
}

TypeRef matmul_acc_rule(OpCheck& c) {
  auto p = multiply(c, false);
  if (!p || !check_accumulator(c, "acc", *p, p->shape())) return nullptr;
  return p->is_tile ? value_type(true, p->shape(), p->accumulator) : c.arg("acc")->type;
}

TypeRef matmul_bias_rule(OpCheck& c) {
  auto p = multiply(c, false);
  if (!p || !check_accumulator(c, "bias", *p, {const_index(1), p->cols})) return nullptr;
  return value_type(p->is_tile, p->shape(), p->accumulator);
}

Define& inputs(Define& def, uint16_t accepts, const std::string& noun) {
  return def.operand("a", accepts, Data, "The left " + noun + ", [M, K]: FP16, BF16, FP32 or INT8.")
      .operand("b", accepts, Data, "The right " + noun + ", [K, N], of the same dtype.");
}

Define& transposes(Define& def) {
  return def.attr("a_trans", AttrKind::Bool, "Whether `a` is stored transposed, [K, M].")
      .by_default({false})
      .attr("b_trans", AttrKind::Bool, "Whether `b` is stored transposed, [N, K].")
      .by_default({false});
}

void reads(Define& def, bool tensor, std::initializer_list<const char*> names) {
  if (!tensor) return;
  for (const char* name : names) def.effect(Access::Read, name);
}

void out_dtype(Define& def) {
  def.attr("out_dtype", AttrKind::DType,
           "The dtype of the result: that of the accumulator if left out, or FP16 or BF16 for float inputs.")
      .optional();
}

void define_level(std::vector<Op>& ops, bool tensor) {
  const std::string family = tensor ? "tensor." : "tile.";
  const std::string noun = tensor ? "tensor" : "tile";
  const uint16_t accepts = tensor ? AcceptTensor : AcceptTile;
  Define matmul(ops, "pl", family + "matmul",
                "The matrix product of `a` and `b`, accumulated in FP32, or in INT32 for INT8.");
  inputs(matmul, accepts, noun);
  out_dtype(transposes(matmul));
  matmul.alias(family + "dot")
      .form(OpForm::Matmul)
      .result("A " + noun + " of shape [M, N].")
      .rule([](OpCheck& c) { return matmul_rule(c, false); });
  reads(matmul, tensor, {"a", "b"});

  Define acc(ops, "pl", family + "matmul_acc", "The matrix product of `a` and `b` added to an accumulator.");
  acc.operand("acc", accepts, Data, "The accumulator, [M, N]: FP32, or INT32 for INT8 inputs.");
  transposes(inputs(acc, accepts, noun))
      .form(OpForm::MatmulAcc)
      .result(tensor ? "`acc`, written in place." : "A tile of the shape and dtype of `acc`.")
      .rule(matmul_acc_rule);
  reads(acc, tensor, {"a", "b"});
  if (tensor) acc.effect(Access::ReadWrite, "acc").rebinds("acc");

  Define bias(ops, "pl", family + "matmul_bias",
              "The matrix product of `a` and `b` plus one row added to every row.");
  inputs(bias, accepts, noun)
      .operand("bias", accepts, Data, "The row, [1, N]: FP32, or INT32 for INT8 inputs.");
  transposes(bias)
      .form(OpForm::MatmulBias)
      .result("A " + noun + " of shape [M, N] in the accumulator's dtype.")
      .rule(matmul_bias_rule);
  reads(bias, tensor, {"a", "b", "bias"});

  Define vector(ops, "pl", family + "gemv",
                "The product of a matrix and one column, accumulated in FP32, or in INT32 for INT8.");
  vector.operand("a", accepts, Data, "The matrix, [M, K]: FP16, BF16, FP32 or INT8.")
      .operand("b", accepts, Data, "The column, [K, 1], of the same dtype; with `b_trans` a row, [1, K].");
  out_dtype(transposes(vector));
  vector.result("A " + noun + " of shape [M, 1].").rule(gemv_rule).expands([](Expansion& e) {
    return e.op(pl::tile::matmul, {e.arg("a"), e.arg("b")}, e.call.attrs);
  });
  reads(vector, tensor, {"a", "b"});
}

}  // namespace

void define_matmul(std::vector<Op>& ops) {
  define_level(ops, false);
  define_level(ops, true);
  Define batch(
      ops, "pl", "tensor.batch_matmul",
      "One matrix product per index of the leading dimensions, accumulated in FP32, or in INT32 for INT8.");
  batch.operand("a", AcceptTensor, Data, "The left matrices, [..., M, K]: FP16, BF16, FP32 or INT8.")
      .operand("b", AcceptTensor, Data,
               "The right matrices, [..., K, N], with the same leading dimensions and dtype.");
  out_dtype(transposes(batch));
  batch.form(OpForm::BatchMatmul)
      .result("A tensor of shape [..., M, N].")
      .effect(Access::Read, "a")
      .effect(Access::Read, "b")
      .rule([](OpCheck& c) { return matmul_rule(c, true); });
}

}  // namespace tilewire::ops
