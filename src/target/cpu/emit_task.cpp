// Kernel calls of orchestration functions: words, dependencies, a Launch, and Api::submit.
#include "ir/op.h"
#include "target/cpu/emitter.h"

namespace tilewire::target::cpu {

using namespace ir;
using llvm::Value;

void FunctionEmitter::put_words(const TensorValue& t, bool window, std::vector<Value*>& words) {
  words.push_back(b.CreatePtrToInt(t.data, b.getInt64Ty()));
  words.insert(words.end(), t.extents.begin(), t.extents.end());
  words.insert(words.end(), t.strides.begin(), t.strides.end());
  if (window) words.push_back(b.CreatePtrToInt(t.window, b.getInt64Ty()));
}

Value* FunctionEmitter::word_array(const std::vector<Value*>& words) {
  if (words.empty()) return llvm::ConstantPointerNull::get(b.getPtrTy());
  Value* array = new_alloca(llvm::ArrayType::get(b.getInt64Ty(), words.size()));
  for (size_t i = 0; i < words.size(); ++i) {
    b.CreateAlignedStore(words[i], b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), array, i), llvm::Align(8));
  }
  return array;
}

// Every id of a list of dependencies; an array stands for all its elements.
void FunctionEmitter::collect_deps(const ExprList& deps, std::vector<Value*>& ids) {
  for (const ExprRef& dep : deps) {
    const auto* array = as<ArrayType>(dep->type);
    if (!array) {
      ids.push_back(scalar(dep));
      continue;
    }
    const TileView& view = tile(dep);
    for (int64_t i = 0; i < array->extent; ++i) {
      ids.push_back(b.CreateAlignedLoad(
          b.getInt64Ty(), b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), view.data, i), llvm::Align(8)));
    }
  }
}

void FunctionEmitter::scope(const Stmt& stmt) {
  TaskScope outer = scope_;
  const Block* body = nullptr;
  VarRef task;
  if (const auto* at = as<AtScope>(&stmt)) {
    scope_ = {&at->deps, nullptr, !at->ordered, false};
    body = at->body.get();
    task = at->task_id;
  } else {
    const auto& spmd = static_cast<const SpmdScope&>(stmt);
    scope_ = {&spmd.deps, index(spmd.block_count), !spmd.ordered, spmd.sync_start};
    body = spmd.body.get();
    task = spmd.task_id;
  }
  last_task_ = i64(abi::no_task);
  block(*body);
  if (task) scalars_[plan.leaves(task.get())[0].id] = last_task_;
  scope_ = outer;
}

void FunctionEmitter::task(const FunctionCall& call) {
  const Function* kernel = module.find_kernel(call.callee);
  TW_CHECK(kernel != nullptr, "no kernel " + call.callee);
  std::vector<Value*> words;
  uint64_t untracked[4] = {};
  bool any_untracked = false;
  for (size_t i = 0; i < kernel->params.size(); ++i) {
    const TypeRef& type = kernel->params[i]->type;
    if (isa<TensorType>(type)) {
      const TensorValue& t = tensor(call.args[i]);
      put_words(t, isa<DistributedTensorType>(type), words);
      if (t.untracked && i < 256) {
        untracked[i / 64] |= uint64_t{1} << (i % 64);
        any_untracked = true;
      }
    } else if (auto dtype = scalar_dtype(type)) {
      words.push_back(scalar_word(scalar(call.args[i]), *dtype));
    } else {
      words.push_back(scalar(call.args[i]));
    }
  }
  std::vector<Value*> ids;
  collect_deps(call.deps, ids);
  if (scope_.deps) collect_deps(*scope_.deps, ids);
  Value* blocks = call.blocks ? index(call.blocks) : scope_.blocks ? scope_.blocks : i64(1);
  fail_if(b.CreateICmpSLT(blocks, i64(0)), abi::Fault::BlockCount, call, {blocks});
  std::vector<Value*> bits;
  if (any_untracked) {
    for (size_t i = 0; i * 64 < kernel->params.size() && i < 4; ++i)
      bits.push_back(i64(static_cast<int64_t>(untracked[i])));
  }
  uint32_t flags = 0;
  if (scope_.sync_start) flags |= abi::SyncStart;
  if (scope_.unordered) flags |= abi::Unordered;
  llvm::StructType* type = abi_types(module.context).launch;
  Value* launch = new_alloca(type);
  Value* fields[] = {module.kernel_record(call.callee),
                     word_array(words),
                     word_array(ids),
                     word_array(bits),
                     blocks,
                     b.getInt32(static_cast<uint32_t>(ids.size())),
                     b.getInt32(flags),
                     site(call),
                     b.getInt32(0)};
  for (unsigned i = 0; i < std::size(fields); ++i)
    b.CreateStore(fields[i], b.CreateStructGEP(type, launch, i));
  Value* id = new_alloca(b.getInt64Ty());
  auto* submit = llvm::FunctionType::get(b.getInt32Ty(), {b.getPtrTy(), b.getPtrTy(), b.getPtrTy()}, false);
  return_unless_ok(b.CreateCall(submit, api_function(offsetof(abi::Api, submit)), {context, launch, id}));
  last_task_ = b.CreateAlignedLoad(b.getInt64Ty(), id, llvm::Align(8));
}

void emit_task(FunctionEmitter& emitter, const Stmt& stmt) {
  if (const auto* s = as<Assign>(&stmt)) return emitter.task(*as<FunctionCall>(s->value));
  if (const auto* s = as<Eval>(&stmt)) return emitter.task(*as<FunctionCall>(s->value));
  emitter.scope(stmt);
}

void FunctionEmitter::await_element(const Call& call, const TensorValue& t, Value* at, uint8_t access) {
  if (function.type != FunctionType::Orchestration) return;
  Value* words = word_array({b.CreatePtrToInt(at, b.getInt64Ty()), i64(1), i64(1)});
  auto* type = llvm::FunctionType::get(
      b.getInt32Ty(), {b.getPtrTy(), b.getPtrTy(), b.getPtrTy(), b.getInt8Ty(), b.getInt32Ty()}, false);
  Value* status =
      b.CreateCall(type, api_function(offsetof(abi::Api, await)),
                   {context, module.element_param(t.dtype), words, b.getInt8(access), site(call)});
  return_unless_ok(status);
}

}  // namespace tilewire::target::cpu
