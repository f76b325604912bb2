// Matrix products, by the kernels of matmul.h.
#include "ir/op.h"
#include "ops/handles.h"
#include "target/cpu/arithmetic.h"
#include "target/cpu/matmul.h"

namespace tilewire::target::cpu {

using namespace ir;
using llvm::Value;

namespace {

bool flag(const Call& call, const char* name) {
  const AttrValue* value = find_attr(call.attrs, name);
  return value && *value->get<bool>();
}

const TileType& tile_type(const ExprRef& expr) {
  return static_cast<const TileType&>(*expr->type);
}

struct Shape {
  int64_t m, n, k;
};

Shape physical(const Call& call, size_t first) {
  const TileType& a = tile_type(call.args[first]);
  const TileType& b = tile_type(call.args[first + 1]);
  bool a_trans = flag(call, "a_trans"), b_trans = flag(call, "b_trans");
  return {a_trans ? a.cols() : a.rows(), b_trans ? b.rows() : b.cols(), a_trans ? a.rows() : a.cols()};
}

int64_t round_up(int64_t bytes) {
  return (bytes + 63) / 64 * 64;
}

// Scratch: what the kernel wants, copies of operands whose columns are not neighbours, a wide result.
struct Scratch {
  int64_t kernel, a, b, wide, total;
};

Scratch scratch_layout(const Call& call, size_t first, const Machine& machine) {
  Shape shape = physical(call, first);
  DType dtype = tile_type(call.args[first]).dtype;
  Scratch s{};
  s.kernel = round_up(static_cast<int64_t>(matmul_scratch_bytes(machine, dtype, shape.m, shape.n, shape.k)));
  s.a = s.kernel;
  s.b = s.a + round_up(shape.m * shape.k * bytes(dtype));
  s.wide = s.b + round_up(shape.k * shape.n * bytes(dtype));
  const auto* result = as<TileType>(call.type);
  bool narrow = result->dtype == DType::FP16 || result->dtype == DType::BF16;
  s.total = s.wide + (narrow ? round_up(shape.m * shape.n * 4) : 0);
  return s;
}

int64_t scratch_of_product(const Call& call, const Machine& machine) {
  return scratch_layout(call, 0, machine).total;
}
// A loop of these may become one product of any depth.
int64_t scratch_of_accumulation(const Call& call, const Machine& machine) {
  Shape shape = physical(call, 1);
  DType dtype = tile_type(call.args[1]).dtype;
  auto deep = static_cast<int64_t>(matmul_scratch_bytes(machine, dtype, shape.m, shape.n, std::nullopt));
  return std::max(scratch_layout(call, 1, machine).total, round_up(deep));
}

struct Operand {
  TileView view;
  bool transposed;
};

// The kernels take rows of neighbours. A view with unit rows is its own transpose; others are copied.
Operand operand(FunctionEmitter& e, const ExprRef& expr, bool transposed, Value* copy_at) {
  TileView view = e.tile(expr);
  auto unit = [](Value* v) {
    auto* c = llvm::dyn_cast<llvm::ConstantInt>(v);
    return c && c->isOne();
  };
  if (unit(view.col_stride)) return {view, transposed};
  if (unit(view.row_stride)) {
    std::swap(view.rows, view.cols);
    std::swap(view.row_stride, view.col_stride);
    return {view, !transposed};
  }
  TileView copy{copy_at, e.i64(tile_type(expr).cols()), e.i64(1), view.rows, view.cols};
  e.copy_tile(tile_type(expr).dtype, view, copy);
  return {copy, transposed};
}

struct Product {
  MatmulArgs args;
  Value* scratch;
  Scratch layout;
};

Product prepare(FunctionEmitter& e, const Call& call, size_t first, int result) {
  Product p;
  p.layout = scratch_layout(call, first, e.module.machine);
  p.scratch = e.arena_at(e.plan.values[result].scratch);
  auto at = [&](int64_t offset) {
    return e.b.CreateConstInBoundsGEP1_64(e.b.getInt8Ty(), p.scratch, offset);
  };
  Operand a = operand(e, call.args[first], flag(call, "a_trans"), at(p.layout.a));
  Operand b = operand(e, call.args[first + 1], flag(call, "b_trans"), at(p.layout.b));
  p.args.dtype = tile_type(call.args[first]).dtype;
  p.args.a_trans = a.transposed;
  p.args.b_trans = b.transposed;
  p.args.m = a.transposed ? a.view.cols : a.view.rows;
  p.args.k = a.transposed ? a.view.rows : a.view.cols;
  p.args.n = b.transposed ? b.view.rows : b.view.cols;
  Value* other = b.transposed ? b.view.cols : b.view.rows;
  if (other != p.args.k) {
    e.fail_if(e.b.CreateICmpNE(other, p.args.k), abi::Fault::ExtentMismatch, call, {p.args.k, other});
  }
  p.args.a = a.view.data;
  p.args.b = b.view.data;
  p.args.a_stride = a.view.row_stride;
  p.args.b_stride = b.view.row_stride;
  p.args.scratch = p.scratch;
  return p;
}

}  // namespace

void touch_operands(FunctionEmitter& e, const MatmulArgs& args) {
  auto rows = [&](Value* data, Value* stride, bool transposed, Value* down, Value* along) {
    if (transposed) std::swap(down, along);
    e.touch({data, stride, e.i64(1), down, along}, args.dtype);
  };
  rows(args.a, args.a_stride, args.a_trans, args.m, args.k);
  rows(args.b, args.b_stride, args.b_trans, args.k, args.n);
}

namespace {

void multiply(FunctionEmitter& e, Product& p, const TileView& to) {
  p.args.c = to.data;
  p.args.c_stride = to.row_stride;
  touch_operands(e, p.args);
  emit_matmul(e.b, e.module.machine, p.args);
}

void matmul(FunctionEmitter& e, const Call& call, std::span<const int> results) {
  Product p = prepare(e, call, 0, results[0]);
  TileView to = e.storage(results[0]);
  to.rows = p.args.m;
  to.cols = p.args.n;
  e.view(results[0]) = to;
  DType dtype = e.plan.values[results[0]].dtype;
  bool narrow = dtype == DType::FP16 || dtype == DType::BF16;
  if (!narrow) return multiply(e, p, to);
  TileView wide = to;
  wide.data = e.b.CreateConstInBoundsGEP1_64(e.b.getInt8Ty(), p.scratch, p.layout.wide);
  multiply(e, p, wide);
  e.repeat(e.i64(0), to.rows, 1, [&](Value* r) {
    unsigned lanes = e.module.machine.float_lanes();
    auto piece = [&](Value* c, unsigned count) {
      llvm::Type* type = register_type(e.module.context, DType::FP32, count);
      Value* sum = e.b.CreateAlignedLoad(type, e.address(wide, DType::FP32, r, c), llvm::Align(4));
      Value* rounded = round_to(e.b, e.module.machine, dtype, sum);
      e.b.CreateAlignedStore(to_storage(e.b, e.module.machine, dtype, rounded), e.address(to, dtype, r, c),
                             llvm::Align(2));
    };
    Value* main = e.b.CreateAnd(to.cols, e.i64(-static_cast<int64_t>(lanes)));
    e.repeat(e.i64(0), main, lanes, [&](Value* c) { piece(c, lanes); });
    e.repeat(main, to.cols, 1, [&](Value* c) { piece(c, 0); });
  });
}

void matmul_acc(FunctionEmitter& e, const Call& call, std::span<const int> results) {
  Product p = prepare(e, call, 1, results[0]);
  TileView to = e.take_over(call.args[0], results[0]);
  p.args.m = to.rows = e.minimum(p.args.m, to.rows);
  p.args.n = to.cols = e.minimum(p.args.n, to.cols);
  p.args.accumulate = true;
  multiply(e, p, to);
  e.view(results[0]) = to;
}

void matmul_bias(FunctionEmitter& e, const Call& call, std::span<const int> results) {
  Product p = prepare(e, call, 0, results[0]);
  const TileView& bias = e.tile(call.args[2]);
  TileView to = e.storage(results[0]);
  p.args.n = to.cols = e.minimum(p.args.n, bias.cols);
  Value* none = e.b.CreateICmpEQ(bias.rows, e.i64(0));
  p.args.m = to.rows = e.b.CreateSelect(none, e.i64(0), p.args.m);
  multiply(e, p, to);
  e.view(results[0]) = to;
  // The row is added last.
  DType dtype = e.plan.values[results[0]].dtype;
  e.repeat(e.i64(0), to.rows, 1, [&](Value* r) {
    unsigned lanes = e.module.machine.float_lanes();
    auto piece = [&](Value* c, unsigned count) {
      llvm::Type* type = register_type(e.module.context, dtype, count);
      Value* at = e.address(to, dtype, r, c);
      Value* sum = e.b.CreateAlignedLoad(type, at, llvm::Align(4));
      Value* row = e.b.CreateAlignedLoad(type, e.address(bias, dtype, e.i64(0), c), llvm::Align(4));
      Registers registers(e.b, e.module.machine);
      registers.lanes = count;
      e.b.CreateAlignedStore(binary(registers, Elementwise::Add, dtype, sum, row), at, llvm::Align(4));
    };
    auto* unit = llvm::dyn_cast<llvm::ConstantInt>(bias.col_stride);
    Value* main =
        unit && unit->isOne() ? e.b.CreateAnd(to.cols, e.i64(-static_cast<int64_t>(lanes))) : e.i64(0);
    e.repeat(e.i64(0), main, lanes, [&](Value* c) { piece(c, lanes); });
    e.repeat(main, to.cols, 1, [&](Value* c) { piece(c, 0); });
  });
}

}  // namespace

void add_matrix_lowerings(LoweringTable& table) {
  auto add = [&](const Op& op, OpaqueFn function, int updates,
                 int64_t (*scratch)(const Call&, const Machine&)) {
    Lowering lowering;
    lowering.opaque = function;
    lowering.updates = static_cast<int8_t>(updates);
    lowering.scratch = scratch;
    table.add(op, lowering);
  };
  add(ops::pl::tile::matmul, matmul, -1, scratch_of_product);
  add(ops::pl::tile::matmul_acc, matmul_acc, 0, scratch_of_accumulation);
  add(ops::pl::tile::matmul_bias, matmul_bias, -1, scratch_of_product);
}

}  // namespace tilewire::target::cpu
