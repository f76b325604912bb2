// The frame of a function: parameters, checks, loops, and the small steps everything else is made of.
#include <llvm/IR/MDBuilder.h>

#include "ir/check_ops.h"
#include "ops/evaluate.h"
#include "support/diagnostics/cpu.h"
#include "target/cpu/emitter.h"
#include "target/cpu/may_block.h"

namespace tilewire::target::cpu {

using namespace ir;
using llvm::BasicBlock;
using llvm::Value;

namespace {

std::optional<int64_t> known(Value* value) {
  if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value)) return constant->getSExtValue();
  return std::nullopt;
}

}  // namespace

FunctionEmitter::FunctionEmitter(ModuleEmitter& module, const Function& function, const Plan& plan)
    : module(module), function(function), plan(plan), b(module.context) {
  scalars_.resize(plan.scalar_count);
  tiles_.resize(plan.values.size());
  tensors_.resize(plan.tensor_count);
}

llvm::Function* FunctionEmitter::run() {
  f_ = llvm::Function::Create(module.code_type(), llvm::Function::InternalLinkage, "tw." + function.name,
                              module.llvm_module());
  f_->addFnAttr(llvm::Attribute::NoUnwind);
  context = f_->getArg(0);
  args_ = f_->getArg(1);
  results_ = f_->getArg(2);
  entry_ = BasicBlock::Create(module.context, "entry", f_);
  b.SetInsertPoint(entry_);
  if (module.lines) module.lines->begin(*f_, function);
  Place place(b, module.lines.get(), &function);
  if (plan.arena_bytes > 0) arena_ = context_field(offsetof(abi::Context, arena), b.getPtrTy());
  if (reads_peers(function)) {
    acquires_ = new_alloca(b.getInt32Ty());
    b.CreateStore(b.getInt32(0), acquires_);
  }
  bind_params();
  block(*function.body);
  if (!b.GetInsertBlock()->getTerminator()) b.CreateRet(b.getInt32(abi::ok));
  if (module.options.bounds) check_accesses();
  return f_;
}

Value* FunctionEmitter::word(unsigned index, llvm::Type* type) {
  return b.CreateAlignedLoad(type, b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), args_, index),
                             llvm::Align(8));
}

void FunctionEmitter::bind_tensor(TensorValue& value, const TensorType& type, unsigned first) {
  size_t rank = type.shape.size();
  value.dtype = type.dtype;
  value.data = word(first, b.getPtrTy());
  for (size_t i = 0; i < rank; ++i) {
    auto constant = constant_value(type.shape[i]);
    value.extents.push_back(constant ? i64(*constant)
                                     : word(first + 1 + static_cast<unsigned>(i), b.getInt64Ty()));
    if (const auto* symbol = as<DimSymbol>(type.shape[i])) {
      auto same = [&](const auto& entry) { return entry.first == symbol->name; };
      if (std::none_of(dimensions_.begin(), dimensions_.end(), same)) {
        dimensions_.emplace_back(symbol->name, value.extents.back());
      }
    }
  }
  // Rows may lie anywhere; elements of a row are neighbours unless the type or the caller says otherwise.
  bool any_layout = type.view && (type.view->layout != Layout::ND || !type.view->stride.empty());
  for (size_t i = 0; i < rank; ++i) {
    bool unit = i + 1 == rank && !module.options.strided;
    if (unit && any_layout) {
      unit = !type.view->stride.empty() && constant_value(type.view->stride.back()) == 1;
    }
    value.strides.push_back(unit ? i64(1)
                                 : word(first + 1 + static_cast<unsigned>(rank + i), b.getInt64Ty()));
  }
  if (isa<DistributedTensorType>(type)) {
    value.window = word(first + 1 + static_cast<unsigned>(2 * rank), b.getPtrTy());
  }
  track(value);
}

void FunctionEmitter::bind_params() {
  unsigned next = 0;
  for (const auto& param : function.params) {
    const Leaf& leaf = plan.leaves(param.get())[0];
    if (const auto* type = as<TensorType>(param->type)) {
      bind_tensor(tensors_[leaf.id], *type, next);
      next += 1 + 2 * static_cast<unsigned>(type->shape.size()) + (isa<DistributedTensorType>(*type) ? 1 : 0);
      continue;
    }
    Value* bits = word(next++, b.getInt64Ty());
    auto dtype = scalar_dtype(param->type);
    if (dtype && *dtype == DType::Bool) {
      bits = b.CreateICmpNE(bits, i64(0));
    } else if (dtype) {
      llvm::Type* storage = storage_type(module.context, *dtype, 0);
      Value* narrow = b.CreateTruncOrBitCast(bits, b.getIntNTy(storage->getScalarSizeInBits()));
      bits = from_storage(b, module.machine, *dtype, b.CreateBitCast(narrow, storage));
    }
    scalars_[leaf.id] = bits;
  }
  param_words_ = next;
  solve_dimensions();
}

