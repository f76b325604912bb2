// Calls: kernels from orchestration functions (words, dependencies, a Launch, and Api::submit), and
// orchestration functions from the host (words, and Api::dispatch).
#include "ir/op.h"
#include "target/cpu/emitter.h"

namespace tilewire::target::cpu {

using namespace ir;
using llvm::Value;

void FunctionEmitter::put_words(const TensorValue& t, bool window, std::vector<Value*>& words) {
  Value* address = b.CreatePtrToInt(t.data, b.getInt64Ty());
  if (t.window && !window && function.type == FunctionType::Host) {
    // A window where a plain tensor is wanted: its words say by themselves which buffer it is.
    Value* number = b.CreateShl(b.CreatePtrToInt(t.window, b.getInt64Ty()), i64(abi::host_window_shift));
    address = b.CreateAdd(address, b.CreateOr(number, i64(static_cast<int64_t>(abi::host_window_tag))));
  }
  words.push_back(address);
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

// Every id of a list of dependencies; an array is expanded to all its elements.
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
  conditions.clear();
  block(*body);
  if (!conditions.empty()) defer(stmt);
  if (task) scalars_[plan.leaves(task.get())[0].id] = last_task_;
  scope_ = outer;
}

void FunctionEmitter::with_scope(const WithScope& scope) {
  const bool manual = scope.scope_kind == ScopeKind::Manual;
  parallel(manual ? abi::ParallelStep::EnterManual : abi::ParallelStep::EnterStorage);
  storage_scopes_ += !manual;
  block(*scope.body, true);
  storage_scopes_ -= !manual;
  parallel(manual ? abi::ParallelStep::LeaveManual : abi::ParallelStep::LeaveStorage);
}

// The task of a scope that holds only `defer_wait`.
void FunctionEmitter::defer(const Stmt& stmt) {
  last_task_ = defer(*scope_.deps, site(stmt, "pl.at"));
}

Value* FunctionEmitter::defer(const ExprList& deps, Value* place) {
  AbiTypes types = abi_types(module.context);
  auto* list_type = llvm::ArrayType::get(types.condition, conditions.size());
  Value* list = new_alloca(list_type);
  for (size_t i = 0; i < conditions.size(); ++i) {
    const auto& [cell, expected, cmp, place] = conditions[i];
    fill_record(types.condition, b.CreateConstInBoundsGEP2_64(list_type, list, 0, i),
                {cell, expected, cmp, place, b.getInt32(0)});
  }
  std::vector<Value*> ids;
  collect_deps(deps, ids);
  Value* record = new_alloca(types.deferred);
  fill_record(types.deferred, record,
              {list, word_array(ids), b.getInt32(static_cast<uint32_t>(conditions.size())),
               b.getInt32(static_cast<uint32_t>(ids.size())), place, b.getInt32(0)});
  Value* id = new_alloca(b.getInt64Ty());
  return_unless_ok(call_api(offsetof(abi::Api, defer), {record, id}));
  conditions.clear();
  return b.CreateAlignedLoad(b.getInt64Ty(), id, llvm::Align(8));
}

std::vector<Value*> FunctionEmitter::argument_words(const FunctionCall& call, const Function& callee,
                                                    std::vector<Value*>& untracked) {
  std::vector<Value*> words;
  std::vector<uint64_t> bits((callee.params.size() + 63) / 64);
  bool any = false;
  for (size_t i = 0; i < callee.params.size(); ++i) {
    const TypeRef& type = callee.params[i]->type;
    if (isa<TensorType>(type)) {
      const TensorValue& t = tensor(call.args[i]);
      put_words(t, isa<DistributedTensorType>(type), words);
      if (t.untracked) bits[i / 64] |= uint64_t{1} << (i % 64);
      any = any || t.untracked;
    } else if (auto dtype = scalar_dtype(type)) {
      words.push_back(scalar_word(scalar(call.args[i]), *dtype));
    } else {
      words.push_back(scalar(call.args[i]));
    }
  }
  for (size_t i = 0; any && i < bits.size(); ++i) untracked.push_back(i64(static_cast<int64_t>(bits[i])));
  return words;
}

void FunctionEmitter::expect_scalars(const FunctionCall& call, const Var* var, std::vector<Value*>& words) {
  std::vector<TypeRef> types = scalar_results(module.find(call.callee));
  std::vector<int> leaves;
  if (var) {
    for (const Leaf& leaf : plan.leaves(var)) {
      if (leaf.kind == LeafKind::Scalar) leaves.push_back(leaf.id);
    }
  }
  for (size_t i = 0; i < types.size(); ++i) {
    Value* slot = new_alloca(b.getPtrTy());
    return_unless_ok(call_api(offsetof(abi::Api, allocate), {i64(8), site(call), slot}));
    if (storage_scopes_ > 0) parallel(abi::ParallelStep::Keep);  // it may be read after the scope
    Value* address = b.CreateLoad(b.getPtrTy(), slot);
    words.insert(words.end(), {b.CreatePtrToInt(address, b.getInt64Ty()), i64(1), i64(1)});
    if (i < leaves.size()) futures_[leaves[i]] = {address, stored_dtype(types[i]), site(call)};
    open_futures_.push_back(address);
  }
}

void FunctionEmitter::release_futures(size_t first, const Yield* yield) {
  for (size_t i = 0; yield && i < yield->values.size(); ++i) {
    if (!isa<Var>(yield->values[i])) continue;
    for (const Leaf& leaf : plan.leaves(yield->values[i].get())) {
      if (leaf.kind != LeafKind::Scalar || !futures_.count(leaf.id)) continue;
      scalars_[leaf.id] = scalar_leaf(leaf.id);
      futures_.erase(leaf.id);
    }
  }
  for (size_t i = first; i < open_futures_.size(); ++i) {
    return_unless_ok(call_api(offsetof(abi::Api, release), {open_futures_[i]}));
  }
  open_futures_.resize(first);
}

void FunctionEmitter::return_scalars(const Return& stmt) {
  unsigned next = param_words_;
  for (const ExprRef& expr : stmt.values) {
    std::vector<LeafKind> kinds;
    append_leaf_kinds(expr->type, kinds);
    for (size_t i = 0; i < kinds.size(); ++i) {
      if (kinds[i] != LeafKind::Scalar) continue;
      const auto* tuple = as<TupleType>(expr->type);
      Value* value = tuple ? scalar_leaf(plan.leaves(expr.get())[i].id) : scalar(expr);
      store_element(word(next, b.getPtrTy()), stored_dtype(tuple ? tuple->types[i] : expr->type), value);
      next += 3;
    }
  }
}

void FunctionEmitter::task(const FunctionCall& call, const Var* var) {
  std::vector<Value*> untracked, ids;
  std::vector<Value*> words = argument_words(call, module.find(call.callee), untracked);
  expect_scalars(call, var, words);
  collect_deps(call.deps, ids);
  if (scope_.deps) collect_deps(*scope_.deps, ids);
  Value* blocks = call.blocks ? index(call.blocks) : scope_.blocks ? scope_.blocks : i64(1);
  fail_if(b.CreateICmpSLT(blocks, i64(0)), abi::Fault::BlockCount, call, {blocks});
  uint32_t flags = 0;
  if (scope_.sync_start) flags |= abi::SyncStart;
  if (scope_.unordered) flags |= abi::Unordered;
  llvm::StructType* type = abi_types(module.context).launch;
  Value* launch = new_alloca(type);
  fill_record(type, launch,
              {module.record(call.callee), word_array(words), word_array(ids), word_array(untracked), blocks,
               b.getInt32(static_cast<uint32_t>(ids.size())), b.getInt32(flags), site(call), b.getInt32(0)});
  Value* id = new_alloca(b.getInt64Ty());
  return_unless_ok(call_api(offsetof(abi::Api, submit), {launch, id}));
  last_task_ = b.CreateAlignedLoad(b.getInt64Ty(), id, llvm::Align(8));
}

void FunctionEmitter::dispatch(const FunctionCall& call) {
  std::vector<Value*> untracked;
  std::vector<Value*> words = argument_words(call, module.find(call.callee), untracked);
  llvm::StructType* type = abi_types(module.context).device_call;
  Value* record = new_alloca(type);
  fill_record(type, record,
              {module.record(call.callee), word_array(words), index(call.device),
               site(call, module.source_name(call.callee)), b.getInt32(0)});
  return_unless_ok(call_api(offsetof(abi::Api, dispatch), {record}));
}

void FunctionEmitter::parallel(abi::ParallelStep step) {
  auto* type = llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getInt32Ty()}, false);
  b.CreateCall(type, api_function(offsetof(abi::Api, parallel)),
               {context, b.getInt32(static_cast<uint32_t>(step))});
}

void emit_task(FunctionEmitter& emitter, const Stmt& stmt) {
  const auto* assign = as<Assign>(&stmt);
  const auto* eval = as<Eval>(&stmt);
  if (!assign && !eval) return emitter.scope(stmt);
  const auto& call = *as<FunctionCall>(assign ? assign->value : eval->value);
  emitter.function.type == FunctionType::Host ? emitter.dispatch(call)
                                              : emitter.task(call, assign ? assign->var.get() : nullptr);
}

void FunctionEmitter::await_element(const Call& call, const TensorValue& t, Value* at, uint8_t access) {
  if (function.type != FunctionType::Orchestration) return;
  Value* words = word_array({b.CreatePtrToInt(at, b.getInt64Ty()), i64(1), i64(1)});
  return_unless_ok(call_api(offsetof(abi::Api, await),
                            {module.element_param(t.dtype), words, b.getInt8(access), site(call)}));
}

}  // namespace tilewire::target::cpu
