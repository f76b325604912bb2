#include "python/op_call.h"

#include <nanobind/stl/string.h>

#include <algorithm>

#include "ops/registry.h"
#include "python/errors.h"

namespace tilewire::python {
namespace {

nb::object finish_call(const ir::Op& op, std::vector<ir::OpArgument> positional,
                       std::vector<ir::OpKeyword> keywords, const Span& span,
                       ir::TypeRef annotated = nullptr) {
  Diagnostics diags;
  auto call =
      ir::create_call(op, std::move(positional), std::move(keywords), span, diags, std::move(annotated));
  if (!call) raise_program_error(diags);
  emit_warnings(diags);
  return to_python(call);
}

const ir::OpParam& operand(const ir::Op& op, size_t slot) {
  size_t i = 0;
  while (op.operand_slots[i] != static_cast<int>(slot)) ++i;
  return op.params[i];
}

bool fits(uint16_t accepts, const ir::OpArgument& argument) {
  if (const auto* expr = std::get_if<ir::ExprRef>(&argument.value))
    return ir::accepts(accepts, (*expr)->type);
  if (const auto* value = std::get_if<ir::AttrValue>(&argument.value)) {
    bool number = value->get<int64_t>() || value->get<double>() || value->get<bool>();
    return number && (accepts & (ir::AcceptScalar | ir::AcceptInt));
  }
  return true;
}

bool fits(const ir::OpParam& param, const ir::OpArgument& argument) {
  bool list = std::holds_alternative<std::vector<ir::OpArgument>>(argument.value);
  switch (param.kind) {
    case ir::OpParam::Operand:
      return !list && fits(param.accepts, argument);
    case ir::OpParam::ListOperand:
      if (!list) return std::holds_alternative<ir::ExprRef>(argument.value);
      return std::ranges::all_of(std::get<std::vector<ir::OpArgument>>(argument.value),
                                 [&](const ir::OpArgument& item) { return fits(param.accepts, item); });
    case ir::OpParam::Attribute:
      return std::holds_alternative<ir::AttrValue>(argument.value);
  }
  return false;
}

bool fits(const ir::Op& op, const std::vector<ir::OpArgument>& positional,
          const std::vector<ir::OpKeyword>& keywords) {
  if (positional.size() > op.params.size()) return false;
  for (size_t i = 0; i < positional.size(); ++i) {
    if (!fits(op.params[i], positional[i])) return false;
  }
  for (const ir::OpKeyword& keyword : keywords) {
    int index = op.param_index(keyword.name);
    if (index < 0 || !fits(op.params[index], keyword.argument)) return false;
  }
  return true;
}

ir::OpArgument argument_or_raise(const std::string& shown, nb::handle object) {
  ir::OpArgument argument;
  if (!op_argument_from(object, argument)) {
    throw nb::type_error(("`" + shown +
                          "` is used inside a decorated function, or called with IR expressions "
                          "to build IR; it cannot take " +
                          given_type(object))
                             .c_str());
  }
  return argument;
}

}  // namespace

nb::object construct_call(const std::vector<nb::object>& bound, const Span& span) {
  auto raise = [](const char* name, const char* type, nb::handle given) {
    throw nb::type_error(
        ("Call: argument `" + std::string(name) + "` must be " + type + ", not " + given_type(given))
            .c_str());
  };
  const ir::Op* op = nullptr;
  if (!op_from(bound[0], op)) raise("op", "Op | str", bound[0]);
  nb::handle args = bound[1];
  if (!PyList_Check(args.ptr()) && !PyTuple_Check(args.ptr())) raise("args", "Sequence[Any]", args);
  std::vector<ir::OpKeyword> keywords;
  size_t slot = 0;
  for (nb::handle item : nb::borrow<nb::object>(args)) {
    if (slot == op->operand_count) {
      throw nb::value_error(("Call: `" + op->qualified() + "` has " + std::to_string(op->operand_count) +
                             " operands, more are given")
                                .c_str());
    }
    std::string_view name = operand(*op, slot++).name;
    if (!item.is_none()) keywords.push_back({name, argument_or_raise(op->qualified(), item), {}});
  }
  ir::AttrList attrs;  // what the names of keywords point to
  if (bound[2].is_valid() && !attrs_from(bound[2], attrs)) raise("attrs", "Mapping[str, Any]", bound[2]);
  for (const auto& [name, value] : attrs) keywords.push_back({name, {value, {}}, {}});
  ir::TypeRef annotated;
  if (bound[3].is_valid() && !FieldValue<ir::TypeRef>::set(bound[3], annotated)) {
    raise("type", "Type | None", bound[3]);
  }
  return finish_call(*op, {}, std::move(keywords), span, std::move(annotated));
}

nb::object call_op(std::span<const ir::Op* const> candidates, const std::string& shown, const nb::args& args,
                   const nb::kwargs& kwargs) {
  std::vector<ir::OpArgument> positional;
  for (nb::handle item : args) positional.push_back(argument_or_raise(shown, item));
  std::vector<std::string> names(kwargs.size());
  std::vector<ir::OpKeyword> keywords;
  size_t i = 0;
  for (auto [key, value] : kwargs) {
    names[i] = nb::cast<std::string>(key);
    keywords.push_back({names[i++], argument_or_raise(shown, value), {}});
  }
  const ir::Op* chosen = candidates.front();
  for (const ir::Op* op : candidates) {
    if (!fits(*op, positional, keywords)) continue;
    chosen = op;
    break;
  }
  return finish_call(*chosen, std::move(positional), std::move(keywords), {});
}

nb::object apply_infix(std::string_view infix, nb::handle left, nb::handle right) {
  std::vector<ir::OpArgument> operands;
  for (nb::handle side : {left, right}) {
    if (!side.is_valid()) continue;
    ir::ExprRef expr = expr_from(side);
    if (!expr) return nb::borrow(Py_NotImplemented);
    operands.emplace_back().value = std::move(expr);
  }
  for (const ir::Op& op : ops::registry().all()) {
    if (op.infix != infix || op.operand_count != operands.size() || !fits(op, operands, {})) continue;
    return finish_call(op, std::move(operands), {}, {});
  }
  return nb::borrow(Py_NotImplemented);
}

}  // namespace tilewire::python
