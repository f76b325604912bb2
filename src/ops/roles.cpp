#include "ops/roles.h"

#include "ir/make.h"

namespace tilewire::ops {

using namespace ir;

namespace {

bool holds_all(DType wide, DType narrow) {
  if (wide == narrow || is_float(wide) || wide == DType::Bool) return true;
  if (!info(wide).is_signed && info(narrow).is_signed) return false;
  const bool needs_sign = info(wide).is_signed && !info(narrow).is_signed;
  return bits(wide) >= bits(narrow) + needs_sign;
}

}  // namespace

OperandRole role_in(const Call& call, size_t param) {
  const OperandRole role = call.op->params[param].role;
  if (role != OperandRole::Control) return role;
  const ExprRef& operand = call.args[static_cast<size_t>(call.op->operand_slots[param])];
  const auto from = operand ? scalar_dtype(operand->type) : std::nullopt;
  const auto to = scalar_dtype(call.type);
  if (!from || !to) return role;
  const bool converts = call.op->operand_count == 1;
  return is_float(*from) || (converts && holds_all(*to, *from)) ? OperandRole::Data : role;
}

}  // namespace tilewire::ops
