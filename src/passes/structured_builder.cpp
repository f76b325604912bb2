#include "passes/structured_builder.h"

#include "ir/check_ops.h"
#include "ops/affine.h"
#include "ops/handles.h"
#include "ops/shape.h"

namespace tilewire::passes {

using namespace ir;

ExprRef StructuredBuilder::op(const Op& op, ExprList args, AttrList attrs) {
  return call_op(op, std::move(args), std::move(attrs), span_);
}

void StructuredBuilder::run(const Op& op, ExprList args, AttrList attrs) {
  emit(make<Eval>(span_, call_op(op, std::move(args), std::move(attrs), span_)));
}

void StructuredBuilder::check(const Op& check, ExprList args) {
  run(check, std::move(args), {{checked_op, AttrValue{call_op_->qualified()}}});
}

ExprRef StructuredBuilder::let(const char* name, ExprRef value) {
  if (isa<Var>(value) || isa<DimSymbol>(value) || constant_value(value)) return value;
  return assign_new(name, std::move(value), span_);
}

ExprRef StructuredBuilder::list(ExprList elements) const {
  return make<MakeTuple>(span_, std::move(elements));
}

ExprRef StructuredBuilder::number(int64_t value) const {
  return const_index(value);
}

ExprRef StructuredBuilder::int32(int64_t value) const {
  return make<ConstInt>(span_, value, DType::Int32);
}

ExprRef StructuredBuilder::add(const ExprRef& a, const ExprRef& b) {
  if (constant_value(a) == 0) return b;
  if (constant_value(b) == 0) return a;
  return ops::affine_sum(a, 1, b, 1);
}

ExprRef StructuredBuilder::sub(const ExprRef& a, const ExprRef& b) {
  return ops::affine_sum(a, 1, b, -1);
}

ExprRef StructuredBuilder::mul(const ExprRef& a, const ExprRef& b) {
  if (constant_value(a) == 0 || constant_value(b) == 0) return number(0);
  return ops::product(a, b);
}

ExprRef StructuredBuilder::div(const ExprRef& a, const ExprRef& b) {
  return constant_value(b) == 1 ? a : op(ops::pl::scalar::floordiv, {a, b});
}

ExprRef StructuredBuilder::mod(const ExprRef& a, const ExprRef& b) {
  return op(ops::pl::scalar::mod, {a, b});
}

ExprRef StructuredBuilder::smaller(const ExprRef& a, const ExprRef& b) {
  return op(ops::pl::scalar::min, {a, b});
}

ExprRef StructuredBuilder::compare(const Op& relation, const ExprRef& a, const ExprRef& b,
                                   bool (*known)(int64_t, int64_t)) {
  auto x = constant_value(a), y = constant_value(b);
  if (x && y) return make<ConstBool>(span_, known(*x, *y));
  return op(relation, {a, b});
}

ExprRef StructuredBuilder::less(const ExprRef& a, const ExprRef& b) {
  return compare(ops::pl::scalar::lt, a, b, [](int64_t x, int64_t y) { return x < y; });
}

ExprRef StructuredBuilder::equal(const ExprRef& a, const ExprRef& b) {
  return compare(ops::pl::scalar::eq, a, b, [](int64_t x, int64_t y) { return x == y; });
}

ExprRef StructuredBuilder::differ(const ExprRef& a, const ExprRef& b) {
  return compare(ops::pl::scalar::ne, a, b, [](int64_t x, int64_t y) { return x != y; });
}

void StructuredBuilder::repeat(const char* name, const ExprRef& start, const ExprRef& stop,
                               const ExprRef& step, const Round& round) {
  reduce(name, start, stop, step, {}, [&](const VarRef& at, const ExprList&) -> ExprList {
    round(at);
    return {};
  });
}

ExprList StructuredBuilder::reduce(const char* name, const ExprRef& start, const ExprRef& stop,
                                   const ExprRef& step, ExprList first, const Step& round) {
  Ref<For> loop = make_empty<For>();
  loop->span = span_;
  loop->start = start;
  loop->stop = stop;
  loop->step = step;
  loop->loop_var = make<Var>(span_, name, scalar_type(DType::Index));
  ExprList carried;
  for (const ExprRef& value : first) {
    loop->iter_args.push_back(make<Var>(span_, "acc", value->type));
    loop->results.push_back(make<Var>(span_, "acc", value->type));
    carried.push_back(loop->iter_args.back());
  }
  loop->init_values = std::move(first);
  loop->body = collect(span_, [&] {
    ExprList next = round(loop->loop_var, carried);
    if (!next.empty()) emit(make<Yield>(span_, std::move(next)));
  });
  ExprList results(loop->results.begin(), loop->results.end());
  emit(finish_node(std::move(loop)));
  return results;
}

void StructuredBuilder::when(const ExprRef& condition, const std::function<void()>& then) {
  choose(
      condition,
      [&]() -> ExprList {
        then();
        return {};
      },
      []() -> ExprList { return {}; });
}

ExprList StructuredBuilder::choose(const ExprRef& condition, const std::function<ExprList()>& then,
                                   const std::function<ExprList()>& otherwise) {
  if (const auto* known = as<ConstBool>(condition)) return known->value ? then() : otherwise();
  Ref<If> branch = make_empty<If>();
  branch->span = span_;
  branch->condition = condition;
  auto side = [&](const std::function<ExprList()>& fill, bool first) {
    return collect(span_, [&] {
      ExprList values = fill();
      for (size_t i = 0; first && i < values.size(); ++i) {
        branch->results.push_back(make<Var>(span_, "chosen", values[i]->type));
      }
      if (!values.empty()) emit(make<Yield>(span_, std::move(values)));
    });
  };
  branch->then_body = side(then, true);
  BlockRef rest = side(otherwise, false);
  if (!rest->stmts.empty()) branch->else_body = rest;
  ExprList results(branch->results.begin(), branch->results.end());
  emit(finish_node(std::move(branch)));
  return results;
}

}  // namespace tilewire::passes
