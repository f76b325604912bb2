#include "passes/mark_collectives.h"

#include <cctype>

#include "ir/function_kinds.h"
#include "ir/op.h"
#include "ops/handles.h"
#include "passes/lower_composite_ops.h"
#include "passes/structured_builder.h"

namespace tilewire::passes {
namespace {

using namespace ir;

std::string attr_text(const AttrValue& value) {
  const auto* choice = value.get<EnumValue>();
  std::string text = choice ? std::string(member_name(*choice)) : to_string(value);
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// `allreduce(mode=ring)`: what differs from the defaults. The number of blocks is not included.
std::string name_of(const Call& call) {
  std::string settings;
  for (const OpParam& param : call.op->params) {
    const AttrValue* given = find_attr(call.attrs, param.name);
    if (!given || param.name == "core_num" || (param.default_value && *given == *param.default_value)) {
      continue;
    }
    settings += (settings.empty() ? "" : ", ") + param.name + "=" + attr_text(*given);
  }
  std::string name = call.op->name.substr(call.op->name.find('.') + 1);
  return settings.empty() ? name : name + "(" + settings + ")";
}

class Marker final : public StructuredBuilder {
 public:
  using StructuredBuilder::StructuredBuilder;

  void assign(const Assign& assign) override {
    mark(assign.value);
    StructuredBuilder::assign(assign);
  }
  void eval(const Eval& eval) override {
    mark(eval.value);
    StructuredBuilder::eval(eval);
  }

 private:
  ExprRef members(const ExprRef& group) {
    if (!group) return nullptr;
    ExprRef first = let("first", op(ops::pld::member_rank, {group, number(0)}));
    ExprRef stride = let("stride", op(ops::pld::system::member_stride, {group}));
    return list({first, stride, let("count", op(ops::pld::nranks, {group}))});
  }

  void mark(const ExprRef& value) {
    const auto* call = as<Call>(value);
    if (!call || !is_composite(*call->op)) return;
    at(call->span);
    auto operand = [&](const char* name) -> ExprRef {
      const int index = call->op->param_index(name);
      return index < 0
                 ? nullptr
                 : use(call->args[static_cast<size_t>(call->op->operand_slots[static_cast<size_t>(index)])]);
    };
    run(ops::pld::system::enter_collective,
        {operand("signal"), operand("target"), operand("root"), members(operand("group"))},
        {{"name", AttrValue{name_of(*call)}}});
  }
};

}  // namespace

ProgramRef mark_collectives(const ProgramRef& program, Diagnostics& diags) {
  Ref<Program> result = copy(*program);
  for (FunctionRef& function : result->functions) {
    if (!is_kernel(function->type)) continue;
    Marker marker(diags);
    function = with_body(*function, marker.block(*function->body));
  }
  return finish_node(std::move(result));
}

}  // namespace tilewire::passes
