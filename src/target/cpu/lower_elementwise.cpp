// Elementwise ops on tiles, plain and with a broadcast operand, and the tiles made from nothing.
#include "ir/op.h"
#include "target/cpu/arithmetic.h"

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

uint8_t variant(const Call& call) {
  return find_lowering(call.op)->variant;
}

template <class E>
E enum_attr(const Call& call, const char* name, E fallback) {
  const AttrValue* value = find_attr(call.attrs, name);
  return value ? static_cast<E>(value->get<EnumValue>()->value) : fallback;
}

Value* binary_lanes(Registers& r, const Call& call, std::span<Value* const> x) {
  return binary(r, static_cast<Binary>(variant(call)), dtype_of(call.args[0]), x[0], x[1]);
}

Value* unary_lanes(Registers& r, const Call& call, std::span<Value* const> x) {
  return unary(r, static_cast<Unary>(variant(call)), dtype_of(call.args[0]), x[0]);
}

Value* compare_lanes(Registers& r, const Call& call, std::span<Value* const> x) {
  return compare(r, enum_attr(call, "op", CmpOp::Eq), dtype_of(call.args[0]), x[0], x[1]);
}

Value* select_lanes(Registers& r, const Call&, std::span<Value* const> x) {
  return r.b.CreateSelect(r.splat(x[0]), r.splat(x[1]), r.splat(x[2]));
}

Value* cast_lanes(Registers& r, const Call& call, std::span<Value* const> x) {
  return cast(r.b, r.machine, x[0], dtype_of(call.args[0]), result_dtype(call),
              enum_attr(call, "mode", RoundMode::Rint));
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
  return binary(r, Binary::Add, dtype, x[1], counted);
}

Lowering lanes_row(LanesFn function, int variant, Spread spread, bool cheap) {
  Lowering lowering;
  lowering.op_class = OpClass::Lanes;
  lowering.lanes = function;
  lowering.variant = static_cast<uint8_t>(variant);
  lowering.spread = spread;
  lowering.cheap = cheap;
  lowering.divides = function == binary_lanes && static_cast<Binary>(variant) == Binary::Div;
  return lowering;
}

Lowering generator_row(LanesFn function) {
  Lowering lowering;
  lowering.op_class = OpClass::Generator;
  lowering.lanes = function;
  return lowering;
}

}  // namespace

void add_elementwise_lowerings(LoweringTable& table) {
  struct BinaryRow {
    const char* name;
    Binary op;
    const char* expanded;  // suffix of the broadcast forms; null: there are none
  };
  const BinaryRow binaries[] = {
      {"add", Binary::Add, "add"},     {"sub", Binary::Sub, "sub"},    {"mul", Binary::Mul, "mul"},
      {"div", Binary::Div, "div"},     {"rem", Binary::Rem, nullptr},  {"maximum", Binary::Max, "max"},
      {"minimum", Binary::Min, "min"}, {"and_", Binary::And, nullptr}, {"or_", Binary::Or, nullptr},
      {"xor", Binary::Xor, nullptr},   {"shl", Binary::Shl, nullptr},  {"shr", Binary::Shr, nullptr},
  };
  for (const BinaryRow& row : binaries) {
    bool cheap = row.op != Binary::Div && row.op != Binary::Rem;
    int which = static_cast<int>(row.op);
    table.add(std::string("pl.tile.") + row.name, lanes_row(binary_lanes, which, Spread::None, cheap));
    if (!row.expanded) continue;
    table.add(std::string("pl.tile.row_expand_") + row.expanded,
              lanes_row(binary_lanes, which, Spread::Row, cheap));
    table.add(std::string("pl.tile.col_expand_") + row.expanded,
              lanes_row(binary_lanes, which, Spread::Column, cheap));
  }
  const std::pair<const char*, Unary> unaries[] = {
      {"neg", Unary::Neg},  {"abs", Unary::Abs},   {"recip", Unary::Recip}, {"exp", Unary::Exp},
      {"log", Unary::Log},  {"sqrt", Unary::Sqrt}, {"rsqrt", Unary::Rsqrt}, {"sin", Unary::Sin},
      {"cos", Unary::Cos},  {"relu", Unary::Relu}, {"tanh", Unary::Tanh},   {"sigmoid", Unary::Sigmoid},
      {"not_", Unary::Not},
  };
  for (const auto& [name, op] : unaries) {
    bool cheap = op == Unary::Neg || op == Unary::Abs || op == Unary::Relu || op == Unary::Not;
    table.add(std::string("pl.tile.") + name,
              lanes_row(unary_lanes, static_cast<int>(op), Spread::None, cheap));
  }
  table.add("pl.tile.cmp", lanes_row(compare_lanes, 0, Spread::None, true));
  table.add("pl.tile.sel", lanes_row(select_lanes, 0, Spread::None, true));
  table.add("pl.tile.cast", lanes_row(cast_lanes, 0, Spread::None, true));
  table.add("pl.tile.row_expand", lanes_row(same_lanes, 0, Spread::Row, true));
  table.add("pl.tile.col_expand", lanes_row(same_lanes, 0, Spread::Column, true));
  table.add("pl.tile.full", generator_row(full_lanes));
  table.add("pl.tile.arange", generator_row(arange_lanes));
}

}  // namespace tilewire::target::cpu
