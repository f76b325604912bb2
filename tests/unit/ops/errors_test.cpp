// Type rules on wrong calls: one for every message of section 03, and the words of a sample of them.
#include <gtest/gtest.h>

#include <set>

#include "calls.h"
#include "ops/windows.h"
#include "support/diagnostics/ops.h"

namespace tilewire::ops::test {
namespace {

using namespace ir;

const DType FP32 = DType::FP32, FP16 = DType::FP16, INT32 = DType::Int32, INT8 = DType::Int8,
            INDEX = DType::Index;

struct Bad {
  Diag id;
  const char* op;
  Args args;
  Keywords keywords = {};
};

WindowBufferRef small_buffer() {
  return make_window_buffer(var("buf", ptr_type()), *good("pld.alloc_window_buffer", {64}));
}

std::vector<Bad> bad_calls() {
  auto t = tile("t", 16, 16), h = tile("h", 16, 16, FP16), ti = tile("ti", 16, 16, INT32),
       wide = tile("wide", 16, 32);
  auto mask = tile("mask", 16, 16, DType::Bool), column = tile("column", 16, 1);
  auto x = tensor("x", {16, 16}), v = tensor("v", {16}), cube = tensor("cube", {4, 16, 16});
  auto w = window("w", {16, 16}), sig = window("sig", {4, 1}, INT32);
  auto n = scalar("n", INDEX), f = scalar("f", FP32), i = scalar("i", INT32), u = scalar("u", DType::UInt32);
  auto array = var("a", make<ArrayType>(Span{}, int64_t{4}, INT32));
  Ref<const Parameter> param =
      make<Parameter>(Span{}, std::string("p"), TypeRef(tensor("p", {4, 256})->type));
  TensorViewRef view = make<TensorView>(Span{}, extents({1, 16}), Layout::ND);
  auto strided = var("s", make<TensorType>(Span{}, extents({16, 16}), FP32, view));
  auto labels = tile("labels", 4, 128, INT32), row = tile("row", 4, 128);
  auto counts = tensor("counts", {4}, INT32);
  auto handle = scalar("handle", INT32);
  return {
      {diag::op_argument_order, "pld.tensor.put", {x, 0, w}},
      {diag::op_too_many_arguments, "pl.tile.exp", {t, 1, 2}},
      {diag::op_missing_argument, "pl.tile.add", {t}},
      {diag::op_unknown_keyword, "pl.tile.exp", {t}, {{"mode", 1}}},
      {diag::op_duplicate_argument, "pl.tile.add", {t, t}, {{"b", t}}},
      {diag::op_keyword_only, "pld.system.wait", {sig, {0, 0}, 1, WaitCmp::Ge}},
      {diag::op_operand_class, "pl.tile.exp", {x}},
      {diag::op_operand_class, "pl.tile.exp", {"x"}},
      {diag::op_operand_class, "pl.tile.load", {x, {"a", 0}, {16, 16}}},
      {diag::op_bool_for_int, "pld.system.notify", {sig, 0, {0, 0}, true}},
      {diag::op_not_an_integer, "pl.tile.load", {x, {0, f}, {16, 16}}},
      {diag::op_list_expected, "pl.tensor.read", {x, 3}},
      {diag::op_list_unexpected, "pl.tile.exp", {{t}}},
      {diag::op_attribute_kind, "pl.tile.create", {{16, 16}}, {{"dtype", 4}}},
      {diag::op_attribute_kind, "pl.tensor.dim", {x, true}},
      {diag::op_attribute_kind, "pld.system.wait", {sig, {0, 0}, 1}, {{"cmp", 1}}},
      {diag::needs_window, "pld.tensor.allreduce", {x, sig}},
      {diag::op_attribute_not_constant, "pl.tensor.dim", {x, n}},
      {diag::op_unknown_enum_text, "pld.system.wait", {sig, {0, 0}, 1}, {{"cmp", "gte"}}},
      {diag::op_unknown_enum_text, "pld.tensor.allreduce", {w, sig}, {{"mode", "tree"}}},
      {diag::op_wrong_enum, "pld.system.notify", {sig, 0, {0, 0}, 1}, {{"op", WaitCmp::Ge}}},
      {diag::constant_out_of_range, "pl.scalar.add", {scalar("c", INT8), 1000}},
      {diag::constant_out_of_range, "pl.scalar.cast", {1000, INT8}},
      {diag::constant_not_integer, "pl.tile.add", {ti, 0.5}},
      {diag::window_buffer_named, "pld.alloc_window_buffer", {64}, {{"name", "b"}}},
      {diag::dtype_mismatch, "pl.tile.add", {t, h}},
      {diag::dtype_mismatch, "pl.tile.mul", {t, n}},
      {diag::dtype_mismatch, "pl.scalar.eq", {scalar("p", DType::Bool), n}},
      {diag::dtype_mismatch, "pl.scalar.add", {scalar("a", FP16), scalar("b", DType::BF16)}},
      {diag::dtype_mismatch, "pl.tile.store", {h, {0, 0}, x}},
      {diag::dtype_not_allowed, "pl.tile.exp", {ti}},
      {diag::dtype_not_allowed, "pl.tile.and_", {t, t}},
      {diag::dtype_not_allowed, "pl.tile.shl", {mask, mask}},
      {diag::dtype_not_allowed, "pl.tile.add", {mask, mask}},
      {diag::dtype_not_allowed, "pl.tile.sort32", {tile("b", 4, 32, INT32)}},
      {diag::dtype_not_allowed, "pl.scalar.lt", {true, false}},
      {diag::scalar_int_and_float, "pl.scalar.add", {n, f}},
      {diag::scalar_signs, "pl.scalar.add", {i, u}},
      {diag::scalar_signs, "pl.scalar.add", {i, scalar("q", DType::UInt64)}},
      {diag::integer_true_division, "pl.scalar.truediv", {n, 2}},
      {diag::not_integers, "pl.scalar.shl", {f, 2}},
      {diag::not_integers, "pl.scalar.bitand", {f, f}},
      {diag::logic_needs_bool, "pl.scalar.and", {n, n}},
      {diag::logic_needs_bool, "pl.scalar.not", {n}},
      {diag::division_by_zero, "pl.scalar.floordiv", {n, 0}},
      {diag::division_by_zero, "pl.scalar.mod", {i, 0}},
      {diag::negative_shift, "pl.scalar.shl", {n, -1}},
      {diag::negative_power, "pl.scalar.pow", {n, -1}},
      {diag::no_shaped_operand, "pl.tile.add", {1.0, 2.0}},
      {diag::shape_mismatch, "pl.tile.add", {t, wide}},
      {diag::shape_mismatch, "pl.tile.add", {t, column}},
      {diag::shape_mismatch, "pl.tensor.add", {x, v}},
      {diag::shape_mismatch, "pl.tile.concat", {{t, wide}}},
      {diag::shape_mismatch, "pld.tensor.put", {w, 0, tensor("y", {16, 8})}},
      {diag::list_length, "pl.tile.load", {x, {0}, {16, 16}}},
      {diag::list_length, "pl.tile.load", {x, {0, 0}, {16}}},
      {diag::list_length, "pld.system.wait", {sig, {0}, 1}},
      {diag::list_length, "pl.tile.create", {{16}}, {{"dtype", FP32}}},
      {diag::extent_not_constant, "pl.tile.load", {x, {0, 0}, {n, 16}}},
      {diag::extent_not_positive, "pl.tile.create", {{0, 16}}, {{"dtype", FP32}}},
      {diag::extent_not_positive, "pl.tensor.create", {{-1, 16}}, {{"dtype", FP32}}},
      {diag::leading_extent, "pl.tile.load", {cube, {0, 0, 0}, {2, 16, 16}}},
      {diag::region_out_of_bounds, "pl.tile.load", {x, {0, 0}, {32, 16}}},
      {diag::region_out_of_bounds, "pl.tile.load", {x, {8, 0}, {16, 16}}},
      {diag::region_out_of_bounds, "pl.tile.load", {x, {n, 0}, {32, 16}}},
      {diag::region_out_of_bounds, "pl.tile.store", {t, {16, 0}, x}},
      {diag::region_out_of_bounds, "pl.tensor.read", {x, {16, 0}}},
      {diag::region_out_of_bounds, "pld.system.wait", {sig, {4, 0}, 1}},
      {diag::region_out_of_bounds, "pl.tile.extract", {t, {8, 8}, {9, 0}}},
      {diag::region_out_of_bounds, "pl.tile.assemble", {t, t, {1, 0}}},
      {diag::region_out_of_bounds, "pld.tile.remote_load", {w, 0, {1, 0}, {16, 16}}},
      {diag::region_out_of_bounds, "pld.tensor.put", {w, 0, x, {8, 0}, {0, 0}, {16, 16}}},
      {diag::negative_offset, "pl.tile.load", {x, {-1, 0}, {16, 16}}},
      {diag::negative_offset, "pl.tile.store", {t, {-1, 0}, x}},
      {diag::negative_peer, "pld.system.notify", {sig, -1, {0, 0}, 1}},
      {diag::negative_peer, "pld.tensor.broadcast", {w, sig}, {{"root", -1}}},
      {diag::valid_shape_too_large, "pl.tile.load", {x, {0, 0}, {16, 16}}, {{"valid_shape", {32, 16}}}},
      {diag::valid_shape_too_large, "pl.tile.set_validshape", {t, {16, 17}}},
      {diag::all_or_none, "pl.tile.load", {x, {0, 0}}},
      {diag::all_or_none, "pld.tensor.put", {w, 0, x, {0, 0}}},
      {diag::reshape_count, "pl.tile.reshape", {t, {8, 8}}},
      {diag::reshape_count, "pl.tensor.reshape", {x, {-1, 7}}},
      {diag::reshape_strided, "pl.tensor.reshape", {strided, {256}}},
      {diag::axis_out_of_range, "pl.tensor.dim", {x, 5}},
      {diag::axis_out_of_range, "pl.tile.concat", {{t}}, {{"axis", 2}}},
      {diag::axis_out_of_range, "pl.tensor.slice", {x, {1, 16}, {0, 0}}, {{"drop_dims", {2}}}},
      {diag::rank_too_small, "pl.tensor.row_sum", {v}},
      {diag::rank_too_small, "pl.tensor.batch_matmul", {x, x}},
      {diag::rank_not_equal, "pl.tensor.matmul", {cube, cube}},
      {diag::concat_empty, "pl.tile.concat", {Arg(std::initializer_list<Arg>{})}},
      {diag::drop_not_one, "pl.tensor.slice", {x, {2, 16}, {0, 0}}, {{"drop_dims", {0}}}},
      {diag::drop_twice, "pl.tensor.slice", {x, {1, 16}, {0, 0}}, {{"drop_dims", {0, 0}}}},
      {diag::mask_not_bool, "pl.tile.sel", {t, t, t}},
      {diag::round_mode_unused, "pl.tile.cast", {ti, DType::Int64}, {{"mode", "floor"}}},
      {diag::round_odd, "pl.tile.cast", {t, INT32}, {{"mode", "odd"}}},
      {diag::expand_vector, "pl.tile.row_expand_add", {t, tile("r", 1, 16)}},
      {diag::expand_vector, "pl.tile.col_expand", {tile("r", 1, 16), {16, 32}}},
      {diag::matmul_inner, "pl.tile.matmul", {wide, wide}},
      {diag::matmul_dtypes, "pl.tile.matmul", {ti, ti}},
      {diag::matmul_accumulator, "pl.tile.matmul_acc", {h, t, t}},
      {diag::matmul_accumulator, "pl.tile.matmul_bias", {t, t, t}},
      {diag::matmul_result, "pl.tile.matmul", {t, t}, {{"out_dtype", INT8}}},
      {diag::batch_mismatch, "pl.tensor.batch_matmul", {cube, tensor("d", {2, 16, 16})}},
      {diag::index_dtype, "pl.tile.gather", {t, t}},
      {diag::index_shape, "pl.tile.gather", {t, tile("j", 8, 16, INT32)}},
      {diag::sort_width, "pl.tile.sort32", {tile("b", 4, 40)}},
      {diag::sort_width, "pl.tile.mrgsort", {tile("b", 4, 40), tile("j", 4, 40, INT32)}},
      {diag::merge_block, "pl.tile.mrgsort", {row, labels}, {{"block_len", 33}}},
      {diag::merge_block, "pl.tile.mrgsort", {row, labels}, {{"block_len", 128}}},
      {diag::array_extent, "pl.array.create", {0, INT32}},
      {diag::array_dtype, "pl.array.create", {4, FP32}},
      {diag::array_index, "pl.array.get", {array, 4}},
      {diag::array_value, "pl.array.set", {array, 0, f}},
      {diag::array_value, "pl.array.set", {array, 0, var("tid", task_id_type())}},
      {diag::element_dtype, "pl.tensor.write", {x, {0, 0}, n}},
      {diag::element_dtype, "pl.tile.full", {{16, 16}, FP32, n}},
      {diag::storage_dtype, "pl.tile.create", {{16, 16}}, {{"dtype", DType::TaskId}}},
      {diag::window_size_form, "pld.alloc_window_buffer", {{16, 16}}},
      {diag::window_size_form, "pld.alloc_window_buffer", {}},
      {diag::window_size_form, "pld.alloc_window_buffer", {64}, {{"dtype", FP32}}},
      {diag::window_size, "pld.alloc_window_buffer", {0}},
      {diag::window_size, "pld.alloc_window_buffer", {{4, -1}, FP32}},
      {diag::window_too_large, "pld.window", {small_buffer(), {1024}}, {{"dtype", FP32}}},
      {diag::staged_not_parameter, "pld.alloc_window_buffer", {64}, {{"load_from_host", x}}},
      {diag::staged_row, "pld.alloc_window_buffer", {64}, {{"store_to_host", param}}},
      {diag::signal_not_int32, "pld.system.wait", {w, {0, 0}, 1}},
      {diag::signal_not_int32, "pld.tensor.allreduce", {w, w}},
      {diag::slot_size, "pl.tile.comm_notify", {sig, 1}},
      {diag::atomic_dtype,
       "pl.tile.store",
       {mask, {0, 0}, tensor("y", {16, 16}, DType::Bool)},
       {{"atomic", "add"}}},
      {diag::transfer_rank, "pld.tensor.put", {w, 0, v}},
      {diag::chunk_negative, "pld.tensor.put", {w, 0, x}, {{"chunk_rows", -1}}},
      {diag::notify_without_signal, "pld.tensor.put", {w, 0, x}, {{"at", {0, 0}}}},
      {diag::notify_without_signal, "pld.tensor.put", {w, 0, x}, {{"op", "set"}}},
      {diag::notify_without_cell, "pld.tensor.put", {w, 0, x}, {{"signal", sig}}},
      {diag::collective_dtype, "pld.tensor.allreduce", {window("b", {4}, INT8), sig}},
      {diag::collective_rows, "pld.tensor.allgather", {tensor("y", {3, 16}), w, sig}},
      {diag::collective_block, "pld.tensor.allgather", {tensor("y", {4, 8}), w, sig}},
      {diag::collective_same_buffer, "pld.tensor.all_to_all", {w, w, sig}},
      {diag::counts_shape, "pld.tensor.all_to_all_v", {x, w, sig, sig, counts}},
      {diag::counts_dtype, "pld.tensor.all_to_all_v", {x, w, sig, counts, tensor("m", {4})}},
      {diag::signal_too_small, "pld.tensor.allgather", {tensor("y", {2, 16}), w, sig}},
      {diag::core_num, "pld.tensor.barrier", {sig}, {{"core_num", 0}}},
      {diag::pipe_direction,
       "pl.aic_initialize_pipe",
       {handle, handle},
       {{"dir_mask", 4}, {"slot_size", 64}}},
      {diag::must_be_positive,
       "pl.aic_initialize_pipe",
       {handle, handle},
       {{"dir_mask", 3}, {"slot_size", 0}}},
      {diag::must_be_positive, "pl.reserve_buffer", {"b", 0}},
      {diag::pipe_buffer, "pl.aic_initialize_pipe", {Arg(), handle}, {{"dir_mask", 1}, {"slot_size", 64}}},
      {diag::pipe_name, "pl.reserve_buffer", {"", 64}},
      {diag::pipe_name, "pl.import_peer_buffer", {"b", ""}},
      {diag::pipe_id, "pl.tpush_to_aiv", {t}, {{"id", -1}}},
      {diag::pop_annotation, "pl.tpop_from_aic", {}},
      {diag::buffer_base, "pl.reserve_buffer", {"b", 64, -8}},
      {diag::cast_target, "pl.scalar.cast", {n, DType::TaskId}},
      {diag::cast_target, "pl.tile.cast", {t, DType::TaskId}},
      {diag::tensor_part_rank, "pl.tensor.assemble", {x, v, {0, 0}}},
      {diag::tile_into_vector, "pl.tile.store", {t, {0}, v}},
      {diag::narrowed_value,
       "pld.system.notify",
       {sig, 0, {0, 0}, make<ConstInt>(Span{}, int64_t{1} << 40, DType::Int64)}},
  };
}

TEST(Errors, EveryWrongCallIsReportedAsWhatItIs) {
  for (Bad& bad : bad_calls()) {
    Diagnostics diags;
    auto result = call(bad.op, bad.args, bad.keywords, diags);
    std::string name(diag_info(bad.id).name);
    EXPECT_FALSE(result) << bad.op << " should fail with " << name;
    bool found = false;
    for (const Diagnostic& d : diags.all()) found = found || d.id == bad.id;
    EXPECT_TRUE(found) << bad.op << " should fail with " << name << ", got\n" << diags.text();
    EXPECT_EQ(diags.text().find('{'), std::string::npos) << "an argument of the message is missing\n"
                                                         << diags.text();
  }
}

TEST(Errors, EveryMessageOfTheSectionHasACall) {
  std::set<Diag> covered = {diag::op_malformed_call, diag::pop_not_tile};  // create_call_test, below
  for (const Bad& bad : bad_calls()) covered.insert(bad.id);
  for (Diag diag : all_diags()) {
    if (diag < diag::op_argument_order || diag > diag::narrowed_value) continue;
    EXPECT_TRUE(covered.contains(diag)) << diag_info(diag).name;
    EXPECT_FALSE(diag_info(diag).example.empty()) << diag_info(diag).name;
  }
}

TEST(Errors, PopNeedsATile) {
  EXPECT_EQ(error("pl.tpop_from_aic", {}, {}, tensor("x", {16})->type),
            "TW0394: `pl.tpop_from_aic` returns a tile, but the annotation says pl.Tensor[[16], pl.FP32]");
}

TEST(Errors, Words) {
  auto t = tile("t", 16, 16), h = tile("h", 16, 16, FP16), x = tensor("x", {16, 16});
  auto sig = window("sig", {4, 1}, INT32);
  EXPECT_EQ(error("pl.tile.add", {t, h}), "TW0320: type mismatch: `pl.tile.add` mixes pl.FP32 and pl.FP16");
  EXPECT_EQ(error("pl.tile.add", {t, tile("v", 16, 32)}),
            "TW0331: shape mismatch: `pl.tile.add` needs equal shapes, got [16, 16] and [16, 32]");
  EXPECT_EQ(error("pl.tile.exp", {x}), "TW0306: `pl.tile.exp` needs a tile for `x`, got a tensor");
  EXPECT_EQ(error("pl.tile.load", {x, {8, 0}, {16, 16}}),
            "TW0336: out of bounds: `pl.tile.load` reaches element 23 of dimension 0, which has 16");
  EXPECT_EQ(error("pld.system.notify", {sig, 0, {0, 0}, true}),
            "TW0307: `pld.system.notify` needs an integer for `value`, got a bool");
  EXPECT_EQ(error("pl.scalar.truediv", {scalar("n", INT32), 2}), "TW0324: `/` on integers (pl.INT32)");
  EXPECT_EQ(error("pl.tile.matmul", {tile("a", 16, 32), tile("b", 16, 32)}),
            "TW0353: shape mismatch: `pl.tile.matmul` multiplies [16, 32] by [16, 32]: the inner extents 32 "
            "and 16 differ");
  EXPECT_EQ(error("pld.tensor.allgather", {tensor("y", {3, 16}), window("w", {16, 16}), sig}),
            "TW0381: `pld.tensor.allgather` needs the 16 rows of `target` to be a multiple of the 3 rows of "
            "`local`");
}

TEST(Errors, SayWhatToWrite) {
  auto helps = [](const char* op, Args args) {
    Diagnostics diags;
    call(op, std::move(args), {}, diags);
    return diags.all().empty() || diags.all()[0].helps.empty() ? "" : diags.all()[0].helps[0];
  };
  auto t = tile("t", 16, 16);
  EXPECT_EQ(helps("pl.tile.add", {t, tile("h", 16, 16, FP16)}), "convert one of them: pl.cast(h, pl.FP32)");
  EXPECT_EQ(helps("pl.tile.add", {t, tile("c", 16, 1)}),
            "write `pl.tile.row_expand_add(a, b)`, or use the operator");
  EXPECT_EQ(helps("pl.scalar.truediv", {scalar("n", INT32), 2}),
            "write `//` to divide and round down, or convert first: pl.cast(n, pl.FP32)");
  EXPECT_EQ(helps("pl.tile.matmul", {tile("a", 16, 32), tile("b", 16, 32)}), "did you mean `b_trans=True`?");
}

}  // namespace
}  // namespace tilewire::ops::test
