// Scalar expressions.
#include "ir/op.h"
#include "ops/handles.h"
#include "ops/registry.h"
#include "target/cpu/arithmetic.h"
#include "target/cpu/math.h"

namespace tilewire::target::cpu {

using namespace ir;
using llvm::Value;

Value* FunctionEmitter::scalar(const ExprRef& expr) {
  if (isa<Var>(expr)) {
    return scalar_leaf(plan.leaves(expr.get())[0].id);
  }
  if (const auto* c = as<ConstInt>(expr)) {
    llvm::Type* type = register_type(module.context, c->dtype, 0);
    if (c->dtype == DType::Bool) return b.getInt1(c->value != 0);
    return llvm::ConstantInt::get(type, static_cast<uint64_t>(c->value), true);
  }
  if (const auto* c = as<ConstFloat>(expr)) return llvm::ConstantFP::get(b.getFloatTy(), c->value);
  if (const auto* c = as<ConstBool>(expr)) return b.getInt1(c->value);
  if (const auto* c = as<DimSymbol>(expr)) return dimension(*c);
  if (const auto* c = as<Call>(expr)) return call_scalar(*c);
  if (const auto* c = as<TupleGet>(expr)) {
    const auto& types = static_cast<const TupleType&>(*c->tuple->type).types;
    std::vector<LeafKind> before;
    for (int64_t i = 0; i < c->index; ++i) append_leaf_kinds(types[i], before);
    return scalar_leaf(plan.leaves(c->tuple.get())[before.size()].id);
  }
  internal_error(__FILE__, __LINE__, "not a scalar expression");
}

Value* FunctionEmitter::call_scalar(const Call& call) {
  const Lowering* lowering = find_lowering(call.op);
  TW_CHECK(lowering && lowering->scalar, "not a scalar op: " + call.op->qualified());
  Value* value = lowering->scalar(*this, call);
  count_acquire(call);
  return value;
}

Value* FunctionEmitter::index(const ExprRef& expr) {
  Value* value = scalar(expr);
  DType dtype = scalar_dtype(expr->type).value_or(DType::Index);
  return is_signed(dtype) ? b.CreateSExtOrTrunc(value, b.getInt64Ty())
                          : b.CreateZExtOrTrunc(value, b.getInt64Ty());
}

Value* FunctionEmitter::scalar_word(Value* value, DType dtype) {
  if (dtype == DType::Bool) return b.CreateZExt(value, b.getInt64Ty());
  if (is_float(dtype)) {
    Value* stored = to_storage(b, module.machine, dtype, value);
    Value* raw = b.CreateBitCast(stored, b.getIntNTy(stored->getType()->getScalarSizeInBits()));
    return b.CreateZExtOrBitCast(raw, b.getInt64Ty());
  }
  return is_signed(dtype) ? b.CreateSExtOrTrunc(value, b.getInt64Ty())
                          : b.CreateZExtOrTrunc(value, b.getInt64Ty());
}

namespace {

DType dtype_of(const ExprRef& expr) {
  return scalar_dtype(expr->type).value_or(DType::TaskId);
}

Value* simple_binary(FunctionEmitter& e, const Call& call) {
  Value* a = e.scalar(call.args[0]);
  Value* b = e.scalar(call.args[1]);
  Registers r(e.b, e.module.machine);
  return binary(r, call.op->kind, dtype_of(call.args[0]), a, b);
}

Value* shift(FunctionEmitter& e, const Call& call) {
  Value* a = e.scalar(call.args[0]);
  Value* b = e.scalar(call.args[1]);
  DType dtype = dtype_of(call.args[0]);
  if (is_signed(dtype)) {
    Value* zero = llvm::ConstantInt::get(b->getType(), 0);
    e.fail_if(e.b.CreateICmpSLT(b, zero), abi::Fault::NegativeShift, call, {b});
  }
  Registers r(e.b, e.module.machine);
  return binary(r, call.op->kind, dtype, a, b);
}

// NumPy's divmod: the quotient is the integer the remainder belongs to.
Value* float_floor_divide(FunctionEmitter& e, Value* a, Value* b, bool remainder) {
  Value* zero = llvm::ConstantFP::get(a->getType(), 0.0);
  auto signed_zero = [&](Value* like) {
    return e.b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, zero, like);
  };
  Value* by_zero = e.b.CreateFCmpOEQ(b, zero);
  Value* rest = emit_rem(e.b, e.module.machine, a, b);
  Value* some = e.b.CreateFCmpUNE(rest, zero);
  Value* differs = e.b.CreateXor(e.b.CreateFCmpOLT(rest, zero), e.b.CreateFCmpOLT(b, zero));
  Value* adjust = e.b.CreateAnd(some, differs);
  if (remainder) {
    Value* nonzero = e.b.CreateSelect(adjust, e.b.CreateFAdd(rest, b), rest);
    return e.b.CreateSelect(by_zero, rest, e.b.CreateSelect(some, nonzero, signed_zero(b)));
  }
  Value* plain = e.b.CreateFDiv(a, b);
  Value* quotient = e.b.CreateFDiv(e.b.CreateFSub(a, rest), b);
  Value* one = llvm::ConstantFP::get(a->getType(), 1.0);
  quotient = e.b.CreateSelect(adjust, e.b.CreateFSub(quotient, one), quotient);
  Value* floored = e.b.CreateUnaryIntrinsic(llvm::Intrinsic::floor, quotient);
  Value* half = llvm::ConstantFP::get(a->getType(), 0.5);
  Value* up = e.b.CreateFCmpOGT(e.b.CreateFSub(quotient, floored), half);
  Value* nearest = e.b.CreateSelect(up, e.b.CreateFAdd(floored, one), floored);
  Value* result = e.b.CreateSelect(e.b.CreateFCmpOEQ(quotient, zero), signed_zero(plain), nearest);
  return e.b.CreateSelect(by_zero, plain, result);
}

// Rounded down, as in Python; the remainder has the sign of the divisor.
Value* floor_divide(FunctionEmitter& e, const Call& call) {
  bool remainder = call.op->kind == Elementwise::Mod;
  Value* a = e.scalar(call.args[0]);
  Value* b = e.scalar(call.args[1]);
  DType dtype = dtype_of(call.args[0]);
  Registers r(e.b, e.module.machine);
  if (is_float(dtype)) {
    return r.round(dtype, float_floor_divide(e, a, b, remainder));
  }
  Value* zero = llvm::ConstantInt::get(a->getType(), 0);
  e.fail_if(e.b.CreateICmpEQ(b, zero), abi::Fault::ZeroDivisor, call);
  Value* quotient = binary(r, Elementwise::Div, dtype, a, b);
  Value* rest = e.b.CreateSub(a, e.b.CreateMul(quotient, b));
  if (!is_signed(dtype)) return remainder ? rest : quotient;
  Value* differs = e.b.CreateICmpSLT(e.b.CreateXor(rest, b), zero);
  Value* adjust = e.b.CreateAnd(e.b.CreateICmpNE(rest, zero), differs);
  Value* result = remainder ? e.b.CreateAdd(rest, e.b.CreateSelect(adjust, b, zero))
                            : e.b.CreateSub(quotient, e.b.CreateZExt(adjust, a->getType()));
  return r.round(dtype, result);
}

// Integers by repeated squaring, floats by libm.
Value* power(FunctionEmitter& e, const Call& call) {
  Value* a = e.scalar(call.args[0]);
  Value* b = e.scalar(call.args[1]);
  DType dtype = dtype_of(call.args[0]);
  Registers r(e.b, e.module.machine);
  if (is_float(dtype)) {
    llvm::FunctionCallee pow = e.module.llvm_module().getOrInsertFunction(
        "pow", e.b.getDoubleTy(), e.b.getDoubleTy(), e.b.getDoubleTy());
    Value* wide =
        e.b.CreateCall(pow, {e.b.CreateFPExt(a, e.b.getDoubleTy()), e.b.CreateFPExt(b, e.b.getDoubleTy())});
    return r.round(dtype, e.b.CreateFPTrunc(wide, e.b.getFloatTy()));
  }
  Value* exponent = is_signed(dtype) ? e.b.CreateSExtOrTrunc(b, e.b.getInt64Ty())
                                     : e.b.CreateZExtOrTrunc(b, e.b.getInt64Ty());
  if (is_signed(dtype)) {
    e.fail_if(e.b.CreateICmpSLT(exponent, e.i64(0)), abi::Fault::NegativePower, call, {exponent});
  }
  Value* one = llvm::ConstantInt::get(a->getType(), 1);
  // 64 squarings cover every exponent; the loop has no early exit and stays tiny.
  auto values =
      e.repeat(e.i64(0), e.i64(64), 1, {one, a, exponent}, [&](Value*, llvm::MutableArrayRef<Value*> v) {
        Value* odd = e.b.CreateTrunc(v[2], e.b.getInt1Ty());
        v[0] = e.b.CreateSelect(odd, e.b.CreateMul(v[0], v[1]), v[0]);
        v[1] = e.b.CreateMul(v[1], v[1]);
        v[2] = e.b.CreateLShr(v[2], 1);
      });
  return r.round(dtype, values[0]);
}

CmpOp comparison_of(Elementwise kind) {
  static_assert(static_cast<int>(Elementwise::Ge) - static_cast<int>(Elementwise::Eq) ==
                static_cast<int>(CmpOp::Ge) - static_cast<int>(CmpOp::Eq));
  return static_cast<CmpOp>(static_cast<int>(kind) - static_cast<int>(Elementwise::Eq));
}

Value* comparison(FunctionEmitter& e, const Call& call) {
  Value* a = e.scalar(call.args[0]);
  Value* b = e.scalar(call.args[1]);
  Registers r(e.b, e.module.machine);
  return compare(r, comparison_of(call.op->kind), dtype_of(call.args[0]), a, b);
}

Value* simple_unary(FunctionEmitter& e, const Call& call) {
  Registers r(e.b, e.module.machine);
  return unary(r, call.op->kind, dtype_of(call.args[0]), e.scalar(call.args[0]));
}

bool holds_all(DType from, DType to) {
  bool from_signed = is_signed(from), to_signed = is_signed(to);
  if (from == to) return true;
  if (from_signed == to_signed) return bits(from) <= bits(to);
  return !from_signed && to_signed && bits(from) < bits(to);
}

// Integers that do not fit stop the run.
Value* convert(FunctionEmitter& e, const Call& call) {
  DType from = dtype_of(call.args[0]);
  DType to = *find_attr(call.attrs, "target_type")->get<DType>();
  Value* value = e.scalar(call.args[0]);
  if (is_integer(from) && is_integer(to) && !holds_all(from, to)) {
    Registers r(e.b, e.module.machine);
    llvm::Type* type = value->getType();
    Value* narrow = cast(e.b, e.module.machine, value, from, to);
    // The value fits when converting it back gives it again with the same sign.
    Value* back = cast(e.b, e.module.machine, narrow, to, from);
    Value* bad = e.b.CreateICmpNE(back, value);
    Value* zero = llvm::ConstantInt::get(type, 0);
    if (is_signed(from) && !is_signed(to)) bad = e.b.CreateOr(bad, e.b.CreateICmpSLT(value, zero));
    if (!is_signed(from) && is_signed(to)) {
      Value* none = llvm::ConstantInt::get(narrow->getType(), 0);
      bad = e.b.CreateOr(bad, e.b.CreateICmpSLT(narrow, none));
    }
    e.fail_if(bad, abi::Fault::Narrowing, call, {value, nullptr, e.i64(bits(to)), nullptr});
    return narrow;
  }
  return cast(e.b, e.module.machine, value, from, to);
}

Value* block_index(FunctionEmitter& e, const Call&) {
  return e.context_field(offsetof(abi::Context, block_index), e.b.getInt64Ty());
}

Value* block_count(FunctionEmitter& e, const Call&) {
  return e.context_field(offsetof(abi::Context, block_count), e.b.getInt64Ty());
}

Value* no_task(FunctionEmitter& e, const Call&) {
  return e.i64(abi::no_task);
}

Value* task_join(FunctionEmitter& e, const Call& call) {
  return e.defer(static_cast<const MakeTuple&>(*call.args[0]).elements, e.site(call));
}

Lowering scalar_row(ScalarFn function) {
  Lowering lowering;
  lowering.op_class = OpClass::Scalar;
  lowering.scalar = function;
  return lowering;
}

}  // namespace

