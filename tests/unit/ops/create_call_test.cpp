// Binding arguments, converting constants, attributes: what create_call does before any rule runs.
#include <gtest/gtest.h>

#include "calls.h"
#include "ir/printer.h"
#include "support/diagnostics/ops.h"

namespace tilewire::ops::test {
namespace {

using namespace ir;

TEST(CreateCall, PositionalAndKeywordAreTheSame) {
  auto x = tensor("x", {64, 64});
  auto a = good("pl.tile.load", {x, {0, 0}, {16, 16}});
  auto b = good("pl.tile.load", {}, {{"shape", {16, 16}}, {"t", x}, {"offsets", {0, 0}}});
  EXPECT_EQ(to_string(a->type), "pl.Tile[[16, 16], pl.FP32]");
  EXPECT_EQ(to_string(a->type), to_string(b->type));
  ASSERT_EQ(a->args.size(), 4u);
  EXPECT_EQ(a->args[0], b->args[0]);
  EXPECT_TRUE(isa<MakeTuple>(a->args[1]));
  EXPECT_FALSE(a->args[3]);
}

TEST(CreateCall, DefaultsAreLeftOutAndAttributesOrdered) {
  auto sig = window("sig", {4, 1}, DType::Int32);
  EXPECT_TRUE(good("pld.system.wait", {sig, {0, 0}, 1}, {{"cmp", "ge"}})->attrs.empty());
  auto call = good("pl.tile.matmul", {tile("a", 16, 16), tile("b", 16, 16)},
                   {{"out_dtype", DType::FP16}, {"b_trans", true}, {"a_trans", false}});
  ASSERT_EQ(call->attrs.size(), 2u);
  EXPECT_EQ(call->attrs[0].first, "b_trans");
  EXPECT_EQ(call->attrs[1].first, "out_dtype");
}

TEST(CreateCall, StringsStandForEnumMembers) {
  auto sig = window("sig", {4, 1}, DType::Int32);
  auto a = good("pld.system.notify", {sig, 0, {0, 0}, 1}, {{"op", "set"}});
  auto b = good("pld.system.notify", {sig, 0, {0, 0}, 1}, {{"op", NotifyOp::Set}});
  EXPECT_EQ(a->attrs, b->attrs);
  EXPECT_TRUE(good("pld.system.notify", {sig, 0, {0, 0}, 1}, {{"op", "atomic_add"}})->attrs.empty());
  EXPECT_EQ(error("pld.system.notify", {sig, 0, {0, 0}, 1}, {{"op", "plus"}}),
            "TW0314: \"plus\" is not a value of `op` in `pld.system.notify`");
}

TEST(CreateCall, SplitModesAreAlsoNumbers) {
  auto t = tile("t", 16, 16);
  EXPECT_EQ(good("pl.tpush_to_aiv", {t}, {{"split", 1}})->attrs,
            good("pl.tpush_to_aiv", {t}, {{"split", SplitMode::UP_DOWN}})->attrs);
  EXPECT_EQ(error("pl.tpush_to_aiv", {t}, {{"split", 3}}),
            "TW0314: 3 is not a value of `split` in `pl.tpush_to_aiv`");
}

TEST(CreateCall, NumbersTakeTheDtypeOfTheTile) {
  auto half = tile("h", 16, 16, DType::FP16);
  auto call = good("pl.tile.add", {half, 1});
  EXPECT_EQ(to_string(call->args[1]->type), "pl.Scalar[pl.FP16]");
  EXPECT_TRUE(isa<ConstFloat>(call->args[1]));
  call = good("pl.tile.sub", {1.5, half});
  EXPECT_EQ(to_string(call->args[0]->type), "pl.Scalar[pl.FP16]");
  auto bytes = tile("u", 16, 16, DType::UInt8);
  EXPECT_EQ(error("pl.tile.add", {bytes, 300}), "TW0316: the constant 300 does not fit pl.UINT8");
  EXPECT_EQ(error("pl.tile.add", {half, 1e6}), "TW0316: the constant 1e+06 does not fit pl.FP16");
  EXPECT_EQ(error("pl.tile.add", {bytes, 0.5}),
            "TW0317: the constant 0.5 is not an integer, but `pl.tile.add` needs pl.UINT8 here");
}

TEST(CreateCall, LiteralsOfScalars) {
  auto n = scalar("n", DType::Int32);
  auto call = good("pl.scalar.add", {n, 1});
  EXPECT_EQ(to_string(call->args[1]->type), "pl.Scalar[pl.INT32]");
  EXPECT_EQ(typed("pl.scalar.add", {1, 2}), "pl.Scalar[pl.INDEX]");
  EXPECT_EQ(typed("pl.scalar.add", {1, 2.5}), "pl.Scalar[pl.FP32]");
  EXPECT_EQ(typed("pl.scalar.add", {2.5, 1}), "pl.Scalar[pl.FP32]");
  call = good("pl.scalar.mul", {3, scalar("f", DType::BF16)});
  EXPECT_EQ(to_string(call->args[0]->type), "pl.Scalar[pl.BF16]");
}

TEST(CreateCall, ConstantExpressionsServeAsAttributes) {
  auto x = tensor("x", {4, 8});
  EXPECT_EQ(typed("pl.tensor.dim", {x, ExprRef(const_index(-1))}), "pl.Scalar[pl.INDEX]");
  EXPECT_EQ(error("pl.tensor.dim", {x, scalar("i", DType::Index)}),
            "TW0313: `pl.tensor.dim` needs a value for `i` that is known when the program is read");
}

TEST(CreateCall, TuplesServeAsLists) {
  auto x = tensor("x", {64, 64});
  auto index = scalar_type(DType::Index);
  auto pair = var("p", make<TupleType>(Span{}, std::vector<TypeRef>{index, index}));
  auto call = good("pl.tile.load", {x, pair, {16, 16}});
  const auto* list = as<MakeTuple>(call->args[1]);
  ASSERT_TRUE(list);
  EXPECT_TRUE(isa<TupleGet>(list->elements[1]));
  EXPECT_EQ(error("pl.tensor.read", {x, scalar("i", DType::Index)}),
            "TW0309: `pl.tensor.read` needs a list for `idx`, got an integer scalar");
}

TEST(CreateCall, AListGoesToTheShapeOfAnAllocation) {
  auto by_shape = good("pld.alloc_window_buffer", {{16, 64}, DType::FP32});
  EXPECT_FALSE(by_shape->args[0]);
  EXPECT_TRUE(by_shape->args[1]);
  auto by_bytes = good("pld.alloc_window_buffer", {4096});
  EXPECT_TRUE(by_bytes->args[0]);
  EXPECT_FALSE(by_bytes->args[1]);
}

TEST(CreateCall, AllViolationsAreReported) {
  Diagnostics diags;
  auto x = tensor("x", {4, 1});
  EXPECT_FALSE(call("pld.system.notify", {x, true, {0, 0.5}, 1}, {{"op", "plus"}, {"ops", 1}}, diags));
  EXPECT_EQ(diags.error_count(), 5u) << diags.text();
}

TEST(CreateCall, PointsAtTheArgument) {
  Ref<const SourceFile> file(new SourceFile("mlp.py", "y = pld.tensor.allreduce(x, sig)"));
  std::vector<OpArgument> args = {{ExprRef(tensor("x", {1, 256})), Span{file, 1, 26, 1, 27}},
                                  {ExprRef(window("sig", {4, 1}, DType::Int32)), Span{file, 1, 29, 1, 32}}};
  Diagnostics diags;
  create_call(*registry().find("pld.tensor.allreduce"), std::move(args), {}, Span{file, 1, 5, 1, 33}, diags);
  EXPECT_EQ(
      diags.text(),
      "error[TW0312]: `pld.tensor.allreduce` needs a window, got a plain tensor\n"
      " --> mlp.py:1:26\n"
      "  |\n"
      "1 | y = pld.tensor.allreduce(x, sig)\n"
      "  |                          ^ `x` is pl.Tensor[[1, 256], pl.FP32]\n"
      "  = help: declare the parameter as a window: x: pl.InOut[pld.DistributedTensor[[1, 256], pl.FP32]]\n"
      "  = help: allocate the window on the host: x = pld.alloc_window([1, 256], dtype=pl.FP32)\n");
}

TEST(CreateCall, SuggestsNearKeywords) {
  Diagnostics diags;
  call("pl.tile.load", {tensor("x", {4, 4}), {0, 0}, {4, 4}}, {{"valid_shap", {4, 4}}}, diags);
  ASSERT_EQ(diags.error_count(), 1u);
  EXPECT_EQ(diags.all()[0].helps[0], "did you mean `valid_shape`?");
}

// The second form, for operands already bound, as passes and the verifier use it.
TEST(CreateCall, BoundOperands) {
  const Op& add = *registry().find("pl.tile.add");
  Diagnostics diags;
  auto t = tile("t", 16, 16, DType::FP16);
  auto call = create_call(add, {t, ExprRef(const_index(2))}, {}, {}, diags);
  ASSERT_TRUE(call) << diags.text();
  auto again = create_call(add, call->args, call->attrs, {}, diags);
  ASSERT_TRUE(again) << diags.text();
  EXPECT_EQ(again->args, call->args);
  EXPECT_EQ(again->type, call->type);
  EXPECT_FALSE(create_call(add, {t}, {}, {}, diags));
  EXPECT_EQ(diags.all().back().id, diag::op_malformed_call);
  EXPECT_FALSE(create_call(add, {t, nullptr}, {}, {}, diags));
  EXPECT_EQ(diags.all().back().id, diag::op_missing_argument);
  EXPECT_FALSE(create_call(add, {t, t}, {{"mode", {true}}}, {}, diags));
  EXPECT_EQ(diags.all().back().id, diag::op_unknown_keyword);
}

TEST(CreateCall, EffectsDependOnAttributes) {
  auto x = tensor("x", {16, 16});
  auto t = tile("t", 16, 16);
  auto kinds = [](const Call& call) {
    std::vector<Access> out;
    for (const Effect& e : call.op->effects) {
      if (happens(e, call)) out.push_back(e.access);
    }
    return out;
  };
  EXPECT_EQ(kinds(*good("pl.tile.store", {t, {0, 0}, x})), std::vector{Access::Write});
  EXPECT_EQ(kinds(*good("pl.tile.store", {t, {0, 0}, x}, {{"atomic", "add"}})), std::vector{Access::Atomic});
  auto w = window("w", {16, 16});
  auto sig = window("sig", {4, 1}, DType::Int32);
  EXPECT_EQ(kinds(*good("pld.tensor.put", {w, 0, x})), (std::vector{Access::Read, Access::Write}));
  EXPECT_EQ(kinds(*good("pld.tensor.put", {w, 0, x}, {{"signal", sig}, {"at", {0, 0}}})),
            (std::vector{Access::Read, Access::Write, Access::Signal}));
}

}  // namespace
}  // namespace tilewire::ops::test