// `NR * 16` of an extent 64: a dimension that no parameter has by itself follows where it occurs once, in an
// expression that is linear in it.
void FunctionEmitter::solve_dimensions() {
  for (const auto& param : function.params) {
    const auto* type = as<TensorType>(param->type);
    if (!type) continue;
    const TensorValue& value = tensors_[plan.leaves(param.get())[0].id];
    for (size_t d = 0; d < type->shape.size(); ++d) {
      auto bound = [&](std::string_view name) -> std::optional<int64_t> {
        for (const auto& entry : dimensions_) {
          if (entry.first == name) return 1;
        }
        return std::nullopt;
      };
      std::string missing(ops::missing_symbol(*type->shape[d], bound));
      if (missing.empty()) continue;
      dimensions_.emplace_back(missing, i64(0));
      Value* at_zero = index(type->shape[d]);
      dimensions_.back().second = i64(1);
      Value* slope = b.CreateSub(index(type->shape[d]), at_zero);
      Value* flat = b.CreateICmpEQ(slope, i64(0));
      Value* solved =
          b.CreateSDiv(b.CreateSub(value.extents[d], at_zero), b.CreateSelect(flat, i64(1), slope));
      dimensions_.back().second = b.CreateSelect(flat, i64(0), solved);
    }
  }
}

Value* FunctionEmitter::scalar_leaf(int id) {
  auto future = futures_.find(id);
  if (future == futures_.end()) {
    TW_CHECK(scalars_[id] != nullptr, "a scalar used before it is defined");
    return scalars_[id];
  }
  const Future& f = future->second;
  Value* words = word_array({b.CreatePtrToInt(f.address, b.getInt64Ty()), i64(1), i64(1)});
  return_unless_ok(call_api(offsetof(abi::Api, await),
                            {module.element_param(f.dtype), words, b.getInt8(abi::Reads), f.site}));
  return load_element(f.address, f.dtype);
}

Value* FunctionEmitter::dimension(const DimSymbol& symbol) {
  for (const auto& [name, value] : dimensions_) {
    if (name == symbol.name) return value;
  }
  module.diags.report(diag::cpu_dimension, symbol.span, {function.name, symbol.name});
  return i64(0);
}

Value* FunctionEmitter::context_field(size_t offset, llvm::Type* type) {
  return b.CreateLoad(type, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), context, offset));
}

Value* FunctionEmitter::api_function(size_t offset) {
  Value* api = context_field(offsetof(abi::Context, api), b.getPtrTy());
  return b.CreateLoad(b.getPtrTy(), b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), api, offset));
}

Value* FunctionEmitter::new_alloca(llvm::Type* type, Value* count) {
  llvm::IRBuilder<> at(entry_, entry_->begin());
  return at.CreateAlloca(type, count);
}

Value* FunctionEmitter::site(const Node& at, std::string_view what) {
  std::string name(what);
  if (name.empty()) {
    if (const auto* call = as<Call>(&at)) {
      const AttrValue* what = find_attr(call->attrs, "what");
      const bool is_operator = !call->op->infix.empty() && isa<ScalarType>(call->type);
      name = what ? *what->get<std::string>() : is_operator ? call->op->infix : op_for_messages(*call);
    }
    if (const auto* call = as<FunctionCall>(&at)) name = call->callee;
    if (isa<For>(at)) name = "pl.range";
  }
  return b.getInt32(module.site(at.span, name));
}

void FunctionEmitter::fail_if(Value* condition, abi::Fault fault, const Node& at, FaultNumbers numbers) {
  if (auto constant = known(condition); constant && *constant == 0) return;
  BasicBlock* bad = BasicBlock::Create(module.context, "fail", f_);
  BasicBlock* good = BasicBlock::Create(module.context, "checked", f_, b.GetInsertBlock()->getNextNode());
  b.CreateCondBr(condition, bad, good, llvm::MDBuilder(module.context).createUnlikelyBranchWeights());
  b.SetInsertPoint(bad);
  auto number = [&](Value* value) { return value ? b.CreateSExtOrTrunc(value, b.getInt64Ty()) : i64(0); };
  Value* status = b.CreateCall(
      module.fail_function(), {context, b.getInt32(static_cast<uint32_t>(fault)), site(at), number(numbers.a),
                               number(numbers.b), number(numbers.c), number(numbers.d)});
  b.CreateRet(status);
  b.SetInsertPoint(good);
}

