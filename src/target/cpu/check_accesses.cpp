#include "target/cpu/check_accesses.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <vector>

namespace tilewire::target::cpu {

using llvm::Value;

namespace {

constexpr const char* touch_name = "tw.touch";

Value* through_offsets(Value* address, const auto& stop) {
  while (!stop(address)) {
    auto* offset = llvm::dyn_cast<llvm::GEPOperator>(address);
    if (!offset) break;
    address = offset->getPointerOperand();
  }
  return address;
}

// What a value that depends on the way taken may be.
std::vector<Value*> choices(Value* value) {
  if (auto* phi = llvm::dyn_cast<llvm::PHINode>(value)) {
    return {phi->incoming_values().begin(), phi->incoming_values().end()};
  }
  if (auto* select = llvm::dyn_cast<llvm::SelectInst>(value)) {
    return {select->getTrueValue(), select->getFalseValue()};
  }
  return {};
}

uint64_t store_bytes(const llvm::Instruction& at, llvm::Type* type) {
  return at.getModule()->getDataLayout().getTypeStoreSize(type).getFixedValue();
}

}  // namespace

void AccessChecks::add(Value* data, Value* low, Value* high, uint64_t element_bytes) {
  if (!llvm::isa<llvm::Constant>(data)) tensors_[data] = {low, high, element_bytes};
}

void AccessChecks::touch(llvm::IRBuilderBase& b, llvm::Module& module, Value* data, Value* low, Value* high) {
  auto* type = llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getInt64Ty(), b.getInt64Ty()}, false);
  b.CreateCall(module.getOrInsertFunction(touch_name, type), {data, low, high});
}

// --- where an address comes from

bool AccessChecks::known(Value* address, std::map<Value*, bool>& seen) const {
  address = through_offsets(address, [&](Value* v) { return tensors_.count(v) != 0; });
  if (tensors_.count(address)) return true;
  if (!seen.emplace(address, true).second) return false;
  for (Value* choice : choices(address)) {
    if (known(choice, seen)) return true;
  }
  return false;
}

std::optional<AccessChecks::Bounds> AccessChecks::bounds(Value* address) {
  address = through_offsets(address, [&](Value* v) { return tensors_.count(v) != 0; });
  if (auto found = tensors_.find(address); found != tensors_.end()) return found->second;
  if (auto found = merged_.find(address); found != merged_.end()) return found->second;
  std::map<Value*, bool> seen;
  if (choices(address).empty() || !known(address, seen)) return std::nullopt;
  return merged(*llvm::cast<llvm::Instruction>(address));
}

// The bounds of an address that is one of several follow the same way; where one is of nothing we know, they
// are those of all memory.
AccessChecks::Bounds AccessChecks::merged(llvm::Instruction& choice) {
  llvm::IRBuilder<> b(&choice);
  auto* i64 = b.getInt64Ty();
  auto of = [&](Value* one) {
    auto found = bounds(one);
    return found ? *found : Bounds{b.getInt64(0), b.getInt64(UINT64_MAX), 1};
  };
  if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&choice)) {
    Bounds x = of(select->getTrueValue()), y = of(select->getFalseValue());
    Value* taken = select->getCondition();
    return merged_[&choice] = {b.CreateSelect(taken, x.low, y.low), b.CreateSelect(taken, x.high, y.high),
                               std::max(x.element_bytes, y.element_bytes)};
  }
  auto& phi = llvm::cast<llvm::PHINode>(choice);
  auto* low = b.CreatePHI(i64, phi.getNumIncomingValues());
  auto* high = b.CreatePHI(i64, phi.getNumIncomingValues());
  merged_[&choice] = {low, high, 1};  // a loop comes back here
  uint64_t size = 1;
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    Bounds x = of(phi.getIncomingValue(i));
    low->addIncoming(x.low, phi.getIncomingBlock(i));
    high->addIncoming(x.high, phi.getIncomingBlock(i));
    size = std::max(size, x.element_bytes);
  }
  return merged_[&choice] = {low, high, size};
}

// --- checks

void AccessChecks::stop_if(Value* bad, llvm::Instruction& at, const Bounds& bounds, Value* first) {
  llvm::MDNode* unlikely = llvm::MDBuilder(at.getContext()).createUnlikelyBranchWeights();
  llvm::Instruction* end = llvm::SplitBlockAndInsertIfThen(bad, &at, true, unlikely);
  llvm::IRBuilder<> b(end);
  b.SetCurrentDebugLocation(at.getDebugLoc());
  Value* size = b.getInt64(bounds.element_bytes);
  (*fail_)(b, at, b.CreateSDiv(b.CreateSub(first, bounds.low), size),
           b.CreateUDiv(b.CreateSub(bounds.high, bounds.low), size));
  end->eraseFromParent();
}

// Bytes from `address` on; `condition` (null: always) says whether they are touched at all.
void AccessChecks::check(llvm::Instruction& at, Value* address, Value* bytes, Value* condition) {
  auto limits = bounds(address);
  if (!limits) return;
  llvm::IRBuilder<> b(&at);
  Value* first = b.CreatePtrToInt(address, b.getInt64Ty());
  Value* bad = b.CreateOr(b.CreateICmpULT(first, limits->low),
                          b.CreateICmpUGT(b.CreateAdd(first, bytes), limits->high));
  if (condition) bad = b.CreateAnd(condition, bad);
  stop_if(bad, at, *limits, first);
}

