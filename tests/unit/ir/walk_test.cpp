// The loops over fields, and the visitor, mutator and dump made of them.
#include <gtest/gtest.h>

#include "ir/dump.h"
#include "ir/fields.h"
#include "ir/mutator.h"
#include "ir/structural.h"
#include "ir/verifier.h"
#include "ir/visitor.h"
#include "sample.h"

namespace tilewire::ir {
namespace {

TEST(Fields, NamesOfClasses) {
  EXPECT_EQ(class_name<ConstInt>, "ConstInt");
  EXPECT_EQ(kind_name(kind_of<DistributedTensorType>), "DistributedTensorType");
  EXPECT_EQ(kind_name(*sample::program()), "Program");
  EXPECT_EQ(kind_name(250), "?");
}

TEST(Fields, DispatchGivesTheVeryClass) {
  NodeRef node = sample::param("x", sample::tensor({1}));
  bool exact = dispatch(*node, [](const auto& typed) {
    return std::is_same_v<std::remove_cvref_t<decltype(typed)>, Parameter>;
  });
  EXPECT_TRUE(exact);
}

TEST(Fields, ChildrenOfABaseClassAreThoseOfTheNode) {
  WindowBufferRef buffer = make<WindowBuffer>(Span{}, sample::var("b", ptr_type()), sample::index(64));
  int present = 0, absent = 0;
  auto count = [&](const auto& child, FieldRole) { ++(child ? present : absent); };
  for_each_child(static_cast<const Var&>(*buffer), count);
  EXPECT_EQ(present, 2);
  EXPECT_EQ(absent, 2);
}

struct Counter : Visitor<Counter> {
  int calls = 0, vars = 0, tiles = 0;
  void visit(const Call& call) {
    ++calls;
    walk_children(call);
  }
  void visit(const Var&) { ++vars; }
  void visit(const TileType&) { ++tiles; }
};
struct TypeCounter : Visitor<TypeCounter> {
  static constexpr bool into_types = true;
  int tiles = 0;
  void visit(const TileType&) { ++tiles; }
};

TEST(Visitor, VisitsWhatItNamesAndWalksTheRest) {
  VarRef a = sample::var("a", sample::tile(2, 2)), b = sample::var("b", sample::tile(2, 2));
  auto x = sample::param("x", sample::tensor({2, 2}));
  ExprRef shape = sample::list({sample::index(2), sample::index(2)});
  NodeRef body = sample::block({sample::assign(a, sample::call("pl.load", {x, shape, shape})),
                                sample::assign(b, sample::call("pl.tile_add", {a, a}))});
  Counter counter;
  counter.walk(body);
  EXPECT_EQ(counter.calls, 2);
  EXPECT_EQ(counter.vars, 5);
  EXPECT_EQ(counter.tiles, 0);
  TypeCounter types;
  types.walk(body);
  EXPECT_EQ(types.tiles, 6);
}

struct Nothing : Mutator<Nothing> {};

TEST(Mutator, ReturnsTheSameNodeWhenNothingChanges) {
  ProgramRef program = sample::program();
  EXPECT_EQ(Nothing().mutate(program), program);
}

struct Widen : Mutator<Widen> {
  NodeRef rewrite(const ConstInt& constant) {
    return constant.value == 16 ? NodeRef(const_index(32)) : NodeRef(ref(&constant));
  }
};

TEST(Mutator, DefinitionsAndUsesStayOneNode) {
  ProgramRef program = sample::program();
  ProgramRef after = Widen().mutate(program);
  EXPECT_NE(after, program);
  const Function& kernel = *after->functions[0];
  const auto* load = as<Assign>(kernel.body->stmts[0]);
  EXPECT_EQ(as<TileType>(load->var->type)->rows(), 32);
  EXPECT_EQ(load->var, as<For>(kernel.body->stmts[1])->init_values[0]);
  EXPECT_EQ(kernel.params[0], program->functions[0]->params[0]) << "what did not change is shared";
  Diagnostics diags;
  EXPECT_TRUE(verify(*after, diags)) << diags.text();
  EXPECT_EQ(after->comm_groups[0]->slots[0]->name, "data_buf");
}

struct Edit : Mutator<Edit> {
  NodeRef rewrite(const Eval&) { return nullptr; }
  NodeRef rewrite(const Return& ret) {
    return sample::block(
        {sample::assign(sample::var("n", sample::scalar(DType::Index)), sample::index(1)), ref(&ret)});
  }
};

TEST(Mutator, StatementsMayVanishOrMultiply) {
  auto f = sample::function("f", FunctionType::InCore, {}, {},
                            {make<Eval>(Span{}, sample::index(1)), make<Return>(Span{}, ExprList{})});
  FunctionRef after = Edit().mutate(f);
  ASSERT_EQ(after->body->stmts.size(), 2u);
  EXPECT_TRUE(isa<Assign>(after->body->stmts[0]));
  EXPECT_TRUE(isa<Return>(after->body->stmts[1]));
}

TEST(Mutator, ReplacesAVariableEverywhere) {
  TypeRef t = sample::scalar(DType::Index);
  VarRef a = sample::var("a", t), b = sample::var("b", t);
  Nothing replace;
  replace.replace(a, b);
  ExprRef sum =
      replace.mutate<Expr>(sample::call("pl.add", {a, sample::call("pl.add", {a, sample::index(1)})}));
  EXPECT_EQ(as<Call>(sum)->args[0], b);
  EXPECT_EQ(as<Call>(as<Call>(sum)->args[1])->args[0], b);
}

struct Wrong : Mutator<Wrong> {
  NodeRef rewrite(const ConstInt&) { return scalar_type(DType::Index); }
};

TEST(Mutator, AMisfitIsAnInternalError) {
  EXPECT_THROW(Wrong().mutate<Expr>(sample::list({sample::index(1)})), std::logic_error);
}

TEST(Dump, ReprIsOneShortLine) {
  EXPECT_EQ(repr(const_index(3)), "ConstInt(value=3, dtype=pl.INDEX)");
  EXPECT_EQ(repr(ptr_type()), "PtrType()");
  EXPECT_EQ(repr(nullptr), "None");
  EXPECT_EQ(
      repr(make<TileType>(Span{}, ExprList{sample::index(1), sample::index(2)})),
      "TileType(shape=[ConstInt(value=1, dtype=pl.INDEX), ConstInt(value=2, dtype=pl.INDEX)], dtype=pl.FP32, "
      "memory=None)");
  ExprList many(1000, sample::index(7));
  EXPECT_LT(repr(sample::list(many)).size(), 300u);
  EXPECT_NE(repr(sample::list(many)).find("... 996 more]"), std::string::npos);
  EXPECT_LT(repr(sample::program()).size(), 2000u);
  EXPECT_EQ(repr(make<DimSymbol>(Span{}, std::string(500, 'N'))).size(), 79u);
}

TEST(Dump, ShowsEveryFieldAndTellsVariablesApart) {
  TypeRef t = sample::scalar(DType::Index);
  VarRef a = sample::var("n", t), b = sample::var("n", t);
  std::string text = dump(sample::block({sample::assign(a, sample::index(1)), sample::assign(b, a)}));
  EXPECT_EQ(text,
            "Block\n"
            "  stmts[0]: Assign\n"
            "    value: ConstInt(value=1, dtype=pl.INDEX)\n"
            "    var: %0:Var(name_hint=\"n\", type=ScalarType(dtype=pl.INDEX))\n"
            "  stmts[1]: Assign\n"
            "    value: %0:n\n"
            "    var: %1:Var(name_hint=\"n\", type=ScalarType(dtype=pl.INDEX))\n");
  std::string program = dump(sample::program());
  for (const char* word : {"loop_kind: LoopKind.Pipeline", "pl.store", "atomic=pld.AtomicType.Add",
                           "@ sample.py:", "devices: [0, 1]", "data_buf"}) {
    EXPECT_NE(program.find(word), std::string::npos) << word << "\n" << program;
  }
}

}  // namespace
}  // namespace tilewire::ir
