// Functions of elements that are made of the arithmetic of elementwise.cpp.
//
// The largest error of every function over all FP32 inputs is at most `ulp`; tests/system/test_functions.py
// compares with MPFR. Polynomials are fitted in the Chebyshev norm, with coefficients that FP32 holds. At
// most one argument of a call is a call: the order in which ops are written must not depend on the C++
// compiler.
#include <cfloat>

#include "ops/arithmetic_expansion.h"
#include "ops/checks.h"
#include "ops/define.h"
#include "ops/families.h"
#include "ops/levels.h"

namespace tilewire::ops {

using namespace ir;

namespace {

using X = Arithmetic::X;

// 1 + x loses the low bits of x; what was lost comes back as the first term of the series around 1 + x.
X log1p(Arithmetic& m, const X& x) {
  X u = m.add(x, 1);
  X lost = m.sub(x, m.sub(u, 1));
  X correction = m.div(lost, m.larger(u, 1e-30));  // at -1 both are 0
  X y = m.add(m.log(u), correction);
  y = m.choose(m.is(x, CmpOp::Gt, FLT_MAX), x, y);
  return m.choose(m.is(u, CmpOp::Eq, 1), x, y);
}

// exp(x) - 1 cancels around 0; a polynomial does not.
X expm1(Arithmetic& m, const X& x) {
  X q = m.polynomial(x, {0x1p-1, 0x1.555558p-3, 0x1.555558p-5, 0x1.110e6ep-7, 0x1.6c13bep-10, 0x1.a3c224p-13,
                         0x1.a37190p-16});
  X small = m.mul(x, m.add(m.mul(x, q), 1));
  X large = m.sub(m.exp(x), 1);
  return m.choose(m.is(m.abs(x), CmpOp::Lt, 0.6), small, large);
}

// 1 - exp(p(|x|)), and a polynomial in x^2 where that would cancel.
X erf(Arithmetic& m, const X& x) {
  X t = m.abs(x);
  X s = m.mul(x, x);
  X high = m.add(m.mul(t, -0x1.220000p-16), 0x1.91cfb2p-12);
  X low = m.add(m.mul(t, -0x1.fd1438p-9), 0x1.8d6342p-6);
  X r = m.add(m.mul(high, s), low);
  for (double c : {-0x1.b55cb8p-4, -0x1.450aa0p-1, -0x1.079d0cp-3}) r = m.add(m.mul(r, t), c);
  X large = m.sub(1, m.exp(m.sub(m.mul(r, t), t)));
  X minus = m.neg(large);
  large = m.choose(m.is(x, CmpOp::Lt, 0), minus, large);
  X q = m.polynomial(
      s, {0x1.06eba8p-3, -0x1.812700p-2, 0x1.ce1c44p-4, -0x1.b691b2p-6, 0x1.471a58p-8, -0x1.38e000p-11});
  X small = m.add(m.mul(q, x), x);
  return m.choose(m.is(t, CmpOp::Gt, 0x1.db0000p-1), large, small);
}

// x P(X <= x) of a normal X. For |x| = z >= 0.8 the tail P(X > z) is exp(-z^2 / 2) F(q) / (1 + 2 z) with
// q = (z - 3) / (z + 3). z^2 is split so that the exponent is exact, and what the sums 1 + 2 z and F lose is
// carried along: the result keeps its relative precision where it is tiny.
X gelu(Arithmetic& m, const X& x) {
  X z = m.smaller(m.abs(x), 14.6);  // from there on the tail is 0
  X under = m.add(z, 3);
  X q = m.div(m.sub(z, 3), under);
  X rest = m.mul(q, m.polynomial(q, {0x1.b56c2ep-7, -0x1.3fac0cp-3, 0x1.17a326p-3, -0x1.a68ec2p-5,
                                     -0x1.333b2ep-11, 0x1.c692d4p-8, -0x1.8267cep-12, -0x1.f97128p-11}));
  constexpr double first = 0x1.b38188p-1, first_low = 0x1.8eab22p-26;
  X f = m.add(rest, first);
  X f_low = m.add(m.sub(rest, m.sub(f, first)), first_low);
  X twice = m.mul(z, 2);
  X below = m.add(twice, 1);
  X below_low = m.sub(1, m.sub(below, twice));
  X ratio = m.div(f, below);
  X ratio_low = m.div(m.sub(f_low, m.mul(ratio, below_low)), below);
  X spread = m.mul(z, 4097);
  X high = m.sub(spread, m.sub(spread, z));  // the first 12 bits of z
  X sum = m.add(high, z);
  X low = m.mul(m.mul(m.sub(high, z), sum), 0.5);
  X exponent = m.mul(m.mul(high, high), -0.5);
  X series = m.polynomial(low, {0.5, 0x1.555556p-3});
  X correction = m.add(low, m.mul(m.mul(low, low), series));
  X part = m.mul(z, ratio);
  X other = m.mul(z, ratio_low);
  part = m.add(part, m.add(m.mul(part, correction), other));
  X tail = m.mul(part, m.exp(exponent));
  X below_zero = m.neg(tail);
  X above_zero = m.sub(x, tail);
  X large = m.choose(m.is(x, CmpOp::Lt, 0), below_zero, above_zero);
  X s = m.mul(x, x);
  X g = m.polynomial(
      s, {0x1.988454p-2, -0x1.105836p-4, 0x1.46cff0p-7, -0x1.372e66p-10, 0x1.e0b752p-14, -0x1.153b52p-17});
  X small = m.mul(x, m.add(m.mul(x, g), 0.5));
  return m.choose(m.is(m.abs(x), CmpOp::Lt, 0.8), small, large);
}

// Below -80 the sigmoid comes close to the denormals, where it has few bits: its square root does not.
X silu(Arithmetic& m, const X& x) {
  X low = m.larger(x, -120);
  X half = m.exp(m.mul(low, 0.5));
  X tiny = m.mul(m.mul(low, half), half);
  X plain = m.mul(x, m.sigmoid(x));
  return m.choose(m.is(x, CmpOp::Lt, -80), tiny, plain);
}

// The larger of x and 0, and what is above it; exp of a negative number does not overflow.
X softplus(Arithmetic& m, const X& x) {
  X above = log1p(m, m.exp(m.neg(m.abs(x))));
  return m.add(m.larger(x, 0), above);
}

struct Function {
  const char* name;
  X (*expansion)(Arithmetic&, const X&);
  const char* doc;
};
constexpr int ulp = 4;

const Function functions[] = {
    {"log1p", log1p, "The logarithm of 1 + x for every element, precise around 0 too."},
    {"expm1", expm1, "exp(x) - 1 of every element, precise around 0 too."},
    {"erf", erf, "The error function of every element."},
    {"gelu", gelu,
     "The Gaussian error linear unit of every element in its exact form, x / 2 * (1 + erf(x / sqrt(2)))."},
    {"silu", silu, "The sigmoid linear unit of every element, x * sigmoid(x); -inf becomes -0."},
    {"softplus", softplus, "The logarithm of 1 + exp(x) for every element, without overflow for large `x`."},
};

TypeRef float_rule(OpCheck& c) {
  return check_dtype(c, "x", shaped(c.args[0])->dtype, floats) ? computed_type(c.args[0]->type) : nullptr;
}

// The other operands agree with `x` in dtype, and in shape where they have one.
TypeRef like_x(OpCheck& c, std::initializer_list<const char*> others, const DTypeSet& allowed) {
  const DType dtype = shaped(c.args[0])->dtype;
  for (const char* name : others) {
    if (!c.has(name)) continue;
    if (c.dtype(name) != dtype) check_same_dtype(c, "x", name);
    if (shaped(c.arg(name))) check_same_shape(c, "x", name);
  }
  if (c.failed() || !check_dtype(c, "x", dtype, allowed)) return nullptr;
  return computed_type(c.args[0]->type);
}

// The slope that is left out is the literal 0.01: of the dtype of `x`.
TypeRef lrelu_rule(OpCheck& c) {
  const DType dtype = shaped(c.args[0])->dtype;
  if (!c.has("slope") && is_float(dtype)) c.set("slope", make<ConstFloat>(c.span, 0.01, dtype));
  return like_x(c, {"slope"}, floats);
}

void define_level(std::vector<Op>& ops, const Level& level) {
  const std::string family = level.family, noun = level.noun;
  const std::string same = "A " + noun + " of the same shape and dtype.";
  const std::string x_doc = "The " + noun + " it is taken of.";
  auto reads = [&](Define& def, std::initializer_list<const char*> names) {
    for (const char* name : names) {
      if (level.tensors()) def.effect(Access::Read, name);
    }
  };
  for (const Function& f : functions) {
    auto expansion = f.expansion;
    Define def(ops, "pl", family + f.name, f.doc);
    def.operand("x", level.accepts, Data, x_doc)
        .form(OpForm::Map)
        .computes(Elementwise::None, slow)
        .result(same)
        .rule(float_rule);
    def.expands(
        [expansion](Expansion& e) {
          Arithmetic m(e);
          return expansion(m, e.arg("x"));
        },
        ulp);
    reads(def, {"x"});
  }

  auto leaky = [](Expansion& e, const X& slope) {
    Arithmetic m(e);
    const X& x = e.arg("x");
    X scaled = m.mul(x, slope);
    return m.choose(m.is(x, CmpOp::Ge, 0), x, scaled);
  };
  Define lrelu(ops, "pl", family + "lrelu", "Every element, times `slope` where it is negative.");
  lrelu.operand("x", level.accepts, Data, x_doc)
      .operand("slope", AcceptScalar, Data, "The factor of negative elements, 0.01 if left out.")
      .optional()
      .like(0)
      .form(OpForm::Map)
      .result(same)
      .rule(lrelu_rule)
      .expands([leaky](Expansion& e) { return leaky(e, e.arg("slope")); });
  reads(lrelu, {"x"});

  Define prelu(ops, "pl", family + "prelu",
               "Every element, times the element of `slope` where it is negative.");
  prelu.operand("x", level.accepts, Data, x_doc)
      .operand("slope", level.accepts, Data, "The factors of negative elements, of the same shape and dtype.")
      .form(OpForm::Map)
      .result(same)
      .rule([](OpCheck& c) { return like_x(c, {"slope"}, floats); })
      .expands([leaky](Expansion& e) { return leaky(e, e.arg("slope")); });
  reads(prelu, {"x", "slope"});

  Define clamp(
      ops, "pl", family + "clamp",
      "Every element, or `lo` where it is below `lo`, or `hi` where it is above `hi`. NaN stays NaN; "
      "where `lo` is above `hi` the result is `hi`.");
  clamp.operand("x", level.accepts, Data, "The " + noun + " that is limited.")
      .operand("lo", level.accepts | AcceptScalar, Data,
               "The smallest value. A number takes the dtype of `x`.")
      .like(0)
      .operand("hi", level.accepts | AcceptScalar, Data,
               "The largest value. A number takes the dtype of `x`.")
      .like(0)
      .form(OpForm::Map)
      .result(same)
      .rule([](OpCheck& c) {
        return like_x(c, {"lo", "hi"}, numbers);
      })
      .expands([](Expansion& e) {
        Arithmetic m(e);
        return m.smaller(m.larger(e.arg("x"), e.arg("lo")), e.arg("hi"));
      });
  reads(clamp, {"x", "lo", "hi"});
}

}  // namespace

void define_functions(std::vector<Op>& ops) {
  for (const Level& level : levels) define_level(ops, level);
}

}  // namespace tilewire::ops