// From the first lane of the mask to the last.
void AccessChecks::check_masked(llvm::Instruction& at, Value* address, llvm::Type* type, Value* mask) {
  llvm::IRBuilder<> b(&at);
  auto* vector = llvm::cast<llvm::FixedVectorType>(type);
  Value* bits = b.CreateZExt(b.CreateBitCast(mask, b.getIntNTy(vector->getNumElements())), b.getInt64Ty());
  Value* before = b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, b.getFalse());
  Value* behind = b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, bits, b.getFalse());
  Value* lanes = b.CreateSub(b.CreateSub(b.getInt64(64), behind), before);
  Value* size = b.getInt64(store_bytes(at, vector->getElementType()));
  Value* first = b.CreateGEP(b.getInt8Ty(), address, b.CreateMul(before, size));
  check(at, first, b.CreateMul(lanes, size), b.CreateICmpNE(bits, b.getInt64(0)));
}

void AccessChecks::check_lanes(llvm::Instruction& at, Value* addresses, llvm::Type* type, Value* mask) {
  auto limits = bounds(addresses);
  if (!limits) return;
  llvm::IRBuilder<> b(&at);
  auto* vector = llvm::cast<llvm::FixedVectorType>(type);
  unsigned lanes = vector->getNumElements();
  auto all = [&](Value* value) { return b.CreateVectorSplat(lanes, value); };
  Value* first = b.CreatePtrToInt(addresses, llvm::FixedVectorType::get(b.getInt64Ty(), lanes));
  Value* end = b.CreateAdd(first, all(b.getInt64(store_bytes(at, vector->getElementType()))));
  Value* bad = b.CreateOr(b.CreateICmpULT(first, all(limits->low)), b.CreateICmpUGT(end, all(limits->high)));
  bad = b.CreateAnd(bad, mask);
  Value* bits = b.CreateBitCast(bad, b.getIntNTy(lanes));
  Value* lane = b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, b.getFalse());
  Value* worst = b.CreateExtractElement(first, b.CreateZExtOrTrunc(lane, b.getInt64Ty()));
  stop_if(b.CreateICmpNE(bits, llvm::ConstantInt::get(bits->getType(), 0)), at, *limits, worst);
}

void AccessChecks::check_access(llvm::Instruction& at) {
  llvm::IRBuilder<> b(&at);
  auto whole = [&](Value* address, llvm::Type* type) {
    check(at, address, b.getInt64(store_bytes(at, type)), nullptr);
  };
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&at))
    return whole(load->getPointerOperand(), load->getType());
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&at)) {
    return whole(store->getPointerOperand(), store->getValueOperand()->getType());
  }
  if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&at)) {
    return whole(update->getPointerOperand(), update->getType());
  }
  if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&at)) {
    return whole(exchange->getPointerOperand(), exchange->getNewValOperand()->getType());
  }
  auto some = [&](Value* length) {
    return b.CreateICmpNE(length, llvm::ConstantInt::get(length->getType(), 0));
  };
  if (auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(&at)) {
    Value* length = b.CreateZExtOrTrunc(copy->getLength(), b.getInt64Ty());
    check(at, copy->getRawDest(), length, some(length));
    if (auto* transfer = llvm::dyn_cast<llvm::MemTransferInst>(copy)) {
      check(at, transfer->getRawSource(), length, some(length));
    }
    return;
  }
  auto* call = llvm::dyn_cast<llvm::CallInst>(&at);
  if (!call || !call->getCalledFunction()) return;
  switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::masked_load:
      return check_masked(at, call->getArgOperand(0), call->getType(), call->getArgOperand(2));
    case llvm::Intrinsic::masked_store:
      return check_masked(at, call->getArgOperand(1), call->getArgOperand(0)->getType(),
                          call->getArgOperand(3));
    case llvm::Intrinsic::masked_gather:
      return check_lanes(at, call->getArgOperand(0), call->getType(), call->getArgOperand(2));
    case llvm::Intrinsic::masked_scatter:
      return check_lanes(at, call->getArgOperand(1), call->getArgOperand(0)->getType(),
                         call->getArgOperand(3));
    default:
      break;
  }
  if (call->getCalledFunction()->getName() != touch_name) return;
  Value *low = call->getArgOperand(1), *high = call->getArgOperand(2);
  Value* first = b.CreateGEP(b.getInt8Ty(), call->getArgOperand(0), low);
  check(at, first, b.CreateSub(high, low), b.CreateICmpNE(low, high));
}

void AccessChecks::insert(llvm::Function& function, const Fail& fail) {
  fail_ = &fail;
  std::vector<llvm::Instruction*> all;
  for (llvm::Instruction& at : llvm::instructions(function)) all.push_back(&at);
  for (llvm::Instruction* at : all) {
    if (!at->mayReadOrWriteMemory()) continue;
    check_access(*at);
    auto* call = llvm::dyn_cast<llvm::CallInst>(at);
    if (call && call->getCalledFunction() && call->getCalledFunction()->getName() == touch_name) {
      call->eraseFromParent();
    }
  }
  fail_ = nullptr;
}

}  // namespace tilewire::target::cpu