void FunctionEmitter::return_unless_ok(Value* status) {
  BasicBlock* bad = BasicBlock::Create(module.context, "stop", f_);
  BasicBlock* good = BasicBlock::Create(module.context, "going", f_, b.GetInsertBlock()->getNextNode());
  b.CreateCondBr(b.CreateICmpNE(status, b.getInt32(abi::ok)), bad, good,
                 llvm::MDBuilder(module.context).createUnlikelyBranchWeights());
  b.SetInsertPoint(bad);
  b.CreateRet(status);
  b.SetInsertPoint(good);
}

void FunctionEmitter::poll_abort() {
  Value* word = context_field(offsetof(abi::Context, abort), b.getPtrTy());
  auto* flag = b.CreateAlignedLoad(b.getInt32Ty(), word, llvm::Align(4));
  flag->setAtomic(llvm::AtomicOrdering::Monotonic);
  BasicBlock* bad = BasicBlock::Create(module.context, "aborted", f_);
  BasicBlock* good = BasicBlock::Create(module.context, "round", f_, b.GetInsertBlock()->getNextNode());
  b.CreateCondBr(b.CreateICmpNE(flag, b.getInt32(0)), bad, good,
                 llvm::MDBuilder(module.context).createUnlikelyBranchWeights());
  b.SetInsertPoint(bad);
  b.CreateRet(b.getInt32(abi::aborted));
  b.SetInsertPoint(good);
}

Value* FunctionEmitter::minimum(Value* x, Value* y) {
  if (x == y) return x;
  return b.CreateSelect(b.CreateICmpSLT(x, y), x, y);
}

Value* FunctionEmitter::maximum(Value* x, Value* y) {
  if (x == y) return x;
  return b.CreateSelect(b.CreateICmpSGT(x, y), x, y);
}

Value* FunctionEmitter::element_address(Value* data, DType dtype, Value* offset) {
  if (known(offset) == 0) return data;
  return b.CreateGEP(storage_type(module.context, dtype, 0), data, offset);
}

Value* FunctionEmitter::address(const TileView& view, DType dtype, Value* row, Value* col) {
  Value* offset = b.CreateAdd(b.CreateMul(row, view.row_stride), b.CreateMul(col, view.col_stride));
  return element_address(view.data, dtype, offset);
}

Value* FunctionEmitter::load_element(Value* address, DType dtype) {
  llvm::Type* type = storage_type(module.context, dtype, 0);
  return from_storage(b, module.machine, dtype,
                      b.CreateAlignedLoad(type, address, llvm::Align(bytes(dtype))));
}

void FunctionEmitter::store_element(Value* address, DType dtype, Value* value) {
  b.CreateAlignedStore(to_storage(b, module.machine, dtype, value), address, llvm::Align(bytes(dtype)));
}

Value* FunctionEmitter::arena_at(int value) {
  int64_t offset = plan.values[value].offset;
  TW_CHECK(offset >= 0, "a value without storage");
  return offset == 0 ? arena_ : b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), arena_, offset);
}

TileView FunctionEmitter::storage(int value) {
  const PlanValue& v = plan.values[value];
  return {arena_at(value), i64(v.cols), i64(1), i64(v.rows), i64(v.cols)};
}

const TileView& FunctionEmitter::tile(const ExprRef& expr) {
  return tiles_[tile_id(expr)];
}

const TensorValue& FunctionEmitter::tensor(const ExprRef& expr) {
  return tensors_[plan.leaves(expr.get())[0].id];
}

void FunctionEmitter::copy_tile(DType dtype, const TileView& from, const TileView& to) {
  int64_t size = bytes(dtype);
  auto align = llvm::Align(static_cast<uint64_t>(size));
  if (known(from.col_stride) == 1 && known(to.col_stride) == 1) {
    bool one_piece =
        known(from.row_stride) && from.row_stride == to.row_stride && from.cols == from.row_stride;
    if (one_piece) {
      Value* all = b.CreateMul(b.CreateMul(from.rows, from.cols), i64(size));
      b.CreateMemCpy(to.data, align, from.data, align, all);
      return;
    }
    Value* row_bytes = b.CreateMul(from.cols, i64(size));
    repeat(i64(0), from.rows, 1, [&](Value* r) {
      b.CreateMemCpy(address(to, dtype, r, i64(0)), align, address(from, dtype, r, i64(0)), align, row_bytes);
    });
    return;
  }
  repeat(i64(0), from.rows, 1, [&](Value* r) {
    repeat(i64(0), from.cols, 1, [&](Value* c) {
      llvm::Type* type = storage_type(module.context, dtype, 0);
      Value* element = b.CreateAlignedLoad(type, address(from, dtype, r, c), align);
      b.CreateAlignedStore(element, address(to, dtype, r, c), align);
    });
  });
}

