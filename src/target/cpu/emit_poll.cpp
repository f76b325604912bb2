// Loops that look at signal cells or update them: the ends of their rounds, and what those that poll tell the
// runtime.
//
// The first round of a poll costs nothing more than the looks themselves: most often the answer is there.
// From the end of that round on the looks are announced, so that the runtime can let the loop sleep.
#include "ir/op.h"
#include "ir/visitor.h"
#include "passes/mark_polls.h"
#include "target/cpu/emitter.h"

namespace tilewire::target::cpu {

using namespace ir;
using llvm::Value;

namespace {

// Rounds of other loops that look at cells, after which others get their turn. A power of two.
constexpr uint32_t rounds_in_a_row = 64;

struct Looks : Visitor<Looks> {
  bool found = false;
  void visit(const Call& call) {
    walk_children(call);
    found |= passes::uses_cells(call);
  }
};

}  // namespace

void FunctionEmitter::note_look(Value* cell, Value* value, Value* cmp, abi::LookKind kind, const Call& call) {
  if (polls_.empty()) return;
  when(b.CreateLoad(b.getInt1Ty(), polls_.back()), [&] {
    auto* type = llvm::FunctionType::get(
        b.getVoidTy(),
        {b.getPtrTy(), b.getPtrTy(), b.getInt32Ty(), b.getInt32Ty(), b.getInt32Ty(), b.getInt32Ty()}, false);
    b.CreateCall(type, api_function(offsetof(abi::Api, look)),
                 {context, cell, value, cmp, site(call), b.getInt32(static_cast<uint32_t>(kind))});
  });
}

void FunctionEmitter::call_poll(const std::vector<Value*>& carried, Value* again, const While& stmt) {
  std::vector<Value*> words;
  for (Value* value : carried) {
    llvm::Type* type = value->getType();
    if (type->isPointerTy()) value = b.CreatePtrToInt(value, b.getInt64Ty());
    if (type->isFloatingPointTy()) value = b.CreateBitCast(value, b.getIntNTy(type->getScalarSizeInBits()));
    words.push_back(b.CreateZExtOrTrunc(value, b.getInt64Ty()));
  }
  Value* count = b.getInt32(static_cast<uint32_t>(words.size()));
  Value* depth = b.getInt32(static_cast<uint32_t>(polls_.size() - 1));
  return_unless_ok(
      call_api(offsetof(abi::Api, poll), {word_array(words), count, depth, again, site(stmt, "while")}));
}

Value* FunctionEmitter::begin_rounds(const While& stmt, const std::vector<Value*>& carried) {
  Looks looks;
  looks.walk(stmt.before);
  looks.walk(stmt.condition);
  looks.walk(stmt.body);
  if (!looks.found) return nullptr;
  Value* rounds = new_alloca(b.getInt32Ty());
  // With hooks nothing is left out: a run that follows a schedule has to know the first repetition.
  const bool hooks = module.options.hooks;
  b.CreateStore(b.getInt32(stmt.poll && hooks), rounds);
  if (!stmt.poll) return rounds;
  Value* outer = b.getFalse();
  if (!polls_.empty()) outer = b.CreateLoad(b.getInt1Ty(), polls_.back());
  Value* announces = new_alloca(b.getInt1Ty());
  b.CreateStore(hooks ? static_cast<Value*>(b.getTrue()) : outer, announces);
  polls_.push_back(announces);
  if (hooks) call_poll(carried, b.getInt32(0), stmt);
  return rounds;
}

void FunctionEmitter::end_round(const While& stmt, Value* rounds, const std::vector<Value*>& carried) {
  if (!rounds) return;
  Value* so_far = b.CreateLoad(b.getInt32Ty(), rounds);
  if (stmt.poll) {
    call_poll(carried, so_far, stmt);
    b.CreateStore(b.getInt32(1), rounds);
    b.CreateStore(b.getTrue(), polls_.back());
    return;
  }
  Value* now = b.CreateAnd(b.CreateAdd(so_far, b.getInt32(1)), b.getInt32(rounds_in_a_row - 1));
  b.CreateStore(now, rounds);
  when(b.CreateICmpEQ(now, b.getInt32(0)), [&] {
    Value* nowhere = llvm::ConstantPointerNull::get(b.getPtrTy());
    return_unless_ok(call_api(offsetof(abi::Api, yield), {nowhere, site(stmt, "while")}));
  });
}

}  // namespace tilewire::target::cpu
