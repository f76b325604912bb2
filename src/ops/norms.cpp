// What is made of a row as a whole: softmax and normalisations. Rows are the last dimension; of a ragged tile
// only the valid columns count.
#include "ir/expansion.h"
#include "ops/arithmetic_expansion.h"
#include "ops/checks.h"
#include "ops/define.h"
#include "ops/families.h"
#include "ops/levels.h"
#include "support/diagnostics/ops.h"

namespace tilewire::ops {

using namespace ir;

namespace {

using X = Arithmetic::X;

X softmax(Expansion& e) {
  const X& x = e.arg("x");
  X largest = e.op(pl::tile::row_max, {x});
  X powers = e.op(pl::tile::exp, {e.op(pl::tile::row_expand_sub, {x, largest})});
  return e.op(pl::tile::row_expand_div, {powers, e.op(pl::tile::row_sum, {powers})});
}

// The mean over the valid columns, [r, 1]: a sum of ones counts them.
class Mean {
 public:
  Mean(Expansion& e, Arithmetic& m, const X& x) : e_(e), m_(m) {
    X ones = m.choose(m.is(x, CmpOp::Eq, x), m.number(1), m.number(1));
    count_ = e.op(pl::tile::row_sum, {ones});
  }
  X of(const X& x) { return m_.div(e_.op(pl::tile::row_sum, {x}), count_); }

 private:
  Expansion& e_;
  Arithmetic& m_;
  X count_;
};

// `x` divided by the square root of `square` + eps, and scaled and shifted by column.
X normalised(Expansion& e, Arithmetic& m, const X& x, const X& square) {
  X scale = e.op(pl::tile::rsqrt, {m.add(square, *e.attr("eps")->get<double>())});
  X y = e.op(pl::tile::row_expand_mul, {x, scale});
  if (const X& weight = e.arg("weight")) y = e.op(pl::tile::col_expand_mul, {y, weight});
  return y;
}

X rms_norm(Expansion& e) {
  Arithmetic m(e);
  const X& x = e.arg("x");
  return normalised(e, m, x, Mean(e, m, x).of(m.mul(x, x)));
}

X layer_norm(Expansion& e) {
  Arithmetic m(e);
  const X& x = e.arg("x");
  Mean mean(e, m, x);
  X centred = e.op(pl::tile::row_expand_sub, {x, mean.of(x)});
  X y = normalised(e, m, centred, mean.of(m.mul(centred, centred)));
  if (const X& bias = e.arg("bias")) y = e.op(pl::tile::col_expand_add, {y, bias});
  return y;
}

TypeRef norm_rule(OpCheck& c, std::initializer_list<const char*> rows) {
  auto x = shaped(c.args[0]);
  const size_t rank = x->shape->size();
  if (rank < 2) {
    c.error(diag::rank_too_small, "x", {c.op.qualified(), "2", std::to_string(rank)})
        .with_help("reshape it to two dimensions first: pl.reshape(x, [1, n])");
    return nullptr;
  }
  for (const char* name : rows) {
    if (!c.has(name)) continue;
    auto row = shaped(c.arg(name));
    if (row->dtype != x->dtype) check_same_dtype(c, "x", name);
    ExprList wanted = *x->shape;
    wanted[rank - 2] = const_index(1);
    if (may_equal(*row->shape, wanted)) continue;
    c.error(diag::expand_vector, name,
            {c.op.qualified(), "a row", shape_text(wanted), shape_text(*x->shape), shape_text(*row->shape)});
  }
  if (c.failed() || !check_dtype(c, "x", x->dtype, floats)) return nullptr;
  return computed_type(c.args[0]->type);
}

void define_level(std::vector<Op>& ops, const Level& level) {
  const std::string family = level.family, noun = level.noun;
  const std::string same = "A " + noun + " of the same shape and dtype.";
  const std::string row_doc = "A row [1, c] of the same dtype";
  Define soft(ops, "pl", family + "softmax",
              "exp of every element, divided by the sum over its row. The largest element of the row is "
              "subtracted first, so nothing overflows.");
  soft.operand("x", level.accepts, Data, "The " + noun + ".")
      .result(same)
      .rule([](OpCheck& c) { return norm_rule(c, {}); })
      .expands(softmax);

  auto eps = [](Define& def, double by_default) {
    def.attr("eps", AttrKind::Float, "Added to the mean before the root, so that a row of zeros stays one.")
        .by_default({by_default});
  };
  Define rms(
      ops, "pl", family + "rms_norm",
      "Every row divided by the root of the mean of its squares: x / sqrt(mean(x * x) + eps) * weight.");
  rms.operand("x", level.accepts, Data, "The " + noun + ".")
      .operand("weight", level.accepts, Data, row_doc + " that every row is multiplied by; none if left out.")
      .optional();
  eps(rms, 1e-6);
  rms.result(same).rule([](OpCheck& c) { return norm_rule(c, {"weight"}); }).expands(rms_norm);

  Define norm(
      ops, "pl", family + "layer_norm",
      "Every row shifted to mean 0 and scaled to variance 1: (x - mean) / sqrt(variance + eps) * weight "
      "+ bias.");
  norm.operand("x", level.accepts, Data, "The " + noun + ".")
      .operand("weight", level.accepts, Data, row_doc + " that every row is multiplied by; none if left out.")
      .optional()
      .operand("bias", level.accepts, Data, row_doc + " that is added to every row; none if left out.")
      .optional();
  eps(norm, 1e-5);
  norm.result(same).rule([](OpCheck& c) { return norm_rule(c, {"weight", "bias"}); }).expands(layer_norm);

  if (!level.tensors()) return;
  soft.effect(Access::Read, "x");
  rms.effect(Access::Read, "x").effect(Access::Read, "weight");
  norm.effect(Access::Read, "x").effect(Access::Read, "weight").effect(Access::Read, "bias");
}

}  // namespace

void define_norms(std::vector<Op>& ops) {
  for (const Level& level : levels) define_level(ops, level);
}

}  // namespace tilewire::ops
