// Type rules on correct calls: what comes out.
#include <gtest/gtest.h>

#include "calls.h"
#include "ir/printer.h"
#include "ops/broadcast.h"
#include "ops/windows.h"

namespace tilewire::ops::test {
namespace {

using namespace ir;

const DType FP32 = DType::FP32, FP16 = DType::FP16, INT32 = DType::Int32, INT8 = DType::Int8;

TEST(Scalars, WidenToTheWider) {
  auto of = [](DType a, DType b) { return typed("pl.scalar.add", {scalar("a", a), scalar("b", b)}); };
  EXPECT_EQ(of(DType::Int32, DType::Int64), "pl.Scalar[pl.INT64]");
  EXPECT_EQ(of(DType::Int32, DType::Index), "pl.Scalar[pl.INDEX]");
  EXPECT_EQ(of(DType::Index, DType::Int64), "pl.Scalar[pl.INT64]");
  EXPECT_EQ(of(DType::UInt32, DType::Index), "pl.Scalar[pl.INDEX]");
  EXPECT_EQ(of(DType::FP16, DType::FP32), "pl.Scalar[pl.FP32]");
  auto call = good("pl.scalar.add", {scalar("a", INT32), scalar("b", DType::Int64)});
  EXPECT_EQ(to_string(call->args[0]->type), "pl.Scalar[pl.INT64]") << "the narrower operand is converted";
}

TEST(Scalars, Results) {
  auto n = scalar("n", INT32);
  auto f = scalar("f", FP32);
  auto p = scalar("p", DType::Bool);
  EXPECT_EQ(typed("pl.scalar.lt", {n, 4}), "pl.Scalar[pl.BOOL]");
  EXPECT_EQ(typed("pl.scalar.eq", {p, p}), "pl.Scalar[pl.BOOL]");
  EXPECT_EQ(typed("pl.scalar.and", {p, true}), "pl.Scalar[pl.BOOL]");
  EXPECT_EQ(typed("pl.scalar.not", {p}), "pl.Scalar[pl.BOOL]");
  EXPECT_EQ(typed("pl.scalar.bitand", {p, p}), "pl.Scalar[pl.BOOL]");
  EXPECT_EQ(typed("pl.scalar.shl", {n, scalar("i", DType::Index)}), "pl.Scalar[pl.INT32]");
  EXPECT_EQ(typed("pl.scalar.truediv", {f, 2}), "pl.Scalar[pl.FP32]");
  EXPECT_EQ(typed("pl.scalar.floordiv", {n, 2}), "pl.Scalar[pl.INT32]");
  EXPECT_EQ(typed("pl.scalar.pow", {n, 2}), "pl.Scalar[pl.INT32]");
  EXPECT_EQ(typed("pl.scalar.neg", {f}), "pl.Scalar[pl.FP32]");
  EXPECT_EQ(typed("pl.scalar.max", {n, 0}), "pl.Scalar[pl.INT32]");
  EXPECT_EQ(typed("pl.scalar.cast", {f, DType::Int64}), "pl.Scalar[pl.INT64]");
}

TEST(Elementwise, Results) {
  auto t = tile("t", 16, 64);
  auto x = tensor("x", {4, 16, 64});
  EXPECT_EQ(typed("pl.tile.add", {t, t}), "pl.Tile[[16, 64], pl.FP32]");
  EXPECT_EQ(typed("pl.tile.div", {1.0, t}), "pl.Tile[[16, 64], pl.FP32]");
  EXPECT_EQ(typed("pl.tensor.mul", {x, 2}), "pl.Tensor[[4, 16, 64], pl.FP32]");
  EXPECT_EQ(typed("pl.tensor.add", {x, window("w", {4, 16, 64})}), "pl.Tensor[[4, 16, 64], pl.FP32]");
  EXPECT_EQ(typed("pl.tensor.exp", {window("w", {4, 4})}), "pl.Tensor[[4, 4], pl.FP32]")
      << "a result is no window";
  EXPECT_EQ(typed("pl.tile.cmp", {t, 0, "gt"}), "pl.Tile[[16, 64], pl.BOOL]");
  EXPECT_EQ(typed("pl.tile.sel", {tile("m", 16, 64, DType::Bool), t, 0.0}), "pl.Tile[[16, 64], pl.FP32]");
  EXPECT_EQ(typed("pl.tile.not_", {tile("m", 16, 64, DType::Bool)}), "pl.Tile[[16, 64], pl.BOOL]");
  EXPECT_EQ(typed("pl.tile.cast", {t, FP16}, {{"mode", "odd"}}), "pl.Tile[[16, 64], pl.FP16]");
  EXPECT_EQ(typed("pl.tile.shl", {tile("i", 8, 8, INT32), 2}), "pl.Tile[[8, 8], pl.INT32]");
}

TEST(Elementwise, SharesTheTypeOfItsOperand) {
  auto t = tile("t", 16, 64);
  EXPECT_EQ(good("pl.tile.add", {t, t})->type, t->type);
  auto left = var("l", make<TileType>(Span{}, extents({16, 16}), FP32, MemorySpace::Left));
  EXPECT_EQ(typed("pl.tile.exp", {left}), "pl.Tile[[16, 16], pl.FP32]");
}

TEST(Broadcast, Forms) {
  auto t = tile("t", 16, 64);
  auto column = tile("c", 16, 1);
  auto row = tile("r", 1, 64);
  EXPECT_EQ(typed("pl.tile.row_sum", {t}), "pl.Tile[[16, 1], pl.FP32]");
  EXPECT_EQ(typed("pl.tile.row_max", {t, t}), "pl.Tile[[16, 1], pl.FP32]");
  EXPECT_EQ(typed("pl.tile.col_sum", {t}), "pl.Tile[[1, 64], pl.FP32]");
  EXPECT_EQ(typed("pl.tile.row_argmax", {t}), "pl.Tile[[16, 1], pl.INT32]");
  EXPECT_EQ(typed("pl.tensor.row_sum", {tensor("x", {4, 16, 64})}), "pl.Tensor[[4, 16, 1], pl.FP32]");
  EXPECT_EQ(typed("pl.tile.row_expand_sub", {t, column}), "pl.Tile[[16, 64], pl.FP32]");
  EXPECT_EQ(typed("pl.tile.col_expand_mul", {t, row}), "pl.Tile[[16, 64], pl.FP32]");
  EXPECT_EQ(typed("pl.tile.row_expand", {column, {16, 64}}), "pl.Tile[[16, 64], pl.FP32]");

  auto type = [](const VarRef& v) -> const TileType& { return *as<TileType>(v->type); };
  auto form = [&](const char* op, const VarRef& a, const VarRef& b) {
    const Op* found = expanded_form(*registry().find(op), type(a), type(b));
    return found ? found->name : "none";
  };
  EXPECT_EQ(form("pl.tile.add", t, column), "tile.row_expand_add");
  EXPECT_EQ(form("pl.tile.maximum", t, row), "tile.col_expand_max");
  EXPECT_EQ(form("pl.tile.sub", column, t), "none");
  EXPECT_EQ(form("pl.tile.rem", t, column), "none");
  EXPECT_EQ(form("pl.tile.add", t, t), "none");
  EXPECT_EQ(expansion(type(column), type(t)), registry().find("pl.tile.row_expand"));
  EXPECT_EQ(expansion(type(row), type(t)), registry().find("pl.tile.col_expand"));
  EXPECT_EQ(expansion(type(tile("o", 8, 64)), type(t)), nullptr);
}

TEST(Move, LoadsOfAnyRank) {
  EXPECT_EQ(typed("pl.tile.load", {tensor("x", {16, 64})}), "pl.Tile[[16, 64], pl.FP32]");
  EXPECT_EQ(typed("pl.tile.load", {tensor("x", {64}), {8}, {16}}), "pl.Tile[[1, 16], pl.FP32]");
  EXPECT_EQ(typed("pl.tile.load", {tensor("x", {4, 32, 64}), {3, 0, 0}, {1, 16, 64}}),
            "pl.Tile[[16, 64], pl.FP32]");
  EXPECT_EQ(typed("pl.tile.load", {tensor("x", {100, 16}), {96, 0}, {16, 16}}, {{"valid_shape", {4, 16}}}),
            "pl.Tile[[16, 16], pl.FP32]");
  EXPECT_EQ(
      typed("pl.tile.load", {tensor("x", {16, 64}), {0, 0}, {16, 16}}, {{"target_memory", MemorySpace::Mat}}),
      "pl.Tile[[16, 16], pl.FP32, pl.Mem.Mat]");
  auto whole = good("pl.tile.load", {tensor("x", {16, 64})});
  EXPECT_EQ(to_string(whole->args[1]), "(0, 0)");
  EXPECT_EQ(to_string(whole->args[2]), "(16, 64)");
}

TEST(Move, StoresRebind) {
  auto x = tensor("x", {4, 32, 64});
  auto call = good("pl.tile.store", {tile("t", 16, 64), {3, 16, 0}, x});
  EXPECT_EQ(call->type, x->type);
  EXPECT_EQ(call->op->result_alias, 2);
  EXPECT_EQ(typed("pl.tile.store", {tile("t", 1, 16), {0}, tensor("v", {64})}), "pl.Tensor[[64], pl.FP32]");
  EXPECT_EQ(typed("pl.tile.store", {tile("t", 16, 16), {96, 0}, tensor("v", {100, 16})}),
            "pl.Tensor[[100, 16], pl.FP32]")
      << "the valid extent is not part of the type";
}

TEST(Move, NewValues) {
  EXPECT_EQ(typed("pl.tensor.create", {{4, 4}}, {{"dtype", FP16}}), "pl.Tensor[[4, 4], pl.FP16]");
  EXPECT_EQ(typed("pl.tile.create", {{4, 4}, FP16, MemorySpace::Vec}),
            "pl.Tile[[4, 4], pl.FP16, pl.Mem.Vec]");
  EXPECT_EQ(typed("pl.tile.full", {{4, 4}}, {{"dtype", FP16}, {"value", 0}}), "pl.Tile[[4, 4], pl.FP16]");
  EXPECT_EQ(typed("pl.tile.arange", {{1, 32}}), "pl.Tile[[1, 32], pl.INT32]");
  EXPECT_EQ(typed("pl.tensor.arange", {{8}}, {{"dtype", FP32}, {"start", 3}}), "pl.Tensor[[8], pl.FP32]");
  EXPECT_EQ(typed("pl.tile.move", {tile("t", 4, 4), MemorySpace::Left}),
            "pl.Tile[[4, 4], pl.FP32, pl.Mem.Left]");
}

TEST(Move, Elements) {
  auto x = tensor("x", {4, 4}, INT8);
  EXPECT_EQ(typed("pl.tensor.read", {x, {0, scalar("i", INT32)}}), "pl.Scalar[pl.INT8]");
  EXPECT_EQ(typed("pl.tensor.write", {x, {0, 0}, 3}), "pl.Tensor[[4, 4], pl.INT8]");
  EXPECT_EQ(typed("pl.tile.read", {tile("t", 4, 4), {0, 0}}), "pl.Scalar[pl.FP32]");
  EXPECT_EQ(typed("pl.tile.write", {tile("t", 4, 4), {0, 0}, 3}), "pl.Tile[[4, 4], pl.FP32]");
  EXPECT_EQ(typed("pl.tensor.dim", {x, -1}), "pl.Scalar[pl.INDEX]");
}

TEST(Views, SlicesKnowTheirStrides) {
  auto x = tensor("x", {8, 16, 64});
  auto r = scalar("r", DType::Index);
  EXPECT_EQ(typed("pl.tensor.slice", {x, {1, 16, 64}, {r, 0, 0}}, {{"drop_dims", {0}}}),
            "pl.Tensor[[16, 64], pl.FP32]");
  EXPECT_EQ(typed("pl.tensor.slice", {x, {2, 16, 64}, {r, 0, 0}}), "pl.Tensor[[2, 16, 64], pl.FP32]");
  EXPECT_EQ(typed("pl.tensor.slice", {x, {8, 1, 64}, {0, 2, 0}}, {{"drop_dims", {1}}}),
            "pl.Tensor[[8, 64], pl.FP32, pl.TensorView(stride=[1024, 1])]");
  EXPECT_EQ(typed("pl.tensor.transpose", {tensor("x", {4, 8})}),
            "pl.Tensor[[8, 4], pl.FP32, pl.TensorView(stride=[1, 8])]");
  EXPECT_EQ(typed("pl.tensor.slice", {window("w", {4, 1}, INT32), {1, 1}, {r, 0}}),
            "pld.DistributedTensor[[1, 1], pl.INT32]");
}

TEST(Views, SymbolicDimensions) {
  ExprRef nr = make<DimSymbol>(Span{}, std::string("NR"));
  auto x = var("x", make<TensorType>(Span{}, ExprList{nr, const_index(256)}, FP32));
  EXPECT_EQ(typed("pl.tensor.slice", {x, {1, 256}, {scalar("r", DType::Index), 0}}, {{"drop_dims", {0}}}),
            "pl.Tensor[[256], pl.FP32]");
  EXPECT_EQ(typed("pl.tensor.add", {x, x}), "pl.Tensor[[NR, 256], pl.FP32]");
  EXPECT_EQ(typed("pl.tensor.add", {x, tensor("y", {4, 256})}), "pl.Tensor[[NR, 256], pl.FP32]");
  EXPECT_EQ(typed("pl.tensor.concat", {{x, tensor("y", {4, 256})}}), "pl.Tensor[[NR + 4, 256], pl.FP32]");
  EXPECT_EQ(typed("pl.tensor.transpose", {x}),
            "pl.Tensor[[256, NR], pl.FP32, pl.TensorView(stride=[1, 256])]");
}

TEST(Views, Shapes) {
  auto t = tile("t", 16, 64);
  EXPECT_EQ(typed("pl.tile.reshape", {t, {32, -1}}), "pl.Tile[[32, 32], pl.FP32]");
  EXPECT_EQ(typed("pl.tensor.reshape", {tensor("x", {4, 4}), {16}}), "pl.Tensor[[16], pl.FP32]");
  EXPECT_EQ(typed("pl.tile.transpose", {t}), "pl.Tile[[64, 16], pl.FP32]");
  EXPECT_EQ(typed("pl.tile.concat", {{t, t}}, {{"axis", 1}}), "pl.Tile[[16, 128], pl.FP32]");
  EXPECT_EQ(typed("pl.tile.extract", {t, {8, 8}, {8, scalar("i", INT32)}}), "pl.Tile[[8, 8], pl.FP32]");
  EXPECT_EQ(typed("pl.tile.assemble", {t, tile("p", 8, 8), {8, 56}}), "pl.Tile[[16, 64], pl.FP32]");
  EXPECT_EQ(typed("pl.tensor.assemble", {tensor("x", {16, 64}), t, {0, 0}}), "pl.Tensor[[16, 64], pl.FP32]");
  EXPECT_EQ(typed("pl.tile.set_validshape", {t, {scalar("n", INT32), 64}}), "pl.Tile[[16, 64], pl.FP32]");
  EXPECT_EQ(typed("pl.tile.fillpad", {t, "min"}), "pl.Tile[[16, 64], pl.FP32]");
}

TEST(Matmul, Results) {
  auto half = [](int64_t r, int64_t c) { return tile("h", r, c, DType::BF16); };
  EXPECT_EQ(typed("pl.tile.matmul", {half(16, 32), half(32, 8)}), "pl.Tile[[16, 8], pl.FP32]");
  EXPECT_EQ(typed("pl.tile.matmul", {half(16, 32), half(8, 32)}, {{"b_trans", true}}),
            "pl.Tile[[16, 8], pl.FP32]");
  EXPECT_EQ(
      typed("pl.tile.matmul", {half(32, 16), half(32, 8)}, {{"a_trans", true}, {"out_dtype", DType::BF16}}),
      "pl.Tile[[16, 8], pl.BF16]");
  EXPECT_EQ(typed("pl.tile.matmul", {tile("a", 4, 4, INT8), tile("b", 4, 4, INT8)}),
            "pl.Tile[[4, 4], pl.INT32]");
  EXPECT_EQ(typed("pl.tile.matmul_acc", {tile("c", 16, 8), half(16, 32), half(32, 8)}),
            "pl.Tile[[16, 8], pl.FP32]");
  EXPECT_EQ(typed("pl.tile.matmul_bias", {half(16, 32), half(32, 8), tile("b", 1, 8)}),
            "pl.Tile[[16, 8], pl.FP32]");
  EXPECT_EQ(typed("pl.tensor.batch_matmul", {tensor("a", {2, 3, 16, 8}), tensor("b", {2, 3, 8, 4})}),
            "pl.Tensor[[2, 3, 16, 4], pl.FP32]");
}

TEST(IndexSort, Results) {
  auto t = tile("t", 4, 128);
  auto i = tile("i", 4, 16, INT32);
  EXPECT_EQ(typed("pl.tile.gather", {t, i}), "pl.Tile[[4, 16], pl.FP32]");
  EXPECT_EQ(typed("pl.tile.scatter", {t, i, tile("s", 4, 16)}), "pl.Tile[[4, 128], pl.FP32]");
  EXPECT_EQ(typed("pl.tensor.gather", {tensor("x", {8, 4}), tensor("i", {2, 4}, INT32)}, {{"axis", 0}}),
            "pl.Tensor[[2, 4], pl.FP32]");
  const char* pair = "pl.Tuple[pl.Tile[[4, 128], pl.FP32], pl.Tile[[4, 128], pl.INT32]]";
  EXPECT_EQ(typed("pl.tile.sort32", {t}), pair);
  EXPECT_EQ(typed("pl.tile.mrgsort", {t, tile("l", 4, 128, INT32)}), pair);
}

TEST(Arrays, Elements) {
  auto a = var("a", make<ArrayType>(Span{}, int64_t{4}, INT32));
  auto ids = var("d", make<ArrayType>(Span{}, int64_t{4}, DType::TaskId));
  EXPECT_EQ(typed("pl.array.create", {4, DType::TaskId}), "pl.Array[4, pl.TASK_ID]");
  EXPECT_EQ(typed("pl.array.get", {a, 3}), "pl.Scalar[pl.INT32]");
  EXPECT_EQ(typed("pl.array.set", {a, scalar("i", DType::Index), 7}), "pl.Array[4, pl.INT32]");
  EXPECT_EQ(typed("pl.array.get", {ids, 0}), "pl.TaskId");
  EXPECT_EQ(typed("pl.array.set", {ids, 0, var("t", task_id_type())}), "pl.Array[4, pl.TASK_ID]");
}

TEST(Windows, BufferAndView) {
  auto alloc = good("pld.alloc_window_buffer", {{16, 64}, FP32});
  auto buffer = make_window_buffer(var("data_buf", ptr_type()), *alloc);
  EXPECT_EQ(buffer->name, "data_buf");
  EXPECT_EQ(constant_value(buffer->size), 4096);
  EXPECT_FALSE(buffer->signal);
  EXPECT_EQ(typed("pld.window", {buffer, {16, 64}}, {{"dtype", FP32}}),
            "pld.DistributedTensor[[16, 64], pl.FP32]");
  auto view = good("pld.window", {buffer, {8}}, {{"dtype", FP32}});
  EXPECT_EQ(as<DistributedTensorType>(view->type)->window_buffer, buffer);
  EXPECT_EQ(error("pld.window", {buffer, {16, 65}}, {{"dtype", FP32}}),
            "TW0370: window too small: a view of 4160 bytes is larger than `data_buf`, which has 4096");
}

TEST(Windows, SizesThatDependOnTheRankCount) {
  auto n = scalar("n", DType::Int64);
  auto alloc = good("pld.alloc_window_buffer", {{n, 64}, FP32});
  auto buffer = make_window_buffer(var("b", ptr_type()), *alloc);
  EXPECT_EQ(to_string(buffer->size), "n * 64 * 4");
  EXPECT_EQ(typed("pld.window", {buffer, {n, 64}}, {{"dtype", FP32}}),
            "pld.DistributedTensor[[n, 64], pl.FP32]");
  alloc = good("pld.alloc_window_buffer", {{n}, DType::Int4}, {{"signal", true}});
  buffer = make_window_buffer(var("b", ptr_type()), *alloc);
  EXPECT_EQ(to_string(buffer->size), "(n + 1) // 2");
  EXPECT_TRUE(buffer->signal);
}

TEST(Windows, Staging) {
  Ref<const Parameter> x = make<Parameter>(Span{}, std::string("x"), TypeRef(tensor("x", {4, 16})->type));
  auto alloc = good("pld.alloc_window_buffer", {64}, {{"load_from_host", x}});
  auto buffer = make_window_buffer(var("b", ptr_type()), *alloc);
  EXPECT_EQ(buffer->load_from_host, x);
  EXPECT_FALSE(buffer->store_to_host);
}

TEST(Signals, ValuesBecomeInt32) {
  auto sig = window("sig", {4, 1}, INT32);
  auto p = scalar("p", INT32);
  auto call = good("pld.system.notify", {sig, p, {0, 0}, scalar("v", DType::Index)});
  EXPECT_EQ(call->type, unit_type());
  EXPECT_EQ(to_string(call->args[3]->type), "pl.Scalar[pl.INT32]");
  call = good("pld.system.notify", {sig, p, {0, 0}, -1});
  EXPECT_EQ(to_string(call->args[3]->type), "pl.Scalar[pl.INT32]");
  EXPECT_EQ(typed("pld.system.wait", {sig, {p, 0}, 1}), "pl.Scalar[pl.INT32]");
  EXPECT_EQ(typed("pld.system.test", {sig, {p, 0}, 1}, {{"cmp", WaitCmp::Eq}}), "pl.Scalar[pl.BOOL]");
  EXPECT_EQ(to_string(good("pld.system.notify_all", {sig})->args[1]), "1");
  auto slot = good("pld.peer_slot", {sig, p, {0, 0}});
  EXPECT_EQ(to_string(slot->type), "pld.DistributedTensor[[1], pl.INT32]");
  EXPECT_EQ(typed("pl.tile.comm_wait", {var("s", slot->type), 1}), "pl.Scalar[pl.INT32]");
  EXPECT_EQ(typed("pl.tile.comm_test", {window("s", {1, 1}, INT32), 1}, {{"cmp", "ne"}}),
            "pl.Scalar[pl.BOOL]");
}

TEST(Remote, Results) {
  auto w = window("w", {32, 64});
  auto p = scalar("p", INT32);
  EXPECT_EQ(typed("pld.tile.remote_load", {w, p, {0, 0}, {16, 64}}), "pl.Tile[[16, 64], pl.FP32]");
  EXPECT_EQ(typed("pld.tile.remote_store", {tile("t", 16, 64), w, p, {16, 0}}, {{"atomic", AtomicType::Add}}),
            "pld.DistributedTensor[[32, 64], pl.FP32]");
  EXPECT_EQ(typed("pld.tensor.remote_store", {tensor("x", {16, 64}), w, p, {16, 0}}),
            "pld.DistributedTensor[[32, 64], pl.FP32]");
  EXPECT_EQ(typed("pld.tensor.put", {w, p, tensor("x", {32, 64})}),
            "pld.DistributedTensor[[32, 64], pl.FP32]");
  EXPECT_EQ(
      typed("pld.tensor.get", {tensor("x", {32, 64}), p, w, {0, 0}, {16, 0}, {16, 64}}, {{"pipeline", true}}),
      "pl.Tensor[[32, 64], pl.FP32]");
}

TEST(Collectives, Results) {
  auto w = window("w", {16, 64});
  auto sig = window("sig", {4, 1}, INT32);
  const char* same = "pld.DistributedTensor[[16, 64], pl.FP32]";
  EXPECT_EQ(typed("pld.tensor.allreduce", {w, sig}, {{"op", "max"}, {"mode", "two_shot"}}), same);
  EXPECT_EQ(typed("pld.tensor.allreduce", {w}), same);
  EXPECT_EQ(typed("pld.tensor.broadcast", {w, sig}, {{"root", 0}}), same);
  EXPECT_EQ(typed("pld.tensor.reduce_scatter", {w, sig}), same);
  EXPECT_EQ(typed("pld.tensor.allgather", {tensor("x", {4, 64}), w, sig}), same);
  EXPECT_EQ(typed("pld.tensor.all_to_all", {window("v", {16, 64}), w, sig}), same);
  auto counts = tensor("n", {4}, INT32);
  EXPECT_EQ(typed("pld.tensor.all_to_all_v", {tensor("v", {16, 64}), w, sig, counts, counts}), same);
  EXPECT_EQ(typed("pld.tensor.barrier", {sig}), "pld.DistributedTensor[[4, 1], pl.INT32]");
  EXPECT_EQ(good("pld.tensor.barrier", {})->type, unit_type());
}

TEST(Pipes, Results) {
  EXPECT_EQ(typed("pl.reserve_buffer", {}, {{"name", "fifo"}, {"size", 8192}}), "pl.Scalar[pl.INT32]");
  auto handle = scalar("b", INT32);
  auto init = good("pl.aiv_initialize_pipe", {handle, Arg()}, {{"dir_mask", 1}, {"slot_size", 1024}});
  EXPECT_EQ(constant_value(init->args[1]), 0);
  TypeRef annotation = tile("t", 8, 16)->type;
  EXPECT_EQ(typed("pl.tpop_from_aic", {}, {{"split", 1}}, annotation), "pl.Tile[[8, 16], pl.FP32]");
  EXPECT_EQ(good("pl.tfree_to_aic", {tile("t", 8, 16)})->type, unit_type());
}

}  // namespace
}  // namespace tilewire::ops::test
