#include "passes/add_sums_apart.h"

#include <map>

#include "ir/function_kinds.h"
#include "ir/op.h"
#include "ir/visitor.h"
#include "ops/handles.h"
#include "passes/mixed_plan.h"
#include "passes/rebuild.h"

namespace tilewire::passes {
namespace {

using namespace ir;

// Which tiles are sums of products, and which are rows just loaded.
class Origins : public Visitor<Origins> {
 public:
  void visit(const Assign& assign) { made_[assign.var.get()] = assign.value.get(); }
  void visit(const If& branch) {
    walk_children(branch);
    for (size_t i = 0; branch.else_body && i < branch.results.size(); ++i) {
      const ExprRef &a = yielded(*branch.then_body)[i], &b = yielded(*branch.else_body)[i];
      handed_[branch.results[i].get()] = {a.get(), b.get()};
    }
  }
  void visit(const For& loop) { carried(loop); }
  void visit(const While& loop) { carried(loop); }

  bool is_sum(const Expr& tile) {
    auto [known, is_new] = sums_.try_emplace(&tile, true);  // an iteration relies on the others
    if (!is_new) return known->second;
    const bool found = find_sum(tile);
    return sums_[&tile] = found;
  }

  bool is_loaded(const Expr& tile) const {
    const Call* call = call_of(tile);
    if (call && call->op == ops::pl::tile::move) return is_loaded(*call->args[0]);
    return call && call->op->form == OpForm::Load;
  }

 private:
  template <class Loop>
  void carried(const Loop& loop) {
    walk_children(loop);
    for (size_t i = 0; i < loop.iter_args.size(); ++i) {
      const std::vector<const Expr*> values{loop.init_values[i].get(), yielded(*loop.body)[i].get()};
      handed_[loop.iter_args[i].get()] = values;
      if (i < loop.results.size()) handed_[loop.results[i].get()] = values;
    }
  }

  const Call* call_of(const Expr& tile) const {
    auto found = made_.find(&tile);
    return found == made_.end() ? nullptr : as<Call>(found->second);
  }

  bool find_sum(const Expr& tile) {
    if (auto found = handed_.find(&tile); found != handed_.end()) {
      for (const Expr* value : found->second) {
        if (!is_sum(*value)) return false;
      }
      return true;
    }
    const Call* call = call_of(tile);
    if (!call) return false;
    switch (call->op->form) {
      case OpForm::Matmul:
        return true;
      case OpForm::MatmulBias:
        return is_loaded(*call->args[2]);
      case OpForm::MatmulAcc:
        return is_sum(*call->args[0]);
      case OpForm::Fill:
        return !needs_fill(*call);
      default:
        return call->op == ops::pl::tile::set_validshape && is_sum(*call->args[0]);
    }
  }

  std::map<const Expr*, const Expr*> made_;
  std::map<const Expr*, std::vector<const Expr*>> handed_;  // by loops and branches: all that it may be
  std::map<const Expr*, bool> sums_;
};

class Sums final : public Rebuilder {
 public:
  Sums(Origins& origins, Diagnostics& diags) : Rebuilder(diags), origins_(origins) {}

 protected:
  void assign(const Assign& assign) override {
    const auto* call = as<Call>(assign.value);
    if (call && call->op == ops::pl::tile::matmul_bias && !origins_.is_loaded(*call->args[2]))
      return apart(assign, *call, 0, ops::pl::tile::col_expand_add, 2);
    if (call && call->op == ops::pl::tile::matmul_acc && !origins_.is_sum(*call->args[0]))
      return apart(assign, *call, 1, ops::pl::tile::add, 0);
    Rebuilder::assign(assign);
  }

 private:
  // `first`: the number of the first operand of the product; `other`: of what is added.
  void apart(const Assign& assign, const Call& call, size_t first, const Op& sum_op, size_t other) {
    const ExprRef product =
        assign_new("product",
                   call_op(ops::pl::tile::matmul, {use(call.args[first]), use(call.args[first + 1])},
                           call.attrs, call.span),
                   call.span);
    ExprRef sum = call_op(sum_op, {product, use(call.args[other])}, {}, call.span);
    const TypeRef type = sum->type;
    emit(make<Assign>(assign.span, std::move(sum), define(assign.var, type)));
  }

  Origins& origins_;
};

}  // namespace

ProgramRef add_sums_apart(const ProgramRef& program, Diagnostics& diags) {
  Ref<Program> result = copy(*program);
  for (FunctionRef& function : result->functions) {
    if (function->type != FunctionType::InCore) continue;
    Origins origins;
    origins.walk(*function->body);
    Sums sums(origins, diags);
    function = with_body(*function, sums.block(*function->body));
  }
  return finish_node(std::move(result));
}

}  // namespace tilewire::passes
