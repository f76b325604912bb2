#include "ops/affine.h"

#include "ir/op.h"
#include "ir/structural.h"
#include "ops/registry.h"

namespace tilewire::ops {
namespace {

struct Term {
  ir::ExprRef expr;
  int64_t factor;
};

struct Sum {
  int64_t constant = 0;
  std::vector<Term> terms;
  bool overflow = false;

  void add_constant(int64_t value, int64_t factor) {
    int64_t product = 0;
    overflow = overflow || __builtin_mul_overflow(value, factor, &product) ||
               __builtin_add_overflow(constant, product, &constant);
  }
  void add_term(const ir::ExprRef& expr, int64_t factor) {
    for (Term& term : terms) {
      if (term.expr == expr || ir::identical_but_for_definitions(term.expr, expr)) {
        overflow = overflow || __builtin_add_overflow(term.factor, factor, &term.factor);
        return;
      }
    }
    terms.push_back({expr, factor});
  }
};

struct ScalarOps {
  const ir::Op* add = registry().find("pl.scalar.add");
  const ir::Op* sub = registry().find("pl.scalar.sub");
  const ir::Op* mul = registry().find("pl.scalar.mul");
  const ir::Op* neg = registry().find("pl.scalar.neg");
};
const ScalarOps& scalar_ops() {
  static const ScalarOps ops;
  return ops;
}

// Adds expr * factor to the sum, looking through +, -, unary - and products with a constant.
void collect(const ir::ExprRef& expr, int64_t factor, Sum& sum) {
  if (auto value = ir::constant_value(expr)) return sum.add_constant(*value, factor);
  const auto* call = ir::as<ir::Call>(expr);
  const ScalarOps& ops = scalar_ops();
  if (call && (call->op == ops.add || call->op == ops.sub)) {
    collect(call->args[0], factor, sum);
    int64_t second = 0;
    sum.overflow = sum.overflow || __builtin_mul_overflow(factor, call->op == ops.add ? 1 : -1, &second);
    return collect(call->args[1], second, sum);
  }
  if (call && call->op == ops.neg) return collect(call->args[0], -factor, sum);
  if (call && call->op == ops.mul) {
    for (int i = 0; i < 2; ++i) {
      auto value = ir::constant_value(call->args[i]);
      int64_t product = 0;
      if (value && !__builtin_mul_overflow(factor, *value, &product))
        return collect(call->args[1 - i], product, sum);
    }
  }
  sum.add_term(expr, factor);
}

ir::ExprRef apply(const ir::Op& op, ir::ExprRef a, ir::ExprRef b) {
  Diagnostics unused;
  Span span = a->span;
  return ir::create_call(op, ir::ExprList{std::move(a), std::move(b)}, {}, span, unused);
}

}  // namespace

ir::ExprRef affine_sum(const ir::ExprRef& a, int64_t a_factor, const ir::ExprRef& b, int64_t b_factor) {
  Sum sum;
  collect(a, a_factor, sum);
  collect(b, b_factor, sum);
  const ScalarOps& ops = scalar_ops();
  if (sum.overflow)
    return apply(*ops.add, a, b_factor < 0 ? apply(*ops.mul, b, ir::const_index(b_factor)) : b);
  ir::ExprRef result;
  for (const Term& term : sum.terms) {
    if (term.factor == 0) continue;
    int64_t size = term.factor < 0 ? -term.factor : term.factor;
    bool subtract = result && term.factor < 0;
    ir::ExprRef scaled = term.factor == 1 || (subtract && size == 1)
                             ? term.expr
                             : apply(*ops.mul, term.expr, ir::const_index(subtract ? size : term.factor));
    result = result ? apply(subtract ? *ops.sub : *ops.add, result, scaled) : scaled;
  }
  if (!result) return ir::const_index(sum.constant, a->span);
  if (sum.constant > 0) return apply(*ops.add, result, ir::const_index(sum.constant));
  if (sum.constant < 0) return apply(*ops.sub, result, ir::const_index(-sum.constant));
  return result;
}

}  // namespace tilewire::ops