namespace {

Value* check_extent(FunctionEmitter& e, const Call& call) {
  Value *found = e.index(call.args[0]), *wanted = e.index(call.args[1]);
  e.fail_if(e.b.CreateICmpNE(found, wanted), abi::Fault::ExtentMismatch, call, {found, wanted});
  return nullptr;
}

Value* check_count(FunctionEmitter& e, const Call& call) {
  Value *count = e.index(call.args[0]), *room = e.index(call.args[1]);
  e.fail_if(e.b.CreateICmpUGT(count, room), abi::Fault::CountAboveCapacity, call, {count, room});
  return nullptr;
}

Value* check_subgroup(FunctionEmitter& e, const Call& call) {
  Value *ranks = e.index(call.args[0]), *size = e.index(call.args[1]), *stride = e.index(call.args[2]);
  Value* zero = e.i64(0);
  Value* bad = e.b.CreateOr(e.b.CreateICmpSLE(size, zero), e.b.CreateICmpSLE(stride, zero));
  // No more than the ranks, so that the product does not wrap.
  bad = e.b.CreateOr(bad, e.b.CreateOr(e.b.CreateICmpSGT(size, ranks), e.b.CreateICmpSGT(stride, ranks)));
  Value* span = e.b.CreateSelect(bad, e.i64(1), e.b.CreateMul(size, stride));
  bad = e.b.CreateOr(bad, e.b.CreateICmpNE(e.b.CreateSRem(ranks, span), zero));
  e.fail_if(bad, abi::Fault::SubgroupDivision, call, {size, stride, ranks});
  return nullptr;
}

Value* check_mesh(FunctionEmitter& e, const Call& call) {
  Value *ranks = e.index(call.args[0]), *cells = e.i64(1), *zero = e.i64(0);
  for (const ExprRef& element : static_cast<const MakeTuple&>(*call.args[1]).elements) {
    Value* extent = e.index(element);
    Value* positive = e.b.CreateICmpSGT(extent, zero);
    cells = e.b.CreateSelect(positive, e.b.CreateMul(cells, extent), zero);
  }
  e.fail_if(e.b.CreateICmpNE(ranks, cells), abi::Fault::MeshSize, call, {cells, ranks});
  return nullptr;
}

Value* check_member(FunctionEmitter& e, const Call& call) {
  Value *rank = e.index(call.args[0]), *size = e.index(call.args[1]);
  e.fail_if(e.b.CreateICmpUGE(rank, size), abi::Fault::MemberOutOfRange, call, {rank, size});
  return nullptr;
}

Value* nothing(FunctionEmitter&, const Call&) {
  return nullptr;
}

}  // namespace

