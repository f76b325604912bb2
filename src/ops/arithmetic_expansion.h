// Expansions of elementwise functions, written as arithmetic.
#pragma once

#include <initializer_list>

#include "ir/expansion.h"
#include "ops/handles.h"

namespace tilewire::ops {

// Values of the expansion: tiles or tensors in FP32, and numbers.
class Arithmetic {
 public:
  explicit Arithmetic(ir::Expansion& e) : e_(e) {}

  using X = ir::ExprRef;
  X number(double value) const { return e_.number(value); }
  X add(const X& a, const X& b) { return e_.op(pl::tile::add, {a, b}); }
  X add(const X& a, double b) { return add(a, number(b)); }
  X sub(const X& a, const X& b) { return e_.op(pl::tile::sub, {a, b}); }
  X sub(const X& a, double b) { return sub(a, number(b)); }
  X sub(double a, const X& b) { return sub(number(a), b); }
  X mul(const X& a, const X& b) { return e_.op(pl::tile::mul, {a, b}); }
  X mul(const X& a, double b) { return mul(a, number(b)); }
  X div(const X& a, const X& b) { return e_.op(pl::tile::div, {a, b}); }
  X larger(const X& a, const X& b) { return e_.op(pl::tile::maximum, {a, b}); }
  X larger(const X& a, double b) { return larger(a, number(b)); }
  X smaller(const X& a, const X& b) { return e_.op(pl::tile::minimum, {a, b}); }
  X smaller(const X& a, double b) { return smaller(a, number(b)); }
  X neg(const X& x) { return e_.op(pl::tile::neg, {x}); }
  X abs(const X& x) { return e_.op(pl::tile::abs, {x}); }
  X exp(const X& x) { return e_.op(pl::tile::exp, {x}); }
  X log(const X& x) { return e_.op(pl::tile::log, {x}); }
  X sigmoid(const X& x) { return e_.op(pl::tile::sigmoid, {x}); }
  X is(const X& a, ir::CmpOp how, const X& b) {
    return e_.op(pl::tile::cmp, {a, b}, {{"op", ir::AttrValue{ir::enum_value(how)}}});
  }
  X is(const X& a, ir::CmpOp how, double b) { return is(a, how, number(b)); }
  X choose(const X& condition, const X& a, const X& b) { return e_.op(pl::tile::sel, {condition, a, b}); }
  // c[0] + x (c[1] + x (c[2] + ...)).
  X polynomial(const X& x, std::initializer_list<double> c) {
    auto at = c.end();
    X sum = number(*--at);
    while (at != c.begin()) {
      const double next = *--at;
      sum = add(mul(x, sum), next);
    }
    return sum;
  }

 private:
  ir::Expansion& e_;
};

}  // namespace tilewire::ops
