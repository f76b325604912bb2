// Reductions: along rows in registers, down columns in a row of accumulators.
//
// Sums and products of floats are taken in FP32 and rounded once. The order of a row's sum is fixed by its
// width and the vector length: lane by lane, then the lanes in halves. Largest and smallest of a line with
// zeros of both signs would depend on the order, so a zero result is always +0 (`settle_zero`).
#include "ops/registry.h"
#include "target/cpu/cluster_emitter.h"

namespace tilewire::target::cpu {

using namespace ir;
using llvm::Value;

Elementwise reduction_of(const Member& member) {
  return member.call->op->kind;
}

bool returns_position(const Member& member) {
  return member.call->op->form == OpForm::ArgRow;
}

Value* ClusterEmitter::identity(Elementwise op, DType dtype, unsigned lanes) {
  llvm::Type* type = register_type(b_.getContext(), dtype, lanes);
  if (op == Elementwise::Add) return llvm::Constant::getNullValue(type);
  if (op == Elementwise::Mul) {
    return is_float(dtype) ? llvm::ConstantFP::get(type, 1.0) : llvm::ConstantInt::get(type, 1);
  }
  bool low = op == Elementwise::Max;
  if (is_float(dtype)) return llvm::ConstantFP::getInfinity(type, low);
  return low ? lowest(type, dtype) : highest(type, dtype);
}

Value* ClusterEmitter::combine(Elementwise op, DType dtype, Value* a, Value* b) {
  Registers r(b_, e_.module.machine);
  if (op == Elementwise::Mul) return is_float(dtype) ? b_.CreateFMul(a, b) : b_.CreateMul(a, b);
  if (is_float(dtype) && op != Elementwise::Add) {
    // One instruction of the processor and a mask: `b` where one of them is NaN, but `a` stays if it is.
    Value* better = op == Elementwise::Max ? b_.CreateFCmpOGT(a, b) : b_.CreateFCmpOLT(a, b);
    return b_.CreateSelect(b_.CreateFCmpORD(a, a), b_.CreateSelect(better, a, b), a);
  }
  if (op == Elementwise::Max) return larger(r, dtype, a, b);
  if (op == Elementwise::Min) return smaller(r, dtype, a, b);
  return is_float(dtype) ? b_.CreateFAdd(a, b) : b_.CreateAdd(a, b);
}

Value* ClusterEmitter::settle_zero(Elementwise op, DType dtype, Value* value) {
  if (!is_float(dtype) || (op != Elementwise::Max && op != Elementwise::Min)) return value;
  return b_.CreateFAdd(value, llvm::Constant::getNullValue(value->getType()));
}

// Whether `a` takes the place of `b`; NaN beats numbers.
Value* ClusterEmitter::better(Elementwise op, DType dtype, Value* a, Value* b) {
  Registers r(b_, e_.module.machine);
  Value* wins = compare(r, op == Elementwise::Max ? CmpOp::Gt : CmpOp::Lt, dtype, a, b);
  if (!is_float(dtype)) return wins;
  Value* nan = b_.CreateAnd(b_.CreateFCmpUNO(a, a), b_.CreateFCmpORD(b, b));
  return b_.CreateOr(wins, nan);
}

std::vector<Value*> ClusterEmitter::start_state(const Group& g, unsigned lanes) {
  std::vector<Value*> state;
  for (const Sink& sink : g.sinks) {
    if (sink.kind != SinkKind::Reduce) continue;
    Elementwise op = reduction_of(cluster_.members[sink.member]);
    state.push_back(identity(op, plan_.values[sink.value].dtype, lanes));
    if (returns_position(cluster_.members[sink.member])) {
      state.push_back(llvm::Constant::getAllOnesValue(register_type(b_.getContext(), DType::Int32, lanes)));
    }
  }
  return state;
}

void ClusterEmitter::reduce_step(const Member& member, Value* value, Chunk& chunk,
                                 llvm::MutableArrayRef<Value*> state) {
  Elementwise op = reduction_of(member);
  DType dtype = plan_.values[operand_of(member)].dtype;
  if (!returns_position(member)) {
    if (chunk.mask) value = b_.CreateSelect(chunk.mask, value, identity(op, dtype, chunk.lanes));
    state[0] = combine(op, dtype, state[0], value);
    return;
  }
  std::vector<llvm::Constant*> steps;
  for (unsigned i = 0; i < chunk.lanes; ++i) steps.push_back(b_.getInt32(i));
  Value* first = b_.CreateVectorSplat(chunk.lanes, b_.CreateTrunc(chunk.column, b_.getInt32Ty()));
  Value* position = b_.CreateAdd(first, llvm::ConstantVector::get(steps));
  Value* empty = b_.CreateICmpSLT(state[1], llvm::Constant::getNullValue(state[1]->getType()));
  Value* take = b_.CreateOr(better(op, dtype, value, state[0]), empty);
  if (chunk.mask) take = b_.CreateAnd(take, chunk.mask);
  state[0] = b_.CreateSelect(take, value, state[0]);
  state[1] = b_.CreateSelect(take, position, state[1]);
}

// The better of two candidates, the earlier one of equals; position -1 is none.
void ClusterEmitter::merge(Elementwise op, DType dtype, Value*& value, Value*& position, Value* other,
                           Value* other_position) {
  if (!position) {
    value = combine(op, dtype, value, other);
    return;
  }
  llvm::Constant* zero = llvm::Constant::getNullValue(position->getType());
  Value* none = b_.CreateICmpSLT(position, zero);
  Value* other_some = b_.CreateICmpSGE(other_position, zero);
  Value* tie = b_.CreateNot(b_.CreateOr(better(op, dtype, value, other), better(op, dtype, other, value)));
  Value* wins = b_.CreateOr(better(op, dtype, other, value),
                            b_.CreateAnd(tie, b_.CreateICmpSLT(other_position, position)));
  Value* take = b_.CreateAnd(other_some, b_.CreateOr(none, wins));
  value = b_.CreateSelect(take, other, value);
  position = b_.CreateSelect(take, other_position, position);
}

void ClusterEmitter::finish_reductions(const Group& g, unsigned lanes, unsigned copies,
                                       std::vector<Value*> state) {
  size_t per_copy = state.size() / copies;
  size_t next = 0;
  for (const Sink& sink : g.sinks) {
    if (sink.kind != SinkKind::Reduce) continue;
    const Member& member = cluster_.members[sink.member];
    Elementwise op = reduction_of(member);
    DType dtype = plan_.values[sink.value].dtype;
    bool positions = returns_position(member);
    Value* value = state[next];
    Value* position = positions ? state[next + 1] : nullptr;
    for (unsigned u = 1; u < copies; ++u) {
      size_t at = u * per_copy + next;
      merge(op, dtype, value, position, state[at], positions ? state[at + 1] : nullptr);
    }
    for (unsigned width = lanes / 2; width >= 1; width /= 2) {
      std::vector<int> low(width), high(width);
      for (unsigned i = 0; i < width; ++i) {
        low[i] = static_cast<int>(i);
        high[i] = static_cast<int>(i + width);
      }
      Value* other = b_.CreateShuffleVector(value, high);
      Value* other_position = positions ? b_.CreateShuffleVector(position, high) : nullptr;
      value = b_.CreateShuffleVector(value, low);
      if (positions) position = b_.CreateShuffleVector(position, low);
      merge(op, dtype, value, position, other, other_position);
    }
    Registers r(b_, e_.module.machine);
    Value* result;
    if (positions) {
      Value* found = b_.CreateExtractElement(position, uint64_t{0});
      result = b_.CreateSelect(b_.CreateICmpSLT(found, b_.getInt32(0)), b_.getInt32(0), found);
    } else {
      result = r.round(dtype, settle_zero(op, dtype, b_.CreateExtractElement(value, uint64_t{0})));
    }
    row_scalars_[member.result] = result;
    next += positions ? 2 : 1;
  }
}

// A row of one element is its own reduction.
void ClusterEmitter::reduce_single(const Member& member) {
  Elementwise op = reduction_of(member);
  int operand = operand_of(member);
  DType dtype = plan_.values[operand].dtype;
  Value* value = row_scalar(operand);
  if (returns_position(member)) {
    row_scalars_[member.result] = b_.getInt32(0);
    return;
  }
  // A sum starts from 0, which turns -0 into 0.
  if (op == Elementwise::Add) value = combine(op, dtype, identity(op, dtype, 0), value);
  value = settle_zero(op, dtype, value);
  Value* some = b_.CreateICmpSGT(view_of(operand).cols, e_.i64(0));
  row_scalars_[member.result] = b_.CreateSelect(some, value, identity(op, dtype, 0));
}

// --- columns

namespace {

DType accumulator_dtype(DType dtype) {
  return is_float(dtype) ? DType::FP32 : dtype;
}

}  // namespace

void ClusterEmitter::start_columns() {
  for (const Member& member : cluster_.members) {
    if (member.lowering->op_class != OpClass::ColReduce) continue;
    const PlanValue& v = plan_.values[member.result];
    DType dtype = accumulator_dtype(v.dtype);
    TileView row = e_.storage(v.scratch >= 0 ? v.scratch : member.result);
    unsigned lanes = e_.module.machine.float_lanes();
    Value* cols = e_.view(member.result).cols;
    auto* known_cols = llvm::dyn_cast<llvm::ConstantInt>(cols);
    // Storage is padded to whole vectors only for constant widths; write element by element otherwise.
    Elementwise op = reduction_of(member);
    e_.repeat(e_.i64(0), cols, lanes, [&](Value* c) {
      Chunk chunk;
      chunk.lanes = lanes;
      chunk.column = c;
      bool whole = known_cols && known_cols->getSExtValue() % lanes == 0;
      chunk.mask = whole ? nullptr : mask_below(c, cols, lanes);
      write_at(row.data, e_.i64(1), dtype, identity(op, dtype, lanes), chunk);
    });
  }
}

void ClusterEmitter::column_step(const Member& member, Value* value, Chunk& chunk) {
  const PlanValue& v = plan_.values[member.result];
  DType dtype = accumulator_dtype(v.dtype);
  TileView row = e_.storage(v.scratch >= 0 ? v.scratch : member.result);
  Value* sum = read_at(row.data, e_.i64(1), dtype, chunk);
  Elementwise op = reduction_of(member);
  value = settle_zero(op, dtype, combine(op, dtype, sum, value));
  if (dtype == DType::Int4) value = Registers(b_, e_.module.machine).round(dtype, value);
  write_at(row.data, e_.i64(1), dtype, value, chunk);
}

void ClusterEmitter::finish_columns() {
  for (const Member& member : cluster_.members) {
    if (member.lowering->op_class != OpClass::ColReduce) continue;
    const PlanValue& v = plan_.values[member.result];
    if (v.scratch < 0) continue;
    TileView from = e_.storage(v.scratch);
    TileView to = e_.storage(member.result);
    unsigned lanes = e_.module.machine.float_lanes();
    Value* cols = e_.view(member.result).cols;
    e_.repeat(e_.i64(0), cols, lanes, [&](Value* c) {
      Chunk chunk;
      chunk.lanes = lanes;
      chunk.column = c;
      chunk.mask = mask_below(c, cols, lanes);
      Registers r(b_, e_.module.machine);
      r.lanes = lanes;
      Value* sum = read_at(from.data, e_.i64(1), DType::FP32, chunk);
      write_at(to.data, e_.i64(1), v.dtype, r.round(v.dtype, sum), chunk);
    });
  }
}

}  // namespace tilewire::target::cpu

namespace tilewire::target::cpu {

void add_reduce_lowerings(LoweringTable& table) {
  for (const Op& op : ops::registry().all()) {
    const Fusion fusion = fusion_of(op.form);
    if (op.on_tensors || (fusion != Fusion::RowReduce && fusion != Fusion::ColReduce)) continue;
    table.add(op, {});
  }
}

}  // namespace tilewire::target::cpu
