#include "target/cpu/math_lanes.h"

#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

#include "support/diagnostics.h"

namespace tilewire::target::cpu {

using llvm::BasicBlock;
using llvm::Value;

namespace {

llvm::FunctionCallee library_function(llvm::Module& module, const std::string& name, size_t arity) {
  llvm::Type* real = llvm::Type::getFloatTy(module.getContext());
  llvm::SmallVector<llvm::Type*> types(arity, real);
  return module.getOrInsertFunction(name, llvm::FunctionType::get(real, types, false));
}

// T patch(<N x i1> rare, T fast, T args...): a loop over the lanes.
llvm::Function* patch_function(llvm::Module& module, const std::string& callee, llvm::Type* mask,
                               llvm::Type* type, size_t arity) {
  unsigned lanes = llvm::cast<llvm::FixedVectorType>(type)->getNumElements();
  std::string name = "tilewire." + callee + "." + std::to_string(lanes);
  if (llvm::Function* known = module.getFunction(name)) return known;
  llvm::SmallVector<llvm::Type*> types = {mask, type};
  types.append(arity, type);
  auto* function = llvm::Function::Create(llvm::FunctionType::get(type, types, false),
                                          llvm::Function::InternalLinkage, name, module);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr(llvm::Attribute::Cold);
  auto& context = module.getContext();
  auto* entry = BasicBlock::Create(context, "entry", function);
  auto* loop = BasicBlock::Create(context, "lane", function);
  auto* call = BasicBlock::Create(context, "call", function);
  auto* next = BasicBlock::Create(context, "next", function);
  auto* done = BasicBlock::Create(context, "done", function);
  llvm::IRBuilder<> b(entry);
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  auto* lane = b.CreatePHI(b.getInt32Ty(), 2);
  auto* so_far = b.CreatePHI(type, 2);
  b.CreateCondBr(b.CreateExtractElement(function->getArg(0), lane), call, next);
  b.SetInsertPoint(call);
  llvm::SmallVector<Value*> args;
  for (size_t i = 0; i < arity; ++i) args.push_back(b.CreateExtractElement(function->getArg(2 + i), lane));
  Value* result = b.CreateCall(library_function(module, callee, arity), args);
  Value* changed = b.CreateInsertElement(so_far, result, lane);
  b.CreateBr(next);
  b.SetInsertPoint(next);
  auto* merged = b.CreatePHI(type, 2);
  merged->addIncoming(so_far, loop);
  merged->addIncoming(changed, call);
  Value* following = b.CreateAdd(lane, b.getInt32(1));
  lane->addIncoming(b.getInt32(0), entry);
  lane->addIncoming(following, next);
  so_far->addIncoming(function->getArg(1), entry);
  so_far->addIncoming(merged, next);
  b.CreateCondBr(b.CreateICmpULT(following, b.getInt32(lanes)), loop, done);
  b.SetInsertPoint(done);
  b.CreateRet(merged);
  return function;
}

}  // namespace

Value* unless_rare(llvm::IRBuilderBase& b, Value* rare, Value* fast, const std::function<Value*()>& slow) {
  BasicBlock* block = b.GetInsertBlock();
  TW_CHECK(b.GetInsertPoint() == block->end() && !block->getTerminator(),
           "a function with a rare path is emitted at the end of a block");
  auto* path = BasicBlock::Create(b.getContext(), "rare", block->getParent());
  auto* done = BasicBlock::Create(b.getContext(), "", block->getParent());
  Value* any = rare->getType()->isVectorTy() ? b.CreateOrReduce(rare) : rare;
  b.CreateCondBr(any, path, done, llvm::MDBuilder(b.getContext()).createBranchWeights(1, 2000));
  b.SetInsertPoint(path);
  Value* patched = slow();
  BasicBlock* end = b.GetInsertBlock();
  b.CreateBr(done);
  b.SetInsertPoint(done);
  auto* result = b.CreatePHI(fast->getType(), 2);
  result->addIncoming(fast, block);
  result->addIncoming(patched, end);
  return result;
}

Value* replace_rare_lanes(const Lanes& v, const std::string& function, Value* rare,
                          llvm::ArrayRef<Value*> args, Value* fast) {
  auto& b = v.b();
  return unless_rare(b, rare, fast, [&]() -> Value* {
    llvm::Module& module = *b.GetInsertBlock()->getModule();
    if (!fast->getType()->isVectorTy())
      return b.CreateCall(library_function(module, function, args.size()), args);
    llvm::SmallVector<Value*> all = {rare, fast};
    all.append(args.begin(), args.end());
    return b.CreateCall(patch_function(module, function, rare->getType(), fast->getType(), args.size()), all);
  });
}

}  // namespace tilewire::target::cpu
