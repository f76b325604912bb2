#include "ops/define.h"

#include "ir/check_ops.h"

namespace tilewire::ops {

using namespace ir;

Define::Define(std::vector<Op>& ops, std::string module, std::string name, std::string doc)
    : ops_(ops), index_(ops.size()) {
  Op& record = ops_.emplace_back();
  record.module = std::move(module);
  record.name = std::move(name);
  record.doc = std::move(doc);
}

Define& Define::operand(std::string name, uint16_t accepts, OperandRole role, std::string doc) {
  OpParam param;
  param.name = std::move(name);
  param.doc = std::move(doc);
  param.accepts = accepts;
  param.role = role;
  op().params.push_back(std::move(param));
  return *this;
}

Define& Define::list(std::string name, uint16_t accepts, OperandRole role, std::string doc) {
  operand(std::move(name), accepts, role, std::move(doc));
  param().kind = OpParam::ListOperand;
  return *this;
}

Define& Define::attr(std::string name, AttrKind kind, std::string doc) {
  operand(std::move(name), 0, Unset, std::move(doc));
  param().kind = OpParam::Attribute;
  param().attr_kind = kind;
  return *this;
}

Define& Define::optional() {
  param().optional = true;
  return *this;
}

Define& Define::keyword_only() {
  param().keyword_only = true;
  return *this;
}

Define& Define::literal(DType dtype) {
  param().literal = dtype;
  return *this;
}

Define& Define::like(int param_index) {
  param().like = param_index;
  return *this;
}

Define& Define::by_default(AttrValue value) {
  param().optional = true;
  param().default_value = std::move(value);
  return *this;
}

Define& Define::required_at(uint8_t levels) {
  param().required_at = levels;
  return *this;
}

int Define::index_of(std::string_view param) {
  int index = op().param_index(param);
  TW_CHECK(index >= 0, op().qualified() + " has no parameter " + std::string(param));
  return index;
}

Define& Define::effect(Access access, std::string_view param) {
  Effect effect;
  effect.param = index_of(param);
  effect.access = access;
  op().effects.push_back(std::move(effect));
  return *this;
}

Define& Define::region(std::string_view offsets, std::string_view extent) {
  op().effects.back().offsets_param = index_of(offsets);
  if (!extent.empty()) op().effects.back().extent_param = index_of(extent);
  return *this;
}

Define& Define::peer(std::string_view param) {
  op().effects.back().peer_param = index_of(param);
  return *this;
}

Define& Define::all_peers() {
  op().effects.back().all_peers = true;
  return *this;
}

Define& Define::group() {
  op().group_param = static_cast<int>(op().params.size());
  return operand(
             "group", AcceptCommCtx, Address,
             "The sub-group whose ranks take part and are counted; all of the window's group if left out.")
      .optional()
      .keyword_only();
}

Define& Define::members() {
  return list("members", AcceptInt, Address,
              "What the compiler writes in place of `group`: the first rank, the distance from one to the "
              "next, "
              "and how many there are.")
      .optional()
      .keyword_only();
}

Define& Define::only_checks() {
  attr(checked_op, AttrKind::String, "The op that needs it, for the message.")
      .by_default(AttrValue{std::string()})
      .keyword_only()
      .result("Nothing.")
      .rule([](OpCheck&) { return unit_type(); });
  op().synchronizes = true;
  return *this;
}

Define& Define::when(std::string_view attr, AttrValue value) {
  index_of(attr);
  op().effects.back().when_attr = attr;
  op().effects.back().when_value = std::move(value);
  return *this;
}

Define& Define::store_effects(std::string_view param, std::string_view offsets, std::string_view extent,
                              std::string_view peer_param) {
  for (AtomicType atomic : {AtomicType::None_, AtomicType::Add}) {
    effect(atomic == AtomicType::None_ ? Access::Write : Access::Atomic, param);
    region(offsets, extent);
    if (!peer_param.empty()) peer(peer_param);
    when("atomic", {enum_value(atomic)});
  }
  return *this;
}

Define& Define::result(std::string doc) {
  op().result_doc = std::move(doc);
  return *this;
}

Define& Define::alias(std::string name) {
  op().aliases.push_back(std::move(name));
  return *this;
}

Define& Define::infix(std::string text) {
  op().infix = std::move(text);
  return *this;
}

Define& Define::levels(uint8_t levels) {
  op().levels = levels;
  return *this;
}

Define& Define::rebinds(std::string_view param) {
  op().result_alias = index_of(param);
  return *this;
}

Define& Define::form(OpForm form) {
  op().form = form;
  return *this;
}

Define& Define::computes(Elementwise kind, int cost) {
  op().kind = kind;
  op().cost = static_cast<uint8_t>(cost);
  return *this;
}

Define& Define::keeps() {
  op().keeps = true;
  return *this;
}

Define& Define::no_rule(std::string reason) {
  op().no_rule = std::move(reason);
  return *this;
}

Define& Define::expands(std::function<ExprRef(Expansion&)> expansion, int ulp) {
  op().expansion = std::move(expansion);
  op().ulp = ulp;
  return *this;
}

Define& Define::rule(std::function<TypeRef(OpCheck&)> rule) {
  op().rule = std::move(rule);
  return *this;
}

}  // namespace tilewire::ops
