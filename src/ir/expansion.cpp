#include "ir/expansion.h"

namespace tilewire::ir {

Expansion::Expansion(const Call& call, ExprList operands, Emit emit)
    : call(call), operands_(std::move(operands)), emit_(std::move(emit)) {}

const ExprRef& Expansion::arg(std::string_view name) const {
  const int param = call.op->param_index(name);
  TW_CHECK(param >= 0 && call.op->operand_slots[param] >= 0,
           call.op->qualified() + " has no operand " + std::string(name));
  return operands_[static_cast<size_t>(call.op->operand_slots[param])];
}

const AttrValue* Expansion::attr(std::string_view name) const {
  if (const AttrValue* value = find_attr(call.attrs, name)) return value;
  const auto& value = call.op->params[static_cast<size_t>(call.op->param_index(name))].default_value;
  return value ? &*value : nullptr;
}

DType Expansion::dtype() const {
  for (const ExprRef& operand : operands_) {
    if (!operand) continue;
    if (const auto* tile = as<TileType>(operand->type)) return tile->dtype;
    if (const auto* tensor = as<TensorType>(operand->type)) return tensor->dtype;
  }
  internal_error(__FILE__, __LINE__, call.op->qualified() + " has no operand with elements");
}

ExprRef Expansion::op(const Op& tile_op, ExprList args, AttrList attrs) {
  const Op& op = call.op->on_tensors ? *tile_op.counterpart : tile_op;
  args.resize(op.operand_count);
  return emit_(op, std::move(args), std::move(attrs));
}

ExprRef Expansion::number(double value) const {
  if (is_float(dtype())) return make<ConstFloat>(call.span, value, dtype());
  return make<ConstInt>(call.span, static_cast<int64_t>(value), dtype());
}

}  // namespace tilewire::ir
