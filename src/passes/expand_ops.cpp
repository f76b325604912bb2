#include "passes/expand_ops.h"

#include "ir/expansion.h"
#include "ops/handles.h"
#include "passes/rebuild.h"

namespace tilewire::passes {

using namespace ir;

namespace {

std::optional<DType> element_dtype(const TypeRef& type) {
  if (const auto* tile = as<TileType>(type)) return tile->dtype;
  if (const auto* tensor = as<TensorType>(type)) return tensor->dtype;
  return scalar_dtype(type);
}

class Expander : public Rebuilder {
 public:
  Expander(const Traits& traits, Diagnostics& diags) : Rebuilder(diags), traits_(traits) {}

 protected:
  void assign(const Assign& assign) override {
    const auto* call = as<Call>(assign.value);
    if (!call || !is_expanded(*call->op, traits_)) return Rebuilder::assign(assign);
    ExprRef value = expand(*call->op, use(call->args), call->attrs, call->span);
    if (isa<Var>(value)) return bind(*assign.var, value);
    TypeRef type = value->type;
    emit(make<Assign>(assign.span, std::move(value), define(assign.var, type)));
  }

  // What has an expansion has no effect.
  void eval(const Eval& eval) override {
    const auto* call = as<Call>(eval.value);
    if (!call || !is_expanded(*call->op, traits_)) Rebuilder::eval(eval);
  }

 private:
  // The value of the whole: a variable, or a conversion that still needs a name.
  ExprRef expand(const Op& op, ExprList args, AttrList attrs, const Span& span) {
    ExprRef made = call_op(op, args, std::move(attrs), span);
    const auto& call = static_cast<const Call&>(*made);
    for (ExprRef& arg : args) {
      if (arg) arg = in_fp32(arg, span);
    }
    Expansion expansion(call, std::move(args), [&](const Op& part, ExprList operands, AttrList attributes) {
      ExprRef value = is_expanded(part, traits_)
                          ? expand(part, std::move(operands), std::move(attributes), span)
                          : call_op(part, std::move(operands), std::move(attributes), span);
      return isa<Var>(value) ? value : ExprRef(assign_new("t", value, span));
    });
    ExprRef value = op.expansion(expansion);
    return converted(value, *element_dtype(call.type), span);
  }

  ExprRef in_fp32(const ExprRef& arg, const Span& span) {
    auto dtype = element_dtype(arg->type);
    if (!dtype || !is_float(*dtype) || *dtype == DType::FP32) return arg;
    return assign_new("t", converted(arg, DType::FP32, span), span);
  }

  ExprRef converted(const ExprRef& value, DType to, const Span& span) {
    if (element_dtype(value->type) == to) return value;
    const bool scalar = scalar_dtype(value->type).has_value();
    const Op& cast = scalar                       ? ops::pl::scalar::cast
                     : isa<TileType>(value->type) ? ops::pl::tile::cast
                                                  : ops::pl::tensor::cast;
    return call_op(cast, {value}, {{"target_type", AttrValue{to}}}, span);
  }

  const Traits& traits_;
};

}  // namespace

bool is_expanded(const Op& op, const Traits& traits) {
  return op.expansion && !(traits.has_rule && traits.has_rule(op));
}

ProgramRef expand_ops(const ProgramRef& program, const Traits& traits, Diagnostics& diags) {
  Ref<Program> result = copy(*program);
  for (FunctionRef& function : result->functions) {
    Expander expander(traits, diags);
    function = with_body(*function, expander.block(*function->body));
  }
  return finish_node(std::move(result));
}

}  // namespace tilewire::passes
