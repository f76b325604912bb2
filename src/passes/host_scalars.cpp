// One walk forward gives every variable its value, so that no chain of assignments is followed twice.
#include "passes/host_scalars.h"

#include "ir/visitor.h"
#include "ops/handles.h"
#include "passes/fold_scalar.h"

namespace tilewire::passes {

using namespace ir;

bool is_world_size(const Expr& expr) {
  const auto* call = as<Call>(&expr);
  return call && call->op == ops::pld::world_size;
}

namespace {

bool is_integer_scalar(const ExprRef& expr) {
  auto dtype = scalar_dtype(expr->type);
  return dtype && is_integer(*dtype);
}

}  // namespace

const ExprRef& without_casts(const ExprRef& expr) {
  const auto* call = as<Call>(expr);
  bool integers = call && call->op == ops::pl::scalar::cast && is_integer_scalar(expr) &&
                  is_integer_scalar(call->args[0]);
  return integers ? without_casts(call->args[0]) : expr;
}

class HostScalarWalk : public Visitor<HostScalarWalk> {
 public:
  explicit HostScalarWalk(HostScalars& scalars) : scalars_(scalars) {}

  void visit(const Assign& assign) {
    walk_children(assign);
    if (isa<ScalarType>(assign.var->type)) define(assign.var, assign.value);
  }

  // Values carried by a loop are not followed.
  void visit(const If& branch) {
    walk(branch.then_body);
    walk(branch.else_body);
    auto taken = scalars_.condition(branch.condition);
    if (!taken || !branch.else_body) return;
    const Block& block = *taken ? *branch.then_body : *branch.else_body;
    for (size_t i = 0; i < branch.results.size(); ++i) {
      if (isa<ScalarType>(branch.results[i]->type)) define(branch.results[i], yielded(block, i));
    }
  }

 private:
  static ExprRef yielded(const Block& block, size_t i) {
    return static_cast<const Yield&>(*block.stmts.back()).values[i];
  }

  void define(const VarRef& var, const ExprRef& value) {
    ExprRef folded = scalars_.fold(value);
    bool short_form = isa<ConstInt>(folded) || isa<ConstBool>(folded) || isa<Var>(folded) ||
                      isa<DimSymbol>(folded) || is_world_size(*without_casts(folded));
    if (short_form) {
      scalars_.values_.insert(var.get(), std::move(folded));
    } else {
      scalars_.definitions_.insert(var.get(), value);
    }
  }

  HostScalars& scalars_;
};

HostScalars::HostScalars(const Function& host, Known known) : known_(std::move(known)) {
  HostScalarWalk(*this).walk(*host.body);
}

ExprRef HostScalars::fold(const ExprRef& expr) const {
  return fold(expr, nullptr);
}

ExprRef HostScalars::fold(const ExprRef& expr, const Given* given) const {
  if (isa<DimSymbol>(expr) || isa<Parameter>(expr) || is_world_size(*expr)) {
    ExprRef value = known_ ? known_(*expr) : nullptr;
    return value ? value : expr;
  }
  if (isa<Var>(expr)) {
    if (given) {
      auto round = given->find(expr.get());
      if (round != given->end()) return const_index(round->second);
    }
    const ExprRef* value = values_.find(expr.get());
    if (value) return *value;
    const ExprRef* made = given ? definitions_.find(expr.get()) : nullptr;
    return made ? fold(*made, given) : expr;
  }
  const auto* call = as<Call>(expr);
  if (!call || !isa<ScalarType>(call->type)) return expr;
  ExprList args;
  bool changed = false;
  for (const ExprRef& arg : call->args) {
    args.push_back(arg ? fold(arg, given) : arg);
    changed = changed || args.back() != arg;
  }
  ExprRef now = changed ? ExprRef(make<Call>(call->span, call->op, args, call->attrs, call->type)) : expr;
  ExprRef folded = fold_scalar(static_cast<const Call&>(*now));
  return folded ? folded : now;
}

std::optional<int64_t> HostScalars::integer(const ExprRef& expr) const {
  return constant_value(fold(expr));
}

std::optional<int64_t> HostScalars::integer(const ExprRef& expr, const Given& given) const {
  return constant_value(fold(expr, &given));
}

std::optional<bool> HostScalars::condition(const ExprRef& expr) const {
  ExprRef folded = fold(expr);
  const auto* value = as<ConstBool>(folded);
  return value ? std::optional(value->value) : std::nullopt;
}

}  // namespace tilewire::passes
