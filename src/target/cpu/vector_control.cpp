#include "target/cpu/vector_control.h"

#include <llvm/IR/Constants.h>

namespace tilewire::target::cpu {

using llvm::BasicBlock;
using llvm::Value;

void emit_for(llvm::IRBuilderBase& b, Value* low, Value* high, Value* step,
              const std::function<void(Value*)>& body) {
  Value* any = b.CreateICmpSLT(low, high);
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(any); known && known->isZero()) return;
  Value* second = b.CreateICmpSGE(b.CreateAdd(low, step), high);
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(any), *once = llvm::dyn_cast<llvm::ConstantInt>(second);
      known && once && once->isOne()) {
    body(low);
    return;
  }
  BasicBlock* entry = b.GetInsertBlock();
  auto* loop = BasicBlock::Create(b.getContext(), "for", entry->getParent());
  auto* done = BasicBlock::Create(b.getContext(), "end", entry->getParent());
  b.CreateCondBr(any, loop, done);
  b.SetInsertPoint(loop);
  auto* i = b.CreatePHI(b.getInt64Ty(), 2);
  i->addIncoming(low, entry);
  body(i);
  Value* next = b.CreateAdd(i, step);
  i->addIncoming(next, b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpSLT(next, high), loop, done);
  b.SetInsertPoint(done);
}

void emit_if(llvm::IRBuilderBase& b, Value* condition, const std::function<void()>& then,
             const std::function<void()>& otherwise) {
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(condition)) {
    const auto& taken = known->isOne() ? then : otherwise;
    if (taken) taken();
    return;
  }
  llvm::Function* function = b.GetInsertBlock()->getParent();
  auto* yes = BasicBlock::Create(b.getContext(), "then", function);
  auto* no = otherwise ? BasicBlock::Create(b.getContext(), "else", function) : nullptr;
  auto* done = BasicBlock::Create(b.getContext(), "end", function);
  b.CreateCondBr(condition, yes, no ? no : done);
  b.SetInsertPoint(yes);
  then();
  b.CreateBr(done);
  if (no) {
    b.SetInsertPoint(no);
    otherwise();
    b.CreateBr(done);
  }
  b.SetInsertPoint(done);
}

Value* emit_min(llvm::IRBuilderBase& b, Value* x, Value* y) {
  return b.CreateSelect(b.CreateICmpSLT(x, y), x, y);
}

Value* emit_offset(llvm::IRBuilderBase& b, Value* pointer, Value* bytes) {
  return b.CreateGEP(b.getInt8Ty(), pointer, bytes);
}

void emit_prefetch(llvm::IRBuilderBase& b, Value* pointer) {
  constexpr int read = 0, keep = 3, data = 1;
  b.CreateIntrinsic(llvm::Intrinsic::prefetch, {pointer->getType()},
                    {pointer, b.getInt32(read), b.getInt32(keep), b.getInt32(data)});
}

}  // namespace tilewire::target::cpu
