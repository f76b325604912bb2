// Blocks, loops and branches, and the values they carry.
#include "ir/op.h"
#include "target/cpu/emitter.h"

namespace tilewire::target::cpu {

using namespace ir;
using llvm::BasicBlock;
using llvm::Value;

const Yield* FunctionEmitter::block(const Block& body, bool keep) {
  const Yield* yield = nullptr;
  size_t futures = open_futures_.size();
  for (const Action& action : plan.actions(&body)) {
    Place place(b, module.lines.get(), action.stmt);
    if (action.cluster >= 0) {
      emit_cluster(*this, action.cluster);
    } else if (const auto* last = as<Yield>(action.stmt)) {
      yield = last;
    } else {
      statement(*action.stmt);
    }
  }
  if (!keep && open_futures_.size() > futures && !b.GetInsertBlock()->getTerminator()) {
    release_futures(futures, yield);
  }
  return yield;
}

void FunctionEmitter::statement(const Stmt& stmt) {
  if (const auto* s = as<Assign>(&stmt)) return assign(s->var.get(), s->value, stmt);
  if (const auto* s = as<Eval>(&stmt)) {
    if (const auto* c = as<Call>(s->value)) return call(*c, nullptr);
    if (isa<FunctionCall>(s->value)) return emit_task(*this, stmt);
    return;
  }
  if (const auto* s = as<For>(&stmt)) return counted(*s);
  if (const auto* s = as<While>(&stmt)) return conditional(*s);
  if (const auto* s = as<If>(&stmt)) return branch(*s);
  if (const auto* s = as<Return>(&stmt)) return returned(*s);
  if (isa<AtScope>(stmt) || isa<SpmdScope>(stmt)) return emit_task(*this, stmt);
  if (const auto* s = as<WithScope>(&stmt)) return with_scope(*s);
}

void FunctionEmitter::assign(const Var* var, const ExprRef& value, const Stmt& stmt) {
  if (const auto* c = as<Call>(value)) return call(*c, var);
  if (isa<FunctionCall>(value)) return emit_task(*this, stmt);
  if (isa<TupleGet>(value) || isa<MakeTuple>(value) || isa<Var>(value)) return;  // the same leaves
  scalars_[plan.leaves(var)[0].id] = scalar(value);
}

void FunctionEmitter::call(const Call& call, const Var* var) {
  const Lowering& lowering = *find_lowering(call.op);
  switch (lowering.op_class) {
    case OpClass::Alias:
      return;
    case OpClass::Load:
      return load(call, plan.leaves(var)[0].id);
    case OpClass::Generator:
      return generate(call, plan.leaves(var)[0].id);
    case OpClass::Scalar:
    case OpClass::TensorView:
    case OpClass::TensorCreate: {
      if (!var && lowering.op_class != OpClass::Scalar) return;
      current_var_ = var;
      if (var && plan.leaves(var)[0].kind == LeafKind::Tensor) current_tensor_ = plan.leaves(var)[0].id;
      Value* value = lowering.scalar(*this, call);
      count_acquire(call);
      if (!var) return;
      const Leaf& leaf = plan.leaves(var)[0];
      if (leaf.kind == LeafKind::Scalar) scalars_[leaf.id] = value;
      return;
    }
    default: {
      std::vector<int> results;
      if (var) {
        for (const Leaf& leaf : plan.leaves(var)) results.push_back(leaf.id);
      }
      lowering.opaque(*this, call, results);
      count_acquire(call);
    }
  }
}

void FunctionEmitter::transfers(const std::vector<Transfer>& list) {
  for (const Transfer& t : list) {
    if (t.through < 0) continue;
    TileView to = storage(t.through);
    copy_tile(plan.values[t.from].dtype, tiles_[t.from], to);
  }
  for (const Transfer& t : list) {
    TileView from = tiles_[t.from];
    if (t.through >= 0) {
      from = storage(t.through);
      from.rows = tiles_[t.from].rows;
      from.cols = tiles_[t.from].cols;
    }
    copy_tile(plan.values[t.from].dtype, from, storage(t.to));
  }
}

// --- carried values

namespace {

// Whether each leaf of a type is a window.
void append_windows(const TypeRef& type, std::vector<bool>& out) {
  if (const auto* tuple = as<TupleType>(type)) {
    for (const TypeRef& element : tuple->types) append_windows(element, out);
  } else {
    out.push_back(isa<DistributedTensorType>(type));
  }
}

}  // namespace

std::vector<FunctionEmitter::Carried> FunctionEmitter::carried_leaves(const VarList& vars,
                                                                      const std::vector<bool>& same) const {
  std::vector<Carried> result;
  for (const VarRef& var : vars) {
    std::vector<bool> windows;
    append_windows(var->type, windows);
    auto leaves = plan.leaves(var.get());
    for (size_t i = 0; i < leaves.size(); ++i) {
      bool skip = same[result.size()];
      result.push_back({leaves[i].kind, leaves[i].id, skip, windows[i], 0, 0});
    }
  }
  return result;
}

void FunctionEmitter::flatten(const ExprRef& expr, size_t var_leaf, const Carried& carried,
                              std::vector<Value*>& out) {
  if (carried.skip) return;
  if (carried.kind == LeafKind::Scalar && !isa<TupleType>(expr->type)) {
    out.push_back(scalar(expr));
    return;
  }
  const Leaf& leaf = plan.leaves(expr.get())[var_leaf];
  if (carried.kind == LeafKind::Scalar) {
    out.push_back(scalar_leaf(leaf.id));
  } else if (carried.kind == LeafKind::Tile) {
    // Extents the plan knows to be whole need no values.
    if (plan.values[carried.id].valid_rows != full) out.push_back(tiles_[leaf.id].rows);
    if (plan.values[carried.id].valid_cols != full) out.push_back(tiles_[leaf.id].cols);
  } else {
    const TensorValue& t = tensors_[leaf.id];
    out.push_back(t.data);
    out.insert(out.end(), t.extents.begin(), t.extents.end());
    out.insert(out.end(), t.strides.begin(), t.strides.end());
    if (carried.window) {
      out.push_back(t.window);
      out.push_back(t.peer ? t.peer : b.getInt32(-1));
    }
  }
}

void FunctionEmitter::flatten_all(const ExprList& exprs, std::vector<Carried>& carried,
                                  std::vector<Value*>& out) {
  size_t k = 0;
  for (const ExprRef& expr : exprs) {
    std::vector<LeafKind> kinds;
    append_leaf_kinds(expr->type, kinds);
    for (size_t i = 0; i < kinds.size(); ++i, ++k) {
      size_t first = out.size();
      flatten(expr, i, carried[k], out);
      carried[k].first = first;
      carried[k].count = out.size() - first;
    }
  }
}

void FunctionEmitter::bind(const Carried& carried, int id, std::span<Value* const> values,
                           const TensorValue* like) {
  size_t next = carried.first;
  if (carried.kind == LeafKind::Scalar) {
    scalars_[id] = values[next];
  } else if (carried.kind == LeafKind::Tile) {
    TileView view = storage(id);
    if (plan.values[carried.id].valid_rows != full) view.rows = values[next++];
    if (plan.values[carried.id].valid_cols != full) view.cols = values[next++];
    tiles_[id] = view;
  } else {
    TensorValue t = *like;
    t.data = values[next++];
    for (Value*& extent : t.extents) extent = values[next++];
    for (Value*& stride : t.strides) stride = values[next++];
    t.window = carried.window ? values[next++] : nullptr;
    t.peer = carried.window ? values[next++] : nullptr;
    tensors_[id] = std::move(t);
  }
}

namespace {

struct LeafOf {
  ExprRef expr;
  size_t index;
};

std::vector<LeafOf> leaf_exprs(const ExprList& exprs) {
  std::vector<LeafOf> result;
  for (const ExprRef& expr : exprs) {
    std::vector<LeafKind> kinds;
    append_leaf_kinds(expr->type, kinds);
    for (size_t i = 0; i < kinds.size(); ++i) result.push_back({expr, i});
  }
  return result;
}

}  // namespace

void FunctionEmitter::bind_results(const VarList& results, std::vector<Carried>& carried,
                                   std::span<Value* const> values, const ExprList& like) {
  std::vector<LeafOf> sources = leaf_exprs(like);
  size_t k = 0;
  for (const VarRef& var : results) {
    for (const Leaf& leaf : plan.leaves(var.get())) {
      const Carried& c = carried[k];
      const LeafOf& source = sources[k++];
      if (c.skip) continue;
      const TensorValue* model =
          c.kind == LeafKind::Tensor ? &tensors_[plan.leaves(source.expr.get())[source.index].id] : nullptr;
      TensorValue copy = model ? *model : TensorValue{};
      bind(c, leaf.id, values, &copy);
    }
  }
}

void FunctionEmitter::enter_loop(const ExprList& inits, const VarList& args, const LoopPlan& loop_plan,
                                 std::vector<Carried>& carried, std::vector<Value*>& values) {
  transfers(loop_plan.enter);
  carried = carried_leaves(args, loop_plan.invariant);
  flatten_all(inits, carried, values);
  std::vector<LeafOf> sources = leaf_exprs(inits);
  for (size_t k = 0; k < carried.size(); ++k) {
    if (carried[k].kind != LeafKind::Tensor) continue;
    tensors_[carried[k].id] = tensors_[plan.leaves(sources[k].expr.get())[sources[k].index].id];
  }
}

// --- statements

void FunctionEmitter::branch(const If& stmt) {
  Value* condition = scalar(stmt.condition);
  const BranchPlan& branch_plan = plan.branch(&stmt);
  BasicBlock* then = BasicBlock::Create(module.context, "if", f_, b.GetInsertBlock()->getNextNode());
  BasicBlock* otherwise = BasicBlock::Create(module.context, "else", f_, then->getNextNode());
  BasicBlock* after = BasicBlock::Create(module.context, "endif", f_, otherwise->getNextNode());
  b.CreateCondBr(condition, then, otherwise);
  std::vector<Carried> carried;
  if (!stmt.results.empty()) carried = carried_leaves(stmt.results, branch_plan.same);
  std::vector<Value*> values[2];
  BasicBlock* ends[2];
  const Yield* yields[2] = {nullptr, nullptr};
  const Block* bodies[2] = {stmt.then_body.get(), stmt.else_body.get()};
  for (int side = 0; side < 2; ++side) {
    b.SetInsertPoint(side == 0 ? then : otherwise);
    if (bodies[side]) yields[side] = block(*bodies[side]);
    if (yields[side] && !stmt.results.empty()) {
      transfers(side == 0 ? branch_plan.then_copies : branch_plan.else_copies);
      flatten_all(yields[side]->values, carried, values[side]);
    }
    ends[side] = b.GetInsertBlock();
    if (!ends[side]->getTerminator()) b.CreateBr(after);
  }
  after->moveAfter(ends[1]);
  b.SetInsertPoint(after);
  if (stmt.results.empty()) return;
  std::vector<Value*> joined;
  for (size_t i = 0; i < values[0].size(); ++i) {
    llvm::PHINode* phi = b.CreatePHI(values[0][i]->getType(), 2);
    phi->addIncoming(values[0][i], ends[0]);
    phi->addIncoming(values[1][i], ends[1]);
    joined.push_back(phi);
  }
  bind_results(stmt.results, carried, joined, yields[0]->values);
}

void FunctionEmitter::counted(const For& stmt) {
  Value* start = index(stmt.start);
  Value* stop = index(stmt.stop);
  Value* step = index(stmt.step);
  fail_if(b.CreateICmpEQ(step, i64(0)), abi::Fault::StepZero, stmt);
  // Rounds: the distance in the direction of the step, divided by its size, rounded up. All unsigned, so that
  // no difference overflows.
  Value* down = b.CreateICmpSLT(step, i64(0));
  Value* runs = b.CreateSelect(down, b.CreateICmpSGT(start, stop), b.CreateICmpSLT(start, stop));
  Value* distance = b.CreateSelect(down, b.CreateSub(start, stop), b.CreateSub(stop, start));
  Value* size = b.CreateSelect(down, b.CreateNeg(step), step);
  Value* safe_size = b.CreateSelect(b.CreateICmpEQ(size, i64(0)), i64(1), size);
  Value* counted = b.CreateAdd(b.CreateUDiv(b.CreateSub(distance, i64(1)), safe_size), i64(1));
  Value* rounds = b.CreateSelect(runs, counted, i64(0));
  if (product_loop(stmt, start, rounds)) return;
  const LoopPlan& loop_plan = plan.loop(&stmt);
  std::vector<Carried> carried;
  std::vector<Value*> values;
  enter_loop(stmt.init_values, stmt.iter_args, loop_plan, carried, values);
  llvm::Type* type = register_type(module.context, *scalar_dtype(stmt.loop_var->type), 0);
  bool outermost = loop_depth_++ == 0;
  bool independent = stmt.loop_kind == LoopKind::Parallel && function.type == FunctionType::Orchestration;
  if (independent) parallel(abi::ParallelStep::Enter);
  std::vector<Value*> results =
      repeat(i64(0), rounds, 1, values, [&](Value* i, llvm::MutableArrayRef<Value*> current) {
        if (outermost) poll_abort();
        if (independent) parallel(abi::ParallelStep::Round);
        std::vector<Value*> now(current.begin(), current.end());
        for (const Carried& c : carried) {
          TensorValue like = c.kind == LeafKind::Tensor ? tensors_[c.id] : TensorValue{};
          if (!c.skip) bind(c, c.id, now, &like);
        }
        Value* value = b.CreateAdd(start, b.CreateMul(i, step));
        scalars_[plan.leaves(stmt.loop_var.get())[0].id] = b.CreateTruncOrBitCast(value, type);
        const Yield* yield = block(*stmt.body);
        if (!yield || carried.empty()) return;
        transfers(loop_plan.round);
        std::vector<Value*> next;
        flatten_all(yield->values, carried, next);
        std::copy(next.begin(), next.end(), current.begin());
      });
  --loop_depth_;
  if (independent) parallel(abi::ParallelStep::Leave);
  bind_results(stmt.results, carried, results, stmt.init_values);
}

void FunctionEmitter::conditional(const While& stmt) {
  const LoopPlan& loop_plan = plan.loop(&stmt);
  std::vector<Carried> carried;
  std::vector<Value*> values;
  enter_loop(stmt.init_values, stmt.iter_args, loop_plan, carried, values);
  Value* rounds = begin_rounds(stmt, values);
  BasicBlock* before = b.GetInsertBlock();
  BasicBlock* loop = BasicBlock::Create(module.context, "while", f_, before->getNextNode());
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  std::vector<Value*> current;
  std::vector<llvm::PHINode*> phis;
  for (Value* value : values) {
    phis.push_back(b.CreatePHI(value->getType(), 2));
    phis.back()->addIncoming(value, before);
    current.push_back(phis.back());
  }
  poll_abort();
  for (const Carried& c : carried) {
    TensorValue like = c.kind == LeafKind::Tensor ? tensors_[c.id] : TensorValue{};
    if (!c.skip) bind(c, c.id, current, &like);
  }
  ++loop_depth_;
  block(*stmt.before, true);
  Value* condition = scalar(stmt.condition);
  BasicBlock* body = BasicBlock::Create(module.context, "body", f_, b.GetInsertBlock()->getNextNode());
  BasicBlock* after = BasicBlock::Create(module.context, "endwhile", f_, body->getNextNode());
  b.CreateCondBr(condition, body, after);
  b.SetInsertPoint(body);
  const Yield* yield = block(*stmt.body);
  std::vector<Value*> next;
  if (yield && !carried.empty()) {
    transfers(loop_plan.round);
    flatten_all(yield->values, carried, next);
  }
  end_round(stmt, rounds, next);
  for (size_t i = 0; i < phis.size(); ++i) phis[i]->addIncoming(next[i], b.GetInsertBlock());
  b.CreateBr(loop);
  after->moveAfter(b.GetInsertBlock());
  b.SetInsertPoint(after);
  --loop_depth_;
  if (stmt.poll) polls_.pop_back();
  bind_results(stmt.results, carried, current, stmt.init_values);
}

// Kernels give back their parameters, which the caller knows, and scalars; entries write their results as
// words.
void FunctionEmitter::returned(const Return& stmt) {
  bool entry = function.type == FunctionType::Orchestration || function.type == FunctionType::Host;
  if (!entry) return_scalars(stmt);
  unsigned next = 0;
  auto put = [&](Value* value) {
    if (value->getType()->isPointerTy()) value = b.CreatePtrToInt(value, b.getInt64Ty());
    b.CreateAlignedStore(value, b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), results_, next++),
                         llvm::Align(8));
  };
  for (const ExprRef& expr : stmt.values) {
    if (!entry) break;
    std::vector<LeafKind> kinds;
    append_leaf_kinds(expr->type, kinds);
    for (size_t i = 0; i < kinds.size(); ++i) {
      if (kinds[i] == LeafKind::Tensor) {
        const TensorValue& t = tensors_[plan.leaves(expr.get())[i].id];
        put(t.data);
        for (Value* extent : t.extents) put(extent);
        for (Value* stride : t.strides) put(stride);
        if (t.window) put(t.window);
      } else if (kinds[i] == LeafKind::Scalar) {
        bool leaf = isa<TupleType>(expr->type);
        Value* value = leaf ? scalar_leaf(plan.leaves(expr.get())[i].id) : scalar(expr);
        auto dtype = leaf ? std::nullopt : scalar_dtype(expr->type);
        put(dtype ? scalar_word(value, *dtype) : value);
      }
    }
  }
  b.CreateRet(b.getInt32(abi::ok));
}

}  // namespace tilewire::target::cpu
