#include "passes/simplify.h"

#include "ir/op.h"
#include "ir/visitor.h"
#include "passes/drop_unused.h"
#include "passes/fold_scalar.h"
#include "passes/rebuild.h"

namespace tilewire::passes {

using namespace ir;

namespace {

bool is_constant(const ExprRef& expr) {
  return isa<ConstInt>(expr) || isa<ConstFloat>(expr) || isa<ConstBool>(expr);
}

struct CountStatements : Visitor<CountStatements> {
  int64_t count = 0;
  void visit(const Block& block) {
    count += static_cast<int64_t>(block.stmts.size());
    walk_children(block);
  }
};

class Simplifier : public Rebuilder {
 public:
  Simplifier(Diagnostics& diags, bool host) : Rebuilder(diags), host_(host) {}

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
    if (taken) bind_all(branch.results, open(*taken));
  }

  void loop(const For& loop) override {
    auto start = constant_value(use(loop.start)), stop = constant_value(use(loop.stop)),
         step = constant_value(use(loop.step));
    if (!start || !stop || !step || *step == 0) return Rebuilder::loop(loop);
    const __int128 distance = static_cast<__int128>(*stop) - *start;
    const __int128 size = *step;
    const bool none = distance == 0 || (distance > 0) != (size > 0);
    const __int128 rounds = none ? 0 : (distance + size - (size > 0 ? 1 : -1)) / size;
    if (rounds > 1 && !is_written_out(loop, rounds)) return Rebuilder::loop(loop);
    ExprList values = use(loop.init_values);
    // Every iteration needs its own variables.
    const bool outer = std::exchange(fresh_, fresh_ || rounds > 1);
    for (__int128 i = 0; i < rounds; ++i) {
      for (size_t k = 0; k < values.size(); ++k) bind(*loop.iter_args[k], values[k]);
      const auto at = static_cast<int64_t>(*start + i * size);
      bind(*loop.loop_var, make<ConstInt>(loop.span, at, *scalar_dtype(loop.loop_var->type)));
      values = open(*loop.body);
    }
    fresh_ = outer;
    bind_all(loop.results, values);
  }

  // Text has no form for a constant number of blocks below one; at run time it is a separate error.
  void scope(const SpmdScope& scope) override {
    auto count = constant_value(use(scope.block_count));
    if (!count || *count > 0) return Rebuilder::scope(scope);
    Ref<SpmdScope> now = copy(scope);
    now->block_count = hide(use(scope.block_count));
    Rebuilder::scope(*finish_node(std::move(now)));
  }

 private:
  // Within these bounds `pl.unroll` is taken at its word. Host functions keep their loops: windows and groups
  // are found in them as they were written.
  bool is_written_out(const For& loop, __int128 rounds) {
    constexpr __int128 round_limit = 16;
    if (loop.loop_kind != LoopKind::Unroll || host_ || rounds > round_limit) return false;
    CountStatements body;
    body.walk(loop.body);
    const int64_t more = static_cast<int64_t>(rounds) * body.count;
    if (more > written_out_) return false;
    written_out_ -= more;
    return true;
  }

  // The statements of a body without the statement around them. What it hands on.
  ExprList open(const Block& body) {
    for (const StmtRef& stmt : body.stmts) {
      if (const auto* yield = as<Yield>(stmt)) return use(yield->values);
      statement(*stmt);
    }
    return {};
  }

  void bind_all(const VarList& vars, const ExprList& values) {
    for (size_t i = 0; i < values.size(); ++i) bind(*vars[i], values[i]);
  }

  ExprRef hide(const ExprRef& expr) {
    if (const auto* list = as<MakeTuple>(expr)) {
      ExprList elements;
      for (const ExprRef& element : list->elements) elements.push_back(hide(element));
      return make<MakeTuple>(expr->span, std::move(elements));
    }
    return is_constant(expr) && isa<ConstInt>(expr) ? ExprRef(assign_new("k", expr, expr->span)) : expr;
  }

  const bool host_;
  int64_t written_out_ = 4096;  // statements that may still come from loops: they may be nested
};

}  // namespace

ProgramRef simplify(const ProgramRef& program, Diagnostics& diags) {
  Ref<Program> result = copy(*program);
  for (FunctionRef& function : result->functions) {
    const bool host = function->type == FunctionType::Host;
    BlockRef body = Simplifier(diags, host).block(*function->body);
    function = with_body(*function, host ? body : drop_unused(body));
  }
  return finish_node(std::move(result));
}

}  // namespace tilewire::passes
