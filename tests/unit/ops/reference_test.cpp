#include "ops/reference.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ops/registry.h"

namespace tilewire::ops {
namespace {

using ir::Access;
using ir::Op;
using ir::OpParam;

OpParam operand(std::string name, uint16_t accepts) {
  OpParam param;
  param.name = std::move(name);
  param.accepts = accepts;
  return param;
}

Op poke() {
  Op op;
  op.module = "pld";
  op.name = "test.poke";
  op.doc = "Writes a cell. Nothing else happens.";
  OpParam offsets = operand("offsets", ir::AcceptInt);
  offsets.kind = OpParam::ListOperand;
  OpParam value = operand("value", ir::AcceptScalar);
  value.optional = true;
  OpParam mode;
  mode.name = "op";
  mode.kind = OpParam::Attribute;
  mode.attr_kind = ir::AttrKind::Enum;
  mode.enum_id = ir::EnumId::NotifyOp;
  mode.optional = mode.keyword_only = true;
  mode.default_value = ir::AttrValue{ir::enum_value(ir::NotifyOp::Set)};
  op.params = {operand("target", ir::AcceptWindow), operand("peer", ir::AcceptInt), offsets, value, mode};
  return op;
}

TEST(OpReference, SignatureShowsDefaultsAndKeywords) {
  EXPECT_EQ(signature(poke()), "pld.test.poke(target, peer, offsets, value=None, *, op=pld.NotifyOp.Set)");
}

// Python refuses a parameter without default after one with a default, unless it is named.
TEST(OpReference, SignatureNamesWhatMustBeGivenAfterAnOptionalParameter) {
  Op op = poke();
  op.params.insert(op.params.end() - 1, operand("count", ir::AcceptInt));
  EXPECT_EQ(signature(op), "pld.test.poke(target, peer, offsets, value=None, *, count, op=pld.NotifyOp.Set)");
}

TEST(OpReference, ParametersSayWhatTheyTake) {
  Op op = poke();
  EXPECT_EQ(describe(op.params[0]), ir::describe(ir::AcceptWindow));
  EXPECT_EQ(describe(op.params[2]), "a list, each " + ir::describe(ir::AcceptInt));
  EXPECT_EQ(describe(op.params[3]), ir::describe(ir::AcceptScalar) + ", optional");
  EXPECT_EQ(describe(op.params[4]), "pld.NotifyOp, default pld.NotifyOp.Set");
}

TEST(OpReference, EffectsSayWhereAndWhen) {
  Op op = poke();
  ir::Effect effect;
  effect.access = Access::Write;
  EXPECT_EQ(describe(op, effect), "writes `target`");
  effect.peer_param = 1;
  effect.offsets_param = 2;
  effect.extent_param = 3;
  effect.when_attr = "op";
  effect.when_value = *op.params[4].default_value;
  EXPECT_EQ(
      describe(op, effect),
      "writes `target` from `offsets` over the shape of `value` in the memory of rank `peer`, when `op` is "
      "`pld.NotifyOp.Set`");
  effect.when_equal = false;
  effect.all_peers = true;
  EXPECT_NE(describe(op, effect).find("every rank of the group, when `op` is not"), std::string::npos);
}

TEST(OpReference, SummaryIsTheFirstSentence) {
  Op op = poke();
  EXPECT_EQ(summary(op), "Writes a cell");
  op.doc = "Reads 1.5 cells";
  EXPECT_EQ(summary(op), "Reads 1.5 cells");
  op.doc = "One line.\nMore";
  EXPECT_EQ(summary(op), "One line");
}

std::vector<std::string> names(const std::vector<const Op*>& found) {
  std::vector<std::string> result;
  for (const Op* op : found) result.push_back(op->qualified());
  return result;
}

TEST(OpReference, FindsAnOpByFullAndShortNames) {
  using List = std::vector<std::string>;
  EXPECT_EQ(names(named(registry(), "pl.tile.add")), List{"pl.tile.add"});
  EXPECT_EQ(names(named(registry(), "tile.add")), List{"pl.tile.add"});
  EXPECT_EQ(names(named(registry(), "world_size")), List{"pld.world_size"});
  EXPECT_EQ(names(named(registry(), "notify")), (List{"pld.system.notify", "pl.pipe.notify"}));
  EXPECT_EQ(names(named(registry(), "pl.world_size")), List{});
  EXPECT_EQ(names(named(registry(), "nothing")), List{});
  EXPECT_EQ(names(named(registry(), "")), List{});
  List adds = names(named(registry(), "pl.add"));
  for (const char* name : {"pl.tile.add", "pl.tensor.add"}) {
    EXPECT_EQ(std::count(adds.begin(), adds.end(), name), 1) << name;
  }
}

TEST(OpReference, SuggestsNearNames) {
  std::vector<std::string> near = similar(registry(), "pld.system.notfy");
  ASSERT_FALSE(near.empty());
  EXPECT_EQ(near.front(), "pld.system.notify");
  EXPECT_LE(similar(registry(), "row", 2).size(), 2u);
  EXPECT_TRUE(similar(registry(), "qqqqqqqq").empty());
  EXPECT_TRUE(similar(registry(), std::string(100000, 'a')).empty());
}

TEST(OpReference, EveryOpIsInOneFamilyAndHasWords) {
  size_t count = 0;
  for (const Family& f : families(registry())) {
    for (const Op* op : f.ops) {
      EXPECT_EQ(family(*op), f.name);
      EXPECT_FALSE(summary(*op).empty()) << op->qualified();
      for (const ir::Effect& effect : op->effects) EXPECT_FALSE(describe(*op, effect).empty());
    }
    count += f.ops.size();
  }
  EXPECT_EQ(count, registry().all().size());
}

}  // namespace
}  // namespace tilewire::ops
