#include "passes/simplify.h"

#include "ir/op.h"
#include "passes/drop_unused.h"
#include "passes/fold_scalar.h"
#include "passes/rebuild.h"

namespace tilewire::passes {

using namespace ir;

namespace {

bool is_constant(const ExprRef& expr) {
  return isa<ConstInt>(expr) || isa<ConstFloat>(expr) || isa<ConstBool>(expr);
}

class Simplifier : public Rebuilder {
 public:
  using Rebuilder::Rebuilder;

 protected:
  ExprRef fold(const ExprRef& call) override {
    ExprRef known = fold_scalar(static_cast<const Call&>(*call));
    return known ? known : call;
  }

  // A constant in the place of a variable can break a rule that only run time could check, in code that may
  // never run: the variable stays one there.
  ExprRef rejected(const Call& call, ExprList args) override {
    for (ExprRef& arg : args) arg = hide(arg);
    Diagnostics problems;
    ExprRef made = create_call(*call.op, std::move(args), call.attrs, call.span, problems);
    if (!made) diags_.append(problems);
    return made;
  }

  void assign(const Assign& assign) override {
    ExprRef now = value(assign.value);
    if (is_constant(now) && now->type == assign.var->type) return bind(*assign.var, now);
    if (is_constant(now) && scalar_dtype(now->type) == scalar_dtype(assign.var->type)) {
      return bind(*assign.var, now);
    }
    Rebuilder::assign(assign);
  }

  void branch(const If& branch) override {
    ExprRef condition = use(branch.condition);
    const auto* known = as<ConstBool>(condition);
    if (!known) return Rebuilder::branch(branch);
    const BlockRef& taken = known->value ? branch.then_body : branch.else_body;
    if (taken) open(*taken, branch.results);
  }

  void loop(const For& loop) override {
    auto start = constant_value(use(loop.start)), stop = constant_value(use(loop.stop)),
         step = constant_value(use(loop.step));
    if (!start || !stop || !step || *step == 0) return Rebuilder::loop(loop);
    bool none = *step > 0 ? *start >= *stop : *start <= *stop;
    __int128 next = static_cast<__int128>(*start) + *step;
    bool one = !none && (*step > 0 ? next >= *stop : next <= *stop);
    if (!none && !one) return Rebuilder::loop(loop);
    ExprList values = use(loop.init_values);
    for (size_t i = 0; i < values.size(); ++i) bind(one ? *loop.iter_args[i] : *loop.results[i], values[i]);
    if (none) return;
    bind(*loop.loop_var, make<ConstInt>(loop.span, *start, *scalar_dtype(loop.loop_var->type)));
    open(*loop.body, loop.results);
  }

  // Text has no form for a constant number of blocks below one; at run time it is an error of its own.
  void scope(const SpmdScope& scope) override {
    auto count = constant_value(use(scope.block_count));
    if (!count || *count > 0) return Rebuilder::scope(scope);
    Ref<SpmdScope> now = copy(scope);
    now->block_count = hide(use(scope.block_count));
    Rebuilder::scope(*finish_node(std::move(now)));
  }

 private:
  // The statements of a body without the statement around them.
  void open(const Block& body, const VarList& results) {
    for (const StmtRef& stmt : body.stmts) {
      const auto* yield = as<Yield>(stmt);
      if (!yield) {
        statement(*stmt);
        continue;
      }
      ExprList values = use(yield->values);
      for (size_t i = 0; i < values.size(); ++i) bind(*results[i], values[i]);
    }
  }

  ExprRef hide(const ExprRef& expr) {
    if (const auto* list = as<MakeTuple>(expr)) {
      ExprList elements;
      for (const ExprRef& element : list->elements) elements.push_back(hide(element));
      return make<MakeTuple>(expr->span, std::move(elements));
    }
    return is_constant(expr) && isa<ConstInt>(expr) ? ExprRef(assign_new("k", expr, expr->span)) : expr;
  }
};

}  // namespace

ProgramRef simplify(const ProgramRef& program, Diagnostics& diags) {
  Ref<Program> result = copy(*program);
  for (FunctionRef& function : result->functions) {
    Simplifier simplifier(diags);
    BlockRef body = simplifier.block(*function->body);
    function = with_body(*function, function->type == FunctionType::Host ? body : drop_unused(body));
  }
  return finish_node(std::move(result));
}

}  // namespace tilewire::passes
