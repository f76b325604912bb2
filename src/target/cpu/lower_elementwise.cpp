// Elementwise ops on tiles, plain and with a broadcast operand, and the tiles made from nothing.
#include "ir/op.h"
#include "ops/handles.h"
#include "ops/registry.h"
#include "target/cpu/arithmetic.h"
#include "target/cpu/convert.h"
#include "target/cpu/math_lanes.h"

namespace tilewire::target::cpu {

using namespace ir;
using llvm::Value;

namespace {

DType dtype_of(const ExprRef& operand) {
  if (const auto* tile = as<TileType>(operand->type)) return tile->dtype;
  return *scalar_dtype(operand->type);
}

DType result_dtype(const Call& call) {
  return static_cast<const TileType&>(*call.type).dtype;
}

Value* binary_lanes(Registers& r, const Call& call, std::span<Value* const> x) {
  return binary(r, call.op->kind, dtype_of(call.args[0]), x[0], x[1]);
}

Value* unary_lanes(Registers& r, const Call& call, std::span<Value* const> x) {
  return unary(r, call.op->kind, dtype_of(call.args[0]), x[0]);
}

Value* compare_lanes(Registers& r, const Call& call, std::span<Value* const> x) {
  return compare(r, enum_attr<CmpOp>(call, "op"), dtype_of(call.args[0]), x[0], x[1]);
}

Value* select_lanes(Registers& r, const Call&, std::span<Value* const> x) {
  return r.b.CreateSelect(r.splat(x[0]), r.splat(x[1]), r.splat(x[2]));
}

Value* cast_lanes(Registers& r, const Call& call, std::span<Value* const> x) {
  return cast(r.b, r.machine, x[0], dtype_of(call.args[0]), result_dtype(call),
              enum_attr<RoundMode>(call, "mode"));
}

// The expansion of its record (ops/functions.cpp), with the half that is for x < -80 behind a branch: two
// exponentials become one, with the same bits.
Value* silu_lanes(Registers& r, const Call& call, std::span<Value* const> operands) {
  constexpr DType fp32 = DType::FP32;
  Value* x = r.splat(operands[0]);
  auto number = [&](double value) { return llvm::ConstantFP::get(r.type(fp32), value); };
  auto mul = [&](Value* a, Value* b) { return binary(r, Elementwise::Mul, fp32, a, b); };
  Value* rare = compare(r, CmpOp::Lt, fp32, x, number(-80));
  Value* plain = mul(x, unary(r, Elementwise::Sigmoid, fp32, x));
  Value* result = unless_rare(r.b, rare, plain, [&] {
    Value* low = binary(r, Elementwise::Max, fp32, x, number(-120));
    Value* half = unary(r, Elementwise::Exp, fp32, mul(low, number(0.5)));
    return r.b.CreateSelect(rare, mul(mul(low, half), half), plain);
  });
  return cast(r.b, r.machine, result, fp32, result_dtype(call));
}

// row_expand, col_expand, move: the operand itself.
Value* same_lanes(Registers& r, const Call&, std::span<Value* const> x) {
  return r.splat(x[0]);
}

Value* full_lanes(Registers& r, const Call&, std::span<Value* const> x) {
  // Operands: shape (absent here), value.
  return r.splat(x[1]);
}

// start + position, in the arithmetic of the dtype.
Value* arange_lanes(Registers& r, const Call& call, std::span<Value* const> x) {
  const AttrValue* attr = find_attr(call.attrs, "axis");
  int64_t axis = attr ? *attr->get<int64_t>() : -1;
  DType dtype = result_dtype(call);
  bool along_row = axis == -1 || axis == 1;
  Value* position = r.splat(along_row ? r.column : r.row);
  if (along_row && r.lanes > 0) {
    std::vector<llvm::Constant*> steps;
    for (unsigned i = 0; i < r.lanes; ++i) steps.push_back(r.b.getInt64(i));
    position = r.b.CreateAdd(position, llvm::ConstantVector::get(steps));
  }
  Value* counted = cast(r.b, r.machine, position, DType::Int64, is_float(dtype) ? DType::FP32 : dtype);
  return binary(r, Elementwise::Add, dtype, x[1], counted);
}

Lowering lanes_row(LanesFn function) {
  Lowering lowering;
  lowering.lanes = function;
  return lowering;
}

}  // namespace

void add_elementwise_lowerings(LoweringTable& table) {
  for (const Op& op : ops::registry().all()) {
    const bool elementwise = fusion_of(op.form) == Fusion::Elementwise && op.kind != Elementwise::None;
    if (op.on_tensors || !elementwise) continue;
    table.add(op, lanes_row(is_unary(op.kind) ? unary_lanes : binary_lanes));
  }
  table.add(ops::pl::tile::silu, lanes_row(silu_lanes));
  table.add(ops::pl::tile::cmp, lanes_row(compare_lanes));
  table.add(ops::pl::tile::sel, lanes_row(select_lanes));
  table.add(ops::pl::tile::cast, lanes_row(cast_lanes));
  table.add(ops::pl::tile::row_expand, lanes_row(same_lanes));
  table.add(ops::pl::tile::col_expand, lanes_row(same_lanes));
  table.add(ops::pl::tile::full, lanes_row(full_lanes));
  table.add(ops::pl::tile::arange, lanes_row(arange_lanes));
}

}  // namespace tilewire::target::cpu