void FunctionEmitter::when(Value* condition, llvm::function_ref<void()> body) {
  if (auto constant = known(condition)) {
    if (*constant != 0) body();
    return;
  }
  BasicBlock* then = BasicBlock::Create(module.context, "then", f_, b.GetInsertBlock()->getNextNode());
  BasicBlock* after = BasicBlock::Create(module.context, "after", f_, then->getNextNode());
  b.CreateCondBr(condition, then, after);
  b.SetInsertPoint(then);
  body();
  b.CreateBr(after);
  b.SetInsertPoint(after);
}

Value* FunctionEmitter::rarely(Value* condition, llvm::function_ref<Value*()> aside,
                               llvm::function_ref<Value*()> straight) {
  BasicBlock* near = BasicBlock::Create(module.context, "straight", f_, b.GetInsertBlock()->getNextNode());
  BasicBlock* after = BasicBlock::Create(module.context, "joined", f_, near->getNextNode());
  BasicBlock* away = BasicBlock::Create(module.context, "aside", f_);
  b.CreateCondBr(condition, away, near, llvm::MDBuilder(module.context).createUnlikelyBranchWeights());
  b.SetInsertPoint(away);
  Value* rare = aside();
  BasicBlock* rare_end = b.GetInsertBlock();
  b.CreateBr(after);
  b.SetInsertPoint(near);
  Value* usual = straight();
  BasicBlock* usual_end = b.GetInsertBlock();
  b.CreateBr(after);
  b.SetInsertPoint(after);
  if (!rare) return nullptr;
  llvm::PHINode* result = b.CreatePHI(rare->getType(), 2);
  result->addIncoming(rare, rare_end);
  result->addIncoming(usual, usual_end);
  return result;
}

std::vector<Value*> FunctionEmitter::repeat(Value* begin, Value* end, int64_t step,
                                            std::vector<Value*> carried, LoopBody body) {
  auto first = known(begin), last = known(end);
  if (first && last) {
    if (*first >= *last) return carried;
    if (*last - *first <= step) {
      body(begin, carried);
      return carried;
    }
  }
  BasicBlock* before = b.GetInsertBlock();
  BasicBlock* loop = BasicBlock::Create(module.context, "loop", f_, before->getNextNode());
  BasicBlock* after = BasicBlock::Create(module.context, "done", f_, loop->getNextNode());
  if (first && last) {
    b.CreateBr(loop);
  } else {
    b.CreateCondBr(b.CreateICmpSLT(begin, end), loop, after);
  }
  b.SetInsertPoint(loop);
  llvm::PHINode* i = b.CreatePHI(b.getInt64Ty(), 2);
  i->addIncoming(begin, before);
  std::vector<llvm::PHINode*> phis;
  std::vector<Value*> current;
  for (Value* value : carried) {
    phis.push_back(b.CreatePHI(value->getType(), 2));
    phis.back()->addIncoming(value, before);
    current.push_back(phis.back());
  }
  body(i, current);
  Value* next = b.CreateAdd(i, i64(step), "", true, true);
  BasicBlock* latch = b.GetInsertBlock();
  i->addIncoming(next, latch);
  for (size_t k = 0; k < phis.size(); ++k) phis[k]->addIncoming(current[k], latch);
  after->moveAfter(latch);
  b.CreateCondBr(b.CreateICmpSLT(next, end), loop, after);
  b.SetInsertPoint(after);
  std::vector<Value*> results = current;
  if (!(first && last)) {
    for (size_t k = 0; k < phis.size(); ++k) {
      llvm::PHINode* result = b.CreatePHI(carried[k]->getType(), 2);
      result->addIncoming(carried[k], before);
      result->addIncoming(current[k], latch);
      results[k] = result;
    }
  }
  return results;
}

void FunctionEmitter::repeat(Value* begin, Value* end, int64_t step, llvm::function_ref<void(Value*)> body) {
  repeat(begin, end, step, {}, [&](Value* i, llvm::MutableArrayRef<Value*>) { body(i); });
}

}  // namespace tilewire::target::cpu
