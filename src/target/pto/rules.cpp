#include "target/pto/rules.h"

#include "ops/handles.h"
#include "ops/registry.h"
#include "support/diagnostics.h"

namespace tilewire::target::pto {

using namespace ir;

std::string DtypeSet::text() const {
  std::string text;
  for (const DTypeInfo& info : all_dtypes()) {
    if (holds(info.dtype)) text += (text.empty() ? "" : " ") + std::string(info.name);
  }
  return text;
}

RuleTable::RuleTable() : rules_(ops::registry().all().size()) {
  add_move_rules(*this);
  add_elementwise_rules(*this);
  add_reduce_rules(*this);
  add_shape_rules(*this);
  add_matrix_rules(*this);
  add_sort_rules(*this);
  add_signal_rules(*this);
  add_remote_rules(*this);
  add_pipe_rules(*this);
}

void RuleTable::add(const Op& op, Rule rule) {
  Rule& place = rules_[op.index];
  TW_CHECK(!place.emit && place.becomes.empty(), "two rules for " + op.qualified());
  place = std::move(rule);
}

const RuleTable& rules() {
  static const RuleTable table;
  return table;
}

namespace {

std::optional<DType> element_of(const TypeRef& type) {
  if (const auto* tile = as<TileType>(type)) return tile->dtype;
  if (const auto* tensor = as<TensorType>(type)) return tensor->dtype;
  if (const auto* tuple = as<TupleType>(type)) {
    for (const TypeRef& element : tuple->types) {
      if (auto dtype = element_of(element)) return dtype;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<DType> dtype_of(const Call& call) {
  for (const ExprRef& arg : call.args) {
    if (arg && isa<TileType>(arg->type)) return element_of(arg->type);
  }
  if (auto dtype = element_of(call.type)) return dtype;
  for (const ExprRef& arg : call.args) {
    if (arg && isa<TensorType>(arg->type)) return element_of(arg->type);
  }
  return std::nullopt;
}

ResultRule result_rule(const Call& call, const TileSpaces& memory) {
  // A popped tile is copied out of its slot with the extent it is going to have.
  if (call.op == ops::pl::tile::set_validshape && memory.cut_of_popped(*call.args[0]))
    return {ResultMemory::Views, 0};
  const Rule* rule = rules().find(*call.op);
  return rule ? rule->result : ResultRule{};
}

ExprRef operand(const Call& call, std::string_view name) {
  const int param = call.op->param_index(name);
  TW_CHECK(param >= 0, call.op->qualified() + " has no operand " + std::string(name));
  return call.args[static_cast<size_t>(call.op->operand_slots[static_cast<size_t>(param)])];
}

const AttrValue* attribute(const Call& call, std::string_view name) {
  if (const AttrValue* value = find_attr(call.attrs, name)) return value;
  const auto& param = call.op->params[static_cast<size_t>(call.op->param_index(name))];
  return param.default_value ? &*param.default_value : nullptr;
}

}  // namespace tilewire::target::pto