namespace {

ScalarFn function_of(Elementwise kind) {
  switch (kind) {
    case Elementwise::Shl:
    case Elementwise::Shr:
      return shift;
    case Elementwise::FloorDiv:
    case Elementwise::Mod:
      return floor_divide;
    case Elementwise::Pow:
      return power;
    default:
      return is_comparison(kind) ? comparison : is_unary(kind) ? simple_unary : simple_binary;
  }
}

}  // namespace

void add_scalar_lowerings(LoweringTable& table) {
  for (const Op& op : ops::registry().all()) {
    const bool scalar = op.form == OpForm::None && op.kind != Elementwise::None;
    if (scalar) table.add(op, scalar_row(function_of(op.kind)));
  }
  table.add(ops::pl::scalar::cast, scalar_row(convert));
  table.add(ops::pl::tile::get_block_idx, scalar_row(block_index));
  table.add(ops::pl::tile::get_block_num, scalar_row(block_count));
  table.add(ops::pl::no_task, scalar_row(no_task));
  table.add(ops::pl::task_join, scalar_row(task_join));
  table.add(ops::pld::system::check_extent, scalar_row(check_extent));
  table.add(ops::pld::system::check_count, scalar_row(check_count));
  table.add(ops::pld::system::check_subgroup, scalar_row(check_subgroup));
  table.add(ops::pld::system::check_mesh, scalar_row(check_mesh));
  table.add(ops::pld::system::check_member, scalar_row(check_member));
  table.add(ops::pld::system::enter_collective, scalar_row(nothing));
  table.add(ops::pld::system::collective_effects, scalar_row(nothing));
}

}  // namespace tilewire::target::cpu
